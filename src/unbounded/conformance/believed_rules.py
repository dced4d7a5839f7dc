# SPDX-License-Identifier: MIT
"""Conformance of the rules that probes believe: `forced`, `reduced` and `endgame`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from unbounded.conformance.endgames import ADVICE as ENDGAME_ADVICE
from unbounded.conformance.endgames import EndgameChecker
from unbounded.conformance.forced import ADVICE as FORCED_ADVICE
from unbounded.conformance.forced import ForcedChecker
from unbounded.conformance.reduced import ADVICE as REDUCED_ADVICE
from unbounded.conformance.reduced import ReducedChecker
from unbounded.game import RecordGame
from unbounded.game.rules import checked_endgame_sizes

if TYPE_CHECKING:
    from unbounded.conformance.states import StateChecker


class BelievedRules:
    """Checks these rules, as far as a game has them; to be made when the others have been called.

    By the plain rules, states are searched to the end of the game where that is quick.
    """

    def __init__(self, game: RecordGame, states: StateChecker) -> None:
        self._game, self._states = game, states
        searched, rules = states.compiled or game, game.uncompiled
        self._forced = None if rules.forced is None else ForcedChecker(searched)
        self._reduced = None if rules.reduced is None else ReducedChecker(searched)
        self._endgame = None
        if rules.endgame is not None:
            if game.players != 2 or not game.zero_sum:
                problem = "endgame is for two players whose scores add up to zero"
                states.fail(problem, "leave out endgame and endgame_sizes")
            sizes = states.call("endgame_sizes", checked_endgame_sizes, rules)
            self._endgame = EndgameChecker(searched, sizes)

    def check(self, state: bytes, actions: Sequence[int], player: int) -> None:
        """Check what the rules return for a state."""
        ask, game = self._states.call_both, self._game
        if self._forced is not None:
            listed = list(ask("forced", game.forced, state))
            self._report(self._forced.problem(state, listed, actions, player), FORCED_ADVICE, state)
        if self._reduced is not None:
            left, lead = ask("reduced", game.reduced, state)
            self._report(self._reduced.problem(state, left, lead), REDUCED_ADVICE, state)
        if self._endgame is not None:
            number, lead = ask("endgame", game.endgame, state)
            self._report(self._endgame.problem(state, number, lead), ENDGAME_ADVICE, state)

    def _report(self, problem: str | None, advice: str, state: bytes) -> None:
        if problem is not None:
            self._states.fail(problem, advice, state)
