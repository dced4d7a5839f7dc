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
from naive_hex import NaiveHex

import unbounded as ub
from unbounded.conformance.check import check_game, random_play
from unbounded.games.hex import Hex

# -- rules ----------------------------------------------------------------------------------------


def test_it_reads_like_a_board() -> None:
    game = Hex(3)
    state = play(game, "b2 c1 A3")
    expected = "   a b c\n 1 . . B\n  2 . R .\n   3 R . .\nB to move (left to right)"
    assert game.show(state) == expected
    assert names(game, state) == ["a1", "b1", "a2", "c2", "b3", "c3"]
    assert game.player_name(0) == "player 1 (R)"


@pytest.mark.parametrize(
    "moves", ["a1 b1 a2 b2 a3", "c1 a1 b2 a2 a3", "b1 a1 b2 c1 a3", "c1 a1 c2 a2 b3"]
)
def test_red_joins_top_and_bottom(moves: str) -> None:
    game = Hex(3)
    state = play(game, moves)
    assert list(game.actions(state)) == []
    assert list(game.outcome(state)) == [1, -1]
    assert game.show(state).endswith("R has won")
    assert game.actions(play(game, moves.rsplit(" ", 1)[0]))


@pytest.mark.parametrize("moves", ["a1 a2 b1 b2 c1 c2", "a1 a3 b1 b2 c3 c1", "a1 a3 b1 b3 b2 c2"])
def test_blue_joins_left_and_right(moves: str) -> None:
    game = Hex(3)
    state = play(game, moves)
    assert list(game.actions(state)) == []
    assert list(game.outcome(state)) == [-1, 1]
    assert game.show(state).endswith("B has won")
    assert game.actions(play(game, moves.rsplit(" ", 1)[0]))


def test_cells_on_the_long_diagonal_do_not_touch() -> None:
    game = Hex(3)
    assert game.actions(play(game, "a1 a2 b2 b1 c3"))


def test_a_row_or_column_of_the_other_player_wins_nothing() -> None:
    game = Hex(3)
    assert game.actions(play(game, "a2 a1 b2 b1 c2 a3"))
    assert game.actions(play(game, "c2 a1 c3 a2 b3 a3"))


def test_a_stone_in_the_middle_joins_two_chains_wherever_they_began() -> None:
    # The chains run back and forth, so that what one has learnt must travel in all directions.
    game = Hex(5)
    red = ["b1", "b2", "a3", "a4", "b4", "c3", "d2", "e2", "e3", "e4", "d5"]
    for last in red:
        state = game.initial()
        blue = iter(["a1", "a2", "c1", "c2", "d1", "e1", "b3", "c4", "d3", "d4", "a5"])
        for name in [name for name in red if name != last] + [last]:
            assert game.actions(state)
            state = game.next(state, game.parse_action(state, name))
            if game.actions(state):
                state = game.next(state, game.parse_action(state, next(blue)))
        assert list(game.outcome(state)) == [1, -1]


def test_the_smallest_board_is_won_at_once() -> None:
    game = Hex(1)
    state = play(game, "a1")
    assert list(game.actions(state)) == []
    assert list(game.outcome(state)) == [1, -1]


@pytest.mark.parametrize(("size", "games"), [(1, 1), (2, 60), (3, 60), (4, 50), (6, 25), (9, 8)])
def test_the_naive_rules_agree(size: int, games: int) -> None:
    game = Hex(size)
    for seed in range(games):
        choose = random.Random(seed)
        state, naive = game.initial(), NaiveHex(size)
        while naive.moves():
            assert game.player(state) == ("red", "blue").index(naive.turn)
            assert [divmod(a, size) for a in game.actions(state)] == naive.moves()
            row, column = choose.choice(naive.moves())
            state, naive = game.next(state, row * size + column), naive.play((row, column))
            cells = game.state.unpack(state).cells
            red = {divmod(i, size) for i, cell in enumerate(cells) if cell > 0}
            blue = {divmod(i, size) for i, cell in enumerate(cells) if cell < 0}
            assert red == {place for place, owner in naive.board.items() if owner == "red"}
            assert blue == {place for place, owner in naive.board.items() if owner == "blue"}
        assert list(game.actions(state)) == []
        assert list(game.outcome(state)) == naive.outcome()
        assert game.score(state) == naive.outcome()


@pytest.mark.parametrize(("size", "games"), [(2, 30), (3, 30), (5, 30), (11, 10)])
def test_open_spiel_agrees(size: int, games: int) -> None:
    pyspiel = pytest.importorskip("pyspiel")
    game, theirs = Hex(size), pyspiel.load_game(f"hex(board_size={size})")
    for seed in range(games):
        plays = random_play(game, seed)
        other = theirs.new_initial_state()
        for state, action in zip(plays.states[:-1], plays.actions, strict=True):
            assert other.current_player() == game.player(state)
            assert other.legal_actions() == list(game.actions(state))
            name = other.action_to_string(other.current_player(), action)
            assert name == game.action_name(state, action)
            other.apply_action(action)
        assert other.is_terminal()
        assert other.returns() == game.outcome(plays.states[-1])


