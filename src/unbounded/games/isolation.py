# SPDX-License-Identifier: MIT
"""Isolation, also called Isola: stay on a board that falls apart, for two to four players."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from unbounded.game import Known, Out, Place, RecordGame, Rules, State, record, require
from unbounded.game.bits import (
    MOST_BITS,
    cells_above,
    cells_with,
    count_cells,
    fill_cells,
    first_cell,
)
from unbounded.game.board import Grid, moved_cells, player_in_turn, renamed, require_integer
from unbounded.game.colors import FAINT
from unbounded.game.drawing import Canvas, cells_named
from unbounded.game.setting_up import check_pieces, grid_places, packed

LONGEST_SIDE = 16
PAWNS = "ABCD"


class Isolation(RecordGame):
    """Each player has a pawn; every move makes the board smaller.

    The player to move takes the pawn one step in any of the eight directions, like a king in
    chess, to a cell that is free; and then removes any free cell of the board, the one just left
    if they like. Nobody may enter a removed cell again. A player who cannot move when it is their
    turn is out, and the cell under their pawn is removed. The last player left wins, and all
    others lose.

    This is Isola by Bernd Kienitz (1972), on a board of any size and for up to four players. The
    pawns start in the middle of the sides: the first at the bottom, then top, left and right. In
    this version these cells may be removed like all others.

    A turn is one move: `b2xc4` takes the pawn to b2 and removes c4. A begins, then B, C and D.
    """

    single_winner = True
    solvable = "isolation(rows=3,columns=3)"
    known_values = tuple(
        Known(
            f"isolation(rows={rows},columns={columns})",
            (first, -first),
            "independent solver: trying everything",
        )
        for rows, columns, first in (
            (2, 2, -1), (2, 3, -1), (2, 4, -1), (3, 2, 1),
            (4, 2, 1), (3, 3, 1), (3, 4, 1), (4, 3, 1),
        )
    )  # fmt: skip

    def __init__(self, rows: int = 5, columns: int = 5, players: int = 2) -> None:
        require_integer("rows", rows, 2, LONGEST_SIDE)
        require_integer("columns", columns, 2, LONGEST_SIDE)
        require_integer("players", players, 2, len(PAWNS))
        enough = players == 2 or (rows > 2 and columns > 2)
        require(enough, "more than 2 players need at least 3 rows and 3 columns")
        self.rows, self.columns, self.players = rows, columns, players
        self.grid = Grid(rows, columns)
        self.zero_sum = players == 2
        self.symmetries = self.grid.symmetries
        self.planes = (players + 1, rows, columns)
        self.symbols = PAWNS[:players]
        # A cell holds -1 when removed, 0 when free, else the number of its owner plus one.
        self.state = record(cells=f"i8[{rows * columns}]", turn="i8")
        self.max_actions = min(8, rows * columns - players) * (rows * columns - 2)
        self.action_count = (rows * columns) ** 2
        self.longest_game = rows * columns - 2  # each move removes a cell, and two pawns are left

    def rules(self) -> Rules:
        rows, columns, players = self.rows, self.columns, self.players
        size, starts, on_bits = rows * columns, self._starts(), rows * columns <= MOST_BITS
        around, near = (cells_within(steps, rows, columns) for steps in (1, 2))

        def initial(s: State) -> None:
            for who in range(players):
                s.cells[starts[who]] = who + 1

        def actions(s: State, out: Out) -> int:
            if not on_bits:
                return list_moves(s.cells, s.turn, (rows, columns), out)
            if count_cells(cells_above(s.cells, 0)) < 2:
                return 0
            pawn = cells_with(s.cells, s.turn + 1)
            return list_moves_on_bits(pawn, cells_with(s.cells, 0), around, out)

        def is_terminal(s: State) -> bool:
            if not on_bits:
                return pawns_left(s.cells, size) < 2 or not can_move(s.cells, s.turn, rows, columns)
            pawn, free = cells_with(s.cells, s.turn + 1), cells_with(s.cells, 0)
            few = count_cells(cells_above(s.cells, 0)) < 2
            return few or free & around[first_cell(pawn)] == 0

        def move(s: State, action: int, t: State) -> None:
            if on_bits:
                fill_cells(t.cells, cells_with(s.cells, s.turn + 1), 0)
                fill_cells(t.cells, 1 << action // size, s.turn + 1)
                fill_cells(t.cells, 1 << action % size, -1)
            else:
                t.cells[place_of(s.cells, s.turn, size)] = 0
                t.cells[action // size] = s.turn + 1
                t.cells[action % size] = -1
            if on_bits:
                t.turn = next_on_bits(t.cells, s.turn, players, around)
            else:
                t.turn = next_player(t.cells, s.turn, players, (rows, columns))

        def outcome(s: State, out: Out) -> None:
            for who in range(players):
                out[who] = 1 if place_of(s.cells, who, size) >= 0 else -1

        def evaluate(s: State, out: Out) -> None:
            total, pawns = 0.0, 0
            for who in range(players):
                if on_bits:
                    out[who] = room_on_bits(s.cells, who, around, near)
                else:
                    out[who] = room(s.cells, who, (rows, columns))
                if out[who] >= 0.0:
                    total += out[who]
                    pawns += 1
            for who in range(players):
                if out[who] < 0.0:
                    out[who] = -0.99
                else:
                    lead = pawns * out[who] - total
                    out[who] = lead / (abs(lead) + 20.0)

        symmetry, relabel, encode = self._views()
        return Rules(
            initial, player_in_turn, actions, move, outcome, evaluate=evaluate,
            symmetry=symmetry, relabel=relabel, encode=encode, is_terminal=is_terminal,
        )  # fmt: skip

    def _views(self) -> list[Callable[..., None]]:
        """Return the rules `symmetry`, `relabel` and `encode`."""
        players, size = self.players, self.rows * self.columns
        symmetry = moved_cells("cells", np.array(self.grid.images()[: self.symmetries]))

        def relabel(s: State, k: int, t: State) -> None:
            for cell in range(size):
                if s.cells[cell] > 0:
                    t.cells[cell] = renamed(s.cells[cell], k, players)
            if pawns_left(s.cells, size) > 1:
                t.turn = (s.turn + k) % players

        def encode(s: State, out: Out) -> None:
            for cell in range(size):
                if s.cells[cell] > 0:
                    ahead = (s.cells[cell] - 1 - s.turn + players) % players
                    out[ahead * size + cell] = 1.0
                elif s.cells[cell] == 0:
                    out[players * size + cell] = 1.0

        return [symmetry, relabel, encode]

    def _starts(self) -> NDArray[np.int64]:
        """Return where the pawns start: in the middle of the bottom, top, left and right side."""
        rows, columns = self.rows, self.columns
        places = [
            (0, (columns - 1) // 2),
            (rows - 1, columns // 2),
            (rows // 2, 0),
            ((rows - 1) // 2, columns - 1),
        ]
        return np.array([row * columns + column for row, column in places], np.int64)

    # -- for people -------------------------------------------------------------------------------

    def action_name(self, state: bytes, action: int) -> str:
        cell, removed = divmod(action, self.rows * self.columns)
        return f"{self.grid.name(cell)}x{self.grid.name(removed)}"

    def _verdict(self, state: bytes) -> str:
        s = self.state.unpack(state)
        left = [cell for cell in s.cells if cell > 0]
        if len(left) == 1:
            return f"{self.symbols[left[0] - 1]} has won"
        return f"{self.symbols[s.turn]} to move"

    def show(self, state: bytes) -> str:
        looks = f".{self.symbols} "  # a removed cell holds -1, and so gets the last of these
        cells = [looks[cell] for cell in self.state.unpack(state).cells]
        return f"{self.grid.text(cells)}\n{self._verdict(state)}"

    def svg(self, state: bytes, *, last: int | None = None, targets: Sequence[int] = ()) -> str:
        s, rows, columns = self.state.unpack(state), self.rows, self.columns
        size = rows * columns
        over = sum(cell > 0 for cell in s.cells) == 1
        canvas = Canvas(columns, rows, title=self._verdict(state))
        canvas.coordinates(columns, rows)
        reached = {action // size for action in targets}
        for cell in range(size):
            x, y = self.grid.corner(cell)
            holds = s.cells[cell]
            if holds >= 0:
                tile = (x + 0.04, y + 0.04, 0.92, 0.92)
                canvas.rectangle(*tile, stroke=FAINT, thickness=0.04, radius=0.1, role="piece")
                if last is not None and cell == last // size:
                    canvas.mark_last(x + 0.07, y + 0.07, 0.86, 0.86)
            elif last is not None and cell == last % size:
                canvas.mark_capture(x + 0.5, y + 0.5, 0.16)
            if holds > 0:
                canvas.piece(x + 0.5, y + 0.5, holds - 1, self.symbols[holds - 1], 0.27)
                if over:
                    canvas.mark_win(x + 0.5, y + 0.5, 0.34)
                elif holds - 1 == s.turn:
                    canvas.mark_mover(x + 0.5, y + 0.5, 0.325)
            if cell in reached:
                canvas.mark_target(x + 0.5, y + 0.5)
        return canvas.svg()

    def places(self, state: bytes, action: int) -> Sequence[Place]:
        return cells_named(self.action_name(state, action), self.rows)

    def badge_place(self, state: bytes, action: int) -> Place | None:
        # The cell to be removed is free, or has the pawn on it that is just leaving.
        removed = self.places(state, action)[-1]
        taken = self.state.unpack(state).cells[action % (self.rows * self.columns)] != 0
        return removed.corner() if taken else removed.inside()

    @property
    def piece_symbols(self) -> str:  # type: ignore[override]
        """What a cell can hold: nothing, the pawn of a player; or it is removed."""
        return f".{self.symbols}x"

    def piece_places(self) -> Sequence[Place]:
        return grid_places(self.rows, self.columns)

    def pieces_on(self, state: bytes) -> Sequence[int]:
        cells = self.state.unpack(state).cells
        return [self.players + 1 if cell < 0 else cell for cell in cells]

    def set_up(self, pieces: Sequence[int], player: int) -> bytes:
        check_pieces(self, pieces, player)
        cells = [-1 if piece > self.players else piece for piece in pieces]
        for who, symbol in enumerate(self.symbols):
            require(cells.count(who + 1) <= 1, f"{symbol} has more than one pawn")
        require(pawns_left(cells, len(cells)) >= 2, "there must be pawns of two players at least")
        place = place_of(cells, player, len(cells))
        require(place >= 0, f"{self.symbols[player]} is to move, but has no pawn")
        free = free_around(cells, place, self.rows, self.columns)
        require(free > 0, f"{self.symbols[player]} is to move, but cannot")
        return packed(self, player, cells=cells)


# Rules where all cells fit one integer. `around` and `near` are, by cell, the cells at most one and
# at most two steps away.


def cells_within(steps: int, rows: int, columns: int) -> NDArray[np.int64]:
    """Return, by cell, the cells at most so many steps away as bits; 0 if there are too many."""
    table = np.zeros(rows * columns, dtype=np.int64)
    for cell in range(rows * columns if rows * columns <= MOST_BITS else 0):
        row, column = divmod(cell, columns)
        for y in range(max(0, row - steps), min(rows, row + steps + 1)):
            for x in range(max(0, column - steps), min(columns, column + steps + 1)):
                table[cell] |= 1 << y * columns + x
    return table


def list_moves_on_bits(pawn: int, free: int, around: Out, out: Out) -> int:
    """Write the moves of a pawn to `out`, return how many there are."""
    targets, count = free & around[first_cell(pawn)], 0
    while targets != 0:
        cell = first_cell(targets)
        removable = (free | pawn) & ~(1 << cell)
        while removable != 0:
            out[count] = cell * len(around) + first_cell(removable)
            count += 1
            removable &= removable - 1
        targets &= targets - 1
    return count


def next_on_bits(cells: Out, last: int, players: int, around: Out) -> int:
    """Return who is next; whoever cannot move before that is out, and the cell is removed.

    It is the first player if the game is over: equal ends are equal states, whoever moved last.
    """
    free = cells_with(cells, 0)
    for ahead in range(1, players):
        who = (last + ahead) % players
        pawn = cells_with(cells, who + 1)
        if pawn != 0:
            if free & around[first_cell(pawn)] != 0:
                return who
            fill_cells(cells, pawn, -1)
    return 0


def room_on_bits(cells: Out, who: int, around: Out, near: Out) -> float:
    """Say how much room a player has: free cells, those next to the pawn above all; -1 if out."""
    pawn, free = cells_with(cells, who + 1), cells_with(cells, 0)
    if pawn == 0:
        return -1.0
    place = first_cell(pawn)
    return 3.0 * count_cells(free & around[place]) + count_cells(free & near[place])


# The same cell by cell, for larger boards.


def list_moves(cells: Out, who: int, shape: tuple[int, int], out: Out) -> int:
    """Write the moves of a player to `out`, return how many there are."""
    size, count = len(cells), 0
    if pawns_left(cells, size) > 1:
        left = place_of(cells, who, size)
        for direction in range(8):
            cell = neighbor(left, direction, shape[0], shape[1])
            if cell >= 0 and cells[cell] == 0:
                for removed in range(size):
                    if (cells[removed] == 0 and removed != cell) or removed == left:
                        out[count] = cell * size + removed
                        count += 1
    return count


def can_move(cells: Out, who: int, rows: int, columns: int) -> bool:
    """Whether the pawn of a player has a free cell beside it."""
    return free_around(cells, place_of(cells, who, len(cells)), rows, columns) > 0


def next_player(cells: Out, last: int, players: int, shape: tuple[int, int]) -> int:
    """Return who is next, as `next_on_bits`."""
    for ahead in range(1, players):
        who = (last + ahead) % players
        place = place_of(cells, who, len(cells))
        if place >= 0:
            if free_around(cells, place, shape[0], shape[1]) > 0:
                return who
            cells[place] = -1
    return 0


def room(cells: Out, who: int, shape: tuple[int, int]) -> float:
    """Say how much room a player has, as `room_on_bits`."""
    place = place_of(cells, who, len(cells))
    if place < 0:
        return -1.0
    wide = free_near(cells, place, shape[0], shape[1])
    return 3.0 * free_around(cells, place, shape[0], shape[1]) + wide


def neighbor(cell: int, direction: int, rows: int, columns: int) -> int:
    """Return the next cell in one of the eight directions, or -1 beyond the edge."""
    step = direction if direction < 4 else direction + 1
    row, column = cell // columns + step // 3 - 1, cell % columns + step % 3 - 1
    if 0 <= row < rows and 0 <= column < columns:
        return row * columns + column
    return -1


def free_around(cells: Out, place: int, rows: int, columns: int) -> int:
    """Count the free cells next to a place."""
    count = 0
    for direction in range(8):
        cell = neighbor(place, direction, rows, columns)
        if cell >= 0 and cells[cell] == 0:
            count += 1
    return count


def free_near(cells: Out, place: int, rows: int, columns: int) -> int:
    """Count the free cells at most two steps away, as if nothing stood between."""
    row, column = place // columns, place % columns
    count = 0
    for y in range(max(0, row - 2), min(rows, row + 3)):
        for x in range(max(0, column - 2), min(columns, column + 3)):
            if cells[y * columns + x] == 0:
                count += 1
    return count


def place_of(cells: Out, who: int, size: int) -> int:
    """Return where the pawn of a player is; -1 if that player is out."""
    for cell in range(size):
        if cells[cell] == who + 1:
            return cell
    return -1


def pawns_left(cells: Out, size: int) -> int:
    """Count the players who are not out."""
    count = 0
    for cell in range(size):
        if cells[cell] > 0:
            count += 1
    return count
