# SPDX-License-Identifier: MIT
"""The runs of a search: limits, progress reports, autosaves, interruption."""

from __future__ import annotations

import atexit
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from unbounded import native
from unbounded.game import require
from unbounded.native.failures import explain
from unbounded.search.autosave import Autosave
from unbounded.search.budget import Budget
from unbounded.search.window import Window, checked_window

if TYPE_CHECKING:
    from unbounded.search.search import Search

_NO_LIMIT = 2**64 - 1
_FOREVER = 1e9
_BETWEEN_MEMORY_CHECKS = 0.1
_BETWEEN_REPORTS = 0.5

Watcher = Callable[["Search"], Any]
Until = Literal["resolved"] | Callable[["Search"], bool | str]
Save = Autosave | str | os.PathLike[str] | None

_running: set[Search] = set()


@atexit.register
def _stop_all() -> None:
    """End the runs in other threads before the interpreter shuts down under them."""
    for search in list(_running):
        search.stop()
    give_up_at = time.monotonic() + 2
    while _running and time.monotonic() < give_up_at:
        time.sleep(0.005)


class Stopwatch:
    """Adds up the time of several runs; can be read during a run."""

    def __init__(self) -> None:
        self.before = 0.0
        """Seconds of the runs before the present one."""
        self._started: float | None = None

    @property
    def seconds(self) -> float:
        """Seconds of all runs so far."""
        running = 0.0 if self._started is None else time.perf_counter() - self._started
        return self.before + running

    @contextmanager
    def running(self) -> Iterator[None]:
        """Count the time spent inside."""
        self._started = time.perf_counter()
        try:
            yield
        finally:
            self.before, self._started = self.seconds, None


class _Deadline:
    """The end of a run with a limit of seconds."""

    def __init__(self, seconds: float | None) -> None:
        self._end = None if seconds is None else time.perf_counter() + seconds

    def left(self) -> float:
        """The seconds that are left; very many, if there is no limit."""
        return _FOREVER if self._end is None else max(0.0, self._end - time.perf_counter())


def _limit(now: int, more: int | None) -> int:
    return _NO_LIMIT if more is None else min(_NO_LIMIT, now + more)


# -- one search ------------------------------------------------------------------------------------


def advance(
    search: Search,
    budget: Budget,
    *,
    until: Until,
    progress: Watcher | None,
    report_every: float,
    save: Save,
    window: Window | None,
) -> bool:
    """Run a search; False if Ctrl-C ended the run. See `Search.advance`."""
    require(
        until == "resolved" or callable(until),
        f"until must be 'resolved' or a function of the search, not {until!r}",
    )
    require(
        isinstance(report_every, (int, float)) and 0 <= report_every < _FOREVER,
        f"report_every must be seconds, 0 or more, not {report_every!r}",
    )
    if not callable(until):
        budget.check_ends(search.options)
    within = checked_window(window, search.options)
    with _autosaving(search, save) as keep:
        watchers = [watch for watch in (keep, progress) if watch is not None]
        watch = _Watch(search, watchers, until if callable(until) else None, report_every)
        return _run_watched(search, budget, within, watch)


@contextmanager
def _autosaving(search: Search, save: Save) -> Iterator[Watcher | None]:
    """Save the search when the block ends; yields the watcher that saves it during the run."""
    search.autosave = Autosave(save) if isinstance(save, (str, os.PathLike)) else save
    if search.autosave is None:
        yield None
        return
    search.autosave.begin(search)
    try:
        yield search.autosave.watch
    finally:
        search.autosave.save(search)


@dataclass(frozen=True)
class _Watch:
    """What is called during a run."""

    search: Search
    watchers: list[Watcher]
    until: Watcher | None
    every: float

    @property
    def is_empty(self) -> bool:
        return not self.watchers and self.until is None

    def reason_to_stop(self) -> str:
        """Call everything; return why the run is to stop, empty if it is not."""
        for watch in self.watchers:
            watch(self.search)
        enough = self.until is not None and self.until(self.search)
        return enough if isinstance(enough, str) else "until" if enough else ""


