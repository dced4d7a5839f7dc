# SPDX-License-Identifier: MIT
from __future__ import annotations

import random

import pytest
from naive_lines_of_action import NaiveLinesOfAction, Position
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
from unbounded.games.lines_of_action import LinesOfAction


def place(game: LinesOfAction, board: str, turn: str, left: int = 9) -> bytes:
    """Return the state with this board, drawn from the last row down."""
    s = game.state.zero()
    s.cells = [".BW".index(letter) for row in board.split()[::-1] for letter in row]
    s.turn, s.left = "BW".index(turn), left
    return game.state.pack(s)


def names(game: LinesOfAction, state: bytes) -> set[str]:
    return {game.action_name(state, a) for a in game.actions(state)}


def after(game: LinesOfAction, state: bytes, move: str) -> bytes:
    return game.next(state, game.parse_action(state, move))


# -- rules ----------------------------------------------------------------------------------------


def test_a_piece_goes_as_far_as_there_are_pieces_on_the_line() -> None:
    game = LinesOfAction(5)
    state = place(game, "..... ..... .B..W ..... ....B", "B")
    two_on_the_row, one_on_the_column = {"b3-d3"}, {"b3-b4", "b3-b2"}
    diagonals = {"b3-a2", "b3-c4", "b3-a4", "b3-c2"}
    expected = two_on_the_row | one_on_the_column | diagonals
    assert {name for name in names(game, state) if name.startswith("b3")} == expected
    expected = {"e1-d1", "e1xe3", "e1-d2"}
    assert {name for name in names(game, state) if name.startswith("e1")} == expected


def test_own_pieces_are_jumped_and_enemies_are_not() -> None:
    game = LinesOfAction(5)
    state = place(game, "W...W ..... BB.W. ..... .....", "B")
    assert "a3xd3" in names(game, state), "over b3, onto an enemy, three pieces on the row"
    state = place(game, "W...W ..... BW... ..B.. .....", "B")
    assert not any(name.startswith("a3") and name.endswith("c3") for name in names(game, state))
    state = place(game, "W...W ..... B.B.. ..... .....", "B")
    assert not any(name.startswith("a3") and name.endswith("c3") for name in names(game, state))


def test_all_together_wins() -> None:
    game = LinesOfAction(5)
    state = place(game, "W...W ..... B.... ..B.. .....", "B")
    won = after(game, state, "a3-b3")
    assert list(game.actions(won)) == []
    assert list(game.outcome(won)) == [1, -1]
    assert game.show(won).endswith("B has won")
    assert game.state.unpack(won).left == 0


def test_taking_can_bring_the_enemy_together() -> None:
    game = LinesOfAction(5)
    state = place(game, "B...W ....W ..... ..... B.W..", "B")
    lost = after(game, state, "a1xc1")
    assert list(game.outcome(lost)) == [-1, 1]
    assert game.show(lost).endswith("W has won")


def test_when_both_are_together_the_mover_wins() -> None:
    game = LinesOfAction(5)
    state = place(game, "....W ....W ..... ...B. B.W..", "B")
    won = after(game, state, "a1xc1")
    assert list(game.outcome(won)) == [1, -1]


def test_whoever_cannot_move_loses() -> None:
    game = LinesOfAction(4)
    stuck = place(game, "WWWB WWWW BWWW WWWW", "B")
    assert not NaiveLinesOfAction(4, 9).all_moves(read(game, stuck))
    assert list(game.actions(stuck)) == []
    assert list(game.outcome(stuck)) == [-1, 1]
    assert game.show(stuck).endswith("W has won")


def test_the_horizon_is_a_draw() -> None:
    game = LinesOfAction(5)
    last = place(game, "W...W ..... B.... ..B.. .....", "B", left=1)
    over = after(game, last, "a3-a1")
    assert list(game.actions(over)) == []
    assert list(game.outcome(over)) == [0, 0]
    assert game.show(over).endswith("a draw")
    assert list(game.outcome(after(game, last, "a3-b3"))) == [1, -1], "a win is still a win"


def test_it_reads_like_a_board() -> None:
    game = LinesOfAction(4, horizon=5)
    state = game.initial()
    board = "4 . B B .\n3 W . . W\n2 W . . W\n1 . B B .\n  a b c d\nB to move, 5 moves left"
    assert game.show(state) == board
    with pytest.raises(UsageError, match=r"illegal move 'b1-b2'.*legal here"):
        game.parse_action(state, "b1-b2")


# -- against others -------------------------------------------------------------------------------


