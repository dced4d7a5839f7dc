# SPDX-License-Identifier: MIT
"""Breakthrough on a board of any size."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from unbounded.game import Fields, Known, Out, Place, RecordGame, Rules, State, record, require
from unbounded.game.bits import MOST_BITS, cells_with, count_cells, first_cell
from unbounded.game.board import (
    LETTERS,
    Grid,
    move_piece,
    moved_cells,
    mover_loses,
    player_in_turn,
    require_integer,
)
from unbounded.game.colors import BLACK, BOARD, DARK, TARGET, WHITE
from unbounded.game.drawing import Canvas, cells_named
from unbounded.game.setting_up import check_pieces, grid_places, packed, require_at_most

SYMBOLS = "WB"
MOST_ROWS = 26
WIN_NOW, WIN_SOON = 100_000, 20_000


class Breakthrough(RecordGame):
    """Two armies of pawns, on the first and on the last rows, march at each other; White begins.

    A pawn steps one cell forward, straight or diagonally, onto an empty cell. It takes an enemy
    pawn by stepping onto it, but only diagonally: straight ahead it is blocked. Taking is never
    compulsory. Whoever first brings a pawn to the enemy's last row wins; so does whoever takes the
    enemy's last pawn. Each side begins with `pawn_rows` full rows. There are no draws.

    A move names the cells it goes from and to: `a2-a3`, or `a2xb3` if it takes a pawn.
    """

    players = 2
    zero_sum = True
    symmetries = 2
    symbols = SYMBOLS
    piece_symbols = f".{SYMBOLS}"
    solvable = "breakthrough(rows=5,columns=3)"

    known_values = tuple(
        Known(f"breakthrough(rows={rows},columns={columns}{more})", outcome, "independent solver")
        for more, rows, columns, outcome in [
            *(("", *board, (-1, 1)) for board in [(4, 2), (4, 3), (4, 4), (5, 2), (5, 3), (7, 2)]),
            ("", 6, 2, (1, -1)),
            *((",pawn_rows=1", *board, (1, -1)) for board in [(3, 2), (3, 3), (4, 3), (4, 4)]),
            (",pawn_rows=1", 5, 3, (1, -1)),
        ]
    )

    def __init__(self, rows: int = 6, columns: int = 6, pawn_rows: int = 2) -> None:
        require_integer("rows", rows, 2, MOST_ROWS)
        require_integer("columns", columns, 2, len(LETTERS))
        require_integer("pawn_rows", pawn_rows, 1, MOST_ROWS // 2)
        require(2 * pawn_rows <= rows, "there must be at least 2 * pawn_rows rows")
        self.rows, self.columns, self.pawn_rows = rows, columns, pawn_rows
        self.grid = Grid(rows, columns)
        self.state = record(cells=f"i8[{rows * columns}]", turn="i8")
        self.max_actions = 3 * columns * pawn_rows
        self.planes = (2, rows, columns)
        self.action_count = 3 * rows * columns
        # Each pawn can step up to the last row but one; the next step, of one pawn, is the last.
        steps = sum(rows - 2 - row for row in range(pawn_rows))
        self.longest_game = 2 * columns * steps + 1

    # A cell holds 0 when empty, 1 for a white pawn, 2 for a black one; rows count from White's
    # side. An action is 3 * cell + way, the way being 0 to the left, 1 ahead, 2 to the right, as
    # White sees it. On two columns or more the foremost pawn can always step diagonally: nobody
    # who has pawns is ever without a move. At the end, the player who just moved has won.

    def rules(self) -> Rules:
        rows, columns, pawn_rows = self.rows, self.columns, self.pawn_rows
        size = rows * columns
        board = np.arange(size, dtype=np.int64).reshape(rows, columns)
        reversed_rows = board[::-1].reshape(size)
        symmetry = moved_cells(
            "cells", np.array([board.reshape(size), board[:, ::-1].reshape(size)])
        )
        on_bits = size <= MOST_BITS
        first_row = (1 << columns) - 1
        last_row = first_row << (rows - 1) * columns if on_bits else 0
        inner = sum(1 << cell for cell in range(size) if cell % columns > 0 and on_bits)

        def initial(s: State) -> None:
            for cell in range(pawn_rows * columns):
                s.cells[cell] = 1
                s.cells[size - 1 - cell] = 2

        def actions(s: State, out: Out) -> int:
            if size > MOST_BITS:
                return list_steps(s.cells, s.turn, (rows, columns), out)
            pawns = cells_with(s.cells, 1), cells_with(s.cells, 2)
            if pawns[0] & last_row | pawns[1] & first_row != 0:
                return 0
            return list_ways(steps_of(pawns, s.turn, columns, inner), out)

        def is_terminal(s: State) -> bool:
            if size > MOST_BITS:
                return has_arrived(s.cells, rows, columns) or not has_pawn(s.cells, s.turn + 1)
            white, black = cells_with(s.cells, 1), cells_with(s.cells, 2)
            arrived = white & last_row | black & first_row != 0
            return arrived or (white if s.turn == 0 else black) == 0

        def forced(s: State, out: Out) -> int:
            if size > MOST_BITS:
                return keep_forced(s.cells, s.turn, actions(s, out), (rows, columns), out)
            pawns = cells_with(s.cells, 1), cells_with(s.cells, 2)
            if pawns[0] & last_row | pawns[1] & first_row != 0:
                return 0
            return list_forced(pawns, s.turn, (rows, columns), inner, out)

        def march(s: State, action: int, t: State) -> None:
            cell = action // 3
            target = cell + columns * (1 - 2 * s.turn) + action % 3 - 1
            move_piece(t.cells, cell, target, s.turn + 1)
            t.turn = 1 - s.turn

        def evaluate(s: State, out: Out) -> None:
            if size > MOST_BITS:
                lead = lead_by_pawns(s.cells, s.turn, (rows, columns))
            else:
                white, black = cells_with(s.cells, 1), cells_with(s.cells, 2)
                lead = army_worth((white, black), 0, s.turn == 0, (rows, columns), inner)
                lead -= army_worth((black, white), 1, s.turn == 1, (rows, columns), inner)
            out[0] = lead / (abs(lead) + 100.0)
            out[1] = -out[0]

        def relabel(s: State, k: int, t: State) -> None:
            # The board from the other side is the same for the other player.
            if k == 1:
                t.turn = 1 - s.turn
                for cell in range(size):
                    t.cells[cell] = (3 - s.cells[reversed_rows[cell]]) % 3  # 1 and 2 swapped

        def encode(s: State, out: Out) -> None:
            for cell in range(size):
                if s.cells[cell] != 0:
                    seen = cell if s.turn == 0 else reversed_rows[cell]
                    out[seen if s.cells[cell] == s.turn + 1 else size + seen] = 1.0

        return Rules(
            initial, player_in_turn, actions, march, mover_loses,
            evaluate=evaluate, symmetry=symmetry, relabel=relabel, encode=encode,
            is_terminal=is_terminal, forced=forced if columns > 1 else None,
        )  # fmt: skip

    def _step(self, state: bytes, action: int) -> tuple[int, int]:
        """Return the cells that an action goes from and to."""
        cell, way = divmod(action, 3)
        return cell, cell + self.columns * (1 - 2 * self.player(state)) + way - 1

    def action_name(self, state: bytes, action: int) -> str:
        source, target = self._step(state, action)
        taken = self.state.unpack(state).cells[target] != 0
        return f"{self.grid.name(source)}{'x' if taken else '-'}{self.grid.name(target)}"

    def _verdict(self, state: bytes) -> str:
        turn = self.player(state)
        return f"{SYMBOLS[turn]} to move" if self.actions(state) else f"{SYMBOLS[1 - turn]} has won"

    def show(self, state: bytes) -> str:
        cells = [f".{SYMBOLS}"[cell] for cell in self.state.unpack(state).cells]
        return f"{self.grid.text(cells)}\n{self._verdict(state)}"

    def svg(
        self,
        state: bytes,
        *,
        last: int | None = None,
        targets: Sequence[int] = (),
        before: bytes | None = None,
    ) -> str:
        s = self.state.unpack(state)
        canvas = Canvas(self.columns, self.rows, title=f"Breakthrough: {self._verdict(state)}")
        for cell in range(self.rows * self.columns):
            fill = DARK if self.grid.is_dark(cell) else BOARD
            canvas.rectangle(*self.grid.corner(cell), fill=fill)
        canvas.coordinates(self.columns, self.rows)
        for cell, pawn in enumerate(s.cells):
            if pawn:
                canvas.piece(*self.grid.center(cell), (WHITE, BLACK)[pawn - 1], radius=0.34)
        if last is not None:
            self._mark_last(canvas, s, last, before)
        for action in targets:
            source, target = self._step(state, action)
            (x1, y1), (x2, y2) = self.grid.center(source), self.grid.center(target)
            taken = s.cells[target] != 0
            # From the edge of the pawn, so that it is seen where each way begins.
            far = 0.55 if taken else 1
            ends = (x1 + 0.4 * (x2 - x1), y1 + 0.4 * (y2 - y1))
            canvas.line(
                *ends, x1 + far * (x2 - x1), y1 + far * (y2 - y1), stroke=TARGET, role="target"
            )
            canvas.mark_target(x2, y2, taken=taken)
        return canvas.svg()

    def _mark_last(self, canvas: Canvas, s: Fields, last: int, before: bytes | None) -> None:
        """Mark where the last pawn came from and went to, whether it took another, and a win."""
        # The other player made the move: their way forward is the opposite one.
        source, way = divmod(last, 3)
        target = source - self.columns * (1 - 2 * s.turn) + way - 1
        for cell in (source, target):
            canvas.mark_last(*self.grid.corner(cell))
        x, y = self.grid.center(target)
        if before is not None and self.state.unpack(before).cells[target] != 0:
            canvas.mark_capture(x - 0.33, y - 0.33)
        if target // self.columns in (0, self.rows - 1):
            canvas.mark_win(x, y, 0.41)

    def places(self, state: bytes, action: int) -> Sequence[Place]:
        return cells_named(self.action_name(state, action), self.rows)

    def piece_places(self) -> Sequence[Place]:
        return grid_places(self.rows, self.columns)

    def pieces_on(self, state: bytes) -> Sequence[int]:
        cells: list[int] = self.state.unpack(state).cells
        return cells

    def set_up(self, pieces: Sequence[int], player: int) -> bytes:
        check_pieces(self, pieces, player)
        require_at_most(self, pieces, 2, self.columns * self.pawn_rows)
        arrived = has_arrived(list(pieces), self.rows, self.columns)
        require(not arrived, "a pawn has arrived already: the game is over")
        return packed(self, player, cells=list(pieces))


# On bits, where all cells fit one integer: `pawns` are White's and Black's, `inner` the cells that
# are not in the first column.


def steps_of(pawns: tuple[int, int], turn: int, columns: int, inner: int) -> tuple[int, int, int]:
    """Return the pawns that can step to the left, ahead and to the right."""
    own, taken = pawns[turn], pawns[0] | pawns[1]
    if turn == 0:
        left, ahead, right = own >> columns - 1, taken >> columns, own >> columns + 1
    else:
        left, ahead, right = own << columns + 1, taken << columns, own << columns - 1
    return own & inner & ~left, own & ~ahead, own & inner >> 1 & ~right


def sources_of(target: int, turn: int, columns: int) -> tuple[int, int]:
    """Return the cells from which a step to the left, and one to the right, leads to a cell."""
    if turn == 0:
        return target >> columns - 1, target >> columns + 1
    return target << columns + 1, target << columns - 1


def list_ways(ways: tuple[int, int, int], out: Out) -> int:
    """Write the steps of pawns that can step to the left, ahead or to the right; count them."""
    left, ahead, right = ways
    pawns, count = left | ahead | right, 0
    while pawns != 0:
        cell = first_cell(pawns)
        if left >> cell & 1 == 1:
            out[count] = 3 * cell
            count += 1
        if ahead >> cell & 1 == 1:
            out[count] = 3 * cell + 1
            count += 1
        if right >> cell & 1 == 1:
            out[count] = 3 * cell + 2
            count += 1
        pawns &= pawns - 1
    return count


def list_forced(
    pawns: tuple[int, int], turn: int, shape: tuple[int, int], inner: int, out: Out
) -> int:
    """Do what `keep_forced` does, before any pawn has arrived."""
    rows, columns = shape
    row = (1 << columns) - 1
    second_row, last_but_one = row << columns, row << columns * (rows - 2)
    left, ahead, right = steps_of(pawns, turn, columns, inner)
    arriving = (left | ahead | right) & (last_but_one if turn == 0 else second_row)
    if arriving != 0:
        first = arriving & -arriving
        return min(1, list_ways((left & first, ahead & first, right & first), out))
    threats = pawns[1 - turn] & (second_row if turn == 0 else last_but_one)
    if threats & (threats - 1) != 0:
        return 0
    if threats != 0:
        on_left, on_right = sources_of(threats, turn, columns)
        left, ahead, right = left & on_left, 0, right & on_right
    return list_ways((left, ahead, right), out)


def army_worth(
    pawns: tuple[int, int], who: int, moves: bool, shape: tuple[int, int], inner: int
) -> int:
    """Return what the pawns of a player, given first, are worth together: see `worth_of_pawn`."""
    (own, foe), (rows, columns) = pawns, shape
    # The enemies before a pawn to both sides, and the pawns behind it that guard it.
    if who == 0:
        attackers = foe >> columns - 1 & inner, foe >> columns + 1 & inner >> 1
        guards = own << columns + 1 & inner, own << columns - 1 & inner >> 1
    else:
        attackers = foe << columns + 1 & inner, foe << columns - 1 & inner >> 1
        guards = own >> columns - 1 & inner, own >> columns + 1 & inner >> 1
    attacked, guarded = attackers[0] | attackers[1], guards[0] | guards[1]
    row = (1 << columns) - 1
    close = row << ((rows - 2) * columns if who == 0 else columns)
    if moves:
        weak = attacked & ~guarded | attackers[0] & attackers[1] & ~(guards[0] & guards[1])
        weak, lost = weak & ~close, 0
        worth = WIN_NOW * count_cells(own & close)
    else:
        weak, lost = attacked & guarded, attacked & ~guarded
        worth = WIN_SOON * count_cells(own & close & ~attacked)
    for gone in range(rows):
        here = own & row << columns * (gone if who == 0 else rows - 1 - gone)
        each = 20 + 2 * gone + gone * gone
        worth += each * count_cells(here & ~lost) - each // 4 * count_cells(here & weak)
    return worth


# The same cell by cell, for larger boards.


def list_steps(cells: Out, turn: int, shape: tuple[int, int], out: Out) -> int:
    """Write to `out` the steps of a player's pawns; return how many there are."""
    rows, columns = shape
    own, ahead, count = turn + 1, columns * (1 - 2 * turn), 0
    for cell in range(0 if has_arrived(cells, rows, columns) else rows * columns):
        if cells[cell] == own:
            target, column = cell + ahead, cell % columns
            if column > 0 and cells[target - 1] != own:
                out[count] = 3 * cell
                count += 1
            if cells[target] == 0:
                out[count] = 3 * cell + 1
                count += 1
            if column < columns - 1 and cells[target + 1] != own:
                out[count] = 3 * cell + 2
                count += 1
    return count


