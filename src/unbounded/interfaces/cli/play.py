# SPDX-License-Identifier: MIT
"""`unbounded play`: a game at the terminal."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from unbounded.game import Game, UsageError, require
from unbounded.interfaces.cli.common import GOOD, Debug, GameClock, Job, Seed
from unbounded.interfaces.cli.files import SESSION, check_readable
from unbounded.interfaces.process import Signals

if TYPE_CHECKING:
    from unbounded.interfaces.session import Session


GameName = Annotated[
    str | None,
    typer.Argument(metavar="GAME", help="The game, such as tic-tac-toe; not needed with --load."),
]
Seats = Annotated[
    str,
    typer.Option(metavar="A,B,...", help="Player of each seat: human, or a player such as ubfm."),
]
Seconds = Annotated[
    float,
    typer.Option(metavar="T", help="Seconds per move of players without a limit of their own."),
]
EvaluationName = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Evaluation of players that name none: as in `solve`, also the file of a network or "
        "the folder of a run.",
    ),
]
SavedGame = Annotated[str | None, typer.Option(metavar="FILE", help="Continue a saved game.")]


def play(
    *,
    text: GameName = None,
    seats: Seats = "",
    seconds: Seconds = 2.0,
    clock: GameClock = None,
    evaluation: EvaluationName = None,
    load: SavedGame = None,
    seed: Seed = 0,
    debug: Debug = False,
) -> Job:
    """Play a game at the terminal, against the computer or between people."""

    def job(signals: Signals) -> int:
        from unbounded.game import catalogue
        from unbounded.interfaces.session import HUMAN, Session
        from unbounded.interfaces.terminal import play
        from unbounded.interfaces.terminal.progress import waiting

        require(
            text is not None or load is not None, "which game? Say its name, or --load a saved one"
        )
        if load is not None:
            require(not seats, "--seats is for a new game; the saved one knows who sits where")
            require(evaluation is None, "--evaluation is for a new game, as --seats is")
            require(clock is None, "--clock is for a new game, as --seats is")
            check_readable(load, SESSION)
        with waiting("preparing the game ..."):
            game = None if text is None else catalogue.load_game(text)
            if load is not None:
                session = _load(load, game)
            else:
                assert game is not None
                players = play.read_seats(game, seats, seconds, evaluation, clock)
                session = Session(game, players, seed=seed)
        require(
            HUMAN not in session.seats or sys.stdin is not None,
            "no moves can be entered: the standard input is closed",
        )
        play.TerminalGame(session, seconds, signals=signals, file=load).run()
        return GOOD

    return job


def _load(path: str, game: Game[Any, Any] | None) -> Session:
    """Load a saved game; a game from a file must be given, since no file runs by its name."""
    from unbounded.game.catalogue import FileRefusedError
    from unbounded.interfaces.session import Session

    try:
        return Session.load(path, game)
    except FileRefusedError:
        raise UsageError(
            f"{path} is of a game from a file, which must be named too: "
            f"unbounded play FILE.py:NAME --load {path}"
        ) from None
