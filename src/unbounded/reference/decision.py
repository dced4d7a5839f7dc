# SPDX-License-Identifier: MIT
"""The choice of an action after a search, given as the state it leads to.

There is none (None) when the game is over. A search that has not expanded its root yet has
nothing to go by, which is a `UsageError`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from unbounded.game import Game, require
from unbounded.reference.search import Search

S = TypeVar("S")
A = TypeVar("A")


def best(search: Search[S]) -> S | None:
    """The child of best value (Algorithm 7)."""
    children = _children(search)
    return search.rule.best_child(search.root, children) if children else None


def safest(search: Search[S]) -> S | None:
    """A proven win, or else the child most often selected (Algorithms 8 and 13).

    ERRATA 9: once the root is resolved, the number of visits has nothing more to say, and
    might prefer a worse score.
    """
    if search.resolved[search.root]:
        return best(search)
    s, rule, n = search.root, search.rule, search.visits
    return rule.best(
        _children(search), lambda t: (*rule.proven(s, t), n[s, t], rule.estimated(s, t))
    )


def exploring(search: Search[S], law: Callable[[Search[S], S], S]) -> S | None:
    """The best child of a resolved root, or else what the law chooses (Algorithm 10)."""
    s, rule = search.root, search.rule
    children = _children(search)
    if not children:
        return None
    if not search.resolved[s]:
        return law(search, s)
    return rule.best(children, lambda t: (*rule.proven(s, t), rule.estimated(s, t)))


def best_by_tentative_completion(search: Search[S]) -> S | None:
    """The Remark's alternative to `best`: c' decides between equal completions."""
    s, rule, n = search.root, search.rule, search.visits
    children = _children(search)
    if not children:
        return None
    return rule.best(
        children,
        lambda t: (*rule.proven(s, t), _promised(search, t), rule.estimated(s, t), n[s, t]),
    )


def safest_by_tentative_completion(search: Search[S]) -> S | None:
    """The Remark's alternative to `safest`: c' decides between equal completions."""
    if search.resolved[search.root]:
        return best_by_tentative_completion(search)  # ERRATA 9
    s, rule, n = search.root, search.rule, search.visits
    return rule.best(
        _children(search),
        lambda t: (*rule.proven(s, t), _promised(search, t), n[s, t], rule.estimated(s, t)),
    )


def action_to(game: Game[S, A], s: S, child: S) -> A:
    """Return the first action that leads from the state to that child."""
    return next(action for action in game.actions(s) if game.next(s, action) == child)


def _promised(search: Search[Any], child: Any) -> float:
    return search.rule.mover(search.root, search.tentative_completion[child])


def _children(search: Search[S]) -> list[S]:
    if search.is_terminal(search.root):
        return []
    require(search.root in search.expanded, "nothing to decide by: the search has not begun")
    return search.children[search.root]
