# SPDX-License-Identifier: MIT
"""Algorithm 1: two players, zero sum. All numbers are the first player's, who maximizes them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeVar

from unbounded.reference.definitions import argmax, argmin
from unbounded.reference.listings import Listings

if TYPE_CHECKING:
    from unbounded.reference.search import Search

S = TypeVar("S")


def completed_best_action(s: S, A: Sequence[S], T: Search[S]) -> S:
    """Algorithm 1: the a priori best child in A; of equal ones, the one with the most visits."""
    c, v, n = T.completion, T.value, T.visits
    if T.player(s) == 0:  # line 2
        return argmax(A, lambda child: (c[child], v[child], n[s, child]))  # line 3
    return argmin(A, lambda child: (c[child], v[child], -n[s, child]))  # line 5


def completed_best_action_dual(s: S, A: Sequence[S], T: Search[S]) -> S:
    """Algorithm 1: the a priori best child in A; of equal ones, the one with the fewest visits."""
    c, v, n = T.completion, T.value, T.visits
    if T.player(s) == 0:  # line 2
        return argmax(A, lambda child: (c[child], v[child], -n[s, child]))  # line 3
    return argmin(A, lambda child: (c[child], v[child], n[s, child]))  # line 5


def backup_resolution(s: S, T: Search[S]) -> bool:
    """Algorithm 1: a proven win or loss resolves s, and so do resolved children only."""
    if abs(T.completion[s]) == 1:  # line 2
        return True  # line 3
    return min(T.resolved[child] for child in T.children[s])  # line 5


def back_up(s: S, T: Search[S]) -> None:
    """Algorithm 2, lines 21 to 23; Algorithm 3, lines 15 to 17 and 23 to 25."""
    child = completed_best_action(s, T.children[s], T)
    T.completion[s], T.value[s] = T.completion[child], T.value[child]
    T.tentative_completion[s] = T.completion[s]  # c' is of the n-player listings; here c' = c
    T.resolved[s] = backup_resolution(s, T)


def safest_action(s: S, A: Sequence[S], T: Search[S]) -> S:
    """Algorithm 8 for two players, which the paper takes from earlier work and does not print."""
    c, v, n = T.completion, T.value, T.visits
    if T.player(s) == 0:
        return argmax(A, lambda child: (c[child], n[s, child], v[child]))
    return argmin(A, lambda child: (c[child], -n[s, child], v[child]))


def best_action_of_resolved(s: S, A: Sequence[S], T: Search[S]) -> S:
    """Algorithm 10, line 3, for two players: the visits do not count."""
    c, v = T.completion, T.value
    if T.player(s) == 0:
        return argmax(A, lambda child: (c[child], v[child]))
    return argmin(A, lambda child: (c[child], v[child]))


LISTINGS = Listings(
    completed_best_action,
    completed_best_action_dual,
    safest_action,
    best_action_of_resolved,
    back_up,
)
