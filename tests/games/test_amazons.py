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
from unbounded.storage.fingerprint import fingerprint

GOLDEN = Path(__file__).parents[1] / "golden" / "amazons.perft"
SQUARES = [(size, size) for size in range(4, 11)]
RECTANGLES = [(4, 5), (5, 4), (4, 6), (6, 4), (5, 6), (4, 10), (8, 5)]


def on(shape: naive.Shape) -> Amazons:
    """The game on a board of so many rows and columns."""
    return Amazons(rows=shape[0], columns=shape[1])


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


@pytest.mark.parametrize("shape", [*SQUARES, *RECTANGLES], ids=str)
def test_starting_squares(shape: naive.Shape) -> None:
    rules = on(shape)
    assert board_of(rules, rules.initial()) == naive.start(shape)


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
    return {square(rules, i): ".WBx"[c] for i, c in enumerate(cells) if c}


def square(rules: Amazons, number: int) -> naive.Square:
    row, column = divmod(number, rules.grid.columns)
    return column + 1, row + 1


GAMES = {(4, 4): 100, (5, 5): 60, (6, 6): 25, (7, 7): 10, (8, 8): 5, (10, 10): 2}
GAMES |= {(4, 5): 40, (5, 4): 40, (4, 6): 20, (6, 4): 20, (5, 6): 10, (4, 10): 5, (8, 5): 5}


@pytest.mark.parametrize(("shape", "games"), GAMES.items(), ids=str)
def test_the_naive_rules_agree(shape: naive.Shape, games: int) -> None:
    rules, cells = on(shape), shape[0] * shape[1]
    for seed in range(games):
        choose, state = random.Random(seed), rules.initial()
        board, mover = naive.start(shape), "W"
        while rules.actions(state):
            legal = rules.actions(state)
            assert rules.player(state) == "WB".index(mover)
            moves = {divmod(action - cells, cells): action for action in legal}
            pairs = {(square(rules, a), square(rules, b)): x for (a, b), x in moves.items()}
            options = naive.moves(board, shape, mover)
            assert sorted(pairs) == sorted(options)
            start, to = choose.choice(options)
            state = rules.next(state, pairs[start, to])
            board = naive.moved(board, start, to)
            assert board_of(rules, state) == board
            assert rules.player(state) == "WB".index(mover)
            arrows = {square(rules, action): action for action in rules.actions(state)}
            assert sorted(arrows) == sorted(naive.flights(board, shape, to))
            arrow = choose.choice(sorted(arrows))
            state = rules.next(state, arrows[arrow])
            board[arrow] = "x"
            assert board_of(rules, state) == board
            mover = "B" if mover == "W" else "W"
        assert not naive.turns(board, shape, mover)
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
    assert len(naive.turns(naive.start((10, 10)), (10, 10), "W")) == 2176
    assert perft(Amazons(10), 2) == [1, 80, 2176]


# -- the contract ---------------------------------------------------------------------------------


def turned(board: naive.Board) -> naive.Board:
    """The board with its rows as columns."""
    return {(row, column): what for (column, row), what in board.items()}


def perft_from(rules: Amazons, state: bytes, depth: int) -> int:
    after = (rules.next(state, action) for action in rules.actions(state))
    return 1 if depth == 0 else sum(perft_from(rules, state, depth - 1) for state in after)


def test_a_turned_board_has_the_same_rules_but_another_start() -> None:
    # White and Black face each other along the columns. So 4 rows and 5 columns are not 5 rows and
    # 4 columns seen from the side, unless the amazons are turned, too.
    wide, tall = on((4, 5)), on((5, 4))
    one, two = board_of(wide, wide.initial()), turned(board_of(tall, tall.initial()))
    assert one.keys() == two.keys()
    assert one != two
    s = wide.state.zero()
    for (column, row), what in two.items():
        s.cells[(row - 1) * 5 + column - 1] = ".WB".index(what)
    start = wide.state.pack(s)
    depths = range(1, 4)
    assert [perft_from(wide, start, n) for n in depths] == [perft(tall, n)[n] for n in depths]
    assert perft(wide, 3) != perft(tall, 3)
    assert wide.evaluate(start) == tall.evaluate(tall.initial())


@pytest.mark.parametrize("text", ["amazons", "amazons(size=4)", *map(str, map(on, RECTANGLES[:2]))])
def test_check_game(text: str) -> None:
    report = check_game(text, games=20)
    assert not report.warnings
    assert len(report.outcomes) == 2


@pytest.mark.parametrize("known", [k for k in Amazons.known_values if not k.slow], ids=str)
def test_known_values(known: Any) -> None:
    result = ub.solve(known.game)
    assert result.resolved
    assert result.outcome == known.outcome


@pytest.mark.parametrize(("shape", "late"), [((4, 4), 8), ((4, 5), 16), ((5, 4), 16)], ids=str)
def test_the_naive_solver_agrees_on_late_positions(shape: naive.Shape, late: int) -> None:
    rules = on(shape)
    known: dict[object, bool] = {}
    wins = 0
    for seed in range(30):
        for state in random_play(rules, seed).states[late::2]:
            mover = rules.player(state)
            won = naive.mover_wins(board_of(rules, state), shape, "WB"[mover], known)
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


