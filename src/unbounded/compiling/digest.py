# SPDX-License-Identifier: MIT
"""A digest of everything that machine code depends on, for the names in Numba's cache."""

from __future__ import annotations

import enum
import functools
import hashlib
import importlib
import inspect
import pkgutil
import sys
import uuid
from collections.abc import Set
from types import CodeType, EllipsisType, FunctionType, ModuleType, NoneType
from typing import Any

from unbounded import twins
from unbounded.compiling.native_types import libraries
from unbounded.game import Field
from unbounded.twins import is_foreign, names_used

PRINTED = (int, float, complex, str, bytes, NoneType, EllipsisType)


class Digest:
    """A hash of everything that machine code depends on."""

    def __init__(self) -> None:
        self._hash = hashlib.sha256()
        self._seen: dict[int, int] = {}
        self.complete = True
        """Whether everything could be hashed; if not, the code must not be cached."""
        self._text(*_surroundings())

    @classmethod
    def of(cls, *values: Any) -> Digest:
        """Make the digest of some values."""
        digest = cls()
        for value in values:
            digest.add(value)
        return digest

    def text(self) -> str:
        """Return the digest in letters."""
        return self._hash.hexdigest()[:40] if self.complete else uuid.uuid4().hex

    def add(self, value: Any, attributes: Set[str] = frozenset()) -> None:
        """Take in a value; of a module, those of its attributes that are named."""
        np = libraries().numpy
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
        elif isinstance(value, (np.ndarray, np.generic)):
            self._text(value.dtype.str, value.shape)
            self._hash.update(value.tobytes())
            # Of a bigger array the machine code holds the address, not the contents.
            self.complete &= value.nbytes <= 10**6
        elif isinstance(value, enum.EnumMeta):
            self.add(tuple(value.__members__.values()))
        elif isinstance(value, enum.Enum):
            self._text(value.name, value.value)
        elif isinstance(value, (*PRINTED, Field)):
            self._text(value)
        elif isinstance(value, frozenset):
            self._text(*sorted(map(repr, value)))
        elif is_foreign(getattr(value, "__module__", "?")):
            self._text(value.__module__, getattr(value, "__qualname__", value))
        else:
            self.complete = False

    def _add_function(self, function: FunctionType) -> None:
        if id(function) in self._seen:
            self._text(self._seen[id(function)])
            return
        self._seen[id(function)] = len(self._seen)
        self._add_code(function.__code__)
        self.add(function.__defaults__)
        self.add(tuple((function.__kwdefaults__ or {}).items()))
        names, attributes = names_used(function.__code__)
        for cell in function.__closure__ or ():
            try:
                held = cell.cell_contents
            except ValueError:  # it has no value, and the builder will say so
                self.complete = False
            else:
                self.add(held, attributes)
        for name in sorted(names & function.__globals__.keys()):
            self._text(name)
            self.add(function.__globals__[name], attributes)

    def _add_code(self, code: CodeType) -> None:
        # The code and not its source: a comment changes nothing, and a prompt has no source.
        self._text(code.co_code, code.co_exceptiontable, code.co_flags)
        self._text(code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount)
        self._text(code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
        self.add(code.co_consts)

    def _add_module(self, module: ModuleType, attributes: Set[str]) -> None:
        self._text(module.__name__)
        if not is_foreign(module.__name__):
            for name in sorted(attributes & vars(module).keys()):
                self._text(name)
                self.add(getattr(module, name), attributes - {name})

    def _text(self, *parts: object) -> None:
        for part in parts:
            text = repr(part).encode()
            self._hash.update(len(text).to_bytes(8, "little") + text)


@functools.cache
def _surroundings() -> tuple[object, ...]:
    """What machine code depends on besides the rules: versions, the processor, this package."""
    numba, np = libraries().numba, libraries().numpy
    processor = libraries().registry.cpu_target.target_context.codegen().magic_tuple()
    settings = (numba.config.BOUNDSCHECK, numba.config.OPT)
    versions = (numba.__version__, np.__version__, sys.implementation.cache_tag)
    return versions, processor, settings, own_source()


def own_source() -> list[str]:
    """Return the sources of all modules of this package, and of what makes functions anew."""
    package = importlib.import_module(__package__)
    inside = [f"{__package__}.{module.name}" for module in pkgutil.iter_modules(package.__path__)]
    names = (__package__, *inside, twins.__name__)
    try:
        return [inspect.getsource(importlib.import_module(name)) for name in names]
    except OSError:
        return []  # and Numba caches only what has a source file


# -- what a function uses -------------------------------------------------------------------------


def plain_function(value: Any) -> FunctionType | None:
    """Return the function to compile where a rule uses this value, if it is one."""
    # What its author has compiled already is compiled again, for it has none of our checks.
    function = value.py_func if libraries().extending.is_jitted(value) else value
    plain = isinstance(function, FunctionType) and not is_foreign(function.__module__)
    return function if plain else None
