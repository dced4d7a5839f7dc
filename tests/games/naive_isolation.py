# SPDX-License-Identifier: MIT
"""Isolation in the plainest way: a position is (cells left, place of each pawn or None, mover).

Cells are (column, row); the cell under a pawn counts as left.
"""

from __future__ import annotations

import functools

Cell = tuple[int, int]
Move = tuple[Cell, Cell]
Position = tuple[frozenset[Cell], tuple[Cell | None, ...], int]


class Naive:
    def __init__(self, rows: int, columns: int, players: int) -> None:
        self.rows, self.columns, self.players = rows, columns, players

    def initial(self) -> Position:
        cells = frozenset((x, y) for x in range(self.columns) for y in range(self.rows))
        # With an even number of cells in a side, each player is left of the middle as they see it.
        bottom, top = ((self.columns - 1) // 2, 0), (self.columns // 2, self.rows - 1)
        left, right = (0, self.rows // 2), (self.columns - 1, (self.rows - 1) // 2)
        return cells, (bottom, top, left, right)[: self.players], 0

    def steps(self, position: Position, who: int) -> list[Cell]:
        """Where a player's pawn could go."""
        cells, pawns, _ = position
        here = pawns[who]
        assert here is not None
        near = [(here[0] + dx, here[1] + dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1)]
        return [cell for cell in near if cell in cells and cell not in pawns]

    def over(self, position: Position) -> bool:
        return sum(pawn is not None for pawn in position[1]) == 1

    def actions(self, position: Position) -> list[Move]:
        """Pairs of the cell to go to and the cell to remove after that."""
        if self.over(position):
            return []
        cells, pawns, mover = position
        moves = []
        for target in self.steps(position, mover):
            after = [target if who == mover else pawn for who, pawn in enumerate(pawns)]
            moves += [(target, removed) for removed in cells if removed not in after]
        return moves

    def next(self, position: Position, move: Move) -> Position:
        cells, pawns, mover = position
        target, removed = move
        pawns = tuple(target if who == mover else pawn for who, pawn in enumerate(pawns))
        cells = cells - {removed}
        while True:
            mover = (mover + 1) % self.players
            position = (cells, pawns, mover)
            if self.over(position):
                return position
            here = pawns[mover]
            if here is None:
                continue
            if self.steps(position, mover):
                return position
            cells = cells - {here}
            pawns = tuple(None if who == mover else pawn for who, pawn in enumerate(pawns))

    def outcome(self, position: Position) -> list[int]:
        return [-1 if pawn is None else 1 for pawn in position[1]]

    def first_wins(self) -> bool:
        """Whether the first of two players can force a win, by trying everything."""

        @functools.cache
        def wins(position: Position) -> bool:
            """Whether the player to move does."""
            mover = position[2]
            for move in self.actions(position):
                after = self.next(position, move)
                if self.over(after):
                    if self.outcome(after)[mover] == 1:
                        return True
                elif not wins(after):
                    return True
            return False

        return wins(self.initial())

    def perft(self, depth: int, position: Position | None = None) -> int:
        """Count the ways to play so many moves."""
        position = position or self.initial()
        if depth == 0:
            return 1
        if depth == 1:
            return len(self.actions(position))
        ways = [self.next(position, move) for move in self.actions(position)]
        return sum(self.perft(depth - 1, after) for after in ways)


def name(move: Move) -> str:
    """Write a move: the cell gone to, x, the cell removed."""
    return "x".join(f"{'abcdefghijklmnop'[x]}{y + 1}" for x, y in move)
