# SPDX-License-Identifier: MIT
from __future__ import annotations

import random

import pytest
from board_games import (
    check_bad_parameters,
    check_evaluations,
    check_known_values,
    check_perft,
    check_relabeling,
    check_svg,
    check_symmetries,
    heuristic_against_zero,
    names,
    planes_of,
    play,
)
from naive_havannah import NaiveHavannah, Place

import unbounded as ub
from unbounded.conformance.check import check_game, random_play
from unbounded.games.havannah import Havannah

# -- rules ----------------------------------------------------------------------------------------


def alternating(first: str, second: str) -> str:
    """Return the moves of two players in turn; the second has one less."""
    pairs = zip(first.split(), [*second.split(), ""], strict=True)
    return " ".join(f"{a} {b}" for a, b in pairs).strip()


def assert_wins_with_the_last(game: Havannah, first: str, second: str) -> None:
    """The first player wins with any of the stones, when it is the last, and not before."""
    stones = first.split()
    for last in stones:
        before = " ".join([stone for stone in stones if stone != last] + [last])
        moves = alternating(before, second)
        assert game.actions(play(game, moves.rsplit(" ", 1)[0]))
        state = play(game, moves)
        assert list(game.actions(state)) == []
        assert list(game.outcome(state)) == [1, -1]
        assert game.show(state).endswith("X has won")


def test_it_reads_like_a_board() -> None:
    game = Havannah(3)
    state = play(game, "c3 A1 e4")
    expected = (
        "      a b c\n   1 O . . d\n  2 . . . . e\n 3 . . X . .\n  4 . . . X\n   5 . . .\nO to move"
    )
    assert game.show(state) == expected
    assert names(game, state)[:5] == ["b1", "c1", "a2", "b2", "c2"]
    assert len(names(game, state)) == 16


def test_a_bridge_joins_two_corners() -> None:
    assert_wins_with_the_last(Havannah(4), "a1 b1 c1 d1", "c4 e5 e3")
    assert_wins_with_the_last(Havannah(4), "a1 b2 c3 d4 e5 f6 g7", "a3 b5 c2 e3 f5 c6")


def test_a_fork_joins_three_sides() -> None:
    # From the top down to the left and to the right; corners are no part of a side.
    fork = "b1 b2 b3 a3 c3 d4 e4 f4 g5"
    assert_wins_with_the_last(Havannah(4), fork, "c1 d2 f3 b5 c6 d7 e6 f7")


def test_two_sides_and_a_corner_between_them_are_no_fork() -> None:
    game = Havannah(4)
    assert game.actions(play(game, alternating("b1 c1 d1 e2 f3", "c4 e5 e4 c5")))


@pytest.mark.parametrize("inside", ["", "d4"])
def test_a_ring_around_a_cell_whoever_is_there(inside: str) -> None:
    # Around the middle, which is empty or the other player's.
    ring, others = "c3 d3 e4 e5 d5 c4", f"{inside} a1 b1 f4 g6 d7".split()[:5]
    assert_wins_with_the_last(Havannah(4), ring, " ".join(others))


def test_a_ring_around_a_stone_of_its_own() -> None:
    game = Havannah(4)
    for last in ["c3", "d3", "e4", "e5", "d5", "c4"]:
        ring = "d4 " + " ".join(x for x in ["c3", "d3", "e4", "e5", "d5", "c4"] if x != last)
        state = play(game, alternating(f"{ring} {last}", "a1 b1 f4 g6 d7 b4"))
        assert list(game.outcome(state)) == [1, -1]
    # The middle comes last only if the ring was there before.
    assert not game.actions(play(game, alternating("c3 d3 e4 e5 d5 c4", "a1 b1 f4 g6 d7")))


def test_a_full_cluster_is_no_ring() -> None:
    game = Havannah(4)
    # A rhombus of stones has no cell inside, and neither has a triangle.
    assert game.actions(play(game, alternating("c3 d3 c4 d4 e4 d5", "a1 b1 f4 g6 b4")))
    # Five around a stone, and the sixth is the other player's.
    assert game.actions(play(game, alternating("d4 c3 d3 e4 e5 d5", "c4 a1 b1 g6 f4")))


def test_half_a_ring_at_the_rim_is_none() -> None:
    game = Havannah(5)
    state = play(game, alternating("b1 a2 b3 c3 d3 d2", "e5 f5 e6 g7 h8"))
    assert game.actions(state)  # around b2, c2 and c1, but c1 is open to the rim


def place_of(game: Havannah, action: int) -> Place:
    """Return a cell as the naive rules name it."""
    column, row = (number - game.size + 1 for number in game.spots[action])
    return column, -row, row - column


