# SPDX-License-Identifier: MIT
"""Games of lines against plain twins; images, planes, pictures; more rules in test_games.py."""

from __future__ import annotations

import itertools
import random

import board_games
import naive_gomoku
import naive_mnk as naive
import pytest
from shared_checks import (
    NONSENSE,
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
from unbounded.game import Known, RecordGame
from unbounded.games.mnk import Gomoku, Mnk, TicTacToe

KNOWN = [k for cls in (Mnk, TicTacToe, Gomoku) for k in cls.known_values if not k.slow]


def play(game: Mnk, moves: str) -> bytes:
    state = game.initial()
    for move in moves.split():
        state = game.next(state, game.parse_action(state, move))
    return state


def test_openspiel_agrees() -> None:
    pyspiel = pytest.importorskip("pyspiel")
    game, other = TicTacToe(), pyspiel.load_game("tic_tac_toe")
    for seed in range(100):
        chance = random.Random(seed)
        state, theirs = game.initial(), other.new_initial_state()
        while not theirs.is_terminal():
            assert game.player(state) == theirs.current_player()
            assert list(game.actions(state)) == theirs.legal_actions()
            cell = chance.choice(theirs.legal_actions())
            state = game.next(state, cell)
            theirs.apply_action(cell)
        assert list(game.actions(state)) == []
        assert list(game.outcome(state)) == theirs.returns()


@pytest.mark.parametrize(
    ("size", "games"),
    [
        ((3, 3, 3), 300), ((3, 4, 3), 200), ((5, 4, 4), 150), ((4, 4, 3, 3), 150),
        ((1, 9, 2), 50), ((6, 1, 3), 50), ((4, 5, 3, 4), 50), ((7, 7, 5), 50),
    ],
)  # fmt: skip
def test_random_games_agree_with_the_plain_rules(size: tuple[int, ...], games: int) -> None:
    game = Mnk(*size)
    board = naive.Board(game.rows, game.columns, game.line, game.players)
    for seed in range(games):
        choose = random.Random(seed)
        state, slow = game.initial(), naive.initial(board)
        while True:
            owners = {cell: who for who, stones in enumerate(slow, 1) for cell in stones}
            places = [(i % game.columns, i // game.columns) for i in range(game.max_actions)]
            assert game.state.unpack(state).cells == [owners.get(p, 0) for p in places]
            moves = naive.actions(board, slow)
            assert [places[a] for a in game.actions(state)] == sorted(moves, key=lambda p: p[::-1])
            if not moves:
                break
            assert game.player(state) == naive.mover(slow)
            cell = choose.choice(moves)
            state = game.next(state, places.index(cell))
            slow = naive.following(slow, cell)
        who = naive.winner(board, slow)
        expected = [0 if who is None else 1 if p == who else -1 for p in range(game.players)]
        assert list(game.outcome(state)) == list(game.score(state)) == expected


@pytest.mark.parametrize(("size", "games"), [(5, 400), (6, 350), (7, 200), (9, 40), (15, 10)])
def test_random_games_of_gomoku_agree_with_the_plain_rules(size: int, games: int) -> None:
    game, wins = Gomoku(size), 0
    for seed in range(games):
        choose = random.Random(seed)
        state, slow = game.initial(), naive_gomoku.initial(size)
        while True:
            rows = game.show(state).splitlines()[:size]
            assert ["".join(row.split()[1:]) for row in reversed(rows)] == list(slow[0])
            moves = naive_gomoku.actions(slow)
            assert [game.action_name(state, a) for a in game.actions(state)] == moves
            if not moves:
                break
            assert "XO"[game.player(state)] == slow[1]
            name = choose.choice(moves)
            state = game.next(state, game.parse_action(state, name))
            slow = naive_gomoku.following(slow, name)
        first = {"X": 1, "O": -1, "": 0}[naive_gomoku.winner(slow)]
        assert list(game.outcome(state)) == [first, -first]
        wins += first != 0
    assert wins > 0


@pytest.mark.parametrize("name", ["mnk", "gomoku"])
def test_perft(name: str) -> None:
    board_games.check_perft(name)


@pytest.mark.parametrize("text", ["tic-tac-toe", "mnk(rows=1,columns=1,line=1)", "gomoku"])
def test_it_conforms_to_the_contract(text: str) -> None:
    assert check_game(text, games=20).warnings == ()


# -- the evaluation -------------------------------------------------------------------------------


def guess(game: Mnk, state: bytes) -> list[float]:
    """Return the evaluation, found by looking at each line of cells by itself."""
    s = game.state.unpack(state)
    promise = [0.0] * game.players
    board = {(i // game.columns, i % game.columns): stone for i, stone in enumerate(s.cells)}
    for (row, column), (up, right) in itertools.product(board, [(0, 1), (1, 0), (1, 1), (1, -1)]):
        places = [(row + i * up, column + i * right) for i in range(game.line)]
        stones = [board[place] for place in places if board.get(place, 0)]
        if all(place in board for place in places) and len(set(stones)) == 1:
            promise[stones[0] - 1] += len(stones) ** 2
            if len(stones) == game.line - 1 and stones[0] == s.turn + 1:
                promise[stones[0] - 1] += 200 * game.line**2
    leads = [game.players * own - sum(promise) for own in promise]
    return [lead / (abs(lead) + 8 * game.line**2) for lead in leads]


@pytest.mark.parametrize(
    "size",
    [(3, 3, 3), (4, 6, 4, 3), (5, 5, 2, 4), (7, 5, 5), (1, 9, 3), (6, 1, 2), (3, 1, 1), (2, 2, 3)],
)
def test_the_evaluation_is_what_the_lines_promise(size: tuple[int, ...]) -> None:
    game = Mnk(*size)
    for state in positions(game, 10):
        if game.actions(state):
            assert list(game.evaluate(state)) == pytest.approx(guess(game, state), abs=1e-12)


@pytest.mark.parametrize("line", [1023, 1024])
def test_lines_of_a_thousand_stones_are_counted(line: int) -> None:
    game = Mnk(1024, 1, line, players=4)
    s = game.state.zero()
    s.cells = [4] * (line - 1) + [0] * (1025 - line)
    s.turn = 3
    state = game.state.pack(s)
    assert list(game.evaluate(state)) == pytest.approx(guess(game, state))
    assert game.evaluate(state)[3] > 0.9


def test_the_evaluation_plays_better_than_none() -> None:
    assert match(Mnk(6, 6, 4), iterations=100, pairs=8, opening=4) > 0.7


# -- images, planes, pictures ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("size", "symmetries"), [((3, 3), 8), ((5, 5, 4), 8), ((3, 4), 4), ((5, 3, 3, 3), 4)]
)
def test_images(size: tuple[int, ...], symmetries: int) -> None:
    game = Mnk(*size)
    assert game.symmetries == symmetries
    check_symmetries(game, games=3)
    check_relabeling(game, games=3)


def test_all_eight_images_of_a_corner_and_its_neighbor() -> None:
    game = TicTacToe()
    state = play(game, "a1 b1")
    pairs = ["a1 b1", "c1 b1", "a3 b3", "c3 b3", "a1 a2", "c1 c2", "a3 a2", "c3 c2"]
    images = {game.symmetry(state, k) for k in range(8)}
    assert images == {play(game, pair) for pair in pairs}


def test_values_of_images() -> None:
    check_values_of_images(Mnk(3, 3), plies=[2, 4], seeds=4)
    check_values_of_images(Mnk(2, 4, 3, 3), plies=[2, 4], seeds=3)


def test_planes_are_seen_by_the_mover() -> None:
    check_planes(Mnk(4, 3, 3, players=3))
    game = Mnk(2, 3, 3)
    own, other = planes_of(game, play(game, "a1 b2 c1"))
    assert own == [[0, 0, 0], [0, 1, 0]]
    assert other == [[1, 0, 1], [0, 0, 0]]


@pytest.mark.parametrize("game", [TicTacToe(), Mnk(3, 5, 4, players=4), Gomoku(9), Gomoku(2)])
def test_pictures(game: RecordGame) -> None:
    check_pictures(game, games=1)


# -- names and values -----------------------------------------------------------------------------


def test_gomoku_is_five_in_a_row_and_more() -> None:
    game = Gomoku()
    assert (game.rows, game.columns, game.line, game.players) == (15, 15, 5, 2)
    assert str(game) == "gomoku"
    assert str(Gomoku(9)) == "gomoku(size=9)"
    state = play(game, "a1 a2 b1 b2 c1 c2 e1 e2 f1 f2")
    won = game.next(state, game.parse_action(state, "d1"))
    assert list(game.outcome(won)) == [1, -1]
    assert not game.actions(won), "six in a row win too"


@pytest.mark.parametrize("value", NONSENSE, ids=lambda x: repr(x)[:9])
def test_nonsense_is_refused(value: object) -> None:
    refused(Gomoku, "size", value)


@pytest.mark.parametrize("known", KNOWN, ids=lambda known: known.game)
def test_known_values(known: Known) -> None:
    assert ub.solve(known.game).outcome == known.outcome
