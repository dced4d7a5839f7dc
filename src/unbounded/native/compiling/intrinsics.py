# SPDX-License-Identifier: MIT
"""What thunks are written in besides plain Python: states, rows and linking, for Numba."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

from unbounded.game import Field
from unbounded.native.compiling.native_types import libraries, make_array, state_types


def intrinsics(
    fields: Sequence[Field],
    players: int,
    max_actions: int,
    functions: Callable[[], Collection[Any]],
) -> dict[str, Any]:
    """Define how thunks make the arguments of rules from the core's pointers, and hold rules.

    `functions` returns those that rules may call, as far as they are known when a thunk is
    compiled.
    """
    made = (*_states(fields), *_rows(players, max_actions), *_calls(), _linking(functions))
    return {function.__name__: libraries().extending.intrinsic(function) for function in made}


def _stack_memory(builder: Any, item: Any, count: int) -> Any:
    """Return the address of so many items on the stack of a thunk, to be filled by the caller.

    As `alloca_once` of Numba, which also stores a zero there: an array of thousands as a single
    value, which takes LLVM minutes.
    """
    with builder.goto_entry_block():
        memory = builder.alloca(libraries().ir.ArrayType(item, count))
    return builder.bitcast(memory, item.as_pointer())


def _states(fields: Sequence[Field]) -> list[Any]:
    """Define states on the stack of a thunk, and how they get there and back."""
    ir, types, kinds = libraries().ir, libraries().types, state_types()
    size = sum(field.bits // 8 * (field.count or 1) for field in fields)
    reading, writing_to = kinds.State(fields, False), kinds.State(fields, True)

    def copy(builder: Any, target: Any, source: Any) -> None:
        count = ir.Constant(ir.IntType(64), size)
        libraries().cgutils.raw_memcpy(builder, target, source, count, 1)

    def local(builder: Any, source: Any) -> Any:
        place = _stack_memory(builder, ir.IntType(8), size)
        copy(builder, place, source)
        return place

    def copied(_: Any, states: Any, offset: Any) -> Any:
        """Return a copy of a state, to be read."""

        def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            return local(builder, builder.gep(args[0], [args[1]]))

        return reading(states, types.int64), generate

    def started(_: Any, state: Any) -> Any:
        """Return a copy of a state, to be changed."""

        def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            return local(builder, args[0])

        return writing_to(state), generate

    def settled(_: Any, state: Any) -> Any:
        """Return a state that was changed, to be read from now on."""
        return reading(state), lambda context, builder, sig, args: args[0]

    def writing(_: Any, state: Any) -> Any:
        """Return the state at an address, to be changed there."""
        return writing_to(state), lambda context, builder, sig, args: args[0]

    def kept(_: Any, state: Any, states: Any, offset: Any) -> Any:
        """Copy a state to an address."""

        def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            copy(builder, builder.gep(args[1], [args[2]]), args[0])
            return context.get_dummy_value()

        return types.none(state, states, types.int64), generate

    def replaced(_: Any, state: Any, other: Any) -> Any:
        """Copy a state over another."""

        def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            copy(builder, args[0], args[1])
            return context.get_dummy_value()

        return types.none(state, other), generate

    def before(_: Any, state: Any, other: Any) -> Any:
        """Whether the bytes of a state come before those of another."""

        def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            return _comes_before(builder, args[0], args[1], size)

        return types.boolean(state, other), generate

    return [copied, started, settled, writing, kept, replaced, before]


def _comes_before(builder: Any, one: Any, other: Any, size: int) -> Any:
    """Compare as memcmp does: eight bytes at a time, the first as the most significant."""
    ir = libraries().ir
    smaller, same = ir.Constant(ir.IntType(1), 0), ir.Constant(ir.IntType(1), 1)
    for offset, bits in _pieces(size):
        word = ir.IntType(bits)

        def piece(state: Any, at: int = offset, word: Any = word) -> Any:
            place = builder.gep(state, [ir.Constant(ir.IntType(64), at)])
            number = builder.load(builder.bitcast(place, word.as_pointer()), align=1)
            return number if word.width == 8 else builder.bswap(number)

        a, b = piece(one), piece(other)
        smaller = builder.or_(smaller, builder.and_(same, builder.icmp_unsigned("<", a, b)))
        same = builder.and_(same, builder.icmp_unsigned("==", a, b))
    return smaller


def _pieces(size: int) -> list[tuple[int, int]]:
    """Return offsets and bits of the words that bytes consist of."""
    pieces, offset = [], 0
    for width in (8, 4, 2, 1):
        while size - offset >= width:
            pieces.append((offset, 8 * width))
            offset += width
    return pieces


def _rows(players: int, max_actions: int) -> list[Any]:
    """Define arrays: those of the core, and some on the stack of a thunk."""
    ir, types, kinds = libraries().ir, libraries().types, state_types()

    def zeros(context: Any, builder: Any, item: Any, count: int) -> Any:
        memory = _stack_memory(builder, item, count)
        size = ir.Constant(ir.IntType(64), context.get_abi_sizeof(item) * count)
        libraries().cgutils.memset(builder, memory, size, 0)
        return memory

    def integers(_: Any, out: Any, offset: Any, count: Any) -> Any:
        def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            first = builder.gep(args[0], [args[1]])
            return make_array(context, builder, sig.return_type, first, args[2])

        return kinds.Integers(32, True)(out, types.int64, types.int64), generate

    def scratch(_: Any) -> Any:
        """Return zeros for as many actions as there can be."""

        def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            count = ir.Constant(ir.IntType(64), max_actions)
            memory = zeros(context, builder, ir.IntType(32), max_actions)
            return make_array(context, builder, sig.return_type, memory, count)

        return kinds.Integers(32, True)(), generate

    def doubles(_: Any, out: Any, count: Any) -> Any:
        def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            return make_array(context, builder, sig.return_type, *args)

        return types.Array(types.float64, 1, "C")(out, types.int64), generate

    def floats(_: Any) -> Any:
        """Return a zero for each player."""

        def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            count = ir.Constant(ir.IntType(64), players)
            memory = zeros(context, builder, ir.DoubleType(), players)
            return make_array(context, builder, sig.return_type, memory, count)

        return types.Array(types.float64, 1, "C")(), generate

    return [integers, scratch, doubles, floats]


def _calls() -> list[Any]:
    """Define calls of rules that end with a status where the rule raises an exception."""
    types = libraries().types

    def call(context_of_types: Any, rule: Any, *args: Any) -> Any:
        answer = rule.get_call_type(context_of_types, args, {}).return_type

        def generate(context: Any, builder: Any, sig: Any, values: Any) -> Any:
            overload = rule.dispatcher.overloads[sig.args[1:]]
            context.active_code_library.add_linking_library(overload.library)
            inner = answer(*sig.args[1:])
            call = context.call_internal_no_propagate
            status, result = call(builder, overload.fndesc, inner, values[1:])
            return context.make_tuple(builder, sig.return_type, [status.is_error, result])

        return types.Tuple((types.boolean, answer))(rule, *args), generate

    def tried1(_: Any, rule: Any, a: Any) -> Any:
        return call(_, rule, a)

    def tried2(_: Any, rule: Any, a: Any, b: Any) -> Any:
        return call(_, rule, a, b)

    def tried3(_: Any, rule: Any, a: Any, b: Any, c: Any) -> Any:
        return call(_, rule, a, b, c)

    return [tried1, tried2, tried3]


def _linking(functions: Callable[[], Collection[Any]]) -> Any:
    types = libraries().types

    def link(_: Any, rule: Any) -> Any:
        def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            _link(context, builder, rule.dispatcher, functions())
            return context.get_dummy_value()

        return types.none(rule), generate

    return link


def _link(context: Any, builder: Any, rule: Any, functions: Collection[Any]) -> None:
    """Make a thunk hold all that its rule calls.

    Where functions call each other, Numba leaves open which address is called, for itself to fill
    in later. It does not do so for what it loads from its cache, which ends the process.
    """
    ir, prefix = libraries().ir, libraries().codegen.RuntimeLinker.PREFIX
    pointer = ir.IntType(8).as_pointer()
    overloads = [x for function in functions for x in function.overloads.values()]
    known = {prefix + overload.fndesc.llvm_func_name: overload for overload in overloads}
    known = {name: x for name, x in known.items() if name not in builder.module.globals}
    pending = list(rule.overloads.values())
    while pending:
        text = pending.pop().library.get_llvm_str()
        for left_open in [name for name in known if name in text]:
            overload = known.pop(left_open)
            context.active_code_library.add_linking_library(overload.library)
            called = context.declare_function(builder.module, overload.fndesc)
            address = ir.GlobalVariable(builder.module, pointer, left_open)
            address.linkage = "weak_odr"  # which is not dropped although nothing uses it yet
            address.initializer = called.bitcast(pointer)
            pending.append(overload)
