# SPDX-License-Identifier: MIT
"""The limits of a run: seconds, iterations, states, memory."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from unbounded.game import UsageError, require
from unbounded.search.descriptions import option
from unbounded.search.options import SearchOptions
from unbounded.storage.memory import MOST_MEMORY, free_memory

LIMITS = "Limits"
_UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}
_DEFAULT_SHARE = 0.7
"""The share of the free memory that is the default limit, so that the machine stays usable."""


@dataclass(frozen=True, repr=False)
class Budget:
    """The limits of one run; None means no limit."""

    seconds: float | None = option(None, "Stop after T seconds.", group=LIMITS, metavar="T")
    iterations: int | None = option(None, "Stop after N iterations.", group=LIMITS, metavar="N")
    states: int | None = option(
        None, "Stop after N more states, stored or visited by probes.", group=LIMITS, metavar="N"
    )
    memory: int | str | None = option(
        None,
        "Memory limit, such as 4G or 512M. Default: 70 % of the free memory.",
        group=LIMITS,
        metavar="SIZE",
    )

    def __post_init__(self) -> None:
        for name in ("iterations", "states"):
            value = getattr(self, name)
            if value is None:
                continue
            if isinstance(value, bool) or not isinstance(value, int) or value < 0:
                raise UsageError(f"`{name}` must be a whole number, 0 or more, not {value!r}")
        if self.seconds is not None:
            good = isinstance(self.seconds, (int, float)) and not isinstance(self.seconds, bool)
            require(
                good and math.isfinite(self.seconds) and self.seconds >= 0,
                f"`seconds` must be a number, 0 or more, not {self.seconds!r}",
            )
        if self.memory is not None:
            object.__setattr__(self, "memory", parse_memory(self.memory))

    def __repr__(self) -> str:
        given = [f"{name}={value!r}" for name, value in vars(self).items() if value is not None]
        return f"Budget({', '.join(given)})"

    @property
    def surely_ends(self) -> bool:
        """Whether a run must end, even if it stores and proves nothing new."""
        return self.seconds is not None or self.iterations is not None

    def check_ends(self, options: SearchOptions) -> None:
        """Refuse a run that may never end."""
        require(
            options.surely_resolves or self.surely_ends,
            "without completion, or with `stop_at_draw`, the root may never be resolved: "
            "give `seconds` or `iterations`",
        )

    def memory_limit(self, used: int) -> int:
        """The limit in bytes: the given one, or `used` plus a share of the free memory."""
        if self.memory is None:
            return used + int(free_memory() * _DEFAULT_SHARE)
        return parse_memory(self.memory)


def parse_memory(amount: int | str) -> int:
    """Read an amount of memory: bytes, or `4G`, `512M`, `100k` (powers of 1024)."""
    if isinstance(amount, int) and not isinstance(amount, bool):
        require(amount >= 0, f"`memory` must be 0 or more, not {amount}")
        return min(amount, MOST_MEMORY)
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([kmgt]?)(?:i?b)?\s*", str(amount).lower())
    if match is None or isinstance(amount, bool) or not isinstance(amount, str):
        raise UsageError(f"`memory` must be bytes or like 4G or 512M, not {amount!r}")
    return min(int(float(match[1]) * _UNITS[match[2]]), MOST_MEMORY)
