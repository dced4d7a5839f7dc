# SPDX-License-Identifier: MIT
"""Searching while others think: what is found is in the graph when they have moved."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from typing import Protocol

from unbounded.game import UsageError
from unbounded.search.budget import Budget
from unbounded.search.search import Search

_LONGEST = 600.0
"""Seconds: whoever thinks longer than this has left, perhaps."""
_LOOK_EVERY = 0.02
_MEMORY = 0.5
"""The share of a player's memory that it may fill: a graph that is nearly full is dropped at the
next move, and with it all that was found, and the move itself needs room too."""


class Cores(Protocol):
    """Shares out the cores of a server among its searches."""

    def analysis(self, is_cancelled: Callable[[], bool]) -> AbstractContextManager[bool]:
        """Wait for a core that nothing urgent needs, and hold it; False if cancelled before."""

    def should_yield(self, seconds: float) -> bool:
        """Whether a search that has held its core for so long is to release it."""

    def wake(self) -> None:
        """Let those that wait look whether they are cancelled."""


class Pondering:
    """A search that runs in a thread of its own until it is ended."""

    def __init__(self, search: Search, budget: Budget, cores: Cores | None = None) -> None:
        self._search, self._cores, self._ended = search, cores, threading.Event()
        memory = int(_MEMORY * budget.memory_limit(0))
        limits = Budget(seconds=_LONGEST, memory=memory)
        self._thread = threading.Thread(
            target=_ponder, args=(search, limits, self._ended, cores), daemon=True, name="ponder"
        )
        # Whoever drops its player without a word does not want it to go on.
        self._end = weakref.finalize(self, self._ended.set)
        self._thread.start()

    def end(self) -> None:
        """Return when the search has stopped."""
        self._end()
        if self._cores is not None:
            self._cores.wake()
        self._search.stop()  # if it has begun; else it looks at the event first
        self._thread.join()


def _ponder(search: Search, limits: Budget, ended: threading.Event, cores: Cores | None) -> None:
    if cores is None:
        if not ended.is_set():
            search.advance(limits, until=lambda _: ended.is_set(), report_every=_LOOK_EVERY)
        return
    with suppress(UsageError):  # too many searches wait: this one can be done without
        while not ended.is_set() and _ponder_on_core(search, limits, ended, cores):
            pass


def _ponder_on_core(search: Search, limits: Budget, ended: threading.Event, cores: Cores) -> bool:
    """Ponder until another search needs the core; return whether there is more to be found."""

    def enough(search: Search) -> bool:
        return ended.is_set() or cores.should_yield(search.seconds_of_run)

    with cores.analysis(ended.is_set) as acquired:
        if not acquired or ended.is_set():
            return False
        search.advance(limits, until=enough, report_every=_LOOK_EVERY)
        return search.stopped == "until"
