# SPDX-License-Identifier: MIT
"""Evaluating many open states at once, outside any search."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from unbounded import native
from unbounded.evaluation.named import Evaluation, check_evaluation, make_evaluator
from unbounded.game import Game
from unbounded.native.failures import explain

if TYPE_CHECKING:
    import numpy as np

MOST_AT_ONCE = 8192
"""States per call: enough to fill a processor, and little memory."""


class BatchEvaluator:
    """An evaluation as a function of many open states, of any positions of a game."""

    def __init__(self, game: Game[Any, Any], evaluation: Evaluation, seed: int = 0) -> None:
        self.game = game
        checked = check_evaluation(game, evaluation)
        self._route = native.route_of(game)
        self._evaluator = make_evaluator(game, self._route, checked, seed)

    def __call__(self, states: Sequence[Any]) -> np.ndarray[Any, Any]:
        """Return one row per state and one column per player; no state may be terminal."""
        import numpy as np

        values = np.zeros((len(states), self.game.players), dtype=np.float32)
        for first in range(0, len(states), MOST_AT_ONCE):
            part = states[first : first + MOST_AT_ONCE]
            stored = b"".join(self._route.played_to(state, 0) for state in part)
            with explain(self.game, self._route):
                native.evaluate(
                    self._route.rules,
                    self._evaluator,
                    np.frombuffer(stored, dtype=np.uint8),
                    values[first : first + len(part)],
                )
        return values
