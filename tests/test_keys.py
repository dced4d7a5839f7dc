# SPDX-License-Identifier: MIT
"""Keys of states: the same for equal states, another one for every other."""

from __future__ import annotations

import dataclasses
import enum
from fractions import Fraction
from itertools import combinations_with_replacement
from typing import Any, NamedTuple

import numpy as np
import pytest

from unbounded.game import Game, UsageError
from unbounded.game.wrappers import horizon
from unbounded.solving.keys import text_of


class Point(NamedTuple):
    x: Any
    y: Any


class Color(enum.Enum):
    RED = 1
    BLUE = 2
    CRIMSON = 1


class Shade(enum.Enum):
    RED = 1


class Number(enum.IntEnum):
    ONE = 1


class Way(enum.Flag):
    UP = 1
    DOWN = 2


@dataclasses.dataclass(frozen=True)
class Heap:
    left: Any
    turn: Any = 0
    note: Any = dataclasses.field(default="", compare=False)

    def __repr__(self) -> str:
        return "a heap"


@dataclasses.dataclass(frozen=True)
class Pile(Heap):
    pass


class Undecorated(Heap):
    pass


@dataclasses.dataclass(frozen=True)
class Empty:
    pass


class Liar(tuple):  # type: ignore[type-arg]
    """Compared as a tuple, whatever it says of itself."""

    def __iter__(self) -> Any:
        return iter((7, 7))


class Seven(int):
    def __int__(self) -> int:
        return 7

    def __str__(self) -> str:
        return "7"


NUMBERS = [0, 0.0, -0.0, False, 1, 1.0, True, Number.ONE, 2, 0.5, 1e300, 10**300, 10**5000]
NUMBERS += [np.int8(1), np.float64(0.5), np.float32(0.5), np.float32(0.1), 0.1, np.bool_(True)]
NUMBERS += [float("inf"), -float("inf"), 2**63, float(2**63), -1]
TEXTS = ["", "1", "a", "None", '"', "\\", "a,b", "\u00e9", "\ud800", b"", b"a", b"1"]
SMALL = [None, (), frozenset(), [], (1, 2), [1, 2], ((1,), 2), (1, (2,)), frozenset({1, 2})]
SMALL += [Point(1, 2), Point(1.0, True), frozenset({True, 2.0}), frozenset({(1, 2)}), ("a", "b")]
SMALL += [Liar((1, 2)), Liar((3,)), (7, 7), (Seven(1), 2)]
SMALL += [("a,b",), ('a","b',), {2, 1}, frozenset({frozenset({1, 2})}), frozenset({"a", 1})]
NAMED = [*Color, Color.CRIMSON, *Shade, *Way, Way.UP | Way.DOWN, Empty()]
NAMED += [Heap(1), Heap(1.0, False), Heap(1, 0, "other"), Heap(0, 1), Pile(1), Undecorated(1)]
NAMED += [Heap("1"), Heap((Color.RED, Heap(1))), Heap((Shade.RED, Heap(1))), Heap(frozenset({1}))]
VALUES = [*NUMBERS, *TEXTS, *SMALL, *NAMED, *((x,) for x in (*NUMBERS, *TEXTS, *NAMED))]


class Anything(Game[Any, int]):
    """A game whose states do not matter."""


def same(a: Any, b: Any) -> bool:
    """Whether a dictionary takes one for the other."""
    try:
        return hash(a) == hash(b) and a == b
    except TypeError:  # what cannot be a key by itself may be a part of one
        return not isinstance(a, np.generic) and not isinstance(b, np.generic) and bool(a == b)


def test_equal_states_and_no_others_have_equal_keys() -> None:
    game = Anything()
    for a, b in combinations_with_replacement(VALUES, 2):
        assert (text_of(game, a) == text_of(game, b)) == same(a, b), (a, b)


class Oddly(tuple):  # type: ignore[type-arg]
    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = tuple.__hash__


class Plain:
    pass


class Own:
    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 0


@dataclasses.dataclass(frozen=True)
class Loose:
    left: int

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Loose)

    def __hash__(self) -> int:
        return 0


@dataclasses.dataclass(eq=False)
class Itself:
    left: int


@dataclasses.dataclass(frozen=True, eq=False)
class Inherited(Heap):
    more: int = 0


@dataclasses.dataclass(frozen=True)
class Both(tuple):  # type: ignore[type-arg]
    left: int = 0


def local() -> Any:
    @dataclasses.dataclass(frozen=True)
    class Heap:
        left: int

    return Heap(1)


def nested() -> Any:
    value: Any = ()
    for _ in range(100_000):
        value = (value,)
    return value


@pytest.mark.parametrize(
    ("state", "words"),
    [
        (Oddly((1,)), "Oddly is compared in a way of its own"),
        (Plain(), "Plain"),
        (Own(), "Own"),
        (Loose(1), "Loose"),
        (Itself(1), "Itself"),
        (Inherited(1), "Inherited"),
        (Both(), "Both"),
        (Heap, "type"),
        (Fraction(1, 2), "Fraction"),
        (float("nan"), "nan is not equal to itself"),
        (np.longdouble(1), "longdouble"),
        (np.array([1]), "ndarray"),
        (local(), "top of a module"),
        (nested(), "nested too deeply"),
    ],
    ids=lambda x: x if isinstance(x, str) else "",
)
def test_what_cannot_be_told_apart_is_refused(state: Any, words: str) -> None:
    for each in (state, (0, state)) if "nested" not in words else (state,):
        with pytest.raises(UsageError, match="anything has states") as refused:
            text_of(Anything(), each)
        assert words in str(refused.value)


def test_the_module_of_the_game_is_not_named() -> None:
    """A game in a file is a module that has another name tomorrow."""
    game = Anything()
    assert text_of(game, Heap(1)) == '""."Heap"(1,0)'
    assert text_of(horizon(game, 3), Heap(1)) == '""."Heap"(1,0)'
    assert text_of(Game(), Heap(1)) == f'"{__name__}"."Heap"(1,0)'


def test_halves_of_characters_are_not_joined() -> None:
    assert text_of(Game(), "\ud83d\ude00") != text_of(Game(), "\U0001f600")