def lead_by_pawns(cells: Out, turn: int, shape: tuple[int, int]) -> int:
    """Add up what the pawns are worth, for White."""
    lead = 0
    for row in range(shape[0]):
        for column in range(shape[1]):
            own = cells[row * shape[1] + column]
            if own != 0:
                worth = worth_of_pawn(cells, (row, column), turn, shape)
                lead += worth if own == 1 else -worth
    return lead


def has_arrived(cells: Out, rows: int, columns: int) -> bool:
    """Whether a pawn stands on the last row of its way."""
    last, arrived = (rows - 1) * columns, 0
    for column in range(columns):
        if cells[column] == 2 or cells[last + column] == 1:
            arrived += 1
    return arrived > 0


def worth_of_pawn(cells: Out, place: tuple[int, int], turn: int, shape: tuple[int, int]) -> int:
    """Return what a pawn is worth: the way it has gone, less if it can be taken."""
    rows, columns = shape
    who = cells[place[0] * columns + place[1]] - 1
    gone = place[0] if who == 0 else rows - 1 - place[0]
    attackers, guards = neighbors(cells, place, rows, columns)
    worth = 20 + 2 * gone + gone * gone
    if who == turn:
        if gone == rows - 2:
            worth += WIN_NOW
        elif attackers > guards:
            worth -= worth // 4
    elif attackers > 0:
        # It can be taken at once; with a guard, for a pawn in return.
        worth -= worth if guards == 0 else worth // 4
    elif gone == rows - 2:
        worth += WIN_SOON
    return worth


