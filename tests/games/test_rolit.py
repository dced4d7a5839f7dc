# SPDX-License-Identifier: MIT
from __future__ import annotations

import random
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

sys.path.insert(0, str(Path(__file__).parent))
import naive_rolit as naive

from unbounded.conformance.check import check_game, random_play
from unbounded.game import UsageError
from unbounded.games.rolit import Rolit

SHAPES = [(4, 2), (4, 3), (4, 4), (6, 2), (6, 3), (6, 4), (8, 4), (10, 2)]


def position(game: Rolit, drawn: str, turn: int = 0) -> bytes:
    """Return the state drawn as rows of letters and dots, top row first."""
    s = game.state.zero()
    for row, line in enumerate(drawn.split()):
        for column, letter in enumerate(line):
            if letter != ".":
                s.balls[(game.symbols + "+").index(letter) * game.size + row] |= 1 << column
    s.turn = turn
    return game.state.pack(s)


def drawn(game: Rolit, state: bytes) -> str:
    rows = game.show(state).splitlines()[: game.size]
    return " ".join("".join(row.split()[1:]) for row in rows)


def names(game: Rolit, state: bytes) -> list[str]:
    return [game.action_name(state, action) for action in game.actions(state)]


def after(game: Rolit, state: bytes, name: str) -> bytes:
    return game.next(state, game.parse_action(state, name))


def positions(game: Rolit, seeds: int) -> list[bytes]:
    return [state for seed in range(seeds) for state in random_play(game, seed).states]


# -- rules ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("players", "middle"),
    [(2, ".R+. .+G."), (3, ".RG. .+Y."), (4, ".RG. .BY.")],
)
def test_one_ball_of_each_color_in_the_middle(players: int, middle: str) -> None:
    game = Rolit(4, players)
    assert drawn(game, game.initial()) == f".... {middle} ...."
    assert names(game, game.initial()) == ["d3", "b1", "d1"]


def test_balls_of_all_colors_are_captured_together() -> None:
    game = Rolit(6, 3)
    state = position(game, "R..... .G.... ..+... .GY.YR ...... ......")
    assert names(game, state) == ["d3"]
    state = position(game, "R..... .G.... ..+... .GY.YR ...... R.....", turn=0)
    assert drawn(game, after(game, state, "d3")) == "R..... .R.... ..R... .GYRRR ...... R....."


def test_the_row_ends_at_the_nearest_own_ball() -> None:
    game = Rolit(6, 2)
    state = position(game, ".GRGR. ...... ...... ...... ...... ......")
    assert drawn(game, after(game, state, "a6")).startswith("RRRGR.")


def test_whoever_can_capture_must() -> None:
    game = Rolit(4, 2)
    state = position(game, "RG.. .... .... ...G")
    assert names(game, state) == ["c4"]


def test_whoever_cannot_capture_plays_beside_any_ball() -> None:
    game = Rolit(4, 3)
    state = position(game, "R... .... .... ....", turn=1)
    assert names(game, state) == ["b4", "a3", "b3"]
    state = position(game, ".... .... .... ..+Y", turn=0)
    assert names(game, state) == ["b2", "c2", "d2", "b1"]
    assert drawn(game, after(game, state, "b1")) == ".... .... .... .R+Y"


def test_a_color_may_vanish_and_come_back() -> None:
    game = Rolit(4, 2)
    state = position(game, "RG.. .... .... ....")
    gone = after(game, state, "c4")
    assert drawn(game, gone).startswith("RRR.")
    assert game.player(gone) == 1
    assert names(game, gone) == ["d4", "a3", "b3", "c3", "d3"]


@pytest.mark.parametrize(
    ("board", "outcome", "score", "verdict"),
    [
        ("RRRR RRRG GGYY YYYY", [1, -1, -1], [7, 3, 6], "R 7, G 3, Y 6: R has won"),
        ("RRRR RRGG GGYY YYYY", [0, -1, 0], [6, 4, 6], "R 6, G 4, Y 6: R and Y draw"),
        ("RRRR RGGG GGYY YYY+", [0, 0, 0], [5, 5, 5], "R 5, G 5, Y 5: R and G and Y draw"),
        ("RRRR GGGG GG++ ++++", [-1, 1, -1], [4, 6, 0], "R 4, G 6, Y 0: G has won"),
    ],
)
def test_ends_of_three(board: str, outcome: list[int], score: list[int], verdict: str) -> None:
    game = Rolit(4, 3)
    over = position(game, board)
    assert game.actions(over) == []
    assert list(game.outcome(over)) == outcome
    assert list(game.score(over)) == score
    assert game.show(over).endswith(verdict)


