# SPDX-License-Identifier: MIT
"""What kinds of players have in common: a name with parameters, and a limit of time."""

from __future__ import annotations

import abc
import dataclasses
import typing
from dataclasses import dataclass
from typing import Any

from unbounded.game import Game, format_value
from unbounded.players.clock import Clock, TimeControl
from unbounded.players.player import Player
from unbounded.search.budget import Budget

DEFAULT_SECONDS = 1.0


@dataclass(frozen=True)
class Kind(abc.ABC):
    """A kind of player with its parameters; the same kind can sit at several boards."""

    local_only: typing.ClassVar[bool] = False
    """Whether only the user of this process may name it, but no request and no file."""

    @property
    def only_from_start(self) -> bool:
        """Whether it cannot be told of moves that were played before it began."""
        return False

    @abc.abstractmethod
    def player(self, game: Game[Any, Any], seed: int) -> Player:
        """Make the player for one game."""

    @property
    def seconds_per_move(self) -> float | None:
        """How long a move may take; None where time does not matter."""
        return None

    @classmethod
    def kind_name(cls) -> str:
        """The name as typed."""
        from unbounded.players.kinds import KINDS

        return next(name for name, kind in KINDS.items() if kind is cls)

    def __str__(self) -> str:
        given = [
            f"{f.name}={format_value(getattr(self, f.name))}"
            for f in dataclasses.fields(self)
            if getattr(self, f.name) != f.default
        ]
        return self.kind_name() + (f"({','.join(given)})" if given else "")


@dataclass(frozen=True)
class Timed(Kind):
    """A kind that thinks: for seconds, or by counts, which give the same game every time."""

    seconds: float | None = None
    clock: str | None = None
    """For the whole game, such as 5m+3s."""

    def __post_init__(self) -> None:
        self.budget()
        if self.clock is not None:
            TimeControl.parse(self.clock)

    def counts(self) -> dict[str, int | None]:
        """The limits that are counts, as `Budget` names them."""
        return {}

    @property
    def says_when(self) -> bool:
        """Whether any limit was given."""
        return any(x is not None for x in (self.seconds, self.clock, *self.counts().values()))

    @property
    def seconds_per_move(self) -> float | None:
        return self.seconds if self.says_when else DEFAULT_SECONDS

    def budget(self) -> Budget:
        """What a move may take: a second, unless something is said."""
        return Budget(seconds=self.seconds_per_move, **self.counts())

    def with_clock(self, player: Player) -> Player:
        """Give a new player its clock, if it is to have one."""
        if self.clock is not None:
            player.clock = Clock(TimeControl.parse(self.clock))
        return player


@dataclass(frozen=True)
class Limited(Timed):
    """A kind whose memory is limited too."""

    memory: str = "1G"

    def budget(self) -> Budget:
        return dataclasses.replace(super().budget(), memory=self.memory)
