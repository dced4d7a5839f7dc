# SPDX-License-Identifier: MIT
"""`solve`: the proven value of a game or position, within a budget."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any

from unbounded import native
from unbounded.game import Game
from unbounded.game.position import Position, start_of
from unbounded.search.checkpoints import Autosave
from unbounded.search.result import Result
from unbounded.search.search import Search

_VARIANTS = ("paper", "resolve_on_win", "stop_at_draw", "local_maximum")
"""Options that say how the paper resolves a state: shortcuts would resolve it earlier."""


def solve(
    game: Game[Any, Any] | str | Position,
    *,
    seconds: float | None = None,
    iterations: int | None = None,
    states: int | None = None,
    memory: int | str | None = None,
    progress: Callable[[Search], None] | None = None,
    save: Autosave | str | os.PathLike[str] | None = None,
    **options: Any,
) -> Result:
    """Search from a position, or the start of a game, until its outcome is proven.

    The options are those of `Search`, the budget that of `Search.run`. Every shortcut that fits is
    taken (`shortcuts`) unless an option says otherwise; paper mode takes none.
    """
    found, moves = start_of(game, options.pop("moves", None) or ())
    chosen = shortcuts(found, options, counted=iterations is not None)
    search = Search(found, moves=moves, **chosen)
    return search.run(
        seconds=seconds,
        iterations=iterations,
        states=states,
        memory=memory,
        progress=progress,
        save=save,
    )


def shortcuts(
    game: Game[Any, Any], options: Mapping[str, Any], *, counted: bool = False
) -> dict[str, Any]:
    """Add to the options of a search what proves a value soonest and is still exact.

    counted: iterations are limited. Then there are no probes unless they are asked for: they make
    every iteration longer than the one before.
    """
    variant = any(options.get(name) for name in _VARIANTS) or options.get("completion") is False
    best: dict[str, Any] = {"canonical": not options.get("paper", False)}
    if not variant and options.get("bounds") is not False:
        compiled = native.is_compiled(game) and not counted
        shareable = options.get("evaluation") in (None, "zero", "heuristic")
        best |= {"bounds": True, "probes": compiled}
        # Without probes the threads would only wait for each other.
        probing = compiled and options.get("probes") is not False
        best["threads"] = available_cores() if probing and shareable else 1
    return best | {name: value for name, value in options.items() if value is not None}


def available_cores() -> int:
    """How many processor cores this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # only Linux says
        return os.cpu_count() or 1
