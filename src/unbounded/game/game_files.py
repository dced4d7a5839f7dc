# SPDX-License-Identifier: MIT
"""Games in Python files: `./mygame.py:MyGame` names the class `MyGame` of a file."""

from __future__ import annotations

import functools
import importlib.util
import re
import sys
import traceback
import zlib
from pathlib import Path
from types import ModuleType
from typing import Any

from unbounded.game import Game, RecordGame, UsageError, did_you_mean, quoted
from unbounded.game.wording import shortened

AnyGame = Game[Any, Any]
GameClasses = dict[str, type[AnyGame]]

MOST_LISTED = 12
"""Names in a message: all games of a file, or of the catalogue, may not fit on a line."""


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


def split_name(text: str) -> tuple[str, str | None] | None:
    """Return file and class of `FILE.py:CLASS`, where the class may be left out; else None."""
    by_path = re.fullmatch(r"(.+\.py)(?::([\w-]+))?", text)
    return None if by_path is None else (by_path[1], by_path[2])


def class_in_file(path: str, wanted: str | None) -> type[AnyGame]:
    """Return the game of this name in a file; without a name, the only game there."""
    found = _load(path)
    if wanted is None and len(found) == 1:
        return next(iter(found.values()))
    for cls in found.values():
        if wanted in (cls.__name__, _typed_name(cls)):
            return cls
    classes = [cls.__name__ for cls in found.values()]
    named = ", ".join(classes[:MOST_LISTED]) + (", ..." if len(classes) > MOST_LISTED else "")
    if wanted is None:
        raise UsageError(
            f"{path} has {len(found)} games ({named}); say which: {path}:NAME"
            if found
            else f"{path} has no game: a public class that derives from Game or RecordGame"
        )
    hint = did_you_mean(wanted, classes)
    raise UsageError(f"{path} has no game {wanted!r}{hint}; it has: {named or 'none'}")


def with_ending(text: str) -> str:
    """Return " (did you mean ...?)" for a file whose name lacks its ending."""
    path, colon, wanted = text.partition(":")
    try:
        found = Path(f"{path}.py").is_file()
    except (OSError, ValueError):
        found = False
    return f" (did you mean {shortened(f'{path}.py{colon}{wanted}')}?)" if found else ""


def _load(given: str) -> GameClasses:
    """Return the games in a Python file; each is named by file and class from then on."""
    path = Path(given)
    try:
        status = path.stat()
    except (OSError, ValueError) as error:
        raise UsageError(f"no such file: {shortened(given)}{_near(path)}") from error
    if path.is_dir():
        raise UsageError(f"{shortened(given)} is a directory; name a file in it: FILE.py:GAME")
    if not path.is_file():
        raise UsageError(f"not a file: {shortened(given)}")
    found = _games_in_file(path.resolve(), status.st_mtime_ns)
    for cls in found.values():
        name = quoted(f"{given}:{cls.__name__}")
        cls.game_name = classmethod(lambda _, name=name: name)  # type: ignore[assignment,method-assign]
    return found


def _near(path: Path) -> str:
    """Return " (did you mean ...?)" for a file beside it with a similar name."""
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
        raise UsageError(failure_in(path, error)) from error
    return games_in(module)


def failure_in(path: Path, error: BaseException) -> str:
    """Return in one line what went wrong in a file, and where."""
    lines = [f.lineno for f in traceback.extract_tb(error.__traceback__) if f.filename == str(path)]
    line = error.lineno if isinstance(error, SyntaxError) else lines[-1] if lines else None
    place = f"{path.name}, line {line}" if line else path.name
    what = error.msg if isinstance(error, SyntaxError) else " ".join(str(error).split())
    return f"{place}: {type(error).__name__}: {what}"


def _typed_name(cls: type[AnyGame]) -> str:
    return Game.game_name.__func__(cls)  # type: ignore[attr-defined,no-any-return]
