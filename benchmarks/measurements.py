# SPDX-License-Identifier: MIT
"""What was measured: told while it is measured, printed, and compared with what is stored."""

from __future__ import annotations

import json
import os
import platform
import re
import time
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

STORED = Path(__file__).with_name("stored.json")
RESULTS = Path(__file__).with_name("results.json")
MAY_BE_SLOWER = 0.05
"""Rows that are slower than the stored ones by more are marked."""


@dataclass(frozen=True)
class Measurement:
    """One line of a table; `ratio` is how many times better ours is."""

    name: str
    work: str
    ours: float
    peer: float | None
    ratio: float | None
    at_least: float | None
    unit: str
    """"s", "1/s" or "bytes"."""
    note: str = ""
    """What else is known; it may differ from run to run."""

    @property
    def key(self) -> str:
        """What makes two measurements comparable."""
        return f"{self.name} | {self.work}"

    @property
    def is_below(self) -> bool:
        """Whether the ratio is less than it should be."""
        return bool(self.at_least and self.ratio and self.ratio < self.at_least)

    def speed(self) -> float:
        """More is better: of times and sizes the inverse."""
        return self.ours if self.unit == "1/s" else 1 / self.ours


def alone(name: str, work: str, ours: float, unit: str, note: str = "") -> Measurement:
    """A figure that has no peer."""
    return Measurement(name, work, ours, None, None, None, unit, note)


def faster(name: str, work: str, ours: float, peer: float, at_least: float) -> Measurement:
    """Compare two times."""
    return Measurement(name, work, ours, peer, peer / ours, at_least, "s")


def seconds_of(work: Callable[[], Any], repeats: int) -> float:
    """The processor time of the fastest of several runs."""
    best = float("inf")
    for _ in range(repeats):
        started = time.process_time()
        work()
        best = min(best, time.process_time() - started)
    return best


def figure(number: float | None, unit: str) -> str:
    """A number with four digits and its unit, in as few characters as it takes."""
    if number is None:
        return ""
    if unit == "s":
        return f"{number:.4g} s" if number >= 0.1 else f"{1000 * number:.4g} ms"
    if unit == "bytes":
        return f"{number:.4g} B"
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if number >= size:
            return f"{number / size:.4g} {letter}/s"
    return f"{number:.4g} /s"


def machine() -> str:
    """What absolute figures depend on."""
    model = platform.machine()
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
        model = next((x.split(":")[1].strip() for x in lines if x.startswith("model name")), model)
    except OSError:
        pass
    return f"{model}, {os.cpu_count()} cores"


class Stored:
    """The figures that a run is compared with.

    Ratios are compared wherever they were measured; absolute figures only on the same machine.
    """

    def __init__(self, path: Path = STORED) -> None:
        kept = json.loads(path.read_text("utf-8")) if path.exists() else {}
        self.machine = kept.get("machine", "")
        self.same_machine = self.machine == machine()
        rows = [Measurement(**row) for row in kept.get("rows", [])]
        self._rows = {row.key: row for row in rows}

    def change(self, row: Measurement) -> float | None:
        """How much better a row is than it was, as a fraction; None if they do not compare."""
        before = self._rows.get(row.key)
        if before is None:
            return None
        if row.ratio is not None and before.ratio is not None:
            return row.ratio / before.ratio - 1
        return row.speed() / before.speed() - 1 if self.same_machine else None

    def is_slower(self, row: Measurement) -> bool:
        """Whether a row is marked."""
        change = self.change(row)
        return change is not None and change < -MAY_BE_SLOWER


def write(rows: Iterable[Measurement], path: Path) -> None:
    """Write the figures, and the machine that they are from."""
    told = {"machine": machine(), "rows": [asdict(row) for row in rows]}
    path.write_text(json.dumps(told, indent=1) + "\n", "utf-8")


def show(console: Console, title: str, rows: list[Measurement], stored: Stored) -> None:
    """Print the table of a section; names are broken, never cut."""
    table = Table(title=title, title_justify="left", expand=True, padding=(0, 1))
    table.add_column("what", overflow="fold", ratio=1)
    for name in ("ours", "peer", "ratio", "least", "change"):
        table.add_column(name, justify="right", no_wrap=True)
    for row in rows:
        about = ", ".join(filter(None, (row.work, row.note)))
        marked = row.is_below or stored.is_slower(row)
        table.add_row(
            Text.assemble(breakable(row.name), "\n", (about, "dim")),
            figure(row.ours, row.unit),
            figure(row.peer, row.unit),
            "" if row.ratio is None else f"{row.ratio:.3g}",
            "" if row.at_least is None else f"{row.at_least:g}",
            changed(row, stored),
            style="bold red" if marked else "",
        )
    console.print(table)


def breakable(name: str) -> str:
    """A long name of a game with spaces where a line may end."""
    return re.sub(r",(?=\S)", ", ", name) if len(name) > 30 else name


def changed(row: Measurement, stored: Stored) -> str:
    """How much better a row is than it was; marked if it is worse."""
    change = stored.change(row)
    mark = " !" if stored.is_slower(row) else ""
    return "" if change is None else f"{100 * change:+.0f} %{mark}"


def describe(row: Measurement) -> str:
    """One line for what was just measured."""
    told = f"{row.name}, {row.work}: {figure(row.ours, row.unit)}"
    return told if row.ratio is None else f"{told}, ratio {row.ratio:.3g}"
