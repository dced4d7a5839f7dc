# SPDX-License-Identifier: MIT
"""Lines of Action: bring all your pieces together."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from unbounded.game import Known, Out, Place, RecordGame, Rules, State, record, require
from unbounded.game.bits import MOST_BITS, cells_with, count_cells, first_cell
from unbounded.game.board import Grid, move_piece, moved_cells, player_in_turn, require_integer
from unbounded.game.colors import BLACK, BOARD, DARK, TARGET, WHITE
from unbounded.game.drawing import Canvas, cells_named
from unbounded.game.setting_up import check_pieces, grid_places, packed, require_at_most
from unbounded.game.wording import counted

SYMBOLS = "BW"
SOLVER = "independent solver"


class LinesOfAction(RecordGame):
    """Black begins with pieces along the bottom and top rows, White along the sides; Black starts.

    A piece moves in a straight line, in any of the eight directions, exactly as many cells as
    there are pieces, of both colors, on that whole line of the board. It may jump over pieces of
    its own color but not over the enemy's; it takes an enemy piece by landing on it, and never
    lands on one of its own. Whoever brings all their pieces into one connected group, diagonal
    neighbors included, wins; so a single piece left is a group. A move that connects both sides
    wins for the player who made it. Whoever has no move loses.

    Pieces can move back and forth, so the game ends in a draw after `horizon` moves in all. There
    is no other rule about repeated positions.

    A move names the cells it goes from and to: `b1-b3`, or `b1xb3` if it takes a piece.
    """

    players = 2
    zero_sum = True
    symmetries = 8
    symbols = SYMBOLS
    solvable = "lines-of-action(size=4)"
    known_values = (
        Known("lines-of-action(size=3,horizon=1)", (0, 0), SOLVER),
        Known("lines-of-action(size=3)", (-1, 1), SOLVER),
        Known("lines-of-action(size=4,horizon=2)", (0, 0), SOLVER),
        Known("lines-of-action(size=4,horizon=3)", (1, -1), SOLVER),
        Known("lines-of-action(size=4)", (1, -1), SOLVER),
    )
    piece_symbols = f".{SYMBOLS}"

    def __init__(self, size: int = 6, horizon: int = 60) -> None:
        require_integer("size", size, 3, 8)
        require_integer("horizon", horizon, 1, 10_000)
        self.size, self.horizon = size, horizon
        self.grid = Grid(size, size)
        self.state = record(cells=f"i8[{size * size}]", turn="i8", winner="i8", left="i16")
        self.max_actions = 8 * 2 * (size - 2)
        self.planes = (3, size, size)
        self.action_count, self.longest_game = 8 * size * size, horizon

    # A cell holds 0 when empty, 1 for a black piece, 2 for a white one; `winner` likewise. `left`
    # counts the moves down to the horizon; when somebody has won it is 0. An action is
    # 8 * cell + direction: how far the piece goes follows from the board.

    def rules(self) -> Rules:
        size, horizon, cells = self.size, self.horizon, self.size**2
        symmetry = moved_cells("cells", np.array(self.grid.images()[: self.symmetries]))
        on_bits = cells <= MOST_BITS
        places, passed, edge = places_of_counts(size), cells_passed(size), first_column(size)
        lines = cells_on_lines(size) if on_bits else places
        tables = lines, passed, cells_reached(size) if on_bits else passed
        strides = np.array([up * size + right for up, right in map(step, range(8))])
        inner = sum(1 << cell for cell in range(cells) if cell % size > 0 and on_bits)

        def initial(s: State) -> None:
            for place in range(1, size - 1):
                s.cells[place] = s.cells[cells - 1 - place] = 1
                s.cells[place * size] = s.cells[place * size + size - 1] = 2
            s.left = horizon

        def actions(s: State, out: Out) -> int:
            if s.left == 0:
                return 0
            if not on_bits:
                return list_moves(s.cells, s.turn + 1, (places, passed), size, out)
            pieces = cells_with(s.cells, s.turn + 1), cells_with(s.cells, 2 - s.turn)
            return list_moves_on_bits(pieces, tables, out)

        def is_terminal(s: State) -> bool:
            if not on_bits:
                return s.left == 0 or not can_move(s.cells, s.turn + 1, (places, passed), size)
            pieces = cells_with(s.cells, s.turn + 1), cells_with(s.cells, 2 - s.turn)
            return s.left == 0 or not can_move_on_bits(pieces, tables)

        def go(s: State, action: int, t: State) -> None:
            own, cell = s.turn + 1, action // 8
            t.turn, t.left = 1 - s.turn, s.left - 1
            if on_bits:
                pieces = cells_with(s.cells, own), cells_with(s.cells, 3 - own)
                distance = count_cells((pieces[0] | pieces[1]) & lines[4 * cell + action % 4])
                target = cell + distance * strides[action % 8]
                joined = joined_by(pieces, cell, target, (size, inner))
                move_piece(t.cells, cell, target, own)
            else:
                target = landing(s.cells, cell, action % 8, size)
                move_piece(t.cells, cell, target, own)
                joined = joined_on(t.cells, own, s.cells[target] != 0, size, edge)
            if joined != 0:
                t.winner, t.left = own if joined == 1 else 3 - own, 0

        def outcome(s: State, out: Out) -> None:
            if s.winner != 0:
                out[s.winner - 1] = 1
                out[2 - s.winner] = -1
            elif s.left > 0:
                out[s.turn] = -1
                out[1 - s.turn] = 1

        def evaluate(s: State, out: Out) -> None:
            if on_bits:
                black, white = cells_with(s.cells, 1), cells_with(s.cells, 2)
                lead = spread_on_bits(white, size) - spread_on_bits(black, size)
            else:
                lead = spread(s.cells, 2, size) - spread(s.cells, 1, size)
            out[0] = lead / (abs(lead) + 2.0)
            out[1] = -out[0]

        relabel, encode = self._views()
        return Rules(
            initial, player_in_turn, actions, go, outcome,
            evaluate=evaluate, symmetry=symmetry, relabel=relabel, encode=encode,
            is_terminal=is_terminal,
        )  # fmt: skip

    def _views(self) -> list[Callable[..., None]]:
        """Return the rules `relabel` and `encode`."""
        horizon, cells = self.horizon, self.size**2

        def relabel(s: State, k: int, t: State) -> None:
            if k == 1:
                for cell in range(cells):
                    t.cells[cell] = (3 - s.cells[cell]) % 3
                t.turn, t.winner = 1 - s.turn, (3 - s.winner) % 3

        def encode(s: State, out: Out) -> None:
            for cell in range(cells):
                if s.cells[cell] != 0:
                    out[cell if s.cells[cell] == s.turn + 1 else cells + cell] = 1.0
                out[2 * cells + cell] = s.left / horizon

        return [relabel, encode]

    def _ends(self, state: bytes, action: int) -> tuple[int, int]:
        """Return the cells that an action goes from and to."""
        cells = self.state.unpack(state).cells
        return action // 8, landing(cells, action // 8, action % 8, self.size)

    def action_name(self, state: bytes, action: int) -> str:
        source, target = self._ends(state, action)
        taken = self.state.unpack(state).cells[target] != 0
        return f"{self.grid.name(source)}{'x' if taken else '-'}{self.grid.name(target)}"

    def _verdict(self, state: bytes) -> str:
        s = self.state.unpack(state)
        if self.actions(state):
            return f"{SYMBOLS[s.turn]} to move, {counted(s.left, 'move')} left"
        if s.winner or s.left:
            return f"{SYMBOLS[s.winner - 1 if s.winner else 1 - s.turn]} has won"
        return "a draw"

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
        cells, size, grid = self.state.unpack(state).cells, self.size, self.grid
        canvas = Canvas(size, size, title=f"Lines of Action: {self._verdict(state)}")
        winners = self._winners(state)
        for cell in range(size * size):
            canvas.rectangle(*grid.corner(cell), fill=DARK if grid.is_dark(cell) else BOARD)
        self._mark_targets(canvas, state, targets)
        for cell, piece in enumerate(cells):
            if piece:
                canvas.piece(*grid.center(cell), (BLACK, WHITE)[piece - 1], radius=0.34)
                if piece in winners:
                    canvas.mark_win(*grid.center(cell), 0.41)
        canvas.coordinates(size, size)
        if last is not None:
            canvas.mark_last(*grid.corner(last // 8))
            if before is not None:
                self._mark_arrival(canvas, before, last)
        return canvas.svg()

    def _mark_targets(self, canvas: Canvas, state: bytes, targets: Sequence[int]) -> None:
        """Draw the ways of actions, beneath the pieces that they may pass over."""
        cells = self.state.unpack(state).cells
        for action in targets:
            source, target = self._ends(state, action)
            ends = (*self.grid.center(source), *self.grid.center(target))
            canvas.line(*ends, stroke=TARGET, thickness=0.05, role="target")
            canvas.mark_target(*ends[2:], taken=cells[target] != 0)

    def _mark_arrival(self, canvas: Canvas, before: bytes, last: int) -> None:
        """Mark where the last piece went to, and whether it captured another there."""
        target = self._ends(before, last)[1]
        x, y = self.grid.corner(target)
        canvas.mark_last(x, y)
        if self.state.unpack(before).cells[target] != 0:
            canvas.mark_capture(x + 0.17, y + 0.17)

    def _winners(self, state: bytes) -> list[int]:
        """Return whose pieces win where the game is over: 1 for Black's, 2 for White's."""
        if self.actions(state):
            return []
        return [who + 1 for who, outcome in enumerate(self.outcome(state)) if outcome > 0]

    def places(self, state: bytes, action: int) -> Sequence[Place]:
        return cells_named(self.action_name(state, action), self.size)

    def piece_places(self) -> Sequence[Place]:
        return grid_places(self.size, self.size)

    def pieces_on(self, state: bytes) -> Sequence[int]:
        cells: list[int] = self.state.unpack(state).cells
        return cells

    def set_up(self, pieces: Sequence[int], player: int) -> bytes:
        check_pieces(self, pieces, player)
        require_at_most(self, pieces, 2, 2 * (self.size - 2))
        edge = first_column(self.size)
        for color in (1, 2):
            joined = is_connected(list(pieces), color, self.size, edge)
            require(not joined, f"{SYMBOLS[color - 1]} is connected already: the game is over")
        return packed(self, player, cells=list(pieces), left=self.horizon)


# Directions are numbered 0 to 7: right, up right, up, up left, and their opposites.


def step(direction: int) -> tuple[int, int]:
    """Return how many rows up and columns to the right the next cell in a direction is."""
    line = direction % 4
    up, right = (0 if line == 0 else 1), (1 if line < 2 else 2 - line)
    return (up, right) if direction < 4 else (-up, -right)


def landing(cells: Out, cell: int, direction: int, size: int) -> int:
    """Return where the piece on the cell lands in a direction, or -1 if it cannot go there."""
    up, right = step(direction)
    row, column = cell // size, cell % size
    ahead, behind = room(row, column, (up, right), size), room(row, column, (-up, -right), size)
    stride, distance = up * size + right, 0
    for place in range(-behind, ahead + 1):
        if cells[cell + place * stride] != 0:
            distance += 1
    own, target = cells[cell], cell + distance * stride
    if distance > ahead or cells[target] == own:
        return -1
    for place in range(1, distance):
        if cells[cell + place * stride] == 3 - own:
            return -1
    return target


# On bits, where all cells fit one integer: on all boards but the largest. `inner` are the cells
# that are not in the first column.


def cells_on_lines(size: int) -> np.ndarray:
    """Return, by cell and kind of line, the cells of the line, as bits."""
    table = []
    for cell in range(size * size):
        for line in range(4):
            up, right = step(line)
            ahead = room(cell // size, cell % size, (up, right), size)
            behind = room(cell // size, cell % size, (-up, -right), size)
            stride = up * size + right
            table.append(sum(1 << (cell + i * stride) for i in range(-behind, ahead + 1)))
    return np.array(table, dtype=np.int64)


def ways_from(cell: int, pieces: tuple[int, int], tables: tuple[Out, Out, Out]) -> int:
    """Return the directions, as bits, in which a piece can move; its own side's come first."""
    (own, foe), (lines, passed, reached) = pieces, tables
    ways, walls = 0, foe | 1  # see `cells_passed`
    for line in range(4):
        distance = count_cells((own | foe) & lines[4 * cell + line])
        for direction in (line, line + 4):
            move = 8 * (8 * cell + direction) + distance - 1
            # Without branches, which could not be predicted.
            in_the_way = passed[move] & walls | reached[move] & own
            ways |= (1 if in_the_way == 0 else 0) << direction
    return ways


