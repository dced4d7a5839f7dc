# SPDX-License-Identifier: MIT
"""All rooms by name: opened, shared by pages, closed when idle."""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from unbounded.game import Game, require
from unbounded.interfaces.web.analysis import SAVE_TIMEOUT
from unbounded.interfaces.web.game_room import GameRoom
from unbounded.interfaces.web.game_setup import GameSetup
from unbounded.interfaces.web.limits import Limits
from unbounded.interfaces.web.opened_files import OpenedFile, OpenedFiles
from unbounded.interfaces.web.room_storage import RoomStorage
from unbounded.interfaces.web.scheduler import Scheduler
from unbounded.interfaces.web.store import Store
from unbounded.solving.solve import available_cores

NAME_BYTES = 12
"""Random bytes of a room's name: it cannot be guessed."""


class RoomManager:
    """The rooms, which share the cores, the memory and the store of one server."""

    def __init__(
        self,
        limits: Limits | None = None,
        *,
        game: Game[Any, Any] | None = None,
        folder: Path | None = None,
        files: Sequence[OpenedFile] = (),
    ) -> None:
        """files: what pages can open besides; see `opened_files`."""
        self.limits = limits or Limits()
        self._setup = GameSetup(self.limits, game)
        self._files = OpenedFiles(files, game)
        self._scheduler = Scheduler(available_cores(), self.limits.searches)
        self._rooms: dict[str, GameRoom] = {}
        self._store: Store | None = None
        if folder is not None:
            self._store = Store(folder, self.limits.disk, in_use=lambda: set(self._rooms))
        self._lock = threading.Lock()

    def enter(self, name: str | None) -> GameRoom:
        """Return the room of this name, or a new one, and count another viewer."""
        closed: list[GameRoom] = []
        with self._lock:
            room = self._rooms.get(name or "")
            if room is None:
                closed = self._remove_idle()
                require(
                    len(self._rooms) < self.limits.rooms,
                    "too many pages are open on this server; try again later",
                )
                room = self._new_room(name)
                self._rooms[room.name] = room
            room.last_seen = time.monotonic()
            room.viewers += 1
        for each in closed:  # without the lock: saving may take a while
            each.close()
        try:
            room.open()
        except BaseException:
            self._discard(room)
            raise
        return room

    def _new_room(self, name: str | None) -> GameRoom:
        """A room of this name if there is a saved game of it, or of a random name."""
        saved = name if name and self._store is not None and self._store.has(name) else None
        name = saved or secrets.token_urlsafe(NAME_BYTES)
        return GameRoom(
            name,
            setup=self._setup,
            scheduler=self._scheduler,
            limits=self.limits,
            storage=None if self._store is None else RoomStorage(self._store, name),
            files=self._files,
        )

    def _discard(self, room: GameRoom) -> None:
        """Remove a room whose game could not be set up."""
        with self._lock:
            room.viewers -= 1
            if room.game is None:
                self._rooms.pop(room.name, None)

    def leave(self, room: GameRoom) -> None:
        """Count one viewer less; the room stays for a while."""
        with self._lock:
            room.viewers -= 1
            room.last_seen = time.monotonic()
        room.rest()

    def _remove_idle(self) -> list[GameRoom]:
        """Remove rooms without a viewer that were not used for long, and return them.

        When there are too many rooms the least recently used one goes too, and when memory is short
        all that have an analysis.
        """
        unused = [room for room in self._rooms.values() if not room.viewers]
        now, short, removed = time.monotonic(), self.limits.is_memory_short, []
        for room in sorted(unused, key=lambda room: room.last_seen):
            full = len(self._rooms) >= self.limits.rooms or (short and room.analysis.active)
            if full or now - room.last_seen > self.limits.idle_seconds:
                removed.append(self._rooms.pop(room.name))
        return removed

    def close(self) -> None:
        """Stop every search, and save games and searches if there is a store."""
        rooms, self._rooms = list(self._rooms.values()), {}
        threads = [threading.Thread(target=room.close, daemon=True) for room in rooms]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(timeout=SAVE_TIMEOUT)
