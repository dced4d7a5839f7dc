# SPDX-License-Identifier: MIT
"""What rules answered, checked: one number per player, an outcome, a state in one line."""

from __future__ import annotations

import math
from collections.abc import Mapping, Set
from typing import Any

from unbounded.game.contract import Game, plain
from unbounded.game.errors import RuleError
from unbounded.game.record import RecordGame


def one_per_player(
    game: Game[Any, Any], rule: str, answer: Any, state: Any = None
) -> tuple[float, ...]:
    """Return what a rule answered as one number per player; anything else is a `RuleError`.

    Only a bound may be infinite, which means that nothing is known.
    """
    bound = rule in ("best_score", "best_score_from")
    numbers = _floats(answer)
    good = len(numbers) == game.players
    if not good or not all(math.isfinite(x) or (bound and x == math.inf) for x in numbers):
        finite = "numbers, infinite where nothing is known" if bound else "finite numbers"
        raise RuleError(
            f"{game}: {rule}{_about(game, state)} is {answer!r}; it must be {game.players} "
            f"{finite}, one for each player"
        )
    return numbers


def _floats(answer: Any) -> tuple[float, ...]:
    """Return an answer as floats; none, if it is anything but numbers one after the other."""
    # Iterating over these would give the keys, or an arbitrary order.
    if isinstance(answer, (Mapping, Set, str, bytes)):
        return ()
    try:
        given = [plain(x) for x in answer]
        return tuple(float(x) if isinstance(x, (int, float)) else math.nan for x in given)
    except (TypeError, OverflowError):
        return ()


def outcome_of(game: Game[Any, Any], state: Any) -> tuple[int, ...]:
    """Return the outcome of an end of the game, if it is one: -1, 0 or 1 for each player."""
    return checked_outcome(game, game.outcome(state), state)


def checked_outcome(game: Game[Any, Any], answer: Any, state: Any) -> tuple[int, ...]:
    """Return what the rule `outcome` answered; anything but -1, 0 and 1 is a `RuleError`."""
    numbers = one_per_player(game, "outcome", answer, state)
    if any(x not in (-1, 0, 1) for x in numbers):
        raise RuleError(
            f"{game}: outcome{_about(game, state)} is {answer!r}, not -1, 0 or 1 for each player; "
            "use score for finer distinctions"
        )
    return tuple(int(x) for x in numbers)


def state_text(game: Game[Any, Any], state: Any) -> str:
    """Return a state in one line: the fields of a record, else its repr."""
    return repr(game.state.unpack(state)) if isinstance(game, RecordGame) else repr(state)


def _about(game: Game[Any, Any], state: Any) -> str:
    return "" if state is None else f"({state_text(game, state)})"
