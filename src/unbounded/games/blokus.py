# SPDX-License-Identifier: MIT
"""Blokus: polyominoes that touch their own color at corners only, for two to four players."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from unbounded.game import Known, Out, Place, RecordGame, Rules, State, record
from unbounded.game.board import (
    Grid,
    cell_name,
    most_points_win,
    player_in_turn,
    require_integer,
    winners_text,
)
from unbounded.game.colors import BLUE, EDGE, GREEN, LINE, RED, YELLOW
from unbounded.game.drawing import Canvas, cells_named

LARGEST_BOARD = 20
COLORS = "BYRG"
PAINTS = {"R": RED, "B": BLUE, "Y": YELLOW, "G": GREEN}
SOLVED = "independent solver: naive rules of the tests"
LARGEST = 5
ALL_PLACED, ENDED_SMALL = 15, 20
MINIATURE = 0.2
Numbers = NDArray[np.int64]
Cell = tuple[int, int]
Layout = tuple[list[tuple[int, float, float]], float]

SHAPES = {
    "1": "x",
    "2": "xx",
    "I3": "xxx",
    "V3": "xx x.",
    "I4": "xxxx",
    "L4": "xxx x..",
    "O": "xx xx",
    "T4": "xxx .x.",
    "Z4": "xx. .xx",
    "F": ".xx xx. .x.",
    "I5": "xxxxx",
    "L5": "xxxx x...",
    "N": "xxx. ..xx",
    "P": "xxx xx.",
    "T5": "xxx .x. .x.",
    "U": "xxx x.x",
    "V5": "xxx x.. x..",
    "W": "xx. .xx ..x",
    "X": ".x. xxx .x.",
    "Y": "xxxx .x..",
    "Z5": "xx. .x. .xx",
}
"""The pieces by name, their rows from the top; smaller ones first."""


class Blokus(RecordGame):
    """Players take turns to place a piece, which may touch others of its color at corners only.

    Everybody has one of each piece that can be made of one to `pieces` squares joined at their
    sides: of 5, the 21 pieces of the game by Bernard Tavitian (2000). They may be turned and
    flipped. A player's first piece covers the corner of the board where that player starts. Each
    further one must touch a piece of the same color at a corner, and none of them along a side;
    how it touches other colors does not matter. A player who cannot place a piece is out: nothing
    ever leaves the board, so that player could only pass until the end. The game is over when
    nobody can place a piece.

    The points are those of the printed rules: one less for each square of the pieces left over; 15
    more for placing all pieces, or 20 if the last of them was the single square. The player with
    the most points wins; players who share the most draw; all others lose. The score of two players
    is the difference of their points; with more players, it is each player's own points.

    Blue (B) starts at the lower left. With four players, Yellow (Y), Red (R) and Green (G) follow
    clockwise, with three players Yellow and Red; two face each other. Everybody plays one color,
    and starts at a corner on every board; this is not Blokus Duo, with its starts further inside.
    Lower case letters on the board mark the corners of players who have not begun yet.

    A move is written as in the game records of the program Pentobi: all its squares, from the left
    in each row and the lowest row first, as in `b1,c1,b2`; they are read in any order. The names of
    the pieces are Pentobi's too.
    """

    solvable = "blokus(size=5,pieces=3)"
    known_values = (
        Known("blokus(size=2,pieces=1)", (0, 0), SOLVED, (0.0, 0.0)),
        Known("blokus(size=4,pieces=3)", (1, -1), SOLVED, (1.0, -1.0)),
        Known("blokus(size=4)", (0, 0), SOLVED, (0.0, 0.0)),
        Known("blokus(size=5,pieces=3)", (1, -1), SOLVED, (2.0, -2.0)),
    )

    def __init__(self, size: int = 6, pieces: int = 4, players: int = 2) -> None:
        require_integer("size", size, 2, LARGEST_BOARD)
        require_integer("pieces", pieces, 1, LARGEST)
        require_integer("players", players, 2, len(COLORS))
        self.size, self.pieces, self.players = size, pieces, players
        self.grid = Grid(size, size)
        self.zero_sum = players == 2
        self.symbols = COLORS[:players]
        self._shapes = [cells_of(text) for text in SHAPES.values()]
        self._shapes = [shape for shape in self._shapes if len(shape) <= pieces]
        self._names = list(SHAPES)[: len(self._shapes)]
        self._ways = [(i, way) for i, shape in enumerate(self._shapes) for way in turned(shape)]
        self.max_actions = sum(
            max(0, size - max(y for y, _ in way)) * max(0, size - max(x for _, x in way))
            for _, way in self._ways
        )
        total = sum(map(len, self._shapes))
        self.best_score = (ENDED_SMALL + (total if players == 2 else 0.0),) * players
        # Only the board's diagonal keeps everybody's corner, and only when two play.
        self.symmetries = 2 if players == 2 else 1
        self.planes = (players * (len(self._shapes) + 3), size, size)
        self.action_count, self.longest_game = len(self._ways) * size * size, self._most_pieces()
        row, hand = narrowest(size), narrowest(len(self._shapes))
        self.state = record(
            squares=f"{row}[{players * size}]",
            left=f"{hand}[{players}]",
            bonus=f"i8[{players}]",
            turn="i8",
        )

    def _most_pieces(self) -> int:
        """Return how many pieces have room on the board, if the smallest go first."""
        sizes = sorted(len(shape) for shape in self._shapes * self.players)
        return sum(covered <= self.size**2 for covered in accumulate(sizes))

    # The squares of player p in row r are the bits of squares[p * size + r]; column c is bit c, and
    # row 0 is the lowest. Piece i is not yet placed if bit i of left[p] is set. The bonus is 15 or
    # 20 as soon as all are placed. An action is way * size * size + row * size + column: one of the
    # ways to turn and flip a piece, and where the lower left of the rectangle around it goes.

    def rules(self) -> Rules:
        size, players, area = self.size, self.players, self.size * self.size
        shape = (size, players, self.pieces)
        number_of_ways, number_of_words = len(self._ways), words_of_board(size)
        ways, weights, all_pieces = self._table(), self._weights(), (1 << len(self._shapes)) - 1

        def initial(s: State) -> None:
            for who in range(players):
                s.left[who] = all_pieces

        def actions(s: State, out: Out) -> int:
            words = packed(open_cells(s.squares, s.turn, shape), shape)
            count = 0
            for way in range(number_of_ways):
                if has_piece(s.left[s.turn], ways, way, shape):
                    for word in range(number_of_words):
                        places = fitting(words, ways, way, word, shape)
                        first = way * area + word * rows_of_word(size) * size
                        count = list_places(places, first, size, out, count)
            return count

        def place(s: State, action: int, t: State) -> None:
            way, who = action // area, s.turn
            put(t.squares, who, ways, action, shape)
            piece = int(ways[way * stride(shape)])
            t.left[who] &= ~(1 << piece)
            if t.left[who] == 0:
                t.bonus[who] = ENDED_SMALL if piece == 0 else ALL_PLACED
            t.turn = 0  # if the game is over: equal ends are equal states, whoever moved last
            for ahead in range(1, players + 1):
                following = (who + ahead) % players
                if can_place(t.squares, t.left[following], following, ways, shape):
                    t.turn = following
                    break

        outcome, score = self._results(weights)
        evaluate, best_score_from = self._guesses(ways, weights)
        symmetry, relabel, encode = self._views(ways)
        return Rules(
            initial, player_in_turn, actions, place, outcome, score, evaluate, best_score_from,
            symmetry=symmetry, relabel=relabel if players != 3 else None, encode=encode,
        )  # fmt: skip

    def _table(self) -> Numbers:
        """Return for each way to place a piece: the piece, then where its squares are.

        That is so many words and so many bits on (see `packed`). There are as many as in the
        largest piece; smaller ones have their first square again.
        """
        table: list[int] = []
        for piece, way in self._ways:
            table.append(piece)
            for i in range(self.pieces):
                row, column = way[i if i < len(way) else 0]
                table += divmod(row * (self.size + 1) + column, bits_of_word(self.size))
        return np.array(table, np.int64)

    def _weights(self) -> Numbers:
        """Return how many squares each piece has."""
        return np.array([len(shape) for shape in self._shapes], np.int64)

    def _results(self, weights: Numbers) -> list[Callable[..., None]]:
        """Return the rules `outcome` and `score`."""
        players = self.players

        def outcome(s: State, out: Out) -> None:
            for who in range(players):
                out[who] = s.bonus[who] - weight(s.left[who], weights)
            most_points_win(out, players)

        def score(s: State, out: Out) -> None:
            for who in range(players):
                out[who] = s.bonus[who] - weight(s.left[who], weights)
            if players == 2:
                out[0] -= out[1]
                out[1] = -out[0]

        return [outcome, score]

    def _guesses(self, ways: Numbers, weights: Numbers) -> list[Callable[..., None]]:
        """Return the rules `evaluate` and `best_score_from`."""
        players, shape = self.players, (self.size, self.players, self.pieces)

        def evaluate(s: State, out: Out) -> None:
            shares(s.squares, s.left, shape, out)
            for who in range(players):
                # About half of what somebody reaches first can be filled: sides must not touch.
                hand = weight(s.left[who], weights)
                out[who] = s.bonus[who] - hand + min(1.0 * hand, 0.5 * out[who])
            if players == 2:
                out[0] -= out[1]
                out[1] = -out[0]

        def best_score_from(s: State, out: Out) -> None:
            for who in range(players):
                hand = weight(s.left[who], weights)
                out[who] = s.bonus[who] - hand
                if can_place(s.squares, s.left[who], who, ways, shape):
                    missing = hand - open_squares(s.squares, who, shape)
                    if missing > 0:
                        out[who] = -missing
                    else:
                        out[who] = ENDED_SMALL if s.left[who] & 1 == 1 else ALL_PLACED
                if players == 2:
                    out[who] -= s.bonus[1 - who] - weight(s.left[1 - who], weights)

        return [evaluate, best_score_from]

    def _views(self, ways: Numbers) -> list[Callable[..., None]]:
        """Return the rules `symmetry`, `relabel` and `encode`."""
        size, players, area = self.size, self.players, self.size * self.size
        shape, kinds = (size, players, self.pieces), len(self._shapes)

        def symmetry(s: State, k: int, t: State) -> None:
            for who in range(players):
                for row in range(size):
                    line = 0
                    for column in range(size):
                        line |= (s.squares[who * size + column] >> row & 1) << column
                    t.squares[who * size + row] = line

        def relabel(s: State, k: int, t: State) -> None:
            # The board is turned with the players, so that everybody sits at their own corner.
            for place in range(players * size):
                t.squares[place] = 0
            for who in range(players):
                seat = (who + k) % players
                t.left[seat] = s.left[who]
                t.bonus[seat] = s.bonus[who]
                for cell in range(area):
                    if s.squares[who * size + cell // size] >> cell % size & 1 == 1:
                        to = turned_cell(cell, corner_of(k, players), size)
                        t.squares[seat * size + to // size] |= 1 << to % size
            if can_place(s.squares, s.left[s.turn], s.turn, ways, shape):
                t.turn = (s.turn + k) % players

        def encode(s: State, out: Out) -> None:
            turns = 4 - corner_of(s.turn, players)
            for ahead in range(players):
                who = (s.turn + ahead) % players
                first = ahead * (kinds + 3) * area
                cells = open_cells(s.squares, who, shape)
                for cell in range(area):
                    row, column = cell // size, cell % size
                    to = first + turned_cell(cell, turns, size)
                    out[to] = s.squares[who * size + row] >> column & 1
                    out[to + area] = cells[size + LARGEST + row] >> column & 1
                    out[to + 2 * area] = s.bonus[who] / ENDED_SMALL
                    for piece in range(kinds):
                        out[to + (3 + piece) * area] = s.left[who] >> piece & 1

        return [symmetry, relabel, encode]

    # -- for people -------------------------------------------------------------------------------

    def _cells(self, action: int) -> list[Cell]:
        """Return the squares of an action as rows and columns, the lowest row first."""
        way, corner = divmod(action, self.size * self.size)
        row, column = divmod(corner, self.size)
        return sorted((row + y, column + x) for y, x in self._ways[way][1])

    def action_name(self, state: bytes, action: int) -> str:
        return ",".join(cell_name(row, column) for row, column in self._cells(action))

    def parse_action(self, state: bytes, text: str) -> int:
        wanted = sorted(text.strip().lower().split(","))
        for action in self.actions(state):
            if sorted(self.action_name(state, action).split(",")) == wanted:
                return action
        return super().parse_action(state, text)

    def _board(self, state: bytes) -> dict[Cell, str]:
        """Return the color of each square that is taken, by row and column."""
        squares, size = self.state.unpack(state).squares, self.size
        return {
            (row, column): color
            for who, color in enumerate(self.symbols)
            for row in range(size)
            for column in range(size)
            if squares[who * size + row] >> column & 1
        }

    def _starts(self, state: bytes) -> dict[Cell, str]:
        """Return the corners of those who have not yet begun."""
        begun = set(self._board(state).values())
        corners = [corner_of(who, self.players) for who in range(self.players)]
        cells = [divmod(turned_cell(0, corner, self.size), self.size) for corner in corners]
        waiting = zip(cells, self.symbols, strict=True)
        return {cell: color for cell, color in waiting if color not in begun}

    def _hand(self, state: bytes, who: int) -> list[int]:
        """Return the pieces that a player has not yet placed."""
        left = self.state.unpack(state).left[who]
        return [piece for piece in range(len(self._shapes)) if left >> piece & 1]

    def _points(self, state: bytes) -> list[int]:
        bonus, players = self.state.unpack(state).bonus, range(self.players)
        left = [sum(len(self._shapes[i]) for i in self._hand(state, who)) for who in players]
        return [bonus[who] - left[who] for who in players]

    def _verdict(self, state: bytes) -> str:
        if self.actions(state):
            return f"{self.symbols[self.player(state)]} to move"
        return winners_text(self.symbols, self._points(state))

    def show(self, state: bytes) -> str:
        size, taken = self.size, self._board(state)
        starts = {cell: color.lower() for cell, color in self._starts(state).items()}
        looks = starts | taken
        lines = [self.grid.text([looks.get(divmod(cell, size), ".") for cell in range(size**2)])]
        for who, points in enumerate(self._points(state)):
            names = " ".join(self._names[piece] for piece in self._hand(state, who))
            lines.append(f"{self.symbols[who]} {points}: {names or 'all placed'}")
        return "\n".join([*lines, self._verdict(state)])

    def svg(self, state: bytes, *, last: int | None = None, targets: Sequence[int] = ()) -> str:
        size, board = self.size, self._board(state)
        hands = [self._layout(self._hand(state, who)) for who in range(self.players)]
        height = sum(0.35 + deep for _, deep in hands)
        canvas = Canvas(self._width(), size + 0.6 + height, title=f"Blokus, {self._verdict(state)}")
        canvas.coordinates(size, size)
        changed = [] if last is None else self._cells(last)
        for row in range(size):
            for column in range(size):
                canvas.rectangle(column, size - 1 - row)
        for (row, x), color in self._starts(state).items():
            y, paint = size - 1 - row, PAINTS[color]
            canvas.piece(x + 0.25, y + 0.25, paint, color, 0.17)
        for (row, x), color in board.items():
            y, paint = size - 1 - row, PAINTS[color]
            canvas.rectangle(x, y, fill=paint, stroke=LINE, thickness=0.02, role="square")
            if (row, x) in changed:
                canvas.mark_last(x + 0.07, y + 0.07, 0.86, 0.86, color=paint.letter or EDGE)
            canvas.letter(x + 0.5, y + 0.5, paint, color, 0.36)
        self._outline(canvas, board)
        for row, column in self._touched(state, targets):
            canvas.mark_target(column + 0.5, size - 0.5 - row)
        self._draw_hands(canvas, state, hands)
        return canvas.svg()

    def places(self, state: bytes, action: int) -> Sequence[Place]:
        return cells_named(self.action_name(state, action), self.size)

    def _touched(self, state: bytes, actions: Sequence[int]) -> list[Cell]:
        """Return the squares at the mover's corners that some of the actions cover."""
        s, shape = self.state.unpack(state), (self.size, self.players, self.pieces)
        joining = open_cells(s.squares, s.turn, shape)[self.size + LARGEST :]
        covered = {cell for action in actions for cell in self._cells(action)}
        return sorted((row, column) for row, column in covered if joining[row] >> column & 1)

    def _outline(self, canvas: Canvas, board: dict[Cell, str]) -> None:
        """Draw a line wherever a piece ends."""
        for (row, x), color in board.items():
            y = self.size - 1 - row
            for up, right, ends in (
                (1, 0, (x, y, x + 1, y)),
                (-1, 0, (x, y + 1, x + 1, y + 1)),
                (0, -1, (x, y, x, y + 1)),
                (0, 1, (x + 1, y, x + 1, y + 1)),
            ):
                if board.get((row + up, x + right)) != color:
                    canvas.line(*ends, stroke=EDGE, thickness=0.07)

    def _width(self) -> int:
        """Return how wide a picture is, in squares of the board: small boards need room beside."""
        return max(self.size, 6)

    def _layout(self, hand: Sequence[int]) -> Layout:
        """Lay out small pictures of pieces in lines: each piece, its place, and the whole depth."""
        places, x, y, deep = list[tuple[int, float, float]](), 1.4, 0.0, 0.5
        for piece in hand:
            height, width = (1 + max(axis) for axis in zip(*self._shapes[piece], strict=True))
            if x + width * MINIATURE > self._width():
                x, y = 1.4, deep + 0.1
            places.append((piece, x, y))
            x += (width + 1) * MINIATURE
            deep = max(deep, y + height * MINIATURE)
        return places, deep

    def _draw_hands(self, canvas: Canvas, state: bytes, hands: Sequence[Layout]) -> None:
        """Draw below the board whose turn it is, the points, and the pieces not yet placed."""
        top, points, over = self.size + 0.9, self._points(state), not self.actions(state)
        for who, (places, deep) in enumerate(hands):
            paint = PAINTS[self.symbols[who]]
            mover = 0 if who == self.player(state) and not over else None
            canvas.tally(top + 0.2, [(paint, self.symbols[who], points[who])], mover, -0.2)
            for piece, x, y in places:
                for row, column in self._shapes[piece]:
                    canvas.rectangle(
                        x + column * MINIATURE,
                        top + y + row * MINIATURE,
                        MINIATURE,
                        MINIATURE,
                        fill=paint,
                        stroke=EDGE,
                        thickness=0.025,
                    )
            top += 0.35 + deep


