# SPDX-License-Identifier: MIT
"""The files of a run, one by one: each replaced whole or not at all."""

from __future__ import annotations

import contextlib
import errno
import gzip
import hashlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from unbounded.game import UnboundedError, UsageError
from unbounded.storage import atomic_files

MOST_GAMES = 500
"""The most games of a generation that are stored; of more, a sample spread evenly."""
_AT_ONCE = 1 << 20


class SaveError(UnboundedError):
    """Something could not be written; the run is as it was before."""


@contextlib.contextmanager
def failing_clearly(folder: Path, what: str) -> Iterator[None]:
    """Turn an `OSError` into `SaveError` with a line that says what to do."""
    try:
        yield
    except OSError as error:
        raise SaveError(said_of(error, folder, what)) from error
    except RuntimeError as error:  # how PyTorch reports a failed write
        if "write" not in str(error).lower():
            raise
        raise SaveError(
            f"{folder}: {what}: {str(error).splitlines()[0]}; what was saved before is intact"
        ) from error


def said_of(error: OSError, folder: Path, what: str) -> str:
    """The line for a failed write."""
    why = error.strerror or str(error)
    advice = "what was saved before is intact"
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        advice += f"; free some space, then: unbounded learn --resume --run {folder}"
    return f"{folder}: {what}: {why}; {advice}"


# -- JSON -----------------------------------------------------------------------------------------


def write_json(path: Path, value: Any) -> None:
    """Replace a file by a value as JSON, indented for people."""
    text = json.dumps(value, indent=2) + "\n"
    atomic_files.replace(path, lambda put: put(text.encode()))


def read_json(path: Path) -> dict[str, Any]:
    """Read an object from a file of JSON."""
    try:
        value = json.loads(path.read_bytes())
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{path} is damaged: it is no JSON") from error
    if not isinstance(value, dict):
        raise UsageError(f"{path} is damaged: it holds no JSON object")
    return value


# -- other kinds ----------------------------------------------------------------------------------


def write_state(path: Path, state: Mapping[str, Any]) -> None:
    """Write tensors and plain values."""
    import torch

    def make(partial: Path) -> None:
        torch.save(dict(state), partial)
        sync(partial)

    atomic_files.replace_by(path, make)


def read_state(path: Path) -> dict[str, Any]:
    """Read what `write_state` wrote, on the CPU; a file cannot make the program run its code."""
    import torch

    state = torch.load(path, map_location="cpu", weights_only=True)
    if not isinstance(state, dict):
        raise UsageError(f"{path} is damaged: it holds no state of a trainer")
    return state


def write_games(path: Path, games: Sequence[Mapping[str, Any]]) -> None:
    """Write games as compressed lines of JSON; of many, a sample."""
    count = min(len(games), MOST_GAMES)
    sample = [games[k * len(games) // count] for k in range(count)]
    lines = "".join(f"{json.dumps(dict(game))}\n" for game in sample)
    # Without the time of writing, equal games are equal files.
    packed = gzip.compress(lines.encode(), mtime=0)
    atomic_files.replace(path, lambda put: put(packed))


def read_games(path: Path) -> list[dict[str, Any]]:
    """Read what `write_games` wrote."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


# -- checksums ------------------------------------------------------------------------------------


def sync(path: Path) -> None:
    """Wait until a file is on the disk."""
    disk = atomic_files.DISK
    file = disk.open(path, os.O_RDWR)
    try:
        disk.sync(file)
    finally:
        disk.close(file)


def digest(path: Path) -> str:
    """The SHA-256 of a file."""
    found = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(_AT_ONCE):
            found.update(block)
    return found.hexdigest()
