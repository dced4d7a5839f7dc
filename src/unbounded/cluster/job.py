# SPDX-License-Identifier: MIT
"""What a driver asks of a worker, and what comes back."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from unbounded.solving.checker import Worth

Window = tuple[Worth, Worth]
Estimates = tuple[float, ...]


@dataclass(frozen=True)
class Job:
    """A position to solve, within a budget."""

    number: int
    moves: tuple[str, ...]
    """From the start of the game."""
    state: bytes
    """Where the moves lead."""
    window: Window | None
    """Two players, zero sum: is the first player's worth at most the one, at least the other, or
    what is it between them? None: an equilibrium is wanted."""
    seconds: float
    seed: int


@dataclass(frozen=True)
class Answer:
    """What a worker has found out.

    The driver believes nothing of it that the certificate does not prove, but the numbers that only
    guide the search: estimates, states and seconds.
    """

    job: int
    claims: tuple[str, ...]
    """What is proven, as in the first line of a certificate: ">=0", "=1,-1,-1". None: open."""
    certificate: bytes | None
    """Compressed."""
    estimates: Estimates
    """Of the position, one per player."""
    actions: tuple[Estimates, ...]
    """Of each action, in the order of the game's actions."""
    line: tuple[str, ...]
    """The best line, as far as it is known."""
    states: int
    """Stored or visited."""
    seconds: float
    where: str
    """Process and machine."""
    why_open: str = ""
    """Why nothing, or not all, is proven."""


def finite(numbers: Any, count: int) -> Estimates:
    """Estimates that come from elsewhere: so many finite numbers; 0 instead of anything else."""
    given = numbers if isinstance(numbers, (tuple, list)) and len(numbers) == count else ()
    good = [
        float(x) if isinstance(x, (int, float)) and math.isfinite(x) else 0.0 for x in given
    ] or [0.0] * count
    return tuple(good)
