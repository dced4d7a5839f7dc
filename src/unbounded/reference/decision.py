# SPDX-License-Identifier: MIT
"""The action to play after a search, given as the child of the root that it leads to.

ERRATA 4: the listings take an argmax over the empty set when the root is terminal; here the answer
is None. Before the first iteration there is nothing to compare, which is a `UsageError`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from unbounded.game import Game, require
from unbounded.reference import remark
from unbounded.reference.listings import Choice
from unbounded.reference.search import Search

S = TypeVar("S")
A = TypeVar("A")


def best(search: Search[S]) -> S | None:
    """UBFM^n: best_action_n(s, T) (Algorithm 7, line 4)."""
    return _choice(search, search.listings.best_action)


def safest(search: Search[S]) -> S | None:
    """UBFM_s^n: safest_action_n(s, T) (Algorithm 8, line 4, and Algorithm 13).

    ERRATA 9: at a resolved root it might have a worse score than the best action, which is
    returned instead.
    """
    if search.resolved[search.root]:
        return best(search)
    return _choice(search, search.listings.safest_action)


def exploring(
    search: Search[S], best_exploration_action_n: Callable[[Search[S], S], S]
) -> S | None:
    """descent^n: completed_best_exploration_action_n(s, T) (Algorithm 10)."""
    if search.resolved[search.root]:  # line 2
        return _choice(search, search.listings.best_action_of_resolved)  # line 3
    return _choice(search, lambda s, _, T: best_exploration_action_n(T, s))  # line 5


def best_by_tentative_completion(search: Search[S]) -> S | None:
    """The Remark's alternative to `best`."""
    return _choice(search, remark.best_action_n)


def safest_by_tentative_completion(search: Search[S]) -> S | None:
    """The Remark's alternative to `safest`; ERRATA 9 applies to it too."""
    if search.resolved[search.root]:
        return best_by_tentative_completion(search)
    return _choice(search, remark.safest_action_n)


def action_to(game: Game[S, A], s: S, child: S) -> A:
    """Return the first action that leads from the state to that child."""
    return next(action for action in game.actions(s) if game.next(s, action) == child)


def _choice(search: Search[S], choose: Choice) -> S | None:
    if search.is_terminal(search.root):
        return None
    require(search.root in search.expanded, "no decision yet: the search has made no iteration")
    child: S = choose(search.root, search.children[search.root], search)
    return child
