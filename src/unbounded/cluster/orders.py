# SPDX-License-Identifier: MIT
"""What every kind of remote work needs to know of its game, and what the worker checks.

A game travels by its name: the worker makes its own from it, and refuses to work if its version of
this package or its rules differ from those where the work comes from.
"""

from __future__ import annotations

import contextlib
import os
import socket
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unbounded.game import Game, UnboundedError, UsageError, require
from unbounded.game.catalogue import load_game
from unbounded.storage.code_digest import rules_digest
from unbounded.version import VERSION


@dataclass(frozen=True)
class Orders:
    """The game of some work, as it travels to a worker."""

    game: str
    rules: str
    """The digest of the rules, see `rules_digest`."""
    folder: str
    """The working folder where the work comes from: games and networks may be in files there."""
    host: str
    """The machine where the work comes from."""
    version: str = VERSION

    @classmethod
    def of(cls, game: Game[Any, Any]) -> Orders:
        """Orders for a game; refuse one that workers could not make from its name."""
        name = str(game)
        try:
            same = str(load_game(name)) == name
        except UsageError as error:
            raise UsageError(
                f"on Ray, every machine makes the game from its name, but {error}; put the game "
                "into a file and name it FILE.py:CLASS"
            ) from error
        require(same, f"{name} cannot be made from its name, as on Ray it must")
        return cls(name, rules_digest(game), str(Path.cwd()), socket.gethostname())

    def prepared(self) -> Game[Any, Any]:
        """On the worker: go to the working folder, make the game and check it."""
        with contextlib.suppress(OSError):  # another machine may not have it
            os.chdir(self.folder)
        here = socket.gethostname()
        if self.version != VERSION:
            raise UnboundedError(
                f"{here} has unbounded {VERSION}, but {self.host} has {self.version}: install the "
                "same version on every machine"
            )
        game = load_game(self.game)
        if rules_digest(game) != self.rules:
            raise UnboundedError(
                f"the rules of {game} on {here} differ from those on {self.host}: install the "
                "same version of the game on every machine"
            )
        return game
