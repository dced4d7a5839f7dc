# SPDX-License-Identifier: MIT
"""The requests of a page, each validated and passed to what the page shows, such as its room.

A request is `{"id": 1, "request": "move", "name": "a1"}`; the reply to it is
`{"id": 1, "result": ...}` or `{"id": 1, "error": "..."}`.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from unbounded.game import UsageError, did_you_mean, require
from unbounded.interfaces.web.game_room import GameRoom
from unbounded.interfaces.web.game_setup import DEFAULT_SECONDS
from unbounded.interfaces.web.graph_view import MAX_NODES
from unbounded.interfaces.web.position_views import ghosts_view, picture_view, rules_view
from unbounded.interfaces.web.review import DEFAULT_SECONDS as REVIEW_SECONDS
from unbounded.interfaces.web.send_queue import encode
from unbounded.native.failures import error_text
from unbounded.search.descriptions import check_type
from unbounded.search.options import options_of, options_schema, search_options

MAX_TEXT = 2000
MAX_ITEMS = 5000

Fields = dict[str, Any]
T = TypeVar("T")


def reply(shown: T, text: str, known: Mapping[str, Callable[[T, Fields], Any]]) -> str:
    """Carry out a request; return the reply. Errors are sent to the page, and concern no other."""
    number: Any = None
    try:
        fields = _parse(text)
        number = fields.get("id")
        return encode({"id": number, "result": _carry_out(shown, fields, known)})
    except Exception as error:  # a wrong request, a rule of the game that fails, or our mistake
        return encode({"id": number, "error": error_text(error)})


def _parse(text: str) -> Fields:
    try:
        fields = json.loads(text)
    except (ValueError, RecursionError):
        raise UsageError("the request is not JSON") from None
    require(isinstance(fields, dict), "a request must be an object")
    return dict(fields)


def _carry_out(shown: T, fields: Fields, known: Mapping[str, Callable[[T, Fields], Any]]) -> Any:
    name = _text(fields, "request")
    request = known.get(name)
    if request is None:
        raise UsageError(f"unknown request {name[:60]!r}{did_you_mean(name, known)}")
    return request(shown, fields)


# -- fields ----------------------------------------------------------------------------------------


def _text(fields: Fields, name: str) -> str:
    value = fields.get(name)
    if not isinstance(value, str) or len(value) > MAX_TEXT:
        raise UsageError(f"{name} must be a text of at most {MAX_TEXT} characters")
    return value


def texts(fields: Fields, name: str) -> list[str]:
    """A list of texts in a request."""
    value = fields.get(name, [])
    valid = isinstance(value, list) and len(value) <= MAX_ITEMS
    require(valid and all(isinstance(x, str) for x in value), f"{name} must be a list of texts")
    return list(value)


def _optional_texts(fields: Fields, name: str) -> list[str] | None:
    return None if fields.get(name) is None else texts(fields, name)


def _number(fields: Fields, name: str, default: float) -> float:
    value = fields.get(name, default)
    valid = isinstance(value, int | float) and not isinstance(value, bool)
    require(valid and 0 <= value <= 1e9, f"{name} must be a number, 0 or more")
    return float(value)


def _count(fields: Fields, name: str) -> int:
    value = fields.get(name)
    valid = isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= 10**9
    require(valid, f"{name} must be a whole number, 0 or more")
    return int(fields[name])


# -- requests --------------------------------------------------------------------------------------


def _new(room: GameRoom, fields: Fields) -> None:
    seconds = _number(fields, "seconds", DEFAULT_SECONDS)
    room.new_game(
        _text(fields, "game"),
        texts(fields, "seats"),
        seconds,
        clock=None if fields.get("clock") is None else _text(fields, "clock"),
        ponder=fields.get("ponder") is True,
    )


def _analyze(room: GameRoom, fields: Fields) -> None:
    """The fields are options of the search; those that are missing have their defaults."""
    given = {about.name: about for about in search_options(solving=False) if about.name in fields}
    for name, about in given.items():
        check_type(name, fields[name], about.kinds)
    room.analyze(options_of({name: fields[name] for name in given}))


def _go(room: GameRoom, fields: Fields) -> None:
    room.go(_optional_texts(fields, "line"), _count(fields, "ply"))


def _tree(room: GameRoom, fields: Fields) -> Any:
    path, start = texts(fields, "path"), int(_number(fields, "start", 0))
    return room.analysis.tree(path, proof=fields.get("proof") is True, start=start)


def _why(room: GameRoom, fields: Fields) -> str:
    return room.analysis.why(None if fields.get("action") is None else _text(fields, "action"))


def _graph(room: GameRoom, fields: Fields) -> Any:
    most, depth = int(_number(fields, "most", MAX_NODES)), int(_number(fields, "depth", 8))
    proof = fields.get("proof") is True
    return room.analysis.graph(texts(fields, "path"), most=most, depth=depth, proof=proof)


def _rules(room: GameRoom, fields: Fields) -> Any:
    game = room.cursor().game
    if fields.get("game") is not None:
        game = room.setup.load_game(_text(fields, "game"))
    return rules_view(game)


def _picture(room: GameRoom, fields: Fields) -> Any:
    known = room.analysis.view() if fields.get("values") is True else None
    return picture_view(room.cursor(), known)


def _open(room: GameRoom, fields: Fields) -> None:
    """A file of the browser. What nothing can check, a search or a table, is not believed."""
    kind = _text(fields, "kind")
    require(
        kind in ("game", "certificate"),
        "only games and certificates can be sent; start the server with --open FILE for others",
    )
    data = fields.get("data")
    try:
        content = base64.b64decode(data if isinstance(data, str) else "*", validate=True)
    except ValueError:
        raise UsageError("data must be the file in base64") from None
    if kind == "game":
        room.import_game(_parse(content.decode("utf-8", "replace")))
    else:
        room.files.verify_data(content)


def _learning(room: GameRoom, fields: Fields) -> Any:
    return room.files.learning(None if fields.get("index") is None else _count(fields, "index"))


REQUESTS: dict[str, Callable[[GameRoom, Fields], Any]] = {
    "games": lambda room, fields: room.setup.offer(),
    "players": lambda room, fields: room.setup.player_names(_text(fields, "game")),
    "new": _new,
    "move": lambda room, fields: room.move(_text(fields, "name")),
    "go": _go,
    "undo": lambda room, fields: room.undo(),
    "redo": lambda room, fields: room.redo(),
    "take_back_to": lambda room, fields: room.take_back_to(_count(fields, "ply")),
    "swap_sides": lambda room, fields: room.swap_sides(),
    "rematch": lambda room, fields: room.rematch(swap=fields.get("swap") is True),
    "resign": lambda room, fields: room.resign(),
    "retry_machine": lambda room, fields: room.retry_machine(),
    "play_line": lambda room, fields: room.play_line(_optional_texts(fields, "path")),
    "export": lambda room, fields: room.export_game(),
    "import": lambda room, fields: room.import_game(fields.get("game")),
    "restore": lambda room, fields: room.restore(fields.get("game")),
    "options": lambda room, fields: options_schema(solving=False),
    "analyze": _analyze,
    "pause": lambda room, fields: room.analysis.pause(),
    "resume": lambda room, fields: room.analysis.resume(),
    "stop": lambda room, fields: room.stop_analysis(),
    "tree": _tree,
    "graph": _graph,
    "ghosts": lambda room, fields: ghosts_view(room.cursor(), texts(fields, "path")),
    "hint": lambda room, fields: room.hint(),
    "picture": _picture,
    "rules": _rules,
    "review": lambda room, fields: room.start_review(_number(fields, "seconds", REVIEW_SECONDS)),
    "open": _open,
    "edit_start": lambda room, fields: room.editor.start(room.cursor()),
    "edit_set": lambda room, fields: room.editor.put(
        _count(fields, "place"), _count(fields, "piece")
    ),
    "edit_clear": lambda room, fields: room.editor.clear(),
    "edit_mover": lambda room, fields: room.editor.choose_mover(_count(fields, "player")),
    "edit_done": lambda room, fields: room.finish_editing(),
    "edit_cancel": lambda room, fields: room.editor.close(),
    "files": lambda room, fields: room.files.view(),
    "open_file": lambda room, fields: room.files.open(_count(fields, "index")),
    "verify": lambda room, fields: room.files.verify(_count(fields, "index")),
    "stop_verify": lambda room, fields: room.files.verification.stop(),
    "learning": _learning,
    "stop_review": lambda room, fields: room.review.stop(),
    "why": _why,
}
