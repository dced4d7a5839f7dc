# SPDX-License-Identifier: MIT
"""A game that ends after a given number of moves."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

from unbounded.game import Game, Out, Rules, State, require
from unbounded.game.rules import NO_ENDGAMES
from unbounded.game.wrapping import Counting, ObjectCounting, RecordCounting, Results

LONGEST = 2**31 - 1


def horizon(game: Game[Any, Any], plies: int) -> Horizon:
    """Return the game that ends after `plies` moves, if it has not ended before.

    >>> import unbounded as ub
    >>> print(ub.horizon(ub.load_game("tic-tac-toe"), plies=3))
    horizon(game=tic-tac-toe,plies=3)
    """
    return Horizon(game, plies)


class Horizon(Counting):
    """Another game, played for at most `plies` moves.

    If it has not ended by then, it is a draw, or whatever the game's own rule `outcome_at_horizon`
    says. The number of moves is part of the state, so a game that could go round in circles ends
    too. Symmetries, renamed players and planes are those of the game inside; planes do not show how
    many moves are left.
    """

    def __init__(self, game: Game[Any, Any], plies: int) -> None:
        self._wrap(game)
        allowed = type(plies) is int and 1 <= plies <= LONGEST
        require(allowed, f"plies must be an integer from 1 to {LONGEST}")
        self.plies = plies
        if game.best_score is not None:
            self.best_score = tuple(max(float(x), self._best_at_horizon()) for x in game.best_score)

    @cached_property
    def longest_game(self) -> int:  # type: ignore[override]
        """The horizon, unless the game inside is shorter."""
        inside = self.game.longest_game
        return self.plies if inside is None else min(self.plies, inside)

    def show(self, state: Any) -> str:
        return f"{super().show(state)}\nmove {self._ply(state)} of {self.plies}"

    def _best_at_horizon(self) -> float:
        """Return a score that no player exceeds where the horizon ends the game."""
        raise NotImplementedError


class _ObjectHorizon(Horizon, ObjectCounting):
    def _best_at_horizon(self) -> float:
        return 1.0

    def _is_cut(self, state: Any) -> bool:
        """Whether the horizon ends the game here, and not the rules of the game inside."""
        return self._ply(state) >= self.plies and len(self.game.actions(state[0])) > 0

    def actions(self, state: Any) -> Sequence[Any]:
        return () if self._ply(state) >= self.plies else super().actions(state)

    def next(self, state: Any, action: Any) -> Any:
        return super().next(state, action), self._ply(state) + 1

    def outcome(self, state: Any) -> Sequence[int]:
        cut = self._is_cut(state)
        return super().outcome_at_horizon(state) if cut else super().outcome(state)

    def score(self, state: Any) -> Sequence[float]:
        if self._is_cut(state):
            return [float(x) for x in super().outcome_at_horizon(state)]
        return super().score(state)

    def best_score_from(self, state: Any) -> Sequence[float]:
        return [max(float(x), self._best_at_horizon()) for x in super().best_score_from(state)]


class _RecordHorizon(Horizon, RecordCounting):
    def __init__(self, game: Game[Any, Any], plies: int) -> None:
        super().__init__(game, plies)
        self._count()

    def _best_at_horizon(self) -> float:
        return 0.0 if self.game.uncompiled.outcome_at_horizon is None else 1.0

    def rules(self) -> Rules:
        inner, plies, ply = self.game.uncompiled, self.plies, self.field
        inner_actions, inner_next, max_actions = inner.actions, inner.next, self.max_actions

        def actions(s: State, out: Out) -> int:
            if getattr(s, ply) >= plies:
                return 0
            count: int = inner_actions(s, out)
            return count

        def advance(s: State, action: int, t: State) -> None:
            inner_next(s, action, t)
            setattr(t, ply, getattr(s, ply) + 1)

        def is_cut(s: State) -> bool:
            """Whether the horizon ends the game here, and not the rules of the game inside."""
            if getattr(s, ply) < plies:
                return False
            count: int = inner_actions(s, [0] * max_actions)
            return count > 0

        at_horizon, best = inner.outcome_at_horizon or _draw, inner.best_score_from
        return dataclasses.replace(
            inner,
            actions=actions,
            next=advance,
            outcome=_either(is_cut, at_horizon, inner.outcome),
            score=inner.score and _either(is_cut, at_horizon, inner.score),
            best_score_from=best and _at_least(best, self.players, self._best_at_horizon()),
            is_terminal=inner.is_terminal and _beyond(ply, plies, inner.is_terminal),
            forced=None,  # what wins or loses in the end may be cut before
            reduced=None,  # at a horizon, more than the future may matter
            **NO_ENDGAMES,
        )


Horizon.forms = (_ObjectHorizon, _RecordHorizon)


def _beyond(ply: str, plies: int, ended: Callable[[State], bool]) -> Callable[[State], bool]:
    """Return the rule that is true at the horizon, and else where the game inside has ended."""

    def is_terminal(s: State) -> bool:
        return bool(getattr(s, ply) >= plies or ended(s))

    return is_terminal


def _either(is_cut: Callable[[State], bool], at_horizon: Results, at_end: Results) -> Results:
    """Return the rule that writes what one rule does at the horizon, and else what another does."""

    def results(s: State, out: Out) -> None:
        if is_cut(s):
            at_horizon(s, out)
        else:
            at_end(s, out)

    return results


def _at_least(best_score_from: Results, players: int, least: float) -> Results:
    """Return the rule that writes the same bounds, but none below `least`."""

    def bounds(s: State, out: Out) -> None:
        best_score_from(s, out)
        for who in range(players):
            out[who] = max(out[who], least)

    return bounds


def _draw(s: State, out: Out) -> None:
    """Leave the outcome of every player at 0."""
