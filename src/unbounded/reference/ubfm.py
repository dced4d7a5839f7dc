# SPDX-License-Identifier: MIT
"""One iteration of UBFM: Algorithm 2, and Algorithms 6 and 14 for n players.

The three listings are equal up to line 20; the lines after it are `back_up` of each family. Lines
are those of Algorithm 2.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from unbounded.reference.search import Search

S = TypeVar("S")


def ubfm_iteration(s: S, T: Search[S]) -> None:
    """Follow the best unresolved children to a state outside S_p, expand it, back up the path."""
    T.visit(s)
    if T.is_terminal(s):  # line 2
        return  # lines 3 and 4: done when s was first seen
    if s not in T.expanded:  # line 6
        T.expand(s)  # lines 7 to 14
        if not T.paper:
            T.back_up(s)  # ERRATA 2: the listing leaves s as it was until its next visit
    else:  # line 15
        A = T.unresolved_children(s)  # line 16
        if A:  # line 17
            child = T.listings.best_action_dual(s, A, T)  # line 18
            T.visits[s, child] += 1  # line 19
            ubfm_iteration(child, T)  # line 20
        T.back_up(s)  # lines 21 to 23
