# SPDX-License-Identifier: MIT
"""Drawings are well-formed, and what is in them is what was drawn."""

from __future__ import annotations

import itertools
import math
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any
from xml.etree import ElementTree

import pytest

from unbounded import load_game
from unbounded.conformance.check import random_play
from unbounded.game import Game, Place
from unbounded.game.catalogue import games
from unbounded.game.drawing import PLAYERS, Canvas, cells_named, draw, text_as_svg

SVG = "{http://www.w3.org/2000/svg}"
SHELF = [n for n, c in games().items() if c.__module__.startswith("unbounded.games.")]
OTHERS = [
    "amazons(size=4)",
    "amazons(rows=4,columns=7)",
    "blokus(size=5,pieces=3,players=4)",
    "breakthrough(rows=5,columns=3)",
    "chinese-checkers(size=1,players=6,horizon=30)",
    "chomp(rows=2,columns=26)",
    "clobber(rows=2,columns=7)",
    "connect-four(width=3,height=9,players=3)",
    "domineering(rows=3,columns=6,first=horizontal)",
    "dots-and-boxes(rows=1,columns=4,players=4)",
    "havannah(size=2)",
    "hex(size=1)",
    "hex(size=11)",
    "isolation(rows=3,columns=4,players=3)",
    "kalah(pits=1,seeds=4)",
    "konane(rows=2,columns=9)",
    "lines-of-action(size=3)",
    "mnk(rows=12,columns=26)",
    "nim(heaps=[1,0,30,2],most=3)",
    "othello(size=4)",
    "rolit(size=4,players=4)",
    "santorini(size=3,players=3,workers=1)",
    "horizon(othello(size=4),5)",
    "horizon(graph,2)",
    "quick-wins(connect-four(width=4,height=3))",
    "tie-breaking(isolation(rows=3,columns=4,players=3))",
]
BY_NAME_ONLY = ["graph", "horizon(graph,2)"]
"""Games whose drawing is their text."""
ONE_WITHIN_ANOTHER = ["blokus"]
"""Games in which the places of an action may be the first ones of another: a piece in a piece."""


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
    game = load_game("graph")
    svg = draw(game, game.initial())
    ElementTree.fromstring(svg)
    assert game.show(game.initial()).splitlines()[0].split()[0] in svg
    assert "&lt;&amp;" in text_as_svg("<&")


def test_a_wrapped_game_without_a_drawing_is_drawn_as_text() -> None:
    game = load_game("horizon(graph,2)")
    inner = load_game("graph")
    assert draw(game, game.initial()) == draw(inner, inner.initial())


# -- places ---------------------------------------------------------------------------------------


def open_positions(game: Game[Any, Any], most: int) -> Iterator[Any]:
    """Some states of three random games in which the game goes on: first, last, and in between."""
    for seed in range(3):
        states = random_play(game, seed).states[:-1]
        between = random.Random(seed).sample(states[1:-1], min(most, len(states[1:-1])))
        yield from {states[0]: None, **dict.fromkeys(between), states[-1]: None}


def holds(place: Place, x: float, y: float) -> bool:
    return abs(x - place.x) <= place.width / 2 and abs(y - place.y) <= place.height / 2


def middles(places: Sequence[Place]) -> tuple[tuple[float, float], ...]:
    return tuple((place.x, place.y) for place in places)


def discs(svg: str) -> Counter[tuple[str | None, ...]]:
    """The discs of a drawing: x, y, radius and classes."""
    found = ElementTree.fromstring(svg).iter(f"{SVG}circle")
    return Counter(tuple(disc.get(key) for key in ("cx", "cy", "r", "class")) for disc in found)


def test_cells_are_found_in_the_names_of_actions() -> None:
    assert cells_named("a1-b3", 3) == [Place(0.5, 2.5), Place(1.5, 0.5)]
    assert cells_named("x1xx12", 12) == [Place(23.5, 11.5), Place(23.5, 0.5)]
    assert cells_named("xg7", 10) == [Place(6.5, 3.5)]
    assert cells_named("pass", 8) == []


