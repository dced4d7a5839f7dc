# SPDX-License-Identifier: MIT
"""Read-only views of the graph: a state, its children, its principal variation.

What is proven is in `outcome` and `score`, which are None until then; `value` is an estimate, by
which the search chooses. A back-up updates only the states of one path, so the numbers of an
unresolved state are those of its last visit.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, SupportsIndex, overload

from unbounded.game import UsageError, did_you_mean, outcome_of
from unbounded.game.drawing import draw, stand_alone
from unbounded.game.rule_errors import changed
from unbounded.game.wording import counted, cut, number_text

if TYPE_CHECKING:
    from unbounded.native import Node as StoredNode
    from unbounded.search.search import Search
    from unbounded.search.window import Window


def estimates(
    values: Sequence[float], bounds: Sequence[tuple[int, int]]
) -> tuple[float | None, ...]:
    """The values as they are shown: None where they contradict what is proven.

    A player who cannot win is not estimated to win, and one who cannot lose not to lose.
    """
    return tuple(
        None if (x > 0 and high <= 0) or (x < 0 and low >= 0) else x
        for x, (low, high) in zip(values, bounds, strict=True)
    )


class Node:
    """A state of the graph, as it was when this view was first read."""

    def __init__(self, search: Search, number: int, state: Any = None) -> None:
        self._search = search
        self.number = number
        self._state = state

    @cached_property
    def _stored(self) -> StoredNode:
        return self._search._core.node(self.number)

    def _per_player(self, numbers: list[Any]) -> tuple[Any, ...]:
        # Two-player searches store the first player's number only. Adding 0 makes -0.0 a 0.
        return (numbers[0], -numbers[0] + 0) if self._search.zero_sum else tuple(numbers)

    @cached_property
    def state(self) -> Any:
        """The game's state: the one that was played to, where the graph stores an image of it."""
        if self._state is not None:
            return self._state
        return self._search.route.from_core(self._search._core.state(self.number))

    @property
    def player(self) -> int | None:
        """Who moves; None when the game is over."""
        return None if self.is_terminal else self._stored.player

    @property
    def is_terminal(self) -> bool:
        """Whether the game is over in this state."""
        return self._stored.terminal

    @property
    def expanded(self) -> bool:
        """Whether the children are in the graph."""
        return self._stored.expanded

    @property
    def resolved(self) -> bool:
        """Whether the outcome is proven: by the search, or by the rules where the game is over."""
        return self._stored.resolved or self.is_terminal

    @property
    def bounded(self) -> bool:
        """Whether bounds are kept: what is proven may then rest on a child's bounds alone."""
        return self._search.zero_sum and self._search.options.bounds

    @property
    def proven_best(self) -> Child | None:
        """In a resolved state, a child that proves its outcome."""
        position = self._search._core.best_child(self.number)
        if position < 0:
            return None
        number, _ = self._search._core.children(self.number)[position]
        return next(child for child in self.children if child.node.number == number)

    @property
    def propagates(self) -> bool:
        """Whether completions of unresolved states are used (the paper's second generalization)."""
        return self._search.options.values == "propagated_completion"

    @property
    def equilibrium(self) -> bool:
        """Whether what is proven is an equilibrium: best play may have other results too."""
        return not self._search.zero_sum

    @property
    def note(self) -> str:
        """What has to be said with every proven outcome; see `result.note_of`."""
        return self._search.note

    @property
    def outcome(self) -> tuple[int, ...] | None:
        """Proven: -1, 0 or +1 per player under best play; None until it is proven."""
        if self.is_terminal:
            return outcome_of(self._search.game, self.state)
        return self.completion if self.resolved else None

    @property
    def score(self) -> tuple[float, ...] | None:
        """Proven: the score per player under best play; None where it is not proven.

        A search that stops at the first win it finds (see `SearchOptions.proves_scores`) proves the
        score of a state only in games whose score is the outcome; without bounds, of draws too.
        """
        if not self.resolved:
            return None
        search, options = self._search, self._search.options
        exact = self.is_terminal or not search.game.has_score or options.proves_scores
        if options.zero_sum and not options.bounds:
            exact = exact or self.completion[0] == 0
        return self.value if exact else None

    @property
    def outcome_bounds(self) -> tuple[tuple[int, int], ...]:
        """Proven: the worst and the best outcome that are still possible, per player."""
        outcome = self.outcome
        if outcome is not None:
            return tuple((x, x) for x in outcome)
        if not self._search.zero_sum:
            return ((-1, 1),) * self._search.game.players
        low, high = self._search._core.outcome_bounds(self.number)
        return (low, high), (-high, -low)

    @property
    def worth_bounds(self) -> Window | None:
        """Proven: the least and the greatest worth that the first player can still have.

        A worth is an outcome and a score, which is that outcome again if the search does not prove
        scores (`SearchOptions.proves_scores`). None if the state is not resolved and the players
        are not two with zero sum: then nothing is known of one player's worth alone.
        """
        outcome = self.outcome
        if outcome is not None:
            score = self.score if self._search.options.proves_scores else None
            worth = outcome[0], float((score or outcome)[0])
            return worth, worth
        return self._search._core.worth_bounds(self.number) if self._search.zero_sum else None

    @property
    def value(self) -> tuple[float, ...]:
        """Estimated: the value by which the search chooses, per player."""
        return self._per_player(self._stored.value)

    @property
    def estimate(self) -> tuple[float | None, ...]:
        """Estimated: the value per player, None where it contradicts what is proven."""
        return estimates(self.value, self.outcome_bounds)

    @property
    def completion(self) -> tuple[int, ...]:
        """The paper's c(s), per player."""
        return self._per_player(self._stored.completion)

    @property
    def tentative_completion(self) -> tuple[int, ...]:
        """The paper's c'(s), per player."""
        return self._per_player(self._stored.tentative_completion)

    @cached_property
    def children(self) -> Children:
        """One child per legal action, by index or by the name of a move; empty until expanded.

        Two actions with the same successor share its node and its visits. After a compaction a
        resolved state may have kept only the child that proves it.
        """
        if not self.expanded:
            return Children()
        game = self._search.game
        actions = game.actions(self.state)
        return Children(
            Child(action, game.action_name(self.state, action), edge[1], edge[0])
            for action, edge in zip(actions, self._edges(actions), strict=True)
            if edge is not None
        )

    @property
    def child_count(self) -> int:
        """How many successors are stored."""
        return len(self._search._core.children(self.number)) if self.expanded else 0

    def _edges(self, actions: Sequence[Any]) -> list[tuple[Node, int] | None]:
        """The successor and the visits for each of the actions; None where it was forgotten."""
        search, core, game = self._search, self._search._core, self._search.game
        edges = core.children(self.number)
        # Where no two actions lead to the same state, the edges are in the order of the actions.
        if len(edges) == len(actions) and not search.options.canonical:
            return [(Node(search, number), n) for number, n in edges]
        visits = dict(edges)
        found: list[tuple[Node, int] | None] = []
        for action in actions:
            state = game.next(self.state, action)
            number = core.find(search.route.to_core(state))
            if number is None or number not in visits:
                if core.compactions == 0:  # every successor of an expanded state is stored
                    raise changed(game, self.state, action, state)
                found.append(None)
            else:
                found.append((Node(search, number, state), visits[number]))
        return found

    def _repr_svg_(self) -> str:
        return stand_alone(draw(self._search.game, self.state))

    def pv(self) -> Iterator[tuple[str, Node]]:
        """The principal variation as far as it is known: names of actions, and where they lead."""
        core, game, node = self._search._core, self._search.game, self
        passed = set[int]()
        # A game with a cycle that the search has not met yet has a line without end.
        while node.number not in passed:
            passed.add(node.number)
            position = core.best_child(node.number)
            if position < 0:
                return
            number, _ = core.children(node.number)[position]
            action, state = node._action_to(number, position)
            name = game.action_name(node.state, action)
            node = Node(self._search, number, state)
            yield name, node

    def _action_to(self, number: int, position: int) -> tuple[Any, Any]:
        """The first action that leads to a child, and the state it leads to."""
        search, game = self._search, self._search.game
        actions = game.actions(self.state)
        if len(search._core.children(self.number)) == len(actions) and not search.options.canonical:
            return actions[position], game.next(self.state, actions[position])
        for action in actions:
            state = game.next(self.state, action)
            if search._core.find(search.route.to_core(state)) == number:
                return action, state
        # Some action leads to every child, unless the rules have changed their mind.
        raise changed(game, self.state)

    def _known(self) -> str:
        """What is known, in few words: what is proven with its note."""
        if not self.resolved or self.outcome is None:
            return "estimated " + ", ".join(map(number_text, self.value))
        note = f" ({self.note})" if self.note and not self.is_terminal else ""
        return "proven " + ", ".join(f"{x:+d}" if x else "0" for x in self.outcome) + note

    def __repr__(self) -> str:
        game = cut(str(self._search.game), 30)
        return f"<Node {self.number} of {game}: {cut(self._known(), 45)}>"


