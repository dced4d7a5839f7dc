# SPDX-License-Identifier: MIT
"""What has happened in a run, in numbers."""

from __future__ import annotations

from dataclasses import dataclass

CHANCES = 3
"""Jobs in a row without a good answer, after which a worker is replaced."""


@dataclass
class Counts:
    """What has happened in this run."""

    begun: int = 0
    solved: int = 0
    open: int = 0
    refused: int = 0
    failed: int = 0
    cancelled: int = 0
    states: int = 0
    worked: float = 0.0


@dataclass
class WorkerStatus:
    """What a worker has done in this run."""

    jobs: int = 0
    states: int = 0
    seconds: float = 0.0
    refused: int = 0
    where: str = ""
    useless: int = 0
    """Jobs in a row without a good answer."""
    chances: int = CHANCES
    """More of them until it is replaced."""

    def failed(self) -> None:
        """A job has brought nothing."""
        self.useless += 1
        self.chances -= 1

    def succeeded(self) -> None:
        """A job has brought a good answer, be it that the position is open."""
        self.useless, self.chances = 0, CHANCES
