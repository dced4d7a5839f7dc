# SPDX-License-Identifier: MIT
"""The results of every tool. The docstrings are the descriptions that clients read.

What is proven and what is estimated never share a field. Players are numbered from 0; a list of
outcomes or scores has one number per player.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar


class Answer:
    """What results have in common: they are described by docstrings."""

    __pydantic_config__: ClassVar[dict[str, Any]] = {"use_attribute_docstrings": True}


@dataclass(frozen=True)
class Parameter(Answer):
    """A parameter of a game."""

    name: str
    type: str
    required: bool
    default: str | None
    """As it is written in a game string; null where there is none."""


@dataclass(frozen=True)
class GameSummary(Answer):
    """A game of the catalogue."""

    name: str
    summary: str
    parameters: list[Parameter]


@dataclass(frozen=True)
class Catalogue(Answer):
    """The games that can be named."""

    games: list[GameSummary]


@dataclass(frozen=True)
class Description(Answer):
    """All about one game."""

    game: str
    """The game with its parameters."""
    rules: str
    parameters: list[Parameter]
    players: list[str]
    """The names of the players, in their order."""
    zero_sum: bool
    has_scores: bool
    """Whether ends of the game have scores beyond win, draw and loss."""
    board: str
    """The start of the game."""
    legal_moves: list[str]


@dataclass(frozen=True)
class LegalMoves(Answer):
    """The legal moves of a position."""

    game_id: str
    to_move: int | None
    """The player to move, from 0; null when the game is over."""
    legal_moves: list[str]


@dataclass(frozen=True)
class Position(Answer):
    """A position of an open game."""

    game_id: str
    game: str
    moves: list[str]
    """The moves so far."""
    to_move: int | None
    """The player to move, from 0; null when the game is over."""
    player_name: str | None
    """The name of that player."""
    over: bool
    outcome: list[int] | None
    """When the game is over: 1 won, 0 drawn, -1 lost, per player; by the rules."""
    score: list[float] | None
    """When the game is over and has scores: the score per player."""
    legal_moves: list[str]
    board: str


@dataclass(frozen=True)
class Played(Answer):
    """A move that was played, and the position after it."""

    move: str
    by: str
    """"client", or the player that chose the move."""
    proven_before: list[int] | None
    """Proven outcome per player of the position before the move, if the player has proven it."""
    estimate_before: list[float] | None
    """Estimated value of that position per player, where it is not proven."""
    note: str
    """As in proven_values; empty where nothing is proven."""
    position: Position


@dataclass(frozen=True)
class Closed(Answer):
    """A game that was closed."""

    game_id: str
    open_games: list[str]
    """The ids of the games that are still open."""


@dataclass(frozen=True)
class MoveValue(Answer):
    """What is known of one move."""

    move: str
    proven: list[int] | None
    """Proven outcome per player after this move under best play; null where it is not proven."""
    proven_score: list[float] | None
    """Proven score per player after this move; null where it is not proven, or has no meaning."""
    distance: int | None
    """Proven: how many moves the line of best play takes to the end of the game, this move
    included; null where it is not known. Best play for the outcome, not the fastest."""
    proven_bounds: list[list[int]]
    """Proven: the worst and the best outcome that are still possible, per player."""
    estimate: list[float | None] | None
    """Estimated value per player; null where the outcome is proven, or nothing was searched."""


@dataclass(frozen=True)
class Values(Answer):
    """What is known of every move of a position."""

    game_id: str
    to_move: int
    all_proven: bool
    """Whether the outcome of every move is proven."""
    proven: list[int] | None
    """Proven outcome per player of the position itself; null where it is not proven."""
    note: str
    """What has to be said with every proven outcome: with more than two players it is that of one
    equilibrium, and there may be others. Empty for two players with zero sum."""
    moves: list[MoveValue]
    """In the order of the rules."""


@dataclass(frozen=True)
class Explanation(Answer):
    """Why a move is best, or what is known of it."""

    game_id: str
    text: str
    """What is proven is called proven in it, and an estimate is called an estimate."""
    proven: bool
    """Whether the outcome of the position is proven."""


@dataclass(frozen=True)
class Solution(Answer):
    """What solving has proven."""

    game_id: str
    proven: list[int] | None
    """Proven outcome per player under best play; null where it is not proven."""
    proven_score: list[float] | None
    """Proven score per player; null where it is not proven, or has no meaning."""
    proven_bounds: list[list[int]]
    """Proven: the worst and the best outcome that are still possible, per player."""
    estimate: list[float | None] | None
    """Estimated value per player; null where the outcome is proven."""
    distance: int | None
    """Proven: how many moves the line of best play takes to the end; null where not known."""
    line: list[str]
    """The best line, as far as it is known; proven if the outcome is."""
    note: str
    """As in proven_values."""
    stopped: str
    """Why the search ended: resolved, seconds, memory, ..."""
    states: int
    """States that were stored, or visited by probes."""
    certificate: str | None
    """The certificate, if it was asked for and the outcome is proven."""
    certificate_missing: str | None
    """Why there is none though it was asked for."""


@dataclass(frozen=True)
class Verdict(Answer):
    """Whether a certificate proves what it claims."""

    accepted: bool
    reason: str | None
    """Why it was refused."""
    game: str | None
    moves: list[str] | None
    """The moves to the position that it is about."""
    proven: list[int] | None
    """The outcome per player that it proves; null if it proves bounds only."""
    proven_score: list[float] | None
    """The score per player that it proves; null if it is about outcomes only."""
    note: str
    """As in proven_values; empty where nothing is proven."""
    claims: list[str] | None
    """What it proves of that position, as certificates write it: for two players with zero sum a
    relation and the first player's outcome, else one outcome per player."""
    states: int | None
    """States whose claims were checked."""
    digest: str | None
