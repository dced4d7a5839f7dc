# SPDX-License-Identifier: MIT
"""The claims file: everything about a solving run that must outlive the cluster.

One SQLite file in WAL mode, written by one process (the driver) and read by any number, and beside
it the folder `FILE.certificates` with the proofs, each named by its digest. A certificate is on the
disk before the claim that names it. Bounds only ever tighten: a claim that says no more than an
earlier one is not written, and one that says more replaces it.
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from unbounded.cluster.facts import Fact, Scale, read_claim
from unbounded.cluster.job import Estimates, Job
from unbounded.game import Game, UnboundedError, UsageError, require
from unbounded.game.catalogue import is_named, load_game
from unbounded.storage import atomic_files
from unbounded.storage.fingerprint import Fingerprint, fingerprint, has_changed
from unbounded.storage.folder_lock import FolderLock
from unbounded.version import VERSION

FORMAT, FORMAT_VERSION = "unbounded claims", 1
_SCHEMA = """
CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
CREATE TABLE expanded (
    key BLOB PRIMARY KEY, moves TEXT NOT NULL, estimates TEXT NOT NULL
) STRICT;
CREATE TABLE claims (
    key BLOB NOT NULL, relation TEXT NOT NULL, claim TEXT NOT NULL, state BLOB NOT NULL,
    moves TEXT NOT NULL, digest TEXT, checked INTEGER NOT NULL, worker TEXT NOT NULL,
    job INTEGER, time REAL NOT NULL, PRIMARY KEY (key, relation)
) STRICT;
CREATE TABLE proofs (state BLOB NOT NULL, claim TEXT NOT NULL, digest TEXT NOT NULL,
    PRIMARY KEY (state, claim)) STRICT;
