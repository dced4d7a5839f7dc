# SPDX-License-Identifier: MIT
"""Lines of Action once more, as its rules are told: pieces on named cells.

A position is (black pieces, white pieces, who moves, moves left); pieces are frozensets of
(column, row), both counted from 1. A move is (from, to).
"""

from __future__ import annotations

from functools import cache

Cell = tuple[int, int]
Position = tuple[frozenset[Cell], frozenset[Cell], str, int]
Move = tuple[Cell, Cell]

WAYS = [(right, up) for right in (-1, 0, 1) for up in (-1, 0, 1) if (right, up) != (0, 0)]


class NaiveLinesOfAction:
    def __init__(self, size: int, horizon: int) -> None:
        self.size, self.horizon = size, horizon
        self.value = cache(self._value)

    def start(self) -> Position:
        inner = range(2, self.size)
        black = {(column, row) for column in inner for row in (1, self.size)}
        white = {(column, row) for column in (1, self.size) for row in inner}
        return frozenset(black), frozenset(white), "black", self.horizon

    def on_board(self, cell: Cell) -> bool:
        return 1 <= cell[0] <= self.size and 1 <= cell[1] <= self.size

    def one_group(self, pieces: frozenset[Cell]) -> bool:
        group = {min(pieces)}
        while True:
            near = {(c + right, r + up) for c, r in group for right, up in WAYS} & pieces
            if near <= group:
                return group == pieces
            group |= near

    def winner(self, position: Position) -> str | None:
        """Return who has won: by being together, the last mover first, or by stopping the other."""
        black, white, mover, left = position
        other = "white" if mover == "black" else "black"
        if self.one_group(white if other == "white" else black):
            return other
        if self.one_group(black if mover == "black" else white):
            return mover
        if left > 0 and not self.all_moves(position):
            return other
        return None

    def all_moves(self, position: Position) -> list[Move]:
        black, white, mover, _ = position
        own, enemy = (black, white) if mover == "black" else (white, black)
        found = []
        for column, row in own:
            for right, up in WAYS:
                line = [
                    (column + n * right, row + n * up) for n in range(-self.size, self.size + 1)
                ]
                distance = len([cell for cell in line if cell in own or cell in enemy])
                passed = [(column + n * right, row + n * up) for n in range(1, distance)]
                target = (column + distance * right, row + distance * up)
                jumped = any(cell in enemy for cell in passed)
                if self.on_board(target) and target not in own and not jumped:
                    found.append(((column, row), target))
        return found

    def moves(self, position: Position) -> list[Move]:
        if position[3] == 0 or self.winner(position):
            return []
        return self.all_moves(position)

    def play(self, position: Position, move: Move) -> Position:
        black, white, mover, left = position
        source, target = move
        if mover == "black":
            return (black - {source}) | {target}, white - {target}, "white", left - 1
        return black - {target}, (white - {source}) | {target}, "black", left - 1

    def _value(self, position: Position) -> int:
        """Return the outcome for Black under best play."""
        moves = self.moves(position)
        if not moves:
            return {"black": 1, "white": -1, None: 0}[self.winner(position)]
        choose = max if position[2] == "black" else min
        return choose(self.value(self.play(position, move)) for move in moves)

    def perft(self, position: Position, depth: int) -> int:
        if depth == 0:
            return 1
        return sum(self.perft(self.play(position, m), depth - 1) for m in self.moves(position))
