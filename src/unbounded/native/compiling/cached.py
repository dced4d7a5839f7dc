# SPDX-License-Identifier: MIT
"""Thunks from Numba's cache on disk; a cache that fails is ignored."""

from __future__ import annotations

import contextlib
import functools
import gc
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from types import FunctionType
from typing import Any

from unbounded.game.notices import notice
from unbounded.native.compiling.native_types import libraries
from unbounded.native.compiling.object_code import not_loading


@dataclass(frozen=True)
class LoadedThunk:
    """A C function in this process; what it was compiled from can be let go."""

    address: int
    ctypes: Any
    """The same for Python to call."""
    from_cache: bool
    environments: Sequence[Any]
    """Python objects that the machine code refers to, by their addresses."""


def load(function: FunctionType, signature: Any, game: str, cache: bool) -> LoadedThunk:
    """Load a thunk from the cache, or compile it and keep it there for the next process.

    A notice says that it is compiled, and for which game.
    """
    given = (signature.args, signature.return_type)
    thunk = _thunk_type()(function, given, locals={}, options={})
    thunk.game = game
    if cache:
        with contextlib.suppress(Exception):  # nowhere to write to: go without it
            thunk.enable_caching()
    with _without_garbage_collection():
        thunk.compile()
    environments = thunk._library.environments
    return LoadedThunk(thunk.address, thunk.ctypes, thunk.cache_hits > 0, environments)


@contextlib.contextmanager
def _without_garbage_collection() -> Iterator[None]:
    """Numba makes millions of objects that stay: to look for garbage takes a fifth of its time."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


@functools.cache
def _thunk_type() -> Any:
    """Define a C function of Numba whose cache fails in silence."""

    class Cache(libraries().caching.FunctionCache):  # type: ignore[misc]  # Numba is untyped
        def load_overload(self, *given: Any) -> Any:
            try:
                found = super().load_overload(*given)
            except Exception:
                # A damaged file: remove it, so that it is written again.
                with contextlib.suppress(Exception):
                    self.flush()
                return None
            if found is not None:
                found.library.environments = (found.environment, *found.referenced_envs)
            return found

        def save_overload(self, *given: Any) -> None:
            with contextlib.suppress(Exception):  # a full disk, say
                super().save_overload(*given)

    class Thunk(libraries().ccallback.CFunc):  # type: ignore[misc]
        game = ""

        def enable_caching(self) -> None:
            self._cache = Cache(self._pyfunc)

        def _compile_uncached(self) -> Any:
            when = "once, then cached" if isinstance(self._cache, Cache) else "cannot be cached"
            with notice(f"compiling the rules of {self.game} ({when}) ..."), not_loading():
                return super()._compile_uncached()

    return Thunk
