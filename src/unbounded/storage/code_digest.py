# SPDX-License-Identifier: MIT
"""A digest of code and of the constants it uses: equal digests, equal meaning.

What is hashed is the code that runs, not its source: a comment changes nothing, a prompt has no
source, and a file may have been edited since it was imported. So digests of different versions of
Python cannot be compared.
"""

from __future__ import annotations

import collections
import dis
import enum
import functools
import hashlib
import importlib.metadata
import sys
import sysconfig
from collections.abc import Mapping, Set
from dataclasses import fields, is_dataclass
from pathlib import Path
from types import (
    CodeType,
    EllipsisType,
    FunctionType,
    GenericAlias,
    GetSetDescriptorType,
    MappingProxyType,
    MemberDescriptorType,
    MethodType,
    ModuleType,
    NoneType,
)
from typing import Any, Self

from unbounded.game import Field, Game, RecordGame
from unbounded.game.function_copies import is_foreign, modules_used, names_used

LONGEST_PRINTED = 4096
"""Bits of a number that is written in decimal: Python refuses to for very long ones."""

PRINTED = (int, float, complex, str, bytes, NoneType, EllipsisType)

_GAME_RULES = frozenset(
    {"initial", "player", "actions", "next", "outcome", "score", "evaluate", "best_score_from"}
    | {"outcome_at_horizon", "symmetry", "relabel", "__init__"}
)
_NO_RULE = ("encode",)
"""Methods of a record game that no search uses."""

_OPTIONAL = ("reduced", "endgame", "endgame_sizes")
"""Rules that came later: a game without them keeps the digest it has always had."""

_BEYOND = frozenset({"__import__", "eval", "exec", "globals", "locals", "open", "vars"})
"""Names of functions by which code uses what cannot be seen in it."""

_NO_MEANING = frozenset(
    {"__annotations__", "__dataclass_fields__", "__dataclass_params__", "__dict__", "__doc__"}
    | {"__firstlineno__", "__module__", "__orig_bases__", "__parameters__", "__qualname__"}
    | {"__name__", "__static_attributes__", "__weakref__", "_abc_impl"}
)
"""Members of a class on which no answer of a rule depends."""


