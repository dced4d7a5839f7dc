# SPDX-License-Identifier: MIT
"""What claims say about a position, and what follows for the position above it.

`Bounds` is for two players with zero sum: the first player's worth lies between two worths. `Row`
is for any number of players: the worths of an equilibrium. Both are pure: no graph, no files.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from unbounded.game import Game
from unbounded.solving import checker_format
from unbounded.solving.checker_format import CertificateError, Claim, Worth, as_float32


class ContradictionError(Exception):
    """Claims that cannot all be true, and where that shows: a position, as far as it is known."""

    def __init__(self, key: bytes | None = None, node: Any = None) -> None:
        """node: of the graph, whose value follows from those below it."""
        super().__init__()
        self.key, self.node = key, node


@dataclass(frozen=True)
class Bounds:
    """The least and the most that the position can be worth to the first player."""

    low: Worth
    high: Worth

    @property
    def settled(self) -> bool:
        """Whether the worth is known."""
        return self.low == self.high

    def meet(self, other: Bounds) -> Bounds:
        """Both at once."""
        met = Bounds(max(self.low, other.low), min(self.high, other.high))
        if met.low > met.high:
            raise ContradictionError
        return met

    def for_mover(self, player: int) -> tuple[Worth, Worth]:
        """The same as the player sees it."""
        if player == 0:
            return self.low, self.high
        return opposite(self.high), opposite(self.low)


def opposite(worth: Worth) -> Worth:
    """The second player's worth."""
    return -worth[0], -worth[1] + 0.0


Row = tuple[Worth, ...]
Fact = Bounds | Row | None
"""What is known of a position: bounds; or an equilibrium, None where it is not known."""


class Scale:
    """The worths that a game can have, and what is known of a position beforehand."""

    def __init__(self, game: Game[Any, Any], *, scores: bool) -> None:
        self.players = game.players
        self.zero_sum = game.players == 2 and game.zero_sum
        self.scores = scores
        best = game.best_scores
        self.best: Row = tuple(
            (1, as_float32(math.inf if best is None else best[p]) if scores else 0.0)
            for p in range(game.players)
        )
        self._game = game

    @property
    def unknown(self) -> Fact:
        """What is known of any position."""
        return Bounds(opposite(self.best[1]), self.best[0]) if self.zero_sum else None

    def settled(self, fact: Fact) -> bool:
        """Whether nothing is left to prove."""
        return fact.settled if isinstance(fact, Bounds) else fact is not None

    def of_end(self, state: Any) -> Fact:
        """What the rules say where the game is over."""
        outcome = [int(x) for x in self._game.outcome(state)]
        scores = self._game.score(state) if self.scores else [0.0] * len(outcome)
        row = tuple((x, as_float32(float(y))) for x, y in zip(outcome, scores, strict=True))
        return Bounds(row[0], row[0]) if self.zero_sum else row

    def of_claim(self, claim: Claim) -> Fact:
        """What a claim says."""
        if claim.relation == "=":
            return claim.worth
        unknown = self.unknown
        assert isinstance(unknown, Bounds)
        if claim.relation == ">=":
            return Bounds(claim.worth[0], max(unknown.high, claim.worth[0]))
        return Bounds(min(unknown.low, claim.worth[0]), claim.worth[0])

    def both(self, one: Fact, other: Fact) -> Fact:
        """What two facts say together; of two equilibria, the first one."""
        if isinstance(one, Bounds) and isinstance(other, Bounds):
            return one.meet(other)
        return other if one is None else one

    def above(self, mover: int, children: Sequence[Fact]) -> Fact:
        """What follows for a position from what is known of all positions after it."""
        if self.zero_sum:
            return self._bounds_above(mover, children)
        rows = [row for row in children if isinstance(row, tuple)]
        best = max(rows, key=lambda row: row[mover], default=None)
        return best if best is not None and self.supports(mover, children, best) else None

    def supports(self, mover: int, children: Sequence[Fact], row: Row) -> bool:
        """Whether equilibria of the positions after a position make this one of its own."""
        rows = [fact for fact in children if isinstance(fact, tuple)]
        if row not in rows:
            return False
        if row[mover] >= self.best[mover]:
            return True
        return len(rows) == len(children) and all(row[mover] >= other[mover] for other in rows)

    def _bounds_above(self, mover: int, children: Iterable[Fact]) -> Bounds:
        seen = [fact.for_mover(mover) for fact in children if isinstance(fact, Bounds)]
        low, high = max(low for low, _ in seen), max(high for _, high in seen)
        return Bounds(low, high) if mover == 0 else Bounds(opposite(high), opposite(low))


def answers(fact: Fact, window: tuple[Worth, Worth] | None) -> bool:
    """Whether a question is answered; None: the whole value is asked for."""
    if not isinstance(fact, Bounds):
        return fact is not None
    if window is None or fact.settled:
        return fact.settled
    return fact.low >= window[1] or fact.high <= window[0]


# -- texts ----------------------------------------------------------------------------------------


def claim_texts(fact: Fact, scale: Scale) -> tuple[str, ...]:
    """The claims that a fact consists of, without those that hold of any position."""
    if not isinstance(fact, Bounds):
        return () if fact is None else (f"={row_text(fact, scores=scale.scores)}",)
    unknown = scale.unknown
    assert isinstance(unknown, Bounds)
    said = []
    if fact.low > unknown.low:
        said.append(f">={row_text((fact.low,), scores=scale.scores)}")
    if fact.high < unknown.high:
        said.append(f"<={row_text((fact.high,), scores=scale.scores)}")
    return tuple(said)


def text_of(claim: Claim, scale: Scale) -> str:
    """A claim as the first line of a certificate has it."""
    return claim.relation + row_text(claim.worth, scores=scale.scores)


def row_text(row: Row, *, scores: bool) -> str:
    """Worths as certificates write them."""
    return ",".join(f"{won}:{points:.9g}" if scores else f"{won}" for won, points in row)


def read_claim(text: str, scale: Scale) -> Claim:
    """Read what `claim_texts` has written; raises `CertificateError`."""
    kind = "bounds" if scale.zero_sum else "equilibrium"
    claim = checker_format.read_claim(text, kind, scale.scores)
    if not scale.zero_sum and len(claim.worth) != scale.players:
        raise CertificateError(f"{text[:80]!r} is not a claim about {scale.players} players")
    return claim
