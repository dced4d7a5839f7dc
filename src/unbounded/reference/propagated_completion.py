# SPDX-License-Identifier: MIT
"""The second generalization to n players (Algorithms 11, 12 and 13): c(s) is always propagated.

An unresolved state has the completion of its best child, so c' = c, and the first component of
every key, r(s') * c(s')_j, puts proven wins before others. (ERRATA 4: it puts proven losses after
others, and does not distinguish draws.)
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
    """Algorithm 11; called with A = A(s), over which the listing ranges."""
    r, c, v, n, j = T.resolved, T.completion, T.value, T.visits, T.player(s)
    return argmax(  # line 2
        A, lambda child: (r[child] * c[child][j], c[child][j], v[child][j], n[s, child])
    )


def best_action_n_dual(s: S, A: Sequence[S], T: Search[S]) -> S:
    """Algorithm 11; ERRATA 3: over the set A it is called with, not over all of A(s)."""
    r, c, v, n, j = T.resolved, T.completion, T.value, T.visits, T.player(s)
    return argmax(  # line 2
        A, lambda child: (r[child] * c[child][j], c[child][j], v[child][j], -n[s, child])
    )


def backup_resolution_n(s: S, T: Search[S]) -> bool:
    """Algorithm 12: as Algorithm 5, if a resolved child has the completion and the value of s."""
    r, c, v, j = T.resolved, T.completion, T.value, T.player(s)
    if (  # line 2
        c[s][j] == 1
        and has_maximal_score(s, T)
        and any(c[s] == c[child] and v[s] == v[child] and r[child] for child in T.children[s])
    ):
        return True  # line 3
    return min(r[child] for child in T.children[s])  # line 5


def back_up(s: S, T: Search[S]) -> None:
    """Algorithm 14, lines 21 to 23; Algorithm 15, lines 15 to 17 and 23 to 25."""
    child = best_action_n(s, T.children[s], T)
    T.completion[s], T.value[s] = T.completion[child], T.value[child]
    T.tentative_completion[s] = T.completion[s]  # "at any time c(s) = c'(s)"
    T.resolved[s] = backup_resolution_n(s, T)


def safest_action_n(s: S, A: Sequence[S], T: Search[S]) -> S:
    """Algorithm 13."""
    r, c, v, n, j = T.resolved, T.completion, T.value, T.visits, T.player(s)
    return argmax(  # line 2
        A, lambda child: (r[child] * c[child][j], c[child][j], n[s, child], v[child][j])
    )


def best_action_n_of_resolved(s: S, A: Sequence[S], T: Search[S]) -> S:
    """Algorithm 10, line 3, with the key of Algorithm 11: the visits do not count."""
    r, c, v, j = T.resolved, T.completion, T.value, T.player(s)
    return argmax(A, lambda child: (r[child] * c[child][j], c[child][j], v[child][j]))


LISTINGS = Listings(
    best_action_n,
    best_action_n_dual,
    safest_action_n,
    best_action_n_of_resolved,
    back_up,
)