@pytest.mark.parametrize("text", [*SHELF, *OTHERS])
def test_every_action_but_a_pass_has_places_on_the_drawing(text: str) -> None:
    game = load_game(text)
    for state in open_positions(game, 8):
        box = ElementTree.fromstring(draw(game, state)).get("viewBox", "")
        left, top, width, height = map(float, box.split())
        for action in game.actions(state):
            places = game.places(state, action)
            by_name = text in BY_NAME_ONLY or game.action_name(state, action) == "pass"
            assert (len(places) == 0) == by_name
            for place in places:
                assert min(place.width, place.height) >= 0.5
                assert left <= place.x - place.width / 2
                assert place.x + place.width / 2 <= left + width
                assert top <= place.y - place.height / 2
                assert place.y + place.height / 2 <= top + height


@pytest.mark.parametrize("text", [*SHELF, *OTHERS])
def test_places_tell_actions_apart(text: str) -> None:
    game = load_game(text)
    for state in open_positions(game, 8):
        sequences = [middles(game.places(state, action)) for action in game.actions(state)]
        given = [sequence for sequence in sequences if sequence]
        assert len(set(given)) == len(given)
        different = {middle for sequence in given for middle in sequence}
        assert all(math.dist(a, b) > 0.6 for a, b in itertools.combinations(different, 2))
        beginnings = {sequence[:i] for sequence in given for i in range(1, len(sequence))}
        if game.game_name() not in ONE_WITHIN_ANOTHER:
            assert not beginnings & set(given)


@pytest.mark.parametrize("text", [t for t in [*SHELF, *OTHERS] if t not in BY_NAME_ONLY])
def test_what_marks_an_action_lies_in_its_places(text: str) -> None:
    game = load_game(text)
    for state in open_positions(game, 4):
        plain, actions = discs(game.svg(state)), list(game.actions(state))
        for action in random.Random(1).sample(actions, min(5, len(actions))):
            places = game.places(state, action)
            marks = discs(game.svg(state, targets=[action])) - plain
            assert bool(marks) == bool(places)
            for x, y, _, role in marks:
                assert any(holds(place, float(x or ""), float(y or "")) for place in places)
                assert "ub-target" in (role or "").split()


def test_a_heap_that_is_only_counted_has_no_places() -> None:
    game = load_game("nim(heaps=[2,31])")
    chosen = {game.action_name(game.initial(), a): a for a in game.actions(game.initial())}
    assert game.places(game.initial(), chosen["1:2"]) == [Place(0.5, 0.5)]
    assert game.places(game.initial(), chosen["2:2"]) == ()


def test_a_column_is_clicked_anywhere() -> None:
    game = load_game("connect-four(width=5,height=4)")
    (place,) = game.places(game.initial(), 3)
    assert all(holds(place, x, y) for x in (3.1, 3.9) for y in (0.1, 3.9))
    assert not holds(place, 2.9, 2)


def test_a_domino_is_clicked_on_either_cell() -> None:
    game = load_game("domineering(rows=3,columns=3)")
    upright = game.parse_action(game.initial(), "b1-b2")
    assert list(game.places(game.initial(), upright)) == [Place(1.5, 2, 1, 2)]
    after = game.next(game.initial(), upright)
    across = game.parse_action(after, "b3-c3")
    assert list(game.places(after, across)) == [Place(2, 0.5, 2, 1)]


# -- pages with a strict policy -------------------------------------------------------------------


