# SPDX-License-Identifier: MIT
from __future__ import annotations

import random
from typing import Any

import pytest
import shared_checks
from naive_isolation import Naive, name

import unbounded as ub
from unbounded.conformance.check import check_game, random_play
from unbounded.games.isolation import Isolation

SIZES = [(5, 5, 2), (2, 2, 2), (2, 5, 2), (4, 3, 3), (3, 3, 4), (4, 6, 4)]


def position(board: str, turn: int = 0, players: int = 2) -> tuple[Isolation, bytes]:
    """A position from its board, top row first: - for a removed cell."""
    rows = board.split()
    game = Isolation(len(rows), len(rows[0]), players)
    s = game.state.zero()
    s.cells = ["-.ABCD".index(c) - 1 for row in reversed(rows) for c in row]
    s.turn = turn
    return game, game.state.pack(s)


def after(game: Isolation, state: bytes, move: str) -> tuple[str, int]:
    s = game.state.unpack(game.next(state, game.parse_action(state, move)))
    cells = "".join("-.ABCD"[cell + 1] for cell in s.cells)
    width = game.columns
    rows = [cells[i : i + width] for i in range(0, len(cells), width)]
    return " ".join(reversed(rows)), s.turn


def names(game: Isolation, state: bytes) -> set[str]:
    return {game.action_name(state, action) for action in game.actions(state)}


# -- rules ----------------------------------------------------------------------------------------


def test_one_step_in_any_direction_and_then_any_free_cell() -> None:
    game, state = position("..B ... .A.")
    steps = {move.split("x")[0] for move in names(game, state)}
    assert steps == {"a1", "c1", "a2", "b2", "c2"}
    removed = {move.split("x")[1] for move in names(game, state) if move.startswith("a2x")}
    assert removed == {"a1", "b1", "c1", "b2", "c2", "a3", "b3"}  # b1 is the cell just left
    assert after(game, state, "a2xb1") == ("..B A.. .-.", 1)
    assert after(game, state, "a2xa3") == ("-.B A.. ...", 1)


def test_removed_cells_and_pawns_are_in_the_way() -> None:
    game, state = position("--- -B. -A-")
    assert names(game, state) == {"c2xb1"}
    assert after(game, state, "c2xb1") == ("--- --A ---", 0)


def test_who_cannot_move_is_out_and_the_other_wins() -> None:
    game, state = position("..- .A- -.B")
    end = game.next(state, game.parse_action(state, "a2xb1"))
    assert game.actions(end)  # B goes to b2
    end = game.next(state, game.parse_action(state, "b1xb2"))
    assert not game.actions(end)
    assert list(game.outcome(end)) == [1, -1]
    assert game.show(end).splitlines() == ["3 . .", "2 .", "1   A", "  a b c", "A has won"]


def test_the_mover_may_be_stuck_but_the_others_are_asked_first() -> None:
    # After the move nobody can move any more; the player to move next is out first.
    game, state = position("B.A ---")
    assert after(game, state, "b2xc2") == ("-A- ---", 0)


def test_three_players_go_on_without_the_one_who_is_out() -> None:
    game, state = position("C.. ..- A-B", players=3)
    # B has only b2 to go to: A takes it away.
    assert after(game, state, "a2xb2") == ("C.. A-- .--", 2)
    following = game.next(state, game.parse_action(state, "a2xb2"))
    assert game.player(following) == 2
    later = game.next(following, game.parse_action(following, "b3xc3"))
    assert game.player(later) == 0  # B is passed over
    with pytest.raises(ub.UsageError, match="illegal move"):
        game.parse_action(following, "a2xa1")


def test_two_may_be_out_at_once() -> None:
    game, state = position("B-. --C A.. ", players=3)
    assert after(game, state, "b1xa1")[1] == 2
    game, state = position("B-- --C A.- ", players=3)
    end = game.next(state, game.parse_action(state, "b1xa1"))
    # B is out, and C too: A stands on the only cell next to it.
    assert not game.actions(end)
    assert list(game.outcome(end)) == [1, -1, -1]


def test_pawns_start_in_the_middle_of_the_sides() -> None:
    def lines(game: Isolation) -> list[str]:
        return game.show(game.initial()).splitlines()[: game.rows]

    assert lines(Isolation(3, 3, 4)) == ["3 . B .", "2 C . D", "1 . A ."]
    # Between two middle cells everyone has the one to their left.
    assert lines(Isolation(4, 4, 4)) == ["4 . . B .", "3 C . . .", "2 . . . D", "1 . A . ."]
    assert lines(Isolation(2, 2)) == ["2 . B", "1 A ."]


