# SPDX-License-Identifier: MIT
"""Build the thunks of a game: what may be compiled, how, and what to say when it cannot be."""

from __future__ import annotations

import builtins
import enum
import math
import re
import weakref
from collections.abc import Callable, Mapping, Set
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

from unbounded.game import Permutation, RecordGame, UsageError, require
from unbounded.game.function_copies import FunctionCopies, codes, is_foreign
from unbounded.native.compiling import thunks
from unbounded.native.compiling.bit_functions import bit_functions, smallest_image
from unbounded.native.compiling.cached import LoadedThunk, load
from unbounded.native.compiling.digest import Digest
from unbounded.native.compiling.intrinsics import intrinsics
from unbounded.native.compiling.native_types import libraries
from unbounded.storage.code_digest import PRINTED, plain_function

MOST_MOVED = 64
"""The most items of a field whose images are compared all at once."""

_thunks: dict[str, LoadedThunk] = {}
"""All thunks by their digest. They are never let go, because the core may hold their addresses."""


class Builder:
    """Makes the thunks of one game, which has the name for messages."""

    def __init__(self, game: RecordGame, name: str) -> None:
        numba = libraries().numba
        require(not numba.config.DISABLE_JIT, "NUMBA_DISABLE_JIT forbids to compile rules")
        self._game, self._name = game, name
        self._outputs = math.prod(game.planes or (0,))
        # Nobody but compiled code calls these functions, so they need no wrappers for others.
        jit = numba.njit(
            boundscheck=True,
            error_model="python",
            no_cpython_wrapper=True,
            no_cfunc_wrapper=True,
            forceinline=True,
        )
        self._compiled = CompiledCopies(name, jit)
        copies = weakref.proxy(self._compiled)  # because Numba keeps intrinsics for good
        made = intrinsics(
            game.state.fields,
            game.players,
            game.max_actions,
            lambda: copies.made.values(),  # noqa: PLW0108  # a bound method would be no proxy
        )
        self._globals = {
            "__builtins__": builtins,
            "__name__": thunks.__name__,
            "wide": numba.int64,
            "size": game.state.size,
            "stride": (game.state.size + 7) // 8 * 8,
            "players": game.players,
            "max_actions": game.max_actions,
            "symmetries": game.symmetries,
            "outputs": self._outputs,
            **thunks.NUMBERS,
            **made,
        }
        self._globals["as_status"] = self._part(thunks.as_status, {}, "")

    def thunk(self, name: str, rules: Mapping[str, Any]) -> tuple[LoadedThunk, str]:
        """Return a C function made of some rules, and where it is from: memory, cache or compiler.

        The rules are given by the names that they have in the thunk.
        """
        for known, rule in rules.items():
            if not isinstance(rule, FunctionType):
                shown = f"rule {_rule_name(name, known)!r} must be a plain function"
                raise UsageError(f"{self._name}: {shown}, not {rule!r}")
        compiled = {}
        for known, rule in rules.items():
            self._compiled.where = f"{self._name}: rule {_rule_name(name, known)!r}"
            compiled[known] = self._compiled.of(rule)
        game = self._game
        planes = self._outputs if name == "encode" else 0
        images = game.symmetries if name == "canonical" else 0
        sizes = (game.players, game.max_actions, planes, images)
        digest = Digest.of(name, game.state.fields, sizes, *rules.values())
        key = f"{name}_{digest.text()}"
        if key in _thunks:
            return _thunks[key], "memory"
        permutation = self._permutation(rules) if name == "canonical" else None
        template, signature = thunks.template("canonical_by_sources" if permutation else name)
        if permutation is not None:
            moved = smallest_image(permutation.field, game.state.fields, permutation.sources)
            compiled["make_smallest"] = moved
        if name == "expand":
            compiled = self._parts_of_expand(compiled, key)
        code = template.__code__.replace(co_name=key, co_qualname=key)
        function = FunctionType(code, {**self._globals, **compiled})
        try:
            thunk = _thunks[key] = load(function, signature, self._name, digest.complete)
        except Exception as error:
            shown = _headline(_rule_name(name, known), rule, error)
            raise UsageError(f"{self._name}: {shown}") from error
        return thunk, "cache" if thunk.from_cache else "compiler"

    def _permutation(self, rules: Mapping[str, Any]) -> Permutation | None:
        """Return what the rule `symmetry` declares to move, if images can be compared by that."""
        permutation = getattr(rules["rule"], "permutes", None)
        if not isinstance(permutation, Permutation):
            return None
        field = next(f for f in self._game.state.fields if f.name == permutation.field)
        fits = permutation.sources.shape == (self._game.symmetries, field.count)
        fits = fits and field.count is not None and field.count <= MOST_MOVED
        return permutation if fits and field.type == "i8" else None

    def _parts_of_expand(self, rules: dict[str, Any], key: str) -> dict[str, Any]:
        """Return what `expand` calls: the rules, and functions around them."""
        finish = thunks.scored if "score_rule" in rules else thunks.unscored
        quick = thunks.open_by_rule if "is_terminal_rule" in rules else thunks.not_known
        others = {"score_rule": rules["outcome_rule"], "is_terminal_rule": rules["player_rule"]}
        parts = {**others, **rules}
        parts["is_open"] = self._part(quick, parts, key)
        parts["finish"] = self._part(finish, parts, key)
        parts["tell"] = self._part(thunks.tell, parts, key)
        return parts

    def _part(self, function: Any, names: Mapping[str, Any], key: str) -> Any:
        """Return a function that thunks call. A name of its own, see `CompiledCopies.code`."""
        code = function.__code__.replace(co_qualname=f"{function.__name__}_{key}")
        return self._compiled.finished(FunctionType(code, {**self._globals, **names}))


