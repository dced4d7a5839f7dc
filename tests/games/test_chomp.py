# SPDX-License-Identifier: MIT
from __future__ import annotations

import random
from typing import Any

import board_games
import naive_chomp as naive
import pytest
from board_games import names, planes_of, play

import unbounded as ub
from unbounded.conformance.check import check_game
from unbounded.games.chomp import Chomp

SIZES = [(4, 5), (1, 1), (1, 6), (6, 1), (2, 2), (3, 7), (7, 4), (5, 5)]


def squares(game: Chomp, state: bytes) -> naive.State:
    """The state as the plain implementation has it."""
    s = game.state.unpack(state)
    left = [(column, row) for row in range(game.rows) for column in range(s.lengths[row])]
    return frozenset(left), s.turn


# -- rules ----------------------------------------------------------------------------------------


def test_a_bite_eats_everything_above_and_to_the_right() -> None:
    game = Chomp()
    state = play(game, "c3")
    shown = "4 # # . . .\n3 # # . . .\n2 # # # # #\n1 ! # # # #\n  a b c d e\nplayer 2 to move"
    assert game.show(state) == shown
    assert "c3" not in names(game, state)
    assert "d2" in names(game, state)
    assert len(names(game, state)) == 14


def test_eating_the_poison_is_legal_at_once_and_loses() -> None:
    game = Chomp()
    state = play(game, "a1")
    assert names(game, state) == []
    assert list(game.outcome(state)) == [-1, 1]
    assert game.show(state).endswith("player 1 has eaten the poison; player 2 wins")
    state = play(game, "a2 b1 a1")
    assert names(game, state) == []
    assert list(game.outcome(state)) == [-1, 1]
    assert list(game.outcome(play(game, "b1 a2 a1"))) == [-1, 1]
    assert list(game.outcome(play(game, "b1 a1"))) == [1, -1]


def test_the_order_of_bites_does_not_matter() -> None:
    game = Chomp()
    assert play(game, "c3 e1") == play(game, "e1 c3")
    assert play(game, "d4 c3 e1") == play(game, "d4 e1 c3")


@pytest.mark.parametrize(("rows", "columns"), SIZES)
def test_random_games_agree_with_the_plain_rules(rows: int, columns: int) -> None:
    game = Chomp(rows, columns)
    for seed in range(40):
        choose = random.Random(seed)
        state, slow = game.initial(), naive.initial(rows, columns)
        while True:
            assert squares(game, state) == slow
            actions = {(a % columns, a // columns): a for a in game.actions(state)}
            assert sorted(actions) == naive.actions(slow)
            if not actions:
                assert list(game.outcome(state)) == naive.outcome(slow)
                assert list(game.score(state)) == naive.outcome(slow)
                break
            assert game.player(state) == slow[1]
            # Mostly small bites, so that games last.
            bitten = max(choose.sample(sorted(actions), min(3, len(actions))), key=sum)
            state, slow = game.next(state, actions[bitten]), naive.following(slow, bitten)


def test_perft() -> None:
    board_games.check_perft("chomp")


@pytest.mark.parametrize("text", ["chomp", "chomp(rows=1,columns=1)"])
def test_the_contract(text: str) -> None:
    assert check_game(text, games=20).compiled


# -- values ---------------------------------------------------------------------------------------


def test_known_values() -> None:
    board_games.check_known_values(Chomp())
    assert ub.solve(Chomp.solvable, seconds=30).outcome == (1, -1)


@pytest.mark.parametrize(
    ("rows", "columns", "wins"),
    [
        (2, 5, {"e2"}),  # one square less above than below
        (2, 8, {"h2"}),
        (4, 4, {"b2"}),  # two arms of the same length
        (5, 5, {"b2"}),
        (1, 6, {"b1"}),
        (3, 4, None),
        (4, 5, None),
    ],
)
def test_winning_first_bites(rows: int, columns: int, wins: set[str] | None) -> None:
    game = Chomp(rows, columns)
    known: dict[Any, int] = {}
    start = naive.initial(rows, columns)
    slow = {
        f"{'abcdefgh'[a[0]]}{a[1] + 1}"
        for a in naive.actions(start)
        if naive.value(naive.following(start, a), known) == -1
    }
    assert wins is None or slow == wins
    value = board_games.values_of(game)
    first = game.initial()
    fast = {
        game.action_name(first, a)
        for a in game.actions(first)
        if value(game.next(first, a)) == (1, -1)
    }
    assert fast == slow


def test_eight_by_ten_has_two_winning_first_bites() -> None:
    # Found by Ken Thompson; told in Winning Ways.
    game = Chomp(8, 10)
    value = bar_values(game)
    after = [game.next(game.initial(), a) for a in game.actions(game.initial())]
    assert sum(value(lengths_of(game, s)) == -1 for s in after) == 2


def lengths_of(game: Chomp, state: bytes) -> tuple[int, ...]:
    return tuple(game.state.unpack(state).lengths)


def bar_values(game: Chomp) -> Any:
    """Return a function that gives the value of a bar for who moves, biting as the game does."""
    known: dict[tuple[int, ...], int] = {(0,) * game.rows: 1}
    rules = game.uncompiled

    def value(lengths: tuple[int, ...]) -> int:
        if lengths not in known:
            s = game.state.zero()
            s.lengths = list(lengths)
            out = [0] * game.max_actions
            known[lengths] = -1
            count = rules.actions(s, out)
            for square in out[:count]:
                t = s.copy()
                rules.next(s, square, t)
                if value(tuple(t.lengths)) == -1:
                    known[lengths] = 1
                    break
        return known[lengths]

    return value


# -- the rest -------------------------------------------------------------------------------------


def test_symmetries() -> None:
    board_games.check_symmetries(Chomp(5, 5), 2)
    assert Chomp(4, 5).symmetries == 1


def test_relabeling() -> None:
    board_games.check_relabeling(Chomp())


def test_evaluations() -> None:
    board_games.check_evaluations(Chomp(), 4)


def test_evaluations_are_right_where_they_are_sure() -> None:
    game = Chomp(4, 5)
    value = board_games.values_of(game)
    sure = 0
    for state in set(board_games.some_states(game, 200)):
        if game.actions(state) and abs(game.evaluate(state)[0]) > 0.5:
            sure += 1
            assert (game.evaluate(state)[0] > 0) == (value(state)[0] > 0)
    assert sure > 50


def test_the_heuristic_beats_none() -> None:
    text = "chomp(rows=8,columns=10)"
    won = board_games.heuristic_against_zero(text, iterations=20, openings=15, plies=2)
    assert won > 0.7


def test_encoding() -> None:
    game = Chomp(2, 3)
    assert planes_of(game, game.initial()) == [[[1, 1, 1], [1, 1, 1]]]
    assert planes_of(game, play(game, "b2")) == [[[1, 1, 1], [1, 0, 0]]]
    assert game.encode(play(game, "c2 b2")) == game.encode(play(game, "b2"))


def test_drawing() -> None:
    game = Chomp()
    board_games.check_svg(game, play(game, "c3"), last=game.parse_action(game.initial(), "c3"))
    assert "has eaten the poison" in game.svg(play(game, "a1"))


def test_parameters() -> None:
    board_games.check_bad_parameters(Chomp, "rows", "columns")
    assert str(Chomp(3, 7)) == "chomp(rows=3,columns=7)"
    assert str(Chomp()) == "chomp"
