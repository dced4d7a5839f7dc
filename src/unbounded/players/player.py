# SPDX-License-Identifier: MIT
"""What a player is asked, and what it answers."""

from __future__ import annotations

import abc
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from unbounded.game import Game
from unbounded.search.budget import Budget


@dataclass(frozen=True)
class Decision:
    """An action, and what the player knows: proven and estimated apart, per player."""

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
    """Somebody in a game from its start to its end. What one game taught is gone in the next."""

    def __init__(self, game: Game[Any, Any], seed: int, budget: Budget | None = None) -> None:
        self.game, self.seed = game, seed
        self.budget = budget or Budget()
        """For a move; without limits for those who do not think."""
        self.state: Any = game.initial()
        self.moves: list[str] = []
        self._at_most: float | None = None

    def see(self, action: Any) -> None:
        """Be told of an action that was played, by whomever."""
        name = self.game.action_name(self.state, action)
        self.state = self.game.next(self.state, action)
        self.moves.append(name)

    @property
    def seconds_per_move(self) -> float | None:
        """How long it thinks, unless it is in a hurry; None where time does not matter."""
        return self.budget.seconds

    def decide(self, at_most: float | None = None) -> Decision:
        """Choose an action in the position as it is; in a hurry, in so many seconds."""
        self._at_most = at_most
        with _clock() as passed:
            decision = self.choose()
        return replace(decision, seconds=passed[0])

    @abc.abstractmethod
    def choose(self) -> Decision:
        """Choose an action."""

    def stop(self) -> None:  # noqa: B027 - not everybody can
        """Decide soon, when asked from another thread; who cannot do so takes the time given."""

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
