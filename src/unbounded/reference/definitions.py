# SPDX-License-Identifier: MIT
"""The definitions of a game: A(s), f_b, f_t, D_t, and the argmax over lexicographic keys.

Scores and evaluations are rounded to 32-bit floats, as in the core, so that two scores are equal
here if and only if they are equal there.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from unbounded.game import Game, RuleError, require

S = TypeVar("S")
Key = tuple[float, ...]


def argmax(A: Sequence[S], key: Callable[[S], Key]) -> S:
    """Return the first of the children with the highest key: ties go to the first action."""
    return max(A, key=key)


def argmin(A: Sequence[S], key: Callable[[S], Key]) -> S:
    """Return the first of the children with the lowest key: ties go to the first action."""
    return min(A, key=key)


def numbers(
    game: Game[S, Any], rule: str, given: Sequence[float], s: S | None = None
) -> tuple[float, ...]:
    """Round the numbers that a rule returned for s; there must be one finite number per player."""
    rounded = tuple(array("f", given))
    if len(rounded) != game.players or not all(math.isfinite(x) for x in rounded):
        at = "" if s is None else f" of state {s!r}"
        raise RuleError(f"{rule}{at} is {list(given)}, not {game.players} finite numbers")
    return rounded


def require_minimax(game: Game[Any, Any]) -> None:
    """Refuse a game that is not a zero-sum game of two players."""
    require(game.players == 2, f"minimax is for 2 players; {game} has {game.players}")
    require(game.zero_sum, f"minimax is for zero-sum games; {game} is not declared one")


def successors(game: Game[S, Any], s: S) -> list[S]:
    """A(s): the distinct states one action away, in the order of the first action to each."""
    return list(dict.fromkeys(game.next(s, action) for action in game.actions(s)))


def outcome(game: Game[S, Any], s: S) -> tuple[int, ...]:
    """f_b(s), per player."""
    given = tuple(game.outcome(s))
    if len(given) != game.players or any(x not in (-1, 0, 1) for x in given):
        raise RuleError(f"outcome of state {s!r} is {list(given)}, not -1, 0 or 1 per player")
    return given


def score(game: Game[S, Any], s: S) -> tuple[float, ...]:
    """f_t(s), per player."""
    return numbers(game, "score", game.score(s), s)


def best_scores(game: Game[S, Any]) -> tuple[float, ...] | None:
    """The maximum of f_t over all terminal states, per player; None if the game declares none."""
    given = game.best_scores
    return None if given is None else numbers(game, "best_score", given)


def best_scores_from(game: Game[S, Any], s: S) -> tuple[float, ...]:
    """The maximum of f_t over D_t(s), per player; ERRATA 4: with the terminal children of s."""
    return numbers(game, "best_score_from", game.best_score_from(s), s)


def reachable(game: Game[S, Any]) -> list[S]:
    """Return the states that can be reached from the initial one, each after its descendants."""
    done: dict[S, None] = {}
    path: dict[S, list[S]] = {game.initial(): successors(game, game.initial())}
    while path:
        s, waiting = next(reversed(path.items()))
        if not waiting:
            del path[s]
            done[s] = None
            continue
        child = waiting.pop(0)
        if child in path:
            raise RuleError(f"the game runs in a cycle: state {child!r} comes back to itself")
        if child not in done:
            path[child] = successors(game, child)
    return list(done)
