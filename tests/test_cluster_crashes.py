# SPDX-License-Identifier: MIT
"""A driver that ends at any moment: another one continues, and nothing is lost or wrong."""

from __future__ import annotations

import contextlib
import errno
import os
import signal
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from checkpoint_disks import FailingDisk
from fake_cluster import GAMES, InProcess, check_file, check_proof, named, timid, values
from hashed_games import DISTINCT, NO_SCORE, POINTS
from soaking import repeated

from unbounded.cluster import judging
from unbounded.cluster.claims_file import ClaimsFile
from unbounded.cluster.driver import Driver, Pace
from unbounded.cluster.facts import Fact, Scale
from unbounded.cluster.solving import ClusterOptions, Outcome, solve_with_claims
from unbounded.cluster.transactions import Transaction
from unbounded.cluster.worker import SolvingOrders, Worker
from unbounded.game import RecordGame, UnboundedError
from unbounded.storage import atomic_files

CRASHES = repeated(15, soak=200)
KINDS = [(2, NO_SCORE), (2, POINTS), (3, NO_SCORE), (3, DISTINCT)]
WORKERS = 3


class StoppedError(Exception):
    """The driver was stopped from outside."""


def solved(
    game: RecordGame,
    path: Path,
    number: int,
    seed: int,
    progress: Callable[[Driver], None] = lambda _: None,
) -> Outcome:
    """Continue a run, by workers that leave many jobs open."""

    def workers(orders: SolvingOrders) -> InProcess:
        works = [timid(Worker(orders).work, seed + k, 0.6) for k in range(WORKERS)]
        return InProcess(works, seed=seed)

    return solve_with_claims(
        game,
        path,
        workers,
        moves=(str(number),),
        options=ClusterOptions(pace=Pace(0.5, 0.5), seed=seed),
        progress=progress,
    )


def scale_of(game: RecordGame) -> Scale:
    return Scale(game, scores=game.has_score and game.players > 2)


def check(found: Outcome, path: Path, game: RecordGame, number: int) -> None:
    scores = scale_of(game).scores
    check_proof(found, game, values(game, scores=scores)[game.next(game.initial(), number)])
    check_file(path, game, scores=scores)


def facts_in(path: Path, game: RecordGame) -> dict[bytes, Fact]:
    with ClaimsFile.read(path) as file:
        return file.known_facts(scale_of(game))


def check_tighter(before: dict[bytes, Fact], after: dict[bytes, Fact], scale: Scale) -> None:
    """Nothing is forgotten, and nothing says less than before."""
    assert set(before) <= set(after)
    for key, fact in before.items():
        assert scale.both(fact, after[key]) == after[key]


# -- stopped from inside ---------------------------------------------------------------------------


def test_stopped_at_any_step(tmp_path: Path) -> None:
    random, crashes, runs = Random(1), 0, 0
    while crashes < CRASHES:
        runs += 1
        game, number = named(*random.choice(KINDS), GAMES), random.randrange(GAMES)
        path, mine, counts = tmp_path / f"{runs}", 0, ""
        seen: dict[bytes, Fact] = {}

        def progress(driver: Driver, game: Any = game, path: Path = path) -> None:
            nonlocal left, seen, counts
            if str(driver.counts) == counts:
                return
            counts = str(driver.counts)
            now = facts_in(path, game)
            check_tighter(seen, now, scale_of(game))
            seen, left = now, left - 1
            if left <= 0:
                raise StoppedError

        while True:
            left = random.randint(1, 8)
            try:
                found = solved(game, path, number, random.randrange(1000), progress)
                break
            except StoppedError:
                mine += 1
        check(found, path, game, number)
        # A driver that ends by an error still cancels its jobs.
        assert found.jobs.get("cancelled", 0) <= 2 * WORKERS * (mine + 1)
        assert "running" not in found.jobs
        crashes += mine


# -- killed ----------------------------------------------------------------------------------------


@contextlib.contextmanager
def killed_at(tick: int) -> Iterator[None]:
    """Kill this process at one of the calls that change a file or finish a change."""
    left = tick

    def then_count(method: Any) -> Any:
        def counted(*given: Any, **named_too: Any) -> Any:
            nonlocal left
            left -= 1
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            return method(*given, **named_too)

        return counted

    for owner, name in [
        (ClaimsFile, "claim"),
        (ClaimsFile, "proof"),
        (ClaimsFile, "expand"),
        (ClaimsFile, "begin"),
        (ClaimsFile, "end"),
        (ClaimsFile, "_create"),
        (Transaction, "__enter__"),
        (Transaction, "__exit__"),
        (atomic_files.Disk, "open"),
        (atomic_files.Disk, "write"),
        (atomic_files.Disk, "rename"),
    ]:
        setattr(owner, name, then_count(getattr(owner, name)))
    yield


