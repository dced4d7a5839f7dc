# SPDX-License-Identifier: MIT
"""`solve`: the proven value of a game or position, within a budget."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from unbounded import native
from unbounded.evaluation import is_shareable
from unbounded.game import Game, require
from unbounded.game.position import Position, start_of
from unbounded.search.descriptions import taking
from unbounded.search.options import SearchOptions, variants_without
from unbounded.search.result import Result
from unbounded.search.running import Save, Until
from unbounded.search.search import Search
from unbounded.search.window import Window


@taking(SearchOptions)
def solve(
    game: Game[Any, Any] | str | Position | Search,
    *,
    seconds: float | None = None,
    iterations: int | None = None,
    states: int | None = None,
    memory: int | str | None = None,
    until: Until = "resolved",
    progress: Callable[[Search], None] | None = None,
    report_every: float = 0.2,
    save: Save = None,
    window: Window | None = None,
    moves: str | Sequence[str] = (),
    options: SearchOptions | None = None,
    **given: Any,
) -> Result:
    """Search from a position, or the start of a game, until its outcome is proven.

    The options are those of `Search`, the budget that of `Search.run`. Every shortcut that applies
    is taken (`shortcuts`) unless an option says otherwise; paper mode takes none. Given as
    `options=SearchOptions(...)`, they are used as they are. A `Search` can be given instead of a
    game, and is then run further.

    >>> import unbounded as ub
    >>> ub.solve("tic-tac-toe").outcome
    (0, 0)
    >>> ub.solve("connect-four(width=5,height=4)", moves="3 3", seconds=60).best_action
    '3'
    """
    if isinstance(game, Search):
        require(not (moves or options or given), "a search has its options already")
        search = game
    else:
        given |= {"moves": moves} | ({} if options is None else {"options": options})
        search = search_to_solve(game, given, counted=iterations is not None)
    return search.run(
        seconds=seconds,
        iterations=iterations,
        states=states,
        memory=memory,
        until=until,
        progress=progress,
        report_every=report_every,
        save=save,
        window=window,
    )


def search_to_solve(
    game: Game[Any, Any] | str | Position, options: Mapping[str, Any], *, counted: bool = False
) -> Search:
    """The search that `solve` runs; `counted` as in `shortcuts`."""
    given = dict(options)
    found, moves = start_of(game, given.pop("moves", None) or ())
    chosen = given if "options" in given else shortcuts(found, given, counted=counted)
    return Search(found, moves=moves, **chosen)


def shortcuts(
    game: Game[Any, Any], options: Mapping[str, Any], *, counted: bool = False
) -> dict[str, Any]:
    """Add to the options of a search what proves a value soonest and is still exact.

    counted: iterations are limited. Then probes are used only on request, because they make every
    iteration longer than the one before.
    """
    given = {name: value for name, value in options.items() if value is not None}
    # Bounds resolve states earlier than the paper's variants of resolving do.
    variants = variants_without("bounds")
    variant = any(x.is_set(given.get(x.name, x.default)) for x in variants)
    best: dict[str, Any] = {"canonical": not given.get("paper", False)}
    if not variant and given.get("bounds", True):
        compiled = native.is_compiled(game) and not counted
        shareable = is_shareable(game, given.get("evaluation", "zero"))
        best |= {"bounds": True, "probes": native.suits_probes(game) and not counted}
        # Without probes the threads would only wait for each other.
        probing = compiled and given.get("probes", True)
        best["threads"] = available_cores() if probing and shareable else 1
    return best | given


def available_cores() -> int:
    """How many processor cores this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on every system
        return os.cpu_count() or 1
