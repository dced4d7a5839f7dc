# SPDX-License-Identifier: MIT
"""All players: our searches, the ones they are compared with, and simple ones.

A player is named as a game is: `ubfm`, `ubfm(seconds=2,rule=safest)`, `random`.
"""

from unbounded.players.kind import Kind
from unbounded.players.kinds import KINDS, read_kind
from unbounded.players.player import Decision, Player

__all__ = ["KINDS", "Decision", "Kind", "Player", "read_kind"]