def run_and_die(game: RecordGame, path: Path, number: int, seed: int, tick: int) -> bool:
    """Solve in another process; whether it came to an end."""
    process = os.fork()
    if process == 0:
        with contextlib.suppress(BaseException), killed_at(tick):
            solved(game, path, number, seed)
            os._exit(0)
        os._exit(3)
    _, status = os.waitpid(process, 0)
    assert os.waitstatus_to_exitcode(status) in (0, -signal.SIGKILL)
    return status == 0


def test_killed_at_any_write(tmp_path: Path) -> None:
    random, kills, runs = Random(2), 0, 0
    for kind in KINDS:  # so that a child need not compile the rules
        solved(named(*kind, GAMES), tmp_path / f"{kind}", 0, 0)
    while kills < CRASHES:
        runs += 1
        game, number = named(*random.choice(KINDS), GAMES), random.randrange(GAMES)
        path, mine = tmp_path / f"{runs}", 0
        seen: dict[bytes, Fact] = {}
        while not run_and_die(game, path, number, random.randrange(1000), random.randint(1, 150)):
            mine += 1
            if path.exists() and path.stat().st_size > 0:
                with contextlib.suppress(UnboundedError):  # not yet complete
                    now = facts_in(path, game)
                    check_tighter(seen, now, scale_of(game))
                    seen = now
        found = solved(game, path, number, 0)
        check(found, path, game, number)
        check_tighter(seen, facts_in(path, game), scale_of(game))
        assert found.jobs.get("lost", 0) <= 2 * (WORKERS + 1) * mine
        kills += mine


# -- full disks ------------------------------------------------------------------------------------


def test_a_full_database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    game, path = named(2, NO_SCORE, GAMES), tmp_path / "claims"
    begin, pages = ClaimsFile.__init__, 0

    def small(self: ClaimsFile, *given: Any) -> None:
        begin(self, *given)
        if pages:
            self._file.execute(f"PRAGMA max_page_count={pages}")

    monkeypatch.setattr(ClaimsFile, "__init__", small)
    full = 0
    for pages in (2, 12, 13, 14, 15, 16, 18):
        try:
            solved(game, path, 3, pages)
        except UnboundedError as error:
            full += 1
            assert "full" in str(error)
    assert full
    pages = 0
    found = solved(game, path, 3, 0)
    check(found, path, game, 3)


def test_a_full_disk_for_certificates(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    game, full = named(3, NO_SCORE, GAMES), 0
    for number in range(3):
        path = tmp_path / f"{number}"
        for fail_at in (1, 3, 10, 40):
            disk = FailingDisk(fail_at, errno.ENOSPC, for_good=True)
            with monkeypatch.context() as patch:
                # The workers write elsewhere.
                patch.setattr(judging, "atomic_files", OtherDisk(disk))
                try:
                    solved(game, path, number, fail_at)
                except UnboundedError as error:
                    full += 1
                    assert "make room" in str(error)
        check(solved(game, path, number, 0), path, game, number)
    assert full


class OtherDisk:
    """The functions of `atomic_files`, on another disk."""

    def __init__(self, disk: FailingDisk) -> None:
        self.DISK = disk

    def __getattr__(self, name: str) -> Any:
        def called(*given: Any) -> Any:
            before, atomic_files.DISK = atomic_files.DISK, self.DISK
            try:
                return getattr(atomic_files, name)(*given)
            finally:
                atomic_files.DISK = before

        return called


def test_the_journal_is_kept_apart(tmp_path: Path) -> None:
    """While a driver runs, others can read; and when it has ended, one file is left."""
    game, path = named(2, NO_SCORE, GAMES), tmp_path / "claims"
    seen = []

    def progress(_: Driver) -> None:
        with contextlib.closing(sqlite3.connect(path)) as other:
            (mode,) = other.execute("PRAGMA journal_mode").fetchone()
            seen.append(mode)

    solved(game, path, 1, 1, progress)
    assert set(seen) == {"wal"}
    assert not path.with_name("claims-wal").exists()
