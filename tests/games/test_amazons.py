# SPDX-License-Identifier: MIT
from __future__ import annotations

import functools
import random
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import naive_amazons as naive
import pytest

import unbounded as ub
from unbounded.conformance.check import check_game, perft, random_play
from unbounded.game import UsageError
from unbounded.games.amazons import Amazons
from unbounded.search.search import Search

GOLDEN = Path(__file__).parents[1] / "golden" / "amazons.perft"


def play(rules: Amazons, *names: str) -> bytes:
    state = rules.initial()
    for name in names:
        state = rules.next(state, rules.parse_action(state, name))
    return state


def position(rules: Amazons, *rows: str, turn: int = 0) -> bytes:
    """A position before a move, its rows from the top as `show` draws them."""
    s = rules.state.zero()
    s.cells = [".WBx".index(cell) for row in reversed(rows) for cell in row]
    s.turn = turn
    return rules.state.pack(s)


def names(rules: Amazons, state: bytes) -> list[str]:
    return sorted(rules.action_name(state, action) for action in rules.actions(state))


# -- rules ----------------------------------------------------------------------------------------


def test_the_board_of_six() -> None:
    rules = Amazons()
    assert rules.show(rules.initial()) == (
        "6 . B . . B .\n5 B . . . . B\n4 . . . . . .\n3 . . . . . .\n2 W . . . . W\n1 . W . . W .\n"
        "  a b c d e f\nW to move"
    )
    state = play(rules, "b1-b4")
    assert rules.player(state) == 0
    assert rules.show(state).endswith("W to shoot from b4")
    state = play(rules, "b1-b4", "xb1")
    assert rules.player(state) == 1
    assert rules.show(state).splitlines()[5:] == ["1 . x . . W .", "  a b c d e f", "B to move"]


@pytest.mark.parametrize("size", range(4, 11))
def test_starting_squares(size: int) -> None:
    rules = Amazons(size)
    assert board_of(rules, rules.initial()) == naive.start(size)


def test_amazons_and_arrows_stop_before_what_is_in_the_way() -> None:
    rules = Amazons(4)
    state = position(rules, "..B.", "x...", "W...", ".xB.")
    assert names(rules, state) == ["a2-a1", "a2-b2", "a2-b3", "a2-c2", "a2-d2"]
    shooting = rules.next(state, rules.parse_action(state, "a2-b3"))
    assert names(rules, shooting) == ["xa2", "xa4", "xb2", "xb4", "xc2", "xc3", "xd1", "xd3"]


def test_an_arrow_may_pass_over_the_square_just_left() -> None:
    rules = Amazons(4)
    state = position(rules, "BBBB", "xxxx", ".W..", "xxxx")
    shooting = rules.next(state, rules.parse_action(state, "b2-c2"))
    assert names(rules, shooting) == ["xa2", "xb2", "xd2"]


@pytest.mark.parametrize(("turn", "outcome"), [(0, [-1, 1]), (1, [1, -1])])
def test_who_cannot_move_loses(turn: int, outcome: list[int]) -> None:
    rules = Amazons(4)
    state = position(rules, "BxxW", "xxxx", "x.xx", "xxxx", turn=turn)
    assert not rules.actions(state)
    assert list(rules.outcome(state)) == outcome
    last = "WB"[turn]
    assert rules.show(state).endswith(f"{last} cannot move, {'BW'[turn]} has won")


def test_equal_positions_are_equal_states() -> None:
    rules = Amazons(6)
    one = play(rules, "b1-b3", "xd3", "b6-b5", "xc5", "e1-e3", "xf3")
    two = play(rules, "e1-e3", "xf3", "b6-b5", "xc5", "b1-b3", "xd3")
    assert one == two
    direct = play(rules, "b1-c1", "xc3")
    assert direct != play(rules, "b1-c1", "xc2")


# -- against the naive rules ----------------------------------------------------------------------


