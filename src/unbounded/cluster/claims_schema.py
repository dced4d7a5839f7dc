# SPDX-License-Identifier: MIT
"""What a claims file consists of: its tables, what a row says, and where its certificates are."""

from __future__ import annotations

import contextlib
import sqlite3
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unbounded.game import Game, require
from unbounded.storage import atomic_files
from unbounded.storage.fingerprint import Fingerprint, fingerprint

FORMAT, FORMAT_VERSION = "unbounded claims", 1
SCHEMA = """
CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
CREATE TABLE expanded (
    key BLOB PRIMARY KEY, moves TEXT NOT NULL, estimates TEXT NOT NULL
) STRICT;
CREATE TABLE claims (
    key BLOB NOT NULL, relation TEXT NOT NULL, claim TEXT NOT NULL, state BLOB NOT NULL,
    moves TEXT NOT NULL, digest TEXT, checked INTEGER NOT NULL, worker TEXT NOT NULL,
    job INTEGER, time REAL NOT NULL, PRIMARY KEY (key, relation, checked)
) STRICT;
CREATE TABLE proofs (
    state BLOB NOT NULL, claim TEXT NOT NULL, digest TEXT NOT NULL, checked INTEGER NOT NULL,
    PRIMARY KEY (state, claim)
) STRICT;
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


def tables_of(database: sqlite3.Connection) -> dict[str, list[str]]:
    """The columns of each table."""
    names = database.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
    query = "SELECT name FROM pragma_table_info(?) ORDER BY cid"
    return {name: [row[0] for row in database.execute(query, [name])] for (name,) in names}


def expected_tables() -> dict[str, list[str]]:
    """The columns of each table of a claims file."""
    with contextlib.closing(sqlite3.connect(":memory:")) as database:
        database.executescript(SCHEMA)
        return tables_of(database)


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


def remove_leftovers(folder: Path) -> None:
    """Remove what drivers that were killed have left in a folder; its lock must be held."""
    for path in folder.glob(".*.tmp"):
        with contextlib.suppress(OSError):
            path.unlink()
    atomic_files.remove_leftovers(folder, ".*")
