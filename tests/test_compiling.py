# SPDX-License-Identifier: MIT
"""Compiled rules must mean what they mean in Python, fail where it fails, and never go stale."""

from __future__ import annotations

import ctypes
import gc
import itertools
import math
import os
import random
import shutil
import subprocess
import sys
import types
import weakref
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from enum import IntEnum
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from unbounded.conformance.check import random_play
from unbounded.game import (
    Out,
    RecordGame,
    RuleError,
    Rules,
    State,
    UsageError,
    record,
    with_plain_numbers,
)
from unbounded.game.catalogue import load_game
from unbounded.native import compiling, images, perft
from unbounded.native.compiling import compile_game
from unbounded.native.compiling.digest import Digest, own_source

numba = pytest.importorskip("numba")

PACKAGE = Path(compiling.__file__).parent
SOURCES = PACKAGE.parents[2]


@pytest.fixture(scope="module", autouse=True)
def rules_in_memory(cache: Path) -> None:
    """Compile the usual rules first, whichever tests of this file a process runs, in any order."""
    for name in SINGLE:
        small().address(name)


@pytest.fixture(autouse=True, scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Use a cache of our own, so that nothing depends on what ran before."""
    # Whoever uses Numba for something else first, as here, must not make it prefer its own arrays.
    assert numba.njit(lambda numbers: numbers[0])(np.array([5])) == 5
    folder, before = tmp_path_factory.mktemp("cache"), numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(folder)
    yield folder
    numba.config.CACHE_DIR = before


SINGLE = ("initial", "player", "actions", "next", "outcome")
"""The rules that every game has, each as a function of its own."""


class Small(RecordGame):
    """A little game, any of whose rules can be replaced."""

    def __init__(self, replaced: dict[str, Callable[..., Any]] | None = None) -> None:
        self.replaced = replaced or {}
        self.state = record(turn="i8", cells="i8[3]", wide="i64")
        self.max_actions = 3

    def __str__(self) -> str:
        return "small"

    def rules(self) -> Rules:
        def initial(s: State) -> None:
            s.turn = 0

        def player(s: State) -> int:
            return s.turn  # type: ignore[no-any-return]

        def actions(s: State, out: Out) -> int:
            count = 0
            for cell in range(3):
                if s.cells[cell] == 0:
                    out[count] = cell
                    count += 1
            return count

        def move(s: State, cell: int, t: State) -> None:
            t.cells[cell] = 1 + s.turn
            t.turn = 1 - s.turn

        def outcome(s: State, out: Out) -> None:
            out[0] = 1
            out[1] = -1

        rules = Rules(initial, player, actions, move, outcome)
        return replace(rules, **self.replaced)


def small(**replaced: Callable[..., Any]) -> compiling.CompiledRules:
    """Compile the game; those rules that are replaced at once."""
    compiled = compile_game(Small(replaced))
    for name in replaced:
        compiled.address(name)
    return compiled


def answer(rule: Callable[..., Any], state: bytes | None = None) -> int:
    """What a rule, as `player`, answers when it is compiled."""
    compiled = small(player=rule)
    return compiled.player(state or compiled.initial())


def float32(numbers: Any) -> list[float]:
    return [float(np.float32(x)) for x in numbers]


# -- the same as in Python ------------------------------------------------------------------------


class Widths(RecordGame):
    """Every kind of field, none of them aligned, filled with numbers of any size."""

    players = 3
    max_actions = 5

    def __init__(self) -> None:
        self.state = record(
            a="i8", b="i64", c="i16", d="i32", e="i8[3]", f="i16[2]", g="i32[1]", h="i64[3]", n="i8"
        )

    def rules(self) -> Rules:
        table = np.array([[3, -7], [2**62, -(2**62)]], dtype=np.int64)
        limits, scale, offset = (7, 15, 31), 0.125, -1

        def initial(s: State) -> None:
            s.a, s.b, s.c, s.d, s.n = -128, -(2**63), 32767, -(2**31), 0
            s.e[0], s.e[-1], s.f[1], s.g[0], s.h[2] = 127, -128, -32768, 2**31 - 1, 2**63 - 1

        def player(s: State) -> int:
            return (s.a + (s.b >> 1) + s.n) % 3  # type: ignore[no-any-return]

        def actions(s: State, out: Out) -> int:
            count = 0 if s.n == 20 else 1 + (s.c * s.n) % 5
            for i in range(count):
                out[i] = (s.d >> 2) + i + offset
            return count

        def move(s: State, action: int, t: State) -> None:
            t.n += 1
            mixed = (s.b >> 3) ^ action ^ table[s.n % 2, s.a % 2]
            t.a = fold(s.d + mixed, limits[0])
            t.c = fold(-s.a * s.d, limits[1])
            t.d = fold(s.c * 65537 - s.e[1], limits[2])
            for i in range(3):
                t.e[i] = fold(mixed >> (8 * i), 7)
                t.h[i] = ~s.h[(i + 1) % 3] ^ s.e[i]
            t.f[s.n % 2] = fold(s.a * s.f[0] + s.f[1], 15)
            t.g[0] = fold(abs(s.g[0]) + s.c, 31)
            t.b = s.h[s.n % 3] ^ mixed

        def outcome(s: State, out: Out) -> None:
            for i in range(3):
                out[i] = (s.h[i] > 0) - (s.h[i] < 0)

        def score(s: State, out: Out) -> None:
            out[0], out[1], out[2] = s.a / 7, s.b / 3, s.c > 0

        def evaluate(s: State, out: Out) -> None:
            for i in range(3):
                for j in range(20):
                    out[i] += s.e[i] * scale / (j + 3) + 1e-9

        def best_score_from(s: State, out: Out) -> None:
            out[s.n % 3] = s.d

        return Rules(
            initial,
            player,
            actions,
            move,
            outcome,
            score=score,
            evaluate=evaluate,
            best_score_from=best_score_from,
        )


def fold(number: int, bits: int) -> int:
    """Bring a number into the range of a signed integer of so many bits, besides the sign."""
    return (number >> 1) % (2 << bits) - (1 << bits)


def test_random_games_are_the_same_for_fields_of_every_kind() -> None:
    game, rng, ends = Widths(), random.Random(1), 0
    compiled = compile_game(game)
    values = set()
    for _ in range(40):
        state = game.initial()
        assert compiled.initial() == state
        while True:
            actions = game.actions(state)
            assert compiled.actions(state) == actions
            assert compiled.player(state) == game.player(state)
            assert compiled.outcome(state) == game.outcome(state)
            assert compiled.score(state) == float32(game.score(state))
            assert compiled.evaluate(state) == float32(game.evaluate(state))
            assert compiled.best_score_from(state) == float32(game.best_score_from(state))
            if not actions:
                break
            action = rng.choice(actions)
            child = game.next(state, action)
            assert compiled.next(state, action) == child
            state = child
            values.add(game.state.unpack(state).h[0])
        ends += 1
    assert ends == 40
    assert min(values) < -(2**62) and max(values) > 2**62, "the numbers were not big"


def lowest(s: State) -> int:
    """Read -128 in every way: the result is wrong wherever it is taken for 8 bits."""
    total = 0
    for cell in s.cells:
        total += -cell
    for i, cell in enumerate(s.cells):
        total += abs(cell) * (i + 1)
    total += sum([-cell for cell in s.cells])
    return -s.turn + abs(s.cells[0]) + (s.cells[1] << 3) * -1 + total + (s.cells[0] - 1) ** 2


def test_arithmetic_has_64_bits_however_narrow_the_field() -> None:
    state = Small().state.zero()
    state.turn = state.cells[0] = state.cells[1] = state.cells[2] = -128
    assert answer(lowest, Small().state.pack(state)) == lowest(state) == 19457


def ways_to_read(s: State) -> int:
    inner = s.cells[1:3]
    found = 100 if 7 in s.cells else 0
    kinds = 10000 if s.cells[-1] not in (0, s.cells[0]) else 0
    return found + kinds + 1000 * len(s.cells) + inner[0] + s.cells[-1]  # type: ignore[no-any-return]


def test_arrays_can_be_read_like_lists() -> None:
    state = Small().state.zero()
    state.cells[:] = [5, 6, 7]
    assert answer(ways_to_read, Small().state.pack(state)) == ways_to_read(state) == 13113


def shift_cells(s: State, cell: int, t: State) -> None:
    t.cells[0:2] = s.cells[1:3]
    t.cells[2] = True


def test_slices_can_be_written() -> None:
    state = Small().state.zero()
    state.cells[:] = [5, 6, 7]
    packed = Small().state.pack(state)
    state.cells[:] = [6, 7, 1]
    assert small(next=shift_cells).next(packed, 0) == Small().state.pack(state)


def count_unwritten(s: State, out: Out) -> int:
    return 2


def test_actions_that_were_not_written_are_zero() -> None:
    compiled = small(actions=count_unwritten)
    out = (ctypes.c_int32 * 3)(7, 7, 7)
    assert compiled._functions["actions"](compiled.initial(), out) == 2
    assert out[:2] == [0, 0]


def whole_floats(s: State, out: Out) -> None:
    out[0] = 1.0
    out[1] = s.wide > 5


def test_outcomes_may_be_written_as_floats_and_booleans() -> None:
    compiled = small(outcome=whole_floats)
    assert compiled.outcome(compiled.initial()) == [1, 0]


def test_without_a_score_the_score_is_the_outcome_and_the_rest_is_absent() -> None:
    compiled = small()
    assert list(compiled.addresses_for(canonical=False)) == ["initial", "expand"]
    assert compiled.score(compiled.initial()) == [1.0, -1.0]
    for ask in (compiled.evaluate, compiled.best_score_from):
        with pytest.raises(NotImplementedError, match="small has no rule"):
            ask(compiled.initial())


# -- constants of NumPy ---------------------------------------------------------------------------

CALCULATIONS = """
    a + b; a - b; a * b; -a; +a; abs(a); a & b; a | b; a ^ b; min(a, b); max(a, b); a - 1; 2 * a;
    a << 3; a >> 1; a ** 2; a << (b & 7); a >> (b & 7); a % 7; a // 7; a // -2; abs(a - b);
    a // b if b else 0; a % b if b else 0; 1 // b; a % b; a == b; a != b; a < b; a <= b;
    (a < b) + (b < 3); (a < b) - (b < a); -(a < b); (a < b) | (b < 2); (a > b) * 5; (a > 0) << 3;
    sum([a, b, a]); a * a * a + b * b; not a; a and b; int(a) + 1; bool(a); table[0] - table[1];
    len(table) - a; grid[1, 1] * 2 + grid[0][1]; sum([x * 2 for x in table]); a + small * 2
"""
OF_NUMBERS = "; ~a; a + table.sum(); a - table.max(); table[1:].min() - table[-1]"
NUMBERS = {
    "int8": [-128, 127, 0, 1, 2, 100],
    "uint8": [0, 255, 1, 2, 100],
    "int16": [-(2**15), 2**15 - 1, 0, 3],
    "uint32": [0, 2**20, 5, 1],
    "int64": [-(2**20), 2**20, 0, 7],
    "uint64": [0, 2**20, 5, 1],
    "bool": [True, False, False, True],
}


def calculating(table: Any, calculations: list[str]) -> Callable[..., Any]:
    """Make a rule that calculates with two numbers of a table; which way, is the action."""
    lines = ["def move(s, action, t):", "    a, b = table[s.cells[0]], table[s.cells[1]]"]
    for number, calculation in enumerate(calculations):
        lines += [f"    if action == {number}:", f"        t.wide = {calculation}"]
    namespace = {"table": table, "grid": table[:4].reshape(2, 2), "small": table[1]}
    exec("\n".join(lines), namespace)  # noqa: S102
    return namespace["move"]  # type: ignore[no-any-return]


def result_of(ask: Callable[[], Any]) -> object:
    try:
        return ask()
    except (RuleError, ArithmeticError):
        return "an error"


@pytest.mark.parametrize("kind", NUMBERS)
def test_calculations_with_constants_of_numpy_are_those_of_python(kind: str) -> None:
    numbers, unpack = NUMBERS[kind], Small().state.unpack
    text = CALCULATIONS + ("" if kind == "bool" else OF_NUMBERS)
    listed = [calculation.strip() for calculation in text.split(";")]
    game = Small({"next": calculating(np.array(numbers, kind), listed)})
    compiled = compile_game(game)
    objects = np.array(numbers, object)
    known = {"table": objects, "grid": objects[:4].reshape(2, 2), "small": numbers[1]}
    for (i, a), (j, b) in itertools.product(enumerate(numbers), enumerate(numbers)):
        state = cells_of(i, j, 0)
        for action, text in enumerate(listed):
            wanted = result_of(lambda text=text, a=a, b=b: eval(text, {"a": a, "b": b, **known}))  # type: ignore[misc]  # noqa: S307
            for rules in (game, compiled):
                found = result_of(lambda ask=rules.next, n=action, s=state: unpack(ask(s, n)).wide)  # type: ignore[misc]
                assert found == wanted, f"{text}: a = {a}, b = {b} of {kind}, {type(rules)}"


def test_floats_of_numpy_are_those_of_python() -> None:
    table, small = np.array([0.1, 3.3], np.float32), np.float32(0.7)

    def score(s: State, out: Out) -> None:
        out[0] = (table[0] * 0.1 + table[1]) * small * 1e9
        out[1] = table[0] * small == 0.1 * 0.7

    game = Small({"score": score})
    state = game.initial()
    a, b, c = (float(np.float32(x)) for x in (0.1, 3.3, 0.7))
    assert game.score(state) == [(a * 0.1 + b) * c * 1e9, False]
    assert compile_game(game).score(state) == float32(game.score(state))


def test_numbers_that_need_64_bits_without_a_sign_are_refused() -> None:
    with pytest.raises(UsageError, match="cannot use 9223372036854775808 in an array of uint64"):
        small(player=closing_over(np.array([0, 2**63], np.uint64)))


def test_plain_rules_that_use_nothing_of_numpy_are_left_as_they_are() -> None:
    rules = Small().rules()
    assert with_plain_numbers(rules) is rules
    made = with_plain_numbers(replace(rules, player=nested_helpers(3)))
    assert made.player is not rules.player
    assert with_plain_numbers(made) is made, "it was made anew twice"


# -- guards ---------------------------------------------------------------------------------------
# What these rules do wrong is chosen by the field `wide`; 0 is nothing.

TABLE = np.arange(4)


def bad_player(s: State) -> int:  # noqa: PLR0911  # many ways to fail
    if s.wide == 1:
        return s.cells[2 + s.wide]  # type: ignore[no-any-return]
    if s.wide == 2:
        return s.cells[-2 - s.wide]  # type: ignore[no-any-return]
    if s.wide == 3:
        return TABLE[1 + s.wide]  # type: ignore[no-any-return]
    if s.wide == 4:
        return 5 // (s.wide - 4)  # type: ignore[no-any-return]
    if s.wide == 5:
        return 5 % (s.wide - 5)  # type: ignore[no-any-return]
    if s.wide == 6:
        raise KeyError("no")
    if s.wide == 7:
        raise ValueError("a state like this cannot be", s.wide)
    if s.wide == 8:
        return refuse(s.wide)
    if s.wide == 9:
        return s.wide << 32  # type: ignore[no-any-return]
    return -s.wide  # type: ignore[no-any-return]


def refuse(number: int) -> int:
    if number > 0:
        raise RuntimeError
    return number


def half_player(s: State) -> float:
    return s.wide / 2  # type: ignore[no-any-return]


def bad_actions(s: State, out: Out) -> int:
    if s.wide == 1:
        for i in range(3 + s.wide):
            out[i] = 0x01010101
    if s.wide == 2:
        out[-2 - s.wide] = 0x01010101
    if s.wide == 3:
        out[0] = s.wide << 32
    return 2


def bad_next(s: State, cell: int, t: State) -> None:
    if s.wide == 1:
        t.cells[2 + s.wide] = 1
    if s.wide == 2:
        t.turn = 126 + s.wide
    if s.wide == 3:
        t.turn = -126 - s.wide
    if s.wide == 4:
        t.cells[1] = 124 + s.wide
    if s.wide == 5:
        t.cells[1] = -124 - s.wide
    if s.wide == 6:
        t.turn = s.wide / 4
    if s.wide == 7:
        t.turn = s.wide * 1e30
    if s.wide == 8:
        t.wide = math.nan
    if s.wide == 9:
        t.wide = np.float32(s.wide) / np.float32(2)
    if s.wide == 10:
        t.cells[1] = s.wide / 4


def bad_outcome(s: State, out: Out) -> None:
    if s.wide == 1:
        out[1 + s.wide] = 1
    if s.wide == 2:
        out[0] = s.wide / 4
    if s.wide == 3:
        out[0] = s.wide << 32
    if s.wide == 4:
        out[0] = s.wide * 1e30
    if s.wide == 5:
        out[0] = math.nan


def bad_score(s: State, out: Out) -> None:
    out[1 + s.wide] = 1


BAD = {"actions": bad_actions, "next": bad_next, "outcome": bad_outcome, "score": bad_score}


def with_wide(number: int) -> bytes:
    return bytes(4) + number.to_bytes(8, "little")


GUARDED = [
    *(("player", bad_player, wrong, -1) for wrong in range(1, 9)),
    *(("player", bad_player, wrong, -2) for wrong in (9, 10)),
    ("player", half_player, 1, -2),
    *(("actions", bad_actions, wrong, -1) for wrong in (1, 2, 3)),
    *(("next", bad_next, wrong, -1) for wrong in range(1, 11)),
    *(("outcome", bad_outcome, wrong, -1) for wrong in (1, 2, 3, 4, 5)),
    ("score", bad_score, 1, -1),
]


@pytest.mark.parametrize(("name", "rule", "wrong", "status"), GUARDED)
def test_a_failing_rule_is_reported_and_hurts_nothing(
    name: str, rule: Callable[..., Any], wrong: int, status: int
) -> None:
    compiled = small(**{**BAD, name: rule})
    canary = b"canary" * 20
    memory = ctypes.create_string_buffer(canary, len(canary))
    middle = ctypes.addressof(memory) + 48
    kind = ctypes.c_float if name == "score" else ctypes.c_int32
    rest: dict[str, tuple[Any, ...]] = {"next": (0, middle), "player": ()}
    given = rest.get(name, (ctypes.cast(middle, ctypes.POINTER(kind)),))
    assert compiled._functions[name](with_wide(0), *given) >= 0, "it fails always"
    assert compiled._functions[name](with_wide(wrong), *given) == status
    assert memory[:48] == canary[:48]
    assert memory[60:] == canary[60:], "it wrote where it must not"
    with pytest.raises(RuleError, match=f"small: rule '{name}' failed on state .*wide={wrong}"):
        getattr(compiled, name)(with_wide(wrong), *([0] if name == "next" else []))


def underflow_initial(s: State) -> None:
    s.cells[0] = -129


def test_a_failing_initial_rule_is_reported() -> None:
    with pytest.raises(RuleError, match="rule 'initial' failed: RuleError: -129 does not fit"):
        small(initial=underflow_initial).initial()


def too_many(s: State, out: Out) -> int:
    return 4


def test_too_many_actions_are_reported() -> None:
    compiled = small(actions=too_many)
    out = (ctypes.c_int32 * 3)()
    assert compiled._functions["actions"](compiled.initial(), out) == 4
    with pytest.raises(RuleError, match="actions returned 4; max_actions is 3"):
        compiled.actions(compiled.initial())


def test_the_error_of_the_plain_rule_is_the_cause() -> None:
    compiled = small(player=bad_player)
    with pytest.raises(RuleError, match=r"ValueError: .*cannot be") as raised:
        compiled.player(with_wide(7))
    cause = raised.value.__cause__
    assert isinstance(cause, ValueError)
    assert cause.__traceback__ is not None
    with pytest.raises(RuleError, match="only when compiled"):
        compiled.player(with_wide(9))


def fails_on_two(s: State, out: Out) -> None:
    out[0] += s.wide / 3
    out[1] = 1 // (s.wide - 2)


def test_a_batch_tells_which_state_failed() -> None:
    compiled = small(evaluate=fails_on_two)
    states = [with_wide(x) for x in (5, 1, 7, 2, 4)]
    out = (ctypes.c_float * 10)(*[9.0] * 10)
    ask = compiled._functions["evaluate"]
    assert ask(b"".join(states), 5, out) == -4
    assert out[:6] == float32([5 / 3, 0, 1 / 3, -1, 7 / 3, 0])
    assert out[6:] == [9.0] * 4
    assert ask(b"".join(states[:3]), 3, out) == 0
    assert ask(b"", 0, out) == 0
    assert compiled.evaluate(states[0]) == float32([5 / 3, 0])
    with pytest.raises(RuleError, match=r"'evaluate' failed on state .*ZeroDivisionError"):
        compiled.evaluate(states[3])


def test_rules_run_and_fail_in_many_threads_at_once() -> None:
    # A function of ctypes lets go of the interpreter's lock.
    ask = small(player=bad_player)._functions["player"]

    def work(_: int) -> int:
        return sum(ask(with_wide(7)) + 2 * ask(with_wide(0)) for _ in range(2000))

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(work, range(4))) == [-2000] * 4


def test_arguments_that_would_break_memory_are_refused() -> None:
    compiled = small()
    with pytest.raises(UsageError, match="a state has 12 bytes, not 3"):
        compiled.player(b"abc")
    with pytest.raises(UsageError, match="no action 4294967296"):
        compiled.next(compiled.initial(), 2**32)


# -- what rules may use ---------------------------------------------------------------------------


class Color(IntEnum):
    RED = 4
    BLUE = 6


def gcd(a: int, b: int) -> int:
    return a if b == 0 else gcd(b, a % b)


def is_even(n: int) -> bool:
    return True if n == 0 else is_odd(n - 1)


def is_odd(n: int) -> bool:
    return False if n == 0 else is_even(n - 1)


def plus(n: int, extra: int = 1, more: int = 10) -> int:
    return n + extra + more


@numba.njit  # type: ignore[misc]
def at(numbers: Any, i: int) -> int:
    return numbers[i]  # type: ignore[no-any-return]


def uses_helpers(s: State) -> int:
    total = sum([plus(i) for i in range(3)]) + plus(0, 5, more=100)
    total += gcd(12 + s.wide, 18) * 1000
    if is_even(7):
        total += 10000
    return total + Color.BLUE + int(math.sqrt(16.0)) + int(np.abs(-3))


def test_helpers_are_compiled_too() -> None:
    assert answer(uses_helpers) == uses_helpers(Small().state.zero()) == 6154


def uses_compiled_helper(s: State) -> int:
    return at(s.cells, 3)


def test_helpers_compiled_by_their_author_are_checked_too() -> None:
    with pytest.raises(RuleError, match="rule 'player' failed"):
        answer(uses_compiled_helper)


def test_helpers_of_other_modules(monkeypatch: pytest.MonkeyPatch) -> None:
    outer, inner = types.ModuleType("outer_helpers"), types.ModuleType("inner_helpers")
    exec("import math\nfrom math import floor\ndef half(n): return floor(n / 2)", vars(inner))  # noqa: S102
    exec("def third(n): return inner.half(n) // 3\nconstant = 5", vars(outer))  # noqa: S102
    vars(outer)["inner"] = inner
    vars(inner)["outer"] = outer
    namespace = {"outer": outer, "half": vars(inner)["half"]}
    source = (
        "def player(s): return outer.third(60) + outer.constant + outer.inner.half(9) + half(4)"
    )
    exec(source, namespace)  # noqa: S102
    assert answer(namespace["player"]) == 10 + 5 + 4 + 2  # type: ignore[arg-type]


def nested_helpers(most: int) -> Callable[[State], int]:
    """Helpers inside: on constants, on each other, on themselves, and in a comprehension."""
    table = np.array([3, 1, 4, 1, 5])

    def limited(n: int, least: int = 0, extra: int = 0) -> int:
        return max(least, min(n + extra, most))

    def entry(n: int) -> int:
        return limited(table[n % len(table)])

    def even(n: int) -> bool:
        return True if n == 0 else odd(n - 1)

    def odd(n: int) -> bool:
        return False if n == 0 else even(n - 1)

    def power(n: int) -> int:
        return 1 if n == 0 else most * power(n - 1)

    def cell(s: State, i: int) -> int:
        return s.cells[i] + plus(i)  # type: ignore[no-any-return]

    def player(s: State) -> int:
        total = sum([entry(i) for i in range(7)]) + 100 * power(3) + limited(50, extra=1)
        total += limited(-9, 2)
        if odd(7) and even(s.wide):
            total += 10000
        return total + 100000 * cell(s, 2)

    return player


def test_helpers_inside_rules_are_compiled_too() -> None:
    state = Small().state.zero()
    state.cells[2] = -5
    packed = Small().state.pack(state)
    assert answer(nested_helpers(3), packed) == nested_helpers(3)(state) == 812720
    assert answer(nested_helpers(4), packed) == nested_helpers(4)(state) == 816423


def nested_reading(i: int) -> Callable[[State], int]:
    def inner(s: State) -> int:
        return s.cells[i]  # type: ignore[no-any-return]

    def player(s: State) -> int:
        return inner(s)

    return player


def test_helpers_inside_rules_are_checked_too() -> None:
    assert answer(nested_reading(2)) == 0
    with pytest.raises(RuleError, match=r"rule 'player' failed.*IndexError"):
        answer(nested_reading(3))


def test_an_error_in_a_helper_inside_rules_is_placed_there() -> None:
    def inner(s: State) -> int:
        return s.nothing  # type: ignore[no-any-return]

    def player(s: State) -> int:
        return inner(s)

    where = rf"\(test_compiling.py, line {line_of(inner)}\): the state has no field 'nothing'"
    with pytest.raises(UsageError, match=f"^small: rule 'player' cannot be compiled {where}"):
        small(player=player)


def closing_over(value: Any) -> Callable[[State], Any]:
    def player(s: State) -> Any:
        return value[1] if s.wide == 0 else 0

    return player


@pytest.mark.parametrize(
    "value",
    [
        (4, 5),
        (4.0, 5.0),
        np.array([4, 5], dtype=np.int8),
        np.array([[4, 5], [6, 7]], dtype=np.int64).T[0] + np.array([0, -1]),
        np.arange(4, 2**18),
    ],
    ids=["tuple", "floats", "bytes", "computed", "big"],
)
def test_values_that_rules_may_close_over(value: Any) -> None:
    assert answer(closing_over(value)) == 5


def test_a_strided_array_is_cached(cache: Path) -> None:
    before = len(list(cache.rglob("*.nbi")))
    assert answer(closing_over(np.array([4, 9, 6, 9])[::2])) == 6
    assert len(list(cache.rglob("*.nbi"))) == before + 1


def test_a_big_array_is_kept_and_not_cached(cache: Path) -> None:
    before = len(list(cache.rglob("*.nbi")))
    rule = closing_over(np.arange(4, 2**18 + 1))
    assert not Digest.of(rule).complete
    compiled = small(player=rule)
    assert len(list(cache.rglob("*.nbi"))) == before
    del rule
    gc.collect()
    assert compiled.player(bytes(12)) == 5


def using(value: Any) -> Callable[[State], int]:
    def player(s: State) -> int:
        return 0 if value is None else 1

    return player


def without_value() -> Callable[[State], int]:
    if sys.argv is None:
        late = 5

    def player(s: State) -> int:
        return late

    return player


def using_nested(value: Any) -> Callable[[State], int]:
    inner = using(value)

    def player(s: State) -> int:
        return inner(s)

    return player


def nested_without_value() -> Callable[[State], int]:
    inner = without_value()

    def player(s: State) -> int:
        return inner(s)

    return player


def too_big_constant(s: State) -> int:
    return s.wide & 0xFFFFFFFFFFFFFFFF  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        (using_nested([1, 2]), "'player' uses 'value', which is of type list"),
        (using_nested(2**63), "uses value = 9223372036854775808: compiled integers have 64 bits"),
        (nested_without_value(), "uses 'late', which has no value"),
        (using(Small()), "'player' uses 'value', which is of type Small .*width = self.width"),
        (using([1, 2]), "'player' uses 'value', which is of type list"),
        (using({1: 2}), "of type dict"),
        (using((1, [2])), "of type tuple"),
        (using(np.array([None])), "of type ndarray"),
        (using(2**63), "uses value = 9223372036854775808: compiled integers have 64 bits"),
        (without_value(), "uses 'late', which has no value"),
        (too_big_constant, "uses the number 18446744073709551615: compiled integers have 64"),
        (Small().player, "must be a plain function"),
    ],
)
def test_what_cannot_be_compiled_is_refused(rule: Callable[..., Any], message: str) -> None:
    with pytest.raises(UsageError, match=f"^small: rule.*{message}"):
        small(player=rule)


def line_of(rule: Callable[..., Any], offset: int = 1) -> int:
    return rule.__code__.co_firstlineno + offset


def bad_field(s: State) -> int:
    return s.nothing  # type: ignore[no-any-return]


def bad_helper(s: State) -> int:
    return bad_field(s)


def bad_name(s: State) -> int:
    return missing  # type: ignore[name-defined,no-any-return]  # noqa: F821


def bad_sum(s: State) -> int:
    return "x" + s.turn  # type: ignore[no-any-return]


def no_answer(s: State) -> None:
    pass


def writes_state(s: State) -> int:
    s.turn = 1
    return 0


def writes_cells(s: State) -> int:
    s.cells[0] = 1
    return 0


def assigns_array(s: State, cell: int, t: State) -> None:
    t.cells = s.cells


def assigns_list(s: State, cell: int, t: State) -> None:
    t.cells = [1, 2, 3]


def wide_slice(s: State, cell: int, t: State) -> None:
    t.cells[0:2] = np.array([1, 300])


@pytest.mark.parametrize(
    ("name", "rule", "line", "reason"),
    [
        ("player", bad_field, line_of(bad_field), "the state has no field 'nothing'; it has turn"),
        ("player", bad_helper, line_of(bad_field), "the state has no field 'nothing'"),
        ("player", bad_name, line_of(bad_name, 0), "name 'missing' is not defined"),
        ("player", bad_sum, line_of(bad_sum), r"Numba has no add\(x, int64\)"),
        ("player", no_answer, line_of(no_answer, 0), "it must always return a number"),
        ("player", writes_state, line_of(writes_state), "may not write to 'turn'"),
        ("player", writes_cells, line_of(writes_cells), "Cannot modify .*read-only array of i8"),
        ("next", assigns_array, line_of(assigns_array), r"may write to cells\[:\], but not"),
        ("next", assigns_list, line_of(assigns_list), r"may write to cells\[:\], but not"),
        ("next", wide_slice, line_of(wide_slice), "to a slice of an array of i8, only a slice"),
    ],
)
def test_an_error_of_numba_becomes_one_line(
    name: str, rule: Callable[..., Any], line: int, reason: str
) -> None:
    where = rf"rule '{name}' cannot be compiled \(test_compiling.py, line {line}\)"
    with pytest.raises(UsageError, match=f"^small: {where}: .*{reason}") as raised:
        small(**{name: rule})
    assert "\n" not in str(raised.value)
    assert raised.value.__cause__ is not None


# -- on demand ------------------------------------------------------------------------------------


def spread_out(s: State, out: Out) -> None:
    for i in range(3):
        out[i] += s.cells[i] / 3
        out[3 + i] = 1 // (s.cells[i] - 5)


class Planes(Small):
    """A little game that can be seen, mirrored, guessed and played by the other side."""

    planes = (2, 1, 3)
    symmetries = 2

    def rules(self) -> Rules:
        def mirror(s: State, k: int, t: State) -> None:
            t.cells[0], t.cells[2] = s.cells[2], s.cells[0]

        def rename(s: State, k: int, t: State) -> None:
            t.turn = (s.turn + k) % (2 - s.wide)

        def guess(s: State, out: Out) -> None:
            out[0] = s.cells[0]

        more = {"symmetry": mirror, "relabel": rename, "evaluate": guess, "encode": spread_out}
        return replace(super().rules(), **{**more, **self.replaced})  # type: ignore[arg-type]


def cells_of(*cells: int) -> bytes:
    state = Small().state.zero()
    state.cells[:] = cells
    return Small().state.pack(state)


def test_rules_are_compiled_when_they_are_needed() -> None:
    compiled = compile_game(Planes())

    def made() -> int:
        return compiled.from_cache + compiled.compiled

    assert made() == 0
    assert list(compiled.addresses_for(canonical=False)) == ["initial", "expand"]
    assert list(compiled.addresses_for(canonical=True)) == ["initial", "expand", "canonical"]
    assert set(compiled._thunks) == {"initial", "expand", "canonical"}
    before = made()
    for number, rule in enumerate(["evaluate", "relabel", "encode", "symmetry"], 1):
        assert compiled.address(rule) == compiled.address(rule) != 0
        assert made() == before + number
    with pytest.raises(NotImplementedError, match="small has no rule 'encode'"):
        small().encode_many([])
    with pytest.raises(NotImplementedError, match="small has no rule 'relabel'"):
        small().relabel(bytes(12), 1)


def test_a_rule_that_cannot_be_compiled_is_no_matter_until_it_is_asked() -> None:
    def guess(s: State, out: Out) -> None:
        out[0] = "good"

    compiled = compile_game(Small({"evaluate": guess}))
    assert compiled.player(compiled.initial()) == 0
    with pytest.raises(UsageError, match="rule 'evaluate' cannot be compiled"):
        compiled.evaluate(compiled.initial())


def test_many_states_are_encoded_at_once() -> None:
    game = Planes()
    compiled = compile_game(game)
    states = [cells_of(a, b, 7) for a in range(-4, 5) for b in range(3)]
    planes = compiled.encode_many(states)
    assert (planes.dtype, planes.shape) == (np.float32, (27, 2, 1, 3))
    assert planes.reshape(27, 6).tolist() == [float32(game.encode(s)) for s in states]
    assert (compiled.encode_many(b"".join(states)) == planes).all()
    assert compiled.encode(states[3]) == float32(game.encode(states[3]))
    assert compiled.encode_many([]).shape == (0, 2, 1, 3)
    for wrong in ([states[0][:-1]], b"x", [states[0] * 2], [states[0][:-1], states[0] + b"x"]):
        with pytest.raises(UsageError, match="a state has 12 bytes"):
            compiled.encode_many(wrong)
    with pytest.raises(RuleError, match=r"'encode' failed on state .*cells=\[1, 5, 2\].*ZeroDiv"):
        compiled.encode_many([states[0], cells_of(1, 5, 2), cells_of(5, 5, 5)])


@pytest.mark.parametrize("name", ["connect-four(players=3)", "nim", "othello", "lines-of-action"])
def test_planes_and_renamed_players_of_real_games(name: str) -> None:
    game = load_game(name)
    assert isinstance(game, RecordGame)
    compiled = compile_game(game)
    states = [state for seed in range(3) for state in random_play(game, seed).states]
    flat = compiled.encode_many(states).reshape(len(states), -1)
    assert flat.tolist() == [float32(game.encode(state)) for state in states]
    for state in states:
        for k in range(1, game.players):
            assert compiled.relabel(state, k) == game.relabel(state, k)
    with pytest.raises(UsageError, match="a state has"):
        compiled.relabel(b"", 1)


def test_a_failing_image_is_named() -> None:
    state = Small().state.zero()
    state.wide = 2
    with pytest.raises(RuleError, match=r"'relabel' failed on state .*, action 1: ZeroDivision"):
        compile_game(Planes()).relabel(Small().state.pack(state), 1)


# -- everything about the successors in one call ---------------------------------------------------


class Expanded:
    """What the compiled `expand` tells about a state."""

    def __init__(self, game: RecordGame) -> None:
        self.game, self.compiled = game, compile_game(game)
        rows = game.max_actions
        self.stride = (game.state.size + 7) // 8 * 8
        self.actions, self.counts, self.movers = ((ctypes.c_int32 * rows)() for _ in range(3))
        self.outcomes = (ctypes.c_int32 * (rows * game.players))()
        self.scores = (ctypes.c_float * (rows * game.players))()
        self.states = ctypes.create_string_buffer(rows * self.stride)

    def ask(self, state: bytes, **wanted: int) -> tuple[int, int, int]:
        """Return status, number of actions, and the first successor that is not made."""
        rows = self.game.max_actions
        given = {"count": -1, "first": 0, "last": rows, "room": rows, "wanted": 0, **wanted}
        request = (ctypes.c_int32 * 5)(*given.values())
        arrays = (self.counts, self.movers, self.outcomes, self.scores)
        status = self.compiled._functions["expand"](
            state, request, self.actions, self.states, *arrays
        )
        return status, request[0], request[1]

    def row(self, i: int) -> tuple[bytes, int, object]:
        """Return a successor, how many actions it has, and its mover or outcome and score."""
        state = self.states.raw[i * self.stride :][: self.game.state.size]
        if self.counts[i] > 0:
            return state, self.counts[i], self.movers[i]
        n = self.game.players
        ends = slice(i * n, (i + 1) * n)
        return state, 0, (self.outcomes[ends], self.scores[ends])

    def wanted(self, state: bytes) -> tuple[bytes, int, object]:
        """Return the same by the rules in Python."""
        game, count = self.game, len(self.game.actions(state))
        end = (game.outcome(state), float32(game.score(state)))
        return state, count, game.player(state) if count else end


@pytest.mark.parametrize("name", ["small", "kalah(pits=2,seeds=2)", "othello(size=4)", "widths"])
def test_expand_tells_what_the_single_rules_do(name: str) -> None:
    own = {"small": Small, "widths": Widths}
    game = own[name]() if name in own else load_game(name)
    assert isinstance(game, RecordGame)
    expanded, rng, ends = Expanded(game), random.Random(2), 0
    for _ in range(10):
        state = game.initial()
        while actions := game.actions(state):
            assert expanded.ask(state) == (0, len(actions), len(actions))
            assert expanded.actions[: len(actions)] == actions
            for i, action in enumerate(actions):
                assert expanded.row(i) == expanded.wanted(game.next(state, action))
            state = game.next(state, rng.choice(actions))
        ends += 1
        assert expanded.ask(state) == (0, 0, 0)
        # About a state itself.
        assert expanded.ask(state, count=1, last=1, wanted=4) == (0, 1, 1)
        assert expanded.row(0)[1:] == expanded.wanted(state)[1:]
    assert ends == 10


def test_expand_makes_what_is_wanted_and_no_more() -> None:
    game = Small()
    expanded, state = Expanded(game), game.initial()
    assert expanded.ask(state, last=0) == (0, 3, 0), "only listed"
    assert expanded.ask(state, room=2) == (0, 3, 0), "listed, for there is no room"
    expanded.counts[0] = expanded.counts[2] = 77
    assert expanded.ask(state, count=3, first=1, last=2) == (0, 3, 2)
    assert expanded.counts[:] == [77, 2, 77]
    assert expanded.row(1) == expanded.wanted(game.next(state, 1))
    # The state alone, in the first place.
    assert expanded.ask(state, count=3, first=2, last=3, wanted=2)[0] == 0
    assert expanded.states.raw[: game.state.size] == game.next(state, 2)
    # Up to the first terminal one.
    last = game.next(game.next(state, 0), 1)
    assert expanded.ask(last, wanted=1) == (0, 1, 1)
    kalah = load_game("kalah(pits=2,seeds=1)")
    assert isinstance(kalah, RecordGame)
    expanded, seen, open_states = Expanded(kalah), 0, [kalah.initial()]
    while open_states:
        state = open_states.pop()
        successors = [kalah.next(state, a) for a in kalah.actions(state)]
        over = [not kalah.actions(s) for s in successors]
        if any(over):
            assert expanded.ask(state, wanted=1)[2] == over.index(True) + 1
            seen += 1
        open_states += successors
    assert seen > 1


@pytest.mark.parametrize(
    ("name", "rule", "wrong", "status"),
    [
        ("actions", bad_actions, 1, -1),
        ("next", bad_next, 1, -2),
        ("player", bad_player, 1, -4),
        ("player", bad_player, 7, -4),
    ],
)
def test_expand_says_which_rule_failed(
    name: str, rule: Callable[..., Any], wrong: int, status: int
) -> None:
    expanded = Expanded(Small({name: rule}))
    assert expanded.ask(with_wide(0))[0] == 0, "it fails always"
    assert expanded.ask(with_wide(wrong))[0] == status


class Large(Small):
    """The same game with as many actions, and states as large, as one may declare."""

    def __init__(self) -> None:
        super().__init__()
        self.state = record(turn="i8", cells="i8[3]", unused="i8[100000]")
        self.max_actions = 65535


def test_expand_of_many_actions_and_large_states() -> None:
    """Neither is written out item by item in machine code, which would never be ready."""
    assert perft(Large(), 3) == perft(Small(), 3) == 6


def test_a_rule_that_cannot_be_compiled_is_named_when_all_are_compiled() -> None:
    with pytest.raises(UsageError, match="rule 'player' cannot be compiled"):
        compile_game(Small({"player": bad_field})).addresses_for(canonical=False)


def test_the_smallest_image_stands_for_all() -> None:
    for name in ("clobber(rows=3,columns=3)", "connect-four(width=4,height=3)", "hex(size=3)"):
        game, rng = load_game(name), random.Random(3)
        assert isinstance(game, RecordGame)
        canonical = compile_game(game)._functions["canonical"]
        for _ in range(10):
            state = game.initial()
            while actions := game.actions(state):
                state = game.next(state, rng.choice(actions))
                memory = ctypes.create_string_buffer(state, len(state))
                assert canonical(memory) == 0
                assert memory.raw == min([state, *images(game, state)])


# -- compiling once -------------------------------------------------------------------------------


def test_a_game_is_compiled_once_and_not_kept_alive() -> None:
    game = Small()
    compiled = compile_game(game)
    assert compile_game(game) is compiled
    again = compile_game(Small())
    assert again is not compiled
    for name in (*SINGLE, "expand"):
        assert again.address(name) == compiled.address(name)
    assert (again.from_cache, again.compiled) == (0, 0)
    alive = weakref.ref(game)
    del game
    gc.collect()
    assert alive() is None
    assert compiled.player(compiled.initial()) == 0


def test_running_a_rule_in_python_does_not_change_its_digest() -> None:
    rule, state = uses_helpers, Small().state.zero()
    before = Digest.of(rule).text()
    for _ in range(1000):
        rule(state)  # which makes Python rewrite the code for speed
    assert Digest.of(rule).text() == before


def test_a_digest_tells_apart_what_equals() -> None:
    values = [1, True, 1.0, "1", (1,), (True,), np.int64(1), np.int8(1), np.array([1]), 0.0, -0.0]
    values += [
        np.array([1], dtype=np.int8),
        np.array([[1]]),
        Color,
        Color.RED,
        None,
        math,
        np.abs,
    ]
    digests = [Digest.of(closing_over(value)).text() for value in values]
    assert len(set(digests)) == len(values)
    for value in values:
        assert Digest.of(closing_over(value)).complete


def test_a_digest_looks_into_helpers_inside() -> None:
    rules = [nested_helpers(3), nested_helpers(3), nested_helpers(4), nested_reading(3)]
    digests = [Digest.of(rule) for rule in rules]
    assert all(digest.complete for digest in digests)
    same, again, *others = [digest.text() for digest in digests]
    assert same == again
    assert len({same, *others}) == 3


def test_a_digest_covers_all_the_source_of_compiling() -> None:
    outside = ("storage/code_digest.py", "game/function_copies.py")
    paths = [*PACKAGE.glob("*.py"), *(PACKAGE.parents[1] / name for name in outside)]
    assert sorted(own_source()) == sorted(path.read_text(encoding="utf-8") for path in paths)
    assert len(paths) == 11


def test_what_cannot_be_hashed_is_not_cached() -> None:
    digests = [Digest.of(using({1: 2})) for _ in range(2)]
    assert not digests[0].complete
    assert digests[0].text() != digests[1].text()


# -- the cache ------------------------------------------------------------------------------------

GAME = """
import sys
from unbounded.native import compiling, images, perft
from unbounded.game.catalogue import load_game
assert compiling.available()
assert "numba" not in sys.modules and "numpy" not in sys.modules, "imported too early"

import json
import numpy as np
import helpers
from unbounded.game import RecordGame, Rules, record

LIMIT = 0

class Counting(RecordGame):
    max_actions = 3
    state = record(number="i32", turn="i8")

    def __init__(self, most=3, table=(1, 2, 4)):
        self.most, self.table = most, table

    def rules(self):
        most, table = self.most, np.array(self.table)

        def initial(s):
            s.number = 1

        def player(s):
            total = 0
            for i in range(s.number + 30):  # too much to be inlined
                for j in range(i):
                    if i * j % 7 == s.turn:
                        total += (i ^ j) * most
                    elif i + j == 17:
                        total += i // most
                    else:
                        total += j % (most + 2)
                for j in range(i):
                    if i * j % 9 == s.turn:
                        total += (i ^ j) * most
                    elif i + j == 13:
                        total += i // most
                    else:
                        total += j % (most + 3)
            return total

        def actions(s, out):
            out[0] = LIMIT
            return 1

        def next(s, action, t):
            t.number = helpers.outer(s.number) + table[action]

        def outcome(s, out):
            out[0] = 1

        return Rules(initial, player, actions, next, outcome)

for parameters in json.loads(sys.argv[1]):
    game = Counting(**parameters)
    compiled = compiling.compile_game(game)
    state = game.initial()
    assert compiled.initial() == state
    assert compiled.player(state) == game.player(state), "stale"
    assert compiled.actions(state) == game.actions(state), "stale"
    assert compiled.next(state, 2) == game.next(state, 2), "stale"
    assert compiled.outcome(state) == game.outcome(state), "stale"
    print(compiled.from_cache, compiled.compiled, game.state.unpack(game.next(state, 2)).number)
"""

HELPERS = """
FACTOR = 10

def outer(n):
    return inner(n) * FACTOR

def inner(n):
    return n + 1
"""

INSIDE = """
        def grown(n):
            return repeated(n, 3) + table[0]

        def repeated(n, times):
            return n if times == 0 else again(n * 2, times)

        def again(n, times):
            return repeated(n + most, times - 1)

        def initial(s):
"""
NESTED = GAME.replace("\n        def initial(s):\n", INSIDE)
NESTED = NESTED.replace("helpers.outer(s.number)", "grown(s.number)")


class Program:
    """A game and its helpers in files of their own, run in processes of their own."""

    def __init__(self, folder: Path, cache: Path, game: str = GAME, helpers: str = HELPERS) -> None:
        self.folder, self.cache = folder, cache
        folder.mkdir(exist_ok=True)
        (folder / "counting.py").write_text(game)
        (folder / "helpers.py").write_text(helpers)

    def start(self, games: str = "[{}]") -> subprocess.Popen[str]:
        environment = {
            **os.environ,
            "PYTHONPATH": str(SOURCES),
            "NUMBA_CACHE_DIR": str(self.cache),
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONWARNINGS": "error",
        }
        command = [sys.executable, str(self.folder / "counting.py"), games]
        pipe = subprocess.PIPE
        return subprocess.Popen(command, env=environment, stdout=pipe, stderr=pipe, text=True)

    def run(self, games: str = "[{}]") -> list[tuple[int, ...]]:
        return finished(self.start(games))


def finished(process: subprocess.Popen[str]) -> list[tuple[int, ...]]:
    """Per game: functions from the cache, functions compiled, and what a rule said."""
    out, err = process.communicate(timeout=300)
    assert process.returncode == 0, err
    return [tuple(map(int, line.split())) for line in out.splitlines()]


@pytest.fixture(scope="module")
def programs_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache that two processes have filled at once."""
    cache = tmp_path_factory.mktemp("programs_cache")
    program = Program(tmp_path_factory.mktemp("program"), cache)
    for process in [program.start(), program.start()]:
        ((cached, compiled, number),) = finished(process)
        assert (cached + compiled, number) == (5, 24)
    return cache


@pytest.fixture
def program(
    tmp_path: Path, programs_cache: Path, tmp_path_factory: pytest.TempPathFactory
) -> Program:
    """A program with a cache of its own, so that no test finds what another has left there."""
    cache = tmp_path_factory.mktemp("cache") / "copy"
    shutil.copytree(programs_cache, cache)
    return Program(tmp_path, cache)


def test_processes_that_compile_at_once_leave_a_whole_cache(program: Program) -> None:
    assert program.run() == [(5, 0, 24)]
    names = {path.name for path in program.folder.iterdir()}
    assert names == {"counting.py", "helpers.py"}, "something was written next to the game"


def test_what_has_changed_is_compiled_again_and_nothing_else(program: Program) -> None:
    folder, cache = program.folder, program.cache
    helper = HELPERS.replace("n + 1", "n + 2")
    factor = HELPERS.replace("= 10", "= 11")
    limit = GAME.replace("LIMIT = 0", "LIMIT = 1")
    processes = [
        program.start('[{"table": [1, 2, 5]}]'),
        Program(folder / "helper", cache, helpers=helper).start(),
        Program(folder / "factor", cache, helpers=factor).start(),
        Program(folder / "limit", cache, game=limit).start(),
    ]
    numbers = [25, 34, 26, 24]
    assert [finished(process) for process in processes] == [[(4, 1, x)] for x in numbers]
    # Neither comments nor the place in a file count, and what was known stays known.
    moved = Program(folder / "moved", cache, game="# a comment\n" + GAME)
    assert moved.run('[{"table": [1, 2, 5]}, {}]') == [(5, 0, 25), (1, 0, 24)]


def test_helpers_inside_rules_are_cached_and_compiled_again_when_they_change(
    program: Program,
) -> None:
    folder, cache = program.folder, program.cache
    nested = Program(folder / "nested", cache, game=NESTED)
    assert nested.run() == [(4, 1, 34)]
    assert nested.run() == [(5, 0, 34)]
    changed = NESTED.replace("again(n * 2, times)", "again(n * 3, times)")
    processes = [
        Program(folder / "changed", cache, game=changed).start(),
        nested.start('[{"table": [2, 2, 4]}]'),
    ]
    assert [finished(process) for process in processes] == [[(4, 1, 71)], [(4, 1, 35)]]
    # A second process loads everything, and each of the variants is itself.
    assert nested.run('[{"table": [2, 2, 4]}, {}]') == [(5, 0, 35), (1, 0, 34)]


def test_helpers_that_call_each_other_are_cached(program: Program) -> None:
    # Numba's cache alone would end the process that loads them.
    helpers = HELPERS.replace("return n + 1", "return n + 1 if n < 9 else outer(n - 9)")
    helpers = helpers.replace("return inner(n)", "return 0 if n < 0 else inner(n)")
    mutual = Program(program.folder / "mutual", program.cache, helpers=helpers)
    assert mutual.run() == [(4, 1, 24)]
    assert mutual.run('[{}, {"table": [1, 2, 5]}]') == [(5, 0, 24), (0, 1, 25)]
    assert mutual.run('[{"table": [1, 2, 5]}, {}]') == [(5, 0, 25), (1, 0, 24)]


def test_functions_of_one_name_from_the_cache_are_not_mixed_up(program: Program) -> None:
    # Compiled by processes of their own, where Numba numbers them alike, and loaded by one, the
    # first of them would answer for both.
    for process in [program.start('[{"most": 4}]'), program.start('[{"most": 5}]')]:
        assert finished(process) == [(4, 1, 24)]
    assert program.run('[{"most": 4}, {"most": 5}]') == [(5, 0, 24), (1, 0, 24)]


def test_damaged_cache_files_are_not_used(program: Program) -> None:
    damaged = list(program.cache.rglob("thunks.initial_*.nbc"))
    assert damaged
    for path in damaged:
        path.write_bytes(path.read_bytes()[:100])
    assert program.run() == [(4, 1, 24)]
    assert program.run() == [(5, 0, 24)], "what was damaged was not written anew"


# A game in a file is a module whose name depends on the file's place and time.
ASK_FILE = """
import sys
from unbounded.game.catalogue import load_game
from unbounded.native.compiling import compile_game
compiled = compile_game(load_game(sys.argv[1]))
for rule in ("initial", "player", "actions", "next", "outcome"):
    compiled.address(rule)
print(compiled.from_cache, compiled.compiled, sum(compiled.next(compiled.initial(), 2)))
"""

FILE = """
from unbounded.game import RecordGame, Rules, record

def less(n, m):
    if m > n:
        raise ValueError("too many", n, m)
    return n - m

class Sticks(RecordGame):
    state, max_actions = record(sticks="i8"), 3

    def rules(self):
        def initial(s):
            s.sticks = 21

        def player(s):
            return s.sticks % 2

        def actions(s, out):
            for i in range(min(3, s.sticks)):
                out[i] = i + 1
            return min(3, s.sticks)

        def next(s, action, t):
            t.sticks = less(s.sticks, action)

        def outcome(s, out):
            out[s.sticks % 2] = -1

        return Rules(initial, player, actions, next, outcome)
"""


def ask_file(path: Path, source: str, cache: Path, name: str = "Sticks") -> subprocess.Popen[str]:
    path.parent.mkdir(exist_ok=True)
    path.write_text(source)
    environment = {**os.environ, "PYTHONPATH": str(SOURCES), "NUMBA_CACHE_DIR": str(cache)}
    command = [sys.executable, "-c", ASK_FILE, f"{path}:{name}"]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, env=environment, stdout=pipe, stderr=pipe, text=True)


