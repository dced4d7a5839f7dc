# SPDX-License-Identifier: MIT
"""The games, one module each. Calling this package, `unbounded.games()`, lists them by name."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

from unbounded.game import Game


class _Games(ModuleType):
    """A package that can be called: the function `games` and this package share their name."""

    def __call__(self) -> dict[str, type[Game[Any, Any]]]:
        """Return the classes of all games that can be named, by name."""
        from unbounded.game.catalogue import games

        return games()


sys.modules[__name__].__class__ = _Games
