# SPDX-License-Identifier: MIT
from __future__ import annotations

import functools
import itertools
import random
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from unbounded.conformance.check import perft, random_play
from unbounded.game import Game, RecordGame, UsageError
from unbounded.game.catalogue import load_game
from unbounded.games import connect_four as module
from unbounded.games import hex as hex_module
from unbounded.games.connect_four import ConnectFour
from unbounded.games.mnk import Mnk, TicTacToe
from unbounded.games.nim import Nim

AnyGame = Game[Any, Any]
GOLDEN = sorted((Path(__file__).parent / "golden").glob("*.perft"))


def golden(kind: str) -> list[Any]:
    """Return the lines of one kind, each with its game: numbers by what they are counted by."""
    found = []
    for file in GOLDEN:
        text = ""
        for line in file.read_text().splitlines():
            word, _, rest = line.partition(" ")
            if word == "game":
                text = rest
            elif word == kind:
                pairs = [part.split() for part in rest.split("|")]
                counts = {pair[0]: int(pair[-1]) for pair in pairs}
                found.append(pytest.param(text, counts, id=text))
    return found


def layers(rules: AnyGame) -> Iterator[set[Any]]:
    """Yield the different states by ply."""
    layer = {rules.initial()}
    while layer:
        yield layer
        layer = {rules.next(s, a) for s in layer for a in rules.actions(s)}


def value(rules: AnyGame) -> tuple[int, ...]:
    """Return the value of a game by plain backward induction."""

    @functools.cache
    def best(state: Any) -> tuple[int, ...]:
        actions = rules.actions(state)
        if not actions:
            return tuple(rules.outcome(state))
        who = rules.player(state)
        return max((best(rules.next(state, a)) for a in actions), key=lambda v: v[who])

    return best(rules.initial())


# -- counts ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(("text", "counts"), golden("perft"))
def test_perft(text: str, counts: dict[str, int]) -> None:
    most = 10**5 if not text.startswith("blokus") else 10**4  # slow in plain Python
    quick = {int(depth): n for depth, n in counts.items() if n < most}
    found = perft(load_game(text), max(quick))
    assert {depth: found[depth] for depth in quick} == quick


@pytest.mark.parametrize("file", GOLDEN, ids=lambda file: file.stem)
def test_every_file_is_counted_through_the_core_by_the_tests_of_its_game(file: Path) -> None:
    named = re.compile(rf'["/]{file.stem}(\.perft)?"')
    tests = [path.read_text() for path in (Path(__file__).parent / "games").glob("test_*.py")]
    assert any(named.search(text) and "perft(" in text for text in tests)


@pytest.mark.parametrize(("text", "counts"), golden("states"))
def test_reachable_states(text: str, counts: dict[str, int]) -> None:
    (expected,) = counts.values()
    if expected > 20_000:
        pytest.skip("takes too long in plain Python")
    assert len(set().union(*layers(load_game(text)))) == expected


@pytest.mark.parametrize(("text", "counts"), golden("ply"))
def test_states_by_ply(text: str, counts: dict[str, int]) -> None:
    quick = [n for n in counts.values() if n < 10_000]
    assert [len(layer) for layer in itertools.islice(layers(load_game(text)), len(quick))] == quick


@pytest.mark.parametrize(("text", "counts"), golden("ends"))
def test_ends(text: str, counts: dict[str, int]) -> None:
    rules = load_game(text)
    states = itertools.chain.from_iterable(layers(rules))
    ends = Counter(tuple(rules.outcome(s)) for s in states if not rules.actions(s))
    signs = {1: "+", 0: "0", -1: "-"}
    assert {"".join(signs[x] for x in outcome): n for outcome, n in ends.items()} == counts


# -- values ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("tic-tac-toe", 0),
        ("mnk(rows=2,columns=3,line=2)", 1),
        ("connect-four(width=4,height=2)", 0),
        ("connect-four(width=3,height=3)", 0),
        ("connect-four(width=4,height=3)", 0),
        ("connect-four(width=3,height=3,line=3)", 0),
        ("connect-four(width=4,height=3,line=3)", 1),
        ("connect-four(width=3,height=4,line=3)", 0),
    ],
)
def test_values(text: str, first: int) -> None:
    assert value(load_game(text)) == (first, -first)


