# SPDX-License-Identifier: MIT
"""The first generalization to n players (Algorithms 4, 5, 8 and 10): c(s) only once s is resolved.

Until then c(s) = (0, ..., 0), and c'(s) holds the completion of the best child.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeVar

from unbounded.reference.definitions import argmax
from unbounded.reference.listings import Listings
from unbounded.reference.remark import has_maximal_score

if TYPE_CHECKING:
    from unbounded.reference.search import Search

S = TypeVar("S")


def best_action_n(s: S, A: Sequence[S], T: Search[S]) -> S:
    """Algorithm 4; called with A = A(s), over which the listing ranges."""
    c, v, n, j = T.completion, T.value, T.visits, T.player(s)
    return argmax(A, lambda child: (c[child][j], v[child][j], n[s, child]))  # line 2


def best_action_n_dual(s: S, A: Sequence[S], T: Search[S]) -> S:
    """Algorithm 4; ERRATA 3: over the set A it is called with, not over all of A(s)."""
    c, v, n, j = T.completion, T.value, T.visits, T.player(s)
    return argmax(A, lambda child: (c[child][j], v[child][j], -n[s, child]))  # line 2


def backup_resolution_n(s: S, T: Search[S]) -> bool:
    """Algorithm 5: a win by the highest score resolves s, and so do resolved children only."""
    j = T.player(s)
    if T.tentative_completion[s][j] == 1 and has_maximal_score(s, T):  # line 2
        return True  # line 3
    return min(T.resolved[child] for child in T.children[s])  # line 5


def back_up(s: S, T: Search[S]) -> None:
    """Algorithm 6, lines 21 to 25; Algorithm 9, lines 15 to 19 and 25 to 29."""
    child = best_action_n(s, T.children[s], T)
    T.tentative_completion[s], T.value[s] = T.completion[child], T.value[child]
    T.resolved[s] = backup_resolution_n(s, T)
    if T.resolved[s]:
        T.completion[s] = T.tentative_completion[s]


def safest_action_n(s: S, A: Sequence[S], T: Search[S]) -> S:
    """Algorithm 8."""
    c, v, n, j = T.completion, T.value, T.visits, T.player(s)
    return argmax(A, lambda child: (c[child][j], n[s, child], v[child][j]))  # line 2


def best_action_n_of_resolved(s: S, A: Sequence[S], T: Search[S]) -> S:
    """Algorithm 10, line 3: the visits do not count."""
    c, v, j = T.completion, T.value, T.player(s)
    return argmax(A, lambda child: (c[child][j], v[child][j]))


LISTINGS = Listings(
    best_action_n,
    best_action_n_dual,
    safest_action_n,
    best_action_n_of_resolved,
    back_up,
)
