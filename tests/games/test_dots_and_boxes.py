# SPDX-License-Identifier: MIT
from __future__ import annotations

import random
from typing import Any

import pytest
import shared_checks
from naive_dots_and_boxes import Naive, name

import unbounded as ub
from unbounded.conformance.check import check_game, random_play
from unbounded.games.dots_and_boxes import DotsAndBoxes

SIZES = [(2, 2, 2), (1, 1, 2), (3, 2, 2), (1, 5, 3), (2, 3, 4), (3, 3, 3), (4, 1, 4)]


def play(game: DotsAndBoxes, moves: str) -> bytes:
    state = game.initial()
    for move in moves.split():
        state = game.next(state, game.parse_action(state, move))
    return state


# -- rules ----------------------------------------------------------------------------------------


def test_who_closes_a_box_moves_again() -> None:
    game = DotsAndBoxes(1, 2)
    state = play(game, "a1-b1 a2-b2 a1-a2")
    assert game.player(state) == 1
    state = game.next(state, game.parse_action(state, "b1-b2"))
    assert game.player(state) == 1
    assert game.state.unpack(state).boxes == [0, 1]
    state = game.next(state, game.parse_action(state, "b1-c1"))
    assert game.player(state) == 0


def test_one_line_may_close_two_boxes() -> None:
    game = DotsAndBoxes(1, 2, 3)
    state = play(game, "a1-b1 a2-b2 a1-a2 b1-c1 b2-c2 c1-c2 b1-b2")
    assert not game.actions(state)
    assert game.state.unpack(state).boxes == [2, 0, 0]
    assert list(game.score(state)) == [2, 0, 0]
    assert list(game.outcome(state)) == [1, -1, -1]


def test_a_closed_box_need_not_be_taken() -> None:
    game = DotsAndBoxes(1, 2)
    state = play(game, "a1-b1 a2-b2 a1-a2")
    assert "b1-c1" in [game.action_name(state, a) for a in game.actions(state)]


def test_sharing_the_most_boxes_is_a_draw_for_those_who_do() -> None:
    game = DotsAndBoxes(1, 2, 3)
    # The second player closes the left box and has to go on; the third closes the right one.
    state = play(game, "a1-b1 a2-b2 a1-a2 b1-c1 b1-b2 b2-c2 c1-c2")
    assert not game.actions(state)
    assert game.state.unpack(state).boxes == [0, 1, 1]
    assert list(game.outcome(state)) == [-1, 0, 0]
    assert game.show(state).endswith("boxes: A 0, B 1, C 1; B and C draw")


def test_score_of_two_is_the_difference() -> None:
    game = DotsAndBoxes(1, 1)
    state = play(game, "a1-b1 a2-b2 a1-a2 b1-b2")
    assert list(game.outcome(state)) == [-1, 1]
    assert list(game.score(state)) == [-1.0, 1.0]


def test_equal_ends_are_equal_states() -> None:
    game = DotsAndBoxes(1, 2)
    ends = {random_play(game, seed).states[-1] for seed in range(60)}
    assert len(ends) == 3  # 2:0, 1:1, 0:2


def test_the_board_as_text() -> None:
    game = DotsAndBoxes(2, 2)
    state = play(game, "a1-b1 a2-b2 a1-a2 b1-b2")
    lines = ["3 +   +   +", "", "2 +---+   +", "  | # |", "1 +---+   +", "  a   b   c"]
    assert game.show(state).splitlines() == [*lines, "boxes: A 0, B 1; B to move"]


# -- against others -------------------------------------------------------------------------------


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_against_the_naive_rules(size: tuple[int, int, int]) -> None:
    game, naive = DotsAndBoxes(*size), Naive(*size)
    bytes_of: dict[Any, bytes] = {}
    for seed in range(30):
        choose = random.Random(seed)
        state, position = game.initial(), naive.initial()
        while naive.actions(position):
            assert bytes_of.setdefault(position, state) == state
            assert game.player(state) == position[2]
            actions = {game.action_name(state, a): a for a in game.actions(state)}
            lines = {name(line): line for line in naive.actions(position)}
            assert set(actions) == set(lines)
            move = choose.choice(sorted(lines))
            state = game.next(state, actions[move])
            position = naive.next(position, lines[move])
        assert not game.actions(state)
        assert list(game.outcome(state)) == naive.outcome(position)
        assert list(game.score(state)) == naive.score(position)
    assert len(set(bytes_of.values())) == len(bytes_of)


