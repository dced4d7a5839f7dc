# SPDX-License-Identifier: MIT
"""What gathering several leaves for each evaluation gains in speed, and what it costs in strength.

    python benchmarks/leaves.py [--seconds 5] [--network FILE] [--positions FILE --count 200 ...]

Speed: UBFM on Connect Four with a Python function that takes a millisecond for each call, or with a
network; one thread that gathers leaves, or several threads whose leaves are gathered. Strength:
the share of positions in which the chosen move keeps the value, after a number of evaluated states.
FILE is CSV with the columns moves, ply and scores, the last one `action:score` for every action.
"""

from __future__ import annotations

import argparse
import csv
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import unbounded as ub

GAME = "connect-four"
SECONDS_PER_CALL = 0.001


class Counted:
    """An evaluation that counts what it is called with."""

    def __init__(self, evaluate: Callable[[Any], Any]) -> None:
        self.calls = self.states = 0
        self._evaluate = evaluate

    def __call__(self, states: Any) -> Any:
        self.calls += 1
        self.states += len(states)
        return self._evaluate(states)


def waiting(states: Any) -> Any:
    """Wait as if for an accelerator; the states themselves take no time."""
    time.sleep(SECONDS_PER_CALL)
    return np.zeros((len(states), 2))


def measure_speed(options: dict[str, int], seconds: float, network: Path | None) -> None:
    """Print how many calls and iterations there are per second."""
    counted = Counted(waiting)
    search = ub.Search(GAME, evaluation=network or counted, **options)
    search.run(iterations=1000 if network else 0)  # compiles, and warms up
    before = search.iterations
    search.run(seconds=seconds)
    (row,) = (f"{name} {n}" for name, n in options.items())
    print(f"{row:12} {(search.iterations - before) / seconds:13,.0f}", end="")
    if network is None:
        print(f" {counted.calls / seconds:8,.0f} {counted.states / counted.calls:12,.1f}", end="")
    print(flush=True)


def read_positions(path: Path, count: int) -> list[tuple[str, dict[str, int]]]:
    """The moves of each position, and the score of every action."""
    with path.open() as file:
        rows = list(csv.DictReader(file))[:count]
    pairs = [[pair.split(":") for pair in row["scores"].split()] for row in rows]
    scores = [{action: int(score) for action, score in row} for row in pairs]
    return [(" ".join(row["moves"]), each) for row, each in zip(rows, scores, strict=True)]


def measure_strength(
    leaves: int, positions: list[tuple[str, dict[str, int]]], evaluations: int
) -> None:
    """Print the share of moves that keep the value, by each rule for the move to play."""
    kept = dict.fromkeys(("best", "safest"), 0)
    calls, game = 0, ub.load_game(GAME)
    for moves, scores in positions:
        evaluate = Counted(lambda states: [game.evaluate(state.tobytes()) for state in states])
        search = ub.Search(game, moves=moves, evaluation=evaluate, leaves=leaves)
        evaluate.calls = evaluate.states = 0
        while evaluate.states < evaluations and not search.root.resolved:
            search.run(states=evaluations - evaluate.states)
        calls += evaluate.calls
        best = np.sign(max(scores.values()))
        for rule in kept:
            kept[rule] += int(np.sign(scores[search.decide(rule) or ""]) == best)
    shares = "  ".join(f"{rule} {n / len(positions):6.1%}" for rule, n in kept.items())
    print(f"{leaves:6}  {shares}  {calls / len(positions):6.1f} calls a move", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--network", type=Path)
    parser.add_argument("--positions", type=Path)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--evaluations", type=int, default=600)
    given = parser.parse_args()
    print(f"{GAME}, {given.network or f'an evaluation of {SECONDS_PER_CALL * 1000:g} ms per call'}")
    print("              iterations/s  calls/s  states/call")
    for n in (1, 8, 32, 128):
        measure_speed({"leaves": n}, given.seconds, given.network)
    for n in (2, 8, 32, 128):
        measure_speed({"threads": n}, given.seconds, given.network)
    if given.positions is None:
        return
    positions = read_positions(given.positions, given.count)
    print(f"moves that keep the value, {given.evaluations} evaluations, {len(positions)} positions")
    for leaves in (1, 8, 32):
        measure_strength(leaves, positions, given.evaluations)


if __name__ == "__main__":
    main()
