# SPDX-License-Identifier: MIT
"""Conformance of the rule `forced`: what it leaves out is searched, as far as that is quick."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from unbounded.conformance.plain_scores import TooManyError

MOST_STATES = 300
"""So many states in which actions are left out are searched."""
MOST_CALLS = 2000
"""So many states are visited for each of these."""

ADVICE = "leave out only what loses, or what another action is as good as; or leave forced out"


class ForcedChecker:
    """Compares what the rule `forced` of a game lists with all actions, by the plain rules."""

    def __init__(self, rules: Any) -> None:
        # `rules`: the game, or the same compiled, which is faster.
        self._rules = rules
        self._left, self._states = 0, 0

    def problem(
        self, state: bytes, listed: Sequence[int], actions: Sequence[int], player: int
    ) -> str | None:
        """Return what is wrong with the actions listed in a state, or None if nothing was found."""
        for action in listed:
            if action not in actions:
                return f"forced gave {action}, which is not among the actions"
        if len(set(listed)) < len(listed):
            return "forced gave an action twice"
        left_out = [action for action in actions if action not in set(listed)]
        if not left_out or self._states == MOST_STATES:
            return None
        self._states += 1
        self._left = MOST_CALLS
        try:
            for action in left_out:
                self._check(state, action, listed, player)
        except TooManyError:
            return None
        except _BetterError as better:
            return str(better)
        return None

    def _check(self, state: bytes, action: int, listed: Sequence[int], player: int) -> None:
        """Raise an error if the action does better than lose, and better than all listed ones."""
        for outcome in (0, 1):
            if not self._reaches(self._rules.next(state, action), player, outcome):
                return
            if not any(self._reaches(self._rules.next(state, x), player, outcome) for x in listed):
                reached = "wins" if outcome == 1 else "does not lose"
                raise _BetterError(
                    f"forced leaves out {action}, which {reached}, and lists {listed}"
                )

    def _reaches(self, state: bytes, player: int, outcome: int) -> bool:
        """Whether a player can get at least this outcome, by a search to the end of the game."""
        self._left -= 1
        if self._left < 0:
            raise TooManyError
        actions = self._rules.actions(state)
        if not actions:
            return bool(self._rules.outcome(state)[player] >= outcome)
        chooses = bool(self._rules.player(state) == player)
        children = (self._rules.next(state, action) for action in actions)
        # The player needs one good action; of the others' actions, none may be bad.
        return chooses == any(
            self._reaches(child, player, outcome) == chooses for child in children
        )


class _BetterError(Exception):
    """An action that is left out is better than all that are listed."""
