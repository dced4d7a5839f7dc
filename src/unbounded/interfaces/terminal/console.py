# SPDX-License-Identifier: MIT
"""The console, and how numbers, moves and boards are written on it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import cycle, islice
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from unbounded.game import Game

PROVEN, ESTIMATED, LABEL = "bold green", "dim", "cyan"
"""What is proven is bold green and what is estimated dim, everywhere, and never in one column."""
PLAYERS = ("bold red", "bold blue", "bold yellow", "bold magenta")
"""Colors of the players' symbols on a board."""

MOST_MOVES = 60
"""The most moves of a line that are printed."""


class Terminal(Console):
    """A console for plain texts; a reader that goes away is left to the caller."""

    def __init__(self, *, stderr: bool = False) -> None:
        super().__init__(stderr=stderr, markup=False, highlight=False, emoji=False)

    def on_broken_pipe(self) -> None:
        """Raise the error again, rather than end the program here."""
        raise BrokenPipeError

    @property
    def animated(self) -> bool:
        """Whether something can be drawn over."""
        return self.is_terminal and not self.is_dumb_terminal


# -- numbers and words ----------------------------------------------------------------------------


def rounded(number: float) -> str:
    """Write a number with three digits and a unit: 1.63 M."""
    for size, unit in ((1e9, " G"), (1e6, " M"), (1e3, " k")):
        if number >= size:
            return f"{number / size:.3g}{unit}"
    return f"{number:.3g}"


def memory_text(amount: int) -> str:
    """Write an amount of memory, in powers of 1024."""
    for power, unit in ((30, "GiB"), (20, "MiB"), (10, "KiB")):
        if amount >= 1 << power:
            return f"{amount / (1 << power):.1f} {unit}"
    return f"{amount} bytes"


def seconds_text(seconds: float) -> str:
    """Write a duration."""
    if seconds < 60:
        return f"{seconds:.3f} s" if seconds < 10 else f"{seconds:.1f} s"
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes // 60}:{minutes % 60:02}:{rest:02}"


def moves_text(moves: Iterable[str], most: int = MOST_MOVES) -> str:
    """Write a line of moves; a long one is cut."""
    listed = list(islice(moves, most + 1))
    return " ".join(listed[:most]) + (" ..." if len(listed) > most else "")


def board(game: Game[Any, Any], state: Any) -> str:
    """Draw a state; a game that cannot draw itself is no reason to lose a result."""
    try:
        drawn = game.show(state)
        return drawn if isinstance(drawn, str) else f"(show gave {type(drawn).__name__}, not text)"
    except Exception as error:
        return f"(show failed: {type(error).__name__}: {error})"


def colored(drawn: str, symbols: str) -> Text:
    """A board with the players' symbols in colors, where they stand alone; plain without any."""
    text = Text.from_ansi(drawn)
    for symbol, style in zip(symbols, cycle(PLAYERS), strict=False):
        text.highlight_regex(rf"(?<![^\W\d]){re.escape(symbol)}(?![^\W\d])", style)
    return text


def grid() -> Table:
    """A table of labels and what they stand for."""
    rows = Table.grid(padding=(0, 2, 0, 0))
    rows.add_column(style=LABEL, no_wrap=True, min_width=13)
    rows.add_column(overflow="fold")
    return rows