def _run_watched(search: Search, budget: Budget, window: Window | None, watch: _Watch) -> bool:
    with _stoppable(search):
        try:
            return _run(search, budget, window, watch)
        except KeyboardInterrupt:
            search.stopped = "interrupted"
            return False


@contextmanager
def _stoppable(search: Search) -> Iterator[None]:
    """Begin a run; if it is interrupted without `search.stop()`, that was Ctrl-C."""
    search._told_to_stop = False
    search._core.clear_stop()
    _running.add(search)
    try:
        yield
    finally:
        _running.discard(search)


def _run(search: Search, budget: Budget, window: Window | None, watch: _Watch) -> bool:
    """Run the core, which calls the watchers meanwhile; False if Ctrl-C ended it."""
    memory = budget.memory_limit(search.memory_bytes)
    by_objects = search.route.holds_objects
    reasons: list[str] = []

    def report() -> bool:
        full = by_objects and search.memory_bytes > memory
        reason = watch.reason_to_stop() or ("memory" if full else "")
        reasons.extend([reason] if reason else [])
        return bool(reasons)

    every = _FOREVER if watch.is_empty else watch.every
    every = min(every, _BETWEEN_MEMORY_CHECKS) if by_objects else every
    deadline = _Deadline(budget.seconds)
    with search._stopwatch.running(), explain(search.game, search.route):
        stop = search._core.run(
            _limit(search.iterations, budget.iterations),
            _limit(search.states + search.probed_states, budget.states),
            memory,
            deadline.left(),
            report if every < _FOREVER else None,
            every,
            _at_rest(search),
            window,
        )
        if stop == native.Stop.resolved and search.options.probes:
            # Probes prove states without storing what lies below them; this stores a line.
            search._core.prove_line(memory, deadline.left())
    search.stopped = reasons[0] if reasons else stop.name
    if reasons:
        return True
    watch.reason_to_stop()
    return stop != native.Stop.interrupted or search._told_to_stop


def _at_rest(search: Search) -> Callable[[], object] | None:
    autosave = search.autosave
    return None if autosave is None else lambda: autosave.at_rest(search)


def resolve_all(search: Search, budget: Budget, progress: Watcher | None, save: Save) -> str:
    """Resolve every state that can be reached; return why the run ended."""
    with _autosaving(search, save) as keep:
        watchers = [watch for watch in (keep, progress) if watch is not None]

        def report() -> bool:
            for watch in watchers:
                watch(search)
            return False

        with _stoppable(search):
            try:
                _resolve_all(search, budget, report if watchers else None)
            except KeyboardInterrupt:
                search.stopped = "interrupted"
                raise
    return search.stopped


def _resolve_all(search: Search, budget: Budget, report: Callable[[], bool] | None) -> None:
    with search._stopwatch.running(), explain(search.game, search.route):
        stop = search._core.resolve_all(
            _limit(search.states, budget.states),
            budget.memory_limit(search.memory_bytes),
            _Deadline(budget.seconds).left(),
            report,
            _BETWEEN_REPORTS,
        )
    search.stopped = stop.name
    if search.stopped == "interrupted" and not search._told_to_stop:
        raise KeyboardInterrupt


def certify(
    search: Search,
    route: native.Route,
    budget: Budget,
    *,
    scores: bool,
    partial: bool,
    checker_search: int,
    progress: Callable[[], None] | None,
) -> native.Claims | None:
    """Find claims that prove the root; None if it was stopped. See `Search.certify`."""

    def locate(stored: bytes) -> bytes:
        return search.route.to_core(route.from_core(stored))

    def report() -> bool:
        if progress is not None:
            progress()
        return False

    search._core.clear_stop()
    with explain(search.game, route):
        return search._core.certify(
            route.rules,
            locate if route.holds_objects else None,
            scores,
            search.game.has_local_best_score,
            partial,
            checker_search,
            route.played_to(search.state, len(search.moves)),
            budget.memory_limit(search.memory_bytes),
            _FOREVER if budget.seconds is None else budget.seconds,
            report if progress is not None else None,
            _BETWEEN_REPORTS,
        )
