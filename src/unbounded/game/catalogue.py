# SPDX-License-Identifier: MIT
"""From the string form of a game, `connect-four(width=5,height=4)`, to the game.

Games are found by looking: in `unbounded.games`, among the wrappers, in installed packages (entry
points of the group `unbounded.games`), and in any Python file: `./mygame.py:MyGame(size=4)`.
"""

from __future__ import annotations

import functools
import importlib
import importlib.metadata
import importlib.util
import inspect
import pkgutil
import re
import sys
import traceback
import typing
import warnings
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType, ModuleType, NoneType, UnionType
from typing import Any

from unbounded.game import Game, RecordGame, UsageError, did_you_mean, quoted
from unbounded.game.game_strings import Call, Items, Node, Text, read
from unbounded.game.rule_errors import check_declared

AnyGame = Game[Any, Any]
GameClasses = dict[str, type[AnyGame]]


class FileRefusedError(UsageError):
    """A game from a file is named where no file may be opened."""


ENTRY_POINTS = "unbounded.games"
_PACKAGES = ("unbounded.games", "unbounded.game.wrappers")


def load_game(text: str | AnyGame, *, files: bool = True) -> AnyGame:
    """Return the game that a string names; a game is returned as it is.

    With `files=False` no file is opened, whether Python or the parameter `file` of a game: for
    strings that come from strangers.
    """
    if isinstance(text, Game):
        return text
    if not isinstance(text, str):
        raise UsageError(f"a game or its string form is needed, not {_kind(text)}")
    return read_game(text, games(), files=files)


def games() -> GameClasses:
    """Return all games that can be named, by name."""
    found = {**_installed(), **_built_in()}
    return dict(sorted(found.items()))


def describe(cls: type[AnyGame]) -> dict[str, Any]:
    """Describe a kind of game: its name, its parameters, its rules."""
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
    """Whether a text names this game, wherever a file in it may lie: files are moved and copied."""
    return _without_folders(str(game)) == _without_folders(text)


def _without_folders(text: str) -> str:
    return re.sub(r"[^(\[,=\"']*/(?=[^/]*\.py\b)", "", text)


def read_game(text: str, known: Mapping[str, type[AnyGame]], *, files: bool = True) -> AnyGame:
    """Return the game that a string names, among the known ones only."""
    return _build(read(text), known, files)


# -- looking for games ----------------------------------------------------------------------------


def games_in(module: ModuleType) -> GameClasses:
    """Return the public games defined in a module, by name."""
    return {
        thing.game_name(): thing
        for name, thing in vars(module).items()
        if isinstance(thing, type)
        and issubclass(thing, Game)
        and thing not in (Game, RecordGame)
        and thing.__module__ == module.__name__
        and not name.startswith("_")
    }


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
    "command line, game=... in Python, --files for the engine"
)
MOST_LISTED = 12
"""Names in a message: a shelf is too long for a line."""


def _find(name: Text, known: Mapping[str, type[AnyGame]], files: bool) -> type[AnyGame]:
    by_path = re.fullmatch(r"(.+\.py)(?::([\w-]+))?", name.text)
    if by_path is None:
        if name.text in known:
            return known[name.text]
        hint = _meant_file(name.text) if files else ""
        hint = hint or did_you_mean(name.text, known)
        listed = ", ".join(sorted(known)[:MOST_LISTED])
        raise UsageError(
            f"unknown game {_short(name.text)}{hint}; there are {len(known)}, such as {listed}; "
            "'unbounded games' lists them"
        )
    if not files:
        raise FileRefusedError(f"{NO_FILES}: {_short(name.text)}; {NAME_IT}")
    path, wanted = by_path[1], by_path[2]
    found = _load(path)
    if wanted is None and len(found) == 1:
        return next(iter(found.values()))
    for cls in found.values():
        if wanted in (cls.__name__, _typed_name(cls)):
            return cls
    named = _listed([cls.__name__ for cls in found.values()])
    if wanted is None:
        raise UsageError(
            f"{path} has {len(found)} games ({named}); say which: {path}:NAME"
            if found
            else f"{path} has no game: a public class that derives from Game or RecordGame"
        )
    hint = did_you_mean(wanted, [cls.__name__ for cls in found.values()])
    raise UsageError(f"{path} has no game {wanted!r}{hint}; it has: {named or 'none'}")