@pytest.mark.parametrize("text", [*SHELF, *OTHERS])
def test_drawings_are_nothing_but_shapes_and_words(text: str) -> None:
    """No styles, no scripts, nothing from elsewhere: a page may forbid all these."""
    game = load_game(text)
    allowed = {"svg", "title", "rect", "circle", "line", "polygon", "text"}
    for seed in range(2):
        play = random_play(game, seed)
        turns = list(zip(play.states, [None, *play.actions], strict=True))
        for state, last in random.Random(seed).sample(turns, min(4, len(turns))):
            svg = draw(game, state, last=last, targets=game.actions(state))
            assert "<?" not in svg and "<!" not in svg
            assert set(shapes(svg)) <= allowed
            for element in ElementTree.fromstring(svg).iter():
                for name, value in element.attrib.items():
                    assert name != "style" and not name.startswith("on")
                    assert not name.endswith("href") and "url(" not in value.lower()


# -- badges ---------------------------------------------------------------------------------------

TAKEN_WHOLE = ("chomp", "nim")
"""Games in which what is chosen has nothing on it: a badge may be in its middle."""


@pytest.mark.parametrize("text", [*SHELF, *OTHERS])
def test_a_badge_hides_neither_pieces_nor_words(text: str) -> None:
    game = load_game(text)
    for state in open_positions(game, 3):
        root = ElementTree.fromstring(draw(game, state))
        left, top, width, height = map(float, root.get("viewBox", "").split())
        words = [(float(e.get("x", "")), float(e.get("y", ""))) for e in root.iter(f"{SVG}text")]
        pieces = [
            (float(e.get("cx", "")), float(e.get("cy", "")))
            for e in root.iter(f"{SVG}circle")
            if "ub-piece" in e.get("class", "") and not text.startswith(TAKEN_WHOLE)
        ]
        for action in game.actions(state):
            badge = game.badge_place(state, action)
            assert (badge is None) == (len(game.places(state, action)) == 0)
            if badge is not None:
                assert left <= badge.x - badge.width / 2 < badge.x + badge.width / 2 <= left + width
                assert (
                    top <= badge.y - badge.height / 2 < badge.y + badge.height / 2 <= top + height
                )
                assert badge.width >= 0.3
                assert not [middle for middle in [*words, *pieces] if holds(badge, *middle)]


def test_a_badge_is_where_a_stone_will_land() -> None:
    game = load_game("connect-four(width=5,height=4)")
    after = game.next(game.initial(), 2)
    badge = game.badge_place(after, 2)
    assert badge is not None
    assert (badge.x, badge.y) == (2.5, 2.5)


def test_a_badge_of_a_game_that_says_nothing_is_in_the_corner_of_its_last_place() -> None:
    class Two(Game[int, int]):
        def places(self, state: int, action: int) -> list[Place]:
            return [Place(0.5, 0.5), Place(1.5, 0.5)] if action else []

    badge = Two().badge_place(0, 1)
    assert badge is not None
    assert badge.x + badge.width / 2 == 2
    assert badge.y - badge.height / 2 == 0
    assert Two().badge_place(0, 0) is None


# -- what games of others know --------------------------------------------------------------------


class Old(Game[int, int]):
    """A game whose drawing knows only the marks of earlier versions."""

    def svg(self, state: int, *, last: int | None = None, targets: Sequence[int] = ()) -> str:
        return f"<svg>{state} {last} {list(targets)}</svg>"


class Oldest(Game[int, int]):
    """A game whose drawing knows no marks at all."""

    def svg(self, state: int) -> str:  # type: ignore[override]
        return f"<svg>{state}</svg>"


class Anything(Game[int, int]):
    """A game whose drawing takes any marks."""

    def svg(self, state: int, **marks: Any) -> str:  # type: ignore[override]
        return f"<svg>{sorted(marks)}</svg>"


def test_a_drawing_gets_only_the_marks_that_it_knows() -> None:
    assert draw(Old(), 3, last=1, targets=[2], before=0) == "<svg>3 1 [2]</svg>"
    assert draw(Oldest(), 3, last=1, before=0) == "<svg>3</svg>"
    assert draw(Anything(), 3, last=1, before=0) == "<svg>['before', 'last']</svg>"


