# SPDX-License-Identifier: MIT
"""All ways to play small boards of OpenSpiel: states with one key have one value, whoever wins.

By the rules of OpenSpiel alone, with the history as key; and with every parameter that a rule or
the text depends on.
"""

from __future__ import annotations

from typing import Any

import pytest

pyspiel = pytest.importorskip(
    "pyspiel", reason="OpenSpiel is not installed: pip install 'unbounded[openspiel]'"
)

import unbounded as ub  # noqa: E402
from unbounded.bridges import openspiel  # noqa: E402
from unbounded.bridges.openspiel import keys  # noqa: E402

VALUES = {
    "breakthrough(rows=3,columns=3)": 1,
    "breakthrough(rows=4,columns=2)": -1,
    "clobber(rows=2,columns=5)": 1,
    "clobber(rows=3,columns=3)": 1,
    "connect_four(rows=2,columns=4,x_in_row=1)": 1,
    "connect_four(rows=3,columns=3,x_in_row=3)": 0,
    "connect_four(rows=4,columns=2,x_in_row=3,egocentric_obs_tensor=true)": 0,
    "dots_and_boxes(num_rows=1,num_cols=2)": 0,
    "dots_and_boxes(num_rows=2,num_cols=1,utility_margin=true)": 0,
    "gomoku(size=2,connect=2,dims=3)": 1,
    "gomoku(size=2,connect=2,dims=3,anti=true)": -1,
    "gomoku(size=3,connect=2)": 1,
    "gomoku(size=7,connect=3,dims=1,wrap=true)": 0,
    "havannah(board_size=2)": 1,
    "havannah(board_size=2,ansi_color_output=true)": 1,
    "hex(num_rows=2,num_cols=4)": 1,
    "hex(num_rows=4,num_cols=2,string_rep=explicit,plain_obs_tensor=true)": -1,
    "mnk(m=2,n=4,k=2)": 1,
    "mnk(m=3,n=2,k=3)": 0,
    "nim(pile_sizes=1;2;3)": -1,
    "nim(pile_sizes=9;1,is_misere=false)": 1,
    "y(board_size=3)": 1,
    "y(board_size=3,ansi_color_output=true)": 1,
}
TOO_LARGE = {"mancala", "othello", "tic_tac_toe"}
"""Have no smaller boards; `test_openspiel_games.py` compares what random games lead to."""


class Play:
    """Plays a game in all ways."""

    def __init__(self) -> None:
        self.known: dict[str, tuple[Any, ...]] = {}

    def value(self, state: Any) -> tuple[str, float]:
        """Return the key of a state, and its value for the first player."""
        mover = state.current_player()
        key = f"{state.to_string()}|{mover}"
        legal = [] if state.is_terminal() else state.legal_actions()
        after = [self.value(state.child(action)) for action in legal]
        value = (max if mover == 0 else min)((v for _, v in after), default=0.0)
        if not legal:
            value = state.returns()[0]
        about = value, tuple(legal), [child for child, _ in after], mover
        assert self.known.setdefault(key, about) == about, state.history()
        return key, value


@pytest.mark.parametrize("name", VALUES)
def test_a_key_has_one_value(name: str) -> None:
    game = openspiel.load(name)
    assert game.merges
    key, value = Play().value(pyspiel.load_game(name).new_initial_state())
    assert key == game.initial().key and value == VALUES[name]
    assert ub.solve(game).outcome == (value, -value)


def test_every_game_that_merges_is_played() -> None:
    assert {name.partition("(")[0] for name in VALUES} | TOO_LARGE == keys.COMPLETE
