# SPDX-License-Identifier: MIT
"""OpenSpiel: our games there. See `docs/openspiel.md`; needs the extra `openspiel`."""

from unbounded.bridges.openspiel.export import game_of, register

__all__ = ["game_of", "register"]
