# SPDX-License-Identifier: MIT
"""Our players as bots of OpenSpiel, in our games and in theirs."""

from __future__ import annotations

import importlib
from typing import Any

from unbounded.bridges.openspiel.package import pyspiel


def bot(game: Any, player_id: int, player: str = "ubfm", *, seed: int = 0) -> Any:
    """Return a `pyspiel.Bot`: `bot(game, 0, "ubfm(seconds=1)")`.

    game: a game of OpenSpiel, its own or one of ours (`game_of`, `register`), or a state of it;
        then the bot is restarted there.
    player_id: whose moves it chooses.
    player: any player that `unbounded match` takes.
    seed: of its first game; the next game has the next number.

    The bot follows the history of the states that it is shown, so it may be asked in any state.
    Its policy is uniform over all actions that it has proven to be best, if it has; else it is
    the one action that it chooses.
    """
    pyspiel()  # an error that says what to install
    spiel_bots = importlib.import_module("unbounded.bridges.openspiel.spiel_bots")
    return spiel_bots.make_bot(game, player_id, player, seed)
