# SPDX-License-Identifier: MIT
"""A game, an analysis and a piece of the tree as JSON values for the page.

Proven and estimated results are never in the same field: `outcome` is proven, `value` is estimated,
and where one is given the other is None. An estimate that contradicts a proof is None too.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Any

from unbounded.game import Game, UsageError, action_named, plain, require
from unbounded.game.drawing import draw
from unbounded.interfaces.session import HUMAN, Session
from unbounded.players import Decision
from unbounded.search import decisions
from unbounded.search.search import Search
from unbounded.search.tree import Child, Node

MAX_ACTIONS = 4000
"""Moves of a position in one message; the others can be played by name."""
MAX_CHILDREN = 100
"""Children of a node in one message."""
MAX_PV = 60
MAX_PV_COUNTED = 1000
"""A principal variation may have a million moves, and is sent several times a second."""
MAX_PATH = 1000


# -- the game --------------------------------------------------------------------------------------


def game_view(session: Session, decision: Decision | None) -> dict[str, Any]:
    """A game in progress; `decision` is what the last machine that moved knew."""
    game = session.game
    last = session.actions[-1] if session.actions else None
    return {
        "game": str(game),
        "players": [game.player_name(p) for p in range(game.players)],
        "seats": list(session.seats),
        "moves": list(session.moves),
        "mover": session.mover,
        "human_to_move": session.human_to_move,
        "humans": session.seats.count(HUMAN),
        "can_redo": bool(session.undone),
        "over": session.over,
        "outcome": session.outcome(),
        "resigned": session.resigned,
        "decision": None if decision is None else _decision(decision),
        **board_view(game, session.state, last),
    }


def board_view(game: Game[Any, Any], state: Any, last: Any) -> dict[str, Any]:
    """A position: the drawing, the same as text, and where each move is clicked."""
    actions = list(game.actions(state))
    return {
        "svg": draw(game, state, last=last),
        "text": game.show(state),
        "actions": [
            {
                "name": game.action_name(state, action),
                "places": [[plain(x) for x in place] for place in game.places(state, action)],
            }
            for action in actions[:MAX_ACTIONS]
        ],
        "action_count": len(actions),
    }


def preview_view(session: Session, path: Sequence[str]) -> dict[str, Any]:
    """The board after further moves from the game's position."""
    require(len(path) <= MAX_PATH, f"a line may have at most {MAX_PATH} moves")
    game, state, last = session.game, session.state, None
    for name in path:
        last = action_named(game, state, name)
        state = game.next(state, last)
    over = not game.actions(state)
    mover = None if over else int(game.player(state))
    return {"path": list(path), "mover": mover, **board_view(game, state, last)}


def _decision(decision: Decision) -> dict[str, Any]:
    proven = None not in decision.outcome
    return {
        "name": decision.name,
        "outcome": list(decision.outcome) if proven else None,
        "value": None if proven or decision.value is None else list(decision.value),
        "seconds": decision.seconds,
    }


# -- the analysis ----------------------------------------------------------------------------------


def analysis_view(search: Search) -> dict[str, Any]:
    """What is known of a position, and the resources that the search has used."""
    root = search.root
    pv = [name for name, _ in islice(root.pv(), MAX_PV_COUNTED)]
    return {
        "moves": list(search.moves),
        "algorithm": search.options.algorithm,
        "equilibrium": root.equilibrium,
        "mover": root.player,
        **_known(root),
        "note": search.note,
        "pv": pv[:MAX_PV],
        "pv_length": len(pv),
        "actions": [_child(child) for child in decisions.ranked(root)[:MAX_CHILDREN]],
        "states": search.states,
        "states_per_second": search.states_per_second,
        "memory": search.memory_bytes,
        "seconds": search.seconds,
    }


def _known(node: Node) -> dict[str, Any]:
    """The proven outcome or the estimated value, never both."""
    return {
        "resolved": node.resolved,
        "outcome": node.outcome,
        "value": None if node.resolved else list(node.estimate),
    }


def _child(child: Child) -> dict[str, Any]:
    return {
        "name": child.name,
        "visits": child.visits,
        "expanded": child.node.expanded,
        **_known(child.node),
    }


# -- the tree --------------------------------------------------------------------------------------


def tree_view(search: Search, path: Sequence[str], *, proof: bool, start: int) -> dict[str, Any]:
    """The children of a node, the best first; with `proof`, only those that its proof needs.

    With `proof`, a node that is not proven has no children to show.
    """
    node = node_at(search, path)
    children = decisions.ranked(node)
    if proof:
        children = _needed(search, node, children) if node.resolved else []
    shown = children[start : start + MAX_CHILDREN]
    return {
        "path": list(path),
        "mover": node.player,
        **_known(node),
        "children": [_child(child) for child in shown],
        "start": start,
        "count": len(children),
    }


def node_at(search: Search, path: Sequence[str]) -> Node:
    """Return the node that is reached from the root by these moves."""
    require(len(path) <= MAX_PATH, f"a line may have at most {MAX_PATH} moves")
    node = search.root
    for name in path:
        found = [child for child in node.children if child.name == name]
        if not found:
            raise UsageError(f"{name} is not in the tree any more")
        node = found[0].node
    return node


def _needed(search: Search, node: Node, children: list[Child]) -> list[Child]:
    """One winning move proves a win of two players; any other proof needs every move."""
    won = node.player is not None and node.outcome is not None and node.outcome[node.player] == 1
    return children[:1] if won and search.zero_sum else children
