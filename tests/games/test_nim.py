# SPDX-License-Identifier: MIT
"""Renamed players, planes, pictures and values of Nim; its rules are tested in test_games.py."""

from __future__ import annotations

import pytest
from shared_checks import (
    check_pictures,
    check_planes,
    check_relabelling,
    check_values_of_images,
    planes_of,
)

import unbounded as ub
from unbounded.game import Known
from unbounded.games.nim import Nim
from unbounded.testing import check_game


@pytest.mark.parametrize("text", ["nim", "nim(heaps=[1])"])
def test_it_keeps_its_promises(text: str) -> None:
    assert check_game(text, games=20).warnings == ()


@pytest.mark.parametrize("game", [Nim(), Nim([1, 9], players=5, misere=True, most=4)])
def test_renamed_players(game: Nim) -> None:
    check_relabelling(game)


def test_values_of_renamed_players() -> None:
    check_values_of_images(Nim([2, 3, 1]), plies=[0, 1, 2], seeds=3)
    check_values_of_images(Nim([2, 3], players=3), plies=[0, 1, 2], seeds=3)


def test_planes_are_binary_digits() -> None:
    check_planes(Nim([3, 4, 5, 9]))
    game = Nim([5, 2, 0])
    assert planes_of(game, game.initial()) == [[[1, 0, 1], [0, 1, 0], [0, 0, 0]]]


@pytest.mark.parametrize("game", [Nim(), Nim([0, 31, 30, 7], most=5), Nim([1])])
def test_pictures(game: Nim) -> None:
    check_pictures(game)


def test_the_picture_shows_what_was_taken() -> None:
    game = Nim([4])
    taken = game.svg(game.next(game.initial(), 2), last=2)
    assert taken.count("<circle") == 1 + 3


@pytest.mark.parametrize("known", Nim.known_values, ids=lambda known: known.game)
def test_known_values(known: Known) -> None:
    assert ub.solve(known.game).outcome == known.outcome
