# SPDX-License-Identifier: MIT
from __future__ import annotations

import random
from typing import Any

import pytest
from naive_breakthrough import NaiveBreakthrough, Position
from shared_checks import (
    NONSENSE,
    check_perft,
    check_pictures,
    check_planes,
    check_relabeling,
    check_symmetries,
    check_values_of_images,
    match,
    planes_of,
    positions,
    refused,
)

import unbounded as ub
from unbounded.conformance.check import check_game
from unbounded.game import Known, UsageError
from unbounded.games.breakthrough import Breakthrough

SMALLEST = "breakthrough(rows=2,columns=2,pawn_rows=1)"


def place(game: Breakthrough, board: str, turn: str) -> bytes:
    """Return the state with this board, drawn from Black's row down."""
    s = game.state.zero()
    rows = board.split()[::-1]
    s.cells = [".WB".index(letter) for row in rows for letter in row]
    s.turn = "WB".index(turn)
    return game.state.pack(s)


def names(game: Breakthrough, state: bytes) -> set[str]:
    return {game.action_name(state, a) for a in game.actions(state)}


# -- rules ----------------------------------------------------------------------------------------


def test_a_pawn_steps_straight_or_diagonally_and_takes_only_diagonally() -> None:
    game = Breakthrough(5, 4)
    state = place(game, "..B. .B.. .W.. ...W ....", "W")
    assert names(game, state) == {"b3-a4", "b3-c4", "d2-d3", "d2-c3"}
    state = place(game, "..B. B.B. .W.. ...W ....", "W")
    assert names(game, state) == {"b3-b4", "b3xa4", "b3xc4", "d2-d3", "d2-c3"}
    state = place(game, "..B. B.B. .W.. ...W ....", "B")
    straight, diagonal, taking = {"a4-a3", "c4-c3"}, {"c4-d3", "c5-b4", "c5-d4"}, {"a4xb3", "c4xb3"}
    assert names(game, state) == straight | diagonal | taking


def test_own_pawns_block_and_edges_are_edges() -> None:
    game = Breakthrough(5, 3)
    state = place(game, "... B.. WW. W.W ...", "W")
    assert names(game, state) == {"a3-b4", "b3-b4", "b3xa4", "b3-c4", "c2-c3"}
    right = place(game, "... ... ..W ... B..", "W")
    assert names(game, right) == set(), "Black has arrived"
    right = place(game, "... ... ..W B.. ...", "W")
    assert names(game, right) == {"c3-c4", "c3-b4"}


def test_reaching_the_last_row_wins() -> None:
    game = Breakthrough(4, 3)
    state = place(game, ".B. W.. ..B ...", "W")
    for move in ("a3-a4", "a3xb4"):
        over = game.next(state, game.parse_action(state, move))
        assert list(game.actions(over)) == []
        assert list(game.outcome(over)) == [1, -1]
        assert game.show(over).endswith("W has won")
    state = place(game, ".B. ... W.B ...", "B")
    over = game.next(state, game.parse_action(state, "c2-c1"))
    assert list(game.actions(over)) == []
    assert list(game.outcome(over)) == [-1, 1]


def test_taking_the_last_pawn_wins() -> None:
    game = Breakthrough(5, 3)
    state = place(game, "... .B. W.. ... ...", "W")
    over = game.next(state, game.parse_action(state, "a3xb4"))
    assert list(game.actions(over)) == []
    assert list(game.outcome(over)) == [1, -1]
    state = place(game, "... .B. W.. ... ...", "B")
    over = game.next(state, game.parse_action(state, "b4xa3"))
    assert list(game.outcome(over)) == [-1, 1]


def test_it_reads_like_a_board() -> None:
    game = Breakthrough(4, 3, 1)
    state = game.initial()
    assert game.show(state) == "4 B B B\n3 . . .\n2 . . .\n1 W W W\n  a b c\nW to move"
    state = game.next(state, game.parse_action(state, "B1-C2"))
    assert game.show(state) == "4 B B B\n3 . . .\n2 . . W\n1 W . W\n  a b c\nB to move"
    with pytest.raises(UsageError, match=r"illegal move 'a4-a5'.*legal here"):
        game.parse_action(state, "a4-a5")


# -- against others -------------------------------------------------------------------------------


