# SPDX-License-Identifier: MIT
"""Prove every known value of every game on the shelf again, with times.

`python benchmarks/oracles.py [SECONDS]`: at most so long for one value (default 600).
"""

from __future__ import annotations

import sys
import time

from rich.console import Console
from rich.table import Table

import unbounded as ub
from unbounded.game import Known
from unbounded.game.catalogue import games


def known_values() -> list[Known]:
    """All of them, each once."""
    found = {}
    for cls in games().values():
        if cls.__module__.startswith("unbounded.games."):
            for value in cls().known_values:
                found[value.game] = value
    return list(found.values())


def verdict(known: Known, result: ub.Result) -> str:
    """Compare what was proven with what is known."""
    if not result.resolved:
        return "not proven in time"
    if result.outcome != known.outcome:
        return "WRONG"
    if known.score is not None and None not in result.score and result.score != known.score:
        return "WRONG score"
    return "as known"


def main(arguments: list[str]) -> int:
    """Prove, print, and fail if anything is wrong."""
    limit = float(arguments[0]) if arguments else 600.0
    console = Console()
    table = Table("game", "known", "proven", "seconds", "states", "verdict", "source")
    wrong = 0
    for known in known_values():
        started = time.perf_counter()
        result = ub.solve(known.game, seconds=limit)
        said = verdict(known, result)
        wrong += said.startswith("WRONG")
        spent = f"{time.perf_counter() - started:.1f}"
        row = (known.game, str(known.outcome), str(result.outcome), spent, f"{result.states:,}")
        table.add_row(*row, said, known.source)
        console.print(*row, said)
    console.print(table)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
