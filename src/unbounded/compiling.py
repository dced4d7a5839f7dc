# SPDX-License-Identifier: MIT
"""Compile the rules of a record game to native code, with guards.

Numba compiles each rule as it stands, with every index checked. Around it goes a *thunk*: a C
function that the core calls, that catches whatever the rule raises, and that answers by a status.
Two things make compiled rules mean what they mean in Python:

* A rule sees its state where it lies, through types of our own (`_native_types`): it reads 64-bit
  integers, and a write of a number that does not fit raises `OverflowError`.
* Numba caches the thunks on disk, but does not notice that something they call has changed. So the
  name of a thunk carries a digest (`_Digest`) of all that its machine code depends on.
"""

from __future__ import annotations

import builtins
import ctypes
import dis
import enum
import functools
import hashlib
import importlib.util
import itertools
import operator
import sys
import uuid
import weakref
from collections.abc import Iterator, Sequence, Set
from pathlib import Path
from types import (
    BuiltinFunctionType,
    CellType,
    CodeType,
    EllipsisType,
    FunctionType,
    ModuleType,
    NoneType,
    SimpleNamespace,
)
from typing import Any, ClassVar

from unbounded.game import Field, RecordGame, RuleError, UsageError, require

_RULES = ("initial", "player", "actions", "next", "outcome")
_OPTIONAL_RULES = ("score", "evaluate", "best_score_from")


def available() -> bool:
    """Whether rules can be compiled here, that is, whether Numba is installed."""
    return importlib.util.find_spec("numba") is not None


def compile_game(game: RecordGame) -> CompiledRules:
    """Compile the rules of a game, or load them from the cache; once per game object."""
    compiled = _compiled.get(id(game))
    if compiled is None:
        require(available(), "compiling rules needs numba, which is not installed")
        compiled = _compiled[id(game)] = CompiledRules(game)
        weakref.finalize(game, _compiled.pop, id(game), None).atexit = False
    return compiled


_compiled: dict[int, CompiledRules] = {}


