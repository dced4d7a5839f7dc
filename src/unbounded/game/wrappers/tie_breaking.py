# SPDX-License-Identifier: MIT
"""A game whose scores break all ties between different results."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import Any

from unbounded.game import Game, Out, Rules, State, require
from unbounded.game.wrapping import PRIME, ObjectWrapper, RecordWrapper, Wrapper, mix

MOST_PLAYERS = 12
_SMALL = 2.0**-21


class TieBreaking(Wrapper):
    """Another game, in which no player is indifferent between two different results.

    Then the value of a game of three players or more is unique (in the paper: a tie-breaking
    terminal evaluation). What a player prefers stays preferred; only ties are decided:

    * Zero-sum games have no such ties, and stay as they are.
    * Where the score is the outcome, a small number is subtracted that depends on all players'
      outcome: different outcomes get different scores, and a win shared with others counts less.
      For up to 12 players, and exact.
    * From a score of the game's own, up to half a `step` is subtracted, by a hash of all outcomes
      and scores; `step` is the smallest difference between two scores. Ties become improbable, not
      impossible: `unbounded.testing.check_tie_breaking` looks for them.

    A horizon belongs inside, not around: results at the horizon get no score of their own.

    Images of a state have the same outcomes and scores, so symmetries stay. What is subtracted
    depends on who is who, so players can be renamed only in a zero-sum game.
    """

    def __init__(self, game: Game[Any, Any], step: float = 1.0) -> None:
        self._wrap(game)
        number = type(step) in (int, float) and math.isfinite(step) and step > 0
        require(number, "step must be a number greater than 0")
        self.step = float(step)
        if game.zero_sum or game.has_score:
            # Scores only become smaller, so the old bound still holds.
            self.best_score = game.best_score
        else:
            few = game.players <= MOST_PLAYERS
            require(few, f"breaking ties between outcomes is for at most {MOST_PLAYERS} players")
            bounds = game.best_scores or ()
            self.best_score = tuple(
                min(bound, 1 - _SMALL * 2 * 3**who) for who, bound in enumerate(bounds)
            )

    @property
    def single_winner(self) -> bool:  # type: ignore[override]
        """As in the game inside: the outcomes are the same."""
        return self.game.single_winner


class _ObjectTieBreaking(TieBreaking, ObjectWrapper):
    def score(self, state: Any) -> Sequence[float]:
        if self.game.zero_sum:
            return self.game.score(state)
        outcomes = [float(x) for x in self.game.outcome(state)]
        if not self.game.has_score:
            subtract_code(outcomes, self.players)
            return outcomes
        scores = [float(x) for x in self.game.score(state)]
        subtract_hash(outcomes, scores, self.players, self.step)
        return scores

    def relabel(self, state: Any, k: int) -> Any:
        if not self.game.zero_sum:
            raise NotImplementedError
        return super().relabel(state, k)

    @property
    def has_score(self) -> bool:
        return self.game.has_score or not self.game.zero_sum

    @property
    def has_relabeling(self) -> bool:
        return self.game.has_relabeling and self.game.zero_sum


class _RecordTieBreaking(TieBreaking, RecordWrapper):
    def rules(self) -> Rules:
        inner, players, step = self.game.uncompiled, self.players, self.step
        if self.zero_sum:
            return inner
        inner_outcome, inner_score = inner.outcome, inner.score or inner.outcome

        def score_with_code(s: State, out: Out) -> None:
            inner_outcome(s, out)
            subtract_code(out, players)

        def score_with_hash(s: State, out: Out) -> None:
            outcomes = [0.0] * players
            inner_outcome(s, outcomes)
            inner_score(s, out)
            subtract_hash(outcomes, out, players, step)

        score = score_with_code if inner.score is None else score_with_hash
        return dataclasses.replace(inner, score=score, relabel=None)


TieBreaking.forms = (_ObjectTieBreaking, _RecordTieBreaking)


def subtract_code(scores: Out, players: int) -> None:
    """Subtract a number that differs for each vector of outcomes, and is exact in 32 bits."""
    code, weight = 0.0, _SMALL
    for who in range(players):
        code += (scores[who] + 1) * weight
        weight *= 3
    for who in range(players):
        scores[who] -= code


def subtract_hash(outcomes: Out, scores: Out, players: int, step: float) -> None:
    """Subtract up to half a step, by a hash of the whole result."""
    hashed = 1
    for who in range(players):
        hashed = mix(hashed, outcomes[who] + 1)
        hashed = mix(hashed, (scores[who] / step + 0.5) // 1)
    for who in range(players):
        scores[who] -= step / 2 * (hashed / PRIME)
