# SPDX-License-Identifier: MIT
"""Symmetries of some OpenSpiel boards, as OpenSpiel prints them: most games have none here.

A symmetry is given by where each character of the text comes from, and by what becomes of each
action. `unbounded check` compares the two by play.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import Any, NamedTuple

Cell = tuple[int, int]
Move = Callable[[int, int], Cell]


class Image(NamedTuple):
    """The board as a symmetry shows it."""

    text: Callable[[str], tuple[str, ...]]
    """The characters of the text, in another order."""
    action: Callable[[int], int]


def images_of(name: str, parameters: dict[str, Any], text: str) -> tuple[Image, ...]:
    """Return the symmetries of a game but for the identity; `text` is that of its first state."""
    if not text:
        return ()
    if name == "tic_tac_toe":
        return tuple(_square_image(text, turn) for turn in _TURNS)
    if name == "connect_four":
        columns = parameters["columns"]
        return (Image(_mirrored(text, 0, columns), lambda column: columns - 1 - column),)
    if name == "breakthrough":
        rows, columns = parameters["rows"], parameters["columns"]
        return (Image(_mirrored(text, 1, columns, rows), _mirrored_pawn_move(columns)),)
    return ()


_TURNS: tuple[Move, ...] = (
    lambda r, c: (c, 2 - r),
    lambda r, c: (2 - r, 2 - c),
    lambda r, c: (2 - c, r),
    lambda r, c: (r, 2 - c),
    lambda r, c: (2 - r, c),
    lambda r, c: (c, r),
    lambda r, c: (2 - c, 2 - r),
)


def _square_image(text: str, turn: Move) -> Image:
    """Return the image of three lines of three cells, in which a cell comes from that place."""
    sources = list(range(len(text)))
    becomes = [0] * 9
    for r in range(3):
        for c in range(3):
            row, column = turn(r, c)
            sources[4 * r + c] = 4 * row + column
            becomes[3 * row + column] = 3 * r + c
    return Image(itemgetter(*sources), becomes.__getitem__)


def _mirrored(
    text: str, first: int, columns: int, rows: int | None = None
) -> Callable[[str], tuple[str, ...]]:
    """Mirror the cells of each line, the first of which is at this place of the line."""
    sources, begin = list[int](), 0
    for number, line in enumerate(text.splitlines(keepends=True)):
        places = list(range(begin, begin + len(line)))
        if rows is None or number < rows:
            places[first : first + columns] = reversed(places[first : first + columns])
        sources += places
        begin += len(line)
    return itemgetter(*sources)


def _mirrored_pawn_move(columns: int) -> Callable[[int], int]:
    """Mirror a move of breakthrough: row, column, direction of six, and whether it captures."""
    directions: Sequence[int] = (2, 1, 0, 5, 4, 3)

    def mirror(action: int) -> int:
        rest, captures = divmod(action, 2)
        rest, direction = divmod(rest, 6)
        row, column = divmod(rest, columns)
        return ((row * columns + columns - 1 - column) * 6 + directions[direction]) * 2 + captures

    return mirror