@pytest.mark.parametrize(("shape", "late"), [((4, 4), 9), ((4, 5), 15), ((5, 4), 15)], ids=str)
def test_symmetries_and_relabeling_keep_values(shape: naive.Shape, late: int) -> None:
    rules = on(shape)
    for seed in range(12):
        for state in random_play(rules, seed).states[late:]:
            images = [rules.symmetry(state, k) for k in range(rules.symmetries)]
            assert images[0] == state
            swapped = rules.relabel(state, 1)
            assert rules.relabel(state, 0) == rules.relabel(swapped, 1) == state
            for image in images:
                assert {rules.symmetry(image, k) for k in range(len(images))} == set(images)
                assert rules.player(image) == rules.player(state)
                assert len(rules.actions(image)) == len(rules.actions(state))
                assert value(rules, image) == value(rules, state)
            assert len(rules.actions(swapped)) == len(rules.actions(state))
            assert rules.player(swapped) == 1 - rules.player(state)
            assert value(rules, swapped) == value(rules, state)[::-1]


@pytest.mark.parametrize(("shape", "count"), [((5, 5), 8), ((5, 6), 4), ((5, 4), 4)], ids=str)
def test_all_symmetries_differ(shape: naive.Shape, count: int) -> None:
    rules = on(shape)
    assert rules.symmetries == count
    line = ["b1-b3", "xc4", "a4-a3", "xb2", "c1-d1" if shape == (5, 4) else "a2-a1"]
    state = play(rules, *line)
    images = [rules.symmetry(state, k) for k in range(count)]
    assert len(set(images)) == count
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
            marked = rules.svg(state, targets=rules.actions(state))
            assert marked.count("ub-target") == len(squares)
            assert "ub-last" in rules.svg(state, last=last)
            assert "ub-last" not in rules.svg(state)


@pytest.mark.parametrize("size", [0, -1, 3, 11, 10**9, 10**30, True, 6.0, "6", None])
def test_bad_sizes_are_refused(size: Any) -> None:
    with pytest.raises(UsageError, match="size must be an integer from 4 to 10"):
        Amazons(size)


@pytest.mark.parametrize("name", ["rows", "columns"])
@pytest.mark.parametrize("count", [-1, 3, 11, 10**9, True, False, 6.0, "6", None])
def test_bad_rows_and_columns_are_refused(name: str, count: Any) -> None:
    with pytest.raises(UsageError, match=f"{name} must be an integer from 4 to 10, or 0 for as"):
        Amazons(**{name: count})


def test_a_size_besides_rows_and_columns_is_refused() -> None:
    with pytest.raises(UsageError, match="give the size of a square, or rows and columns"):
        ub.load_game("amazons(size=5,rows=4,columns=6)")


@pytest.mark.parametrize(
    ("given", "text", "shape"),
    [
        ("amazons", "amazons", (6, 6)),
        ("amazons(6)", "amazons", (6, 6)),
        ("amazons(5)", "amazons(size=5)", (5, 5)),
        ("amazons(rows=6,columns=6)", "amazons", (6, 6)),
        ("amazons(rows=5,columns=5)", "amazons(size=5)", (5, 5)),
        ("amazons(rows=4,columns=5)", "amazons(rows=4,columns=5)", (4, 5)),
        ("amazons(size=5,rows=4)", "amazons(rows=4,columns=5)", (4, 5)),
        ("amazons(columns=5)", "amazons(rows=6,columns=5)", (6, 5)),
    ],
)
def test_a_board_has_one_string(given: str, text: str, shape: naive.Shape) -> None:
    game = ub.load_game(given)
    assert isinstance(game, Amazons)
    assert str(game) == text
    assert (game.grid.rows, game.grid.columns) == shape
    assert game.is_same_game(on(shape))


@pytest.mark.parametrize(
    ("size", "answers"),
    [(4, "59e7ca26d3de603e"), (5, "6097393835cca715"), (6, "55d9453e08364211")],
)
def test_squares_are_what_they_were_before_there_were_rectangles(size: int, answers: str) -> None:
    # The fingerprints of the version that had squares only: its files are about the same states.
    assert fingerprint(Amazons(size)).answers.startswith(answers)


def test_a_rectangle_is_drawn_and_clicked_square_by_square() -> None:
    rules = on((4, 6))
    assert rules.show(rules.initial()) == (
        "4 . B . . B .\n3 B . . . . B\n2 W . . . . W\n1 . W . . W .\n  a b c d e f\nW to move"
    )
    state = rules.initial()
    places = rules.places(state, rules.parse_action(state, "f2-d4"))
    assert [(place.x, place.y) for place in places] == [(5.5, 2.5), (3.5, 0.5)]
    assert rules.planes == (4, 4, 6)
    box = ET.fromstring(rules.svg(state)).attrib["viewBox"].split()
    assert float(box[2]) - float(box[3]) == 2


@pytest.mark.parametrize("shape", [(4, 4), (7, 7), (10, 10), *RECTANGLES], ids=str)
def test_sizes_of_records(shape: naive.Shape) -> None:
    rules = on(shape)
    assert rules.state.size == shape[0] * shape[1] + 2
    most = max(len(rules.actions(s)) for seed in range(3) for s in random_play(rules, seed).states)
    assert most <= rules.max_actions <= 144
    assert str(ub.load_game(str(rules))) == str(rules)
