# SPDX-License-Identifier: MIT
"""Scores of states by the plain rules, as far as they are quickly found."""

from __future__ import annotations

from typing import Any


class TooManyError(Exception):
    """The search has visited as many states as it may."""


class PlainScores:
    """Searches states to the end of the game, within so many states for each."""

    def __init__(self, rules: Any, most: int) -> None:
        # `rules`: the game, or the same compiled, which is faster.
        self._rules, self._most = rules, most
        self._known: dict[bytes, float] = {}

    def forget(self) -> None:
        """Forget the states that were visited: the next ones may be as many again."""
        self._known.clear()

    def score(self, state: bytes) -> float:
        """Return what the first player scores with the best play, or raise `TooManyError`."""
        if state not in self._known:
            if len(self._known) >= self._most:
                raise TooManyError
            actions = self._rules.actions(state)
            if actions:
                choose = max if self._rules.player(state) == 0 else min
                after = (self._rules.next(state, action) for action in actions)
                self._known[state] = choose(map(self.score, after))
            else:
                self._known[state] = float(self._rules.score(state)[0])
        return self._known[state]
