# SPDX-License-Identifier: MIT
"""Conformance of the rule `reduced`: what it leaves is searched, as far as that is quick."""

from __future__ import annotations

from typing import Any

from unbounded.conformance.plain_scores import PlainScores, TooManyError

MOST_STATES = 200
"""So many states that are reduced to others are searched."""
MOST_CALLS = 2000
"""So many states are visited for each of these."""

ADVICE = "leave out only what no longer matters, and return the lead that this takes away"


class ReducedChecker:
    """Compares states with what the rule `reduced` of a game leaves of them, by plain rules."""

    def __init__(self, rules: Any) -> None:
        self._scores = PlainScores(rules, MOST_CALLS)
        self._states = 0

    def problem(self, state: bytes, left: bytes, lead: int) -> str | None:
        """Return what is wrong with what is left of a state, or None if nothing was found."""
        if (left == state and lead == 0) or self._states == MOST_STATES:
            return None
        self._states += 1
        self._scores.forget()
        try:
            score, rest = self._scores.score(state), self._scores.score(left)
        except TooManyError:
            return None
        if score == lead + rest:
            return None
        return f"the first player gets {score:g}, but {lead} + {rest:g} by what reduced leaves"
