# SPDX-License-Identifier: MIT
"""From a game or state of OpenSpiel to one of ours, whoever made it."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from unbounded.bridges.openspiel.export import AnyGame, exported
from unbounded.game import require
from unbounded.game.catalogue import load_game
from unbounded.game.position import Position

_IMPORTED = 16
"""Games of OpenSpiel that are kept."""


def our_game(game: Any) -> AnyGame:
    """Return our game that a `pyspiel.Game` is, or what our rules make of OpenSpiel's own game."""
    found = exported(game)
    return _imported(str(game)) if found is None else found.game


@lru_cache(_IMPORTED)
def _imported(text: str) -> AnyGame:
    return load_game(f"open_spiel:{text}")


def actions_to(state: Any) -> list[int]:
    """Return the actions that lead from the start of the game to a state of OpenSpiel."""
    at = state.get_game().new_initial_state()
    actions: list[int] = state.history()[len(at.history()) :]
    for action in actions:
        at.apply_action(action)
    # OpenSpiel can start some games in any position, and does not say so in the history.
    require(
        str(at) == str(state) and at.current_player() == state.current_player(),
        f"the actions {actions} do not lead to this state of {state.get_game()}; use a state that "
        f"was reached from new_initial_state():\n{state}",
    )
    return actions


def our_position(thing: Any) -> Position:
    """Return the position that is meant: a state of OpenSpiel, or one of ours as it is."""
    if isinstance(thing, Position):
        return thing
    if not hasattr(thing, "get_game"):
        return Position(thing)
    position = Position(our_game(thing.get_game()))
    for action in actions_to(thing):
        position.push(position.game.action_name(position.state, action))
    return position
