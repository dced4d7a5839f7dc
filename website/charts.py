# SPDX-License-Identifier: MIT
"""Figures of the benchmarks as charts: SVG that is made from the JSON when the site is built."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable
from html import escape
from typing import Any

from links import ROOT

BENCHMARKS = ROOT / "benchmarks"
WIDTH, ROW, NUMBER = 720, 26, 80
LETTER, LONGEST = 7.1, 60
"""About how wide a letter of a label is, and the most letters that are shown."""
MARKER = re.compile(r"<!-- chart: (\w+) -->")


def rows() -> list[dict[str, Any]]:
    """Return the measurements, those of the last `make bench` rather than stored ones.

    `results.json` is there after `make bench`; `stored.json` is in the repository.
    """
    merged: dict[str, dict[str, Any]] = {}
    for path in (BENCHMARKS / "stored.json", BENCHMARKS / "results.json"):
        if path.exists():
            kept = json.loads(path.read_text("utf-8"))
            measured_on = {"machine": kept["machine"]}
            merged |= {f"{row['name']} | {row['work']}": row | measured_on for row in kept["rows"]}
    return list(merged.values())


def with_charts(markdown: str) -> str:
    """Put a chart where a page has a marker for one."""
    return MARKER.sub(lambda marker: f"\n{CHARTS[marker[1]]()}\n", markdown)


def solving_speed() -> str:
    """States per second while a game is solved, by one thread."""
    found = [row for row in rows() if row["work"].startswith("solving, ")]
    bars = [(row["name"], row["ours"], short(row["ours"])) for row in found]
    return bar_chart(f"States per second while solving, one thread ({machines(found)})", bars)


def perft_speed() -> str:
    """Leaves per second of counting all ways to play."""
    found = [
        row
        for row in rows()
        if row["work"].startswith("perft, depth")
        and not row["peer"]
        and "compiled" not in row["name"]
    ]
    bars = [(row["name"], row["ours"], short(row["ours"])) for row in found]
    return bar_chart(f"Leaves per second of perft, one thread ({machines(found)})", bars)


def machines(found: list[dict[str, Any]]) -> str:
    """Return what some rows were measured on."""
    return "; ".join(sorted({row["machine"] for row in found}))


def beside_others() -> str:
    """How many times as fast as another system, where one does the same work."""
    found = [row for row in rows() if row["ratio"] and "uncompiled" not in row["name"]]
    if not found:
        return note("No comparison is stored: `make bench` measures them.")
    bars = [(compared(row), row["ratio"], times(row["ratio"])) for row in found]
    return bar_chart("Times as fast as the other system", bars, logarithmic=True)


def times(ratio: float) -> str:
    """Write a ratio in three digits."""
    return f"{ratio:,.0f}x" if ratio >= 100 else f"{ratio:.3g}x"


def compared(row: dict[str, Any]) -> str:
    """Return what was compared, in short."""
    work = re.search(r"all cores|ply \d+", row["work"])
    name = re.sub(r"7x6 positions, (a dedicated solver).*", r"7x6, \1", row["name"])
    return f"{name}, {work[0]}" if work else name


def arena() -> str:
    """Elo against programs of others, with intervals."""
    kept = json.loads((BENCHMARKS / "arena.json").read_text("utf-8"))
    found = []
    for match in kept["matches"]:
        ours, theirs = (program(x["contestant"]) for x in match["standings"])
        found.append((f"{match['game']}: {ours} - {theirs}", *match["elo"]))
    return interval_chart("Elo of ours less theirs, with 95 % intervals", found)


def atlas() -> str:
    """Seconds to the proven value, for the boards of the atlas."""
    kept = json.loads((ROOT / "docs" / "atlas.json").read_text("utf-8"))
    times = [e["seconds"] for e in kept["entries"] if e["solved"] and e.get("seconds") is not None]
    bars, before, limit = [], 0.0, 0.01
    while before <= max(times):
        count = sum(before <= seconds < limit for seconds in times)
        bars.append((f"under {limit:g} s", float(count), str(count)))
        before, limit = limit, limit * 10
    return bar_chart(f"How long the {len(times)} boards of the atlas took to solve", bars)


CHARTS = {
    "solving": solving_speed,
    "perft": perft_speed,
    "others": beside_others,
    "arena": arena,
    "atlas": atlas,
}

# -- drawing --------------------------------------------------------------------------------------


def bar_chart(
    title: str, bars: Iterable[tuple[str, float, str]], *, logarithmic: bool = False
) -> str:
    """Draw a horizontal bar for each row: its label, its length, and the figure behind it.

    Logarithmic bars begin at 1; those of less than 1 go to the left.
    """
    given = list(bars)
    lengths = [math.log10(length) if logarithmic else length for _, length, _ in given]
    left = label_width(label for label, _, _ in given)
    room = WIDTH - left - NUMBER
    low, high = min(0.0, *lengths), max(*lengths, 1e-9)
    start = left - room * low / (high - low)
    parts = [f'<path class="axis" d="M{start:.1f} 0V{len(given) * ROW}"/>'] if low < 0 else []
    for index, ((label, _, figure), length) in enumerate(zip(given, lengths, strict=True)):
        y, end = index * ROW, start + room * length / (high - low)
        parts.append(
            row_label(label, left, y) + f'<rect class="bar" x="{min(start, end):.1f}" y="{y + 5}" '
            f'width="{abs(end - start):.1f}" height="{ROW - 10}" rx="2"/>'
            f'<text x="{max(start, end) + 6:.1f}" y="{y + 17}">{escape(figure)}</text>'
        )
    caption = f"{title} (logarithmic)" if logarithmic else title
    return figure_of(caption, parts, len(given) * ROW, given_as_text((a, c) for a, _, c in given))


def interval_chart(title: str, found: list[tuple[str, float, float | None, float | None]]) -> str:
    """Draw a dot and an interval for each row, around a line at 0; ends beyond the edge are cut.

    An end that is None is open.
    """
    edge, left = 800.0, label_width(row[0] for row in found)
    room = WIDTH - left - NUMBER
    middle = left + room / 2

    def across(elo: float) -> float:
        return middle + max(-edge, min(edge, elo)) / edge * room / 2

    parts = [f'<path class="axis" d="M{middle} 0V{len(found) * ROW}"/>']
    texts = []
    for index, (label, elo, low, high) in enumerate(found):
        y = index * ROW + ROW / 2
        text = f"{elo:+.0f}"
        texts.append((label, f"{text} ({interval(low, high)})"))
        parts.append(
            row_label(label, left, index * ROW)
            + f'<path class="interval" d="M{across(-edge if low is None else low):.1f} '
            f'{y}H{across(edge if high is None else high):.1f}"/>'
            f'<circle class="dot" cx="{across(elo):.1f}" cy="{y}" r="4.5"/>'
            f'<text x="{WIDTH - NUMBER + 20}" y="{y + 4}">{text}</text>'
        )
    return figure_of(title, parts, len(found) * ROW, given_as_text(texts))


def interval(low: float | None, high: float | None) -> str:
    """Write an interval."""
    if high is None:
        return f"above {low:+.0f}"
    return f"below {high:+.0f}" if low is None else f"{low:+.0f} to {high:+.0f}"


def label_width(labels: Iterable[str]) -> float:
    """Return how much room the labels of a chart need."""
    return 16 + LETTER * min(LONGEST, max(map(len, labels), default=0))


def row_label(label: str, left: float, y: float) -> str:
    """Write the label of a row, to the left of its bar."""
    shown = label if len(label) <= LONGEST else f"{label[: LONGEST - 1]}…"
    return (
        f'<text class="label" x="{left - 8}" y="{y + 17}">{escape(shown)}'
        f"<title>{escape(label)}</title></text>"
    )


def figure_of(title: str, parts: list[str], height: float, table: str) -> str:
    """Return a figure in HTML: the chart, and the same as a table for those who cannot see it."""
    svg = (
        f'<svg class="chart" role="img" aria-label="{escape(title)}" '
        f'viewBox="0 0 {WIDTH} {height:g}">{"".join(parts)}</svg>'
    )
    caption = f"<figcaption>{escape(title)}</figcaption>"
    return f'<figure class="chart-figure">{caption}{svg}{table}</figure>'


def given_as_text(pairs: Iterable[tuple[str, str]]) -> str:
    """Return the figures as a table that can be opened."""
    cells = "".join(f"<tr><td>{escape(a)}</td><td>{escape(b)}</td></tr>" for a, b in pairs)
    return f"<details><summary>The figures</summary><table>{cells}</table></details>"


def note(text: str) -> str:
    """Return a sentence in place of a chart."""
    return f"<p><em>{escape(text)}</em></p>"


def short(number: float) -> str:
    """Write a number per second in three digits."""
    for size, letter in ((1e9, " G/s"), (1e6, " M/s"), (1e3, " k/s")):
        if number >= size:
            return f"{number / size:.3g}{letter}"
    return f"{number:.3g} /s"


def program(contestant: str) -> str:
    """Return the name of a program from how it was named in a match."""
    found = re.search(r"command=([\w-]+)", contestant)
    return found[1] if found else contestant.partition("(")[0]
