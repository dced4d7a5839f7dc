# SPDX-License-Identifier: MIT
"""Gomoku once more, as slow and plain as possible: a board of letters, read in all directions."""

from __future__ import annotations

State = tuple[tuple[str, ...], str]
"""The rows from the bottom up, and who moves: X or O."""


def initial(size: int) -> State:
    return ("." * size,) * size, "X"


def actions(state: State) -> list[str]:
    """The free points by their names, a1 bottom left; none when the game is over."""
    if winner(state):
        return []
    named = "abcdefghijklmnopqrstuvwxyz"
    found = []
    for number, row in enumerate(state[0], 1):
        for letter, point in zip(named, row, strict=False):
            if point == ".":
                found.append(f"{letter}{number}")
    return found


def following(state: State, name: str) -> State:
    rows, mover = list(state[0]), state[1]
    column, row = ord(name[0]) - ord("a"), int(name[1:]) - 1
    assert rows[row][column] == "."
    rows[row] = rows[row][:column] + mover + rows[row][column + 1 :]
    return tuple(rows), "O" if mover == "X" else "X"


def winner(state: State) -> str:
    """Whoever has five in a row, or more; nobody is ''."""
    rows = state[0]
    size = len(rows)
    turned = ["".join(row[column] for row in rows) for column in range(size)]
    # Rows pushed sideways, each one further than the one below, have diagonals for columns.
    right = [" " * i + row + " " * (size - i) for i, row in enumerate(rows)]
    left = [" " * (size - i) + row + " " * i for i, row in enumerate(rows)]
    diagonals = [
        "".join(row[x] for row in pushed) for pushed in (right, left) for x in range(2 * size)
    ]
    for line in (*rows, *turned, *diagonals):
        for stone in "XO":
            if stone * 5 in line:
                return stone
    return ""