def board_of(rules: Amazons, state: bytes) -> naive.Board:
    cells = rules.state.unpack(state).cells
    size = rules.size
    return {(i % size + 1, i // size + 1): ".WBx"[c] for i, c in enumerate(cells) if c}


def square(rules: Amazons, number: int) -> naive.Square:
    return number % rules.size + 1, number // rules.size + 1


@pytest.mark.parametrize(("size", "games"), [(4, 100), (5, 60), (6, 25), (7, 10), (8, 5), (10, 2)])
def test_the_naive_rules_agree(size: int, games: int) -> None:
    rules, cells = Amazons(size), size * size
    for seed in range(games):
        choose, state = random.Random(seed), rules.initial()
        board, mover = naive.start(size), "W"
        while rules.actions(state):
            legal = rules.actions(state)
            assert rules.player(state) == "WB".index(mover)
            moves = {divmod(action - cells, cells): action for action in legal}
            pairs = {(square(rules, a), square(rules, b)): x for (a, b), x in moves.items()}
            options = naive.moves(board, size, mover)
            assert sorted(pairs) == sorted(options)
            start, to = choose.choice(options)
            state = rules.next(state, pairs[start, to])
            board = naive.moved(board, start, to)
            assert board_of(rules, state) == board
            assert rules.player(state) == "WB".index(mover)
            arrows = {square(rules, action): action for action in rules.actions(state)}
            assert sorted(arrows) == sorted(naive.flights(board, size, to))
            arrow = choose.choice(sorted(arrows))
            state = rules.next(state, arrows[arrow])
            board[arrow] = "x"
            assert board_of(rules, state) == board
            mover = "B" if mover == "W" else "W"
        assert not naive.turns(board, size, mover)
        assert list(rules.outcome(state)) == ([-1, 1] if mover == "W" else [1, -1])


@pytest.mark.parametrize(("size", "games"), [(6, 70), (8, 20), (10, 10)])
def test_openspiel_agrees(size: int, games: int) -> None:
    pyspiel = pytest.importorskip("pyspiel")
    rules, cells = Amazons(size), size * size

    def theirs(number: int) -> int:  # their rows are numbered from the top
        return (size - 1 - number // size) * size + number % size

    other_rules = pyspiel.load_game(f"amazons(board_size={size})")
    for seed in range(games):
        choose, state, other = random.Random(seed), rules.initial(), other_rules.new_initial_state()
        while legal := rules.actions(state):
            assert not other.is_terminal()
            assert other.current_player() == rules.player(state)
            action = choose.choice(legal)
            if action >= cells:
                starts = {theirs(a // cells - 1) for a in legal}
                assert sorted(starts) == sorted(other.legal_actions())
                start = action // cells - 1
                other.apply_action(theirs(start))
                legal = [a for a in legal if a // cells - 1 == start]
            assert sorted(theirs(a % cells) for a in legal) == sorted(other.legal_actions())
            other.apply_action(theirs(action % cells))
            state = rules.next(state, action)
        assert other.is_terminal()
        assert list(rules.outcome(state)) == other.returns()


def golden() -> Iterator[tuple[str, int, int]]:
    text = ""
    for line in GOLDEN.read_text().splitlines():
        word, _, rest = line.partition(" ")
        if word == "game":
            text = rest
        elif word == "perft":
            for part in rest.split("|"):
                depth, count = part.split()
                yield text, int(depth), int(count)


def test_perft_through_the_core() -> None:
    native = pytest.importorskip("unbounded.native", exc_type=ImportError)
    counts = list(golden())
    assert max(count for _, _, count in counts) > 10**6
    for text, depth, count in counts:
        assert native.perft(ub.load_game(text), depth) == count
    # Further than plain Python can go in the tests; counted by the naive rules as well.
    assert [native.perft(Amazons(), depth) for depth in (4, 5)] == [238_532, 8_524_438]


def test_turns_on_the_board_of_ten() -> None:
    assert len(naive.turns(naive.start(10), 10, "W")) == 2176
    assert perft(Amazons(10), 2) == [1, 80, 2176]


# -- the contract ---------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["amazons", "amazons(size=4)"])
def test_check_game(text: str) -> None:
    report = check_game(text, games=20)
    assert not report.warnings
    assert len(report.outcomes) == 2


@pytest.mark.parametrize("known", [k for k in Amazons.known_values if not k.slow], ids=str)
def test_known_values(known: Any) -> None:
    result = ub.solve(known.game)
    assert result.resolved
    assert result.outcome == known.outcome


def test_the_naive_solver_agrees_on_late_positions() -> None:
    rules = Amazons(4)
    known: dict[object, bool] = {}
    wins = 0
    for seed in range(30):
        for state in random_play(rules, seed).states[8::2]:
            mover = rules.player(state)
            won = naive.mover_wins(board_of(rules, state), 4, "WB"[mover], known)
            assert value(rules, state)[mover] == (1 if won else -1)
            wins += won
    assert 0 < wins < 100


@functools.cache
def value(rules: Amazons, state: bytes) -> tuple[int, ...]:
    """The value of a position by trying everything."""
    actions = rules.actions(state)
    if not actions:
        return tuple(rules.outcome(state))
    who = rules.player(state)
    return max((value(rules, rules.next(state, a)) for a in actions), key=lambda v: v[who])


def test_symmetries_and_relabeling_keep_values() -> None:
    rules = Amazons(4)
    for seed in range(12):
        for state in random_play(rules, seed).states[9:]:
            images = [rules.symmetry(state, k) for k in range(8)]
            assert images[0] == state
            swapped = rules.relabel(state, 1)
            assert rules.relabel(state, 0) == rules.relabel(swapped, 1) == state
            for image in images:
                assert {rules.symmetry(image, k) for k in range(8)} == set(images)
                assert rules.player(image) == rules.player(state)
                assert len(rules.actions(image)) == len(rules.actions(state))
                assert value(rules, image) == value(rules, state)
            assert len(rules.actions(swapped)) == len(rules.actions(state))
            assert rules.player(swapped) == 1 - rules.player(state)
            assert value(rules, swapped) == value(rules, state)[::-1]


def test_all_eight_symmetries_differ() -> None:
    rules = Amazons(5)
    state = play(rules, "b1-b3", "xc4", "a4-a3", "xb2", "d1-c1")
    images = [rules.symmetry(state, k) for k in range(8)]
    assert len(set(images)) == 8
    for image in images:  # a move and then the picture, or the picture and then a move
        one = {rules.next(image, a) for a in rules.actions(image)}
        k = images.index(image)
        assert one == {rules.symmetry(rules.next(state, a), k) for a in rules.actions(state)}


def test_encode_is_seen_by_the_mover() -> None:
    rules = Amazons(4)
    state = play(rules, "b1-b2", "xb1", "b4-b3")
    planes, cells = rules.encode(state), 16
    assert rules.planes == (4, 4, 4)
    assert len(planes) == 64
    assert [i for i in range(cells) if planes[i]] == [8, 9, 11, 14]  # Black: a3 b3 d3 c4
    assert [i for i in range(cells) if planes[cells + i]] == [2, 4, 5, 7]  # White: c1 a2 b2 d2
    assert [i for i in range(cells) if planes[2 * cells + i]] == [1]
    assert [i for i in range(cells) if planes[3 * cells + i]] == [9]
    for seed in range(5):
        for state in random_play(rules, seed).states:
            planes = rules.encode(state)
            assert set(planes) <= {0.0, 1.0}
            assert rules.encode(rules.relabel(state, 1)) == planes
            assert sum(planes[:cells]) == sum(planes[cells : 2 * cells]) == 4


def test_evaluations_know_territory() -> None:
    rules = Amazons(4)
    ahead = position(rules, "W...", "xxxx", "xxxx", "B.xx")
    assert rules.evaluate(ahead)[0] > 0.3
    assert rules.evaluate(rules.relabel(ahead, 1))[1] == rules.evaluate(ahead)[0]
    for seed in range(10):
        for state in random_play(rules, seed).states[:-1]:
            first, second = rules.evaluate(state)
            assert first == -second
            assert abs(first) < 1


def test_the_heuristic_beats_zero() -> None:
    rules, games = Amazons(), 10
    won = sum(heuristic_wins(rules, game % 2, str(game // 2)) for game in range(games))
    print(f"amazons: the heuristic wins {won} of {games} against zero")
    assert won > 0.75 * games


def heuristic_wins(rules: Amazons, seat: int, seed: str) -> bool:
    """Play from a random opening of two turns, with 60 iterations a move."""
    searches = [Search(rules, evaluation="heuristic" if p == seat else "zero") for p in (0, 1)]
    choose, state = random.Random(seed), rules.initial()
    for _ in range(200):
        legal = rules.actions(state)
        if not legal:
            break
        action = choose.choice(legal)
        if len(searches[0].moves) >= 4:
            search = searches[rules.player(state)]
            search.run(iterations=60)
            action = rules.parse_action(state, search.decide() or "")
        state = rules.next(state, action)
        for search in searches:
            search.play_action(action)
    return rules.outcome(state)[seat] == 1


# -- pictures and parameters ----------------------------------------------------------------------


def test_svg_is_well_formed() -> None:
    rules = Amazons(6)
    state, last = rules.initial(), None
    for seed in range(2):
        shown = random_play(rules, seed)
        for state, last in zip(shown.states[1:], shown.actions, strict=True):
            root = ET.fromstring(rules.svg(state, last=last, targets=rules.actions(state)))
            title = root.find("{http://www.w3.org/2000/svg}title")
            assert title is not None
            assert title.text is not None
            assert title.text.startswith("amazons: ")
            squares = {action % 36 for action in rules.actions(state)}
            assert rules.svg(state, targets=rules.actions(state)).count("#3fa34d") == len(squares)
            assert "#ffe066" in rules.svg(state, last=last)
            assert "#ffe066" not in rules.svg(state)


@pytest.mark.parametrize("size", [0, -1, 3, 11, 10**9, 10**30, True, 6.0, "6", None])
def test_bad_sizes_are_refused(size: Any) -> None:
    with pytest.raises(UsageError, match="size must be an integer from 4 to 10"):
        Amazons(size)


@pytest.mark.parametrize("size", [4, 7, 10])
def test_sizes_of_records(size: int) -> None:
    rules = Amazons(size)
    assert rules.state.size == size * size + 2
    most = max(len(rules.actions(s)) for seed in range(3) for s in random_play(rules, seed).states)
    assert most <= rules.max_actions <= 144
    assert str(ub.load_game(str(rules))) == str(rules)
