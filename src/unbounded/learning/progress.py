# SPDX-License-Identifier: MIT
"""What a run says about itself while it learns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any


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
    """Mean absolute difference of outputs and targets."""
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
