# SPDX-License-Identifier: MIT
"""Files that commands read and write."""

from __future__ import annotations

import errno
import gzip
import json
import os
import re
import zlib
from pathlib import Path
from typing import Annotated, Any

import typer

from unbounded.game import UsageError, require
from unbounded.storage.atomic_files import is_regular

CERTIFICATE, SEARCH, TABLE = "a certificate", "a saved search", "a table of positions"
MATCH, SESSION = "games of a match", "a game that was saved"
POSITIONS = "a file of test positions"

_FORMATS = {
    "unbounded certificate": CERTIFICATE,
    "unbounded search": SEARCH,
    "unbounded positions": TABLE,
    "unbounded game": SESSION,
    "unbounded test positions": POSITIONS,
}
_USES = {
    CERTIFICATE: "check it with `unbounded verify`",
    SEARCH: "go on with it by `unbounded solve --resume`, or make a table of it by `export`",
    TABLE: "ask it with `unbounded query`",
    POSITIONS: "measure an evaluation on it with `unbounded measure`",
    MATCH: "look at them with `unbounded replay`",
    SESSION: "go on with it by `unbounded play --load`, or look at it with `unbounded replay`",
}
_GZIP = b"\x1f\x8b"
_BINARY = (b"SQLite format 3\0", b"PAR1")
_FORMAT = re.compile(rb'"format": "(unbounded [a-z]+)"')
_LONGEST_LINE, _ENDS = 1 << 20, 1 << 16

Force = Annotated[bool, typer.Option("--force", metavar="", help="Overwrite existing files.")]


# -- writing ---------------------------------------------------------------------------------------


def check_writable(
    path: str | None,
    *,
    force: bool = False,
    own: str | None = None,
    instead: str = "choose another name",
) -> None:
    """Find out, before any work is done, whether a file may be written there.

    A file that exists stays as it is, unless it is the one that the command goes on with (`own`),
    or `force` is given. This is the rule of every command; functions in Python replace files.
    """
    if path is None:
        return
    place = Path(path)
    folder = place.absolute().parent
    require(folder.is_dir(), f"{path} cannot be written: no such directory")
    require(not place.is_dir(), f"{path} cannot be written: it is a directory")
    require(os.access(folder, os.W_OK), f"{path} cannot be written: its folder is read-only")
    if not place.exists():
        return
    require(is_regular(path), f"{path} cannot be written: it is not an ordinary file")
    require(
        force or is_same(path, own),
        f"{path} exists already: {instead}, or write over it with --force",
    )


def is_same(path: str | None, other: str | None) -> bool:
    """Whether two names are those of one file."""
    return path is not None and other is not None and Path(path).resolve() == Path(other).resolve()


# -- reading ---------------------------------------------------------------------------------------


def check_readable(path: str, *kinds: str) -> None:
    """Refuse what cannot be read, and what is a file of ours of another kind than is wanted."""
    wanted = " or ".join(kinds)
    try:
        require(not Path(path).is_dir(), f"{path} is a directory, not {wanted}")
        require(not Path(path).exists() or is_regular(path), f"{path} is not an ordinary file")
        found = kind_of(path)
    except OSError as error:
        missing = error.errno == errno.ENOENT
        why = f"there is no file {path}" if missing else f"{path} cannot be read: {error.strerror}"
        raise UsageError(why) from None
    if found is not None and found not in kinds:
        raise UsageError(f"{path} is {found}, not {wanted}: {_USES[found]}")


def kind_of(path: str) -> str | None:
    """Which of our files this is; None, if it is none of ours."""
    with Path(path).open("rb") as file:
        if file.read(2) == _GZIP:
            return _kind_of_compressed(path)
        file.seek(0)
        first = file.readline(_LONGEST_LINE)
        start = first + file.read(_ENDS)
        file.seek(max(0, Path(path).stat().st_size - _ENDS))
        end = file.read(_ENDS)
    data = _parsed(first)
    if isinstance(data, dict):
        games = {"number", "seats", "moves"} <= data.keys()
        return MATCH if games else _FORMATS.get(str(data.get("format")))
    if not start.startswith(_BINARY) and start[8:9] != b"{":  # where a saved search has its header
        return None
    found = _FORMAT.search(start) or _FORMAT.search(end)
    return _FORMATS.get(found[1].decode()) if found else None


def _kind_of_compressed(path: str) -> str | None:
    """Only certificates are compressed."""
    try:
        with gzip.open(path) as file:
            data = _parsed(file.readline(_LONGEST_LINE))
    except (EOFError, zlib.error, gzip.BadGzipFile):
        return None
    known = isinstance(data, dict) and _FORMATS.get(str(data.get("format"))) == CERTIFICATE
    return CERTIFICATE if known else None


def _parsed(line: bytes) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None
