# SPDX-License-Identifier: MIT
"""The games and players that the server offers, within its limits."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from unbounded.game import Game, catalogue, format_value, require
from unbounded.interfaces.session import HUMAN, Session
from unbounded.interfaces.web.limits import MEGABYTE, Limits
from unbounded.players import KINDS, Kind, read_kind
from unbounded.players.kind import Limited
from unbounded.players.kinds import DepthFirst, MonteCarlo, Searching

FIRST_GAME = "connect-four"
FIRST_OPPONENT = "ubfm-safest"
DEFAULT_SECONDS = 1.0
"""A machine's time for a move where none is given."""
SHARED_BY = 4
"""Machine players of a game that get their full memory; more of them share it."""
MAX_PLAYOUTS = 100
STRENGTHS = (
    ("novice", "makes a few random games in its mind; easy to beat", "mcts(simulations=20)"),
    ("casual", "looks a little ahead", "ubfm-safest(iterations=30)"),
    ("strong", "searches for a second", "ubfm-safest(seconds=1)"),
    ("best", "searches for five seconds", "ubfm-safest(seconds=5)"),
    (
        "perfect",
        "plays proven moves where it can prove them in 10 seconds, otherwise its best",
        "perfect(seconds=20,prove=0.5)",
    ),
)
"""Machine players in words, the weakest first: name, what it does, the player."""
EVALUATIONS = (None, "zero", "heuristic", "network")
"""No file is opened because a request names it."""
EVALUATIONS_TEXT = "network, zero or heuristic"


