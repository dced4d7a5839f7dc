# SPDX-License-Identifier: MIT
"""Blokus. OpenSpiel does not have it, so there is nothing else to compare with."""

from __future__ import annotations

import itertools
import random
from typing import Any

import naive_blokus as naive
import pytest
import shared_checks

import unbounded as ub
from unbounded import native
from unbounded.conformance.check import check_game, random_play
from unbounded.games.blokus import SHAPES, Blokus, cells_of, turned
from unbounded.native import compiling

GAMES = [((5, 3, 2), 600), ((6, 4, 2), 200), ((4, 5, 3), 100), ((6, 3, 4), 100), ((14, 5, 2), 2)]


def play(game: Blokus, moves: str) -> bytes:
    state = game.initial()
    for move in moves.split():
        state = game.next(state, game.parse_action(state, move))
    return state


def names(game: Blokus, state: bytes) -> set[str]:
    return {game.action_name(state, action) for action in game.actions(state)}


def board(game: Blokus, state: bytes) -> str:
    rows = game.show(state).splitlines()[: game.size]
    return " ".join("".join(row.split()[1:]) for row in rows)


def squares(name: str) -> frozenset[tuple[int, int]]:
    """Return the cells of a move: columns and rows, from 0."""
    return frozenset((ord(cell[0]) - ord("a"), int(cell[1:]) - 1) for cell in name.split(","))


# -- rules ----------------------------------------------------------------------------------------


def test_the_pieces_are_all_polyominoes_of_at_most_five_squares() -> None:
    assert [sum(len(cells_of(d)) == n for d in SHAPES.values()) for n in range(1, 6)] == [
        1, 1, 2, 5, 12,
    ]  # fmt: skip
    drawn = {frozenset(map(frozenset, turned(cells_of(d)))) for d in SHAPES.values()}
    assert drawn == {naive.images(piece) for piece in naive.all_pieces(5)}
    assert sum(map(len, drawn)) == 91
    sizes = [len(cells_of(d)) for d in SHAPES.values()]
    assert sizes == sorted(sizes)


@pytest.mark.parametrize(
    ("players", "expected"),
    [(2, ["a1", "c3"]), (3, ["a1", "a3", "c3"]), (4, ["a1", "a3", "c3", "c1"])],
)
def test_the_first_piece_covers_the_own_corner(players: int, expected: list[str]) -> None:
    game = Blokus(3, 2, players)
    state = game.initial()
    for who, corner in enumerate(expected):
        assert game.player(state) == who
        assert all(corner in name.split(",") for name in names(game, state))
        assert len(names(game, state)) == 3
        state = game.next(state, game.parse_action(state, corner))
    assert game.player(state) == 0


def test_later_pieces_touch_own_ones_at_corners_and_never_along_a_side() -> None:
    game = Blokus(4, 2)
    state = play(game, "a1 d4,d3")
    assert names(game, state) == {"b2,c2", "b2,b3"}
    state = play(game, "a1,b1 d4")
    assert names(game, state) == {"c2"}
    game = Blokus(4, 3)
    state = play(game, "b2,a1,b1 d4,d3")
    assert "c3" in names(game, state)  # at the corner of one square of the piece
    assert "c3,d2" not in names(game, state)
    assert "c3,c4" in names(game, state)  # along the sides of the other color
    assert not any("c2" in name.split(",") for name in names(game, state))
    assert not any("c1" in name.split(",") for name in names(game, state))


def test_every_piece_is_placed_once() -> None:
    game = Blokus(5, 2)
    state = play(game, "a1 e5")
    assert "b2" not in names(game, state)
    assert "b2,b3" in names(game, state)


def test_whoever_cannot_place_is_out_for_good() -> None:
    game = Blokus(2, 2)
    state = play(game, "a1,a2")
    assert names(game, state) == {"b2", "b1,b2"}
    over = game.next(state, game.parse_action(state, "b1,b2"))
    assert game.actions(over) == []
    # Yellow has lost the starting corner, and Red goes on.
    game = Blokus(2, 2, 3)
    state = play(game, "a1,a2")
    assert game.player(state) == 2
    for seed in range(20):
        game = Blokus(5, 3, 4)
        out: set[int] = set()
        for position in random_play(game, seed).states:
            s = game.state.unpack(position)
            assert s.turn not in out or not game.actions(position)
            for who in range(4):
                s.turn = who
                if not game.actions(game.state.pack(s)):
                    out.add(who)
                assert (who in out) == (not game.actions(game.state.pack(s)))


def test_points_for_placing_everything() -> None:
    game = Blokus(4, 2)
    small_last = play(game, "a1,b1 d4 c2 b3,c3")
    assert game.actions(small_last) == []
    assert list(game.score(small_last)) == [5, -5]
    assert list(game.outcome(small_last)) == [1, -1]
    assert game.show(small_last).splitlines()[-3:] == [
        "B 20: all placed",
        "Y 15: all placed",
        "B has won",
    ]


