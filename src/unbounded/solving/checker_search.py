# SPDX-License-Identifier: MIT
"""The checker's own search, for claims that a certificate leaves to it.

Imports the package `game/` and the standard library only. Depth-first, in the order of the
actions, without any memory of the states that it has met: rule 5 of `docs/certificates.md`.
"""

from __future__ import annotations

from typing import Any

from unbounded.game import Game
from unbounded.solving.checker_format import CertificateError, Claim, Worth, as_float32, follows

DEEPEST = 400
Rows = frozenset[tuple[Worth, ...]]


class Search:
    """Searches below a state for what is claimed of it."""

    def __init__(
        self, game: Game[Any, Any], scores: bool, claim: Claim, *, of_mover: bool = False
    ) -> None:
        self.game, self.scores, self.claim, self.of_mover = game, scores, claim, of_mover
        self.most, self.made = claim.search or 0, 0  # successors

    def proves_claim(self, state: Any) -> bool:
        """Whether the claim holds at a state where the game is not over."""
        if self.claim.relation == "=":
            return self.claim.worth in self.equilibria(state, 0)
        if self.of_mover:  # of an equilibrium, and not of the first player
            mover, least = self.game.player(state), self.claim.worth[0]
            return any(row[mover] >= least for row in self.equilibria(state, 0))
        return self.holds(state, 0)

    def holds(self, state: Any, depth: int) -> bool:
        """Whether a bound holds: where the player moves who claims it, below one action at least.

        Where the other player moves, below every action.
        """
        chooses = (self.claim.relation == ">=") == (self.game.player(state) == 0)
        going_on = []
        for child, over in self.successors(state, depth):
            if not over:
                going_on.append(child)
            elif follows(self.claim, end_of(self.game, child, self.scores)) == chooses:
                return chooses
        for child in going_on:
            if self.holds(child, depth + 1) == chooses:
                return chooses
        return not chooses

    def equilibria(self, state: Any, depth: int) -> Rows:
        """Return all that the players can get in a subgame-perfect equilibrium."""
        mover = self.game.player(state)
        found: list[Rows] = []
        for child, over in self.successors(state, depth):
            if over:
                found.append(frozenset([end_of(self.game, child, self.scores)]))
            else:
                found.append(self.equilibria(child, depth + 1))
        # Whatever the mover plays instead, the others may follow the equilibrium worst for it.
        least = max(min(row[mover] for row in rows) for rows in found)
        return frozenset(row for rows in found for row in rows if row[mover] >= least)

    def successors(self, state: Any, depth: int) -> list[tuple[Any, bool]]:
        """Make all successors of a state, each with whether the game is over there."""
        actions = list(self.game.actions(state))
        if depth >= DEEPEST:
            raise CertificateError(f"the search goes deeper than {DEEPEST} states")
        self.made += len(actions)
        if self.made > self.most:
            raise CertificateError(f"the search needs more than {self.most} successors")
        children = [self.game.next(state, action) for action in actions]
        # Their actions are listed again where they are searched: kept, they could take much memory.
        return [(child, len(self.game.actions(child)) == 0) for child in children]


def end_of(game: Game[Any, Any], state: Any, scores: bool) -> tuple[Worth, ...]:
    """Return the worths where the game is over."""
    outcome = [int(x) for x in game.outcome(state)]
    points = game.score(state) if scores else [0.0] * len(outcome)
    return tuple((x, as_float32(float(y))) for x, y in zip(outcome, points, strict=True))
