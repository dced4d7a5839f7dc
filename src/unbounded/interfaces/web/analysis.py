# SPDX-License-Identifier: MIT
"""A search in a thread of its own, which alone touches it; others ask it to look, or to play."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TypeVar

from unbounded.game import UsageError, require
from unbounded.interfaces.web.scheduler import Scheduler
from unbounded.native.failures import words
from unbounded.search.budget import Budget
from unbounded.search.search import Search

UPDATE_EVERY = 0.25
"""Seconds between two reports."""
LOOK_EVERY = 0.02
"""Seconds after which a search looks whether somebody else wants its core."""
PATIENCE = 10.0
"""Seconds after which a question that is not answered is an error."""
SAVING_PATIENCE = 120.0
"""Seconds in which a search of any size here is written to a disk."""
ENDED = "the analysis has ended; start another one"

T = TypeVar("T")
Look = Callable[[Search], Any]


class Analysis:
    """A search that can be started, paused, looked into, and moved to another position."""

    def __init__(
        self,
        search: Search,
        *,
        seconds: float,
        memory: Callable[[Search], int],
        turns: Scheduler,
        report: Callable[[Analysis, Search], None],
    ) -> None:
        self.going = False
        """Whether it is to think; the page starts and pauses it."""
        self.failure: str | None = None
        self.reason: str | None = None
        """Why it rests by itself: `memory` or `seconds`."""
        self._search = search
        self._seconds, self._memory, self._turns, self._report = seconds, memory, turns, report
        self._closed = False
        self._reported = 0.0
        self._inbox: queue.SimpleQueue[tuple[Look, Future[Any]]] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._work, daemon=True, name="analysis")
        self._thread.start()

    # -- from other threads -----------------------------------------------------------------------

    def start(self) -> None:
        """Think, or go on thinking."""
        self.ask(lambda _: self._set_going(True))

    def pause(self) -> None:
        """Stop thinking; everything is kept."""
        self.ask(lambda _: self._set_going(False))

    def _set_going(self, going: bool) -> None:
        self.going = going

    def ask(self, look: Callable[[Search], T], patience: float = PATIENCE) -> T:
        """Let the thread of the search do something with it, between two runs."""
        require(not self._closed, ENDED)
        answer: Future[T] = Future()
        self._inbox.put((look, answer))
        self._interrupt()
        try:
            return answer.result(timeout=patience)
        except TimeoutError:
            raise UsageError("the analysis is busy; try again") from None

    def _interrupt(self) -> None:
        """Let the thread look into its inbox, whether it searches or waits for its turn."""
        self._search.stop()
        self._turns.nudge()

    def close(self) -> None:
        """End the thread, and let go of the search."""
        self._closed = True
        self._inbox.put((lambda _: None, Future()))
        self._interrupt()
        self._thread.join(timeout=PATIENCE)
        while not self._inbox.empty():
            self._inbox.get()[1].set_exception(UsageError(ENDED))

    # -- its own thread ---------------------------------------------------------------------------

    def _work(self) -> None:
        left = self._seconds
        while not self._closed:
            self._answer()
            if self.going and not self._closed:
                started = time.monotonic()
                self._run(left)
                left = left - (time.monotonic() - started) if self.going else self._seconds

    def _answer(self) -> None:
        """Answer everything that was asked; with nothing else to do, wait for it."""
        while not self._inbox.empty() or not (self.going or self._closed):
            look, answer = self._inbox.get()
            try:
                answer.set_result(look(self._search))
            except Exception as error:
                answer.set_exception(error)

    def _run(self, seconds: float) -> None:
        """Search until something is asked, or there is no more to do."""
        self.failure = self.reason = None
        try:
            with self._turns.analysis(self._is_asked) as mine:
                if not mine:
                    return
                self._take_turn(seconds)
            self._rest_if_done()
        except Exception as error:  # of the rules, or of the core: this page's alone
            self._fail(words(error))

    def _rest_if_done(self) -> None:
        # Who asks something stops the run for a moment, and sometimes just after it was answered.
        stopped = "memory" if self._full() else self._search.stopped
        if self._search.root.resolved or stopped not in ("interrupted", "until"):
            self.going = False
            self.reason = stopped if stopped in ("memory", "seconds") else None
            if not self._closed:
                self._report(self, self._search)

    def _fail(self, why: str) -> None:
        self.failure, self.going = why, False
        if not self._closed:
            self._report(self, self._search)

    def _take_turn(self, seconds: float) -> None:
        """Search until something is asked, or somebody else wants the core."""
        started = time.monotonic()

        def enough(_: Search) -> bool:
            wanted = self._turns.wanted(time.monotonic() - started)
            return wanted or self._is_asked() or self._full()

        self._search.advance(
            Budget(seconds=max(0.0, seconds), memory=self._memory(self._search)),
            progress=self._report_now_and_then,
            until=enough,
            report_every=LOOK_EVERY,
        )

    def _is_asked(self) -> bool:
        return self._closed or not self._inbox.empty()

    def _report_now_and_then(self, search: Search) -> None:
        if time.monotonic() - self._reported >= UPDATE_EVERY:
            self._reported = time.monotonic()
            self._report(self, search)

    def _full(self) -> bool:
        return self._search.memory_bytes > self._memory(self._search)
