# SPDX-License-Identifier: MIT
from __future__ import annotations

import functools
import random
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

sys.path.insert(0, str(Path(__file__).parent))
import naive_othello as naive

from unbounded.conformance.check import check_game, random_play
from unbounded.game import UsageError
from unbounded.games.othello import Othello

COLORS = ("black", "white")


def position(size: int, drawn: str, turn: int = 0) -> bytes:
    """Return the state drawn as rows of X, O and dots, top row first."""
    game = Othello(size)
    s = game.state.zero()
    for row, line in enumerate(drawn.split()):
        for column, letter in enumerate(line):
            if letter != ".":
                s.discs["XO".index(letter) * size + row] |= 1 << column
    s.turn = turn
    return game.state.pack(s)


def drawn(game: Othello, state: bytes) -> str:
    rows = game.show(state).splitlines()[1:-1]
    return " ".join("".join(row.split()[1:]) for row in rows)


def names(game: Othello, state: bytes) -> list[str]:
    return [game.action_name(state, action) for action in game.actions(state)]


def play(game: Othello, *moves: str) -> bytes:
    state = game.initial()
    for name in moves:
        state = game.next(state, game.parse_action(state, name))
    return state


# -- rules ----------------------------------------------------------------------------------------


def test_the_start_is_that_of_tournaments() -> None:
    game = Othello()
    assert names(game, game.initial()) == ["d3", "c4", "f5", "e6"]
    assert game.player_name(game.player(game.initial())) == "black (X)"
    assert game.show(play(game, "f5", "f6")).splitlines()[4:8] == [
        "4 . . . O X . . .",
        "5 . . . X O X . .",
        "6 . . . . . O . .",
        "7 . . . . . . . .",
    ]


def test_a_disc_captures_in_all_eight_directions_at_once() -> None:
    game = Othello(6)
    state = position(6, "X.X.X. .OOO.. XO.OX. .OOO.. X.X.X. ......")
    after = game.next(state, game.parse_action(state, "c3"))
    assert drawn(game, after) == "X.X.X. .XXX.. XXXXX. .XXX.. X.X.X. ......"


def test_only_unbroken_rows_that_end_in_an_own_disc_are_captured() -> None:
    game = Othello(6)
    state = position(6, ".OO.X. O..... O..... ...... X..... .OOOOX")
    assert names(game, state) == ["a6"]
    after = game.next(state, game.parse_action(state, "a6"))
    assert drawn(game, after) == ".OO.X. O..... O..... ...... X..... XXXXXX"
    state = position(6, ".OOXOX ...... ...... ...... ...... ......")
    after = game.next(state, game.parse_action(state, "a1"))
    assert drawn(game, after).startswith("XXXXOX")


@pytest.mark.parametrize("size", [4, 6, 8, 10])
def test_rows_do_not_run_over_the_edge(size: int) -> None:
    dots = "." * size
    for top, below in (("X" + dots[1:], dots[2:] + "OO"), (dots[1:] + "O", "OX" + dots[2:])):
        state = position(size, " ".join([top, below, *[dots] * (size - 2)]))
        assert not set(names(Othello(size), state)) - {"pass"}


@pytest.mark.parametrize("size", [4, 6, 8, 10])
@pytest.mark.parametrize("turned", [False, True])
def test_longest_rows(size: int, turned: bool) -> None:
    """A row from edge to edge, in all eight directions."""
    game, dots, most = Othello(size), "." * size, size - 1
    line = "." + "O" * (size - 2) + "X"
    line = line[::-1] if turned else line
    end = size - 1 if turned else 0
    across = " ".join([line, *[dots] * most])
    upwards = " ".join(letter + dots[1:] for letter in line)
    diagonal = " ".join(dots[:i] + line[i] + dots[i + 1 :] for i in range(size))
    other = " ".join(dots[i + 1 :] + line[i] + dots[:i] for i in range(size))
    for board, cell in (
        (across, end),
        (upwards, end * size),
        (diagonal, end * size + end),
        (other, end * size + most - end),
    ):
        state = position(size, board)
        assert game.actions(state) == [cell]
        after = drawn(game, game.next(state, cell))
        assert (after.count("X"), after.count("O")) == (size, 0)


def test_whoever_cannot_capture_must_pass() -> None:
    game = Othello(4)
    state = position(4, "XXO. XXXX XXXX XXXX", turn=1)
    assert names(game, state) == ["pass"]
    assert game.action_name(state, 16) == "pass"
    after = game.next(state, 16)
    assert game.player(after) == 0
    assert drawn(game, after) == drawn(game, state)
    assert names(game, after) == ["d1"]
    over = game.next(after, game.parse_action(after, "d1"))
    assert game.actions(over) == []
    assert game.score(over) == [16, -16]