def test_two_players_score_the_difference() -> None:
    game = Rolit(4, 2)
    over = position(game, "RRRR RRGG G+++ ++++")
    assert list(game.outcome(over)) == [1, -1]
    assert list(game.score(over)) == [3, -3]
    even = position(game, "RRRR GGGG ++++ ++++")
    assert list(game.outcome(even)) == list(game.score(even)) == [0, 0]
    assert game.zero_sum
    assert not Rolit(4, 3).zero_sum


# -- against the naive rules ----------------------------------------------------------------------


@pytest.mark.parametrize(("size", "players"), SHAPES)
def test_random_games_agree_with_naive_rules(size: int, players: int) -> None:
    game = Rolit(size, players)
    letters = {None: "+", **dict(enumerate(game.symbols))}
    free = 0
    for seed in range({4: 60, 6: 12, 8: 3, 10: 3}[size]):
        choose = random.Random(seed)
        state, plain = game.initial(), naive.start(size, players)
        while True:
            moves = naive.moves(size, plain)
            assert game.actions(state) == [row * size + column for row, column in moves]
            board = [
                letters[plain[0][row, column]] if (row, column) in plain[0] else "."
                for row in range(size)
                for column in range(size)
            ]
            assert drawn(game, state).replace(" ", "") == "".join(board)
            if not moves:
                break
            assert game.player(state) == plain[1]
            move = choose.choice(moves)
            free += not naive.captured(plain[0], move, plain[1])
            state = game.next(state, move[0] * size + move[1])
            plain = naive.after(plain, move, players)
        assert "." not in board
        balls = naive.balls(plain, players)
        expected = [balls[0] - balls[1], balls[1] - balls[0]] if players == 2 else balls
        assert list(game.score(state)) == expected
        assert list(game.outcome(state)) == naive.outcome(plain, players)
    assert free > 0 or size > 6


def golden() -> list[Any]:
    lines = (Path(__file__).parents[1] / "golden" / "rolit.perft").read_text().splitlines()
    texts = [line.removeprefix("game ") for line in lines if line.startswith("game ")]
    counts = [line.removeprefix("perft ") for line in lines if line.startswith("perft ")]
    return [pytest.param(*pair, id=pair[0]) for pair in zip(texts, counts, strict=True)]


@pytest.mark.parametrize(("text", "counts"), golden())
def test_perft(text: str, counts: str) -> None:
    native = pytest.importorskip("unbounded.native", exc_type=ImportError)
    from unbounded.game.catalogue import load_game

    for part in counts.split("|"):
        depth, count = map(int, part.split())
        assert native.perft(load_game(text), depth) == count


@pytest.mark.parametrize("known", [k for k in Rolit.known_values if not k.slow], ids=str)
def test_known_values(known: Any) -> None:
    from unbounded import solve

    assert solve(known.game).outcome == known.outcome
    lead = naive.lead(4, naive.start(4, 2), -16, 16, {})
    assert known.score == (lead, -lead)


# -- the contract ---------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["rolit", "rolit(size=4)", "rolit(players=4)"])
def test_contract(text: str) -> None:
    assert not check_game(text, games=20).warnings


@pytest.mark.parametrize(("size", "players"), [(4, 2), (4, 3), (4, 4)])
def test_symmetries_and_relabeling_show_the_same_game(size: int, players: int) -> None:
    game = Rolit(size, players)
    for state in positions(game, 2):
        images = {game.symmetry(state, k) for k in range(8)}
        assert game.symmetry(state, 0) == game.relabel(state, 0) == state
        following = {
            game.symmetry(game.next(state, a), k) for a in game.actions(state) for k in range(8)
        }
        for image in images:
            assert {game.symmetry(image, k) for k in range(8)} == images
            assert len(game.actions(image)) == len(game.actions(state))
            assert {game.next(image, a) for a in game.actions(image)} <= following
            assert game.outcome(image) == game.outcome(state)
            assert game.score(image) == game.score(state)
            assert game.player(image) == game.player(state)
        for k in range(players):
            other = game.relabel(state, k)
            assert game.relabel(other, players - k) == state
            assert game.actions(other) == game.actions(state)
            assert game.player(other) == (game.player(state) + k) % players
            for p in range(players):
                assert game.score(other)[(p + k) % players] == game.score(state)[p]
                assert game.outcome(other)[(p + k) % players] == game.outcome(state)[p]
            for action in game.actions(state):
                assert game.next(other, action) == game.relabel(game.next(state, action), k)


