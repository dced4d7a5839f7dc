# SPDX-License-Identifier: MIT
"""The three rules by which a state's completion c, value v and resolution r follow its children's.

* `Minimax`: two players, zero sum; c and v are the first player's (Algorithm 1).
* `ResolvedCompletion`, the first generalisation: c and v per player, and only a resolved state
  has a completion; what its children promise is kept apart, as c' (Algorithms 4 and 5).
* `PropagatedCompletion`, the second generalisation: c and v per player, and the completion is
  propagated from unresolved states too (Algorithms 11 and 12).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from unbounded.reference import definitions

if TYPE_CHECKING:
    from unbounded.reference.search import Search

S = TypeVar("S")


class Completion(Generic[S]):
    """What the rules share: choosing among children, by keys that each rule defines."""

    def __init__(self, search: Search[S]) -> None:
        self.search = search

    def stored(self, vector: Sequence[Any]) -> Any:
        """What is kept of one number per player."""
        return tuple(vector)

    def mover(self, s: S, number: Any) -> float:
        """A stored number as the player who moves in s sees it: more is better."""
        mine: float = number[self.search.game.player(s)]
        return mine

    def proven(self, s: S, child: S) -> tuple[float, ...]:
        """The first part of every key: how good for the mover the child's completion is."""
        return (self.mover(s, self.search.completion[child]),)

    def estimated(self, s: S, child: S) -> float:
        """How good for the mover the child's value is."""
        return self.mover(s, self.search.value[child])

    def best(self, children: Sequence[S], key: Callable[[S], tuple[float, ...]]) -> S:
        """argmax; a tie goes to the child that the first action leads to."""
        return max(children, key=key)

    def best_child(self, s: S, children: Sequence[S]) -> S:
        """completed_best_action(s, A), best_action_n(s, T)."""
        n = self.search.visits
        return self.best(children, lambda t: (*self.proven(s, t), self.estimated(s, t), n[s, t]))

    def least_tried_best_child(self, s: S, children: Sequence[S]) -> S:
        """completed_best_action_dual(s, A), best_action_n_dual(s, A).

        ERRATA 3: for n players too it ranges over the set it is called with.
        """
        n = self.search.visits
        return self.best(children, lambda t: (*self.proven(s, t), self.estimated(s, t), -n[s, t]))

    def back_up(self, s: S) -> None:
        """Recompute c(s), v(s) and r(s) from the children of s."""
        raise NotImplementedError

    def all_resolved(self, s: S) -> bool:
        """The minimum of r(s') over A(s)."""
        return all(self.search.resolved[child] for child in self.search.children[s])

    def wins_with_best_score(self, s: S) -> bool:
        """Whether the mover's c'(s) is a win and no end of the game scores more than v(s)."""
        search = self.search
        if self.mover(s, search.tentative_completion[s]) != 1:
            return False
        if search.resolve_on_win:
            return True
        best = search.best_scores
        if search.local_maximum:
            best = definitions.best_scores_from(search.game, s)
        return best is not None and self.mover(s, search.value[s]) == self.mover(s, best)


class Minimax(Completion[S]):
    """Two players, zero sum: what is good for the first player is bad for the second."""

    def stored(self, vector: Sequence[Any]) -> Any:
        return vector[0]

    def mover(self, s: S, number: Any) -> float:
        # argmin over (c, v, -n) is argmax over (-c, -v, n).
        mine: float = number if self.search.game.player(s) == 0 else -number
        return mine

    def back_up(self, s: S) -> None:
        search = self.search
        child = self.best_child(s, search.children[s])
        search.completion[s], search.value[s] = search.completion[child], search.value[child]
        search.tentative_completion[s] = search.completion[s]
        search.resolved[s] = abs(search.completion[s]) == 1 or self.all_resolved(s)


class ResolvedCompletion(Completion[S]):
    """The first generalisation: an unresolved state's completion is zero."""

    def back_up(self, s: S) -> None:
        search = self.search
        child = self.best_child(s, search.children[s])
        search.tentative_completion[s] = search.completion[child]
        search.value[s] = search.value[child]
        search.resolved[s] = self.wins_with_best_score(s) or self.all_resolved(s)
        if search.resolved[s]:
            search.completion[s] = search.tentative_completion[s]


class PropagatedCompletion(Completion[S]):
    """The second generalisation: an unresolved state has the completion of its best child."""

    def proven(self, s: S, child: S) -> tuple[float, ...]:
        c = self.mover(s, self.search.completion[child])
        return (self.search.resolved[child] * c, c)

    def back_up(self, s: S) -> None:
        search = self.search
        child = self.best_child(s, search.children[s])
        search.completion[s], search.value[s] = search.completion[child], search.value[child]
        search.tentative_completion[s] = search.completion[s]
        search.resolved[s] = (
            self.wins_with_best_score(s) and self.has_resolved_twin(s)
        ) or self.all_resolved(s)

    def has_resolved_twin(self, s: S) -> bool:
        """Whether some resolved child has the completion and the value of s."""
        search = self.search
        return any(
            search.resolved[child]
            and search.completion[child] == search.completion[s]
            and search.value[child] == search.value[s]
            for child in search.children[s]
        )
