# SPDX-License-Identifier: MIT
"""Tic-tac-toe, gomoku and other games of stones in a row, for two to four players."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from unbounded.game import Known, Out, Place, RecordGame, Rules, State, record, require
from unbounded.game.board import (
    LETTERS,
    Grid,
    empty_board,
    moved_cells,
    player_in_turn,
    renamed,
    require_integer,
)
from unbounded.game.colors import BOARD, DARK, LINE
from unbounded.game.drawing import Canvas, cells_named
from unbounded.game.setting_up import check_pieces, grid_places, placed

STONES = ".XO#*"
MOST_CELLS = 1024
NO_ROOM = "theory: there is no room for five in a row"


class Mnk(RecordGame):
    """Players take turns to put a stone of their own on an empty cell of the board.

    Whoever first has `line` stones in an unbroken row (across, upwards or diagonally) wins, and
    all others lose. A full board without a row is a draw.

    X begins, then O, then # and * if there are as many players. A move is the name of a cell, such
    as `b3`: columns are letters from the left, rows are numbers from the bottom.
    """

    solvable = "mnk(rows=3,columns=4)"
    known_values: Sequence[Known] = (
        Known("mnk", (0, 0), "published: tic-tac-toe"),
        Known("mnk(columns=4)", (1, -1), "independent solver"),
        Known("mnk(columns=5)", (1, -1), "independent solver"),
        Known("mnk(rows=4,columns=4,line=4)", (0, 0), "independent solver", slow=True),
    )

    def __init__(self, rows: int = 3, columns: int = 3, line: int = 3, players: int = 2) -> None:
        require_integer("rows", rows, 1, MOST_CELLS)
        require_integer("columns", columns, 1, len(LETTERS))
        require_integer("line", line, 1, MOST_CELLS)
        require_integer("players", players, 2, len(STONES) - 1)
        small = rows * columns <= MOST_CELLS
        require(small, f"a board has at most {MOST_CELLS} cells (rows x columns)")
        self.rows, self.columns, self.line, self.players = rows, columns, line, players
        self.grid = Grid(rows, columns)
        self.zero_sum = players == 2
        self.state = record(cells=f"i8[{rows * columns}]", turn="i8", winner="i8")
        self.max_actions = rows * columns
        self.symmetries = self.grid.symmetries
        self.symbols = STONES[1 : players + 1]
        self.planes = (players, rows, columns)
        self.action_count = self.longest_game = rows * columns

    # A cell holds 0 when empty, else the number of its owner plus one; so does `winner`.

    def rules(self) -> Rules:
        rows, columns, line, players = self.rows, self.columns, self.line, self.players
        size = rows * columns
        symmetry = moved_cells("cells", np.array(self.grid.images()[: self.symmetries]))
        lines = board_lines((rows, columns), line)
        rooms = board_rooms((rows, columns), line)

        def actions(s: State, out: Out) -> int:
            count = 0
            if s.winner == 0:
                for cell in range(size):
                    if s.cells[cell] == 0:
                        out[count] = cell
                        count += 1
            return count

        def place(s: State, cell: int, t: State) -> None:
            t.cells[cell] = s.turn + 1
            t.turn = (s.turn + 1) % players
            if completes_line(t.cells, cell, rooms, columns, line):
                t.winner = s.turn + 1

        def outcome(s: State, out: Out) -> None:
            if s.winner != 0:
                for who in range(players):
                    out[who] = 1 if who + 1 == s.winner else -1

        def evaluate(s: State, out: Out) -> None:
            for who in range(players):
                out[who] = 0.0
            for number in range(len(lines)):
                start, stride, length = lines[number]
                stones, end = 0, start + length * stride
                for cell in range(start, start + (line - 1) * stride, stride):
                    stones += counted(s.cells[cell])
                for cell in range(start + (line - 1) * stride, end, stride):
                    stones += counted(s.cells[cell])
                    if stones != 0:
                        add_promise(stones, s.turn, (line, players), out)
                    stones -= counted(s.cells[cell - (line - 1) * stride])
            total = 0.0
            for who in range(players):
                total += out[who]
            for who in range(players):
                lead = players * out[who] - total
                out[who] = lead / (abs(lead) + 8 * line * line)

        def relabel(s: State, k: int, t: State) -> None:
            for cell in range(size):
                t.cells[cell] = renamed(s.cells[cell], k, players)
            t.turn, t.winner = (s.turn + k) % players, renamed(s.winner, k, players)

        def encode(s: State, out: Out) -> None:
            for cell in range(size):
                if s.cells[cell] != 0:
                    plane = (s.cells[cell] - 1 - s.turn + players) % players
                    out[plane * size + cell] = 1.0

        return Rules(
            empty_board, player_in_turn, actions, place, outcome,
            evaluate=evaluate, symmetry=symmetry, relabel=relabel, encode=encode,
        )  # fmt: skip

    def show(self, state: bytes) -> str:
        cells = self.state.unpack(state).cells
        return f"{self.grid.text([STONES[cell] for cell in cells])}\n{self._verdict(state)}"

    def _verdict(self, state: bytes) -> str:
        s = self.state.unpack(state)
        if s.winner:
            return f"{STONES[s.winner]} has won"
        return "a draw" if all(s.cells) else f"{STONES[s.turn + 1]} to move"

    def action_name(self, state: bytes, action: int) -> str:
        return self.grid.name(action)

    def svg(self, state: bytes, *, last: int | None = None, targets: Sequence[int] = ()) -> str:
        title = f"{type(self).__name__}: {self._verdict(state)}"
        canvas = Canvas(self.columns, self.rows, title=title)
        self._draw_board(canvas)
        canvas.coordinates(self.columns, self.rows)
        s = self.state.unpack(state)
        won = winning_cells(s.cells, s.winner, (self.rows, self.columns), self.line)
        for cell, stone in enumerate(s.cells):
            x, y = self.grid.center(cell)
            if stone:
                canvas.piece(x, y, stone - 1, STONES[stone], 0.36)
            if cell == last:
                canvas.ring_last(x, y, 0.4 if cell in won else 0.45)
            if cell in won:
                canvas.mark_win(x, y)
            elif cell in targets and not stone:
                canvas.mark_target(x, y)
        return canvas.svg()

    def places(self, state: bytes, action: int) -> Sequence[Place]:
        return cells_named(self.action_name(state, action), self.rows)

    def badge_place(self, state: bytes, action: int) -> Place | None:
        places = self.places(state, action)
        return places[-1].inside() if places else None  # the cell is empty

    @property
    def piece_symbols(self) -> str:  # type: ignore[override]
        """What a cell can hold: nothing, or a stone of a player."""
        return STONES[: self.players + 1]

    def piece_places(self) -> Sequence[Place]:
        return grid_places(self.rows, self.columns)

    def pieces_on(self, state: bytes) -> Sequence[int]:
        cells: list[int] = self.state.unpack(state).cells
        return cells

    def set_up(self, pieces: Sequence[int], player: int) -> bytes:
        check_pieces(self, pieces, player)
        owned = ((stone - 1, cell) for cell, stone in enumerate(pieces) if stone)
        return placed(self, player, owned)

    def _draw_board(self, canvas: Canvas) -> None:
        """Draw the empty board: stones go into its cells."""
        for row, column in itertools.product(range(self.rows), range(self.columns)):
            canvas.rectangle(column, row, fill=BOARD)


class TicTacToe(Mnk):
    """Two players, X first, take turns to put a stone on an empty cell of a 3x3 board.

    Whoever first has three stones in a row (across, upwards or diagonally) wins. A full board
    without a row is a draw.

    A move is the name of a cell, such as `b3`: columns are letters from the left, rows are numbers
    from the bottom.
    """

    solvable = "tic-tac-toe"
    known_values = (Known("tic-tac-toe", (0, 0), "published"),)

    def __init__(self) -> None:
        super().__init__()


class Gomoku(Mnk):
    """Two players, X first, take turns to put a stone on an empty point of a square board.

    Whoever first has five stones in an unbroken row (across, upwards or diagonally) wins. This is
    free-style gomoku: a row of six or more wins too, and no move is forbidden. A full board
    without a row is a draw.

    A move is the name of a cell, such as `b3`: columns are letters from the left, rows are numbers
    from the bottom.
    """

    solvable = "gomoku(size=3)"
    known_values = (
        Known("gomoku(size=3)", (0, 0), NO_ROOM),
        Known("gomoku(size=4)", (0, 0), NO_ROOM, slow=True),
        Known("gomoku", (1, -1), "published: Allis, van den Herik and Huntjens 1993", slow=True),
    )

    def __init__(self, size: int = 15) -> None:
        require_integer("size", size, 1, len(LETTERS))
        super().__init__(size, size, 5)
        self.size = size

    def _draw_board(self, canvas: Canvas) -> None:
        """Draw the empty board: stones go onto the crossings of its lines."""
        size = self.size
        canvas.rectangle(0, 0, size, size, fill=DARK)
        for i in range(size):
            canvas.line(0.5, i + 0.5, size - 0.5, i + 0.5, thickness=0.03)
            canvas.line(i + 0.5, 0.5, i + 0.5, size - 0.5, thickness=0.03)
        stars = {3, size // 2, size - 4} if size % 2 == 1 and size > 8 else set()
        for x, y in itertools.product(stars, stars):
            canvas.disc(x + 0.5, y + 0.5, 0.09, fill=LINE, stroke=LINE)


def winning_cells(cells: Sequence[int], winner: int, shape: tuple[int, int], line: int) -> set[int]:
    """Return the cells of all rows of at least `line` stones of the winner (0: nobody)."""
    found: set[int] = set()
    for start, stride, length in board_lines(shape, line).tolist() if winner else ():
        run: list[int] = []
        for cell in range(start, start + length * stride, stride):
            run = [*run, cell] if cells[cell] == winner else []
            if len(run) >= line:
                found.update(run)
    return found


def board_lines(shape: tuple[int, int], line: int) -> np.ndarray:
    """Return all straight lines of at least `line` cells: first cell, distance of cells, length."""
    rows, columns = shape
    found = []
    for direction, cell in itertools.product(range(1, 5), range(rows * columns)):
        up, right = step(direction)
        row, column = divmod(cell, columns)
        if not (0 <= row - up < rows and 0 <= column - right < columns):
            length = 1
            while 0 <= row + length * up < rows and 0 <= column + length * right < columns:
                length += 1
            if length >= line:
                found.append((cell, max(1, up * columns + right), length))
    return np.array(found, dtype=np.int64).reshape(-1, 3)


# How many stones of each player lie in a stretch of cells is counted in one number, 12 bits for
# each player.


def counted(stone: int) -> int:
    """Return the number that adds one for the owner of a stone, and nothing for an empty cell."""
    return (1 << (12 * stone)) >> 12


def add_promise(stones: int, turn: int, of: tuple[int, int], out: Out) -> None:
    """Add what `line` cells are worth to a player, if only that player has stones there."""
    line, players = of
    for who in range(players):
        own = (stones >> (12 * who)) & 0xFFF
        if own << (12 * who) == stones:
            out[who] += own * own
            if own == line - 1 and who == turn:
                out[who] += 200 * line * line  # the next move wins


# Directions are numbered: 1 to the right, 2 up and to the left, 3 up, 4 up and to the right; minus
# is the opposite. The shape of the board is (rows, columns).


def step(direction: int) -> tuple[int, int]:
    """Return how many rows up and columns to the right the next cell in a direction is."""
    way = 1 if direction > 0 else -1
    if abs(direction) == 1:
        return 0, way
    return way, way * (abs(direction) - 3)


def board_rooms(shape: tuple[int, int], line: int) -> np.ndarray:
    """Return how far a row of `line` stones may go on from a cell: 4 ahead, then 4 behind."""
    rows, columns = shape
    table = []
    for cell, direction in itertools.product(range(rows * columns), (1, 2, 3, 4, -1, -2, -3, -4)):
        up, right = step(direction)
        row, column, room = cell // columns + up, cell % columns + right, 0
        while room < line - 1 and 0 <= row < rows and 0 <= column < columns:
            row, column, room = row + up, column + right, room + 1
        table.append(room)
    return np.array(table, dtype=np.int64)


def completes_line(cells: Out, cell: int, rooms: Out, columns: int, line: int) -> bool:
    """Whether the stone on the cell is part of a row of `line` stones of its owner."""
    for direction in range(4):
        stride = 1 if direction == 0 else columns + direction - 2
        room = 8 * cell + direction
        stones = 1 + same_stones(cells, cell, stride, rooms[room])
        if stones + same_stones(cells, cell, -stride, rooms[room + 4]) >= line:
            return True
    return False


def same_stones(cells: Out, cell: int, stride: int, room: int) -> int:
    """Count the stones from a cell on that belong, without a break, to its owner."""
    for count in range(room):
        if cells[cell + (count + 1) * stride] != cells[cell]:
            return count
    return room
