# SPDX-License-Identifier: MIT
"""Tables of n-tuple networks in a file, without the rows that are 0.

Most combinations of symbols never come up on a board, and their rows stay 0.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, Any]

TABLES, ROWS, VALUES = "tables", "tables.rows", "tables.values"
LONGEST_TUPLE = 31
MOST_NUMBERS = 1 << 28
"""In unpacked tables: a small file must not take all memory."""


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
    """Undo `pack`. Raises `ValueError` if the arrays do not fit each other."""
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
