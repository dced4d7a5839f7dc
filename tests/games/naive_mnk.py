# SPDX-License-Identifier: MIT
"""Lines on a board once more, as slow and plain as possible: who has a stone where."""

from __future__ import annotations

from typing import NamedTuple

Cell = tuple[int, int]
State = tuple[frozenset[Cell], ...]
"""The cells of each player's stones, (column, row); players take turns, so it tells who moves."""


class Board(NamedTuple):
    rows: int
    columns: int
    line: int
    players: int = 2


def initial(board: Board) -> State:
    return (frozenset(),) * board.players


def mover(state: State) -> int:
    """The first player who has fewest stones."""
    return min(range(len(state)), key=lambda who: len(state[who]))


def actions(board: Board, state: State) -> list[Cell]:
    if winner(board, state) is not None:
        return []
    cells = [(column, row) for column in range(board.columns) for row in range(board.rows)]
    return [cell for cell in cells if not any(cell in stones for stones in state)]


def following(state: State, cell: Cell) -> State:
    who = mover(state)
    return tuple(s | {cell} if p == who else s for p, s in enumerate(state))


def winner(board: Board, state: State) -> int | None:
    for who, stones in enumerate(state):
        for x, y in stones:
            for right, up in ((1, 0), (0, 1), (1, 1), (1, -1)):
                row = {(x + i * right, y + i * up) for i in range(board.line)}
                if row <= stones:
                    return who
    return None


def ways(board: Board, depth: int) -> int:
    """Count the ways to play so many moves; positions reached in several ways are merged."""
    layer = {initial(board): 1}
    for _ in range(depth):
        below: dict[State, int] = {}
        for state, count in layer.items():
            for cell in actions(board, state):
                after = following(state, cell)
                below[after] = below.get(after, 0) + count
        layer = below
    return sum(layer.values())
