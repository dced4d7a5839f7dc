# SPDX-License-Identifier: MIT
"""What one page, one room and the whole server may use."""

from __future__ import annotations

from dataclasses import dataclass

from unbounded.game import require
from unbounded.search.search import Search
from unbounded.storage.memory import process_memory

MEGABYTE = 1 << 20
RESERVE = 8
"""1 / RESERVE of the memory is left for games when analyses use the rest."""
UNSENT = 16
"""1 / UNSENT of the memory may hold messages that pages have not read."""
NO_MEMORY = (
    "the server is out of memory; stop an analysis, close a page, or serve with more --memory"
)


@dataclass(frozen=True)
class Limits:
    """Limits of the server; sizes in bytes."""

    rooms: int = 200
    pages: int = 600
    """Open pages; several pages may show one room."""
    searches: int = 256
    """Searches that run or wait for a core."""
    memory: int = 4 << 30
    """Memory of the whole process."""
    room_memory: int = 1 << 30
    """Memory of the analysis in one room."""
    player_memory: int = 64 << 20
    """Memory of one machine player; more than four players in a game share the memory of four."""
    disk: int = 2 << 30
    """Size of all saved games and searches."""
    analysis_seconds: float = 600.0
    """Time after which an analysis pauses."""
    move_seconds: float = 30.0
    """Longest time of a machine player for one move."""
    idle_seconds: float = 3600.0
    """Time after which a room without a viewer is closed."""

    @property
    def unsent(self) -> int:
        """Bytes that wait to be sent, over all pages."""
        return self.memory // UNSENT

    @property
    def is_memory_short(self) -> bool:
        """Whether only the reserve of the memory is left."""
        return process_memory() > self.memory - self.memory // RESERVE

    def analysis_memory(self, search: Search) -> int:
        """Return how many bytes an analysis may use now."""
        left = self.memory - process_memory()
        return max(MEGABYTE, min(self.room_memory, search.memory_bytes + left))

    def require_memory(self) -> None:
        """Raise `UsageError` when there is no memory for another game or board."""
        require(process_memory() < self.memory + self.memory // RESERVE, NO_MEMORY)
