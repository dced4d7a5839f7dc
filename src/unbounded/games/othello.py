# SPDX-License-Identifier: MIT
"""Othello on square boards of even size, played on rows of bits."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from unbounded.game import Fields, Known, Out, Place, RecordGame, Rules, State, record, require
from unbounded.game.bits import count_cells, first_cell
from unbounded.game.board import LETTERS, cell_name, player_in_turn
from unbounded.game.colors import BLACK, FAINT, FELT, FELT_LINE, GLOW, WHITE
from unbounded.game.drawing import Canvas
from unbounded.game.setting_up import check_pieces, packed, pieces_in_bits, rows_of_bits

COLORS = ("black", "white")
PAINTS = (BLACK, WHITE)
Numbers = NDArray[np.int64]

LARGEST_SMALL = 7
"""All cells of boards up to this size fit one number."""


class Othello(RecordGame):
    """Black (X) and White (O) take turns to put a disc of their color on an empty cell.

    Each disc must capture: in at least one of the eight directions it must have, next to it and
    without a gap, one or more discs of the other color and then one of its own. All discs so
    enclosed, in all directions, are turned over to the color of the new one. Whoever cannot
    capture must pass, and may not pass otherwise. When neither can, the game is over, and whoever
    has more discs wins; equal numbers are a draw.

    A pass is a move, as in records of games. The score is the difference of the discs on the
    board: empty cells count for nobody, unlike in tournaments, where the winner gets them.

    Black begins, with two discs of each color in the middle. A move is the name of a cell, such as
    `b3`: columns are letters from the left, rows are numbers from the top.
    """

    symbols = "XO"
    piece_symbols = ".XO"
    symmetries = 8
    zero_sum = True
    solvable = "othello(size=4)"
    known_values = (
        Known("othello(size=4)", (-1, 1), "independent solver", (-8, 8)),
        Known("othello(size=6)", (-1, 1), "published", (-4, 4), slow=True),
        Known("othello", (0, 0), "published, Takizawa 2023", (0, 0), slow=True),
    )

    def __init__(self, size: int = 8) -> None:
        allowed = type(size) is int and 4 <= size <= 10 and size % 2 == 0
        require(allowed, "size must be an even integer from 4 to 10")
        self.size = size
        self.state = record(discs=f"i16[{2 * size}]", turn="i8", over="i8")
        self.max_actions = size * size
        self.best_score = (size * size, size * size)
        self.planes = (2, size, size)
        # A pass is neither the first move nor the last, and does not follow another one.
        self.action_count, self.longest_game = size * size + 1, 2 * (size * size - 4) - 1

    # The discs of color p in row r are the bits of discs[p * size + r], column c being bit c.
    # When the game is over, nobody moves: then `turn` is 0, whoever moved last.

    def rules(self) -> Rules:
        size, shape = self.size, (self.size, 2)
        area, middle, small = size * size, size // 2, size <= LARGEST_SMALL

        def initial(s: State) -> None:
            for row in range(middle - 1, middle + 1):
                for column in range(middle - 1, middle + 1):
                    s.discs[(row + column + 1) % 2 * size + row] |= 1 << column

        def actions(s: State, out: Out) -> int:
            if s.over == 1:
                return 0
            upper, lower = captures(s.discs, s.turn, shape)
            count = list_cells(upper, 0, out, 0)
            count = list_cells(lower, area // 2, out, count)
            if count == 0:
                out[0] = area
                count = 1
            return count

        def is_terminal(s: State) -> bool:
            return bool(s.over == 1)

        def move(s: State, action: int, t: State) -> None:
            t.turn = 1 - s.turn
            if small:
                own, rivals = small_boards(s.discs, s.turn, shape)
                if action < area:
                    captured = captured_by(1 << action, own, rivals, size)
                    own, rivals = own | captured | 1 << action, rivals & ~captured
                    write_small_boards((own, rivals), s.turn, t.discs, size)
                over = ends_of_runs(rivals, own, size) == 0 and ends_of_runs(own, rivals, size) == 0
            else:
                if action < area:
                    put(t.discs, action, s.turn, shape)
                over = not can_capture(t.discs, 1 - s.turn, shape)
                over = over and not can_capture(t.discs, s.turn, shape)
            # After a pass the other one can move: otherwise the game would have been over before.
            if over:
                t.turn = 0
                t.over = 1

        def outcome(s: State, out: Out) -> None:
            lead = count_of(s.discs, 0, size) - count_of(s.discs, 1, size)
            if lead != 0:
                out[0] = 1 if lead > 0 else -1
                out[1] = -out[0]

        def score(s: State, out: Out) -> None:
            lead = count_of(s.discs, 0, size) - count_of(s.discs, 1, size)
            out[0] = lead
            out[1] = -lead

        def evaluate(s: State, out: Out) -> None:
            black, white = count_of(s.discs, 0, size), count_of(s.discs, 1, size)
            choices = freedom(s.discs, 0, shape) - freedom(s.discs, 1, shape)
            corners = corner_value(s.discs, 0, shape) - corner_value(s.discs, 1, shape)
            # Discs change hands easily until few cells are left.
            filled = (black + white) / area
            promise = (2.0 * choices + 4.0 * corners) * (1.25 - filled)
            promise += (black - white) * filled * filled * filled
            most = area - 1.0
            out[0] = min(most, max(-most, promise))
            out[1] = -out[0]

        symmetry, relabel, encode = self._views()
        return Rules(
            initial, player_in_turn, actions, move, outcome, score,
            evaluate=evaluate, symmetry=symmetry, relabel=relabel, encode=encode,
            is_terminal=is_terminal,
        )  # fmt: skip

    def _views(self) -> list[Callable[..., None]]:
        """Return the rules `symmetry`, `relabel` and `encode`."""
        size, shape, tables = self.size, (self.size, 2), tables_to_turn(self.size)

        def symmetry(s: State, k: int, t: State) -> None:
            turn_board(s.discs, k, t.discs, shape, tables)

        def relabel(s: State, k: int, t: State) -> None:
            for color in range(2):
                for row in range(size):
                    t.discs[(color + k) % 2 * size + row] = s.discs[color * size + row]
            if s.over == 0:
                t.turn = (s.turn + k) % 2

        def encode(s: State, out: Out) -> None:
            write_planes(s.discs, s.turn, out, shape, 2)

        return [symmetry, relabel, encode]

    def player_name(self, player: int) -> str:
        return f"{COLORS[player]} ({self.symbols[player]})"

    def action_name(self, state: bytes, action: int) -> str:
        row, column = divmod(action, self.size)
        return "pass" if action == self.size**2 else cell_name(row, column)

    def show(self, state: bytes) -> str:
        s, margin = self.state.unpack(state), len(str(self.size))
        lines = [" " * margin + " " + " ".join(LETTERS[: self.size])]
        for row in range(self.size):
            black, white = s.discs[row], s.discs[self.size + row]
            cells = [".XO"[(black >> c & 1) + 2 * (white >> c & 1)] for c in range(self.size)]
            lines.append(f"{row + 1:{margin}} " + " ".join(cells))
        return "\n".join([*lines, self._verdict(state)])

    def _verdict(self, state: bytes) -> str:
        s = self.state.unpack(state)
        discs = [count_of(s.discs, color, self.size) for color in range(2)]
        counted = f"{discs[0]} to {discs[1]}"
        if not s.over:
            return f"{counted}; {self.player_name(s.turn)} to move"
        if discs[0] == discs[1]:
            return f"{counted}: a draw"
        return f"{counted}: {self.player_name(int(discs[1] > discs[0]))} has won"

    def svg(
        self,
        state: bytes,
        *,
        last: int | None = None,
        targets: Sequence[int] = (),
        before: bytes | None = None,
    ) -> str:
        s, size = self.state.unpack(state), self.size
        canvas = Canvas(size, size + 0.75, title=f"Othello, {self._verdict(state)}")
        for i in range(size):
            canvas.text(i + 0.5, -0.35, LETTERS[i], size=0.32, fill=FAINT)
            canvas.text(-0.35, i + 0.5, str(i + 1), size=0.32, fill=FAINT)
        turned = [] if before is None else self._turned(self.state.unpack(before), s)
        for cell in range(size * size):
            canvas.rectangle(cell % size, cell // size, fill=FELT, stroke=FELT_LINE)
        for cell in range(size * size):
            row, column = divmod(cell, size)
            for color, paint in enumerate(PAINTS):
                if s.discs[color * size + row] >> column & 1:
                    canvas.piece(column + 0.5, row + 0.5, paint, radius=0.37)
            if cell == last:
                canvas.mark_last(column, row, color=GLOW)
            if cell in turned:
                canvas.mark_capture(column + 0.14, row + 0.14, color=GLOW)
            if cell in targets:
                canvas.mark_target(column + 0.5, row + 0.5, color=GLOW)
        counts = [count_of(s.discs, color, size) for color in range(2)]
        tally = [(paint, "", count) for paint, count in zip(PAINTS, counts, strict=True)]
        canvas.tally(size + 0.55, tally, None if s.over else s.turn)
        if size * size in (last, *targets):
            told = "last move: pass" if last == size * size else "no capture: pass"
            canvas.text(size - 0.7, size + 0.55, told, size=0.3)
        return canvas.svg()

    def _turned(self, before: Fields, after: Fields) -> list[int]:
        """Return the cells whose discs were turned over by the last move."""
        size, turned = self.size, []
        for row in range(size):
            black, white = before.discs[row], before.discs[size + row]
            bits = black & after.discs[size + row] | white & after.discs[row]
            turned += [row * size + column for column in range(size) if bits >> column & 1]
        return turned

    def places(self, state: bytes, action: int) -> Sequence[Place]:
        if action == self.size**2:
            return ()
        row, column = divmod(action, self.size)
        return [Place(column + 0.5, row + 0.5)]

    def badge_place(self, state: bytes, action: int) -> Place | None:
        places = self.places(state, action)
        return places[-1].inside() if places else None  # the cell is empty

    def piece_places(self) -> Sequence[Place]:
        cells = range(self.size**2)
        return [Place(cell % self.size + 0.5, cell // self.size + 0.5) for cell in cells]

    def pieces_on(self, state: bytes) -> Sequence[int]:
        return pieces_in_bits(self.state.unpack(state).discs, 2, self.size)

    def set_up(self, pieces: Sequence[int], player: int) -> bytes:
        check_pieces(self, pieces, player)
        discs, shape = rows_of_bits(pieces, 2, self.size), (self.size, 2)
        over = not any(can_capture(discs, color, shape) for color in range(2))
        return packed(self, 0 if over else player, discs=discs, over=int(over))


# Boards are rows of bits for each color, as above; a shape is (size, how many colors). There may
# be more than two colors, all of which are captured alike.


def rivals_in_row(discs: Out, row: int, who: int, shape: tuple[int, int]) -> int:
    """Return the discs of all other colors in a row, as bits."""
    size, colors = shape
    rivals = 0
    for color in range(colors):
        if color != who:
            rivals |= discs[color * size + row]
    return rivals


def captures(
    discs: Out, who: int, shape: tuple[int, int], first_row: bool = False
) -> tuple[int, int]:
    """Return the empty cells on which a disc of this color captures: bits of two half boards.

    The cell in row r and column c is bit r * size + c of the upper half, if it lies there; else it
    is bit (r - size / 2) * size + c of the lower half. `first_row`: those of one row are enough.
    """
    size, half = shape[0], shape[0] // 2
    if size <= LARGEST_SMALL:
        own, rivals = small_boards(discs, who, shape)
        ends = ends_of_runs(own, rivals, size)
        return ends & ((1 << half * size) - 1), ends >> half * size
    upper, lower = 0, 0
    for way in range(2):
        # Down the board, then up. A run is an unbroken row of rivals that begins next to an own
        # disc; the three kinds come from the row before straight on, or aslant to either side.
        straight, left, right, own = 0, 0, 0, 0
        for step in range(size):
            row = step if way == 0 else size - 1 - step
            rivals = rivals_in_row(discs, row, who, shape)
            ends = straight | left | right
            straight, left, right = (
                (straight | own) & rivals,
                ((left | own >> 1) & rivals) >> 1,
                ((right | own << 1) & rivals) << 1,
            )
            own = discs[who * size + row]
            if way == 0:
                ends |= ends_along_row(own, rivals)
            ends &= ((1 << size) - 1) & ~(own | rivals)
            if row < half:
                upper |= ends << (row * size)
            else:
                lower |= ends << ((row - half) * size)
            if first_row and ends != 0:
                return upper, lower
    return upper, lower


# Where all of the board fits one number, the cell in row r and column c is bit r * size + c.


def small_boards(discs: Out, who: int, shape: tuple[int, int]) -> tuple[int, int]:
    """Return the discs of a color, and those of all others."""
    size = shape[0]
    own = rivals = 0
    for row in range(size):
        own |= discs[who * size + row] << row * size
        rivals |= rivals_in_row(discs, row, who, shape) << row * size
    return own, rivals


def write_small_boards(boards: tuple[int, int], who: int, discs: Out, size: int) -> None:
    """Write the discs of a color and those of the only other one."""
    own, rivals = boards
    for row in range(size):
        discs[who * size + row] = own >> row * size & (1 << size) - 1
        discs[(1 - who) * size + row] = rivals >> row * size & (1 << size) - 1


def run_from(cells: int, rivals: int, way: int, size: int) -> tuple[int, int, int]:
    """Return the runs of rivals that begin next to cells, both ways, and the step between cells."""
    edge = 0
    for row in range(size):
        edge |= 1 << row * size
    step = (1, size - 1, size, size + 1)[way]
    # Along a row runs must not go over its edge, nor aslant; straight on they may.
    passable = rivals if way == 2 else rivals & ~(edge | edge << size - 1)
    up, down = cells << step & passable, cells >> step & passable
    for _ in range(size - 3):
        up |= up << step & passable
        down |= down >> step & passable
    return up, down, step


def ends_of_runs(own: int, rivals: int, size: int) -> int:
    """Return the empty cells on which a disc captures."""
    ends = 0
    for way in range(4):
        up, down, step = run_from(own, rivals, way, size)
        ends |= up << step | down >> step
    return ends & ((1 << size * size) - 1) & ~(own | rivals)


def captured_by(new: int, own: int, rivals: int, size: int) -> int:
    """Return the discs that a new one captures."""
    captured = 0
    for way in range(4):
        up, down, step = run_from(new, rivals, way, size)
        captured |= up if up << step & own != 0 else 0
        captured |= down if down >> step & own != 0 else 0
    return captured


def ends_along_row(own: int, rivals: int) -> int:
    """Return the cells just behind a run of rivals within a row, to the right and to the left."""
    # Added to a run at its beginning, 1 carries to its end. The other way, runs grow cell by cell,
    # then by two and by four at once: a row has ten cells at most, so that a run has eight.
    to_the_right = (rivals + (own << 1 & rivals)) & ~rivals
    run, open_cells = own >> 1 & rivals, rivals & rivals >> 1
    run |= run >> 1 & rivals
    run |= run >> 2 & open_cells
    run |= run >> 4 & open_cells & open_cells >> 2
    return to_the_right | run >> 1


def can_capture(discs: Out, who: int, shape: tuple[int, int]) -> bool:
    """Whether there is a cell on which a disc of this color captures."""
    upper, lower = captures(discs, who, shape, True)
    return upper | lower != 0


def list_cells(cells: int, first: int, out: Out, count: int) -> int:
    """Write the numbers of cells, given as bits from the `first` on, behind `count` others."""
    while cells != 0:
        out[count] = first + first_cell(cells)
        count += 1
        cells &= cells - 1
    return count


def put(discs: Out, cell: int, who: int, shape: tuple[int, int]) -> None:
    """Put a disc of this color on an empty cell, and turn over the discs that it captures."""
    size, colors = shape
    if size <= LARGEST_SMALL:
        own, rivals = small_boards(discs, who, shape)
        captured = captured_by(1 << cell, own, rivals, size)
        for row in range(size):
            changed = captured >> row * size & (1 << size) - 1
            for color in range(colors):
                discs[color * size + row] &= ~changed
            discs[who * size + row] |= changed | (1 << cell) >> row * size & (1 << size) - 1
        return
    row, column = cell // size, cell % size
    discs[who * size + row] |= 1 << column
    for direction in range(9):
        down, right = direction // 3 - 1, direction % 3 - 1
        r, c, enclosed = row + down, column + right, 0
        while 0 <= r < size and 0 <= c < size and direction != 4:
            if (discs[who * size + r] >> c) & 1 == 1:
                for i in range(1, enclosed + 1):
                    bit = 1 << (column + i * right)
                    for color in range(colors):
                        discs[color * size + row + i * down] &= ~bit
                    discs[who * size + row + i * down] |= bit
                break
            if (rivals_in_row(discs, r, who, shape) >> c) & 1 == 0:
                break
            r, c, enclosed = r + down, c + right, enclosed + 1


def count_of(discs: Out, color: int, size: int) -> int:
    """Count the discs of a color."""
    count = 0
    for row in range(size):
        count += count_cells(discs[color * size + row])
    return count


def freedom(discs: Out, who: int, shape: tuple[int, int]) -> int:
    """Count the cells on which a disc of this color captures."""
    upper, lower = captures(discs, who, shape)
    return count_cells(upper) + count_cells(lower)


def corner_value(discs: Out, who: int, shape: tuple[int, int]) -> int:
    """Count 3 for each corner held, and -1 for a disc that helps others into an empty one."""
    size = shape[0]
    value = 0
    for corner in range(4):
        row, column = corner // 2 * (size - 1), corner % 2 * (size - 1)
        own, rivals = discs[who * size + row], rivals_in_row(discs, row, who, shape)
        if (own >> column) & 1 == 1:
            value += 3
        elif (rivals >> column) & 1 == 0:
            inner_row, inner_column = max(1, row - 1), max(1, column - 1)
            value -= (discs[who * size + inner_row] >> inner_column) & 1
    return value


def tables_to_turn(size: int) -> tuple[Numbers, Numbers, Numbers]:
    """Return three tables by the bits of a row: the last one has the row mirrored.

    The others have its bits as the first bits of the columns in one half of the board, and in the
    other, one column after the other.
    """
    half, rows = size // 2, range(1 << size)
    columns = [
        [(row >> column & 1) << column % half * size for column in range(size)] for row in rows
    ]
    return (
        np.array([sum(each[:half]) for each in columns]),
        np.array([sum(each[half:]) for each in columns]),
        np.array([int(f"{row:0{size}b}"[::-1], 2) for row in rows]),
    )


def turn_board(
    discs: Out, k: int, image: Out, shape: tuple[int, int], tables: tuple[Out, Out, Out]
) -> None:
    """Write the board turned and mirrored: k has bits for left-right, upside-down, diagonal."""
    (size, colors), (left, right, mirrored) = shape, tables
    half, full = size // 2, (1 << size) - 1
    for color in range(colors):
        first, in_left, in_right = color * size, 0, 0
        for row in range(size if k & 4 != 0 else 0):
            in_left |= left[discs[first + row] & full] << row
            in_right |= right[discs[first + row] & full] << row
        for row in range(size):
            bits = discs[first + row]
            if k & 4 != 0:
                bits = in_left >> row * size if row < half else in_right >> (row - half) * size
            bits &= full
            if k & 1 != 0:
                bits = mirrored[bits] & full
            image[first + (size - 1 - row if k & 2 != 0 else row)] = bits


def write_planes(discs: Out, who: int, out: Out, shape: tuple[int, int], players: int) -> None:
    """Write a plane per color: who moves, the next players, then colors that nobody plays."""
    size, colors = shape
    for color in range(colors):
        plane = (color + players - who) % players if color < players else color
        for row in range(size):
            for column in range(size):
                if (discs[color * size + row] >> column) & 1 == 1:
                    out[(plane * size + row) * size + column] = 1.0
