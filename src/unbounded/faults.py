# SPDX-License-Identifier: MIT
"""Turning a failure in the core into an error that the author of a game can use.

The core knows only that a compiled rule failed on some state. The Python rule is asked again on the
same state, so that its author sees an ordinary traceback.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from unbounded._native import Route, RuleFailure
from unbounded.game import Game, RecordGame, RuleError, UnboundedError


def words(error: Exception) -> str:
    """Say what went wrong to somebody at the other end of a line."""
    return str(error) if isinstance(error, UnboundedError) else f"{type(error).__name__}: {error}"


@contextmanager
def explain(game: Game[Any, Any], route: Route) -> Iterator[None]:
    """Turn a failure inside into a `RuleError` that names rule, state and action."""
    try:
        yield
    except RuleFailure as failure:
        rule, reason, stored, action_index, cycle = failure.args
        state = route.from_core(stored)
        if cycle:
            raise RuleError(
                f"{game}: {rule}: {reason}, {len(cycle)} moves long, through the state "
                f"({show_state(game, state)}). Only acyclic games can be searched: put a move "
                "counter into the state, or use unbounded.horizon"
            ) from None
        if reason == "raised an exception":
            _ask_again(game, rule, state, action_index)
        raise RuleError(f"{game}: {rule}({show_state(game, state)}): {reason}") from None


def show_state(game: Game[Any, Any], state: Any) -> str:
    """Write a state as its author would: by its fields, or as Python does."""
    return repr(game.state.unpack(state)) if isinstance(game, RecordGame) else repr(state)


def _ask_again(game: Game[Any, Any], rule: str, state: Any, action_index: int) -> None:
    where = f"{game}: {rule}({show_state(game, state)}"
    try:
        if rule == "next":
            action = game.actions(state)[action_index]
            where += f", action={action}"
            game.next(state, action)
        elif rule == "initial":
            game.initial()
        elif rule == "symmetry":
            for k in range(1, game.symmetries):
                game.symmetry(state, k)
        else:
            getattr(game, rule)(state)
    except Exception as error:
        raise RuleError(f"{where}) raised {type(error).__name__}: {error}") from error
    raise RuleError(
        f"{where}): the compiled rule failed, but the same rule in plain Python does not. "
        "Run `unbounded check` on the game; is there an index out of range or an overflow?"
    )
