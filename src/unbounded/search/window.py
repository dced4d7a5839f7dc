# SPDX-License-Identifier: MIT
"""The window of a run: between which worths the first player's worth matters, as in alpha-beta."""

from __future__ import annotations

import ctypes
import math
from typing import Any

from unbounded.game import UsageError, require
from unbounded.search.options import SearchOptions

Worth = tuple[int, float]
"""An outcome (-1, 0 or 1) and a score, compared in this order."""
Window = tuple[Worth, Worth]
"""A lower and an upper end."""


def checked_window(window: Any, options: SearchOptions) -> Window | None:
    """The window as the core takes it: scores as 32-bit floats; None for a run without one."""
    if window is None:
        return None
    require(
        options.zero_sum and options.bounds,
        "`window` needs bounds, two players and zero sum: only then does a search prove bounds of "
        "one worth. Make the search with `bounds=True`, or give no window",
    )
    try:
        low, high = window
    except (TypeError, ValueError):
        raise UsageError(
            "`window` must be two worths, like ((-1, 0), (1, 0)): the outcome and the score of "
            f"its lower end, then those of its upper end; not {window!r}"
        ) from None
    low, high = _worth(low), _worth(high)
    ends = (low, high) if options.exact_score else (low[:1], high[:1])
    require(
        ends[0] < ends[1],
        f"the lower end of `window` must be below its upper end, not {window!r}"
        + ("" if options.exact_score else ". Scores count only with `exact_score`"),
    )
    return low, high


def _worth(given: Any) -> Worth:
    try:
        outcome, score = given
        good = outcome in (-1, 0, 1) and not math.isnan(score)
    except (TypeError, ValueError, OverflowError):
        good = False
    if not good:
        raise UsageError(
            "an end of `window` must be an outcome (-1, 0 or 1) and a score (a number), like "
            f"(1, 0.0), not {given!r}"
        )
    return int(outcome), ctypes.c_float(score).value
