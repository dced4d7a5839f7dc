# SPDX-License-Identifier: MIT
"""How much memory there is, and how much of it this process holds."""

from __future__ import annotations

import math
import os
import time
from pathlib import Path

MOST_MEMORY = 1 << 62
"""More than any machine has."""


class _Reading:
    """What the system last said is free. Asking it takes longer than an easy proof."""

    def __init__(self) -> None:
        self.free, self.taken = 0, -math.inf

    def again(self) -> int:
        """Read it again, if the last reading is older than a moment."""
        now = time.monotonic()
        if now - self.taken > _MOMENT:
            self.free, self.taken = min(_machine_memory(), _container_memory()), now
        return self.free


_MOMENT = 0.05
"""Seconds in which no process fills a noticeable share of a machine's memory."""
_reading = _Reading()


def free_memory() -> int:
    """The bytes of memory that can be used without swapping, also inside a container.

    It may be some hundredths of a second old.
    """
    return _reading.again()


def _container_memory() -> int:
    group = Path("/sys/fs/cgroup")
    try:
        most = int((group / "memory.max").read_text(encoding="ascii"))
        return max(0, most - int((group / "memory.current").read_text(encoding="ascii")))
    except (OSError, ValueError):  # no such limit, or none that can be read
        return MOST_MEMORY


def _machine_memory() -> int:
    try:
        for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2
    except (AttributeError, ValueError, OSError):
        return 4 << 30


def process_memory() -> int:
    """The bytes of memory that this process holds now; 0 where the system does not report it."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except (OSError, ValueError, IndexError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")