def read(game: LinesOfAction, state: bytes) -> Position:
    s = game.state.unpack(state)
    cells = [(i % game.size + 1, i // game.size + 1) for i in range(len(s.cells))]
    black, white = (
        frozenset(cell for cell, piece in zip(cells, s.cells, strict=True) if piece == n)
        for n in (1, 2)
    )
    return black, white, ["black", "white"][s.turn], s.left


@pytest.mark.parametrize(
    ("size", "horizon", "games"), [(3, 30, 60), (4, 30, 60), (5, 40, 40), (6, 60, 35), (8, 200, 6)]
)
def test_the_naive_rules_agree(size: int, horizon: int, games: int) -> None:
    game, naive = LinesOfAction(size, horizon), NaiveLinesOfAction(size, horizon)
    results = {1: 0, 0: 0, -1: 0}
    for seed in range(games):
        chance = random.Random(seed)
        state, position = game.initial(), naive.start()
        while True:
            assert read(game, state)[:3] == position[:3]
            ours = {read(game, game.next(state, a))[:3]: a for a in game.actions(state)}
            theirs = {naive.play(position, move)[:3]: move for move in naive.moves(position)}
            assert set(ours) == set(theirs)
            assert len(ours) == len(game.actions(state))
            if not theirs:
                break
            # Pieces are taken whenever possible, now and then, so that games end.
            fewest = min(len(black | white) for black, white, _ in theirs)
            taking = [p for p in theirs if len(p[0] | p[1]) == fewest]
            chosen = chance.choice(sorted(chance.choice([list(theirs), taking]), key=str))
            state, position = game.next(state, ours[chosen]), naive.play(position, theirs[chosen])
        first = {"black": 1, "white": -1, None: 0}[naive.winner(position)]
        assert list(game.outcome(state)) == [first, -first]
        results[first] += 1
    assert results[1] + results[-1] > games // 2, "most games are won"


def test_openspiel_agrees_until_a_position_is_repeated() -> None:
    pyspiel = pytest.importorskip("pyspiel")
    game, other = LinesOfAction(8, horizon=300), pyspiel.load_game("lines_of_action")
    decided = 0
    for seed in range(100):
        chance = random.Random(seed)
        state, theirs = game.initial(), other.new_initial_state()
        while not theirs.is_terminal() and game.state.unpack(state).left > 200:
            assert game.player(state) == theirs.current_player()
            ours = {game.action_name(state, a): a for a in game.actions(state)}
            legal = {theirs.action_to_string(a): a for a in theirs.legal_actions()}
            assert set(ours) == set(legal)
            taking = [name for name in sorted(ours) if "x" in name]
            move = chance.choice(taking or sorted(ours))  # so that the games end
            state = game.next(state, ours[move])
            theirs.apply_action(legal[move])
        if theirs.is_terminal() and theirs.returns() != [0, 0]:
            assert list(game.actions(state)) == []
            assert list(game.outcome(state)) == theirs.returns()
            decided += 1
    assert decided > 50


def test_perft() -> None:
    check_perft("lines_of_action.perft")


@pytest.mark.parametrize(("size", "horizon"), [(3, 1), (3, 2), (3, 7), (4, 2), (4, 3)])
def test_values_by_plain_backward_induction(size: int, horizon: int) -> None:
    naive = NaiveLinesOfAction(size, horizon)
    first = naive.value(naive.start())
    assert ub.solve(LinesOfAction(size, horizon)).outcome == (first, -first)


@pytest.mark.parametrize("known", LinesOfAction.known_values, ids=lambda known: known.game)
def test_known_values(known: Known) -> None:
    assert ub.solve(known.game).outcome == known.outcome


# -- the contract ---------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["lines-of-action", "lines-of-action(size=3,horizon=1)"])
def test_it_conforms_to_the_contract(text: str) -> None:
    assert check_game(text, games=10).warnings == ()


def test_images() -> None:
    check_symmetries(LinesOfAction(5, 30), games=2)
    check_relabeling(LinesOfAction(5, 30), games=2)
    check_values_of_images(LinesOfAction(4, 6), plies=[2, 3], seeds=3)


def test_planes_are_seen_by_the_mover() -> None:
    check_planes(LinesOfAction(5, 30), games=2)
    game = LinesOfAction(3, 4)
    own, other, left = planes_of(game, place(game, "W.B ... ..W", "W", left=3))
    assert own == [[0, 0, 1], [0, 0, 0], [1, 0, 0]]
    assert other == [[0, 0, 0], [0, 0, 0], [0, 0, 1]]
    assert left == [[0.75] * 3] * 3


def test_pictures() -> None:
    check_pictures(LinesOfAction(5, 30), games=1)


@pytest.mark.parametrize("name", ["size", "horizon"])
@pytest.mark.parametrize("value", NONSENSE, ids=lambda x: repr(x)[:9])
def test_nonsense_is_refused(name: str, value: object) -> None:
    refused(LinesOfAction, name, value)


def test_the_evaluation_is_a_guess_within_the_outcomes() -> None:
    game = LinesOfAction()
    seen = set()
    for state in positions(game, 5):
        if game.actions(state):
            first, second = game.evaluate(state)
            assert first == -second
            assert abs(first) < 1
            seen.add(first)
    assert len(seen) > 50
    assert game.evaluate(game.initial())[0] == 0
    assert game.evaluate(place(game, "W....W ...... ..BB.. ..B... ...... W....W", "W"))[0] > 0.3


def test_the_evaluation_plays_better_than_none() -> None:
    assert match(LinesOfAction(), iterations=100, pairs=6, opening=4) > 0.75