def test_empty_cells_count_for_nobody() -> None:
    game = Othello(4)
    state = position(4, "XO.. .... .... O...")
    over = game.next(state, game.parse_action(state, "c1"))
    assert game.actions(over) == []
    assert list(game.outcome(over)) == [1, -1]
    assert game.score(over) == [2, -2]
    assert game.show(over).endswith("3 to 1: black (X) has won")


def test_a_draw() -> None:
    game = Othello(4)
    state = position(4, "XO.. .... .... OOO.")
    over = game.next(state, game.parse_action(state, "c1"))
    assert game.actions(over) == []
    assert list(game.outcome(over)) == [0, 0]
    assert game.show(over).endswith("3 to 3: a draw")


def test_the_same_end_has_the_same_bytes_whoever_moved_last() -> None:
    game = Othello(4)
    by_white = game.next(position(4, "XOX. XXXX XXXX XXXX", turn=1), 3)
    by_black = game.next(position(4, "XOOO XXXX XXXX .OXX"), 12)
    assert drawn(game, by_white) == "XOOO XXXX XXXX XXXX"
    assert by_white == by_black


def test_the_shortest_game_leaves_no_disc_of_the_other_color() -> None:
    """Published: nine moves are the fewest."""
    game = Othello()
    over = play(game, "e6", "f4", "e3", "f6", "g5", "d6", "e7", "f5", "c5")
    assert game.actions(over) == []
    assert game.score(over) == [13, -13]


# -- against others -------------------------------------------------------------------------------


@pytest.mark.parametrize(("size", "games"), [(4, 120), (6, 60), (8, 20), (10, 6)])
def test_random_games_agree_with_naive_rules(size: int, games: int) -> None:
    game = Othello(size)
    passes = 0
    for seed in range(games):
        choose = random.Random(seed)
        state, plain = game.initial(), naive.start(size)
        while True:
            moves = naive.moves(size, plain)
            actions = [size * size if m == "pass" else m[0] * size + m[1] for m in moves]
            assert game.actions(state) == actions
            board = [
                [".XO"[0 if c is None else COLORS.index(c) + 1] for c in row]
                for row in [[plain[0].get((i, j)) for j in range(size)] for i in range(size)]
            ]
            assert drawn(game, state) == " ".join("".join(row) for row in board)
            if not moves:
                break
            assert COLORS[game.player(state)] == plain[1]
            i = choose.randrange(len(moves))
            passes += moves[i] == "pass"
            state, plain = game.next(state, actions[i]), naive.after(plain, moves[i])
        lead = naive.difference(plain)
        assert game.score(state) == [lead, -lead]
        sign = (lead > 0) - (lead < 0)
        assert list(game.outcome(state)) == [sign, -sign]
    assert passes > 0


def test_random_games_agree_with_open_spiel() -> None:
    pyspiel = pytest.importorskip("pyspiel")
    game, theirs = Othello(), pyspiel.load_game("othello")
    for seed in range(100):
        choose = random.Random(seed)
        state, their_state = game.initial(), theirs.new_initial_state()
        while not their_state.is_terminal():
            assert game.player(state) == their_state.current_player()
            assert sorted(game.actions(state)) == sorted(their_state.legal_actions())
            action = choose.choice(game.actions(state))
            assert game.action_name(state, action) == their_state.action_to_string(action)
            state = game.next(state, action)
            their_state.apply_action(action)
        assert game.actions(state) == []
        assert list(game.outcome(state)) == their_state.returns()


def golden() -> list[Any]:
    lines = (Path(__file__).parents[1] / "golden" / "othello.perft").read_text().splitlines()
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


def test_the_score_of_the_smallest_board_by_plain_search() -> None:
    """The known value again, by the naive rules: 11 to 3 for White."""

    @functools.cache
    def value(cells: frozenset[Any], color: str, alpha: int, beta: int) -> int:
        here = (dict(cells), color)
        moves = naive.moves(4, here)
        if not moves:
            return naive.difference(here) * (1 if color == "black" else -1)
        for move in moves:
            board, other = naive.after(here, move)
            alpha = max(alpha, -value(frozenset(board.items()), other, -beta, -alpha))
            if alpha >= beta:
                break
        return alpha

    cells, color = naive.start(4)
    assert value(frozenset(cells.items()), color, -16, 16) == -8
    assert Othello.known_values[0].score == (-8, 8)


@pytest.mark.parametrize("known", [k for k in Othello.known_values if not k.slow], ids=str)
def test_known_values(known: Any) -> None:
    from unbounded import solve

    result = solve(known.game)
    assert result.outcome == known.outcome


# -- the contract ---------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["othello", "othello(size=4)"])
def test_contract(text: str) -> None:
    assert not check_game(text, games=20).warnings


def positions(game: Othello, seeds: int) -> list[bytes]:
    return [state for seed in range(seeds) for state in random_play(game, seed).states]


