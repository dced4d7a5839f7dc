# SPDX-License-Identifier: MIT
"""What is painted where on a drawing, in either theme, and how well it stands out there.

Contrast is that of the Web Content Accessibility Guidelines, between 1 and 21.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from xml.etree import ElementTree

from unbounded.game.colors import PALETTE

SVG = "{http://www.w3.org/2000/svg}"
CLASS = re.compile(r"ub-(fill|stroke)-([a-z0-9-]+)")
MARKS = {"ub-last", "ub-target", "ub-win", "ub-capture", "ub-mover"}
THICK = 0.035
"""An outline of so much of a cell is seen as such."""


def luminance(color: str) -> float:
    """The relative luminance of a color such as #a0b1c2."""
    parts = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """The contrast of two colors."""
    low, high = sorted(map(luminance, (one, other)))
    return (high + 0.05) / (low + 0.05)


@dataclass(frozen=True)
class Shape:
    """One shape, with its colors in one theme; None where it is not painted."""

    kind: str
    given: dict[str, str]
    fill: str | None
    stroke: str | None
    text: str

    @property
    def roles(self) -> set[str]:
        return {word for word in self.given.get("class", "").split() if not CLASS.fullmatch(word)}

    def number(self, name: str) -> float:
        return float(self.given.get(name, 0))

    @property
    def thickness(self) -> float:
        return self.number("stroke-width") if self.stroke else 0.0

    @property
    def points(self) -> list[tuple[float, float]]:
        pairs = (pair.split(",") for pair in self.given["points"].split())
        return [(float(x), float(y)) for x, y in pairs]

    @property
    def middle(self) -> tuple[float, float]:
        if self.kind == "circle":
            return self.number("cx"), self.number("cy")
        if self.kind == "line":
            ends = [self.number(name) for name in ("x1", "x2", "y1", "y2")]
            return (ends[0] + ends[1]) / 2, (ends[2] + ends[3]) / 2
        if self.kind == "polygon":
            xs, ys = zip(*self.points, strict=True)
            return sum(xs) / len(xs), sum(ys) / len(ys)
        x, y = self.number("x"), self.number("y")
        return x + self.number("width") / 2, y + self.number("height") / 2

    def color_at(self, x: float, y: float) -> str | None:
        """The color that this shape paints at a point, if any; thin lines do not count."""
        out = self.distance(x, y)
        if self.stroke and self.thickness >= THICK and abs(out) <= self.thickness / 2:
            return self.stroke
        return self.fill if self.fill and out < 1e-9 else None

    def distance(self, x: float, y: float) -> float:
        """How far a point is from the outline; negative inside."""
        if self.kind == "circle":
            return math.dist(self.middle, (x, y)) - self.number("r")
        if self.kind == "rect":
            middle = self.middle
            return max(
                abs(x - middle[0]) - self.number("width") / 2,
                abs(y - middle[1]) - self.number("height") / 2,
            )
        if self.kind == "line":
            ends = [(self.number(f"x{i}"), self.number(f"y{i}")) for i in (1, 2)]
            return to_line((x, y), *ends)
        corners = self.points
        sides = list(zip(corners, [*corners[1:], corners[0]], strict=True))
        far = min(to_line((x, y), *side) for side in sides)
        crossings = sum(
            (a[1] > y) != (b[1] > y) and x < (b[0] - a[0]) * (y - a[1]) / (b[1] - a[1]) + a[0]
            for a, b in sides
        )
        return -far if crossings % 2 else far

    def rim(self, out: float) -> Iterator[tuple[float, float]]:
        """Points so far outside of the outline (or inside), on all sides."""
        if self.kind == "line":
            (x1, x2), (y1, y2) = ([self.number(f"{c}{i}") for i in (1, 2)] for c in "xy")
            length = math.dist((x1, y1), (x2, y2))
            for share in (0.3, 0.7):
                x, y = x1 + share * (x2 - x1), y1 + share * (y2 - y1)
                yield x - out * (y2 - y1) / length, y + out * (x2 - x1) / length
                yield x + out * (y2 - y1) / length, y - out * (x2 - x1) / length
            return
        x, y = self.middle
        wide, high = self.number("width") / 2, self.number("height") / 2
        for i in range(8):
            angle = math.pi * (i + 0.5) / 4
            if self.kind == "circle":
                far = self.number("r") + out
                yield x + far * math.cos(angle), y + far * math.sin(angle)
            else:  # along the sides of a rectangle, away from its rounded corners
                side = (1 if math.cos(angle) > 0 else -1, 1 if math.sin(angle) > 0 else -1)
                if i % 2:
                    yield x + side[0] * (wide + out), y + side[1] * high / 3
                else:
                    yield x + side[0] * wide / 3, y + side[1] * (high + out)


def to_line(point: tuple[float, float], a: tuple[float, float], b: tuple[float, float]) -> float:
    """How far a point is from a line between two others."""
    length = math.dist(a, b) ** 2
    right, down = b[0] - a[0], b[1] - a[1]
    share = 0.0
    if length:
        share = ((point[0] - a[0]) * right + (point[1] - a[1]) * down) / length
    share = min(1.0, max(0.0, share))
    return math.dist(point, (a[0] + share * right, a[1] + share * down))


def shapes_of(svg: str, *, dark: bool) -> list[Shape]:
    """The shapes of a drawing in the order in which they are painted."""
    root = ElementTree.fromstring(svg)
    found = []
    for element in root.iter():
        kind = element.tag.removeprefix(SVG)
        if kind in ("rect", "circle", "line", "polygon", "text"):
            given = {**element.attrib}
            paint = {how: given.get(how, "none") for how in ("fill", "stroke")}
            for how, name in CLASS.findall(given.get("class", "")):
                paint[how] = PALETTE[name].dark if dark else str(PALETTE[name])
            fill, stroke = (None if color == "none" else color for color in paint.values())
            found.append(Shape(kind, given, fill, stroke, element.text or ""))
    return found


def ground(shapes: list[Shape], x: float, y: float) -> str | None:
    """What is seen at a point of the board and its pieces; None beyond the drawing."""
    for shape in reversed(shapes):
        seen = shape.kind != "text" and not shape.roles & MARKS
        color = shape.color_at(x, y) if seen else None
        if color is not None:
            return color
    return None


def stands_out(shapes: list[Shape], place: int) -> float:
    """The least contrast of a shape to what is outside of it: of its outline, if thick, or fill."""
    shape = shapes[place]
    below, half = shapes[:place], shape.thickness / 2
    colors = [shape.stroke] if shape.thickness >= THICK else []
    colors += [shape.fill] if shape.fill else []
    outside = [ground(below, x, y) for x, y in shape.rim(half + 0.015)]
    beside = [color for color in outside if color is not None]
    worst = [max(contrast(c, g) for c in colors if c) for g in beside]
    return min(worst, default=21.0)
