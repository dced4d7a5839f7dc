# SPDX-License-Identifier: MIT
"""Blokus once more, as simply as possible: pieces are sets of cells, the board is a dictionary.

A position is (board, hands, last, who): the board maps a cell, (column, row) from the lower left,
to the player on it; each hand is a list of pieces not yet placed; `last` says of each player how
many squares the last piece had. The pieces are not drawn but grown, square by square.
"""

from __future__ import annotations

import functools

Cell = tuple[int, int]
Piece = frozenset[Cell]
Position = tuple[dict[Cell, int], list[list[Piece]], list[int], int]


def at_origin(piece: Piece) -> Piece:
    left, low = min(x for x, _ in piece), min(y for _, y in piece)
    return frozenset((x - left, y - low) for x, y in piece)


@functools.cache
def images(piece: Piece) -> frozenset[Piece]:
    """Return the piece turned and flipped in every way."""
    found, waiting = {at_origin(piece)}, [at_origin(piece)]
    while waiting:
        now = waiting.pop()
        for image in (frozenset((y, x) for x, y in now), frozenset((-x, y) for x, y in now)):
            if at_origin(image) not in found:
                found.add(at_origin(image))
                waiting.append(at_origin(image))
    return frozenset(found)


def sides(cell: Cell) -> list[Cell]:
    x, y = cell
    return [(x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)]


def corners(cell: Cell) -> list[Cell]:
    x, y = cell
    return [(x + 1, y + 1), (x + 1, y - 1), (x - 1, y + 1), (x - 1, y - 1)]


@functools.cache
def all_pieces(squares: int) -> tuple[Piece, ...]:
    """Return one of each piece with at most so many squares."""
    found: list[Piece] = [frozenset([(0, 0)])]
    for piece in found:
        for beside in {b for cell in piece for b in sides(cell)} - piece:
            larger = at_origin(piece | {beside})
            if len(larger) <= squares and not any(larger in images(known) for known in found):
                found.append(larger)
    return tuple(found)


def start_cell(who: int, size: int, players: int) -> Cell:
    end = size - 1
    if players == 2:
        return [(0, 0), (end, end)][who]
    return [(0, 0), (0, end), (end, end), (end, 0)][who]


def start(pieces: int, players: int) -> Position:
    hands = [list(all_pieces(pieces)) for _ in range(players)]
    return {}, hands, [0] * players, 0


@functools.cache
def places(piece: Piece, size: int) -> tuple[Piece, ...]:
    """Return every set of cells on the board that the piece can cover."""
    found = []
    for image in sorted(images(piece), key=sorted):
        for right in range(size):
            for up in range(size):
                moved = frozenset((x + right, y + up) for x, y in image)
                if all(x < size and y < size for x, y in moved):
                    found.append(moved)
    return tuple(found)


def allowed(board: dict[Cell, int], cells: Piece, who: int, first: Cell) -> bool:
    if any(cell in board for cell in cells):
        return False
    if who not in board.values():
        return first in cells
    if any(board.get(beside) == who for cell in cells for beside in sides(cell)):
        return False
    return any(board.get(aslant) == who for cell in cells for aslant in corners(cell))


def moves_of(size: int, position: Position, who: int) -> list[Piece]:
    board, hands, _, _ = position
    first = start_cell(who, size, len(hands))
    return [
        cells
        for piece in hands[who]
        for cells in places(piece, size)
        if allowed(board, cells, who, first)
    ]


def moves(size: int, position: Position) -> list[Piece]:
    """Return the moves of whoever is to move; none if nobody has any."""
    return moves_of(size, position, position[3])


def after(size: int, position: Position, move: Piece) -> Position:
    board, hands, last, who = position
    board = board | dict.fromkeys(move, who)
    hands = [list(hand) for hand in hands]
    hands[who] = [piece for piece in hands[who] if at_origin(move) not in images(piece)]
    last = [len(move) if player == who else last[player] for player in range(len(hands))]
    for passing in range(1, len(hands) + 1):
        following = (who + passing) % len(hands)
        if moves_of(size, (board, hands, last, following), following):
            return board, hands, last, following
    return board, hands, last, 0


def points(position: Position) -> list[int]:
    _, hands, last, _ = position
    found = []
    for who, hand in enumerate(hands):
        if hand:
            found.append(-sum(len(piece) for piece in hand))
        else:
            found.append(20 if last[who] == 1 else 15)
    return found


def score(position: Position) -> list[int]:
    found = points(position)
    return found if len(found) > 2 else [found[0] - found[1], found[1] - found[0]]


def outcome(position: Position) -> list[int]:
    found = points(position)
    first = [who for who, x in enumerate(found) if x == max(found)]
    if len(first) == 1:
        return [1 if who in first else -1 for who in range(len(found))]
    return [0 if who in first else -1 for who in range(len(found))]


def perft(size: int, position: Position, depth: int) -> int:
    found = moves(size, position)
    if depth == 1:
        return len(found)
    return sum(perft(size, after(size, position, move), depth - 1) for move in found)


def key(position: Position) -> object:
    """Return all that matters of a position; the hands follow from the board."""
    board, _, _, who = position
    ended = tuple(x if x > 0 else 0 for x in points(position))
    return frozenset(board.items()), who, ended


def lead(
    size: int,
    position: Position,
    low: int = -1000,
    high: int = 1000,
    known: dict[object, tuple[int, int]] | None = None,
) -> int:
    """Return the score of the first of two players under best play, exact within the window.

    What is known of a position are two bounds of its score.
    """
    known = {} if known is None else known
    found = moves(size, position)
    if not found:
        return score(position)[0]
    this = key(position)
    least, most = known.get(this, (-1000, 1000))
    low, high = max(low, least), min(high, most)
    if low >= high:
        return least if least >= high else most
    a, b, best = low, high, None
    for move in sorted(found, key=len, reverse=True):
        worth = lead(size, after(size, position, move), a, b, known)
        if position[3] == 0:
            best = worth if best is None else max(best, worth)
            a = max(a, best)
        else:
            best = worth if best is None else min(best, worth)
            b = min(b, best)
        if a >= b:
            break
    assert best is not None
    if best <= low:
        most = min(most, best)
    elif best >= high:
        least = max(least, best)
    else:
        least = most = best
    known[this] = (least, most)
    return best


if __name__ == "__main__":
    for board, largest in ((2, 1), (4, 3), (4, 4), (5, 3)):
        print(f"blokus(size={board},pieces={largest}): lead", lead(board, start(largest, 2)))
    for board, largest, seats, deepest in (
        (6, 4, 2, 4),
        (5, 3, 2, 9),
        (4, 5, 3, 5),
        (6, 3, 4, 7),
        (14, 5, 2, 2),
    ):
        counts = [perft(board, start(largest, seats), d) for d in range(1, deepest + 1)]
        print(f"blokus(size={board},pieces={largest},players={seats}):", *counts, flush=True)
