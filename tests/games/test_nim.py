# SPDX-License-Identifier: MIT
"""Nim against its plain twin; renamed players, planes, pictures; more rules in test_games.py."""

from __future__ import annotations

import itertools
import random

import board_games
import naive_nim as naive
import pytest
from shared_checks import (
    check_pictures,
    check_planes,
    check_relabeling,
    check_values_of_images,
    match,
    planes_of,
)

import unbounded as ub
from unbounded.conformance.check import check_game
from unbounded.game import Known
from unbounded.games.nim import Nim


@pytest.mark.parametrize("text", ["nim", "nim(heaps=[1])"])
def test_it_conforms_to_the_contract(text: str) -> None:
    assert check_game(text, games=20).warnings == ()


# -- against the plain rules ----------------------------------------------------------------------


@pytest.mark.parametrize(
    "game",
    [
        Nim(),
        Nim([1, 3, 5, 7], misere=True),
        Nim([9, 0, 4], most=3),
        Nim([5, 6, 7], players=3),
        Nim([12], players=7, misere=True, most=2),
    ],
    ids=str,
)
def test_random_games_agree_with_the_plain_rules(game: Nim) -> None:
    for seed in range(200):
        choose = random.Random(seed)
        state, slow = game.initial(), naive.initial(game.heaps)
        while True:
            s = game.state.unpack(state)
            assert (s.heaps, s.turn) == ([len(heap) for heap in slow[0]], slow[1])
            ours = {game.action_name(state, a): a for a in game.actions(state)}
            moves = {f"{heap + 1}:{n}": (heap, n) for heap, n in naive.actions(slow, game.most)}
            assert list(ours) == list(moves)
            assert game.player(state) == slow[1]
            if not moves:
                break
            name = choose.choice(list(moves))
            state = game.next(state, ours[name])
            slow = naive.following(slow, moves[name], game.players)
        won = naive.winners(slow, game.players, game.misere)
        expected = [1 if who in won else -1 for who in range(game.players)]
        assert list(game.outcome(state)) == list(game.score(state)) == expected


def test_perft() -> None:
    board_games.check_perft("nim")


# -- the evaluation -------------------------------------------------------------------------------


@pytest.mark.parametrize("misere", [False, True])
@pytest.mark.parametrize("most", [0, 1, 2, 3])
def test_for_two_players_the_guess_is_right(misere: bool, most: int) -> None:
    """By the plain rules, on all small heaps: the theory also holds where takings are limited."""
    known: dict[naive.Heaps, bool] = {}
    for heaps in itertools.product(range(6), repeat=3):
        if any(heaps):
            game = Nim(heaps, misere=misere, most=most)
            wins = naive.mover_wins(naive.initial(heaps), most, misere, known)
            assert game.evaluate(game.initial()) == ([0.9, -0.9] if wins else [-0.9, 0.9])


@pytest.mark.parametrize(("misere", "last"), [(False, 0.9), (True, -0.9)])
def test_more_players_see_the_last_move_coming(misere: bool, last: float) -> None:
    game = Nim([2, 1], players=3, misere=misere, most=2)
    state = game.initial()
    assert list(game.evaluate(state)) == [0, 0, 0]
    state = game.next(state, game.parse_action(state, "1:2"))
    assert list(game.evaluate(state)) == [-last, last, -last]
    two_left = game.next(game.initial(), game.parse_action(game.initial(), "2:1"))
    assert list(game.evaluate(two_left)) == ([0, 0, 0] if misere else [-0.9, 0.9, -0.9])
    limited = Nim([5], players=3, most=3)
    assert list(limited.evaluate(limited.initial())) == [0, 0, 0]


@pytest.mark.parametrize(
    "game", [Nim([7, 9, 12]), Nim([7, 9, 12], misere=True), Nim([20, 21, 22], most=4)], ids=str
)
def test_the_evaluation_plays_better_than_none(game: Nim) -> None:
    assert match(game, iterations=20, pairs=8, opening=2) > 0.6


# -- images, planes, pictures ---------------------------------------------------------------------


@pytest.mark.parametrize("game", [Nim(), Nim([1, 9], players=5, misere=True, most=4)])
def test_renamed_players(game: Nim) -> None:
    check_relabeling(game)


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