class CompiledRules:
    """The rules of a game as C functions, and the same questions as `Game` asked of them."""

    addresses: dict[str, int]
    """Where the function of each rule is; valid as long as the process lives."""
    from_cache: int
    """How many functions were loaded from disk."""
    compiled: int
    """How many functions had to be compiled."""

    def __init__(self, game: RecordGame) -> None:
        # A twin with the same rules, to ask again when one fails. It does not keep the game alive.
        self._plain = RecordGame()
        self._plain.state, self._plain.players = game.state, game.players
        self._plain.max_actions = game.max_actions
        self._plain.__dict__["uncompiled"] = game.uncompiled
        self._game = str(game)
        self.addresses, self._functions = {}, {}
        self.from_cache = self.compiled = 0
        builder = _Builder(game)
        for name in (*_RULES, *_OPTIONAL_RULES):
            rule = getattr(game.uncompiled, name)
            if rule is not None:
                thunk, loaded = builder.thunk(name, rule)
                self.addresses[name] = thunk.address
                self._functions[name] = thunk.ctypes
                self.from_cache += loaded == "cache"
                self.compiled += loaded == "compiler"

    def initial(self) -> bytes:
        """As `Game.initial`."""
        state = ctypes.create_string_buffer(self._plain.state.size)
        self._ask("initial", None, state)
        return state.raw

    def player(self, state: bytes) -> int:
        """As `Game.player`."""
        return self._ask("player", state)

    def actions(self, state: bytes) -> list[int]:
        """As `Game.actions`."""
        most = self._plain.max_actions
        out = (ctypes.c_int32 * most)()
        count = self._ask("actions", state, out)
        if count > most:
            raise RuleError(f"{self._game}: actions returned {count}; max_actions is {most}")
        return out[:count]

    def next(self, state: bytes, action: int) -> bytes:
        """As `Game.next`."""
        successor = ctypes.create_string_buffer(state, len(state))
        self._ask("next", state, action, successor)
        return successor.raw

    def outcome(self, state: bytes) -> list[int]:
        """As `Game.outcome`."""
        out = (ctypes.c_int32 * self._plain.players)()
        self._ask("outcome", state, out)
        return out[:]

    def score(self, state: bytes) -> list[float]:
        """As `Game.score`, rounded to 32 bits."""
        return self._numbers("score", state)

    def evaluate(self, state: bytes) -> list[float]:
        """As `Game.evaluate`, rounded to 32 bits."""
        return self._numbers("evaluate", state, 1)

    def best_score_from(self, state: bytes) -> list[float]:
        """As `Game.best_score_from`, rounded to 32 bits."""
        return self._numbers("best_score_from", state)

    def failure(self, rule: str, state: bytes | None, action: int | None = None) -> RuleError:
        """Explain why a compiled rule reported failure: ask the plain one, and tell what it raised.

        The error returned has that exception as its cause.
        """
        given = [x for x in (state, action) if x is not None]
        shown = "" if state is None else f" on state {self._plain.state.unpack(state)!r}"
        shown += "" if action is None else f", action {action}"
        try:
            getattr(self._plain, rule)(*given)
        except Exception as cause:
            reason = f"{type(cause).__name__}: {cause}"
            error = RuleError(f"{self._game}: rule {rule!r} failed{shown}: {reason}")
            error.__cause__ = cause
            return error
        return RuleError(
            f"{self._game}: rule {rule!r} failed{shown}, but only when compiled: a number that it "
            "wrote or returned is not an integer, or does not fit"
        )

    def _numbers(self, rule: str, state: bytes, *count: int) -> list[float]:
        if rule not in self._functions:
            raise NotImplementedError(f"{self._game} has no rule {rule!r}")
        out = (ctypes.c_float * self._plain.players)()
        self._ask(rule, state, *count, out)
        return out[:]

    def _ask(self, rule: str, state: bytes | None, *rest: Any) -> int:
        size = self._plain.state.size
        if state is not None and len(state) != size:
            raise UsageError(f"{self._game}: a state has {size} bytes, not {len(state)}")
        given = rest if state is None else (state, *rest)
        status: int = self._functions[rule](*given)
        if status < 0:
            raise self.failure(rule, state, rest[0] if rule == "next" else None)
        return status


# -- thunks ---------------------------------------------------------------------------------------
# Templates: each thunk is one of these, with globals of its own that hold what is declared here.

_rule: Any = None
_reading: Any = None
_writing: Any = None
_integers: Any = None
_floats: Any = None
_wide: Any = None
_size = _players = _max_actions = 0


def _initial_thunk(state: Any) -> int:
    try:
        _rule(_writing(state))
    except Exception:
        return -1
    return 0


def _player_thunk(state: Any) -> int:
    try:
        player = _rule(_reading(state, 0))
    except Exception:
        return -1
    return _status(player)


def _actions_thunk(state: Any, out: Any) -> int:
    # As in Python, an action that is counted but was not written is 0.
    for i in range(_max_actions):
        out[i] = 0
    try:
        count = _rule(_reading(state, 0), _integers(out, _max_actions))
    except Exception:
        return -1
    return _status(count)


def _next_thunk(state: Any, action: int, successor: Any) -> int:
    try:
        _rule(_reading(state, 0), _wide(action), _writing(successor))
    except Exception:
        return -1
    return 0


def _outcome_thunk(state: Any, out: Any) -> int:
    for i in range(_players):
        out[i] = 0
    try:
        _rule(_reading(state, 0), _integers(out, _players))
    except Exception:
        return -1
    return 0


# Rules add up in 64 bits, as in Python, and only the result is rounded to 32.
def _score_thunk(state: Any, out: Any) -> int:
    row = _floats()
    try:
        _rule(_reading(state, 0), row)
    except Exception:
        return -1
    for i in range(_players):
        out[i] = row[i]
    return 0


def _evaluate_thunk(states: Any, count: int, out: Any) -> int:
    for k in range(count):
        row = _floats()
        try:
            _rule(_reading(states, k * _size), row)
        except Exception:
            return -(k + 1)
        for i in range(_players):
            out[k * _players + i] = row[i]
    return 0