@pytest.mark.parametrize("heaps", list(itertools.product(range(4), range(4), range(1, 5))))
def test_nim_is_lost_iff_the_heaps_xor_to_zero(heaps: tuple[int, ...]) -> None:
    lost = functools.reduce(int.__xor__, heaps) == 0
    assert value(Nim(heaps))[0] == (-1 if lost else 1)


@pytest.mark.parametrize("heaps", list(itertools.product(range(4), range(1, 5))))
def test_misere_nim_differs_only_when_all_heaps_are_small(heaps: tuple[int, ...]) -> None:
    lost = (functools.reduce(int.__xor__, heaps) == 0) == (max(heaps) > 1)
    assert value(Nim(heaps, misere=True))[0] == (-1 if lost else 1)


@pytest.mark.parametrize("sticks", range(1, 14))
def test_nim_with_a_limit_is_lost_at_multiples(sticks: int) -> None:
    assert value(Nim([sticks], most=3))[0] == (-1 if sticks % 4 == 0 else 1)


# -- rules ----------------------------------------------------------------------------------------


def play(rules: AnyGame, *names: str) -> Any:
    state = rules.initial()
    for name in names:
        state = rules.next(state, rules.parse_action(state, name))
    return state


def test_tic_tac_toe_reads_like_a_board() -> None:
    rules = TicTacToe()
    state = play(rules, "b2", "a1", "c1", "A3")
    assert rules.show(state) == "3 O . .\n2 . X .\n1 O . X\n  a b c\nX to move"
    assert [rules.action_name(state, a) for a in rules.actions(state)] == [
        "b1", "a2", "c2", "b3", "c3",
    ]  # fmt: skip
    with pytest.raises(UsageError, match=r"illegal move 'b2'.*legal here: b1, a2"):
        rules.parse_action(state, "b2")
    over = rules.next(state, rules.parse_action(state, "b3"))
    won = play(rules, "a1", "a2", "b1", "b2", "c1")
    assert rules.actions(over)
    assert rules.show(won).endswith("X has won")
    assert list(rules.outcome(won)) == [1, -1]
    with pytest.raises(UsageError, match="the game is over"):
        rules.parse_action(won, "c3")


def test_a_full_board_is_a_draw() -> None:
    rules = TicTacToe()
    state = play(rules, "a1", "b2", "c3", "b1", "b3", "a3", "c1", "c2", "a2")
    assert list(rules.actions(state)) == []
    assert list(rules.outcome(state)) == [0, 0]
    assert rules.show(state).endswith("a draw")


@pytest.mark.parametrize(
    "moves",
    [
        ("a1", "e5", "b1", "e4", "c1"),
        ("c1", "e5", "c2", "e4", "c3"),
        ("b2", "e5", "c3", "e4", "a1"),
        ("d1", "e5", "b3", "e4", "c2"),
    ],
)
def test_lines_in_all_directions(moves: tuple[str, ...]) -> None:
    rules = Mnk(5, 5, 3)
    assert not rules.actions(play(rules, *moves))
    assert rules.actions(play(rules, *moves[:-1]))


def test_lines_do_not_run_over_the_edge() -> None:
    rules = Mnk(3, 4, 3)
    assert rules.actions(play(rules, "c1", "a3", "d1", "c3", "a2"))
    rules = Mnk(3, 3, 3)
    assert rules.actions(play(rules, "b1", "a3", "c1", "c3", "a2"))


def test_three_and_four_players_take_turns() -> None:
    for players in (3, 4):
        rules = Mnk(3, 3, 2, players)
        assert not rules.zero_sum
        state = rules.initial()
        for ply, name in enumerate(["a1", "c1", "b3"] + (["a3"] if players == 4 else [])):
            assert rules.player(state) == ply
            state = rules.next(state, rules.parse_action(state, name))
        won = rules.next(state, rules.parse_action(state, "a2"))
        assert list(rules.outcome(won)) == [1] + [-1] * (players - 1)
    assert value(Mnk(2, 2, 2, 3)) == (1, -1, -1)
    assert value(Mnk(2, 2, 2, 4)) == (0, 0, 0, 0)


