# SPDX-License-Identifier: MIT
"""The claims file: everything about a solving run that must outlive the cluster.

One SQLite file in WAL mode, written by one process (the driver) and read by any number, and beside
it the folder `FILE.certificates` with the proofs, each named by its digest. A certificate is on the
disk before the claim that names it. Bounds only ever tighten: a claim that says no more than an
earlier one is not written, and one that says more replaces it.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import sqlite3
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Self

from unbounded.cluster.claims_schema import (
    FORMAT,
    FORMAT_VERSION,
    LOST,
    OPEN,
    REFUSED,
    RUNNING,
    SCHEMA,
    SOLVED,
    About,
    Recorded,
    check_is_claims_file,
    expected_tables,
    folder_of,
    is_claims_file,
    remove_leftovers,
    tables_of,
)
from unbounded.cluster.facts import ContradictionError, Fact, Scale, read_claim
from unbounded.cluster.job import Estimates, Job
from unbounded.cluster.transactions import Savepoint, Transaction
from unbounded.game import Game, UsageError, require
from unbounded.game.catalogue import is_named, load_game
from unbounded.storage.fingerprint import Fingerprint, has_changed
from unbounded.storage.folder_lock import FolderLock
from unbounded.version import VERSION

__all__ = ["About", "ClaimsFile", "Recorded", "folder_of", "is_claims_file"]


class ClaimsFile:
    """An open claims file; `create`, `open` or `read` it."""

    def __init__(self, path: Path, lock: FolderLock | None) -> None:
        self.path = path
        self.folder = folder_of(path)
        """Of the certificates."""
        self._lock = lock
        name = f"{path.resolve().as_uri()}?mode={'ro' if lock is None else 'rwc'}"
        self._file = sqlite3.connect(name, uri=True, isolation_level=None, timeout=30)

    # -- opening ----------------------------------------------------------------------------------

    @classmethod
    def open(cls, path: Path, about: About, game: Game[Any, Any]) -> Self:
        """Open a file for writing, or make it; refuse one about something else."""
        if path.exists() and (not path.is_file() or path.stat().st_size > 0):
            check_is_claims_file(path)
        folder = folder_of(path)
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UsageError(f"{path} cannot be written: {error.strerror}") from error
        lock = FolderLock(folder)
        file = None
        try:
            file = cls(path, lock)
            file._prepare(about, game)
        except BaseException as error:
            if file is not None:
                file._file.close()
            lock.release()
            if isinstance(error, sqlite3.Error):
                raise UsageError(f"{path} cannot be used: {error}") from error
            raise
        remove_leftovers(folder)
        return file

    @classmethod
    def read(cls, path: Path) -> Self:
        """Open a file for reading, also while a run writes to it; all is read as it is now."""
        check_is_claims_file(path)
        file = None
        try:
            file = cls(path, None)
            file._file.execute("BEGIN")
            require(file._is_complete(), f"{path} is not a claims file")
            file._require_sound()
        except BaseException as error:
            if file is not None:
                file._file.close()
            if isinstance(error, sqlite3.Error):
                raise UsageError(f"{path} cannot be read: {error}") from error
            raise
        return file

    def _prepare(self, about: About, game: Game[Any, Any]) -> None:
        tables = tables_of(self._file)
        require(not tables or self._is_complete(), f"{self.path} is not a claims file")
        self._require_sound()
        self._file.execute("PRAGMA journal_mode=WAL")
        self._file.execute("PRAGMA synchronous=FULL")
        if not tables:  # also if the process that made the file was killed right then
            self._create(about)
        self._check(about, game)

    def _require_sound(self) -> None:
        (found,) = self._file.execute("PRAGMA quick_check(1)").fetchone()
        require(found == "ok", f"{self.path} is damaged: {found}")

    def close(self) -> None:
        """Close the file; let others write it."""
        if self._lock is not None:  # then the file alone can be copied, even while it is read
            with contextlib.suppress(sqlite3.Error):
                self._file.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        self._file.close()
        if self._lock is not None:
            self._lock.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _is_complete(self) -> bool:
        return tables_of(self._file) == expected_tables() and self._said("format") == FORMAT

    def _create(self, about: About) -> None:
        said = {
            "format": FORMAT,
            "version": str(FORMAT_VERSION),
            "made_by": VERSION,
            "game": about.game,
            "moves": json.dumps(about.moves),
            "scores": str(int(about.scores)),
            "symmetric": str(int(about.symmetric)),
            "rules": about.fingerprint.answers,
            "code": about.fingerprint.code,
        }
        with self.changes():
            for statement in SCHEMA.split(";"):
                self._file.execute(statement)
            self._file.executemany("INSERT INTO about VALUES (?, ?)", said.items())

    def _said(self, name: str) -> str:
        row = self._file.execute("SELECT value FROM about WHERE name = ?", [name]).fetchone()
        return "" if row is None else str(row[0])

    def _check(self, about: About, game: Game[Any, Any]) -> None:
        mine = self.about
        here = self.path
        require(
            is_named(game, mine.game) and mine.moves == about.moves,
            f"{here} is about {mine.game} {' '.join(mine.moves)}".rstrip()
            + f", not {about.game} {' '.join(about.moves)}".rstrip(),
        )
        require(  # certificates that lean on each other name their game in the same way
            mine.game == about.game,
            f"{here} names its game {mine.game}: give it so, not as {about.game}",
        )
        for name in ("scores", "symmetric"):
            require(
                getattr(mine, name) == getattr(about, name),
                f"{here} was begun with other options ({name}); a run keeps them",
            )
        self._require_rules(game, mine)

    def _require_rules(self, game: Game[Any, Any], about: About) -> None:
        require(
            not has_changed(game, about.fingerprint),
            f"the rules of {game} have changed since {self.path} was begun: begin a new file, and "
            "import the certificates of this one, which are then checked by the new rules",
        )

    @property
    def about(self) -> About:
        """What the file is about."""
        require(
            self._said("version") == str(FORMAT_VERSION),
            f"{self.path} was written by a newer version of unbounded",
        )
        return About(
            self._said("game"),
            self._names(self._said("moves")),
            self._said("scores") == "1",
            self._said("symmetric") == "1",
            Fingerprint(self._said("rules"), self._said("code")),
        )

    def game(self, given: Game[Any, Any] | None = None) -> Game[Any, Any]:
        """The game; one from a file must be given."""
        about = self.about
        game = load_game(about.game, files=False) if given is None else given
        require(is_named(game, about.game), f"{self.path} is about {about.game}, not {game}")
        self._require_rules(game, about)
        return game

    def _decoded(self, text: str) -> list[Any]:
        try:
            found = json.loads(text)
        except (ValueError, TypeError, RecursionError):
            found = None
        require(isinstance(found, list), f"{self.path} is damaged: {str(text)[:80]!r} is no list")
        return list(found)

    def _names(self, text: str) -> tuple[str, ...]:
        return tuple(str(name) for name in self._decoded(text))

    # -- writing ----------------------------------------------------------------------------------

    def changes(self) -> Transaction:
        """A block whose changes are written together, or not at all."""
        return Transaction(self._file, self.path)

    def part(self) -> Savepoint:
        """A block within `changes` that is undone alone if it fails."""
        return Savepoint(self._file)

    def certificate(self, digest: str) -> Path:
        """Where a certificate is stored."""
        return self.folder / f"{digest}.cert.gz"

    def expand(self, key: bytes, moves: tuple[str, ...], estimates: list[Estimates]) -> None:
        """A position whose children are now worked on."""
        self._file.execute(
            "INSERT OR REPLACE INTO expanded VALUES (?, ?, ?)",
            [key, json.dumps(moves), json.dumps(estimates)],
        )

    def claim(self, new: Recorded, relation: str) -> None:
        """Record a claim that says more than any before."""
        self._file.execute(
            "INSERT OR REPLACE INTO claims VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [
                new.key,
                relation,
                new.claim,
                new.state,
                json.dumps(new.moves),
                new.digest,
                int(new.checked),
                new.worker,
                new.job,
                new.time,
            ],
        )

    def proof(self, state: bytes, claim: str, digest: str, *, checked: bool) -> None:
        """Record which certificate proves a claim about exactly this state."""
        replace = "INSERT OR REPLACE INTO proofs VALUES (?, ?, ?, ?)"
        ignore = "INSERT OR IGNORE INTO proofs VALUES (?, ?, ?, ?)"
        row = [state, claim, digest, int(checked)]
        self._file.execute(replace if checked else ignore, row)

    def withdraw(self, old: Recorded) -> None:
        """Forget a claim, because its certificate was refused or is gone."""
        self._delete(old)
        self._file.execute("DELETE FROM proofs WHERE digest = ?", [old.digest])

    def mark_checked(self, old: Recorded, relation: str, *, better: bool) -> None:
        """The certificate of a claim was accepted; `better`: no checked claim says as much."""
        self._delete(old)
        self._file.execute("UPDATE proofs SET checked = 1 WHERE digest = ?", [old.digest])
        if better:
            self.claim(dataclasses.replace(old, checked=True), relation)

    def drop_unchecked(self, key: bytes, claim: str) -> None:
        """Forget a claim that was not checked, since the same has been checked now."""
        self._file.execute(
            "DELETE FROM claims WHERE key = ? AND claim = ? AND checked = 0", [key, claim]
        )

    def _delete(self, old: Recorded) -> None:
        self._file.execute(
            "DELETE FROM claims WHERE key = ? AND claim = ? AND checked = ?",
            [old.key, old.claim, int(old.checked)],
        )

    def begin(self, job: Job, key: bytes, worker: str) -> None:
        """A job was given to a worker."""
        self._file.execute(
            "INSERT INTO jobs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, NULL, NULL, NULL, NULL, '')",
            [
                job.number,
                key,
                json.dumps(job.moves),
                json.dumps(job.window),
                job.seconds,
                job.seed,
                RUNNING,
                worker,
                time.time(),
            ],
        )

    def end(
        self,
        number: int,
        status: str,
        worker: str,
        *,
        states: int = 0,
        worked: float = 0.0,
        line: tuple[str, ...] = (),
        why: str = "",
    ) -> None:
        """A job has ended, in whatever way."""
        self._file.execute(
            "UPDATE jobs SET status = ?, worker = ?, ended = ?, states = ?, worked = ?, line = ?, "
            "why = ? WHERE number = ?",
            [status, worker, time.time(), states, worked, json.dumps(line), why, number],
        )

    def lose_running(self) -> int:
        """Mark the jobs that an earlier run has left behind; return how many."""
        found = self._file.execute(
            "UPDATE jobs SET status = ?, ended = ? WHERE status = ?", [LOST, time.time(), RUNNING]
        )
        return found.rowcount

    # -- reading ----------------------------------------------------------------------------------

    def expansions(self) -> Iterator[tuple[bytes, tuple[str, ...], list[Any]]]:
        """The positions that were expanded, in that order."""
        rows = self._file.execute("SELECT key, moves, estimates FROM expanded ORDER BY rowid")
        for key, moves, estimates in rows:
            yield bytes(key), self._names(moves), self._decoded(estimates)

    def claims(self) -> Iterator[Recorded]:
        """What is claimed, the oldest first."""
        return self._recorded("SELECT * FROM claims ORDER BY time, key")

    def claims_of(self, key: bytes) -> Iterator[Recorded]:
        """What is claimed of a position."""
        return self._recorded("SELECT * FROM claims WHERE key = ?", key)

    def _recorded(self, query: str, *given: Any) -> Iterator[Recorded]:
        rows = self._file.execute(query, given)
        for key, _, claim, state, moves, digest, checked, worker, job, when in rows:
            made = self._names(moves)
            yield Recorded(
                bytes(key), claim, bytes(state), made, digest, bool(checked), worker, job, when
            )

    def proofs_of(self, state: bytes, *, checked: bool) -> dict[str, str]:
        """All claims about exactly this state that have certificates, perhaps only checked ones."""
        query = "SELECT claim, digest FROM proofs WHERE state = ? AND checked >= ?"
        return dict(self._file.execute(query, [state, int(checked)]).fetchall())

    def job_counts(self) -> dict[str, int]:
        """How many jobs there are, by status."""
        return dict(self._file.execute("SELECT status, COUNT(*) FROM jobs GROUP BY status"))

    def running(self) -> set[bytes]:
        """The positions that workers have jobs about."""
        rows = self._file.execute("SELECT key FROM jobs WHERE status = ?", [RUNNING])
        return {bytes(key) for (key,) in rows}

    def totals(self) -> tuple[int, float]:
        """States searched and seconds worked, by all jobs that have ended."""
        row = self._file.execute("SELECT TOTAL(states), TOTAL(worked) FROM jobs").fetchone()
        return int(row[0]), float(row[1])

    def workers(self) -> list[tuple[str, int, int, float]]:
        """Each worker's name, jobs, states and seconds, the busiest first."""
        return self._file.execute(
            "SELECT worker, COUNT(*), CAST(TOTAL(states) AS INTEGER), TOTAL(worked) FROM jobs "
            "WHERE worker != '' GROUP BY worker ORDER BY TOTAL(worked) DESC"
        ).fetchall()

    def refusals(self, most: int = 20) -> list[tuple[int, str, str]]:
        """The latest jobs whose answers were refused: number, worker and why."""
        return self._file.execute(
            "SELECT number, worker, why FROM jobs WHERE status = ? ORDER BY number DESC LIMIT ?",
            [REFUSED, most],
        ).fetchall()

    def spent(self) -> dict[bytes, float]:
        """The seconds of the jobs that have left a position open."""
        rows = self._file.execute(
            "SELECT key, TOTAL(seconds) FROM jobs WHERE status = ? GROUP BY key", [OPEN]
        )
        return {bytes(key): float(seconds) for key, seconds in rows}

    def line_of(self, key: bytes) -> tuple[str, ...]:
        """The best line that a job has found from a position that it has settled."""
        row = self._file.execute(
            "SELECT line FROM jobs WHERE key = ? AND status = ? ORDER BY number LIMIT 1",
            [key, SOLVED],
        ).fetchone()
        return () if row is None else self._names(row[0])

    def next_number(self) -> int:
        """The number of the next job."""
        row = self._file.execute("SELECT MAX(number) FROM jobs").fetchone()
        return 1 if row[0] is None else int(row[0]) + 1

    def known_facts(
        self, scale: Scale, counts: Callable[[Recorded], bool] = lambda _: True
    ) -> dict[bytes, Fact]:
        """What the claims that count say about each position."""
        facts: dict[bytes, Fact] = {}
        for recorded in filter(counts, self.claims()):
            fact = scale.of_claim(read_claim(recorded.claim, scale))
            key = recorded.key
            try:
                facts[key] = scale.both(facts.get(key), fact)
            except ContradictionError as error:
                raise ContradictionError(key) from error
        return facts
