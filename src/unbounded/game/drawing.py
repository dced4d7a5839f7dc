# SPDX-License-Identifier: MIT
"""Boards as SVG: a small set of shapes from which the games draw themselves.

Everything is drawn in units of one cell, with y downwards. A color of `colors.py` follows the
reader's theme, any other stays as it is. Pieces also show their player's letter, and marks have
shapes of their own, so that nothing is told by color alone.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Sequence
from html import escape
from typing import Any

from unbounded.game import Game, Place
from unbounded.game.colors import (
    BOARD,
    DARK,
    EDGE,
    FAINT,
    INK,
    LAST,
    LINE,
    PAPER,
    PLAYERS,
    TARGET,
    WIN,
    Color,
    classes,
    style_of,
)

__all__ = ["BOARD", "DARK", "EDGE", "FAINT", "INK", "LAST", "LINE", "PAPER", "PLAYERS"]
__all__ += ["CELL", "HEX_CORNER", "HEX_STEP", "TARGET", "WIN", "Canvas", "Color"]
__all__ += ["cells_named", "draw", "hexagon", "stand_alone", "text_as_svg"]

CELL = 40
"""Pixels of a cell when the drawing is shown in its natural size."""

NONE = "none"


class Canvas:
    """A drawing of `width` by `height` cells, with a margin for coordinates.

    The `role` of a shape is one more class, `ub-ROLE`, that says what the shape means: a piece, a
    letter, last, target, win or capture.
    """

    def __init__(
        self, width: float, height: float, *, title: str = "", margin: float = 0.7
    ) -> None:
        self.width, self.height, self.margin = width, height, margin
        self._parts: list[str] = [f"<title>{escape(title)}</title>"] if title else []

    def _add(self, shape: str, role: str, more: str = "", **paint: str) -> None:
        named = f"{classes(**paint)}{f' ub-{role}' if role else ''}".strip()
        given = f' class="{named}"' if named else ""
        colors = "".join(f' {how}="{color}"' for how, color in paint.items())
        self._parts.append(f"<{shape}{given}{colors}{more}")

    # -- shapes -----------------------------------------------------------------------------------

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
        role: str = "",
    ) -> None:
        """A rectangle with its upper left corner at (x, y)."""
        shape = f'rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="{radius:g}"'
        self._add(shape, role, f' stroke-width="{thickness:g}"/>', fill=fill, stroke=stroke)

    def disc(
        self,
        x: float,
        y: float,
        radius: float = 0.4,
        *,
        fill: str = INK,
        stroke: str = INK,
        thickness: float = 0.03,
        role: str = "",
    ) -> None:
        """A disc around (x, y)."""
        shape = f'circle cx="{x:g}" cy="{y:g}" r="{radius:g}"'
        self._add(shape, role, f' stroke-width="{thickness:g}"/>', fill=fill, stroke=stroke)

    def line(
        self,
        x1: float,
        y1: float,
        x2: float,
        y2: float,
        *,
        stroke: str = LINE,
        thickness: float = 0.05,
        role: str = "",
    ) -> None:
        """A straight line."""
        shape = f'line x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}"'
        more = f' stroke-width="{thickness:g}" stroke-linecap="round"/>'
        self._add(shape, role, more, stroke=stroke)

    def polygon(
        self,
        points: Sequence[tuple[float, float]],
        *,
        fill: str = BOARD,
        stroke: str = LINE,
        thickness: float = 0.03,
        role: str = "",
    ) -> None:
        """A closed shape."""
        listed = " ".join(f"{x:g},{y:g}" for x, y in points)
        more = f' stroke-width="{thickness:g}" stroke-linejoin="round"/>'
        self._add(f'polygon points="{listed}"', role, more, fill=fill, stroke=stroke)

    def text(
        self,
        x: float,
        y: float,
        text: str,
        *,
        size: float = 0.4,
        fill: str = INK,
        bold: bool = False,
        role: str = "",
    ) -> None:
        """Text centered at (x, y)."""
        weight = ' font-weight="700"' if bold else ""
        more = (
            f'{weight} text-anchor="middle" dominant-baseline="central" font-family="sans-serif">'
            f"{escape(text)}</text>"
        )
        self._add(f'text x="{x:g}" y="{y:g}" font-size="{size:g}"', role, more, fill=fill)

    # -- pieces -----------------------------------------------------------------------------------

    def piece(
        self, x: float, y: float, player: int | Color, symbol: str = "", radius: float = 0.4
    ) -> None:
        """A round piece of a player, or of a color, with the letter that text boards use."""
        color = player if isinstance(player, Color) else PLAYERS[player % len(PLAYERS)]
        self.disc(x, y, radius, fill=color, stroke=EDGE, thickness=0.05, role="piece")
        if symbol:
            self.letter(x, y, color, symbol, 1.05 * radius)
        elif color.rim is not None:
            self.disc(x, y, 0.66 * radius, fill=NONE, stroke=color.rim, thickness=0.035)

    def letter(self, x: float, y: float, on: Color, symbol: str, size: float = 0.42) -> None:
        """A letter on something of this color."""
        self.text(x, y, symbol, size=size, fill=on.letter or INK, bold=True, role="letter")

    def tally(
        self, y: float, counts: Sequence[tuple[Color, str, int]], mover: int | None, x: float = 0
    ) -> None:
        """A line of points: a small piece for each player with a number, the mover's framed."""
        for who, (color, symbol, points) in enumerate(counts):
            left = x + 1.4 * who
            if who == mover:
                self.rectangle(
                    left - 0.06,
                    y - 0.36,
                    1.34,
                    0.72,
                    fill=NONE,
                    stroke=LAST,
                    thickness=0.06,
                    radius=0.36,
                    role="mover",
                )
            self.piece(left + 0.3, y, color, symbol, 0.26)
            self.text(left + 0.88, y, str(points), size=0.36, bold=True)

    # -- marks ------------------------------------------------------------------------------------

    def mark_last(
        self, x: float, y: float, width: float = 1, height: float = 1, *, color: str = LAST
    ) -> None:
        """Frame a cell as the place of the last action; x and y are its upper left corner."""
        self.rectangle(
            x + 0.05,
            y + 0.05,
            width - 0.1,
            height - 0.1,
            fill=NONE,
            stroke=color,
            thickness=0.07,
            radius=0.1,
            role="last",
        )

    def ring_last(self, x: float, y: float, radius: float = 0.46, *, color: str = LAST) -> None:
        """Draw a ring around the place of the last action, where there are no cells to frame."""
        self.disc(x, y, radius, fill=NONE, stroke=color, thickness=0.07, role="last")

    def mark_target(
        self, x: float, y: float, radius: float = 0.13, *, color: str = TARGET, taken: bool = False
    ) -> None:
        """Mark a place where the player may move to: a dot, or a ring around a piece there."""
        if taken:
            self.disc(x, y, 0.45, fill=NONE, stroke=color, thickness=0.06, role="target")
        else:
            self.disc(x, y, radius, fill=color, stroke=NONE, role="target")

    def mark_mover(self, x: float, y: float, radius: float = 0.45) -> None:
        """Draw a thin ring around the piece that must go on."""
        self.disc(x, y, radius, fill=NONE, stroke=INK, thickness=0.05, role="mover")

    def mark_win(self, x: float, y: float, radius: float = 0.46, *, color: str = WIN) -> None:
        """Draw a ring around a piece that is part of what wins the game."""
        self.disc(x, y, radius, fill=NONE, stroke=color, thickness=0.08, role="win")

    def mark_capture(self, x: float, y: float, size: float = 0.07, *, color: str = LAST) -> None:
        """Draw a small cross: something was captured here."""
        for way in (-size, size):
            ends = (x - size, y - way, x + size, y + way)
            self.line(*ends, stroke=color, thickness=0.055, role="capture")

    def coordinates(self, columns: int, rows: int) -> None:
        """Letters below the columns and numbers left of the rows, a1 at the bottom left."""
        for column in range(columns):
            name = chr(ord("a") + column)
            self.text(column + 0.5, rows + 0.35, name, size=0.32, fill=FAINT)
        for row in range(rows):
            self.text(-0.35, rows - row - 0.5, str(row + 1), size=0.32, fill=FAINT)

    def svg(self) -> str:
        """The whole drawing as SVG text."""
        m, w, h = self.margin, self.width + 2 * self.margin, self.height + 2 * self.margin
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="ub-drawing" '
            f'viewBox="{-m:g} {-m:g} {w:g} {h:g}" '
            f'width="{w * CELL:.0f}" height="{h * CELL:.0f}" role="img">'
            f'<rect x="{-m:g}" y="{-m:g}" width="{w:g}" height="{h:g}" '
            f'class="ub-fill-paper" fill="{PAPER}"/>' + "".join(self._parts) + "</svg>"
        )


