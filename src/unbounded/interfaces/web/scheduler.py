# SPDX-License-Identifier: MIT
"""Which searches run now: as many as there are cores, moves before analyses.

With more threads than cores every answer would be late, so searches queue for a core. The time for
a machine's move starts when the move is requested; when others wait too, the move gets a share of
what is left of it. An analysis runs until another search needs its core.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from unbounded.game import require

MIN_MOVE_SECONDS = 0.01
"""Time for a move, however many searches wait."""
CROWDED = 0.8
"""Share of the time for a move when others wait; the rest is for sending the moves to the pages."""
TIME_SLICE = 0.25
"""Seconds of an analysis while another one waits."""


class Scheduler:
    """Cores, and two queues for them: moves and analyses."""

    def __init__(self, cores: int, max_searches: int) -> None:
        self._cores, self._max_searches = cores, max_searches
        self._running = 0
        self._moves: deque[object] = deque()
        self._analyses: deque[object] = deque()
        self._changed = threading.Condition()

    @contextmanager
    def move(self, seconds: float) -> Iterator[float]:
        """Wait for a core, hold it, and yield the seconds that the move may take on it."""
        requested = time.monotonic()
        with self._hold_core(self._moves):
            others, waited = len(self._moves), time.monotonic() - requested
            left = seconds * (CROWDED if others else 1.0) - waited
            yield max(MIN_MOVE_SECONDS, left / (1 + others / self._cores))

    @contextmanager
    def analysis(self, is_cancelled: Callable[[], bool]) -> Iterator[bool]:
        """Wait for a core that no move needs and hold it; yield False if cancelled while waiting.

        The search that holds the core checks `should_yield` regularly. Call `wake` after a change
        of what `is_cancelled` returns.
        """
        with self._hold_core(self._analyses, is_cancelled) as acquired:
            yield acquired

    def wake(self) -> None:
        """Let waiting searches check whether they are cancelled."""
        with self._changed:
            self._changed.notify_all()

    def should_yield(self, seconds: float) -> bool:
        """Whether an analysis that has run for this long must release its core."""
        return bool(self._moves) or (bool(self._analyses) and seconds >= TIME_SLICE)

    @contextmanager
    def _hold_core(
        self, queue: deque[object], is_cancelled: Callable[[], bool] = lambda: False
    ) -> Iterator[bool]:
        ticket = object()
        with self._changed:
            searches = self._running + len(self._moves) + len(self._analyses)
            require(
                searches < self._max_searches, "too many searches run on this server; try again"
            )
            queue.append(ticket)
            self._changed.wait_for(lambda: self._is_next(ticket, queue) or is_cancelled())
            acquired = self._is_next(ticket, queue)
            queue.remove(ticket)
            self._running += acquired
            self._changed.notify_all()
        try:
            yield acquired
        finally:
            with self._changed:
                self._running -= acquired
                self._changed.notify_all()

    def _is_next(self, ticket: object, queue: deque[object]) -> bool:
        first = queue[0] is ticket and (queue is self._moves or not self._moves)
        return first and self._running < self._cores