def test_connect_four_stones_fall() -> None:
    rules = ConnectFour(4, 3, 3)
    state = play(rules, "1", "1", "1", "3")
    expected = " X  .  .  .\n O  .  .  .\n X  .  O  .\n 1  2  3  4\nX to move"
    assert rules.show(state) == expected
    assert list(rules.actions(state)) == [1, 2, 3]


@pytest.mark.parametrize("moves", ["1122334", "1212121", "12233434464", "76655454424", "71122334"])
def test_connect_four_wins(moves: str) -> None:
    rules = ConnectFour()
    state = rules.initial()
    for name in moves:
        assert rules.actions(state)
        state = rules.next(state, int(name) - 1)
    winner = (len(moves) - 1) % 2
    assert not rules.actions(state)
    assert list(rules.outcome(state)) == ([1, -1] if winner == 0 else [-1, 1])
    assert rules.show(state).endswith("has won")


def rows_of_cells(width: int, height: int, line: int) -> list[int]:
    """Return the bits of each line of a Connect Four board, found cell by cell."""
    cells = {(c, r): 1 << (c * (height + 1) + r) for c in range(width) for r in range(height)}
    found = []
    for (column, row), (right, up) in itertools.product(cells, [(1, 0), (0, 1), (1, 1), (1, -1)]):
        places = [(column + i * right, row + i * up) for i in range(line)]
        if all(place in cells for place in places):
            found.append(sum(cells[place] for place in set(places)))
    return found


@pytest.mark.parametrize(("width", "height", "line"), [(7, 6, 4), (5, 4, 3), (4, 5, 2), (9, 5, 5)])
def test_connect_four_agrees_with_a_slow_one(width: int, height: int, line: int) -> None:
    lines = rows_of_cells(width, height, line)
    board = sum(1 << (c * (height + 1) + r) for c in range(width) for r in range(height))
    cells = [1 << bit for bit in range(62) if board >> bit & 1]
    for seed in range(40):
        random_bits = random.Random(seed)
        own = sum(cell for cell in cells if random_bits.random() < 0.4)
        empty = sum(cell for cell in cells if not own & cell and random_bits.random() < 0.6)
        gaps = sum(c for c in cells if empty & c and any(row & ~own == c for row in lines))
        assert module.has_line(own, height + 1, line) == any(row & own == row for row in lines)
        assert module.missing_stones(own, empty, height + 1, line) == gaps
        free = own | empty
        opened = sum(row & free == row for row in lines)
        assert module.open_lines(free, height + 1, line) == opened


@pytest.mark.parametrize("size", range(1, 8))
def test_hex_on_bits_misses_the_same_stones(size: int) -> None:
    game = hex_module.Hex(size)
    around = np.array(game.grid.neighbors(hex_module.SIX_AROUND))
    board = size, sum(1 << i for i in range(size * size) if i % size != 0)
    for seed in range(6):
        for state in random_play(game, seed).states[:-1]:
            cells = game.state.unpack(state).cells
            empty = sum(1 << i for i, cell in enumerate(cells) if cell == 0)
            for player, sign in ((0, 1), (1, -1)):
                same = hex_module.missing_stones(cells, around, sign)
                assert hex_module.missing_on_bits(cells, empty, player, board) == same


def test_nim_names_and_numbers() -> None:
    rules = Nim([2, 0, 4], most=3)
    state = rules.initial()
    assert rules.max_actions == 5
    assert list(rules.actions(state)) == [0, 1, 6, 7, 8]
    assert [rules.action_name(state, a) for a in rules.actions(state)] == [
        "1:1", "1:2", "3:1", "3:2", "3:3",
    ]  # fmt: skip
    assert rules.show(state) == "1: || (2)\n2: 0\n3: |||| (4)\nplayer 1 to move"
    over = play(rules, "3:3", "1:2", "3:1")
    assert rules.show(over).endswith("player 1 took the last one")


@pytest.mark.parametrize("misere", [False, True])
def test_nim_of_many_players(misere: bool) -> None:
    rules = Nim([1, 1, 1], players=100, misere=misere)
    state = play(rules, "1:1", "2:1", "3:1")
    taker = 1 if not misere else -1
    assert list(rules.outcome(state)) == [-taker] * 2 + [taker] + [-taker] * 97


