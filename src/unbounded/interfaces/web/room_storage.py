# SPDX-License-Identifier: MIT
"""The copy of a room in the store: its game and its search."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unbounded.game import UnboundedError
from unbounded.game.notices import print_error
from unbounded.interfaces.web.analysis import Analysis
from unbounded.interfaces.web.game_setup import GameSetup
from unbounded.interfaces.web.room_game import RoomGame
from unbounded.interfaces.web.store import FULL, Store
from unbounded.native.failures import error_text


@dataclass(frozen=True)
class SavedRoom:
    """What was read from the store."""

    game: RoomGame
    search: Path | None
    """The file of the search, if there is one."""
    lost: str
    """What could not be saved, for the page; mostly empty."""


class RoomStorage:
    """Saves one room, and loads it again."""

    def __init__(self, store: Store, name: str) -> None:
        self._store, self._name = store, name

    def save(self, game: RoomGame, analysis: Analysis, used_at: float) -> None:
        """Save what can be saved; a failure, such as a full disk, is reported on stderr."""
        if not analysis.active and not game.changes:
            return  # nothing was played
        try:
            self._save(game, analysis, used_at)
        except Exception as error:
            print_error(
                f"the game in {self._name} was not saved in {self._store}: {error_text(error)}"
            )

    def _save(self, game: RoomGame, analysis: Analysis, used_at: float) -> None:
        data = game.to_dict()
        if not analysis.active:
            self._store.save(self._name, data, used_at)
        elif not self._save_with_search(data, analysis, used_at):
            lost = f"the analysis of this game was not saved: {FULL}"
            self._store.save(self._name, data | {"lost": lost}, used_at)
            print_error(f"{self._name}: {lost}")

    def _save_with_search(self, data: dict[str, Any], analysis: Analysis, used_at: float) -> bool:
        size = analysis.memory_bytes()
        return self._store.save_with_search(self._name, data, used_at, size, analysis.save)

    def load(self, setup: GameSetup) -> SavedRoom | None:
        """Return the room as an earlier server has saved it; None if it is missing or damaged."""
        if not self._store.has(self._name):
            return None
        try:
            data = self._store.read(self._name)
            game = RoomGame.from_dict(setup.saved_session(data), data)
        except (UnboundedError, OSError, ValueError, RecursionError):
            return None
        search = self._store.search_path(self._name)
        return SavedRoom(game, search if search.is_file() else None, str(data.get("lost", "")))
