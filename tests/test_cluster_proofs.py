# SPDX-License-Identifier: MIT
"""Proofs of runs by jobs: real workers, no trust, and every certificate checked again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from fake_cluster import GAMES, InProcess, check_file, check_proof, named, real, timid, values
from hashed_games import DISTINCT, NO_SCORE, POINTS
from soaking import repeated

from unbounded.cluster.claims_file import ClaimsFile
from unbounded.cluster.driver import Pace
from unbounded.cluster.solving import ClusterOptions, Outcome, solve_with_claims
from unbounded.cluster.worker import SolvingOrders, Worker
from unbounded.game import Game
from unbounded.game.catalogue import load_game
from unbounded.solving.verification import verify

TRIES = repeated(5, soak=150)
QUICK = ClusterOptions(pace=Pace(0.5, 0.5))


def solved(game: Game[Any, Any], path: Path, number: int, share: float, **search: Any) -> Outcome:
    """Solve a position by workers that leave a share of their jobs open."""

    def workers(orders: SolvingOrders) -> InProcess:
        both = [timid(Worker(orders).work, 2 * number + k, share) for k in range(2)]
        return InProcess(both, seed=number)

    moves = (str(number),)
    return solve_with_claims(game, path, workers, moves=moves, search=search, options=QUICK)


@pytest.mark.parametrize(
    ("players", "scores", "exact"),
    [
        (2, NO_SCORE, False),
        (2, POINTS, False),
        (2, POINTS, True),
        (3, NO_SCORE, False),
        (3, POINTS, False),
        (3, DISTINCT, False),
    ],
)
def test_random_games(players: int, scores: int, exact: bool, tmp_path: Path) -> None:
    game = named(players, scores, GAMES)
    with_scores = scores != NO_SCORE and (players > 2 or exact)
    rows = values(game, scores=with_scores)
    for number in range(TRIES):
        path, share = tmp_path / f"{number}", (number % 4) * 0.3
        found = solved(game, path, number, share, exact_score=exact)
        check_proof(found, game, rows[game.next(game.initial(), number)])
        check_file(path, game, scores=with_scores)


@pytest.mark.parametrize(
    ("name", "search", "value"),
    [
        ("connect-four(width=4,height=4)", {}, [0, 0]),
        ("hex(size=3)", {}, [1, -1]),
        ("domineering(rows=4,columns=4)", {}, [1, -1]),
        ("kalah(pits=2,seeds=2)", {"exact_score": True}, None),
        ("dots-and-boxes(rows=2,columns=2)", {"exact_score": True}, None),
    ],
)
def test_games_with_symmetries(
    name: str, search: dict[str, Any], value: list[int] | None, tmp_path: Path
) -> None:
    game, path = load_game(name), tmp_path / "claims"

    def workers(orders: SolvingOrders) -> InProcess:
        return InProcess([timid(Worker(orders).work, k, 0.7) for k in range(2)])

    found = solve_with_claims(game, path, workers, search=search, options=QUICK)
    assert found.resolved
    assert found.proof is not None
    verdict = verify(found.proof, game, checker="plain")
    assert verdict.files > 1
    assert value is None or list(found.outcome) == value
    with ClaimsFile.read(path) as file:
        assert file.about.symmetric == (game.symmetries > 1)
    again = solve_with_claims(game, path, real, search=search, options=QUICK)
    assert (again.fact, again.jobs) == (found.fact, found.jobs)
