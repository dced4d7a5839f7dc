# SPDX-License-Identifier: MIT
"""Dots and Boxes on a grid of any size, for two to four players."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from unbounded.game import Known, Out, Place, RecordGame, Rules, State, record
from unbounded.game.bits import MOST_BITS, cells_with, count_cells, first_cell, list_cells
from unbounded.game.board import (
    LETTERS,
    cell_name,
    empty_board,
    most_points_win,
    moved_cells,
    player_in_turn,
    require_integer,
    winners_text,
)
from unbounded.game.colors import BOARD, DARK, FAINT, INK, LAST, LINE, PLAYERS
from unbounded.game.drawing import Canvas

INITIALS = "ABCD"
SOLVED = "independent solver"
Numbers = NDArray[np.int64]


class DotsAndBoxes(RecordGame):
    """Players take turns to draw a line between two neighboring dots of a grid.

    Whoever draws the fourth side of a box wins the box and must draw another line; one line may
    close two boxes. When all lines are drawn, the player with the most boxes wins and all others
    lose; players who share the most boxes draw, and the rest lose. The size is counted in boxes.
    The score is the number of boxes; between two players, how many more than the other.

    A begins, then B, then C and D if there are as many players. A line that is drawn stays. A move
    names the two dots, as in `a1-b1`; a1 is at the bottom left.
    """

    single_winner = True
    solvable = "dots-and-boxes"
    known_values = (
        Known("dots-and-boxes(rows=1,columns=1)", (-1, 1), SOLVED, (-1.0, 1.0)),
        Known("dots-and-boxes(rows=1,columns=2)", (0, 0), SOLVED, (0.0, 0.0)),
        Known("dots-and-boxes(rows=1,columns=3)", (-1, 1), SOLVED, (-1.0, 1.0)),
        Known("dots-and-boxes(rows=1,columns=4)", (0, 0), SOLVED, (0.0, 0.0)),
        Known("dots-and-boxes", (1, -1), SOLVED, (2.0, -2.0)),
        Known("dots-and-boxes(columns=3)", (-1, 1), SOLVED, (-2.0, 2.0)),
        Known("dots-and-boxes(rows=3,columns=3)", (-1, 1), SOLVED, (-3.0, 3.0), slow=True),
    )

    def __init__(self, rows: int = 2, columns: int = 2, players: int = 2) -> None:
        require_integer("rows", rows, 1, len(LETTERS) - 1)
        require_integer("columns", columns, 1, len(LETTERS) - 1)
        require_integer("players", players, 2, len(INITIALS))
        self.rows, self.columns, self.players = rows, columns, players
        self.zero_sum = players == 2
        self.best_score = (float(rows * columns),) * players
        self.symmetries = 8 if rows == columns else 4
        self.planes = (players + 2, 2 * rows + 1, 2 * columns + 1)
        self.symbols = INITIALS[:players]
        self._across = (rows + 1) * columns
        self.max_actions = self._across + rows * (columns + 1)
        self.action_count = self.longest_game = self.max_actions
        # A box is won by whoever closed it, but only how many each has matters for what follows.
        self.state = record(lines=f"i8[{self.max_actions}]", boxes=f"i16[{players}]", turn="i8")

    def rules(self) -> Rules:
        players, total, lines = self.players, self.rows * self.columns, self.max_actions
        sides, beside = self._sides(), self._beside()
        on_bits, walls = lines <= MOST_BITS, self._walls()
        # The walls of the boxes beside each line; where there is none, -1: never all drawn.
        closing = np.where(beside >= 0, walls[beside], -1)

        def actions(s: State, out: Out) -> int:
            if on_bits:
                return list_cells(cells_with(s.lines, 0), out)
            count = 0
            for line in range(lines):
                if s.lines[line] == 0:
                    out[count] = line
                    count += 1
            return count

        def is_terminal(s: State) -> bool:
            return boxes_won(s.boxes, players) == total

        def draw_line(s: State, line: int, t: State) -> None:
            t.lines[line] = 1
            closed = 0
            drawn = cells_with(s.lines, 1) | 1 << line if on_bits else 0
            for side in range(2):
                box, around = beside[2 * line + side], closing[2 * line + side]
                if on_bits:
                    closed += 1 if drawn & around == around else 0
                elif box >= 0 and drawn_sides(t.lines, sides, box) == 4:
                    closed += 1
            t.boxes[s.turn] += closed
            if closed == 0:
                t.turn = (s.turn + 1) % players
            elif boxes_won(t.boxes, players) == total:
                t.turn = 0  # over: equal ends are equal states, whoever drew the last line

        def outcome(s: State, out: Out) -> None:
            for who in range(players):
                out[who] = s.boxes[who]
            most_points_win(out, players)

        def score(s: State, out: Out) -> None:
            for who in range(players):
                out[who] = s.boxes[who] - (s.boxes[1 - who] if players == 2 else 0)

        def forced(s: State, out: Out) -> int:
            # With more than half of the boxes, the game is decided.
            if 2 * s.boxes[1 - s.turn] > total:
                return 0
            count: int = actions(s, out)
            if 2 * s.boxes[s.turn] > total:
                return min(count, 1)
            # A line that closes a box, and touches no other that stays open, is best: the rest of
            # the game is the same with the box and without. Whoever leaves it lets the other player
            # take it before playing the rest in the same way.
            if on_bits:
                best = last_walls(cells_with(s.lines, 1), walls)
                out[0] = first_cell(best) if best != 0 else out[0]
                return 1 if best != 0 else count
            for i in range(count):
                line = out[i]
                open_boxes = closed = 0
                for side in range(2):
                    box = beside[2 * line + side]
                    if box >= 0:
                        if drawn_sides(s.lines, sides, box) == 3:
                            closed += 1
                        else:
                            open_boxes += 1
                if closed > 0 and open_boxes == 0:
                    out[0] = line
                    return 1
            return count

        evaluate, best_score_from = self._guesses(sides, beside, walls)
        symmetry, relabel, encode = self._views(sides)
        return Rules(
            empty_board, player_in_turn, actions, draw_line, outcome, score,
            evaluate, best_score_from, symmetry=symmetry, relabel=relabel, encode=encode,
            is_terminal=is_terminal, forced=forced if players == 2 else None,
            reduced=without_owners if players == 2 else None,
        )  # fmt: skip

    def _guesses(
        self, sides: Numbers, beside: Numbers, walls: Numbers
    ) -> list[Callable[..., None]]:
        """Return the rules `evaluate` and `best_score_from`."""
        players, total, lines = self.players, self.rows * self.columns, self.max_actions
        on_bits = lines <= MOST_BITS

        def evaluate(s: State, out: Out) -> None:
            # The mover takes the boxes with three sides. Then lines are drawn that give away no
            # box, as long as there are any; whoever has none opens the rest for the next player.
            if on_bits:
                threes, safe = threes_and_safe_lines(cells_with(s.lines, 1), lines, walls)
            else:
                threes = safe = 0
                for box in range(total):
                    threes += 1 if drawn_sides(s.lines, sides, box) == 3 else 0
                for line in range(lines):
                    first = beside[2 * line]
                    second = max(first, beside[2 * line + 1])  # there may be one box only
                    drawn = drawn_sides(s.lines, sides, first)
                    drawn = max(drawn, drawn_sides(s.lines, sides, second))
                    safe += 1 if s.lines[line] == 0 and drawn < 2 else 0
            rest = total - boxes_won(s.boxes, players) - threes
            taker = (s.turn + safe + 1) % players
            for who in range(players):
                out[who] = s.boxes[who] + 0.6 * rest / players
                if who == s.turn:
                    out[who] += threes
                if who == taker:
                    out[who] += 0.4 * rest
            if players == 2:
                out[0] -= out[1]
                out[1] = -out[0]

        def best_score_from(s: State, out: Out) -> None:
            rest = total - boxes_won(s.boxes, players)
            for who in range(players):
                out[who] = s.boxes[who] + rest - (s.boxes[1 - who] if players == 2 else 0)

        return [evaluate, best_score_from]

    def _views(self, sides: Numbers) -> list[Callable[..., None]]:
        """Return the rules `symmetry`, `relabel` and `encode`."""
        players, total, lines = self.players, self.rows * self.columns, self.max_actions
        symmetry = moved_cells("lines", np.array(self._images()))
        line_cells, box_cells = self._cells_in_planes()
        plane = (2 * self.rows + 1) * (2 * self.columns + 1)

        def relabel(s: State, k: int, t: State) -> None:
            for who in range(players):
                t.boxes[(who + k) % players] = s.boxes[who]
            if boxes_won(s.boxes, players) < total:
                t.turn = (s.turn + k) % players

        def encode(s: State, out: Out) -> None:
            for ahead in range(players):
                share = s.boxes[(s.turn + ahead) % players] / total
                for place in range(plane):
                    out[ahead * plane + place] = share
            for line in range(lines):
                out[players * plane + line_cells[line]] = s.lines[line]
            for box in range(total):
                drawn = drawn_sides(s.lines, sides, box)
                out[(players + 1) * plane + box_cells[box]] = drawn / 4

        return [symmetry, relabel, encode]

    # Lines are numbered from the lower left: first those across, row by row, then those upwards.

    def _dots(self, line: int) -> tuple[int, int, int, int]:
        """Return the two dots that a line joins: row, column, row, column."""
        if line < self._across:
            row, column = divmod(line, self.columns)
            return row, column, row, column + 1
        row, column = divmod(line - self._across, self.columns + 1)
        return row, column, row + 1, column

    def _sides(self) -> Numbers:
        """Return for each box its lower, upper, left and right line, one box after the other."""
        found = []
        for row in range(self.rows):
            for column in range(self.columns):
                low = row * self.columns + column
                left = self._across + row * (self.columns + 1) + column
                found += [low, low + self.columns, left, left + 1]
        return np.array(found, np.int64)

    def _walls(self) -> Numbers:
        """Return for each box its lines as bits, where all lines fit one integer."""
        if self.max_actions > MOST_BITS:
            return np.zeros(self.rows * self.columns, np.int64)
        return np.array([sum(1 << int(x) for x in box) for box in self._sides().reshape(-1, 4)])

    def _beside(self) -> Numbers:
        """Return for each line the two boxes beside it; -1 where there is none."""
        found = np.full(2 * self.max_actions, -1, np.int64)
        for place, line in enumerate(self._sides()):
            found[2 * line + (found[2 * line] >= 0)] = place // 4
        return found

    def _images(self) -> list[list[int]]:
        """Return for each symmetry where each line goes.

        The symmetries are numbered: add 1 to mirror left and right, 2 to mirror top and bottom, and
        before these 4 to swap rows and columns.
        """
        number = {self._dots(line): line for line in range(self.max_actions)}
        found: list[list[int]] = []
        for k in range(self.symmetries):
            found.append([])
            for line in range(self.max_actions):
                dots = self._dots(line)
                ends = []
                for row, column in (dots[:2], dots[2:]):
                    y, x = (column, row) if k & 4 else (row, column)
                    ends.append((self.rows - y if k & 2 else y, self.columns - x if k & 1 else x))
                first, second = sorted(ends)
                found[k].append(number[first + second])
        return found

    def _cells_in_planes(self) -> tuple[Numbers, Numbers]:
        """Return where lines and boxes lie in a plane that has dots, lines and boxes as cells."""
        wide = 2 * self.columns + 1
        joined = [self._dots(line) for line in range(self.max_actions)]
        lines = [(a + c) * wide + b + d for a, b, c, d in joined]
        boxes = [
            (2 * row + 1) * wide + 2 * column + 1
            for row in range(self.rows)
            for column in range(self.columns)
        ]
        return np.array(lines, np.int64), np.array(boxes, np.int64)

    # -- for people -------------------------------------------------------------------------------

    def action_name(self, state: bytes, action: int) -> str:
        row, column, other_row, other_column = self._dots(action)
        return f"{cell_name(row, column)}-{cell_name(other_row, other_column)}"

    def _verdict(self, boxes: list[int], turn: int) -> str:
        count = ", ".join(f"{self.symbols[who]} {boxes[who]}" for who in range(self.players))
        if sum(boxes) < self.rows * self.columns:
            return f"boxes: {count}; {self.symbols[turn]} to move"
        return f"boxes: {count}; {winners_text(self.symbols, boxes)}"

    def show(self, state: bytes) -> str:
        s, columns = self.state.unpack(state), self.columns
        margin = len(str(self.rows + 1))
        text = []
        for row in reversed(range(self.rows + 1)):
            if row < self.rows:
                first = self._across + row * (columns + 1)
                posts = ["|" if drawn else " " for drawn in s.lines[first : first + columns + 1]]
                inside = [
                    " # " if drawn_sides(s.lines, self._sides(), row * columns + column) == 4
                    else "   "
                    for column in range(columns)
                ]  # fmt: skip
                between = "".join(post + box for post, box in zip(posts, inside, strict=False))
                text.append((" " * margin + " " + between + posts[-1]).rstrip())
            bars = s.lines[row * columns : (row + 1) * columns]
            dots = "+" + "".join("---+" if drawn else "   +" for drawn in bars)
            text.append(f"{row + 1:{margin}} {dots}")
        text.append(" " * margin + " " + "   ".join(LETTERS[: columns + 1]))
        text.append(self._verdict(s.boxes, s.turn))
        return "\n".join(text)

    def svg(self, state: bytes, *, last: int | None = None, targets: Sequence[int] = ()) -> str:
        s, rows, columns = self.state.unpack(state), self.rows, self.columns
        width, over = max(columns, 1.4 * self.players), sum(s.boxes) == rows * columns
        canvas = Canvas(width, rows + 1.2, title=self._verdict(s.boxes, s.turn))
        for box in range(rows * columns):
            closed = drawn_sides(s.lines, self._sides(), box) == 4
            fill = DARK if closed else BOARD
            canvas.rectangle(box % columns, rows - 1 - box // columns, fill=fill, stroke="none")
        for line in range(self.max_actions):
            row, column, other_row, other_column = self._dots(line)
            ends = (column, rows - row, other_column, rows - other_row)
            if line == last:
                canvas.line(*ends, stroke=LAST, thickness=0.26, role="last")
            stroke, thickness = (INK, 0.1) if s.lines[line] else (LINE, 0.02)
            canvas.line(*ends, stroke=stroke, thickness=thickness)
            if line in targets:
                canvas.mark_target((ends[0] + ends[2]) / 2, (ends[1] + ends[3]) / 2)
        for row in range(rows + 1):
            canvas.text(-0.42, rows - row, str(row + 1), size=0.3, fill=FAINT)
            for column in range(columns + 1):
                canvas.disc(column, rows - row, 0.1)
        for column in range(columns + 1):
            canvas.text(column, rows + 0.42, LETTERS[column], size=0.3, fill=FAINT)
        counts = [(PLAYERS[who], self.symbols[who], s.boxes[who]) for who in range(self.players)]
        canvas.tally(rows + 1.2, counts, None if over else s.turn)
        return canvas.svg()

    def places(self, state: bytes, action: int) -> Sequence[Place]:
        row, column, other_row, other_column = self._dots(action)
        return [Place((column + other_column) / 2, self.rows - (row + other_row) / 2, 0.7, 0.7)]

    def badge_place(self, state: bytes, action: int) -> Place | None:
        places = self.places(state, action)
        return places[-1].inside(0.6) if places else None  # nothing is there yet


def without_owners(s: State, t: State) -> int:
    """Leave out whose the closed boxes are: it does not matter for the rest of the game."""
    t.boxes[0] = s.boxes[0] + s.boxes[1]
    t.boxes[1] = 0
    return int(-2 * s.boxes[1])


def drawn_sides(lines: Out, sides: Out, box: int) -> int:
    """Count the sides of a box that are drawn."""
    first: int = 4 * box
    count: int = lines[sides[first]] + lines[sides[first + 1]]
    count += lines[sides[first + 2]] + lines[sides[first + 3]]
    return count


def last_walls(drawn: int, walls: Out) -> int:
    """Return the lines that close a box and touch no other that stays open, as bits."""
    closing = touching = 0
    for box in range(len(walls)):
        missing = walls[box] & ~drawn
        if missing & (missing - 1) == 0:
            closing |= missing
        else:
            touching |= missing
    return closing & ~touching


def threes_and_safe_lines(drawn: int, lines: int, walls: Out) -> tuple[int, int]:
    """Count the boxes with three sides, and the lines that give no box a third one."""
    threes, unsafe = 0, drawn
    for box in range(len(walls)):
        missing = count_cells(walls[box] & ~drawn)
        threes += 1 if missing == 1 else 0
        unsafe |= walls[box] if missing <= 2 else 0
    return threes, lines - count_cells(unsafe)


def boxes_won(boxes: Out, players: int) -> int:
    """Count the boxes that are closed."""
    count = 0
    for who in range(players):
        count += boxes[who]
    return count
