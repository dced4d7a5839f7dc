# SPDX-License-Identifier: MIT
"""Domineering: one player lays dominoes upright, the other across, until one cannot."""

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
    empty_board,
    moved_cells,
    mover_loses,
    mover_text,
    player_in_turn,
    require_board,
)
from unbounded.game.colors import BOARD, COVERED, EDGE, PLAYERS
from unbounded.game.drawing import Canvas
from unbounded.game.setting_up import check_pieces, grid_places, packed

SIDES = ("vertical", "horizontal")

SOURCE = "Breuker, Uiterwijk and van den Herik, Solving 8x8 Domineering, TCS 230 (2000) 195-206"
SOLVED = (
    (2, 5, "V", "independent solver"),
    (4, 4, "N", "independent solver"),
    (4, 5, "V", "independent solver"),
    (4, 6, "N", "independent solver"),
    (5, 5, "P", SOURCE),
    (6, 6, "N", SOURCE),
    (7, 7, "N", SOURCE),
    (8, 8, "N", SOURCE),
)
"""Rows, columns, and who wins: whoever starts (N), whoever does not (P), Vertical, Horizontal."""


def values_of_solved() -> list[Known]:
    """Turn the table of solved boards into a value for either side starting."""
    known = []
    for rows, columns, winner, source in SOLVED:
        for side in SIDES:
            first = 1 if winner in ("N", side[0].upper()) else -1
            text = f"domineering(rows={rows},columns={columns},first={side})"
            known.append(Known(text, (first, -first), source, slow=rows * columns > 30))
    return known


