# SPDX-License-Identifier: MIT
"""Plots of a run as PNG files; needs Matplotlib, and without it there are none."""

from __future__ import annotations

import importlib.util
import io
import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unbounded.learning.metrics import Row, yardsticks_of
from unbounded.storage import atomic_files

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BLUE, GRAY = "#1f5fa8", "#767676"
COLORS = (BLUE, "#c2501a", "#2f7d4f", "#7a4ea3", "#8a6d00")
_SIZE, _DPI = (6.4, 3.6), 120


@dataclass(frozen=True)
class MatchShare:
    """How a network did against one opponent: its share of the points, with a 95 % interval."""

    opponent: str
    share: float
    low: float
    high: float
    games: int


def draw_plots(
    folder: Path, rows: Sequence[Row], matches: Sequence[MatchShare] = (), *, title: str = ""
) -> list[Path]:
    """Draw everything that there are numbers for into a folder; return the files.

    Without Matplotlib, and for a run that has no numbers yet, nothing is drawn.
    """
    if importlib.util.find_spec("matplotlib") is None:
        return []
    drawers: dict[str, Callable[[Axes], None]] = {}
    if _has(rows, "loss"):
        drawers["loss"] = lambda axes: _draw_loss(axes, rows)
    if any(map(yardsticks_of, rows)):
        drawers["yardsticks"] = lambda axes: _draw_yardsticks(axes, rows)
    if _speeds(rows)[0]:
        drawers["speed"] = lambda axes: _draw_speed(axes, rows)
    if any(row.get("by_ply") for row in rows):
        drawers["plies"] = lambda axes: _draw_plies(axes, rows)
    if matches:
        drawers["matches"] = lambda axes: _draw_matches(axes, matches)
    return [_draw(folder / f"{name}.png", draw, title) for name, draw in drawers.items()]


def _has(rows: Sequence[Row], name: str) -> bool:
    return any(row.get(name) is not None for row in rows)


def _draw(path: Path, draw: Callable[[Axes], None], title: str) -> Path:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=_SIZE, dpi=_DPI, layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    axes.grid(axis="y", color="#e4e4e4", linewidth=0.8)
    axes.set_axisbelow(True)
    draw(axes)
    about = f"{title}: {axes.get_title()}" if title else axes.get_title()
    axes.set_title("")
    figure.suptitle(about, x=0.01, ha="left", fontsize=10)
    image = io.BytesIO()
    figure.savefig(image, format="png", metadata={"Software": None})
    path.parent.mkdir(exist_ok=True)
    atomic_files.replace(path, lambda put: put(image.getvalue()))
    return path


def _points(rows: Sequence[Row], read: Callable[[Row], Any]) -> tuple[list[float], list[float]]:
    """Minutes of the run and what was read there, where there was something."""
    found = [(row["seconds"] / 60, read(row)) for row in rows if "seconds" in row]
    known = [(minutes, value) for minutes, value in found if value is not None]
    return [minutes for minutes, _ in known], [float(value) for _, value in known]


def _line(axes: Axes, points: tuple[list[float], list[float]], color: str, label: str) -> None:
    marker = "o" if len(points[0]) < 30 else ""
    axes.plot(*points, color=color, linewidth=1.6, marker=marker, markersize=3.5, label=label)


def _name_lines(axes: Axes, names: int) -> None:
    axes.set_xlabel("minutes")
    axes.set_xlim(left=0)
    if names > 1:
        axes.legend(frameon=False, fontsize=8)


# -- one function per plot ------------------------------------------------------------------------


def _draw_loss(axes: Axes, rows: Sequence[Row]) -> None:
    axes.set_title("loss on what is learned from, and error on proven states")
    drawn = 0
    for name, label, color in (
        ("loss", "loss", BLUE),
        ("value_error", "mean error on proven states", COLORS[1]),
    ):
        points = _points(rows, lambda row, name=name: row.get(name))  # type: ignore[misc]
        if points[0]:
            _line(axes, points, color, label)
            drawn += 1
    axes.set_ylim(bottom=0)
    axes.set_ylabel("loss" if drawn == 1 else "")
    _name_lines(axes, drawn)


def _draw_yardsticks(axes: Axes, rows: Sequence[Row]) -> None:
    names = list(dict.fromkeys(name for row in rows for name in yardsticks_of(row)))
    for name, color in zip(names, COLORS * len(names), strict=False):
        points = _points(rows, lambda row, name=name: _share(row, name))  # type: ignore[misc]
        _line(axes, points, color, name)
    axes.set_title(names[0] if len(names) == 1 else "yardsticks")
    axes.set_ylabel("%")
    axes.set_ylim(top=100.5)
    _name_lines(axes, len(names))


def _share(row: Row, name: str) -> float | None:
    share = yardsticks_of(row).get(name)
    return None if share is None else 100 * share


def _speeds(rows: Sequence[Row]) -> tuple[list[float], list[float]]:
    """Minutes, and the states per second from each generation to the next."""
    points = _points(rows, lambda row: row.get("states"))
    minutes, speeds = list[float](), list[float]()
    for (before, first), (now, last) in itertools.pairwise(zip(*points, strict=True)):
        if now > before:
            minutes.append(now)
            speeds.append((last - first) / (60 * (now - before)))
    return minutes, speeds


def _draw_speed(axes: Axes, rows: Sequence[Row]) -> None:
    axes.set_title("states expanded by self-play per second")
    points = _speeds(rows)
    _line(axes, points, BLUE, "")
    axes.set_ylabel("states/s")
    axes.set_ylim(0, 1.1 * max(points[1], default=1.0))
    axes.yaxis.set_major_formatter(lambda x, _: f"{x:,.0f}")
    _name_lines(axes, 1)


def _draw_plies(axes: Axes, rows: Sequence[Row]) -> None:
    from matplotlib.ticker import MaxNLocator

    axes.set_title("states expanded by self-play, by ply")
    counts = next(row["by_ply"] for row in reversed(rows) if row.get("by_ply"))
    whole = sum(counts) or 1
    axes.bar(range(len(counts)), [100 * x / whole for x in counts], color=BLUE, width=0.85)
    axes.set_xlabel("moves played")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_ylabel("% of the states")


def _draw_matches(axes: Axes, matches: Sequence[MatchShare]) -> None:
    axes.set_title("share of the points, with 95 % intervals")
    axes.grid(visible=False)
    axes.axvline(50, color=GRAY, linewidth=1, linestyle=(0, (4, 3)))
    for place, x in enumerate(reversed(matches)):
        axes.plot([100 * x.low, 100 * x.high], [place, place], color=BLUE, linewidth=2)
        axes.plot(100 * x.share, place, "o", color=BLUE, markersize=6)
        text = f"{100 * x.share:.0f} % of {x.games} games"
        axes.annotate(
            text,
            (100 * x.share, place),
            xytext=(0, 8),
            textcoords="offset points",
            ha="center",
            fontsize=8,
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 1},
        )
    axes.set_yticks(range(len(matches)), [x.opponent for x in reversed(matches)])
    axes.set_ylim(-0.6, len(matches) - 0.4)
    axes.set_xlim(-4, 104)
    axes.set_xlabel("% of the points; 50 % is equal strength")


def shares_of(report: Mapping[str, Any]) -> list[MatchShare]:
    """The matches in a report, for `draw_plots`."""
    return [
        MatchShare(x["opponent"], x["share"], x["low"], x["high"], x["games"])
        for x in report.get("matches", ())
    ]
