# SPDX-License-Identifier: MIT
"""Solve OpenSpiel's games by their rules, beside OpenSpiel's own solvers: `python openspiel.py`.

Everyone proves the value of the first state. `unbounded` calls OpenSpiel for every rule; `native`
is our own game, by compiled rules. All in one process, in turns, each at processor time; the median
of several turns.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from typing import Any

import pyspiel
from open_spiel.python.algorithms import minimax

import unbounded as ub
from unbounded.bridges import openspiel

GAMES = {
    "tic_tac_toe": "tic-tac-toe",
    "connect_four(rows=4,columns=4)": "connect-four(width=4,height=4)",
    "breakthrough(rows=5,columns=3)": "breakthrough(rows=5,columns=3,pawn_rows=1)",
}
"""Of OpenSpiel, and of ours. Their breakthrough has one row of pawns each on boards of fewer than 6
rows, ours has two, so the last two are not the same game."""
SAME = {"tic_tac_toe", "connect_four(rows=4,columns=4)"}

UCT_CONSTANTS = (0.5, 1.0, 2.0, 5.0, 20.0, 100.0)
MOST_SIMULATIONS = 1_000_000
MEMORY_MB = 8000


def alpha_beta(game: Any) -> float:
    """OpenSpiel's alpha-beta, in Python, to the end of the game."""
    value, _ = minimax.alpha_beta_search(game)
    return float(value)


def monte_carlo(game: Any, constant: float, seed: int) -> float | None:
    """OpenSpiel's MCTS, in C++, until it has proven the value; None if it did not."""
    evaluator = pyspiel.RandomRolloutEvaluator(1, seed)
    options = (constant, MOST_SIMULATIONS, MEMORY_MB, True, seed, False)
    root = pyspiel.MCTSBot(game, evaluator, *options).mcts_search(game.new_initial_state())
    return root.outcome[0] if len(root.outcome) > 0 else None


def best_constant(game: Any) -> float | None:
    """The constant with which MCTS is fastest, of those with which it proves anything."""
    found = []
    for constant in UCT_CONSTANTS:
        started = time.process_time()
        if monte_carlo(game, constant, 1) is not None:
            found.append((time.process_time() - started, constant))
    return min(found)[1] if found else None


def solve(game: ub.Game[Any, Any]) -> float:
    """Our solver."""
    outcome = ub.solve(game).outcome
    assert outcome is not None
    return float(outcome[0])


def medians(work: dict[str, Callable[[int], Any]], turns: int) -> dict[str, float]:
    """Do every piece of work so often, in turns; return the medians of their processor times."""
    spent: dict[str, list[float]] = {name: [] for name in work}
    for turn in range(turns + 1):
        for name, do in work.items():
            started = time.process_time()
            do(turn + 1)
            if turn > 0:  # the first one only warms up
                spent[name].append(time.process_time() - started)
    return {name: statistics.median(times) for name, times in spent.items()}


def compare(name: str, turns: int) -> dict[str, float]:
    """Measure everyone on one game, after checking that they agree on its value."""
    game, twin = pyspiel.load_game(name), ub.load_game(GAMES[name])
    foreign = openspiel.load(name)
    assert solve(foreign) == alpha_beta(game)
    assert name not in SAME or solve(twin) == solve(foreign)
    work: dict[str, Callable[[int], Any]] = {
        "unbounded": lambda _: solve(foreign),
        "native": lambda _: solve(twin),
        "alpha-beta": lambda _: alpha_beta(game),
    }
    constant = best_constant(game)
    if constant is not None:
        work["MCTS"] = lambda seed: monte_carlo(game, constant, seed)
    return medians(work, turns)


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=7)
    turns = parser.parse_args().turns
    columns = ("unbounded", "native", "alpha-beta", "MCTS")
    print(f"{'milliseconds':32}" + "".join(f"{c:>12}" for c in columns) + f"{'ratios':>16}")
    for name in GAMES:
        spent = compare(name, turns)
        cells = [
            f"{1000 * spent[c]:12.1f}" if c in spent else f"{'not proven':>12}" for c in columns
        ]
        ratios = [f"{spent[c] / spent['unbounded']:.1f}" for c in columns[2:] if c in spent]
        print(f"{name:32}" + "".join(cells) + f"{' '.join(ratios):>16}", flush=True)


if __name__ == "__main__":
    main()
