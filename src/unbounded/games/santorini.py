# SPDX-License-Identifier: MIT
"""Santorini: workers climb the towers that they build, for two or three players, without gods."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from unbounded.game import Known, Out, Place, RecordGame, Rules, State, record, require
from unbounded.game.bits import (
    MOST_BITS,
    cells_above,
    cells_with,
    count_cells,
    fill_cells,
    first_cell,
)
from unbounded.game.board import ALL_AROUND, Grid, player_in_turn, require_integer
from unbounded.game.colors import DOME as DOME_BLUE
from unbounded.game.colors import STONES
from unbounded.game.drawing import Canvas, cells_named

UNPLACED, GONE = -1, -2
TOP, DOME = 3, 4


class Santorini(RecordGame):
    """Workers of two or three players build towers and climb them; the first at the top wins.

    Each player has two workers, or one if the game is to be shorter. First all are placed: the
    first player puts theirs on free cells, one after the other, then the next player does. Then
    the first player begins.

    In a turn a player moves one of their workers to one of the eight cells around it, and with the
    same worker builds on one of the eight cells around its new place. A worker may go up by one
    level at most, and down by any number. Building adds a level: after the third comes a dome,
    and on a dome nobody moves or builds. Neither moving nor building is possible where a worker
    stands. Blocks do not run out. Whoever moves a worker up to the third level wins at once.

    Whoever cannot move when it is their turn is out of the game, and the last one left wins. When
    one of three players is out, their workers are taken from the board and the others play on.
    All but the winner lose. These are the rules for beginners, without the powers of gods.

    A turn is one action, `b2-b3+c4`: from b2 to b3, then build on c4. A move that wins needs no
    building: `b2-b3`.
    """

    symmetries = 8
    single_winner = True
    solvable = "santorini(size=2,workers=1)"
    known_values = (
        Known("santorini(size=2,workers=1)", (-1, 1), "independent solver"),
        Known("santorini(size=2,players=3,workers=1)", (1, -1, -1), "independent solver"),
    )

    def __init__(self, size: int = 5, players: int = 2, workers: int = 2) -> None:
        require_integer("size", size, 2, 8)
        require_integer("players", players, 2, 3)
        require_integer("workers", workers, 1, 2)
        require(players * workers < size * size, "the workers must leave a cell of the board free")
        self.size, self.players, self.workers = size, players, workers
        self.grid = Grid(size, size)
        self.zero_sum = players == 2
        self.symbols = "XO#"[:players]
        self.state = record(levels=f"i8[{size * size}]", workers=f"i8[{2 * players}]", turn="i8")
        self.max_actions = 128
        self.planes = (players + 4, size, size)
        cells = size * size
        self.action_count = cells**3
        # Each turn but the one that wins builds a level. Two players at least have workers left,
        # and these stand two levels or more below a dome.
        self.longest_game = players * workers + 4 * (cells - workers) + 1

    # The workers of a player are two entries of `workers`, in order of their cells: nobody can tell
    # them apart. One who is not in the game is GONE. When the game is won, `turn` is the winner,
    # whose worker stands on the top level. To place a worker is the number of its cell; a turn is
    # (from * cells + to) * cells + built, where the built cell is `to` itself if the move wins.

    def rules(self) -> Rules:
        size, players, each = self.size, self.players, self.workers
        cells = size * size
        around = np.array(self.grid.neighbors(ALL_AROUND), np.int64).ravel()
        near, on_bits = cells_around(around), cells <= MOST_BITS
        board = near, np.where(around < 0, MOST_BITS, around)

        def initial(s: State) -> None:
            for who in range(players):
                s.workers[2 * who] = UNPLACED if each == 2 else GONE
                s.workers[2 * who + 1] = UNPLACED

        def actions(s: State, out: Out) -> int:
            if is_placing(s.workers, s.turn):
                return free_cells(s.workers, cells, out)
            if stands_on_top(s.levels, s.workers, s.turn):
                return 0
            if on_bits:
                return turns_on_bits(s.levels, s.workers, s.turn, board, out)
            return turns(s.levels, s.workers, s.turn, around, out)

        def is_terminal(s: State) -> bool:
            if is_placing(s.workers, s.turn):
                return False
            if on_bits:
                return is_over_on_bits(s.levels, s.workers, s.turn, near)
            on_top = stands_on_top(s.levels, s.workers, s.turn)
            return on_top or not can_go_on(s.levels, s.workers, s.turn, around)

        def play(s: State, action: int, t: State) -> None:
            start, to, built = action // cells // cells, action // cells % cells, action % cells
            if action < cells:
                start, to = UNPLACED, action
            low, high = s.workers[2 * s.turn], s.workers[2 * s.turn + 1]
            other = high if low == start else low
            fill_cells(t.workers, 1 << 2 * s.turn, min(other, to))
            fill_cells(t.workers, 2 << 2 * s.turn, max(other, to))
            if on_bits:
                fill_cells(t.levels, 1 << built, s.levels[built] + (1 if built != to else 0))
            elif built != to:
                t.levels[built] += 1
            if built != to or (start == UNPLACED and min(other, to) != UNPLACED):
                # Of two players none is ever taken out.
                last, workers = s.turn, t.workers
                t.turn = 1 - last if players == 2 else next_player(t.levels, workers, last, around)

        def outcome(s: State, out: Out) -> None:
            won = stands_on_top(s.levels, s.workers, s.turn)
            for who in range(players):
                left = s.workers[2 * who + 1] != GONE
                out[who] = 1 if left and (who == s.turn) == won else -1

        def evaluate(s: State, out: Out) -> None:
            total = 0.0
            for who in range(players):
                if on_bits:
                    out[who] = strength_on_bits(s.levels, s.workers, who, s.turn, near)
                else:
                    out[who] = strength(s.levels, s.workers, who, s.turn, around)
                total += out[who]
            for who in range(players):
                lead = players * out[who] - total
                out[who] = lead / (abs(lead) + 60.0)

        symmetry, relabel, encode = self._views()
        return Rules(
            initial, player_in_turn, actions, play, outcome,
            evaluate=evaluate, symmetry=symmetry, relabel=relabel, encode=encode,
            is_terminal=is_terminal,
        )  # fmt: skip

    def _views(self) -> list[Callable[..., None]]:
        """Return the rules `symmetry`, `relabel` and `encode`."""
        cells, players = self.size**2, self.players
        images = np.array(self.grid.images(), np.int64).ravel()

        def symmetry(s: State, k: int, t: State) -> None:
            for cell in range(cells):
                t.levels[images[k * cells + cell]] = s.levels[cell]
            for worker in range(2 * players):
                if s.workers[worker] >= 0:
                    t.workers[worker] = images[k * cells + s.workers[worker]]
            for who in range(players):
                put_in_order(t.workers, who)

        def relabel(s: State, k: int, t: State) -> None:
            t.turn = (s.turn + k) % players
            for worker in range(2 * players):
                t.workers[(worker + 2 * k) % (2 * players)] = s.workers[worker]

        def encode(s: State, out: Out) -> None:
            write_planes(s.levels, s.workers, s.turn, out)

        return [symmetry, relabel, encode]

    def show(self, state: bytes) -> str:
        s = self.state.unpack(state)
        shown = [".123^"[level] for level in s.levels]
        for worker, cell in enumerate(s.workers):
            if cell >= 0:
                shown[cell] += self.symbols[worker // 2]
        return f"{self.grid.text(shown, width=2)}\n{self._verdict(state)}"

    def _verdict(self, state: bytes) -> str:
        s = self.state.unpack(state)
        mover = self.symbols[s.turn]
        if is_placing(s.workers, s.turn):
            return f"{mover} to place a worker"
        if self.actions(state):
            return f"{mover} to move"
        winner = self.symbols[list(self.outcome(state)).index(1)]
        return f"{mover} has won" if winner == mover else f"{mover} cannot move, {winner} has won"

    def _parts(self, action: int) -> tuple[int, ...]:
        """The cells of an action: placed; or from and to; or from, to and built."""
        cells = self.size * self.size
        if action < cells:
            return (action,)
        start, to, built = action // cells // cells, action // cells % cells, action % cells
        return (start, to) if built == to else (start, to, built)

    def action_name(self, state: bytes, action: int) -> str:
        names = [self.grid.name(cell) for cell in self._parts(action)]
        return "-".join(names[:2]) + "".join(f"+{name}" for name in names[2:])

    def svg(self, state: bytes, *, last: int | None = None, targets: Sequence[int] = ()) -> str:
        s, size = self.state.unpack(state), self.size
        canvas = Canvas(size, size, title=f"{self}: {self._verdict(state)}")
        changed = () if last is None else self._parts(last)
        for cell, level in enumerate(s.levels):
            x, y = self.grid.corner(cell)
            canvas.rectangle(x, y)
            for floor in range(1, min(level, TOP) + 1):
                inset = 0.065 * floor + 0.045
                tile = (x + inset, y + inset, 1 - 2 * inset, 1 - 2 * inset)
                canvas.rectangle(*tile, fill=STONES[floor - 1], radius=0.05)
            if level == DOME:
                canvas.piece(x + 0.5, y + 0.5, DOME_BLUE, radius=0.24)
            if cell in changed:
                canvas.mark_last(x, y)
        for worker, cell in enumerate(s.workers):
            if cell >= 0:
                middle = self.grid.center(cell)
                canvas.piece(*middle, worker // 2, self.symbols[worker // 2], 0.25)
                if s.levels[cell] == TOP:
                    canvas.mark_win(*middle, 0.315)
        for cell, level in enumerate(s.levels):
            if level:
                x, y = self.grid.corner(cell)
                canvas.text(x + 0.83, y + 0.82, str(level), size=0.19, bold=True)
        for cell in sorted({self._parts(action)[:2][-1] for action in targets}):
            canvas.mark_target(*self.grid.center(cell), 0.1)
        canvas.coordinates(size, size)
        return canvas.svg()

    def places(self, state: bytes, action: int) -> Sequence[Place]:
        return cells_named(self.action_name(state, action), self.size)


# Cells are numbered by rows from the bottom left.


def is_free(workers: Out, cell: int) -> bool:
    """Whether no worker stands on the cell."""
    count = 0
    for worker in range(len(workers)):
        count += 1 if workers[worker] == cell else 0
    return count == 0


def can_step(levels: Out, workers: Out, start: int, to: int) -> bool:
    """Whether a worker can move to a neighboring cell, which may be off the board."""
    return to >= 0 and levels[to] <= min(levels[start] + 1, TOP) and is_free(workers, to)


def stands_on_top(levels: Out, workers: Out, who: int) -> bool:
    """Whether a player has a worker on the third level."""
    for worker in range(2 * who, 2 * who + 2):
        if workers[worker] >= 0 and levels[workers[worker]] == TOP:
            return True
    return False


def is_placing(workers: Out, who: int) -> bool:
    """Whether a player has a worker that is not on the board yet."""
    return UNPLACED in (workers[2 * who], workers[2 * who + 1])


def free_cells(workers: Out, cells: int, out: Out) -> int:
    """Write the free cells to `out`, return how many they are."""
    count = 0
    for cell in range(cells):
        if is_free(workers, cell):
            out[count] = cell
            count += 1
    return count


def turns(levels: Out, workers: Out, who: int, around: Out, out: Out) -> int:
    """Write the turns of a player to `out`, return how many they are."""
    cells, count = len(levels), 0
    for worker in range(2 * who, 2 * who + 2):
        start = workers[worker]
        for way in range(8 if start >= 0 else 0):
            to = int(around[8 * start + way])
            if not can_step(levels, workers, start, to):
                continue
            turn = (start * cells + to) * cells
            if levels[to] == TOP:
                out[count] = turn + to
                count += 1
                continue
            for i in range(8 * to, 8 * to + 8):
                site = int(around[i])
                if site >= 0 and levels[site] < DOME and (site == start or is_free(workers, site)):
                    out[count] = turn + site
                    count += 1
    return count


def put_in_order(workers: Out, who: int) -> None:
    """Sort the two workers of a player."""
    low, high = workers[2 * who], workers[2 * who + 1]
    workers[2 * who] = min(low, high)
    workers[2 * who + 1] = max(low, high)


def next_player(levels: Out, workers: Out, last: int, around: Out) -> int:
    """Return who is next after the last one; whoever cannot move before that is taken out."""
    players = len(workers) // 2
    left = 0
    for who in range(players):
        left += 1 if workers[2 * who + 1] != GONE else 0
    who = (last + 1) % players
    while workers[2 * who + 1] == GONE or (
        left > 2 and not can_go_on(levels, workers, who, around)
    ):
        if workers[2 * who + 1] != GONE:
            workers[2 * who] = workers[2 * who + 1] = GONE
            left -= 1
        who = (who + 1) % players
    return who


def can_go_on(levels: Out, workers: Out, who: int, around: Out) -> bool:
    """Whether a player can place or move a worker; if it moves, it can build where it was."""
    if is_placing(workers, who):
        return True
    for worker in range(2 * who, 2 * who + 2):
        start = workers[worker]
        for way in range(8 if start >= 0 else 0):
            if can_step(levels, workers, start, around[8 * start + way]):
                return True
    return False


def strength(levels: Out, workers: Out, who: int, turn: int, around: Out) -> float:
    """Judge a player's workers: how high they stand, and how high they can go."""
    total = 0.0
    for worker in range(2 * who, 2 * who + 2):
        start = workers[worker]
        if start >= 0:
            level = levels[start]
            total += 4.0 * level * (level + 1)
            for i in range(8 * start, 8 * start + 8):
                if can_step(levels, workers, start, around[i]):
                    reached = levels[around[i]]
                    total += 1.0 + reached * (level + 1)
                    if reached == TOP:
                        total += 2000.0 if who == turn else 30.0
    return total


