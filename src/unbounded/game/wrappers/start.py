# SPDX-License-Identifier: MIT
"""A game that starts from another position."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from unbounded.game import Field, Game, Place, Rules, State, UsageError, require
from unbounded.game.board import empty_board
from unbounded.game.setting_up import check_pieces, read_pieces, written
from unbounded.game.wrapping import ObjectWrapper, RecordWrapper, Wrapper


def start_at(game: Game[Any, Any], state: Any) -> Start:
    """Return the game that starts from this state of a game whose positions can be set up."""
    inside = game.game if isinstance(game, Start) else game
    _require_symbols(inside)
    mover = inside.player(state)
    found = Start(inside, written(inside, state), mover)
    require(found.initial() == state, "more than its pieces and the mover belong to this state")
    return found


class Start(Wrapper):
    """Another game that starts from a position set up by hand.

    `pieces` has one symbol per cell, in the order in which the game numbers them (most boards: from
    a1 along the rows), and `mover` is the player to move, counted from 0. All else are the rules of
    the game inside. It must be a game whose positions can be set up.
    """

    def __init__(self, game: Game[Any, Any], pieces: str, mover: int = 0) -> None:
        self._wrap(game)
        _require_symbols(game)
        require(isinstance(pieces, str), f"pieces must be a text of symbols, not {pieces!r}")
        self.pieces, self.mover = pieces, mover
        listed = read_pieces(game, pieces)
        check_pieces(game, listed, mover)
        self._first = game.set_up(listed, mover)
        require(len(game.actions(self._first)) > 0, "the game is over in this position")
        if game.player(self._first) != mover:
            raise UsageError(f"player {mover} cannot be the one to move in this position")

    @cached_property
    def longest_game(self) -> None:  # type: ignore[override]
        """Not promised: the game inside promises it for its own start only."""
        return None

    @cached_property
    def piece_symbols(self) -> str:  # type: ignore[override]
        """As of the game inside: another position can be set up from this one."""
        return self.game.piece_symbols

    def piece_places(self) -> Sequence[Place]:
        return self.game.piece_places()

    def pieces_on(self, state: Any) -> Sequence[int]:
        return self.game.pieces_on(state)

    def set_up(self, pieces: Sequence[int], player: int) -> Any:
        return self.game.set_up(pieces, player)


class _ObjectStart(Start, ObjectWrapper):
    def initial(self) -> Any:
        return self._first


class _RecordStart(Start, RecordWrapper):
    def rules(self) -> Rules:
        first = self.game.state.unpack(self._first)
        initial: Callable[[State], None] = empty_board
        for field in self.game.state.fields:
            initial = _writing(field, getattr(first, field.name), initial)
        return dataclasses.replace(self.game.uncompiled, initial=initial)


Start.forms = (_ObjectStart, _RecordStart)


def _writing(field: Field, value: Any, before: Callable[[State], None]) -> Callable[[State], None]:
    """Return the rule `initial` that writes one field after others."""
    name, count = field.name, field.count
    if count is None:
        number: int = value

        def write(s: State) -> None:
            before(s)
            setattr(s, name, number)

        return write
    items, length = np.array(value, np.int64), count

    def write_items(s: State) -> None:
        before(s)
        for i in range(length):
            getattr(s, name)[i] = items[i]

    return write_items


def _require_symbols(game: Game[Any, Any]) -> None:
    advice = "it needs piece_symbols, piece_places, pieces_on and set_up"
    require(bool(game.piece_symbols), f"positions of {game} cannot be set up: {advice}")
