# SPDX-License-Identifier: MIT
"""Games whose states are ordinary Python objects, as the core sees them: by number.

The core asks once for each state that it expands, and is told in the same answer everything about
the successors that it has not met yet.
"""

from __future__ import annotations

import operator
from array import array
from collections.abc import Hashable, Sequence
from random import Random
from typing import Any

from unbounded.game import Game, RuleError, UnboundedError, require

About = tuple[int, bool, int, list[int] | None, list[float] | None]
"""A state's number, whether the game is over there, who moves, outcome and score."""


PLAYED = -1
"""Stands for the parent of a state that was played to."""
LOST = -2
"""The same of a state that could not be played to, for its rules failed: nobody needs it."""
LONGEST_GAME = 1_000_000
"""No honest game is longer: a random one that is never ends."""


class Bridge:
    """Numbers the states of a game in the order in which they are met."""

    def __init__(self, game: Game[Any, Any], canonical: bool = False) -> None:
        self.game = game
        self.symmetries = game.symmetries if canonical else 1
        self.states: list[Any] = []
        self.numbers: dict[Hashable, int] = {}
        self.origins = array("i")
        """How to get each state again: two numbers, see `number_of`."""

    def find(self, state: Any) -> int | None:
        """Return the state's number; None if it has none yet.

        Of states that are the same up to symmetry, the first one met stands for all.
        """
        try:
            for k in range(1, self.symmetries):
                known = self.numbers.get(self._ask("symmetry", state, k))
                if known is not None:
                    return known
            return self.numbers.get(state)
        except TypeError as error:
            raise RuleError(f"{self.game}: a state must be hashable; {error}") from error

    def number_of(self, state: Any, parent: int, place: int) -> int:
        """Return the state's number, giving it the next one if it is new.

        It was met after the action at this place among the actions of the parent; or, where that is
        `PLAYED`, after so many moves of the game that is searched.
        """
        known = self.find(state)
        if known is not None:
            if self.origins[2 * known] == LOST and parent < known:
                self.origins[2 * known : 2 * known + 2] = array("i", (parent, place))
            return known
        number = self.numbers[state] = len(self.states)
        self.states.append(state)
        self.origins.extend((parent, place))
        return number

    def not_played(self, state: Any) -> None:
        """Note that a state was not played to after all."""
        number = self.find(state)
        if number is not None and self.origins[2 * number] == PLAYED:
            self.origins[2 * number] = LOST

    def initial(self) -> int:
        """Return the number of the first state."""
        return self.number_of(self._ask("initial"), PLAYED, 0)

    def successors(self, number: int) -> tuple[list[int], list[About]]:
        """Return the successors in the order of the actions, and all about the new ones."""
        state = self.states[number]
        seen = len(self.states)
        actions = list(self._ask("actions", state))
        found = [
            self.number_of(self._ask("next", state, action), number, place)
            for place, action in enumerate(actions)
        ]
        return found, [self.describe(new) for new in range(seen, len(self.states))]

    def describe(self, number: int) -> About:
        """Return what the rules say about a state."""
        state = self.states[number]
        if len(list(self._ask("actions", state))) > 0:
            return number, False, self._player(state), None, None
        return number, True, 0, *self._end(state)

    def _end(self, state: Any) -> tuple[list[int], list[float]]:
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
        return [int(x) for x in outcome], score

    def play_out(self, number: int, seed: int) -> tuple[list[int], list[float]]:
        """Play a random game; return outcome and score of its end, and keep no state of it."""
        random, state = Random(seed), self.states[number]
        for _ in range(LONGEST_GAME):
            actions = list(self._ask("actions", state))
            if not actions:
                return self._end(state)
            state = self._ask("next", state, random.choice(actions))
        raise RuleError(f"{self.game}: a random game from {self.states[number]!r} does not end")

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

    def rebuild(self, origins: Sequence[int], played: Sequence[Any]) -> None:
        """Number the states as they were in a search that was saved, by the rules alone.

        played: the states of the game that was searched, the first one included.
        """
        require(tuple(origins[:2]) == (PLAYED, 0), "the first state is not that of the game")
        self.states, self.numbers, self.origins = [], {}, array("i")
        parent, actions = PLAYED, list[Any]()
        for number in range(len(origins) // 2):
            before, place = origins[2 * number], origins[2 * number + 1]
            if before == LOST:
                self.states.append(object())
                self.origins.extend((LOST, place))
                continue
            if before != parent:
                require(PLAYED <= before < number, f"state {number} comes from nowhere")
                if before != PLAYED:
                    actions = list(self._ask("actions", self.states[before]))
                parent = before
            choices = played if before == PLAYED else actions
            require(0 <= place < len(choices), f"state {number} is not where it was")
            state = choices[place]
            if before != PLAYED:
                state = self._ask("next", self.states[before], state)
            again = self.number_of(state, before, place)
            require(again == number, f"next does not lead to {state!r} any more, or did not before")

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
