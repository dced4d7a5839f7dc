# SPDX-License-Identifier: MIT
"""`unbounded games`: the catalogue of games."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from unbounded.interfaces.cli.common import GOOD, Debug, Job, Json, print_json
from unbounded.interfaces.process import Signals


def games(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="GAME", help="Show only this game: rules, parameters, initial position."
        ),
    ] = None,
    as_json: Json = False,
    debug: Debug = False,
) -> Job:
    """List the games, or show one of them."""

    def job(_: Signals) -> int:
        from unbounded.interfaces.terminal.console import Terminal
        from unbounded.interfaces.terminal.games import print_game, print_games

        if name is None:
            known = _all_games()
            print_json(known) if as_json else print_games(Terminal(), known)
        else:
            about = _described(name)
            print_json(about) if as_json else print_game(Terminal(), about)
        return GOOD

    return job


def _all_games() -> list[dict[str, Any]]:
    from unbounded.game import catalogue

    return [catalogue.describe(kind) for kind in catalogue.games().values()]


def _described(name: str) -> dict[str, Any]:
    """A game with its initial position; of a wrapper, which needs a game, only the class."""
    from unbounded.game import catalogue
    from unbounded.interfaces.terminal.console import board

    kind = catalogue.games().get(name)
    if kind is not None:
        about = catalogue.describe(kind)
        if any(parameter["required"] for parameter in about["parameters"]):
            return about
    game = catalogue.load_game(name)
    about = catalogue.describe(type(game))
    about |= {"game": str(game), "players": game.players, "zero_sum": game.zero_sum}
    about |= {"values": game.parameters, "board": board(game, game.initial())}
    return about | {"symbols": game.symbols}
