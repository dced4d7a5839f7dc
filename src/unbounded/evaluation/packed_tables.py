# SPDX-License-Identifier: MIT
"""Tables of n-tuple networks in a file: without the rows that are 0, and in bytes if wanted.

Most combinations of symbols never come up on a board, and their rows stay 0.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, Any]

TABLES, ROWS, VALUES, STEPS = "tables", "tables.rows", "tables.values", "tables.steps"
LARGEST_BYTE = 127
LONGEST_TUPLE = 31
MOST_NUMBERS = 1 << 28
"""In unpacked tables: a small file must not take all memory."""


def rounded_to_bytes(arrays: Mapping[str, Array]) -> dict[str, Array]:
    """Tables in multiples of a step, which is a 127th of the largest number in a column.

    A column has one number of each row of one tuple.
    """
    import numpy as np

    tables = arrays[TABLES].astype(np.float32)
    steps = np.abs(tables).max(2) / np.float32(LARGEST_BYTE)
    divisors = np.where(steps > 0, steps, 1)[:, :, None, :]
    return {**arrays, TABLES: np.rint(tables / divisors).astype(np.int8), STEPS: steps}


def pack(arrays: Mapping[str, Array]) -> dict[str, Array]:
    """Keep of the tables only the rows that are not 0, where that is smaller."""
    import numpy as np

    packed = dict(arrays)
    tables = arrays.get(TABLES)
    if tables is None or tables.ndim != 4 or not 0 < tables.size <= MOST_NUMBERS:
        return packed
    flat = tables.reshape(-1, tables.shape[3])
    rows = np.flatnonzero((flat != 0).any(1)).astype(np.int32)
    values = flat[rows]
    if rows.nbytes + values.nbytes < tables.nbytes:
        del packed[TABLES]
        packed |= {ROWS: rows, VALUES: values}
    return packed


def unpack(arrays: Mapping[str, Array], players: int, symbols: int) -> dict[str, Array]:
    """Undo `pack` and rounding. Raises `ValueError` if the arrays do not fit each other."""
    unpacked = _with_all_rows(arrays, players, symbols)
    tables, steps = unpacked.get(TABLES), unpacked.pop(STEPS, None)
    is_rounded = tables is not None and tables.dtype.str == "|i1"
    if is_rounded != (steps is not None):
        raise ValueError(f"tables of bytes must have {STEPS}, and no others")
    if tables is None or steps is None:
        return unpacked
    if tables.ndim != 4 or steps.shape != (*tables.shape[:2], tables.shape[3]):
        raise ValueError(f"{STEPS} must have a number for each column of each tuple")
    return {**unpacked, TABLES: tables * steps[:, :, None, :]}


def _with_all_rows(arrays: Mapping[str, Array], players: int, symbols: int) -> dict[str, Array]:
    import numpy as np

    if ROWS not in arrays and VALUES not in arrays:
        return dict(arrays)
    unpacked = {name: array for name, array in arrays.items() if name not in (ROWS, VALUES)}
    rows, values, cells = (arrays.get(name) for name in (ROWS, VALUES, "cells"))
    if rows is None or values is None or cells is None or TABLES in arrays:
        raise ValueError(f"it must have either {TABLES} or both {ROWS} and {VALUES}, and cells")
    if rows.ndim != 1 or rows.dtype.kind != "i" or values.ndim != 2 or len(values) != len(rows):
        raise ValueError(f"{ROWS} must be integers, one per row of {VALUES}")
    if cells.ndim != 2 or cells.shape[1] > LONGEST_TUPLE:
        raise ValueError(f"its cells must be rows of at most {LONGEST_TUPLE}, one per tuple")
    rows = rows.astype(np.int64)
    shape = (players, len(cells), symbols ** cells.shape[1], values.shape[1])
    if not 0 < math.prod(shape) <= MOST_NUMBERS:
        raise ValueError(f"its tables would have {math.prod(shape):,} numbers")
    if len(rows) and (rows[0] < 0 or rows[-1] >= math.prod(shape[:3]) or (np.diff(rows) < 1).any()):
        raise ValueError(f"{ROWS} must rise, and stay within the tables")
    flat = np.zeros((math.prod(shape[:3]), shape[3]), values.dtype)
    flat[rows] = values
    return {**unpacked, TABLES: flat.reshape(shape)}
