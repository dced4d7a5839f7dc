# SPDX-License-Identifier: MIT
"""Konane once more, as slow and plain as possible: a board is a tuple of strings, row by row."""

from __future__ import annotations

from typing import Any

State = tuple[tuple[str, ...], str]
Move = tuple[tuple[int, int], ...]
"""Cells (column, row): a stone that is taken off, or all that a stone visits as it jumps."""


def initial(rows: int, columns: int) -> State:
    line = "XO" * columns
    return tuple(line[row % 2 : row % 2 + columns] for row in range(rows)), "X"


def middle(length: int) -> set[int]:
    return {length // 2} if length % 2 else {length // 2 - 1, length // 2}


def at(state: State, column: int, row: int) -> str:
    board = state[0]
    if 0 <= row < len(board) and 0 <= column < len(board[0]):
        return board[row][column]
    return "outside"


def actions(state: State) -> list[Move]:
    board, mover = state
    rows, columns = len(board), len(board[0])
    other = "O" if mover == "X" else "X"
    cells = [(column, row) for column in range(columns) for row in range(rows)]
    own = [cell for cell in cells if at(state, *cell) == mover]
    gaps = [cell for cell in cells if at(state, *cell) == "."]
    if not gaps:
        central = [(c, r) for c in middle(columns) for r in middle(rows)]
        corners = [(0, 0), (columns - 1, 0), (0, rows - 1), (columns - 1, rows - 1)]
        return [(cell,) for cell in own if cell in central or cell in corners]
    if len(gaps) == 1:
        column, row = gaps[0]
        beside = [(column + 1, row), (column - 1, row), (column, row + 1), (column, row - 1)]
        return [(cell,) for cell in own if cell in beside]
    found: list[Move] = []
    for column, row in own:
        for x, y in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            path: Move = ((column, row),)
            c, r = column, row
            while at(state, c + x, r + y) == other and at(state, c + 2 * x, r + 2 * y) == ".":
                c, r = c + 2 * x, r + 2 * y
                path = (*path, (c, r))
                found.append(path)
    return found


def following(state: State, move: Move) -> State:
    lines = [list(line) for line in state[0]]
    mover = state[1]
    column, row = move[0]
    lines[row][column] = "."
    for c, r in move[1:]:
        lines[(row + r) // 2][(column + c) // 2] = "."
        column, row = c, r
    if len(move) > 1:
        lines[row][column] = mover
    return tuple("".join(line) for line in lines), "O" if mover == "X" else "X"


def winner(state: State) -> str:
    """Who has won, when the game is over: not the one who would have to move."""
    assert not actions(state)
    return "O" if state[1] == "X" else "X"


def mover_wins(state: State, known: dict[Any, bool]) -> bool:
    if state not in known:
        known[state] = any(not mover_wins(following(state, m), known) for m in actions(state))
    return known[state]
