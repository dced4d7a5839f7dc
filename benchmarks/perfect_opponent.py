# SPDX-License-Identifier: MIT
"""Games as first player against a perfect opponent that breaks ties at random.

`python benchmarks/perfect_opponent.py GAME [--evaluation NAME] [--games N] [--evaluations N]
[--oracle solver|bitbully] [--states N] [--threads N] [--memory SIZE]
[--seed N]` prints the result as JSON.

The oracle `solver` is ours; it knows who wins, and in a lost position takes any move. For Connect
Four on 7x6 its first proofs take minutes. The oracle `bitbully` is the program of this name, which
also knows how soon, for 7x6 only: a stronger opponent, and a fast one. It is not installed with
this package (`pip install bitbully`), and is used for measuring only.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from typing import Any

from unbounded.evaluation import default_evaluation
from unbounded.game import Game, require
from unbounded.game.catalogue import load_game
from unbounded.learning.oracle import STATES, Oracle, Solver
from unbounded.learning.perfect_games import games_against_perfect
from unbounded.search.budget import parse_memory


class BitBullyOracle:
    """BitBully's scores: positive wins, and larger is sooner."""

    def __init__(self) -> None:
        import bitbully

        self._board, self._solver = bitbully.Board, bitbully.BitBully()

    def scores(self, moves: Sequence[str]) -> dict[str, float]:
        board = self._board()
        for move in moves:
            board.play(int(move) - 1)
        found = self._solver.score_all_moves(board)
        return {str(column + 1): float(score) for column, score in found.items()}


def oracle_named(name: str, game: Game[Any, Any], **how: Any) -> Oracle:
    if name == "solver":
        return Solver(game, **how)
    require(str(game) == "connect-four", f"bitbully plays connect-four on 7x6 only, not {game}")
    return BitBullyOracle()


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("game")
    parser.add_argument("--evaluation")
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--evaluations", type=int, default=0)
    parser.add_argument("--oracle", choices=("solver", "bitbully"), default="solver")
    parser.add_argument("--states", type=int, default=100 * STATES)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--memory", default="4G")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args(arguments)
    game = load_game(given.game)
    result = games_against_perfect(
        game,
        given.evaluation or default_evaluation(game),
        given.games,
        evaluations=given.evaluations,
        oracle=oracle_named(
            given.oracle,
            game,
            states=given.states,
            threads=given.threads,
            memory=parse_memory(given.memory),
        ),
        seed=given.seed,
        progress=lambda ply: print(f"ply {ply}", file=sys.stderr, flush=True),
    )
    print(json.dumps({**result.to_dict(), "oracle": given.oracle}))


if __name__ == "__main__":
    main()
