# SPDX-License-Identifier: MIT
"""Sets of cells as bits of one integer, for rules; compiled, a few instructions each.

Cell 0 is bit 0. Rules may use 63 bits: the 64th is the sign of compiled integers.
"""

from __future__ import annotations

from unbounded.game.rules import Out

MOST_BITS = 63
"""The most cells that fit one integer."""


def cells_with(cells: Out, value: int) -> int:
    """Return the items of a field, 63 at most, that are equal to a value."""
    found = 0
    for cell in range(_count(cells)):
        if cells[cell] == value:
            found |= 1 << cell
    return found


def cells_above(cells: Out, value: int) -> int:
    """Return the items of a field, 63 at most, that are greater than a value."""
    found = 0
    for cell in range(_count(cells)):
        if cells[cell] > value:
            found |= 1 << cell
    return found


def fill_cells(cells: Out, bits: int, value: int) -> None:
    """Set the items of a field, 63 at most, whose bits are set to a value."""
    for cell in range(_count(cells)):
        if bits >> cell & 1 == 1:
            cells[cell] = value


def first_cell(bits: int) -> int:
    """Return the number of the lowest bit that is set; -1 if there is none."""
    return (bits & -bits).bit_length() - 1


def count_cells(bits: int) -> int:
    """Count the bits that are set, of 64."""
    return (bits & (2**64 - 1)).bit_count()


def list_cells(bits: int, out: Out) -> int:
    """Write the numbers of the bits that are set to `out`, in ascending order; count them."""
    count = 0
    while bits != 0:
        out[count] = first_cell(bits)
        count += 1
        bits &= bits - 1
    return count


def _count(cells: Out) -> int:
    if len(cells) > MOST_BITS:
        raise OverflowError(f"{len(cells)} cells do not fit the {MOST_BITS} bits of an integer")
    return len(cells)
