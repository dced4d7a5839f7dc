# SPDX-License-Identifier: MIT
"""Solve, play and explore perfect-information games of any number of players.

>>> import unbounded as ub
>>> ub.solve("tic-tac-toe").outcome
(0, 0)
"""

from __future__ import annotations

import sys
from types import ModuleType

TYPE_CHECKING = False  # instead of importing `typing`, which is slow, too
if TYPE_CHECKING:
    from typing import Any

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
    from unbounded.result import Interrupted, Result
    from unbounded.search import Search
    from unbounded.solving.solve import solve
    from unbounded.wrappers import horizon

__all__ = [
    "Game",
    "Interrupted",
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

# All of it is imported when it is first used: the command line takes over Ctrl-C before anything
# slow, and naming a game or asking for help does not need the compiled core.
_WHERE = {
    "Game": "unbounded.game",
    "Interrupted": "unbounded.result",
    "RecordGame": "unbounded.game",
    "Result": "unbounded.result",
    "RuleError": "unbounded.game",
    "Rules": "unbounded.game",
    "Search": "unbounded.search",
    "UnboundedError": "unbounded.game",
    "UsageError": "unbounded.game",
    "horizon": "unbounded.wrappers",
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


class _Package(ModuleType):
    """A package whose `game` is the function, though there is a module of that name."""

    @property
    def game(self) -> Any:
        from unbounded.catalogue import game

        return game

    @game.setter
    def game(self, _: ModuleType) -> None:
        """Leave it: the import of the module would put the module in its place."""


sys.modules[__name__].__class__ = _Package
