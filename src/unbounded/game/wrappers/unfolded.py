# SPDX-License-Identifier: MIT
"""A game whose states remember the moves that led to them: the graph becomes a tree."""

from __future__ import annotations

import dataclasses
from typing import Any

from unbounded.game import Game, Rules, State
from unbounded.game.rules import NO_ENDGAMES
from unbounded.game.wrapping import PRIME, ObjectWrapper, RecordWrapper, Wrapper, mix


class Unfolded(Wrapper):
    """Another game, in which a state is also the path that led to it: the graph becomes a tree.

    Actions, results and evaluations are those of the game inside, so searching it is searching
    without transpositions. Paths that mirror each other are different paths, so there are no
    symmetries.

    A record gets two numbers below 2**31 that depend on the actions since the start. If two paths
    to the same position ever get the same two numbers, they are one state, which does no harm: the
    position is the same. An object is replaced by all objects since the start.
    """

    def __init__(self, game: Game[Any, Any]) -> None:
        self._wrap(game)
        self.symmetries = 1


class _ObjectUnfolded(Unfolded, ObjectWrapper):
    def initial(self) -> Any:
        return (self.game.initial(),)

    def next(self, state: Any, action: Any) -> Any:
        return (*state, super().next(state, action))

    def _inner(self, state: Any) -> Any:
        return state[-1]

    @property
    def has_relabeling(self) -> bool:
        return False


class _RecordUnfolded(Unfolded, RecordWrapper):
    def __init__(self, game: Game[Any, Any]) -> None:
        super().__init__(game)
        self._extend("path", "i32[2]")

    def rules(self) -> Rules:
        inner, path = self.game.uncompiled, self.field
        inner_next = inner.next

        def advance(s: State, action: int, t: State) -> None:
            inner_next(s, action, t)
            before, after = getattr(s, path), getattr(t, path)
            step = action % PRIME + 1
            after[0] = (before[0] * 48271 + step) % PRIME
            after[1] = mix(before[1], step)

        # Endgames would join states again.
        return dataclasses.replace(inner, next=advance, symmetry=None, relabel=None, **NO_ENDGAMES)


Unfolded.forms = (_ObjectUnfolded, _RecordUnfolded)
