# SPDX-License-Identifier: MIT
"""Clobber: every move takes a neighboring stone of the other player, until one cannot."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from unbounded.game import Known, Out, Place, RecordGame, Rules, State, record
from unbounded.game.board import (
    Grid,
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

        def initial(s: State) -> None:
            for cell in range(size):
                s.cells[cell] = 1 + (cell // columns + cell % columns) % 2

        def actions(s: State, out: Out) -> int:
            # The directions of `neighbor` written out: this is what a search asks most.
            count, own, foe, cell = 0, s.turn + 1, 2 - s.turn, 0
            for row in range(rows):
                for column in range(columns):
                    if s.cells[cell] == own:
                        if column + 1 < columns and s.cells[cell + 1] == foe:
                            out[count] = 4 * cell
                            count += 1
                        if row + 1 < rows and s.cells[cell + columns] == foe:
                            out[count] = 4 * cell + 1
                            count += 1
                        if column > 0 and s.cells[cell - 1] == foe:
                            out[count] = 4 * cell + 2
                            count += 1
                        if row > 0 and s.cells[cell - columns] == foe:
                            out[count] = 4 * cell + 3
                            count += 1
                    cell += 1
            return count

        def is_terminal(s: State) -> bool:
            # Next to each other, stones of both colors add up to 3, and nothing else does.
            cell = 0
            for row in range(rows):
                for column in range(columns):
                    one = s.cells[cell]
                    if column + 1 < columns and one + s.cells[cell + 1] == 3:
                        return False
                    if row + 1 < rows and one + s.cells[cell + columns] == 3:
                        return False
                    cell += 1
            return True

        def clobber(s: State, action: int, t: State) -> None:
            t.cells[action // 4] = 0
            t.cells[neighbor(action // 4, action % 4, (rows, columns))] = s.turn + 1
            t.turn = 1 - s.turn

        def evaluate(s: State, out: Out) -> None:
            lead = 0
            for row in range(rows):
                for column in range(columns):
                    if s.cells[row * columns + column] != 0:
                        lead += stone_value(s.cells, row, column, (rows, columns))
            out[0] = lead / (abs(lead) + 20.0)
            out[1] = -out[0]

        def encode(s: State, out: Out) -> None:
            for cell in range(size):
                if s.cells[cell] != 0:
                    plane = 0 if s.cells[cell] == s.turn + 1 else 1
                    out[plane * size + cell] = 1.0

        return Rules(
            initial, player_in_turn, actions, clobber, mover_loses,
            evaluate=evaluate, symmetry=symmetry, relabel=rename_owners(size, 2), encode=encode,
            is_terminal=is_terminal,
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
