# SPDX-License-Identifier: MIT
"""What the rules see when they are compiled: types of our own for Numba.

Numba is imported only when it is needed; hence definitions inside functions.
"""

from __future__ import annotations

import functools
import importlib
import operator
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any, ClassVar

from unbounded.game import Field


@functools.cache
def libraries() -> SimpleNamespace:
    """Import what we use of Numba and what comes with it."""
    modules = {
        "arrayobj": "numba.np.arrayobj",
        "caching": "numba.core.caching",
        "ccallback": "numba.core.ccallback",
        "cgutils": "numba.core.cgutils",
        "codegen": "numba.core.codegen",
        "environment": "numba.core.environment",
        "errors": "numba.core.errors",
        "extending": "numba.extending",
        "imputils": "numba.core.imputils",
        "ir": "llvmlite.ir",
        "lock": "numba.core.compiler_lock",
        "numba": "numba",
        "numpy": "numpy",
        "registry": "numba.core.registry",
        "templates": "numba.core.typing.templates",
        "typeconv": "numba.core.typeconv",
        "types": "numba.core.types",
    }
    return SimpleNamespace(**{k: importlib.import_module(v) for k, v in modules.items()})


@functools.cache
def state_types() -> SimpleNamespace:
    """Define to Numba a state in packed bytes (`State`) and arrays in it (`Integers`)."""
    types, extending = libraries().types, libraries().extending

    class Integers(libraries().types.Array):  # type: ignore[misc]  # Numba is untyped
        """An array of integers; `count`: how many, where that is known when it is compiled."""

        def __init__(self, bits: int, writable: bool, count: int | None = None) -> None:
            dtype = types.Integer.from_bitwidth(bits, signed=True)
            name = f"array of i{bits}" if writable else f"read-only array of i{bits}"
            self.count = count
            super().__init__(dtype, 1, "C", readonly=not writable, name=name, aligned=False)

        @property
        def key(self) -> Any:
            return (*super().key, self.count)

        @property
        def mangling_args(self) -> Any:
            name, args = super().mangling_args
            return name, [*args, self.count or 0]

        def unify(self, typing: Any, other: Any) -> Any:
            """Return the type of what may be either of two arrays."""
            if isinstance(other, Integers) and other.dtype == self.dtype:
                writable = self.mutable and other.mutable
                return Integers(self.dtype.bitwidth, writable)
            return super().unify(typing, other)

        def can_convert_to(self, typing: Any, other: Any) -> Any:
            if isinstance(other, Integers) and other == self.unify(typing, other):
                return libraries().typeconv.Conversion.safe
            return super().can_convert_to(typing, other)

        @property
        def iterator_type(self) -> Any:
            return IntegersIterator(self)

    class IntegersIterator(libraries().types.ArrayIterator):  # type: ignore[misc]
        def __init__(self, integers: Any) -> None:
            super().__init__(integers)
            self._yield_type = types.int64

    class State(libraries().types.Type):  # type: ignore[misc]
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
            raise libraries().errors.TypingError(f"the state has no field {name!r}; it has {names}")

    class Stored(libraries().types.Type):  # type: ignore[misc]
        """What a number becomes when it is written to a field, which checks that it fits."""

        def __init__(self, bits: int) -> None:
            self.bitwidth = bits
            self.integer = types.Integer.from_bitwidth(bits, signed=True)
            super().__init__(f"field of i{bits}")

    extending.register_model(Integers)(extending.models.ArrayModel)
    extending.register_model(IntegersIterator)(extending.models.ArrayIterator)
    extending.register_model(State)(extending.models.OpaqueModel)
    extending.register_model(Stored)(extending.models.IntegerModel)
    _define_fields(State, Stored, Integers)
    _define_setattr(State)
    _define_items(Integers)
    _define_iteration(IntegersIterator)
    return SimpleNamespace(State=State, Integers=Integers)


