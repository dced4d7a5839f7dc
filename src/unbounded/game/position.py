# SPDX-License-Identifier: MIT
"""`Position`: a game being played, move by move."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from unbounded.game import Game, action_named, move_names, one_per_player, outcome_of, require
from unbounded.game.catalogue import load_game
from unbounded.game.drawing import draw, stand_alone
from unbounded.game.rule_errors import blaming
from unbounded.game.wording import counted, cut

LONGEST_REPR = 99


class Position:
    """A position of a game: the moves played from its start, and the state they lead to.

    >>> position = Position("tic-tac-toe", moves="b2 a1")
    >>> position.push("c3")
    >>> position
    Position('tic-tac-toe', moves='b2 a1 c3')
    >>> position.player, position.legal_moves
    (1, ('b1', 'c1', 'a2', 'c2', 'a3', 'b3'))
    >>> print(position)
    3 . . X
    2 . X .
    1 O . .
      a b c
    O to move

    game: a game, or its string form.
    moves: names of moves, in one text with spaces between, or one by one.

    Two positions are equal if they have the same state of the same game, whatever the moves were.
    A position that is a key of a dictionary must not be changed: use a `copy`.
    """

    @blaming()
    def __init__(self, game: Game[Any, Any] | str, moves: str | Sequence[str] = ()) -> None:
        self.game: Game[Any, Any] = load_game(game)
        self._states: list[Any] = [self.game.initial()]
        self._actions: list[Any] = []
        self._moves: list[str] = []
        for move in move_names(moves):
            self.push(move)

    @property
    def state(self) -> Any:
        """The state, as the rules of the game represent it."""
        return self._states[-1]

    @property
    def moves(self) -> tuple[str, ...]:
        """The names of the moves played so far."""
        return tuple(self._moves)

    @property
    @blaming()
    def is_terminal(self) -> bool:
        """Whether the game is over."""
        return len(self.game.actions(self.state)) == 0

    @property
    @blaming()
    def legal_moves(self) -> tuple[str, ...]:
        """The names of the legal moves, in the order of the game's actions."""
        actions = self.game.actions(self.state)
        return tuple(self.game.action_name(self.state, action) for action in actions)

    @property
    @blaming()
    def player(self) -> int | None:
        """The player to move, numbered from 0; None when the game is over."""
        return None if self.is_terminal else int(self.game.player(self.state))

    @property
    @blaming()
    def outcome(self) -> tuple[int, ...] | None:
        """-1, 0 or +1 per player when the game is over; None until then."""
        return outcome_of(self.game, self.state) if self.is_terminal else None

    @property
    @blaming()
    def score(self) -> tuple[float, ...] | None:
        """The score per player when the game is over; None until then."""
        if not self.is_terminal:
            return None
        return one_per_player(self.game, "score", self.game.score(self.state), self.state)

    @blaming()
    def push(self, move: str) -> None:
        """Play a legal move by its name."""
        action = action_named(self.game, self.state, move)
        name = self.game.action_name(self.state, action)
        self._states.append(self.game.next(self.state, action))
        self._actions.append(action)
        self._moves.append(name)

    def pop(self) -> str:
        """Take back the last move, and return its name."""
        require(len(self._moves) > 0, "there is no move to take back: this is the start")
        self._states.pop()
        self._actions.pop()
        return self._moves.pop()

    def copy(self) -> Position:
        """Return a position that can be changed without changing this one."""
        twin = Position(self.game)
        twin._states = list(self._states)
        twin._actions = list(self._actions)
        twin._moves = list(self._moves)
        return twin

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Position):
            return NotImplemented
        return self.game.is_same_game(other.game) and bool(self.state == other.state)

    def __hash__(self) -> int:
        return hash((type(self.game), self.state))

    def __str__(self) -> str:
        return self.game.show(self.state)

    def __repr__(self) -> str:
        given = [repr(str(self.game))]
        if self._moves:
            one_by_one = any(len(move.split()) != 1 for move in self._moves)
            given.append(f"moves={self._moves if one_by_one else ' '.join(self._moves)!r}")
        text = f"Position({', '.join(given)})"
        if len(text) <= LONGEST_REPR:
            return text
        played = counted(len(self._moves), "move")
        return f"<Position of {cut(str(self.game), 60)} after {played}>"

    def _repr_svg_(self) -> str:
        led = {"last": self._actions[-1], "before": self._states[-2]} if self._actions else {}
        return stand_alone(draw(self.game, self.state, **led))


def start_of(
    game: Game[Any, Any] | str | Position, moves: str | Sequence[str] = ()
) -> tuple[Game[Any, Any], list[str]]:
    """Return a game and the moves played from its start; those of a position come first."""
    if isinstance(game, Position):
        return game.game, [*game.moves, *move_names(moves)]
    return load_game(game), move_names(moves)
