# SPDX-License-Identifier: MIT
"""The colors of boards, each for light and for dark surroundings, and the style sheets of them.

A shape of a drawing has its light color as an attribute, so that anything can show it, and a class
that names the color. A style sheet gives the class the color that fits the reader's theme: one
within the picture where it stands alone, the page's own on the page, which allows no other.
"""

from __future__ import annotations

import re
from collections.abc import Iterable


class Color(str):
    """A color of the palette: a string, its light form, that also knows its name and dark form."""

    __slots__ = ("dark", "letter", "name", "rim")
    name: str
    """As in the class `ub-fill-NAME` and the custom property `--ub-NAME`."""
    dark: str
    letter: Color | None
    """The color of letters on it."""
    rim: Color | None
    """The color of a faint ring on a piece of this color that has no letter."""

    def __new__(
        cls,
        name: str,
        light: str,
        dark: str,
        letter: Color | None = None,
        rim: Color | None = None,
    ) -> Color:
        color = super().__new__(cls, light)
        color.name, color.dark, color.letter, color.rim = name, dark, letter, rim
        return color


# -- the board and what is written on it ----------------------------------------------------------

PAPER = Color("paper", "#fbfaf7", "#1d1e21")
"""Around the board."""
BOARD = Color("board", "#f3ead8", "#454139")
"""A cell."""
DARK = Color("dark", "#e2d2b0", "#2d2b27")
"""A dark cell of a chequered board."""
LINE = Color("line", "#a08d68", "#6f685c")
"""Between cells."""
INK = Color("ink", "#3b352a", "#e9e4da")
"""Words, and lines that matter."""
FAINT = Color("faint", "#6e6553", "#aba497")
"""Words that matter less: the names of rows and columns."""
EDGE = Color("edge", "#2e2921", "#d9d2c5")
"""The outline of a piece: it tells white pieces from light boards, and black ones from dark."""

# -- marks ----------------------------------------------------------------------------------------

LAST = Color("last", "#9c4a00", "#ffc53d")
"""The last move, on the colors above."""
TARGET = Color("target", "#1c6e3d", "#63d494")
"""Where the player may move to."""
WIN = Color("win", "#007a55", "#4be3cf")
"""What wins the game."""
GLOW = Color("glow", "#ffe58a", "#ffe58a")
"""Marks on boards that are dark in either theme: felt and chocolate."""

# -- pieces ---------------------------------------------------------------------------------------

PALE = Color("pale", "#ffffff", "#171614")
"""Letters on the players' colors."""
DEEP = Color("deep", "#2a2418", "#171614")
"""Letters on yellow and white."""
SNOW = Color("snow", "#f7f5ef", "#f7f5ef")
"""Letters on black."""

PLAYERS = (
    Color("p0", "#b8321b", "#ff8a6b", PALE),
    Color("p1", "#1d5f92", "#74bdf0", PALE),
    Color("p2", "#f4bb1c", "#ffd75e", DEEP),
    Color("p3", "#2b6b3d", "#86cf90", PALE),
    Color("p4", "#733a9c", "#cda3ee", PALE),
    Color("p5", "#5c544a", "#bdb4a7", PALE),
)
"""The color of each player's pieces: red, blue, yellow, green, violet, gray."""
RED, BLUE, YELLOW, GREEN = PLAYERS[:4]
WHITE = Color("white", "#fffefa", "#f4f1ea", DEEP, Color("white-rim", "#d9d2c3", "#cbc5b8"))
BLACK = Color("black", "#2b2926", "#161513", SNOW, Color("black-rim", "#57534c", "#4a4742"))
NOBODY = Color("nobody", "#b3ada1", "#8b867c", DEEP)
"""A piece that belongs to none of the players."""

TINTS = (
    Color("tint0", "#f0cdc3", "#5a2f25"),
    Color("tint1", "#c6d9ea", "#22435c"),
    Color("tint2", "#fbe6ab", "#5a4a18"),
    Color("tint3", "#c9e0cd", "#26492f"),
    Color("tint4", "#e0d0ec", "#472d5a"),
    Color("tint5", "#d9d4cc", "#47423b"),
)
"""Places that belong to a player."""

# -- materials ------------------------------------------------------------------------------------

FRAME = Color("frame", "#b9cfe6", "#27405f")
"""The frame that stones fall into."""
FELT = Color("felt", "#3f8f63", "#2f7550")
FELT_LINE = Color("felt-line", "#2c6c49", "#225a3c")
WOOD = Color("wood", "#dcb67a", "#4a3a25")
HOLLOW = Color("hollow", "#d3b077", "#392c1b")
CHOCOLATE = Color("chocolate", "#6d4024", "#7d4c2d")
CHOCOLATE_LINE = Color("chocolate-line", "#8f5a38", "#bd855c")
POISON = Color("poison", "#7c4a96", "#7c4a96", SNOW)
COVERED = Color("covered", "#cbbb96", "#5f584c")
STONES = (
    Color("stone1", "#e6e1d8", "#4a4844"),
    Color("stone2", "#d3cdc2", "#575550"),
    Color("stone3", "#c2bbaf", "#63605b"),
)
"""The levels of a tower, the lowest first."""
DOME = Color("dome", "#24467e", "#8fb4f2")

PALETTE: dict[str, Color] = {
    color.name: color
    for given in list(globals().values())
    for each in (given if isinstance(given, tuple) else (given,))
    if isinstance(each, Color)
    for color in (each, each.rim)
    if color is not None
}
"""All of them, by name."""

# -- style sheets ---------------------------------------------------------------------------------

_USED = re.compile(r"\bub-(fill|stroke)-([a-z0-9-]+)")


def classes(**painted: str) -> str:
    """Return the classes of a shape whose fill and stroke have these colors."""
    return " ".join(
        f"ub-{how}-{color.name}" for how, color in painted.items() if isinstance(color, Color)
    )


def style_of(svg: str) -> str:
    """Return the style sheet for a drawing that stands alone: the colors that it uses."""
    used = sorted(set(_USED.findall(svg)))
    colors = [PALETTE[name] for name in dict.fromkeys(name for _, name in used) if name in PALETTE]
    if not colors:
        return ""
    uses = "".join(f".ub-{how}-{n}{{{how}:var(--ub-{n})}}" for how, n in used if n in PALETTE)
    light, dark = (f".ub-drawing{{{values(colors, dark=d)}}}" for d in (False, True))
    return f"{light}@media(prefers-color-scheme:dark){{{dark}}}{uses}"


def page_style() -> str:
    """Return the page's style sheet: all colors, by the theme that its reader has chosen."""
    light, dark = (values(PALETTE.values(), dark=d, space=" ") for d in (False, True))
    lines = [
        "/* SPDX-License-Identifier: MIT */",
        "/* Written by `make colors` from src/unbounded/game/colors.py: change it there. */",
        f":root {{ {light} }}",
        "@media (prefers-color-scheme: dark) {",
        f'  :root:not([data-theme="light"]) {{ {dark} }}',
        "}",
        f':root[data-theme="dark"] {{ {dark} }}',
        *(
            f".ub-{how}-{name} {{ {how}: var(--ub-{name}); }}"
            for name in PALETTE
            for how in ("fill", "stroke")
        ),
    ]
    return "\n".join(lines) + "\n"


def values(colors: Iterable[Color], *, dark: bool, space: str = "") -> str:
    """Return the custom properties of colors, in one theme."""
    return ";".join(
        f"{space if i else ''}--ub-{color.name}:{space}{color.dark if dark else color}"
        for i, color in enumerate(colors)
    )
