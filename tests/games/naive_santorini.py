# SPDX-License-Identifier: MIT
"""Santorini without gods written as plainly as possible, to check the fast one against.

Cells are (column, row), counted from 0. A turn is ("place", cell), ("win", from, to) or
("build", from, to, cell).
"""

from __future__ import annotations

from copy import copy
from typing import Any

Cell = tuple[int, int]
Turn = tuple[Any, ...]


class Santorini:
    """A game that is going on, or over."""

    def __init__(self, size: int, players: int, workers: int) -> None:
        self.height = {(x, y): 0 for x in range(size) for y in range(size)}
        self.owner: dict[Cell, int] = {}
        self.waiting = [workers] * players
        self.playing = list(range(players))
        self.mover = 0
        self.winner: int | None = None

    def around(self, cell: Cell) -> list[Cell]:
        x, y = cell
        cells = [(x + i, y + j) for i in (-1, 0, 1) for j in (-1, 0, 1) if (i, j) != (0, 0)]
        return [c for c in cells if c in self.height]

    def steps(self, who: int) -> list[tuple[Cell, Cell]]:
        """The moves of a player, without building."""
        return [
            (cell, to)
            for cell in self.owner
            if self.owner[cell] == who
            for to in self.around(cell)
            if to not in self.owner
            and self.height[to] != 4
            and self.height[to] - self.height[cell] <= 1
        ]

    def turns(self) -> list[Turn]:
        """Everything that the mover can do."""
        if self.winner is not None:
            return []
        if self.waiting[self.mover] > 0:
            return [("place", cell) for cell in self.height if cell not in self.owner]
        found: list[Turn] = []
        for start, to in self.steps(self.mover):
            if self.height[to] == 3:
                found.append(("win", start, to))
                continue
            others = set(self.owner) - {start}
            for cell in self.around(to):
                if cell not in others and self.height[cell] != 4:
                    found.append(("build", start, to, cell))
        return found

    def after(self, turn: Turn) -> Santorini:
        """The game after a turn."""
        game = copy(self)
        game.height, game.owner = dict(self.height), dict(self.owner)
        game.waiting, game.playing = list(self.waiting), list(self.playing)
        if turn[0] == "place":
            game.owner[turn[1]] = game.mover
            game.waiting[game.mover] -= 1
            if game.waiting[game.mover] > 0:
                return game
        else:
            game.owner[turn[2]] = game.owner.pop(turn[1])
            if turn[0] == "win":
                game.winner = game.mover
                return game
            game.height[turn[3]] += 1
        game.pass_on()
        return game

    def pass_on(self) -> None:
        """Find the next player who can do something; the others on the way are out."""
        before = self.playing.index(self.mover)
        order = self.playing[before + 1 :] + self.playing[: before + 1]
        for who in order:
            self.mover = who
            if self.waiting[who] > 0 or self.steps(who):
                return
            if len(self.playing) == 2:
                (self.winner,) = (other for other in self.playing if other != who)
                return
            self.playing.remove(who)
            self.owner = {cell: p for cell, p in self.owner.items() if p != who}

    def outcome(self) -> list[int]:
        return [1 if who == self.winner else -1 for who in range(len(self.waiting))]

    def key(self) -> object:
        """What there is to know about the game."""
        heights = tuple(sorted(self.height.items()))
        workers = tuple(sorted(self.owner.items()))
        return heights, workers, tuple(self.waiting), tuple(self.playing), self.mover


def value(game: Santorini, known: dict[object, list[int]]) -> list[int]:
    """The outcome under best play, by trying everything."""
    key = game.key(), game.winner
    if key not in known:
        turns = game.turns()
        results = [value(game.after(turn), known) for turn in turns]
        known[key] = max(results, key=lambda v: v[game.mover]) if turns else game.outcome()
    return known[key]


def counts(game: Santorini, depth: int) -> list[int]:
    """The ways to play 1, 2, ... so many actions; equal positions are gone on from only once."""
    layer, found = {(game.key(), game.winner): (game, 1)}, []
    for _ in range(depth):
        deeper: dict[object, tuple[Santorini, int]] = {}
        for before, ways in layer.values():
            for turn in before.turns():
                following = before.after(turn)
                key = following.key(), following.winner
                deeper[key] = following, ways + deeper.get(key, (following, 0))[1]
        layer = deeper
        found.append(sum(ways for _, ways in layer.values()))
    return found
