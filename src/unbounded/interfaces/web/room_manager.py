# SPDX-License-Identifier: MIT
"""All rooms, and the limits that they share."""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from unbounded.game import Game, require
from unbounded.game.catalogue import load_game
from unbounded.interfaces.session import HUMAN
from unbounded.interfaces.web.analysis import SAVING_PATIENCE
from unbounded.interfaces.web.game_room import GameRoom
from unbounded.interfaces.web.scheduler import Scheduler
from unbounded.interfaces.web.store import Store
from unbounded.players import read_kind
from unbounded.players.kinds import DepthFirst, Limited, MonteCarlo, Searching
from unbounded.search.search import Search
from unbounded.solving.solve import available_cores
from unbounded.storage.memory import process_memory

MEGABYTE = 1 << 20
SHARES = 4
"""Machines in a room that have all the memory that one may have."""
SPARE = 8
"""Of the memory of the process, one part in so many is for games when analyses have the rest."""
UNREAD = 16
"""Of the memory of the process, one part in so many may be answers that pages do not read."""
PLAYOUTS = 100
NO_MEMORY = (
    "no memory is left for this here; stop an analysis, close a page, or serve with more --memory"
)


@dataclass(frozen=True)
class Limits:
    """What the pages may take, each of them and together."""

    rooms: int = 200
    pages: int = 600
    """That are open; several may look at one room."""
    searches: int = 256
    """That think, or wait for a core to think on."""
    memory: int = 4 << 30
    """Bytes of the whole process."""
    room_memory: int = 1 << 30
    """Bytes of the analysis in a room."""
    player_memory: int = 64 << 20
    """Bytes of a machine at the board; where more than four sit there, they share those of four."""
    disk: int = 2 << 30
    """Bytes of all that is kept in a folder."""
    analysis_seconds: float = 600.0
    """Before it pauses by itself."""
    move_seconds: float = 30.0
    """A machine's time for a move, at most."""
    idle_seconds: float = 3600.0
    """After which a room that nobody looks at is cleared."""

    @property
    def unread(self) -> int:
        """Bytes that all pages together may leave unread."""
        return self.memory // UNREAD


class RoomManager:
    """The rooms, by name; whoever knows the name of a room comes back to it."""

    def __init__(
        self,
        limits: Limits | None = None,
        *,
        game: Game[Any, Any] | None = None,
        folder: Path | None = None,
    ) -> None:
        self.limits = limits or Limits()
        self.game = game
        """The game that the program was started with; it may be one from a file."""
        self._rooms: dict[str, GameRoom] = {}
        disk = self.limits.disk
        self.store = None if folder is None else Store(folder, disk, lambda: set(self._rooms))
        self._lock = threading.Lock()
        self.turns = Scheduler(available_cores(), self.limits.searches)

    # -- rooms ------------------------------------------------------------------------------------

    def enter(self, name: str | None) -> GameRoom:
        """Return the room of this name, or a new one."""
        old: list[GameRoom] = []
        with self._lock:
            room = self._rooms.get(name or "")
            if room is None:
                old = self._clear()
                require(len(self._rooms) < self.limits.rooms, "too many pages are open here")
                kept = name if name and self.store is not None and self.store.has(name) else None
                room = GameRoom(kept or secrets.token_urlsafe(12), self)
                self._rooms[room.name] = room
            room.seen_at = time.monotonic()
            room.viewers += 1
        for each in old:
            each.close()
        try:
            room.open()
        except BaseException:
            self._give_up(room)
            raise
        return room

    def _give_up(self, room: GameRoom) -> None:
        """Let go of a room whose board could not be set up."""
        with self._lock:
            room.viewers -= 1
            if room.session is None:
                self._rooms.pop(room.name, None)

    def leave(self, room: GameRoom) -> None:
        """Say that a page has gone; the room waits for it to come back."""
        with self._lock:
            room.viewers -= 1
            room.seen_at = time.monotonic()
        room.rest()

    def _clear(self) -> list[GameRoom]:
        """Take away rooms that nobody has looked at for long.

        When all are taken the oldest one goes, and when memory is short those with an analysis.
        Whoever is not in a hurry closes them: that may take a while.
        """
        empty = sorted((r for r in self._rooms.values() if not r.viewers), key=lambda r: r.seen_at)
        now, cleared = time.monotonic(), []
        short = process_memory() > self.limits.memory - self.limits.memory // SPARE
        for room in empty:
            full = len(self._rooms) >= self.limits.rooms or (short and room.analysis is not None)
            if full or now - room.seen_at > self.limits.idle_seconds:
                cleared.append(self._rooms.pop(room.name))
        return cleared

    def close(self) -> None:
        """End every search; keep games and searches, if there is a folder for them."""
        rooms, self._rooms = list(self._rooms.values()), {}
        closing = [threading.Thread(target=room.close, daemon=True) for room in rooms]
        for thread in closing:
            thread.start()
        for thread in closing:
            thread.join(timeout=SAVING_PATIENCE)

    # -- what they may take -----------------------------------------------------------------------

    def memory_for(self, search: Search) -> int:
        """Return how many bytes an analysis may have now."""
        own = search.memory_bytes
        left = self.limits.memory - process_memory()
        return max(MEGABYTE, min(self.limits.room_memory, own + left))

    def require_memory(self) -> None:
        """Raise unless there is memory for something that may be large."""
        memory = self.limits.memory
        require(process_memory() < memory + memory // SPARE, NO_MEMORY)

    def load_game(self, text: str) -> Game[Any, Any]:
        """Return a game by name; no file is opened for somebody who writes to the server."""
        self.require_memory()
        if self.game is not None and text == str(self.game):
            return self.game
        return load_game(text, files=False)

    def seats(self, texts: Sequence[str], seconds: float) -> list[str]:
        """Return players as they may sit here: within the limits of time and memory."""
        machines = sum(text != HUMAN for text in texts)
        memory = self.limits.player_memory * min(1, SHARES / max(1, machines))
        return [self._seat(text, seconds, int(memory)) for text in texts]

    def _seat(self, text: str, seconds: float, memory: int) -> str:
        if text == HUMAN:
            return text
        kind = read_kind(text)
        if not isinstance(kind, Limited):
            return str(kind)
        limits = self.limits
        asked = kind.seconds if kind.says_when else seconds
        allowed: dict[str, Any] = {
            "seconds": min(limits.move_seconds, seconds if asked is None else asked),
            "memory": str(memory),
        }
        if isinstance(kind, DepthFirst | MonteCarlo):
            allowed["megabytes"] = min(kind.megabytes, memory / MEGABYTE)
        if isinstance(kind, MonteCarlo):
            require(kind.playouts <= PLAYOUTS, f"playouts must be at most {PLAYOUTS} here")
        if isinstance(kind, Searching | DepthFirst):
            known = (None, "zero", "heuristic")
            require(kind.evaluation in known, "evaluation must be zero or heuristic here")
        return str(replace(kind, **allowed))
