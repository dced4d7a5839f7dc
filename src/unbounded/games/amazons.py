# SPDX-License-Identifier: MIT
"""The Game of the Amazons: queens that move, and shoot arrows that stay."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from unbounded.game import Known, Out, Place, RecordGame, Rules, State, record, require
from unbounded.game.bits import MOST_BITS, cells_with, fill_cells, first_cell
from unbounded.game.board import ALL_AROUND, Grid, mover_loses, player_in_turn, require_integer
from unbounded.game.colors import BLACK, BOARD, DARK, DEEP, EDGE, NOBODY, WHITE
from unbounded.game.drawing import Canvas, cells_named
from unbounded.game.setting_up import check_pieces, grid_places, packed, require_at_most

ARROW = 3
FAR = 127
SOLVED = "proven by this program; independent solver"
SIZE, LEAST, MOST = 6, 4, 10
"""The rows and columns of the default board, of the smallest and of the largest one."""


class Amazons(RecordGame):
    """Each player has four amazons, which move as the queen in chess does; White (W) begins.

    In a turn a player moves one of their amazons any number of squares in a straight line, across,
    upwards or diagonally, and from there it shoots an arrow, which flies in the same way and stays
    where it lands for the rest of the game. Neither amazons nor arrows pass over or land on a
    square that is taken by an amazon of either side or an arrow. The square just left is free.
    Nothing is captured. Whoever cannot move when it is their turn loses; there are no draws.

    The board is a square of `size` rows and columns. `rows` and `columns` are for other rectangles;
    0 means as many as `size`. White has two amazons on the first row and one on each outer column,
    and Black's are their mirror images at the other end. An amazon starts one square from its
    corner along a side of 4 to 7 squares, two along a side of 8 or 9, and three along a side of 10.
    So White starts on b1, d1, a2 and e2 on a board of 4 rows and 5 columns, and 10x10 has the usual
    set-up. The players face each other along the columns: 4 rows and 5 columns are not the same
    game as 5 rows and 4 columns.

    Moving and shooting are two actions of the same player, `d1-d7` and `xg7`. A turn in one action
    would have thousands to choose from (2,176 at the start on 10x10); so there are at most 140,
    the search can leave a bad move without looking at its arrows, and one good arrow is enough to
    prove that a move wins. Positions between the two are few, as each has many arrows.
    """

    zero_sum = True
    symbols = "WB"
    piece_symbols = ".WBx"
    solvable = "amazons(size=4)"
    known_values = (
        Known("amazons(size=4)", (-1, 1), "independent solver"),
        Known(
            "amazons(size=5)",
            (1, -1),
            "published: M. Mueller, Solving 5x5 Amazons, 2001 (not checked)",
            slow=True,
        ),
        Known("amazons(rows=4,columns=5)", (1, -1), SOLVED),
        Known("amazons(rows=5,columns=4)", (-1, 1), SOLVED, slow=True),
    )

    def __init__(self, size: int = SIZE, rows: int = 0, columns: int = 0) -> None:
        require_integer("size", size, LEAST, MOST)
        for name, count in (("rows", rows), ("columns", columns)):
            allowed = type(count) is int and (count == 0 or LEAST <= count <= MOST)
            limits = f"an integer from {LEAST} to {MOST}, or 0 for as many as size"
            require(allowed, f"{name} must be {limits}")
        one_way = size == SIZE or 0 in (rows, columns)
        require(one_way, "give the size of a square, or rows and columns, not all three")
        rows, columns = rows or size, columns or size
        # Each board has one string: that of a square is its size, as in files of earlier versions.
        is_square = rows == columns
        self.size = rows if is_square else SIZE
        self.rows, self.columns = (0, 0) if is_square else (rows, columns)
        self.grid = Grid(rows, columns)
        self.symmetries = self.grid.symmetries
        self.state = record(cells=f"i8[{rows * columns}]", turn="i8", shooter="i8")
        # What four queens reach: their rows, their columns and two diagonals each.
        self.max_actions = 4 * (rows + columns + 2 * min(rows, columns) - 4)
        self.planes = (4, rows, columns)
        cells = rows * columns
        self.action_count = (cells + 1) * cells
        self.longest_game = 2 * (cells - 8)  # every second action is an arrow on an empty square

    # A cell is 0 when empty, 1 or 2 for an amazon of the first or second player, 3 for an arrow.
    # The square that an arrow is to be shot from, plus one, is `shooter`; 0 before the move.
    # An arrow is the number of its square; a move is (from + 1) * cells + to.

    def rules(self) -> Rules:
        rows, columns = self.grid.rows, self.grid.columns
        cells, longest = rows * columns, max(rows, columns)
        steps = np.array(self.grid.neighbors(ALL_AROUND), np.int64).ravel()
        room = rooms(steps)
        on_bits = cells <= MOST_BITS
        squares = range(cells if on_bits else 0)
        inner = sum(1 << square for square in squares if square % columns > 0)
        board = columns, inner, inner >> 1
        start = first_cells(rows, columns)

        def initial(s: State) -> None:
            for square in range(cells):
                s.cells[square] = start[square]

        def actions(s: State, out: Out) -> int:
            if s.shooter != 0:
                return reach(s.cells, s.shooter - 1, (columns, room), out, 0)
            count = 0
            for square in range(cells):
                if s.cells[square] == s.turn + 1:
                    before = count
                    count = reach(s.cells, square, (columns, room), out, before)
                    for i in range(before, count):
                        out[i] += (square + 1) * cells
            return count

        def is_terminal(s: State) -> bool:
            if not on_bits:
                return not can_go_on(s.cells, s.turn, s.shooter, steps)
            movers = cells_with(s.cells, s.turn + 1) if s.shooter == 0 else 1 << s.shooter - 1
            return reached_on_bits(movers, cells_with(s.cells, 0), 1, board) == 0

        def play(s: State, action: int, t: State) -> None:
            before, after = action // cells - 1, action % cells
            if not on_bits:
                place(t.cells, action, s.turn)
            elif before < 0:
                fill_cells(t.cells, 1 << after, ARROW)
            else:
                fill_cells(t.cells, 1 << before, 0)
                fill_cells(t.cells, 1 << after, s.turn + 1)
            t.shooter = 0 if before < 0 else after + 1
            t.turn = 1 - s.turn if before < 0 else s.turn

        def evaluate(s: State, out: Out) -> None:
            # Whoever moves an amazon next is the first at squares equally near to both.
            first = 1 - s.turn if s.shooter != 0 else s.turn
            if on_bits:
                own, other = cells_with(s.cells, first + 1), cells_with(s.cells, 2 - first)
                sides = own, other, cells_with(s.cells, 0)
                lead = 2.0 * nearer_on_bits(sides, longest - 1, board)
                lead += nearer_on_bits(sides, 1, board)
            else:
                lead = 2.0 * nearer(s.cells, first, steps, longest)
                lead += nearer(s.cells, first, steps, 1)
            out[first] = lead / (abs(lead) + (rows + columns))
            out[1 - first] = -out[first]

        symmetry, relabel, encode = self._views()
        return Rules(
            initial, player_in_turn, actions, play, mover_loses,
            evaluate=evaluate, symmetry=symmetry, relabel=relabel, encode=encode,
            is_terminal=is_terminal,
        )  # fmt: skip

    def _views(self) -> list[Callable[..., None]]:
        """Return the rules `symmetry`, `relabel` and `encode`."""
        cells = self.grid.rows * self.grid.columns
        images = np.array(self.grid.images(), np.int64).ravel()

        def symmetry(s: State, k: int, t: State) -> None:
            for square in range(cells):
                t.cells[images[k * cells + square]] = s.cells[square]
            if s.shooter != 0:
                t.shooter = images[k * cells + s.shooter - 1] + 1

        def relabel(s: State, k: int, t: State) -> None:
            if k % 2 == 1:
                t.turn = 1 - s.turn
                for square in range(cells):
                    if 0 < s.cells[square] < ARROW:
                        t.cells[square] = 3 - s.cells[square]

        def encode(s: State, out: Out) -> None:
            for square in range(cells):
                cell = s.cells[square]
                if cell == ARROW:
                    out[2 * cells + square] = 1.0
                elif cell != 0:
                    out[square if cell == s.turn + 1 else cells + square] = 1.0
            if s.shooter != 0:
                out[3 * cells + s.shooter - 1] = 1.0

        return [symmetry, relabel, encode]

    def show(self, state: bytes) -> str:
        cells = [".WBx"[cell] for cell in self.state.unpack(state).cells]
        return f"{self.grid.text(cells)}\n{self._verdict(state)}"

    def _verdict(self, state: bytes) -> str:
        s = self.state.unpack(state)
        mover, other = self.symbols[s.turn], self.symbols[1 - s.turn]
        if s.shooter:
            return f"{mover} to shoot from {self.grid.name(s.shooter - 1)}"
        return (
            f"{mover} to move" if self.actions(state) else f"{mover} cannot move, {other} has won"
        )

    def action_name(self, state: bytes, action: int) -> str:
        cells = self.grid.rows * self.grid.columns
        if action < cells:
            return f"x{self.grid.name(action)}"
        return f"{self.grid.name(action // cells - 1)}-{self.grid.name(action % cells)}"

    def svg(self, state: bytes, *, last: int | None = None, targets: Sequence[int] = ()) -> str:
        s, rows, columns = self.state.unpack(state), self.grid.rows, self.grid.columns
        cells = rows * columns
        canvas = Canvas(columns, rows, title=f"{self}: {self._verdict(state)}")
        changed = [] if last is None else [last % cells]
        if last is not None and last >= cells:
            changed.append(last // cells - 1)
        for square, cell in enumerate(s.cells):
            x, y = self.grid.corner(square)
            canvas.rectangle(x, y, fill=DARK if self.grid.is_dark(square) else BOARD)
            if square in changed:
                canvas.mark_last(x, y)
            if cell == ARROW:
                draw_arrow(canvas, x, y)
            elif cell:
                canvas.piece(x + 0.5, y + 0.5, (WHITE, BLACK)[cell - 1], radius=0.34)
                if square == s.shooter - 1:
                    canvas.mark_mover(x + 0.5, y + 0.5, 0.41)
        for square in sorted({action % cells for action in targets}):
            canvas.mark_target(*self.grid.center(square))
        canvas.coordinates(columns, rows)
        return canvas.svg()

    def places(self, state: bytes, action: int) -> Sequence[Place]:
        return cells_named(self.action_name(state, action), self.grid.rows)

    def badge_place(self, state: bytes, action: int) -> Place | None:
        places = self.places(state, action)
        return places[-1].inside() if places else None  # the square is empty

    def piece_places(self) -> Sequence[Place]:
        return grid_places(self.grid.rows, self.grid.columns)

    def pieces_on(self, state: bytes) -> Sequence[int]:
        cells: list[int] = self.state.unpack(state).cells
        return cells

    def set_up(self, pieces: Sequence[int], player: int) -> bytes:
        check_pieces(self, pieces, player)
        require_at_most(self, pieces, 2, 4)
        return packed(self, player, cells=list(pieces))


def draw_arrow(canvas: Canvas, x: float, y: float) -> None:
    """Draw an arrow: the square with its corner at (x, y) is burnt for the rest of the game."""
    canvas.rectangle(
        x + 0.16, y + 0.16, 0.68, 0.68,
        fill=NOBODY, stroke=EDGE, thickness=0.05, radius=0.12, role="piece",
    )  # fmt: skip
    canvas.line(x + 0.35, y + 0.35, x + 0.65, y + 0.65, stroke=DEEP, thickness=0.06)
    canvas.line(x + 0.35, y + 0.65, x + 0.65, y + 0.35, stroke=DEEP, thickness=0.06)


# Directions are numbered as in ALL_AROUND. The next square in a direction is
# steps[square * 8 + direction], -1 beyond the edge of the board.


def first_cells(rows: int, columns: int) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Return the cells at the start of the game."""
    up, right = (max(1, (side - 4) // 2) for side in (rows, columns))
    table = np.zeros((rows, columns), dtype=np.int64)
    table[0, [right, -1 - right]] = table[up, [0, -1]] = 1
    table[-1, [right, -1 - right]] = table[-1 - up, [0, -1]] = 2
    return table.ravel()


def rooms(steps: Out) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Return how many squares there are up to the edge, by square and direction, as the steps."""
    table = []
    for place, next_square in enumerate(steps):
        square, room = next_square, 0
        while square >= 0:
            square, room = steps[square * 8 + place % 8], room + 1
        table.append(room)
    return np.array(table, dtype=np.int64)


def reach(cells: Out, start: int, board: tuple[int, Out], out: Out, count: int) -> int:
    """Add to `out`, from `count` on, each square that a queen reaches; return the new count.

    The board is its number of columns and its rooms.
    """
    columns, room = board
    strides = (1, columns + 1, columns, columns - 1, -1, -columns - 1, -columns, 1 - columns)
    for direction in range(8):
        to, stride = start, strides[direction]
        for _ in range(room[start * 8 + direction]):
            to += stride
            if cells[to] != 0:
                break
            out[count] = to
            count += 1
    return count


# Distances where all squares fit one integer. A board is its columns, and the squares that are not
# in the first and not in the last of them.


def reached_on_bits(starts: int, empty: int, longest: int, board: tuple[int, int, int]) -> int:
    """Return the empty squares that queens reach in one move of at most so many squares."""
    columns, inner, outer = board
    right, left, reached = empty & inner, empty & outer, 0
    e = ne = n = nw = w = sw = s = se = starts
    for _ in range(longest):
        e, w = e << 1 & right, w >> 1 & left
        ne, sw = ne << columns + 1 & right, sw >> columns + 1 & left
        n, s = n << columns & empty, s >> columns & empty
        nw, se = nw << columns - 1 & left, se >> columns - 1 & right
        reached |= e | ne | n | nw | w | sw | s | se
    return reached


def nearer_on_bits(sides: tuple[int, int, int], longest: int, board: tuple[int, int, int]) -> float:
    """Return what `nearer` does; the sides are both players' amazons and the empty squares."""
    own, other, empty = sides
    ours = theirs = closer = farther = 0
    while own | other != 0:  # what is as many moves away, after one more in each round
        own = reached_on_bits(own, empty, longest, board) & ~ours
        other = reached_on_bits(other, empty, longest, board) & ~theirs
        ours, theirs = ours | own, theirs | other
        closer |= own & ~theirs
        farther |= other & ~ours
    # One by one as `nearer` does: the sum is rounded each time.
    lead, left = 0.0, ours | theirs
    while left != 0:
        square = first_cell(left)
        some = (closer >> square & 1) - (farther >> square & 1)
        lead += some if some != 0 else 0.2
        left &= left - 1
    return lead


# The same square by square, for larger boards.


def can_go_on(cells: Out, turn: int, shooter: int, steps: Out) -> bool:
    """Whether a player can move, or the shooter can shoot, to one of the squares around."""
    for square in range(len(cells)):
        if square == shooter - 1 if shooter != 0 else cells[square] == turn + 1:
            for place in range(8 * square, 8 * square + 8):
                if steps[place] >= 0 and cells[steps[place]] == 0:
                    return True
    return False


def place(cells: Out, action: int, turn: int) -> None:
    """Shoot an arrow, or move an amazon."""
    before, after = action // len(cells) - 1, action % len(cells)
    if before >= 0:
        cells[before] = 0
    cells[after] = ARROW if before < 0 else turn + 1


def nearer(cells: Out, first: int, steps: Out, longest: int) -> float:
    """Count the free squares that are nearer to the first mover than to the other, minus the rest.

    The distance is in moves of at most `longest` squares. Equally near counts for a fifth.
    """
    squares = len(steps) // 8
    own = np.full(squares, FAR, np.int64)
    other = np.full(squares, FAR, np.int64)
    measure(cells, first + 1, steps, longest, own)
    measure(cells, 2 - first, steps, longest, other)
    lead = 0.0
    for square in range(squares):
        if own[square] < other[square]:
            lead += 1.0
        elif own[square] > other[square]:
            lead -= 1.0
        elif own[square] != FAR:
            lead += 0.2
    return lead


def measure(cells: Out, amazon: int, steps: Out, longest: int, distance: Out) -> None:
    """Write how many moves each free square is away from the nearest amazon of a player."""
    queue = np.empty(len(distance), np.int64)
    head = tail = 0
    for square in range(len(distance)):
        if cells[square] == amazon:
            queue[tail] = square
            tail += 1
    amazons = tail
    while head < tail:
        square = queue[head]
        moves = 1 if head < amazons else distance[square] + 1
        head += 1
        for direction in range(8):
            to = steps[square * 8 + direction]
            far = 0
            while to >= 0 and far < longest and cells[to] == 0 and distance[to] >= moves:
                if distance[to] > moves:
                    distance[to] = moves
                    queue[tail] = to
                    tail += 1
                to = steps[to * 8 + direction]
                far += 1
