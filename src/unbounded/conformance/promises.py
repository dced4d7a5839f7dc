# SPDX-License-Identifier: MIT
"""Conformance of what a game promises about itself: `action_count` and `longest_game`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from unbounded.conformance.messages import AnyGame, broken


def check_action_count(game: AnyGame, actions: Sequence[Any], state: Any) -> None:
    """Check that the actions of a state are in range(action_count), if that is promised."""
    count = game.action_count
    if count is None:
        return
    for action in actions:
        if not hasattr(action, "__index__") or not 0 <= action < count:
            problem = f"actions gave {action!r}; action_count promises integers below {count}"
            advice = "number the actions from 0 and count them all, or set action_count to None"
            raise broken(game, problem, advice, state=state, action=action)


def check_longest_game(game: AnyGame, moves: int, state: Any) -> None:
    """Check that a line of so many moves is not longer than promised; it is about this state."""
    longest = game.longest_game
    if longest is not None and moves > longest:
        problem = f"a game of {moves} moves is possible; longest_game promises at most {longest}"
        raise broken(game, problem, "raise longest_game, or set it to None", state=state)