def test_images_have_the_same_proven_value() -> None:
    game = Rolit(4, 2)
    known: dict[object, int] = {}

    def lead(state: bytes) -> int:
        owners = {"R": 0, "G": 1, "+": None}
        board = enumerate(drawn(game, state).replace(" ", ""))
        cells = {divmod(i, 4): owners[letter] for i, letter in board if letter != "."}
        worth = naive.lead(4, (cells, game.player(state)), -16, 16, known)
        return -worth if game.player(state) else worth

    for seed in range(6):
        state = random_play(game, seed, longest=7).states[-1]
        assert {lead(game.symmetry(state, k)) for k in range(8)} == {lead(state)}
        assert lead(game.relabel(state, 1)) == -lead(state)


@pytest.mark.parametrize(
    ("players", "seen"),
    [
        (2, [[], [5, 10, 15], [6, 9]]),
        (3, [[6], [], [5, 10, 15], [9]]),
        (4, [[6], [], [9], [5, 10, 15]]),
    ],
)
def test_planes_show_the_board_as_the_mover_sees_it(players: int, seen: list[list[int]]) -> None:
    """After a move of the first player, his balls are those of the last one to move."""
    game = Rolit(4, players)
    planes = game.encode(after(game, game.initial(), "d1"))
    assert game.planes == (len(seen), 4, 4)
    found = [[i for i in range(16) if planes[16 * plane + i]] for plane in range(len(seen))]
    assert found == seen
    for state in positions(game, 3):
        planes = game.encode(state)
        assert len(planes) == 16 * len(seen)
        assert sum(planes) == 16 - drawn(game, state).count(".")
        for k in range(players):
            assert game.encode(game.relabel(state, k)) == planes


@pytest.mark.parametrize(("size", "players"), [(4, 2), (6, 3), (10, 4)])
def test_drawings_are_well_formed(size: int, players: int) -> None:
    game = Rolit(size, players)
    space = "{http://www.w3.org/2000/svg}"
    for state in positions(game, 1):
        actions = game.actions(state)
        picture = ElementTree.fromstring(game.svg(state, last=0, targets=actions))
        title = picture.find(f"{space}title")
        assert title is not None
        assert title.text is not None
        assert title.text.startswith("Rolit, R ")
        roles = [circle.get("class", "").split()[-1] for circle in picture.iter(f"{space}circle")]
        balls = size * size - drawn(game, state).count(".")
        assert roles.count("ub-piece") == balls + players  # and one beside each player's count
        assert roles.count("ub-target") == len(actions)


@pytest.mark.parametrize("value", [0, -2, 1, 5, 12, 10**9, 10**30, True, 1.5, 4.0, "x", None])
@pytest.mark.parametrize("name", ["size", "players"])
def test_nonsense_parameters_are_refused(name: str, value: Any) -> None:
    with pytest.raises(UsageError, match=f"^{name} must be an"):
        Rolit(**{name: value})


# -- evaluation -----------------------------------------------------------------------------------


@pytest.mark.parametrize("players", [2, 3, 4])
def test_evaluations_are_within_the_scores(players: int) -> None:
    game = Rolit(6, players)
    for state in positions(game, 5):
        if game.actions(state):
            values = game.evaluate(state)
            assert all(abs(x) < 36 for x in values)
            assert players > 2 or values[0] == -values[1]
            assert players == 2 or sum(values) == pytest.approx(36)


def test_the_heuristic_beats_no_evaluation() -> None:
    from unbounded import Search

    game, points, games = Rolit(6), 0.0, 24
    for i in range(games):
        opening = random_play(game, i // 2, longest=4)
        pairs = zip(opening.states, opening.actions, strict=False)
        moves = [game.action_name(*pair) for pair in pairs]
        seat = i % 2
        evaluations = ["zero", "heuristic"] if seat else ["heuristic", "zero"]
        searches = [Search(game, evaluation=e, moves=moves) for e in evaluations]
        while game.actions(state := searches[0].state):
            search = searches[game.player(state)]
            search.run(iterations=100)
            best = search.decide()
            assert best is not None
            for each in searches:
                each.play(best)
        points += (game.outcome(state)[seat] + 1) / 2
    print(f"the heuristic scores {points} of {games}")
    assert points > 0.75 * games
