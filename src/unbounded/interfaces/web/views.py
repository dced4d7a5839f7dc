# SPDX-License-Identifier: MIT
"""A game and the position that is looked at as JSON values for the page."""

from __future__ import annotations

from typing import Any

from unbounded.game import Game, one_per_player, outcome_of, plain
from unbounded.game.drawing import draw
from unbounded.game.wrappers import Start
from unbounded.interfaces.session import HUMAN, Session
from unbounded.interfaces.web.line import Line
from unbounded.players import Decision

MAX_ACTIONS = 4000
"""Moves of a position in one message; the others can be played by name."""


# -- the game --------------------------------------------------------------------------------------


def game_view(session: Session, decision: Decision | None) -> dict[str, Any]:
    """A game in progress; `decision` is what the last machine that moved knew."""
    game = session.game
    return {
        "game": str(game),
        "title": title_of(game),
        "editable": bool(game.piece_symbols),
        "players": [game.player_name(p) for p in range(game.players)],
        "seats": list(session.seats),
        "moves": list(session.moves),
        "movers": [int(game.player(state)) for state in session.states[: len(session.moves)]],
        "mover": session.mover,
        "human_to_move": session.human_to_move,
        "humans": session.seats.count(HUMAN),
        "can_redo": bool(session.undone),
        "over": session.over,
        "outcome": session.outcome(),
        "score": _score(game, session.state),
        "resigned": session.resigned,
        "decision": None if decision is None else _decision(decision),
    }


def title_of(game: Game[Any, Any]) -> str:
    """A short name for people: never the path of the file that a game comes from."""
    if isinstance(game, Start):
        return f"{title_of(game.game)}, from a position"
    name = str(game)
    head, bracket, parameters = name.partition("(")
    return head.rsplit(":", 1)[-1].rsplit("/", 1)[-1] + bracket + parameters


def _score(game: Game[Any, Any], state: Any) -> tuple[float, ...] | None:
    """The score per player where the game is over by its rules, and has one."""
    if not game.has_score or len(game.actions(state)):
        return None
    return one_per_player(game, "score", game.score(state), state)


def position_view(session: Session, line: Line) -> dict[str, Any]:
    """The position at the cursor, and the line that it is on."""
    game, state = session.game, line.states[line.ply]
    over = not len(game.actions(state))
    return {
        "line": list(line.moves),
        "ply": line.ply,
        "main": line.main(session),
        "live": line.is_live(session),
        "mover": None if over else int(game.player(state)),
        "over": over,
        "outcome": outcome_of(game, state) if over else None,
        "score": _score(game, state),
        **board_view(game, state, line.last_action, line.before),
    }


def board_view(game: Game[Any, Any], state: Any, last: Any, before: Any = None) -> dict[str, Any]:
    """A position: the drawing, the same as text, and where each move is clicked.

    last: the action that led here, from the state `before`.
    """
    actions = list(game.actions(state))
    return {
        "svg": draw(game, state, last=last, before=before),
        "text": game.show(state),
        "actions": [
            {
                "name": game.action_name(state, action),
                "places": [[plain(x) for x in place] for place in game.places(state, action)],
                "badge": badge(game, state, action),
            }
            for action in actions[:MAX_ACTIONS]
        ],
        "action_count": len(actions),
    }


def badge(game: Game[Any, Any], state: Any, action: Any) -> list[float] | None:
    """Where what is known of an action can be shown: middle, width and height."""
    place = game.badge_place(state, action)
    return None if place is None else [plain(x) for x in place]


def _decision(decision: Decision) -> dict[str, Any]:
    proven = None not in decision.outcome
    return {
        "name": decision.name,
        "outcome": list(decision.outcome) if proven else None,
        "value": None if proven or decision.value is None else list(decision.value),
        "seconds": decision.seconds,
    }
