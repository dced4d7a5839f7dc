# SPDX-License-Identifier: MIT
"""One iteration of Descent: Algorithm 3, and Algorithms 9 and 15 for n players.

The three listings differ only in the lines that back up a state, which are `back_up` of each
family. Lines are those of Algorithm 3.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from unbounded.reference.remark import candidates

if TYPE_CHECKING:
    from unbounded.reference.search import Search

S = TypeVar("S")


def descent_iteration(s: S, T: Search[S]) -> None:
    """Follow the best unresolved children until a state is resolved, expanding each new one."""
    T.visit(s)
    if T.is_terminal(s):  # line 2
        return  # lines 3 and 4: done when s was first seen
    if s not in T.expanded:  # line 6
        T.expand(s)  # lines 7 to 14
        T.back_up(s)  # lines 15 to 17
    if not T.resolved[s]:  # line 18
        A = candidates(s, T)  # line 19
        if A:  # ERRATA 1: all may have been resolved since, through other parents
            child = T.listings.best_action_dual(s, A, T)  # line 20
            T.visits[s, child] += 1  # line 21
            descent_iteration(child, T)  # line 22
        T.back_up(s)  # lines 23 to 25
