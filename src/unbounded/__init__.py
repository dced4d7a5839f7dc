# SPDX-License-Identifier: MIT
"""Solve, play and explore perfect-information games of any number of players.

>>> import unbounded as ub
>>> ub.solve("tic-tac-toe").outcome
(0, 0)
"""

from __future__ import annotations

TYPE_CHECKING = False  # instead of importing `typing`, which is slow, too
if TYPE_CHECKING:
    from typing import Any

    from unbounded.game import (
        Game,
        RecordGame,
        RuleError,
        Rules,
        UnboundedError,
        UsageError,
        record,
    )
    from unbounded.game.catalogue import load_game
    from unbounded.game.position import Position
    from unbounded.game.wrappers import horizon
    from unbounded.search.analysis import analyze
    from unbounded.search.options import SearchOptions
    from unbounded.search.result import Interrupted, Result
    from unbounded.search.search import Search
    from unbounded.solving.solve import solve

__all__ = [
    "Game",
    "Interrupted",
    "Position",
    "RecordGame",
    "Result",
    "RuleError",
    "Rules",
    "Search",
    "SearchOptions",
    "UnboundedError",
    "UsageError",
    "analyze",
    "horizon",
    "load_game",
    "record",
    "solve",
]

# All of it is imported when it is first used: the command line takes over Ctrl-C before anything
# slow, and naming a game or asking for help does not need the compiled core.
_WHERE = {
    "Game": "unbounded.game",
    "Interrupted": "unbounded.search.result",
    "Position": "unbounded.game.position",
    "RecordGame": "unbounded.game",
    "Result": "unbounded.search.result",
    "RuleError": "unbounded.game",
    "Rules": "unbounded.game",
    "Search": "unbounded.search.search",
    "SearchOptions": "unbounded.search.options",
    "UnboundedError": "unbounded.game",
    "UsageError": "unbounded.game",
    "analyze": "unbounded.search.analysis",
    "horizon": "unbounded.game.wrappers",
    "load_game": "unbounded.game.catalogue",
    "record": "unbounded.game",
    "solve": "unbounded.solving.solve",
}


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module 'unbounded' has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(_WHERE[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
