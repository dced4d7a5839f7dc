# SPDX-License-Identifier: MIT
"""The analysis of a room: a search whose root is at the cursor, and what it has found."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from unbounded.evaluation import is_offered
from unbounded.game import UnboundedError, UsageError, require
from unbounded.interfaces.web import tree_views
from unbounded.interfaces.web.findings import Findings, curve_view, numbers_view, remembered_view
from unbounded.interfaces.web.game_setup import EVALUATIONS, EVALUATIONS_TEXT
from unbounded.interfaces.web.graph_view import graph_view
from unbounded.interfaces.web.knowledge import Knowledge
from unbounded.interfaces.web.limits import Limits
from unbounded.interfaces.web.line import Cursor, shared_moves
from unbounded.interfaces.web.scheduler import Scheduler
from unbounded.interfaces.web.search_thread import SearchThread
from unbounded.search.explanations import why
from unbounded.search.options import SearchOptions
from unbounded.search.search import Search

SAVE_TIMEOUT = 120.0
"""Seconds in which a search of any size that the limits allow is written to a disk."""


class Analysis:
    """At most one search at a time, at the cursor; every change of its view is published.

    Called with the room's lock held, except by the thread of the search.
    """

    def __init__(
        self, scheduler: Scheduler, limits: Limits, publish: Callable[[str, Any], None]
    ) -> None:
        self._scheduler, self._limits, self._publish = scheduler, limits, publish
        self.knowledge = Knowledge()
        self._thread: SearchThread | None = None
        self._findings = Findings(self.knowledge)
        self._cursor: Cursor | None = None
        self._wanted = False
        """Whether it is to run where there is something to search."""
        self._found: dict[str, Any] = {}
        """The latest view of the search."""
        self._curve: dict[str, Any] = {}
        """The latest curve."""
        self._publishing = threading.RLock()  # the view that is published last is the newest

    @property
    def active(self) -> bool:
        """Whether there is an analysis, running or paused."""
        return self._thread is not None

    # -- starting and stopping --------------------------------------------------------------------

    def start(self, options: SearchOptions) -> None:
        """Analyze the position at the cursor; an earlier analysis is dropped."""
        cursor = self._looked_at()
        require(options.evaluation in EVALUATIONS, f"evaluation must be {EVALUATIONS_TEXT} here")
        if options.evaluation is None and is_offered(cursor.game):
            options = replace(options, evaluation="network")
        options.validate(cursor.game)  # before the earlier one is dropped
        self.stop()
        self.knowledge.forget_estimates()
        search = Search(cursor.game, options=options, moves=cursor.moves)
        self._found = remembered_view(cursor, self.knowledge) | numbers_view(search)
        self._begin(search)
        self._wanted = True
        self._active().start()
        self.publish()

    def load(self, path: Path) -> None:
        """Continue a saved search, paused; it may have been elsewhere in the game."""
        self._begin(Search.load(path, self._looked_at().game))
        self.follow(self._looked_at())

    def _begin(self, search: Search) -> None:
        self._findings = Findings(self.knowledge)
        self._thread = SearchThread(
            search,
            scheduler=self._scheduler,
            seconds=self._limits.analysis_seconds,
            memory=self._limits.analysis_memory,
            report=partial(self._report, self._findings),
        )

    def pause(self) -> None:
        """Pause the search; its graph is kept."""
        self._wanted = False
        self._active().pause()
        self.publish()

    def resume(self) -> None:
        """Continue the search."""
        self._wanted = True
        self._active().start()
        self.publish()

    def rest(self) -> None:
        """Pause the search, if there is one; for a room without a viewer."""
        if self._thread is not None:
            with contextlib.suppress(UnboundedError):
                self.pause()

    def stop(self) -> None:
        """End the search and drop its graph; what it has proven is remembered."""
        if self._thread is not None:
            self._thread.close()
            self._thread, self._wanted, self._found = None, False, {}
            self.publish()

    def forget(self) -> None:
        """End the search, and forget all that is known: another game begins."""
        self.stop()
        self.knowledge = Knowledge()

    def _active(self) -> SearchThread:
        if self._thread is None:
            raise UsageError("there is no analysis: start one")
        return self._thread

    def _looked_at(self) -> Cursor:
        assert self._cursor is not None, "a room that is open has a cursor"
        return self._cursor

    # -- following the cursor ---------------------------------------------------------------------

    def follow(self, cursor: Cursor) -> None:
        """Move the search to the cursor; the graph is kept."""
        self._cursor = cursor
        if self._thread is None:
            self.publish()
            return
        thread = self._thread
        resolved = thread.call(lambda search: _move_to(search, cursor.moves))
        self.read_again()
        if self._wanted and not resolved and not thread.running:
            thread.start()
            self.publish()

    def read_again(self) -> None:
        """Publish what is known now: more may be known from elsewhere."""
        thread, findings = self._thread, self._findings
        if thread is None:
            self.publish()
        else:
            thread.call(lambda search: self._report(findings, thread, search))

    # -- its view ---------------------------------------------------------------------------------

    def view(self) -> dict[str, Any]:
        """What is known at the cursor, as the page shows it."""
        thread = self._thread
        if thread is None:
            return {"state": "none", **remembered_view(self._looked_at(), self.knowledge)}
        state = "running" if thread.running else "paused"
        pauses = {"failure": thread.failure, "pause_reason": thread.pause_reason}
        cursor, found = self._looked_at(), self._found
        if found.get("moves") != list(cursor.moves):  # its rules have failed there
            found = remembered_view(cursor, self.knowledge)
        return {"state": state, **pauses, **found}

    def publish(self, *, again: bool = False) -> None:
        """Publish the view, and the curve if it has changed or is to be sent `again`."""
        with self._publishing:
            self._publish("analysis", self.view())
            curve = curve_view(self._looked_at(), self.knowledge)
            if again or curve != self._curve:
                self._curve = curve
                self._publish("curve", curve)

    def _report(self, findings: Findings, thread: SearchThread, search: Search) -> None:
        """Publish what a search has found; called by its thread."""
        cursor = self._looked_at()
        if thread is not self._thread or tuple(search.moves) != cursor.moves:
            return  # it has ended, or is on its way to another position
        if thread.failure is None:
            found = findings.view(search, cursor)
            if cursor is self._cursor:
                self._found = found
        self.publish()

    # -- questions --------------------------------------------------------------------------------

    def tree(self, path: Sequence[str], *, proof: bool, start: int) -> dict[str, Any]:
        """The children of the node that is reached by these moves from the cursor."""
        findings = self._findings
        return self._active().call(
            lambda search: tree_views.tree_view(search, findings, path, proof=proof, start=start)
        )

    def graph(self, path: Sequence[str], *, most: int, depth: int, proof: bool) -> dict[str, Any]:
        """The top of the graph below these moves from the cursor, for a picture."""
        findings = self._findings
        return self._active().call(
            lambda search: graph_view(search, findings, path, most=most, depth=depth, proof=proof)
        )

    def why(self, action: str | None) -> str:
        """A sentence or two about a move, or about the best one."""
        return self._active().call(lambda search: why(search, action))

    # -- saving -----------------------------------------------------------------------------------

    def memory_bytes(self) -> int:
        """The memory of the search."""
        return self._active().call(lambda search: search.memory_bytes)

    def save(self, path: Path) -> None:
        """Write the search to a file."""
        self._active().call(lambda search: search.save(path), SAVE_TIMEOUT)


def _move_to(search: Search, moves: Sequence[str]) -> bool:
    """Move the root to where these moves lead; return whether it is resolved."""
    kept = shared_moves(search.moves, moves)
    while len(search.moves) > kept:
        search.undo()
    for move in moves[kept:]:
        search.play(move)
    return search.root.resolved
