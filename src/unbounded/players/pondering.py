# SPDX-License-Identifier: MIT
"""Searching while others think: what is found is in the graph when they have moved."""

from __future__ import annotations

import threading
import weakref
from dataclasses import replace

from unbounded.search.budget import Budget
from unbounded.search.search import Search

_LONGEST = 600.0
"""Seconds: whoever thinks longer than this has left, perhaps."""
_LOOK_EVERY = 0.02


class Pondering:
    """A search that runs in a thread of its own until it is ended."""

    def __init__(self, search: Search, budget: Budget) -> None:
        self._search, self._ended = search, threading.Event()
        limits = replace(budget, seconds=_LONGEST, iterations=None, states=None)
        self._thread = threading.Thread(
            target=_ponder, args=(search, limits, self._ended), daemon=True, name="ponder"
        )
        # Whoever drops its player without a word does not want it to go on.
        self._end = weakref.finalize(self, self._ended.set)
        self._thread.start()

    def end(self) -> None:
        """Return when the search has stopped."""
        self._end()
        self._search.stop()  # if it has begun; else it looks at the event first
        self._thread.join()


def _ponder(search: Search, limits: Budget, ended: threading.Event) -> None:
    if not ended.is_set():
        search.advance(limits, until=lambda _: ended.is_set(), report_every=_LOOK_EVERY)
