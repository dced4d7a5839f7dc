# SPDX-License-Identifier: MIT
"""Parameters of games and players: from what was written, or given in Python, to typed values."""

from __future__ import annotations

import inspect
import re
import typing
from collections.abc import Callable, Mapping, Sequence
from types import NoneType, UnionType
from typing import Any

from unbounded.game import Game, UsageError, did_you_mean, plain
from unbounded.game.game_strings import Call, Given, Items, Node, Text, read
from unbounded.game.wording import shortened

AnyGame = Game[Any, Any]


Build = Callable[[Node], AnyGame]
"""Makes the game that a part of a game string names."""


def as_argument(name: str, value: Any) -> Node:
    """Return a value given in Python as an argument of a game string."""
    if value is None or isinstance(value, (str, Game)):
        return Given(value)
    if isinstance(value, bool):
        return Text("true" if value else "false")
    value = plain(value)
    if isinstance(value, (int, float)):
        return Text(repr(value))
    if isinstance(value, (list, tuple)):
        return Items(tuple(as_argument(f"{name}[{i}]", v) for i, v in enumerate(value)))
    raise UsageError(
        f"{name} cannot be of type {type(value).__name__}: a parameter is a number, true or false, "
        "text, a game, or a list of them"
    )


def bind(
    name: str,
    signature: Mapping[str, inspect.Parameter],
    arguments: Sequence[tuple[str | None, Node]],
) -> dict[str, Node]:
    """Assign each argument to its parameter, as a call in Python does."""
    kinds = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    parameters = {n: p for n, p in signature.items() if p.kind in kinds}
    places = [n for n, p in parameters.items() if p.kind is kinds[0]]
    listed = ", ".join(parameters) or "none"
    bound: dict[str, Node] = {}
    for place, (keyword, value) in enumerate(arguments):
        if keyword is None and place >= len(places):
            raise UsageError(f"{name}: too many parameters; it has: {listed}")
        if keyword is None and place > 0 and arguments[place - 1][0] is not None:
            raise UsageError(f"{name}: {value} needs a name, as the parameters before it")
        parameter = places[place] if keyword is None else keyword
        if parameter not in parameters:
            hint = did_you_mean(parameter, parameters)
            known = f"it has: {listed}"
            raise UsageError(f"{name} has no parameter {shortened(parameter)}{hint}; {known}")
        if parameter in bound:
            raise UsageError(f"{name}: parameter {parameter!r} is given twice")
        bound[parameter] = value
    for parameter, description in parameters.items():
        if parameter not in bound and description.default is inspect.Parameter.empty:
            raise UsageError(f"{name} needs a parameter {parameter!r}")
    return bound


def hints_of(constructor: Callable[..., Any]) -> dict[str, Any]:
    """Return the types of a constructor's parameters; none if they cannot be evaluated."""
    try:
        return typing.get_type_hints(constructor)
    except Exception:  # then values are taken as they are written
        return {}


def convert(argument: Node, wanted: Any, where: str, build: Build | None = None) -> Any:
    """Return the value of an argument, of the wanted type; games are made by `build`."""
    origin, inner = typing.get_origin(wanted) or wanted, typing.get_args(wanted)
    if origin in (typing.Union, UnionType):
        return _convert_one_of(argument, inner, where, build)
    if isinstance(origin, type) and issubclass(origin, Game):
        return _convert_game(argument, origin, where, build)
    if isinstance(argument, Items) and (wanted is Any or _is_sequence(origin)):
        element = inner[0] if inner else Any
        items = [convert(v, element, f"{where}[{i}]", build) for i, v in enumerate(argument)]
        return items if origin is list else tuple(items)
    if wanted is Any:
        return _guess(argument, where, build)
    return _convert_text(argument, origin, where)


def _convert_text(argument: Node, origin: Any, where: str) -> Any:
    reader = _READERS.get(origin)
    is_type = isinstance(origin, type)
    if isinstance(argument, Given) and is_type and isinstance(argument.value, origin):
        return argument.value
    if isinstance(argument, Text) and reader is not None:
        value = reader[1](argument)
        if value is not None:
            return None if origin is NoneType else value
    if reader is None and not _is_sequence(origin):
        raise UsageError(f"{where} cannot be given in a game string")
    raise UsageError(f"{where} must be {reader[0] if reader else 'a list'}, not {argument}")


def _convert_game(
    argument: Node, wanted: type[AnyGame], where: str, build: Build | None
) -> AnyGame:
    if build is None:
        raise UsageError(f"{where} cannot be a game")
    if isinstance(argument, Given):
        value = argument.value
        built = build(read(value)) if isinstance(value, str) else value
    else:
        built = build(argument)
    if not isinstance(built, wanted):
        named = f"{built} is none" if isinstance(built, Game) else f"not {argument}"
        joined = ", and " if isinstance(built, Game) else ", "
        raise UsageError(f"{where} must be a {wanted.__name__}{joined}{named}")
    return built


def _convert_one_of(argument: Node, types: Sequence[Any], where: str, build: Build | None) -> Any:
    errors = []
    for wanted in types:
        try:
            return convert(argument, wanted, where, build)
        except UsageError as error:
            errors.append(error)
    raise errors[0]


def _is_sequence(origin: Any) -> bool:
    return isinstance(origin, type) and issubclass(origin, Sequence) and origin not in (str, bytes)


def _integer(node: Text) -> int | None:
    if node.in_quotes or not re.fullmatch(r"[+-]?[0-9]+", node.text):
        return None
    if len(node.text) > 19:
        raise UsageError(f"a number is too large: {shortened(node.text)}")
    return int(node.text)


def _number(node: Text) -> float | None:
    decimal = re.fullmatch(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]+)?", node.text)
    return float(node.text) if decimal and not node.in_quotes else None


def _flag(node: Text) -> bool | None:
    return None if node.in_quotes else {"true": True, "false": False}.get(node.text)


def _guess(argument: Node, where: str, build: Build | None) -> Any:
    """Return a value of the type that it seems to have."""
    if isinstance(argument, Given):
        return argument.value
    if isinstance(argument, Call):
        return _convert_game(argument, Game, where, build)
    assert isinstance(argument, Text)
    for read_as in (_integer, _flag):
        value = read_as(argument)
        if value is not None:
            return value
    return argument.text


_READERS: dict[Any, tuple[str, Callable[[Text], Any]]] = {
    int: ("an integer", _integer),
    float: ("a number", _number),
    bool: ("true or false", _flag),
    str: ("a word", lambda node: node.text),
    NoneType: ("none", lambda node: True if node.text in ("none", "None") else None),
}
