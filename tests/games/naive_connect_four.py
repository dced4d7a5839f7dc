# SPDX-License-Identifier: MIT
"""Connect Four once more, as slow and plain as possible: a string of stones for each column."""

from __future__ import annotations

from typing import NamedTuple

LETTERS = "ABCD"


class Board(NamedTuple):
    width: int
    height: int
    line: int
    players: int


State = tuple[tuple[str, ...], int]
"""The stones of each column from the bottom up, and how many moves were made."""


def initial(board: Board) -> State:
    return ("",) * board.width, 0


def mover(board: Board, state: State) -> int:
    return state[1] % board.players


def actions(board: Board, state: State) -> list[int]:
    if winner(board, state) is not None:
        return []
    return [number for number, column in enumerate(state[0]) if len(column) < board.height]


def following(board: Board, state: State, number: int) -> State:
    columns = list(state[0])
    columns[number] += LETTERS[mover(board, state)]
    return tuple(columns), state[1] + 1


def winner(board: Board, state: State) -> int | None:
    """Who has a row: every straight line of the board is read as a word."""
    rows = [column.ljust(board.height, ".") for column in state[0]]
    words = list(rows)
    words += ["".join(column[row] for column in rows) for row in range(board.height)]
    for start in range(-board.height, board.width + board.height):
        rising, falling = "", ""
        for column in range(board.width):
            up, down = column - start, start - column
            rising += rows[column][up] if 0 <= up < board.height else " "
            falling += rows[column][down] if 0 <= down < board.height else " "
        words += [rising, falling]
    for who in range(board.players):
        if any(LETTERS[who] * board.line in word for word in words):
            return who
    return None