class CodeDigest:
    """A hash of functions, of all that they call, and of values that they use."""

    def __init__(self) -> None:
        self._hash = hashlib.sha256()
        self._seen: dict[int, int] = {}
        self._modules: set[tuple[int, Set[str]]] = set()
        self.complete = True
        """Whether everything could be hashed."""

    @classmethod
    def of(cls, *values: Any) -> Self:
        """Make the digest of some values."""
        digest = cls()
        for value in values:
            digest.add(value)
        return digest

    def text(self) -> str:
        """Return the digest in letters."""
        return self._hash.hexdigest()[:40]

    def add(self, value: Any, attributes: Set[str] = frozenset()) -> None:
        """Take in a value; of a module, those of its attributes that are named."""
        np = sys.modules.get("numpy")  # if it was not imported, nothing here is an array
        self._text(type(value).__qualname__)
        function = plain_function(value)
        if function is not None:
            self._add_function(function)
        elif isinstance(value, (tuple, list)):
            self._text(len(value), getattr(value, "_fields", None))
            for item in value:
                self.add(item)
        elif isinstance(value, CodeType):
            self._add_code(value)
        elif isinstance(value, ModuleType):
            self._add_module(value, attributes)
        elif np is not None and isinstance(value, (np.ndarray, np.generic)):
            self._add_array(value)
        elif isinstance(value, enum.EnumMeta):
            self.add(tuple(value.__members__.values()))
        elif isinstance(value, enum.Enum):
            self._text(value.name, value.value)
        elif isinstance(value, (*PRINTED, Field)):
            self._text(value)
        elif isinstance(value, (set, frozenset)):
            self._add_set(value)
        else:
            self._add_other(value, attributes)

    def _add_other(self, value: Any, attributes: Set[str]) -> None:
        """Take in a value of none of the usual kinds."""
        if self._is_library(getattr(value, "__module__", "?")):
            self._text(value.__module__, getattr(value, "__qualname__", value))
        else:
            self.complete = False

    def _is_library(self, module: str | None) -> bool:
        """Whether the contents of a module are taken as known."""
        return is_foreign(module)

    def _add_array(self, value: Any) -> None:
        self._text(value.dtype.str, value.shape)
        self._hash.update(value.tobytes())
        self.complete &= not value.dtype.hasobject

    def _add_set(self, value: Set[Any]) -> None:
        # The order of a set is no part of it, and may be another one tomorrow.
        items = [type(self).of(item) for item in value]
        self.complete &= all(item.complete for item in items)
        self._text(sorted(item.text() for item in items))

    def _first_time(self, value: object) -> bool:
        """Whether a value is met for the first time; else only its number is taken in."""
        if id(value) in self._seen:
            self._text(self._seen[id(value)])
            return False
        self._seen[id(value)] = len(self._seen)
        return True

    def _add_function(self, function: FunctionType) -> None:
        if not self._first_time(function):
            return
        self._add_code(function.__code__, function.__doc__)
        self.add(function.__defaults__)
        self.add(tuple((function.__kwdefaults__ or {}).items()))
        names, attributes = names_used(function.__code__)
        for cell in function.__closure__ or ():
            try:
                held = cell.cell_contents
            except ValueError:  # it has no value yet
                self.complete = False
            else:
                self.add(held, attributes)
        for name in sorted(names & function.__globals__.keys()):
            self._text(name)
            self.add(function.__globals__[name], attributes)
        for name in sorted(modules_used(function.__code__)):
            inside = f"{function.__globals__.get('__package__')}.{name}".rstrip(".")
            module = sys.modules.get(name) or sys.modules.get(inside)
            self.complete &= module is not None
            self.add(module, attributes)

    def _add_code(self, code: CodeType, docstring: str | None = None) -> None:
        self._text(code.co_code, code.co_exceptiontable, code.co_flags)
        self._text(code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount)
        self._text(code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
        constants = code.co_consts
        if docstring is not None and constants[:1] == (docstring,) and not _uses_first(code):
            constants = (None, *constants[1:])
        self.add(constants)

    def _add_module(self, module: ModuleType, attributes: Set[str]) -> None:
        self._text(module.__name__)
        if not self._is_library(module.__name__):
            for name in sorted(attributes & vars(module).keys()):
                self._text(name)
                value = getattr(module, name)
                if not isinstance(value, ModuleType):
                    self.add(value, attributes)
                elif (id(value), attributes) not in self._modules:  # modules may hold each other
                    self._modules.add((id(value), attributes))
                    self.add(value, attributes)

    def _text(self, *parts: object) -> None:
        for part in parts:
            long = isinstance(part, int) and part.bit_length() > LONGEST_PRINTED
            text = (f"{part:x}" if long else repr(part)).encode("utf-8", "backslashreplace")
            self._hash.update(len(text).to_bytes(8, "little") + text)


# -- the rules of a game --------------------------------------------------------------------------


def rules_digest(game: Game[Any, Any]) -> str:
    """Return a digest of the rules of a game, of their helpers and of their constants.

    Nothing, where they use something that cannot be hashed.
    """
    known: frozenset[str] = frozenset()
    while True:  # until no code that is reached uses another attribute
        digest = _RulesDigest(type(game), known)
        try:
            digest.add(game)
        except RecursionError:
            return ""
        if digest.used <= known:
            break
        known |= digest.used
    return f"{sys.implementation.cache_tag} {digest.text()}" if digest.complete else ""


class _RulesDigest(CodeDigest):
    """Also follows what Python objects are made of: classes, instances, games.

    known: names that code which is reached may use of modules and games.
    """

    def __init__(
        self, game: type[Game[Any, Any]] = Game, known: frozenset[str] = frozenset()
    ) -> None:
        super().__init__()
        self.known, self.used = known, set[str]()
        self._own = {top_package(cls.__module__) for cls in game.__mro__} - {"builtins", "typing"}

    def _is_library(self, module: str | None) -> bool:
        if is_foreign(module) or module == Game.__module__:
            return True
        return top_package(module) not in self._own and _installed_version(module) is not None

    def add(self, value: Any, attributes: Set[str] = frozenset()) -> None:
        """Take in a value; of a module, what any code that is reached may name."""
        if isinstance(value, enum.Enum):
            self._text(value.name)
            self.add(type(value))
        elif isinstance(value, enum.EnumMeta) and not self._is_library(value.__module__):
            self._add_enum(value)
        else:
            built_in = isinstance(value, (*PRINTED, tuple, list, set, frozenset, Mapping))
            if built_in and not self._is_library(type(value).__module__):
                self._add_class(type(value), frozenset())  # which may have methods of its own
            if isinstance(value, collections.defaultdict):
                self.add(value.default_factory)
            super().add(value, self.known)

    def _add_enum(self, kind: enum.EnumMeta) -> None:
        if not self._first_time(kind):
            return
        self.add([(name, each.value) for name, each in kind.__members__.items()])  # type: ignore[var-annotated]
        for base in kind.__mro__:
            if not self._is_library(base.__module__):
                for name in sorted(vars(base).keys() - _NO_MEANING):
                    inside = _unwrapped(vars(base)[name])
                    if isinstance(inside, (FunctionType, tuple)):
                        self._text(name)
                        self.add(inside)

    def _add_code(self, code: CodeType, docstring: str | None = None) -> None:
        super()._add_code(code, docstring)
        self.used |= set(code.co_names)
        self.used |= {x for x in code.co_consts if isinstance(x, str) and x.isidentifier()}
        self.complete &= not _BEYOND & set(code.co_names)

    def _add_function(self, function: FunctionType) -> None:
        if id(function) not in self._seen and vars(function):
            self.add([vars(function)[k] for k in sorted(vars(function)) if k not in _NO_MEANING])
        super()._add_function(function)

    def _add_other(self, value: Any, attributes: Set[str]) -> None:
        if isinstance(value, FunctionType) and value.__closure__ and self._first_time(value):
            for cell in value.__closure__:  # such as what functools.singledispatch makes
                self.add(cell.cell_contents)
        if isinstance(value, Game):
            self._add_game(value)
        elif isinstance(value, (Mapping, MappingProxyType)):
            self.add([(key, item) for key, item in value.items()])
        elif self._is_library(getattr(value, "__module__", None) or type(value).__module__):
            self._add_library(value)
        elif isinstance(value, type):
            self._add_class(value, attributes)
        else:
            self._add_instance(value)

    def _add_game(self, game: Game[Any, Any]) -> None:
        if not self._first_time(game):
            return
        self._text(game.players, bool(game.zero_sum), game.best_scores, game.symmetries)
        if game.single_winner and not game.zero_sum:
            self._text("single winner")
        if isinstance(game, RecordGame):
            self.add(game.state.fields)
            self._text(game.max_actions)
            for name, rule in vars(game.uncompiled).items():
                if name not in _NO_RULE and (rule or name not in _OPTIONAL):
                    self._text(name)
                    self.add(rule)
            return
        self._text(sorted(game.parameters))
        self.add([game.parameters[name] for name in sorted(game.parameters)])
        self._add_members(type(game), _GAME_RULES)

    def _add_members(self, cls: type, names: Set[str]) -> None:
        """Take in members of a class by name, and those that they use."""
        own = {name for base in cls.__mro__ for name in vars(base) if name.startswith("__")}
        open_names, done = sorted(names | self.known | (own - _NO_MEANING)), set[str]()
        while open_names:
            name = open_names.pop()
            if name in done:
                continue
            done.add(name)
            for base in cls.__mro__:  # all of them: one may call another by super()
                if name in vars(base) and not self._is_library(base.__module__):
                    member = vars(base)[name]
                    self._text(name)
                    self.add(_unwrapped(member))
                    function = plain_function(_unwrapped(member))
                    if function is not None:
                        open_names += sorted(names_used(function.__code__)[1])

    def _add_class(self, cls: type, attributes: Set[str]) -> None:
        self._text(cls.__qualname__)
        if issubclass(cls, Game):  # of which only what is used matters: not its drawings
            self._add_members(cls, attributes)
        elif self._first_time(cls):
            for base in cls.__mro__[:-1]:
                if not self._is_library(base.__module__):
                    for name in sorted(vars(base).keys() - _NO_MEANING):
                        self._text(name)
                        self.add(_unwrapped(vars(base)[name]))

    def _add_instance(self, value: Any) -> None:
        if not self._first_time(value):
            return
        if isinstance(value, MethodType):
            self.add(value.__func__)
            self.add(value.__self__)
            return
        self._add_class(type(value), frozenset())
        attributes = vars(value) if hasattr(value, "__dict__") else {}
        held = {name: attributes[name] for name in attributes.keys() - _NO_MEANING}
        slots = [name for base in type(value).__mro__ for name in _slots(base)]
        held |= {name: getattr(value, name) for name in slots if hasattr(value, name)}
        if is_dataclass(value):
            held |= {f.name: getattr(value, f.name) for f in fields(value)}
        self.complete &= bool(held) or not slots
        self.complete &= hasattr(value, "__dict__") or bool(slots)
        self.add([(name, held[name]) for name in sorted(held)])

    def _add_library(self, value: Any) -> None:
        module = getattr(value, "__module__", None)
        inside = getattr(value, "__wrapped__", None)
        if isinstance(inside, FunctionType):  # such as what functools.cache makes
            self.add(inside)
        elif isinstance(value, functools.partial):
            self.add((value.func, value.args, value.keywords))
        elif isinstance(value, (MemberDescriptorType, GetSetDescriptorType)):
            self._text(value.__name__)
        elif isinstance(value, (type, GenericAlias)) or callable(value):
            name = getattr(value, "__qualname__", None) or getattr(value, "__name__", None)
            self._text(module, name, _installed_version(module))
            self.complete &= name is not None
            bound_to = getattr(value, "__self__", None)
            if bound_to is not None and not isinstance(bound_to, ModuleType):
                self.add(bound_to)
        elif type(value).__name__ == "_tuplegetter":  # an item of a named tuple, by its place
            self._text(value.__reduce__()[1][0])
        elif isinstance(value, (range, slice)):
            self._text(value)
        elif type(value).__module__ == "dataclasses":  # its marks for "no default" and the like
            self._text(type(value).__qualname__)
        else:
            self.complete = False  # such as a file, or a generator of random numbers


def _slots(cls: type) -> list[str]:
    slots = vars(cls).get("__slots__", ())
    names = [slots] if isinstance(slots, str) else list(slots)
    return [name for name in names if name not in ("__dict__", "__weakref__")]


def _unwrapped(member: Any) -> Any:
    """Return the functions inside what a class holds."""
    if isinstance(member, (staticmethod, classmethod)):
        return member.__func__
    if isinstance(member, property):
        return tuple(f for f in (member.fget, member.fset) if f is not None)
    if isinstance(member, functools.cached_property):
        return member.func
    return member


# -- what a function uses -------------------------------------------------------------------------


def top_package(module: str | None) -> str:
    """Return the name of the outermost package of a module."""
    return (module or "").partition(".")[0]


@functools.cache
def _installed_version(module: str | None) -> str | None:
    """Return the version of the installed package that a module belongs to; None if to none."""
    top = top_package(module)
    file = getattr(sys.modules.get(top), "__file__", None)
    places = [Path(sysconfig.get_path(kind)) for kind in ("purelib", "platlib")]
    if file is None or not any(place in Path(file).parents for place in places):
        return None
    names = importlib.metadata.packages_distributions().get(top, ())
    return ", ".join(f"{name} {importlib.metadata.version(name)}" for name in names) or None


def plain_function(value: Any) -> FunctionType | None:
    """Return the function to hash or compile where a rule uses this value, if it is one."""
    # What its author has compiled already is taken as it was before: compiled, it has no checks.
    jitted = top_package(type(value).__module__) == "numba"
    function = getattr(value, "py_func", None) if jitted else value
    plain = isinstance(function, FunctionType) and not is_foreign(function.__module__)
    return function if plain else None


def _uses_first(code: CodeType) -> bool:
    """Whether the code uses its first constant, which may be its docstring too."""
    return any(
        instruction.opcode in dis.hasconst and instruction.arg == 0
        for instruction in dis.get_instructions(code)
    )