def list_moves_on_bits(pieces: tuple[int, int], tables: tuple[Out, Out, Out], out: Out) -> int:
    """Write to `out` the moves of the pieces that come first; return how many there are."""
    count, own = 0, pieces[0]
    while own != 0:
        cell = first_cell(own)
        ways = ways_from(cell, pieces, tables)
        while ways != 0:
            out[count] = 8 * cell + first_cell(ways)
            count += 1
            ways &= ways - 1
        own &= own - 1
    return count


def can_move_on_bits(pieces: tuple[int, int], tables: tuple[Out, Out, Out]) -> bool:
    """Whether any of the pieces that come first can move."""
    own = pieces[0]
    while own != 0:
        if ways_from(first_cell(own), pieces, tables) != 0:
            return True
        own &= own - 1
    return False


def joined_by(pieces: tuple[int, int], cell: int, target: int, board: tuple[int, int]) -> int:
    """Return whose pieces are one group after a move: 1 the mover's, 2 the other's, 0 nobody's."""
    own, foe = pieces
    if is_one_group(own & ~(1 << cell) | 1 << target, board):
        return 1
    # Only by losing a piece can the other side be brought together.
    taken = foe >> target & 1 == 1
    return 2 if taken and is_one_group(foe & ~(1 << target), board) else 0


