# SPDX-License-Identifier: MIT
"""Copies of functions that use other constants: one source for plain and for compiled rules.

A rule is written once, and runs as plain Python and compiled; both must calculate the same. With
constants of NumPy they would not: in plain Python an `int8` of 100 times 2 is -56, True plus True
is True, and a division by 0 is 0; compiled rules calculate in 64 bits, and raise. So plain rules
run as copies in which every constant of NumPy is a number of Python (`PlainNumbers`), and compiled
ones as copies in which the functions they call are compiled too (`native/compiling/building.py`).

A copy has the code of the original, and globals and a closure of its own; no code is rewritten. The
functions that it calls are copied with it, because they use constants too.

This module needs nothing but the standard library, as the contract does, which uses it.
"""

from __future__ import annotations

import dis
import functools
import itertools
import os
import sys
from collections.abc import Iterator, Set
from types import CellType, CodeType, FunctionType, ModuleType
from typing import Any


class FunctionCopies:
    """Copies functions, with all that they call; subclasses decide what the copies use instead."""

    def __init__(self) -> None:
        self.made: dict[int, Any] = {}
        self._modules: dict[tuple[int, frozenset[str]], ModuleType] = {}

    def constant(self, value: Any) -> Any:
        """Return what a copy uses in place of a value that is neither a function nor a module."""
        return value

    def function(self, value: Any) -> FunctionType | None:
        """Return the function to copy where this value is used; None if it is not to be copied."""
        plain = isinstance(value, FunctionType) and not is_foreign(value.__module__)
        return value if plain else None

    def code(self, function: FunctionType) -> CodeType:
        """Return the code of a function's copy."""
        return function.__code__

    def names(self, function: FunctionType, used: Set[str]) -> dict[str, Any]:
        """Return the globals of a function's copy, as a dictionary of its own."""
        return dict(function.__globals__)

    def finished(self, copy: FunctionType) -> Any:
        """Return what is used in place of a function, given its copy: the copy, or made from it."""
        return copy

    def of(self, function: FunctionType) -> Any:
        """Return what is used in place of a function; each function is copied once."""
        if id(function) in self.made:
            return self.made[id(function)]
        names, attributes = names_used(function.__code__)
        namespace, given = self.names(function, names), function.__closure__ or ()
        cells = tuple(CellType() for _ in given)
        defaults = self.constant(function.__defaults__)
        copy = FunctionType(self.code(function), namespace, function.__name__, defaults, cells)
        by_name = (function.__kwdefaults__ or {}).items()
        vars(copy).update(vars(function))
        copy.__kwdefaults__ = {name: self.constant(value) for name, value in by_name}
        # Stored before its callees are copied, because functions may call each other.
        made = self.made[id(function)] = self.finished(copy)
        for cell, original in zip(cells, given, strict=True):
            if _has_value(original):
                cell.cell_contents = self._usable(original.cell_contents, attributes)
        for name in names & namespace.keys():
            namespace[name] = self._usable(namespace[name], attributes)
        return made

    def _usable(self, value: Any, attributes: Set[str]) -> Any:
        function = self.function(value)
        if function is not None:
            return self.of(function)
        if isinstance(value, ModuleType) and not is_foreign(value.__name__):
            return self._module(value, frozenset(attributes))
        return self.constant(value)

    def _module(self, module: ModuleType, attributes: frozenset[str]) -> ModuleType:
        """Return a copy of a module, with those attributes replaced that are used."""
        stand_in = self._modules.get((id(module), attributes))
        if stand_in is None:
            stand_in = self._modules[id(module), attributes] = ModuleType(module.__name__)
            vars(stand_in).update(vars(module))
            # Stored before its attributes are replaced, because modules may hold each other.
            for name in attributes & vars(module).keys():
                setattr(stand_in, name, self._usable(getattr(module, name), attributes))
        return stand_in


def _has_value(cell: CellType) -> bool:
    try:
        _ = cell.cell_contents
    except ValueError:
        return False
    return True


class PlainNumbers(FunctionCopies):
    """Copies functions so that they read numbers of Python where they use constants of NumPy."""

    changed = False
    """Whether any function copied so far uses such constants."""

    def constant(self, value: Any) -> Any:
        np = sys.modules.get("numpy")
        if np is None or isinstance(value, _plain_array(np)):
            return value
        if isinstance(value, tuple):
            items = [self.constant(item) for item in value]
            if all(new is old for new, old in zip(items, value, strict=True)):
                return value
            return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
        numbers = isinstance(value, (np.ndarray, np.generic)) and value.dtype.kind in "biuf"
        if not numbers:
            return value
        self.changed = True
        return value.item() if isinstance(value, np.generic) else _plain(np, value)


def _plain(np: Any, array: Any) -> Any:
    """Return a copy of an array whose items are read as numbers of Python."""
    if array.dtype.kind == "u" and array.size > 0 and array.max() >= 2**63:
        raise OverflowError(f"{array.max()} in an array of {array.dtype} needs more than 63 bits")
    wide = {"i": np.int64, "u": np.int64, "f": np.float64}.get(array.dtype.kind, array.dtype)
    return array.astype(wide).view(_plain_array(np))


@functools.cache
def _plain_array(np: Any) -> Any:
    """Define the class of arrays whose items, and sums of them, are numbers of Python."""

    class PlainArray(np.ndarray):  # type: ignore[misc]  # NumPy may not be installed
        __slots__ = ()

        def __getitem__(self, key: Any) -> Any:
            # An index for each dimension is the usual case, and `item` is the fastest way then.
            if type(key) is tuple or self.ndim == 1:
                try:
                    return self.item(key)
                except (TypeError, ValueError):
                    pass
            found = super().__getitem__(key)
            return found.item() if isinstance(found, np.generic) else found

        def __array_wrap__(self, array: Any, *_: Any) -> Any:
            return array.item() if array.ndim == 0 else array.view(PlainArray)

    return PlainArray


# -- what a function uses -------------------------------------------------------------------------

_STANDARD_LIBRARY = os.path.dirname(os.__file__) + os.sep  # noqa: PTH120  # pathlib is slow to load


def is_foreign(module: str | None) -> bool:
    """Whether a module is of the standard library, of NumPy or of Numba."""
    top = (module or "").partition(".")[0]
    if top in sys.stdlib_module_names:
        # A user's file may have the name of a module of the standard library.
        file = getattr(sys.modules.get(top), "__file__", None)
        return file is None or file.startswith(_STANDARD_LIBRARY)
    return top in ("numpy", "numba", "llvmlite")


def codes(code: CodeType) -> Iterator[CodeType]:
    """Yield the code, and the codes of all functions and comprehensions inside it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from codes(constant)


@functools.lru_cache(4096)
def names_used(code: CodeType) -> tuple[frozenset[str], frozenset[str]]:
    """Return the names of globals and of attributes that the code uses."""
    names, attributes = set(), set()
    for instruction in itertools.chain.from_iterable(map(dis.get_instructions, codes(code))):
        if instruction.opname in ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS"):
            names.add(instruction.argval)
        elif instruction.opname in ("LOAD_ATTR", "LOAD_METHOD", "LOAD_SUPER_ATTR", "IMPORT_FROM"):
            attributes.add(instruction.argval)
    return frozenset(names), frozenset(attributes)


@functools.lru_cache(4096)
def modules_used(code: CodeType) -> frozenset[str]:
    """Return the names of the modules that the code imports, as they are written there."""
    instructions = itertools.chain.from_iterable(map(dis.get_instructions, codes(code)))
    return frozenset(x.argval for x in instructions if x.opname == "IMPORT_NAME")
