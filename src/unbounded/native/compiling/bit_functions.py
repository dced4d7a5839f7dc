# SPDX-License-Identifier: MIT
"""The functions of `game/bits.py` for compiled rules: all items of a field are compared at once."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from types import CodeType
from typing import Any

from unbounded.game import Field, bits
from unbounded.native.compiling.native_types import fitted, libraries, state_types


@functools.cache
def bit_functions() -> dict[CodeType, Any]:
    """Return what compiled rules call instead of functions with this code."""
    made = {
        bits.cells_with: _comparison("=="),
        bits.cells_above: _comparison(">"),
        bits.fill_cells: _fill_cells,
        bits.first_cell: _first_cell,
        bits.count_cells: _count_cells,
    }
    return {old.__code__: libraries().extending.intrinsic(new) for old, new in made.items()}


def _comparison(relation: str) -> Callable[..., Any]:
    """Define the items of an array that are in a relation to a value, as bits."""
    ir, types = libraries().ir, libraries().types

    def compare(_: Any, cells: Any, value: Any) -> Any:
        count = _count_of(cells)

        def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            if count > bits.MOST_BITS:
                _refuse(context, builder, count)
                return ir.Constant(ir.IntType(64), 0)
            array = context.make_array(sig.args[0])(context, builder, value=args[0])
            return _compared(builder, array.data, count, relation, args[1])

        return types.int64(cells, types.int64), generate

    return compare


def _count_of(cells: Any) -> int:
    count: int | None = getattr(cells, "count", None)
    if not isinstance(cells, state_types().Integers) or count is None:
        raise libraries().errors.TypingError("cells as bits must be those of one field")
    return count


def _refuse(context: Any, builder: Any, count: int) -> None:
    """Raise what the plain functions do where there are too many cells."""
    message = f"{count} cells do not fit the {bits.MOST_BITS} bits of an integer"
    context.call_conv.return_user_exc(builder, OverflowError, (message,))
    builder.position_at_end(builder.append_basic_block())


def _compared(builder: Any, data: Any, count: int, relation: str, value: Any) -> Any:
    """Compare as many items from an address on with a value of 64 bits; return 64 bits."""
    ir = libraries().ir
    item, wide = data.type.pointee, ir.IntType(64)
    vector = ir.VectorType(item, count)
    # All items are in the same relation to a value that is none of theirs: to one beyond it too.
    least, most = (
        ir.Constant(wide, x) for x in ((-1 << item.width - 1), (1 << item.width - 1) - 1)
    )
    nearest = builder.select(builder.icmp_signed("<", value, least), least, value)
    nearest = builder.select(builder.icmp_signed(">", nearest, most), most, nearest)
    all_alike = _all_alike(builder, builder.trunc(nearest, item), vector)
    items = builder.load(builder.bitcast(data, vector.as_pointer()), align=1)
    found = builder.icmp_signed(relation, items, all_alike)
    packed = builder.zext(builder.bitcast(found, ir.IntType(count)), wide)
    beyond = builder.icmp_signed("!=" if relation == "==" else "<", value, nearest)
    every = ir.Constant(wide, 0 if relation == "==" else (1 << count) - 1)
    return builder.select(beyond, every, packed)


def _all_alike(builder: Any, item: Any, vector: Any) -> Any:
    """Return a vector whose items are all the same."""
    ir = libraries().ir
    undefined, index = ir.Constant(vector, ir.Undefined), ir.IntType(32)
    one = builder.insert_element(undefined, item, ir.Constant(index, 0))
    places = ir.Constant(ir.VectorType(index, vector.count), [0] * vector.count)
    return builder.shuffle_vector(one, undefined, places)


def smallest_image(field: str, fields: Sequence[Field], sources: Any) -> Any:
    """Define how a state becomes the smallest of its images, which move the items of a field (i8).

    Item i of image k is item sources[k, i] of the state. No branch depends on the state: which
    image is the smallest cannot be predicted.
    """
    ir, types = libraries().ir, libraries().types
    symmetries, count = sources.shape
    _, offset = state_types().State(fields, True).find(field)
    vector, word = ir.VectorType(ir.IntType(8), count), ir.IntType(count)
    index = ir.VectorType(ir.IntType(32), count)

    def make_smallest(_: Any, state: Any) -> Any:
        def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            place = builder.gep(args[0], [ir.Constant(ir.IntType(64), offset)])
            place = builder.bitcast(place, vector.as_pointer())
            items = best = builder.load(place, align=1)
            for k in range(1, symmetries):
                order = ir.Constant(index, [int(source) for source in sources[k]])
                image = builder.shuffle_vector(items, items, order)
                other = builder.bitcast(builder.icmp_unsigned("!=", image, best), word)
                less = builder.bitcast(builder.icmp_unsigned("<", image, best), word)
                # Of the items that differ, the first one decides.
                first = builder.and_(other, builder.neg(other))
                smaller = builder.icmp_unsigned("!=", builder.and_(less, first), word(0))
                best = builder.select(smaller, image, best)
            builder.store(best, place, align=1)
            return context.get_dummy_value()

        return types.none(state), generate

    return libraries().extending.intrinsic(make_smallest)


def _fill_cells(_: Any, cells: Any, places: Any, value: Any) -> Any:
    """Define how the items of an array at the places of bits get a value."""
    types, count = libraries().types, _count_of(cells)

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        ir = libraries().ir
        if count > bits.MOST_BITS:
            _refuse(context, builder, count)
            return context.get_dummy_value()
        array = context.make_array(sig.args[0])(context, builder, value=args[0])
        item = array.data.type.pointee
        vector = ir.VectorType(item, count)
        chosen = builder.trunc(args[1], ir.IntType(count))
        any_chosen = builder.icmp_unsigned("!=", chosen, ir.Constant(chosen.type, 0))
        written = builder.select(any_chosen, args[2], ir.Constant(args[2].type, 0))
        number = fitted(context, builder, types.int64, written, item.width)
        place = builder.bitcast(array.data, vector.as_pointer())
        # All at once: what is written cell by cell takes long to be read again as a whole.
        filled = builder.select(
            builder.bitcast(chosen, ir.VectorType(ir.IntType(1), count)),
            _all_alike(builder, builder.trunc(number, item), vector),
            builder.load(place, align=1),
        )
        builder.store(filled, place, align=1)
        return context.get_dummy_value()

    return types.none(cells, types.int64, types.int64), generate


def _first_cell(_: Any, cells: Any) -> Any:
    types = libraries().types

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        ir = libraries().ir
        zero, none = ir.Constant(ir.IntType(64), 0), ir.Constant(ir.IntType(64), -1)
        lowest = builder.cttz(args[0], ir.Constant(ir.IntType(1), 0))
        return builder.select(builder.icmp_signed("==", args[0], zero), none, lowest)

    return types.int64(types.int64), generate


def _count_cells(_: Any, cells: Any) -> Any:
    types = libraries().types

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return types.int64(types.int64), generate