def proven_length(node: Node, pv: Sequence[tuple[str, Node]]) -> int | None:
    """How many moves the principal variation of a resolved state has to the end of the game.

    None where that is not known: a probe proves a state without storing the states below it.
    """
    passed = [node, *(following for _, following in pv)]
    known = passed[-1].is_terminal and all(following.resolved for following in passed)
    return len(pv) if known else None


@dataclass(frozen=True)
class Child:
    """An action from a state, and where it leads."""

    action: Any
    name: str
    visits: int
    node: Node

    @property
    def resolved(self) -> bool:
        """Whether the outcome after this action is proven."""
        return self.node.resolved

    @property
    def outcome(self) -> tuple[int, ...] | None:
        """Proven outcome per player after this action; None until it is proven."""
        return self.node.outcome

    @property
    def score(self) -> tuple[float, ...] | None:
        """Proven score per player after this action; None where it is not proven."""
        return self.node.score

    @property
    def value(self) -> tuple[float, ...]:
        """Estimated value per player after this action."""
        return self.node.value

    @property
    def estimate(self) -> tuple[float | None, ...]:
        """The same, None where it contradicts what is proven."""
        return self.node.estimate

    def __repr__(self) -> str:
        known = cut(self.node._known(), 40)
        return f"<Child {cut(self.name, 20)!r}: {known}; {counted(self.visits, 'visit')}>"


class Children(tuple[Child, ...]):
    """The children of a state in the order of its actions: `[0]`, or by move: `["4"]`."""

    @overload
    def __getitem__(self, key: SupportsIndex | str) -> Child: ...

    @overload
    def __getitem__(self, key: slice) -> tuple[Child, ...]: ...

    def __getitem__(self, key: SupportsIndex | str | slice) -> Child | tuple[Child, ...]:
        if not isinstance(key, str):
            return super().__getitem__(key)
        for child in self:
            if child.name == key:
                return child
        raise UsageError(self._unknown(key))

    def __contains__(self, key: object) -> bool:
        if isinstance(key, str):
            return any(child.name == key for child in self)
        return super().__contains__(key)

    def _unknown(self, name: str) -> str:
        if not self:
            return f"there is no child {name!r}: the state is terminal, or not expanded yet"
        names = [child.name for child in self]
        listed = ", ".join(names[:12]) + (", ..." if len(names) > 12 else "")
        return f"there is no child {name!r}{did_you_mean(name, names)}; there are: {listed}"
