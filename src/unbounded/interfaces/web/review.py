# SPDX-License-Identifier: MIT
"""The review of a game: every position of it is searched for a while, the last one first.

One graph serves all positions, so what is proven of the end of the game is known when the moves
before it are judged.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from unbounded.game import require
from unbounded.interfaces.web.findings import Findings
from unbounded.interfaces.web.knowledge import Knowledge
from unbounded.interfaces.web.limits import Limits
from unbounded.interfaces.web.line import Cursor
from unbounded.interfaces.web.mistakes import Choice, Ply, mistakes
from unbounded.interfaces.web.scheduler import Scheduler
from unbounded.native.failures import error_text
from unbounded.search.budget import Budget
from unbounded.search.search import Search

DEFAULT_SECONDS = 20.0
POLL_INTERVAL = 0.05
"""Seconds between two checks whether the review was stopped, or another search needs the core."""


@dataclass(eq=False)
class _Run:
    """One review of one game."""

    cursor: Cursor
    """The end of the game."""
    seconds: float
    findings: Findings
    state: str = "running"
    failure: str | None = None
    plies: list[Ply] = field(default_factory=list)

    @property
    def stopped(self) -> bool:
        return self.state != "running"


class Review:
    """At most one review at a time, in a thread of its own."""

    def __init__(
        self,
        scheduler: Scheduler,
        limits: Limits,
        *,
        publish: Callable[[str, Any], None],
        on_progress: Callable[[], None],
    ) -> None:
        """on_progress: called when more is known of the game's positions."""
        self._scheduler, self._limits = scheduler, limits
        self._publish, self._on_progress = publish, on_progress
        self._run: _Run | None = None
        self._lock = threading.Lock()

    def start(self, cursor: Cursor, knowledge: Knowledge, seconds: float) -> None:
        """Review the game that ends at the cursor."""
        require(cursor.ply > 0, "there is no move to review")
        self._limits.require_memory()
        seconds = min(seconds, self._limits.analysis_seconds)
        self.stop()
        self._run = run = _Run(cursor, seconds, Findings(knowledge))
        threading.Thread(target=self._work, args=(run,), daemon=True, name="review").start()
        self.publish()

    def stop(self) -> None:
        """Stop the review; what it has found so far stays."""
        run = self._run
        if run is not None and not run.stopped:
            run.state = "stopped"
            self._scheduler.wake()
            self.publish()

    def drop(self) -> None:
        """Stop the review, and forget what it has found: the game has changed."""
        if self._run is not None:
            self.stop()
            self._run = None
            self.publish()

    @property
    def moves(self) -> list[str] | None:
        """The moves of the game that is reviewed; None if there is none."""
        return None if self._run is None else list(self._run.cursor.moves)

    def view(self) -> dict[str, Any]:
        """The review as the page shows it."""
        run = self._run
        if run is None:
            return {"state": "none", "done": 0, "of": 0, "mistakes": []}
        return {
            "state": run.state,
            "failure": run.failure,
            "moves": list(run.cursor.moves),
            "done": len(run.plies),
            "of": run.cursor.ply,
            "mistakes": mistakes(list(run.plies)),
        }

    def publish(self) -> None:
        """Publish the view."""
        with self._lock:
            self._publish("review", self.view())

    # -- its own thread ---------------------------------------------------------------------------

    def _work(self, run: _Run) -> None:
        try:
            self._judge_all(run)
            if not run.stopped:
                run.state = "done"
        except Exception as error:  # of the rules or the core, or no core is free
            run.state, run.failure = "stopped", error_text(error)
        if run is self._run:
            self.publish()

    def _judge_all(self, run: _Run) -> None:
        cursor = run.cursor
        search = Search(cursor.game, moves=cursor.moves)
        left = run.seconds
        for number in reversed(range(cursor.ply + 1)):
            started = time.monotonic()
            self._search(run, search, left / (number + 1))
            if run.stopped:
                return
            left = max(0.0, left - (time.monotonic() - started))
            if number < cursor.ply and cursor.movers[number] is not None:
                run.plies.append(_judge(run, search, number))
            if number:
                search.undo()
            self.publish()
            self._on_progress()

    def _search(self, run: _Run, search: Search, seconds: float) -> None:
        """Search the position for some seconds, on a core that no move needs."""
        while seconds > 0 and not search.root.resolved and not run.stopped:
            with self._scheduler.analysis(lambda: run.stopped) as acquired:
                started = time.monotonic()
                if acquired:
                    self._advance(run, search, seconds, started)
            if search.stopped not in ("until", "interrupted"):
                return  # by itself: time, memory or the game are used up
            seconds -= time.monotonic() - started

    def _advance(self, run: _Run, search: Search, seconds: float, started: float) -> None:
        def enough(_: Search) -> bool:
            return run.stopped or self._scheduler.should_yield(time.monotonic() - started)

        budget = Budget(seconds=seconds, memory=self._limits.analysis_memory(search))
        search.advance(budget, until=enough, report_every=POLL_INTERVAL)


def _judge(run: _Run, search: Search, number: int) -> Ply:
    """What is known of the position before a move, where the search is, and after each move."""
    cursor, findings = run.cursor, run.findings
    findings.learn_line(search, cursor)
    move, mover = cursor.line[number], cursor.movers[number]
    assert mover is not None
    choices = [
        Choice(child.name, findings.proven(search, child.node), child.estimate)
        for child in findings.ranked(search)
    ]
    if all(choice.name != move for choice in choices):  # nothing was searched, or it was forgotten
        after, known = cursor.states[number + 1], findings.knowledge
        choices.append(Choice(move, known.proven(after), known.estimated(after)))
    return Ply(number, mover, move, findings.proven(search, search.root), tuple(choices))
