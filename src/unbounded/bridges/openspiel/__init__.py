# SPDX-License-Identifier: MIT
"""OpenSpiel: its games here. See `docs/openspiel.md`; needs the extra `openspiel`."""

from unbounded.bridges.openspiel.games import OpenSpielGame, load

__all__ = ["OpenSpielGame", "load"]
