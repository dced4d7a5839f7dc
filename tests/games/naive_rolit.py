# SPDX-License-Identifier: MIT
"""Rolit once more, as simply as possible: a dictionary from cells to players.

A position is (cells, who): cells maps (row, column), counted from the top left, to the number of a
player, or to None for a ball of a color that nobody plays.
"""

from __future__ import annotations

Place = tuple[int, int]
Cells = dict[Place, int | None]
Position = tuple[Cells, int]

STEPS = [(down, right) for down in (-1, 0, 1) for right in (-1, 0, 1) if (down, right) != (0, 0)]


def start(size: int, players: int) -> Position:
    low, high = size // 2 - 1, size // 2
    clockwise = [(low, low), (low, high), (high, high), (high, low)]
    seats: list[int | None] = [0, 1, 2, 3]
    if players == 3:
        seats = [0, 1, 2, None]
    if players == 2:
        seats = [0, None, 1, None]
    return dict(zip(clockwise, seats, strict=True)), 0


def captured(cells: Cells, place: Place, who: int) -> list[Place]:
    """Return where the balls lie that a new ball would capture."""
    found = []
    for down, right in STEPS:
        line = []
        row, column = place[0] + down, place[1] + right
        while (row, column) in cells and cells[row, column] != who:
            line.append((row, column))
            row, column = row + down, column + right
        if (row, column) in cells:
            found += line
    return found


def moves(size: int, position: Position) -> list[Place]:
    cells, who = position
    board = [(row, column) for row in range(size) for column in range(size)]
    empty = [place for place in board if place not in cells]
    capturing = [place for place in empty if captured(cells, place, who)]
    if capturing:
        return capturing
    return [p for p in empty if any((p[0] + down, p[1] + right) in cells for down, right in STEPS)]


def after(position: Position, move: Place, players: int) -> Position:
    cells, who = position
    cells = dict(cells)
    for place in [*captured(cells, move, who), move]:
        cells[place] = who
    return cells, (who + 1) % players


def balls(position: Position, players: int) -> list[int]:
    owners = list(position[0].values())
    return [owners.count(who) for who in range(players)]


def outcome(position: Position, players: int) -> list[int]:
    counted = balls(position, players)
    first = [who for who in range(players) if counted[who] == max(counted)]
    if len(first) == 1:
        return [1 if who == first[0] else -1 for who in range(players)]
    return [0 if who in first else -1 for who in range(players)]


def perft(size: int, players: int, position: Position, depth: int) -> int:
    found = moves(size, position)
    if depth == 1:
        return len(found)
    return sum(perft(size, players, after(position, m, players), depth - 1) for m in found)


def lead(size: int, position: Position, low: int, high: int, known: dict[object, int]) -> int:
    """Return by how many balls the mover of two players gets ahead, as far as within the window."""
    key = (frozenset(position[0].items()), position[1], low, high)
    if key in known:
        return known[key]
    found = moves(size, position)
    if not found:
        counted = balls(position, 2)
        best = counted[position[1]] - counted[1 - position[1]]
    else:
        best = -size * size
        for move in found:
            worth = -lead(size, after(position, move, 2), -high, -max(low, best), known)
            best = max(best, worth)
            if best >= high:
                break
    known[key] = best
    return best


if __name__ == "__main__":
    print("rolit(size=4): lead", lead(4, start(4, 2), -16, 16, {}), flush=True)
    for board, seats, deepest in ((4, 2, 9), (4, 3, 8), (4, 4, 8), (6, 2, 7), (6, 3, 7), (6, 4, 7)):
        counts = [perft(board, seats, start(board, seats), d) for d in range(1, deepest + 1)]
        print(f"rolit(size={board},players={seats}):", *counts, flush=True)
