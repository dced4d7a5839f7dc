# SPDX-License-Identifier: MIT
"""What every move of a position is worth, proven as far as a budget goes."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass

from unbounded.search.budget import Budget
from unbounded.search.search import Search
from unbounded.search.tree import proven_length

SHARE_OF_POSITION = 0.5
"""The share of the seconds for the position itself; what it proves helps with its moves."""

LEAST_SECONDS = 0.1
"""For the position when all its moves are proven, though the seconds are over."""


@dataclass(frozen=True)
class MoveValue:
    """What is known of a move: proven and estimated apart, every number per player."""

    name: str
    outcome: tuple[int, ...] | None
    """Proven; None where it is not."""
    score: tuple[float, ...] | None
    """Proven; None where it is not, or where the game has no scores beyond its outcomes."""
    distance: int | None
    """Proven: how many moves the line of best play takes to the end, this move included."""
    outcome_bounds: tuple[tuple[int, int], ...]
    """Proven: the worst and the best outcome that are still possible."""
    estimate: tuple[float | None, ...] | None
    """Estimated; None where the outcome is proven, or nothing was searched."""


def move_values(search: Search, budget: Budget) -> tuple[MoveValue, ...]:
    """Prove the position at the root of a search, then each of its moves, within a budget.

    The seconds are those of the whole, other limits those of each proof. All proofs are of one
    search, so with more than two players they are of one equilibrium. In the end the search is
    where it was; Ctrl-C is raised as `KeyboardInterrupt`.
    """
    seconds = budget.seconds
    end = None if seconds is None else time.monotonic() + seconds
    prove(search, budget, None if seconds is None else SHARE_OF_POSITION * seconds)
    game, state = search.game, search.state
    names = [game.action_name(state, action) for action in game.actions(state)]
    found = tuple(_proven_in_turn(search, names, budget, end))
    if all(value.outcome is not None for value in found):  # then it takes hardly any time
        left = None if end is None else max(LEAST_SECONDS, end - time.monotonic())
        prove(search, Budget(iterations=len(names), memory=budget.memory), left)
    return found


def prove(search: Search, budget: Budget, seconds: float | None) -> bool:
    """Search the root until it is proven or a limit comes first; Ctrl-C ends the caller too."""
    if not search.root.resolved:
        limits = Budget(seconds, budget.iterations, budget.states, budget.memory)
        if not search.advance(limits):
            raise KeyboardInterrupt
    return search.root.resolved


def _proven_in_turn(
    search: Search, names: list[str], budget: Budget, end: float | None
) -> Iterator[MoveValue]:
    """Give each move an equal share of the time that is left."""
    for number, name in enumerate(names):
        left = None if end is None else max(0.0, end - time.monotonic()) / (len(names) - number)
        search.play(name)
        try:
            if not search.root.is_terminal and prove(search, budget, left):
                store_line(search, budget, left)
            yield known_of(search, name)
        finally:
            search.undo()


def store_line(search: Search, budget: Budget, seconds: float | None) -> None:
    """Store a line of best play, where probes have proven the root and stored none."""
    if search.options.probes and proven_length(search.root, list(search.root.pv())) is None:
        search.advance(Budget(seconds, None, budget.states, budget.memory))


def known_of(search: Search, name: str) -> MoveValue:
    """What is known of the move that led to the root."""
    node = search.root
    length = proven_length(node, list(node.pv())) if node.resolved else None
    score = node.score if search.game.has_score else None
    searched = node.expanded and not node.resolved
    return MoveValue(
        name,
        node.outcome,
        score,
        None if length is None else 1 + length,
        node.outcome_bounds,
        node.estimate if searched else None,
    )
