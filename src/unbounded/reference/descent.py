# SPDX-License-Identifier: MIT
"""One iteration of Descent (Algorithm 3) and of Descent^n (Algorithms 9 and 15).

Lines are those of Algorithm 3; the listings differ only in how a state is backed up.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from unbounded.reference.search import Search

S = TypeVar("S")


def iteration(search: Search[S], s: S) -> None:
    """Walk down the best unresolved states to an end of the game, expanding each new one."""
    search.visit(s)
    if search.is_terminal(s):  # line 2; initialised when first seen (lines 3 and 4, 10 and 11)
        return
    if s not in search.expanded:  # line 6
        search.expand(s)  # lines 7 to 14
        search.back_up(s)  # lines 15 to 17
    if not search.resolved[s]:  # line 18
        # The Remark's variant may choose a resolved child: then the walk ends there (line 18).
        candidates = search.children[s] if search.stop_at_draw else search.unresolved_children(s)
        if candidates:  # ERRATA 1: all may have been resolved since, through other parents
            child = search.rule.least_tried_best_child(s, candidates)  # lines 19 and 20
            search.visits[s, child] += 1  # line 21
            iteration(search, child)  # line 22
        search.back_up(s)  # lines 23 to 25
