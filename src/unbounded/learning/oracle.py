# SPDX-License-Identifier: MIT
"""Proven outcomes of moves, by the solver and within a budget."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from unbounded.game import Game, outcome_of
from unbounded.learning.positions import Outcomes
from unbounded.search.budget import Budget
from unbounded.search.search import Search
from unbounded.solving.move_values import MoveValue, known_of, store_line
from unbounded.solving.solve import search_to_solve

STATES = 30_000_000
"""States per solved position by default: some seconds."""
MEMORY = 1 << 30
_FULL = 0.8
"""The share of the memory above which the next proof starts with an empty graph."""


class Oracle(Protocol):
    """Anything that knows exact results of moves, such as our solver or another program."""

    def scores(self, moves: Sequence[str]) -> dict[str, float] | None:
        """Return how good every legal action is for the player to move; None if it is unknown.

        The sign is the outcome; where the oracle knows how soon, larger is better.
        """


@dataclass
class Solver:
    """Our solver as an oracle. One search serves all positions: later proofs use earlier ones.

    states: budget of every single proof, stored or visited by probes.
    """

    game: Game[Any, Any]
    states: int = STATES
    memory: int = MEMORY
    threads: int = 1
    exact_score: bool = False
    """Whether scores are proven as well, where the game has some; that takes longer."""
    deadline: float | None = None
    """By `time.monotonic`: what is not proven by then stays unproven."""
    _search: Search | None = field(default=None, repr=False)

    def forget(self) -> None:
        """Drop everything that was proven: the next proof depends on nothing before it."""
        self._search = None

    def outcomes(self, moves: Sequence[str]) -> Outcomes | None:
        """Prove the outcome of every legal action, per player; None if one is not proven."""
        state = self._at(moves).state
        names = [self.game.action_name(state, action) for action in self.game.actions(state)]
        whole = self.outcome(moves)
        if whole is None or self._is_lost(state, whole):
            return None if whole is None else dict.fromkeys(names, whole)
        found: Outcomes = {}
        for name in names:
            outcome = self.outcome([*moves, name])
            if outcome is None:
                return None
            found[name] = outcome
        return found

    def details(self, moves: Sequence[str]) -> list[MoveValue]:
        """Return what is known of each legal action whose outcome `outcomes` has just proven."""
        state = self._at(moves).state
        found = []
        for action in self.game.actions(state):
            name = self.game.action_name(state, action)
            search = self._at([*moves, name])
            if search.root.resolved and not search.root.is_terminal:
                left = None if self.deadline is None else self.deadline - time.monotonic()
                store_line(search, Budget(states=self.states, memory=self.memory), left)
            found.append(known_of(search, name))
        return found

    def _is_lost(self, state: Any, outcome: tuple[int, ...]) -> bool:
        """Whether every move loses, so that none has to be proven by itself."""
        two = self.game.players == 2 and self.game.zero_sum
        return two and outcome[self.game.player(state)] == -1

    def outcome(self, moves: Sequence[str]) -> tuple[int, ...] | None:
        """Prove the outcome of a position, per player; None if the budget was too small."""
        search = self._at(moves)
        if search.root.is_terminal:
            return outcome_of(self.game, search.state)
        return search.root.outcome if self._prove(search) else None

    def best_move(self, moves: Sequence[str]) -> str:
        """Name a best move of a position: proven, or else estimated by the same search."""
        search = self._at(moves)
        self._prove(search)
        name = search.decide("best")
        if name is not None:
            return name
        return self.game.action_name(search.state, next(iter(self.game.actions(search.state))))

    def scores(self, moves: Sequence[str]) -> dict[str, float] | None:
        """Return the proven outcome of every legal action for the player to move."""
        outcomes, player = self.outcomes(moves), self.game.player(self._at(moves).state)
        if outcomes is None:
            return None
        return {name: float(outcome[player]) for name, outcome in outcomes.items()}

    def _prove(self, search: Search) -> bool:
        """Search the root until it is proven or the budget is spent."""
        if search.root.resolved:
            return True
        left = None if self.deadline is None else max(0.0, self.deadline - time.monotonic())
        if not search.advance(Budget(left, None, self.states, self.memory)):
            raise KeyboardInterrupt  # it ended the run, and must end the caller too
        return search.root.resolved

    def _at(self, moves: Sequence[str]) -> Search:
        """Return the search with its root after these moves."""
        search = self._search
        if search is None or search.memory_bytes > _FULL * self.memory:
            options: dict[str, Any] = {"moves": moves, "threads": self.threads}
            two = self.game.players == 2 and self.game.zero_sum
            if self.exact_score and self.game.has_score and two:  # more players always prove it
                options["exact_score"] = True
            search = self._search = search_to_solve(self.game, options)
        shared = 0
        for played, wanted in zip(search.moves, moves, strict=False):
            if played != wanted:
                break
            shared += 1
        while len(search.moves) > shared:
            search.undo()
        for move in moves[shared:]:
            search.play(move)
        return search
