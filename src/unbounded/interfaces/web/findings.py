# SPDX-License-Identifier: MIT
"""What is known of the position at the cursor: by the rules, by a search, and from before.

Proven and estimated results are never in the same field: `outcome`, `score`, `distance` and
`bounds` are proven, `value` is estimated, and where an outcome is proven the value is None. An
estimate that contradicts a proof is None too.
"""

from __future__ import annotations

from collections.abc import Hashable
from itertools import islice
from typing import Any

from unbounded.game import one_per_player, outcome_of
from unbounded.interfaces.web.knowledge import Estimate, Knowledge, Proven
from unbounded.interfaces.web.line import Cursor
from unbounded.search import decisions
from unbounded.search.options import search_options
from unbounded.search.result import note_of
from unbounded.search.search import Search
from unbounded.search.tree import Child, Node, proven_length

MAX_ACTIONS = 400
"""Moves of the position in one message: more than a board of 19 x 19 has."""
MAX_LINES = 5
MAX_PV = 60
MAX_PV_COUNTED = 1000
"""A principal variation may have a million moves, and is sent several times a second."""
MAX_STEPS = 4000
"""Moves that are followed for the distances in one message; the others come with the next."""
MAX_CURVE = 2000
"""Moves of the line whose values are shown."""
DIGITS = 4
"""Of an estimate, which is no more exact than that."""


class Findings:
    """Reads what one search has found, and adds what was known before."""

    def __init__(self, knowledge: Knowledge) -> None:
        self.knowledge = knowledge
        self._lengths: dict[Hashable, int | None] = {}
        """Of the best lines of resolved children, for the present root and graph."""
        self._followed_for: tuple[int, int] | None = None
        self._steps_left = 0

    def view(self, search: Search, cursor: Cursor) -> dict[str, Any]:
        """What is known at the cursor, where the search has its root; and the search in numbers."""
        self.begin(search)
        root = search.root
        pv = list(islice(root.pv(), MAX_PV_COUNTED))
        known = self._known(search, root, proven_length(root, pv) if root.resolved else None)
        ranked = self.ranked(search)
        actions = [self._action(search, child) for child in ranked[:MAX_ACTIONS]]
        lines = [_line(*each) for each in zip(ranked[:MAX_LINES], actions, strict=False)]
        actions += self._forgotten(search, cursor, actions)
        self.learn_line(search, cursor)
        return {
            **_place(cursor),
            "equilibrium": root.equilibrium,
            "note": search.note,
            **known,
            "pv": [name for name, _ in pv[:MAX_PV]],
            "pv_length": len(pv),
            "lines": lines,
            "actions": actions,
            "action_count": max(len(ranked), len(actions)),
            **numbers_view(search),
        }

    def begin(self, search: Search) -> None:
        """Get ready for another view: distances are counted again after a move or compaction."""
        self._steps_left = MAX_STEPS
        at = search.root.number, search.compactions
        if at != self._followed_for:
            self._followed_for, self._lengths = at, {}

    # -- nodes ------------------------------------------------------------------------------------

    def _known(self, search: Search, node: Node, distance: int | None) -> dict[str, Any]:
        """What is proven of a node, by the search or before; else its estimate."""
        proven = self.proven(search, node, distance)
        return known_view(proven, None if proven is not None else node.estimate)

    def proven(self, search: Search, node: Node, distance: int | None = None) -> Proven | None:
        """What is proven of a node; what the search has proven is remembered."""
        ignored = search.scores_ignored
        if not node.resolved or node.outcome is None:
            return self.knowledge.proven(node.state, scores_ignored=ignored)
        proven = Proven(node.outcome, node.score, distance)
        self.knowledge.add_proof(node.state, proven, scores_ignored=ignored)
        return proven

    def known(self, search: Search, node: Node) -> dict[str, Any]:
        """What is known of any node of the tree; call `begin` once before."""
        return self._known(search, node, self._length(node) if node.resolved else None)

    def _length(self, node: Node) -> int | None:
        """How many moves the best line of a resolved node takes; each line is followed once."""
        state = node.state
        if state not in self._lengths and self._steps_left > 0:
            pv = list(islice(node.pv(), MAX_PV_COUNTED))
            self._steps_left -= 1 + len(pv)
            self._lengths[state] = proven_length(node, pv)
        return self._lengths.get(state)

    # -- moves ------------------------------------------------------------------------------------

    def ranked(self, search: Search) -> list[Child]:
        """The children of the root, best first: also by what was proven before."""
        root = search.root
        children, mover = decisions.ranked(root), root.player
        if mover is None or root.resolved:
            return children

        def loss(child: Child) -> int:
            proven = self.proven(search, child.node)
            return 0 if proven is None else -proven.outcome[mover]

        return sorted(children, key=loss)

    def _action(self, search: Search, child: Child) -> dict[str, Any]:
        known = self._known(
            search, child.node, self._length(child.node) if child.resolved else None
        )
        if known["distance"] is not None:
            known["distance"] += 1  # from the cursor, as for the position itself
        bounds = None if known["resolved"] else child.node.outcome_bounds
        anything = bounds is None or all(pair == (-1, 1) for pair in bounds)
        return {
            "name": child.name,
            "visits": child.visits,
            "expanded": child.node.expanded,
            **known,
            "bounds": None if anything else bounds,
        }

    def _forgotten(
        self, search: Search, cursor: Cursor, shown: list[dict[str, Any]]
    ) -> list[dict[str, Any]]:
        """Moves that are not in the graph, or no longer: of those, what was known before."""
        if search.root.expanded and not search.compactions:
            return []
        names = {action["name"] for action in shown}
        known = _remembered_actions(cursor, self.knowledge, scores_ignored=search.scores_ignored)
        return [action for action in known if action["name"] not in names]

    # -- the line ---------------------------------------------------------------------------------

    def learn_line(self, search: Search, cursor: Cursor) -> None:
        """Remember what the graph has of the positions on the line."""
        for state in cursor.states[:MAX_CURVE]:
            node = search.find(state)
            if node is None or self.proven(search, node) is not None:
                continue
            if node.expanded:
                self.knowledge.add_estimate(state, _rounded(node.estimate))