class CompiledCopies(FunctionCopies):
    """Makes functions that compiled code can call; they are compiled, with all they call, then."""

    def __init__(self, where: str, compile_copy: Callable[[FunctionType], Any]) -> None:
        super().__init__()
        self._compile = compile_copy
        self.where = where
        """For messages: the game, and the rule that is asked for."""

    def of(self, function: FunctionType) -> Any:
        # These have instructions of their own.
        return bit_functions().get(function.__code__) or super().of(function)

    def code(self, function: FunctionType) -> CodeType:
        _check_constants(function, self.where)
        # What is loaded from the cache brings along the functions that it calls. Where two of them
        # have the same name the first is taken for both, so no name may stand for two functions.
        unique = f"{function.__qualname__}_{Digest.of(function).text()}"
        return function.__code__.replace(co_qualname=unique)

    def finished(self, copy: FunctionType) -> Any:
        return self._compile(copy)

    def constant(self, value: Any) -> Any:
        np = libraries().numpy
        # Contiguous and of NumPy's own type: Numba makes constants of no others.
        return np.array(value, order="C") if isinstance(value, np.ndarray) else value

    def function(self, value: Any) -> FunctionType | None:
        return plain_function(value)

    def names(self, function: FunctionType, used: Set[str]) -> dict[str, Any]:
        # What is loaded imports the modules that its functions are from by their names, which
        # those of files lose as soon as they are edited or copied. Ours is always there.
        ours = {} if "__name__" in used else {"__name__": thunks.__name__}
        return {**function.__globals__, **ours}


def _rule_name(thunk: str, known: str) -> str:
    """Return the name of the rule that a thunk knows by this name."""
    if known != "rule":
        return known.removesuffix("_rule")
    return "symmetry" if thunk == "canonical" else thunk


def _check_constants(function: FunctionType, where: str) -> None:
    """Refuse a function that closes over what is neither a function nor can become a constant."""
    for code in codes(function.__code__):
        for constant in code.co_consts:
            _check_size(constant, f"{where} uses the number")
    cells = function.__closure__ or ()
    for name, cell in zip(function.__code__.co_freevars, cells, strict=True):
        try:
            value = cell.cell_contents
        except ValueError:
            raise UsageError(f"{where} uses {name!r}, which has no value") from None
        _check_size(value, f"{where} uses {name} =")
        if plain_function(value) is None and not _is_constant(value):
            raise UsageError(
                f"{where} uses {name!r}, which is of type {type(value).__name__} and cannot be "
                "compiled; give the numbers, tuples or NumPy arrays that it needs names of their "
                "own in rules(), like width = self.width"
            )


def _check_size(value: Any, what: str) -> None:
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        raise UsageError(f"{what} {value}: compiled integers have 64 bits, one of them the sign")


def _is_constant(value: Any) -> bool:
    np = libraries().numpy
    if isinstance(value, tuple):
        return all(map(_is_constant, value))
    if isinstance(value, np.ndarray):
        return value.dtype.kind in "biufc"
    simple = isinstance(value, (*PRINTED, enum.Enum, np.generic, np.dtype, ModuleType, type))
    return simple or is_foreign(getattr(value, "__module__", "?"))


def _headline(name: str, rule: FunctionType, error: Exception) -> str:
    """Say in one line why a rule cannot be compiled, and where: Numba says it in dozens."""
    text = re.sub(r"\x1b\[[0-9;]*m", "", str(error))
    # What is wrong with a rule is told as the reason why it cannot be called by a thunk.
    inner = re.search(r"<intrinsic tried.*?raised a specific error:\s*\w+: (.*)", text, re.DOTALL)
    text = inner[1] if inner else text
    places = re.findall(r"(?: at |File \")([^\"\n]+?)(?:\", line | \()(\d+)", text)
    own = (rule.__code__.co_filename, rule.__code__.co_firstlineno)
    path, line = next((p for p in places if not _is_ours(p[0])), own)
    lines = [x.strip() for x in text.splitlines() if x.strip()]
    told = [x for x in lines if not x.startswith("Failed in nopython mode pipeline")]
    reason = told[0] if told else type(error).__name__
    if re.search(rf"\b{thunks.as_status.__name__}\b", text):
        reason = "it must always return a number"
    elif reason.endswith("found for signature:"):
        called = next((x[4:] for x in told if x.startswith(">>> ")), "this")
        specific = re.findall(r"^\s*\w+Error: (.+)$", text, flags=re.MULTILINE)
        reason = specific[-1] if specific else f"Numba has no {called}"
    reason = re.sub(r"Literal\[\w+\]\(([^()]*)\)", r"\1", reason)
    return f"rule {name!r} cannot be compiled ({Path(path).name}, line {line}): {reason}"


def _is_ours(path: str) -> bool:
    """Whether this is a file of this package; Numba shortens paths where it can."""
    return Path(path).resolve().parent == Path(__file__).resolve().parent
