# SPDX-License-Identifier: MIT
"""OpenSpiel: its games here, and ours there. See `docs/openspiel.md`; needs the extra `openspiel`.

Nothing of OpenSpiel is imported before it is used.
"""

from unbounded.bridges.openspiel.bots import bot
from unbounded.bridges.openspiel.export import game_of, register
from unbounded.bridges.openspiel.games import OpenSpielGame, load
from unbounded.bridges.openspiel.oracle import Value, regret, values

__all__ = ["OpenSpielGame", "Value", "bot", "game_of", "load", "register", "regret", "values"]