# The same where all cells fit one integer. `near` are, by cell, the cells around it. A board is
# these, and the cells around each one by one, where there is none MOST_BITS: no set has that one.


def cells_around(around: Out) -> np.ndarray:
    """Return, by cell, the cells around it as bits; 0 if there are too many."""
    table = np.zeros(len(around) // 8, dtype=np.int64)
    for i, to in enumerate(around if len(table) <= MOST_BITS else ()):
        table[i // 8] |= 1 << to if to >= 0 else 0
    return table


def standing(workers: Out, first: int, last: int) -> int:
    """Return the cells where these workers stand."""
    found = 0
    for worker in range(first, last + 1):
        found |= 1 << max(workers[worker], 0) if workers[worker] >= 0 else 0
    return found


def steps_on_bits(levels: Out, taken: int, start: int, near: Out) -> int:
    """Return the cells that a worker can move to; workers stand on those that are taken."""
    steps: int = near[start] & ~(taken | cells_above(levels, min(levels[start] + 1, TOP)))
    return steps


def is_over_on_bits(levels: Out, workers: Out, who: int, near: Out) -> bool:
    """Whether a player has a worker at the top or can move none; who can move can then build."""
    taken, steps = standing(workers, 0, len(workers) - 1), 0
    for worker in range(2 * who, 2 * who + 2):
        start = workers[worker]
        if start >= 0:
            steps |= steps_on_bits(levels, taken, start, near)
    on_top = standing(workers, 2 * who, 2 * who + 1) & cells_with(levels, TOP)
    return steps == 0 or on_top != 0


def turns_on_bits(levels: Out, workers: Out, who: int, board: tuple[Out, Out], out: Out) -> int:
    """Write the turns of a player to `out`, return how many they are."""
    (near, around), cells, count = board, len(levels), 0
    taken, tops = standing(workers, 0, len(workers) - 1), cells_with(levels, TOP)
    open_cells = (1 << cells) - 1 & ~(taken | cells_above(levels, TOP))
    for worker in range(2 * who, 2 * who + 2):
        start = workers[worker]
        if start >= 0:
            steps = steps_on_bits(levels, taken, start, near)
            ways, sites = ways_to(steps, start, around), open_cells | 1 << start
            while ways != 0:
                to = around[8 * start + first_cell(ways)]
                turn = (start * cells + to) * cells
                ways &= ways - 1
                if tops >> to & 1 == 1:
                    out[count] = turn + to
                    count += 1
                    continue
                for i in range(8 * to, 8 * to + 8):
                    # Without branches, which could not be predicted; there is room for all eight.
                    out[count] = turn + around[i]
                    count += sites >> around[i] & 1
    return count


def ways_to(steps: int, start: int, around: Out) -> int:
    """Return the directions in which these cells around one are, as bits."""
    ways = 0
    for way in range(8):
        ways |= (steps >> around[8 * start + way] & 1) << way
    return ways


def strength_on_bits(levels: Out, workers: Out, who: int, turn: int, near: Out) -> float:
    """Return what `strength` does."""
    total, taken = 0, standing(workers, 0, len(workers) - 1)
    for worker in range(2 * who, 2 * who + 2):
        start = workers[worker]
        if start >= 0:
            level, steps = levels[start], steps_on_bits(levels, taken, start, near)
            total += 4 * level * (level + 1) + count_cells(steps)
            for height in range(TOP):
                total += (level + 1) * count_cells(steps & cells_above(levels, height))
            on_top = count_cells(steps & cells_above(levels, TOP - 1))
            total += (2000 if who == turn else 30) * on_top
    return float(total)


def write_planes(levels: Out, workers: Out, turn: int, out: Out) -> None:
    """Write a plane per player, the mover first; then the cells of level 1, 2, 3 or 4 at least."""
    cells, players = len(levels), len(workers) // 2
    for worker in range(2 * players):
        if workers[worker] >= 0:
            plane = (worker // 2 - turn + players) % players
            out[plane * cells + workers[worker]] = 1.0
    for cell in range(cells):
        for level in range(levels[cell]):
            out[(players + level) * cells + cell] = 1.0
