# SPDX-License-Identifier: MIT
"""The clocks of a game in a room: one runs at a time, from the first move on."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

from unbounded.game import UsageError
from unbounded.players.clock import TimeControl

_LATE = 0.005
"""Seconds after the end at which a clock is looked at: not a moment before it."""


class RoomClocks:
    """What every player has left of its time.

    now: seconds of a clock that never goes back.
    """

    def __init__(
        self,
        control: TimeControl,
        players: int,
        left: Sequence[float] | None = None,
        *,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self.control = control
        self.running: int | None = None
        """Whose clock runs."""
        self._left = [control.seconds] * players if left is None else list(left)
        self._now, self._since = now, now()

    def left(self, player: int) -> float:
        """The seconds that a player has left."""
        passed = self._now() - self._since if player == self.running else 0.0
        return max(0.0, self._left[player] - passed)

    @property
    def has_run_out(self) -> bool:
        """Whether the player whose clock runs has no time left."""
        return self.running is not None and self.left(self.running) <= 0

    def start(self, player: int | None) -> None:
        """Let the clock of this player run, and no other; None: the game is over."""
        if self.running is not None:
            self._left[self.running] = self.left(self.running)
        self.running, self._since = player, self._now()

    def moved(self, player: int, following: int | None) -> None:
        """Add the increment to the clock of who has moved, and start the next one."""
        counted = self.running == player  # the first move of a game is not
        self.start(following)
        if counted:
            self._left[player] += self.control.increment

    def view(self) -> dict[str, Any]:
        """The clocks as the page shows them, and as they are saved."""
        return {
            "control": str(self.control),
            "left": [round(self.left(p), 3) for p in range(len(self._left))],
            "running": self.running,
        }


def new_clocks(control: str, players: int) -> RoomClocks:
    """The clocks of a new game, with a time control such as 5m+3s."""
    return RoomClocks(TimeControl.parse(control), players)


def read_clocks(data: Any, players: int) -> RoomClocks | None:
    """The clocks that were saved, standing still; None if there are none. Nothing is trusted."""
    if not isinstance(data, dict) or not isinstance(data.get("control"), str):
        return None
    left = data.get("left")
    if not isinstance(left, list) or len(left) != players:
        return None
    if not all(type(x) in (int, float) and 0 <= x < 1e9 for x in left):
        return None
    try:
        return RoomClocks(TimeControl.parse(data["control"]), players, left)
    except UsageError:
        return None


class FlagTimer:
    """Calls a function when the clock that runs has run out."""

    def __init__(self, on_flag: Callable[[], None]) -> None:
        self._on_flag = on_flag
        self._timer: threading.Timer | None = None

    def set(self, clocks: RoomClocks | None) -> None:
        """Watch these clocks as they are now, and no others."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if clocks is None or clocks.running is None:
            return
        self._timer = threading.Timer(clocks.left(clocks.running) + _LATE, self._on_flag)
        self._timer.daemon = True
        self._timer.start()
