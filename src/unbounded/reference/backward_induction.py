# SPDX-License-Identifier: MIT
"""The exact values M(s) by brute force, and what a finished search has to do with them.

Every state that the game can reach is looked at, ends first.
"""

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
"""(c, v): outcome and score of the end that the players reach, per player."""


def minimax_outcomes(game: Game[S, Any]) -> dict[S, int]:
    """M(s) of two players: the outcome for the first one, who maximises it."""
    require_minimax(game)
    values: dict[S, int] = {}
    for s in reachable(game):
        children = [values[child] for child in successors(game, s)]
        values[s] = _extreme(game, s, children) if children else outcome(game, s)[0]
    return values


def minimax_scores(game: Game[S, Any]) -> dict[S, tuple[int, float]]:
    """The lexicographic minimax of (outcome, score): wins by the highest score first."""
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
    """M(s) of n players: each maximises its own (outcome, score); a tie goes to the first action.

    It is the only one when the score is tie-breaking, otherwise one of several equilibria.
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
    """Return, per state and player, the highest score among the ends below (the local maximum)."""
    values: dict[S, tuple[float, ...]] = {}
    for s in reachable(game):
        children = [values[child] for child in successors(game, s)]
        values[s] = tuple(map(max, zip(*children, strict=True))) if children else score(game, s)
    return values


def is_tie_breaking(game: Game[S, Any]) -> bool:
    """Whether two ends that are alike for one player are alike for all (the paper's definition)."""
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
    """Return the resolved states whose numbers do not follow from those of resolved children.

    A state is justified by one resolved child with the same numbers that wins for the mover
    (for n players: with a score that no end below exceeds); or by all its children being
    resolved and a best one having the same numbers; or by the rules, if the game is over.
    Then the recorded values are those of an equilibrium.
    """
    highest = highest_scores(search.game)
    return [
        s
        for s, resolved in search.resolved.items()
        if resolved and not _follows(search, s, highest[s])
    ]


def _follows(search: Search[S], s: S, highest: tuple[float, ...]) -> bool:
    game, rule = search.game, search.rule
    children = successors(game, s)
    numbers = (search.completion[s], search.value[s])
    if not children:
        return numbers == (rule.stored(outcome(game, s)), rule.stored(score(game, s)))
    known = [t for t in children if search.resolved.get(t, False)]
    pairs = [(search.completion[t], search.value[t]) for t in known]
    if numbers not in pairs:
        return False
    mine = (rule.mover(s, numbers[0]), rule.mover(s, numbers[1]))
    enough = search.values == "minimax" or search.resolve_on_win
    if mine[0] == 1 and (enough or mine[1] >= rule.mover(s, highest)):
        return True
    others = [(rule.mover(s, c), rule.mover(s, v)) for c, v in pairs]
    return len(known) == len(children) and mine == max(others)


def _extreme(game: Game[S, Any], s: S, children: Sequence[Any]) -> Any:
    return max(children) if game.player(s) == 0 else min(children)
