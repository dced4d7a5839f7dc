# SPDX-License-Identifier: MIT
"""Exact values of all moves of a position, for arenas and learners; estimates for the rest."""

from __future__ import annotations

from typing import Any, NamedTuple

from unbounded.bridges.openspiel.positions import our_position
from unbounded.game import UsageError, require
from unbounded.game.position import Position
from unbounded.search.budget import Budget
from unbounded.search.search import Search
from unbounded.solving.move_values import MoveValue, move_values
from unbounded.solving.solve import search_to_solve

SECONDS = 1.0
MEMORY = 1 << 30


class Value(NamedTuple):
    """What is known of an action, for one player."""

    proven: int | None
    """The outcome after this action under best play, -1, 0 or +1; None if it is not proven."""
    estimate: float | None
    """The value by which the search would choose, on the scale of the game's scores; None where the
    outcome is proven, or where the search has not got to it."""
    distance: int | None
    """How many moves the proven line has to the end of the game, this one included; None if that
    is not known. It is not the quickest win, but one that is proven."""

    @classmethod
    def of(cls, known: MoveValue, player: int) -> Value:
        """Return what is known of a move, for one player."""
        proven = None if known.outcome is None else known.outcome[player]
        estimate = None if known.estimate is None else known.estimate[player]
        return cls(proven, estimate, known.distance)


def values(
    state: Any,
    *,
    player: int | None = None,
    seconds: float | None = None,
    states: int | None = None,
    memory: int | str | None = None,
    **options: Any,
) -> dict[Any, Value]:
    """Return what is known of every legal action of a state, in the order of the actions.

    state: a state of OpenSpiel, in one of its games or of ours; or a position or game of ours.
    player: for whom the values are; by default the player to move. With more than two players, or
        without zero sum, a proven outcome is that of an equilibrium, and others may exist.
    seconds, states, memory: limits; a second if none is given, and a GiB. States are counted for
        every action.
    options: those of `unbounded.solve`, such as `threads` (1 if not given) or `evaluation`.
    """
    position = _opened(state)
    who = position.player if player is None else player
    players = position.game.players
    allowed = type(who) is int and 0 <= who < players
    require(allowed, f"player must be from 0 to {players - 1}, not {player!r}")
    assert who is not None
    _, found = _found(position, seconds, states, memory, options)
    return {action: Value.of(known, who) for action, known in found.items()}


def regret(
    state: Any,
    action: Any,
    *,
    seconds: float | None = None,
    states: int | None = None,
    memory: int | str | None = None,
    **options: Any,
) -> int | None:
    """Return how much worse an action is than the best one, for the player to move.

    0 is a best action, 1 gives away a win for a draw or a draw for a loss, 2 a win for a loss.
    None if that is not proven: nothing is estimated. Limits and options are those of `values`.
    """
    position = _opened(state)
    legal = list(position.game.actions(position.state))
    require(action in legal, f"illegal action {action!r}; legal here: {legal}")
    search, found = _found(position, seconds, states, memory, options)
    mover = position.player
    assert mover is not None
    chosen = found[action].outcome
    best = max(known.outcome_bounds[mover][0] for known in found.values())
    most = max(known.outcome_bounds[mover][1] for known in found.values())
    if search.zero_sum and search.root.outcome is not None:
        best = most = search.root.outcome[mover]
    return best - chosen[mover] if chosen is not None and best == most else None


def _opened(state: Any) -> Position:
    position = our_position(state)
    if position.is_terminal:
        raise UsageError(f"the game is over, so no action has a value:\n{position}")
    return position


def _found(
    position: Position,
    seconds: float | None,
    states: int | None,
    memory: int | str | None,
    options: dict[str, Any],
) -> tuple[Search, dict[Any, MoveValue]]:
    """Return a search of the position, and what it has found of each action."""
    if seconds is None and states is None:
        seconds = SECONDS
    budget = Budget(seconds=seconds, states=states, memory=MEMORY if memory is None else memory)
    given = {"threads": 1, **options, "moves": position.moves}
    search = search_to_solve(position.game, given)
    actions = position.game.actions(position.state)
    return search, dict(zip(actions, move_values(search, budget), strict=True))