def _meant_file(text: str) -> str:
    """Return " (did you mean ...?)" for a file whose name lacks its ending."""
    path, colon, wanted = text.partition(":")
    try:
        found = Path(f"{path}.py").is_file()
    except (OSError, ValueError):
        found = False
    return f" (did you mean {_short(f'{path}.py{colon}{wanted}')}?)" if found else ""


def _listed(names: Sequence[str]) -> str:
    more = ", ..." if len(names) > MOST_LISTED else ""
    return ", ".join(names[:MOST_LISTED]) + more


# -- games in files -------------------------------------------------------------------------------


def _load(given: str) -> GameClasses:
    """Return the games in a Python file; each is henceforth named by file and class."""
    path = Path(given)
    try:
        status = path.stat()
    except (OSError, ValueError) as error:
        raise UsageError(f"no such file: {_short(given)}{_near(path)}") from error
    if path.is_dir():
        raise UsageError(f"{_short(given)} is a directory; name a file in it: FILE.py:GAME")
    if not path.is_file():
        raise UsageError(f"not a file: {_short(given)}")
    found = _games_in_file(path.resolve(), status.st_mtime_ns)
    for cls in found.values():
        name = quoted(f"{given}:{cls.__name__}")
        cls.game_name = classmethod(lambda _, name=name: name)  # type: ignore[assignment,method-assign]
    return found


def _near(path: Path) -> str:
    """Return " (did you mean ...?)" for a file beside it that is named nearly like it."""
    try:
        near = did_you_mean(path.stem, [x.stem for x in path.parent.glob("*.py") if x.is_file()])
        return near.replace("'?)", ".py'?)")
    except (OSError, ValueError):
        return ""


@functools.cache
def _games_in_file(path: Path, changed: int) -> GameClasses:
    # The time of the last change is part of the name: a changed file is a new module.
    name = f"{path.stem}_{zlib.crc32(f'{path} {changed}'.encode()):08x}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        del sys.modules[name]
        raise UsageError(_blame(error, path)) from error
    return games_in(module)


def _blame(error: BaseException, path: Path) -> str:
    """Say in one line what went wrong in a file, and where."""
    lines = [f.lineno for f in traceback.extract_tb(error.__traceback__) if f.filename == str(path)]
    line = error.lineno if isinstance(error, SyntaxError) else lines[-1] if lines else None
    place = f"{path.name}, line {line}" if line else path.name
    what = error.msg if isinstance(error, SyntaxError) else _one_line(error)
    return f"{place}: {type(error).__name__}: {what}"


def _typed_name(cls: type[AnyGame]) -> str:
    return Game.game_name.__func__(cls)  # type: ignore[attr-defined,no-any-return]


# -- building -------------------------------------------------------------------------------------


def _build(node: Node, known: Mapping[str, type[AnyGame]], files: bool) -> AnyGame:
    call = node if isinstance(node, Call) else Call(node, ()) if isinstance(node, Text) else None
    if call is None:
        raise UsageError(f"a game is needed, not {node}")
    cls = _find(call.name, known, files)
    name = cls.game_name()
    hints = _hints(cls)
    bound = bind(name, cls.signature(), call)
    if "file" in bound and not files:
        raise FileRefusedError(f"{name}: {NO_FILES}; {NAME_IT}")
    values = {
        parameter: convert(value, hints.get(parameter, Any), f"{name}: {parameter}", known, files)
        for parameter, value in bound.items()
    }
    try:
        built = cls(**values)
    except UsageError as error:
        raise UsageError(f"{name}: {_one_line(error)}") from error
    except Exception as error:
        file = getattr(sys.modules.get(cls.__module__), "__file__", None) or cls.__module__
        raise UsageError(f"{name} cannot be made: {_blame(error, Path(file))}") from error
    _ = built.parameters  # now is the time to say that one is not kept
    check_declared(built)
    return built