def neighbors(cells: Out, place: tuple[int, int], rows: int, columns: int) -> tuple[int, int]:
    """Count the enemies that can take the pawn on a cell, and the pawns that guard it."""
    row, column = place
    cell = row * columns + column
    own = cells[cell]
    step = 1 if own == 1 else -1
    attackers, guards = 0, 0
    if 0 <= row + step < rows:
        ahead = cell + step * columns
        if column > 0:
            attackers += cells[ahead - 1] == 3 - own
        if column + 1 < columns:
            attackers += cells[ahead + 1] == 3 - own
    if 0 <= row - step < rows:
        behind = cell - step * columns
        if column > 0:
            guards += cells[behind - 1] == own
        if column + 1 < columns:
            guards += cells[behind + 1] == own
    return attackers, guards


def has_pawn(cells: Out, own: int) -> bool:
    """Whether a player has a pawn."""
    count = 0
    for cell in range(len(cells)):
        count += cells[cell] == own
    return count > 0


def keep_forced(cells: Out, turn: int, listed: int, shape: tuple[int, int], out: Out) -> int:
    """Keep of the actions listed those that may be good; return how many.

    A pawn that can arrive does. One of the other player that could arrive next, which no pawn can
    block where there are two columns, has to be taken; two of them win.
    """
    rows, columns = shape
    home = (1 if turn == 0 else rows - 2) * columns
    goal = (rows - 1 if turn == 0 else 0) * columns
    threats, threat, count = 0, 0, 0
    for cell in range(home, home + columns):
        if cells[cell] == 2 - turn:
            threats, threat = threats + 1, cell
    for i in range(listed):
        action = out[i]
        target = action // 3 + columns * (1 - 2 * turn) + action % 3 - 1
        if goal <= target < goal + columns:
            out[0] = action
            return 1
        if threats == 0 or (threats == 1 and target == threat):
            out[count] = action
            count += 1
    return count
