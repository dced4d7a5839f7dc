# SPDX-License-Identifier: MIT
"""The Go text protocol: a program keeps the board, and is told what has changed."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from unbounded.players.external.process import Program
from unbounded.players.external.programs import Adapter
from unbounded.players.external.protocol import Move, Protocol

PERIOD = 10
"""Moves for which time is given together: GTP counts in whole seconds."""


class Gtp(Protocol):
    """A program that speaks GTP, version 2."""

    def __init__(self, program: Program, adapter: Adapter, seat: int, patience: float) -> None:
        super().__init__(program, adapter, seat, patience)
        self._told: list[str] = []
        """The moves on its board, in lower case."""
        self._seconds: float | None = None
        """The time for a move that the program was told."""
        self._has_clock = adapter.has_clock
        for command in adapter.gtp_setup():
            self._require(command)
        self._require("clear_board")

    def choose(self, moves: Sequence[Move], seconds: float | None) -> str:
        self._tell(moves)
        self._set_time(seconds)
        color = self.adapter.color(self.seat)
        answer = self._require(f"genmove {color}", seconds or 0.0)
        self._told.append(answer.lower())
        return answer

    def _tell(self, moves: Sequence[Move]) -> None:
        """Bring the program to the position: by the latest moves, or from the start."""
        played, known = [move.text.lower() for move in moves], len(self._told)
        if played[:known] != self._told:
            self._require("clear_board")
            known = 0
        self._told = played
        for move in (x for x in moves[known:] if self.adapter.is_told(x.text)):
            self._require(f"play {self.adapter.color(move.seat)} {move.text}")

    def _set_time(self, seconds: float | None) -> None:
        if seconds is None or not self._has_clock:
            return
        time = f"{max(1, round(PERIOD * seconds))} {PERIOD}"
        if seconds != self._seconds:
            done, _ = self._ask(f"time_settings 0 {time}")
            self._has_clock = done
            self._seconds = seconds
        if self._has_clock:  # every move has the full time: what one saves is not for the next
            self._ask(f"time_left {self.adapter.color(self.seat)} {time}")

    def _require(self, command: str, seconds: float = 0.0) -> str:
        done, answer = self._ask(command, seconds)
        if not done:
            raise self.program.error(f"refused {command!r}")
        return answer

    def _ask(self, command: str, seconds: float = 0.0) -> tuple[bool, str]:
        """Send a command; return whether it was done, and the answer."""
        self.program.send(command)
        return self.program.wait_for(_whole_answer(), seconds + self.patience, command)


def _whole_answer() -> Callable[[str], tuple[bool, str] | None]:
    """Make a function that takes lines, and returns the answer at the empty line that ends it."""
    lines: list[str] = []

    def take(line: str) -> tuple[bool, str] | None:
        if not lines and line[:1] not in ("=", "?"):
            return None
        if line.strip():
            lines.append(line)
            return None
        return lines[0][0] == "=", "\n".join([lines[0][1:], *lines[1:]]).strip()

    return take
