# SPDX-License-Identifier: MIT
"""The time for a whole game: `5m+3s` is five minutes, and three seconds more for each move."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from unbounded.game import Game, UsageError, require

_UNITS = {"": 1.0, "s": 1.0, "m": 60.0, "h": 3600.0}
_AMOUNT = r"(\d+(?:\.\d+)?)([smh]?)"
_MOST_SECONDS = 30 * 24 * 3600.0

_MOVES_TO_GO = 25
"""How many more moves are expected where a game does not say how long it may be."""
_FEWEST_MOVES, _MOST_MOVES = 8, 40
_LENGTH_SHARE = 0.6
"""Games seldom last as long as they may."""
_INCREMENT_SHARE = 0.8
_LARGEST_SHARE = 0.4
"""No move takes more than this share of what is left."""
_RESERVE = 0.05
"""Seconds that are never planned with: they pass between two moves."""


@dataclass(frozen=True)
class TimeControl:
    """What a player has for a game: seconds, and more of them after each of its moves."""

    seconds: float
    increment: float = 0.0

    @classmethod
    def parse(cls, text: str) -> TimeControl:
        """Read `5m+3s`, `90`, `1h`, `30s+0.5`; without a unit an amount is seconds."""
        match = re.fullmatch(rf"{_AMOUNT}(?:\+{_AMOUNT})?", text.strip().lower())
        if match is None:
            raise UsageError(f"a clock is like 5m+3s, 90s or 1h, not {text!r}")
        first, more = (float(match[i] or 0) * _UNITS[match[i + 1] or ""] for i in (1, 3))
        require(0 < first <= _MOST_SECONDS, f"a clock has from 0 seconds to 30 days, not {text!r}")
        require(more <= _MOST_SECONDS, f"a clock adds at most 30 days, not {text!r}")
        return cls(first, more)

    def __str__(self) -> str:
        more = f"+{self.increment:g}s" if self.increment else ""
        return f"{self.seconds:g}s{more}"


class Clock:
    """The time that a player has left."""

    def __init__(self, control: TimeControl) -> None:
        self.control = control
        self.left = control.seconds

    def spend(self, seconds: float) -> None:
        """Count a move that took so long."""
        self.left = max(0.0, self.left - seconds) + self.control.increment

    def seconds_for(self, moves_to_go: float | None) -> float:
        """How long to think about a move, if so many are to come; None: nobody knows.

        Most of the increment, and an equal share of what is left.
        """
        known = _MOVES_TO_GO if moves_to_go is None else moves_to_go
        expected = min(max(known, _FEWEST_MOVES), _MOST_MOVES)
        planned = self.left / expected + _INCREMENT_SHARE * self.control.increment
        return max(0.0, min(planned, _LARGEST_SHARE * self.left, self.left - _RESERVE))


def moves_to_go(longest: int | None, ply: int, players: int) -> float | None:
    """How many moves a player is expected to have left in a game of at most `longest` moves."""
    if longest is None:
        return None
    return _LENGTH_SHARE * max(0, longest - ply) / players


def seconds_on_clock(text: str, game: Game[Any, Any], ply: int) -> float:
    """How long to think about a move of a game, with so much time left as the text says."""
    expected = moves_to_go(game.longest_game, ply, game.players)
    return Clock(TimeControl.parse(text)).seconds_for(expected)
