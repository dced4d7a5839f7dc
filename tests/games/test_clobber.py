# SPDX-License-Identifier: MIT
from __future__ import annotations

import random
from typing import Any

import board_games
import naive_clobber as naive
import pytest
from board_games import names, planes_of, play

import unbounded as ub
from unbounded.conformance.check import check_game
from unbounded.games.clobber import Clobber

SIZES = [(5, 6), (1, 1), (1, 7), (6, 1), (2, 2), (4, 4), (3, 5)]
COLORS = ("white", "black")


def stones(game: Clobber, state: bytes) -> naive.State:
    """The state as the plain implementation has it."""
    s = game.state.unpack(state)
    cells = enumerate(s.cells)
    left = [((i % game.columns, i // game.columns), COLORS[x - 1]) for i, x in cells if x]
    return tuple(sorted(left)), COLORS[s.turn]


def name_of(move: tuple[naive.Cell, naive.Cell]) -> str:
    return "".join(f"{'abcdefgh'[column]}{row + 1}" for column, row in move)


# -- rules ----------------------------------------------------------------------------------------


def test_a_stone_takes_the_place_of_another() -> None:
    game = Clobber(2, 3)
    assert game.show(game.initial()) == "2 X O X\n1 O X O\n  a b c\nWhite (O) to move"
    assert names(game, game.initial()) == ["a1b1", "a1a2", "c1c2", "c1b1", "b2c2", "b2a2", "b2b1"]
    state = play(game, "a1b1")
    assert game.show(state) == "2 X O X\n1 . O O\n  a b c\nBlack (X) to move"
    assert names(game, state) == ["a2b2", "c2b2", "c2c1"]


def test_whoever_cannot_move_loses() -> None:
    game = Clobber(1, 3)
    state = play(game, "a1b1")
    assert names(game, state) == []
    assert list(game.outcome(state)) == [1, -1]
    assert game.show(state).endswith("Black (X) cannot move; White (O) wins")
    game = Clobber(1, 4)
    assert names(game, play(game, "a1b1 d1c1")) == ["b1c1"]
    assert list(game.outcome(play(game, "a1b1 d1c1 b1c1"))) == [1, -1]
    state = play(game, "c1b1")  # there is a gap between the stones
    assert names(game, state) == []
    assert list(game.outcome(state)) == [1, -1]


def test_stones_do_not_run_over_the_edge() -> None:
    game = Clobber(2, 2)
    assert names(game, game.initial()) == ["a1b1", "a1a2", "b2a2", "b2b1"]


@pytest.mark.parametrize(("rows", "columns"), SIZES)
def test_random_games_agree_with_the_plain_rules(rows: int, columns: int) -> None:
    game = Clobber(rows, columns)
    for seed in range(30):
        choose = random.Random(seed)
        state, slow = game.initial(), naive.initial(rows, columns)
        while True:
            assert stones(game, state) == slow
            actions = {game.action_name(state, a): a for a in game.actions(state)}
            moves = {name_of(move): move for move in naive.actions(slow)}
            assert sorted(actions) == sorted(moves)
            assert COLORS[game.player(state)] == slow[1]
            if not actions:
                expected = [1, -1] if naive.winner(slow) == "white" else [-1, 1]
                assert list(game.outcome(state)) == list(game.score(state)) == expected
                break
            chosen = choose.choice(sorted(actions))
            state, slow = game.next(state, actions[chosen]), naive.following(slow, moves[chosen])


@pytest.mark.parametrize(("rows", "columns"), [(5, 6), (4, 4), (3, 5), (2, 7)])
def test_random_games_agree_with_openspiel(rows: int, columns: int) -> None:
    pyspiel = pytest.importorskip("pyspiel")
    game = Clobber(rows, columns)
    other = pyspiel.load_game(f"clobber(rows={rows},columns={columns})")

    for seed in range(25):
        choose = random.Random(seed)
        state, theirs = game.initial(), other.new_initial_state()
        while not theirs.is_terminal():
            actions = {game.action_name(state, a): a for a in game.actions(state)}
            legal: dict[str, Any] = {theirs.action_to_string(a): a for a in theirs.legal_actions()}
            assert sorted(actions) == sorted(legal)
            assert game.player(state) == theirs.current_player()
            chosen = choose.choice(sorted(actions))
            state = game.next(state, actions[chosen])
            theirs.apply_action(legal[chosen])
        assert not game.actions(state)
        assert list(game.outcome(state)) == theirs.returns()


def test_perft() -> None:
    board_games.check_perft("clobber")


@pytest.mark.parametrize("text", ["clobber", "clobber(rows=1,columns=1)"])
def test_the_contract(text: str) -> None:
    assert check_game(text, games=20).compiled


# -- values ---------------------------------------------------------------------------------------


def test_known_values() -> None:
    board_games.check_known_values(Clobber())
    assert ub.solve(Clobber.solvable, seconds=30).resolved


@pytest.mark.parametrize("size", [(1, 2), (1, 5), (1, 6), (1, 8), (2, 3), (2, 4), (3, 3)])
def test_small_boards_against_the_plain_rules(size: tuple[int, int]) -> None:
    game = Clobber(*size)
    white = 1 if naive.mover_wins(naive.initial(*size), {}) else -1
    assert board_games.values_of(game)(game.initial()) == (white, -white)


# -- the rest -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("rows", "columns", "count"), [(2, 4, 4), (3, 3, 8)])
def test_symmetries(rows: int, columns: int, count: int) -> None:
    board_games.check_symmetries(Clobber(rows, columns), count)


def test_relabeling() -> None:
    board_games.check_relabeling(Clobber(2, 4))
    game = Clobber(1, 3)
    swapped = game.relabel(game.initial(), 1)
    assert game.show(swapped) == "1 X O X\n  a b c\nBlack (X) to move"


def test_evaluations() -> None:
    board_games.check_evaluations(Clobber(), 10)
    game = Clobber(3, 3)
    state = play(game, "a1b1")
    assert game.evaluate(game.relabel(state, 1))[0] == -game.evaluate(state)[0]


def test_the_heuristic_beats_none() -> None:
    won = board_games.heuristic_against_zero("clobber", iterations=200, openings=15, plies=4)
    assert won > 0.6


def test_encoding() -> None:
    game = Clobber(2, 2)
    assert planes_of(game, game.initial()) == [[[1, 0], [0, 1]], [[0, 1], [1, 0]]]
    assert planes_of(game, play(game, "a1b1")) == [[[0, 0], [1, 0]], [[0, 1], [0, 1]]]


def test_drawing() -> None:
    game = Clobber()
    board_games.check_svg(game, play(game, "a1b1"), last=game.parse_action(game.initial(), "a1b1"))


def test_parameters() -> None:
    board_games.check_bad_parameters(Clobber, "rows", "columns")
    with pytest.raises(ub.UsageError, match="400 cells"):
        Clobber(26, 26)
    assert str(Clobber(4, 4)) == "clobber(rows=4,columns=4)"
    assert str(Clobber()) == "clobber"