def test_a_harmless_edit_of_a_game_in_a_file_compiles_nothing(tmp_path: Path) -> None:
    path, cache = tmp_path / "sticks.py", tmp_path / "cache"
    assert finished(ask_file(path, FILE, cache)) == [(0, 5, 19)]
    shown = FILE + "    def show(self, state):\n        return str(state[0])\n"
    renamed = FILE.replace("class Sticks", "class Twigs")
    processes = [
        ask_file(path, "# a comment\n\n" + FILE, cache),
        ask_file(tmp_path / "shown.py", shown, cache),
        ask_file(tmp_path / "folder" / "sticks.py", FILE, cache),
        ask_file(tmp_path / "twigs.py", renamed, cache, "Twigs"),
    ]
    assert [finished(process) for process in processes] == [[(5, 0, 19)]] * 4
    edited = FILE.replace("n - m", "n - m - 1")
    assert finished(ask_file(path, edited, cache)) == [(4, 1, 18)]
    assert finished(ask_file(path, "\n" + edited, cache)) == [(5, 0, 18)]


COUNT_LEAVES = """
import sys
from unbounded.game.catalogue import load_game
from unbounded.native import perft
from unbounded.native.compiling import compile_game
game = load_game(sys.argv[1])
leaves = perft(game, 6)
print(compile_game(game).from_cache, compile_game(game).compiled, leaves)
"""


