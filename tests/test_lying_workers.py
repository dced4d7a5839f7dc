# SPDX-License-Identifier: MIT
"""Workers that lie: nothing changes but a line that says who and why."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import pytest
from fake_cluster import InProcess, check_file, check_proof, named, timid, values
from hashed_games import DISTINCT, NO_SCORE, POINTS
from lying_workers import CERTIFICATE_LIES, HARMLESS, HUGE, OTHER_LIES, Lie, anything, junk, lying
from soaking import repeated

from unbounded.cluster import driver, solving
from unbounded.cluster.claims_file import ClaimsFile
from unbounded.cluster.driver import Pace
from unbounded.cluster.judging import Judge
from unbounded.cluster.solving import ClusterOptions, Outcome, solve_with_claims
from unbounded.cluster.worker import SolvingOrders, Worker
from unbounded.game import RecordGame, UsageError

GAMES = repeated(4, soak=60)
KINDS = [(2, NO_SCORE), (2, POINTS), (3, NO_SCORE), (3, DISTINCT)]


@pytest.fixture(autouse=True)
def limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small limits, so that lies need not be large; and no patience."""
    judge = partial(Judge, most_bytes=HUGE, most_text=4 * HUGE, most_searched=HUGE)
    monkeypatch.setattr(solving, "Judge", judge)
    monkeypatch.setattr(driver, "BETWEEN_LOOKS", 0.0)


def solved(
    game: RecordGame,
    path: Path,
    number: int,
    lies: list[Lie],
    told: list[str],
    *,
    trust: str = "none",
    honest: int = 1,
) -> tuple[Outcome, InProcess]:
    """Solve one of the random games, by liars and so many honest workers."""
    made: list[InProcess] = []

    def workers(orders: SolvingOrders) -> InProcess:
        liars = [
            lying(timid(Worker(orders).work, number, 0.3), lie, f"worker {place}", number)
            for place, lie in enumerate(lies)
        ]
        others = [timid(Worker(orders).work, number + k, 0.3) for k in range(honest)]
        made.append(InProcess([*liars, *others], seed=number))
        return made[-1]

    found = solve_with_claims(
        game,
        path,
        workers,
        moves=(str(number),),
        options=ClusterOptions(trust, Pace(0.5, 0.5, patience=-7.4), seed=number),
        tell=told.append,
    )
    return found, made[-1]


def refusals(path: Path) -> list[tuple[int, str, str]]:
    with ClaimsFile.read(path) as file:
        return file.refusals()


@pytest.mark.parametrize("lie", [*CERTIFICATE_LIES, *OTHER_LIES])
def test_a_lie_changes_nothing(lie: Lie, tmp_path: Path) -> None:
    players, scores = Random(lie.__name__).choice(KINDS)
    game = named(players, scores, GAMES)
    with_scores = players > 2 and scores != NO_SCORE
    for number in range(GAMES):
        told: list[str] = []
        path = tmp_path / f"{number}"
        found, workers = solved(game, path, number, [lie], told)
        state = game.next(game.initial(), number)
        check_proof(found, game, values(game, scores=with_scores)[state])
        check_file(path, game, scores=with_scores)
        blamed = [line for line in told if "worker 0" in line and "job" in line]
        assert blamed, told
        assert not any("worker 1" in line for line in told), told
        assert all(len(line) < 1000 and line.isprintable() for line in told)
        with ClaimsFile.read(path) as file:
            assert not {one.worker for one in file.claims()} & {"worker 0"} or lie in HARMLESS
            counts = file.job_counts()
        assert counts.get("refused", 0) + counts.get("failed", 0) >= len(blamed) - len(
            workers.replaced
        )
        for _, worker, why in refusals(path):
            assert worker.startswith("worker 0")
            assert why
