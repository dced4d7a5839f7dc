# SPDX-License-Identifier: MIT
"""Turning a failure in the core into an error that the author of a game can use.

The core reports only that a compiled rule failed on some state. The Python rule is then called on
the same state, so that its author sees an ordinary traceback.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from unbounded.game import Game, RuleError, UnboundedError, outcome_of
from unbounded.game.rule_errors import (
    CHECK_ADVICE,
    CYCLE_ADVICE,
    asked,
    blame,
    blaming,
    describe,
    located,
    rule_error,
)
from unbounded.game.wording import counted
from unbounded.native import Route, RuleFailure

ADVICE = {
    "add up to zero": "give x and -x, or do not declare zero_sum",
    "above the declared best": "declare a best_score that no end of the game exceeds",
    "not finite": "scores are finite numbers, also when rounded to 32 bits",
    "not -1, 0 or 1": "an outcome is -1, 0 or +1 per player; use score for finer distinctions",
    "does not exist": "players are numbered from 0",
}
"""What to do about a result that the core rejects, by a part of its message."""


def error_text(error: Exception) -> str:
    """Error message for a remote client, which sees no traceback."""
    error = blame(error) or error
    return str(error) if isinstance(error, UnboundedError) else f"{type(error).__name__}: {error}"


@contextmanager
def explain(game: Game[Any, Any], route: Route) -> Iterator[None]:
    """Turn a failure inside into a `RuleError` that names rule, state and action."""
    try:
        with blaming():
            yield
    except RuleFailure as failure:
        rule, reason, stored, action_index, cycle = failure.args
        state = route.from_core(stored)
        if cycle:
            alone = " (or does next give back the state that it was given?)"
            raise RuleError(
                f"{game}: {rule}: {reason}, {counted(len(cycle), 'move')} long, through the state "
                f"({describe(game, state)}){alone if len(cycle) == 1 else ''}; {CYCLE_ADVICE}"
            ) from None
        if reason == "raised an exception" or rule == "actions":
            _call_again(game, rule, state, action_index)
        known = [advice for part, advice in ADVICE.items() if part in reason]
        advice = (known or [CHECK_ADVICE])[0]
        raise rule_error(game, asked(game, rule, state) + ":", reason, advice) from None


def _call_again(game: Game[Any, Any], rule: str, state: Any, action_index: int) -> None:
    given = [] if rule == "initial" else [state]
    try:
        if rule == "next":
            given.append(game.actions(state)[action_index])
        if rule == "symmetry":
            for k in range(1, game.symmetries):
                game.symmetry(state, k)
        elif rule == "outcome":
            outcome_of(game, state)  # which also checks the outcome
        else:
            getattr(game, rule)(*given)
    except Exception as error:
        raise located(game, rule, error, *given) from error
    raise rule_error(
        game,
        asked(game, rule, *given) + ":",
        "the compiled rule failed, but the same rule in plain Python does not",
        "run 'unbounded check' on the game: is there an index out of range, an overflow, or a "
        "symmetry that is none?",
    )
