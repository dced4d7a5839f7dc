# SPDX-License-Identifier: MIT
"""`unbounded play`: a game at the terminal."""

from __future__ import annotations

from typing import Annotated

import typer

from unbounded.commands.common import GOOD, Debug, GameText, Job, Seed
from unbounded.commands.files import SESSION, check_readable
from unbounded.process import Signals


def play(
    *,
    text: GameText,
    seats: Annotated[
        str,
        typer.Option(metavar="A,B,...", help="Who sits where: human, or a player such as ubfm."),
    ] = "",
    seconds: Annotated[
        float, typer.Option(metavar="T", help="For each move of a machine that says nothing else.")
    ] = 2.0,
    load: Annotated[
        str | None, typer.Option(metavar="FILE", help="Go on with a game that was saved.")
    ] = None,
    seed: Seed = 0,
    debug: Debug = False,
) -> Job:
    """Play a game: people and machines in any mix."""

    def job(_: Signals) -> int:
        from unbounded import catalogue, terminal_play
        from unbounded.session import Session

        game = catalogue.game(text)
        if load is not None:
            check_readable(load, SESSION)
            session = Session.load(load, game)
        else:
            session = Session(game, terminal_play.read_seats(game, seats, seconds), seed=seed)
        terminal_play.TerminalGame(session, seconds, file=load).run()
        return GOOD

    return job
