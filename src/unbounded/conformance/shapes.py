# SPDX-License-Identifier: MIT
"""The plain shapes of an SVG drawing, and whether a point is inside one of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from xml.etree import ElementTree

BACKGROUND = 0.9
"""The share of the picture from which on a shape is what the others are drawn on."""
LETTER = 0.6
"""How wide a letter is, in its font size."""

SHAPES = {"rect", "circle", "ellipse", "line", "polygon", "polyline", "text"}
PLAIN = {"svg", "title", "desc", *SHAPES}

Point = tuple[float, float]
Inside = Callable[[float, float], bool]


def tag_of(element: ElementTree.Element) -> str:
    """The name of an element, without its namespace."""
    return element.tag.rpartition("}")[2]


def frame_of(root: ElementTree.Element) -> list[float]:
    """The viewBox: left, top, width and height; nothing if there is none."""
    frame = _numbers(root.get("viewBox", ""))
    return frame if len(frame) == 4 else []


@dataclass(frozen=True)
class Shape:
    """Something that is drawn."""

    inside: Inside
    """Whether a point is well inside it."""
    middle: Point
    size: float


def shapes_of(root: ElementTree.Element) -> list[Shape] | None:
    """Return the shapes of a drawing that lie on its background; None if that is not clear."""
    frame, found = frame_of(root), []
    for element in root.iter():
        if tag_of(element) not in PLAIN or element.get("transform"):
            return None
        if tag_of(element) in SHAPES:
            try:
                found.append(_shape(element))
            except ValueError:  # a percentage, or a unit
                return None
    return [shape for shape in found if shape.size < BACKGROUND * frame[2] * frame[3]]


def _shape(element: ElementTree.Element) -> Shape:
    def number(name: str, default: float = 0.0) -> float:
        return float(element.get(name, default))

    kind = tag_of(element)
    if kind == "rect":
        return _box(number("x"), number("y"), number("width"), number("height"))
    if kind in ("circle", "ellipse"):
        return _ellipse(
            number("cx"), number("cy"), number("rx", number("r")), number("ry", number("r"))
        )
    if kind == "text":
        size = number("font-size", 16.0)
        width = LETTER * size * max(1, len("".join(element.itertext())))
        shift = {"middle": 0.5, "end": 1.0}.get(element.get("text-anchor", ""), 0.0)
        return _box(number("x") - shift * width, number("y") - size, width, 2 * size)
    if kind == "line":
        ends = [(number("x1"), number("y1")), (number("x2"), number("y2"))]
        return _line(ends, number("stroke-width", 1.0))
    flat = _numbers(element.get("points", ""))
    points = list(zip(flat[::2], flat[1::2], strict=True))
    if not points:
        raise ValueError("a shape without points")
    return _polygon(points) if kind == "polygon" else _line(points, number("stroke-width", 1.0))


def _numbers(text: str) -> list[float]:
    try:
        return [float(x) for x in text.replace(",", " ").split()]
    except ValueError:
        return []


def _box(x: float, y: float, width: float, height: float) -> Shape:
    near = 1e-6 * max(width, height)  # a corner is not inside

    def inside(a: float, b: float) -> bool:
        return x + near < a < x + width - near and y + near < b < y + height - near

    return Shape(inside, (x + width / 2, y + height / 2), width * height)


def _ellipse(x: float, y: float, rx: float, ry: float) -> Shape:
    def inside(a: float, b: float) -> bool:
        return rx > 0 and ry > 0 and ((a - x) / rx) ** 2 + ((b - y) / ry) ** 2 < 1

    return Shape(inside, (x, y), math.pi * rx * ry)


def _polygon(points: Sequence[Point]) -> Shape:
    def inside(a: float, b: float) -> bool:
        crossings = 0
        for (x1, y1), (x2, y2) in pairwise([*points, points[0]]):
            if (y1 > b) != (y2 > b) and a < x1 + (b - y1) * (x2 - x1) / (y2 - y1):
                crossings += 1
        return crossings % 2 == 1

    xs, ys = [x for x, _ in points], [y for _, y in points]
    middle = (min(xs) + max(xs)) / 2, (min(ys) + max(ys)) / 2
    return Shape(inside, middle, (max(xs) - min(xs)) * (max(ys) - min(ys)))


def _line(points: Sequence[Point], thickness: float) -> Shape:
    def inside(a: float, b: float) -> bool:
        for (x1, y1), (x2, y2) in pairwise(points):
            length = (x2 - x1) ** 2 + (y2 - y1) ** 2
            t = ((a - x1) * (x2 - x1) + (b - y1) * (y2 - y1)) / length if length else 0.0
            t = min(1.0, max(0.0, t))
            if math.hypot(a - x1 - t * (x2 - x1), b - y1 - t * (y2 - y1)) <= thickness:
                return True
        return False

    (x1, y1), (x2, y2) = points[0], points[-1]
    return Shape(inside, ((x1 + x2) / 2, (y1 + y2) / 2), 0.0)
