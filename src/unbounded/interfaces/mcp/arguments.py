# SPDX-License-Identifier: MIT
"""The arguments of every tool. The docstrings are the descriptions that clients read."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

Value = str | int | float | bool | list[int] | list[str]


class Arguments:
    """What arguments have in common: they are described by docstrings, and unknown ones refused."""

    __pydantic_config__: ClassVar[dict[str, Any]] = {
        "use_attribute_docstrings": True,
        "extra": "forbid",
    }


@dataclass(frozen=True)
class NoArguments(Arguments):
    """No arguments."""


@dataclass(frozen=True)
class NamedGame(Arguments):
    """A game by its name."""

    game: str
    """The name of a game, with its parameters if any: hex, or connect-four(width=5,height=4); if
    OpenSpiel is installed there, also a game of it: open_spiel:breakthrough(rows=5,columns=4)."""


@dataclass(frozen=True)
class NewGame(NamedGame):
    """How a game begins."""

    parameters: dict[str, Value] = field(default_factory=dict)
    """Parameters of the game by name, such as {"size": 5}, if they do not stand in `game`."""
    moves: list[str] = field(default_factory=list)
    """Moves to play from the start of the game, by name."""


@dataclass(frozen=True)
class OpenGame(Arguments):
    """A game that was begun by `new_game`."""

    game_id: str
    """The id that new_game has returned."""


@dataclass(frozen=True)
class Play(OpenGame):
    """Who plays what."""

    move: str | None = None
    """The move to play, by name. Without it a player of the program chooses the move."""
    player: str | None = None
    """The player that chooses if no move is given: ubfm (the default), descent, ubfm-safest,
    alpha-beta, max-n, paranoid, best-reply, mcts, greedy, random; with parameters: mcts(c=1)."""
    seconds: float | None = None
    """Seconds that the player may think; 1 if nothing is given."""


@dataclass(frozen=True)
class Undo(OpenGame):
    """How much is taken back."""

    moves: int = 1
    """The number of moves to take back."""


@dataclass(frozen=True)
class Searching(OpenGame):
    """A search of the position."""

    seconds: float | None = None
    """Seconds to search; 5 if nothing is given."""


@dataclass(frozen=True)
class Why(Searching):
    """What is to be explained."""

    move: str | None = None
    """The move to explain, by name; the best one if nothing is given."""


@dataclass(frozen=True)
class Solve(Searching):
    """How a position is solved."""

    certificate: bool = False
    """Whether to return a certificate of the proof, for `verify` and for other checkers."""


@dataclass(frozen=True)
class Verify(Arguments):
    """A certificate: either its text or the name of its file."""

    certificate: str | None = None
    """The text of a certificate."""
    file: str | None = None
    """The name of a file with a certificate, if the server was started with --files."""
    game: str | None = None
    """The game that it must be about; by default any game of the catalogue."""