class GameSetup:
    """Makes the games of all rooms."""

    def __init__(self, limits: Limits, own_game: Game[Any, Any] | None = None) -> None:
        self._limits = limits
        self._own_game = own_game
        """The game that the server was started with; it may come from a file."""

    # -- what is offered --------------------------------------------------------------------------

    def offer(self) -> dict[str, Any]:
        """What the dialog for a new game shows."""
        described = [catalogue.describe(cls) for cls in catalogue.games().values()]
        games = [
            about for about in described if not any(x["required"] for x in about["parameters"])
        ]
        for about in games:
            for parameter in about["parameters"]:
                parameter["default"] = format_value(parameter["default"])
        return {
            "games": games,
            "own": None if self._own_game is None else str(self._own_game),
            "players": [HUMAN, *(name for name, kind in KINDS.items() if not kind.local_only)],
            "strengths": [
                {"name": name, "words": words, "seat": seat} for name, words, seat in STRENGTHS
            ],
            "max_seconds": self._limits.move_seconds,
        }

    def player_names(self, text: str) -> dict[str, Any]:
        """The names of a game's players, before it begins."""
        game = self.load_game(text)
        return {
            "game": str(game),
            "players": [game.player_name(p) for p in range(game.players)],
        }

    def load_game(self, text: str) -> Game[Any, Any]:
        """Return a game by name; no file is opened because a request names it."""
        self._limits.require_memory()
        if self._own_game is not None and text == str(self._own_game):
            return self._own_game
        return catalogue.load_game(text, files=False)

    # -- games ------------------------------------------------------------------------------------

    def first_session(self) -> Session:
        """The game of a new room: a human against machines."""
        game = self.load_game(FIRST_GAME if self._own_game is None else str(self._own_game))
        seats = [HUMAN, *[FIRST_OPPONENT] * (game.players - 1)]
        return Session(game, self.seats(seats, DEFAULT_SECONDS))

    def new_session(
        self,
        text: str,
        seats: Sequence[str],
        seconds: float,
        *,
        clock: str | None = None,
        ponder: bool = False,
    ) -> Session:
        """A new game; machines whose description names no time get `seconds` per move.

        clock: for the whole game; then they get no more than the server allows. ponder: let those
        that can think on while others do.
        """
        game = self.load_game(text)
        if clock is not None:
            seconds = self._limits.move_seconds
        extra = {"clock": clock} if clock is not None else {}
        return Session(
            game, self.seats(seats, seconds, extra | ({"ponder": True} if ponder else {}))
        )

    def saved_session(self, data: Any) -> Session:
        """A saved game, from a file, the store or a browser; nothing in it is trusted."""
        require(isinstance(data, dict) and isinstance(data.get("game"), str), "not a saved game")
        texts = data.get("seats")
        require(isinstance(texts, list) and all(isinstance(s, str) for s in texts), "no seats")
        ponder = any("ponder=true" in text for text in texts)
        seats = self.seats(texts, DEFAULT_SECONDS, {"ponder": ponder})
        game = self.load_game(data["game"])
        return Session.from_dict(data | {"seats": seats, "game": str(game)}, game)

    # -- players ----------------------------------------------------------------------------------

    def seats(
        self, texts: Sequence[str], seconds: float, wanted: Mapping[str, Any] | None = None
    ) -> list[str]:
        """Return the players with the time and memory that the limits allow.

        wanted: parameters for those that have them.
        """
        machines = sum(text != HUMAN for text in texts)
        memory = self._limits.player_memory * min(1, SHARED_BY / max(1, machines))
        return [self._seat(text, seconds, int(memory), wanted or {}) for text in texts]

    def _seat(self, text: str, seconds: float, memory: int, wanted: Mapping[str, Any]) -> str:
        if text == HUMAN:
            return text
        kind = read_kind(text, local=False)
        if not isinstance(kind, Limited):
            return str(kind)
        requested = kind.seconds if kind.says_when else seconds
        allowed: dict[str, Any] = {
            "seconds": min(self._limits.move_seconds, seconds if requested is None else requested),
            "memory": str(memory),
            "clock": wanted.get("clock", kind.clock),
        }
        if isinstance(kind, DepthFirst | MonteCarlo):
            allowed["megabytes"] = min(kind.megabytes, memory / MEGABYTE)
        if isinstance(kind, Searching):  # the scheduler gives a move one core, and no more
            ponder = wanted.get("ponder", False)  # the room's to say, not the player's
            allowed |= {"threads": 1, "ponder": ponder and kind.keep}
        if isinstance(kind, MonteCarlo):
            require(kind.playouts <= MAX_PLAYOUTS, f"playouts must be at most {MAX_PLAYOUTS} here")
        if isinstance(kind, Searching | DepthFirst):
            require(kind.evaluation in EVALUATIONS, f"evaluation must be {EVALUATIONS_TEXT} here")
        return str(replace(kind, **allowed))


def seat_words(seats: Sequence[str]) -> list[str]:
    """How the players at the seats are shown to people: strengths by name, the only human as you.

    Limits that the server has added are left out.
    """
    return [_words(seat, alone=seats.count(HUMAN) == 1) for seat in seats]


@functools.lru_cache(maxsize=1000)  # reading a player takes as long as drawing its board
def _words(seat: str, *, alone: bool) -> str:
    if seat == HUMAN:
        return "you" if alone else "human"
    kind = read_kind(seat)
    name = kind.kind_name()
    for strength, _, player in STRENGTHS:
        if _same_player(kind, read_kind(player)):
            return f"{strength} ({name})"
    shown = isinstance(kind, Limited) and kind.clock is None and not _counts(kind)
    seconds = kind.seconds if shown and isinstance(kind, Limited) else None
    return name if seconds is None else f"{name}, {seconds:g} s"


def _same_player(kind: Kind, other: Kind) -> bool:
    if type(kind) is not type(other) or not isinstance(kind, Limited):
        return False
    assert isinstance(other, Limited)
    counts = _counts(kind)
    return counts == _counts(other) and (bool(counts) or kind.seconds == other.seconds)


def _counts(kind: Limited) -> dict[str, int | None]:
    return {name: count for name, count in kind.counts().items() if count is not None}
