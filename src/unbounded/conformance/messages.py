# SPDX-License-Identifier: MIT
"""Errors for games that violate the contract."""

from __future__ import annotations

from typing import Any

from unbounded.game import Game, RecordGame, RuleError
from unbounded.game.rule_errors import describe as describe_briefly

AnyGame = Game[Any, Any]
LONGEST_STATE = 400


def broken(
    game: AnyGame, problem: str, advice: str, *, state: Any = None, action: Any = None
) -> RuleError:
    """Return the error for a violation: what, on which state and action, and what to do."""
    lines = [f"{game.game_name()}: {problem}"]
    if state is not None:
        lines.append(f"  state: {describe(game, state)}")
        lines += [f"    {line}" for line in _shown(game, state).splitlines()[:40]]
    if action is not None:
        lines.append(f"  action: {action!r}")
    error = RuleError("\n".join([*lines, f"  what to do: {advice}"]))
    error.located = True
    return error


def describe(game: AnyGame, state: Any) -> str:
    """Return a state in one line: the fields of a record, else its repr."""
    return describe_briefly(game, state, LONGEST_STATE)


def shows_itself(game: AnyGame) -> bool:
    """Whether the game draws its states, rather than list what is in them."""
    return type(game).show not in (Game.show, RecordGame.show)


def _shown(game: AnyGame, state: Any) -> str:
    if not shows_itself(game):
        return ""
    try:
        return str(game.show(state))
    except Exception:  # the error to be reported may be that the state cannot be shown
        return ""
