# SPDX-License-Identifier: MIT
"""Hex: two players, a rhombus of hexagons, and each wants to join a pair of opposite sides."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

import numpy as np

from unbounded.game import Fields, Known, Out, Place, RecordGame, Rules, State, record
from unbounded.game.bits import cells_with, fill_cells, first_cell, list_cells
from unbounded.game.board import (
    LETTERS,
    Grid,
    empty_board,
    player_in_turn,
    require_integer,
    shortest_way,
)
from unbounded.game.colors import FAINT, PLAYERS
from unbounded.game.drawing import HEX_CORNER, HEX_STEP, Canvas, hexagon
from unbounded.game.setting_up import check_pieces, placed

SIX_AROUND = ((-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0))
"""Rows and columns to the six cells around one; each row lies half a cell right of the last."""

NASH = "theory: no draws, and an extra stone never hurts, so the first player wins (Nash)"

FIRST_SIDE, SECOND_SIDE, BOTH_SIDES = 1, 2, 3
"""Which of its owner's two sides a stone is joined to: top and bottom, or left and right."""

FAR = 1000
"""More stones than any board has cells."""

LARGEST_ON_BITS = 7
"""Larger boards have too many cells for one integer."""


class Hex(RecordGame):
    """Two players take turns to put a stone of their own on an empty cell of a rhombus of hexagons.

    Red (R) starts and wins by a chain of red stones from the top row to the bottom row; Blue (B)
    wins by a chain from the leftmost column to the rightmost. One of them always does, so there
    are no draws. Played without the swap rule: the second player may not take over the first stone.

    A move is the name of a cell, such as `b3`: the letter of its column and the number of its row,
    both as at the edge of the board.
    """

    symbols = "RB"
    piece_symbols = ".RB"
    symmetries = 2
    zero_sum = True
    solvable = "hex(size=3)"
    known_values = (
        Known("hex(size=1)", (1, -1), NASH),
        Known("hex(size=2)", (1, -1), NASH),
        Known("hex(size=3)", (1, -1), NASH),
        Known("hex(size=4)", (1, -1), NASH),
        Known("hex", (1, -1), NASH, slow=True),
    )

    def __init__(self, size: int = 5) -> None:
        require_integer("size", size, 1, 19)
        self.size = size
        self.grid = Grid(size, size)
        self.state = record(cells=f"i8[{size * size}]", turn="i8", winner="i8")
        self.max_actions = size * size
        self.planes = (6, size, size)
        self.action_count = self.longest_game = size * size

    # A cell holds 0 when empty; else 1 + the sides that its stone is joined to, negative for the
    # second player. A stone that joins two chains updates both, so that no search is needed to see
    # whether a chain reaches both sides. `winner` is 0 while there is none, else 1 + the player.

    def rules(self) -> Rules:
        size = self.size
        area = size * size
        around = np.array(self.grid.neighbors(SIX_AROUND), np.int64)
        on_bits = size <= LARGEST_ON_BITS
        inner = sum(1 << cell for cell in range(area) if cell % size > 0 and on_bits)
        board = size, inner

        def actions(s: State, out: Out) -> int:
            if s.winner != 0:
                return 0
            if on_bits:
                return list_cells(cells_with(s.cells, 0), out)
            count = 0
            for cell in range(area):
                if s.cells[cell] == 0:
                    out[count] = cell
                    count += 1
            return count

        def is_terminal(s: State) -> bool:
            return bool(s.winner != 0)  # no board is full without a winner

        def place(s: State, cell: int, t: State) -> None:
            along = cell // size if s.turn == 0 else cell % size
            if on_bits:
                sides, changed = join_on_bits(s.cells, cell, s.turn, sides_at(along, size), board)
                fill_cells(t.cells, changed, (1 - 2 * s.turn) * (1 + sides))
            else:
                t.cells[cell] = 1 - 2 * s.turn
                sides = join(t.cells, around, cell, sides_at(along, size))
            if sides == BOTH_SIDES:
                t.winner = s.turn + 1
            t.turn = 1 - s.turn

        def forced(s: State, out: Out) -> int:
            if on_bits:
                return list_forced_on_bits(s.cells, s.turn, board, out)
            return list_forced(s.cells, s.turn, around, out)

        def outcome(s: State, out: Out) -> None:
            out[s.winner - 1] = 1
            out[2 - s.winner] = -1

        def evaluate(s: State, out: Out) -> None:
            lead = 0.5 if s.turn == 0 else -0.5
            if on_bits:
                empty = cells_with(s.cells, 0)
                lead += missing_on_bits(s.cells, empty, 1, board)
                lead -= missing_on_bits(s.cells, empty, 0, board)
            else:
                lead += missing_stones(s.cells, around, -1) - missing_stones(s.cells, around, 1)
            out[0] = lead / (abs(lead) + 2.0)
            out[1] = -out[0]

        symmetry, relabel, encode = self._views()
        return Rules(
            empty_board, player_in_turn, actions, place, outcome,
            evaluate=evaluate, symmetry=symmetry, relabel=relabel, encode=encode,
            is_terminal=is_terminal, forced=forced,
        )  # fmt: skip

    def _views(self) -> list[Callable[..., None]]:
        """Return the rules `symmetry`, `relabel` and `encode`."""
        size, area = self.size, self.size**2

        def symmetry(s: State, k: int, t: State) -> None:
            # Half a turn; it swaps the two sides of each player.
            if k == 1:
                for cell in range(area):
                    value = s.cells[area - 1 - cell]
                    # 2 and 3, or -2 and -3, differ in these bits: so it is clear that they fit.
                    swapped = value ^ (1 if value > 0 else 3)
                    t.cells[cell] = swapped if 2 <= abs(value) <= 3 else value

        def relabel(s: State, k: int, t: State) -> None:
            # Mirroring the board at its long diagonal gives each player the other's sides.
            if k == 1:
                for cell in range(area):
                    t.cells[cell] = -s.cells[(cell % size) * size + cell // size]
                t.turn = 1 - s.turn
                t.winner = (3 - s.winner) % 3

        def encode(s: State, out: Out) -> None:
            # The second player sees the board mirrored: whoever moves joins top and bottom. Of each
            # player, a plane for loose stones and one for those joined to each of the two sides.
            for cell in range(area):
                value = s.cells[cell]
                if value != 0:
                    plane = 0 if (value < 0) == (s.turn == 1) else 3
                    plane += min(abs(value) - 1, SECOND_SIDE)
                    seen = cell if s.turn == 0 else (cell % size) * size + cell // size
                    out[plane * area + seen] = 1.0

        return [symmetry, relabel, encode]

    def show(self, state: bytes) -> str:
        s = self.state.unpack(state)
        stones = ["." if x == 0 else self.symbols[x < 0] for x in s.cells]
        lines = ["   " + " ".join(LETTERS[: self.size])]
        for row in range(self.size):
            cells = " ".join(stones[row * self.size : (row + 1) * self.size])
            lines.append(" " * row + f"{row + 1:2} {cells}")
        if s.winner:
            lines.append(f"{self.symbols[s.winner - 1]} has won")
        else:
            sides = ("top to bottom", "left to right")[s.turn]
            lines.append(f"{self.symbols[s.turn]} to move ({sides})")
        return "\n".join(lines)

    def action_name(self, state: bytes, action: int) -> str:
        return self.grid.name(action)

    def svg(self, state: bytes, *, last: int | None = None, targets: Sequence[int] = ()) -> str:
        s = self.state.unpack(state)
        size = self.size
        width, height = 1.5 * size - 0.5, HEX_STEP * (size - 1) + 2 * HEX_CORNER
        canvas = Canvas(width, height, title=str(self), margin=0.9)
        self._draw_sides(canvas)
        won = self._connection(s)
        for cell in range(size * size):
            x, y = center(*divmod(cell, size))
            canvas.polygon(hexagon(x, y))
            if s.cells[cell]:
                who = int(s.cells[cell] < 0)
                canvas.piece(x, y, who, self.symbols[who], 0.33)
                if cell == last:
                    canvas.ring_last(x, y, 0.37 if cell in won else 0.42)
                if cell in won:
                    canvas.mark_win(x, y, 0.43)
            elif cell in targets:
                canvas.mark_target(x, y)
        for i in range(size):
            x, y = center(0, i)
            canvas.text(x - 0.28, y - 1.0, LETTERS[i], size=0.32, fill=FAINT)
            x, y = center(i, 0)
            canvas.text(x - 0.95, y, str(i + 1), size=0.32, fill=FAINT)
        return canvas.svg()

    def places(self, state: bytes, action: int) -> Sequence[Place]:
        return [Place(*center(*divmod(action, self.size)), height=HEX_STEP)]

    def badge_place(self, state: bytes, action: int) -> Place | None:
        places = self.places(state, action)
        return places[-1].inside() if places else None  # the cell is empty

    def piece_places(self) -> Sequence[Place]:
        cells = range(self.max_actions)
        return [Place(*center(*divmod(cell, self.size)), height=HEX_STEP) for cell in cells]

    def pieces_on(self, state: bytes) -> Sequence[int]:
        cells = self.state.unpack(state).cells
        return [0 if cell == 0 else 1 if cell > 0 else 2 for cell in cells]

    def set_up(self, pieces: Sequence[int], player: int) -> bytes:
        check_pieces(self, pieces, player)
        owned = ((stone - 1, cell) for cell, stone in enumerate(pieces) if stone)
        return placed(self, player, owned)

    def _draw_sides(self, canvas: Canvas) -> None:
        """Color the sides that each player wants to join, beneath the cells."""
        last = self.size - 1
        for who, down, corners in (
            (1, True, (2, 3, 4)),
            (1, True, (5, 0, 1)),
            (0, False, (4, 5, 0)),
            (0, False, (1, 2, 3)),
        ):
            far = last if 1 in corners else 0
            for i in range(self.size):
                outline = hexagon(*center(*((i, far) if down else (far, i))))
                for a, b in itertools.pairwise(corners):
                    canvas.line(*outline[a], *outline[b], stroke=PLAYERS[who], thickness=0.24)

    def _connection(self, s: Fields) -> Sequence[int]:
        """Return a shortest way over the winner's stones from side to side, if somebody has won."""
        if not s.winner:
            return ()
        size, sign = self.size, 3 - 2 * s.winner
        own = {cell for cell, value in enumerate(s.cells) if value * sign > 0}
        row, step = (1, size) if sign > 0 else (size, 1)
        first = [i * row for i in range(size)]
        around = Grid(size, size).neighbors(SIX_AROUND)
        near = {cell: own.intersection(around[cell]) for cell in own}
        return shortest_way(near, own.intersection(first), {c + (size - 1) * step for c in first})


def center(row: int, column: int) -> tuple[float, float]:
    """Return the middle of a cell."""
    return column + row / 2 + 0.5, row * HEX_STEP + HEX_CORNER


def sides_at(along: int, size: int) -> int:
    """Return the sides at which a cell lies, so many cells from the first."""
    return (FIRST_SIDE if along == 0 else 0) | (SECOND_SIDE if along == size - 1 else 0)


def list_forced(cells: Out, turn: int, around: Out, out: Out) -> int:
    """List the empty cells that may be good; return how many.

    A stone that joins both sides wins. Where the other player could put such a stone next, it has
    to be prevented, and two cannot be.
    """
    size = int(len(cells) ** 0.5 + 0.5)
    sign = 1 - 2 * turn
    threats, threat, count = 0, 0, 0
    for cell in range(len(cells)):
        if cells[cell] == 0:
            out[count] = cell
            count += 1
            row, column = cell // size, cell % size
            mine, theirs = sides_at(row, size), sides_at(column, size)
            if turn == 1:
                mine, theirs = theirs, mine
            for i in range(6):
                near = around[cell, i]
                if near >= 0 and cells[near] != 0:
                    if cells[near] * sign > 0:
                        mine |= cells[near] * sign - 1
                    else:
                        theirs |= -cells[near] * sign - 1
            if mine == BOTH_SIDES:
                out[0] = cell
                return 1
            if theirs == BOTH_SIDES:
                threats, threat = threats + 1, cell
    if threats == 1:
        out[0] = threat
    return count if threats == 0 else 2 - min(threats, 2)


def join(cells: Out, around: Out, cell: int, sides: int) -> int:
    """Join a new stone to those of its owner around it; return the sides that it reaches."""
    sign = cells[cell]
    for i in range(6):
        near = around[cell, i]
        if near >= 0 and cells[near] * sign > 0:
            sides |= cells[near] * sign - 1
    value = sign * (1 + sides)
    cells[cell] = value
    for i in range(6):
        near = around[cell, i]
        if near >= 0 and cells[near] * sign > 0 and cells[near] != value:
            spread(cells, around, value)
            break
    return sides


def spread(cells: Out, around: Out, value: int) -> None:
    """Give the value to all stones of its player that are joined to one that has it."""
    changed, forwards = True, False
    while changed:
        changed, forwards = False, not forwards
        for i in range(len(cells)):
            cell = i if forwards else len(cells) - 1 - i
            if cells[cell] * value > 0 and cells[cell] != value:
                for j in range(6):
                    if around[cell, j] >= 0 and cells[around[cell, j]] == value:
                        cells[cell] = value
                        changed = True


def missing_stones(cells: Out, around: Out, sign: int) -> int:
    """Return about how many stones a player still needs to join both sides.

    That is a shortest way over empty cells, except that the other player may block it: a step over
    empty cells counts as long as the second best one would, but for one stone more at most.
    """
    size = int(len(cells) ** 0.5 + 0.5)
    step, row = (1, size) if sign > 0 else (size, 1)
    needed = np.full(len(cells), FAR)
    for i in range(size):
        if cells[i * step] * sign >= 0:
            needed[i * step] = 0 if cells[i * step] != 0 else 1
    changed, forwards = True, False
    while changed:
        changed, forwards = False, not forwards
        cell, turn = (0, 1) if forwards else (len(cells) - 1, -1)
        for _ in range(size):
            start = cell
            for _ in range(size):
                if cells[cell] * sign >= 0 and needed[cell] > 0:
                    fewer = needed_from(cells, around, needed, cell)
                    if fewer < needed[cell]:
                        needed[cell] = fewer
                        changed = True
                cell += turn * step
            cell = start + turn * row
    joined = best = second = FAR
    for i in range(size):
        end = (size - 1) * row + i * step
        if cells[end] != 0:
            joined = min(joined, needed[end])
        second = min(second, max(best, needed[end]))
        best = min(best, needed[end])
    return int(min(joined, second, best + 1))


def needed_from(cells: Out, around: Out, needed: Out, cell: int) -> int:
    """Return how many stones join this cell to the first side, given those of the cells around."""
    joined = best = second = FAR
    for i in range(6):
        near = around[cell, i]
        if near >= 0 and needed[near] < second:
            way = needed[near]
            if cells[near] != 0:
                joined = min(joined, way)
            second = max(best, way)
            best = min(best, way)
    ways = int(min(joined, second, best + 1))
    return ways if cells[cell] != 0 else 1 + ways


# The same on bits, for small boards. A board is its size and the cells that are not in the first
# column.


def sides_of(player: int, board: tuple[int, int]) -> tuple[int, int]:
    """Return the cells at a player's first side and at the second."""
    size, inner = board
    if player == 0:
        row = (1 << size) - 1
        return row, row << (size - 1) * size
    column = ((1 << size * size) - 1) & ~inner
    return column, column << size - 1


def list_forced_on_bits(cells: Out, turn: int, board: tuple[int, int], out: Out) -> int:
    """Do what `list_forced` does."""
    empty, threats = cells_with(cells, 0), 0
    for player in (turn, 1 - turn):
        sign, (first, second) = 1 - 2 * player, sides_of(player, board)
        first |= cells_next_to(cells_with(cells, sign * (1 + FIRST_SIDE)), board)[0]
        second |= cells_next_to(cells_with(cells, sign * (1 + SECOND_SIDE)), board)[0]
        threats = empty & first & second
        if player == turn and threats != 0:
            out[0] = first_cell(threats)
            return 1
    if threats & (threats - 1) != 0:
        return 0
    return list_cells(empty if threats == 0 else threats, out)


def join_on_bits(
    cells: Out, cell: int, player: int, sides: int, board: tuple[int, int]
) -> tuple[int, int]:
    """Return the sides that `join` finds, and the stones joined to the new one, with that."""
    sign, changed = 1 - 2 * player, 1 << cell
    near, _ = cells_next_to(changed, board)
    loose = cells_with(cells, sign)
    first = cells_with(cells, sign * (1 + FIRST_SIDE))
    second = cells_with(cells, sign * (1 + SECOND_SIDE))
    sides |= (FIRST_SIDE if near & first != 0 else 0) | (SECOND_SIDE if near & second != 0 else 0)
    # The stones that may have to change, and of these those that are joined to the new one.
    others = loose | first | second if sides == BOTH_SIDES else loose if sides != 0 else 0
    reached = near & others
    while reached != 0:
        others &= ~reached
        changed |= reached
        reached = cells_next_to(reached, board)[0] & others
    return sides, changed


def missing_on_bits(cells: Out, empty: int, player: int, board: tuple[int, int]) -> int:
    """Return what `missing_stones` does, while nobody has won: the least number that will do."""
    sign, (first, last) = 1 - 2 * player, sides_of(player, board)
    before = cells_with(cells, sign * (1 + FIRST_SIDE))
    goal = cells_with(cells, sign * (1 + SECOND_SIDE))
    own = before | goal | cells_with(cells, sign)
    # The cells that need at most one stone less; those next to one of them, to two of them, to one
    # with a stone, and to one that needs two less. No stone less than one: those that are joined.
    one, two = cells_next_to(before, board)
    joined, earlier = one, 0
    for needed in range(1, board[0] * board[0] + 2):
        reached = before | own & one | empty & (two | joined | earlier | first)
        earlier, more = one, reached
        while more != 0:
            if reached & goal != 0:
                return needed
            one, two = cells_next_to(reached, board)
            joined, _ = cells_next_to(reached & own, board)
            more = own & (two | joined) & ~reached
            reached |= more
        ends = reached & last
        if before & last != 0 or ends & (ends - 1) != 0:
            return needed
        before = reached
    return FAR


def cells_next_to(cells: int, board: tuple[int, int]) -> tuple[int, int]:
    """Return the cells next to at least one of these, and next to at least two; and some beyond."""
    size, inner = board
    above, below = cells << size, cells >> size
    left, right = (cells & inner) >> 1, cells << 1 & inner
    left_above, right_below = (cells & inner) << size - 1, cells >> size - 1 & inner
    upright, along, aslant = above | below, left | right, left_above | right_below
    two = above & below | left & right | left_above & right_below | upright & along
    straight = upright | along
    return straight | aslant, two | straight & aslant
