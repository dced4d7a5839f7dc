# SPDX-License-Identifier: MIT
"""`analyze`: what a search under a budget finds about every move of a position."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from unbounded.game import Game, require
from unbounded.game.position import Position
from unbounded.search.descriptions import taking
from unbounded.search.options import SearchOptions
from unbounded.search.result import Result
from unbounded.search.running import Save, Until
from unbounded.search.search import Search

DEFAULT_SECONDS = 10.0


@taking(SearchOptions)
def analyze(
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
    moves: str | Sequence[str] = (),
    options: SearchOptions | None = None,
    **given: Any,
) -> Result:
    """Search from a position, or the start of a game; return what is known of every action.

    `result.ranked_actions` has the actions, best first. Unlike `solve`, no shortcut is taken by
    default: shortcuts prove the outcome sooner by leaving other actions unexplored. Without a limit
    of seconds, iterations or states the search ends after 10 seconds. The options are those of
    `Search`; a `Search` can be given instead of a game, and is then run further.

    >>> import unbounded as ub
    >>> result = ub.analyze("tic-tac-toe", moves="a1 b2 b1", iterations=500)
    >>> [(found.action, found.outcome) for found in result.ranked_actions[:2]]
    [('c1', (0, 0)), ('a2', (1, -1))]
    """
    if isinstance(game, Search):
        require(not (moves or options or given), "a search has its options already")
        search = game
    else:
        search = Search(game, moves=moves, options=options, **given)
    if seconds is None and iterations is None and states is None:
        seconds = DEFAULT_SECONDS
    return search.run(
        seconds=seconds,
        iterations=iterations,
        states=states,
        memory=memory,
        until=until,
        progress=progress,
        report_every=report_every,
        save=save,
    )
