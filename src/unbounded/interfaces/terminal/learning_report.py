# SPDX-License-Identifier: MIT
"""What a run has learned, for people: on the terminal and as Markdown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from unbounded.interfaces.terminal.console import LABEL, grid, rounded
from unbounded.interfaces.terminal.learning import clock
from unbounded.learning.metrics import Row

MATCH_HEADINGS = ("against", "share", "95 %", "won", "drawn", "lost", "s/move")
MEASURED_HEADINGS = ("who chooses the move", "keeps the value", "positions")
MEASURED = {
    "first": "first network",
    "heuristic": "heuristic",
    "network": "newest network",
    "searched": "newest network",
}
"""Who was measured, as the report names it and for people."""
NOT_JUDGED = "not judged yet: unbounded learn --run {} --report --judge 2"


def facts(game: str, run: str, rows: Sequence[Row]) -> list[tuple[str, str]]:
    """What the metrics say: labels and texts."""
    found = [("game", game), ("run", run)]
    if not rows:
        return [*found, ("generations", "none yet")]
    last = rows[-1]
    found.append(("generations", f"{last.get('generation', 0):,}"))
    if (seconds := last.get("seconds")) is not None:
        found.append(("time", clock(float(seconds))))
    if (states := last.get("states")) is not None:
        found.append(("states", f"{rounded(float(states))} expanded by self-play"))
    if (games := last.get("games")) is not None:
        found.append(("games", f"{int(games):,}"))
    if (loss := last.get("loss")) is not None:
        found.append(("loss", f"{float(loss):.3g}"))
    return found


def measured_of(report: Mapping[str, Any]) -> list[tuple[str, ...]]:
    """The rows of the table of yardsticks."""
    measured = report.get("measured") or {}
    return [
        (
            f"{who}, {x['evaluations']} states a move" if x["evaluations"] else f"{who}, alone",
            f"{100 * x['value_keeping']:.1f} %",
            f"{x['positions']:,}",
        )
        for name, who in MEASURED.items()
        if (x := measured.get(name)) is not None and x["value_keeping"] is not None
    ]


def perfect_text(report: Mapping[str, Any]) -> str:
    """The result against a perfect opponent; empty if there was none."""
    x = report.get("perfect")
    if not x:
        return ""
    return (
        f"first against a perfect opponent, network alone: {x['won']} won, {x['drawn']} drawn, "
        f"{x['lost']} lost"
    )


def matches_of(report: Mapping[str, Any]) -> list[tuple[str, ...]]:
    """The rows of the table of matches."""
    return [
        (
            str(x["opponent"]),
            f"{100 * x['share']:.0f} %",
            f"{100 * x['low']:.0f} to {100 * x['high']:.0f} %",
            *(str(x[name]) for name in ("won", "drawn", "lost")),
            f"{x['seconds_per_move']:g}",
        )
        for x in report.get("matches", ())
        if x.get("share") is not None
    ]


def report_table(
    game: str, run: str, rows: Sequence[Row], report: Mapping[str, Any] | None
) -> RenderableType:
    """Everything, for the terminal."""
    known = grid()
    for label, text in facts(game, run, rows):
        known.add_row(label, text)
    if report is None:
        known.add_row("verdict", NOT_JUDGED.format(run))
        return known
    parts: list[RenderableType] = [known]
    for headings, cells in _tables(report):
        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style=LABEL)
        for number, heading in enumerate(headings):
            table.add_column(heading, justify="right" if number else "left", no_wrap=True)
        for row in cells:
            table.add_row(*row)
        parts += ["", table]
    if text := perfect_text(report):
        parts += ["", text]
    return Group(*parts, "", Text(str(report.get("verdict", "")), style="bold"))


def _tables(report: Mapping[str, Any]) -> list[tuple[tuple[str, ...], list[tuple[str, ...]]]]:
    """Headings and rows of the tables that are not empty."""
    tables = [(MEASURED_HEADINGS, measured_of(report)), (MATCH_HEADINGS, matches_of(report))]
    return [(headings, rows) for headings, rows in tables if rows]


def report_markdown(game: str, run: str, rows: Sequence[Row], report: Mapping[str, Any]) -> str:
    """The same as Markdown, for `report.md`."""
    lines = [f"# {game}", "", str(report.get("verdict", "")), ""]
    lines += [f"- {label}: {text}" for label, text in facts(game, run, rows)]
    for headings, cells in _tables(report):
        lines += ["", _row(headings), _row(["---"] * len(headings)), *map(_row, cells)]
    if text := perfect_text(report):
        lines += ["", text]
    return "\n".join(lines) + "\n"


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
