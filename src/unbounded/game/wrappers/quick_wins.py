# SPDX-License-Identifier: MIT
"""A game whose score prefers quick wins and slow losses."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import Any

from unbounded.game import Game, Out, Rules, State, require
from unbounded.game.rules import NO_ENDGAMES
from unbounded.game.wrapping import Counting, ObjectCounting, RecordCounting, Results

MOST_COUNTED = 2**20


class QuickWins(Counting):
    """Another game, in which a quick win is worth more, and a slow loss costs less.

    A winner's score is raised by `bonus * (1 - moves / plies)` and a loser's is lowered by as much;
    a draw stays what it is. From `plies` moves on, the number of moves makes no difference. A bonus
    smaller than the smallest difference between two scores (1, where the score is the outcome)
    keeps the order of what a player prefers.

    The number of moves becomes part of the state, up to `plies`. A horizon belongs inside, not
    around: results at the horizon get no bonus. Symmetries, renamed players and planes are those of
    the game inside.

    A search of two players by `minimax` stops at any proven win; `resolved_completion`, best with
    `local_maximum`, proves the quickest.
    """

    def __init__(self, game: Game[Any, Any], plies: int = 1000, bonus: float = 0.5) -> None:
        self._wrap(game)
        allowed = type(plies) is int and 1 <= plies <= MOST_COUNTED
        require(allowed, f"plies must be an integer from 1 to {MOST_COUNTED}")
        number = type(bonus) in (int, float) and math.isfinite(bonus) and bonus > 0
        require(number, "bonus must be a number greater than 0")
        self.plies, self.bonus = plies, float(bonus)
        if game.best_scores is not None:
            self.best_score = tuple(best + self.bonus for best in game.best_scores)

    def show(self, state: Any) -> str:
        late = " or later" if self._ply(state) == self.plies else ""
        return f"{super().show(state)}\nmove {self._ply(state)}{late}"

    @property
    def single_winner(self) -> bool:  # type: ignore[override]
        """As in the game inside: the outcomes are the same."""
        return self.game.single_winner


class _ObjectQuickWins(QuickWins, ObjectCounting):
    def next(self, state: Any, action: Any) -> Any:
        return super().next(state, action), min(self._ply(state) + 1, self.plies)

    def score(self, state: Any) -> Sequence[float]:
        scores = [float(x) for x in super().score(state)]
        added = bonus_after(self._ply(state), self.plies, self.bonus)
        return [x + won * added for x, won in zip(scores, self.outcome(state), strict=True)]

    def best_score_from(self, state: Any) -> Sequence[float]:
        local = self.game.has_local_best_score
        best = super().best_score_from(state) if local else self.game.best_scores or ()
        added = bonus_after(self._ply(state) + 1, self.plies, self.bonus)
        return [float(x) + added for x in best]

    @property
    def has_score(self) -> bool:
        return True

    @property
    def has_local_best_score(self) -> bool:
        return self.game.has_local_best_score or self.game.best_scores is not None


class _RecordQuickWins(QuickWins, RecordCounting):
    def __init__(self, game: Game[Any, Any], plies: int = 1000, bonus: float = 0.5) -> None:
        super().__init__(game, plies, bonus)
        self._count()

    def rules(self) -> Rules:
        inner, plies, ply = self.game.uncompiled, self.plies, self.field
        players, bonus = self.players, self.bonus
        inner_next, inner_outcome = inner.next, inner.outcome
        inner_score = inner.score or inner.outcome

        def advance(s: State, action: int, t: State) -> None:
            inner_next(s, action, t)
            setattr(t, ply, min(getattr(s, ply) + 1, plies))

        def score(s: State, out: Out) -> None:
            outcomes = [0.0] * players
            inner_outcome(s, outcomes)
            inner_score(s, out)
            added = bonus_after(getattr(s, ply), plies, bonus)
            for who in range(players):
                out[who] += outcomes[who] * added

        return dataclasses.replace(
            inner,
            next=advance,
            score=score,
            best_score_from=self._bounds(),
            reduced=None,  # a lead does not say who wins, on which the bonus depends
            **NO_ENDGAMES,
        )

    def _bounds(self) -> Results | None:
        """Return the rule `best_score_from`, if the game inside gives a bound."""
        best, anywhere = self.game.uncompiled.best_score_from, self.game.best_scores
        if best is None:
            if anywhere is None:
                return None
            best = _constant(anywhere)
        inner_best, plies, ply = best, self.plies, self.field
        players, bonus = self.players, self.bonus

        def best_score_from(s: State, out: Out) -> None:
            # Called only while the game goes on, so its end is at least one move away.
            inner_best(s, out)
            for who in range(players):
                out[who] += bonus_after(getattr(s, ply) + 1, plies, bonus)

        return best_score_from


QuickWins.forms = (_ObjectQuickWins, _RecordQuickWins)


def _constant(best: tuple[float, ...]) -> Results:
    """Return the rule that writes the same bounds for every state."""
    players = len(best)

    def bounds(s: State, out: Out) -> None:
        for who in range(players):
            out[who] = best[who]

    return bounds


def bonus_after(ply: int, plies: int, bonus: float) -> float:
    """Return what is added for a win after this number of moves."""
    return bonus * (max(0, plies - ply) / plies)
