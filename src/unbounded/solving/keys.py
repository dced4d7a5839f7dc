# SPDX-License-Identifier: MIT
"""States as texts that can be looked up: equal states have equal texts, others have others.

The state of a record game is its bytes. Any other state may be anything that Python can compare, so
only values of types with a known equality are written; others raise an error. The `repr` would not
do: it is written for people, and two different states may have the same one.
"""

from __future__ import annotations

import dataclasses
import enum
import functools
import json
import math
import sys
from typing import Any

from unbounded.game import Game, RecordGame, UsageError

_PLAIN = (int, float, str, bytes, tuple, list, frozenset, set)
_LONG = 1 << 63


def text_of(game: Game[Any, Any], state: Any) -> str:
    """Return the text of a state, or raise `UsageError` if none can stand for it alone."""
    if isinstance(game, RecordGame):
        return bytes(state).hex()
    try:
        return _text(state, _home_of(game))
    except RecursionError:
        raise UsageError(f"{game} has states that are nested too deeply for a table") from None
    except _CannotBeWrittenError as error:
        raise UsageError(
            f"{game} has states that a table cannot tell apart for sure: {error}. Make them of "
            "numbers, texts, tuples, enums, named tuples and frozen dataclasses"
        ) from None


class _CannotBeWrittenError(Exception):
    """A value of which it is not known when another one is equal to it."""


def _home_of(game: Game[Any, Any]) -> str:
    """The module of the game, whose name may change: one in a file is named by time and place."""
    while isinstance(inside := getattr(game, "game", None), Game):
        game = inside
    return type(game).__module__


def _text(value: Any, home: str) -> str:
    numpy = sys.modules.get("numpy")
    if numpy is not None and isinstance(value, (numpy.bool_, numpy.number)):
        value = value.item()  # equal to Python's own, and with the same hash
    kind: Any = type(value)
    if value is None:
        return "None"
    if isinstance(value, _PLAIN):
        return _plain_text(value, home)
    if kind.__eq__ is object.__eq__ and isinstance(value, enum.Enum):
        member = str(value.value) if isinstance(value, enum.Flag) else _quoted(value.name)
        return f"{_name_of(kind, home)}.{member}"
    if hasattr(kind, "__dataclass_fields__") and _compares_fields(kind):
        compared = [field.name for field in dataclasses.fields(value) if field.compare]
        return _name_of(kind, home) + _listed("()", [getattr(value, n) for n in compared], home)
    raise _CannotBeWrittenError(f"{kind.__name__} is compared in a way of its own")


def _plain_text(value: Any, home: str) -> str:
    """Write a value of Python's own types, or of a class made from one that compares like it.

    Such a class is not named: a named tuple is equal to the tuple with the same items. Its contents
    are read by the plain type's own methods, because its own may be overridden.
    """
    own: Any = type(value)
    kind: Any = next(each for each in _PLAIN if isinstance(value, each))
    if own.__eq__ is not kind.__eq__ or own.__hash__ is not kind.__hash__:
        raise _CannotBeWrittenError(f"{own.__name__} is compared in a way of its own")
    if kind is int:
        return _integer_text(int.__index__(value))
    if kind is float:
        return _float_text(float.__float__(value))
    if kind is str:
        return _quoted(str.__str__(value))
    if kind is bytes:
        return f'b"{bytes.hex(value)}"'
    if kind in (tuple, list):
        return _listed("()" if kind is tuple else "[]", kind.__iter__(value), home)
    return "{" + ",".join(sorted(_text(item, home) for item in kind.__iter__(value))) + "}"


def _integer_text(number: int) -> str:
    return str(number) if -_LONG < number < _LONG else hex(number)  # endless decimals are refused


def _float_text(number: float) -> str:
    """Write a number: 1, 1.0 and True are equal, and so are 0.0 and -0.0."""
    if math.isnan(number):
        raise _CannotBeWrittenError("nan is not equal to itself")
    return _integer_text(int(number)) if number.is_integer() else repr(number)


def _listed(brackets: str, items: Any, home: str) -> str:
    return brackets[0] + ",".join(_text(item, home) for item in items) + brackets[1]


def _name_of(kind: Any, home: str) -> str:
    """Name a class so that no other has the name: by where it is found."""
    found: Any = sys.modules.get(kind.__module__)
    for part in kind.__qualname__.split("."):
        found = getattr(found, part, None)
    if found is not kind:
        raise _CannotBeWrittenError(
            f"the class {kind.__qualname__} is not found by its name; it must be at the top of a "
            "module"
        )
    module = "" if kind.__module__ == home else kind.__module__
    return f"{_quoted(module)}.{_quoted(kind.__qualname__)}"


@functools.cache
def _compares_fields(kind: Any) -> bool:
    """Whether a dataclass compares as dataclasses do: by class and fields, and nothing else."""
    fields = [
        (field.name, object, dataclasses.field(compare=field.compare))
        for field in dataclasses.fields(kind)
    ]
    twin = dataclasses.make_dataclass("Twin", fields)

    def code(method: Any) -> Any:
        code = getattr(method, "__code__", None)
        return code and (code.co_code, code.co_names, code.co_consts, code.co_freevars)

    return bool(code(kind.__eq__) == code(twin.__eq__))


def _quoted(text: str) -> str:
    """Write a text as JSON does; but one with halves of characters, which JSON would join."""
    halves = any("\ud800" <= letter <= "\udfff" for letter in text)
    return f"u{text!a}" if halves else json.dumps(text)
