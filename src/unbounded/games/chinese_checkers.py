# SPDX-License-Identifier: MIT
"""Chinese Checkers: across a star to the opposite point, for two, three, four or six players."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from unbounded.game import Known, Out, Place, RecordGame, Rules, State, record, require
from unbounded.game.board import LETTERS, cell_name, player_in_turn, renamed, require_integer
from unbounded.game.colors import BOARD, DARK, FAINT, LAST, LINE, PLAYERS, TARGET, TINTS, Color
from unbounded.game.drawing import HEX_STEP, Canvas
from unbounded.game.setting_up import check_pieces, packed
from unbounded.game.wording import counted

SYMBOLS = "ABCDEF"
SOLVER = "independent solver: trying everything"

SEATS = {2: (0, 3), 3: (0, 2, 4), 4: (0, 1, 3, 4), 6: (0, 1, 2, 3, 4, 5)}
"""Whose home is which point of the star, by how many play; points go clockwise from the bottom."""

WAYS = ((2, 0), (1, 1), (-1, 1), (-2, 0), (-1, -1), (1, -1))
"""Columns and rows to the six cells around one."""

Spot = tuple[int, int]


class ChineseCheckers(RecordGame):
    """Everybody has pieces in one point of a star, and brings them to the point opposite.

    In a move a piece either steps to an empty cell next to it, or jumps over a piece next to it,
    anybody's, to the empty cell right behind; after a jump it may jump on, in any direction, and
    stop wherever it likes. Pieces stay on the board when they are jumped over. Every cell is open
    to everybody: a piece may stop in any point of the star, go back, and leave the point opposite
    again. A player who cannot move must pass, and nobody else may.

    A player wins as soon as the point opposite is full and at least one of the pieces there is
    their own, whoever else is there and whoever made the last move; all others lose. Were all
    pieces there to be one's own, a single piece left at home would be enough never to lose. The
    condition is that of Sturtevant, On Strongly Solving Chinese Checkers, 2019, as others retell
    it (the paper itself is not checked); a move that makes somebody else win is not allowed there,
    but is here.

    Pieces can move back and forth, so the game ends in a draw after `horizon` moves in all, passes
    among them. There is no other rule about repeated positions.

    `size` is the number of cells along the side of a point: 4 is the usual star, of 121 cells and
    10 pieces each; 3, 2 and 1 have 73, 37 and 13 cells with 6, 3 and 1 pieces. Two sit opposite
    each other, three at every other point, four in two pairs opposite each other. The first sits at
    the bottom, the others clockwise. Cells are named by column and row.
    """

    solvable = "chinese-checkers(size=1,players=2)"
    known_values = tuple(
        Known(f"chinese-checkers(size=1,{more})", outcome, SOLVER)
        for more, outcome in (
            ("players=2,horizon=8", (0, 0)),
            ("players=2,horizon=9", (1, -1)),
            ("players=2", (1, -1)),
            ("horizon=14", (0, 0, 0)),
            ("players=4,horizon=10", (0, 0, 0, 0)),
            ("players=6,horizon=10", (0, 0, 0, 0, 0, 0)),
        )
    )

    def __init__(self, size: int = 2, players: int = 3, horizon: int = 60) -> None:
        require_integer("size", size, 1, 4)
        require_integer("horizon", horizon, 1, 10_000)
        allowed = type(players) is int and players in SEATS
        require(allowed, "players must be 2, 3, 4 or 6")
        self.size, self.players, self.horizon = size, players, horizon
        self.zero_sum = players == 2
        self.symbols = SYMBOLS[:players]
        self.symmetries = 2 if players == 2 else 1
        self.spots = spots_of(size)
        cells, pieces = len(self.spots), size * (size + 1) // 2
        self.state = record(cells=f"i8[{cells}]", turn="i8", winner="i8", left="i16")
        self.max_actions = pieces * (cells - pieces * players)
        self.planes = (6 // self._spacing + 2, 4 * size + 1, 4 * size + 1)
        self.action_count, self.longest_game = cells * cells + 1, horizon

    # A cell holds 0 when empty, else the number of its player plus one; `winner` likewise. `left`
    # counts the moves down to the horizon; when somebody has won it is 0, and `turn` is the winner:
    # equal ends are equal states. An action is from * cells + to, and cells * cells is a pass.

    @property
    def _spacing(self) -> int:
        """How many points there are from one home to the next; 1 where that differs."""
        return {2: 3, 3: 2, 4: 1, 6: 1}[self.players]

    def rules(self) -> Rules:
        players, horizon, size = self.players, self.horizon, len(self.spots)
        around = np.array(neighbor_table(self.spots), np.int64)
        point_of = np.array([point_at(spot, self.size) for spot in self.spots], np.int64)
        owners, rivals = self._owners()

        def initial(s: State) -> None:
            for cell in range(size):
                if point_of[cell] >= 0:
                    s.cells[cell] = owners[point_of[cell]] + 1
            s.left = horizon

        def actions(s: State, out: Out) -> int:
            count = 0
            if s.left > 0:
                for cell in range(size):
                    if s.cells[cell] == s.turn + 1:
                        count = add_steps(s.cells, around, cell, out, count)
                        count = add_jumps(s.cells, around, cell, out, count)
                if count == 0:
                    out[0] = size * size
                    count = 1
            return count

        def move(s: State, action: int, t: State) -> None:
            t.turn, t.left = (s.turn + 1) % players, s.left - 1
            if action < size * size:
                target = action % size
                t.cells[action // size] = 0
                t.cells[target] = s.turn + 1
                # Only the point that a piece went to can have become full: at most one has won.
                point = point_of[target]
                who = rivals[point] if point >= 0 else -1
                if who >= 0 and is_full(t.cells, point_of, point, who):
                    t.turn, t.winner, t.left = who, who + 1, 0

        def outcome(s: State, out: Out) -> None:
            if s.winner != 0:
                for who in range(players):
                    out[who] = 1 if who == s.winner - 1 else -1

        symmetry, relabel, encode = self._views()
        return Rules(
            initial, player_in_turn, actions, move, outcome, evaluate=self._guess(),
            symmetry=symmetry if players == 2 else None,
            relabel=relabel if players != 4 else None, encode=encode,
        )  # fmt: skip

    def _owners(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return for each point whose home it is, and who wants to get there; -1 for nobody."""
        owners, rivals = np.full(6, -1), np.full(6, -1)
        for who, seat in enumerate(SEATS[self.players]):
            owners[seat] = rivals[(seat + 3) % 6] = who
        return owners, rivals

    def _guess(self) -> Callable[..., None]:
        """Return the rule `evaluate`: who has least way left, in steps."""
        players, size = self.players, len(self.spots)
        tips = [point_tip((seat + 3) % 6, self.size) for seat in SEATS[self.players]]
        ways = np.array([[steps(p, tip) for p in self.spots] for tip in tips], np.int64)

        def evaluate(s: State, out: Out) -> None:
            for who in range(players):
                # Whoever moves soon is ahead of those who wait.
                out[who] = ((who - s.turn) % players) / players
            for cell in range(size):
                if s.cells[cell] > 0:
                    out[s.cells[cell] - 1] += ways[s.cells[cell] - 1, cell]
            first, second = two_least(out, players)
            for who in range(players):
                lead = (second if out[who] == first else first) - out[who]
                out[who] = lead / (abs(lead) + 4.0)

        return evaluate

    def _views(self) -> list[Callable[..., None]]:
        """Return the rules `symmetry`, `relabel` and `encode`."""
        players, horizon, size = self.players, self.horizon, len(self.spots)
        spacing, wide = self._spacing, 4 * self.size + 1
        seats = np.array(SEATS[self.players], np.int64)
        turned = np.array(turned_cells(self.spots, self.size), np.int64)
        mirrored = np.array(mirrored_cells(self.spots, self.size), np.int64)
        grid = np.array([grid_cell(spot, self.size) for spot in self.spots], np.int64)

        def symmetry(s: State, k: int, t: State) -> None:
            if k == 1:
                for cell in range(size):
                    t.cells[mirrored[cell]] = s.cells[cell]

        def relabel(s: State, k: int, t: State) -> None:
            # A player with another number has another home, so the board is turned.
            for cell in range(size):
                owner = s.cells[cell]
                t.cells[turned[k * spacing, cell]] = renamed(owner, k, players)
            t.turn, t.winner = (s.turn + k) % players, renamed(s.winner, k, players)

        def encode(s: State, out: Out) -> None:
            # The board is turned until the mover sits at the bottom; then a plane for the pieces
            # of each home, clockwise, where the board is, and how much of the game is left.
            seat, area, last = seats[s.turn], wide * wide, 6 // spacing
            for cell in range(size):
                at = grid[turned[(6 - seat) % 6, cell]]
                if s.cells[cell] > 0:
                    home = (seats[s.cells[cell] - 1] - seat) % 6
                    out[home // spacing * area + at] = 1.0
                out[last * area + at] = 1.0
            for at in range(area):
                out[(last + 1) * area + at] = s.left / horizon

        return [symmetry, relabel, encode]

    # -- for people -------------------------------------------------------------------------------

    def _name(self, cell: int) -> str:
        column, row = self.spots[cell]
        return cell_name(row, column)

    def action_name(self, state: bytes, action: int) -> str:
        source, target = divmod(action, len(self.spots))
        if source == len(self.spots):
            return "pass"
        return f"{self._name(source)}-{self._name(target)}"

    def _verdict(self, state: bytes) -> str:
        s = self.state.unpack(state)
        if s.winner:
            return f"{self.symbols[s.winner - 1]} has won"
        left = counted(s.left, "move")
        return f"{self.symbols[s.turn]} to move, {left} left" if s.left else "a draw"

    def show(self, state: bytes) -> str:
        cells = dict(zip(self.spots, self.state.unpack(state).cells, strict=True))
        margin, lines = len(str(4 * self.size + 1)), []
        for row in reversed(range(4 * self.size + 1)):
            look = ""
            for column in range(6 * self.size + 1):
                look += f".{SYMBOLS}"[cells[column, row]] if (column, row) in cells else " "
            lines.append(f"{row + 1:{margin}} {look}".rstrip())
        lines.append(" " * margin + " " + LETTERS[: 6 * self.size + 1])
        return "\n".join([*lines, self._verdict(state)])

    def svg(self, state: bytes, *, last: int | None = None, targets: Sequence[int] = ()) -> str:
        s, size = self.state.unpack(state), len(self.spots)
        wide, high = 3 * self.size + 2, 2 * star_radius(self.size)
        canvas = Canvas(wide, high, title=f"Chinese Checkers: {self._verdict(state)}")
        self._draw_board(canvas)
        moved = [] if last is None or last == size * size else [*divmod(last, size)]
        if moved:
            ends = (*self._center(moved[0]), *self._center(moved[1]))
            canvas.line(*ends, stroke=LAST, thickness=0.1, role="last")
        open_moves = [divmod(action, size) for action in targets if action < size * size]
        for source, target in open_moves:
            ends = (*self._center(source), *self._center(target))
            canvas.line(*ends, stroke=TARGET, thickness=0.05, role="target")
        for cell, holds in enumerate(s.cells):
            x, y = self._center(cell)
            canvas.disc(x, y, 0.27, stroke=LINE, fill=BOARD)
            if holds:
                canvas.piece(x, y, holds - 1, SYMBOLS[holds - 1], 0.34)
            if cell in moved:
                canvas.ring_last(x, y, 0.395)
            if s.winner and self._wins_at(s.winner - 1, cell):
                canvas.mark_win(x, y, 0.4)
        for _, target in open_moves:
            canvas.mark_target(*self._center(target))
        if size * size in (last, *targets):
            told = "last move: pass" if last == size * size else "no move: pass"
            canvas.text(wide / 2, -0.35, told, size=0.35)
        return canvas.svg()

    def places(self, state: bytes, action: int) -> Sequence[Place]:
        source, target = divmod(action, len(self.spots))
        if source == len(self.spots):
            return ()
        return [Place(*self._center(cell), height=HEX_STEP) for cell in (source, target)]

    def badge_place(self, state: bytes, action: int) -> Place | None:
        places = self.places(state, action)
        return places[-1].inside(0.6) if places else None  # the cell is empty

    @property
    def piece_symbols(self) -> str:  # type: ignore[override]
        """What a cell can hold: nothing, or a piece of a player."""
        return "." + self.symbols

    def piece_places(self) -> Sequence[Place]:
        cells = range(len(self.spots))
        return [Place(*self._center(cell), height=HEX_STEP) for cell in cells]

    def pieces_on(self, state: bytes) -> Sequence[int]:
        cells: list[int] = self.state.unpack(state).cells
        return cells

    def set_up(self, pieces: Sequence[int], player: int) -> bytes:
        check_pieces(self, pieces, player)
        each = self.size * (self.size + 1) // 2
        for who, symbol in enumerate(self.symbols):
            count = list(pieces).count(who + 1)
            require(count == each, f"{symbol} must have {each} pieces, not {count}")
        points = [point_at(spot, self.size) for spot in self.spots]
        for point, who in enumerate(self._owners()[1].tolist()):
            won = who >= 0 and is_full(list(pieces), points, point, who)
            require(not won, f"{self.symbols[who]} has won already in this position")
        return packed(self, player, cells=list(pieces), left=self.horizon)

    def _draw_board(self, canvas: Canvas) -> None:
        """Draw the star, each point in its owner's color, framed by who wants to get there."""
        owners, rivals = self._owners()
        corners = star_corners(self.size)
        canvas.polygon(corners, fill=BOARD)
        for point in range(6):
            ends = [corners[(2 * point + i) % 12] for i in (11, 0, 1)]
            canvas.polygon(ends, fill=tint(owners[point]), stroke="none")
        for point in range(6):
            if rivals[point] >= 0:
                ends = [corners[(2 * point + i) % 12] for i in (11, 0, 1)]
                for start, end in itertools.pairwise(ends):
                    canvas.line(*start, *end, stroke=PLAYERS[rivals[point]], thickness=0.07)
        for spot, near in itertools.product(self.spots, WAYS[:3]):
            beside = (spot[0] + near[0], spot[1] + near[1])
            if beside in self.spots:
                canvas.line(*center(spot, self.size), *center(beside, self.size), thickness=0.03)
        for column in range(6 * self.size + 1):
            x, _ = center((column, 0), self.size)
            canvas.text(x, canvas.height + 0.35, LETTERS[column], size=0.32, fill=FAINT)
        for row in range(4 * self.size + 1):
            _, y = center((0, row), self.size)
            canvas.text(-0.35, y, str(row + 1), size=0.32, fill=FAINT)

    def _wins_at(self, who: int, cell: int) -> bool:
        """Whether a cell is in the point that a player wants to fill."""
        point = point_at(self.spots[cell], self.size)
        return point >= 0 and int(self._owners()[1][point]) == who

    def _center(self, cell: int) -> tuple[float, float]:
        """Return where the middle of a cell is drawn."""
        return center(self.spots[cell], self.size)


# -- moves ----------------------------------------------------------------------------------------


def add_steps(cells: Out, around: Out, source: int, out: Out, count: int) -> int:
    """Add the steps of the piece on a cell to the actions; return how many actions there are."""
    for way in range(6):
        target = around[source, way]
        if target >= 0 and cells[target] == 0:
            out[count] = source * len(cells) + target
            count += 1
    return count


def add_jumps(cells: Out, around: Out, source: int, out: Out, count: int) -> int:
    """Add the jumps of the piece on a cell, chains of any length; return how many actions now.

    The actions found are also the list of cells from which to jump on. A jump is two steps long,
    so that a chain never leads next to the cell where it began, nor to where one step would.
    """
    first, place, done = count, source, count
    while True:
        for way in range(6):
            over = around[place, way]
            if over >= 0 and cells[over] != 0:
                target = around[over, way]
                if target >= 0 and cells[target] == 0:
                    action = source * len(cells) + target
                    if not is_listed(out, first, count, action):
                        out[count] = action
                        count += 1
        if done == count:
            return count
        place = out[done] % len(cells)
        done += 1


def is_listed(out: Out, first: int, count: int, action: int) -> bool:
    """Whether an action is among those from the first on."""
    at = first
    while at < count and out[at] != action:
        at += 1
    return at < count


def is_full(cells: Out, point_of: Out, point: int, who: int) -> bool:
    """Whether a point of the star is full, and some piece there is this player's."""
    own = False
    for cell in range(len(cells)):
        if point_of[cell] == point:
            if cells[cell] == 0:
                return False
            own = own or cells[cell] == who + 1
    return own


def two_least(numbers: Out, count: int) -> tuple[float, float]:
    """Return the least of some different numbers, and the least of the others."""
    first = second = 1e9
    for i in range(count):
        if numbers[i] < first:
            first, second = numbers[i], first
        elif numbers[i] < second:
            second = numbers[i]
    return first, second


# -- the board ------------------------------------------------------------------------------------
# A spot is (column, row), from the left and from the bottom. Cells side by side are two columns
# apart, so that every cell is straight above all others of its column.


def spots_of(size: int) -> list[Spot]:
    """Return the spots of all cells, row by row from the bottom: of two triangles on another."""
    found = []
    for row in range(4 * size + 1):
        for column in range(6 * size + 1):
            axes = axes_of((column, row), size)
            even = (column - row - size) % 2 == 0
            if even and (max(axes) <= size or min(axes) >= -size):
                found.append((column, row))
    return found


def axes_of(spot: Spot, size: int) -> tuple[int, int, int]:
    """Return how far a spot is from the middle along three axes; together they are 0."""
    right, up = spot[0] - 3 * size, spot[1] - 2 * size
    return (right - up) // 2, up, -(right + up) // 2


def spot_at(axes: tuple[int, int, int], size: int) -> Spot:
    """Return the spot with these distances from the middle."""
    return 2 * axes[0] + axes[1] + 3 * size, axes[1] + 2 * size


def point_at(spot: Spot, size: int) -> int:
    """Return the point of the star that a spot is in, clockwise from the bottom; or -1."""
    x, y, z = axes_of(spot, size)
    beyond = (y < -size, z > size, x < -size, y > size, z < -size, x > size)
    return beyond.index(True) if any(beyond) else -1


def turn_once(spot: Spot, size: int) -> Spot:
    """Return the spot one point of the star further, clockwise."""
    x, y, z = axes_of(spot, size)
    return spot_at((-z, -x, -y), size)


def point_tip(point: int, size: int) -> Spot:
    """Return the outermost spot of a point."""
    spot = (3 * size, 0)
    for _ in range(point):
        spot = turn_once(spot, size)
    return spot


def steps(spot: Spot, other: Spot) -> int:
    """Return how many steps it is from one spot to another, if nothing is in the way."""
    right, up = abs(spot[0] - other[0]), abs(spot[1] - other[1])
    return up + max(0, right - up) // 2


def neighbor_table(spots: Sequence[Spot]) -> list[list[int]]:
    """Return for each cell the six around it, -1 where the board ends."""
    number = {spot: cell for cell, spot in enumerate(spots)}
    return [[number.get((x + right, y + up), -1) for right, up in WAYS] for x, y in spots]


def turned_cells(spots: Sequence[Spot], size: int) -> list[list[int]]:
    """Return where each cell goes when the board is turned by 0, 1, ... 5 points, clockwise."""
    number = {spot: cell for cell, spot in enumerate(spots)}
    turned, images = [], list(spots)
    for _ in range(6):
        turned.append([number[spot] for spot in images])
        images = [turn_once(spot, size) for spot in images]
    return turned


def mirrored_cells(spots: Sequence[Spot], size: int) -> list[int]:
    """Return where each cell goes when left and right are mirrored."""
    return [spots.index((6 * size - column, row)) for column, row in spots]


def grid_cell(spot: Spot, size: int) -> int:
    """Return where a spot is in a plane: a rhombus as a square, row by row."""
    x, y, _ = axes_of(spot, size)
    return (y + 2 * size) * (4 * size + 1) + x + 2 * size


# -- the drawing ----------------------------------------------------------------------------------


def star_radius(size: int) -> float:
    """Return how far it is from the middle of the drawing to the tips of the star."""
    return 2 * HEX_STEP * size + 1


def center(spot: Spot, size: int) -> tuple[float, float]:
    """Return the middle of a cell in the drawing."""
    return spot[0] / 2 + 1, star_radius(size) - (spot[1] - 2 * size) * HEX_STEP


def star_corners(size: int) -> list[tuple[float, float]]:
    """Return the outline of the star, clockwise from the tip at the bottom."""
    far = star_radius(size)
    found = []
    for i in range(12):
        radius, angle = (far if i % 2 == 0 else far / 3**0.5), i * math.pi / 6
        x, y = -radius * math.sin(angle), radius * math.cos(angle)
        found.append((1.5 * size + 1 + x, far + y))
    return found


def tint(who: int) -> Color:
    """Return a faint shade of a player's color, and for nobody the board's own."""
    return DARK if who < 0 else TINTS[who]