def _define_fields(state_type: Any, stored_type: Any, integers_type: Any) -> None:
    """Tell Numba what `s.field` and `t.field = x` do."""
    ir, types, errors = libraries().ir, libraries().types, libraries().errors
    extending = libraries().extending

    class Writing(libraries().templates.AttributeTemplate):  # type: ignore[misc]
        key = state_type

        def generic_resolve(self, state: Any, name: str) -> Any:
            field, _ = state.find(name)
            if not state.writable:
                message = f"a rule may not write to {name!r} of a state that is given"
                raise errors.TypingError(message)
            if field.count is not None:
                raise errors.TypingError(f"a rule may write to {name}[:], but not to {name}")
            return stored_type(field.bits)

    class Reading(libraries().templates.AttributeTemplate):  # type: ignore[misc]
        # To write, Numba asks what was registered first; to read, what is specific to a target.
        key = state_type
        metadata: ClassVar = {"target": "cpu"}

        def generic_resolve(self, state: Any, name: str) -> Any:
            return reading(state, name)

    def reading(state: Any, name: str) -> Any:
        field, _ = state.find(name)
        if field.count is None:
            return types.int64
        return integers_type(field.bits, state.writable, field.count)

    def address(builder: Any, state: Any, field: Field, offset: int) -> Any:
        place = builder.gep(state, [ir.Constant(ir.IntType(64), offset)])
        return builder.bitcast(place, ir.IntType(field.bits).as_pointer())

    def read(context: Any, builder: Any, state: Any, value: Any, name: str) -> Any:
        field, offset = state.find(name)
        place = address(builder, value, field, offset)
        if field.count is not None:
            kind = reading(state, name)
            return make_array(
                context, builder, kind, place, ir.Constant(ir.IntType(64), field.count)
            )
        number = builder.load(place, align=1)
        return number if field.bits == 64 else builder.sext(number, ir.IntType(64))

    def write(context: Any, builder: Any, sig: Any, args: Any, name: str) -> None:
        field, offset = sig.args[0].find(name)
        builder.store(args[1], address(builder, args[0], field, offset), align=1)

    def store(context: Any, builder: Any, kind: Any, stored: Any, value: Any) -> Any:
        number = fitted(context, builder, kind, value, stored.bitwidth)
        return context.cast(builder, number, types.int64, stored.integer)

    for template in (Writing, Reading):
        extending.infer_getattr(template)
    extending.lower_getattr_generic(state_type)(read)
    extending.lower_setattr_generic(state_type)(write)
    for kind in (types.Number, types.Boolean):
        extending.lower_cast(kind, stored_type)(store)


def _define_setattr(state_type: Any) -> None:
    """Tell Numba what `setattr(t, name, x)` does, for a constant name; it knows `getattr`."""
    types, errors, extending = libraries().types, libraries().errors, libraries().extending

    def write_field(typing: Any, state: Any, name: Any, value: Any) -> Any:
        if not isinstance(name, types.StringLiteral):
            raise errors.RequireLiteralValue("the name of a field must be a constant")
        field = name.literal_value
        known = typing.resolve_setattr(state, field, value)

        def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            stored = context.cast(builder, args[2], sig.args[2], known.args[1])
            context.get_setattr(field, known)(builder, (args[0], stored))
            return context.get_dummy_value()

        return types.none(state, name, value), generate

    write = extending.intrinsic(write_field)

    def set_field(state: Any, name: Any, value: Any) -> Any:
        def set_constant_field(state: Any, name: Any, value: Any) -> None:
            write(state, name, value)

        return set_constant_field if isinstance(state, state_type) else None

    extending.overload(setattr)(set_field)


