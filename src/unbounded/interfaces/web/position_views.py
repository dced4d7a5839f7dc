# SPDX-License-Identifier: MIT
"""More of a position than its board: ghosts of a line, a picture to keep, the rules of its game."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

from unbounded.game import Game, action_named, catalogue, format_value, plain, require
from unbounded.game.drawing import draw, stand_alone
from unbounded.interfaces.web.line import Cursor
from unbounded.interfaces.web.views import badge, title_of

MAX_GHOSTS = 60
"""Moves of a line that are shown on the board at once."""
SIGNS = {1: "+", 0: "=", -1: "-"}
BADGES = {1: "#1a7f37", 0: "#57606a", -1: "#b42318"}
"""Fill of a proven badge: win, draw and loss; white text on each has a contrast above 4.5."""


def ghosts_view(cursor: Cursor, path: Sequence[str]) -> list[dict[str, Any]]:
    """Where each move of a line from the cursor is on the board, and whose it is."""
    require(len(path) <= MAX_GHOSTS, f"at most {MAX_GHOSTS} moves of a line can be shown")
    game, state = cursor.game, cursor.state
    shown = []
    for name in path:
        action = action_named(game, state, name)
        places = [[plain(x) for x in place] for place in game.places(state, action)]
        where = {"places": places, "badge": badge(game, state, action)}
        shown.append({"name": name, "mover": int(game.player(state)), **where})
        state = game.next(state, action)
    return shown


def rules_view(game: Game[Any, Any]) -> dict[str, Any]:
    """The rules of a game in words, its parameters, and a picture of the start."""
    about = catalogue.describe(type(game))
    return {
        "game": str(game),
        "title": title_of(game),
        "text": about["rules"],
        "parameters": [_parameter(game, each) for each in about["parameters"]],
        "picture": draw(game, game.initial()),
        "players": [game.player_name(player) for player in range(game.players)],
    }


def _parameter(game: Game[Any, Any], about: dict[str, Any]) -> dict[str, Any]:
    value = format_value(getattr(game, about["name"], about["default"]))
    return {**about, "default": format_value(about["default"]), "value": value}


def picture_view(cursor: Cursor, analysis: dict[str, Any] | None) -> dict[str, Any]:
    """The position as a drawing that stands alone, with what is known of its moves if given."""
    game, state = cursor.game, cursor.state
    svg = stand_alone(draw(game, state, last=cursor.last, before=cursor.before))
    there = analysis is not None and analysis["moves"] == list(cursor.moves)
    actions = analysis["actions"] if analysis is not None and there else []
    if actions and cursor.mover is not None:
        badges = [_badge(game, state, action, cursor.mover) for action in actions]
        svg = svg.removesuffix("</svg>") + "".join(badges) + "</svg>"
    return {"svg": svg, "text": game.show(state)}


def _badge(game: Game[Any, Any], state: Any, known: dict[str, Any], mover: int) -> str:
    """What is known of a move, where it hides nothing: filled if proven, else an outline."""
    place = game.badge_place(state, action_named(game, state, known["name"]))
    text = badge_text(known, mover)
    if place is None or not text:
        return ""
    x, y, width, height = (float(number) for number in place)
    size = 0.5 * min(width, height)
    proven = known["outcome"] is not None
    fill = BADGES[known["outcome"][mover]] if proven else "#ffffff"
    ink, dashes = ("#ffffff", "") if proven else ("#3b352a", f' stroke-dasharray="{size / 4:g}"')
    return (
        f'<circle cx="{x:g}" cy="{y:g}" r="{size:g}" fill="{fill}" stroke="#3b352a" '
        f'stroke-width="{size / 12:g}"{dashes}/>'
        f'<text x="{x:g}" y="{y:g}" font-size="{0.8 * size:g}" fill="{ink}" text-anchor="middle" '
        f'dominant-baseline="central" font-family="sans-serif">{escape(text)}</text>'
    )


def badge_text(known: dict[str, Any], mover: int) -> str:
    """A proven result as a sign with its distance, an estimate as a number; else nothing."""
    if known["outcome"] is not None:
        outcome, distance = known["outcome"][mover], known["distance"]
        sign = SIGNS[outcome]
        return sign if distance is None or outcome == 0 else f"{sign}{distance}"
    value = None if known["value"] is None else known["value"][mover]
    return "" if value is None else f"{value:.2f}"
