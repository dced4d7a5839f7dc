# SPDX-License-Identifier: MIT
"""From results to ratings: Elo for any number of players, with intervals, and the SPRT.

A game of n players counts as its pairs: who came out better (outcome, then score) beat the other.
The Bradley-Terry model is fitted to the pairs; the games themselves are drawn again and again to
say how sure the ratings are, since the pairs of one game are not independent.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

PER_UNIT = 400 / math.log(10)
RESAMPLES = 400
_ROUNDS = 200
_PRIOR = 0.5
"""Of a drawn game between any two: keeps a rating finite where one has won everything."""

Pair = tuple[int, int, float]
"""Two contestants, and what the first got: 1, 0.5 or 0."""


@dataclass(frozen=True)
class Rating:
    """A strength in Elo, the mean of all being 0."""

    elo: float
    low: float
    high: float
    """The interval that holds it with 95 %."""


def pairs_of(places: Sequence[int], results: Sequence[tuple[int, float]]) -> list[Pair]:
    """Compare everybody with everybody in a game; `places` says which contestant sat where."""
    found = []
    for i in range(len(places)):
        for j in range(i + 1, len(places)):
            if places[i] != places[j]:
                got = 0.5 if results[i] == results[j] else float(results[i] > results[j])
                found.append((places[i], places[j], got))
    return found


def ratings(games: Sequence[Sequence[Pair]], contestants: int, seed: int = 0) -> list[Rating]:
    """Rate the contestants by the pairs of each game."""
    if not games:
        return [Rating(0.0, -math.inf, math.inf)] * contestants
    elo = fit([pair for game in games for pair in game], contestants)
    random = Random(seed)
    drawn = []
    for _ in range(RESAMPLES):
        again = random.choices(games, k=len(games))
        drawn.append(fit([pair for game in again for pair in game], contestants))
    rated = []
    for k in range(contestants):
        sample = sorted(x[k] for x in drawn)
        low, high = sample[int(0.025 * RESAMPLES)], sample[int(0.975 * RESAMPLES) - 1]
        rated.append(Rating(elo[k], min(low, elo[k]), max(high, elo[k])))
    if contestants == 2 and len({_points_of_first(game) for game in games}) == 1:
        return _all_alike(rated, len(games))
    return rated


def _points_of_first(game: Sequence[Pair]) -> float:
    return sum(got if first == 0 else 1 - got for first, _, got in game) / max(1, len(game))


def _all_alike(rated: Sequence[Rating], games: int) -> list[Rating]:
    """The interval where one has won every game: drawing them again would say nothing.

    A player who gets less than 0.025^(1/n) of the points wins n games in a row too seldom.
    """
    least = 0.025 ** (1 / games)
    margin = PER_UNIT * math.log(least / (1 - least)) / 2
    better = max(range(2), key=lambda k: rated[k].elo)
    if rated[better].elo <= 0:  # all were drawn
        return list(rated)
    elo = rated[better].elo
    low = min(margin, elo)
    return [Rating(elo, low, elo) if k == better else Rating(-elo, -elo, -low) for k in range(2)]


def fit(pairs: Sequence[Pair], contestants: int) -> list[float]:
    """Return the Elo that makes the results most likely (Hunter's MM algorithm)."""
    won = [[_PRIOR / 2 if i != j else 0.0 for j in range(contestants)] for i in range(contestants)]
    for i, j, got in pairs:
        won[i][j] += got
        won[j][i] += 1 - got
    strength = [1.0] * contestants
    for _ in range(_ROUNDS):
        before = list(strength)
        for i in range(contestants):
            weight = sum(
                (won[i][j] + won[j][i]) / (strength[i] + strength[j])
                for j in range(contestants)
                if j != i
            )
            strength[i] = sum(won[i]) / weight if weight > 0 else 1.0
        mean = math.exp(sum(map(math.log, strength)) / contestants)
        strength = [x / mean for x in strength]
        if max(abs(math.log(a / b)) for a, b in zip(strength, before, strict=True)) < 1e-9:
            break
    return [PER_UNIT * math.log(x) for x in strength]


# -- stopping early --------------------------------------------------------------------------------


def expected(elo: float) -> float:
    """What a player gets on average against one who is weaker by so much."""
    return 1 / (1 + 10 ** (-elo / 400))


@dataclass(frozen=True)
class Sprt:
    """A sequential test of whether the first is stronger by `elo1`, or only by `elo0`.

    The likelihood ratio of the two, by a normal approximation to the mean result of a game.
    """

    elo0: float
    elo1: float
    error: float = 0.05
    """How often it may be wrong, either way."""

    def ratio(self, results: Sequence[float]) -> float:
        """Return the logarithm of the likelihood ratio after these results."""
        count = len(results)
        mean = sum(results) / count if count else 0.5
        spread = sum((x - mean) ** 2 for x in results) / count if count else 0.0
        # A result that never varies says little about how it would.
        variance = max(spread, 0.25 / (count + 1))
        low, high = expected(self.elo0), expected(self.elo1)
        return count * (high - low) * (mean - (low + high) / 2) / variance

    def verdict(self, results: Sequence[float]) -> str | None:
        """Return "H1" (stronger), "H0" (not so), or None: go on."""
        limit = math.log((1 - self.error) / self.error)
        ratio = self.ratio(results)
        return "H1" if ratio >= limit else "H0" if ratio <= -limit else None
