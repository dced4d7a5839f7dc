# SPDX-License-Identifier: MIT
"""Chomp: two players eat a bar of chocolate whose corner piece is poisoned."""

from __future__ import annotations

from collections.abc import Sequence

from unbounded.game import Known, Out, Place, RecordGame, Rules, State, record, require
from unbounded.game.board import LETTERS, Grid, player_in_turn, require_integer
from unbounded.game.colors import BOARD, CHOCOLATE, CHOCOLATE_LINE, GLOW, POISON
from unbounded.game.drawing import Canvas, cells_named
from unbounded.game.setting_up import check_pieces, grid_places, packed


class Chomp(RecordGame):
    """Two players take turns to bite into a bar of chocolate; its square a1 is poisoned.

    A bite names a square that is still there, and eats it together with every square above it, to
    the right of it, or both. Whoever eats the poisoned square loses. Biting into a1 is a move like
    any other, legal at all times: it eats all that is left, so the game is over when nothing is.

    A bite is the name of its square: columns are letters from the left, rows numbers from the
    bottom, so that a1 is at the bottom left.
    """

    solvable = "chomp(rows=8,columns=10)"
    piece_symbols = ".#"
    known_values = (
        Known("chomp(rows=1,columns=1)", (-1, 1), "only the poisoned square is there"),
        Known("chomp", (1, -1), "Gale 1974 (not checked): strategy stealing"),
        Known("chomp(rows=8,columns=8)", (1, -1), "Gale 1974 (not checked): the bite into b2"),
        Known("chomp(rows=8,columns=10)", (1, -1), "Gale 1974 (not checked): strategy stealing"),
    )

    def __init__(self, rows: int = 4, columns: int = 5) -> None:
        require_integer("rows", rows, 1, len(LETTERS))
        require_integer("columns", columns, 1, len(LETTERS))
        self.rows, self.columns = rows, columns
        self.grid = Grid(rows, columns)
        self.zero_sum = True
        self.state = record(lengths=f"i8[{rows}]", turn="i8")
        self.max_actions = rows * columns
        self.symmetries = 2 if rows == columns else 1
        self.planes = (1, rows, columns)
        self.action_count = self.longest_game = rows * columns

    # What is left of each row is a run of squares from the left, no longer than that of the row
    # below; `lengths` counts them, the bottom row first.

    def rules(self) -> Rules:
        rows, columns = self.rows, self.columns

        def initial(s: State) -> None:
            for row in range(rows):
                s.lengths[row] = columns

        def actions(s: State, out: Out) -> int:
            count = 0
            for row in range(rows):
                for column in range(s.lengths[row]):
                    out[count] = row * columns + column
                    count += 1
            return count

        def bite(s: State, square: int, t: State) -> None:
            column = square % columns
            for row in range(square // columns, rows):
                t.lengths[row] = min(s.lengths[row], column)
            t.turn = 1 - s.turn

        def outcome(s: State, out: Out) -> None:
            out[s.turn], out[1 - s.turn] = 1, -1

        def evaluate(s: State, out: Out) -> None:
            promise = promise_for_mover(s.lengths, rows)
            out[s.turn], out[1 - s.turn] = promise, -promise

        def symmetry(s: State, k: int, t: State) -> None:
            if k == 1:
                for row in range(rows):
                    t.lengths[row] = height_of(s.lengths, rows, row)

        def relabel(s: State, k: int, t: State) -> None:
            t.turn = (s.turn + k) % 2

        def encode(s: State, out: Out) -> None:
            for row in range(rows):
                for column in range(s.lengths[row]):
                    out[row * columns + column] = 1.0

        return Rules(
            initial, player_in_turn, actions, bite, outcome,
            evaluate=evaluate, symmetry=symmetry, relabel=relabel, encode=encode,
        )  # fmt: skip

    def show(self, state: bytes) -> str:
        lengths = self.state.unpack(state).lengths
        columns = range(self.columns)
        squares = ["#" if column < length else "." for length in lengths for column in columns]
        if lengths[0] > 0:
            squares[0] = "!"
        return f"{self.grid.text(squares)}\n{self._verdict(state)}"

    def _verdict(self, state: bytes) -> str:
        s = self.state.unpack(state)
        mover, other = self.player_name(s.turn), self.player_name(1 - s.turn)
        if s.lengths[0] == 0:
            return f"{other} has eaten the poison; {mover} wins"
        return f"{mover} to move"

    def action_name(self, state: bytes, action: int) -> str:
        return self.grid.name(action)

    def svg(self, state: bytes, *, last: int | None = None, targets: Sequence[int] = ()) -> str:
        s = self.state.unpack(state)
        canvas = Canvas(self.columns, self.rows, title=f"Chomp: {self._verdict(state)}")
        canvas.rectangle(0, 0, self.columns, self.rows, fill=BOARD)
        canvas.coordinates(self.columns, self.rows)
        for row in range(self.rows):
            for column in range(s.lengths[row]):
                self._draw_square(canvas, column, self.rows - row - 1)
        if last is not None:
            x, y = self.grid.corner(last)
            canvas.mark_last(x, 0, self.columns - x, y + 1)
            canvas.mark_capture(x + 0.5, y + 0.5, 0.14)
        for square in targets:
            canvas.mark_target(*self.grid.center(square), color=GLOW)
        return canvas.svg()

    def _draw_square(self, canvas: Canvas, x: int, y: int) -> None:
        """Draw a square of chocolate with its corner at (x, y), or the poisoned one."""
        poisoned = x == 0 and y == self.rows - 1
        canvas.rectangle(
            x + 0.04,
            y + 0.04,
            0.92,
            0.92,
            fill=POISON if poisoned else CHOCOLATE,
            stroke=CHOCOLATE_LINE,
            thickness=0.05,
            radius=0.1,
            role="piece",
        )
        inner = (x + 0.18, y + 0.18, 0.64, 0.64)
        canvas.rectangle(*inner, fill="none", stroke=CHOCOLATE_LINE, radius=0.06)
        if poisoned:
            canvas.letter(x + 0.2, y + 0.77, POISON, "!", 0.34)

    def places(self, state: bytes, action: int) -> Sequence[Place]:
        return cells_named(self.action_name(state, action), self.rows)

    def badge_place(self, state: bytes, action: int) -> Place | None:
        places = self.places(state, action)
        return places[-1].inside(0.5) if places else None  # a square has nothing in its middle

    def piece_places(self) -> Sequence[Place]:
        return grid_places(self.rows, self.columns)

    def pieces_on(self, state: bytes) -> Sequence[int]:
        lengths = self.state.unpack(state).lengths
        return [int(column < length) for length in lengths for column in range(self.columns)]

    def set_up(self, pieces: Sequence[int], player: int) -> bytes:
        check_pieces(self, pieces, player)
        rows = [pieces[i : i + self.columns] for i in range(0, len(pieces), self.columns)]
        lengths = [sum(row) for row in rows]
        state = packed(self, player, lengths=lengths)
        bitten = self.pieces_on(state) == list(pieces) and lengths == sorted(lengths, reverse=True)
        require(bitten, "above a square that is eaten, and to the right of it, all are eaten")
        return state


def height_of(lengths: Out, rows: int, column: int) -> int:
    """Count the squares that are left in a column."""
    height = 0
    while height < rows and lengths[height] > column:
        height += 1
    return height


def promise_for_mover(lengths: Out, rows: int) -> float:
    """Evaluate the position for the mover: certain for shapes with a theory, a guess for others."""
    width, height = lengths[0], height_of(lengths, rows, 0)
    if width == 1 or height == 1:
        lost = width == height
    elif lengths[1] == 1:
        lost = width == height  # two arms: whatever is eaten of one, the other can be cut to match
    elif width == height:
        lost = False  # a bite into b2 leaves two arms of the same length
    elif height == 2:
        lost = width == lengths[1] + 1
    elif width == 2:
        lost = height == height_of(lengths, rows, 1) + 1
    else:
        return 0.3  # most shapes are won
    return -0.9 if lost else 0.9