@pytest.mark.parametrize("size", [4, 6])
def test_symmetries_and_relabeling_show_the_same_game(size: int) -> None:
    game = Othello(size)
    for state in positions(game, 3 if size == 4 else 1):
        images = {game.symmetry(state, k) for k in range(8)}
        assert game.symmetry(state, 0) == game.relabel(state, 0) == state
        for image in images:
            assert {game.symmetry(image, k) for k in range(8)} == images
            assert len(game.actions(image)) == len(game.actions(state))
            following = {game.next(image, a) for a in game.actions(image)}
            mapped = [{game.symmetry(s, k) for k in range(8)} for s in following]
            assert all(
                {game.symmetry(game.next(state, a), k) for k in range(8)} in mapped
                for a in game.actions(state)
            )
            assert game.score(image) == game.score(state)
            assert game.player(image) == game.player(state)
        other = game.relabel(state, 1)
        assert game.relabel(other, 1) == state
        assert game.actions(other) == game.actions(state)
        assert game.score(other) == game.score(state)[::-1]
        for action in game.actions(state):
            assert game.next(other, action) == game.relabel(game.next(state, action), 1)
            assert game.player(other) == 1 - game.player(state)


def test_eight_different_images() -> None:
    game = Othello(4)
    state = position(4, "XXO. .... .... ....")
    assert [drawn(game, game.symmetry(state, k)).replace(" ", "/") for k in range(8)] == [
        "XXO./..../..../....",
        ".OXX/..../..../....",
        "..../..../..../XXO.",
        "..../..../..../.OXX",
        "X.../X.../O.../....",
        "...X/...X/...O/....",
        "..../O.../X.../X...",
        "..../...O/...X/...X",
    ]


def test_images_have_the_same_value() -> None:
    game = Othello(4)

    @functools.cache
    def value(state: bytes) -> int:
        actions = game.actions(state)
        if not actions:
            return int(game.score(state)[0])
        values = [value(game.next(state, a)) for a in actions]
        return min(values) if game.player(state) else max(values)

    for seed in range(8):
        state = random_play(game, seed, longest=6).states[-1]
        for k in range(8):
            assert value(game.symmetry(state, k)) == value(state)
        assert value(game.relabel(state, 1)) == -value(state)


def test_planes_show_the_board_as_the_mover_sees_it() -> None:
    game = Othello(4)
    state = play(game, "b1")
    planes = game.encode(state)
    assert game.player(state) == 1
    assert [i for i, x in enumerate(planes) if x] == [10] + [16 + i for i in (1, 5, 6, 9)]
    for state in positions(game, 5):
        planes = game.encode(state)
        assert len(planes) == 2 * 4 * 4
        assert set(planes) <= {0.0, 1.0}
        if game.actions(state):
            assert game.encode(game.relabel(state, 1)) == planes


@pytest.mark.parametrize("size", [4, 8, 10])
def test_drawings_are_well_formed(size: int) -> None:
    game = Othello(size)
    space = "{http://www.w3.org/2000/svg}"
    for state in positions(game, 1):
        actions = game.actions(state)
        picture = ElementTree.fromstring(
            game.svg(state, last=actions[0] if actions else size * size, targets=actions)
        )
        title = picture.find(f"{space}title")
        assert title is not None
        assert title.text is not None
        assert title.text.startswith("Othello")
        roles = [c.get("class", "").split()[-1] for c in picture.iter(f"{space}circle")]
        discs = sum(letter in "XO" for letter in drawn(game, state))
        assert roles.count("ub-piece") == discs + 2  # and one beside each player's count
        assert roles.count("ub-target") == len([a for a in actions if a < size * size])


@pytest.mark.parametrize("size", [0, -2, -8, 2, 3, 5, 12, 10**9, 10**30, True, 1.5, 8.0, "x", None])
def test_nonsense_parameters_are_refused(size: Any) -> None:
    with pytest.raises(UsageError, match="size must be an even integer from 4 to 10"):
        Othello(size)


# -- evaluation -----------------------------------------------------------------------------------


def test_evaluations_are_zero_sum_and_within_the_scores() -> None:
    for size in (4, 6, 8):
        game = Othello(size)
        for state in positions(game, 5):
            if game.actions(state):
                first, second = game.evaluate(state)
                assert first == -second
                assert abs(first) < size * size
        assert game.evaluate(game.initial())[0] == 0
    corner = position(8, "X....... " + "........ " * 3 + "...OX... ...XO... ........ ........")
    assert Othello().evaluate(corner)[0] > 5


def test_the_heuristic_beats_no_evaluation() -> None:
    from unbounded import Search

    game, points, games = Othello(6), 0.0, 24
    for i in range(games):
        opening = random_play(game, i // 2, longest=6)
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
