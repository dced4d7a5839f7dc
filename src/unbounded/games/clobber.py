# SPDX-License-Identifier: MIT
"""Clobber: every move takes a neighbouring stone of the other player, until one cannot."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from unbounded.game import Known, Out, Place, RecordGame, Rules, State, record, require
from unbounded.game.drawing import BOARD, DARK, INK, TARGET, Canvas, cells_named

LETTERS = "abcdefghijklmnopqrstuvwxyz"
STONES = ".OX"
MOST_CELLS = 400
SOURCE = "Albert, Grossman, Nowakowski and Wolfe 2005, An introduction to Clobber (not checked)"


class Clobber(RecordGame):
    """White (O, who starts) and Black (X) fill the board like a checkerboard, a1 being white.

    A move puts one of your stones onto a neighbouring cell (across or upright) with a stone of the
    other player, which is taken off. Whoever cannot move when it is their turn loses.
    """

    solvable = "clobber(rows=4,columns=4)"
    known_values = (
        Known("clobber(rows=1,columns=6)", (-1, 1), SOURCE),
        Known("clobber(rows=1,columns=8)", (1, -1), SOURCE),
        Known("clobber(rows=3,columns=4)", (-1, 1), "independent solver"),
        Known("clobber(rows=4,columns=4)", (1, -1), "independent solver"),
    )

    def __init__(self, rows: int = 5, columns: int = 6) -> None:
        for name, value in (("rows", rows), ("columns", columns)):
            allowed = type(value) is int and 1 <= value <= len(LETTERS)
            require(allowed, f"{name} must be an integer from 1 to {len(LETTERS)}")
        require(rows * columns <= MOST_CELLS, f"a board has at most {MOST_CELLS} cells")
        self.rows, self.columns = rows, columns
        self.zero_sum = True
        self.state = record(cells=f"i8[{rows * columns}]", turn="i8")
        # Of two stones next to each other at most one belongs to the player who moves.
        self.max_actions = max(1, rows * (columns - 1) + (rows - 1) * columns)
        self.symmetries = 8 if rows == columns else 4
        self.planes = (2, rows, columns)
        self.symbols = STONES[1:]

    # Cells are numbered from a1 along the rows, and hold 0 when empty, else their owner plus one.
    # An action is 4 * cell + direction, see `neighbour`.

    def rules(self) -> Rules:
        rows, columns, size = self.rows, self.columns, self.rows * self.columns
        images = board_images(rows, columns)

        def initial(s: State) -> None:
            for cell in range(size):
                s.cells[cell] = 1 + (cell // columns + cell % columns) % 2

        def player(s: State) -> int:
            turn: int = s.turn
            return turn

        def actions(s: State, out: Out) -> int:
            # The directions of `neighbour` written out: this is what a search asks most.
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

        def clobber(s: State, action: int, t: State) -> None:
            t.cells[action // 4] = 0
            t.cells[neighbour(action // 4, action % 4, (rows, columns))] = s.turn + 1
            t.turn = 1 - s.turn

        def outcome(s: State, out: Out) -> None:
            out[s.turn], out[1 - s.turn] = -1, 1

        def evaluate(s: State, out: Out) -> None:
            lead = 0
            for row in range(rows):
                for column in range(columns):
                    if s.cells[row * columns + column] != 0:
                        lead += stone_value(s.cells, row, column, (rows, columns))
            out[0] = lead / (abs(lead) + 20.0)
            out[1] = -out[0]

        def symmetry(s: State, k: int, t: State) -> None:
            for cell in range(size):
                t.cells[images[k, cell]] = s.cells[cell]

        def relabel(s: State, k: int, t: State) -> None:
            if k % 2 == 1:
                t.turn = 1 - s.turn
                for cell in range(size):
                    t.cells[cell] = 3 - s.cells[cell] if s.cells[cell] != 0 else 0

        def encode(s: State, out: Out) -> None:
            for cell in range(size):
                if s.cells[cell] != 0:
                    plane = 0 if s.cells[cell] == s.turn + 1 else 1
                    out[plane * size + cell] = 1.0

        return Rules(
            initial,
            player,
            actions,
            clobber,
            outcome,
            evaluate=evaluate,
            symmetry=symmetry,
            relabel=relabel,
            encode=encode,
        )

    def player_name(self, player: int) -> str:
        """Return "White (O)" or "Black (X)"."""
        return ("White (O)", "Black (X)")[player]

    def show(self, state: bytes) -> str:
        s = self.state.unpack(state)
        margin = len(str(self.rows))
        lines = []
        for row in reversed(range(self.rows)):
            cells = s.cells[row * self.columns : (row + 1) * self.columns]
            lines.append(f"{row + 1:{margin}} " + " ".join(STONES[cell] for cell in cells))
        lines.append(" " * margin + " " + " ".join(LETTERS[: self.columns]))
        lines.append(self._state_of_play(state, s.turn))
        return "\n".join(lines)

    def _state_of_play(self, state: bytes, turn: int) -> str:
        if self.actions(state):
            return f"{self.player_name(turn)} to move"
        return f"{self.player_name(turn)} cannot move; {self.player_name(1 - turn)} wins"

    def action_name(self, state: bytes, action: int) -> str:
        ends = self._ends(action)
        return "".join(f"{LETTERS[column]}{row + 1}" for row, column in ends)

    def _ends(self, action: int) -> list[tuple[int, int]]:
        """Return where a stone comes from and goes to, as (row, column)."""
        cell = action // 4
        other = neighbour(cell, action % 4, (self.rows, self.columns))
        return [divmod(end, self.columns) for end in (cell, other)]

    def svg(self, state: bytes, *, last: int | None = None, targets: Sequence[int] = ()) -> str:
        s = self.state.unpack(state)
        canvas = Canvas(
            self.columns, self.rows, title=f"Clobber: {self._state_of_play(state, s.turn)}"
        )
        canvas.coordinates(self.columns, self.rows)
        for cell in range(self.rows * self.columns):
            row, column = divmod(cell, self.columns)
            fill = DARK if (row + column) % 2 else BOARD
            canvas.rectangle(column, self.rows - row - 1, fill=fill)
        for row, column in [] if last is None else self._ends(last):
            canvas.mark_last(column, self.rows - row - 1)
        for cell, stone in enumerate(s.cells):
            row, column = divmod(cell, self.columns)
            if stone:
                x, y = column + 0.5, self.rows - row - 0.5
                canvas.disc(x, y, fill=("#ffffff", INK)[stone - 1])
                ink = (INK, "#ffffff")[stone - 1]
                canvas.text(x, y, STONES[stone], fill=ink)
        for action in targets:
            (row, column), (to_row, to_column) = self._ends(action)
            x, y = column + 0.5, self.rows - row - 0.5
            right, up = to_column - column, to_row - row
            canvas.line(
                x + 0.36 * right,
                y - 0.36 * up,
                x + 0.6 * right,
                y - 0.6 * up,
                stroke=TARGET,
                thickness=0.08,
            )
            canvas.mark_target(x + 0.6 * right, y - 0.6 * up, 0.1)
        return canvas.svg()

    def places(self, state: bytes, action: int) -> Sequence[Place]:
        return cells_named(self.action_name(state, action), self.rows)


def board_images(rows: int, columns: int) -> np.ndarray:
    """Return where each cell goes under each symmetry: mirrorings, then transposed ones."""
    places = []
    for k in range(8 if rows == columns else 4):
        image = []
        for row in range(rows):
            for column in range(columns):
                up = rows - 1 - row if k & 2 else row
                right = columns - 1 - column if k & 1 else column
                image.append(right * columns + up if k & 4 else up * columns + right)
        places.append(image)
    return np.array(places, dtype=np.int64)


def neighbour(cell: int, direction: int, shape: tuple[int, int]) -> int:
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
