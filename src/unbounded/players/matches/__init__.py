# SPDX-License-Identifier: MIT
"""Matches of many games between players, and estimates of their strength."""

from unbounded.players.matches.comparing import (
    Comparing,
    Comparison,
    ComparisonResult,
    compare,
    results_of,
)
from unbounded.players.matches.match import Match, MatchResult, play_match, result_of
from unbounded.players.matches.playing import GameRecord, play_game

__all__ = [
    "Comparing",
    "Comparison",
    "ComparisonResult",
    "GameRecord",
    "Match",
    "MatchResult",
    "compare",
    "play_game",
    "play_match",
    "result_of",
    "results_of",
]