def test_equal_positions_have_equal_bytes() -> None:
    game = Hex(4)
    for seed in range(60):
        stones = random_play(game, seed).actions
        red, blue = list(stones[::2]), list(stones[1::2])
        finals = set()
        for order in range(6):
            mix = random.Random(order)
            mix.shuffle(red)
            mix.shuffle(blue)
            state = game.initial()
            for ply in range(len(stones)):
                if game.actions(state):
                    state = game.next(state, (blue if ply % 2 else red)[ply // 2])
            # A different order may end the game earlier; then it is another position.
            if sum(cell != 0 for cell in game.state.unpack(state).cells) == len(stones):
                finals.add(state)
        assert len(finals) <= 1


@pytest.mark.parametrize("text", ["hex", "hex(size=1)", "hex(size=2)"])
def test_every_promise_is_kept(text: str) -> None:
    assert check_game(text, games=20).compiled


def test_perft() -> None:
    check_perft("hex")


# -- images, planes, pictures, parameters ---------------------------------------------------------


def test_symmetries_and_relabeling() -> None:
    check_symmetries(Hex(3), 2)
    check_relabeling(Hex(3))


def planes_with(**stones: tuple[tuple[int, int], ...]) -> list[list[list[int]]]:
    """Six planes of a board of 3 x 3, with stones on the rows and columns given."""
    names = ("mine", "mine_top", "mine_bottom", "theirs", "theirs_top", "theirs_bottom")
    return [
        [[int((row, column) in stones.get(name, ())) for column in range(3)] for row in range(3)]
        for name in names
    ]


def test_planes_show_the_board_to_the_mover() -> None:
    game = Hex(3)
    red_sees = planes_of(game, play(game, "a2 c1"))
    assert red_sees == planes_with(mine=((1, 0),), theirs_bottom=((0, 2),))
    # Blue sees the board mirrored, and so joins top and bottom too.
    blue_sees = planes_of(game, play(game, "a2 c1 c2"))
    assert blue_sees == planes_with(mine_bottom=((2, 0),), theirs=((0, 1), (2, 1)))
    # A stone that joins a chain to a side moves all of it to another plane.
    state = play(game, "a2 c1 a3 c3")
    sees = planes_of(game, state)
    assert sees == planes_with(mine_bottom=((1, 0), (2, 0)), theirs_bottom=((0, 2), (2, 2)))
    for state in random_play(game, 1).states:
        assert game.encode(game.relabel(state, 1)) == game.encode(state)


def test_pictures() -> None:
    for size in (1, 5, 19):
        game = Hex(size)
        check_svg(game, game.initial())
    game = Hex(5)
    state = play(game, "c3 b2")
    parts = check_svg(game, state, last=6)
    circles = [part for part in parts if part.tag.endswith("circle")]
    assert len(circles) == 3 + 23  # stones, last, targets
    assert sum(part.tag.endswith("polygon") for part in parts) == 25


def test_nonsense_is_refused() -> None:
    check_bad_parameters(Hex, "size")
    with pytest.raises(ub.UsageError, match="from 1 to 19"):
        Hex(20)
    assert Hex(19).max_actions == 361
    assert str(Hex()) == "hex"
    assert str(Hex(7)) == "hex(size=7)"


# -- values ---------------------------------------------------------------------------------------


def test_known_values() -> None:
    check_known_values(Hex())


@pytest.mark.parametrize(("size", "winning"), [(2, "01/10"), (3, "001/111/100")])
def test_winning_openings(size: int, winning: str) -> None:
    # Found by an independent solver.
    for row, line in enumerate(winning.split("/")):
        for column, wins in enumerate(line):
            name = "abc"[column] + str(row + 1)
            first = 1 if wins == "1" else -1
            result = ub.solve(f"hex(size={size})", moves=[name])
            assert (name, result.outcome) == (name, (first, -first))


def test_evaluations() -> None:
    check_evaluations(Hex(5), different=8)
    game = Hex(5)
    # A bridge cannot be cut: two stones with two empty cells between them are as good as joined.
    bridge, gap = (game.evaluate(play(game, f"{name} a1"))[0] for name in ("c3", "a2"))
    assert bridge > gap
    assert game.evaluate(play(game, "c3 a1 d1 a2 b5 a3"))[0] > 0.5


def test_the_heuristic_beats_none() -> None:
    assert heuristic_against_zero("hex", iterations=100, openings=10, plies=2) > 0.75
