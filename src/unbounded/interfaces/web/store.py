# SPDX-License-Identifier: MIT
"""Games and searches in a folder, up to a limit: those that were not used for longest make way.

A game is `NAME.json`, and `NAME.search` where it was analysed. Only what a server has written is
ever removed: the file says so itself. Whatever else lies in the folder is left alone.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import threading
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unbounded.game import require
from unbounded.storage.atomic_files import remove_leftovers, replace

MOST_GAMES = 2000
BLOCK = 4096
"""Bytes of a disk that go together: no file takes fewer."""
NAME = r"[A-Za-z0-9_-]{1,32}"
OWN_NAME = r"[A-Za-z0-9_-]{16}"
"""As a server names a room; nothing else is counted, or removed."""
FILES = rf"({OWN_NAME})\.(?:json|search)"


@dataclass
class Kept:
    """A game in the folder."""

    used_at: float
    """When somebody looked at it last, as a time of files."""
    size: int = 0


class Store:
    """A folder, and how much of a disk it may take."""

    def __init__(self, folder: Path, limit: int, in_use: Callable[[], Collection[str]]) -> None:
        self._folder, self._limit = folder, limit
        self._in_use = in_use
        """Names of games that are not to be removed."""
        self._lock = threading.Lock()
        self._reserved: dict[str, int] = {}
        """Bytes of games that are being written."""
        remove_leftovers(folder, FILES)

    def __str__(self) -> str:
        return str(self._folder)

    @property
    def full(self) -> str:
        """Why something is not kept."""
        return "the folder for games is full; serve with more --disk, or remove something there"

    def has(self, name: str) -> bool:
        """Whether there is a game of this name; no name leads out of the folder."""
        return bool(re.fullmatch(NAME, name)) and self._path(name).is_file()

    def read(self, name: str) -> dict[str, Any]:
        """What was kept of a game; `OSError` or `ValueError` if that cannot be read."""
        told = json.loads(self._path(name).read_text("utf-8"))
        if not isinstance(told, dict):
            raise ValueError(f"{self._path(name)} is not a game")
        return told

    def search_of(self, name: str) -> Path:
        """Where the search of a game is, if there is one."""
        return self._folder / f"{name}.search"

    def keep(self, name: str, told: dict[str, Any], used_at: float) -> None:
        """Keep a game without a search."""
        with self._space_for(name, _text(name, told), 0, used_at) as enough:
            require(enough, self.full)
            self.search_of(name).unlink(missing_ok=True)
            self._write(name, told, used_at)

    def keep_searched(
        self,
        name: str,
        told: dict[str, Any],
        used_at: float,
        size: int,
        save: Callable[[Path], None],
    ) -> bool:
        """Keep a game and its search of at most this size; False if there is no space for it."""
        with self._space_for(name, _text(name, told), size, used_at) as enough:
            if not enough:
                return False
            self._write(name, told, used_at)
            save(self.search_of(name))
            os.utime(self.search_of(name), (used_at, used_at))
            return self._fits_after_all(name, size, used_at)

    def _fits_after_all(self, name: str, size: int, used_at: float) -> bool:
        """Whether a search is as small as was thought, or there is space for it all the same."""
        search = self.search_of(name)
        grown = search.stat().st_size
        with self._lock:
            self._reserved.pop(name, None)
            fits = grown <= size or self._make_space(name, _blocks(grown) + BLOCK, used_at) >= 0
        if not fits:
            search.unlink()
        return fits

    def _path(self, name: str) -> Path:
        return self._folder / f"{name}.json"

    def _write(self, name: str, told: dict[str, Any], used_at: float) -> None:
        path, text = self._path(name), _text(name, told)
        replace(path, lambda write: write(text))
        os.utime(path, (used_at, used_at))

    # -- space ------------------------------------------------------------------------------------

    @contextlib.contextmanager
    def _space_for(self, name: str, text: bytes, size: int, used_at: float) -> Iterator[bool]:
        """Take space for a game while it is written; gives whether there is enough."""
        wanted = _blocks(len(text)) + (_blocks(size) if size else 0)
        with self._lock:
            left = self._make_space(name, wanted, used_at)
            enough = left >= 0
            if enough:
                self._reserved[name] = wanted + self._let_old_search_wait(name, left)
        try:
            yield enough
        finally:
            with self._lock:
                self._reserved.pop(name, None)

    def _let_old_search_wait(self, name: str, left: int) -> int:
        """Return what a search takes until it is replaced; without space for both it goes now."""
        search = self.search_of(name)
        size = _blocks(search.stat().st_size) if search.is_file() else 0
        if size <= left:
            return size
        search.unlink()
        return 0

    def _make_space(self, name: str, wanted: int, used_at: float) -> int:
        """Remove older games, if that makes enough space, or else nothing.

        Returns how many bytes are left then; a number below 0 if there is not enough.
        """
        kept = self._games()
        kept.pop(name, None)  # is replaced
        left = self._limit - wanted - sum(self._reserved.values())
        left -= sum(game.size for other, game in kept.items() if other not in self._reserved)
        places = MOST_GAMES - len(kept.keys() | self._reserved.keys() | {name})
        going: list[str] = []
        for other in sorted(kept, key=lambda other: kept[other].used_at):
            if (left >= 0 and places >= 0) or kept[other].used_at > used_at:
                break
            if self._may_go(other):
                going.append(other)
                left, places = left + kept[other].size, places + 1
        if left < 0 or places < 0:
            return -1
        for other in going:
            self._remove(other)
        return left

    def _games(self) -> dict[str, Kept]:
        """What is in the folder, by name."""
        remove_leftovers(self._folder, FILES)
        games: dict[str, Kept] = {}
        with contextlib.suppress(OSError), os.scandir(self._folder) as files:
            for file in files:
                match = re.fullmatch(FILES, file.name)
                with contextlib.suppress(OSError):
                    if match is not None and file.is_file(follow_symlinks=False):
                        about = file.stat(follow_symlinks=False)
                        game = games.setdefault(match[1], Kept(about.st_mtime))
                        game.size += _blocks(about.st_size)
        return {name: game for name, game in games.items() if self._path(name).is_file()}

    def _may_go(self, name: str) -> bool:
        """Whether a server has written this, and nobody needs it now."""
        if name in self._reserved or name in self._in_use():
            return False
        try:
            return self.read(name).get("room") == name
        except (OSError, ValueError, RecursionError):
            return False

    def _remove(self, name: str) -> None:
        for path in (self.search_of(name), self._path(name)):  # a search is known by its game
            with contextlib.suppress(OSError):
                path.unlink(missing_ok=True)


def _text(name: str, told: dict[str, Any]) -> bytes:
    return (json.dumps(told | {"room": name}) + "\n").encode()


def _blocks(size: int) -> int:
    return -(-size // BLOCK) * BLOCK