HEX_STEP, HEX_CORNER = 3**0.5 / 2, 3**-0.5
"""From row to row, and from the middle of a hexagon to its corners, in widths of a hexagon."""


def hexagon(x: float, y: float, width: float = 1) -> list[tuple[float, float]]:
    """Return the corners of the hexagon around (x, y), clockwise from the upper right one."""
    far, half = HEX_CORNER, HEX_CORNER / 2
    corners = ((0.5, -half), (0.5, half), (0, far), (-0.5, half), (-0.5, -half), (0, -far))
    return [(x + width * right, y + width * down) for right, down in corners]


def cells_named(name: str, rows: int) -> list[Place]:
    """Return the places of the cells in an action's name, as in "a1-b3"; a1 at the bottom left."""
    return [
        Place(ord(letter) - ord("a") + 0.5, rows - int(number) + 0.5)
        for letter, number in re.findall(r"([a-z])(\d+)", name)
    ]


def draw(game: Game[Any, Any], state: Any, **marks: Any) -> str:
    """Draw a state as SVG: as its game does, or else its text board.

    Marks that the game's `svg` does not know are left out.
    """
    if type(game).svg is Game.svg:
        return text_as_svg(game.show(state))
    known = inspect.signature(game.svg).parameters
    if not any(one.kind is inspect.Parameter.VAR_KEYWORD for one in known.values()):
        marks = {name: value for name, value in marks.items() if name in known}
    return game.svg(state, **marks)


def stand_alone(svg: str) -> str:
    """Return a drawing with the style sheet that it needs where there is no page around it."""
    start = svg.find(">") + 1
    style = style_of(svg)
    return f"{svg[:start]}<style>{style}</style>{svg[start:]}" if style else svg


def text_as_svg(text: str) -> str:
    """A text board as a picture."""
    lines = text.splitlines() or [""]
    height, width = 21 * len(lines) + 28, round(9.7 * max(map(len, lines))) + 40
    rows = "".join(
        f'<text x="20" y="{30 + 21 * i}" class="ub-fill-ink" fill="{INK}" xml:space="preserve">'
        f"{escape(line)}</text>"
        for i, line in enumerate(lines)
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="ub-drawing" viewBox="0 0 {width} {height}"'
        f' width="{width}" height="{height}" role="img" font-family="monospace" font-size="16">'
        f'<rect width="{width}" height="{height}" class="ub-fill-paper" '
        f'fill="{PAPER}"/><rect x="5" y="5" width="{width - 10}" height="{height - 10}" rx="8" '
        f'class="ub-fill-board ub-stroke-line" fill="{BOARD}" stroke="{LINE}"/>{rows}</svg>'
    )