# -- pieces ---------------------------------------------------------------------------------------


def cells_of(drawing: str) -> list[Cell]:
    """Return the squares of a drawn piece, as rows and columns."""
    rows = enumerate(drawing.split())
    return [(y, x) for y, row in rows for x, letter in enumerate(row) if letter == "x"]


def turned(cells: Sequence[Cell]) -> list[list[Cell]]:
    """Return the different ways to turn and flip a piece, each moved to row and column 0."""
    found: list[list[Cell]] = []
    for flip in (1, -1):
        way = [(y, flip * x) for y, x in cells]
        for _ in range(4):
            way = [(-x, y) for y, x in way]
            low, left = min(y for y, _ in way), min(x for _, x in way)
            moved = sorted((y - low, x - left) for y, x in way)
            if moved not in found:
                found.append(moved)
    return found


def narrowest(bits: int) -> str:
    """Return the smallest kind of field that holds so many bits, and a sign."""
    return "i8" if bits < 8 else "i16" if bits < 16 else "i32"


# -- rules that are compiled ----------------------------------------------------------------------
# A shape is the size of the board, how many play, and how many squares the largest piece has.


def corner_of(who: int, players: int) -> int:
    """Return the corner where a player starts; they are counted clockwise from the lower left."""
    return 2 * who if players == 2 else who


