# SPDX-License-Identifier: MIT
"""What the iterations and the decisions call, whichever family of listings it comes from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from unbounded.reference.search import Search

Choice = Callable[[Any, Sequence[Any], "Search[Any]"], Any]
"""(s, A, T) -> s': a child of s, from the set A."""


class Listings(NamedTuple):
    """One family: Algorithm 1, Algorithms 4 and 5, or Algorithms 11 to 13."""

    best_action: Choice
    """completed_best_action (Algorithm 1), best_action_n (Algorithms 4 and 11)."""
    best_action_dual: Choice
    """completed_best_action_dual (Algorithm 1), best_action_n_dual (Algorithms 4 and 11)."""
    safest_action: Choice
    """safest_action_n (Algorithms 8 and 13)."""
    best_action_of_resolved: Choice
    """The argmax of completed_best_exploration_action_n (Algorithm 10, line 3)."""
    back_up: Callable[[Any, Search[Any]], None]
    """(s, T): the last lines of an iteration, which set c(s), v(s) and r(s)."""
