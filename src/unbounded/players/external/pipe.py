# SPDX-License-Identifier: MIT
"""Plain moves on a pipe: the program reads the moves of the others, and writes its own."""

from __future__ import annotations

from collections.abc import Sequence

from unbounded.players.external.process import Program
from unbounded.players.external.programs import Adapter
from unbounded.players.external.protocol import Move, Protocol

LONGEST_SECONDS = 60.0
"""For a move, where no time is given."""


class Pipe(Protocol):
    """A program that plays one game from its start to its end, and takes nothing back."""

    def __init__(self, program: Program, adapter: Adapter, seat: int, patience: float) -> None:
        super().__init__(program, adapter, seat, patience)
        self._told: list[str] = []

    def choose(self, moves: Sequence[Move], seconds: float | None) -> str:
        known = len(self._told)
        if [move.text.lower() for move in moves[:known]] != self._told:
            raise self.program.error("cannot take back moves")
        for move in moves[known:]:
            if move.seat == self.seat:
                self._let_play(move, seconds)
            else:
                self.program.send(move.text)
                self._told.append(move.text.lower())
        return self._next(seconds)

    def _let_play(self, move: Move, seconds: float | None) -> None:
        """A move of its own, which it must find again: it cannot be told."""
        answer = self._next(seconds)
        if answer.lower() != move.text.lower():
            raise self.program.error(
                f"cannot be brought to this position: it plays {answer} instead of {move.text}, "
                "and this protocol has no way to say so. Play it from the start, without an opening"
            )

    def _next(self, seconds: float | None) -> str:
        limit = LONGEST_SECONDS if seconds is None else seconds
        question = f"a move after {self._told[-1]}" if self._told else "the first move"
        answer = self.program.wait_for(self._move_in, limit + self.patience, question)
        self._told.append(answer.lower())
        return answer

    def _move_in(self, line: str) -> str | None:
        found = self.adapter.answer.search(line)
        return found[1] if found else None
