# SPDX-License-Identifier: MIT
"""Curves in the terminal, drawn with braille characters: two by four dots each."""

from __future__ import annotations

from collections.abc import Sequence

_BLANK = 0x2800
_DOTS = ((0x01, 0x02, 0x04, 0x40), (0x08, 0x10, 0x20, 0x80))
"""The bits of the left and the right column of a character, from the top down."""

Point = tuple[float, float]


def curve(points: Sequence[Point], width: int, height: int) -> list[str]:
    """Draw points, in order of x, as a line in so many columns and rows of characters."""
    levels = _levels(points, 2 * width)
    known = [level for level in levels if level is not None]
    cells = [[0] * width for _ in range(height)]
    if known:
        low, high = min(known), max(known)
        rows = [None if y is None else _row(y, low, high, 4 * height) for y in levels]
        last = None
        for column, row in enumerate(rows):
            if row is None:
                continue
            start = row if last is None else last + (row > last) - (row < last)
            for at in range(min(start, row), max(start, row) + 1):
                cells[at // 4][column // 2] |= _DOTS[column % 2][at % 4]
            last = row
    return ["".join(chr(_BLANK + cell) for cell in line) for line in cells]


def _row(value: float, low: float, high: float, rows: int) -> int:
    """The row of dots of a value, 0 at the top; a constant is drawn in the middle."""
    if high == low:
        return rows // 2
    return round((high - value) / (high - low) * (rows - 1))


def _levels(points: Sequence[Point], columns: int) -> list[float | None]:
    """The value in each column: interpolated between points; None left of the first."""
    if not points:
        return [None] * columns
    first, last = points[0][0], points[-1][0]
    step = (last - first) / max(1, columns - 1)
    levels: list[float | None] = []
    at = 0
    for column in range(columns):
        x = first + column * step
        while at + 1 < len(points) and points[at + 1][0] <= x:
            at += 1
        levels.append(_between(points, at, x))
    levels[-1] = points[-1][1]
    return levels


def _between(points: Sequence[Point], at: int, x: float) -> float:
    """The value at x, which lies right of one point and left of the next."""
    x0, y0 = points[at]
    if at + 1 == len(points):
        return y0
    x1, y1 = points[at + 1]
    return y0 if x1 == x0 else y0 + (y1 - y0) * min(1.0, max(0.0, (x - x0) / (x1 - x0)))
