# SPDX-License-Identifier: MIT
"""The line that a room looks at, and the cursor in it: one for all pages of the room.

The line is the game itself, or a variation that leaves it somewhere. Looking at it changes nothing
in the game.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from unbounded.game import Game, action_named, require
from unbounded.game.rule_errors import blaming
from unbounded.interfaces.session import Session

MAX_LINE = 5000
"""Moves of a variation from the start of the game; a game that was played may be longer."""


@dataclass(frozen=True)
class Cursor:
    """A line and the place in it, as they were at one moment; read by any thread."""

    game: Game[Any, Any]
    line: tuple[str, ...]
    states: tuple[Any, ...]
    """The states on the line, one more than moves."""
    movers: tuple[int | None, ...]
    """Who moves in each of the states; None where the game is over."""
    ply: int
    """How many moves of the line are played at the cursor."""
    last: Any = None
    """The action that led to the cursor; None at the start."""

    @property
    def moves(self) -> tuple[str, ...]:
        """The moves that lead to the cursor."""
        return self.line[: self.ply]

    @property
    def state(self) -> Any:
        """The state at the cursor."""
        return self.states[self.ply]

    @property
    def before(self) -> Any:
        """The state before the last action; None at the start."""
        return self.states[self.ply - 1] if self.ply else None

    @property
    def mover(self) -> int | None:
        """Who moves at the cursor; None where the game is over."""
        return self.movers[self.ply]


class Line:
    """The moves that are looked at, with the states that they lead to, and the cursor."""

    def __init__(self, session: Session) -> None:
        self.ply = 0
        """The cursor: how many moves of the line are played."""
        self._show(session.game, [session.states[0]], [], [])
        self.show_game(session)

    def _show(
        self, game: Game[Any, Any], states: list[Any], actions: list[Any], moves: list[str]
    ) -> None:
        self._game = game
        self.states, self.actions, self.moves = states, actions, moves
        self._movers = [_mover(game, state) for state in states]

    # -- what is looked at ------------------------------------------------------------------------

    @property
    def last_action(self) -> Any:
        """The action that led to the cursor; None at the start."""
        return self.actions[self.ply - 1] if self.ply else None

    @property
    def before(self) -> Any:
        """The state in which that action was played; None at the start."""
        return self.states[self.ply - 1] if self.ply else None

    def cursor(self) -> Cursor:
        """The line and the place in it, for other threads."""
        return Cursor(
            self._game,
            tuple(self.moves),
            tuple(self.states),
            tuple(self._movers),
            self.ply,
            self.last_action,
        )

    def is_live(self, session: Session) -> bool:
        """Whether the position of the game is looked at."""
        return self.ply == len(self.moves) and self.moves == session.moves

    # -- changes ----------------------------------------------------------------------------------

    def show_game(self, session: Session, ply: int | None = None) -> None:
        """Look at the game, at its end or after `ply` moves."""
        kept = shared_moves(self.moves, session.moves) if session.game is self._game else 0
        movers = self._movers[: kept + 1] if session.game is self._game else []
        self._game = session.game
        self.states, self.actions = list(session.states), list(session.actions)
        self.moves = list(session.moves)
        self._movers = movers + [_mover(self._game, state) for state in self.states[len(movers) :]]
        self.ply = len(self.moves) if ply is None else ply

    def follow(self, session: Session) -> None:
        """Take over moves of the game that were played while something else is looked at."""
        if self.moves == session.moves[: len(self.moves)]:
            self.show_game(session, self.ply)

    @blaming()
    def go(self, session: Session, moves: Sequence[str] | None, ply: int) -> None:
        """Look at a line from the start of the game, with `ply` moves of it played."""
        length = len(self.moves if moves is None else moves)
        require(
            0 <= ply <= length, f"ply must be from 0 to {length}, the moves of the line, not {ply}"
        )
        if moves is not None:
            self._choose(session, list(moves))
        self.ply = ply

    def _choose(self, session: Session, moves: list[str]) -> None:
        """Make these moves the line; the game, if it begins with them."""
        require(len(moves) <= MAX_LINE, f"a line may have at most {MAX_LINE} moves")
        if moves == session.moves[: len(moves)]:
            self.show_game(session)
            return
        near: Line | Session = self
        if shared_moves(session.moves, moves) > shared_moves(self.moves, moves):
            near = session
        kept = shared_moves(near.moves, moves)
        states, actions, names = near.states[: kept + 1], near.actions[:kept], near.moves[:kept]
        for name in moves[kept:]:
            _play(self._game, name, states, actions, names)
        if names == session.moves[: len(names)]:  # as the game spells them
            self.show_game(session)
        elif names != self.moves:
            self._show(self._game, states, actions, names)

    @blaming()
    def step(self, session: Session, name: str) -> None:
        """Play a move from the cursor: the next one of the line, or one that leaves it."""
        ply = self.ply
        if self.moves[ply : ply + 1] == [name]:
            self.ply = ply + 1
            return
        require(ply < MAX_LINE, f"a line may have at most {MAX_LINE} moves")
        states, actions, names = self.states[: ply + 1], self.actions[:ply], self.moves[:ply]
        _play(self._game, name, states, actions, names)
        if names == session.moves[: ply + 1]:
            self.show_game(session, ply + 1)
        elif names != self.moves[: ply + 1]:
            movers = [*self._movers[: ply + 1], _mover(self._game, states[-1])]
            self.states, self.actions, self.moves, self._movers = states, actions, names, movers
        self.ply = ply + 1

    def main(self, session: Session) -> int:
        """How many first moves of the line are the game's."""
        return shared_moves(self.moves, session.moves)


def _play(
    game: Game[Any, Any], name: str, states: list[Any], actions: list[Any], names: list[str]
) -> None:
    """Add a move, given by its name, to the end of a line."""
    state = states[-1]
    action = action_named(game, state, name)
    following = game.next(state, action)
    names.append(game.action_name(state, action))
    actions.append(action)
    states.append(following)


def _mover(game: Game[Any, Any], state: Any) -> int | None:
    return int(game.player(state)) if len(game.actions(state)) else None


def shared_moves(one: Sequence[str], other: Sequence[str]) -> int:
    """How many first moves two lines share."""
    for number, (ours, theirs) in enumerate(zip(one, other, strict=False)):
        if ours != theirs:
            return number
    return min(len(one), len(other))
