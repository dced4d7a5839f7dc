# SPDX-License-Identifier: MIT
"""Exact values of all moves of a position, for arenas and learners; estimates for the rest."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any, NamedTuple

from unbounded.bridges.openspiel.positions import our_position
from unbounded.evaluation import default_evaluation
from unbounded.game import UsageError, require
from unbounded.game.position import Position
from unbounded.search.budget import Budget
from unbounded.search.search import Search
from unbounded.search.tree import proven_length
from unbounded.solving.solve import search_to_solve

SECONDS = 1.0
FIRST_STATES, GROWTH = 10_000, 10
"""States of the first attempt to prove a move, and how many times more the next one may take."""
MOST_STATES = 10**12
MEMORY = 1 << 30
FULL = 0.8
"""The share of the memory above which the next proof starts with an empty graph."""
FOR_ESTIMATES = 0.3
"""The share of the time that is left for estimates, if not everything is proven before."""


class Value(NamedTuple):
    """What is known of an action, for one player."""

    proven: int | None
    """The outcome after this action under best play, -1, 0 or +1; None if it is not proven."""
    estimate: float | None
    """The value by which a search would choose, on the scale of the game's scores; None where the
    outcome is proven, or where the search has not got to it."""
    distance: int | None
    """How many moves the proven line has to the end of the game, this one included; None if that
    is not known. It is not the quickest win, but one that is proven."""


def values(
    state: Any,
    *,
    player: int | None = None,
    seconds: float | None = None,
    states: int | None = None,
    memory: int | str | None = None,
    threads: int = 1,
    evaluation: str | None = None,
) -> dict[Any, Value]:
    """Return what is known of every legal action of a state, in the order of the actions.

    state: a state of OpenSpiel, in one of its games or of ours; or a position or game of ours.
    player: for whom the values are; by default the player to move. With more than two players, or
        without zero sum, a proven outcome is that of an equilibrium, and others may exist.
    seconds, states, memory: limits; a second if none is given, and a GiB. States are counted for
        every action.
    evaluation: of the search that gives estimates; by default the best one for the game.
    """
    position, budget = _opened(state), _budget(seconds, states, memory)
    game, mover = position.game, position.player
    who = mover if player is None else player
    assert who is not None
    allowed = type(who) is int and 0 <= who < game.players
    require(allowed, f"player must be from 0 to {game.players - 1}, not {player!r}")
    actions = list(game.actions(position.state))
    found = _proven(position, budget, threads)
    estimates: dict[Any, float | None] = {}
    if len(found) < len(actions):
        estimates = _estimated(position, budget, evaluation, who, found)
    return {
        action: Value(found[action][0][who], None, found[action][1])
        if action in found
        else Value(None, estimates.get(action), None)
        for action in actions
    }


def regret(state: Any, action: Any, **limits: Any) -> int | None:
    """Return how much worse an action is than the best one, for the player to move.

    0 is a best action, 1 gives away a win for a draw or a draw for a loss, 2 a win for a loss.
    None if it is not proven: nothing is estimated. The limits are those of `values`.
    """
    require("player" not in limits, "the regret is that of the player to move")
    position = _opened(state)
    legal = list(position.game.actions(position.state))
    require(action in legal, f"illegal action {action!r}; legal here: {legal}")
    known = [value.proven for value in values(position, **limits).values()]
    mine = known[legal.index(action)]
    best = max((x for x in known if x is not None), default=None)
    if mine is None or best is None or (best < 1 and None in known):
        return None
    return best - mine


def _opened(state: Any) -> Position:
    position = our_position(state)
    if position.is_terminal:
        raise UsageError(f"the game is over, so no action has a value:\n{position}")
    return position


def _budget(seconds: float | None, states: int | None, memory: int | str | None) -> Budget:
    if seconds is None and states is None:
        seconds = SECONDS
    return Budget(seconds=seconds, states=states, memory=memory)


def _memory(budget: Budget) -> int:
    return MEMORY if budget.memory is None else budget.memory_limit(0)


# -- proofs ---------------------------------------------------------------------------------------

Proof = tuple[tuple[int, ...], int | None]
"""An outcome per player, and the moves of its line."""


def _proven(position: Position, budget: Budget, threads: int) -> dict[Any, Proof]:
    """Prove the outcomes of actions, easy ones first; return those that were proven in time."""
    prover, found = _Prover(position, budget, threads), dict[Any, Proof]()
    actions = position.game.actions(position.state)
    for states in _attempts(budget.states):
        for action in actions:
            proof = None if action in found else prover.proof(action, states)
            if proof is not None:
                found[action] = proof
        if len(found) == len(actions) or prover.seconds_left() == 0:
            break
    return found


def _attempts(most: int | None) -> Iterator[int]:
    """Yield ever more states, the most that are allowed last."""
    allowed, states = MOST_STATES if most is None else most, FIRST_STATES
    while states < allowed:
        yield states
        states *= GROWTH
    yield allowed


class _Prover:
    """One search for all actions of a position: later proofs use earlier ones."""

    def __init__(self, position: Position, budget: Budget, threads: int) -> None:
        self.position, self.threads = position, threads
        self.memory = _memory(budget)
        self.deadline: float | None = None
        if budget.seconds is not None:
            self.deadline = time.monotonic() + (1 - FOR_ESTIMATES) * budget.seconds
        self.search = self._new_search()

    def _new_search(self) -> Search:
        given = {"moves": self.position.moves, "threads": self.threads}
        return search_to_solve(self.position.game, given)

    def seconds_left(self) -> float | None:
        """Return how much time is left for proofs; None without a limit."""
        return None if self.deadline is None else max(0.0, self.deadline - time.monotonic())

    def proof(self, action: Any, states: int) -> Proof | None:
        """Search below an action; return its outcome and the length of its line, if proven."""
        if self.search.memory_bytes > FULL * self.memory:
            self.search = self._new_search()
        search = self.search
        search.play_action(action)
        try:
            budget = Budget(self.seconds_left(), None, states, self.memory)
            if not search.root.resolved and not search.advance(budget):
                raise KeyboardInterrupt  # it ended the search, and must end the caller too
            root = search.root
            if root.outcome is None:
                return None
            length = 0 if root.is_terminal else proven_length(root, list(root.pv()))
            return root.outcome, None if length is None else 1 + length
        finally:
            search.undo()


# -- estimates ------------------------------------------------------------------------------------


def _estimated(
    position: Position, budget: Budget, evaluation: str | None, who: int, found: dict[Any, Proof]
) -> dict[Any, float | None]:
    """Search for the values of actions that are not proven; add those that it proves."""
    chosen = evaluation or default_evaluation(position.game, playing=True)
    search = Search(position.game, moves=position.moves, evaluation=chosen)
    seconds = None if budget.seconds is None else FOR_ESTIMATES * budget.seconds
    search.run(seconds=seconds, states=budget.states, memory=_memory(budget))
    for child in search.root.children:
        if child.outcome is not None and child.action not in found:
            found[child.action] = child.outcome, None
    return {child.action: child.node.estimate[who] for child in search.root.children}
