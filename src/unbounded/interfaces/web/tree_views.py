# SPDX-License-Identifier: MIT
"""Pieces of the tree of a search as JSON values for the page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from unbounded.game import UsageError, require
from unbounded.interfaces.web.findings import Findings
from unbounded.search import decisions
from unbounded.search.search import Search
from unbounded.search.tree import Child, Node

MAX_CHILDREN = 100
"""Children of a node in one message."""
MAX_PATH = 1000


def tree_view(
    search: Search, findings: Findings, path: Sequence[str], *, proof: bool, start: int
) -> dict[str, Any]:
    """The children of a node, the best first; with `proof`, only those that its proof needs.

    With `proof`, a node that is not proven has no children to show.
    """
    findings.begin(search)
    node = node_at(search, path)
    children = needed_children(search, node) if proof else decisions.ranked(node)
    shown = children[start : start + MAX_CHILDREN]
    return {
        "path": list(path),
        "mover": node.player,
        "number": node.number,
        **findings.known(search, node),
        "children": [_child(search, findings, child) for child in shown],
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


def needed_children(search: Search, node: Node) -> list[Child]:
    """The children that the proof of a node needs; none where nothing is proven.

    One winning move proves a win of two players; any other proof needs every move.
    """
    if not node.resolved:
        return []
    children = decisions.ranked(node)
    won = node.player is not None and node.outcome is not None and node.outcome[node.player] == 1
    return children[:1] if won and search.zero_sum else children


def _child(search: Search, findings: Findings, child: Child) -> dict[str, Any]:
    return {
        "name": child.name,
        "number": child.node.number,
        "visits": child.visits,
        "expanded": child.node.expanded,
        **findings.known(search, child.node),
    }
