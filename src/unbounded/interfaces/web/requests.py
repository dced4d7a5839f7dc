# SPDX-License-Identifier: MIT
"""What a page may ask of its room, each request checked before it is believed."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from unbounded.game import UsageError, catalogue, did_you_mean, format_value, require
from unbounded.interfaces.session import HUMAN
from unbounded.interfaces.web.game_room import GameRoom
from unbounded.players import KINDS
from unbounded.reference.registry import ALGORITHMS

LONGEST_TEXT = 2000
MOST_ITEMS = 2000

Told = dict[str, Any]


def read(text: str) -> Told:
    """Read a request; it has an id of its own, so that the answer is known by it."""
    try:
        told = json.loads(text)
    except (ValueError, RecursionError):
        raise UsageError("this is not JSON") from None
    require(isinstance(told, dict), "a request is an object")
    return dict(told)


def answer(room: GameRoom, told: Told) -> Any:
    """Do what was asked; return what the page wants to know."""
    name = _text(told, "do")
    action = REQUESTS.get(name)
    if action is None:
        raise UsageError(f"unknown request {name[:60]!r}{did_you_mean(name, REQUESTS)}")
    return action(room, told)


# -- fields ----------------------------------------------------------------------------------------


def _text(told: Told, field: str) -> str:
    value = told.get(field)
    if not isinstance(value, str) or len(value) > LONGEST_TEXT:
        raise UsageError(f"{field} must be a text of at most {LONGEST_TEXT} characters")
    return value


def _texts(told: Told, field: str) -> list[str]:
    value = told.get(field, [])
    good = isinstance(value, list) and len(value) <= MOST_ITEMS
    require(good and all(isinstance(x, str) for x in value), f"{field} must be a list of texts")
    return list(value)


def _number(told: Told, field: str, default: float) -> float:
    value = told.get(field, default)
    good = isinstance(value, int | float) and not isinstance(value, bool)
    require(good and 0 <= value <= 1e9, f"{field} must be a number, 0 or more")
    return float(value)


# -- requests --------------------------------------------------------------------------------------


def _games(room: GameRoom, told: Told) -> Any:
    """What can be played, and who can play."""
    described = [catalogue.describe(cls) for cls in catalogue.games().values()]
    ready = [about for about in described if not any(x["required"] for x in about["parameters"])]
    for about in ready:
        for parameter in about["parameters"]:
            parameter["default"] = format_value(parameter["default"])
    own = room.rooms.game
    return {
        "games": ready,
        "own": None if own is None else str(own),
        "players": [HUMAN, *KINDS],
        "most_seconds": room.rooms.limits.move_seconds,
    }


def _algorithms(room: GameRoom, told: Told) -> Any:
    """The algorithms that can analyse, by name, as the page calls them."""
    return {name: algorithm.title for name, algorithm in ALGORITHMS.items()}


def _seats(room: GameRoom, told: Told) -> Any:
    """Who sits in a game, before it begins: the names of the sides."""
    game = room.rooms.load_game(_text(told, "game"))
    names = [game.player_name(p) for p in range(game.players)]
    return {"game": str(game), "players": names}


def _new(room: GameRoom, told: Told) -> Any:
    room.new_game(_text(told, "game"), _texts(told, "seats"), _number(told, "seconds", 1.0))


def _tree(room: GameRoom, told: Told) -> Any:
    start = int(_number(told, "start", 0))
    return room.tree(_texts(told, "path"), proof=told.get("proof") is True, start=start)


def _why(room: GameRoom, told: Told) -> Any:
    return room.why(None if told.get("action") is None else _text(told, "action"))


REQUESTS: dict[str, Callable[[GameRoom, Told], Any]] = {
    "games": _games,
    "algorithms": _algorithms,
    "seats": _seats,
    "new": _new,
    "move": lambda room, told: room.move(_text(told, "name")),
    "undo": lambda room, told: room.undo(),
    "redo": lambda room, told: room.redo(),
    "resign": lambda room, told: room.resign(),
    "let_move": lambda room, told: room.let_move(),
    "go_to": lambda room, told: room.go_to(_texts(told, "path")),
    "export": lambda room, told: room.export_game(),
    "import": lambda room, told: room.import_game(told.get("game")),
    "bring_back": lambda room, told: room.bring_back(told.get("game")),
    "analyse": lambda room, told: room.analyse(_text(told, "algorithm")),
    "pause": lambda room, told: room.pause(),
    "resume": lambda room, told: room.resume(),
    "stop": lambda room, told: room.end_analysis(),
    "tree": _tree,
    "why": _why,
    "look": lambda room, told: room.look(_texts(told, "path")),
}
