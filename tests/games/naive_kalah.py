# SPDX-License-Identifier: MIT
"""Kalah in the plainest way: a position is (pits of South, pits of North, stores, who moves).

The pits of each player are listed from left to right as that player sees them.
"""

from __future__ import annotations

from typing import Any

Position = tuple[tuple[int, ...], tuple[int, ...], tuple[int, int], int]


class Naive:
    def __init__(self, pits: int, seeds: int, empty_capture: bool = False) -> None:
        self.pits, self.seeds, self.empty_capture = pits, seeds, empty_capture

    def initial(self) -> Position:
        row = (self.seeds,) * self.pits
        return row, row, (0, 0), 0

    def actions(self, position: Position) -> list[int]:
        """The mover's pits that can be sown; the game is over when either row is empty."""
        south, north, _, mover = position
        if sum(south) == 0 or sum(north) == 0:
            return []
        row = (south, north)[mover]
        return [pit for pit in range(self.pits) if row[pit] > 0]

    def next(self, position: Position, pit: int) -> Position:
        mover = position[3]
        rows = [list(position[0]), list(position[1])]
        stores = list(position[2])
        # The way around: my pits, my store, the other's pits, and again.
        way: list[Any] = [(mover, i) for i in range(self.pits)] + ["store"]
        way += [(1 - mover, i) for i in range(self.pits)]
        hand, rows[mover][pit] = rows[mover][pit], 0
        at = way.index((mover, pit))
        while hand > 0:
            at = (at + 1) % len(way)
            if way[at] == "store":
                stores[mover] += 1
            else:
                side, i = way[at]
                rows[side][i] += 1
            hand -= 1
        following = 1 - mover
        if way[at] == "store":
            following = mover
        else:
            side, i = way[at]
            across = self.pits - 1 - i
            if side == mover and rows[mover][i] == 1:
                captured = rows[1 - mover][across]
                if captured > 0:
                    stores[mover] += 1 + captured
                    rows[mover][i] = rows[1 - mover][across] = 0
                elif self.empty_capture:
                    stores[mover] += 1
                    rows[mover][i] = 0
        return tuple(rows[0]), tuple(rows[1]), (stores[0], stores[1]), following

    def final_stores(self, position: Position) -> tuple[int, int]:
        """What each player has at the end, the seeds left in the own row included."""
        south, north, stores, _ = position
        return stores[0] + sum(south), stores[1] + sum(north)

    def settled(self, position: Position) -> Position:
        """The position, with all seeds in the stores and South's turn if the game is over."""
        if self.actions(position):
            return position
        none = (0,) * self.pits
        return none, none, self.final_stores(position), 0

    def outcome(self, position: Position) -> list[int]:
        south, north = self.final_stores(position)
        if south == north:
            return [0, 0]
        return [1, -1] if south > north else [-1, 1]

    def score(self, position: Position) -> list[int]:
        south, north = self.final_stores(position)
        return [south - north, north - south]

    def differences(self) -> dict[Position, int]:
        """By how many seeds South wins from each position, by trying everything."""
        known: dict[Position, int] = {}

        def value(position: Position) -> int:
            if position not in known:
                values = [value(self.next(position, pit)) for pit in self.actions(position)]
                best = max if position[3] == 0 else min
                known[position] = best(values) if values else self.score(position)[0]
            return known[position]

        value(self.initial())
        return known

    def best_difference(self) -> int:
        """By how many seeds South wins."""
        return self.differences()[self.initial()]

    def perft(self, depth: int, position: Position | None = None) -> int:
        """Count the ways to play so many moves."""
        position = position or self.initial()
        if depth == 0:
            return 1
        ways = [self.next(position, pit) for pit in self.actions(position)]
        return sum(self.perft(depth - 1, after) for after in ways)
