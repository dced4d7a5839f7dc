# SPDX-License-Identifier: MIT
"""For the tests of your own games and searches: conformance, perft counts, random games.

`check_game` checks a game against the contract. `random_graph` makes small games of any shape from
a seed, and `graph_games` is the same as a Hypothesis strategy.
"""

from __future__ import annotations

from unbounded.conformance.check import Play, check_game, perft, random_play
from unbounded.conformance.random_games import graph_games, random_graph
from unbounded.conformance.report import Report
from unbounded.conformance.ties import Ties, check_tie_breaking

__all__ = [
    "Play",
    "Report",
    "Ties",
    "check_game",
    "check_tie_breaking",
    "graph_games",
    "perft",
    "random_graph",
    "random_play",
]