def _line(child: Child, action: dict[str, Any]) -> dict[str, Any]:
    """The best line that begins with a move."""
    names = [name for name, _ in islice(child.node.pv(), MAX_PV - 1)]
    known = {name: action[name] for name in ("resolved", "outcome", "value", "distance")}
    return {"moves": [child.name, *names], **known}


def _place(cursor: Cursor) -> dict[str, Any]:
    return {"moves": list(cursor.moves), "ply": cursor.ply, "mover": cursor.mover}


def numbers_view(search: Search) -> dict[str, Any]:
    """The options of a search, and the resources that it has used."""
    options = search.options
    return {
        "algorithm": options.algorithm,
        "options": {x.name: getattr(options, x.name) for x in search_options(solving=False)},
        "states": search.states,
        "states_per_second": round(search.states_per_second),
        "memory": search.memory_bytes,
        "seconds": round(search.seconds, 2),
        "compactions": search.compactions,
        "iterations": search.iterations,
    }


def known_view(proven: Proven | None, estimate: Estimate | None) -> dict[str, Any]:
    """What is proven, or what is estimated: never both."""
    return {
        "resolved": proven is not None,
        "outcome": None if proven is None else proven.outcome,
        "score": None if proven is None else proven.score,
        "distance": None if proven is None else proven.distance,
        "value": None if proven is not None or estimate is None else _rounded(estimate),
    }


def _rounded(estimate: Estimate) -> Estimate:
    return tuple(None if x is None else float(f"{x:.{DIGITS}g}") for x in estimate)


# -- without a search ------------------------------------------------------------------------------


def proven_at(cursor: Cursor, ply: int, knowledge: Knowledge) -> Proven | None:
    """What is proven of a position on the line: by the rules where the game is over, or before."""
    game, state = cursor.game, cursor.states[ply]
    if cursor.movers[ply] is not None:
        return knowledge.proven(state)
    score = one_per_player(game, "score", game.score(state), state)
    return Proven(outcome_of(game, state), score, 0)


def remembered_view(cursor: Cursor, knowledge: Knowledge) -> dict[str, Any]:
    """What is known at the cursor without a search."""
    game, proven = cursor.game, proven_at(cursor, cursor.ply, knowledge)
    several = not (game.players == 2 and game.zero_sum)
    actions = _remembered_actions(cursor, knowledge)
    return {
        **_place(cursor),
        "equilibrium": several,
        "note": note_of(equilibrium=several, scores_ignored=False),
        **known_view(proven, knowledge.estimated(cursor.state)),
        "pv": [],
        "pv_length": 0,
        "lines": [],
        "actions": actions,
        "action_count": len(actions),
    }


def _remembered_actions(
    cursor: Cursor, knowledge: Knowledge, *, scores_ignored: bool = False
) -> list[dict[str, Any]]:
    """The moves after which something is known, best first."""
    game, state, mover = cursor.game, cursor.state, cursor.mover
    if mover is None or knowledge.empty:
        return []
    found: list[tuple[float, dict[str, Any]]] = []
    for action in list(game.actions(state))[:MAX_ACTIONS]:
        following = game.next(state, action)
        proven = knowledge.proven(following, scores_ignored=scores_ignored)
        estimate = knowledge.estimated(following)
        if proven is None and estimate is None:
            continue
        known = known_view(proven, estimate)
        if known["distance"] is not None:
            known["distance"] += 1
        name = game.action_name(state, action)
        rank = 0 if proven is None else -proven.outcome[mover]
        found.append(
            (rank, {"name": name, "visits": 0, "expanded": False, **known, "bounds": None})
        )
    return [view for _, view in sorted(found, key=lambda each: each[0])]


def curve_view(cursor: Cursor, knowledge: Knowledge) -> dict[str, Any]:
    """What is known of each position on the line."""
    last = min(len(cursor.line), MAX_CURVE)
    return {
        "line": list(cursor.line[:last]),
        "points": [_point(cursor, ply, knowledge) for ply in range(last + 1)],
    }


def _point(cursor: Cursor, ply: int, knowledge: Knowledge) -> dict[str, Any]:
    proven = proven_at(cursor, ply, knowledge)
    estimate = None if proven is not None else knowledge.estimated(cursor.states[ply])
    kind = "proven" if proven else "unknown" if estimate is None else "estimated"
    outcome = None if proven is None else proven.outcome
    return {
        "ply": ply,
        "mover": cursor.movers[ply],
        "outcome": outcome,
        "value": estimate,
        "kind": kind,
    }