def test_a_million_objects_one_at_a_time() -> None:
    rules = Nim([1_000_000], most=1)
    assert rules.max_actions == 1
    state = rules.next(rules.initial(), 0)
    assert rules.state.unpack(state).heaps == [999_999]


# -- evaluations ----------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["connect-four", "tic-tac-toe", "mnk(6,6,4)", "connect-four(5,5)"])
def test_evaluations_are_zero_sum_and_within_the_outcomes(text: str) -> None:
    rules = load_game(text)
    values = set()
    for seed in range(20):
        for state in random_play(rules, seed).states[:-1]:
            first, second = rules.evaluate(state)
            assert first == -second
            assert abs(first) < 1
            values.add(first)
    assert len(values) > 12


@pytest.mark.parametrize("text", ["connect-four(players=3)", "mnk(4,4,3,players=4)"])
def test_evaluations_for_many_players(text: str) -> None:
    rules = load_game(text)
    for state in random_play(rules, 1).states[:-1]:
        values = rules.evaluate(state)
        assert len(values) == rules.players
        assert all(abs(x) < 1 for x in values)


def test_evaluations_see_a_win_and_a_double_threat() -> None:
    rules = ConnectFour()
    win = rules.evaluate(play(rules, "1", "1", "2", "2", "3", "3"))
    double = rules.evaluate(play(rules, "3", "3", "4", "4", "5"))
    assert win[0] > 0.9
    assert double[0] > 0.75
    assert abs(rules.evaluate(rules.initial())[0]) < 0.1
    ttt = TicTacToe()
    center, edge = (ttt.evaluate(play(ttt, name))[0] for name in ("b2", "a2"))
    assert center > edge > 0
    assert ttt.evaluate(play(ttt, "b2", "a2", "b1", "a1"))[0] > 0.9


# -- parameters -----------------------------------------------------------------------------------

NONSENSE = [0, -1, 10**9, 10**30, 10**5000, 2.0, True, "3", None, [3], float("nan")]
CONSTRUCTORS = [
    (Mnk, "rows"), (Mnk, "columns"), (Mnk, "line"), (Mnk, "players"),
    (ConnectFour, "width"), (ConnectFour, "height"), (ConnectFour, "line"),
    (ConnectFour, "players"), (Nim, "players"), (Nim, "most"), (Nim, "misere"), (Nim, "heaps"),
]  # fmt: skip


@pytest.mark.parametrize("value", NONSENSE, ids=lambda x: repr(x)[:9] if x != 10**5000 else "huge")
@pytest.mark.parametrize(("cls", "name"), CONSTRUCTORS)
def test_nonsense_parameters_are_refused(cls: type[RecordGame], name: str, value: Any) -> None:
    if (name, value) in (("most", 0), ("misere", True), ("most", 10**9)) or (
        name == "heaps" and value == [3]
    ):
        assert value in (0, True, 10**9, [3])
        cls(**{name: value})
        return
    with pytest.raises(UsageError) as caught:
        cls(**{name: value})
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 120


@pytest.mark.parametrize(
    "heaps", [[], [0], (0, 0), [-1, 3], [2**31], [3, True], [3, 4.0], ["3"], {3: 1}, [1] * 1001]
)
def test_nonsense_heaps_are_refused(heaps: Any) -> None:
    with pytest.raises(UsageError, match="heap"):
        Nim(heaps)


def test_boards_too_large_are_refused() -> None:
    with pytest.raises(UsageError, match="1024 cells"):
        Mnk(100, 26)
    with pytest.raises(UsageError, match="at most 62"):
        ConnectFour(8, 7)
    with pytest.raises(UsageError, match="65535 actions; give a smaller most"):
        Nim([60_000, 60_000])
    assert Nim([60_000, 60_000], most=30_000).max_actions == 60_000
    assert Mnk(40, 25, 5).max_actions == 1000


def test_string_forms() -> None:
    assert str(TicTacToe()) == "tic-tac-toe"
    assert str(Mnk()) == "mnk"
    assert str(ConnectFour(5, 4)) == "connect-four(width=5,height=4)"
    assert str(Nim([3, 4], misere=True)) == "nim(heaps=[3,4],misere=true)"
    assert str(Nim((3, 4, 5))) == str(Nim([3, 4, 5])) == "nim"