class Domineering(RecordGame):
    """Two players take turns to lay a domino on two neighboring free cells of the board.

    Vertical lays dominoes upright only, Horizontal across only; `first` says who starts. Whoever
    cannot lay a domino when it is their turn loses.

    A domino stays where it is laid, and there are no draws. A move names the two cells, as in
    `a1-a2`; a1 is at the bottom left.
    """

    solvable = "domineering"
    piece_symbols = ".#"
    known_values = values_of_solved()

    def __init__(self, rows: int = 5, columns: int = 5, first: str = "vertical") -> None:
        require_board(rows, columns)
        allowed = type(first) is str and first in SIDES
        require(allowed, f"first must be {' or '.join(SIDES)}")
        self.rows, self.columns, self.first = rows, columns, first
        self.grid = Grid(rows, columns)
        self.zero_sum = True
        self.state = record(covered=f"i8[{rows * columns}]", turn="i8")
        self.max_actions = max(1, (rows - 1) * columns, rows * (columns - 1))
        self.symmetries = 4  # no swap of rows and columns, which would swap the players too
        self.planes = (4, rows, columns)
        self.action_count, self.longest_game = rows * columns, rows * columns // 2
        self.symbols = "VH" if first == "vertical" else "HV"

    # Cells are numbered from a1 along the rows. A cell holds 1 when covered: which domino covers it
    # does not matter for what follows, and is not kept. An action is the lower or left cell.

    def rules(self) -> Rules:
        rows, columns, size = self.rows, self.columns, self.rows * self.columns
        upright = SIDES.index(self.first)  # the player who is Vertical
        symmetry = moved_cells("covered", np.array(self.grid.images()[: self.symmetries]))
        square, on_bits = rows == columns, size <= MOST_BITS
        inner = sum(1 << cell for cell in range(size) if cell % columns > 0 and on_bits)
        board = rows, columns, inner

        def actions(s: State, out: Out) -> int:
            if on_bits:
                free = cells_with(s.covered, 0)
                return list_cells(places_on_bits(free, s.turn == upright, board), out)
            count = 0
            for cell in range(size):
                if fits(s.covered, cell, s.turn == upright, (rows, columns)):
                    out[count] = cell
                    count += 1
            return count

        def is_terminal(s: State) -> bool:
            if on_bits:
                free = cells_with(s.covered, 0)
                return places_on_bits(free, s.turn == upright, board) == 0
            for cell in range(size):
                if fits(s.covered, cell, s.turn == upright, (rows, columns)):
                    return False
            return True

        def lay(s: State, cell: int, t: State) -> None:
            other = cell + (columns if s.turn == upright else 1)
            if on_bits:
                fill_cells(t.covered, 1 << cell | 1 << other, 1)
            else:
                t.covered[cell] = t.covered[other] = 1
            t.turn = 1 - s.turn

        def evaluate(s: State, out: Out) -> None:
            if on_bits:
                lead = lead_on_bits(cells_with(s.covered, 0), board)
            else:
                lead = lead_in_room(s.covered, (rows, columns))
            lead = (lead if upright == 0 else -lead) + (-1 if s.turn == 0 else 1)
            out[0] = lead / (abs(lead) + 10.0)
            out[1] = -out[0]

        def forced(s: State, out: Out) -> int:
            # Cells that only one player can use last: that player can lay dominoes there whenever
            # no others are left. So a player who has as many of them as the mover can lay at all
            # moves last, and a mover who has more than the other one can lay does.
            vertical = s.turn == upright
            if on_bits:
                return list_forced_on_bits(cells_with(s.covered, 0), vertical, board, out)
            return list_forced(s.covered, vertical, (rows, columns), out)

        def transpose(s: State, k: int, t: State) -> None:
            if k % 2 == 1:
                for cell in range(size):
                    t.covered[cell % columns * columns + cell // columns] = s.covered[cell]
                t.turn = 1 - s.turn

        def encode(s: State, out: Out) -> None:
            vertical = s.turn == upright
            for cell in range(size):
                out[cell] = s.covered[cell]
                if fits(s.covered, cell, vertical, (rows, columns)):
                    out[size + cell] = 1.0
                    out[size + cell + (columns if vertical else 1)] = 1.0
                if fits(s.covered, cell, not vertical, (rows, columns)):
                    out[2 * size + cell] = 1.0
                    out[2 * size + cell + (1 if vertical else columns)] = 1.0
                out[3 * size + cell] = 1.0 if vertical else 0.0

        return Rules(
            empty_board, player_in_turn, actions, lay, mover_loses,
            evaluate=evaluate, symmetry=symmetry,
            relabel=transpose if square else None, encode=encode,
            is_terminal=is_terminal, forced=forced,
        )  # fmt: skip

    def player_name(self, player: int) -> str:
        """Return "Vertical" or "Horizontal"."""
        return "Vertical" if self.symbols[player] == "V" else "Horizontal"

    def show(self, state: bytes) -> str:
        cells = [".#"[covered] for covered in self.state.unpack(state).covered]
        return f"{self.grid.text(cells)}\n{mover_text(self, state)}"

    def action_name(self, state: bytes, action: int) -> str:
        other = action + (self.columns if self.symbols[self.player(state)] == "V" else 1)
        return f"{self.grid.name(action)}-{self.grid.name(other)}"

    def svg(self, state: bytes, *, last: int | None = None, targets: Sequence[int] = ()) -> str:
        s = self.state.unpack(state)
        title = f"Domineering: {mover_text(self, state)}"
        canvas = Canvas(self.columns, self.rows, title=title)
        canvas.coordinates(self.columns, self.rows)
        for cell, covered in enumerate(s.covered):
            x, y = self.grid.corner(cell)
            canvas.rectangle(x, y, fill=BOARD)
            if covered:
                draw_half(canvas, (x, y, 1, 1), COVERED)
        if last is not None:
            domino = self._domino(last, 1 - s.turn)
            canvas.rectangle(*domino, fill=BOARD)
            draw_half(canvas, domino, PLAYERS[1 - s.turn])
            canvas.mark_last(*domino)
        for cell in targets:
            x, y, width, height = self._domino(cell, s.turn)
            ends = (x + 0.5, y + 0.5, x + width - 0.5, y + height - 0.5)
            canvas.line(*ends, stroke=PLAYERS[s.turn], thickness=0.06)
            canvas.mark_target(x + width / 2, y + height / 2)
        return canvas.svg()

    def places(self, state: bytes, action: int) -> Sequence[Place]:
        x, y, width, height = self._domino(action, self.player(state))
        return [Place(x + width / 2, y + height / 2, width, height)]

    def badge_place(self, state: bytes, action: int) -> Place | None:
        places = self.places(state, action)
        return places[-1].inside() if places else None  # the cells are empty

    def piece_places(self) -> Sequence[Place]:
        return grid_places(self.rows, self.columns)

    def pieces_on(self, state: bytes) -> Sequence[int]:
        covered: list[int] = self.state.unpack(state).covered
        return covered

    def set_up(self, pieces: Sequence[int], player: int) -> bytes:
        check_pieces(self, pieces, player)
        return packed(self, player, covered=list(pieces))

    def _domino(self, cell: int, player: int) -> tuple[int, int, int, int]:
        """Return where a player's domino lies on the canvas: x, y, width, height."""
        x, y = self.grid.corner(cell)
        return (x, y - 1, 1, 2) if self.symbols[player] == "V" else (x, y, 2, 1)


def draw_half(canvas: Canvas, place: tuple[int, int, int, int], fill: str) -> None:
    """Draw a domino on these cells (x, y, width, height), or the half of one on a single cell."""
    x, y, width, height = place
    canvas.rectangle(
        x + 0.13, y + 0.13, width - 0.26, height - 0.26,
        fill=fill, stroke=EDGE, thickness=0.05, radius=0.14, role="piece",
    )  # fmt: skip


def fits(covered: Out, cell: int, upright: bool, shape: tuple[int, int]) -> bool:
    """Whether a domino fits on the cell and the one above it, or to the right of it."""
    rows, columns = shape
    if covered[cell] != 0:
        return False
    if upright:
        return cell // columns + 1 < rows and covered[cell + columns] == 0
    return cell % columns + 1 < columns and covered[cell + 1] == 0


def room(covered: Out, upright: bool, shape: tuple[int, int]) -> int:
    """Count the dominoes that a player could lay if alone; those that nobody can spoil, twice.

    A place cannot be spoilt when all cells next to its long sides are covered.
    """
    rows, columns = shape
    lines, length = (columns, rows) if upright else (rows, columns)
    along, across = (columns, 1) if upright else (1, columns)
    count = 0
    for line in range(lines):
        place = 0
        while place + 1 < length:
            cell = line * across + place * along
            if covered[cell] != 0:
                place += 1
            elif covered[cell + along] != 0:
                place += 2
            else:
                count += 1
                safe = True
                for part in (cell, cell + along):
                    if line > 0 and covered[part - across] == 0:
                        safe = False
                    if line + 1 < lines and covered[part + across] == 0:
                        safe = False
                count += 1 if safe else 0
                place += 2
    return count


def lead_in_room(covered: Out, shape: tuple[int, int]) -> int:
    """Return how much more room Vertical has, times 2."""
    return 2 * room(covered, True, shape) - 2 * room(covered, False, shape)


def space(covered: Out, upright: bool, shape: tuple[int, int]) -> tuple[int, int]:
    """Count the dominoes that a player could lay if alone, and those that nobody can prevent.

    The other player can use none of the cells that have no free cell beside them.
    """
    rows, columns = shape
    lines, length = (columns, rows) if upright else (rows, columns)
    along, across = (columns, 1) if upright else (1, columns)
    count = safe = 0
    for line in range(lines):
        free = kept = 0  # cells in a row so far
        for place in range(length):
            cell = line * across + place * along
            if covered[cell] != 0:
                count += free // 2
                safe += kept // 2
                free = kept = 0
            else:
                free += 1
                if is_shared(covered, cell, upright, shape):
                    safe += kept // 2
                    kept = 0
                else:
                    kept += 1
        count += free // 2
        safe += kept // 2
    return count, safe


def list_forced(covered: Out, upright: bool, shape: tuple[int, int], out: Out) -> int:
    """List what the rule `forced` leaves of a player's moves; return how many there are."""
    mine, mine_safe = space(covered, upright, shape)
    theirs, theirs_safe = space(covered, not upright, shape)
    if theirs_safe >= mine:
        return 0
    count = 0
    for cell in range(len(covered)):
        if fits(covered, cell, upright, shape):
            out[count] = cell
            count += 1
            # The first such place takes up one of those that are counted, and no more.
            other = cell + (shape[1] if upright else 1)
            if (
                mine_safe > theirs
                and not is_shared(covered, cell, upright, shape)
                and not is_shared(covered, other, upright, shape)
            ):
                out[0] = cell
                return 1
    return count


def is_shared(covered: Out, cell: int, upright: bool, shape: tuple[int, int]) -> bool:
    """Whether a free cell of a player, Vertical or not, could be used by the other one too."""
    rows, columns = shape
    if upright:
        column = cell % columns
        return (column > 0 and covered[cell - 1] == 0) or (
            column + 1 < columns and covered[cell + 1] == 0
        )
    row = cell // columns
    return (row > 0 and covered[cell - columns] == 0) or (
        row + 1 < rows and covered[cell + columns] == 0
    )


# The same on bits, where all cells fit one integer. A board is its rows, its columns, and the cells
# that are not in the first column.


def places_on_bits(free: int, upright: bool, board: tuple[int, int, int]) -> int:
    """Return the lower or left cells of the places where a domino fits."""
    _, columns, inner = board
    return free & (free >> columns if upright else (free & inner) >> 1)


def unshared_on_bits(free: int, upright: bool, board: tuple[int, int, int]) -> int:
    """Return the free cells of which `is_shared` is false."""
    _, columns, inner = board
    if upright:
        return free & ~(free << 1 & inner | (free & inner) >> 1)
    return free & ~(free << columns | free >> columns)


def dominoes_on_bits(free: int, upright: bool, board: tuple[int, int, int]) -> int:
    """Lay as many dominoes as fit, from the first row or column on; return their first cells."""
    rows, columns, inner = board
    first = (1 << columns) - 1 if upright else ((1 << rows * columns) - 1) & ~inner
    step, lines, laid = columns if upright else 1, rows if upright else columns, 0
    for _ in range(lines - 1):
        here = free & first & free >> step
        laid |= here
        free &= ~(here << step)
        first <<= step
    return laid


def room_on_bits(free: int, upright: bool, board: tuple[int, int, int]) -> int:
    """Return what `room` does."""
    laid = dominoes_on_bits(free, upright, board)
    unshared = unshared_on_bits(free, upright, board)
    return count_cells(laid) + count_cells(laid & places_on_bits(unshared, upright, board))


def lead_on_bits(free: int, board: tuple[int, int, int]) -> int:
    """Return what `lead_in_room` does."""
    return 2 * room_on_bits(free, True, board) - 2 * room_on_bits(free, False, board)


def list_forced_on_bits(free: int, upright: bool, board: tuple[int, int, int], out: Out) -> int:
    """Do what the rule `forced` does."""
    own = unshared_on_bits(free, upright, board)
    other = unshared_on_bits(free, not upright, board)
    most = count_cells(dominoes_on_bits(free, upright, board))
    if count_cells(dominoes_on_bits(other, not upright, board)) >= most:
        return 0
    safe = places_on_bits(own, upright, board)
    theirs = count_cells(dominoes_on_bits(free, not upright, board))
    if safe != 0 and count_cells(dominoes_on_bits(own, upright, board)) > theirs:
        out[0] = first_cell(safe)
        return 1
    return list_cells(places_on_bits(free, upright, board), out)
