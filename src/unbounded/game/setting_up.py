# SPDX-License-Identifier: MIT
"""Positions set up by hand: what games share that can say what is on each cell, and make it so.

A position is written as one symbol per cell, in the order of the game's `piece_places`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from unbounded.game import Game, RecordGame, State, UsageError, require
from unbounded.game.colors import BLACK, NOBODY, PLAYERS, WHITE, Color
from unbounded.game.contract import Place
from unbounded.game.drawing import Canvas, draw


def check_pieces(game: Game[Any, Any], pieces: Sequence[int], player: int) -> None:
    """Refuse what cannot be a position: a wrong number of cells, pieces or players unknown."""
    cells = len(game.piece_places())
    require(len(pieces) == cells, f"there are {cells} cells, not {len(pieces)}")
    kinds = len(game.piece_symbols)
    known = all(type(piece) is int and 0 <= piece < kinds for piece in pieces)
    require(known, f"what is on a cell is a number from 0 to {kinds - 1}")
    allowed = type(player) is int and 0 <= player < game.players
    require(allowed, f"the player to move must be a number from 0 to {game.players - 1}")


def require_at_most(game: Game[Any, Any], pieces: Sequence[int], kinds: int, most: int) -> None:
    """Refuse more than `most` pieces of one of the first kinds, or none at all."""
    for piece in range(1, kinds + 1):
        symbol, count = game.piece_symbols[piece], list(pieces).count(piece)
        require(1 <= count <= most, f"there must be 1 to {most} of {symbol}, not {count}")


def packed(game: RecordGame, player: int, **fields: Any) -> bytes:
    """Return the state with these fields and this player to move; all other fields are 0."""
    s = game.state.zero()
    for name, value in {**fields, "turn": player}.items():
        setattr(s, name, list(value) if isinstance(value, (list, tuple)) else value)
    return game.state.pack(s)


def placed(game: RecordGame, player: int, stones: Iterable[tuple[int, int]]) -> bytes:
    """Return the state after stones were placed, each an owner and an action, on the empty board.

    The rules place them, so that everything they keep beside the stones is right.
    """
    state = game.initial()
    for owner, action in stones:
        require(not game.is_terminal(state), "somebody has won already in this position")
        s: State = game.state.unpack(state)
        s.turn = owner
        state = game.next(game.state.pack(s), action)
    if game.is_terminal(state):
        return state  # over: whose turn it is says who has won
    after: State = game.state.unpack(state)
    after.turn = player
    return game.state.pack(after)


def rows_of_bits(pieces: Sequence[int], kinds: int, size: int) -> list[int]:
    """Return the cells of each kind of piece as rows of bits, column c being bit c."""
    rows = [0] * (kinds * size)
    for cell, piece in enumerate(pieces):
        if piece:
            rows[(piece - 1) * size + cell // size] |= 1 << cell % size
    return rows


def pieces_in_bits(rows: Sequence[int], kinds: int, size: int) -> list[int]:
    """Return what is on each cell, from rows of bits."""
    pieces = [0] * (size * size)
    for cell in range(size * size):
        for kind in range(kinds):
            if rows[kind * size + cell // size] >> cell % size & 1:
                pieces[cell] = kind + 1
    return pieces


def grid_places(rows: int, columns: int) -> list[Place]:
    """Return the cells of a board of rows and columns, from a1 at the bottom left by rows."""
    return [Place(c + 0.5, rows - r - 0.5) for r in range(rows) for c in range(columns)]


def written(game: Game[Any, Any], state: Any) -> str:
    """Write what is on each cell as symbols."""
    return "".join(game.piece_symbols[piece] for piece in game.pieces_on(state))


def read_pieces(game: Game[Any, Any], text: str) -> list[int]:
    """Return the pieces that symbols stand for."""
    for symbol in text:
        if symbol not in game.piece_symbols:
            known = " ".join(game.piece_symbols)
            raise UsageError(f"{symbol!r} is on no cell of {game.game_name()}; there are {known}")
    return [game.piece_symbols.index(symbol) for symbol in text]


def draw_set_up(game: Game[Any, Any], pieces: Sequence[int], player: int = 0) -> str:
    """Draw what is being set up: as the game does, or else, if it is no position, as pieces."""
    try:
        return draw(game, game.set_up(pieces, player))
    except UsageError:
        pass
    places = game.piece_places()
    width = max((place.x + place.width / 2 for place in places), default=1.0)
    height = max((place.y + place.height / 2 for place in places), default=1.0)
    shown = "".join(game.piece_symbols[piece] for piece in pieces)
    canvas = Canvas(width, height, title=f"{game.game_name()}, being set up: {shown}")
    for place in places:
        side, high = 0.96 * place.width, 0.96 * place.height
        canvas.rectangle(place.x - side / 2, place.y - high / 2, side, high, radius=0.08)
    for piece, place in zip(pieces, places, strict=True):
        if piece:
            symbol = game.piece_symbols[piece]
            canvas.piece(place.x, place.y, _color_of(game, piece), symbol, 0.36)
    return canvas.svg()


def _color_of(game: Game[Any, Any], piece: int) -> Color:
    """Return the color of a piece: white or black where its player is called so."""
    if piece > game.players:
        return NOBODY
    name = game.player_name(piece - 1).lower()
    in_letters = {"W", "B"} <= set(game.piece_symbols)
    for color, word, letter in ((WHITE, "white", "W"), (BLACK, "black", "B")):
        if name.startswith(word) or (in_letters and game.piece_symbols[piece] == letter):
            return color
    return PLAYERS[piece - 1]
