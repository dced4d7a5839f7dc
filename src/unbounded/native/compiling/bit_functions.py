# SPDX-License-Identifier: MIT
"""The functions of `game/bits.py` for compiled rules: all items of a field are compared at once."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from types import CodeType
from typing import Any

from unbounded.game import Field, bits
from unbounded.native.compiling.native_types import libraries, state_types


@functools.cache
def bit_functions() -> dict[CodeType, Any]:
    """Return what compiled rules call instead of functions with this code."""
    made = {
        bits.cells_with: _comparison("=="),
        bits.cells_above: _comparison(">"),
        bits.first_cell: _first_cell,
        bits.count_cells: _count_cells,
    }
    return {old.__code__: libraries().extending.intrinsic(new) for old, new in made.items()}


def _comparison(relation: str) -> Callable[..., Any]:
    """Define the items of an array that are in a relation to a value, as bits."""
    ir, types = libraries().ir, libraries().types

    def compare(_: Any, cells: Any, value: Any) -> Any:
        count = getattr(cells, "count", None)
        if not isinstance(cells, state_types().Integers) or count is None:
            raise libraries().errors.TypingError("cells as bits must be those of one field")

        def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            if count > bits.MOST_BITS:
                message = f"{count} cells do not fit the {bits.MOST_BITS} bits of an integer"
                context.call_conv.return_user_exc(builder, OverflowError, (message,))
                builder.position_at_end(builder.append_basic_block())
                return ir.Constant(ir.IntType(64), 0)
            array = context.make_array(sig.args[0])(context, builder, value=args[0])
            return _compared(builder, array.data, count, relation, args[1])

        return types.int64(cells, types.int64), generate

    return compare


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
    one = builder.insert_element(
        ir.Constant(vector, ir.Undefined),
        builder.trunc(nearest, item),
        ir.Constant(ir.IntType(32), 0),
    )
    places = ir.Constant(ir.VectorType(ir.IntType(32), count), [0] * count)
    all_alike = builder.shuffle_vector(one, ir.Constant(vector, ir.Undefined), places)
    items = builder.load(builder.bitcast(data, vector.as_pointer()), align=1)
    found = builder.icmp_signed(relation, items, all_alike)
    packed = builder.zext(builder.bitcast(found, ir.IntType(count)), wide)
    beyond = builder.icmp_signed("!=" if relation == "==" else "<", value, nearest)
    every = ir.Constant(wide, 0 if relation == "==" else (1 << count) - 1)
    return builder.select(beyond, every, packed)


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
