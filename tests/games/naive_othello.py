# SPDX-License-Identifier: MIT
"""Othello once more, as simply as possible: a dictionary from cells to colors.

A position is (cells, who): cells maps (row, column), counted from the top left, to "black" or
"white". A move is a cell, or "pass".
"""

from __future__ import annotations

Cells = dict[tuple[int, int], str]
Position = tuple[Cells, str]

DIRECTIONS = [(-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1)]
OTHER = {"black": "white", "white": "black"}


def start(size: int) -> Position:
    low, high = size // 2 - 1, size // 2
    cells = {
        (low, low): "white",
        (low, high): "black",
        (high, low): "black",
        (high, high): "white",
    }
    return cells, "black"


def captured(cells: Cells, place: tuple[int, int], color: str) -> list[tuple[int, int]]:
    """Return the cells of the discs that a new disc would capture."""
    found = []
    for down, right in DIRECTIONS:
        line = []
        row, column = place[0] + down, place[1] + right
        while cells.get((row, column)) == OTHER[color]:
            line.append((row, column))
            row, column = row + down, column + right
        if cells.get((row, column)) == color:
            found += line
    return found


def captures(size: int, cells: Cells, color: str) -> list[tuple[int, int]]:
    board = [(row, column) for row in range(size) for column in range(size)]
    return [place for place in board if place not in cells and captured(cells, place, color)]


def moves(size: int, position: Position) -> list[tuple[int, int] | str]:
    cells, color = position
    own = captures(size, cells, color)
    if own:
        return list(own)
    return ["pass"] if captures(size, cells, OTHER[color]) else []


def after(position: Position, move: tuple[int, int] | str) -> Position:
    cells, color = position
    cells = dict(cells)
    if not isinstance(move, str):
        for place in [*captured(cells, move, color), move]:
            cells[place] = color
    return cells, OTHER[color]


def difference(position: Position) -> int:
    """Return how many discs more Black has than White."""
    discs = list(position[0].values())
    return discs.count("black") - discs.count("white")


def perft(size: int, position: Position, depth: int) -> int:
    if depth == 0:
        return 1
    found = moves(size, position)
    if depth == 1:
        return len(found)
    return sum(perft(size, after(position, move), depth - 1) for move in found)


if __name__ == "__main__":
    for board, deepest in ((4, 9), (6, 8), (8, 8), (10, 7)):
        counts = [perft(board, start(board), depth) for depth in range(1, deepest + 1)]
        print(f"othello(size={board}):", *counts, flush=True)
