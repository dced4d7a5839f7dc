# SPDX-License-Identifier: MIT
"""One iteration of UBFM (Algorithm 2) and of Unbounded Max^n (Algorithms 6 and 14).

The three listings differ only in how a state is backed up, which is the rule's affair.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from unbounded.reference.search import Search

S = TypeVar("S")


def iteration(search: Search[S], s: S) -> None:
    """Walk down the best unresolved states, expand the first new one, back up on the way back."""
    search.visit(s)
    if search.is_terminal(s):  # line 2; initialised when first seen (lines 3 and 4, 10 and 11)
        return
    if s not in search.expanded:  # line 6
        search.expand(s)  # lines 7 to 14
        if not search.paper:
            search.back_up(s)  # ERRATA 2: the listing leaves s as it was until the next visit
    else:  # line 15
        unresolved = search.unresolved_children(s)  # line 16
        if unresolved:  # line 17
            child = search.rule.least_tried_best_child(s, unresolved)  # line 18
            search.visits[s, child] += 1  # line 19
            iteration(search, child)  # line 20
        search.back_up(s)  # lines 21 to 23
