# SPDX-License-Identifier: MIT
"""A player alone in each seat, against others of one kind: does it do better than one of them?

    PYTHONPATH=src python benchmarks/seats.py "rolit(players=3)" "ubfm(evaluation=runs/rolit)" \
        "ubfm(evaluation=heuristic)" "mcts" --seconds 0.1 --games 60

After the same random opening, a game is played with the challenger in the seat and one with
another opponent there instead. A win counts 1, a draw 1/2. How much better the challenger does in
the seat is given with an interval of 95 %, from the differences of such pairs. Prints JSON.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from statistics import fmean, stdev
from typing import Any

import unbounded as ub
from unbounded.players import read_kind
from unbounded.players.matches.playing import play_game


def points(game: str, seats: Sequence[str], seed: int, opening: int) -> list[float]:
    """Play a game; the points of each seat."""
    kinds = [read_kind(seat) for seat in seats]
    record = play_game(ub.load_game(game), kinds, seed=seed, opening=opening)
    return [(1 + outcome) / 2 for outcome in record.outcome]


def one_pair(given: tuple[str, str, str, int, int, int]) -> tuple[float, float]:
    """The points of a seat with the challenger in it, and with another opponent."""
    game, challenger, opponent, seat, seed, opening = given
    same = [opponent] * ub.load_game(game).players
    with_it = [*same[:seat], challenger, *same[seat + 1 :]]
    return points(game, with_it, seed, opening)[seat], points(game, same, seed, opening)[seat]


def summary(pairs: Sequence[tuple[float, float]]) -> dict[str, Any]:
    """Means, and the difference with its interval."""
    differences = [a - b for a, b in pairs]
    half = 1.96 * stdev(differences) / math.sqrt(len(differences))
    mean = fmean(differences)
    return {
        "games": len(pairs),
        "challenger_points": round(fmean(a for a, _ in pairs), 3),
        "opponent_points": round(fmean(b for _, b in pairs), 3),
        "difference": [round(x, 3) for x in (mean - half, mean, mean + half)],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("game")
    parser.add_argument("challenger")
    parser.add_argument("opponents", nargs="+")
    parser.add_argument("--seconds", type=float, default=0.1, help="per move, of everybody")
    parser.add_argument("--games", type=int, default=60, help="pairs of games per seat")
    parser.add_argument("--opening", type=int, default=3, help="random moves")
    parser.add_argument("--jobs", type=int, default=1)
    given = parser.parse_args()
    names = [given.challenger, *given.opponents]
    limited = [str(replace(read_kind(x), seconds=given.seconds)) for x in names]
    players = ub.load_game(given.game).players
    with ProcessPoolExecutor(given.jobs) as pool:
        for opponent in limited[1:]:
            played: list[tuple[float, float]] = []
            for seat in range(players):
                seeds = range(given.games * seat, given.games * (seat + 1))
                work = [
                    (given.game, limited[0], opponent, seat, seed, given.opening) for seed in seeds
                ]
                pairs = list(pool.map(one_pair, work))
                played += pairs
                row = {"against": opponent, "seat": seat + 1, **summary(pairs)}
                print(json.dumps(row), flush=True)
            print(json.dumps({"against": opponent, "seat": "all", **summary(played)}), flush=True)


if __name__ == "__main__":
    main()