CREATE TABLE jobs (
    number INTEGER PRIMARY KEY, key BLOB NOT NULL, moves TEXT NOT NULL, window TEXT NOT NULL,
    seconds REAL NOT NULL, seed INTEGER NOT NULL, status TEXT NOT NULL, worker TEXT NOT NULL,
    began REAL NOT NULL, ended REAL, states INTEGER, worked REAL, line TEXT, why TEXT NOT NULL
) STRICT;
CREATE INDEX jobs_by_status ON jobs (status);
"""

RUNNING, SOLVED, OPEN, REFUSED, FAILED, CANCELLED, LOST = (
    "running",
    "solved",
    "open",
    "refused",
    "failed",
    "cancelled",
    "lost",
)


@dataclass(frozen=True)
class About:
    """What a claims file is about."""

    game: str
    moves: tuple[str, ...]
    scores: bool
    symmetric: bool
    """Whether positions that are equal up to symmetry count as one."""
    fingerprint: Fingerprint

    @classmethod
    def of(
        cls, game: Game[Any, Any], moves: tuple[str, ...], *, scores: bool, symmetric: bool
    ) -> About:
        """What a new file about a game says."""
        return cls(str(game), moves, scores, symmetric, fingerprint(game))


@dataclass(frozen=True)
class Recorded:
    """A claim in the file."""

    key: bytes
    claim: str
    """As in the first line of a certificate."""
    state: bytes
    moves: tuple[str, ...]
    digest: str | None
    checked: bool
    worker: str
    job: int | None
    time: float


class ClaimsFile:
    """An open claims file; `create`, `open` or `read` it."""

    def __init__(self, path: Path, lock: FolderLock | None) -> None:
        self.path = path
        self.folder = folder_of(path)
        """Of the certificates."""
        self._lock = lock
        name = f"{path.resolve().as_uri()}?mode={'ro' if lock is None else 'rwc'}"
        self._file = sqlite3.connect(name, uri=True, isolation_level=None, timeout=30)
        if lock is not None:
            self._file.execute("PRAGMA journal_mode=WAL")
            self._file.execute("PRAGMA synchronous=FULL")

    # -- opening ----------------------------------------------------------------------------------

    @classmethod
    def open(cls, path: Path, about: About, game: Game[Any, Any]) -> Self:
        """Open a file for writing, or make it; refuse one about something else."""
        folder = folder_of(path)
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UsageError(f"{path} cannot be written: {error.strerror}") from error
        new = not path.exists() or path.stat().st_size == 0
        if not new:
            check_is_claims_file(path)
        lock = FolderLock(folder)
        try:
            file = cls(path, lock)
            if new or not file._is_complete():
                file._create(about)
            file._check(about, game)
        except sqlite3.DatabaseError as error:
            lock.release()
            raise UsageError(f"{path} cannot be used: {error}") from error
        except BaseException:
            lock.release()
            raise
        return file

    @classmethod
    def read(cls, path: Path) -> Self:
        """Open a file for reading, also while a run writes to it."""
        check_is_claims_file(path)
        try:
            file = cls(path, None)
            require(file._is_complete(), f"{path} is not a claims file")
        except sqlite3.DatabaseError as error:
            raise UsageError(f"{path} cannot be read: {error}") from error
        return file

    def close(self) -> None:
        """Close the file; let others write it."""
        self._file.close()
        if self._lock is not None:
            self._lock.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _is_complete(self) -> bool:
        rows = self._file.execute("SELECT name FROM sqlite_master WHERE name = 'about'").fetchall()
        return bool(rows) and self._said("format") == FORMAT

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
            for statement in _SCHEMA.split(";"):
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
        for name in ("scores", "symmetric"):
            require(
                getattr(mine, name) == getattr(about, name),
                f"{here} was begun with other options ({name}); a run keeps them",
            )
        require(
            not has_changed(game, mine.fingerprint),
            f"the rules of {about.game} have changed since {here} was begun: begin a new file, and "
            "import its certificates, which are checked by the new rules",
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
            tuple(json.loads(self._said("moves"))),
            self._said("scores") == "1",
            self._said("symmetric") == "1",
            Fingerprint(self._said("rules"), self._said("code")),
        )

    def game(self, given: Game[Any, Any] | None = None) -> Game[Any, Any]:
        """The game; one from a file must be given."""
        name = self.about.game
        if given is None:
            return load_game(name, files=False)
        require(is_named(given, name), f"{self.path} is about {name}, not {given}")
        return given

    # -- writing ----------------------------------------------------------------------------------

    def changes(self) -> Transaction:
        """A block whose changes are written together, or not at all."""
        return Transaction(self._file, self.path)

    def write_certificate(self, digest: str, text: bytes) -> Path:
        """Store a compressed certificate; it is on the disk when this returns."""
        path = self.certificate(digest)
        if not path.exists():
            atomic_files.replace(path, lambda write: write(text))
        return path

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

    def proof(self, state: bytes, claim: str, digest: str) -> None:
        """Record which certificate proves a claim about exactly this state."""
        row = [state, claim, digest]
        self._file.execute("INSERT OR REPLACE INTO proofs VALUES (?, ?, ?)", row)

    def withdraw(self, key: bytes) -> None:
        """Forget what was claimed of a position, because a proof was refused."""
        self._file.execute("DELETE FROM claims WHERE key = ?", [key])

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

    def expansions(self) -> Iterator[tuple[bytes, tuple[str, ...], list[Estimates]]]:
        """The positions that were expanded, in that order."""
        rows = self._file.execute("SELECT key, moves, estimates FROM expanded ORDER BY rowid")
        for key, moves, estimates in rows:
            yield bytes(key), tuple(json.loads(moves)), [tuple(x) for x in json.loads(estimates)]

    def claims(self) -> Iterator[Recorded]:
        """What is claimed, the oldest first."""
        rows = self._file.execute(
            "SELECT key, claim, state, moves, digest, checked, worker, job, time FROM claims "
            "ORDER BY time, key"
        )
        for key, claim, state, moves, digest, checked, worker, job, when in rows:
            made = tuple(json.loads(moves))
            yield Recorded(
                bytes(key), claim, bytes(state), made, digest, bool(checked), worker, job, when
            )

    def proof_of(self, state: bytes, claim: str) -> str | None:
        """The digest of a certificate of a claim about exactly this state."""
        row = self._file.execute(
            "SELECT digest FROM proofs WHERE state = ? AND claim = ?", [state, claim]
        ).fetchone()
        return None if row is None else str(row[0])

    def proofs_of(self, state: bytes) -> dict[str, str]:
        """All claims about exactly this state that have certificates."""
        query = "SELECT claim, digest FROM proofs WHERE state = ?"
        return dict(self._file.execute(query, [state]).fetchall())

    def job_counts(self) -> dict[str, int]:
        """How many jobs there are, by status."""
        rows = self._file.execute("SELECT status, COUNT(*) FROM jobs GROUP BY status")
        return dict(rows.fetchall())

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

    def line_of(self, key: bytes) -> tuple[str, ...]:
        """The best line that a job has found from a position that it has settled."""
        row = self._file.execute(
            "SELECT line FROM jobs WHERE key = ? AND status = ? ORDER BY number LIMIT 1",
            [key, SOLVED],
        ).fetchone()
        return () if row is None else tuple(json.loads(row[0]))

    def next_number(self) -> int:
        """The number of the next job."""
        row = self._file.execute("SELECT MAX(number) FROM jobs").fetchone()
        return 1 if row[0] is None else int(row[0]) + 1

    def known_facts(self, scale: Scale) -> dict[bytes, Fact]:
        """What claims say about each position."""
        facts: dict[bytes, Fact] = {}
        for recorded in self.claims():
            fact = scale.of_claim(read_claim(recorded.claim, scores=scale.scores))
            facts[recorded.key] = scale.both(facts.get(recorded.key), fact)
        return facts


class Transaction:
    """Changes that are written together, or not at all."""

    def __init__(self, file: sqlite3.Connection, path: Path) -> None:
        self._file, self._path = file, path

    def __enter__(self) -> None:
        self._file.execute("BEGIN IMMEDIATE")

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is not None:
            self._file.execute("ROLLBACK")
            return
        try:
            self._file.execute("COMMIT")
        except sqlite3.OperationalError as error:  # a full disk, say
            self._file.execute("ROLLBACK")
            raise UnboundedError(
                f"{self._path} cannot be written: {error}. What was written before is safe: make "
                "room, and start the same command again"
            ) from error


def folder_of(path: Path) -> Path:
    """Where the certificates of a claims file are."""
    return path.with_name(path.name + ".certificates")


def is_claims_file(path: Path) -> bool:
    """Whether a file may be a claims file: an SQLite database."""
    try:
        with path.open("rb") as file:
            return file.read(16) == b"SQLite format 3\0"
    except OSError:
        return False


def check_is_claims_file(path: Path) -> None:
    """Refuse anything else."""
    require(path.exists(), f"there is no file {path}")
    require(is_claims_file(path), f"{path} is not a claims file")