def test_points_for_what_is_left() -> None:
    game = Blokus(2, 2)
    over = play(game, "a1,a2 b2")
    assert game.actions(over) == []
    assert game.show(over).splitlines() == [
        "2 B Y", "1 B .", "  a b", "B -1: 1", "Y -2: 2", "B has won",
    ]  # fmt: skip
    assert list(game.score(over)) == [1, -1]
    even = play(game, "a1,a2 b1,b2")
    assert list(game.outcome(even)) == list(game.score(even)) == [0, 0]
    assert game.show(even).endswith("B and Y draw")
    game = Blokus(2, 2, 4)
    over = play(game, "a1 a2,b2")  # Red has lost the corner; Green has one square to go to
    assert game.player(over) == 3
    over = game.next(over, game.parse_action(over, "b1"))
    assert game.actions(over) == []
    assert list(game.score(over)) == [-2, -1, -3, -2]
    assert list(game.outcome(over)) == [-1, 1, -1, -1]


def test_those_who_share_the_most_points_draw() -> None:
    game = Blokus(2, 1, 4)
    over = play(game, "a1 a2 b2 b1")
    assert list(game.score(over)) == [20] * 4
    assert list(game.outcome(over)) == [0] * 4
    game = Blokus(2, 2, 4)
    over = play(game, "a1 a2 b2 b1")
    assert list(game.outcome(over)) == [0] * 4
    assert list(game.score(over)) == [-2] * 4


def test_two_ways_to_the_same_position_are_the_same_state() -> None:
    game = Blokus(5, 3)
    one = play(game, "a1 e5 b2,b3 d4,d3")
    other = play(game, "a1 e5 b2,b3 d3,d4")
    assert one == other


def test_the_board_as_text() -> None:
    game = Blokus(3, 3)
    assert game.show(play(game, "b1,a1,a2")).splitlines() == [
        "3 . . y",
        "2 B . .",
        "1 B B .",
        "  a b c",
        "B -6: 1 2 I3",
        "Y -9: 1 2 I3 V3",
        "Y to move",
    ]


# -- moves as text --------------------------------------------------------------------------------


def test_moves_are_the_squares_in_any_order() -> None:
    game = Blokus()
    state = game.initial()
    action = game.parse_action(state, "a1,b1,a2")
    assert game.action_name(state, action) == "a1,b1,a2"
    for text in ("a2,a1,b1", "A1,B1,A2", " b1,a1,a2 "):
        assert game.parse_action(state, text) == action


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a1,b1,b3", "did you mean"),
        ("a1,a1", "illegal move 'a1,a1'"),
        ("a1,b1,", "did you mean 'a1,b1'"),
        ("b2", "illegal move 'b2'"),
        ("V3", "illegal move 'V3'"),
    ],
)
def test_other_moves_are_refused(text: str, message: str) -> None:
    game = Blokus()
    with pytest.raises(ub.UsageError, match=message):
        game.parse_action(game.initial(), text)


# -- against the naive rules ----------------------------------------------------------------------


@pytest.mark.parametrize(("shape", "games"), GAMES, ids=str)
def test_against_the_naive_rules(shape: tuple[int, int, int], games: int) -> None:
    """1,000 games; the compiled rules, which `check_game` compares with the others."""
    game = Blokus(*shape)
    rules = compiling.compile_game(game)
    size = game.size
    bytes_of: dict[object, bytes] = {}
    for seed in range(games):
        choose = random.Random(seed)
        state, plain = rules.initial(), naive.start(*shape[1:])
        while moves := naive.moves(size, plain):
            assert bytes_of.setdefault(naive.key(plain), state) == state
            assert rules.player(state) == plain[3]
            actions = {squares(game.action_name(state, a)): a for a in rules.actions(state)}
            assert len(actions) == len(moves)
            assert set(actions) == set(moves)
            move = choose.choice(moves)
            state, plain = rules.next(state, actions[move]), naive.after(size, plain, move)
        assert not rules.actions(state)
        assert rules.outcome(state) == naive.outcome(plain)
        assert rules.score(state) == naive.score(plain)
    assert len(set(bytes_of.values())) == len(bytes_of)


def test_perft() -> None:
    shared_checks.check_perft("blokus.perft")


@pytest.mark.parametrize("known", Blokus.known_values, ids=lambda known: known.game)
def test_known_values(known: Any) -> None:
    game = ub.load_game(known.game)
    assert isinstance(game, Blokus)
    assert ub.solve(game, seconds=60).outcome == known.outcome
    # The two-player search stops at the first win; this one proves the score too.
    result = ub.solve(game, seconds=60, values="resolved_completion")
    assert (result.outcome, result.score) == (known.outcome, known.score)
    lead = naive.lead(game.size, naive.start(game.pieces, 2))
    assert known.score == (lead, -lead)


# -- the contract ---------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(6, 4, 2), (2, 1, 2), (6, 3, 4)], ids=str)
def test_the_contract(shape: tuple[int, int, int]) -> None:
    report = check_game(Blokus(*shape), games=10)
    assert report.compiled
    assert not report.warnings


