# SPDX-License-Identifier: MIT
"""Conformance of the rule `reduced`: what it leaves is searched, as far as that is quick."""

from __future__ import annotations

from typing import Any

MOST_STATES = 200
"""So many states that are reduced to others are searched."""
MOST_CALLS = 2000
"""So many states are visited for each of these."""

ADVICE = "leave out only what no longer matters, and return the lead that this takes away"


class _TooManyError(Exception):
    """The search has visited as many states as it may."""


class ReducedChecker:
    """Compares states with what the rule `reduced` of a game leaves of them, by plain rules."""

    def __init__(self, rules: Any) -> None:
        # `rules`: the game, or the same compiled, which is faster.
        self._rules = rules
        self._states = 0
        self._known: dict[bytes, float] = {}

    def problem(self, state: bytes, left: bytes, lead: int) -> str | None:
        """Return what is wrong with what is left of a state, or None if nothing was found."""
        if (left == state and lead == 0) or self._states == MOST_STATES:
            return None
        self._states += 1
        self._known.clear()
        try:
            score, rest = self._score(state), self._score(left)
        except _TooManyError:
            return None
        if score == lead + rest:
            return None
        return f"the first player gets {score:g}, but {lead} + {rest:g} by what reduced leaves"

    def _score(self, state: bytes) -> float:
        """Return the score of the first player, by a search to the end of the game."""
        if state not in self._known:
            if len(self._known) >= MOST_CALLS:
                raise _TooManyError
            actions = self._rules.actions(state)
            if actions:
                choose = max if self._rules.player(state) == 0 else min
                after = (self._rules.next(state, action) for action in actions)
                self._known[state] = choose(map(self._score, after))
            else:
                self._known[state] = float(self._rules.score(state)[0])
        return self._known[state]
