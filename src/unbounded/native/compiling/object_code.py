# SPDX-License-Identifier: MIT
"""Machine code of thunks alone, not of every function that was compiled for them.

Numba loads each function it compiles into the process, and keeps it there together with what it was
made from. Of ours, only thunks are called from outside, and they hold all that they call. So what
is compiled here is linked, but not loaded, and can be let go. When a thunk is asked for its
address, its object code is made and loaded, exactly as if it had come from the cache on disk.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Iterator, Sequence
from types import SimpleNamespace
from typing import Any

from unbounded.native.compiling.native_types import libraries

_ENVIRONMENT = "_ZN08NumbaEnv"
"""What the names of variables begin with that hold the address of an environment."""


@contextlib.contextmanager
def not_loading() -> Iterator[None]:
    """Let Numba make libraries of this kind meanwhile, for all that it compiles."""
    with _made_as(_unloaded_library()):
        yield


@contextlib.contextmanager
def _made_as(kind: Any) -> Iterator[None]:
    """Let Numba make libraries of a kind."""
    with libraries().lock.global_compiler_lock:
        codegen = _codegen()
        before = codegen._library_class
        codegen._library_class = kind
        try:
            yield
        finally:
            codegen._library_class = before


def _codegen() -> Any:
    return libraries().registry.cpu_target.target_context.codegen()


@functools.cache
def _function_passes() -> Any:
    """Make once what Numba makes for every function, and LLVM never lets go of."""
    return _codegen()._function_pass_manager()


@functools.cache
def _unloaded_library() -> Any:
    """Define a library of Numba that is loaded when it is asked for an address in it."""
    loading = libraries().codegen.JITCodeLibrary

    class UnloadedLibrary(loading):  # type: ignore[misc, valid-type]  # Numba is untyped
        _loaded: Any = None
        _optimized = False
        _object_code: Any = None
        environments: Sequence[Any] = ()
        """What loaded code refers to, by addresses that must stay valid."""

        @property
        def codegen(self) -> Any:
            """What Numba sets environments by; here they are set when the library is loaded."""
            return SimpleNamespace(set_env=lambda name, environment: None)

        def _optimize_functions(self, module: Any) -> None:
            module.data_layout = self._codegen._data_layout
            passes, builder = _function_passes()
            for function in module.functions:
                if not function.is_declaration:
                    passes.run(function, builder)

        def _optimize_final_module(self) -> None:
            """Do nothing yet: functions are optimized as parts of the thunks that call them."""

        def _finalize_final_module(self) -> None:
            self._verify_declare_only_symbols()
            self._finalized = True

        def _optimize(self) -> None:
            self._ensure_finalized()
            if not self._optimized:
                super()._optimize_final_module()
                self._finalize_dynamic_globals()
                self._optimized = True

        @property
        def has_dynamic_globals(self) -> bool:
            """Whether it uses what has its place in this process, and so cannot be cached."""
            self._optimize()
            return bool(super().has_dynamic_globals)

        def serialize_using_object_code(self) -> Any:
            """Return what is cached on disk, and loaded."""
            if self._object_code is None:
                self._optimize()
                code = self._codegen._tm.emit_object(self._final_module)
                symbols = self._get_module_for_linking().as_bitcode()
                self._object_code = (self.name, "object", (code, symbols))
            return self._object_code

        def get_pointer_to_function(self, name: str) -> int:
            self._ensure_finalized()
            if self._loaded is None:
                if not any(function.name == name for function in self.get_defined_functions()):
                    return 0
                self._load()
            address: int = self._loaded.get_pointer_to_function(name)
            return address

        def _load(self) -> None:
            with _made_as(loading):
                self._loaded = loading._unserialize(
                    self._codegen, self.serialize_using_object_code()
                )
            find = libraries().environment.lookup_environment
            names = [variable.name for variable in self._final_module.global_variables]
            found = {name: find(name) for name in names if name.startswith(_ENVIRONMENT)}
            self.environments = [x for x in found.values() if x is not None]
            for environment in self.environments:
                self._codegen.set_env(environment.env_name, environment)

    return UnloadedLibrary