def read(game: Breakthrough, state: bytes) -> Position:
    s = game.state.unpack(state)
    cells = [(i % game.columns + 1, i // game.columns + 1) for i in range(len(s.cells))]
    white, black = (
        frozenset(cell for cell, pawn in zip(cells, s.cells, strict=True) if pawn == n)
        for n in (1, 2)
    )
    return white, black, ["white", "black"][s.turn]


@pytest.mark.parametrize("size", [(6, 6, 2), (4, 4, 1), (5, 3, 2), (7, 2, 3), (2, 2, 1), (3, 9, 1)])
def test_the_naive_rules_agree(size: tuple[int, int, int]) -> None:
    game, naive = Breakthrough(*size), NaiveBreakthrough(*size)
    for seed in range(40):
        chance = random.Random(seed)
        state, position = game.initial(), naive.start()
        while True:
            assert read(game, state) == position
            ours = {read(game, game.next(state, a)): a for a in game.actions(state)}
            theirs = {naive.play(position, move) for move in naive.moves(position)}
            assert set(ours) == theirs
            assert len(ours) == len(game.actions(state))
            if not theirs:
                break
            position = chance.choice(sorted(theirs, key=str))
            state = game.next(state, ours[position])
        first = 1 if naive.winner(position) == "white" else -1
        assert list(game.outcome(state)) == [first, -first]


@pytest.mark.parametrize(("rows", "columns", "pawn_rows"), [(6, 6, 2), (8, 8, 2), (5, 4, 1)])
def test_openspiel_agrees(rows: int, columns: int, pawn_rows: int) -> None:
    pyspiel = pytest.importorskip("pyspiel")
    game = Breakthrough(rows, columns, pawn_rows)
    other = pyspiel.load_game("breakthrough", {"rows": rows, "columns": columns})

    def translated(name: str) -> str:
        # There, the first player marches down the board.
        name = name.replace("-", "").replace("x", "")
        return "".join(str(rows + 1 - int(c)) if c.isdigit() else c for c in name)

    for seed in range(35):
        chance = random.Random(seed)
        state, theirs = game.initial(), other.new_initial_state()
        while not theirs.is_terminal():
            assert game.player(state) == theirs.current_player()
            ours = {translated(game.action_name(state, a)): a for a in game.actions(state)}
            legal = {theirs.action_to_string(a).rstrip("*"): a for a in theirs.legal_actions()}
            assert set(ours) == set(legal)
            move = chance.choice(sorted(ours))
            state = game.next(state, ours[move])
            theirs.apply_action(legal[move])
        assert list(game.actions(state)) == []
        assert list(game.outcome(state)) == theirs.returns()


def test_perft() -> None:
    check_perft("breakthrough.perft")


# -- the contract ---------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["breakthrough", SMALLEST])
def test_it_conforms_to_the_contract(text: str) -> None:
    assert check_game(text, games=20).warnings == ()


def test_images() -> None:
    check_symmetries(Breakthrough(5, 4))
    check_relabeling(Breakthrough(5, 4))
    check_values_of_images(Breakthrough(5, 3), plies=[4, 9], seeds=4)


def test_planes_are_seen_by_the_mover() -> None:
    check_planes(Breakthrough(5, 4))
    game = Breakthrough(4, 3, 1)
    state = place(game, "B.. ..B .W. ...", "B")
    own, other = planes_of(game, state)
    assert own == [[1, 0, 0], [0, 0, 1], [0, 0, 0], [0, 0, 0]]
    assert other == [[0, 0, 0], [0, 0, 0], [0, 1, 0], [0, 0, 0]]


def test_pictures() -> None:
    check_pictures(Breakthrough(5, 4))


@pytest.mark.parametrize("name", ["rows", "columns", "pawn_rows"])
@pytest.mark.parametrize("value", NONSENSE, ids=lambda x: repr(x)[:9])
def test_nonsense_is_refused(name: str, value: Any) -> None:
    refused(Breakthrough, name, value)


def test_armies_must_not_overlap() -> None:
    with pytest.raises(UsageError, match="pawn_rows"):
        Breakthrough(5, 5, 3)
    with pytest.raises(UsageError, match="columns"):
        Breakthrough(5, 1)
    assert Breakthrough(26, 26, 13).max_actions == 1014


@pytest.mark.parametrize("known", Breakthrough.known_values, ids=lambda known: known.game)
def test_known_values(known: Known) -> None:
    assert ub.solve(known.game).outcome == known.outcome


def test_the_evaluation_is_a_guess_within_the_outcomes() -> None:
    game = Breakthrough()
    seen = set()
    for state in positions(game, 10):
        if game.actions(state):
            first, second = game.evaluate(state)
            assert first == -second
            assert abs(first) < 1
            seen.add(first)
    assert len(seen) > 50
    game = Breakthrough(6, 3)
    assert game.evaluate(place(game, "BBB WBB ... ... .WW WWW", "W"))[0] > 0.9


def test_the_evaluation_plays_better_than_none() -> None:
    assert match(Breakthrough(), iterations=100, pairs=8, opening=4) > 0.75
