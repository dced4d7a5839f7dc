# SPDX-License-Identifier: MIT
"""Who may think now: as many searches as there are cores, moves before analyses.

Everybody at once would make everybody wait: fifty threads on two cores answer late. So they take
turns. A machine's time for its move runs from the moment it is asked; when others wait too, it gets
its share of what is left of it. An analysis goes on until somebody else wants the core.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from unbounded.game import require

LEAST_SECONDS = 0.01
"""For a move, however many wait."""
CROWDED = 0.8
"""Of the time for a move, when others wait: the rest goes to telling all of them."""
TURN = 0.25
"""Seconds of an analysis while another one waits."""


class Scheduler:
    """Cores, and two queues for them."""

    def __init__(self, cores: int, most: int) -> None:
        self._cores, self._most = cores, most
        self._running = 0
        self._moves: deque[object] = deque()
        self._analyses: deque[object] = deque()
        self._change = threading.Condition()

    @contextmanager
    def move(self, seconds: float) -> Iterator[float]:
        """Wait for a core; gives the seconds that the move may take there."""
        asked = time.monotonic()
        with self._core(self._moves):
            others, passed = len(self._moves), time.monotonic() - asked
            left = seconds * (CROWDED if others else 1.0) - passed
            yield max(LEAST_SECONDS, left / (1 + others / self._cores))

    @contextmanager
    def analysis(self, give_up: Callable[[], bool]) -> Iterator[bool]:
        """Wait for a core that no move needs, or give up; gives whether there is one.

        Whoever has the core asks `wanted` now and then; whoever changes the answer of `give_up`
        says so by `nudge`.
        """
        with self._core(self._analyses, give_up) as got:
            yield got

    def nudge(self) -> None:
        """Let those who wait think about giving up."""
        with self._change:
            self._change.notify_all()

    def wanted(self, seconds: float) -> bool:
        """Whether an analysis that has run for so long should make way."""
        return bool(self._moves) or (bool(self._analyses) and seconds >= TURN)

    @contextmanager
    def _core(
        self, waiting: deque[object], give_up: Callable[[], bool] = lambda: False
    ) -> Iterator[bool]:
        me = object()
        with self._change:
            thinking = self._running + len(self._moves) + len(self._analyses)
            require(thinking < self._most, "too many searches are running here; try again")
            waiting.append(me)
            self._change.wait_for(lambda: self._is_next(me, waiting) or give_up())
            got = self._is_next(me, waiting)
            waiting.remove(me)
            self._running += got
            self._change.notify_all()
        try:
            yield got
        finally:
            with self._change:
                self._running -= got
                self._change.notify_all()

    def _is_next(self, me: object, waiting: deque[object]) -> bool:
        first = waiting[0] is me and (waiting is self._moves or not self._moves)
        return first and self._running < self._cores
