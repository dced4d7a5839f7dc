# SPDX-License-Identifier: MIT
"""Konane, the Hawaiian game of jumps over the stones of the other player."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from unbounded.game import Known, Out, Place, RecordGame, Rules, State, record, require
from unbounded.game.bits import (
    MOST_BITS,
    cells_with,
    count_cells,
    fill_cells,
    first_cell,
    list_cells,
)
from unbounded.game.board import (
    Grid,
    moved_cells,
    mover_loses,
    mover_text,
    player_in_turn,
    rename_owners,
    require_board,
)
from unbounded.game.colors import BLACK, HOLLOW, TARGET, WHITE, WOOD
from unbounded.game.drawing import Canvas, cells_named
from unbounded.game.setting_up import check_pieces, grid_places, packed

STONES = ".XO"
NONE, SEVERAL = -1, -2


class Konane(RecordGame):
    """Black (X, who starts) and White (O) fill the board like a checkerboard, a1 being black.

    First Black takes off one of their own stones in the middle of the board (of its one, two or
    four central cells) or in a corner, then White takes off one of their own next to that gap. From
    then on a move jumps with one of your stones over a neighboring stone of the other player onto
    the empty cell behind it, across or upright, and takes the stone off; the same stone may jump on
    in the same direction, but need not. Whoever cannot move when it is their turn loses.

    These are the rules as played on Board Game Arena, also for boards that are not square.

    Stones are never put back, and there are no draws. A move is the cell of the stone taken off, or
    the cells jumped from and to.
    """

    solvable = "konane(rows=5,columns=5)"
    piece_symbols = STONES
    known_values = (
        Known("konane(rows=4,columns=4)", (-1, 1), "independent solver"),
        Known("konane(rows=4,columns=5)", (-1, 1), "independent solver"),
        Known("konane(rows=5,columns=5)", (1, -1), "independent solver"),
    )

    def __init__(self, rows: int = 6, columns: int = 6) -> None:
        require_board(rows, columns, least=2)
        self.rows, self.columns = rows, columns
        self.grid = Grid(rows, columns)
        self.zero_sum = True
        self.state = record(cells=f"i8[{rows * columns}]", turn="i8")
        # To either side together, a stone can jump over at most every other cell of its line.
        jumps = (rows - 1) // 2 + (columns - 1) // 2
        self.max_actions = max(8, (rows * columns + 1) // 2 * jumps)
        self.symmetries = self.grid.symmetries
        self.planes = (3, rows, columns)
        self.action_count = 64 * rows * columns
        self.longest_game = rows * columns - 1  # each move takes a stone off, and one is left
        self.symbols = STONES[1:]

    # Cells are numbered from a1 along the rows, and hold 0 when empty, else their owner plus one.
    # How far the opening has come can be seen from the number of empty cells. An action is
    # 64 * cell + 16 * direction (see `ahead`) + jumps; a stone taken off is one with no jumps.

    def rules(self) -> Rules:
        rows, columns, size = self.rows, self.columns, self.rows * self.columns
        symmetry = moved_cells("cells", np.array(self.grid.images()[: self.symmetries]))
        opening = opening_cells(rows, columns)
        on_bits = size <= MOST_BITS
        shape, board = (rows, columns), (columns, *columns_on_bits(rows, columns))
        first = sum(1 << cell for cell in range(size) if opening[cell] and on_bits)
        strides = np.array([2, 2 * columns, -2, -2 * columns])
        paths = paths_of(rows, columns)

        def initial(s: State) -> None:
            for cell in range(size):
                s.cells[cell] = 1 + (cell // columns + cell % columns) % 2

        def actions(s: State, out: Out) -> int:
            if not on_bits:
                return list_moves(s.cells, s.turn + 1, opening, shape, out)
            own, empty = cells_with(s.cells, s.turn + 1), cells_with(s.cells, 0)
            if empty & (empty - 1) == 0:
                return list_taken_off(taken_off(own, empty, first, board), out)
            leaps = leaps_on_bits(cells_with(s.cells, 2 - s.turn), empty, board)
            return list_jumps(own, leaps, strides, shape, out)

        def is_terminal(s: State) -> bool:
            if not on_bits:
                return not can_move(s.cells, s.turn + 1, shape)
            own, empty = cells_with(s.cells, s.turn + 1), cells_with(s.cells, 0)
            if empty & (empty - 1) == 0:
                return taken_off(own, empty, first, board) == 0
            leaps = leaps_on_bits(cells_with(s.cells, 2 - s.turn), empty, board)
            return own & (leaps[0] | leaps[1] | leaps[2] | leaps[3]) == 0

        def move(s: State, action: int, t: State) -> None:
            cell, direction, jumps = action // 64, action // 16 % 4, action % 16
            if on_bits:
                to = cell + jumps * strides[direction]
                fill_cells(t.cells, paths[action % 64] << min(cell, to), 0)
                fill_cells(t.cells, 1 << to, s.turn + 1 if jumps > 0 else 0)
            else:
                take_path(t.cells, cell, direction, jumps, shape)
                if jumps > 0:
                    t.cells[ahead(cell, direction, 2 * jumps, shape)] = s.turn + 1
            t.turn = 1 - s.turn

        def evaluate(s: State, out: Out) -> None:
            if on_bits:
                black, white = cells_with(s.cells, 1), cells_with(s.cells, 2)
                empty = cells_with(s.cells, 0)
                lead = worth_of_jumps(black, leaps_on_bits(white, empty, board), shape)
                lead -= worth_of_jumps(white, leaps_on_bits(black, empty, board), shape)
            else:
                lead = lead_by_jumps(s.cells, shape)
            out[0] = lead / (abs(lead) + 15.0)
            out[1] = -out[0]

        def encode(s: State, out: Out) -> None:
            for cell in range(size):
                plane = 2
                if s.cells[cell] != 0:
                    plane = 0 if s.cells[cell] == s.turn + 1 else 1
                out[plane * size + cell] = 1.0

        return Rules(
            initial, player_in_turn, actions, move, mover_loses,
            evaluate=evaluate, symmetry=symmetry, relabel=rename_owners(size, 2), encode=encode,
            is_terminal=is_terminal,
        )  # fmt: skip

    def player_name(self, player: int) -> str:
        """Return "Black (X)" or "White (O)"."""
        return ("Black (X)", "White (O)")[player]

    def show(self, state: bytes) -> str:
        cells = self.state.unpack(state).cells
        return f"{self.grid.text([STONES[cell] for cell in cells])}\n{mover_text(self, state)}"

    def action_name(self, state: bytes, action: int) -> str:
        return "-".join(map(self.grid.name, self._ends(action)))

    def _ends(self, action: int) -> list[int]:
        """Return the cell where a stone is and, if it jumps, the one it jumps to."""
        cell, direction, jumps = action // 64, action // 16 % 4, action % 16
        landing = [ahead(cell, direction, 2 * jumps, (self.rows, self.columns))] if jumps else []
        return [cell, *landing]

    def svg(self, state: bytes, *, last: int | None = None, targets: Sequence[int] = ()) -> str:
        grid = self.grid
        canvas = Canvas(self.columns, self.rows, title=f"Konane: {mover_text(self, state)}")
        canvas.coordinates(self.columns, self.rows)
        canvas.rectangle(0, 0, self.columns, self.rows, fill=WOOD, radius=0.15)
        cells = self.state.unpack(state).cells
        for cell in range(len(cells)):
            canvas.disc(*grid.center(cell), 0.2, fill=HOLLOW, stroke="none")
        for action in targets:
            places = [grid.center(cell) for cell in self._ends(action)]
            if len(places) > 1:
                canvas.line(*places[0], *places[-1], stroke=TARGET, thickness=0.06, role="target")
        for cell, stone in enumerate(cells):
            x, y = grid.center(cell)
            if stone:
                canvas.piece(x, y, (BLACK, WHITE)[stone - 1], radius=0.36)
        if last is not None:
            self._mark_last(canvas, last)
        for action in targets:
            end = self._ends(action)[-1]
            canvas.mark_target(*grid.center(end), taken=cells[end] != 0)
        return canvas.svg()

    def _mark_last(self, canvas: Canvas, last: int) -> None:
        """Frame the cells that the last move went over, with a cross at each stone taken off."""
        places = [self.grid.corner(cell) for cell in self._ends(last)]
        (x1, y1), (x2, y2) = places[0], places[-1]
        far = abs(x1 - x2) + abs(y1 - y2)
        canvas.mark_last(min(x1, x2), min(y1, y2), abs(x1 - x2) + 1, abs(y1 - y2) + 1)
        for step in range(1, far, 2):
            x, y = x1 + (x2 - x1) * step / far, y1 + (y2 - y1) * step / far
            canvas.mark_capture(x + 0.5, y + 0.5, 0.12)
        if far == 0:
            canvas.mark_capture(x1 + 0.5, y1 + 0.5, 0.12)

    def places(self, state: bytes, action: int) -> Sequence[Place]:
        return cells_named(self.action_name(state, action), self.rows)

    def piece_places(self) -> Sequence[Place]:
        return grid_places(self.rows, self.columns)

    def pieces_on(self, state: bytes) -> Sequence[int]:
        cells: list[int] = self.state.unpack(state).cells
        return cells

    def set_up(self, pieces: Sequence[int], player: int) -> bytes:
        check_pieces(self, pieces, player)
        require(list(pieces).count(0) >= 2, "two cells must be empty: the opening is over")
        for cell, stone in enumerate(pieces):
            own = stone in (0, 1 if self.grid.is_dark(cell) else 2)
            require(
                own, f"{STONES[stone]} cannot come to {self.grid.name(cell)}: stones jump by two"
            )
        return packed(self, player, cells=list(pieces))


def opening_cells(rows: int, columns: int) -> np.ndarray:
    """Return 1 for each cell where the first stone may be taken off: the middle and the corners."""
    allowed = np.zeros(rows * columns, dtype=np.int64)
    for row in ((rows - 1) // 2, rows // 2):
        for column in ((columns - 1) // 2, columns // 2):
            allowed[row * columns + column] = 1
    for row in (0, rows - 1):
        for column in (0, columns - 1):
            allowed[row * columns + column] = 1
    return allowed


def columns_on_bits(rows: int, columns: int) -> tuple[int, int, int]:
    """Return three sets of cells: not in the first column, not in the last two, nor the first two.

    They are empty where the cells are too many for bits.
    """
    size = rows * columns
    cells = range(size if size <= MOST_BITS else 0)
    inner = sum(1 << cell for cell in cells if cell % columns > 0)
    right = sum(1 << cell for cell in cells if cell % columns < columns - 2)
    left = sum(1 << cell for cell in cells if cell % columns > 1)
    return inner, right, left


def paths_of(rows: int, columns: int) -> np.ndarray:
    """Return the cells from the first to the last of a move, by direction and jumps, as bits.

    They are 0 where no board has them; the lowest one is moved to cell 0.
    """
    table = np.zeros(64, dtype=np.int64)
    for direction in range(4):
        step, room = ((1, columns), (columns, rows))[direction % 2]
        for jumps in range((room + 1) // 2 if rows * columns <= MOST_BITS else 0):
            table[16 * direction + jumps] = sum(1 << step * i for i in range(2 * jumps + 1))
    return table


# Moves where all cells fit one integer. A board is its columns, and the sets of `columns_on_bits`.


def taken_off(own: int, empty: int, first: int, board: tuple[int, int, int, int]) -> int:
    """Return the stones that a player may take off in the opening, with one gap or none yet."""
    columns, inner, _, _ = board
    near = empty << 1 & inner | (empty & inner) >> 1 | empty << columns | empty >> columns
    return own & (first if empty == 0 else near)


def list_taken_off(stones: int, out: Out) -> int:
    """Write to `out` the moves that take off these stones; return how many there are."""
    count = list_cells(stones, out)
    for i in range(count):
        out[i] *= 64
    return count


def leaps_on_bits(
    foe: int, empty: int, board: tuple[int, int, int, int]
) -> tuple[int, int, int, int]:
    """Return, by direction, the cells from which a jump goes over a foe onto an empty cell."""
    columns, _, right, left = board
    return (
        right & foe >> 1 & empty >> 2,
        foe >> columns & empty >> 2 * columns,
        left & foe << 1 & empty << 2,
        foe << columns & empty << 2 * columns,
    )


def list_jumps(
    own: int, leaps: tuple[int, int, int, int], strides: Out, shape: tuple[int, int], out: Out
) -> int:
    """Write to `out` the jumps of a player's stones; return how many there are."""
    rows, columns = shape
    count, movers = 0, own & (leaps[0] | leaps[1] | leaps[2] | leaps[3])
    while movers != 0:
        cell = first_cell(movers)
        for direction in range(4):
            place, can = cell, 1
            for jumps in range(1, 1 + (columns - 1, rows - 1)[direction % 2] // 2):
                # Without branches, which could not be predicted. There is room to write one too
                # many: who can jump has no stone where the jump ends, and so not the most moves.
                can &= leaps[direction] >> place
                out[count] = 64 * cell + 16 * direction + jumps
                count += can
                place = min(max(place + strides[direction], 0), rows * columns - 1)
        movers &= movers - 1
    return count


def worth_of_jumps(own: int, leaps: tuple[int, int, int, int], shape: tuple[int, int]) -> int:
    """Add up what the jumps of a player are worth: 1 each, and 2 more for the first of a stone."""
    rows, columns = shape
    right, up, left, down = own & leaps[0], own & leaps[1], own & leaps[2], own & leaps[3]
    worth = 2 * (count_cells(right) + count_cells(up) + count_cells(left) + count_cells(down))
    for _ in range((columns - 1) // 2):
        worth += count_cells(right) + count_cells(left)
        right, left = right << 2 & leaps[0], left >> 2 & leaps[2]
    for _ in range((rows - 1) // 2):
        worth += count_cells(up) + count_cells(down)
        up, down = up << 2 * columns & leaps[1], down >> 2 * columns & leaps[3]
    return worth


# The same cell by cell, for larger boards.


def list_moves(cells: Out, own: int, opening: Out, shape: tuple[int, int], out: Out) -> int:
    """Write to `out` the moves of a color; return how many there are."""
    gap, count = only_gap(cells, len(cells)), 0
    for cell in range(len(cells)):
        if cells[cell] != own:
            continue
        if gap != SEVERAL:
            if opening[cell] == 1 if gap == NONE else are_neighbors(cell, gap, shape[1]):
                out[count] = 64 * cell
                count += 1
            continue
        for direction in range(4):
            for jumps in range(1, 1 + jumps_in(cells, cell, direction, shape)):
                out[count] = 64 * cell + 16 * direction + jumps
                count += 1
    return count


def can_move(cells: Out, own: int, shape: tuple[int, int]) -> bool:
    """Whether a color can move, as in the opening both can."""
    if only_gap(cells, len(cells)) != SEVERAL:
        return True
    for cell in range(len(cells)):
        if cells[cell] == own:
            for direction in range(4):
                if jumps_in(cells, cell, direction, shape) > 0:
                    return True
    return False


def take_path(cells: Out, cell: int, direction: int, jumps: int, shape: tuple[int, int]) -> None:
    """Take off the stone that moves and those that it jumps over."""
    cells[cell] = 0
    for jump in range(jumps):
        cells[ahead(cell, direction, 2 * jump + 1, shape)] = 0


def lead_by_jumps(cells: Out, shape: tuple[int, int]) -> int:
    """Add up what all jumps are worth, for Black."""
    lead = 0
    for cell in range(len(cells)):
        if cells[cell] != 0:
            worth = 0
            for direction in range(4):
                jumps = jumps_in(cells, cell, direction, shape)
                worth += 2 + jumps if jumps > 0 else 0
            lead += worth if cells[cell] == 1 else -worth
    return lead


def only_gap(cells: Out, size: int) -> int:
    """Return the one empty cell of the board, or NONE, or SEVERAL."""
    gap = NONE
    for cell in range(size):
        if cells[cell] == 0:
            if gap != NONE:
                return SEVERAL
            gap = cell
    return gap


def ahead(cell: int, direction: int, steps: int, shape: tuple[int, int]) -> int:
    """Return the cell so many steps right (0), up (1), left (2) or down (3); negative if none."""
    rows, columns = shape
    if direction == 0:
        return cell + steps if cell % columns + steps < columns else -1
    if direction == 1:
        return cell + steps * columns if cell // columns + steps < rows else -1
    if direction == 2:
        return cell - steps if cell % columns >= steps else -1
    return cell - steps * columns


def are_neighbors(cell: int, other: int, columns: int) -> bool:
    """Whether two cells lie next to each other, across or upright."""
    up = abs(cell // columns - other // columns)
    return up + abs(cell % columns - other % columns) == 1


def jumps_in(cells: Out, cell: int, direction: int, shape: tuple[int, int]) -> int:
    """Count how often the stone on a cell can jump in a direction."""
    foe = 3 - cells[cell]
    jumps = 0
    while True:
        over = ahead(cell, direction, 2 * jumps + 1, shape)
        to = ahead(cell, direction, 2 * jumps + 2, shape)
        if over < 0 or to < 0 or cells[over] != foe or cells[to] != 0:
            return jumps
        jumps += 1
