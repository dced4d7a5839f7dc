# SPDX-License-Identifier: MIT
"""Clobber once more, as slow and plain as possible: {(column, row): color}, as sorted items."""

from __future__ import annotations

from typing import Any

Cell = tuple[int, int]
State = tuple[tuple[tuple[Cell, str], ...], str]


def initial(rows: int, columns: int) -> State:
    stones = {}
    for column in range(columns):
        for row in range(rows):
            stones[column, row] = "white" if (column + row) % 2 == 0 else "black"
    return tuple(sorted(stones.items())), "white"


def actions(state: State) -> list[tuple[Cell, Cell]]:
    stones, mover = dict(state[0]), state[1]
    found = []
    for (column, row), color in state[0]:
        if color == mover:
            for x, y in ((1, 0), (-1, 0), (0, 1), (0, -1)):
                to = (column + x, row + y)
                if to in stones and stones[to] != mover:
                    found.append(((column, row), to))
    return found


def following(state: State, move: tuple[Cell, Cell]) -> State:
    stones, mover = dict(state[0]), state[1]
    start, to = move
    del stones[start]
    stones[to] = mover
    return tuple(sorted(stones.items())), "black" if mover == "white" else "white"


def winner(state: State) -> str:
    """Who has won, when the game is over: not the one who would have to move."""
    assert not actions(state)
    return "black" if state[1] == "white" else "white"


def mover_wins(state: State, known: dict[Any, bool]) -> bool:
    if state not in known:
        moves = actions(state)
        known[state] = any(not mover_wins(following(state, m), known) for m in moves)
    return known[state]
