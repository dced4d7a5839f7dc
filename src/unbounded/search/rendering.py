# SPDX-License-Identifier: MIT
"""Searches in other tools: results as HTML; the tree as DOT, rows, a data frame or a graph.

What is proven and what is estimated never share a cell or a color.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import TYPE_CHECKING, Any

from unbounded.game import UsageError, require
from unbounded.game.drawing import draw, stand_alone
from unbounded.game.wording import bounds_text, numbers_text, outcome_text
from unbounded.search.tree import Child, Node

if TYPE_CHECKING:
    from unbounded.search.result import ActionResult, Result
    from unbounded.search.search import Search

PROVEN_COLORS = {1: "#2e8b57", 0: "#b8860b", -1: "#b22222"}
"""Won, drawn and lost for the player who moves at the root."""
OPEN_COLOR = "#8a8a8a"
MOST_ROWS = 30


# -- HTML ------------------------------------------------------------------------------------------


def result_html(result: Result) -> str:
    """Show a result: the verdict, the best line, and the actions at the root, best first."""
    actions = sorted(result.actions, key=lambda action: _worth(action, result), reverse=True)
    rows = "".join(_action_row(action, result.to_move) for action in actions[:MOST_ROWS])
    more = len(actions) - MOST_ROWS
    rows += f"<tr><td colspan=4>... and {more} more</td></tr>" if more > 0 else ""
    proven = f"proven ({escape(result.note)})" if result.note else "proven"
    head = f"<tr><th>action</th><th>{proven}</th><th>estimated</th><th>visits</th></tr>"
    title = f"<b>{escape(result.game)}</b>: {escape(result.summary())}"
    pv = f"<br>best line: {escape(' '.join(result.pv[:40]))}" if result.pv else ""
    return f"<div>{title}{pv}<table>{head}{rows}</table></div>"


def _worth(action: ActionResult, result: Result) -> tuple[bool, int, float, int]:
    """How good an action is for the player to move, as a search ranks it."""
    mover = result.to_move or 0
    proven, value = action.outcome[mover] or 0, action.value[mover]
    return action.action == result.best_action, proven, value, action.visits


def _action_row(action: ActionResult, mover: int | None) -> str:
    proven = estimated = ""
    if action.resolved:
        color = PROVEN_COLORS[_seen_by(action.outcome, mover)]
        proven = f'<b style="color:{color}">{outcome_text(action.outcome)}</b>'
    else:
        proven = bounds_text(action.outcome_bounds)
        estimated = numbers_text(action.estimate)
    cells = (escape(action.action), proven, estimated, f"{action.visits:,}")
    return "<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>"


def _seen_by(outcome: tuple[int | None, ...], player: int | None) -> int:
    return (outcome[player] if player is not None else outcome[0]) or 0


def search_html(search: Search) -> str:
    """Show the position at the root, and what is known of it."""
    board = stand_alone(draw(search.game, search.state))
    return f"<div>{board}{result_html(search.result)}</div>"


# -- the tree --------------------------------------------------------------------------------------


Step = tuple[Node, int, Node | None, Child | None]
"""A node, its ply, its parent, and as a child of it the action that leads there."""


def walk(search: Search, depth: int, most: int) -> Iterator[Step]:
    """Yield nodes by ply, each once, children with most visits first; the root has no parent."""
    require(depth >= 0, f"depth must be 0 or more, not {depth}")
    require(most >= 1, f"most must be 1 or more, not {most}")
    seen = {search._core.root}
    level: list[Step] = [(search.root, 0, None, None)]
    given = 0
    while level and given < most:
        following: list[Step] = []
        for node, ply, parent, by in level[: most - given]:
            yield node, ply, parent, by
            given += 1
            if ply == depth:
                continue
            for child in sorted(node.children, key=lambda c: -c.visits):
                if child.node.number not in seen:
                    seen.add(child.node.number)
                    following.append((child.node, ply + 1, node, child))
        level = following


def rows(search: Search, depth: int = 3, most: int = 1000) -> list[dict[str, Any]]:
    """Return the top of the tree as rows of plain values."""
    found = []
    for node, ply, parent, by in walk(search, depth, most):
        row: dict[str, Any] = {
            "node": node.number,
            "parent": None if parent is None else parent.number,
            "action": "" if by is None else by.name,
            "visits": None if by is None else by.visits,
        }
        found.append(row | _facts(node, ply))
    return found


def _facts(node: Node, ply: int) -> dict[str, Any]:
    """Return what is known of a node: `outcome_*` is proven or None, `value_*` the other way."""
    facts: dict[str, Any] = {"ply": ply, "player": node.player, "resolved": node.resolved}
    outcome, score = node.outcome, node.score
    for p, (low, high) in enumerate(node.outcome_bounds):
        facts[f"outcome_{p}"] = None if outcome is None else outcome[p]
        facts[f"score_{p}"] = None if score is None else score[p]
        facts[f"low_{p}"], facts[f"high_{p}"] = low, high
        facts[f"value_{p}"] = None if node.resolved else node.value[p]
    return facts


TYPES = {
    "node": "Int64",
    "parent": "Int64",
    "action": "string",
    "visits": "Int64",
    "ply": "Int32",
    "player": "Int16",
    "resolved": "boolean",
    "outcome": "Int8",
    "score": "Float32",
    "low": "Int8",
    "high": "Int8",
    "value": "Float32",
}
"""Types of the columns of a data frame; those of the players by the prefix of their names."""


def pandas(search: Search, depth: int = 3, most: int = 1000) -> Any:
    """Return the same as a data frame."""
    try:
        import pandas as pd
    except ImportError:
        raise UsageError("to_pandas needs pandas: pip install pandas") from None
    frame = pd.DataFrame(rows(search, depth, most))
    return frame.astype({name: TYPES[name.partition("_")[0]] for name in frame.columns})


def networkx(search: Search, depth: int = 3, most: int = 1000) -> Any:
    """Return the top of the graph as a `networkx.DiGraph`, with every edge between its nodes.

    Nodes are numbers, with the attributes of `rows`, left out where they are None. An edge has
    `action`, the names of the actions that lead there, and `visits`.
    """
    try:
        import networkx as nx
    except ImportError:
        raise UsageError("to_networkx needs networkx: pip install networkx") from None
    graph = nx.DiGraph(game=str(search.game), moves=" ".join(search.moves))
    nodes = [(node, ply) for node, ply, _, _ in walk(search, depth, most)]
    for node, ply in nodes:
        known = {name: x for name, x in _facts(node, ply).items() if x is not None}
        graph.add_node(node.number, **known)
    for node, _ in nodes:
        edges: dict[int, list[Child]] = {}
        for child in node.children:
            edges.setdefault(child.node.number, []).append(child)
        for number, shared in edges.items():
            if number in graph:
                names = ", ".join(child.name for child in shared)
                graph.add_edge(node.number, number, action=names, visits=shared[0].visits)
    return graph


def dot(search: Search, depth: int = 3, most: int = 200) -> str:
    """Return the top of the tree in the language of Graphviz."""
    lines = ["digraph search {", "  node [shape=box, style=filled, fontcolor=white];"]
    for node, _, parent, by in walk(search, depth, most):
        lines.append(f"  n{node.number} [{_label(node, search.root.player)}];")
        if parent is not None and by is not None:
            quoted = by.name.replace("\\", "\\\\").replace('"', '\\"')
            lines.append(f'  n{parent.number} -> n{node.number} [label="{quoted}"];')
    return "\n".join([*lines, "}"]) + "\n"


def _label(node: Node, player: int | None) -> str:
    if node.outcome is not None:
        words = "proven " + ", ".join(f"{x:+d}" if x else "0" for x in node.outcome)
        color = PROVEN_COLORS[_seen_by(node.outcome, player)]
    else:
        words = "estimated " + ", ".join(f"{x:+.2f}" for x in node.value)
        color = OPEN_COLOR
    return f'label="{words}", fillcolor="{color}"'
