# SPDX-License-Identifier: MIT
"""A digest of everything that machine code depends on, for the names in Numba's cache."""

from __future__ import annotations

import functools
import importlib
import inspect
import pkgutil
import sys
import uuid
from typing import Any

from unbounded.game import function_copies
from unbounded.native.compiling.native_types import libraries
from unbounded.storage import code_digest
from unbounded.storage.code_digest import CodeDigest


class Digest(CodeDigest):
    """A hash of everything that machine code depends on; what is not complete is not cached."""

    def __init__(self) -> None:
        super().__init__()
        self._text(*_surroundings())

    def text(self) -> str:
        return super().text() if self.complete else uuid.uuid4().hex

    def _add_array(self, value: Any) -> None:
        super()._add_array(value)
        # Of a bigger array the machine code holds the address, not the contents.
        self.complete &= value.nbytes <= 10**6


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
    names = (__package__, *inside, code_digest.__name__, function_copies.__name__)
    try:
        return [inspect.getsource(importlib.import_module(name)) for name in names]
    except OSError:
        return []  # and Numba caches only what has a source file