def test_what_the_core_calls_is_cached_as_one_function(tmp_path: Path) -> None:
    # Helpers that call each other, which Numba's cache alone would not find again.
    mutual = FILE.replace("return n - m", "return n - m if n < 99 else more(n, m)")
    mutual = mutual.replace(
        "class Sticks", "def more(n, m):\n    return less(n - 1, m)\n\nclass Sticks"
    )
    path, cache = tmp_path / "sticks.py", tmp_path / "cache"
    path.write_text(mutual)
    environment = {**os.environ, "PYTHONPATH": str(SOURCES), "NUMBA_CACHE_DIR": str(cache)}
    command = [sys.executable, "-c", COUNT_LEAVES, f"{path}:Sticks"]
    pipe = subprocess.PIPE

    def run() -> list[tuple[int, ...]]:
        return finished(
            subprocess.Popen(command, env=environment, stdout=pipe, stderr=pipe, text=True)
        )

    assert run() == [(0, 2, 729)]
    assert run() == [(2, 0, 729)]
    path.write_text(mutual.replace("return n - m if", "return n - m - 1 if"))
    ((cached, compiled, leaves),) = run()
    assert (cached, compiled) == (1, 1), "the rule initial has not changed"
    assert leaves < 729, "stale"


def test_rules_without_a_file_are_compiled_and_cached(cache: Path) -> None:
    namespace: dict[str, Any] = {}
    exec("def helper(n): return n + 41\ndef player(s): return helper(s.turn + 1)", namespace)  # noqa: S102
    before = len(list(cache.rglob("*.nbi")))
    assert answer(namespace["player"]) == 42
    assert len(list(cache.rglob("*.nbi"))) == before + 1


