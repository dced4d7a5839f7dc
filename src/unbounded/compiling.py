# SPDX-License-Identifier: MIT
"""Compile the rules of a record game to native code, with guards.

Numba compiles each rule as it stands, with every index checked. Around it goes a *thunk*: a C
function that the core calls, that catches whatever the rule raises, and that answers by a status.
Two things make compiled rules mean what they mean in Python:

* A rule sees its state where it lies, through types of our own (`_types`): it reads 64-bit
  integers, and a write of a number that does not fit raises `OverflowError`.
* Numba caches the thunks on disk (where it would cache functions of this module), but does not
  notice that something they call has changed. So names carry a digest (`_Digest`) of all that the
  machine code depends on, wherever the rules come from: a file, a prompt, a notebook.
"""

from __future__ import annotations

import builtins
import ctypes
import dis
import enum
import functools
import hashlib
import importlib.util
import inspect
import itertools
import operator
import re
import sys
import uuid
import weakref
from collections.abc import Iterator, Sequence, Set
from dataclasses import replace
from pathlib import Path
from types import (
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
        self._plain.__dict__["uncompiled"] = replace(game.uncompiled, outcome_at_horizon=None)
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
        out = (ctypes.c_int32 * self._plain.max_actions)()
        count = self._ask("actions", state, out)
        if count > self._plain.max_actions:
            raise self.failure("actions", state)
        return out[:count]

    def next(self, state: bytes, action: int) -> bytes:
        """As `Game.next`."""
        if not -(2**31) <= action < 2**31:
            raise UsageError(f"{self._game}: there is no action {action}")
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
        if "score" not in self.addresses:
            return [float(x) for x in self.outcome(state)]
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
        if rule not in self.addresses:
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
    if not 0 <= answer < 2**31:
        return -2
    whole: int = _wide(answer)
    return whole if whole == answer else -2


# -- what the rules see ---------------------------------------------------------------------------
# Our own types for Numba, which is imported only when it is needed; hence definitions in functions.


@functools.cache
def _numba() -> SimpleNamespace:
    """Import what we use of Numba and what comes with it."""
    modules = {
        "arrayobj": "numba.np.arrayobj",
        "cgutils": "numba.core.cgutils",
        "errors": "numba.core.errors",
        "extending": "numba.extending",
        "imputils": "numba.core.imputils",
        "ir": "llvmlite.ir",
        "numba": "numba",
        "numpy": "numpy",
        "registry": "numba.core.registry",
        "templates": "numba.core.typing.templates",
        "types": "numba.core.types",
    }
    return SimpleNamespace(**{k: importlib.import_module(v) for k, v in modules.items()})


@functools.cache
def _types() -> SimpleNamespace:
    """Define to Numba a state in packed bytes (`State`) and arrays in it (`Integers`)."""
    types, extending = _numba().types, _numba().extending

    class Integers(_numba().types.Array):  # type: ignore[misc]  # Numba is untyped
        def __init__(self, bits: int, writable: bool) -> None:
            dtype = types.Integer.from_bitwidth(bits, signed=True)
            name = f"array of i{bits}" if writable else f"read-only array of i{bits}"
            super().__init__(dtype, 1, "C", readonly=not writable, name=name, aligned=False)

        @property
        def iterator_type(self) -> Any:
            return IntegersIterator(self)

    class IntegersIterator(_numba().types.ArrayIterator):  # type: ignore[misc]
        def __init__(self, integers: Any) -> None:
            super().__init__(integers)
            self._yield_type = types.int64

    class State(_numba().types.Type):  # type: ignore[misc]
        def __init__(self, fields: Sequence[Field], writable: bool) -> None:
            self.fields, self.writable = fields, writable
            listed = ", ".join(f"{f.name} {f.type}{[f.count] if f.count else ''}" for f in fields)
            super().__init__(f"{'new ' if writable else ''}state({listed})")

        def find(self, name: str) -> tuple[Field, int]:
            """Return the field and its offset."""
            offset = 0
            for field in self.fields:
                if field.name == name:
                    return field, offset
                offset += field.bits // 8 * (field.count or 1)
            names = ", ".join(field.name for field in self.fields)
            raise _numba().errors.TypingError(f"the state has no field {name!r}; it has {names}")

    extending.register_model(Integers)(extending.models.ArrayModel)
    extending.register_model(IntegersIterator)(extending.models.ArrayIterator)
    extending.register_model(State)(extending.models.OpaqueModel)
    _define_fields(State, Integers)
    _define_items(Integers)
    _define_iteration(IntegersIterator)
    return SimpleNamespace(State=State, Integers=Integers)


def _define_fields(state_type: Any, integers_type: Any) -> None:
    """Tell Numba what `s.field` and `t.field = x` do."""
    ir, types, errors = _numba().ir, _numba().types, _numba().errors

    class Attributes(_numba().templates.AttributeTemplate):  # type: ignore[misc]
        key = state_type

        def generic_resolve(self, state: Any, name: str) -> Any:
            field, _ = state.find(name)
            return types.int64 if field.count is None else integers_type(field.bits, state.writable)

    def address(builder: Any, state: Any, field: Field, offset: int) -> Any:
        place = builder.gep(state, [ir.Constant(ir.IntType(64), offset)])
        return builder.bitcast(place, ir.IntType(field.bits).as_pointer())

    def read(context: Any, builder: Any, state: Any, value: Any, name: str) -> Any:
        field, offset = state.find(name)
        place = address(builder, value, field, offset)
        if field.count is not None:
            kind = integers_type(field.bits, state.writable)
            return _array(context, builder, kind, place, ir.Constant(ir.IntType(64), field.count))
        number = builder.load(place, align=1)
        return number if field.bits == 64 else builder.sext(number, ir.IntType(64))

    def write(context: Any, builder: Any, sig: Any, args: Any, name: str) -> None:
        field, offset = sig.args[0].find(name)
        if not sig.args[0].writable:
            raise errors.TypingError(f"a rule may not write to {name!r} of a state that is given")
        if field.count is not None:
            raise errors.TypingError(f"a rule may write to {name}[:], but not to {name}")
        fitting = _fitting(field.bits)
        number = context.compile_internal(builder, fitting, types.int64(types.int64), args[1:])
        if field.bits < 64:
            number = builder.trunc(number, ir.IntType(field.bits))
        builder.store(number, address(builder, args[0], field, offset), align=1)

    _numba().extending.infer_getattr(Attributes)
    _numba().extending.lower_getattr_generic(state_type)(read)
    _numba().extending.lower_setattr_generic(state_type)(write)


def _define_items(integers_type: Any) -> None:
    """Tell Numba what `integers[i]` and `integers[i] = x` do."""
    types, extending = _numba().types, _numba().extending

    class ReadItem(_numba().templates.AbstractTemplate):  # type: ignore[misc]
        # Otherwise Numba's own idea comes first: to read numbers as narrow as they are stored.
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
        _, index, kind = sig.args
        array, item = sig.args[0].copy(), args[2]
        if isinstance(index, types.Integer):
            if not isinstance(kind, types.Number):
                item, kind = context.cast(builder, item, kind, types.int64), types.int64
            fitting = _fitting(array.dtype.bitwidth)
            item = context.compile_internal(builder, fitting, types.int64(kind), (item,))
            kind = types.int64
        elif not isinstance(kind, types.Array) or kind.dtype != array.dtype:
            message = f"to a slice of an {sig.args[0]}, only a slice of another may be written"
            raise _numba().errors.TypingError(message)
        write_array = context.get_function(operator.setitem, types.none(array, index, kind))
        return write_array(builder, (*args[:2], item))

    _numba().templates.infer_global(operator.getitem)(ReadItem)
    extending.lower_builtin(operator.getitem, integers_type, types.Integer)(read)
    extending.lower_builtin(operator.setitem, integers_type, types.Any, types.Any)(write)


def _define_iteration(iterator_type: Any) -> None:
    """Tell Numba what `for number in integers` does."""
    types, imputils = _numba().types, _numba().imputils

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
            builder.store(_numba().cgutils.increment_index(builder, index), iterator.index)

    lower = _numba().extending.lower_builtin("iternext", iterator_type)
    lower(imputils.iternext_impl(imputils.RefType.UNTRACKED)(step))


@functools.cache
def _fitting(bits: int) -> Any:
    """Make a function that returns an integer of so many bits, and refuses every other number."""
    low, high, int64 = -(2 ** (bits - 1)), 2 ** (bits - 1) - 1, _numba().types.int64

    def fitting(number: Any) -> Any:
        if not low <= number <= high:
            raise OverflowError("a number does not fit")
        whole = int64(number)
        if whole != number:
            raise OverflowError("a number is not an integer")
        return whole

    fitting.__qualname__ = f"fitting_{bits}"  # a name of its own, see _Builder._callable
    return fitting


def _array(context: Any, builder: Any, kind: Any, address: Any, count: Any) -> Any:
    """Make an array of `count` numbers that lie at the address."""
    array = _numba().arrayobj.make_array(kind)(context, builder)
    size = kind.dtype.bitwidth // 8
    _numba().arrayobj.populate_array(array, address, [count], [count.type(size)], size, None)
    return _numba().imputils.impl_ret_borrowed(context, builder, kind, array._getvalue())


def _intrinsics(fields: Sequence[Field], players: int) -> dict[str, Any]:
    """Define how thunks make the arguments of rules from the core's pointers."""
    ir, types, kinds = _numba().ir, _numba().types, _types()

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
            memory = _numba().cgutils.alloca_once(builder, row)
            builder.store(ir.Constant(row, None), memory)
            address = builder.bitcast(memory, ir.DoubleType().as_pointer())
            count = ir.Constant(ir.IntType(64), players)
            return _array(context, builder, sig.return_type, address, count)

        return types.Array(types.float64, 1, "C")(), generate

    made = (_reading, _writing, _integers, _floats)
    return {function.__name__: _numba().extending.intrinsic(function) for function in made}


# -- compiling ------------------------------------------------------------------------------------

_thunks: dict[str, Any] = {}
"""All thunks by their digest. They are never let go, because the core may hold their addresses."""


class _Builder:
    """Makes the thunks of one game."""

    def __init__(self, game: RecordGame) -> None:
        numba = _numba().numba
        require(not numba.config.DISABLE_JIT, "NUMBA_DISABLE_JIT forbids to compile rules")
        self._game = game
        # Nobody but compiled code calls these functions, so they need no wrappers for others.
        self._compile = numba.njit(
            boundscheck=True, error_model="python", no_cpython_wrapper=True, no_cfunc_wrapper=True
        )
        self._compiled: dict[int, Any] = {}
        self._globals = {
            "__builtins__": builtins,
            "__name__": __name__,
            "_wide": numba.int64,
            "_size": game.state.size,
            "_players": game.players,
            "_max_actions": game.max_actions,
            **_intrinsics(game.state.fields, game.players),
        }
        self._globals["_status"] = self._compile(FunctionType(_status.__code__, self._globals))

    def thunk(self, name: str, rule: Any) -> tuple[Any, str]:
        """Return the C function of a rule, and where it is from: memory, cache or compiler."""
        if not isinstance(rule, FunctionType):
            raise UsageError(f"{self._game}: rule {name!r} must be a plain function, not {rule!r}")
        compiled = self._callable(rule, name)
        game = self._game
        digest = _Digest.of(name, game.state.fields, game.players, game.max_actions, rule)
        key = f"{name}_{digest.text()}"
        if key in _thunks:
            return _thunks[key], "memory"
        template, signature = _template(name)
        function = FunctionType(
            template.__code__.replace(co_name=key, co_qualname=key),
            {**self._globals, "_rule": compiled},
        )
        try:
            thunk = _thunks[key] = _load(function, signature, digest.complete)
        except Exception as error:
            raise UsageError(f"{self._game}: {_headline(name, rule, error)}") from error
        return thunk, "cache" if thunk.cache_hits else "compiler"

    def _callable(self, function: FunctionType, rule: str) -> Any:
        """Make compiled code call a function; it is compiled, with all it calls, when needed."""
        if id(function) in self._compiled:
            return self._compiled[id(function)]
        _check_constants(function, f"{self._game}: rule {rule!r}")
        # What is loaded from the cache brings along the functions that it calls. Where two of them
        # have the same name the first is taken for both, so no name may stand for two functions.
        unique = f"{function.__qualname__}_{_Digest.of(function).text()}"
        code = function.__code__.replace(co_qualname=unique)
        names, attributes = _names(code)
        namespace = dict(function.__globals__)
        cells = tuple(
            CellType(self._usable(cell.cell_contents, attributes, rule))
            for cell in function.__closure__ or ()
        )
        twin = FunctionType(code, namespace, function.__name__, function.__defaults__, cells)
        twin.__kwdefaults__ = function.__kwdefaults__
        # Remembered before its callees are looked at, for functions may call each other.
        compiled = self._compiled[id(function)] = self._compile(twin)
        for name in names & namespace.keys():
            namespace[name] = self._usable(namespace[name], attributes, rule)
        return compiled

    def _usable(self, value: Any, attributes: Set[str], rule: str) -> Any:
        """Return what stands for a value in compiled code."""
        function = _plain_function(value)
        if function is not None:
            return self._callable(function, rule)
        if isinstance(value, _numba().numpy.ndarray):
            return value.copy()  # which is contiguous: Numba makes constants of no others
        if isinstance(value, ModuleType) and not _is_foreign(value.__name__):
            stand_in = ModuleType(value.__name__)
            vars(stand_in).update(vars(value))
            for name in attributes & vars(value).keys():
                # Each name is followed once, for modules may hold each other.
                held = self._usable(getattr(value, name), attributes - {name}, rule)
                setattr(stand_in, name, held)
            return stand_in
        return value


def _template(name: str) -> tuple[Any, Any]:
    """Return the template of a rule's thunk, and its signature."""
    types = _numba().types
    status, state = types.int32, types.voidptr
    integers, floats = types.CPointer(types.int32), types.CPointer(types.float32)
    return {
        "initial": (_initial_thunk, status(state)),
        "player": (_player_thunk, status(state)),
        "actions": (_actions_thunk, status(state, integers)),
        "next": (_next_thunk, status(state, types.int32, state)),
        "outcome": (_outcome_thunk, status(state, integers)),
        "score": (_score_thunk, status(state, floats)),
        "best_score_from": (_score_thunk, status(state, floats)),
        "evaluate": (_evaluate_thunk, status(state, types.int64, floats)),
    }[name]


def _load(function: FunctionType, signature: Any, cache: bool) -> Any:
    """Load a thunk from the cache, or compile it."""
    cfunc, errors = _numba().numba.cfunc, _numba().errors
    if cache:
        try:
            return cfunc(signature, cache=True)(function)
        except errors.NumbaError:
            raise
        except Exception:  # noqa: S110  # nowhere to write to, or a damaged file: go without it
            pass
    return cfunc(signature)(function)


def _is_foreign(module: str | None) -> bool:
    """Whether Numba itself knows the functions of a module, as far as they can be compiled."""
    top = (module or "").partition(".")[0]
    return top in sys.stdlib_module_names or top in ("numpy", "numba", "llvmlite")


def _plain_function(value: Any) -> FunctionType | None:
    """Return the function to compile where a rule uses this value, if it is one."""
    # What its author has compiled already is compiled again, for it has none of our checks.
    function = value.py_func if _numba().extending.is_jitted(value) else value
    plain = isinstance(function, FunctionType) and not _is_foreign(function.__module__)
    return function if plain else None


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
            _check_size(constant, f"{where} uses the number")
    cells = function.__closure__ or ()
    for name, cell in zip(function.__code__.co_freevars, cells, strict=True):
        try:
            value = cell.cell_contents
        except ValueError:
            raise UsageError(f"{where} uses {name!r}, which has no value") from None
        _check_size(value, f"{where} uses {name} =")
        if _plain_function(value) is not None:
            raise UsageError(
                f"{where} uses the function {name!r}, which is defined inside another function: "
                "move it to module level and pass what it needs as arguments"
            )
        if not _is_constant(value):
            raise UsageError(
                f"{where} uses {name!r}, which is of type {type(value).__name__} and cannot be "
                "compiled; give the numbers, tuples or NumPy arrays that it needs names of their "
                "own in rules(), like width = self.width"
            )


def _check_size(value: Any, what: str) -> None:
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        raise UsageError(f"{what} {value}: compiled integers have 64 bits, one of them the sign")


def _is_constant(value: Any) -> bool:
    np = _numba().numpy
    if isinstance(value, tuple):
        return all(map(_is_constant, value))
    if isinstance(value, np.ndarray):
        return value.dtype.kind in "biufc"
    simple = isinstance(value, (*_PRINTED, enum.Enum, np.generic, np.dtype, ModuleType, type))
    return simple or _is_foreign(getattr(value, "__module__", "?"))


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

    @classmethod
    def of(cls, *values: Any) -> _Digest:
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
        np = _numba().numpy
        self._text(type(value).__qualname__)
        function = _plain_function(value)
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
        elif isinstance(value, (*_PRINTED, Field)):
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

    def _add_module(self, module: ModuleType, attributes: Set[str]) -> None:
        self._text(module.__name__)
        if not _is_foreign(module.__name__):
            for name in sorted(attributes & vars(module).keys()):
                self._text(name)
                self.add(getattr(module, name), attributes - {name})

    def _text(self, *parts: object) -> None:
        for part in parts:
            text = repr(part).encode()
            self._hash.update(len(text).to_bytes(8, "little") + text)


@functools.cache
def _surroundings() -> tuple[object, ...]:
    """What machine code depends on besides the rules: versions, the processor, this module."""
    numba, np = _numba().numba, _numba().numpy
    processor = _numba().registry.cpu_target.target_context.codegen().magic_tuple()
    settings = (numba.config.BOUNDSCHECK, numba.config.OPT)
    versions = (numba.__version__, np.__version__, sys.implementation.cache_tag)
    return versions, processor, settings, _source()


def _source() -> str:
    try:
        return inspect.getsource(sys.modules[__name__])
    except OSError:
        return ""  # and Numba caches only what has a source file


# -- errors ---------------------------------------------------------------------------------------


def _headline(name: str, rule: FunctionType, error: Exception) -> str:
    """Say in one line why a rule cannot be compiled, and where: Numba says it in dozens."""
    text = re.sub(r"\x1b\[[0-9;]*m", "", str(error))
    places = re.findall(r"(?: at |File \")([^\"\n]+?)(?:\", line | \()(\d+)", text)
    own = (rule.__code__.co_filename, rule.__code__.co_firstlineno)
    path, line = next((p for p in places if Path(p[0]).name != Path(__file__).name), own)
    lines = [x.strip() for x in text.splitlines() if x.strip()]
    told = [x for x in lines if not x.startswith("Failed in nopython mode pipeline")]
    reason = told[0] if told else type(error).__name__
    if _status.__name__ in text:
        reason = "it must always return a number"
    elif reason.endswith("found for signature:"):
        called = next((x[4:] for x in told if x.startswith(">>> ")), "this")
        specific = re.findall(r"^\s*\w+Error: (.+)$", text, flags=re.MULTILINE)
        reason = specific[-1] if specific else f"Numba has no {called}"
    reason = re.sub(r"Literal\[\w+\]\(([^()]*)\)", r"\1", reason)
    return f"rule {name!r} cannot be compiled ({Path(path).name}, line {line}): {reason}"
