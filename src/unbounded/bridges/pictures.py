# SPDX-License-Identifier: MIT
"""Positions as learning environments show them: text, or pixels that Pillow draws."""

from __future__ import annotations

import importlib.util
from functools import cache
from typing import Any
from xml.etree import ElementTree

import numpy as np

from unbounded.bridges.episodes import Array, Episode
from unbounded.game import UsageError, require
from unbounded.game.drawing import draw

MODES = ("ansi", "rgb_array")

FINER = 3
"""Drawn so many times larger and then reduced, which makes edges smooth."""
MONOSPACE = 0.6
"""The width of a letter in a text board, in font sizes."""


def rendered(episode: Episode, mode: str | None) -> Any:
    """Return the position in a mode of rendering; nothing, with a warning, if there is no mode."""
    game, state = episode.game, episode.state
    if mode == "ansi":
        return game.show(state)
    if mode == "rgb_array":
        last = {"last": episode.actions[-1]} if episode.actions else {}
        return pixels(draw(game, state, **last))
    from gymnasium import logger

    logger.warn("render() shows nothing: give the environment a render_mode")
    return None


def pixels(svg: str) -> Array:
    """Return a drawing as pixels: height x width x 3, red, green and blue from 0 to 255."""
    require(
        importlib.util.find_spec("PIL") is not None,
        "pictures need Pillow: pip install 'unbounded[pettingzoo]'; or choose render_mode='ansi', "
        "which is text",
    )
    try:
        picture = _Picture(ElementTree.fromstring(svg))  # noqa: S314 - the game has written it
    except (ElementTree.ParseError, KeyError, ValueError) as error:
        raise UsageError(f"the drawing cannot be rendered as rgb_array: {error}") from error
    return np.array(picture.image.reduce(FINER), np.uint8)


class _Picture:
    """An image in the making; coordinates are those of the SVG's viewBox."""

    def __init__(self, root: ElementTree.Element) -> None:
        from PIL import Image, ImageDraw

        self.root = root
        self.left, self.top, wide, _ = map(float, root.attrib["viewBox"].split())
        size = [FINER * round(float(root.attrib[name])) for name in ("width", "height")]
        self.unit = size[0] / wide
        self.image = Image.new("RGB", size, "#ffffff")
        self.draw = ImageDraw.Draw(self.image)
        for element in root:
            self._add(element)

    def _add(self, element: ElementTree.Element) -> None:
        name = element.tag.rpartition("}")[2]
        if name == "title":
            return
        drawing = getattr(self, f"_{name}", None)
        if drawing is None:
            raise UsageError(f"it has a <{name}>; choose render_mode='ansi'")
        drawing(element)

    def _rect(self, element: ElementTree.Element) -> None:
        x, y = self._point(element, "x", "y")
        wide, high = (self.unit * _number(element, name) for name in ("width", "height"))
        half = self._thickness(element) / 2
        box = (x - half, y - half, x + wide + half, y + high + half)
        radius = self.unit * _number(element, "rx")
        self.draw.rounded_rectangle(box, radius + half if radius else 0, **self._paint(element))

    def _circle(self, element: ElementTree.Element) -> None:
        x, y = self._point(element, "cx", "cy")
        radius = self.unit * _number(element, "r") + self._thickness(element) / 2
        box = (x - radius, y - radius, x + radius, y + radius)
        self.draw.ellipse(box, **self._paint(element))

    def _line(self, element: ElementTree.Element) -> None:
        ends = [self._point(element, "x1", "y1"), self._point(element, "x2", "y2")]
        self._stroke(ends, element)

    def _polygon(self, element: ElementTree.Element) -> None:
        pairs = (pair.split(",") for pair in element.attrib["points"].split())
        corners = [self._place(float(x), float(y)) for x, y in pairs]
        fill = _color(element, "fill")
        if fill is not None:
            self.draw.polygon(corners, fill=fill)
        self._stroke([*corners, corners[0]], element)

    def _stroke(self, points: list[tuple[float, float]], element: ElementTree.Element) -> None:
        """Draw a line through points, with round ends."""
        color, width = _color(element, "stroke"), self._thickness(element)
        if color is None or width == 0:
            return
        self.draw.line(points, fill=color, width=round(width), joint="curve")
        for x, y in points:
            r = width / 2
            self.draw.ellipse((x - r, y - r, x + r, y + r), fill=color)

    def _text(self, element: ElementTree.Element) -> None:
        given = {**self.root.attrib, **element.attrib}
        size = self.unit * float(given["font-size"])
        font = _font(max(1, round(size)))
        color, text = given.get("fill", "#000000"), element.text or ""
        x, y = self._point(element, "x", "y")
        if given.get("text-anchor") == "middle":
            self.draw.text((x, y), text, fill=color, font=font, anchor="mm")
            return
        for place, letter in enumerate(text):  # a text board: its letters stand in columns
            middle = x + MONOSPACE * size * (place + 0.5)
            self.draw.text((middle, y), letter, fill=color, font=font, anchor="ms")

    def _paint(self, element: ElementTree.Element) -> dict[str, Any]:
        """How Pillow is to fill and outline a shape; it draws outlines inside of the shape."""
        fill, width = _color(element, "fill"), round(self._thickness(element))
        outline = _color(element, "stroke") if width else None
        return {"fill": fill, "outline": outline, "width": width}

    def _thickness(self, element: ElementTree.Element) -> float:
        drawn = _color(element, "stroke") is not None
        return self.unit * _number(element, "stroke-width") if drawn else 0.0

    def _point(self, element: ElementTree.Element, x: str, y: str) -> tuple[float, float]:
        return self._place(_number(element, x), _number(element, y))

    def _place(self, x: float, y: float) -> tuple[float, float]:
        return (x - self.left) * self.unit, (y - self.top) * self.unit


@cache
def _font(size: int) -> Any:
    from PIL import ImageFont

    return ImageFont.load_default(size)


def _number(element: ElementTree.Element, name: str) -> float:
    return float(element.attrib.get(name, 0))


def _color(element: ElementTree.Element, name: str) -> str | None:
    color = element.attrib.get(name, "none")
    return None if color == "none" else color
