# SPDX-License-Identifier: MIT
"""What each part of a search is worth: the search without it, or with another, against itself."""

from __future__ import annotations

from unbounded.players.matches.comparing import Comparison

VARIANTS = (
    Comparison("without completion", "ubfm(completion=false)", "ubfm"),
    Comparison("without transpositions", "ubfm(transpositions=false)", "ubfm"),
    Comparison("safest decision", "ubfm-safest", "ubfm"),
    Comparison("back-up as printed", "ubfm(paper=true)", "ubfm"),
    Comparison(
        "second generalization",
        "ubfm(values=propagated_completion)",
        "ubfm(values=resolved_completion)",
    ),
    Comparison("Descent", "descent", "ubfm"),
)

GAMES = (
    "connect-four",
    "breakthrough",
    "hex(size=7)",
    "othello(size=6)",
    "clobber",
    "rolit(players=3)",
    "isolation(players=3)",
)
"""Small enough that a tenth of a second is a search; the last two are for three players."""

SECONDS = 0.1
"""For a move, if nothing else is said."""
