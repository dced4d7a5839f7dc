# SPDX-License-Identifier: MIT
"""OpenSpiel: our games there. See `docs/openspiel.md`; needs the extra `openspiel`."""

from unbounded.bridges.openspiel.bots import bot
from unbounded.bridges.openspiel.export import game_of, register
from unbounded.bridges.openspiel.oracle import Value, regret, values

__all__ = ["Value", "bot", "game_of", "register", "regret", "values"]
