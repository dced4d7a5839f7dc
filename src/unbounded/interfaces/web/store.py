# SPDX-License-Identifier: MIT
"""Saved games and searches in a folder of limited size; the least recently used go first.

A game is `NAME.json`, with `NAME.search` if it was analyzed. Only files that a server has written,
and that say so themselves, are ever removed. Other files in the folder are left alone.
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

MAX_GAMES = 2000
BLOCK = 4096
"""Bytes of a disk block: the least space that a file takes."""
NAME = r"[A-Za-z0-9_-]{1,32}"
GENERATED_NAME = r"[A-Za-z0-9_-]{16}"
"""A name that a server gives to a room; files of other names are neither counted nor removed."""
FILES = rf"({GENERATED_NAME})\.(?:json|search)"
FULL = "the folder for saved games is full; serve with more --disk, or remove files there"


@dataclass
class SavedFiles:
    """The files of one saved game."""

    used_at: float
    """When the game was last used, as a file time."""
    size: int = 0


class Store:
    """A folder of saved games, and how much of a disk it may take."""

    def __init__(self, folder: Path, limit: int, in_use: Callable[[], Collection[str]]) -> None:
        self._folder, self._limit = folder, limit
        self._in_use = in_use
        """Returns the names of games that must not be removed."""
        self._lock = threading.Lock()
        self._reserved: dict[str, int] = {}
        """Bytes reserved for games that are being written."""
        remove_leftovers(folder, FILES)

    def __str__(self) -> str:
        return str(self._folder)

    def has(self, name: str) -> bool:
        """Whether there is a game of this name; no name leads out of the folder."""
        return bool(re.fullmatch(NAME, name)) and self._path(name).is_file()

    def read(self, name: str) -> dict[str, Any]:
        """Return a saved game; `OSError` or `ValueError` if it cannot be read."""
        data = json.loads(self._path(name).read_text("utf-8"))
        if not isinstance(data, dict):
            raise ValueError(f"{self._path(name)} is not a saved game")
        return data

    def search_path(self, name: str) -> Path:
        """The file of a game's search, whether or not it exists."""
        return self._folder / f"{name}.search"

    def save(self, name: str, data: dict[str, Any], used_at: float) -> None:
        """Save a game without a search."""
        with self._reserve(name, _encode(name, data), 0, used_at) as enough:
            require(enough, FULL)
            self.search_path(name).unlink(missing_ok=True)
            self._write(name, data, used_at)

    def save_with_search(
        self,
        name: str,
        data: dict[str, Any],
        used_at: float,
        size: int,
        save: Callable[[Path], None],
    ) -> bool:
        """Save a game and its search of about `size` bytes; False if there is no space for it."""
        with self._reserve(name, _encode(name, data), size, used_at) as enough:
            if not enough:
                return False
            self._write(name, data, used_at)
            save(self.search_path(name))
            os.utime(self.search_path(name), (used_at, used_at))
            return self._keep_if_it_fits(name, size, used_at)

    def _keep_if_it_fits(self, name: str, size: int, used_at: float) -> bool:
        """Remove a search that became larger than expected if there is no space for it."""
        search = self.search_path(name)
        written = search.stat().st_size
        with self._lock:
            self._reserved.pop(name, None)
            fits = written <= size or self._free(name, _blocks(written) + BLOCK, used_at) >= 0
        if not fits:
            search.unlink()
        return fits

    def _path(self, name: str) -> Path:
        return self._folder / f"{name}.json"

    def _write(self, name: str, data: dict[str, Any], used_at: float) -> None:
        path, text = self._path(name), _encode(name, data)
        replace(path, lambda write: write(text))
        os.utime(path, (used_at, used_at))

    # -- space ------------------------------------------------------------------------------------

    @contextlib.contextmanager
    def _reserve(self, name: str, text: bytes, size: int, used_at: float) -> Iterator[bool]:
        """Reserve space for a game while it is written; yield whether there is enough."""
        wanted = _blocks(len(text)) + (_blocks(size) if size else 0)
        with self._lock:
            left = self._free(name, wanted, used_at)
            enough = left >= 0
            if enough:
                self._reserved[name] = wanted + self._keep_old_search(name, left)
        try:
            yield enough
        finally:
            with self._lock:
                self._reserved.pop(name, None)

    def _keep_old_search(self, name: str, left: int) -> int:
        """Keep the old search until it is replaced, if both fit; return the bytes that it takes."""
        search = self.search_path(name)
        size = _blocks(search.stat().st_size) if search.is_file() else 0
        if size <= left:
            return size
        search.unlink()
        return 0

    def _free(self, name: str, wanted: int, used_at: float) -> int:
        """Remove older games if that frees enough space, and otherwise none.

        Returns the bytes that are left after writing `wanted` bytes, negative if they do not fit.
        """
        saved = self._saved()
        saved.pop(name, None)  # will be replaced
        left = self._limit - wanted - sum(self._reserved.values())
        left -= sum(files.size for other, files in saved.items() if other not in self._reserved)
        places = MAX_GAMES - len(saved.keys() | self._reserved.keys() | {name})
        removed: list[str] = []
        for other in sorted(saved, key=lambda other: saved[other].used_at):
            if (left >= 0 and places >= 0) or saved[other].used_at > used_at:
                break
            if self._is_removable(other):
                removed.append(other)
                left, places = left + saved[other].size, places + 1
        if left < 0 or places < 0:
            return -1
        for other in removed:
            self._remove(other)
        return left

    def _saved(self) -> dict[str, SavedFiles]:
        """The games in the folder, by name."""
        remove_leftovers(self._folder, FILES)
        saved: dict[str, SavedFiles] = {}
        with contextlib.suppress(OSError), os.scandir(self._folder) as entries:
            for entry in entries:
                match = re.fullmatch(FILES, entry.name)
                with contextlib.suppress(OSError):
                    if match is not None and entry.is_file(follow_symlinks=False):
                        status = entry.stat(follow_symlinks=False)
                        files = saved.setdefault(match[1], SavedFiles(status.st_mtime))
                        files.size += _blocks(status.st_size)
        return {name: files for name, files in saved.items() if self._path(name).is_file()}

    def _is_removable(self, name: str) -> bool:
        """Whether a server has written this game, and it is not in use."""
        if name in self._reserved or name in self._in_use():
            return False
        try:
            return self.read(name).get("room") == name
        except (OSError, ValueError, RecursionError):
            return False

    def _remove(self, name: str) -> None:
        for path in (self.search_path(name), self._path(name)):  # the .json marks both as ours
            with contextlib.suppress(OSError):
                path.unlink(missing_ok=True)


def _encode(name: str, data: dict[str, Any]) -> bytes:
    return (json.dumps(data | {"room": name}) + "\n").encode()


def _blocks(size: int) -> int:
    return -(-size // BLOCK) * BLOCK
