# SPDX-License-Identifier: MIT
"""What one call and the whole server may use."""

from __future__ import annotations

import math
from dataclasses import dataclass

from unbounded.game import require
from unbounded.storage.memory import process_memory

LEAST_MEMORY = 1 << 29
"""Bytes: the compiler of the rules alone needs about half of them."""
SEARCH_SHARE = 0.75
"""The share of the free memory that a search may use; boards and answers need some, too."""
DEFAULT_SECONDS = 5.0
MOST_MOVES = 5_000
MOST_MOVE_CHARACTERS = 100_000
MOST_CERTIFICATE = 1 << 20
"""Bytes of a certificate in a message, to or from the server."""
MOST_SEARCHED = 200_000
"""Successors that a certificate may leave to the checker."""
MOST_WAITING = 32
"""Calls that wait for the worker."""


@dataclass(frozen=True)
class Limits:
    """Limits of the server; sizes in bytes."""

    seconds: float = 30.0
    """Longest search of one call."""
    grace: float = 60.0
    """Seconds that a call may take beyond its search, such as for compiling rules."""
    memory: int = 2 << 30
    """Memory of the worker."""
    games: int = 64
    """Open games."""
    threads: int = 1
    """Threads of a search."""
    files: bool = False
    """Whether games and certificates may be read from files that a call names."""

    def __post_init__(self) -> None:
        for name in ("seconds", "grace"):
            value = getattr(self, name)
            require(
                math.isfinite(value) and 0 < value <= 86_400,
                f"`{name}` must be more than 0 and at most 86400, not {value}",
            )
        require(
            self.memory >= LEAST_MEMORY,
            f"`memory` must be {LEAST_MEMORY >> 20}M or more, not {self.memory >> 20}M",
        )
        require(1 <= self.games <= 10_000, f"`games` must be from 1 to 10000, not {self.games}")
        require(1 <= self.threads <= 1024, f"`threads` must be from 1 to 1024, not {self.threads}")

    def seconds_of(self, given: float | None) -> float:
        """The seconds of a search, if a call may have so many."""
        if given is None:
            return min(DEFAULT_SECONDS, self.seconds)
        require(
            math.isfinite(given) and 0 <= given <= self.seconds,
            f"seconds must be from 0 to {self.seconds:g} here, not {given:g}",
        )
        return given

    def search_memory(self) -> int:
        """The bytes that a search in this process may use now."""
        return max(1 << 20, int(SEARCH_SHARE * (self.memory - process_memory())))
