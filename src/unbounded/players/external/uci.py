# SPDX-License-Identifier: MIT
"""The universal chess interface: the whole game is sent before every move."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Sequence
from pathlib import Path

from unbounded.players.external.process import Program
from unbounded.players.external.programs import Adapter
from unbounded.players.external.protocol import Move, Protocol


class Uci(Protocol):
    """A program that speaks UCI."""

    def __init__(self, program: Program, adapter: Adapter, seat: int, patience: float) -> None:
        super().__init__(program, adapter, seat, patience)
        self._ask("uci", "uciok")
        with tempfile.TemporaryDirectory(prefix="unbounded-") as folder:
            variants = Path(folder) / "variants.ini"
            variants.write_text(adapter.variants(), encoding="utf-8")
            for name, value in adapter.uci_options(str(variants)):
                program.send(f"setoption name {name} value {value}")
            program.send("ucinewgame")
            self._ask("isready", "readyok")  # the file was read

    def _ask(self, question: str, answer: str) -> None:
        self.program.send(question)
        self.program.wait_for(
            lambda line: True if line.strip() == answer else None, self.patience, question
        )

    def set_position(self, moves: Sequence[Move]) -> None:
        """Send the moves of the game so far."""
        played = " ".join(["", "moves", *(move.text for move in moves)]) if moves else ""
        self.program.send(f"position startpos{played}")

    def choose(self, moves: Sequence[Move], seconds: float | None) -> str:
        self.set_position(moves)
        thinking = 1.0 if seconds is None else seconds
        question = f"go movetime {max(1, round(1000 * thinking))}"
        self.program.send(question)
        asked = f"{question}, after {moves[-1].text}" if moves else question
        return self.program.wait_for(_best_move, thinking + self.patience, asked)

    def hurry(self) -> None:
        self.program.send("stop")


def _best_move(line: str) -> str | None:
    found = re.match(r"\s*bestmove(?:\s+(\S+))?", line)
    return (found[1] or "") if found else None
