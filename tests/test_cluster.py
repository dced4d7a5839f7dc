# SPDX-License-Identifier: MIT
"""Solving by jobs: the graph, the claims file and the driver, without Ray."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest
from fake_cluster import GAMES, InProcess, Oracle, named
from hashed_games import DISTINCT, NO_SCORE, POINTS
from solving_checks import equilibria

from unbounded.cluster.facts import Bounds, Scale
from unbounded.cluster.solving import ClusterOptions, Outcome, solve_with_claims
from unbounded.game import RecordGame
from unbounded.reference.backward_induction import minimax_scores

TWO = [named(2, scores, GAMES) for scores in (NO_SCORE, POINTS)]
THREE = [named(3, scores, GAMES) for scores in (NO_SCORE, POINTS, DISTINCT)]


def solved(
    game: RecordGame, path: Path, number: int, value: Any, *, workers: int = 2, **search: Any
) -> Outcome:
    """Solve one of the random games, by workers that know the true values."""
    scores = game.has_score and (game.players > 2 or bool(search.get("exact_score")))
    oracle = Oracle(Scale(game, scores=scores), value, number)
    return solve_with_claims(
        game,
        path,
        lambda _: InProcess(oracle, workers, number),
        moves=(str(number),),
        search=search,
        options=ClusterOptions(trust="all", seed=number),
    )


@pytest.mark.parametrize("game", TWO, ids=str)
@pytest.mark.parametrize("exact", [False, True])
def test_two_players_against_brute_force(game: RecordGame, exact: bool, tmp_path: Path) -> None:
    worths = minimax_scores(game)

    def value(state: bytes) -> tuple[int, float]:
        outcome, score = worths[state]
        return outcome, score if exact and game.has_score else 0.0

    if exact and not game.has_score:
        pytest.skip("no scores")
    for number in range(GAMES):
        found = solved(game, tmp_path / f"{number}", number, value, exact_score=exact)
        root = game.next(game.initial(), number)
        assert found.resolved
        assert found.fact == Bounds(value(root), value(root)), number


@pytest.mark.parametrize("game", THREE, ids=str)
def test_three_players_against_brute_force(game: RecordGame, tmp_path: Path) -> None:
    rows = equilibria(game, scores=game.has_score)
    for number in range(GAMES):
        random = Random(number)
        chosen = {state: random.choice(sorted(found)) for state, found in rows.items()}
        found = solved(game, tmp_path / f"{number}", number, chosen.__getitem__, workers=3)
        assert found.fact in rows[game.next(game.initial(), number)], number
