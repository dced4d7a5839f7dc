# SPDX-License-Identifier: MIT
"""Saying which promise a game broke: what, on which state and action, and what to do."""

from __future__ import annotations

from typing import Any

from unbounded.game import Game, RecordGame, RuleError

AnyGame = Game[Any, Any]

CYCLE_ADVICE = (
    "only acyclic games can be searched: put a move counter into the state, or wrap the game in "
    "unbounded.horizon"
)


def broken(
    game: AnyGame, problem: str, advice: str, *, state: Any = None, action: Any = None
) -> RuleError:
    """Return the error for a broken promise: what, on which state and action, and what to do."""
    lines = [f"{game.game_name()}: {problem}"]
    if state is not None:
        lines.append(f"  state: {describe(game, state)}")
        lines += [f"    {line}" for line in _shown(game, state).splitlines()[:40]]
    if action is not None:
        lines.append(f"  action: {action!r}")
    return RuleError("\n".join([*lines, f"  what to do: {advice}"]))


def describe(game: AnyGame, state: Any) -> str:
    """Return a state in one line: the fields of a record, else its repr."""
    text = repr(state)
    if isinstance(game, RecordGame) and isinstance(state, bytes) and len(state) == game.state.size:
        text = repr(game.state.unpack(state))
    return text if len(text) <= 400 else text[:397] + "..."


def _shown(game: AnyGame, state: Any) -> str:
    if type(game).show is Game.show:
        return ""
    try:
        return str(game.show(state))
    except Exception:  # the error to be reported may be that the state cannot be shown
        return ""
