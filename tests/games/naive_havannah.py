# SPDX-License-Identifier: MIT
"""Havannah once more, in the most naive way: sets of places, and rings found from the inside."""

from __future__ import annotations

Place = tuple[int, int, int]
"""Three numbers that add up to 0: steps from the middle of the board in three directions."""


def around(place: Place) -> list[Place]:
    a, b, c = place
    return [
        (a + 1, b - 1, c),
        (a - 1, b + 1, c),
        (a + 1, b, c - 1),
        (a - 1, b, c + 1),
        (a, b + 1, c - 1),
        (a, b - 1, c + 1),
    ]


def connected(start: Place, allowed: set[Place]) -> set[Place]:
    """Return all places that can be walked to over allowed ones."""
    found: set[Place] = set()
    waiting = [start]
    while waiting:
        here = waiting.pop()
        if here in allowed and here not in found:
            found.add(here)
            waiting += around(here)
    return found


class NaiveHavannah:
    """A position: whose stones lie where."""

    def __init__(self, size: int) -> None:
        self.size = size
        reach = range(1 - size, size)
        self.board = {(a, b, c) for a in reach for b in reach for c in reach if a + b + c == 0}
        self.stones: tuple[set[Place], set[Place]] = (set(), set())
        self.turn = 0

    def borders(self, place: Place) -> list[tuple[int, int]]:
        """Return the sides that a place lies on, corners being on two."""
        return [(i, place[i]) for i in range(3) if abs(place[i]) == self.size - 1]

    def has_bridge_or_fork(self, chain: set[Place]) -> bool:
        corners = [place for place in chain if len(self.borders(place)) == 2]
        sides = {tuple(self.borders(p)) for p in chain if len(self.borders(p)) == 1}
        return len(corners) >= 2 or len(sides) >= 3

    def has_ring(self, chain: set[Place]) -> bool:
        """Whether the chain has a part that cuts a place off from the rim of the board.

        A ring may be full of stones of its own: then take any one of the inner ones away.
        """
        beyond = {place for p in self.board for place in around(p)} - self.board
        for inner in self.board:
            free = (self.board | beyond) - (chain - {inner})
            if not connected(inner, free) & beyond:
                return True
        return False

    def winner(self) -> int | None:
        for who in (0, 1):
            rest = set(self.stones[who])
            while rest:
                chain = connected(rest.pop(), self.stones[who])
                rest -= chain
                # The smallest ring has six stones.
                if self.has_bridge_or_fork(chain) or (len(chain) > 5 and self.has_ring(chain)):
                    return who
        return None

    def moves(self) -> list[Place]:
        if self.winner() is not None:
            return []
        return sorted(self.board - self.stones[0] - self.stones[1])

    def play(self, place: Place) -> NaiveHavannah:
        after = NaiveHavannah(self.size)
        after.stones = (set(self.stones[0]), set(self.stones[1]))
        after.stones[self.turn].add(place)
        after.turn = 1 - self.turn
        return after

    def outcome(self) -> list[int]:
        winner = self.winner()
        return [0, 0] if winner is None else [1 if who == winner else -1 for who in (0, 1)]


def count_games(size: int, moves: int) -> list[int]:
    """Count the ways to play 0, 1, 2, ... moves; a game that is over goes no further."""
    empty: frozenset[Place] = frozenset()
    layer = {(empty, empty): 1}
    counts = [1]
    for number in range(moves):
        deeper: dict[tuple[frozenset[Place], frozenset[Place]], int] = {}
        for (first, second), ways in layer.items():
            position = NaiveHavannah(size)
            position.stones, position.turn = (set(first), set(second)), number % 2
            for place in position.moves():
                child = (first | {place}, second) if number % 2 == 0 else (first, second | {place})
                deeper[child] = deeper.get(child, 0) + ways
        layer = deeper
        counts.append(sum(layer.values()))
    return counts


def value(position: NaiveHavannah) -> int:
    """Return the outcome under best play for the player to move, by trying everything."""
    moves = position.moves()
    if not moves:
        return position.outcome()[position.turn]
    best = -1
    for place in moves:
        best = max(best, -value(position.play(place)))
        if best == 1:
            break
    return best
