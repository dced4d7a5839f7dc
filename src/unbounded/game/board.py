# SPDX-License-Identifier: MIT
"""What games on boards share: names of cells, tables of symmetries and neighbors, common rules.

`Grid` is for everything outside the rules: names, text boards, places on a drawing, and tables of
cells that `rules()` turns into constants. The functions after it are rules, or parts of rules, and
can be compiled: a game passes them to `Rules`, or calls them in rules of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from string import ascii_lowercase
from typing import Any

from unbounded.game.bits import MOST_BITS, fill_cells
from unbounded.game.contract import Game
from unbounded.game.errors import require
from unbounded.game.rules import Out, Permutation, State

LETTERS = ascii_lowercase
"""The names of columns."""

MOST_CELLS = 400
"""The most cells of a board whose rows and columns are parameters."""

ALL_AROUND = ((0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1))
"""Rows up and columns to the right of the eight cells around one, anticlockwise from the right."""


Neighbors = Mapping[int, Collection[int]]
"""The cells next to each cell."""


# -- parameters -----------------------------------------------------------------------------------


def require_integer(name: str, value: object, least: int, most: int) -> None:
    """Refuse a parameter that is not an integer in this range; True and False are not integers."""
    allowed = type(value) is int and least <= value <= most
    require(allowed, f"{name} must be an integer from {least} to {most}")


def require_board(rows: int, columns: int, *, least: int = 1) -> None:
    """Refuse a board of less than `least` rows or columns, or one that is too large."""
    require_integer("rows", rows, least, len(LETTERS))
    require_integer("columns", columns, least, len(LETTERS))
    require(rows * columns <= MOST_CELLS, f"a board has at most {MOST_CELLS} cells")


# -- cells ----------------------------------------------------------------------------------------


def cell_name(row: int, column: int) -> str:
    """Return the name of a cell; row 0 and column 0 are "a1"."""
    return f"{LETTERS[column]}{row + 1}"


@dataclass(frozen=True)
class Grid:
    """A board of rows and columns, whose cells are numbered from a1 along the rows.

    a1 is at the bottom left, in drawings and in text.
    """

    rows: int
    columns: int

    def name(self, cell: int) -> str:
        """Return the name of a cell."""
        return cell_name(*divmod(cell, self.columns))

    def corner(self, cell: int) -> tuple[int, int]:
        """Return where the upper left corner of a cell is drawn."""
        row, column = divmod(cell, self.columns)
        return column, self.rows - 1 - row

    def center(self, cell: int) -> tuple[float, float]:
        """Return where the middle of a cell is drawn."""
        x, y = self.corner(cell)
        return x + 0.5, y + 0.5

    def is_dark(self, cell: int) -> bool:
        """Whether a cell is dark on a chequered board, where a1 is."""
        row, column = divmod(cell, self.columns)
        return (row + column) % 2 == 0

    def text(self, cells: Sequence[str], *, width: int = 1) -> str:
        """Return a text board: what is on each cell, padded to a width, with names at the edges."""
        margin = len(str(self.rows))
        lines = []
        for row in reversed(range(self.rows)):
            shown = cells[row * self.columns : (row + 1) * self.columns]
            lines.append(f"{row + 1:{margin}} " + " ".join(f"{text:{width}}" for text in shown))
        letters = " ".join(f"{letter:{width}}" for letter in LETTERS[: self.columns])
        return "\n".join(line.rstrip() for line in [*lines, f"{'':{margin}} {letters}"])

    @property
    def symmetries(self) -> int:
        """How many symmetries the board has, the one that changes nothing among them."""
        return 8 if self.rows == self.columns else 4

    def images(self) -> list[list[int]]:
        """Return where each cell goes under each symmetry.

        Symmetry k mirrors left and right if k & 1, mirrors bottom and top if k & 2, and then swaps
        rows and columns if k & 4.
        """
        return [
            [self._image(cell, k) for cell in range(self.rows * self.columns)]
            for k in range(self.symmetries)
        ]

    def _image(self, cell: int, k: int) -> int:
        row, column = divmod(cell, self.columns)
        row = self.rows - 1 - row if k & 2 else row
        column = self.columns - 1 - column if k & 1 else column
        return column * self.columns + row if k & 4 else row * self.columns + column

    def neighbors(self, ways: Sequence[tuple[int, int]]) -> list[list[int]]:
        """Return for each cell the cells at these offsets (up, right); -1 where there is none."""
        return [
            [self._cell(row + up, column + right) for up, right in ways]
            for row in range(self.rows)
            for column in range(self.columns)
        ]

    def _cell(self, row: int, column: int) -> int:
        inside = 0 <= row < self.rows and 0 <= column < self.columns
        return row * self.columns + column if inside else -1


def shortest_way(near: Neighbors, starts: Collection[int], ends: Collection[int]) -> list[int]:
    """Return the cells of a shortest way from one of the starts to one of the ends; [] if none."""
    ways = [[cell] for cell in sorted(starts)]
    seen = set(starts)
    for way in ways:  # which grows meanwhile
        if way[-1] in ends:
            return way
        new = sorted(set(near[way[-1]]) - seen)
        seen.update(new)
        ways += [[*way, cell] for cell in new]
    return []


def mover_text(game: Game[Any, Any], state: Any) -> str:
    """Return who moves or, where having no move loses, that the mover has none."""
    mover, other = (game.player_name(who) for who in (game.player(state), 1 - game.player(state)))
    if len(game.actions(state)) > 0:
        return f"{mover} to move"
    return f"{mover} cannot move; {other} wins"


def winners_text(symbols: str, points: Sequence[int]) -> str:
    """Return who has won with the most points, or who shares them."""
    best = [symbol for symbol, x in zip(symbols, points, strict=True) if x == max(points)]
    return f"{best[0]} has won" if len(best) == 1 else f"{' and '.join(best)} draw"


# -- rules ----------------------------------------------------------------------------------------


def empty_board(s: State) -> None:
    """Rule `initial` where the board is empty at first: every field is 0 already."""


def player_in_turn(s: State) -> int:
    """Rule `player` where the state has a field `turn`."""
    turn: int = s.turn
    return turn


def mover_loses(s: State, out: Out) -> None:
    """Rule `outcome` for two players, where the player who cannot move loses."""
    out[s.turn], out[1 - s.turn] = -1, 1


def move_piece(cells: Out, source: int, target: int, piece: int) -> None:
    """Empty a cell and put a piece on another one; compiled, cells are set all at once."""
    if len(cells) > MOST_BITS:
        cells[source] = 0
        cells[target] = piece
    else:
        fill_cells(cells, 1 << source, 0)
        fill_cells(cells, 1 << target, piece)


def most_points_win(out: Out, players: int) -> None:
    """Replace points by outcomes: the most points win, or draw if shared; all others lose."""
    most, sharing = out[0], 0
    for who in range(players):
        most = max(most, out[who])
    for who in range(players):
        sharing += 1 if out[who] == most else 0
    for who in range(players):
        if out[who] < most:
            out[who] = -1
        else:
            out[who] = 1 if sharing == 1 else 0


def moved_cells(field: str, images: Any) -> Callable[[State, int, State], None]:
    """Return rule `symmetry` for a field (an array of i8) whose item i goes to images[k, i].

    The images are a NumPy array with a row per symmetry. The smallest image of a state is found
    faster by this rule than by one of the game's own.
    """
    sources = images.argsort(axis=1)  # of a permutation, that is its inverse
    count = sources.shape[1]

    def symmetry(s: State, k: int, t: State) -> None:
        for item in range(count):
            getattr(t, field)[item] = getattr(s, field)[sources[k, item]]

    vars(symmetry)["permutes"] = Permutation(field, sources)
    return symmetry


def renamed(owner: int, k: int, players: int) -> int:
    """Return what a cell holds after player p is renamed to p + k: 0, or the owner plus one."""
    return (owner - 1 + k) % players + 1 if owner > 0 else 0


def rename_owners(size: int, players: int) -> Callable[[State, int, State], None]:
    """Return rule `relabel` for `cells` that hold 0 or their owner plus one."""

    def relabel(s: State, k: int, t: State) -> None:
        for cell in range(size):
            t.cells[cell] = renamed(s.cells[cell], k, players)
        t.turn = (s.turn + k) % players

    return relabel
