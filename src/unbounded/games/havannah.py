# SPDX-License-Identifier: MIT
"""Havannah: a hexagon of hexagons, and three ways to win: a bridge, a fork or a ring."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from unbounded.game import Known, Out, Place, RecordGame, Rules, State, record
from unbounded.game.bits import (
    MOST_BITS,
    cells_above,
    cells_with,
    fill_cells,
    first_cell,
    list_cells,
)
from unbounded.game.board import LETTERS, cell_name, empty_board, player_in_turn, require_integer
from unbounded.game.colors import BOARD, DARK, FAINT
from unbounded.game.drawing import HEX_CORNER, HEX_STEP, Canvas, hexagon
from unbounded.game.setting_up import check_pieces, placed

CIRCLE = ((1, 0), (1, 1), (0, 1), (-1, 0), (-1, -1), (0, -1))
"""Columns and rows to the six cells around one, in the order of a walk around it."""

SIDES = 64
"""In a mask of borders the lower six bits are the corners, and the sides follow."""

BITS = np.array([number.bit_count() for number in range(64)], dtype=np.int64)


class Havannah(RecordGame):
    """Two players take turns to put a stone of their own on an empty cell of a hexagonal board.

    A player wins with a chain of stones that is a bridge (it joins two of the six corners), a fork
    (it joins three of the six sides; corners are not part of a side) or a ring (it runs around one
    cell or more, whoever has stones there). On a full board without any of these it is a draw.
    `size` is the number of cells along a side. Played without the swap rule.

    X begins. A move is the name of a cell, such as `b3`: letters and numbers are those at the edge
    of the board.
    """

    symbols = "XO"
    piece_symbols = ".XO"
    symmetries = 12
    zero_sum = True
    solvable = "havannah(size=2)"
    known_values = (Known("havannah(size=2)", (1, -1), "independent solver"),)

    def __init__(self, size: int = 4) -> None:
        require_integer("size", size, 2, 10)
        self.size = size
        self.spots = spots_of(size)
        count = len(self.spots)
        self.state = record(
            cells=f"{'i8' if count < 128 else 'i16'}[{count}]", turn="i8", winner="i8"
        )
        self.max_actions = count
        self.planes = (3, 2 * size - 1, 2 * size - 1)
        self.action_count = self.longest_game = count

    # A cell holds 0 when empty; else the number of its chain, negative for the second player. A
    # chain has the number of its first cell, counted from 1. `winner` is 0 while there is none,
    # else 1 + the player.

    def rules(self) -> Rules:
        cells, size = self.max_actions, self.size
        wide, on_bits = 2 * size - 1, cells <= MOST_BITS
        around = np.array(neighbor_table(self.spots), dtype=np.int64)
        borders = np.array(borders_of(size, self.spots), dtype=np.int64)
        planes = np.array([row * wide + column for column, row in self.spots], dtype=np.int64)
        # Squares of `wide` rows and columns have room for the board with straight columns.
        is_small, full = wide * wide <= MOST_BITS, (1 << cells) - 1 if on_bits else 0
        edges = edges_of(borders, planes) if is_small else planes
        shifts, rows = rows_moved(size) if is_small else (planes, planes)
        steps = int((cells / 3.0) ** 0.5) + 1

        def actions(s: State, out: Out) -> int:
            if on_bits:
                return list_cells(cells_with(s.cells, 0), out) if s.winner == 0 else 0
            count = 0
            if s.winner == 0:
                for cell in range(cells):
                    if s.cells[cell] == 0:
                        out[count] = cell
                        count += 1
            return count

        def is_terminal(s: State) -> bool:
            if on_bits:
                return bool(s.winner != 0) or cells_with(s.cells, 0) == 0
            for cell in range(cells):
                if s.cells[cell] == 0:
                    return bool(s.winner != 0)
            return True

        def place(s: State, cell: int, t: State) -> None:
            sign = 1 - 2 * s.turn
            ring = closes_ring(s.cells, around, cell, sign)
            if wins(join(t.cells, around, borders, cell, sign)) or ring:
                t.winner = s.turn + 1
            t.turn = 1 - s.turn

        def outcome(s: State, out: Out) -> None:
            if s.winner != 0:
                out[s.winner - 1] = 1
                out[2 - s.winner] = -1

        def evaluate(s: State, out: Out) -> None:
            lead = 0.5 if s.turn == 0 else -0.5
            if is_small:
                empty, own = cells_with(s.cells, 0), cells_above(s.cells, 0)
                foe = moved_rows(full & ~(empty | own), shifts, rows)
                empty, own = moved_rows(empty, shifts, rows), moved_rows(own, shifts, rows)
                lead += missing_on_bits(foe, empty, edges, steps, wide)
                lead -= missing_on_bits(own, empty, edges, steps, wide)
            else:
                lead += missing_stones(s.cells, around, borders, -1)
                lead -= missing_stones(s.cells, around, borders, 1)
            out[0] = lead / (abs(lead) + 3.0)
            out[1] = -out[0]

        symmetry, relabel, encode = self._views()
        return Rules(
            empty_board, player_in_turn, actions, place, outcome,
            evaluate=evaluate, symmetry=symmetry, relabel=relabel, encode=encode,
            is_terminal=is_terminal,
        )  # fmt: skip

    def _views(self) -> list[Callable[..., None]]:
        """Return the rules `symmetry`, `relabel` and `encode`."""
        cells, wide = self.max_actions, 2 * self.size - 1
        on_bits = cells <= MOST_BITS
        images = np.array(images_of(self.size, self.spots), dtype=np.int64)
        image_bits = 1 << images.ravel() if on_bits else images
        planes = np.array([row * wide + column for column, row in self.spots], dtype=np.int64)

        def symmetry(s: State, k: int, t: State) -> None:
            if on_bits:
                move_chains(s.cells, image_bits, k, t.cells)
                return
            first = np.full(cells + 1, cells)
            for cell in range(cells):
                chain = abs(s.cells[cell])
                first[chain] = min(first[chain], images[k, cell])
            for cell in range(cells):
                value = s.cells[cell]
                number = first[abs(value)] + 1 if value != 0 else 0
                t.cells[images[k, cell]] = number if value >= 0 else -number

        def relabel(s: State, k: int, t: State) -> None:
            if k == 1:
                for cell in range(cells):
                    t.cells[cell] = -s.cells[cell]
                t.turn = 1 - s.turn
                t.winner = (3 - s.winner) % 3

        def encode(s: State, out: Out) -> None:
            # The mover's stones, the other player's, and where the board is.
            for cell in range(cells):
                value = s.cells[cell]
                if value != 0:
                    plane = 0 if (value < 0) == (s.turn == 1) else 1
                    out[plane * wide * wide + planes[cell]] = 1.0
                out[2 * wide * wide + planes[cell]] = 1.0

        return [symmetry, relabel, encode]

    def show(self, state: bytes) -> str:
        s = self.state.unpack(state)
        wide = 2 * self.size - 1
        lines = [" " * (self.size + 3) + " ".join(LETTERS[: self.size])]
        for row in range(wide):
            stones = [
                "." if value == 0 else self.symbols[value < 0]
                for value, spot in zip(s.cells, self.spots, strict=True)
                if spot[1] == row
            ]
            beyond = f" {LETTERS[self.size + row]}" if row < self.size - 1 else ""
            indent = " " * abs(self.size - 1 - row)
            lines.append(f"{indent}{row + 1:2} {' '.join(stones)}{beyond}")
        if s.winner:
            lines.append(f"{self.symbols[s.winner - 1]} has won")
        else:
            lines.append(f"{self.symbols[s.turn]} to move" if not all(s.cells) else "a draw")
        return "\n".join(lines)

    def action_name(self, state: bytes, action: int) -> str:
        column, row = self.spots[action]
        return cell_name(row, column)

    def svg(self, state: bytes, *, last: int | None = None, targets: Sequence[int] = ()) -> str:
        s = self.state.unpack(state)
        wide = 2 * self.size - 1
        canvas = Canvas(wide, HEX_STEP * (wide - 1) + 2 * HEX_CORNER, title=str(self), margin=0.9)
        borders = borders_of(self.size, self.spots)
        for cell, (column, row) in enumerate(self.spots):
            x, y = center(self.size, column, row)
            fill = DARK if 0 < borders[cell] < SIDES else BOARD
            canvas.polygon(hexagon(x, y), fill=fill)
            if s.cells[cell]:
                who = int(s.cells[cell] < 0)
                canvas.piece(x, y, who, self.symbols[who], 0.33)
                if cell == last:
                    canvas.ring_last(x, y, 0.37 if s.winner else 0.42)
                # The last stone is part of what wins: a bridge, a fork or a ring.
                if s.winner and last is not None and s.cells[cell] == s.cells[last]:
                    canvas.mark_win(x, y, 0.43)
            elif cell in targets:
                canvas.mark_target(x, y)
        for i in range(wide):
            x, y = center(self.size, max(0, i - self.size + 1), i)
            canvas.text(x - 0.8, y, str(i + 1), size=0.32, fill=FAINT)
            x, y = center(self.size, i, max(0, i - self.size + 1))
            canvas.text(x + 0.45, y - 0.8, LETTERS[i], size=0.32, fill=FAINT)
        return canvas.svg()

    def places(self, state: bytes, action: int) -> Sequence[Place]:
        return [Place(*center(self.size, *self.spots[action]), height=HEX_STEP)]

    def badge_place(self, state: bytes, action: int) -> Place | None:
        places = self.places(state, action)
        return places[-1].inside() if places else None  # the cell is empty

    def piece_places(self) -> Sequence[Place]:
        cells = range(self.max_actions)
        return [Place(*center(self.size, *self.spots[cell]), height=HEX_STEP) for cell in cells]

    def pieces_on(self, state: bytes) -> Sequence[int]:
        cells = self.state.unpack(state).cells
        return [0 if cell == 0 else 1 if cell > 0 else 2 for cell in cells]

    def set_up(self, pieces: Sequence[int], player: int) -> bytes:
        check_pieces(self, pieces, player)
        owned = ((stone - 1, cell) for cell, stone in enumerate(pieces) if stone)
        return placed(self, player, owned)


# -- the board ------------------------------------------------------------------------------------


def spots_of(size: int) -> list[tuple[int, int]]:
    """Return column and row of every cell, row by row; columns lean to the left downwards."""
    wide = range(2 * size - 1)
    return [(column, row) for row in wide for column in wide if abs(column - row) < size]


def neighbor_table(spots: Sequence[tuple[int, int]]) -> list[list[int]]:
    """Return for each cell the six around it in the order of a walk, -1 where the board ends."""
    number = {spot: cell for cell, spot in enumerate(spots)}
    return [[number.get((x + right, y + down), -1) for right, down in CIRCLE] for x, y in spots]


def borders_of(size: int, spots: Sequence[tuple[int, int]]) -> list[int]:
    """Return for each cell a bit for the corner or, times 64, for the side where it lies."""
    far = 2 * size - 2
    masks, corners = [], 0
    for x, y in spots:
        ends = (y == 0, y == far, x == 0, x == far, y - x == size - 1, x - y == size - 1)
        if sum(ends) == 2:
            masks.append(1 << corners)
            corners += 1
        else:
            masks.append(SIDES << ends.index(True) if any(ends) else 0)
    return masks


def images_of(size: int, spots: Sequence[tuple[int, int]]) -> list[list[int]]:
    """Return for each symmetry where every cell goes: six turns, and the same after mirroring."""
    number = {spot: cell for cell, spot in enumerate(spots)}
    images = []
    for k in range(12):
        image = []
        for spot in spots:
            x, y = spot[0] - size + 1, spot[1] - size + 1
            if k >= 6:
                x, y = y, x
            for _ in range(k % 6):
                x, y = x - y, x
            image.append(number[x + size - 1, y + size - 1])
        images.append(image)
    return images


def center(size: int, column: int, row: int) -> tuple[float, float]:
    """Return the middle of a cell in the drawing."""
    return column - row / 2 + size / 2, row * HEX_STEP + HEX_CORNER


# -- chains ---------------------------------------------------------------------------------------


def closes_ring(cells: Out, around: Out, cell: int, sign: int) -> bool:
    """Whether a player's stone on this empty cell makes a ring.

    It does if it joins a chain to itself: the stones around it that are not next to each other,
    but of the same chain, have something between them on both sides, and one side is inside. Else
    there is a ring only around a stone of the player's own, where the sixth stone was missing.
    """
    first = second = 0
    for i in range(6):
        near = around[cell, i]
        own = near >= 0 and cells[near] * sign > 0
        before = around[cell, (i + 5) % 6]
        if own and (before < 0 or cells[before] * sign <= 0):
            if cells[near] in (first, second):
                return True
            first, second = cells[near], first
        if own and surrounded(cells, around, near, sign, cell):
            return True
    return False


def surrounded(cells: Out, around: Out, cell: int, sign: int, missing: int) -> bool:
    """Whether a player has stones on all six cells around this one, but perhaps one."""
    for i in range(6):
        near = around[cell, i]
        if near < 0 or (near != missing and cells[near] * sign <= 0):
            return False
    return True


def join(cells: Out, around: Out, borders: Out, cell: int, sign: int) -> int:
    """Put a stone on a cell, joining the chains around it; return the borders that it reaches."""
    number = cell + 1
    one = two = three = 0
    for i in range(6):
        near = around[cell, i]
        if near >= 0 and cells[near] * sign > 0:
            chain = cells[near] * sign
            number = min(number, chain)
            if chain not in (one, two):
                one, two, three = chain, one, two
    cells[cell] = sign * number
    reached = borders[cell]
    if one != 0:
        for other in range(len(cells)):
            chain = cells[other] * sign
            if chain > 0 and chain in (one, two, three, number):
                cells[other] = sign * number
                reached |= borders[other]
    return int(reached)


def wins(reached: int) -> bool:
    """Whether a chain with these borders is a bridge or a fork."""
    return bool(BITS[reached % SIDES] >= 2 or BITS[reached // SIDES] >= 3)


def missing_stones(cells: Out, around: Out, borders: Out, sign: int) -> int:
    """Return about how many stones a player still needs for a bridge or a fork."""
    count = len(cells)
    # By cell what it reaches with so many stones more; a chain stands in the place of its first.
    reached = np.zeros(count, dtype=np.int64)
    fork = np.zeros(count, dtype=np.int64)
    bridge = np.zeros(count, dtype=np.int64)
    for cell in range(count):
        if cells[cell] * sign > 0:
            reached[cells[cell] * sign - 1] |= borders[cell]
    steps = int((count / 3.0) ** 0.5) + 1
    for _ in range(steps):
        for cell in range(count):
            fork[cell] += max(0, 3 - BITS[reached[cell] // SIDES])
            bridge[cell] += max(0, 2 - BITS[reached[cell] % SIDES])
        reached = reached_with_one_more(cells, around, borders, reached, sign)
    best = 3 * steps
    for cell in range(count):
        # The stone on an empty cell itself was counted once for each border.
        again = 1 if cells[cell] == 0 else 0
        best = min(best, fork[cell] - 2 * again, bridge[cell] - again)
    return int(best)


def reached_with_one_more(cells: Out, around: Out, borders: Out, reached: Out, sign: int) -> Out:
    """Return which borders each empty cell and each chain of a player reaches with a stone more."""
    after = reached.copy()
    for cell in range(len(cells)):
        if cells[cell] == 0:
            after[cell] |= borders[cell]
            for i in range(6):
                near = around[cell, i]
                if near >= 0 and cells[near] * sign >= 0:
                    after[cell] |= reached[near if cells[near] == 0 else cells[near] * sign - 1]
    for cell in range(len(cells)):
        if cells[cell] * sign > 0:
            for i in range(6):
                near = around[cell, i]
                if near >= 0 and cells[near] == 0:
                    after[cells[cell] * sign - 1] |= after[near]
    return after


# The same on bits, where the cells fit one integer and, but for `move_chains`, with columns made
# straight: each row has `wide` squares. Where it ends, the next one begins with squares that are
# not on the board, so no step leads around the edge. `Six` are the squares that reach each of the
# six corners, or each of the six sides.

Six = tuple[int, int, int, int, int, int]
Planes = tuple[int, int, int, int]


def move_chains(cells: Out, image_bits: Out, k: int, image: Out) -> None:
    """Write an image: each chain gets the number of the first cell that it moves to."""
    left = ((1 << len(cells)) - 1) & ~cells_with(cells, 0)
    fill_cells(image, (1 << len(cells)) - 1, 0)
    while left != 0:
        value, moved = cells[first_cell(left)], 0
        chain = cells_with(cells, value)
        left &= ~chain
        while chain != 0:
            moved |= image_bits[k * len(cells) + first_cell(chain)]
            chain &= chain - 1
        number = first_cell(moved) + 1
        fill_cells(image, moved, number if value > 0 else -number)


def edges_of(borders: Out, squares: Out) -> np.ndarray:
    """Return the squares at each of the six corners, then at each of the six sides, as bits."""
    table = np.zeros(12, dtype=np.int64)
    for cell, square in enumerate(squares):
        for edge in range(12):
            table[edge] |= (int(borders[cell]) >> edge & 1) << int(square)
    return table


def rows_moved(size: int) -> tuple[np.ndarray, np.ndarray]:
    """Return how far each row of cells is moved to be a row of squares, and these squares."""
    wide, before, shifts, rows = 2 * size - 1, 0, [], []
    for row in range(wide):
        first, count = max(0, row - size + 1), wide - abs(row - size + 1)
        shifts.append(row * wide + first - before)
        rows.append((1 << count) - 1 << row * wide + first)
        before += count
    return np.array(shifts, dtype=np.int64), np.array(rows, dtype=np.int64)


def moved_rows(cells: int, shifts: Out, rows: Out) -> int:
    """Return the squares of cells."""
    squares = 0
    for row in range(len(rows)):
        squares |= cells << shifts[row] & rows[row]
    return squares


def beside(squares: int, wide: int) -> int:
    """Return the squares next to some, and what is off the board."""
    right, left = squares << 1, squares >> 1
    return right | left | (squares | right) << wide | (squares | left) >> wide


def missing_on_bits(own: int, empty: int, edges: Out, steps: int, wide: int) -> int:
    """Return what `missing_stones` does."""
    best = 2 * steps
    for first, needed in ((0, 2), (6, 3)):
        planes = sum_of_reached((own, empty), (edges, first), needed, steps, wide)
        best = min(best, needed * steps - most_of(planes, own))
        if empty != 0:
            # The stone on an empty cell itself was counted once for each border.
            best = min(best, needed * steps - most_of(planes, empty) - (needed - 1))
    return best


def sum_of_reached(
    board: tuple[int, int], edges: tuple[Out, int], needed: int, steps: int, wide: int
) -> Planes:
    """Add up how many edges, as many as are needed at most, are reached with 0, 1, ... stones.

    The sums of all squares are the bits of four planes.
    """
    (own, _), (table, first) = board, edges
    at = (
        table[first], table[first + 1], table[first + 2],
        table[first + 3], table[first + 4], table[first + 5],
    )  # fmt: skip
    a, b, c, d, e, f = at
    six = spread((a & own, b & own, c & own, d & own, e & own, f & own), own, wide)
    planes = (0, 0, 0, 0)
    for step in range(steps):
        if step > 0:
            six = with_one_more(six, at, board, wide)
        one = two = three = 0
        for edge in range(6):
            three |= two & six[edge]
            two |= one & six[edge]
            one |= six[edge]
        planes = added(added(planes, one), two)
        if needed == 3:
            planes = added(planes, three)
    return planes


def with_one_more(six: Six, at: Six, board: tuple[int, int], wide: int) -> Six:
    """Return which squares reach the edges with a stone more; `at` are those that lie there."""
    own, empty = board
    a, b, c, d, e, f = six
    wider = (
        a | empty & (at[0] | beside(a, wide)), b | empty & (at[1] | beside(b, wide)),
        c | empty & (at[2] | beside(c, wide)), d | empty & (at[3] | beside(d, wide)),
        e | empty & (at[4] | beside(e, wide)), f | empty & (at[5] | beside(f, wide)),
    )  # fmt: skip
    return spread(wider, own, wide)


def spread(six: Six, own: int, wide: int) -> Six:
    """Add the chains that are next to squares: all six at once, since each end is a surprise."""
    a, b, c, d, e, f = six
    changed = own
    while changed != 0:
        i, j = own & ~a & beside(a, wide), own & ~b & beside(b, wide)
        k, m = own & ~c & beside(c, wide), own & ~d & beside(d, wide)
        n, o = own & ~e & beside(e, wide), own & ~f & beside(f, wide)
        a, b, c, d, e, f = a | i, b | j, c | k, d | m, e | n, f | o
        changed = i | j | k | m | n | o
    return a, b, c, d, e, f


def added(planes: Planes, ones: int) -> Planes:
    """Add 1 to the numbers of some squares."""
    a, b, c, d = planes
    return a ^ ones, b ^ (a & ones), c ^ (a & b & ones), d ^ (a & b & c & ones)


def most_of(planes: Planes, squares: int) -> int:
    """Return the greatest number of some squares; 0 if there are none."""
    most = 0
    for bit in (3, 2, 1, 0):
        some = squares & planes[bit]
        squares = some if some != 0 else squares
        most += 1 << bit if some != 0 else 0
    return most
