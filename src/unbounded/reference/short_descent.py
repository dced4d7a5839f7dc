# SPDX-License-Identifier: MIT
"""One iteration of a Descent that ends after `LEAVES` expansions; not in the paper.

It lies between UBFM, which expands one leaf in an iteration, and Descent, which expands every leaf
on its way to a resolved state. Lines are those of Algorithm 3.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from unbounded.reference.search import Search

S = TypeVar("S")

LEAVES = 4


def short_descent_iteration(s: S, T: Search[S], left: int = LEAVES) -> None:
    """Follow the best unresolved children, and expand the first `left` new ones."""
    T.visit(s)
    if T.is_terminal(s):  # line 2
        return
    if s not in T.expanded:  # line 6
        T.expand(s)  # lines 7 to 14
        T.back_up(s)  # lines 15 to 17
        left -= 1
        if left == 0:
            return
    if not T.resolved[s]:  # line 18
        A = T.unresolved_children(s)  # line 19
        if A:  # ERRATA 1
            child = T.listings.best_action_dual(s, A, T)  # line 20
            T.visits[s, child] += 1  # line 21
            short_descent_iteration(child, T, left)  # line 22
        T.back_up(s)  # lines 23 to 25
