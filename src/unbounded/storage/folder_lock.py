# SPDX-License-Identifier: MIT
"""A lock on a folder, so that two processes do not write to it at the same time.

The system releases it when the process ends, however it ends.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from unbounded.game import UsageError

NAME = ".lock"


class FolderLock:
    """Held from its creation until `release`."""

    def __init__(self, folder: Path) -> None:
        path = folder / NAME
        try:
            self._file = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o666)
        except OSError as error:
            raise UsageError(f"{folder} cannot be written: {error.strerror}") from error
        if not _lock(self._file):
            os.close(self._file)
            raise UsageError(
                f"{folder} is in use by another process: wait until it ends, or choose another "
                "folder"
            )

    def release(self) -> None:
        """Let others use the folder; once is enough, and twice no error."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1


def _lock(file: int) -> bool:
    """Lock an open file; whether it was free."""
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
