# SPDX-License-Identifier: MIT
"""Files that are replaced whole or not at all, whatever happens meanwhile.

The new contents are written beside the old file, forced to the disk, and only then take its name.
A reader finds the old contents or the new ones, even after a power cut.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import re
import stat
from collections.abc import Callable
from pathlib import Path

Buffer = bytes | bytearray | memoryview
Write = Callable[[Buffer], None]


class Disk:
    """The calls to the operating system. Tests replace it by one that fails."""

    def open(self, path: Path, flags: int) -> int:
        """Open a file, or a directory."""
        # Windows would change line ends in files that are not opened as binary.
        more = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
        return os.open(path, flags | more, 0o666)

    def write(self, file: int, data: Buffer) -> int:
        """Write some of the data; return how much."""
        return os.write(file, data)

    def sync(self, file: int) -> None:
        """Wait until everything is on the disk."""
        os.fsync(file)

    def close(self, file: int) -> None:
        """Close a file."""
        os.close(file)

    def rename(self, old: Path, new: Path) -> None:
        """Give a file the name of another one, which goes away."""
        old.replace(new)

    def remove(self, path: Path) -> None:
        """Remove a file."""
        path.unlink()


DISK = Disk()

_numbers = itertools.count()
_in_use: set[Path] = set()


def replace(path: str | os.PathLike[str], produce: Callable[[Write], None]) -> None:
    """Replace a file: `produce` is called with a function that takes the contents, in pieces.

    An `OSError`, or whatever `produce` raises, leaves the old file as it was.
    """
    replace_by(path, lambda partial: _write_new(partial, produce))


def replace_by(path: str | os.PathLike[str], make: Callable[[Path], None]) -> None:
    """Replace a file by one that `make` makes under another name; it sees to it that it is synced.

    An `OSError`, or whatever `make` raises, leaves the old file as it was.
    """
    final = Path(os.path.realpath(path))
    remove_leftovers(final.parent, re.escape(final.name))
    partial = final.with_name(f".{final.name}.{os.getpid()}-{next(_numbers)}.partial")
    _in_use.add(partial)
    try:
        make(partial)
        DISK.rename(partial, final)
    except BaseException:
        with contextlib.suppress(OSError):
            DISK.remove(partial)
        raise
    finally:
        _in_use.discard(partial)
    _sync_directory(final.parent)


def _write_new(path: Path, produce: Callable[[Write], None]) -> None:
    file = DISK.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
    try:
        produce(lambda data: _write_all(file, data))
        DISK.sync(file)
    finally:
        DISK.close(file)


def _write_all(file: int, data: Buffer) -> None:
    """Write everything, however little the system takes at once."""
    with memoryview(data) as whole, whole.cast("B") as rest:
        at = 0
        while at < len(rest):
            with contextlib.suppress(InterruptedError):
                at += DISK.write(file, rest[at:])


def _sync_directory(directory: Path) -> None:
    """Make the new name last, where the system can: a directory is a file on most."""
    if os.name != "posix":
        return
    file = DISK.open(directory, os.O_RDONLY)
    try:
        DISK.sync(file)
    finally:
        DISK.close(file)


def remove_leftovers(directory: Path, names: str) -> None:
    """Remove what programs that were killed have left beside files of these names (a pattern)."""
    pattern = re.compile(rf"\.(?:{names})\.(?P<process>\d{{1,9}})-\d+\.partial")
    with contextlib.suppress(OSError):
        for path in directory.iterdir():
            match = pattern.fullmatch(path.name)
            if match and path not in _in_use and not _is_alive(int(match["process"])):
                with contextlib.suppress(OSError):
                    DISK.remove(path)


def _is_alive(process: int) -> bool:
    """Whether another process has this number; where that cannot be asked, it may be."""
    if process == os.getpid():
        return False
    if os.name != "posix":  # Windows has no signal 0: the process would be interrupted
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def is_regular(path: str | os.PathLike[str]) -> bool:
    """Whether there is an ordinary file of this name, which can be read without waiting."""
    try:
        return stat.S_ISREG(Path(path).stat().st_mode)
    except (OSError, ValueError):
        return False
