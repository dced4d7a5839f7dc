# SPDX-License-Identifier: MIT
from __future__ import annotations

import random

import board_games
import naive_konane as naive
import pytest
from board_games import names, planes_of, play

import unbounded as ub
from unbounded.conformance.check import check_game
from unbounded.games.konane import Konane

SIZES = [(6, 6), (2, 2), (2, 7), (5, 2), (3, 3), (5, 5), (4, 7)]


def board(game: Konane, state: bytes) -> naive.State:
    """The state as the plain implementation has it."""
    s = game.state.unpack(state)
    text = "".join(".XO"[cell] for cell in s.cells)
    lines = [text[at : at + game.columns] for at in range(0, len(text), game.columns)]
    return tuple(lines), "XO"[s.turn]


def name_of(move: naive.Move) -> str:
    ends = move[:1] if len(move) == 1 else (move[0], move[-1])
    return "-".join(f"{'abcdefgh'[column]}{row + 1}" for column, row in ends)


def position(game: Konane, lines: str, turn: int) -> bytes:
    """Make a state from its rows, the top one first."""
    s = game.state.zero()
    rows = reversed(lines.split())
    s.cells = [".XO".index(stone) for row in rows for stone in row]
    s.turn = turn
    return game.state.pack(s)


# -- rules ----------------------------------------------------------------------------------------


def test_the_opening_of_an_even_board() -> None:
    game = Konane()
    assert names(game, game.initial()) == ["a1", "c3", "d4", "f6"]
    assert names(game, play(game, "a1")) == ["b1", "a2"]
    assert names(game, play(game, "c3")) == ["c2", "b3", "d3", "c4"]
    assert names(game, play(game, "a1 b1")) == ["a3-a1"]
    assert names(game, play(game, "c3 c4")) == ["c1-c3", "a3-c3", "e3-c3"]


def test_the_opening_of_odd_boards() -> None:
    game = Konane(5, 5)
    assert names(game, game.initial()) == ["a1", "e1", "c3", "a5", "e5"]
    game = Konane(5, 7)  # the cell in the middle is white
    assert names(game, game.initial()) == ["a1", "g1", "a5", "g5"]
    game = Konane(3, 4)  # two cells in the middle, one of them black
    assert names(game, game.initial()) == ["a1", "b2", "a3"]


def test_jumps_go_on_in_the_same_direction_only() -> None:
    game = Konane(5, 5)
    state = position(game, ".O.OX XOXOX O...X XOXO. XO.O.", 0)
    assert "a1-c1" in names(game, state)
    assert "a1-e1" in names(game, state)
    assert "a1-c3" not in names(game, state)
    after = game.next(state, game.parse_action(state, "a1-e1"))
    assert board(game, after)[0][0] == "....X"
    short = game.next(state, game.parse_action(state, "a1-c1"))
    assert board(game, short)[0][0] == "..XO."


def test_no_jump_over_own_stones_gaps_or_the_edge() -> None:
    game = Konane(3, 5)
    state = position(game, "..... XX..O XO...", 0)
    assert names(game, state) == ["a1-c1"]
    state = position(game, "..... X.O.. ....O", 0)
    assert names(game, state) == []
    assert list(game.outcome(state)) == [-1, 1]
    assert game.show(state).endswith("Black (X) cannot move; White (O) wins")
    state = position(game, "..... ...XO .....", 0)
    assert names(game, state) == []


def test_reads_like_a_board() -> None:
    game = Konane(3, 4)
    expected = "3 X O X O\n2 O X O X\n1 X O X O\n  a b c d\nBlack (X) to move"
    assert game.show(game.initial()) == expected


@pytest.mark.parametrize(("rows", "columns"), SIZES)
def test_random_games_agree_with_the_plain_rules(rows: int, columns: int) -> None:
    game = Konane(rows, columns)
    for seed in range(30):
        choose = random.Random(seed)
        state, slow = game.initial(), naive.initial(rows, columns)
        while True:
            assert board(game, state) == slow
            actions = {game.action_name(state, a): a for a in game.actions(state)}
            moves = {name_of(move): move for move in naive.actions(slow)}
            assert sorted(actions) == sorted(moves)
            assert len(actions) == len(game.actions(state))
            assert "XO"[game.player(state)] == slow[1]
            if not actions:
                expected = [1, -1] if naive.winner(slow) == "X" else [-1, 1]
                assert list(game.outcome(state)) == list(game.score(state)) == expected
                break
            chosen = choose.choice(sorted(actions))
            state, slow = game.next(state, actions[chosen]), naive.following(slow, moves[chosen])


def test_perft() -> None:
    board_games.check_perft("konane")


@pytest.mark.parametrize("text", ["konane", "konane(rows=2,columns=2)"])
def test_the_contract(text: str) -> None:
    assert check_game(text, games=20).compiled


# -- values ---------------------------------------------------------------------------------------


def test_known_values() -> None:
    board_games.check_known_values(Konane())
    assert ub.solve(Konane.solvable, seconds=30).resolved


@pytest.mark.parametrize("size", [(2, 2), (2, 3), (3, 3), (3, 4), (4, 4)])
def test_small_boards_against_the_plain_rules(size: tuple[int, int]) -> None:
    game = Konane(*size)
    black = 1 if naive.mover_wins(naive.initial(*size), {}) else -1
    assert board_games.values_of(game)(game.initial()) == (black, -black)


# -- the rest -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("rows", "columns", "count"), [(3, 5, 4), (4, 4, 8)])
def test_symmetries(rows: int, columns: int, count: int) -> None:
    board_games.check_symmetries(Konane(rows, columns), count)


def test_relabeling() -> None:
    board_games.check_relabeling(Konane(4, 4))
    game = Konane(3, 3)
    swapped = game.relabel(game.initial(), 1)
    assert game.show(swapped) == "3 O X O\n2 X O X\n1 O X O\n  a b c\nWhite (O) to move"
    assert names(game, swapped) == names(game, game.initial())


def test_evaluations() -> None:
    board_games.check_evaluations(Konane(), 8)
    game = Konane(3, 5)
    state = position(game, "..... XX..O XO.O.", 0)
    assert game.evaluate(state)[0] > 0
    assert game.evaluate(game.relabel(state, 1))[0] == -game.evaluate(state)[0]


def test_the_heuristic_beats_none() -> None:
    won = board_games.heuristic_against_zero("konane", iterations=200, openings=15, plies=4)
    assert won > 0.7


def test_encoding() -> None:
    game = Konane(2, 3)
    own, others, empty = planes_of(game, play(game, "a1"))
    assert own == [[0, 1, 0], [1, 0, 1]]
    assert others == [[0, 0, 1], [0, 1, 0]]
    assert empty == [[1, 0, 0], [0, 0, 0]]
    assert planes_of(game, game.initial())[0] == [[1, 0, 1], [0, 1, 0]]


def test_drawing() -> None:
    game = Konane()
    state = play(game, "c3 c4")
    board_games.check_svg(game, state, last=game.parse_action(play(game, "c3"), "c4"))
    board_games.check_svg(game, game.initial())


def test_parameters() -> None:
    board_games.check_bad_parameters(Konane, "rows", "columns")
    with pytest.raises(ub.UsageError, match="from 2 to 26"):
        Konane(1, 6)
    with pytest.raises(ub.UsageError, match="400 cells"):
        Konane(26, 26)
    assert str(Konane(4, 4)) == "konane(rows=4,columns=4)"
    assert str(Konane()) == "konane"
