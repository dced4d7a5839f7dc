# SPDX-License-Identifier: MIT
"""The top of the graph for a picture: shared states once, the most visited first."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

from unbounded.interfaces.web.findings import Findings
from unbounded.interfaces.web.tree_views import needed_children, node_at
from unbounded.search.search import Search
from unbounded.search.tree import Child, Node

MAX_NODES = 300
MAX_DEPTH = 30
MAX_CONSIDERED = 20_000
"""Children that are looked at for one picture: a node may have thousands."""


@dataclass(frozen=True)
class _Drawn:
    """A node in the picture."""

    node: Node
    depth: int
    path: tuple[str, ...]
    """Moves from the cursor that lead to it; there may be others."""
    visits: int


def graph_view(
    search: Search,
    findings: Findings,
    path: Sequence[str],
    *,
    most: int,
    depth: int,
    proof: bool,
) -> dict[str, Any]:
    """The nodes below a path from the cursor, at most so many and so deep, and their edges."""
    findings.begin(search)
    drawn, children = _choose(search, path, most=most, depth=depth, proof=proof)
    edges = [
        {"from": number, "to": child.node.number, "name": child.name, "visits": child.visits}
        for number, below in children.items()
        for child in below
        if number in drawn and child.node.number in drawn
    ]
    return {
        "path": list(path),
        "nodes": [
            _node(search, findings, each, children.get(number, []), drawn)
            for number, each in drawn.items()
        ],
        "edges": edges,
    }


def _choose(
    search: Search, path: Sequence[str], *, most: int, depth: int, proof: bool
) -> tuple[dict[int, _Drawn], dict[int, list[Child]]]:
    """The nodes to draw by number, and the children of those whose children were looked at."""
    most, depth = max(1, min(most, MAX_NODES)), min(depth, MAX_DEPTH)
    drawn: dict[int, _Drawn] = {}
    children: dict[int, list[Child]] = {}
    order, considered = count(), 0
    waiting = [(0, next(order), _Drawn(node_at(search, path), 0, tuple(path), 0))]
    while waiting and len(drawn) < most:
        each = heapq.heappop(waiting)[2]
        number = each.node.number
        if number in drawn:
            continue
        drawn[number] = each
        if each.depth >= depth or considered >= MAX_CONSIDERED:
            continue
        below = children[number] = _below(search, each.node, proof)
        considered += len(below)
        for child in below:
            deeper = _Drawn(child.node, each.depth + 1, (*each.path, child.name), child.visits)
            heapq.heappush(waiting, (-child.visits, next(order), deeper))
    return drawn, children


def _below(search: Search, node: Node, proof: bool) -> list[Child]:
    return needed_children(search, node) if proof else list(node.children)


def _node(
    search: Search, findings: Findings, each: _Drawn, children: list[Child], drawn: dict[int, Any]
) -> dict[str, Any]:
    shown = {child.node.number for child in children if child.node.number in drawn}
    return {
        "number": each.node.number,
        "depth": each.depth,
        "path": list(each.path),
        "mover": each.node.player,
        **findings.known(search, each.node),
        "visits": each.visits,
        "expanded": each.node.expanded,
        "more": max(0, each.node.child_count - len(shown)),
    }
