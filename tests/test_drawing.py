# SPDX-License-Identifier: MIT
"""Drawings are well-formed, and what is in them is what was drawn."""

from __future__ import annotations

from xml.etree import ElementTree

from unbounded import game as find_game
from unbounded.drawing import PLAYERS, Canvas, draw, text_as_svg

SVG = "{http://www.w3.org/2000/svg}"


def shapes(svg: str) -> list[str]:
    return [element.tag.removeprefix(SVG) for element in ElementTree.fromstring(svg).iter()]


def test_a_canvas_holds_what_was_drawn() -> None:
    canvas = Canvas(3, 2, title="a <board> & more")
    canvas.rectangle(0, 0)
    canvas.piece(0.5, 0.5, 1, "O")
    canvas.polygon([(0, 0), (1, 0), (1, 1)])
    canvas.line(0, 0, 3, 2)
    canvas.mark_last(1, 1)
    canvas.mark_target(2.5, 1.5)
    svg = canvas.svg()
    root = ElementTree.fromstring(svg)
    assert root.findtext(f"{SVG}title") == "a <board> & more"
    assert shapes(svg).count("circle") == 2
    assert shapes(svg).count("rect") == 3
    assert PLAYERS[1] in svg
    assert root.get("viewBox") == "-0.7 -0.7 4.4 3.4"


def test_coordinates_start_at_the_bottom_left() -> None:
    canvas = Canvas(2, 3)
    canvas.coordinates(2, 3)
    texts = {
        e.text: (float(e.get("x", "")), float(e.get("y", "")))
        for e in ElementTree.fromstring(canvas.svg()).iter(f"{SVG}text")
    }
    assert set(texts) == {"a", "b", "1", "2", "3"}
    assert texts["1"][1] > texts["3"][1]
    assert texts["a"][0] < texts["b"][0]


def test_a_game_without_a_drawing_is_drawn_as_text() -> None:
    game = find_game("graph")
    svg = draw(game, game.initial())
    ElementTree.fromstring(svg)
    assert game.show(game.initial()).splitlines()[0].split()[0] in svg
    assert "&lt;&amp;" in text_as_svg("<&")


def test_a_wrapped_game_without_a_drawing_is_drawn_as_text() -> None:
    game = find_game("horizon(graph,2)")
    inner = find_game("graph")
    assert draw(game, game.initial()) == draw(inner, inner.initial())
