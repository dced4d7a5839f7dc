# SPDX-License-Identifier: MIT
"""A hint: the best known move at the cursor; where nothing is known, a short search finds one."""

from __future__ import annotations

from typing import Any

from unbounded.game import require
from unbounded.interfaces.web.analysis import Analysis
from unbounded.interfaces.web.findings import Findings
from unbounded.interfaces.web.knowledge import Knowledge
from unbounded.interfaces.web.limits import Limits
from unbounded.interfaces.web.line import Cursor
from unbounded.interfaces.web.scheduler import Scheduler
from unbounded.search.budget import Budget
from unbounded.search.explanations import why
from unbounded.search.search import Search

HINT_SECONDS = 1.0
FIELDS = ("name", "resolved", "outcome", "value", "distance")
RESULTS = {1: "wins", 0: "draws", -1: "loses"}


def hint(
    cursor: Cursor, analysis: Analysis, scheduler: Scheduler, limits: Limits
) -> dict[str, Any]:
    """The best known move at the cursor, and why."""
    require(cursor.mover is not None, "the game is over: there is no move to play")
    known = analysis.view()
    if known.get("iterations") and known["moves"] == list(cursor.moves) and known["actions"]:
        best = known["actions"][0]
        return _view(best, analysis.why(best["name"]))
    settled = _settled(cursor, known)
    if settled is not None:
        return settled
    return _searched(cursor, analysis.knowledge, scheduler, limits)


def _settled(cursor: Cursor, known: dict[str, Any]) -> dict[str, Any] | None:
    """A move that is proven to be best, if one is known from before."""
    mover, actions = cursor.mover, known["actions"]
    if mover is None or not actions or actions[0]["outcome"] is None:
        return None
    best = actions[0]
    outcome = best["outcome"][mover]
    if outcome != 1 and (known["outcome"] is None or known["outcome"][mover] != outcome):
        return None
    who = cursor.game.player_name(mover)
    return _view(best, f"{best['name']} is proven: {who} {RESULTS[outcome]}.")


def _searched(
    cursor: Cursor, knowledge: Knowledge, scheduler: Scheduler, limits: Limits
) -> dict[str, Any]:
    limits.require_memory()
    with scheduler.move(HINT_SECONDS) as seconds:
        search = Search(cursor.game, moves=cursor.moves)
        search.advance(Budget(seconds=seconds, memory=limits.player_memory))
        actions = Findings(knowledge).view(search, cursor)["actions"]
        require(bool(actions), "there was no time to search; try again")
        return _view(actions[0], why(search, actions[0]["name"]))


def _view(action: dict[str, Any], words: str) -> dict[str, Any]:
    return {**{name: action[name] for name in FIELDS}, "words": words}
