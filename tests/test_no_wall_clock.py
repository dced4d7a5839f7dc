# SPDX-License-Identifier: MIT
"""No test asserts that something takes less than so many seconds.

On a busy machine such a test fails for no fault of the program. Tests wait generously and count;
promises about time are measured by `make bench`.
"""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
CLOCKS = {"time", "monotonic", "perf_counter", "process_time", "perf_counter_ns", "monotonic_ns"}
SPANS = {"seconds", "taken", "took", "elapsed", "duration"}
"""What results and tests call a time that was measured."""


def reads_a_clock(node: ast.AST, measured: set[str]) -> bool:
    """Whether an expression is a time, or is made of one."""
    for part in ast.walk(node):
        if isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute):
            owner = part.func.value
            if isinstance(owner, ast.Name) and owner.id == "time" and part.func.attr in CLOCKS:
                return True
        if isinstance(part, ast.Name) and part.id in measured:
            return True
        if isinstance(part, ast.Attribute) and part.attr in SPANS:
            return True
        if isinstance(part, ast.Subscript) and getattr(part.slice, "value", "") in SPANS:
            return True
    return False


def is_constant(node: ast.AST) -> bool:
    """Whether an expression is a number that is written down."""
    return all(
        isinstance(x, ast.Constant | ast.BinOp | ast.UnaryOp | ast.operator | ast.unaryop)
        for x in ast.walk(node)
    )


def names_of_times(function: ast.AST) -> set[str]:
    """The names that a function gives to what it reads off a clock."""
    names: set[str] = set()
    for node in ast.walk(function):
        if isinstance(node, ast.Assign) and reads_a_clock(node.value, names):
            names |= {x.id for x in node.targets if isinstance(x, ast.Name)}
    return names


def bounded_above(compare: ast.Compare) -> list[tuple[ast.AST, ast.AST]]:
    """Pairs of what must be less, and of what it must be less than."""
    sides = [compare.left, *compare.comparators]
    pairs = []
    for left, operator, right in zip(sides, compare.ops, sides[1:], strict=False):
        if isinstance(operator, ast.Lt | ast.LtE):
            pairs.append((left, right))
        elif isinstance(operator, ast.Gt | ast.GtE):
            pairs.append((right, left))
    return pairs


def asserts_of_time(source: str) -> list[int]:
    """The lines of asserts that a time is less than a number."""
    found = set()
    for function in ast.walk(ast.parse(source)):
        if not isinstance(function, ast.FunctionDef):
            continue
        measured = names_of_times(function)
        for check in (x for x in ast.walk(function) if isinstance(x, ast.Assert)):
            for compare in (x for x in ast.walk(check.test) if isinstance(x, ast.Compare)):
                for less, more in bounded_above(compare):
                    if is_constant(more) and reads_a_clock(less, measured):
                        found.add(check.lineno)
    return sorted(found)


@pytest.mark.parametrize(
    "line",
    [
        "assert time.monotonic() - started < 3",
        "assert 2 * 5 > time.perf_counter() - started",
        "took = time.time() - started; assert x and took <= 1.0",
        "assert 0.3 <= result.seconds < 3",
        'assert answer["result"]["seconds"] < 3',
    ],
)
def test_it_is_noticed(line: str) -> None:
    assert asserts_of_time(f"def test_x():\n    started = time.monotonic()\n    {line}") == [3]


@pytest.mark.parametrize(
    "line",
    [
        "assert time.monotonic() - started >= 0.1",  # it waits at least so long
        "assert time.monotonic() < end",  # a guard against waiting for ever
        "assert count < 3",
        "assert player.decide().seconds < player.seconds_per_move",
    ],
)
def test_what_is_allowed(line: str) -> None:
    assert asserts_of_time(f"def test_x():\n    end = time.monotonic() + 60\n    {line}") == []


def test_no_test_asserts_a_wall_clock_time() -> None:
    found = {
        str(path.relative_to(TESTS)): lines
        for path in sorted(TESTS.rglob("*.py"))
        if (lines := asserts_of_time(path.read_text("utf-8")))
    }
    assert found == {}
