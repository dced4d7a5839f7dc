# SPDX-License-Identifier: MIT
"""The files in a room: shown at the position that they are about, looked up, checked."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from functools import partial
from typing import Any

from unbounded.game import Game, UnboundedError, require
from unbounded.interfaces.web.analysis import Analysis
from unbounded.interfaces.web.certificates import (
    MAX_SEARCHED,
    MAX_SEARCHED_SENT,
    Verification,
    sent_certificate,
)
from unbounded.interfaces.web.limits import Limits
from unbounded.interfaces.web.opened_files import (
    CERTIFICATE,
    LEARNING,
    SEARCH,
    TABLE,
    OpenedFile,
    OpenedFiles,
    TableSource,
    learning_view,
)
from unbounded.solving.table import Table

Show = Callable[[Game[Any, Any], Sequence[str] | None], None]
"""Makes a game that of the room, unless it is already, and sets the cursor if moves are given."""


class RoomFiles:
    """Opens files of the server, or sent by a page, in one room."""

    def __init__(
        self,
        files: OpenedFiles,
        limits: Limits,
        *,
        lock: AbstractContextManager[Any],
        analysis: Analysis,
        verification: Verification,
        show: Show,
        publish: Callable[[str, Any], None],
    ) -> None:
        """lock: guards the game; `show` is called with it held."""
        self._files, self._limits, self._lock = files, limits, lock
        self._analysis, self.verification = analysis, verification
        self._show, self._publish = show, publish

    def view(self) -> list[dict[str, Any]]:
        """The files that the server was started with."""
        return self._files.view()

    def open(self, index: int) -> None:
        """Show a file that the server was started with."""
        file = self._files.get(index, SEARCH, TABLE, CERTIFICATE)
        self._limits.require_memory()
        game = self._files.game_of(file)
        with self._lock:
            if file.kind == TABLE:
                table = Table(file.path, game)
                self._show(game, None)
                source = TableSource(table, partial(self._publish, "error"))
                self._analysis.knowledge.add_source(source)
                self._analysis.read_again()
                return
            self._show(game, file.moves)
            if file.kind == SEARCH:
                size = file.path.stat().st_size
                require(size <= self._limits.room_memory, f"{file.path.name} is too large")
                self._analysis.stop()
                self._analysis.load(file.path)

    def verify(self, index: int) -> None:
        """Check a certificate that the server was started with."""
        file = self._files.get(index, CERTIFICATE)
        self._verify(file, index, lambda: None, MAX_SEARCHED)

    def verify_data(self, data: bytes) -> None:
        """Check a certificate that a page has sent."""
        file, remove = sent_certificate(data)
        try:
            self._verify(file, None, remove, MAX_SEARCHED_SENT)
        except BaseException:
            remove()
            raise

    def _verify(
        self, file: OpenedFile, index: int | None, after: Callable[[], None], most_searched: int
    ) -> None:
        def end() -> None:
            after()
            with contextlib.suppress(UnboundedError):  # the analysis has ended meanwhile
                self._analysis.read_again()

        self._limits.require_memory()
        game = self._files.game_of(file)
        with self._lock:
            self._show(game, None)
            self.verification.start(
                file.path,
                game,
                self._analysis.knowledge,
                on_end=end,
                about={"index": index, "name": file.path.name},
                most_searched=most_searched,
            )

    def learning(self, index: int | None) -> dict[str, Any]:
        """The curve of a run, by default of the first one."""
        number = self._files.first(LEARNING) if index is None else index
        return learning_view(self._files.get(number, LEARNING))
