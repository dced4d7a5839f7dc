# SPDX-License-Identifier: MIT
"""Connect Four against its plain twin; images, planes, pictures; more rules in test_games.py."""

from __future__ import annotations

import random

import board_games
import naive_connect_four as naive
import pytest
from shared_checks import (
    check_pictures,
    check_planes,
    check_relabeling,
    check_symmetries,
    check_values_of_images,
    match,
    planes_of,
)

import unbounded as ub
from unbounded.conformance.check import check_game
from unbounded.game import Known
from unbounded.games.connect_four import ConnectFour


def play(game: ConnectFour, columns: str) -> bytes:
    state = game.initial()
    for column in columns:
        assert int(column) - 1 in game.actions(state)
        state = game.next(state, int(column) - 1)
    return state


def test_openspiel_agrees() -> None:
    pyspiel = pytest.importorskip("pyspiel")
    game, other = ConnectFour(), pyspiel.load_game("connect_four")
    for seed in range(100):
        chance = random.Random(seed)
        state, theirs = game.initial(), other.new_initial_state()
        while not theirs.is_terminal():
            assert game.player(state) == theirs.current_player()
            assert list(game.actions(state)) == theirs.legal_actions()
            column = chance.choice(theirs.legal_actions())
            state = game.next(state, column)
            theirs.apply_action(column)
        assert list(game.actions(state)) == []
        assert list(game.outcome(state)) == theirs.returns()


@pytest.mark.parametrize(
    ("size", "games"),
    [((7, 6), 150), ((5, 4, 3), 250), ((4, 5, 3, 3), 250), ((6, 3, 2, 4), 250), ((9, 5, 5), 100)],
)
def test_random_games_agree_with_the_plain_rules(size: tuple[int, ...], games: int) -> None:
    game = ConnectFour(*size)
    board = naive.Board(game.width, game.height, game.line, game.players)
    for seed in range(games):
        choose = random.Random(seed)
        state, slow = game.initial(), naive.initial(board)
        while True:
            assert stones_of(game, state) == slow[0]
            moves = naive.actions(board, slow)
            assert list(game.actions(state)) == moves
            assert game.player(state) == naive.mover(board, slow)
            if not moves:
                break
            column = choose.choice(moves)
            state, slow = game.next(state, column), naive.following(board, slow, column)
        who = naive.winner(board, slow)
        expected = [0 if who is None else 1 if p == who else -1 for p in range(game.players)]
        assert list(game.outcome(state)) == list(game.score(state)) == expected


def stones_of(game: ConnectFour, state: bytes) -> tuple[str, ...]:
    """The stones of each column, read off the drawing."""
    rows = [line.split() for line in game.show(state).splitlines()[: game.height]]
    columns = zip(*reversed(rows), strict=True)
    letters = str.maketrans("XO#*", naive.LETTERS)
    return tuple("".join(column).replace(".", "").translate(letters) for column in columns)


def test_perft() -> None:
    board_games.check_perft("connect_four")


@pytest.mark.parametrize("text", ["connect-four", "connect-four(width=1,height=1,line=1)"])
def test_it_conforms_to_the_contract(text: str) -> None:
    assert check_game(text, games=20).warnings == ()


@pytest.mark.parametrize("size", [(7, 6), (4, 5), (3, 7, 3, 3), (5, 4, 3, 4), (31, 1)])
def test_images(size: tuple[int, ...]) -> None:
    check_symmetries(ConnectFour(*size), games=3)
    check_relabeling(ConnectFour(*size), games=3, same_guess=False)


def test_the_mirror_image_is_the_game_played_the_other_way_round() -> None:
    game = ConnectFour()
    columns = "4455432261177"
    mirrored = "".join(str(8 - int(column)) for column in columns)
    assert game.symmetry(play(game, columns), 1) == play(game, mirrored)
    assert ConnectFour(1, 3).symmetries == 1


def test_values_of_images() -> None:
    check_values_of_images(ConnectFour(4, 3, 3), plies=[3, 5], seeds=4)
    check_values_of_images(ConnectFour(3, 3, 3, 3), plies=[2, 4], seeds=3)


def test_planes_are_seen_by_the_mover() -> None:
    check_planes(ConnectFour())
    check_planes(ConnectFour(4, 4, 3, players=3))
    game = ConnectFour(3, 2, 3)
    own, other, playable = planes_of(game, play(game, "113"))
    assert own == [[0, 0, 0], [1, 0, 0]]
    assert other == [[1, 0, 1], [0, 0, 0]]
    assert playable == [[0, 1, 0], [0, 0, 1]]


def test_planes_of_three_players_follow_the_order_of_play() -> None:
    game = ConnectFour(4, 1, 4, players=3)
    stones = planes_of(game, play(game, "142"))[:3]
    assert stones == [[[1, 0, 0, 0]], [[0, 0, 0, 1]], [[0, 1, 0, 0]]]
    stones = planes_of(game, play(game, "14"))[:3]
    assert stones == [[[0, 0, 0, 0]], [[1, 0, 0, 0]], [[0, 0, 0, 1]]]


def test_pictures() -> None:
    check_pictures(ConnectFour())
    check_pictures(ConnectFour(5, 4, 3, players=4))
    assert ConnectFour(players=3).player_name(2) == "player 3 (#)"


@pytest.mark.parametrize(
    "known", [k for k in ConnectFour.known_values if not k.slow], ids=lambda known: known.game
)
def test_known_values(known: Known) -> None:
    assert ub.solve(known.game).outcome == known.outcome


def test_the_evaluation_plays_better_than_none() -> None:
    assert match(ConnectFour(), iterations=100, pairs=12, opening=3) > 0.6
