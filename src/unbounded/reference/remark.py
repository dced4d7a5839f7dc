# SPDX-License-Identifier: MIT
"""Remark 10: variants of resolution, of Descent and of the decision.

`resolve_on_win` and `local_maximum` are in `has_maximal_score`, `stop_at_draw` is in `candidates`.
The two decisions add c'(s') to the keys of the first generalization; elsewhere c' = c, which
changes no key.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeVar

from unbounded.reference import definitions
from unbounded.reference.definitions import argmax

if TYPE_CHECKING:
    from unbounded.reference.search import Search

S = TypeVar("S")


def has_maximal_score(s: S, T: Search[S]) -> bool:
    """Algorithms 5 and 12, line 2: v(s)_j = max f_t(s')_j over the terminal states s'.

    The Remark's variants: any score will do (`resolve_on_win`), or the maximum over D_t(s), the
    terminal states below s (`local_maximum`). ERRATA 9: the maximum is the game's declaration; if
    the game declares none, no score is known to be maximal.
    """
    j = T.player(s)
    if T.resolve_on_win:
        return True
    if T.local_maximum:
        return bool(T.value[s][j] == definitions.best_scores_from(T.game, s)[j])
    return T.best_scores is not None and bool(T.value[s][j] == T.best_scores[j])


def candidates(s: S, T: Search[S]) -> list[S]:
    """Algorithm 3, line 19: A, the unresolved children.

    The Remark's variant chooses among all of A(s) (`stop_at_draw`): an iteration ends at a resolved
    child if that is the best one. (The Remark writes best_action_n where the listing has its dual;
    the dual stays.)
    """
    return T.children[s] if T.stop_at_draw else T.unresolved_children(s)


def best_action_n(s: S, A: Sequence[S], T: Search[S]) -> S:
    """The alternative to the best action: c' decides between equal completions."""
    if T.values != "resolved_completion":
        best: S = T.listings.best_action(s, A, T)
        return best
    c, c_prime, v, n, j = T.completion, T.tentative_completion, T.value, T.visits, T.player(s)
    return argmax(A, lambda child: (c[child][j], c_prime[child][j], v[child][j], n[s, child]))


def safest_action_n(s: S, A: Sequence[S], T: Search[S]) -> S:
    """The alternative to the safest action: c' decides between equal completions."""
    if T.values != "resolved_completion":
        safest: S = T.listings.safest_action(s, A, T)
        return safest
    c, c_prime, v, n, j = T.completion, T.tentative_completion, T.value, T.visits, T.player(s)
    return argmax(A, lambda child: (c[child][j], c_prime[child][j], n[s, child], v[child][j]))
