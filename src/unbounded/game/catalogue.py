# SPDX-License-Identifier: MIT
"""The games that can be named, and from a name, `connect-four(width=5,height=4)`, to the game.

Games are discovered: in `unbounded.games`, among the wrappers, in installed packages (entry
points of the group `unbounded.games`), and in any Python file: `./mygame.py:MyGame(size=4)`.
Games of other systems have a prefix, `open_spiel:hex(board_size=3)`.
"""

from __future__ import annotations

import functools
import importlib
import importlib.metadata
import inspect
import pkgutil
import re
import sys
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from unbounded.game import Game, UsageError, did_you_mean
from unbounded.game.game_files import (
    MOST_LISTED,
    AnyGame,
    GameClasses,
    class_in_file,
    failure_in,
    games_in,
    split_name,
    with_ending,
)
from unbounded.game.game_strings import BRIDGES, Call, Given, Node, Text, read, split_prefix
from unbounded.game.parameters import as_argument, bind, convert, hints_of
from unbounded.game.rule_errors import check_declared
from unbounded.game.wording import shortened


class FileRefusedError(UsageError):
    """A game from a file is named where no file may be opened."""


ENTRY_POINTS = "unbounded.games"
_PACKAGES = ("unbounded.games", "unbounded.game.wrappers")


def load_game(game: str | AnyGame, /, *, files: bool = True, **parameters: Any) -> AnyGame:
    """Return the game that a string names; a game is returned as it is.

    Parameters may stand in the string or be given by name: `load_game("hex", size=3)` is
    `load_game("hex(size=3)")`. With `files=False` no file is opened, whether Python or the
    parameter `file` of a game: for strings that come from strangers.

    >>> import unbounded as ub
    >>> ub.load_game("connect-four", width=5, height=4)
    <game connect-four(width=5,height=4)>
    """
    if isinstance(game, Game):
        if parameters:
            given = ", ".join(parameters)
            raise UsageError(f"{game} is made already, so it takes no parameters ({given})")
        return game
    if not isinstance(game, str):
        raise UsageError(f"a game or its string form is needed, not {_kind(game)}")
    return read_game(game, games(), files=files, parameters=parameters)


def games() -> GameClasses:
    """Return the classes of all games that can be named, by name.

    >>> import unbounded as ub
    >>> sorted(ub.games())[:3]
    ['amazons', 'blokus', 'breakthrough']
    """
    found = {**_installed(), **_built_in()}
    return dict(sorted(found.items()))


def describe(cls: type[AnyGame]) -> dict[str, Any]:
    """Describe a class of games: its name, its parameters, its rules."""
    rules = inspect.cleandoc(cls.__doc__ or "")
    parameters = []
    for name, parameter in cls.signature().items():
        required = parameter.default is inspect.Parameter.empty
        kind = parameter.annotation
        if kind is inspect.Parameter.empty:
            kind = ""
        elif not isinstance(kind, str):  # as it is where annotations are not kept as texts
            kind = inspect.formatannotation(kind)
        default = None if required else parameter.default
        parameters.append({"name": name, "type": kind, "required": required, "default": default})
    return {
        "name": cls.game_name(),
        "parameters": parameters,
        "summary": rules.partition("\n")[0],
        "rules": rules,
    }


def is_named(game: AnyGame, text: str) -> bool:
    """Whether a text names this game, in whatever folder its file lies: files are moved."""
    return _without_folders(str(game)) == _without_folders(text)


def _without_folders(text: str) -> str:
    return re.sub(r"[^(\[,=\"']*/(?=[^/]*\.py\b)", "", text)


def read_game(
    text: str,
    known: Mapping[str, type[AnyGame]],
    *,
    files: bool = True,
    parameters: Mapping[str, Any] | None = None,
) -> AnyGame:
    """Return the game that a string names, among the known ones only."""
    node = read(text)
    if parameters:
        call = _call(node)
        more = [(name, as_argument(name, value)) for name, value in parameters.items()]
        node = Call(call.name, (*call.arguments, *more))
    return _build(node, known, files)


# -- discovering games ----------------------------------------------------------------------------


@functools.cache
def _built_in() -> GameClasses:
    found: GameClasses = {}
    for package in map(importlib.import_module, _PACKAGES):
        for module in pkgutil.iter_modules(package.__path__, package.__name__ + "."):
            found.update(games_in(importlib.import_module(module.name)))
    return found


