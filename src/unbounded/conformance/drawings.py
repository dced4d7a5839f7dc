# SPDX-License-Identifier: MIT
"""Conformance of drawings: pictures that can be read, and places to click on them.

Where a picture is made of plain shapes, each place is held against them: a click must find it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial
from typing import Any
from xml.etree import ElementTree

from unbounded.conformance.messages import AnyGame, describe
from unbounded.conformance.shapes import Shape, frame_of, shapes_of, tag_of
from unbounded.conformance.states import StateChecker, Visit
from unbounded.game import Game, Place, UsageError
from unbounded.game.drawing import draw

MOST_STATES = 20
MOST_ACTIONS = 60
TOO_NEAR = 0.2
"""The share of a place's size: two middles that are nearer are hard to tell apart by a click."""

HOSTILE = {"script", "foreignObject", "iframe", "embed", "object", "style", "link"}
MIDDLE = (
    "Place(x, y) is the middle of a place; where x and y are its upper left corner, say "
    "Place.from_corner(x, y, width, height)"
)


def check_drawings(checker: StateChecker) -> list[str]:
    """Look at some of the states that were visited; return warnings, one of a kind.

    What the page cannot show at all is an error: a rule that raises, or something other than
    SVG.
    """
    game = checker.game
    if game.piece_symbols:
        _check_setting_up(checker)
    draws, clicks = type(game).svg is not Game.svg, type(game).places is not Game.places
    if not draws:
        advice = "write svg too: places are on its drawing"
        return [f"places is written, but svg is not; {advice}"] if clicks else []
    found: dict[str, str] = {}
    states = list(checker.visits)
    for i in range(min(MOST_STATES, len(states))):
        state = states[i * len(states) // min(MOST_STATES, len(states))]
        for kind, warning in _look_at(checker, state, checker.visits[state]):
            found.setdefault(kind, f"{warning} (state: {describe(game, state)})")
    return list(found.values())


def _check_setting_up(checker: StateChecker) -> None:
    """What is on a board is set up again with the same pieces, or refused."""
    game = checker.game
    cells, kinds = len(game.piece_places()), len(game.piece_symbols)
    for state in list(checker.visits)[:MOST_STATES]:
        pieces = list(checker.call("pieces_on", game.pieces_on, state))
        known = len(pieces) == cells and all(0 <= piece < kinds for piece in pieces)
        if not known:
            advice = f"return one number from 0 to {kinds - 1} for each of {cells} piece_places"
            checker.fail(f"pieces_on gave {pieces}", advice, state)
        player = game.player(state) if checker.visits[state].actions else 0
        again = checker.call("set_up", partial(_set_up, game, pieces, player), state)
        if again is not None and list(game.pieces_on(again)) != pieces:
            checker.fail("set_up gave other pieces", "it returns what pieces_on reads", state)


def _set_up(game: AnyGame, pieces: list[int], player: int, state: Any) -> Any:
    """Set up what is on the board of a state; None if the game refuses it."""
    try:
        return game.set_up(pieces, player)
    except UsageError:
        return None


def _look_at(checker: StateChecker, state: Any, visit: Visit) -> Iterator[tuple[str, str]]:
    """Yield what is odd about the drawing of a state: what kind of thing it is, and a warning."""
    game, actions = checker.game, visit.actions[:MOST_ACTIONS]
    svg = checker.call("svg", game.svg, state)
    checker.call("svg", partial(game.svg, targets=actions), state)
    if visit.children:
        marks = {"last": visit.actions[0], "before": state}
        checker.call("svg", lambda child: draw(game, child, **marks), visit.children[0])
    if not isinstance(svg, str):
        checker.fail(f"svg returned {type(svg).__name__}", "return the text of an SVG", state)
    if "<!" in svg or "<?" in svg:
        yield "hostile", "svg has a declaration (<! or <?), which the page does not show; leave it"
        return
    try:
        root = ElementTree.fromstring(svg)  # noqa: S314 - there are no entities in it
    except ElementTree.ParseError as error:
        advice = "escape text with html.escape, or draw with unbounded.game.drawing.Canvas"
        checker.fail(f"svg gave something that is not well-formed XML: {error}", advice, state)
    if tag_of(root) != "svg":
        checker.fail(f"svg gave <{tag_of(root)}>", "return one <svg> element", state)
    yield from _hostile(root)
    places = {action: _places(checker, state, action) for action in actions}
    if any(places.values()):
        yield from _same_places(game, state, places)
        yield from _misplaced(game, state, places, root)


def _hostile(root: ElementTree.Element) -> Iterator[tuple[str, str]]:
    """Yield what the page will not run or fetch."""
    for element in root.iter():
        links = [v for k, v in element.items() if k.rpartition("}")[2] in ("href", "src")]
        code = [k for k in element.keys() if k.lower().startswith("on")]  # noqa: SIM118
        foreign = [link for link in links if not link.startswith(("#", "data:image/"))]
        if tag_of(element) in HOSTILE or code or foreign:
            what = [f"<{tag_of(element)}>", *code, *foreign][-1]
            yield (
                "hostile",
                f"svg has {what[:60]!r}, which the page does not use; draw plain shapes",
            )


def _places(checker: StateChecker, state: Any, action: Any) -> tuple[Place, ...]:
    given = checker.call("places", checker.game.places, state, action)
    try:
        places = tuple(Place(*map(float, place)) for place in given)
        good = all(math.isfinite(x) for p in places for x in p)
        good = good and all(p.width > 0 and p.height > 0 for p in places)
    except (TypeError, ValueError):
        good = False
    if not good:
        advice = "give a list of Place(x, y, width, height), or an empty one"
        checker.fail(f"places gave {given!r}", advice, state, action)
    return places


def _same_places(
    game: AnyGame, state: Any, places: dict[Any, tuple[Place, ...]]
) -> Iterator[tuple[str, str]]:
    """Yield actions that a click cannot choose between."""
    taken: dict[tuple[Place, ...], Any] = {}
    for action, at in places.items():
        other = taken.setdefault(at, action) if at else action
        if other != action:
            names = [repr(game.action_name(state, a)) for a in (other, action)]
            yield "same", f"{' and '.join(names)} have the same places; give each its own"
    firsts = {at[0]: action for action, at in places.items() if at}
    known = list(firsts)
    for i, one in enumerate(known):
        for other_place in known[:i]:
            apart = math.hypot(one.x - other_place.x, one.y - other_place.y)
            if apart < TOO_NEAR * min(one.width, one.height, other_place.width, other_place.height):
                names = [repr(game.action_name(state, firsts[p])) for p in (other_place, one)]
                yield (
                    "near",
                    f"the places of {' and '.join(names)} are hard to tell apart; "
                    + ("move them apart, or make them the same cell"),
                )


def _misplaced(
    game: AnyGame, state: Any, places: dict[Any, tuple[Place, ...]], root: ElementTree.Element
) -> Iterator[tuple[str, str]]:
    """Yield places that are outside the picture, or on nothing that is drawn."""
    frame = frame_of(root)
    if not frame:
        yield "frame", "svg has no viewBox; places are in its units, so give it one"
        return
    left, top, width, height = frame
    drawn = shapes_of(root)
    for action, at in places.items():
        for place in at:
            where = f"the middle of a place of {game.action_name(state, action)!r}, "
            where += f"({place.x:g}, {place.y:g}),"
            if not (left <= place.x <= left + width and top <= place.y <= top + height):
                yield "outside", f"{where} is outside the drawing; {MIDDLE}"
            elif drawn is not None and not any(_is_on(place, shape) for shape in drawn):
                yield "nothing", f"{where} lies on nothing that svg draws; {MIDDLE}"


def _is_on(place: Place, shape: Shape) -> bool:
    """Whether the middle of a place is on a shape, or the shape's middle in the place."""
    x, y = shape.middle
    covered = 2 * abs(x - place.x) < place.width and 2 * abs(y - place.y) < place.height
    return covered or shape.inside(place.x, place.y)
