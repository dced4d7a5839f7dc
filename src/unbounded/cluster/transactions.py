# SPDX-License-Identifier: MIT
"""Transactions of a claims file."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from unbounded.game import UnboundedError


class Transaction:
    """Changes that are written together, or not at all."""

    def __init__(self, file: sqlite3.Connection, path: Path) -> None:
        self._file, self._path = file, path

    def __enter__(self) -> None:
        try:
            self._file.execute("BEGIN IMMEDIATE")
        except sqlite3.Error as error:
            raise _failure(self._path, error) from error

    def __exit__(self, kind: object, error: BaseException | None, _: object) -> None:
        failed = error if isinstance(error, sqlite3.Error) else None
        if kind is None:
            try:
                self._file.execute("COMMIT")
            except sqlite3.Error as problem:
                failed = problem
        if self._file.in_transaction:  # SQLite itself ends it on some errors
            self._file.execute("ROLLBACK")
        if failed is not None:
            raise _failure(self._path, failed) from failed


class Savepoint:
    """A part of a transaction that can be undone on its own."""

    def __init__(self, file: sqlite3.Connection) -> None:
        self._file = file

    def __enter__(self) -> None:
        self._file.execute("SAVEPOINT part")

    def __exit__(self, kind: object, *_: object) -> None:
        if not self._file.in_transaction:  # it was undone as a whole
            return
        if kind is not None:
            self._file.execute("ROLLBACK TO part")
        self._file.execute("RELEASE part")


def _failure(path: Path, error: sqlite3.Error) -> UnboundedError:
    return UnboundedError(
        f"{path} cannot be written: {error}. What was written before is safe: make room if the "
        "disk is full, and start the same command again"
    )