def is_one_group(pieces: int, board: tuple[int, int]) -> bool:
    """Whether pieces are one group, on a board of this size and with these inner cells."""
    size, inner = board
    # Mostly some piece has none beside it, which is quick to see.
    beside = pieces << 1 & inner | (pieces & inner) >> 1
    wide = pieces | beside
    if pieces & ~(beside | wide << size | wide >> size) != 0:
        return pieces & (pieces - 1) == 0
    group = pieces & -pieces
    while group != pieces:
        wide = group | group << 1 & inner | (group & inner) >> 1
        grown = (wide | wide << size | wide >> size) & pieces
        if grown == group:
            return False
        group = grown
    return True


def spread_on_bits(pieces: int, size: int) -> float:
    """Return what `spread` does."""
    row = (1 << size) - 1
    column = ((1 << size * size) - 1) // row
    count, rows, columns, total = count_cells(pieces), 0, 0, 0
    for i in range(1, size):
        rows += i * count_cells(pieces & row << i * size)
        columns += i * count_cells(pieces & column << i)
    while pieces != 0:
        cell = first_cell(pieces)
        total += max(abs(count * (cell // size) - rows), abs(count * (cell % size) - columns))
        pieces &= pieces - 1
    return total / (count * count)


# How many pieces there are on each line of the board is counted in one number for each of the four
# kinds of lines: no line has more than eight cells, and there are at most fifteen lines of a kind,
# so that four bits for each line are enough.


def pieces_on_lines(cells: Out, size: int) -> tuple[int, int, int, int]:
    """Count the pieces on the lines across, up to the right, up, and up to the left."""
    across = right = upwards = left = 0
    for row in range(size):
        for column in range(size):
            piece = 1 if cells[row * size + column] != 0 else 0
            across += piece << (4 * row)
            right += piece << (4 * (row + size - 1 - column))
            upwards += piece << (4 * column)
            left += piece << (4 * (row + column))
    return across, right, upwards, left


def places_of_counts(size: int) -> np.ndarray:
    """Return, by cell and kind of line, where in these integers the count of the line begins."""
    cells = [divmod(cell, size) for cell in range(size * size)]
    lines = [(row, row + size - 1 - column, column, row + column) for row, column in cells]
    return 4 * np.array(lines, dtype=np.int64).reshape(-1)


def cells_passed(size: int) -> np.ndarray:
    """Return, by cell, direction and distance less one, the cells that a move passes, as bits.

    Corners are never passed. So the first one can stand for all that is off the board.
    """
    table = []
    for cell in range(size * size):
        for direction in range(8):
            up, right = step(direction)
            ahead = room(cell // size, cell % size, (up, right), size)
            passed = [1 << (cell + (up * size + right) * place) for place in range(1, ahead)]
            table += [sum(passed[:place]) if place < ahead else 1 for place in range(8)]
    return np.array(table, dtype=np.int64)


def cells_reached(size: int) -> np.ndarray:
    """Return, by cell, direction and distance less one, the cell that a move ends on, as a bit."""
    table = []
    for cell in range(size * size):
        for direction in range(8):
            up, right = step(direction)
            ahead = room(cell // size, cell % size, (up, right), size)
            ends = [1 << (cell + (up * size + right) * (place + 1)) for place in range(ahead)]
            table += [ends[place] if place < ahead else 0 for place in range(8)]
    return np.array(table, dtype=np.int64)


def walls(cells: Out, enemy: int, size: int) -> int:
    """Return the cells that may not be passed, as bits: those of the enemy, and off the board."""
    return 1 | (pieces(cells, enemy, 1, size * size - 1) << 1)


def list_moves(cells: Out, own: int, tables: tuple[Out, Out], size: int, out: Out) -> int:
    """Write to `out` the moves of the pieces of a color; return how many there are."""
    counts, blocked, count = pieces_on_lines(cells, size), walls(cells, 3 - own, size), 0
    for cell in range(size * size):
        if cells[cell] == own:
            distances = distances_from(counts, tables[0], cell)
            for direction in range(8):
                if is_legal(cells, (cell, direction), distances, (tables[1], blocked), size):
                    out[count] = 8 * cell + direction
                    count += 1
    return count


def can_move(cells: Out, own: int, tables: tuple[Out, Out], size: int) -> bool:
    """Whether any piece of a color can move."""
    counts, blocked = pieces_on_lines(cells, size), walls(cells, 3 - own, size)
    for cell in range(size * size):
        if cells[cell] == own:
            distances = distances_from(counts, tables[0], cell)
            for direction in range(8):
                if is_legal(cells, (cell, direction), distances, (tables[1], blocked), size):
                    return True
    return False


def distances_from(counts: tuple[int, int, int, int], places: Out, cell: int) -> int:
    """Return how far a piece goes along each of the four lines through its cell, 4 bits each."""
    across, right, upwards, left = counts
    distances: int = (
        ((across >> places[4 * cell]) & 15)
        | ((right >> places[4 * cell + 1]) & 15) << 4
        | ((upwards >> places[4 * cell + 2]) & 15) << 8
        | ((left >> places[4 * cell + 3]) & 15) << 12
    )
    return distances


def is_legal(
    cells: Out, move: tuple[int, int], distances: int, tables: tuple[Out, int], size: int
) -> bool:
    """Whether a piece can move from a cell in a direction, given the cells that it may not pass."""
    (cell, direction), (passed, blocked) = move, tables
    distance = (distances >> (4 * (direction % 4))) & 15
    if passed[8 * (8 * cell + direction) + distance - 1] & blocked != 0:
        return False
    rise, shift = step(direction)
    return bool(cells[cell + distance * (rise * size + shift)] != cells[cell])


def room(row: int, column: int, way: tuple[int, int], size: int) -> int:
    """Return how many cells there are between this one and the edge of the board."""
    up, right = way
    rows = size if up == 0 else (size - 1 - row if up > 0 else row)
    columns = size if right == 0 else (size - 1 - column if right > 0 else column)
    return min(rows, columns)


# Groups are found on two halves of the board as bits, each of which fits 32 bits.


def first_column(size: int) -> int:
    """Return the first column of half a board, as bits, and of the row beyond it."""
    return sum(1 << (row * size) for row in range((size + 1) // 2 + 1))


def is_connected(cells: Out, color: int, size: int, edge: int) -> bool:
    """Whether the pieces of a color are one group."""
    split = size // 2 * size
    low, high = pieces(cells, color, 0, split), pieces(cells, color, split, size * size)
    top, row = split - size, (1 << size) - 1
    group_low = low & -low
    group_high = high & -high if low == 0 else 0
    while True:
        wide_low, wide_high = widened(group_low, size, edge), widened(group_high, size, edge)
        next_low = wide_low | (wide_low << size) | (wide_low >> size) | ((wide_high & row) << top)
        next_high = wide_high | (wide_high << size) | (wide_high >> size) | (wide_low >> top)
        next_low, next_high = next_low & low, next_high & high
        if next_low == group_low and next_high == group_high:
            return bool(group_low == low and group_high == high)
        group_low, group_high = next_low, next_high


def joined_on(cells: Out, own: int, taken: bool, size: int, edge: int) -> int:
    """Do what `joined_by` does, after a move that took a piece or did not."""
    if is_connected(cells, own, size, edge):
        return 1
    return 2 if taken and is_connected(cells, 3 - own, size, edge) else 0


def pieces(cells: Out, color: int, start: int, end: int) -> int:
    """Return the cells from start to end that hold a color, as bits."""
    found = 0
    for cell in range(start, end):
        found |= (1 if cells[cell] == color else 0) << (cell - start)
    return found


def widened(group: int, size: int, edge: int) -> int:
    """Return the cells of a group with their neighbors to the left and right."""
    return group | ((group << 1) & ~edge) | ((group & ~edge) >> 1)


def spread(cells: Out, color: int, size: int) -> float:
    """Return how far from their common middle the pieces of a color are, on average."""
    count, rows, columns = 0, 0, 0
    for row in range(size):
        for column in range(size):
            if cells[row * size + column] == color:
                count, rows, columns = count + 1, rows + row, columns + column
    total = 0
    for row in range(size):
        for column in range(size):
            if cells[row * size + column] == color:
                total += max(abs(count * row - rows), abs(count * column - columns))
    return total / (count * count)