@pytest.mark.parametrize(
    ("size", "games", "inner"),
    [(2, 100, False), (3, 80, False), (4, 10, False), (4, 24, True), (5, 3, True)],
)
def test_the_naive_rules_agree(size: int, games: int, inner: bool) -> None:
    # Away from the rim, as far as there is room, neither bridges nor forks come before rings.
    game, ends = Havannah(size), set()
    for seed in range(games):
        choose = random.Random(seed)
        state, naive = game.initial(), NaiveHavannah(size)
        while True:
            legal = {place_of(game, action): action for action in game.actions(state)}
            assert sorted(legal) == naive.moves()
            if not legal:
                break
            assert game.player(state) == naive.turn
            middle = [p for p in legal if not naive.borders(p)] if inner else []
            place = choose.choice(sorted(middle or legal))
            state, naive = game.next(state, legal[place]), naive.play(place)
            cells = game.state.unpack(state).cells
            for who, sign in ((0, 1), (1, -1)):
                stones = {place_of(game, i) for i, x in enumerate(cells) if x * sign > 0}
                assert stones == naive.stones[who]
        assert list(game.outcome(state)) == list(game.score(state)) == naive.outcome()
        ends.add(any(naive.has_ring(stones) for stones in naive.stones))
    assert (True in ends) == inner


@pytest.mark.parametrize(("size", "games"), [(3, 50), (4, 40), (6, 15)])
def test_open_spiel_agrees(size: int, games: int) -> None:
    pyspiel = pytest.importorskip("pyspiel")
    game, theirs = Havannah(size), pyspiel.load_game(f"havannah(board_size={size})")
    number = [column + row * (2 * size - 1) for column, row in game.spots]
    for seed in range(games):
        plays = random_play(game, seed)
        other = theirs.new_initial_state()
        for state, action in zip(plays.states[:-1], plays.actions, strict=True):
            assert other.current_player() == game.player(state)
            assert other.legal_actions() == [number[a] for a in game.actions(state)]
            name = other.action_to_string(other.current_player(), number[action])
            assert name == game.action_name(state, action)
            other.apply_action(number[action])
        assert other.is_terminal()
        assert other.returns() == game.outcome(plays.states[-1])


def test_equal_positions_have_equal_bytes() -> None:
    game = Havannah(4)
    for seed in range(30):
        stones = random_play(game, seed).actions[:14]
        states = set()
        for order in range(4):
            mix = random.Random(order)
            first, second = list(stones[::2]), list(stones[1::2])
            mix.shuffle(first)
            mix.shuffle(second)
            state = game.initial()
            for ply in range(len(stones)):
                state = game.next(state, (second if ply % 2 else first)[ply // 2])
            if not game.state.unpack(state).winner:
                states.add(state)
        assert len(states) <= 1


@pytest.mark.parametrize("text", ["havannah", "havannah(size=2)"])
def test_every_promise_is_kept(text: str) -> None:
    assert check_game(text, games=20).compiled


def test_perft() -> None:
    check_perft("havannah")


# -- images, planes, pictures, parameters ---------------------------------------------------------


def test_symmetries_and_relabeling() -> None:
    check_symmetries(Havannah(2), 12)
    check_relabeling(Havannah(2))
    game = Havannah(4)
    state = play(game, "b1 c2 e3 d4 f6")
    assert len({game.symmetry(state, k) for k in range(12)}) == 12
    for k in range(12):
        assert game.evaluate(game.symmetry(state, k)) == game.evaluate(state)


def test_planes_show_the_board_to_the_mover() -> None:
    game = Havannah(2)
    board = [[1, 1, 0], [1, 1, 1], [0, 1, 1]]
    first = planes_of(game, play(game, "b2 a1"))
    assert first == [[[0, 0, 0], [0, 1, 0], [0, 0, 0]], [[1, 0, 0], [0, 0, 0], [0, 0, 0]], board]
    second = planes_of(game, play(game, "b2"))
    assert second == [[[0] * 3] * 3, [[0, 0, 0], [0, 1, 0], [0, 0, 0]], board]


def test_pictures() -> None:
    for size in (2, 10):
        game = Havannah(size)
        check_svg(game, game.initial())
    game = Havannah(4)
    parts = check_svg(game, play(game, "d4 b2"), last=5)
    assert sum(part.tag.endswith("circle") for part in parts) == 3 + 35  # stones, last, targets
    assert sum(part.tag.endswith("polygon") for part in parts) == 37


def test_nonsense_is_refused() -> None:
    check_bad_parameters(Havannah, "size")
    for size in (1, 11):
        with pytest.raises(ub.UsageError, match="from 2 to 10"):
            Havannah(size)
    assert Havannah(10).max_actions == 271
    assert str(Havannah()) == "havannah"
    assert str(Havannah(5)) == "havannah(size=5)"


# -- values ---------------------------------------------------------------------------------------


def test_known_values() -> None:
    check_known_values(Havannah())


def test_evaluations() -> None:
    check_evaluations(Havannah(4), different=5)
    game = Havannah(4)
    almost = game.evaluate(play(game, "a1 d4 b1 e5 c1 c6"))
    assert almost[0] > 0.3


def test_the_heuristic_beats_none() -> None:
    assert heuristic_against_zero("havannah", iterations=50, openings=10, plies=2) > 0.6
