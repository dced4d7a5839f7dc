# SPDX-License-Identifier: MIT
"""What a room knows of positions: what was ever proven, and what was estimated last.

A position is its whole state, compared as the search compares states. What is proven stays: neither
an estimate nor another proof replaces it, and it outlives the search that has proven it.
"""

from __future__ import annotations

import threading
from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import Any, Protocol

MAX_POSITIONS = 100_000
"""Positions of a room of which something is known; beyond them the oldest are forgotten."""


@dataclass(frozen=True)
class Proven:
    """What is proven of a position, per player."""

    outcome: tuple[int, ...]
    score: tuple[float, ...] | None = None
    """None where only the outcome is proven."""
    distance: int | None = None
    """How many moves the proven line of best play takes; None where no line is known."""


Estimate = tuple[float | None, ...]


class Source(Protocol):
    """Where more positions can be looked up, such as a table."""

    def __call__(self, state: Hashable, *, scores_ignored: bool) -> Proven | None:
        """What is proven of a state, if anything."""


class Knowledge:
    """What is known of positions of one game; used by several threads.

    With `scores_ignored` what is proven holds for the outcomes alone, see `Search.scores_ignored`:
    that is another claim, kept apart.
    """

    def __init__(self) -> None:
        self._proven: dict[tuple[bool, Hashable], Proven] = {}
        self._estimated: dict[Hashable, Estimate] = {}
        self._sources: tuple[Source, ...] = ()
        self._missing: dict[tuple[bool, Hashable], None] = {}
        """What no source has."""
        self._lock = threading.Lock()

    def proven(self, state: Hashable, *, scores_ignored: bool = False) -> Proven | None:
        """What is proven of a state, if anything."""
        key = scores_ignored, state
        found = self._proven.get(key)
        if found is not None or not self._sources or key in self._missing:
            return found
        for source in self._sources:
            found = source(state, scores_ignored=scores_ignored)
            if found is not None:
                self.add_proof(state, found, scores_ignored=scores_ignored)
                return found
        with self._lock:
            self._missing[key] = None
            _drop_oldest(self._missing)
        return None

    def add_source(self, source: Source) -> None:
        """Look positions up there too."""
        with self._lock:
            self._sources = (*self._sources, source)
            self._missing = {}

    def estimated(self, state: Hashable) -> Estimate | None:
        """The latest estimate of a state, if there is one."""
        return self._estimated.get(state)

    @property
    def empty(self) -> bool:
        """Whether nothing is known, nor can be looked up."""
        return not (self._proven or self._estimated or self._sources)

    def add_proof(self, state: Hashable, proven: Proven, *, scores_ignored: bool = False) -> None:
        """Remember what is proven; of an earlier proof only what it lacks is added."""
        key = scores_ignored, state
        with self._lock:
            old = self._proven.get(key)
            if old is None:
                self._proven[key] = proven
                _drop_oldest(self._proven)
            elif old.outcome == proven.outcome and (old.score is None or old.distance is None):
                score = proven.score if old.score is None else old.score
                distance = proven.distance if old.distance is None else old.distance
                self._proven[key] = replace(old, score=score, distance=distance)

    def add_estimate(self, state: Hashable, value: Estimate) -> None:
        """Remember an estimate; it replaces an earlier one."""
        with self._lock:
            self._estimated[state] = value
            _drop_oldest(self._estimated)

    def forget_estimates(self) -> None:
        """Forget the estimates: those of another evaluation would not compare."""
        with self._lock:
            self._estimated.clear()


def _drop_oldest(known: dict[Any, Any]) -> None:
    while len(known) > MAX_POSITIONS:
        del known[next(iter(known))]
