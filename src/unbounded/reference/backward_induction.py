# SPDX-License-Identifier: MIT
"""The values M(s) by backward induction over every reachable state, and a check of a search."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

from unbounded.game import Game
from unbounded.reference.definitions import (
    outcome,
    reachable,
    require_minimax,
    score,
    successors,
)
from unbounded.reference.search import Search

S = TypeVar("S")
Pair = tuple[tuple[int, ...], tuple[float, ...]]
"""(f_b(s'), f_t(s')) of the terminal state s' that optimal play reaches."""


def minimax_outcomes(game: Game[S, Any]) -> dict[S, int]:
    """M(s) of two players (Definition 2): the first player's outcome."""
    require_minimax(game)
    values: dict[S, int] = {}
    for s in reachable(game):
        children = [values[child] for child in successors(game, s)]
        values[s] = _extreme(game, s, children) if children else outcome(game, s)[0]
    return values


def minimax_scores(game: Game[S, Any]) -> dict[S, tuple[int, float]]:
    """The lexicographic minimax of (outcome, score), the first player's (ERRATA 5)."""
    require_minimax(game)
    values: dict[S, tuple[int, float]] = {}
    for s in reachable(game):
        children = [values[child] for child in successors(game, s)]
        if children:
            values[s] = _extreme(game, s, children)
        else:
            values[s] = (outcome(game, s)[0], score(game, s)[0])
    return values


def max_n(game: Game[S, Any]) -> dict[S, Pair]:
    """M(s) of n players (Definition 12): each maximizes its own (outcome, score).

    The value is unique if the score is tie-breaking. Otherwise a tie goes to the first action, and
    the value is that of one equilibrium among several (ERRATA 7).
    """
    values: dict[S, Pair] = {}
    for s in reachable(game):
        children = [values[child] for child in successors(game, s)]
        if children:
            j = game.player(s)
            values[s] = max(children, key=lambda pair: (pair[0][j], pair[1][j]))
        else:
            values[s] = (outcome(game, s), score(game, s))
    return values


def highest_scores(game: Game[S, Any]) -> dict[S, tuple[float, ...]]:
    """Return, per state and player, the maximum of f_t over D_t(s) (`local_maximum`)."""
    values: dict[S, tuple[float, ...]] = {}
    for s in reachable(game):
        children = [values[child] for child in successors(game, s)]
        values[s] = tuple(map(max, zip(*children, strict=True))) if children else score(game, s)
    return values


def is_tie_breaking(game: Game[S, Any]) -> bool:
    """Whether terminal states that tie for one player are equal for all (Definition 11)."""
    pairs: dict[tuple[int, int, float], Pair] = {}
    for s in reachable(game):
        if successors(game, s):
            continue
        pair = (outcome(game, s), score(game, s))
        for j, seen in enumerate(zip(*pair, strict=True)):
            if pairs.setdefault((j, *seen), pair) != pair:
                return False
    return True


def unjustified(search: Search[S]) -> list[S]:
    """Return the resolved states whose c and v do not follow from their resolved children.

    They follow, for a terminal state, from the rules; otherwise from a resolved child with the same
    c and v that wins for the player to move (for n players: by a score that no descendant exceeds),
    or from resolved children only, of which a best one has the same c and v. If no state is
    returned, the recorded values are those of an equilibrium.
    """
    highest = highest_scores(search.game)
    return [
        s
        for s, resolved in search.resolved.items()
        if resolved and not _follows(search, s, search.number(highest[s]))
    ]


def _follows(search: Search[S], s: S, highest: Any) -> bool:
    children = successors(search.game, s)
    numbers = (search.completion[s], search.value[s])
    if not children:
        return bool(numbers == (search.outcome(s), search.score(s)))
    known = [child for child in children if search.resolved.get(child, False)]
    pairs = [(search.completion[child], search.value[child]) for child in known]
    if numbers not in pairs:
        return False
    mine = (_of_mover(search, s, numbers[0]), _of_mover(search, s, numbers[1]))
    enough = search.values == "minimax" or search.resolve_on_win
    if mine[0] == 1 and (enough or mine[1] >= _of_mover(search, s, highest)):
        return True
    others = [(_of_mover(search, s, c), _of_mover(search, s, v)) for c, v in pairs]
    return len(known) == len(children) and mine == max(others)


def _of_mover(search: Search[S], s: S, number: Any) -> float:
    """Return a stored number as the player to move in s maximizes it."""
    j = search.player(s)
    if search.values == "minimax":
        return float(number if j == 0 else -number)
    return float(number[j])


def _extreme(game: Game[S, Any], s: S, children: Sequence[Any]) -> Any:
    return max(children) if game.player(s) == 0 else min(children)