def _status(answer: Any) -> int:
    # What does not fit must not be cut to something legal.
    whole = _wide(answer)
    return whole if whole == answer and 0 <= whole < 2**31 else -2


# -- what the rules see ---------------------------------------------------------------------------
# Our own types for Numba, which is imported only when it is needed; hence definitions in functions.


@functools.cache
def _types() -> SimpleNamespace:
    """Define to Numba a state in packed bytes (`State`) and arrays in it (`Integers`)."""
    from numba.core import errors, types
    from numba.core.typing.templates import AttributeTemplate
    from numba.extending import infer_getattr, models, register_model

    class Integers(types.Array):  # type: ignore[misc]  # Numba has no type hints
        def __init__(self, bits: int, writable: bool) -> None:
            dtype = types.Integer.from_bitwidth(bits, signed=True)
            super().__init__(dtype, 1, "C", readonly=not writable, aligned=False)

        @property
        def iterator_type(self) -> Any:
            return IntegersIterator(self)

    class IntegersIterator(types.ArrayIterator):  # type: ignore[misc]
        def __init__(self, integers: Any) -> None:
            super().__init__(integers)
            self._yield_type = types.int64

    class State(types.Type):  # type: ignore[misc]
        def __init__(self, fields: Sequence[Field], writable: bool) -> None:
            self.fields, self.writable = fields, writable
            super().__init__(f"State({fields}, writable={writable})")

        def find(self, name: str) -> tuple[Field, int]:
            """Return the field and its offset."""
            offset = 0
            for field in self.fields:
                if field.name == name:
                    return field, offset
                offset += field.bits // 8 * (field.count or 1)
            names = ", ".join(field.name for field in self.fields)
            raise errors.TypingError(f"the state has no field {name!r}; it has {names}")

    class Attributes(AttributeTemplate):  # type: ignore[misc]
        key = State

        def generic_resolve(self, state: Any, name: str) -> Any:
            field, _ = state.find(name)
            return types.int64 if field.count is None else Integers(field.bits, state.writable)

    register_model(Integers)(models.ArrayModel)
    register_model(IntegersIterator)(models.ArrayIterator)
    register_model(State)(models.OpaqueModel)
    infer_getattr(Attributes)
    _define_fields(State)
    _define_items(Integers)
    _define_iteration(IntegersIterator)
    return SimpleNamespace(State=State, Integers=Integers)


def _define_fields(state_type: Any) -> None:
    """Tell Numba what `s.field` and `t.field = x` do."""
    from llvmlite import ir
    from numba.core import errors, types
    from numba.extending import lower_getattr_generic, lower_setattr_generic

    def address(builder: Any, state: Any, field: Field, offset: int) -> Any:
        place = builder.gep(state, [ir.Constant(ir.IntType(64), offset)])
        return builder.bitcast(place, ir.IntType(field.bits).as_pointer())

    def read(context: Any, builder: Any, state: Any, value: Any, name: str) -> Any:
        field, offset = state.find(name)
        place = address(builder, value, field, offset)
        if field.count is not None:
            kind = _types().Integers(field.bits, state.writable)
            count = context.get_constant(types.intp, field.count)
            return _array(context, builder, kind, place, count)
        number = builder.load(place, align=1)
        return number if field.bits == 64 else builder.sext(number, ir.IntType(64))

    def write(context: Any, builder: Any, sig: Any, args: Any, name: str) -> None:
        field, offset = sig.args[0].find(name)
        if field.count is not None:
            raise errors.TypingError(f"to write to the array {name!r}, use {name}[...] = ...")
        if not sig.args[0].writable:
            raise errors.TypingError(_READ_ONLY)
        fitting = _fitting(field.bits)
        number = context.compile_internal(builder, fitting, types.int64(types.int64), args[1:])
        if field.bits < 64:
            number = builder.trunc(number, ir.IntType(field.bits))
        builder.store(number, address(builder, args[0], field, offset), align=1)

    lower_getattr_generic(state_type)(read)
    lower_setattr_generic(state_type)(write)


