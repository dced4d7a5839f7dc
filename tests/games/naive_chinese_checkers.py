# SPDX-License-Identifier: MIT
"""Chinese Checkers once more, as its rules are told: pieces on the cells of a drawn star.

A cell is (column, row), both counted from 1, as the picture of the star has them: neighbors in a
row are two columns apart. A position is (the cells of each player's pieces, who moves, moves left).
A move is (from, to), or None for a pass.
"""

from __future__ import annotations

from functools import cache

Cell = tuple[int, int]
Position = tuple[tuple[frozenset[Cell], ...], int, int]
Move = tuple[Cell, Cell] | None

POINTS = ["bottom", "lower left", "upper left", "top", "upper right", "lower right"]
HOMES = {
    2: ["bottom", "top"],
    3: ["bottom", "upper left", "upper right"],
    4: ["bottom", "lower left", "top", "upper right"],
    6: POINTS,
}
OPPOSITE = {
    "bottom": "top",
    "top": "bottom",
    "lower left": "upper right",
    "upper right": "lower left",
    "upper left": "lower right",
    "lower right": "upper left",
}


class NaiveChineseCheckers:
    def __init__(self, size: int, players: int, horizon: int) -> None:
        self.size, self.players, self.horizon = size, players, horizon
        self.star: set[Cell] = set()
        self.point: dict[str, set[Cell]] = {name: set() for name in POINTS}
        self.draw()
        self.homes = [self.point[name] for name in HOMES[players]]
        self.goals = [self.point[OPPOSITE[name]] for name in HOMES[players]]
        self.values = cache(self._values)

    def draw(self) -> None:
        """Draw the star row by row, from the bottom, each row around the middle."""
        n = self.size
        widths = [
            *range(1, n + 1),
            *range(3 * n + 1, 2 * n, -1),
            *range(2 * n + 2, 3 * n + 2),
            *range(n, 0, -1),
        ]
        for row, width in enumerate(widths, start=1):
            cells = [(3 * n + 2 - width + 2 * i, row) for i in range(width)]
            self.star |= set(cells)
            if row <= n:
                self.point["bottom"] |= set(cells)
            elif row > 3 * n + 1:
                self.point["top"] |= set(cells)
            else:
                side, beyond = ("lower", 2 * n + 1 - row) if row <= 2 * n else ("upper", 0)
                beyond = beyond or row - 2 * n - 1
                self.point[f"{side} left"] |= set(cells[:beyond])
                self.point[f"{side} right"] |= set(cells[width - beyond :])

    def start(self) -> Position:
        return tuple(frozenset(home) for home in self.homes), 0, self.horizon

    def winner(self, position: Position) -> int | None:
        taken = {cell for pieces in position[0] for cell in pieces}
        for who, pieces in enumerate(position[0]):
            if self.goals[who] <= taken and self.goals[who] & pieces:
                return who
        return None

    def around(self, cell: Cell, distance: int) -> list[tuple[Cell, Cell]]:
        """Return the cells so many steps away in a straight line, with those one step away."""
        column, row = cell
        found = []
        for right, up in [(2, 0), (-2, 0), (1, 1), (1, -1), (-1, 1), (-1, -1)]:
            far = (column + distance * right, row + distance * up)
            if far in self.star:
                found.append(((column + right, row + up), far))
        return found

    def targets(self, position: Position, piece: Cell) -> set[Cell]:
        """Return where a piece may go."""
        others = {cell for pieces in position[0] for cell in pieces} - {piece}
        steps = {cell for _, cell in self.around(piece, 1) if cell not in others}
        jumps: set[Cell] = set()

        def jump_from(cell: Cell) -> None:
            for over, target in self.around(cell, 2):
                if over in others and target not in others and target not in jumps:
                    jumps.add(target)
                    jump_from(target)

        jump_from(piece)
        return steps | (jumps - {piece})

    def moves(self, position: Position) -> list[Move]:
        pieces, mover, left = position
        if left == 0 or self.winner(position) is not None:
            return []
        found: list[Move] = [(p, t) for p in pieces[mover] for t in self.targets(position, p)]
        return found or [None]

    def play(self, position: Position, move: Move) -> Position:
        pieces, mover, left = position
        own = pieces[mover] if move is None else (pieces[mover] - {move[0]}) | {move[1]}
        after = tuple(own if who == mover else theirs for who, theirs in enumerate(pieces))
        return after, (mover + 1) % self.players, left - 1

    def outcome(self, position: Position) -> tuple[int, ...]:
        won = self.winner(position)
        if won is None:
            return (0,) * self.players
        return tuple(1 if who == won else -1 for who in range(self.players))

    def _values(self, position: Position) -> frozenset[tuple[int, ...]]:
        """Return every outcome under best play: several, where a player does not care which."""
        moves = self.moves(position)
        if not moves:
            return frozenset({self.outcome(position)})
        mover = position[1]
        below = [self.values(self.play(position, move)) for move in moves]
        sure = max(min(value[mover] for value in values) for values in below)
        return frozenset(v for values in below for v in values if v[mover] >= sure)

    def perft(self, position: Position, depth: int) -> int:
        if depth == 0:
            return 1
        return sum(self.perft(self.play(position, m), depth - 1) for m in self.moves(position))
