# SPDX-License-Identifier: MIT
"""Lines on a board: tic-tac-toe, gomoku and all their relatives, for two to four players."""

from __future__ import annotations

from unbounded.game import Out, RecordGame, Rules, State, record, require

STONES = ".XO#*"
LETTERS = "abcdefghijklmnopqrstuvwxyz"


class Mnk(RecordGame):
    """Players take turns to put a stone of their own on an empty cell of the board.

    Whoever first has `line` stones in an unbroken row (across, upwards or diagonally) wins, and
    all others lose. A full board without a row is a draw.
    """

    def __init__(self, rows: int = 3, columns: int = 3, line: int = 3, players: int = 2) -> None:
        for name, value, least, most in (
            ("rows", rows, 1, 1024),
            ("columns", columns, 1, len(LETTERS)),
            ("line", line, 1, 1024),
            ("players", players, 2, len(STONES) - 1),
        ):
            allowed = type(value) is int and least <= value <= most
            require(allowed, f"{name} must be an integer from {least} to {most}")
        require(rows * columns <= 1024, "a board has at most 1024 cells (rows x columns)")
        self.rows, self.columns, self.line, self.players = rows, columns, line, players
        self.zero_sum = players == 2
        self.state = record(cells=f"i8[{rows * columns}]", turn="i8", winner="i8")
        self.max_actions = rows * columns

    def rules(self) -> Rules:
        rows, columns, line, players = self.rows, self.columns, self.line, self.players
        size = rows * columns

        # A cell holds 0 when empty, else the number of its owner plus one; so does `winner`.
        def initial(s: State) -> None:
            s.turn = 0

        def player(s: State) -> int:
            turn: int = s.turn
            return turn

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
            if completes_line(t.cells, cell, (rows, columns), line):
                t.winner = s.turn + 1

        def outcome(s: State, out: Out) -> None:
            if s.winner != 0:
                for who in range(players):
                    out[who] = 1 if who + 1 == s.winner else -1

        def evaluate(s: State, out: Out) -> None:
            total = 0.0
            for who in range(players):
                out[who] = 0.0
            for cell in range(size):
                for direction in range(1, 5):
                    owner, stones = open_line(s.cells, cell, direction, (rows, columns), line)
                    if owner > 0:
                        promise = stones * stones
                        if stones == line - 1 and owner == s.turn + 1:
                            promise += 200 * line * line  # the next move wins
                        out[owner - 1] += promise
                        total += promise
            for who in range(players):
                lead = players * out[who] - total
                out[who] = lead / (abs(lead) + 8 * line * line)

        return Rules(initial, player, actions, place, outcome, evaluate=evaluate)

    def show(self, state: bytes) -> str:
        s = self.state.unpack(state)
        margin = len(str(self.rows))
        lines = []
        for row in reversed(range(self.rows)):
            cells = s.cells[row * self.columns : (row + 1) * self.columns]
            lines.append(f"{row + 1:{margin}} " + " ".join(STONES[cell] for cell in cells))
        lines.append(" " * margin + " " + " ".join(LETTERS[: self.columns]))
        if s.winner:
            lines.append(f"{STONES[s.winner]} has won")
        elif all(s.cells):
            lines.append("a draw")
        else:
            lines.append(f"{STONES[s.turn + 1]} to move")
        return "\n".join(lines)

    def action_name(self, state: bytes, action: int) -> str:
        row, column = divmod(action, self.columns)
        return f"{LETTERS[column]}{row + 1}"


class TicTacToe(Mnk):
    """Two players, X first, take turns to put a stone on an empty cell of a 3x3 board.

    Whoever first has three stones in a row (across, upwards or diagonally) wins. A full board
    without a row is a draw.
    """

    def __init__(self) -> None:
        super().__init__()


# Directions are numbered: 1 to the right, 2 up and to the left, 3 up, 4 up and to the right; minus
# is the opposite. The shape of the board is (rows, columns).


def step(direction: int) -> tuple[int, int]:
    """Return how many rows up and columns to the right the next cell in a direction is."""
    way = 1 if direction > 0 else -1
    if abs(direction) == 1:
        return 0, way
    return way, way * (abs(direction) - 3)


def completes_line(cells: Out, cell: int, shape: tuple[int, int], line: int) -> bool:
    """Whether the stone on the cell is part of a row of `line` stones of its owner."""
    for direction in range(1, 5):
        ahead = same_stones(cells, cell, direction, shape)
        if ahead + 1 + same_stones(cells, cell, -direction, shape) >= line:
            return True
    return False


def same_stones(cells: Out, cell: int, direction: int, shape: tuple[int, int]) -> int:
    """Count the stones in a direction that belong, without a break, to the owner of the cell."""
    rows, columns = shape
    up, right = step(direction)
    row, column = cell // columns + up, cell % columns + right
    count = 0
    while 0 <= row < rows and 0 <= column < columns:
        if cells[row * columns + column] != cells[cell]:
            break
        count, row, column = count + 1, row + up, column + right
    return count


def open_line(
    cells: Out, cell: int, direction: int, shape: tuple[int, int], line: int
) -> tuple[int, int]:
    """Look at the `line` cells from here in a direction: who alone has stones there, how many.

    The owner is given as on the board; 0 is nobody, also when the line leaves the board.
    """
    rows, columns = shape
    up, right = step(direction)
    row, column = cell // columns, cell % columns
    last_row, last_column = row + up * (line - 1), column + right * (line - 1)
    owner, stones = 0, 0
    if last_row < rows and 0 <= last_column < columns:
        for i in range(line):
            stone = cells[(row + up * i) * columns + column + right * i]
            if stone != 0:
                if owner not in (0, stone):
                    return 0, 0
                owner, stones = stone, stones + 1
    return owner, stones
