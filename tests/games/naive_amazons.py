# SPDX-License-Identifier: MIT
"""The Game of the Amazons written as plainly as possible, to check the fast one against.

A position is a dictionary from (column, row), counted from 1, to what stands there: "W", "B" or
"x"; a free square is not in it. A turn is (from, to, arrow). A shape is (rows, columns).
"""

from __future__ import annotations

Square = tuple[int, int]
Board = dict[Square, str]
Shape = tuple[int, int]


def start(shape: Shape) -> Board:
    """The first position: the squares of White, and Black's as their mirror image."""
    white = {
        (4, 4): "b1 c1 a2 d2",
        (5, 5): "b1 d1 a2 e2",
        (6, 6): "b1 e1 a2 f2",
        (7, 7): "b1 f1 a2 g2",
        (8, 8): "c1 f1 a3 h3",
        (9, 9): "c1 g1 a3 i3",
        (10, 10): "d1 g1 a4 j4",
        (4, 5): "b1 d1 a2 e2",
        (5, 4): "b1 c1 a2 d2",
        (4, 6): "b1 e1 a2 f2",
        (6, 4): "b1 c1 a2 d2",
        (5, 6): "b1 e1 a2 f2",
        (4, 10): "d1 g1 a2 j2",
        (8, 5): "b1 d1 a3 e3",
    }[shape].split()
    board = {}
    for name in white:
        column, row = " abcdefghij".index(name[0]), int(name[1])
        board[column, row] = "W"
        board[column, shape[0] + 1 - row] = "B"
    return board


def flights(board: Board, shape: Shape, square: Square) -> list[Square]:
    """Where a queen on the square can go; what stands there itself does not matter."""
    rows, columns = shape
    found = []
    for right in (-1, 0, 1):
        for up in (-1, 0, 1):
            if (right, up) == (0, 0):
                continue
            column, row = square[0] + right, square[1] + up
            while 1 <= column <= columns and 1 <= row <= rows and (column, row) not in board:
                found.append((column, row))
                column, row = column + right, row + up
    return found


def moved(board: Board, start: Square, to: Square) -> Board:
    """The board after an amazon has moved, before it shoots."""
    after = dict(board)
    after[to] = after.pop(start)
    return after


def moves(board: Board, shape: Shape, mover: str) -> list[tuple[Square, Square]]:
    """All moves of amazons, without their arrows."""
    own = [square for square in board if board[square] == mover]
    return [(square, to) for square in own for to in flights(board, shape, square)]


def turns(board: Board, shape: Shape, mover: str) -> list[tuple[Square, Square, Square]]:
    """All turns: a move and an arrow."""
    return [
        (square, to, arrow)
        for square, to in moves(board, shape, mover)
        for arrow in flights(moved(board, square, to), shape, to)
    ]


def after_turn(board: Board, turn: tuple[Square, Square, Square]) -> Board:
    """The board after a whole turn."""
    after = moved(board, turn[0], turn[1])
    after[turn[2]] = "x"
    return after


def mover_wins(board: Board, shape: Shape, mover: str, known: dict[object, bool]) -> bool:
    """Whether the player who moves wins, by trying everything; whoever cannot move loses."""
    key = (frozenset(board.items()), mover)
    if key not in known:
        other = "B" if mover == "W" else "W"
        known[key] = any(
            not mover_wins(after_turn(board, turn), shape, other, known)
            for turn in turns(board, shape, mover)
        )
    return known[key]


def count_actions(shape: Shape, depth: int) -> int:
    """Count the ways to play so many actions, where moving and shooting are one action each."""

    def count(board: Board, mover: str, shooter: Square | None, depth: int) -> int:
        if depth == 0:
            return 1
        if shooter is not None:
            targets = flights(board, shape, shooter)
            if depth == 1:
                return len(targets)
            other = "B" if mover == "W" else "W"
            return sum(count({**board, to: "x"}, other, None, depth - 1) for to in targets)
        options = moves(board, shape, mover)
        if depth == 1:
            return len(options)
        return sum(count(moved(board, a, b), mover, b, depth - 1) for a, b in options)

    return count(start(shape), "W", None, depth)
