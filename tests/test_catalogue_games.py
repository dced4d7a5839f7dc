# SPDX-License-Identifier: MIT
"""Every game on the shelf: what all of them have, and how all of them refuse nonsense."""

from __future__ import annotations

import inspect
import math
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from unbounded.conformance.check import random_play
from unbounded.game import Game, RecordGame, UsageError
from unbounded.game.catalogue import games, load_game

SHELF = {n: c for n, c in games().items() if c.__module__.startswith("unbounded.games.")}
BOARDS = {n: c for n, c in SHELF.items() if issubclass(c, RecordGame)}
DOCS = Path(__file__).parent.parent / "docs"

NONSENSE: list[Any] = [0, -1, 10**6, 10**30, True, 1.5, "x", None, [], [0], float("nan")]
MOVES = [
    "",
    " ",
    "?",
    "garbage",
    "a0",
    "z99",
    "0",
    "-1",
    "1.5",
    "a1-a1",
    "9:9",
    "d1-d7+xx",
    "é",
    "x" * 500,
]


def constructions() -> list[Any]:
    """Every parameter of every game, with every nonsense."""
    return [
        pytest.param(cls, parameter, value, id=f"{name}-{parameter}-{value}")
        for name, cls in SHELF.items()
        for parameter in cls.signature()
        for value in NONSENSE
    ]


@pytest.mark.parametrize(("cls", "parameter", "value"), constructions())
def test_nonsense_parameters_are_refused(
    cls: type[Game[Any, Any]], parameter: str, value: Any
) -> None:
    """A clear error, or a game that really has that parameter and starts."""
    try:
        game = cls(**{parameter: value})
    except UsageError as error:
        assert str(error)
        assert "\n" not in str(error)
        return
    assert not isinstance(value, float), "a number that is no integer"
    assert getattr(game, parameter) == value or list(getattr(game, parameter)) == list(value)
    assert len(game.actions(game.initial())) >= 0


@pytest.mark.parametrize("name", SHELF)
@pytest.mark.parametrize("text", MOVES, ids=repr)
def test_nonsense_moves_are_refused(name: str, text: str) -> None:
    game = SHELF[name]()
    state = game.initial()
    legal = {game.action_name(state, a).lower() for a in game.actions(state)}
    if text.strip().lower() in legal:
        assert game.parse_action(state, text) in game.actions(state)
        return
    with pytest.raises(UsageError, match="illegal move"):
        game.parse_action(state, text)


@pytest.mark.parametrize("name", SHELF)
def test_a_move_of_before_is_refused_after(name: str) -> None:
    """Well-formed but no longer legal; and nothing is legal when the game is over."""
    game = SHELF[name]()
    play = random_play(game, 7)
    for state, action, after in zip(play.states, play.actions, play.states[1:], strict=False):
        text = game.action_name(state, action)
        assert game.parse_action(state, text) == action
        following = {game.action_name(after, a).lower() for a in game.actions(after)}
        if text.lower() not in following:
            with pytest.raises(UsageError, match="illegal move"):
                game.parse_action(after, text)
    with pytest.raises(UsageError, match="the game is over"):
        game.parse_action(play.states[-1], "a1")


@pytest.mark.parametrize("name", SHELF)
def test_every_game_explains_itself(name: str) -> None:
    cls = SHELF[name]
    assert len(inspect.cleandoc(cls.__doc__ or "")) > 40
    assert load_game(name).game_name() == name
    assert str(load_game(str(cls()))) == str(cls())
    assert (DOCS / "games" / f"{name}.md").exists(), "run make gallery"
    assert (DOCS / "games" / f"{name}.svg").exists(), "run make gallery"


@pytest.mark.parametrize("name", BOARDS)
def test_every_board_game_is_complete(name: str) -> None:
    game = BOARDS[name]()
    assert isinstance(game, RecordGame)
    assert game.has_evaluation or name == "nim", "nim is solved by a formula"
    assert game.solvable
    assert game.planes is not None
    state = random_play(game, 3).states[2]
    planes = game.encode(state)
    assert len(planes) == math.prod(game.planes)
    assert all(math.isfinite(x) for x in planes)
    drawing = ElementTree.fromstring(game.svg(state, targets=list(game.actions(state))))
    assert drawing.tag.endswith("svg")
    for k in range(game.symmetries):
        image = game.symmetry(state, k)
        assert len(game.actions(image)) == len(game.actions(state))
        assert game.player(image) == game.player(state)