def test_a_cache_that_cannot_be_written_to_is_done_without(
    monkeypatch: pytest.MonkeyPatch, cache: Path
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(numba.core.caching.IndexDataCacheFile, "_save_data", full)
    compiled = small(player=closing_over((0, 78)))
    assert compiled.player(compiled.initial()) == 78


def test_without_a_place_for_the_cache_rules_are_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(numba.core.caching.CacheImpl, "_locator_classes", [])
    compiled = small(player=closing_over((0, 77)))
    assert compiled.compiled == 1
    assert compiled.player(compiled.initial()) == 77


def test_a_missing_or_disabled_numba_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(numba.config, "DISABLE_JIT", True)
    with pytest.raises(UsageError, match="NUMBA_DISABLE_JIT"):
        small()
    monkeypatch.setattr(compiling.importlib.util, "find_spec", lambda name: None)
    assert not compiling.available()
    with pytest.raises(UsageError, match="needs numba"):
        small()


@pytest.mark.parametrize("enabled", [True, False])
def test_compiling_leaves_garbage_collection_as_it_was(enabled: bool) -> None:
    def initial(s: State) -> None:
        s.wide = 3 + enabled

    was = gc.isenabled()
    (gc.enable if enabled else gc.disable)()
    try:
        assert compile_game(Small({"initial": initial})).initial()
        assert gc.isenabled() is enabled
    finally:
        (gc.enable if was else gc.disable)()
