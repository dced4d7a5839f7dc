# SPDX-License-Identifier: MIT
"""Likelihood ratios for the mean of results, behind intervals and the sequential test.

Results are independent numbers of which nothing is known but that they lie between two ends. How
they are distributed beside their mean (how often a game is drawn, which seat is better) is
whatever makes them most likely: the multinomial likelihood with the mean held (Owen's empirical
likelihood; for games in pairs, what engine testers call pentanomial).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]

EMPTY = 1e-3
"""Stands for the count of a result that was not seen: it is possible all the same."""
_ROUNDS = 60
_PRECISION = 1e-9


def log_likelihood(counts: Any, deviations: Any) -> Numbers:
    """Return how likely the counts are if the deviations have mean 0, as the logarithm of a share.

    It is 0 where they have this mean anyway, and negative elsewhere. The last axis is that of the
    results; some deviation must be negative and some positive, the others in between.
    """
    counts, apart = np.broadcast_arrays(np.asarray(counts, float), np.asarray(deviations, float))
    counts = np.where(counts == 0, EMPTY, counts)
    # The likeliest shares are those seen, divided by 1 + tilt * deviation: none may be negative.
    low, high = -1 / apart.max(-1, keepdims=True), -1 / apart.min(-1, keepdims=True)
    tilt = np.zeros_like(low)
    for _ in range(_ROUNDS):
        part = apart / (1 + tilt * apart)
        slope = np.sum(counts * part, -1, keepdims=True)
        low, high = np.where(slope > 0, tilt, low), np.where(slope > 0, high, tilt)
        step = tilt + slope / np.sum(counts * part * part, -1, keepdims=True)
        inside = (step > low) & (step < high)  # else Newton's step goes too far
        before, tilt = tilt, np.where(inside, step, (low + high) / 2)
        if np.all(np.abs(tilt - before) <= _PRECISION * (1 + np.abs(tilt))):
            break
    return np.asarray(-np.sum(counts * np.log1p(tilt * apart), -1))


def caution(number: Any) -> Any:
    """Return the factor for a likelihood ratio of this many results: below 1 if they are few.

    Ratios behave as in theory when there are many. For few, the factor was found by simulation
    (`benchmarks/sprt.py`), as the simplest that keeps both the intervals and the errors.
    """
    return (number + 2) / (number + 6)