def test_images() -> None:
    game = Blokus(5, 3)
    shared_checks.check_symmetries(game, games=2)
    shared_checks.check_values_of_images(Blokus(4, 3), plies=[2, 3], seeds=2)
    assert game.symmetry(play(game, "a1,b1,b2"), 1) == play(game, "a1,a2,b2")
    assert [Blokus(4, 3, players).symmetries for players in (2, 3, 4)] == [2, 1, 1]


@pytest.mark.parametrize("players", [2, 4])
def test_players_are_renamed_with_the_board_turned(players: int) -> None:
    game = Blokus(5, 3, players)
    shared_checks.check_relabeling(game, games=3)
    shared_checks.check_planes(game, games=3)
    # Whoever is renamed sits at the other's corner.
    state = play(game, "a1,b1")
    other = game.relabel(state, 1)
    assert board(game, other).count("Y") == 2
    assert board(game, other)[:5] == ("...YY" if players == 2 else "Y...r")
    assert game.player(other) == (game.player(state) + 1) % players


def test_three_players_cannot_be_renamed() -> None:
    """No way to turn the board takes three of its corners to each other."""
    assert not Blokus(5, 3, 3).has_relabeling


def test_planes_are_seen_by_the_mover() -> None:
    game = Blokus(3, 2, 3)
    state = play(game, "a1 a3,b3")  # Red moves, from the upper right
    planes = shared_checks.planes_of(game, state)
    assert len(planes) == 3 * 5
    mine, joining, bonus, small, domino = planes[:5]
    none, everywhere = [[0.0] * 3] * 3, [[1.0] * 3] * 3
    assert (mine, bonus, small, domino) == (none, none, everywhere, everywhere)
    assert joining == [[1, 0, 0], [0, 0, 0], [0, 0, 0]]  # the own corner comes first
    assert planes[5] == [[0, 0, 0], [0, 0, 0], [0, 0, 1]]  # Blue, opposite
    assert planes[8] == none  # has placed the single square
    assert planes[10] == [[0, 1, 1], [0, 0, 0], [0, 0, 0]]
    assert planes[13] == everywhere
    assert planes[14] == none


def test_a_bonus_shows_in_the_planes() -> None:
    game = Blokus(4, 2)
    planes = shared_checks.planes_of(game, play(game, "a1,b1 d4 c2"))
    assert planes[2] == [[0.0] * 4] * 4
    assert planes[7] == [[1.0] * 4] * 4


@pytest.mark.parametrize("shape", [(6, 4, 2), (2, 1, 2), (4, 5, 3)], ids=str)
def test_pictures(shape: tuple[int, int, int]) -> None:
    shared_checks.check_pictures(Blokus(*shape))


@pytest.mark.parametrize("value", shared_checks.NONSENSE, ids=repr)
@pytest.mark.parametrize("parameter", ["size", "pieces", "players"])
def test_nonsense_is_refused(parameter: str, value: Any) -> None:
    shared_checks.refused(Blokus, parameter, value)


@pytest.mark.parametrize(
    ("shape", "message"),
    [
        ((21, 5, 4), "size must be an integer from 2 to 20"),
        ((1, 1, 2), "size must be an integer from 2 to 20"),
        ((6, 6, 2), "pieces must be an integer from 1 to 5"),
        ((6, 4, 5), "players must be an integer from 2 to 4"),
        ((6, 4, 1), "players must be an integer from 2 to 4"),
    ],
)
def test_games_that_cannot_be(shape: tuple[int, int, int], message: str) -> None:
    with pytest.raises(ub.UsageError, match=message):
        Blokus(*shape)


def test_the_largest_board() -> None:
    game = Blokus(20, 5, 4)
    places = sum(len(naive.places(piece, 20)) for piece in naive.all_pieces(5))
    assert game.max_actions == places == 30433
    assert len(game.actions(game.initial())) == 58
    state = random_play(game, 0, longest=4).states[-1]
    assert 58 < len(game.actions(state)) < 2000
    assert native.perft(game, 2) == 58 * 58


# -- evaluation -----------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(5, 3, 2), (4, 5, 3), (6, 3, 4)], ids=str)
def test_guesses_are_within_what_can_be_reached(shape: tuple[int, int, int]) -> None:
    game = Blokus(*shape)
    for seed in range(10):
        states = random_play(game, seed).states
        score = game.score(states[-1])
        bounds = [game.best_score_from(state) for state in states]
        for state, bound in zip(states[:-1], bounds, strict=False):
            values = game.evaluate(state)
            assert all(x <= most for x, most in zip(score, bound, strict=True))
            assert all(abs(x) <= 150 for x in values)
            assert shape[2] > 2 or values[0] == -values[1]
        # Less and less can be reached.
        for earlier, later in itertools.pairwise(bounds):
            assert all(a >= b for a, b in zip(earlier, later, strict=True))


def test_what_is_decided_is_known() -> None:
    game = Blokus(2, 2, 4)
    state = play(game, "a1 a2,b2")
    assert list(game.best_score_from(state)) == [-2, -1, -3, -2]
    assert list(game.evaluate(state))[:3] == [-2, -1, -3]


def test_heuristic_against_zero() -> None:
    assert shared_checks.match(Blokus(), iterations=60, pairs=12, opening=2) > 0.65
