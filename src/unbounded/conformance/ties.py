# SPDX-License-Identifier: MIT
"""Whether every player ranks all ends of a game strictly: then there is one equilibrium."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

from unbounded.conformance.messages import AnyGame, describe
from unbounded.conformance.states import rounded
from unbounded.game import catalogue, require


@dataclass(frozen=True)
class Ties:
    """Whether a score is tie-breaking: no player is indifferent between different ends.

    >>> from unbounded import load_game
    >>> from unbounded.testing import check_tie_breaking
    >>> check_tie_breaking(load_game("nim(heaps=[1,2],players=3)")).tie_breaking
    False
    """

    tie_breaking: bool | None
    """None: no tie among the ends seen, but not all were."""
    ends: int
    """How many ends of the game were looked at."""
    states: tuple[str, str] | None = None
    """Two ends that are equal for a player but not for another."""
    player: int | None = None
    reason: str = ""

    def __str__(self) -> str:
        verdict = {True: "yes", False: "no", None: "unknown"}[self.tie_breaking]
        return f"{verdict}: {self.reason}"


def check_tie_breaking(game: AnyGame | str, limit: int = 100_000) -> Ties:
    """Look at the ends of a game, among its first `limit` states, for ties.

    >>> from unbounded import load_game
    >>> check_tie_breaking(load_game("tie-breaking(nim(heaps=[1,2],players=3))")).tie_breaking
    True
    """
    game = catalogue.load_game(game)
    require(type(limit) is int and limit >= 1, "limit must be an integer from 1")
    first = game.initial()
    known, waiting = {first}, [first]
    ends: dict[Hashable, tuple[Hashable, Any]] = {}
    count, cut = 0, False
    while waiting:
        state = waiting.pop()
        actions = game.actions(state)
        if not actions:
            count += 1
            tie = _tie(game, state, ends)
            if tie is not None:
                who, other = tie
                reason = f"player {who} is indifferent between two different ends"
                shown = (describe(game, other), describe(game, state))
                return Ties(False, count, shown, who, reason)
        for action in actions:
            child = game.next(state, action)
            if child not in known and len(known) < limit:
                known.add(child)
                waiting.append(child)
            cut |= child not in known
    if cut and game.zero_sum:
        return Ties(True, count, reason="zero sum")
    if cut:
        return Ties(None, count, reason=f"no tie among the {count:,} ends of {limit:,} states")
    return Ties(True, count, reason=f"all {count:,} ends are told apart")


def _tie(game: AnyGame, state: Any, ends: dict[Hashable, tuple[Hashable, Any]]) -> Any:
    """Return a player to whom this end is as good as a different one, and that one; or None."""
    outcome = tuple(game.outcome(state))
    score = tuple(map(rounded, game.score(state)))
    for who in range(game.players):
        result, other = ends.setdefault((who, outcome[who], score[who]), ((outcome, score), state))
        if result != (outcome, score):
            return who, other
    return None
