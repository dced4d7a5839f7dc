# SPDX-License-Identifier: MIT
"""The programs that are known here: how each is started for a game, and how it writes moves."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

from unbounded.game import Game, UsageError, require
from unbounded.games.breakthrough import Breakthrough
from unbounded.games.clobber import Clobber
from unbounded.games.kalah import Kalah
from unbounded.games.othello import Othello

MOST_CELLS = 10
"""In a row or column of a board of Fairy-Stockfish, as Debian builds it."""


class Adapter:
    """A game as a program knows it. This one is for programs that nobody here knows.

    Such a program is given moves by the names that the game has for them.
    """

    protocol: ClassVar[str | None] = None
    has_clock: ClassVar[bool] = True
    """Whether the program can be told how long to think about a move."""
    package: ClassVar[str | None] = None
    """The Debian package it comes with."""
    option_names: ClassVar[tuple[str, ...] | None] = None
    """The options there are; None if only the program knows them."""
    answer = re.compile(r"(\S+)\s*$")
    """Where a line of the protocol `pipe` has the move."""

    def __init__(self, game: Game[Any, Any], options: Mapping[str, str]) -> None:
        self.game, self.options = game, dict(options)
        known = tuple(options) if self.option_names is None else self.option_names
        for name in options:
            listed = ", ".join(known) or "none"
            require(name in known, f"there is no option {name!r} here; there are: {listed}")

    def command(self, words: list[str], seat: int) -> list[str]:
        """The command line for a game in which the program sits at this seat."""
        values = {"{seat}": str(seat), "{game}": str(self.game)}
        return [values.get(word, word) for word in words]

    def move_name(self, state: Any, action: Any) -> str:
        """How the program writes a move; upper and lower case are the same."""
        return self.game.action_name(state, action)

    def color(self, seat: int) -> str:
        """How GTP names a player."""
        return ("black", "white")[seat] if self.game.players == 2 else str(seat + 1)

    def gtp_setup(self) -> list[str]:
        """The GTP commands before a game."""
        size = getattr(self.game, "size", None)
        return [f"boardsize {size}"] if isinstance(size, int) else []

    def is_told(self, move: str) -> bool:
        """Whether a GTP program is told of a move; some pass without a word."""
        return True

    def variants(self) -> str:
        """The text of a file that explains the game to a UCI program."""
        return ""

    def uci_options(self, variants: str) -> list[tuple[str, str]]:
        """The UCI options before a game; `variants` is the path of the file."""
        return list(self.options.items())


class FairyStockfish(Adapter):
    """Fairy-Stockfish: alpha-beta, for Breakthrough and Clobber on boards of up to 10 x 10."""

    protocol, package = "uci", "fairy-stockfish"

    def __init__(self, game: Game[Any, Any], options: Mapping[str, str]) -> None:
        super().__init__(game, options)
        most = MOST_CELLS
        if not isinstance(game, Breakthrough | Clobber) or max(game.rows, game.columns) > most:
            boards = f"on boards of at most {most} x {most}"
            raise UsageError(f"fairy-stockfish plays breakthrough and clobber {boards}, not {game}")
        self.board = game

    def variants(self) -> str:
        # Boards of other sizes are variants of the ones it knows, as it describes variants.
        game = self.board
        base = type(game).__name__.lower()
        lines = [f"[unbounded:{base}]", f"maxRank = {game.rows}", f"maxFile = {game.columns}"]
        lines.append(f"startFen = {self._start()}")
        if isinstance(game, Breakthrough):
            lines += [f"whiteFlag = *{game.rows}", "blackFlag = *1"]
        return "\n".join(lines) + "\n"

    def _start(self) -> str:
        """The initial position in Forsyth-Edwards notation: the last row first."""
        rows, columns = self.board.rows, self.board.columns
        cells = self.board.state.unpack(self.board.initial()).cells
        text = ["1Pp"[cell] for cell in cells]
        ranks = ["".join(text[row * columns : (row + 1) * columns]) for row in range(rows)][::-1]
        merged = re.sub("1+", lambda found: str(len(found[0])), "/".join(ranks))
        return f"{merged} w 0 1"

    def uci_options(self, variants: str) -> list[tuple[str, str]]:
        known = [("VariantPath", variants), ("UCI_Variant", "unbounded")]
        return [*known, *super().uci_options(variants)]

    def move_name(self, state: Any, action: Any) -> str:
        return re.sub("[-x]", "", super().move_name(state, action))


class Rhino(Adapter):
    """Rhino: pattern evaluation, a book and a perfect endgame, for Othello on 8 x 8.

    It accepts settings of time, and ignores them; its level decides how long it thinks.
    """

    protocol, package, has_clock = "gtp", "grhino", False
    option_names = ("level", "book", "mid", "end", "win", "rand")

    def __init__(self, game: Game[Any, Any], options: Mapping[str, str]) -> None:
        super().__init__(game, options)
        require(type(game) is Othello and game.size == 8, "gtp-rhino plays othello on 8 x 8")

    def command(self, words: list[str], seat: int) -> list[str]:
        return [*words, *(f"--{name}={value}" for name, value in self.options.items())]

    def gtp_setup(self) -> list[str]:
        return ["set_game Othello", "boardsize 8"]

    def is_told(self, move: str) -> bool:
        return move != "pass"  # it knows who must pass, and does not understand it


class Mancala(Adapter):
    """Mancala by Huseby and Lines: alpha-beta to a depth, for Kalah with six pits.

    Its rules differ in one point: a row that is empty ends the game only when its owner is to move.
    All moves of a game by our rules are legal for it.
    """

    protocol, package, has_clock = "pipe", "mancala", False
    option_names = ("level",)
    default_level = "9"
    answer = re.compile(r"Move for player at \w+: ([A-F])")

    def __init__(self, game: Game[Any, Any], options: Mapping[str, str]) -> None:
        super().__init__(game, options)
        require(
            isinstance(game, Kalah) and game.pits == 6 and not game.empty_capture,
            "mancala plays kalah(pits=6) with any number of seeds, without empty_capture",
        )
        assert isinstance(game, Kalah)
        self.seeds = game.seeds

    def command(self, words: list[str], seat: int) -> list[str]:
        levels = ["0", "0"]
        levels[seat] = self.options.get("level", self.default_level)
        # It writes to a pipe only when its buffer is full, unless it is made to.
        return ["stdbuf", "--output=L", *words, *levels, str(self.seeds)]


KNOWN: dict[str, type[Adapter]] = {
    "fairy-stockfish": FairyStockfish,
    "gtp-rhino": Rhino,
    "mancala": Mancala,
}


def adapter_of(command: str) -> type[Adapter]:
    """The adapter for a program, by its name."""
    return KNOWN.get(Path(command).name, Adapter)


def read_options(text: str) -> dict[str, str]:
    """Read `Hash=64; Threads=2`."""
    parts = [part.partition("=") for part in text.split(";") if part.strip()]
    wrong = [name for name, equals, _ in parts if not equals]
    require(not wrong, f"options must be like 'Hash=64; Threads=2', not {text!r}")
    return {name.strip(): value.strip() for name, _, value in parts}
