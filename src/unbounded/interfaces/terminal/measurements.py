# SPDX-License-Identifier: MIT
"""Printing what an evaluation was measured to be worth."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.text import Text

from unbounded.game.wording import counted
from unbounded.interfaces.terminal.columns import Column, Columns
from unbounded.interfaces.terminal.console import LABEL, seconds_text
from unbounded.learning.measuring import Measurement


def percent(share: float | None) -> str:
    """Write a share in percent."""
    return "" if share is None else f"{100 * share:.1f}"


def print_measurements(
    console: Console, paths: Sequence[str], measured: Sequence[Measurement], together: Measurement
) -> None:
    """Print one row per file and, of several, their mean; then the shares by ply."""
    searched = f"{counted(together.evaluations, 'state')} a move"
    how = searched if together.evaluations else "no search"
    console.print(Text.assemble((together.game, "bold"), f": {together.evaluation}, {how}"))
    console.print()
    console.print(_table(paths, measured, together))
    console.print()
    console.print(_by_ply(together))
    left_out = f"{counted(together.undecided, 'position')} left out: not proven"
    for line in ([left_out] if together.undecided else []) + _values(together):
        console.print(Text(line))
    console.print(Text(seconds_text(together.seconds), style="dim"))


def _table(paths: Sequence[str], measured: Sequence[Measurement], together: Measurement) -> Columns:
    rows = [*measured, *([together] if len(measured) > 1 else [])]
    names = [Path(path).name for path in paths] + (["mean"] if len(measured) > 1 else [])
    columns = [
        Column("positions", names),
        Column("number", [str(row.positions) for row in rows], number=True),
        Column("keeps the\nvalue %", [percent(row.value_keeping) for row in rows], number=True),
        Column("mistakes\n%", [percent(row.mistakes) for row in rows], number=True, rank=1),
    ]
    if any(row.perfect is not None for row in rows):
        perfect = [percent(row.perfect) for row in rows]
        columns.append(Column("perfect\n%", perfect, number=True, rank=2))
    return Columns(columns, LABEL)


def _by_ply(together: Measurement) -> Columns:
    plies, shares = list(together.by_ply_range), together.by_ply_range.values()
    kept = [percent(share.value_keeping) for share in shares]
    return Columns(
        [
            Column("moves played", plies, number=True),
            Column("number", [str(share.positions) for share in shares], number=True),
            Column("keeps the\nvalue %", kept, number=True),
        ],
        LABEL,
    )


def _values(together: Measurement) -> list[str]:
    """Say how good the estimates are."""
    lines = []
    if together.sign_accuracy is not None:
        lines.append(
            f"estimates have the right sign in {percent(together.sign_accuracy)} % of the won and "
            "lost positions"
        )
    if together.value_error is not None:
        lines.append(f"they are {together.value_error:.2f} from the outcome on average")
    return lines
