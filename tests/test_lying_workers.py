# SPDX-License-Identifier: MIT
"""Workers that lie: nothing changes but a line that says who and why."""

from __future__ import annotations

import contextlib
from functools import partial
from pathlib import Path
from random import Random

import pytest
from fake_cluster import GAMES, InProcess, check_file, check_proof, named, timid, values
from hashed_games import DISTINCT, NO_SCORE, POINTS
from lying_workers import (
    CERTIFICATE_LIES,
    HARMLESS,
    HUGE,
    OTHER_LIES,
    Lie,
    anything,
    fails,
    flipped_certificate,
    ignored,
    junk,
    lying,
)
from soaking import repeated

from unbounded.cluster import driver, solving
from unbounded.cluster.claims_file import ClaimsFile
from unbounded.cluster.driver import Pace
from unbounded.cluster.job import Job
from unbounded.cluster.judging import Judge
from unbounded.cluster.records import ExcludingClaimsError
from unbounded.cluster.solving import ClusterOptions, Outcome, solve_with_claims
from unbounded.cluster.worker import SolvingOrders, Worker
from unbounded.game import RecordGame, UsageError

TRIES = repeated(2, soak=60)
KINDS = [(2, NO_SCORE), (2, POINTS), (3, NO_SCORE), (3, DISTINCT)]


@pytest.fixture(autouse=True)
def limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small limits, so that lies need not be large; and no patience."""
    judge = partial(Judge, most_bytes=HUGE, most_text=4 * HUGE, most_searched=HUGE)
    monkeypatch.setattr(solving, "Judge", judge)
    monkeypatch.setattr(driver, "BETWEEN_LOOKS", 0.0)


class Impatient(Pace):
    """Waits for ever, but not for the jobs that are known to be ignored."""

    def deadline(self, job: Job) -> float:
        return -1.0 if job.number in ignored else 1e9


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
        options=ClusterOptions(trust, Impatient(0.5, 0.5), seed=number),
        tell=told.append,
    )
    return found, made[-1]


def check(found: Outcome, path: Path, game: RecordGame, number: int) -> None:
    """The value, the proof and everything in the file are right."""
    scores = game.has_score and game.players > 2
    state = game.next(game.initial(), number)
    check_proof(found, game, values(game, scores=scores)[state])
    check_file(path, game, scores=scores)


@pytest.mark.parametrize("lie", [*CERTIFICATE_LIES, *OTHER_LIES])
def test_a_lie_changes_nothing(lie: Lie, tmp_path: Path) -> None:
    game = named(*Random(lie.__name__).choice(KINDS), GAMES)
    for number in range(TRIES):
        told: list[str] = []
        path = tmp_path / f"{number}"
        found, _ = solved(game, path, number, [lie], told)
        check(found, path, game, number)
        blamed = [line for line in told if line.startswith(("refused", "job"))]
        assert blamed
        assert all("worker 0" in line and line.isprintable() for line in told), told
        assert all(len(line) < 1000 for line in told)
        with ClaimsFile.read(path) as file:
            assert {one.worker for one in file.claims()} <= {"worker 1"}
            counts, refused = file.job_counts(), file.refusals(1000)
        assert counts.get("refused", 0) + counts.get("failed", 0) == len(blamed)
        assert len(refused) == counts.get("refused", 0)
        assert all(worker.startswith("worker 0") and why for _, worker, why in refused)


@pytest.mark.parametrize("lie", HARMLESS)
def test_what_does_no_harm(lie: Lie, tmp_path: Path) -> None:
    game = named(*Random(lie.__name__).choice(KINDS), GAMES)
    for number in range(TRIES):
        told: list[str] = []
        path = tmp_path / f"{number}"
        found, _ = solved(game, path, number, [lie, lie], told, honest=lie is junk)
        check(found, path, game, number)
        assert all(line.isprintable() and len(line) < 1000 for line in told)
        assert all(move.isprintable() and len(move) < 300 for move in found.line)


@pytest.mark.parametrize(("players", "scores"), KINDS)
def test_worlds_of_lies(players: int, scores: int, tmp_path: Path) -> None:
    """Half of the workers lie, about everything."""
    game = named(players, scores, GAMES)
    for number in range(TRIES):
        path = tmp_path / f"{number}"
        found, workers = solved(game, path, number, [anything, anything], [], honest=2)
        check(found, path, game, number)
        assert set(workers.replaced) <= {"worker 0", "worker 1"}


@pytest.mark.parametrize("trust", ["all", "sample"])
def test_wrong_types_with_more_trust(trust: str, tmp_path: Path) -> None:
    """What is believed may be wrong; but nothing breaks."""
    game = named(2, NO_SCORE, GAMES)
    for number in range(4 * TRIES):
        path = tmp_path / f"{number}"
        with contextlib.suppress(ExcludingClaimsError):
            solved(game, path, number, [junk], [], trust=trust)
        with ClaimsFile.read(path) as file:
            assert file.job_counts()


def test_nobody_is_honest(tmp_path: Path) -> None:
    game = named(2, NO_SCORE, GAMES)
    path, told = tmp_path / "claims", list[str]()
    with pytest.raises(UsageError, match="jobs in a row have brought nothing"):
        solved(game, path, 0, [flipped_certificate, fails], told, honest=0)
    with ClaimsFile.read(path) as file:
        counts = file.job_counts()
        assert not list(file.claims())
    assert counts["refused"] + counts["failed"] >= 20
    assert any("is replaced" in line for line in told)
    found, _ = solved(game, path, 0, [], [])
    check(found, path, game, 0)