# -- what is marked -------------------------------------------------------------------------------


def marked(text: str, moves: str, role: str) -> set[tuple[float, float]]:
    """The middles of the discs and lines that have a role, after some moves."""
    game = load_game(text)
    state, last, before = game.initial(), None, None
    for name in moves.split():
        before, last = state, game.parse_action(state, name)
        state = game.next(state, last)
    found = set()
    for e in ElementTree.fromstring(draw(game, state, last=last, before=before)).iter():
        if role in e.get("class", "").split():
            if e.tag == f"{SVG}circle":
                found.add((float(e.get("cx", "")), float(e.get("cy", ""))))
            if e.tag == f"{SVG}line":
                ends = [float(e.get(name, "")) for name in ("x1", "x2", "y1", "y2")]
                found.add((round((ends[0] + ends[1]) / 2, 3), round((ends[2] + ends[3]) / 2, 3)))
    return found


def cells(*names: str, rows: int) -> set[tuple[float, float]]:
    return {(place.x, place.y) for name in names for place in cells_named(name, rows)}


def test_what_wins_is_marked() -> None:
    row = marked("tic-tac-toe", "a1 a3 b1 b3 c1", "ub-win")
    assert row == cells("a1", "b1", "c1", rows=3)
    assert marked("tic-tac-toe", "a1 a3 b1 b3", "ub-win") == set()
    slope = marked("connect-four", "1 2 2 3 3 4 3 4 4 7 4", "ub-win")
    assert slope == {(0.5, 5.5), (1.5, 4.5), (2.5, 3.5), (3.5, 2.5)}
    assert len(marked("hex(size=3)", "a1 b1 a2 b2 a3", "ub-win")) == 3
    joined = marked("hex(size=3)", "a1 c1 b2 a2 b1 c2 b3", "ub-win")
    assert len(joined) == 3, "the stone beside the way is not part of it"
    assert len(marked("havannah(size=2)", "a1 b1 a2", "ub-win")) == 2, "a bridge of two corners"
    arrived = marked(
        "breakthrough(rows=4,columns=2,pawn_rows=1)",
        "a1-a2 b4-b3 a2xb3 a4xb3 b1-a2 b3-b2 a2-a3 b2-a1",
        "ub-win",
    )
    assert arrived == cells("a1", rows=4)


def test_what_was_captured_is_marked() -> None:
    near = marked("breakthrough(rows=4,columns=2,pawn_rows=1)", "a1-a2 b4-b3 a2xb3", "ub-capture")
    assert near == {(1.17, 1.17)}, "the corner of b3"
    assert not marked("breakthrough(rows=4,columns=2,pawn_rows=1)", "a1-a2 b4-b3", "ub-capture")
    assert marked("othello", "d3", "ub-capture") == {(3.14, 3.14)}, "the corner of d4"
    jumped = marked("konane(rows=4,columns=4)", "b2 b3 d2-b2", "ub-capture")
    assert jumped == cells("c2", rows=4)
    assert len(marked("clobber(rows=2,columns=2)", "a1b1", "ub-capture")) == 1


def test_a_wrapped_game_marks_captures_too() -> None:
    assert marked("horizon(othello,9)", "d3", "ub-capture") == {(3.14, 3.14)}


@pytest.mark.parametrize("text", ["othello(size=4)", "rolit(size=4)", "dots-and-boxes", "kalah"])
def test_points_are_on_the_drawing(text: str) -> None:
    game = load_game(text)
    end = random_play(game, 1).states[-1]
    written = [e.text for e in ElementTree.fromstring(draw(game, end)).iter(f"{SVG}text")]
    lead = abs(game.score(end)[0])
    numbers = [int(word) for word in written if word and word.isdigit()]
    assert any(abs(a - b) == lead for a, b in itertools.combinations(numbers, 2))