# -- against the naive rules ----------------------------------------------------------------------


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_against_the_naive_rules(size: tuple[int, int, int]) -> None:
    game, naive = Isolation(*size), Naive(*size)
    bytes_of: dict[Any, bytes] = {}
    for seed in range(40):
        choose = random.Random(seed)
        state, slow = game.initial(), naive.initial()
        while moves := {name(move): move for move in naive.actions(slow)}:
            assert bytes_of.setdefault(slow, state) == state
            assert game.player(state) == slow[2]
            actions = {game.action_name(state, a): a for a in game.actions(state)}
            assert set(actions) == set(moves)
            move = choose.choice(sorted(moves))
            state, slow = game.next(state, actions[move]), naive.next(slow, moves[move])
        assert not game.actions(state)
        assert list(game.outcome(state)) == naive.outcome(slow)
    assert len(set(bytes_of.values())) == len(bytes_of)


# -- the contract ---------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [(5, 5, 2), (2, 2, 2), (3, 3, 4)], ids=str)
def test_the_contract(size: tuple[int, int, int]) -> None:
    report = check_game(Isolation(*size), games=20)
    assert report.compiled
    assert not report.warnings


@pytest.mark.parametrize("size", [(3, 3, 2), (2, 3, 2), (4, 4, 3), (3, 4, 4)], ids=str)
def test_images(size: tuple[int, int, int]) -> None:
    game = Isolation(*size)
    assert game.symmetries == (8 if size[0] == size[1] else 4)
    shared_checks.check_symmetries(game, games=1 if size[0] > 3 else 2)
    shared_checks.check_relabeling(game, games=2)
    shared_checks.check_planes(game, games=3)


def test_images_have_the_same_value() -> None:
    shared_checks.check_values_of_images(ub.load_game(Isolation.solvable), plies=[2, 3], seeds=3)


def test_planes_are_seen_by_the_mover() -> None:
    game, state = position("C.- B.A ---", turn=1, players=3)
    mine, next_one, last_one, free = shared_checks.planes_of(game, state)
    assert mine == [[0, 0, 0], [1, 0, 0], [0, 0, 0]]  # the bottom row first
    assert next_one == [[0, 0, 0], [0, 0, 0], [1, 0, 0]]
    assert last_one == [[0, 0, 0], [0, 0, 1], [0, 0, 0]]
    assert free == [[0, 0, 0], [0, 1, 0], [0, 1, 0]]


@pytest.mark.parametrize("size", [(5, 5, 2), (2, 2, 2), (4, 6, 4)], ids=str)
def test_pictures(size: tuple[int, int, int]) -> None:
    shared_checks.check_pictures(Isolation(*size))


@pytest.mark.parametrize("value", shared_checks.NONSENSE, ids=repr)
@pytest.mark.parametrize("parameter", ["rows", "columns", "players"])
def test_nonsense_is_refused(parameter: str, value: Any) -> None:
    shared_checks.refused(Isolation, parameter, value)


@pytest.mark.parametrize(
    ("size", "message"),
    [
        ((17, 2, 2), "rows must be an integer from 2 to 16"),
        ((2, 17, 2), "columns must be an integer from 2 to 16"),
        ((1, 5, 2), "rows must be an integer from 2 to 16"),
        ((5, 5, 5), "players must be an integer from 2 to 4"),
        ((2, 5, 3), "at least 3 rows and 3 columns"),
        ((5, 2, 4), "at least 3 rows and 3 columns"),
    ],
)
def test_boards_that_cannot_be(size: tuple[int, int, int], message: str) -> None:
    with pytest.raises(ub.UsageError, match=message):
        Isolation(*size)


def test_the_largest_board_has_room_for_all_actions() -> None:
    game = Isolation(16, 16)
    state = game.next(game.initial(), game.parse_action(game.initial(), "h2xp16"))
    assert len(game.actions(state)) == 5 * 253
    state = random_play(game, 0, longest=6).states[-1]
    assert len(game.actions(state)) <= game.max_actions == 8 * 254


# -- values and strength --------------------------------------------------------------------------


def test_perft() -> None:
    shared_checks.check_perft("isolation.perft")


@pytest.mark.parametrize("known", Isolation.known_values, ids=lambda known: known.game)
def test_known_values(known: Any) -> None:
    assert ub.solve(known.game, seconds=60).outcome == known.outcome


@pytest.mark.parametrize("known", Isolation.known_values[:6], ids=lambda known: known.game)
def test_values_by_trying_everything(known: Any) -> None:
    game = ub.load_game(known.game)
    assert isinstance(game, Isolation)
    assert Naive(game.rows, game.columns, 2).first_wins() == (known.outcome[0] == 1)


@pytest.mark.parametrize("players", [2, 3])
def test_evaluations_are_within_the_outcomes(players: int) -> None:
    game = Isolation(5, 5, players)
    for state in shared_checks.positions(game, 10):
        if game.actions(state):
            values = game.evaluate(state)
            assert all(abs(x) < 1 for x in values)
            if players == 2:
                assert values[0] == -values[1]
            out = [who for who in range(players) if who + 1 not in game.state.unpack(state).cells]
            assert all(values[who] == min(values) == -0.99 for who in out)


def test_heuristic_against_zero() -> None:
    assert shared_checks.match(Isolation(), iterations=60, pairs=10, opening=2) > 0.75
