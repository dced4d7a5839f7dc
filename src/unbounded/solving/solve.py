# SPDX-License-Identifier: MIT
"""`solve`: the proven value of a game or position, within a budget."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from unbounded.game import Game
from unbounded.result import Result
from unbounded.search import Search


def solve(
    game: Game[Any, Any] | str,
    *,
    seconds: float | None = None,
    iterations: int | None = None,
    states: int | None = None,
    memory: int | str | None = None,
    progress: Callable[[Search], None] | None = None,
    canonical: bool = True,
    **options: Any,
) -> Result:
    """Search from the start of a game (or after `moves`) until its outcome is proven.

    The options are those of `Search`, the budget that of `Search.run`. Positions that are the same
    up to symmetry are stored as one, except in paper mode.
    """
    search = Search(game, canonical=canonical and not options.get("paper", False), **options)
    return search.run(
        seconds=seconds, iterations=iterations, states=states, memory=memory, progress=progress
    )