def turned_cell(cell: int, turns: int, size: int) -> int:
    """Return where a cell goes when the board is turned clockwise so many times."""
    row, column = cell // size, cell % size
    for _ in range(turns % 4):
        row, column = size - 1 - column, row
    return row * size + column


def open_cells(squares: Out, who: int, shape: tuple[int, int, int]) -> Numbers:
    """Return the cells that a player may cover, and then those that join on to the player's pieces.

    Both are rows of bits, with some empty rows after them.
    """
    size, players, _ = shape
    cells = np.zeros(2 * (size + LARGEST), np.int64)
    begun = 0
    for row in range(size):
        own = squares[who * size + row]
        begun |= own
        beside = 0
        if row > 0:
            beside |= squares[who * size + row - 1]
        if row < size - 1:
            beside |= squares[who * size + row + 1]
        taken = 0
        for other in range(players):
            taken |= squares[other * size + row]
        free = ((1 << size) - 1) & ~(taken | beside | own << 1 | own >> 1)
        cells[row] = free
        cells[size + LARGEST + row] = free & (beside << 1 | beside >> 1)
    if begun == 0:
        start = turned_cell(0, corner_of(who, players), size)
        row = start // size
        cells[size + LARGEST + row] = cells[row] & 1 << start % size
    return cells


