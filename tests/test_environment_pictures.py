# SPDX-License-Identifier: MIT
"""Positions as learning environments render them: text, and pixels that show the pieces."""

from __future__ import annotations

import importlib

import numpy as np
import pytest
from environments import BOARDS, random_line

import unbounded as ub
from unbounded.game import UsageError
from unbounded.game.drawing import BOARD, CELL, PLAYERS

pytest.importorskip("pettingzoo", reason="not installed: pip install 'unbounded[pettingzoo]'")

from unbounded.bridges.pettingzoo import env


@pytest.mark.parametrize("board", BOARDS)
def test_every_game_is_rendered(board: str) -> None:
    game = ub.load_game(board)
    text, picture = env(board, render_mode="ansi"), env(board, render_mode="rgb_array")
    text.reset()
    picture.reset()
    for state, action in list(random_line(game, seed=2))[:3]:
        assert text.render() == game.show(state)
        if action is not None:
            text.step(action)
            picture.step(action)
    pixels = picture.render()
    assert pixels.dtype == np.uint8
    assert pixels.ndim == 3 and pixels.shape[2] == 3
    assert len(np.unique(pixels.reshape(-1, 3), axis=0)) > 3


def test_a_picture_shows_the_pieces() -> None:
    zoo = env("tic-tac-toe", render_mode="rgb_array")
    zoo.reset(options={"moves": "a1 c3"})

    def color(column: int, row: int) -> str:
        """The color beside the letter of the piece in a cell; rows are counted from below."""
        x, y = column + 0.5 + 0.3, 3 - row - 0.5
        pixel = zoo.render()[round((y + 0.7) * CELL), round((x + 0.7) * CELL)]
        return "#" + "".join(f"{part:02x}" for part in pixel)

    assert zoo.render().shape == (176, 176, 3)
    assert (color(0, 0), color(2, 2), color(1, 1)) == (PLAYERS[0], PLAYERS[1], BOARD)


def test_without_a_mode_nothing_is_rendered() -> None:
    zoo = env("tic-tac-toe")
    zoo.reset()
    with pytest.warns(UserWarning, match="give the environment a render_mode"):
        assert zoo.render() is None


def test_a_drawing_with_unknown_shapes_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    zoo = env("tic-tac-toe", render_mode="rgb_array")
    zoo.reset()
    drawing = '<svg viewBox="0 0 9 9" width="90" height="90"><path d="M0 0"/></svg>'
    monkeypatch.setattr(type(zoo.unwrapped.game), "svg", lambda *_, **__: drawing)
    with pytest.raises(UsageError, match=r"cannot be rendered as rgb_array: it has a <path>"):
        zoo.render()


def test_missing_pillow_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    zoo = env("tic-tac-toe", render_mode="rgb_array")
    zoo.reset()
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    with pytest.raises(UsageError, match=r"pip install 'unbounded\[pettingzoo\]'"):
        zoo.render()
