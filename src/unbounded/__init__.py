# SPDX-License-Identifier: MIT
"""Solve, play and learn perfect-information games of any number of players.

>>> import unbounded as ub
>>> ub.solve("tic-tac-toe").outcome
(0, 0)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from unbounded.catalogue import game
from unbounded.game import (
    Game,
    RecordGame,
    RuleError,
    Rules,
    UnboundedError,
    UsageError,
    record,
)
from unbounded.wrappers import horizon

if TYPE_CHECKING:
    from unbounded.result import Result
    from unbounded.search import Search
    from unbounded.solving.solve import solve

__all__ = [
    "Game",
    "RecordGame",
    "Result",
    "RuleError",
    "Rules",
    "Search",
    "UnboundedError",
    "UsageError",
    "game",
    "horizon",
    "record",
    "solve",
]

# What needs the compiled core is imported when it is first used: naming a game, checking a result
# or asking for help does not.
_LAZY = {
    "Result": "unbounded.result",
    "Search": "unbounded.search",
    "solve": "unbounded.solving.solve",
}


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module 'unbounded' has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(_LAZY[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
