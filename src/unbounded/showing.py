# SPDX-License-Identifier: MIT
"""Searches for notebooks and other tools: boards as SVG, results as HTML, the tree as DOT or rows.

What is proven and what is estimated never share a cell or a colour.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import TYPE_CHECKING, Any

from unbounded.drawing import draw
from unbounded.game import UsageError, require
from unbounded.tree import Node

if TYPE_CHECKING:
    from unbounded.result import ActionResult, Result
    from unbounded.search import Search

PROVEN_COLOURS = {1: "#2e8b57", 0: "#b8860b", -1: "#b22222"}
"""Won, drawn and lost for the player who moves at the root."""
OPEN_COLOUR = "#8a8a8a"
MOST_ROWS = 30


# -- HTML ------------------------------------------------------------------------------------------


def result_html(result: Result) -> str:
    """Show a result: the verdict, the best line, and every action at the root."""
    rows = "".join(_action_row(action, result.to_move) for action in result.actions[:MOST_ROWS])
    more = len(result.actions) - MOST_ROWS
    rows += f"<tr><td colspan=4>... and {more} more</td></tr>" if more > 0 else ""
    head = "<tr><th>action</th><th>proven</th><th>estimated</th><th>selections</th></tr>"
    title = f"<b>{escape(result.game)}</b>: {escape(result.summary())}"
    line = f"<br>best line: {escape(' '.join(result.line[:40]))}" if result.line else ""
    return f"<div>{title}{line}<table>{head}{rows}</table></div>"


def _action_row(action: ActionResult, mover: int | None) -> str:
    proven = estimated = ""
    if action.resolved:
        colour = PROVEN_COLOURS[_seen_by(action.outcome, mover)]
        words = ", ".join(f"{x:+d}" if x else "0" for x in action.outcome if x is not None)
        proven = f'<b style="color:{colour}">{words}</b>'
    else:
        estimated = ", ".join(f"{x:+.3f}" for x in action.value)
    cells = (escape(action.action), proven, estimated, f"{action.selections:,}")
    return "<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>"


def _seen_by(outcome: tuple[int | None, ...], player: int | None) -> int:
    return (outcome[player] if player is not None else outcome[0]) or 0


def search_html(search: Search) -> str:
    """Show the position that is searched, and what is known of it."""
    return f"<div>{draw(search.game, search.state)}{result_html(search.result)}</div>"


# -- the tree --------------------------------------------------------------------------------------


def walk(search: Search, depth: int, most: int) -> Iterator[tuple[Node, int, Node | None, str]]:
    """Yield nodes, the most promising children first, each once: its ply, parent and action."""
    require(depth >= 0, f"depth must be 0 or more, not {depth}")
    require(most >= 1, f"most must be 1 or more, not {most}")
    seen = {search.core.root}
    level: list[tuple[Node, int, Node | None, str]] = [(search.root, 0, None, "")]
    given = 0
    while level and given < most:
        following: list[tuple[Node, int, Node | None, str]] = []
        for node, ply, parent, name in level[: most - given]:
            yield node, ply, parent, name
            given += 1
            if ply == depth:
                continue
            for child in sorted(node.children, key=lambda c: -c.selections):
                if child.node.number not in seen:
                    seen.add(child.node.number)
                    following.append((child.node, ply + 1, node, child.name))
        level = following


def rows(search: Search, depth: int = 3, most: int = 1000) -> list[dict[str, Any]]:
    """Return the top of the tree as rows of plain values."""
    found = []
    for node, ply, parent, name in walk(search, depth, most):
        row: dict[str, Any] = {
            "node": node.number,
            "parent": None if parent is None else parent.number,
            "action": name,
            "ply": ply,
            "player": node.player,
            "resolved": node.resolved,
        }
        for p in range(search.game.players):
            row[f"outcome_{p}"] = None if node.outcome is None else node.outcome[p]
            row[f"value_{p}"] = None if node.resolved else node.value[p]
        found.append(row)
    return found


def pandas(search: Search, depth: int = 3, most: int = 1000) -> Any:
    """Return the same as a data frame."""
    try:
        import pandas as pd
    except ImportError:
        raise UsageError("to_pandas needs pandas: pip install pandas") from None
    return pd.DataFrame(rows(search, depth, most))


def dot(search: Search, depth: int = 3, most: int = 200) -> str:
    """Return the top of the tree in the language of Graphviz."""
    lines = ["digraph search {", "  node [shape=box, style=filled, fontcolor=white];"]
    for node, _, parent, name in walk(search, depth, most):
        lines.append(f"  n{node.number} [{_label(node, search.root.player)}];")
        if parent is not None:
            quoted = name.replace("\\", "\\\\").replace('"', '\\"')
            lines.append(f'  n{parent.number} -> n{node.number} [label="{quoted}"];')
    return "\n".join([*lines, "}"]) + "\n"


def _label(node: Node, player: int | None) -> str:
    if node.outcome is not None:
        words = "proven " + ", ".join(f"{x:+d}" if x else "0" for x in node.outcome)
        colour = PROVEN_COLOURS[_seen_by(node.outcome, player)]
    else:
        words = "estimated " + ", ".join(f"{x:+.2f}" for x in node.value)
        colour = OPEN_COLOUR
    return f'label="{words}", fillcolor="{colour}"'