def bind(name: str, signature: Mapping[str, inspect.Parameter], call: Call) -> dict[str, Node]:
    """Give each argument to its parameter, as a call in Python does."""
    kinds = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    parameters = {n: p for n, p in signature.items() if p.kind in kinds}
    places = [n for n, p in parameters.items() if p.kind is kinds[0]]
    listed = ", ".join(parameters) or "none"
    bound: dict[str, Node] = {}
    for place, (keyword, value) in enumerate(call.arguments):
        if keyword is None and place >= len(places):
            raise UsageError(f"{name}: too many parameters; it has: {listed}")
        if keyword is None and place > 0 and call.arguments[place - 1][0] is not None:
            raise UsageError(f"{name}: {value} needs a name, as the parameters before it")
        parameter = places[place] if keyword is None else keyword
        if parameter not in parameters:
            hint = did_you_mean(parameter, parameters)
            raise UsageError(f"{name} has no parameter {_short(parameter)}{hint}; it has: {listed}")
        if parameter in bound:
            raise UsageError(f"{name}: parameter {parameter!r} is given twice")
        bound[parameter] = value
    for parameter, description in parameters.items():
        if parameter not in bound and description.default is inspect.Parameter.empty:
            raise UsageError(f"{name} needs a parameter {parameter!r}")
    return bound


def _hints(cls: type[AnyGame]) -> dict[str, Any]:
    try:
        return typing.get_type_hints(cls.__init__)
    except Exception:  # an annotation that cannot be evaluated: then values are taken as they look
        return {}


def convert(
    node: Node,
    wanted: Any,
    where: str,
    known: Mapping[str, type[AnyGame]] = MappingProxyType({}),
    files: bool = False,
) -> Any:
    """Return the value that the text of a parameter stands for, of the wanted type."""
    origin, inner = typing.get_origin(wanted) or wanted, typing.get_args(wanted)
    if origin in (typing.Union, UnionType):
        return _convert_one_of(node, inner, where, known, files)
    if isinstance(origin, type) and issubclass(origin, Game):
        built = _build(node, known, files)
        if not isinstance(built, origin):
            raise UsageError(f"{where} must be a {origin.__name__}, and {built} is none")
        return built
    if isinstance(node, Items) and (wanted is Any or _is_sequence(origin)):
        element = inner[0] if inner else Any
        items = [convert(v, element, f"{where}[{i}]", known, files) for i, v in enumerate(node)]
        return items if origin is list else tuple(items)
    if wanted is Any:
        return _build(node, known, files) if isinstance(node, Call) else _guess(node)
    reader = _READERS.get(origin)
    if isinstance(node, Text) and reader is not None:
        value = reader[1](node)
        if value is not None:
            return None if origin is NoneType else value
    if reader is None and not _is_sequence(origin):
        raise UsageError(f"{where} cannot be given in a game string")
    raise UsageError(f"{where} must be {reader[0] if reader else 'a list'}, not {node}")


def _convert_one_of(node: Node, types: Sequence[Any], where: str, known: Any, files: bool) -> Any:
    errors = []
    for wanted in types:
        try:
            return convert(node, wanted, where, known, files)
        except UsageError as error:
            errors.append(error)
    raise errors[0]


def _is_sequence(origin: Any) -> bool:
    return isinstance(origin, type) and issubclass(origin, Sequence) and origin not in (str, bytes)


def _integer(node: Text) -> int | None:
    if node.in_quotes or not re.fullmatch(r"[+-]?[0-9]+", node.text):
        return None
    if len(node.text) > 19:
        raise UsageError(f"a number is too large: {_short(node.text)}")
    return int(node.text)


def _number(node: Text) -> float | None:
    decimal = re.fullmatch(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]+)?", node.text)
    return float(node.text) if decimal and not node.in_quotes else None


def _flag(node: Text) -> bool | None:
    return None if node.in_quotes else {"true": True, "false": False}.get(node.text)


def _guess(node: Node) -> Any:
    assert isinstance(node, Text)
    for read_as in (_integer, _flag):
        value = read_as(node)
        if value is not None:
            return value
    return node.text


_READERS: dict[Any, tuple[str, Any]] = {
    int: ("an integer", _integer),
    float: ("a number", _number),
    bool: ("true or false", _flag),
    str: ("a word", lambda node: node.text),
    NoneType: ("none", lambda node: True if node.text in ("none", "None") else None),
}


# -- saying things in one line --------------------------------------------------------------------


def _kind(thing: object) -> str:
    if isinstance(thing, type) and issubclass(thing, Game):
        return f"the class {thing.__name__}; make a game of it: {thing.__name__}(...)"
    return type(thing).__name__


def _short(text: str) -> str:
    return repr(text if len(text) <= 60 else text[:57] + "...")


def _one_line(error: BaseException) -> str:
    return " ".join(str(error).split())
