# SPDX-License-Identifier: MIT
from __future__ import annotations

import random

import board_games
import naive_domineering as naive
import pytest
from board_games import names, planes_of, play

import unbounded as ub
from unbounded.conformance.check import check_game
from unbounded.games.domineering import Domineering

SIZES = [(5, 5), (1, 1), (1, 5), (4, 1), (2, 3), (4, 3), (3, 6)]
OTHER = {"vertical": "horizontal", "horizontal": "vertical"}


def free_cells(game: Domineering, state: bytes) -> naive.State:
    """The state as the plain implementation has it."""
    s = game.state.unpack(state)
    cells = enumerate(s.covered)
    free = [(i % game.columns, i // game.columns) for i, covered in cells if not covered]
    return frozenset(free), game.first if s.turn == 0 else OTHER[game.first]


def name_of(domino: naive.Domino) -> str:
    return "-".join(f"{'abcdefgh'[column]}{row + 1}" for column, row in domino)


# -- rules ----------------------------------------------------------------------------------------


def test_a_game_between_the_two_sides() -> None:
    game = Domineering(3, 3)
    assert names(game, game.initial()) == ["a1-a2", "b1-b2", "c1-c2", "a2-a3", "b2-b3", "c2-c3"]
    state = play(game, "b1-b2")
    assert game.show(state) == "3 . . .\n2 . # .\n1 . # .\n  a b c\nHorizontal to move"
    assert names(game, state) == ["a3-b3", "b3-c3"]
    state = play(game, "b1-b2 a3-b3 a1-a2")
    assert names(game, state) == []
    assert list(game.outcome(state)) == [1, -1]
    assert game.show(state).endswith("Horizontal cannot move; Vertical wins")


def test_horizontal_may_start() -> None:
    game = Domineering(3, 3, "horizontal")
    assert names(game, game.initial())[:3] == ["a1-b1", "b1-c1", "a2-b2"]
    assert [game.player_name(who) for who in (0, 1)] == ["Horizontal", "Vertical"]
    assert game.symbols == "HV"
    state = play(game, "a2-b2 c1-c2 a1-b1")
    assert names(game, state) == []
    assert list(game.outcome(state)) == [1, -1]


def test_dominoes_do_not_run_over_the_edge() -> None:
    game = Domineering(2, 3, "horizontal")
    assert names(game, game.initial()) == ["a1-b1", "b1-c1", "a2-b2", "b2-c2"]
    assert names(Domineering(2, 3), Domineering(2, 3).initial()) == ["a1-a2", "b1-b2", "c1-c2"]


@pytest.mark.parametrize("first", ["vertical", "horizontal"])
def test_on_one_row_only_horizontal_can_move(first: str) -> None:
    game = Domineering(1, 4, first)
    assert (game.actions(game.initial()) == []) == (first == "vertical")
    winner = 1 if first == "vertical" else 0
    assert board_games.values_of(game)(game.initial())[winner] == 1
    tiny = Domineering(1, 1, first)
    assert tiny.actions(tiny.initial()) == []
    assert list(tiny.outcome(tiny.initial())) == [-1, 1]


def test_which_domino_covers_a_cell_is_not_kept() -> None:
    game = Domineering(4, 4)
    upright = play(game, "a1-a2 c1-d1 b1-b2 c2-d2")
    across = play(game, "c1-c2 a1-b1 d1-d2 a2-b2")
    assert upright == across


@pytest.mark.parametrize("first", ["vertical", "horizontal"])
@pytest.mark.parametrize(("rows", "columns"), SIZES)
def test_random_games_agree_with_the_plain_rules(rows: int, columns: int, first: str) -> None:
    game = Domineering(rows, columns, first)
    for seed in range(20):
        choose = random.Random(seed)
        state, slow = game.initial(), naive.initial(rows, columns, first)
        while True:
            assert free_cells(game, state) == slow
            actions = {game.action_name(state, a): a for a in game.actions(state)}
            dominoes = {name_of(domino): domino for domino in naive.actions(slow)}
            assert sorted(actions) == sorted(dominoes)
            assert game.player_name(game.player(state)).lower() == slow[1]
            if not actions:
                won = naive.winner(slow)
                expected = [1, -1] if won == first else [-1, 1]
                assert list(game.outcome(state)) == list(game.score(state)) == expected
                break
            chosen = choose.choice(sorted(actions))
            state = game.next(state, actions[chosen])
            slow = naive.following(slow, dominoes[chosen])


def test_perft() -> None:
    board_games.check_perft("domineering")


@pytest.mark.parametrize("text", ["domineering", "domineering(rows=1,columns=1)"])
def test_the_contract(text: str) -> None:
    assert check_game(text, games=20).compiled


# -- values ---------------------------------------------------------------------------------------


def test_known_values() -> None:
    board_games.check_known_values(Domineering())
    assert ub.solve(Domineering.solvable, seconds=30).resolved


@pytest.mark.parametrize(
    "entry", ["2x2 N", "2x3 N", "2x4 H", "2x5 V", "2x6 N", "3x3 N", "3x4 H", "4x4 N"]
)
def test_the_table_of_small_boards(entry: str) -> None:
    size, winner = entry.split()
    rows, columns = map(int, size.split("x"))
    for first in OTHER:
        expected = 1 if winner in ("N", first[0].upper()) else -1
        game = Domineering(rows, columns, first)
        assert board_games.values_of(game)(game.initial()) == (expected, -expected)
        start = naive.initial(rows, columns, first)
        assert (naive.best_play_winner(start, {}) == first) == (expected == 1)


# -- the rest -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("rows", "columns"), [(3, 4), (4, 4)])
def test_symmetries(rows: int, columns: int) -> None:
    board_games.check_symmetries(Domineering(rows, columns), 4)


def test_on_a_square_board_the_sides_can_be_swapped() -> None:
    board_games.check_relabeling(Domineering(4, 4))
    assert not Domineering(4, 5).has_relabeling
    game = Domineering(3, 3)
    after = play(game, "b1-b2")
    other = Domineering(3, 3, "horizontal")
    assert other.state.unpack(play(other, "a2-b2")).covered == (
        game.state.unpack(game.relabel(after, 1)).covered
    )


def test_evaluations() -> None:
    board_games.check_evaluations(Domineering(), 5)
    game = Domineering(5, 5)
    state = play(game, "b1-b2 d5-e5 b3-b4")  # column a is Vertical's alone
    assert game.evaluate(state)[0] > game.evaluate(play(game, "c1-c2 d5-e5 c3-c4"))[0]


@pytest.mark.parametrize("first", ["vertical", "horizontal"])
def test_evaluations_look_from_either_side(first: str) -> None:
    wide, tall = Domineering(1, 5, first), Domineering(5, 1, first)
    sign = 1 if first == "vertical" else -1
    assert sign * tall.evaluate(tall.initial())[0] > 0
    assert sign * wide.evaluate(wide.initial())[0] < 0


def test_the_heuristic_beats_none() -> None:
    won = board_games.heuristic_against_zero("domineering", iterations=30, openings=15, plies=2)
    assert won > 0.7


def test_encoding() -> None:
    game = Domineering(2, 3)
    covered, own, others, vertical = planes_of(game, play(game, "a1-a2"))
    assert covered == [[1, 0, 0], [1, 0, 0]]
    assert own == [[0, 1, 1], [0, 1, 1]]
    assert others == [[0, 1, 1], [0, 1, 1]]
    assert vertical == [[0, 0, 0], [0, 0, 0]]
    covered, own, others, vertical = planes_of(game, play(game, "a1-a2 b1-c1"))
    assert (own, others) == ([[0, 0, 0], [0, 0, 0]], [[0, 0, 0], [0, 1, 1]])
    assert vertical == [[1, 1, 1], [1, 1, 1]]


def test_drawing() -> None:
    game = Domineering()
    state = play(game, "b1-b2 d5-e5")
    last = game.parse_action(play(game, "b1-b2"), "d5-e5")
    board_games.check_svg(game, state, last=last)


def test_parameters() -> None:
    board_games.check_bad_parameters(Domineering, "rows", "columns", "first")
    with pytest.raises(ub.UsageError, match="400 cells"):
        Domineering(26, 26)
    assert str(Domineering(4, 6, "horizontal")) == (
        "domineering(rows=4,columns=6,first=horizontal)"
    )
