# SPDX-License-Identifier: MIT
"""Rolit: Othello for two to four players, with balls that show any of four colors."""

from __future__ import annotations

from collections.abc import Sequence

from unbounded.game import Known, Out, Place, RecordGame, Rules, State, record, require
from unbounded.game.board import (
    Grid,
    most_points_win,
    player_in_turn,
    require_integer,
    winners_text,
)
from unbounded.game.colors import BLUE, GREEN, NOBODY, RED, YELLOW
from unbounded.game.drawing import Canvas, cells_named
from unbounded.game.setting_up import check_pieces, packed, pieces_in_bits, rows_of_bits
from unbounded.games.othello import (
    captures,
    corner_value,
    count_of,
    freedom,
    list_cells,
    put,
    rivals_in_row,
    tables_to_turn,
    turn_board,
    write_planes,
)

PAINTS = {"R": RED, "G": GREEN, "Y": YELLOW, "B": BLUE}


class Rolit(RecordGame):
    """Players take turns to put a ball of their color on an empty cell next to another ball.

    These are the rules that Goliath prints for its game. At the start there is one ball of each
    of the four colors in the middle, however many play; colors that nobody plays are shown as
    `+`. A ball captures all balls of other colors, whatever they are, that lie in an unbroken row
    between it and the nearest ball of its own color, in all eight directions: they are rolled to
    its color. A player who can capture must; one who cannot puts the ball on any empty cell next
    to a ball, also diagonally. Nobody ever passes, and the game is over when the board is full.

    The player with the most balls wins; players who share the most balls draw; all others lose. The
    score of two players is the difference of their balls; with more players, it is the number of
    each player's own. Players sit clockwise, and two of them face each other.

    R begins, then the others as their letters are listed. A move is the name of a cell, such as
    `b3`: columns are letters from the left, rows are numbers from the bottom.
    """

    symmetries = 8
    single_winner = True
    solvable = "rolit(size=4)"
    known_values = (Known("rolit(size=4)", (-1, 1), "independent solver", (-2, 2)),)

    def __init__(self, size: int = 6, players: int = 2) -> None:
        allowed = type(size) is int and 4 <= size <= 10 and size % 2 == 0
        require(allowed, "size must be an even integer from 4 to 10")
        require_integer("players", players, 2, 4)
        self.size, self.players = size, players
        self.grid = Grid(size, size)
        self.zero_sum = players == 2
        self.symbols = "RGYB"[:players]
        self.colors = min(players + 1, 4)
        self.state = record(balls=f"i16[{self.colors * size}]", turn="i8")
        self.max_actions = size * size
        self.best_score = (size * size,) * players
        self.planes = (self.colors, size, size)
        self.action_count, self.longest_game = size * size, size * size - 4

    # The balls of player p in row r are the bits of balls[p * size + r], column c being bit c.
    # Balls of colors that nobody plays are all alike, and come after those of the players.

    def rules(self) -> Rules:
        size, players, shape = self.size, self.players, (self.size, self.colors)
        area, middle, colors = size * size, size // 2, self.colors
        tables = tables_to_turn(size)
        # The colors in the middle, clockwise from the upper left; two players face each other.
        first, second, third, fourth = {2: (0, 2, 1, 2), 3: (0, 1, 2, 3), 4: (0, 1, 2, 3)}[players]

        def initial(s: State) -> None:
            s.balls[first * size + middle - 1] |= 1 << (middle - 1)
            s.balls[second * size + middle - 1] |= 1 << middle
            s.balls[third * size + middle] |= 1 << middle
            s.balls[fourth * size + middle] |= 1 << (middle - 1)

        def actions(s: State, out: Out) -> int:
            upper, lower = captures(s.balls, s.turn, shape)
            if upper | lower == 0:
                upper, lower = cells_beside(s.balls, shape)
            count = list_cells(upper, 0, out, 0)
            return list_cells(lower, area // 2, out, count)

        def move(s: State, cell: int, t: State) -> None:
            put(t.balls, cell, s.turn, shape)
            t.turn = (s.turn + 1) % players

        def outcome(s: State, out: Out) -> None:
            for who in range(players):
                out[who] = count_of(s.balls, who, size)
            most_points_win(out, players)

        def score(s: State, out: Out) -> None:
            for who in range(players):
                out[who] = count_of(s.balls, who, size)
            if players == 2:
                out[0] -= out[1]
                out[1] = -out[0]

        def evaluate(s: State, out: Out) -> None:
            taken = 0
            for color in range(colors):
                taken += count_of(s.balls, color, size)
            # Balls change hands easily until few cells are left: before, corners and choice count.
            filled = taken / area
            total = 0.0
            for who in range(players):
                promise = 4.0 * corner_value(s.balls, who, shape) + freedom(s.balls, who, shape)
                balls = count_of(s.balls, who, size)
                out[who] = balls * filled * filled + promise * (1.25 - filled)
                total += out[who]
            for who in range(players):
                # The guess for a player is their share of the board and their lead over others.
                lead = out[who] - total / players
                out[who] = 2.0 * lead if players == 2 else area / players + lead
                out[who] = min(area - 1.0, max(1.0 - area, out[who]))
            if players == 2:
                out[1] = -out[0]

        def symmetry(s: State, k: int, t: State) -> None:
            turn_board(s.balls, k, t.balls, shape, tables)

        def relabel(s: State, k: int, t: State) -> None:
            for who in range(players):
                for row in range(size):
                    t.balls[(who + k) % players * size + row] = s.balls[who * size + row]
            t.turn = (s.turn + k) % players

        def encode(s: State, out: Out) -> None:
            write_planes(s.balls, s.turn, out, shape, players)

        return Rules(
            initial, player_in_turn, actions, move, outcome, score,
            evaluate=evaluate, symmetry=symmetry, relabel=relabel, encode=encode,
        )  # fmt: skip

    def action_name(self, state: bytes, action: int) -> str:
        return self.grid.name(self._from_below(action))

    def _from_below(self, cell: int) -> int:
        """Return the number of a cell, or of one in the mirror image, counted from a1."""
        row, column = divmod(cell, self.size)
        return (self.size - 1 - row) * self.size + column

    def _letters(self, state: bytes) -> list[str]:
        """Return the letter of each cell, the upper left one first."""
        s, size = self.state.unpack(state), self.size
        letters = ["."] * (size * size)
        for cell in range(size * size):
            for color, letter in enumerate((self.symbols + "+")[: self.colors]):
                if s.balls[color * size + cell // size] >> cell % size & 1:
                    letters[cell] = letter
        return letters

    def show(self, state: bytes) -> str:
        letters = self._letters(state)
        cells = [letters[self._from_below(cell)] for cell in range(len(letters))]
        return f"{self.grid.text(cells)}\n{self._verdict(state)}"

    def _verdict(self, state: bytes) -> str:
        letters = self._letters(state)
        balls = [letters.count(letter) for letter in self.symbols]
        pairs = zip(self.symbols, balls, strict=True)
        counted = ", ".join(f"{letter} {count}" for letter, count in pairs)
        if "." in letters:
            return f"{counted}; {self.symbols[self.player(state)]} to move"
        return f"{counted}: {winners_text(self.symbols, balls)}"

    def svg(
        self,
        state: bytes,
        *,
        last: int | None = None,
        targets: Sequence[int] = (),
        before: bytes | None = None,
    ) -> str:
        size, letters = self.size, self._letters(state)
        canvas = Canvas(size, size + 1.1, title=f"Rolit, {self._verdict(state)}")
        canvas.coordinates(size, size)
        earlier = letters if before is None else self._letters(before)
        for cell, letter in enumerate(letters):
            y, x = cell // size + 0.5, cell % size + 0.5
            canvas.rectangle(x - 0.5, y - 0.5)
            if letter == "+":
                canvas.piece(x, y, NOBODY, radius=0.37)
            elif letter != ".":
                canvas.piece(x, y, PAINTS[letter], letter, 0.37)
            if cell == last:
                canvas.mark_last(x - 0.5, y - 0.5)
            if earlier[cell] not in (".", letter):
                canvas.mark_capture(x - 0.36, y - 0.36)
            if cell in targets:
                canvas.mark_target(x, y)
        tally = [(PAINTS[letter], letter, letters.count(letter)) for letter in self.symbols]
        canvas.tally(size + 1, tally, self.player(state) if "." in letters else None)
        return canvas.svg()

    def places(self, state: bytes, action: int) -> Sequence[Place]:
        return cells_named(self.action_name(state, action), self.size)

    def badge_place(self, state: bytes, action: int) -> Place | None:
        places = self.places(state, action)
        return places[-1].inside() if places else None  # the cell is empty

    @property
    def piece_symbols(self) -> str:  # type: ignore[override]
        """What a cell can hold: nothing, a ball of a player, or one of nobody's color."""
        return f".{self.symbols}+"[: self.colors + 1]

    def piece_places(self) -> Sequence[Place]:
        cells = range(self.size**2)
        return [Place(cell % self.size + 0.5, cell // self.size + 0.5) for cell in cells]

    def pieces_on(self, state: bytes) -> Sequence[int]:
        return pieces_in_bits(self.state.unpack(state).balls, self.colors, self.size)

    def set_up(self, pieces: Sequence[int], player: int) -> bytes:
        check_pieces(self, pieces, player)
        require(any(pieces), "there must be a ball: others are put next to it")
        return packed(self, player, balls=rows_of_bits(pieces, self.colors, self.size))


def cells_beside(balls: Out, shape: tuple[int, int]) -> tuple[int, int]:
    """Return the empty cells next to a ball, as bits of the upper and the lower half board."""
    size, half = shape[0], shape[0] // 2
    upper, lower = 0, 0
    for row in range(size):
        near = 0
        for beside in range(max(0, row - 1), min(size, row + 2)):
            taken = rivals_in_row(balls, beside, -1, shape)
            near |= taken | taken << 1 | taken >> 1
        near &= ((1 << size) - 1) & ~rivals_in_row(balls, row, -1, shape)
        if row < half:
            upper |= near << (row * size)
        else:
            lower |= near << ((row - half) * size)
    return upper, lower
