# SPDX-License-Identifier: MIT
"""From results to ratings: Elo for any number of players, with intervals, and the SPRT.

Elo is logistic: a difference of 400 is ten points to one. A game of n players counts as its pairs:
who came out better (outcome, then score) beat the other. The Bradley-Terry model is fitted to the
pairs. How sure the ratings are is said by openings, each with all its seatings, since games from
one opening, and pairs of one game, are not independent.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from unbounded.game import require
from unbounded.players.matches.likelihood import EMPTY, Numbers, caution, log_likelihood

PER_UNIT = 400 / math.log(10)
FARTHEST = 2000.0
"""A rating that is as good as infinite."""
_LIMIT = 1.959964**2 / 2
"""The limit of the logarithm of a likelihood ratio, for 95 %."""
_HALVINGS = 20
_ROUNDS = 200
_STRIDE, _PRECISION = 2.0, 1e-9
_PRIOR = 0.5
"""The weight of an added draw between any two: keeps ratings finite where one won everything."""

Pair = tuple[int, int, float]
"""Two contestants, and what the first got: 1, 0.5 or 0."""


@dataclass(frozen=True)
class Rating:
    """A strength in Elo, the mean of all being 0."""

    elo: float
    low: float
    high: float
    """The interval that holds it with 95 %; infinite where nothing limits it."""

    def times(self, factor: float) -> Rating:
        """On another scale."""
        return Rating(factor * self.elo, factor * self.low, factor * self.high)


def limited(data: Any) -> Any:
    """Put None for every number without limit, in plain values: JSON has no infinity."""
    if isinstance(data, dict):
        return {key: limited(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return type(data)(limited(value) for value in data)
    return None if isinstance(data, float) and math.isinf(data) else data


def pairs_of(places: Sequence[int], results: Sequence[tuple[int, float]]) -> list[Pair]:
    """Compare all pairs in a game; `places` has the contestant of each seat."""
    found = []
    for i in range(len(places)):
        for j in range(i + 1, len(places)):
            if places[i] != places[j]:
                got = 0.5 if results[i] == results[j] else float(results[i] > results[j])
                found.append((places[i], places[j], got))
    return found


def ratings(openings: Sequence[Sequence[Pair]], contestants: int) -> list[Rating]:
    """Rate the contestants by the pairs of all games from each opening."""
    elo = fit([pair for opening in openings for pair in opening], contestants)
    asked = range(contestants) if contestants > 2 else [0]
    ends = [_interval(openings, contestants, k) for k in asked]
    if contestants == 2:  # what one is above the mean, the other is below
        ends.append((-ends[0][1], -ends[0][0]))
    return [Rating(x, min(low, x), max(high, x)) for x, (low, high) in zip(elo, ends, strict=True)]


def _interval(
    openings: Sequence[Sequence[Pair]], contestants: int, who: int
) -> tuple[float, float]:
    """Return between which ratings a contestant is, the others being what fits each best."""
    rows = [row for row in (_row(opening, contestants, who) for opening in openings) if any(row)]
    if not rows:
        return -math.inf, math.inf
    points = _points([pair for opening in openings for pair in opening], contestants)
    kinds, counts = np.unique(np.array(rows), axis=0, return_counts=True)
    got, met = kinds[:, 0], kinds[:, 1:]
    most = met[met.sum(1).argmax()]
    counts = np.append(counts, (EMPTY, EMPTY))
    strength = _fitted(points, np.zeros(contestants))
    best = _log_of_model(points, strength)

    def deviations(at: float) -> Numbers:
        """How much better than expected it did from each opening, if this is its rating."""
        nonlocal strength  # a good start for the next fit
        strength = _fitted(points, strength, held=(who, at / PER_UNIT))
        odds = np.exp(strength - strength[who])
        share, rest = 1 / (1 + odds), odds / (1 + odds)
        return np.append(got - met @ share, (-most @ share, most @ rest))

    def likely(at: float) -> bool:
        ratio = log_likelihood(counts, deviations(at))
        # Nor can an opening count for less than if it were won or lost as a whole.
        least = (_log_of_model(points, strength) - best) / most.sum()
        return bool(caution(len(rows)) * min(float(ratio), least) >= -_LIMIT)

    seen = _boundary(lambda at: float(counts @ deviations(at)) > 0, -FARTHEST, FARTHEST)
    ends = [
        math.copysign(math.inf, far) if likely(far) else _boundary(likely, seen, far)
        for far in (-FARTHEST, FARTHEST)
    ]
    return ends[0], ends[1]


def _row(opening: Sequence[Pair], contestants: int, who: int) -> list[float]:
    """What one contestant got, and how often it met each."""
    row = [0.0] * (1 + contestants)
    for i, j, got in opening:
        if who in (i, j):
            row[0] += got if i == who else 1 - got
            row[1 + (j if i == who else i)] += 1
    return row


def _boundary(holds: Callable[[float], bool], inside: float, outside: float) -> float:
    """Return where it stops to hold, by halving."""
    for _ in range(_HALVINGS):
        middle = (inside + outside) / 2
        inside, outside = (middle, outside) if holds(middle) else (inside, middle)
    return inside


def fit(pairs: Sequence[Pair], contestants: int) -> list[float]:
    """Return the Elo that makes the results most likely."""
    fitted = _fitted(_points(pairs, contestants), np.zeros(contestants))
    return [PER_UNIT * float(x) for x in fitted]


def _points(pairs: Sequence[Pair], contestants: int) -> Numbers:
    """Who got how many points against whom."""
    points = np.zeros((contestants, contestants))
    for i, j, got in pairs:
        points[i, j] += got
        points[j, i] += 1 - got
    return points


def _log_of_model(points: Numbers, strength: Numbers) -> float:
    """How likely the points are, by the model, as a logarithm."""
    return -float(np.sum(points * np.logaddexp(0, strength[None, :] - strength[:, None])))


def _fitted(points: Numbers, start: Numbers, held: tuple[int, float] | None = None) -> Numbers:
    """Return the strengths of mean 0 that fit best, one of them held if need be (Newton's method).

    Strengths are logarithms of odds: Elo in another unit.
    """
    count = len(points)
    won = points + _PRIOR / 2 * (1 - np.eye(count))
    free = np.eye(count) - 1 / count
    strength = start
    if held is not None:
        who, at = held
        others = 1 - np.eye(count)[who]
        free = np.diag(others) - np.outer(others, others) / (count - 1)
        strength = free @ start - others * at / (count - 1) + at * (1 - others)
    games = won + won.T
    for _ in range(_ROUNDS):
        share = 1 / (1 + np.exp(strength[None, :] - strength[:, None]))
        bend = games * share * (1 - share)
        bend = np.diag(bend.sum(1)) - bend
        step = np.linalg.pinv(free @ bend @ free) @ free @ (won - games * share).sum(1)
        far = float(np.abs(step).max())
        strength = strength + step / max(1.0, far / _STRIDE)
        if far < _PRECISION:
            break
    return strength


# -- stopping early --------------------------------------------------------------------------------


def expected(elo: float) -> float:
    """What a player gets on average against one who is weaker by so much."""
    return 1 / (1 + 10 ** (-elo / 400))


@dataclass(frozen=True)
class Sprt:
    """A sequential test of whether the first is stronger by `elo1`, or only by `elo0`.

    The generalized test of Wald's: the likelihood of the results if the first gets on average what
    `elo1` says, against that for `elo0`, all else being as likely as it can be. A result is what
    the first got from one opening in all its seatings: 0, 1/4, 1/2, 3/4 or 1 where two meet in two
    games, so the test is pentanomial; trinomial where the results are those of single games.
    """

    elo0: float
    elo1: float
    error: float = 0.05
    """How often it may be wrong, either way."""

    def __post_init__(self) -> None:
        finite = math.isfinite(self.elo0) and math.isfinite(self.elo1)
        require(
            finite and self.elo0 < self.elo1,
            f"the sequential test needs two Elo, the lower one first, not {self.elo0:g} and "
            f"{self.elo1:g}",
        )
        require(0 < self.error < 0.5, f"error must be between 0 and 0.5, not {self.error}")

    @property
    def limit(self) -> float:
        """What the ratio must come to, above 0 or below."""
        return math.log((1 - self.error) / self.error)

    def ratio(self, results: Sequence[float]) -> float:
        """Return the logarithm of the likelihood ratio after these results, each in 0 to 1."""
        if not results:
            return 0.0
        values, counts = np.unique(np.array([0.0, 1.0, *results]), return_counts=True)
        counts[[0, -1]] -= 1  # the ends are possible, seen or not
        return float(self.ratios(counts, values))

    def ratios(self, counts: Any, values: Any) -> Numbers:
        """Return the same for counts of results, of many matches at once if need be."""
        high, low = (log_likelihood(counts, values - expected(x)) for x in (self.elo1, self.elo0))
        return np.asarray(caution(np.sum(counts, -1)) * (high - low))

    def verdict(self, results: Sequence[float]) -> str | None:
        """Return "H1" (stronger), "H0" (not so), or None: go on."""
        ratio = self.ratio(results)
        return "H1" if ratio >= self.limit else "H0" if ratio <= -self.limit else None
