# SPDX-License-Identifier: MIT
"""Which action to play after a search: the best, the safest, or one to explore.

The keys are those of the paper's decision listings, read for the player who moves; ties go to the
first action. None means that there is nothing to choose: the game is over, or nothing is expanded.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection
from random import Random
from typing import Any

from unbounded.game import UsageError, require
from unbounded.search.tree import Child, Node

Key = tuple[float, ...]


def _proven(node: Node, child: Child) -> tuple[int, ...]:
    """The completion part of every key: (c), or (r.c, c) when completions are propagated."""
    assert node.player is not None
    completion = child.node.completion[node.player]
    if not node.propagates:
        return (completion,)
    return (completion if child.resolved else 0, completion)


def _value(node: Node, child: Child) -> float:
    assert node.player is not None
    return child.value[node.player]


def _choose(
    node: Node, key: Callable[[Child], Key], leave_out: Collection[Any] = ()
) -> Child | None:
    left = [c for c in node.children if c.action not in leave_out] if leave_out else []
    return max(left or node.children, key=key, default=None)


def _best_key(node: Node, child: Child) -> Key:
    return (*_proven(node, child), _value(node, child), child.visits)


def _witness(node: Node) -> Child | None:
    """In a resolved state, a best child whose numbers the state took over.

    With tied scores another best child may lead to another equilibrium; this one agrees with what
    was proven of the state.
    """
    if node.bounded:
        return node.proven_best
    same = [
        c
        for c in node.children
        if c.resolved and c.node.completion == node.completion and c.value == node.value
    ]
    return max(same, key=lambda c: _best_key(node, c), default=None)


def best(node: Node, leave_out: Collection[Any] = ()) -> Child | None:
    """The child of best (completion, value), then the most selected.

    In an unresolved state, actions of `leave_out` are chosen only if there is no other.
    """
    if node.resolved:
        return _witness(node)
    return _choose(node, lambda c: _best_key(node, c), leave_out)


def safest(node: Node, leave_out: Collection[Any] = ()) -> Child | None:
    """The child of best completion, then the most selected (the paper's UBFM_s).

    In a resolved state it is the best one: there the proof counts for more
    than the number of visits (ERRATA 9). `leave_out` is as in `best`.
    """
    if node.resolved:
        return _witness(node)
    return _choose(node, lambda c: (*_proven(node, c), c.visits, _value(node, c)), leave_out)


def ranked(node: Node) -> list[Child]:
    """The children as `best` sees them: its choice first, proven losses last."""
    first = best(node)
    rest = [c for c in node.children if first is None or c.name != first.name]
    rest.sort(key=lambda c: _best_key(node, c), reverse=True)
    return rest if first is None else [first, *rest]


def best_by_tentative(node: Node) -> Child | None:
    """The Remark's alternative to `best`: (c, c', v, n)."""
    if node.resolved:
        return _witness(node)
    return _choose(
        node, lambda c: (*_proven(node, c), _tentative(node, c), _value(node, c), c.visits)
    )


def safest_by_tentative(node: Node) -> Child | None:
    """The Remark's alternative to `safest`: (c, c', n, v)."""
    if node.resolved:
        return _witness(node)
    return _choose(
        node, lambda c: (*_proven(node, c), _tentative(node, c), c.visits, _value(node, c))
    )


def _tentative(node: Node, child: Child) -> int:
    assert node.player is not None
    return child.node.tentative_completion[node.player]


Law = Callable[[list[Child], Node, Random], Child]
"""Chooses among the children of an unresolved state, given best first."""


def epsilon_greedy(epsilon: float = 0.1) -> Law:
    """Any child with probability epsilon, else the best."""
    require(0 <= epsilon <= 1, f"epsilon must be from 0 to 1, not {epsilon}")

    def law(children: list[Child], node: Node, random: Random) -> Child:
        return random.choice(children) if random.random() < epsilon else children[0]

    return law


def ordinal(greed: float = 0.5) -> Law:
    """Walk from the best: with k children left, take the current one with a growing chance.

    The chance is (greed (k - 1) + 1) / k: always the best for greed = 1, uniform for 0.
    """
    require(0 <= greed <= 1, f"greed must be from 0 to 1, not {greed}")

    def law(children: list[Child], node: Node, random: Random) -> Child:
        for i, child in enumerate(children):
            left = len(children) - i
            if random.random() < (greed * (left - 1) + 1) / left:
                return child
        return children[-1]

    return law


def softmax(temperature: float = 1.0) -> Law:
    """A child with probability proportional to exp(value / temperature).

    Children that are proven lost are left out while there is another; a proven win is taken.
    """
    require(temperature > 0, f"temperature must be above 0, not {temperature}")

    def law(children: list[Child], node: Node, random: Random) -> Child:
        if _proven(node, children[0])[0] == 1:
            return children[0]
        open_to = [c for c in children if _proven(node, c)[0] >= 0] or children
        top = max(_value(node, c) for c in open_to)
        weights = [math.exp((_value(node, c) - top) / temperature) for c in open_to]
        return random.choices(open_to, weights)[0]

    return law


def exploring(node: Node, law: Law | None = None, random: Random | None = None) -> Child | None:
    """The best child of a resolved state, else one by an exploration law (the paper's Descent)."""
    if node.resolved or not node.children:
        return best(node)
    ranked = sorted(node.children, key=lambda c: (*_proven(node, c), _value(node, c)), reverse=True)
    return (law or ordinal())(ranked, node, random or Random())


RULES: dict[str, Callable[..., Child | None]] = {
    "best": best,
    "safest": safest,
    "best_by_tentative": best_by_tentative,
    "safest_by_tentative": safest_by_tentative,
}


def decide(node: Node, rule: str = "best", **options: Any) -> Child | None:
    """Choose by the rule of this name.

    `exploring` takes `law` and `random`; `best` and `safest` take `leave_out`.
    """
    if rule == "exploring":
        return exploring(node, **options)
    if rule not in RULES:
        raise UsageError(f"unknown decision {rule!r}; there are {', '.join(RULES)}, exploring")
    return RULES[rule](node, **options)
