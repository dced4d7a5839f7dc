# SPDX-License-Identifier: MIT
"""Dots and Boxes in the plainest way: a line is a pair of dots, a box a set of four lines.

A position is (the lines drawn, the boxes of each player, who moves).
"""

from __future__ import annotations

import functools

Dot = tuple[int, int]
Line = tuple[Dot, Dot]
Position = tuple[frozenset[Line], tuple[int, ...], int]


class Naive:
    def __init__(self, rows: int, columns: int, players: int) -> None:
        self.players = players
        dots = [(x, y) for x in range(columns + 1) for y in range(rows + 1)]
        self.lines = [((x, y), (x + 1, y)) for x, y in dots if x < columns]
        self.lines += [((x, y), (x, y + 1)) for x, y in dots if y < rows]
        self.boxes = []
        for x in range(columns):
            for y in range(rows):
                lower_left, lower_right = (x, y), (x + 1, y)
                upper_left, upper_right = (x, y + 1), (x + 1, y + 1)
                box = {
                    (lower_left, lower_right),
                    (upper_left, upper_right),
                    (lower_left, upper_left),
                    (lower_right, upper_right),
                }
                self.boxes.append(box)

    def initial(self) -> Position:
        return frozenset(), (0,) * self.players, 0

    def actions(self, position: Position) -> list[Line]:
        return [line for line in self.lines if line not in position[0]]

    def next(self, position: Position, line: Line) -> Position:
        drawn, won, mover = position
        after = drawn | {line}
        closed = [box for box in self.boxes if box <= after and not box <= drawn]
        if not closed:
            return after, won, (mover + 1) % self.players
        won = tuple(n + len(closed) if who == mover else n for who, n in enumerate(won))
        return after, won, mover

    def outcome(self, position: Position) -> list[int]:
        won = position[1]
        best = [who for who in range(self.players) if won[who] == max(won)]
        results = []
        for who in range(self.players):
            if who not in best:
                results.append(-1)
            elif len(best) == 1:
                results.append(1)
            else:
                results.append(0)
        return results

    def score(self, position: Position) -> list[int]:
        won = position[1]
        if self.players == 2:
            return [won[0] - won[1], won[1] - won[0]]
        return list(won)

    def best_difference(self) -> int:
        """By how many boxes the first of two players wins, by trying everything."""

        @functools.cache
        def gain(drawn: frozenset[Line]) -> int:
            """How many more of the boxes that are left the player to move gets."""
            gains = []
            for line in self.lines:
                if line not in drawn:
                    after, won, mover = self.next((drawn, (0, 0), 0), line)
                    gains.append(won[0] + gain(after) if mover == 0 else -gain(after))
            return max(gains, default=0)

        return gain(frozenset())


def name(line: Line) -> str:
    """Write a line as its two dots: a1-b1."""
    return "-".join(f"{'abcdefghijklmnopqrstuvwxyz'[x]}{y + 1}" for x, y in line)