def _define_items(integers_type: Any) -> None:
    """Tell Numba what `integers[i]` and `integers[i] = x` do."""
    ir, types, extending = libraries().ir, libraries().types, libraries().extending

    class ReadItem(libraries().templates.AbstractTemplate):  # type: ignore[misc]
        # Otherwise Numba's own idea comes first: to read numbers as narrow as they are stored.
        metadata: ClassVar = {"target": "cpu"}

        def generic(self, args: Any, _: Any) -> Any:
            integers, index = args
            if isinstance(integers, integers_type) and isinstance(index, types.Integer):
                return types.int64(integers, types.intp if index.signed else types.uintp)
            return None

    def read(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        kind, index_kind = sig.args
        number = builder.load(_item(context, builder, kind, args, index_kind.signed), align=1)
        return number if kind.dtype == types.int64 else builder.sext(number, ir.IntType(64))

    def write(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        kind, index, item_kind = sig.args
        array, item = kind.copy(), args[2]
        if isinstance(index, types.Integer):
            number = fitted(context, builder, item_kind, item, array.dtype.bitwidth)
            at = context.cast(builder, args[1], index, types.intp if index.signed else types.uintp)
            place = _item(context, builder, kind, (args[0], at), index.signed)
            builder.store(context.cast(builder, number, types.int64, array.dtype), place, align=1)
            return context.get_dummy_value()
        if not isinstance(item_kind, types.Array) or item_kind.dtype != array.dtype:
            message = f"to a slice of an {kind}, only a slice of another may be written"
            raise libraries().errors.TypingError(message)
        write_array = context.get_function(operator.setitem, types.none(array, index, item_kind))
        return write_array(builder, args)

    def same(context: Any, builder: Any, kind: Any, other: Any, value: Any) -> Any:
        return value

    extending.lower_cast(integers_type, integers_type)(same)
    libraries().templates.infer_global(operator.getitem)(ReadItem)
    extending.lower_builtin(operator.getitem, integers_type, types.Integer)(read)
    extending.lower_builtin(operator.setitem, integers_type, types.Any, types.Any)(write)


def _item(context: Any, builder: Any, kind: Any, args: Any, signed: bool) -> Any:
    """Return the address of an item, after checking the index: most often by one comparison.

    Numba first adds the length to a negative index and then compares twice. Here only an index that
    is not in the array is looked at again, which leaves the loops of the rules a good deal shorter.
    """
    array = context.make_array(kind)(context, builder, value=args[0])
    index, length = args[1], builder.extract_value(array.shape, 0)
    asked = builder.block
    with builder.if_then(builder.icmp_unsigned(">=", index, length), likely=False):
        from_end = builder.add(index, length) if signed else index
        with builder.if_then(builder.icmp_unsigned(">=", from_end, length), likely=False):
            context.call_conv.return_user_exc(builder, IndexError, ("index is out of bounds",))
        corrected = builder.block
    found = builder.phi(index.type)
    found.add_incoming(index, asked)
    found.add_incoming(from_end, corrected)
    return builder.gep(array.data, [found])


def _define_iteration(iterator_type: Any) -> None:
    """Tell Numba what `for number in integers` does."""
    types, imputils = libraries().types, libraries().imputils

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
            builder.store(libraries().cgutils.increment_index(builder, index), iterator.index)

    lower = libraries().extending.lower_builtin("iternext", iterator_type)
    lower(imputils.iternext_impl(imputils.RefType.UNTRACKED)(step))


def fitted(context: Any, builder: Any, kind: Any, value: Any, bits: int) -> Any:
    """Return a value of some type as a 64-bit integer, after checking that it fits."""
    types = libraries().types
    if not isinstance(kind, types.Number):
        value, kind = context.cast(builder, value, kind, types.int64), types.int64
    return context.compile_internal(builder, _fitting(bits), types.int64(kind), (value,))


@functools.cache
def _fitting(bits: int) -> Any:
    """Make a function that returns an integer of so many bits, and refuses every other number."""
    low, high, int64 = -(2 ** (bits - 1)), 2 ** (bits - 1) - 1, libraries().types.int64

    def fitting(number: Any) -> Any:
        if not low <= number <= high:
            raise OverflowError("a number does not fit")
        whole = int64(number)
        if whole != number:
            raise OverflowError("a number is not an integer")
        return whole

    fitting.__qualname__ = f"fitting_{bits}"  # a name of its own, see `Builder`
    return fitting


def make_array(context: Any, builder: Any, kind: Any, address: Any, count: Any) -> Any:
    """Make an array of `count` numbers that lie at the address."""
    array = libraries().arrayobj.make_array(kind)(context, builder)
    size = kind.dtype.bitwidth // 8
    libraries().arrayobj.populate_array(array, address, [count], [count.type(size)], size, None)
    return libraries().imputils.impl_ret_borrowed(context, builder, kind, array._getvalue())
