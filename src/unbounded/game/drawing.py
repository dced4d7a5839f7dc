# SPDX-License-Identifier: MIT
"""Boards as SVG: a small set of shapes from which the games draw themselves.

Everything is drawn in units of one cell, with y downwards. Colors are chosen to be easy to tell
apart, and pieces also show their player's letter.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape
from typing import Any

from unbounded.game import Game, Place

CELL = 40
"""Pixels of a cell when the drawing is shown in its natural size."""

PLAYERS = ("#e4572e", "#2e86ab", "#f6ae2d", "#5b8c5a", "#8e5ba6", "#7a6f63")
"""The color of each player's pieces."""

PAPER, BOARD, DARK, LINE, INK, LAST, TARGET = (
    "#fbfaf7",
    "#efe6d2",
    "#d9c9a3",
    "#8a7a5c",
    "#3b352a",
    "#ffe066",
    "#3fa34d",
)


class Canvas:
    """A drawing of `width` by `height` cells, with a margin for coordinates."""

    def __init__(
        self, width: float, height: float, *, title: str = "", margin: float = 0.7
    ) -> None:
        self.width, self.height, self.margin = width, height, margin
        self._parts: list[str] = [f"<title>{escape(title)}</title>"] if title else []

    def rectangle(
        self,
        x: float,
        y: float,
        width: float = 1,
        height: float = 1,
        *,
        fill: str = BOARD,
        stroke: str = LINE,
        thickness: float = 0.03,
        radius: float = 0,
    ) -> None:
        """A rectangle with its upper left corner at (x, y)."""
        self._parts.append(
            f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="{radius:g}" '
            f'fill="{fill}" stroke="{stroke}" stroke-width="{thickness:g}"/>'
        )

    def disc(
        self,
        x: float,
        y: float,
        radius: float = 0.4,
        *,
        fill: str = INK,
        stroke: str = INK,
        thickness: float = 0.03,
    ) -> None:
        """A disc around (x, y)."""
        self._parts.append(
            f'<circle cx="{x:g}" cy="{y:g}" r="{radius:g}" fill="{fill}" stroke="{stroke}" '
            f'stroke-width="{thickness:g}"/>'
        )

    def line(
        self,
        x1: float,
        y1: float,
        x2: float,
        y2: float,
        *,
        stroke: str = LINE,
        thickness: float = 0.05,
    ) -> None:
        """A straight line."""
        self._parts.append(
            f'<line x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}" stroke="{stroke}" '
            f'stroke-width="{thickness:g}" stroke-linecap="round"/>'
        )

    def polygon(
        self,
        points: Sequence[tuple[float, float]],
        *,
        fill: str = BOARD,
        stroke: str = LINE,
        thickness: float = 0.03,
    ) -> None:
        """A closed shape."""
        listed = " ".join(f"{x:g},{y:g}" for x, y in points)
        self._parts.append(
            f'<polygon points="{listed}" fill="{fill}" stroke="{stroke}" '
            f'stroke-width="{thickness:g}" stroke-linejoin="round"/>'
        )

    def text(self, x: float, y: float, text: str, *, size: float = 0.4, fill: str = INK) -> None:
        """Text centered at (x, y)."""
        self._parts.append(
            f'<text x="{x:g}" y="{y:g}" font-size="{size:g}" fill="{fill}" text-anchor="middle" '
            f'dominant-baseline="central" font-family="sans-serif">{escape(text)}</text>'
        )

    def piece(self, x: float, y: float, player: int, symbol: str = "", radius: float = 0.4) -> None:
        """A player's round piece, with the letter that text boards use."""
        self.disc(x, y, radius, fill=PLAYERS[player % len(PLAYERS)])
        if symbol:
            self.text(x, y, symbol, size=radius, fill="#ffffff")

    def mark_last(self, x: float, y: float, width: float = 1, height: float = 1) -> None:
        """Mark a cell as the place of the last action."""
        self.rectangle(x, y, width, height, fill=LAST, stroke="none")

    def mark_target(self, x: float, y: float, radius: float = 0.13) -> None:
        """Mark a place where the player may move to."""
        self.disc(x, y, radius, fill=TARGET, stroke="none")

    def coordinates(self, columns: int, rows: int) -> None:
        """Letters below the columns and numbers left of the rows, a1 at the bottom left."""
        for column in range(columns):
            self.text(column + 0.5, rows + 0.35, chr(ord("a") + column), size=0.35)
        for row in range(rows):
            self.text(-0.35, rows - row - 0.5, str(row + 1), size=0.35)

    def svg(self) -> str:
        """The whole drawing as SVG text."""
        m, w, h = self.margin, self.width + 2 * self.margin, self.height + 2 * self.margin
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{-m:g} {-m:g} {w:g} {h:g}" '
            f'width="{w * CELL:.0f}" height="{h * CELL:.0f}" role="img">'
            f'<rect x="{-m:g}" y="{-m:g}" width="{w:g}" height="{h:g}" fill="{PAPER}"/>'
            + "".join(self._parts)
            + "</svg>"
        )


HEX_STEP, HEX_CORNER = 3**0.5 / 2, 3**-0.5
"""From row to row, and from the middle of a hexagon to its corners, in widths of a hexagon."""


def hexagon(x: float, y: float) -> list[tuple[float, float]]:
    """Return the corners of the hexagon around (x, y), clockwise from the upper right one."""
    far, half = HEX_CORNER, HEX_CORNER / 2
    corners = ((0.5, -half), (0.5, half), (0, far), (-0.5, half), (-0.5, -half), (0, -far))
    return [(x + right, y + down) for right, down in corners]


def cells_named(name: str, rows: int) -> list[Place]:
    """Return the places of the cells in an action's name, as in "a1-b3"; a1 at the bottom left."""
    return [
        Place(ord(letter) - ord("a") + 0.5, rows - int(number) + 0.5)
        for letter, number in re.findall(r"([a-z])(\d+)", name)
    ]


def draw(game: Game[Any, Any], state: Any, **marks: Any) -> str:
    """Draw a state as SVG: as its game does, or else its text board."""
    if type(game).svg is Game.svg:
        return text_as_svg(game.show(state))
    return game.svg(state, **marks)


def text_as_svg(text: str) -> str:
    """A text board as a picture."""
    lines = text.splitlines() or [""]
    height, width = 18 * len(lines) + 16, 10 * max(map(len, lines)) + 16
    rows = "".join(
        f'<text x="8" y="{22 + 18 * i}" xml:space="preserve">{escape(line)}</text>'
        for i, line in enumerate(lines)
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" role="img" font-family="monospace" font-size="16" fill="{INK}">'
        f'<rect width="{width}" height="{height}" fill="{PAPER}"/>{rows}</svg>'
    )