def _define_items(integers_type: Any) -> None:
    """Tell Numba what `integers[i]` and `integers[i] = x` do: what arrays do, but for any number."""
    from numba.core import errors, types
    from numba.core.typing.templates import AbstractTemplate, infer_global
    from numba.extending import lower_builtin

    class ReadItem(AbstractTemplate):  # type: ignore[misc]
        # Numba's own idea, to read numbers as small as they are stored, would come first otherwise.
        metadata: ClassVar = {"target": "cpu"}

        def generic(self, args: Any, _: Any) -> Any:
            integers, index = args
            if isinstance(integers, integers_type) and isinstance(index, types.Integer):
                return types.int64(integers, types.intp if index.signed else types.uintp)
            return None

    def read(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        array = sig.args[0].copy()
        read_array = context.get_function(operator.getitem, array.dtype(array, sig.args[1]))
        return context.cast(builder, read_array(builder, args), array.dtype, types.int64)

    def write(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        array, index, kind = sig.args[0].copy(), *sig.args[1:]
        item = args[2]
        if isinstance(kind, types.Number | types.Boolean):
            fitting = _fitting(array.dtype.bitwidth)
            item = context.compile_internal(builder, fitting, types.int64(kind), (item,))
            kind = types.int64
        elif getattr(kind, "dtype", None) != array.dtype:
            raise errors.TypingError(f"cannot write {kind} to a slice of {array}; write one by one")
        write_array = context.get_function(operator.setitem, types.none(array, index, kind))
        return write_array(builder, (*args[:2], item))

    infer_global(operator.getitem)(ReadItem)
    lower_builtin(operator.getitem, integers_type, types.Integer)(read)
    lower_builtin(operator.setitem, integers_type, types.Any, types.Any)(write)


def _define_iteration(iterator_type: Any) -> None:
    """Tell Numba what `for number in integers` does."""
    from numba.core import cgutils, types
    from numba.core.imputils import RefType, iternext_impl
    from numba.extending import lower_builtin

    def step(context: Any, builder: Any, sig: Any, args: Any, result: Any) -> None:
        kind = sig.args[0]
        iterator = context.make_helper(builder, kind, value=args[0])
        integers = context.make_array(kind.array_type)(context, builder, value=iterator.array)
        index = builder.load(iterator.index)
        valid = builder.icmp_signed("<", index, builder.extract_value(integers.shape, 0))
        result.set_valid(valid)
        with builder.if_then(valid):
            read = context.get_function(operator.getitem, types.int64(kind.array_type, types.intp))
            result.yield_(read(builder, (iterator.array, index)))
            builder.store(cgutils.increment_index(builder, index), iterator.index)

    lower_builtin("iternext", iterator_type)(iternext_impl(RefType.UNTRACKED)(step))


_NO_WRAPPERS = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
"""Options for functions that are called by compiled functions only."""

_READ_ONLY = "a rule may write only to the state that it is to make"


@functools.cache
def _fitting(bits: int) -> Any:
    """Make a function that returns an integer of so many bits as it is, and refuses all else."""
    from numba import int64

    low, high = -(2 ** (bits - 1)), 2 ** (bits - 1) - 1

    def fitting(number: Any) -> Any:
        if not low <= number <= high:
            raise OverflowError("a number does not fit")
        whole = int64(number)
        if whole != number:
            raise OverflowError("a number is not an integer")
        return whole

    return fitting


def _array(context: Any, builder: Any, kind: Any, address: Any, count: Any) -> Any:
    """Make the array value for `count` numbers that lie at the address."""
    from numba.core.imputils import impl_ret_borrowed
    from numba.np import arrayobj

    array = arrayobj.make_array(kind)(context, builder)
    size = kind.dtype.bitwidth // 8
    arrayobj.populate_array(array, address, [count], [count.type(size)], size, None)
    return impl_ret_borrowed(context, builder, kind, array._getvalue())


def _intrinsics(fields: Sequence[Field], players: int) -> dict[str, Any]:
    """Define how thunks make the arguments of rules from the core's pointers."""
    from llvmlite import ir
    from numba.core import cgutils, types
    from numba.extending import intrinsic

    kinds = _types()

    def _reading(_: Any, states: Any, offset: Any) -> Any:
        def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            return builder.gep(args[0], [args[1]])

        return kinds.State(fields, False)(states, offset), generate

    def _writing(_: Any, state: Any) -> Any:
        def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            return args[0]

        return kinds.State(fields, True)(state), generate

    def _integers(_: Any, out: Any, count: Any) -> Any:
        def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            return _array(context, builder, sig.return_type, *args)

        return kinds.Integers(32, True)(out, count), generate

    def _floats(_: Any) -> Any:
        def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            row = ir.ArrayType(ir.DoubleType(), players)
            memory = cgutils.alloca_once(builder, row)
            builder.store(ir.Constant(row, None), memory)
            address = builder.bitcast(memory, ir.DoubleType().as_pointer())
            count = context.get_constant(types.intp, players)
            return _array(context, builder, sig.return_type, address, count)

        return types.Array(types.float64, 1, "C")(), generate

    return {f.__name__: intrinsic(f) for f in (_reading, _writing, _integers, _floats)}


# -- compiling ------------------------------------------------------------------------------------


class _Builder:
    """Makes the thunks of one game."""

    def __init__(self, game: RecordGame) -> None:
        import numba

        require(not numba.config.DISABLE_JIT, "NUMBA_DISABLE_JIT is set: rules cannot be compiled")
        self._game = game
        self._compile = numba.njit(boundscheck=True, error_model="python", **_NO_WRAPPERS)
        self._done: dict[int, Any] = {}
        self._globals = {
            "__builtins__": builtins,
            "__name__": __name__,
            "_status": self._compile(FunctionType(_status.__code__, {"_wide": numba.int64})),
            "_wide": numba.int64,
            "_size": game.state.size,
            "_players": game.players,
            "_max_actions": game.max_actions,
            **_intrinsics(game.state.fields, game.players),
        }

    def thunk(self, name: str, rule: Any) -> tuple[Any, str]:
        """Return the C function of a rule, and where it is from: memory, cache or compiler."""
        if not isinstance(rule, FunctionType):
            raise UsageError(f"{self._game}: rule {name!r} must be a plain function, not {rule!r}")
        compiled = self._rebuilt(rule, name)
        digest = _Digest()
        digest.add((name, self._game.players, self._game.max_actions, str(self._game.state.fields)))
        digest.add(rule)
        key = digest.text()
        if key in _thunks:
            return _thunks[key], "memory"
        template, signature = _template(name)
        code = template.__code__.replace(co_name=f"{name}_{key}", co_qualname=f"{name}_{key}")
        function = FunctionType(code, {**self._globals, "_rule": compiled})
        function.__module__ = __name__
        try:
            thunk = _load(function, signature, digest.complete)
        except Exception as error:
            raise UsageError(f"{self._game}: {_headline(name, rule, error)}") from error
        _thunks[key] = thunk
        return thunk, "cache" if thunk.cache_hits else "compiler"

    def _rebuilt(self, function: FunctionType, rule: str) -> Any:
        """Compile a function (later, when called), and whatever plain functions it calls."""
        if id(function) in self._done:
            return self._done[id(function)]
        _check_constants(function, f"{self._game}: rule {rule!r}")
        names, attributes = _names(function.__code__)
        namespace = dict(function.__globals__)
        cells = tuple(
            CellType(self._compilable(cell.cell_contents, attributes, rule))
            for cell in function.__closure__ or ()
        )
        twin = FunctionType(
            function.__code__, namespace, function.__name__, function.__defaults__, cells
        )
        twin.__kwdefaults__ = function.__kwdefaults__
        # Known before what it calls is looked at, for functions may call each other.
        compiled = self._done[id(function)] = self._compile(twin)
        for name in names & namespace.keys():
            namespace[name] = self._compilable(namespace[name], attributes, rule)
        return compiled

    def _compilable(self, value: Any, attributes: set[str], rule: str) -> Any:
        """Return what stands for a value in compiled code."""
        import numpy as np

        function = _plain_function(value)
        if function is not None:
            return self._rebuilt(function, rule)
        if isinstance(value, np.ndarray):
            return value.copy()  # which is contiguous: only such arrays become constants
        if isinstance(value, ModuleType) and not _is_foreign(value.__name__):
            stand_in = ModuleType(value.__name__)
            vars(stand_in).update(vars(value))
            for name in attributes & vars(value).keys():
                # Each step consumes a name, for modules may hold each other.
                held = self._compilable(getattr(value, name), attributes - {name}, rule)
                setattr(stand_in, name, held)
            return stand_in
        return value


_thunks: dict[str, Any] = {}
"""All thunks by their digest. They are never let go: the core may hold their addresses."""


def _template(name: str) -> tuple[FunctionType, Any]:
    """Return the template of a rule's thunk and its signature."""
    from numba.core.types import CPointer, float32, int32, int64, voidptr

    integers, floats = CPointer(int32), CPointer(float32)
    templates: dict[str, tuple[Any, Any]] = {
        "initial": (_initial_thunk, int32(voidptr)),
        "player": (_player_thunk, int32(voidptr)),
        "actions": (_actions_thunk, int32(voidptr, integers)),
        "next": (_next_thunk, int32(voidptr, int32, voidptr)),
        "outcome": (_outcome_thunk, int32(voidptr, integers)),
        "score": (_score_thunk, int32(voidptr, floats)),
        "best_score_from": (_score_thunk, int32(voidptr, floats)),
        "evaluate": (_evaluate_thunk, int32(voidptr, int64, floats)),
    }
    return templates[name]


def _load(function: FunctionType, signature: Any, cache: bool) -> Any:
    """Load a thunk from the cache, or compile it."""
    from numba import cfunc
    from numba.core.errors import NumbaError

    if cache:
        try:
            return cfunc(signature, cache=True)(function)
        except NumbaError:
            raise
        except Exception:  # no place to write to, or a file there is damaged
            pass
    return cfunc(signature)(function)


def _is_foreign(module: str | None) -> bool:
    """Whether Numba has its own idea of what the functions of a module do."""
    top = (module or "").partition(".")[0]
    return top in sys.stdlib_module_names or top in ("numpy", "numba", "llvmlite")


def _plain_function(value: Any) -> FunctionType | None:
    """Return the function to compile when a rule uses this value; None if it is no such thing."""
    from numba.core.dispatcher import Dispatcher

    if isinstance(value, Dispatcher):
        value = value.py_func  # compiled by its author, and so without our checks
    plain = isinstance(value, FunctionType) and not _is_foreign(value.__module__)
    return value if plain else None


def _codes(code: CodeType) -> Iterator[CodeType]:
    """Yield the code and, recursively, the codes of functions and comprehensions inside it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


def _names(code: CodeType) -> tuple[set[str], set[str]]:
    """Return the names of globals and of attributes that the code uses."""
    names, attributes = set(), set()
    for instruction in itertools.chain.from_iterable(map(dis.get_instructions, _codes(code))):
        if instruction.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
            names.add(instruction.argval)
        elif instruction.opname in ("LOAD_ATTR", "LOAD_METHOD"):
            attributes.add(instruction.argval)
    return names, attributes


def _check_constants(function: FunctionType, where: str) -> None:
    """Refuse a function that closes over what cannot become a constant."""
    for code in _codes(function.__code__):
        for constant in code.co_consts:
            _check_size(constant, f"{where} uses the number {constant}")
    cells = function.__closure__ or ()
    for name, cell in zip(function.__code__.co_freevars, cells, strict=True):
        try:
            value = cell.cell_contents
        except ValueError:
            raise UsageError(f"{where} uses {name!r}, which has no value") from None
        if _plain_function(value) is not None:
            raise UsageError(
                f"{where} uses the function {name!r}, which is defined inside another: move it to "
                "module level and pass what it needs as arguments"
            )
        _check_size(value, f"{where} uses {name!r}, which is {value}")
        if not _is_constant(value):
            raise UsageError(
                f"{where} uses {name!r}, which is a {type(value).__name__} and cannot be compiled: "
                "it may use integers, floats, tuples of them and NumPy arrays; give what it needs "
                "a name of its own in rules(), like width = self.width"
            )


def _check_size(value: Any, what: str) -> None:
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        raise UsageError(f"{what}: compiled integers have 64 bits, with sign")


def _is_constant(value: Any) -> bool:
    import numpy as np

    if isinstance(value, tuple):
        return all(map(_is_constant, value))
    if isinstance(value, np.ndarray):
        return value.dtype.kind in "biuf"
    simple = (int, float, complex, str, bytes, np.generic, np.dtype)
    named = (ModuleType, BuiltinFunctionType, FunctionType, type)
    return value is None or isinstance(value, simple + named)


# -- the cache ------------------------------------------------------------------------------------

_PRINTED = (int, float, complex, str, bytes, NoneType, EllipsisType)


class _Digest:
    """A hash of everything that machine code depends on."""

    def __init__(self) -> None:
        self._hash = hashlib.sha256()
        self._seen: dict[int, int] = {}
        self.complete = True
        """Whether everything could be hashed; if not, the code must not be cached."""
        self._text(*_surroundings())

    def text(self) -> str:
        """Return the digest in letters."""
        return self._hash.hexdigest()[:40] if self.complete else uuid.uuid4().hex

    def add(self, value: Any, attributes: Set[str] = frozenset()) -> None:
        """Take in a value; of a module, those of its attributes that are named."""
        import numpy as np

        self._text(type(value).__qualname__)
        function = _plain_function(value)
        if function is not None:
            self._add_function(function)
        elif isinstance(value, CodeType):
            self._add_code(value)
        elif isinstance(value, (tuple, list)):
            self._text(len(value), getattr(value, "_fields", None))
            for item in value:
                self.add(item)
        elif isinstance(value, (np.ndarray, np.generic)):
            self._text(value.dtype.str, value.shape)
            self._hash.update(value.tobytes())
            # Of a bigger array the machine code holds the address, not the contents.
            self.complete &= value.nbytes <= 10**6
        elif isinstance(value, ModuleType):
            self._text(value.__name__)
            if not _is_foreign(value.__name__):
                for name in sorted(attributes & vars(value).keys()):
                    self._text(name)
                    self.add(getattr(value, name), attributes - {name})
        elif isinstance(value, enum.EnumMeta):
            self.add(tuple(value.__members__.values()))
        elif isinstance(value, enum.Enum):
            self._text(value.name, value.value)
        elif isinstance(value, _PRINTED):
            self._text(value)
        elif isinstance(value, frozenset):
            self._text(*sorted(map(repr, value)))
        elif _is_foreign(getattr(value, "__module__", "?")):
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
        names, attributes = _names(function.__code__)
        for cell in function.__closure__ or ():
            self.add(cell.cell_contents, attributes)
        for name in sorted(names & function.__globals__.keys()):
            self._text(name)
            self.add(function.__globals__[name], attributes)

    def _add_code(self, code: CodeType) -> None:
        # The code and not its source: a comment changes nothing, and a prompt has no source.
        self._text(code.co_code, code.co_exceptiontable, code.co_flags)
        self._text(code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount)
        self._text(code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
        self.add(code.co_consts)

    def _text(self, *parts: object) -> None:
        for part in parts:
            text = repr(part).encode()
            self._hash.update(len(text).to_bytes(8, "little") + text)


@functools.cache
def _surroundings() -> tuple[object, ...]:
    """What machine code depends on besides the rules: versions, the processor, this module."""
    import numba
    import numpy as np
    from numba.core.registry import cpu_target

    processor = cpu_target.target_context.codegen().magic_tuple()
    settings = (numba.config.BOUNDSCHECK, numba.config.OPT)
    versions = (numba.__version__, np.__version__, sys.implementation.cache_tag)
    return versions, processor, settings, Path(__file__).read_bytes()


# -- errors ---------------------------------------------------------------------------------------


def _headline(name: str, rule: FunctionType, error: Exception) -> str:
    return f"rule {name!r} cannot be compiled: {error}"
