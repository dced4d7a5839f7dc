# SPDX-License-Identifier: MIT
"""Hex once more, in the most naive way: a dictionary from places to colors."""

from __future__ import annotations

Place = tuple[int, int]
Board = dict[Place, str]


def around(place: Place) -> list[Place]:
    row, column = place
    return [
        (row, column - 1),
        (row, column + 1),
        (row - 1, column),
        (row + 1, column),
        (row - 1, column + 1),
        (row + 1, column - 1),
    ]


class NaiveHex:
    """A position: whose stones lie where; red joins rows, blue joins columns."""

    def __init__(self, size: int, board: Board | None = None, turn: str = "red") -> None:
        self.size, self.board, self.turn = size, dict(board or {}), turn

    def chain_from(self, place: Place) -> set[Place]:
        chain: set[Place] = set()
        waiting = [place]
        while waiting:
            here = waiting.pop()
            if here not in chain:
                chain.add(here)
                waiting += [p for p in around(here) if self.board.get(p) == self.board[place]]
        return chain

    def winner(self) -> str | None:
        for number, color in ((0, "red"), (1, "blue")):
            for place, owner in self.board.items():
                if owner == color and place[number] == 0:
                    reached = {p[number] for p in self.chain_from(place)}
                    if self.size - 1 in reached:
                        return color
        return None

    def moves(self) -> list[Place]:
        if self.winner():
            return []
        places = [(row, column) for row in range(self.size) for column in range(self.size)]
        return [place for place in places if place not in self.board]

    def play(self, place: Place) -> NaiveHex:
        board = {**self.board, place: self.turn}
        return NaiveHex(self.size, board, "blue" if self.turn == "red" else "red")

    def outcome(self) -> list[int]:
        return {"red": [1, -1], "blue": [-1, 1]}[self.winner() or ""]


def count_games(size: int, moves: int) -> list[int]:
    """Count the ways to play 0, 1, 2, ... moves; a game that is over goes no further."""
    layer = {frozenset[tuple[Place, str]](): 1}
    counts = [1]
    for number in range(moves):
        turn = ("red", "blue")[number % 2]
        deeper: dict[frozenset[tuple[Place, str]], int] = {}
        for stones, ways in layer.items():
            for place in NaiveHex(size, dict(stones), turn).moves():
                child = stones | {(place, turn)}
                deeper[child] = deeper.get(child, 0) + ways
        layer = deeper
        counts.append(sum(layer.values()))
    return counts
