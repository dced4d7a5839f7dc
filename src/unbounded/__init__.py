# SPDX-License-Identifier: MIT
"""Solve, play and explore perfect-information games of any number of players.

>>> import unbounded as ub
>>> ub.solve("tic-tac-toe").outcome
(0, 0)
"""

from __future__ import annotations

TYPE_CHECKING = False  # `typing` takes longer to import than all the rest of this module
if TYPE_CHECKING:
    from typing import Any

    from unbounded.conformance.check import check_game
    from unbounded.game import (
        Game,
        RecordGame,
        RuleError,
        Rules,
        UnboundedError,
        UsageError,
        record,
    )
    from unbounded.game.catalogue import games, load_game
    from unbounded.game.position import Position
    from unbounded.game.wrappers import horizon
    from unbounded.learning.decisive_sets import decisive_positions
    from unbounded.players.matches import Match, play_match
    from unbounded.search.analysis import analyze
    from unbounded.search.explanations import why
    from unbounded.search.options import SearchOptions
    from unbounded.search.result import Interrupted, Result
    from unbounded.search.search import Search
    from unbounded.solving.certificate import certify
    from unbounded.solving.solve import solve
    from unbounded.solving.table import export, query
    from unbounded.solving.verification import verify

    __version__: str

__all__ = [
    "Game",
    "Interrupted",
    "Match",
    "Position",
    "RecordGame",
    "Result",
    "RuleError",
    "Rules",
    "Search",
    "SearchOptions",
    "UnboundedError",
    "UsageError",
    "__version__",
    "analyze",
    "certify",
    "check_game",
    "decisive_positions",
    "export",
    "games",
    "horizon",
    "load_game",
    "play_match",
    "query",
    "record",
    "solve",
    "verify",
    "why",
]

# Names are imported when they are first used: the command line handles Ctrl-C before any slow
# import, and naming a game or asking for help does not need the compiled core.
_WHERE = {
    "Game": "unbounded.game",
    "Interrupted": "unbounded.search.result",
    "Match": "unbounded.players.matches",
    "Position": "unbounded.game.position",
    "RecordGame": "unbounded.game",
    "Result": "unbounded.search.result",
    "RuleError": "unbounded.game",
    "Rules": "unbounded.game",
    "Search": "unbounded.search.search",
    "SearchOptions": "unbounded.search.options",
    "UnboundedError": "unbounded.game",
    "UsageError": "unbounded.game",
    "__version__": "unbounded.version",
    "analyze": "unbounded.search.analysis",
    "certify": "unbounded.solving.certificate",
    "check_game": "unbounded.conformance.check",
    "decisive_positions": "unbounded.learning.decisive_sets",
    "export": "unbounded.solving.table",
    "games": "unbounded.games",
    "horizon": "unbounded.game.wrappers",
    "load_game": "unbounded.game.catalogue",
    "play_match": "unbounded.players.matches",
    "query": "unbounded.solving.table",
    "record": "unbounded.game",
    "solve": "unbounded.solving.solve",
    "verify": "unbounded.solving.verification",
    "why": "unbounded.search.explanations",
}


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module 'unbounded' has no attribute {name!r}")
    from importlib import import_module

    module = import_module(_WHERE[name])
    if name == "games":  # the package of that name, which can be called
        return module
    value = getattr(module, "VERSION" if name == "__version__" else name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
