# SPDX-License-Identifier: MIT
"""How ends of games are scored in a run, and what a network's output of 1 is worth."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from unbounded import native
from unbounded.game import Game
from unbounded.learning.settings import LearnSettings

SURVEYED_GAMES = 500


@dataclass(frozen=True)
class Scores:
    """A score by name, with the numbers that it depends on."""

    name: str
    margin: float
    shortest: int
    """Plies of the shortest random game seen; likewise the longest."""
    longest: int
    scale: float
    """The largest score."""
    worth: float
    """What an output of 1 is worth in the game's own units, in which a search compares it."""

    @property
    def least_win(self) -> float:
        """What a win is worth at least, in units of the outputs."""
        if self.name == "game":
            return 1 / self.scale  # a point
        return 1.0 if self.name == "outcome" else self.margin

    def for_core(self, game: Game[Any, Any]) -> native.Scoring:
        """The same for the core."""
        assert game.planes is not None
        scoring = native.Scoring()
        scoring.score = getattr(native.Score, self.name.replace("-", "_"))
        scoring.margin, scoring.area = self.margin, math.prod(game.planes[1:])
        scoring.shortest, scoring.longest = self.shortest, self.longest
        return scoring


def scores_of(game: Game[Any, Any], rules: native.Rules, settings: LearnSettings) -> Scores:
    """The scores of a run; lengths and sizes are those of random games."""
    seen = native.survey(rules, SURVEYED_GAMES, settings.seed)
    worth = float(seen["largest_score"]) or 1.0
    scale = worth if settings.score == "game" else 1.0
    shortest, longest = max(1, int(seen["shortest"])), max(1, int(seen["longest"]))
    return Scores(settings.score, settings.margin, shortest, longest, scale, worth)
