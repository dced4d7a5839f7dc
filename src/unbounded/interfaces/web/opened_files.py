# SPDX-License-Identifier: MIT
"""The files that the server was started with: searches, tables, certificates, runs of learning.

No request names a file: pages get a list, and choose from it by number.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unbounded.game import Game, UsageError, require
from unbounded.game.catalogue import is_named, load_game
from unbounded.interfaces.web.knowledge import Proven
from unbounded.learning.metrics import Row, numbers_of, read_rows
from unbounded.learning.run_files import read_json
from unbounded.learning.run_folder import CONFIG, METRICS
from unbounded.native.failures import error_text
from unbounded.search import checkpoints
from unbounded.solving.certificate_files import header_of
from unbounded.solving.table import Table

SEARCH, TABLE, CERTIFICATE, GAME = "search", "table", "certificate", "game"
LEARNING, CLAIMS = "learning", "claims"
SQLITE = b"SQLite format 3\0"
MAX_ROWS = 500
"""Rows of the curve of a run in one message; of more, a sample spread evenly."""


@dataclass(frozen=True)
class OpenedFile:
    """A file of ours, and what it says of itself."""

    path: Path
    kind: str
    game: str
    """The game string that it has; empty where it is not about one game."""
    moves: tuple[str, ...] = ()
    """The position that it is about."""

    @classmethod
    def of(cls, path: Path, kind: str) -> OpenedFile:
        """Read the beginning of a file; what is wrong with it is a `UsageError` now."""
        if kind == SEARCH:
            about = checkpoints.about(path)
            return cls(path, kind, about["game"], tuple(about["moves"]))
        if kind == CERTIFICATE:
            header = header_of(path)
            return cls(path, kind, header.game, header.moves)
        if kind == TABLE:
            with path.open("rb") as file:
                start = file.read(len(SQLITE))
            require(
                start == SQLITE,
                f"{path}: the page looks positions up in tables of SQLite; make one by "
                "`unbounded export FILE --output table.sqlite`",
            )
            return cls(path, kind, Table.game_of(path))
        if kind == LEARNING:
            return cls(path, kind, str(read_json(path / CONFIG).get("game", "")))
        return cls(path, kind, "")


class OpenedFiles:
    """All of them, by number."""

    def __init__(
        self, files: Sequence[OpenedFile] = (), own_game: Game[Any, Any] | None = None
    ) -> None:
        """own_game: the game that the server was started with; it may come from a file."""
        self._files, self._own_game = tuple(files), own_game
        for file in files:
            if file.game:
                self.game_of(file)  # an unknown one is an error now

    def view(self) -> list[dict[str, Any]]:
        """The list for the page."""
        return [
            {
                "index": index,
                "kind": file.kind,
                "name": file.path.name,
                "game": file.game,
                "moves": list(file.moves),
            }
            for index, file in enumerate(self._files)
        ]

    def get(self, index: int, *kinds: str) -> OpenedFile:
        """The file of this number, which must be of one of these kinds if any are given."""
        require(index < len(self._files), f"there is no file {index} on this server")
        file = self._files[index]
        wanted = " or ".join(kinds)
        require(not kinds or file.kind in kinds, f"{file.path.name} is not a {wanted}")
        return file

    def first(self, kind: str) -> int:
        """The number of the first file of a kind."""
        for index, file in enumerate(self._files):
            if file.kind == kind:
                return index
        raise UsageError(f"the server was started without a {kind}: unbounded serve --open FILE")

    def game_of(self, file: OpenedFile) -> Game[Any, Any]:
        """The game that a file is about; one from a file of rules must be the server's own."""
        if self._own_game is not None and is_named(self._own_game, file.game):
            return self._own_game
        return load_game(file.game, files=False)


# -- tables ----------------------------------------------------------------------------------------


class TableSource:
    """Looks positions up in a table; when the table fails, it is told once and used no more."""

    def __init__(self, table: Table, on_failure: Callable[[str], None]) -> None:
        self._table, self._on_failure = table, on_failure
        self._failed = False
        self._lock = threading.Lock()

    def __call__(self, state: Hashable, *, scores_ignored: bool) -> Proven | None:
        """What the table has of a state, if that holds in this sense."""
        if self._failed:
            return None
        try:
            found = self._table.find(state)
        except Exception as error:  # the file was removed or damaged since
            with self._lock:
                failed, self._failed = self._failed, True
            if not failed:
                self._on_failure(error_text(error))
            return None
        if found is None or found.scores_ignored != scores_ignored:
            return None
        return Proven(found.outcome, found.score, found.distance)


# -- runs ------------------------------------------------------------------------------------------


def learning_view(file: OpenedFile) -> dict[str, Any]:
    """The numbers of a run so far, row by row; it may be running."""
    rows = read_rows(file.path / METRICS)
    count = min(len(rows), MAX_ROWS)
    chosen = [rows[-1 - k * len(rows) // count] for k in reversed(range(count))]
    return {
        "name": file.path.name,
        "game": file.game,
        "count": len(rows),
        "rows": [_row(row) for row in chosen],
    }


def _row(row: Row) -> dict[str, Any]:
    return {"generation": row.get("generation"), **dict(numbers_of(row))}
