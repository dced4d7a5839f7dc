# SPDX-License-Identifier: MIT
"""Conformance of the rule `endgame`: states with the same number are searched, if that is quick."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from unbounded.conformance.plain_scores import PlainScores, TooManyError

MOST_STATES = 400
"""So many states that are numbered are searched."""
MOST_CALLS = 4000
"""So many states are visited for each of these."""

ADVICE = "number what is left of the game as the player to move sees it, nearer to the end first"


class EndgameChecker:
    """Compares states to which the rule `endgame` of a game gives the same number."""

    def __init__(self, rules: Any, sizes: Sequence[int]) -> None:
        # `rules`: the game, or the same compiled, which is faster.
        self._rules, self._sizes = rules, list(sizes)
        self._scores = PlainScores(rules, MOST_CALLS)
        self._states = 0
        self._gains: dict[int, float] = {}

    def problem(self, state: bytes, number: int, lead: int) -> str | None:
        """Return what is wrong with the number of a state, or None if nothing was found."""
        size = next((size for size in self._sizes if number < size), None)
        if number < 0 or size is None:
            return None
        for after in (self._rules.next(state, x) for x in self._rules.actions(state)):
            below = self._rules.endgame(after)[0] if self._rules.actions(after) else 0
            if not 0 <= below < size:
                return f"endgame gave {number}, below {size}, but an action leads to {below}"
        for most in self._sizes:
            answer = self._rules.endgame(state, most)[0]
            if answer != number and (answer != -1 or number < most):
                return f"endgame gave {number}, but {answer} when numbers below {most} are wanted"
        return self._problem_of_gain(state, number, lead)

    def _problem_of_gain(self, state: bytes, number: int, lead: int) -> str | None:
        if self._states == MOST_STATES:
            return None
        self._states += 1
        self._scores.forget()
        try:
            score = self._scores.score(state)
        except TooManyError:
            return None
        gain = (score if self._rules.player(state) == 0 else -score) - lead
        known = self._gains.setdefault(number, gain)
        if known == gain:
            return None
        return (
            f"endgame gave {number} to two states: the player to move scores {gain:g} more than "
            f"the lead in one, and {known:g} more in the other"
        )