@functools.cache
def _installed() -> GameClasses:
    found: GameClasses = {}
    for entry in importlib.metadata.entry_points(group=ENTRY_POINTS):
        try:
            cls = entry.load()
            if not (isinstance(cls, type) and issubclass(cls, Game)):
                raise TypeError(f"{entry.value} is not a Game class")
            if cls.game_name() in _built_in():
                raise ValueError(f"there is already a game {cls.game_name()!r}")
            found[cls.game_name()] = cls
        except Exception as error:  # whatever a stranger's package does, the others stay usable
            message = f"the installed game {entry.name!r} cannot be used: {_one_line(error)}"
            warnings.warn(message, stacklevel=2)
    return found


NO_FILES = "games from files are not allowed here"
NAME_IT = (
    "a file is only run where you name it yourself: with GAME or --game ./mine.py:Mine on the "
    "command line, game=... in Python, --files for engine and mcp"
)


def _find(name: Text, known: Mapping[str, type[AnyGame]], files: bool) -> type[AnyGame]:
    in_file = split_name(name.text)
    if in_file is not None:
        if not files:
            raise FileRefusedError(f"{NO_FILES}: {shortened(name.text)}; {NAME_IT}")
        return class_in_file(*in_file)
    if name.text in known:
        return known[name.text]
    hint = with_ending(name.text) if files else ""
    hint = hint or did_you_mean(name.text, known)
    listed = ", ".join(sorted(known)[:MOST_LISTED])
    raise UsageError(
        f"unknown game {shortened(name.text)}{hint}; there are {len(known)}, such as {listed}; "
        "'unbounded games' lists them"
    )


# -- building -------------------------------------------------------------------------------------


def _call(node: Node) -> Call:
    if isinstance(node, Call):
        return node
    if isinstance(node, Text):
        return Call(node, ())
    raise UsageError(f"a game is needed, not {node}")


def _build(node: Node, known: Mapping[str, type[AnyGame]], files: bool) -> AnyGame:
    call = _call(node)
    foreign = split_prefix(call.name.text)
    if foreign is not None:
        return _build_foreign(*foreign, call, files)
    cls = _find(call.name, known, files)
    name = cls.game_name()
    bound = bind(name, cls.signature(), call.arguments)
    if "file" in bound and not files:
        raise FileRefusedError(f"{name}: {NO_FILES}; {NAME_IT}")
    hints = hints_of(cls.__init__)
    values = {
        parameter: convert(
            value,
            hints.get(parameter, Any),
            f"{name}: {parameter}",
            lambda inner: _build(inner, known, files),
        )
        for parameter, value in bound.items()
    }
    built = _construct(cls, name, values)
    _ = built.parameters  # raises now, rather than later, if one is not kept
    check_declared(built)
    return built


def _build_foreign(prefix: str, name: str, call: Call, files: bool) -> AnyGame:
    """Make a game of another system; parameters given in Python are added to its name."""
    given = ",".join(_written(prefix, *argument) for argument in call.arguments)
    if given:
        opened = name.rstrip().removesuffix(")") if "(" in name else f"{name}("
        name = f"{opened}{'' if opened.endswith('(') else ','}{given})"
    bridge = importlib.import_module(BRIDGES[prefix])  # by name: it is of a higher layer
    built: AnyGame = bridge.game_named(prefix, name, files)
    check_declared(built)
    return built


def _written(prefix: str, parameter: str | None, value: Node) -> str:
    if isinstance(value, Given) and isinstance(value.value, str):
        return f"{parameter}={value.value}"
    if parameter is None or not isinstance(value, Text):
        raise UsageError(f"{prefix}: {parameter} must be a number, true or false, or text")
    return f"{parameter}={value.text}"


def _construct(cls: type[AnyGame], name: str, values: Mapping[str, Any]) -> AnyGame:
    try:
        return cls(**values)
    except UsageError as error:
        raise UsageError(f"{name}: {_one_line(error)}") from error
    except Exception as error:
        file = getattr(sys.modules.get(cls.__module__), "__file__", None) or cls.__module__
        raise UsageError(f"{name} cannot be made: {failure_in(Path(file), error)}") from error


def _kind(thing: object) -> str:
    if isinstance(thing, type) and issubclass(thing, Game):
        return f"the class {thing.__name__}; make a game of it: {thing.__name__}(...)"
    return type(thing).__name__


def _one_line(error: BaseException) -> str:
    return " ".join(str(error).split())
