# SPDX-License-Identifier: MIT
"""Pieces, letters and marks of every game stand out, in the light and in the dark theme."""

from __future__ import annotations

import itertools
import re
from collections import defaultdict
from collections.abc import Iterator
from importlib import resources
from typing import Any
from xml.etree import ElementTree

import pytest
from painted import MARKS, Shape, contrast, ground, shapes_of, stands_out

from unbounded import load_game
from unbounded.conformance.check import random_play
from unbounded.game import Game
from unbounded.game.catalogue import games
from unbounded.game.colors import PALETTE, page_style
from unbounded.game.drawing import Canvas, draw, stand_alone

SHELF = [n for n, c in games().items() if c.__module__.startswith("unbounded.games.")]
OTHERS = [
    "blokus(size=8,players=4)",
    "chinese-checkers(size=2,players=6)",
    "connect-four(width=5,height=4,players=4)",
    "dots-and-boxes(rows=2,columns=3,players=4)",
    "havannah(size=3)",
    "isolation(rows=4,columns=4,players=4)",
    "mnk(rows=5,columns=5,line=4,players=4)",
    "rolit(size=6,players=4)",
    "santorini(size=4,players=3)",
]


def drawings(game: Game[Any, Any]) -> Iterator[str]:
    """The start, the end and some positions between of two random games, with all marks."""
    for seed in range(2):
        play = random_play(game, seed)
        length = len(play.actions)
        for ply in sorted({0, 1, length // 3, 2 * length // 3, length - 1, length}):
            state, led = play.states[ply], ply > 0
            yield draw(
                game,
                state,
                last=play.actions[ply - 1] if led else None,
                before=play.states[ply - 1] if led else None,
                targets=game.actions(state),
            )


def measured(shapes: list[Shape]) -> Iterator[tuple[str, Shape, float]]:
    """What is looked at on a drawing, and its contrast."""
    for place, shape in enumerate(shapes):
        if shape.kind == "text":
            below = ground(shapes[:place], shape.number("x"), shape.number("y"))
            if below is not None and shape.fill is not None:
                yield "letter", shape, contrast(shape.fill, below)
        elif "ub-piece" in shape.roles:
            yield "piece", shape, stands_out(shapes, place)
        elif shape.roles & MARKS:
            yield "mark", shape, stands_out(shapes, place)


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("text", [*SHELF, *OTHERS])
def test_pieces_letters_and_marks_stand_out(text: str, dark: bool) -> None:
    least = {"letter": 4.5, "piece": 3.0, "mark": 3.0}
    count = 0
    for svg in drawings(load_game(text)):
        for what, shape, measure in measured(shapes_of(svg, dark=dark)):
            assert measure >= least[what], f"{what} {shape.given} {shape.text}: {measure:.2f}"
            count += 1
    assert count > 0


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("text", [*SHELF, *OTHERS])
def test_pieces_of_different_players_differ_without_color(text: str, dark: bool) -> None:
    """By a letter, or as black and white do; of pieces that lie about, not of those beside them."""
    letters: dict[str, set[str]] = defaultdict(set)
    for svg in drawings(load_game(text)):
        shapes = shapes_of(svg, dark=dark)
        written = {
            (one.number("x"), one.number("y")): one.text
            for one in shapes
            if "ub-letter" in one.roles
        }
        for shape in shapes:
            if "ub-piece" in shape.roles and shape.kind == "circle" and shape.fill:
                letters[shape.fill].add(written.get(shape.middle, ""))
    for (one, told), (other, also) in itertools.combinations(letters.items(), 2):
        different = not told & also or contrast(one, other) >= 3
        assert different, f"{one} and {other} look the same without color"


# -- the defects that were seen -------------------------------------------------------------------


def colors_of(text: str, moves: str, role: str, **more: Any) -> list[str]:
    game = load_game(text)
    state, last, before = game.initial(), None, None
    for name in moves.split():
        before, last = state, game.parse_action(state, name)
        state = game.next(state, last)
    svg = draw(game, state, last=last, before=before, **more)
    shapes = shapes_of(svg, dark=False)
    return [s.fill or s.stroke or "" for s in shapes if role in s.roles]


def test_white_pieces_are_white_and_black_ones_black() -> None:
    for text in ("breakthrough", "amazons", "lines-of-action", "clobber", "konane", "othello"):
        fills = {f for f in colors_of(text, "", "ub-piece") if f.startswith("#")}
        assert {contrast(fill, "#ffffff") < 1.2 for fill in fills} == {True, False}, text
        assert all(min(contrast(f, "#ffffff"), contrast(f, "#000000")) < 1.6 for f in fills), text


def test_the_page_has_the_same_colors() -> None:
    """The page's content policy allows only style sheets of its own: one is made from these."""
    page = resources.files("unbounded.interfaces.web") / "page" / "board_colors.css"
    assert page.read_text(encoding="utf-8") == page_style(), "run `make colors`"


def test_a_picture_that_stands_alone_has_its_colors_in_both_themes() -> None:
    game = load_game("hex(size=3)")
    svg = draw(game, game.initial())
    assert "<style" not in svg
    alone = stand_alone(svg)
    style = alone[alone.index("<style>") : alone.index("</style>")]
    named = set(re.findall(r"ub-(?:fill|stroke)-([a-z0-9-]+)", svg))
    light, _, dark = style.partition("@media(prefers-color-scheme:dark)")
    for name in named:
        assert f"--ub-{name}:{PALETTE[name]}" in light
        assert f"--ub-{name}:{PALETTE[name].dark}" in dark
    assert alone.replace(f"{style}</style>", "") == svg


@pytest.mark.parametrize("text", [*SHELF, *OTHERS])
def test_shapes_without_a_style_sheet_have_the_light_colors(text: str) -> None:
    game = load_game(text)
    for element in ElementTree.fromstring(draw(game, game.initial())).iter():
        for how, name in re.findall(r"ub-(fill|stroke)-([a-z0-9-]+)", element.get("class", "")):
            assert element.get(how) == PALETTE[name]


def test_a_color_of_ones_own_stays_as_it_is() -> None:
    canvas = Canvas(1, 1)
    canvas.disc(0.5, 0.5, fill="#123456", stroke="none")
    (disc,) = ElementTree.fromstring(canvas.svg()).iter("{http://www.w3.org/2000/svg}circle")
    assert disc.get("fill") == "#123456"
    assert disc.get("class") is None
