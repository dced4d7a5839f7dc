# SPDX-License-Identifier: MIT
"""Games whose states are ordinary Python objects, as the core sees them: by number.

The core asks once for each state that it expands, and is told in the same answer everything about
the successors that it has not met yet.
"""

from __future__ import annotations

import operator
from collections.abc import Hashable
from typing import Any

from unbounded.game import Game, RuleError, UnboundedError

About = tuple[int, bool, int, list[int] | None, list[float] | None]
"""A state's number, whether the game is over there, who moves, outcome and score."""


class Bridge:
    """Numbers the states of a game in the order in which they are met."""

    def __init__(self, game: Game[Any, Any], canonical: bool = False) -> None:
        self.game = game
        self.symmetries = game.symmetries if canonical else 1
        self.states: list[Any] = []
        self.numbers: dict[Hashable, int] = {}

    def number_of(self, state: Any) -> int:
        """Return the state's number, giving it the next one if it is new.

        Of states that are the same up to symmetry, the first one met stands for all.
        """
        known = self.find(state)
        if known is not None:
            return known
        number = self.numbers[state] = len(self.states)
        self.states.append(state)
        return number

    def find(self, state: Any) -> int | None:
        """Return the state's number, if it has one."""
        try:
            known = self.numbers.get(state)
            for k in range(1, self.symmetries if known is None else 1):
                known = self.numbers.get(self._ask("symmetry", state, k))
                if known is not None:
                    break
        except TypeError as error:
            raise RuleError(f"{self.game}: a state must be hashable; {error}") from error
        return known

    def initial(self) -> int:
        """Return the number of the first state."""
        return self.number_of(self._ask("initial"))

    def successors(self, number: int) -> tuple[list[int], list[About]]:
        """Return the successors in the order of the actions, and all about the new ones."""
        state = self.states[number]
        seen = len(self.states)
        actions = list(self._ask("actions", state))
        found = [self.number_of(self._ask("next", state, action)) for action in actions]
        return found, [self.describe(new) for new in range(seen, len(self.states))]

    def describe(self, number: int) -> About:
        """Return what the rules say about a state."""
        state = self.states[number]
        if len(list(self._ask("actions", state))) > 0:
            return number, False, self._player(state), None, None
        outcome = list(self._ask("outcome", state))
        score = [float(x) for x in self._ask("score", state)]
        for rule, numbers in (("outcome", outcome), ("score", score)):
            if len(numbers) != self.game.players:
                raise RuleError(
                    f"{self.game}: {rule} gave {len(numbers)} numbers for "
                    f"{self.game.players} players in state {state!r}"
                )
        if any(x not in (-1, 0, 1) for x in outcome):
            raise RuleError(f"{self.game}: outcome {outcome} in state {state!r} is not -1, 0 or 1")
        return number, True, 0, [int(x) for x in outcome], score

    def _player(self, state: Any) -> int:
        player = self._ask("player", state)
        try:
            index = operator.index(player)
        except TypeError:
            index = -1
        if not 0 <= index < self.game.players:
            raise RuleError(
                f"{self.game}: player({state!r}) gave {player!r}; "
                f"players are 0 to {self.game.players - 1}"
            )
        return index

    def best_score_from(self, number: int, player: int) -> float:
        """Return a bound on the player's score below a state."""
        return float(self._ask("best_score_from", self.states[number])[player])

    def _ask(self, rule: str, *arguments: Any) -> Any:
        try:
            return getattr(self.game, rule)(*arguments)
        except UnboundedError:
            raise
        except Exception as error:
            about = ", ".join(repr(x) for x in arguments)
            raise RuleError(
                f"{self.game}: {rule}({about}) raised {type(error).__name__}: {error}"
            ) from error
