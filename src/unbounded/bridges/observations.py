# SPDX-License-Identifier: MIT
"""What a seat of a game observes, as an array of numbers in a space with bounds.

A game with `encode` is observed by its planes, seen by the player to move. Then follow planes that
are constant: one per player, 1 for the seat that observes, and one that says whose turn it is: 1
when the observing seat is to move, less the longer it takes until it is in order of the seats, and
0 when the game is over. Of a game without `encode` the fields of its state are observed, and then
the same numbers, the last one times the number of players.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from gymnasium import spaces

from unbounded.bridges.episodes import AnyGame, Array, Episode
from unbounded.game import RecordGame, RuleError, UsageError, require

LARGEST = 2**63 - 1


def observations_of(game: AnyGame, bounds: tuple[float, float]) -> Observations:
    """Return what is observed of this game: planes, or else the fields of its states."""
    return Fields(game) if game.planes is None else Planes(game, bounds)


class Observations:
    """Observations of one game; all seats have the same space."""

    space: spaces.Box

    def __init__(self, game: AnyGame) -> None:
        self.game = game

    def of(self, episode: Episode, seat: int) -> Array:
        """Return what a seat observes now."""
        raise NotImplementedError

    def _turn(self, mover: int | None, seat: int) -> int:
        """Return as many as there are players if the seat is to move, 0 if nobody is."""
        players = self.game.players
        return 0 if mover is None else players - (mover - seat) % players


class Planes(Observations):
    """The planes of `encode`, and those that say who observes and who moves."""

    def __init__(self, game: AnyGame, bounds: tuple[float, float]) -> None:
        super().__init__(game)
        self.low, self.high = _checked(bounds)
        assert game.planes is not None
        self.planes, *board = game.planes
        shape = (self.planes + game.players + 1, *board)
        low, high = np.zeros(shape, np.float32), np.ones(shape, np.float32)
        low[: self.planes], high[: self.planes] = self.low, self.high
        self.space = spaces.Box(low, high, dtype=np.float32)

    def of(self, episode: Episode, seat: int) -> Array:
        observed = np.zeros(self.space.shape, np.float32)
        observed[: self.planes] = self._encoded(episode)
        observed[self.planes + seat] = 1
        observed[-1] = self._turn(episode.mover, seat) / self.game.players
        return observed

    def _encoded(self, episode: Episode) -> Array | int:
        try:
            board = self._board(np.asarray(self.game.encode(episode.state), np.float32))
        except Exception:
            if episode.is_over:
                return 0  # nobody is to move, so `encode` promises nothing
            raise
        return board

    def _board(self, given: Array) -> Array:
        shape = (self.planes, *self.space.shape[1:])
        if given.size != math.prod(shape):
            raise RuleError(f"{self.game}: encode gave {given.size} numbers; planes are {shape}")
        least, largest = given.min(), given.max()
        if not (self.low <= least and largest <= self.high):
            raise RuleError(
                f"{self.game}: encode gave numbers from {least:g} to {largest:g}; the bounds are "
                f"{self.low:g} and {self.high:g}",
                advice="give the environment other bounds=(LOW, HIGH)",
            )
        return given.reshape(shape)


class Fields(Observations):
    """The integers that a state consists of, for games without `encode`."""

    def __init__(self, game: AnyGame) -> None:
        super().__init__(game)
        low, high = self._limits()
        players = game.players
        self.space = spaces.Box(
            np.array([*low, *[0] * players, 0], np.int64),
            np.array([*high, *[1] * players, players], np.int64),
            dtype=np.int64,
        )

    def of(self, episode: Episode, seat: int) -> Array:
        fields, seats = self._numbers(episode.state), range(self.game.players)
        turn = self._turn(episode.mover, seat)
        observed = np.array([*fields, *(int(x == seat) for x in seats), turn], np.int64)
        if observed.shape != self.space.shape:
            raise RuleError(
                f"{self.game}: the state {episode.state!r} has not as many numbers as the first",
                advice="define encode, so that there is something of one size to observe",
            )
        return observed

    def _limits(self) -> tuple[list[int], list[int]]:
        if isinstance(self.game, RecordGame):
            bits = [f.bits for f in self.game.state.fields for _ in range(f.count or 1)]
            return [-(1 << (b - 1)) for b in bits], [(1 << (b - 1)) - 1 for b in bits]
        count = len(self._numbers(self.game.initial()))
        return [-LARGEST - 1] * count, [LARGEST] * count

    def _numbers(self, state: Any) -> list[int]:
        if isinstance(self.game, RecordGame):
            fields = self.game.state.unpack(state)
            state = tuple(getattr(fields, name) for name in fields.__slots__)
        try:
            return list(_flat(state))
        except TypeError as error:
            raise UsageError(
                f"{self.game} cannot be observed: it has no `encode`, and its states are neither "
                f"records nor integers ({error}); define planes and encode"
            ) from None


def _flat(state: Any) -> Iterator[int]:
    """Yield the integers in a state that is one, or a tuple of such."""
    if isinstance(state, int):
        yield int(state)
    elif isinstance(state, (tuple, list)):
        for part in state:
            yield from _flat(part)
    else:
        raise TypeError(f"there is a {type(state).__name__} in them")


def _checked(bounds: Sequence[float]) -> tuple[float, float]:
    problem = f"`bounds` must be the least and the largest number of `encode`, not {bounds!r}"
    try:
        low, high = map(float, bounds)
    except (TypeError, ValueError):
        raise UsageError(problem) from None
    require(-np.inf < low < high < np.inf, problem)
    return low, high
