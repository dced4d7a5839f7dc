# SPDX-License-Identifier: MIT
"""Breakthrough once more, as its rules are told: pawns on named cells, no arithmetic on boards.

A position is (white pawns, black pawns, who moves); pawns are frozensets of (column, row), both
counted from 1; White marches towards higher rows. A move is (from, to).
"""

from __future__ import annotations

Cell = tuple[int, int]
Position = tuple[frozenset[Cell], frozenset[Cell], str]
Move = tuple[Cell, Cell]


class NaiveBreakthrough:
    def __init__(self, rows: int, columns: int, pawn_rows: int) -> None:
        self.rows, self.columns, self.pawn_rows = rows, columns, pawn_rows

    def start(self) -> Position:
        white, black = set(), set()
        for column in range(1, self.columns + 1):
            for row in range(1, self.pawn_rows + 1):
                white.add((column, row))
                black.add((column, self.rows + 1 - row))
        return frozenset(white), frozenset(black), "white"

    def winner(self, position: Position) -> str | None:
        white, black, _ = position
        if any(row == self.rows for _, row in white) or not black:
            return "white"
        if any(row == 1 for _, row in black) or not white:
            return "black"
        return None

    def moves(self, position: Position) -> list[Move]:
        if self.winner(position):
            return []
        white, black, mover = position
        own, enemy, forward = (white, black, 1) if mover == "white" else (black, white, -1)
        found = []
        for column, row in own:
            straight = (column, row + forward)
            if straight not in own and straight not in enemy and 1 <= row + forward <= self.rows:
                found.append(((column, row), straight))
            for side in (column - 1, column + 1):
                diagonal = (side, row + forward)
                inside = 1 <= side <= self.columns and 1 <= row + forward <= self.rows
                if inside and diagonal not in own:
                    found.append(((column, row), diagonal))
        return found

    def play(self, position: Position, move: Move) -> Position:
        white, black, mover = position
        source, target = move
        if mover == "white":
            return (white - {source}) | {target}, black - {target}, "black"
        return white - {target}, (black - {source}) | {target}, "white"

    def perft(self, position: Position, depth: int) -> int:
        if depth == 0:
            return 1
        return sum(self.perft(self.play(position, m), depth - 1) for m in self.moves(position))
