# SPDX-License-Identifier: MIT
"""Domineering: one player lays dominoes upright, the other across, until one cannot."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from unbounded.game import Known, Out, Place, RecordGame, Rules, State, record, require
from unbounded.game.drawing import BOARD, INK, PLAYERS, Canvas

LETTERS = "abcdefghijklmnopqrstuvwxyz"
SIDES = ("vertical", "horizontal")
MOST_CELLS = 400
COVERED = "#b7a98a"

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
    """Two players take turns to lay a domino on two neighbouring free cells of the board.

    Vertical lays dominoes upright only, Horizontal across only; `first` says who starts. Whoever
    cannot lay a domino when it is their turn loses.
    """

    solvable = "domineering"
    known_values = values_of_solved()

    def __init__(self, rows: int = 5, columns: int = 5, first: str = "vertical") -> None:
        for name, value in (("rows", rows), ("columns", columns)):
            allowed = type(value) is int and 1 <= value <= len(LETTERS)
            require(allowed, f"{name} must be an integer from 1 to {len(LETTERS)}")
        require(rows * columns <= MOST_CELLS, f"a board has at most {MOST_CELLS} cells")
        allowed = type(first) is str and first in SIDES
        require(allowed, f"first must be {' or '.join(SIDES)}")
        self.rows, self.columns, self.first = rows, columns, first
        self.zero_sum = True
        self.state = record(covered=f"i8[{rows * columns}]", turn="i8")
        self.max_actions = max(1, (rows - 1) * columns, rows * (columns - 1))
        self.symmetries = 4
        self.planes = (4, rows, columns)
        self.symbols = "VH" if first == "vertical" else "HV"

    # Cells are numbered from a1 along the rows. A cell holds 1 when covered: which domino covers it
    # does not matter for what follows, and is not kept. An action is the lower or left cell.

    def rules(self) -> Rules:
        rows, columns, size = self.rows, self.columns, self.rows * self.columns
        upright = SIDES.index(self.first)  # the player who is Vertical
        mirrored = mirror_images(rows, columns)
        square = rows == columns

        def initial(s: State) -> None:
            s.turn = 0

        def player(s: State) -> int:
            turn: int = s.turn
            return turn

        def actions(s: State, out: Out) -> int:
            count = 0
            for cell in range(size):
                if fits(s.covered, cell, s.turn == upright, (rows, columns)):
                    out[count] = cell
                    count += 1
            return count

        def lay(s: State, cell: int, t: State) -> None:
            t.covered[cell] = 1
            t.covered[cell + (columns if s.turn == upright else 1)] = 1
            t.turn = 1 - s.turn

        def outcome(s: State, out: Out) -> None:
            out[s.turn], out[1 - s.turn] = -1, 1

        def evaluate(s: State, out: Out) -> None:
            lead = 2 * room(s.covered, True, (rows, columns))
            lead -= 2 * room(s.covered, False, (rows, columns))
            lead = lead if upright == 0 else -lead
            lead += -1 if s.turn == 0 else 1
            out[0] = lead / (abs(lead) + 10.0)
            out[1] = -out[0]

        def symmetry(s: State, k: int, t: State) -> None:
            for cell in range(size):
                t.covered[mirrored[k, cell]] = s.covered[cell]

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
            initial,
            player,
            actions,
            lay,
            outcome,
            evaluate=evaluate,
            symmetry=symmetry,
            relabel=transpose if square else None,
            encode=encode,
        )

    def player_name(self, player: int) -> str:
        """Return "Vertical" or "Horizontal"."""
        return "Vertical" if self.symbols[player] == "V" else "Horizontal"

    def show(self, state: bytes) -> str:
        s = self.state.unpack(state)
        margin = len(str(self.rows))
        lines = []
        for row in reversed(range(self.rows)):
            cells = s.covered[row * self.columns : (row + 1) * self.columns]
            lines.append(f"{row + 1:{margin}} " + " ".join(".#"[cell] for cell in cells))
        lines.append(" " * margin + " " + " ".join(LETTERS[: self.columns]))
        lines.append(self._state_of_play(state, s.turn))
        return "\n".join(lines)

    def _state_of_play(self, state: bytes, turn: int) -> str:
        if self.actions(state):
            return f"{self.player_name(turn)} to move"
        return f"{self.player_name(turn)} cannot move; {self.player_name(1 - turn)} wins"

    def action_name(self, state: bytes, action: int) -> str:
        other = action + (self.columns if self.symbols[self.player(state)] == "V" else 1)
        ends = [divmod(cell, self.columns) for cell in (action, other)]
        return "-".join(f"{LETTERS[column]}{row + 1}" for row, column in ends)

    def svg(self, state: bytes, *, last: int | None = None, targets: Sequence[int] = ()) -> str:
        s = self.state.unpack(state)
        title = f"Domineering: {self._state_of_play(state, s.turn)}"
        canvas = Canvas(self.columns, self.rows, title=title)
        canvas.coordinates(self.columns, self.rows)
        for cell, covered in enumerate(s.covered):
            row, column = divmod(cell, self.columns)
            canvas.rectangle(column, self.rows - row - 1, fill=COVERED if covered else BOARD)
        if last is not None:
            x, y, width, height = self._domino(last, 1 - s.turn)
            canvas.mark_last(x, y, width, height)
            canvas.rectangle(
                x + 0.12,
                y + 0.12,
                width - 0.24,
                height - 0.24,
                fill=PLAYERS[1 - s.turn],
                stroke=INK,
                radius=0.15,
            )
        for cell in targets:
            x, y, width, height = self._domino(cell, s.turn)
            ends = (x + 0.5, y + 0.5, x + width - 0.5, y + height - 0.5)
            canvas.line(*ends, stroke=PLAYERS[s.turn], thickness=0.08)
            canvas.mark_target(x + width / 2, y + height / 2)
        return canvas.svg()

    def places(self, state: bytes, action: int) -> Sequence[Place]:
        x, y, width, height = self._domino(action, self.player(state))
        return [Place(x + width / 2, y + height / 2, width, height)]

    def _domino(self, cell: int, player: int) -> tuple[int, int, int, int]:
        """Return where a player's domino lies on the canvas: x, y, width, height."""
        row, column = divmod(cell, self.columns)
        if self.symbols[player] == "V":
            return column, self.rows - row - 2, 1, 2
        return column, self.rows - row - 1, 2, 1


def mirror_images(rows: int, columns: int) -> np.ndarray:
    """Return where each cell goes under each mirroring: none, left-right, up-down, both."""
    places = [
        [
            (rows - 1 - row if k & 2 else row) * columns
            + (columns - 1 - column if k & 1 else column)
            for row in range(rows)
            for column in range(columns)
        ]
        for k in range(4)
    ]
    return np.array(places, dtype=np.int64)


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
