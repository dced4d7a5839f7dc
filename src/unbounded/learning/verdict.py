# SPDX-License-Identifier: MIT
"""Does it learn? One plain verdict from what was measured."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from unbounded.learning.measuring import Measurement

FIRST = "the first network"
"""How the network that a run began with is called among opponents."""


@dataclass(frozen=True)
class Versus:
    """The result of a match of the trained network, with its 95 % interval."""

    opponent: str
    """Such as "the first network", "the heuristic" or "MCTS"."""
    score: float
    """Share of the points, from 0 to 1; 0.5, or 1 / players, for equal players."""
    low: float
    high: float
    games: int
    even: float = 0.5
    """The score of an equal player."""

    @property
    def trend(self) -> int:
        """1 where the interval says that it is stronger, -1 weaker, 0 where it says neither."""
        return (self.low > self.even) - (self.high < self.even)


@dataclass(frozen=True)
class Change:
    """How much more often moves keep the value after training than before."""

    before: float
    after: float
    low: float
    """With `high`, the interval in which the difference lies with 95 % confidence."""
    high: float
    positions: int

    @property
    def trend(self) -> int:
        """1 where the interval says better, -1 worse, 0 where it says neither."""
        return (self.low > 0) - (self.high < 0)


def change(before: Measurement, after: Measurement) -> Change | None:
    """Compare two measurements on the same positions; None where nothing was measured."""
    x, y = before.value_keeping, after.value_keeping
    count = min(before.positions, after.positions)
    if x is None or y is None or count == 0:
        return None
    # Each share as if there were one more success and one more failure, so that a share of 0 or 1
    # of few positions is not taken for certain.
    variance = sum(_smoothed(s, count) * (1 - _smoothed(s, count)) / count for s in (x, y))
    wide = 1.96 * math.sqrt(variance)
    return Change(x, y, y - x - wide, y - x + wide, count)


def _smoothed(share: float, count: int) -> float:
    return (share * count + 1) / (count + 2)


def verdict(
    before: Measurement | None = None,
    after: Measurement | None = None,
    matches: Sequence[Versus] = (),
) -> str:
    """Say in words whether a run has learned anything, and how it does against others."""
    found = None if before is None or after is None else change(before, after)
    own = [match for match in matches if match.opponent == FIRST]
    others = [match for match in matches if match.opponent != FIRST]
    evidence = [*([] if found is None else [_of_change(found)]), *map(_of_match, own)]
    trends = [*([] if found is None else [found.trend]), *(match.trend for match in own)]
    sentences = [f"{_head(trends)}: {'; '.join(evidence)}." if evidence else _head(trends) + "."]
    if others:
        sentences.append(f"Against others: {'; '.join(map(_of_match, others))}.")
    return " ".join(sentences)


def _head(trends: Sequence[int]) -> str:
    if not trends:
        return "Nothing was measured that says whether it learns"
    if 1 in trends and -1 in trends:
        return "It learns one thing and loses another"
    if 1 in trends:
        return "It learns"
    return "It got worse" if -1 in trends else "No difference can be seen yet"


def _of_change(found: Change) -> str:
    return (
        f"{_percent(found.after)} of its moves keep the value, {_percent(found.before)} before "
        f"training ({found.positions} positions, difference {100 * found.low:+.1f} to "
        f"{100 * found.high:+.1f} points)"
    )


def _of_match(match: Versus) -> str:
    verb = {1: "it beats", 0: "it cannot be told apart from", -1: "it loses to"}[match.trend]
    return (
        f"{verb} {match.opponent} ({_percent(match.score)} of the points, {_percent(match.low)} to "
        f"{_percent(match.high)}, {match.games} games)"
    )


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"
