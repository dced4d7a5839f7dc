# SPDX-License-Identifier: MIT
"""The analysis of a room: a search that follows the game, and what it has found."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from unbounded.evaluation import is_offered
from unbounded.game import UnboundedError, UsageError, require
from unbounded.interfaces.session import Session
from unbounded.interfaces.web import views
from unbounded.interfaces.web.game_setup import EVALUATIONS, EVALUATIONS_TEXT
from unbounded.interfaces.web.limits import Limits
from unbounded.interfaces.web.scheduler import Scheduler
from unbounded.interfaces.web.search_thread import SearchThread
from unbounded.search.explanations import why
from unbounded.search.options import SearchOptions
from unbounded.search.search import Search

SAVE_TIMEOUT = 120.0
"""Seconds in which a search of any size that the limits allow is written to a disk."""


class Analysis:
    """At most one search at a time; every change of its view is published."""

    def __init__(
        self, scheduler: Scheduler, limits: Limits, publish: Callable[[dict[str, Any]], None]
    ) -> None:
        self._scheduler, self._limits, self._publish = scheduler, limits, publish
        self._thread: SearchThread | None = None
        self._findings: dict[str, Any] = {}
        """The latest view of the search."""
        self._publishing = threading.Lock()  # the view that is published last is the newest

    @property
    def active(self) -> bool:
        """Whether there is an analysis, running or paused."""
        return self._thread is not None

    # -- starting and stopping --------------------------------------------------------------------

    def start(self, session: Session, options: SearchOptions) -> None:
        """Analyze the position of a game; an earlier analysis is dropped."""
        require(options.evaluation in EVALUATIONS, f"evaluation must be {EVALUATIONS_TEXT} here")
        if options.evaluation is None and is_offered(session.game):
            options = replace(options, evaluation="network")
        options.validate(session.game)  # before the earlier one is dropped
        require(not session.over, "the game is over")
        self.stop()
        search = Search(session.game, options=options, moves=session.moves)
        self._thread = self._new_thread(search)
        self._thread.start()
        self.publish()

    def load(self, path: Path, session: Session) -> None:
        """Continue a saved search, paused; it may be older than the game."""
        self._thread = self._new_thread(Search.load(path, session.game))
        self.follow(session)

    def pause(self) -> None:
        """Pause the search; its graph is kept."""
        self._active().pause()
        self.publish()

    def resume(self) -> None:
        """Continue the search."""
        self._active().start()
        self.publish()

    def rest(self) -> None:
        """Pause the search, if there is one; for a room without a viewer."""
        if self._thread is not None:
            with contextlib.suppress(UnboundedError):
                self.pause()

    def stop(self) -> None:
        """End the search and drop its graph."""
        if self._thread is not None:
            self._thread.close()
            self._thread, self._findings = None, {}
            self.publish()

    def _active(self) -> SearchThread:
        if self._thread is None:
            raise UsageError("there is no analysis: start one")
        return self._thread

    def _new_thread(self, search: Search) -> SearchThread:
        return SearchThread(
            search,
            scheduler=self._scheduler,
            seconds=self._limits.analysis_seconds,
            memory=self._limits.analysis_memory,
            report=self._report,
        )

    # -- following the game -----------------------------------------------------------------------

    def follow(self, session: Session) -> None:
        """Move the search to the position of the game; its graph is kept if it contains that."""
        thread = self._thread
        if thread is None:
            return
        if session.over:
            thread.pause()
        analyzed = thread.call(lambda search: list(search.moves))
        if session.moves[: len(analyzed)] == analyzed:
            further = session.moves[len(analyzed) :]
            thread.call(lambda search: _play_all(search, further))
        else:
            thread = self._restart(thread, session)
        self._findings = thread.call(views.analysis_view)
        self.publish()

    def _restart(self, old: SearchThread, session: Session) -> SearchThread:
        """Analyze the position of the game with an empty graph."""
        options, running = old.call(lambda search: search.options), old.running
        old.close()
        search = Search(session.game, options=options, moves=session.moves)
        self._thread = thread = self._new_thread(search)
        if running:
            thread.start()
        return thread

    # -- its view ---------------------------------------------------------------------------------

    def view(self) -> dict[str, Any]:
        """The analysis as the page shows it."""
        thread = self._thread
        if thread is None:
            return {"state": "none"}
        state = "running" if thread.running else "paused"
        pauses = {"failure": thread.failure, "pause_reason": thread.pause_reason}
        return {"state": state, **pauses, **self._findings}

    def publish(self) -> None:
        """Publish the view."""
        with self._publishing:
            self._publish(self.view())

    def _report(self, thread: SearchThread, search: Search) -> None:
        """Publish what a search has found; called by its thread."""
        if thread is self._thread:
            if thread.failure is None:
                self._findings = views.analysis_view(search)
            self.publish()

    def tree(self, path: Sequence[str], *, proof: bool, start: int) -> dict[str, Any]:
        """The children of the node that is reached by these moves."""
        return self._active().call(
            lambda search: views.tree_view(search, path, proof=proof, start=start)
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


def _play_all(search: Search, moves: Sequence[str]) -> None:
    for move in moves:
        search.play(move)