def stride(shape: tuple[int, int, int]) -> int:
    """Return how many numbers the table of ways has for each."""
    return 2 * shape[2] + 1


def has_piece(left: int, ways: Out, way: int, shape: tuple[int, int, int]) -> bool:
    """Whether the piece that is placed in this way is still there."""
    return left >> int(ways[way * stride(shape)]) & 1 == 1


# Where pieces fit is found for many places at once. As many rows as there is room for make a word,
# each with an empty column after it: a piece that would stick out at the side lies on that.


def rows_of_word(size: int) -> int:
    """Return how many rows of the board are in a word."""
    return min(size, 62 // (size + 1))


def bits_of_word(size: int) -> int:
    """Return how many bits of a word are used."""
    return rows_of_word(size) * (size + 1)


def words_of_board(size: int) -> int:
    """Return how many words the whole board needs."""
    return (size + rows_of_word(size) - 1) // rows_of_word(size)


def packed(cells: Out, shape: tuple[int, int, int]) -> Numbers:
    """Return the rows of `open_cells` as words, with some empty words after both parts."""
    size = shape[0]
    together, half = rows_of_word(size), words_of_board(size) + LARGEST
    words = np.zeros(2 * half, np.int64)
    for row in range(size):
        word, shift = row // together, row % together * (size + 1)
        words[word] |= cells[row] << shift
        words[half + word] |= cells[size + LARGEST + row] << shift
    return words


def fitting(words: Out, ways: Out, way: int, word: int, shape: tuple[int, int, int]) -> int:
    """Return as bits the places in one word where a piece may be placed this way."""
    first, last = way * stride(shape) + 1, (way + 1) * stride(shape)
    joining = words_of_board(shape[0]) + LARGEST + word
    bits = bits_of_word(shape[0])
    places = 0
    for i in range(first, last, 2):
        on = joining + ways[i]
        places |= words[on] >> ways[i + 1] | words[on + 1] << (bits - ways[i + 1])
    places &= (1 << bits) - 1
    if places != 0:
        for i in range(first, last, 2):
            on = word + ways[i]
            places &= words[on] >> ways[i + 1] | words[on + 1] << (bits - ways[i + 1])
    return places


def list_places(places: int, first: int, size: int, out: Out, count: int) -> int:
    """Write the places of a word as actions behind `count` others; return the new count."""
    while places != 0:
        columns, action = places & ((1 << size) - 1), first
        while columns != 0:
            if columns & 1 == 1:
                out[count] = action
                count += 1
            columns >>= 1
            action += 1
        places >>= size + 1
        first += size
    return count


def can_place(squares: Out, left: int, who: int, ways: Out, shape: tuple[int, int, int]) -> bool:
    """Whether a player has a piece and a place for it."""
    if left == 0:
        return False
    words = packed(open_cells(squares, who, shape), shape)
    for way in range(len(ways) // stride(shape)):
        if has_piece(left, ways, way, shape):
            for word in range(words_of_board(shape[0])):
                if fitting(words, ways, way, word, shape) != 0:
                    return True
    return False


def put(squares: Out, who: int, ways: Out, action: int, shape: tuple[int, int, int]) -> None:
    """Cover the squares of a piece."""
    size = shape[0]
    way, place = action // (size * size), action % (size * size)
    for i in range(way * stride(shape) + 1, (way + 1) * stride(shape), 2):
        on = int(ways[i]) * bits_of_word(size) + int(ways[i + 1])
        row, column = place // size + on // (size + 1), place % size + on % (size + 1)
        squares[who * size + row] |= 1 << column


def weight(left: int, weights: Out) -> int:
    """Count the squares of the pieces that are left."""
    count = 0
    for piece in range(len(weights)):
        if left >> piece & 1 == 1:
            count += int(weights[piece])
    return count


def count_bits(bits: int) -> int:
    """Count the bits that are set."""
    count = 0
    while bits != 0:
        bits &= bits - 1
        count += 1
    return count


def open_squares(squares: Out, who: int, shape: tuple[int, int, int]) -> int:
    """Count the cells that a player may still cover."""
    cells = open_cells(squares, who, shape)
    count = 0
    for row in range(shape[0]):
        count += count_bits(cells[row])
    return count


def shares(squares: Out, left: Out, shape: tuple[int, int, int], reached: Out) -> None:
    """Write how many cells each player reaches first; those reached by several count half.

    Everybody spreads at once from the cells at their corners, by steps of a king in chess over the
    cells that they may cover.
    """
    size, players, _ = shape
    rows = size + LARGEST
    free, wave = np.zeros(players * rows, np.int64), np.zeros(players * rows, np.int64)
    for who in range(players):
        reached[who] = 0.0
        if left[who] != 0:
            cells = open_cells(squares, who, shape)
            for row in range(size):
                free[who * rows + row] = cells[row]
                wave[who * rows + row] = cells[rows + row]
    claimed = np.zeros(size, np.int64)
    spreading = True
    while spreading:
        spreading = False
        for row in range(size):
            once, several = 0, 0
            for who in range(players):
                new = wave[who * rows + row] & ~claimed[row]
                several |= once & new
                once |= new
            for who in range(players):
                new = wave[who * rows + row] & ~claimed[row]
                reached[who] += count_bits(new) - 0.5 * count_bits(new & several)
                wave[who * rows + row] = new
            claimed[row] |= once
            spreading = spreading or once != 0
        for who in range(players):
            spread(free, wave, who * rows, size)


def spread(free: Out, wave: Out, first: int, size: int) -> None:
    """Turn a wave into the cells around it, as far as they are free."""
    before = 0
    for row in range(first, first + size):
        here = wave[row] | before | wave[row + 1]
        before = wave[row]
        wave[row] = free[row] & (here | here << 1 | here >> 1)
