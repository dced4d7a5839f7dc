# SPDX-License-Identifier: MIT
"""Tables that fit the terminal: what matters least is left out first, and nothing is cut."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

GAP = 2
FEW = 8
"""Cells of a column of texts, below which it is unreadable."""


@dataclass(frozen=True)
class Column:
    """A column, and its priority when space is short."""

    head: str
    cells: Sequence[str | Text]
    rank: int = 0
    """Columns of the highest rank go first where there is no room; those of rank 0 stay."""
    style: str = ""
    number: bool = False
    """Numbers stand on the right and are never broken."""
    most: int | None = None
    """Where texts are wrapped, even if there is room."""
    least: int | None = None
    """The least width of a column that takes the space left; its cells end after a whole word."""

    @property
    def width(self) -> int:
        """What it needs, or where it may be wrapped."""
        lines = [*self.head.splitlines(), *([] if self.least else map(str, self.cells))]
        needed = max(map(cell_len, lines), default=0)
        return max(needed, self.least or 0) if self.most is None else min(needed, self.most)

    @property
    def narrowest(self) -> int:
        """Where it becomes unreadable."""
        return self.width if self.number else min(self.width, FEW)


@dataclass(frozen=True)
class Columns:
    """A table as wide as there is room for; where there is far too little, a list of its rows."""

    columns: Sequence[Column]
    head_style: str = ""

    def __rich_console__(self, _: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        kept = fitting(self.columns, options.max_width)
        if sum(column.narrowest + GAP for column in kept) - GAP > options.max_width:
            yield from self._listed()
        else:
            yield self._table(kept, options.max_width)

    def _table(self, kept: Sequence[Column], room: int) -> Table:
        left = room - sum(column.width + GAP for column in kept) + GAP
        table = Table(
            box=None, pad_edge=False, padding=(0, GAP, 0, 0), header_style=self.head_style
        )
        high = max(column.head.count("\n") for column in kept)
        cells = []
        for column in kept:
            head = "\n" * (high - column.head.count("\n")) + column.head
            table.add_column(
                head,
                style=column.style,
                justify="right" if column.number else "left",
                no_wrap=column.number,
                max_width=column.most,
                overflow="fold",
            )
            wide = column.width + max(0, left)
            cells.append([whole_words(x, wide) if column.least else x for x in column.cells])
        for row in zip(*cells, strict=True):
            table.add_row(*row)
        return table

    def _listed(self) -> Iterator[RenderableType]:
        first, *others = (column for column in self.columns if column.rank == 0)
        for number, name in enumerate(first.cells):
            yield Text.assemble((f"{_one_line(first.head)} ", self.head_style), name)
            for column in others:
                if str(column.cells[number]):
                    said = Text.assemble((f"{_one_line(column.head)} ", self.head_style))
                    said.append(str(column.cells[number]), style=column.style)
                    yield Padding(said, (0, 0, 0, GAP))


def fitting(columns: Sequence[Column], room: int) -> list[Column]:
    """Leave out what matters least until the rest fits."""
    kept = list(columns)
    while sum(column.width + GAP for column in kept) - GAP > room:
        worst = max(column.rank for column in kept)
        if worst == 0:
            break
        kept = [column for column in kept if column.rank < worst]
    return kept


def whole_words(text: str | Text, room: int) -> str:
    """Show as many words as there is room for."""
    words, shown = str(text).split(), ""
    for position, word in enumerate(words):
        longer = f"{shown} {word}".strip()
        rest = "" if position == len(words) - 1 else " ..."
        if cell_len(longer + rest) > room:
            return f"{shown} ..." if cell_len(shown) + 4 <= room else ""
        shown = longer
    return shown


def _one_line(head: str) -> str:
    return " ".join(head.split())
