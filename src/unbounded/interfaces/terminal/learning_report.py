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
    if matches := matches_of(report):
        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style=LABEL)
        for number, heading in enumerate(MATCH_HEADINGS):
            table.add_column(heading, justify="right" if number else "left", no_wrap=True)
        for row in matches:
            table.add_row(*row)
        parts += ["", table]
    return Group(*parts, "", Text(str(report.get("verdict", "")), style="bold"))


def report_markdown(game: str, run: str, rows: Sequence[Row], report: Mapping[str, Any]) -> str:
    """The same as Markdown, for `report.md`."""
    lines = [f"# {game}", "", str(report.get("verdict", "")), ""]
    lines += [f"- {label}: {text}" for label, text in facts(game, run, rows)]
    if matches := matches_of(report):
        lines += ["", _row(MATCH_HEADINGS), _row(["---"] * len(MATCH_HEADINGS))]
        lines += [_row(match) for match in matches]
    return "\n".join(lines) + "\n"


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
