# SPDX-License-Identifier: MIT
"""What a run has done, and what it says about itself while it learns."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field
from itertools import zip_longest
from typing import Any


@dataclass
class Counters:
    """What a run has done so far; kept with every generation."""

    seconds: float = 0.0
    generation: int = 0
    evaluated: int = 0
    expanded: int = 0
    games: int = 0
    moves: int = 0
    trained: int = 0
    added: int = 0
    by_ply: list[int] = field(default_factory=list)
    """States that self-play has expanded, after 0, 1, 2, ... moves."""

    def add_plies(self, more: Iterable[int]) -> None:
        """Add the counts of games that are over."""
        self.by_ply = [a + int(b) for a, b in zip_longest(self.by_ply, more, fillvalue=0)]


@dataclass(frozen=True)
class Progress:
    """The state of a run; None for what is not known yet."""

    seconds: float
    """Time that the run has taken, earlier sessions included."""
    generation: int
    """The newest complete one."""
    states: int
    """Expanded by self-play in the whole run."""
    states_per_second: float
    """Expanded by self-play, lately."""
    games: int
    """Finished in the whole run."""
    trained: int = 0
    """States that the network was trained on, in the whole run."""
    loss: float | None = None
    learning_rate: float | None = None
    value_error: float | None = None
    """Mean absolute difference of the outputs from proven values."""
    game_length: float | None = None
    """Mean number of moves of the games that ended lately."""
    first_wins: float | None = None
    """Share of those games that the first player won."""
    draws: float | None = None
    yardstick: float | None = None
    """The newest measurement, a share: higher is better."""
    yardstick_name: str = ""
    remaining: float | None = None
    """Seconds until `minutes` end this session; None without that limit."""
    note: str = ""
    """What is being done, if it is not the usual: "compiling the rules", "measuring"."""

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values for JSON."""
        return asdict(self)


Report = Callable[[Progress], bool]
"""Called about every second; returns True to request the end, in good order."""
