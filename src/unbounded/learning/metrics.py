# SPDX-License-Identifier: MIT
"""The metrics of a run: lines of JSON, and events for TensorBoard if it is installed.

A row is a dictionary of numbers, made by `row_of`. Rows are only ever appended. When a run is
resumed, rows of generations that are not complete are cut off: they will be written again.
"""

from __future__ import annotations

import contextlib
import importlib.util
import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from unbounded.learning.progress import Progress
from unbounded.learning.run_files import failing_clearly
from unbounded.storage import atomic_files

Row = dict[str, Any]
NO_TENSORBOARD = (
    "tensorboard is not installed, so no events are written for it; metrics.jsonl has the same "
    "numbers (pip install 'unbounded[learn]')"
)


def row_of(
    progress: Progress,
    *,
    yardsticks: Mapping[str, float] | None = None,
    by_ply: Sequence[int] = (),
    **more: float,
) -> Row:
    """The row of a generation, as the plots and the terminal read it.

    yardsticks: more shares by name than the one in `progress`. by_ply: how many states were
    expanded after 0, 1, 2, ... moves.
    """
    return {
        **progress.to_dict(),
        **more,
        "yardsticks": dict(yardsticks or {}),
        "by_ply": list(by_ply),
    }


def yardsticks_of(row: Mapping[str, Any]) -> dict[str, float]:
    """The yardsticks of a row by name, the one of the curve first."""
    found: dict[str, float] = {}
    if row.get("yardstick") is not None:
        found[row.get("yardstick_name") or "yardstick"] = float(row["yardstick"])
    more = row.get("yardsticks") or {}
    return {**found, **{name: float(x) for name, x in more.items() if x is not None}}


class Metrics:
    """Appends rows to `metrics.jsonl`, and their numbers to TensorBoard's events."""

    def __init__(
        self,
        path: Path,
        events: Path | None = None,
        *,
        after: int | None = None,
        tell: Callable[[str], None] | None = None,
    ) -> None:
        """Open or begin a file.

        events: the folder of the events. after: the generation that the run goes on from; later
        rows are cut off; None for a new run. tell: is given a line if there is no TensorBoard.
        """
        self.path = path
        self._events_folder = events
        self._tell = tell
        self._writer: Any = None
        self.cut(-1 if after is None else after)

    def append(self, row: Mapping[str, Any]) -> None:
        """Write a row; of a row that cannot be written whole, nothing stays."""
        line = json.dumps(_plain(row)) + "\n"
        with failing_clearly(self.path.parent, "the metrics were not written"):
            self._append(line.encode())
        if self._writer is not None:
            self._write_events(row)

    def cut(self, generation: int) -> None:
        """Remove the rows of later generations, and a last line that is not whole."""
        rows = read_rows(self.path)
        kept = [row for row in rows if row.get("generation", 0) <= generation]
        lines = "".join(json.dumps(row) + "\n" for row in kept).encode()
        with failing_clearly(self.path.parent, "the metrics were not written"):
            if not self.path.is_file() or self.path.read_bytes() != lines:
                atomic_files.replace(self.path, lambda put: put(lines))
        self._begin_events(int(kept[-1].get("states", 0)) if kept else 0)

    def close(self) -> None:
        """Write what TensorBoard has not yet written."""
        if self._writer is not None:
            with contextlib.suppress(OSError):
                self._writer.close()
            self._writer = None

    def _append(self, line: bytes) -> None:
        with self.path.open("ab", buffering=0) as file:
            before = file.tell()
            try:
                written = 0
                while written < len(line):
                    written += file.write(line[written:])
            except OSError:
                with contextlib.suppress(OSError):
                    file.truncate(before)
                raise

    # -- TensorBoard ------------------------------------------------------------------------------

    def _begin_events(self, step: int) -> None:
        """Open a new file of events, which hides those of later steps in older files."""
        self.close()
        if self._events_folder is None:
            return
        if importlib.util.find_spec("tensorboard") is None:
            if self._tell is not None:
                self._tell(NO_TENSORBOARD)
            self._tell = None  # once is enough
            return
        from torch.utils.tensorboard.writer import SummaryWriter

        with failing_clearly(self.path.parent, "the events for TensorBoard were not written"):
            self._writer = SummaryWriter(
                str(self._events_folder), purge_step=step + 1, flush_secs=10
            )

    def _write_events(self, row: Mapping[str, Any]) -> None:
        """Add the numbers of a row; without the events, the run is still complete."""
        step = int(row.get("states", 0))
        try:
            for name, value in numbers_of(row):
                self._writer.add_scalar(name, value, step)
        except OSError as error:
            if self._tell is not None:
                self._tell(f"events for TensorBoard cannot be written: {error}; the run goes on")
            self._writer = None


def _plain(row: Mapping[str, Any]) -> Row:
    """A row for JSON, which has no NaN: numbers that are not finite are null."""
    return {name: _finite(value) for name, value in row.items()}


def _finite(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(name): _finite(x) for name, x in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_finite(x) for x in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def numbers_of(row: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    """The numbers of a row by name; those in a dictionary as `yardstick/name`."""
    for name, value in row.items():
        if isinstance(value, Mapping):
            yield from ((f"{name}/{x}", number) for x, number in numbers_of(value))
        elif isinstance(value, int | float) and not isinstance(value, bool):
            yield name, float(value)


def read_rows(path: Path) -> list[Row]:
    """The rows of a file; a last line that is not whole, or damaged, is left out."""
    rows: list[Row] = []
    try:
        lines = path.read_bytes().split(b"\n")
    except FileNotFoundError:
        return []
    for line in lines[:-1]:  # what follows the last newline was cut short
        with contextlib.suppress(ValueError):
            row = json.loads(line)
            if isinstance(row, dict):
                rows.append(row)
    return rows
