# SPDX-License-Identifier: MIT
"""What the protocols have in common: the moves that were played, and the question for the next."""

from __future__ import annotations

import abc
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from unbounded.players.external.process import Program

if TYPE_CHECKING:
    from unbounded.players.external.programs import Adapter


@dataclass(frozen=True)
class Move:
    """A move as it is written for the program."""

    seat: int
    text: str


class Protocol(abc.ABC):
    """A conversation with a running program that plays at one seat."""

    def __init__(self, program: Program, adapter: Adapter, seat: int, patience: float) -> None:
        """patience: seconds that an answer may take beyond the time for thinking."""
        self.program, self.adapter, self.seat, self.patience = program, adapter, seat, patience

    @abc.abstractmethod
    def choose(self, moves: Sequence[Move], seconds: float | None) -> str:
        """Ask for a move after these moves; `seconds` is the time for it, None if none is known."""

    def hurry(self) -> None:  # noqa: B027 - not every protocol has a word for it
        """Ask the program to move soon; called from other threads and from signal handlers."""
