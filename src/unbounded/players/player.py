# SPDX-License-Identifier: MIT
"""The interface of a player, and its decisions."""

from __future__ import annotations

import abc
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from unbounded.game import Game
from unbounded.players.clock import Clock, moves_to_go
from unbounded.search.budget import Budget


@dataclass(frozen=True)
class Decision:
    """An action, with proven and estimated values kept apart, per player."""

    action: Any
    name: str
    outcome: tuple[int | None, ...]
    """Proven, of the position before the action; None where it is not."""
    value: tuple[float, ...] | None
    """Estimated; None for players who estimate nothing."""
    work: int
    """Iterations, nodes or simulations: what the kind of player counts."""
    seconds: float = 0.0


class Player(abc.ABC):
    """A player in one game, from its start to its end. Nothing is kept for the next game."""

    def __init__(self, game: Game[Any, Any], seed: int, budget: Budget | None = None) -> None:
        self.game, self.seed = game, seed
        self.budget = budget or Budget()
        """For a move; without limits for players that do not search."""
        self.state: Any = game.initial()
        self.moves: list[str] = []
        self.clock: Clock | None = None
        """For the whole game, if there is one."""
        self._at_most: float | None = None

    def prepare(self, seat: int) -> None:  # noqa: B027 - optional
        """Get ready to play at a seat; called before a clock runs, or never."""

    def see(self, action: Any) -> None:
        """Follow an action that any player has played."""
        name = self.game.action_name(self.state, action)
        self.state = self.game.next(self.state, action)
        self.moves.append(name)

    @property
    def seconds_per_move(self) -> float | None:
        """The limit of seconds for this move, without `at_most`; None if there is none."""
        if self.clock is None:
            return self.budget.seconds
        expected = moves_to_go(self.game.longest_game, len(self.moves), self.game.players)
        seconds = self.clock.seconds_for(expected)
        return seconds if self.budget.seconds is None else min(seconds, self.budget.seconds)

    def decide(self, at_most: float | None = None) -> Decision:
        """Choose an action in the current position, within `at_most` seconds if given."""
        self._at_most = at_most
        with _clock() as passed:
            decision = self.choose()
        if self.clock is not None:
            self.clock.spend(passed[0])
        return replace(decision, seconds=passed[0])

    @abc.abstractmethod
    def choose(self) -> Decision:
        """Choose an action."""

    def stop(self) -> None:  # noqa: B027 - optional
        """Make `decide` return soon; called from another thread. By default this does nothing."""

    def close(self) -> None:  # noqa: B027 - optional
        """Free what the player holds outside this process; it is also freed when it is dropped."""

    def seconds_now(self) -> float | None:
        """How long it may think about this move."""
        given = [x for x in (self.seconds_per_move, self._at_most) if x is not None]
        return min(given, default=None)

    def decision(self, action: Any, **known: Any) -> Decision:
        """Make the answer; what is not known is nothing."""
        unknown = {"outcome": (None,) * self.game.players, "value": None, "work": 0}
        return Decision(action, self.game.action_name(self.state, action), **(unknown | known))


@contextmanager
def _clock() -> Iterator[list[float]]:
    passed = [0.0]
    started = time.perf_counter()
    yield passed
    passed[0] = time.perf_counter() - started