@pytest.mark.parametrize(("rows", "columns"), [(2, 2), (1, 3), (3, 4)])
def test_against_openspiel(rows: int, columns: int) -> None:
    pyspiel = pytest.importorskip("pyspiel")
    # Both number the lines across first, then those upwards, row by row.
    theirs = pyspiel.load_game(
        "dots_and_boxes", {"num_rows": rows, "num_cols": columns, "utility_margin": True}
    )
    game = DotsAndBoxes(rows, columns)
    for seed in range(40):
        choose = random.Random(seed)
        state, other = game.initial(), theirs.new_initial_state()
        while not other.is_terminal():
            assert game.player(state) == other.current_player()
            actions = list(game.actions(state))
            assert actions == sorted(other.legal_actions())
            action = choose.choice(actions)
            state = game.next(state, action)
            other.apply_action(action)
        assert not game.actions(state)
        assert list(game.score(state)) == other.returns()


# -- the contract ---------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [(2, 2, 2), (1, 1, 2), (2, 3, 3)], ids=str)
def test_the_contract(size: tuple[int, int, int]) -> None:
    report = check_game(DotsAndBoxes(*size), games=20)
    assert report.compiled
    assert not report.warnings


@pytest.mark.parametrize("size", [(2, 2, 2), (1, 3, 2), (3, 3, 3), (2, 3, 4)], ids=str)
def test_images(size: tuple[int, int, int]) -> None:
    game = DotsAndBoxes(*size)
    assert game.symmetries == (8 if size[0] == size[1] else 4)
    shared_checks.check_symmetries(game, games=3)
    shared_checks.check_relabeling(game, games=3)
    shared_checks.check_planes(game, games=3)


def test_images_have_the_same_value() -> None:
    shared_checks.check_values_of_images(ub.load_game(DotsAndBoxes.solvable), plies=[5, 7], seeds=3)


def test_planes_are_seen_by_the_mover() -> None:
    game = DotsAndBoxes(1, 2)
    state = play(game, "a1-b1 a2-b2 a1-a2 b1-b2 b1-c1")  # player 2 has a box, player 1 moves
    mine, other, lines, sides = shared_checks.planes_of(game, state)
    assert mine == [[0.0] * 5] * 3
    assert other == [[0.5] * 5] * 3
    assert lines == [[0, 1, 0, 1, 0], [1, 0, 1, 0, 0], [0, 1, 0, 0, 0]]
    assert sides[1] == [0, 1.0, 0, 0.5, 0]


@pytest.mark.parametrize("size", [(2, 2, 2), (1, 1, 4), (3, 5, 3)], ids=str)
def test_pictures(size: tuple[int, int, int]) -> None:
    shared_checks.check_pictures(DotsAndBoxes(*size))


@pytest.mark.parametrize("value", shared_checks.NONSENSE, ids=repr)
@pytest.mark.parametrize("parameter", ["rows", "columns", "players"])
def test_nonsense_is_refused(parameter: str, value: Any) -> None:
    shared_checks.refused(DotsAndBoxes, parameter, value)


@pytest.mark.parametrize("size", [(26, 2, 2), (2, 26, 2), (2, 2, 5), (2, 2, 1)], ids=str)
def test_too_large_is_refused(size: tuple[int, int, int]) -> None:
    with pytest.raises(ub.UsageError, match="must be an integer from"):
        DotsAndBoxes(*size)


def test_the_largest_board() -> None:
    game = DotsAndBoxes(25, 25, 4)
    assert game.max_actions == 2 * 26 * 25
    assert game.action_name(game.initial(), game.max_actions - 1) == "z25-z26"


# -- values and strength --------------------------------------------------------------------------


def test_perft() -> None:
    shared_checks.check_perft("dots_and_boxes.perft")


@pytest.mark.parametrize("known", DotsAndBoxes.known_values, ids=lambda known: known.game)
def test_known_values(known: Any) -> None:
    if known.slow:
        pytest.skip("takes too long here")
    assert ub.solve(known.game, seconds=60).outcome == known.outcome
    # The two-player search stops at the first win; this one proves the score too.
    result = ub.solve(known.game, seconds=60, values="resolved_completion")
    assert result.outcome == known.outcome
    assert result.score == known.score


@pytest.mark.parametrize("size", [(1, 1), (1, 2), (1, 3), (1, 4), (2, 2)], ids=str)
def test_values_by_trying_everything(size: tuple[int, int]) -> None:
    result = ub.solve(DotsAndBoxes(*size), values="resolved_completion")
    difference = Naive(*size, 2).best_difference()
    assert result.score == (difference, -difference)


@pytest.mark.parametrize("players", [2, 3])
def test_evaluations_stay_within_what_can_be_reached(players: int) -> None:
    game = DotsAndBoxes(3, 3, players)
    for state in shared_checks.positions(game, 20):
        if game.actions(state):
            values, bounds = game.evaluate(state), game.best_score_from(state)
            assert all(x <= most for x, most in zip(values, bounds, strict=True))
            assert sum(values) == pytest.approx(0 if players == 2 else 9)


def test_heuristic_against_zero() -> None:
    share = shared_checks.match(DotsAndBoxes(3, 3), iterations=40, pairs=10, opening=4)
    assert share > 0.75
