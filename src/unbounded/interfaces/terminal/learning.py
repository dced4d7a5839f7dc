# SPDX-License-Identifier: MIT
"""The progress of learning: a table and curves on a terminal, else lines of text or of JSON."""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Iterator, Sequence
from typing import Any, Protocol

from rich.console import Group, RenderableType
from rich.live import Live
from rich.table import Table
from rich.text import Text

from unbounded.game.wording import counted
from unbounded.interfaces.terminal.console import ESTIMATED, LABEL, Terminal, rounded
from unbounded.interfaces.terminal.curves import Point, curve
from unbounded.interfaces.terminal.progress import SECONDS_BETWEEN_LINES
from unbounded.learning.metrics import Row, yardsticks_of
from unbounded.learning.progress import Progress

CURVE_ROWS = 5
NARROWEST, WIDEST = 16, 56
STOPPING = "ending this generation and saving it ... (Ctrl-C again: end now, without it)"
RUNNING = "Ctrl-C ends this generation, saves it, and judges what was learned"


class View(Protocol):
    """Something that shows the progress of a run."""

    def show(self, progress: Progress, *, stopping: bool) -> None:
        """Show where the run is."""


class History:
    """The points of the curves: the run's metrics so far, and what was seen since."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self.loss: list[Point] = []
        self.yardstick: list[Point] = []
        for row in rows:
            self._add(
                row.get("seconds"), row.get("loss"), next(iter(yardsticks_of(row).values()), None)
            )

    def add(self, progress: Progress) -> None:
        """Take note of where the run is."""
        self._add(progress.seconds, progress.loss, progress.yardstick)

    def _add(self, at: Any, loss: Any, yardstick: Any) -> None:
        if at is None:
            return
        if loss is not None:
            self.loss.append((float(at), float(loss)))
        if yardstick is not None and (
            not self.yardstick or self.yardstick[-1][1] != float(yardstick)
        ):
            self.yardstick.append((float(at), float(yardstick)))


# -- a terminal -----------------------------------------------------------------------------------


def drawing(
    progress: Progress, history: History, about: str, width: int, foot: str = ""
) -> RenderableType:
    """The table and the curves, and what can be done."""
    heading = Text(about, style="bold", no_wrap=True, overflow="ellipsis")
    parts = [heading, _table(progress), *_curves(progress, history, width)]
    return Group(*parts, Text(foot, style="dim"))


def _table(progress: Progress) -> Table:
    """What is known, in two columns of labels and values."""
    left = [
        ("time", _time(progress)),
        ("generation", f"{progress.generation:,}"),
        ("states", f"{rounded(progress.states)}, {rounded(progress.states_per_second)}/s"),
        ("trained on", f"{rounded(progress.trained)} states"),
        ("games", _games(progress)),
    ]
    right = [
        ("yardstick", _percent(progress.yardstick)),
        ("loss", _number(progress.loss)),
        ("value error", _number(progress.value_error)),
        ("learning rate", _number(progress.learning_rate)),
        ("results", _results(progress)),
    ]
    grid = Table.grid(padding=(0, 2, 0, 0))
    for _ in range(2):
        grid.add_column(style=LABEL, no_wrap=True, min_width=13)
        grid.add_column(no_wrap=True, min_width=20)
    for (name, value), (other, number) in zip(left, right, strict=True):
        grid.add_row(name, value, other, number)
    return grid


def _time(progress: Progress) -> str:
    left = progress.remaining
    ends = "" if left is None else f", {clock(max(0.0, left))} left"
    return f"{clock(progress.seconds)}{ends}"


def clock(seconds: float) -> str:
    """Write a duration as minutes and seconds, or with hours: 0:07, 12:30, 1:02:03."""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def _percent(share: float | None) -> str:
    return "?" if share is None else f"{100 * share:.1f} %"


def _whole(share: float) -> str:
    return f"{100 * share:.0f} %"


def _number(number: float | None) -> str:
    return "?" if number is None else f"{number:.3g}"


def _games(progress: Progress) -> str:
    length = progress.game_length
    return f"{progress.games:,}" + ("" if length is None else f", {length:.1f} moves each")


def _results(progress: Progress) -> str:
    """How games have ended lately."""
    if progress.first_wins is None:
        return "?"
    return f"first wins {_whole(progress.first_wins)}, drawn {_whole(progress.draws or 0.0)}"


def _curves(progress: Progress, history: History, width: int) -> list[RenderableType]:
    """The curves side by side, as far as there is something to draw."""
    shown = [
        (name, points, text)
        for name, points, text in (
            (progress.yardstick_name or "yardstick", history.yardstick, _percent),
            ("loss", history.loss, _number),
        )
        if len(points) > 1
    ]
    if not shown:
        return [Text(progress.note or "the curves come after the first generation", ESTIMATED)]
    room = max(NARROWEST, min(WIDEST, (width - 10 * len(shown) - 2) // len(shown)))
    grid = Table.grid(padding=(0, 2, 0, 0))
    for _ in shown:
        grid.add_column(style=LABEL, no_wrap=True, justify="right")
        grid.add_column(no_wrap=True)
    cells: list[RenderableType] = []
    for _, points, text in shown:
        values = [y for _, y in points]
        scale = [text(max(values)), *[""] * (CURVE_ROWS - 2), text(min(values))]
        cells += [Text("\n".join(scale)), Text("\n".join(curve(points, room, CURVE_ROWS)))]
    titles = [x for name, _, _ in shown for x in ("", Text(name, style="dim"))]
    grid.add_row(*titles)
    grid.add_row(*cells)
    note = [Text(progress.note, style=ESTIMATED)] if progress.note else []
    return [Text(""), grid, *note]


class LiveView:
    """Draws over itself; the last picture stays."""

    def __init__(self, live: Live, console: Terminal, about: str, rows: Sequence[Row]) -> None:
        self._live, self._console, self._about = live, console, about
        self._history = History(rows)
        self._last: Progress | None = None

    def show(self, progress: Progress, *, stopping: bool) -> None:
        self._last = progress
        self._history.add(progress)
        self._draw(STOPPING if stopping else RUNNING)

    def close(self) -> None:
        """Draw what stays, without a note on what can be done."""
        self._draw("")

    def _draw(self, foot: str) -> None:
        if self._last is not None:
            picture = drawing(self._last, self._history, self._about, self._console.width, foot)
            self._live.update(picture, refresh=True)


# -- no terminal ----------------------------------------------------------------------------------


def line_of(progress: Progress) -> str:
    """The progress in one line."""
    parts = [
        clock(progress.seconds),
        f"generation {progress.generation:,}",
        f"{rounded(progress.states)} states ({rounded(progress.states_per_second)}/s)",
        counted(progress.games, "game"),
    ]
    if progress.loss is not None:
        parts.append(f"loss {_number(progress.loss)}")
    if progress.yardstick is not None:
        parts.append(f"{progress.yardstick_name or 'yardstick'} {_percent(progress.yardstick)}")
    return ", ".join(parts) + (f"; {progress.note}" if progress.note else "")


class LinesView:
    """Writes a line for the first generation, and then now and then."""

    def __init__(self) -> None:
        self._next = 0.0

    def show(self, progress: Progress, *, stopping: bool) -> None:
        if progress.seconds < self._next:
            return
        self._next = progress.seconds + SECONDS_BETWEEN_LINES
        with contextlib.suppress(OSError):  # stderr is closed: no reason to stop
            print(f"unbounded: {line_of(progress)}", file=sys.stderr, flush=True)


class JsonView:
    """Writes every report as a line of JSON to stdout, for programs."""

    def show(self, progress: Progress, *, stopping: bool) -> None:
        print(json.dumps({"progress": progress.to_dict()}), flush=True)


class QuietView:
    """Shows nothing."""

    def show(self, progress: Progress, *, stopping: bool) -> None:
        pass


@contextlib.contextmanager
def learning_view(about: str, rows: Sequence[Row], *, quiet: bool, as_json: bool) -> Iterator[View]:
    """Choose how the progress is shown; `rows` are the metrics of earlier sessions."""
    console = Terminal(stderr=True)
    if as_json:
        yield JsonView()
    elif quiet:
        yield QuietView()
    elif not console.animated:
        yield LinesView()
    else:
        first = Text("starting ...", style="dim")
        with Live(first, console=console, auto_refresh=False, redirect_stdout=False) as live:
            view = LiveView(live, console, about, rows)
            try:
                yield view
            finally:
                view.close()
