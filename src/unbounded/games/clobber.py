# SPDX-License-Identifier: MIT
"""Clobber: every move takes a neighboring stone of the other player, until one cannot."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from unbounded.game import Known, Out, Place, RecordGame, Rules, State, record
from unbounded.game.bits import MOST_BITS, cells_with, count_cells, fill_cells, first_cell
from unbounded.game.board import (
    Grid,
    move_piece,
    moved_cells,
    mover_loses,
    mover_text,
    player_in_turn,
    rename_owners,
    require_board,
)
from unbounded.game.colors import BLACK, BOARD, DARK, WHITE
from unbounded.game.drawing import Canvas, cells_named
from unbounded.game.setting_up import check_pieces, grid_places, packed

STONES = ".OX"
SOURCE = "Albert, Grossman, Nowakowski and Wolfe 2005, An introduction to Clobber (not checked)"


class Clobber(RecordGame):
    """Every move takes a stone of the other player; whoever cannot move loses.

    At first there is a stone on every cell, white and black in turns as on a checkerboard, a1 being
    white. White (O) begins, and the players move in turn.

    A move takes one of your own stones to a cell next to it, across or upright but not diagonally,
    where there must be a stone of the other player; that stone is taken off the board. There are no
    other moves. Whoever cannot move when it is their turn loses, so there are no draws.

    A move names the two cells, as in `a1b1`; a1 is at the bottom left.
    """

    solvable = "clobber(rows=4,columns=4)"
    piece_symbols = STONES
    known_values = (
        Known("clobber(rows=1,columns=6)", (-1, 1), SOURCE),
        Known("clobber(rows=1,columns=8)", (1, -1), SOURCE),
        Known("clobber(rows=3,columns=4)", (-1, 1), "independent solver"),
        Known("clobber(rows=4,columns=4)", (1, -1), "independent solver"),
    )

    def __init__(self, rows: int = 5, columns: int = 6) -> None:
        require_board(rows, columns)
        self.rows, self.columns = rows, columns
        self.grid = Grid(rows, columns)
        self.zero_sum = True
        self.state = record(cells=f"i8[{rows * columns}]", turn="i8")
        # Of two stones next to each other at most one belongs to the player who moves.
        self.max_actions = max(1, rows * (columns - 1) + (rows - 1) * columns)
        self.symmetries = self.grid.symmetries
        self.planes = (2, rows, columns)
        self.action_count = 4 * rows * columns
        self.longest_game = rows * columns - 1  # each move takes a stone off, and one is left
        self.symbols = STONES[1:]

    # Cells are numbered from a1 along the rows, and hold 0 when empty, else their owner plus one.
    # An action is 4 * cell + direction, see `neighbor`.

    def rules(self) -> Rules:
        rows, columns, size = self.rows, self.columns, self.rows * self.columns
        symmetry = moved_cells("cells", np.array(self.grid.images()[: self.symmetries]))
        inner = sum(1 << cell for cell in range(size) if cell % columns > 0 and size <= MOST_BITS)
        steps = np.array([1, columns, -1, -columns])

        def initial(s: State) -> None:
            for cell in range(size):
                s.cells[cell] = 1 + (cell // columns + cell % columns) % 2

        def actions(s: State, out: Out) -> int:
            if size > MOST_BITS:
                return list_moves(s.cells, s.turn + 1, (rows, columns), out)
            stones = cells_with(s.cells, s.turn + 1), cells_with(s.cells, 2 - s.turn)
            ways, count = facing(stones, columns, inner), 0
            movers = ways[0] | ways[1] | ways[2] | ways[3]
            while movers != 0:
                cell = first_cell(movers)
                for direction in range(4):
                    if (ways[direction] >> cell) & 1 == 1:
                        out[count] = 4 * cell + direction
                        count += 1
                movers &= movers - 1
            return count

        def is_terminal(s: State) -> bool:
            if size > MOST_BITS:
                return not has_pair(s.cells, (rows, columns))
            stones = cells_with(s.cells, 1), cells_with(s.cells, 2)
            right, above, left, below = facing(stones, columns, inner)
            return right | above | left | below == 0

        def clobber(s: State, action: int, t: State) -> None:
            cell = action // 4
            move_piece(t.cells, cell, cell + steps[action % 4], s.turn + 1)
            t.turn = 1 - s.turn

        def evaluate(s: State, out: Out) -> None:
            if size > MOST_BITS:
                lead = lead_by_stones(s.cells, (rows, columns))
            else:
                white, black = cells_with(s.cells, 1), cells_with(s.cells, 2)
                lead = army_value((white, black), columns, inner)
                lead -= army_value((black, white), columns, inner)
            out[0] = lead / (abs(lead) + 20.0)
            out[1] = -out[0]

        def encode(s: State, out: Out) -> None:
            for cell in range(size):
                if s.cells[cell] != 0:
                    plane = 0 if s.cells[cell] == s.turn + 1 else 1
                    out[plane * size + cell] = 1.0

        def reduced(s: State, t: State) -> int:
            stones = cells_with(s.cells, 1), cells_with(s.cells, 2)
            fill_cells(t.cells, dead_stones(stones, columns, inner), 0)
            return 0

        return Rules(
            initial, player_in_turn, actions, clobber, mover_loses,
            evaluate=evaluate, symmetry=symmetry, relabel=rename_owners(size, 2), encode=encode,
            is_terminal=is_terminal, reduced=reduced if size <= MOST_BITS else None,
        )  # fmt: skip

    def player_name(self, player: int) -> str:
        """Return "White (O)" or "Black (X)"."""
        return ("White (O)", "Black (X)")[player]

    def show(self, state: bytes) -> str:
        cells = self.state.unpack(state).cells
        return f"{self.grid.text([STONES[cell] for cell in cells])}\n{mover_text(self, state)}"

    def action_name(self, state: bytes, action: int) -> str:
        return "".join(map(self.grid.name, self._ends(action)))

    def _ends(self, action: int) -> tuple[int, int]:
        """Return the cells where a stone comes from and goes to."""
        cell = action // 4
        return cell, neighbor(cell, action % 4, (self.rows, self.columns))

    def svg(self, state: bytes, *, last: int | None = None, targets: Sequence[int] = ()) -> str:
        cells, grid = self.state.unpack(state).cells, self.grid
        canvas = Canvas(self.columns, self.rows, title=f"Clobber: {mover_text(self, state)}")
        canvas.coordinates(self.columns, self.rows)
        for cell in range(len(cells)):
            canvas.rectangle(*grid.corner(cell), fill=BOARD if grid.is_dark(cell) else DARK)
        for cell, stone in enumerate(cells):
            if stone:
                canvas.piece(*grid.center(cell), (WHITE, BLACK)[stone - 1], radius=0.36)
        if last is not None:
            for cell in self._ends(last):
                canvas.mark_last(*grid.corner(cell))
            x, y = grid.corner(self._ends(last)[1])
            canvas.mark_capture(x + 0.17, y + 0.17)  # every move captures
        for action in targets:
            (x1, y1), (x2, y2) = map(grid.center, self._ends(action))
            canvas.mark_target((x1 + x2) / 2, (y1 + y2) / 2, 0.1)  # where the two stones meet
        return canvas.svg()

    def places(self, state: bytes, action: int) -> Sequence[Place]:
        return cells_named(self.action_name(state, action), self.rows)

    def piece_places(self) -> Sequence[Place]:
        return grid_places(self.rows, self.columns)

    def pieces_on(self, state: bytes) -> Sequence[int]:
        cells: list[int] = self.state.unpack(state).cells
        return cells

    def set_up(self, pieces: Sequence[int], player: int) -> bytes:
        check_pieces(self, pieces, player)
        return packed(self, player, cells=list(pieces))


def neighbor(cell: int, direction: int, shape: tuple[int, int]) -> int:
    """Return the next cell: right (0), above (1), left (2), below (3); negative if none."""
    rows, columns = shape
    if direction == 0:
        return cell + 1 if cell % columns + 1 < columns else -1
    if direction == 1:
        return cell + columns if cell // columns + 1 < rows else -1
    if direction == 2:
        return cell - 1 if cell % columns > 0 else -1
    return cell - columns


# The same on bits, where all cells fit one integer. `stones` are the player's and the other's, and
# `inner` are the cells that are not in the first column.


def facing(stones: tuple[int, int], columns: int, inner: int) -> tuple[int, int, int, int]:
    """Return the player's stones that have one of the other's right, above, left and below."""
    own, foe = stones
    return (
        own & (foe & inner) >> 1,
        own & foe >> columns,
        own & inner & foe << 1,
        own & foe << columns,
    )


def dead_stones(stones: tuple[int, int], columns: int, inner: int) -> int:
    """Return the stones that are joined to none of the other player, by stones of any color.

    Stones move to neighboring cells with stones only: groups that are not joined stay apart.
    """
    right, above, left, below = facing(stones, columns, inner)
    taken, alive, before = stones[0] | stones[1], right | above | left | below, 0
    while alive != before:
        before = alive
        beside = (alive & inner) >> 1 | (alive << 1) & inner
        alive |= (beside | alive << columns | alive >> columns) & taken
    return taken & ~alive


def army_value(stones: tuple[int, int], columns: int, inner: int) -> int:
    """Value a player's stones, as `stone_value` does, but for what both players have alike.

    That is what foes take off: each pair of neighbors takes as much from either player.
    """
    right, above, left, below = facing(stones, columns, inner)
    movers, own = right | above | left | below, stones[0]
    right, above, left, below = facing((movers, own), columns, inner)
    friends = count_cells(right) + count_cells(above) + count_cells(left) + count_cells(below)
    return 2 * count_cells(movers) + 2 * friends


# The same cell by cell, for larger boards.


def list_moves(cells: Out, own: int, shape: tuple[int, int], out: Out) -> int:
    """Write to `out` the moves of a color; return how many there are."""
    rows, columns = shape
    count = 0
    for cell in range(rows * columns):
        if cells[cell] == own:
            for direction in range(4):
                near = neighbor(cell, direction, shape)
                if near >= 0 and cells[near] == 3 - own:
                    out[count] = 4 * cell + direction
                    count += 1
    return count


def has_pair(cells: Out, shape: tuple[int, int]) -> bool:
    """Whether stones of both colors are next to each other; they add up to 3, and no others do."""
    rows, columns = shape
    for cell in range(rows * columns):
        right, above = neighbor(cell, 0, shape), neighbor(cell, 1, shape)
        if right >= 0 and cells[cell] + cells[right] == 3:
            return True
        if above >= 0 and cells[cell] + cells[above] == 3:
            return True
    return False


def lead_by_stones(cells: Out, shape: tuple[int, int]) -> int:
    """Add up the values of all stones, for White."""
    lead = 0
    for row in range(shape[0]):
        for column in range(shape[1]):
            if cells[row * shape[1] + column] != 0:
                lead += stone_value(cells, row, column, shape)
    return lead


def stone_value(cells: Out, row: int, column: int, shape: tuple[int, int]) -> int:
    """Value a stone for White: worth something if it can move, more if friends stand behind it."""
    rows, columns = shape
    cell = row * columns + column
    own, friends, foes = cells[cell], 0, 0
    right = cells[cell + 1] if column + 1 < columns else 0
    above = cells[cell + columns] if row + 1 < rows else 0
    left = cells[cell - 1] if column > 0 else 0
    below = cells[cell - columns] if row > 0 else 0
    for other in (right, above, left, below):
        friends += other == own
        foes += other == 3 - own
    worth = 2 + 2 * friends - foes if foes > 0 else 0
    return worth if own == 1 else -worth
