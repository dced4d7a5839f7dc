# SPDX-License-Identifier: MIT
"""Games made from other games: one wrapper, one file. The catalogue finds them here by itself."""

from __future__ import annotations

from unbounded.game.wrappers.horizon import Horizon, horizon
from unbounded.game.wrappers.quick_wins import QuickWins
from unbounded.game.wrappers.start import Start, start_at
from unbounded.game.wrappers.tie_breaking import TieBreaking
from unbounded.game.wrappers.unfolded import Unfolded

__all__ = ["Horizon", "QuickWins", "Start", "TieBreaking", "Unfolded", "horizon", "start_at"]
