# SPDX-License-Identifier: MIT
"""How much memory there is, and how much of it this process holds."""

from __future__ import annotations

import os
from pathlib import Path

MOST_MEMORY = 1 << 62
"""More than any machine has."""


def free_memory() -> int:
    """The bytes of memory that can be used without swapping, also inside a container."""
    return min(_machine_memory(), _container_memory())


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
