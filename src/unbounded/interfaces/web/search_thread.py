# SPDX-License-Identifier: MIT
"""A search in a thread of its own: only that thread touches it, and runs the calls of others."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TypeVar

from unbounded.game import UsageError, require
from unbounded.interfaces.web.scheduler import Scheduler
from unbounded.native.failures import error_text
from unbounded.search.budget import Budget
from unbounded.search.search import Search

REPORT_INTERVAL = 0.25
"""Seconds between two reports."""
POLL_INTERVAL = 0.02
"""Seconds between two checks whether another search needs the core."""
CALL_TIMEOUT = 10.0
"""Seconds after which a call that is not answered is an error."""
ENDED = "the analysis has ended; start another one"

T = TypeVar("T")
Call = Callable[[Search], Any]


class SearchThread:
    """A search that can be started, paused and called into."""

    def __init__(
        self,
        search: Search,
        *,
        scheduler: Scheduler,
        seconds: float,
        memory: Callable[[Search], int],
        report: Callable[[SearchThread, Search], None],
    ) -> None:
        self.running = False
        """Whether it searches, or waits for a core to do so."""
        self.failure: str | None = None
        self.pause_reason: str | None = None
        """The limit at which it paused by itself: `memory` or `seconds`."""
        self._search = search
        self._scheduler, self._seconds, self._memory = scheduler, seconds, memory
        self._report = report
        self._closed = False
        self._reported_at = 0.0
        self._calls: queue.SimpleQueue[tuple[Call, Future[Any]]] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._work, daemon=True, name="analysis")
        self._thread.start()

    # -- called by other threads ------------------------------------------------------------------

    def start(self) -> None:
        """Search, or continue to search."""
        self.call(lambda _: self._set_running(True))

    def pause(self) -> None:
        """Stop searching; the graph is kept."""
        self.call(lambda _: self._set_running(False))

    def _set_running(self, running: bool) -> None:
        self.running = running

    def call(self, function: Callable[[Search], T], timeout: float = CALL_TIMEOUT) -> T:
        """Run a function on the search, in its thread, between two runs of it."""
        require(not self._closed, ENDED)
        result: Future[T] = Future()
        self._calls.put((function, result))
        self._interrupt()
        try:
            return result.result(timeout=timeout)
        except TimeoutError:
            raise UsageError("the analysis is busy; try again") from None

    def _interrupt(self) -> None:
        """Let the thread check its calls, whether it searches or waits for a core."""
        self._search.stop()
        self._scheduler.wake()

    def close(self) -> None:
        """End the thread; pending calls fail."""
        self._closed = True
        self._calls.put((lambda _: None, Future()))
        self._interrupt()
        self._thread.join(timeout=CALL_TIMEOUT)
        while not self._calls.empty():
            self._calls.get()[1].set_exception(UsageError(ENDED))

    # -- its own thread ---------------------------------------------------------------------------

    def _work(self) -> None:
        left = self._seconds
        while not self._closed:
            self._run_calls()
            if self.running and not self._closed:
                started = time.monotonic()
                self._run(left)
                left = left - (time.monotonic() - started) if self.running else self._seconds

    def _run_calls(self) -> None:
        """Run all pending calls; while paused, wait for further ones."""
        while not self._calls.empty() or not (self.running or self._closed):
            function, result = self._calls.get()
            try:
                result.set_result(function(self._search))
            except Exception as error:
                result.set_exception(error)

    def _run(self, seconds: float) -> None:
        """Search until there is a call, another search needs the core, or nothing is left."""
        self.failure = self.pause_reason = None
        try:
            with self._scheduler.analysis(self._is_interrupted) as acquired:
                if not acquired:
                    return
                self._advance(seconds)
            self._pause_if_finished()
        except Exception as error:  # of the rules or the core: it concerns this room only
            self.failure = error_text(error)
            self._finish()

    def _advance(self, seconds: float) -> None:
        started = time.monotonic()

        def enough(_: Search) -> bool:
            yields = self._scheduler.should_yield(time.monotonic() - started)
            return yields or self._is_interrupted() or self._is_full()

        self._search.advance(
            Budget(seconds=max(0.0, seconds), memory=self._memory(self._search)),
            progress=self._report_regularly,
            until=enough,
            report_every=POLL_INTERVAL,
        )

    def _pause_if_finished(self) -> None:
        # A call interrupts the run, sometimes just after it was answered: that is no reason.
        stopped = "memory" if self._is_full() else self._search.stopped
        if self._search.root.resolved or stopped not in ("interrupted", "until"):
            self.pause_reason = stopped if stopped in ("memory", "seconds") else None
            self._finish()

    def _finish(self) -> None:
        self.running = False
        if not self._closed:
            self._report(self, self._search)

    def _is_interrupted(self) -> bool:
        return self._closed or not self._calls.empty()

    def _report_regularly(self, search: Search) -> None:
        if time.monotonic() - self._reported_at >= REPORT_INTERVAL:
            self._reported_at = time.monotonic()
            self._report(self, search)

    def _is_full(self) -> bool:
        return self._search.memory_bytes > self._memory(self._search)
