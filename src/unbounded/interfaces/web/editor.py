# SPDX-License-Identifier: MIT
"""The position editor of a room: pieces are put on cells by hand, and a game starts from there."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

from unbounded.game import Game, UnboundedError, UsageError, plain, require
from unbounded.game.drawing import draw
from unbounded.game.wrappers import Start
from unbounded.interfaces.web.line import Cursor
from unbounded.interfaces.web.views import title_of


def edited_game(game: Game[Any, Any]) -> Game[Any, Any]:
    """The game whose positions are set up: one that starts elsewhere has it inside."""
    return game.game if isinstance(game, Start) else game


class Editor:
    """At most one position in the making; every change is published to all pages of the room."""

    def __init__(
        self, *, lock: AbstractContextManager[Any], publish: Callable[[str, Any], None]
    ) -> None:
        self._lock, self._publish = lock, publish
        self._game: Game[Any, Any] | None = None
        self._pieces: list[int] = []
        self._mover = 0
        self._svg = ""
        """The latest drawing; a position that the rules refuse cannot be drawn."""

    # -- requests ---------------------------------------------------------------------------------

    def start(self, cursor: Cursor) -> None:
        """Begin with the position at the cursor."""
        require(
            bool(cursor.game.piece_symbols),
            f"positions of {title_of(cursor.game)} cannot be set up",
        )
        with self._lock:
            self._game = game = edited_game(cursor.game)
            self._pieces = [int(piece) for piece in game.pieces_on(cursor.state)]
            self._mover = cursor.mover or 0
            self._svg = draw(game, cursor.state)
            self.publish()

    def put(self, place: int, piece: int) -> None:
        """Put a piece on a cell, or empty it with piece 0."""
        with self._lock:
            game = self._open()
            require(place < len(self._pieces), f"there are {len(self._pieces)} places, from 0")
            symbols = len(game.piece_symbols)
            require(piece < symbols, f"there are {symbols} pieces, from 0, which is none")
            self._pieces[place] = piece
            self.publish()

    def clear(self) -> None:
        """Empty all cells."""
        with self._lock:
            self._open()
            self._pieces = [0] * len(self._pieces)
            self.publish()

    def choose_mover(self, player: int) -> None:
        """Choose who moves first."""
        with self._lock:
            players = self._open().players
            require(player < players, f"there are {players} players, from 0")
            self._mover = player
            self.publish()

    def finish(self) -> Game[Any, Any]:
        """Return the game that starts from the position; a position without one is an error."""
        with self._lock:
            game = self._open()
            text = "".join(game.piece_symbols[piece] for piece in self._pieces)
            return Start(game, text, self._mover)

    def close(self) -> None:
        """Leave the editor."""
        with self._lock:
            if self._game is not None:
                self._game = None
                self.publish()

    def _open(self) -> Game[Any, Any]:
        if self._game is None:
            raise UsageError("no position is being set up")
        return self._game

    # -- its view ---------------------------------------------------------------------------------

    def publish(self) -> None:
        """Publish the view."""
        self._publish("edit", self.view())

    def view(self) -> dict[str, Any] | None:
        """The position as the page shows it; None if none is being set up."""
        game = self._game
        if game is None:
            return None
        message = ""
        try:
            self._svg = draw(game, game.set_up(self._pieces, self._mover))
            self.finish()
        except UnboundedError as error:
            message = str(error)
        return {
            "symbols": list(game.piece_symbols),
            "places": [[plain(x) for x in place] for place in game.piece_places()],
            "pieces": list(self._pieces),
            "mover": self._mover,
            "players": [game.player_name(player) for player in range(game.players)],
            "svg": self._svg,
            "message": message,
        }
