# SPDX-License-Identifier: MIT
"""Connect Four on a board of any size, for two to four players, played on bitboards."""

from __future__ import annotations

from collections.abc import Sequence

from unbounded.game import Known, Out, Place, RecordGame, Rules, State, record, require
from unbounded.game.board import empty_board, player_in_turn, require_integer
from unbounded.game.colors import FAINT, FRAME, GREEN, LINE, PAPER, PLAYERS, RED, YELLOW
from unbounded.game.drawing import Canvas
from unbounded.game.setting_up import check_pieces, grid_places, placed

STONES = "XO#*"
PAINTS = (RED, YELLOW, GREEN, PLAYERS[4])
SOLVED = "published: Allen and Allis, 1988"


def known_draws(*boards: tuple[int, int], line: str = "", slow: bool = False) -> tuple[Known, ...]:
    """Return boards of these widths and heights on which nobody can force a win."""
    texts = [f"connect-four(width={width},height={height}{line})" for width, height in boards]
    return tuple(Known(text, (0, 0), "independent solver", slow=slow) for text in texts)


class ConnectFour(RecordGame):
    """Players take turns to drop a stone into a column; it falls onto the stones already there.

    Whoever first has `line` stones in an unbroken row (across, upwards or diagonally) wins, and
    all others lose. A full board without a row is a draw.

    X begins, then O, then # and * if there are as many players. A column that is full cannot be
    chosen. A move is the number of its column, from 1 at the left.
    """

    single_winner = True
    solvable = "connect-four(width=4,height=4)"
    known_values = (
        *known_draws((4, 1), (4, 2), (5, 2), (6, 2), (7, 2), (3, 3), (4, 3), (5, 3)),
        *known_draws((3, 4), (4, 4), (4, 5), (3, 6)),
        *known_draws((5, 4), (5, 5), slow=True),
        *known_draws((3, 3), (3, 4), line=",line=3"),
        Known("connect-four(width=4,height=3,line=3)", (1, -1), "independent solver"),
        Known("connect-four", (1, -1), SOLVED, slow=True),
    )

    def __init__(self, width: int = 7, height: int = 6, line: int = 4, players: int = 2) -> None:
        require_integer("width", width, 1, 31)
        require_integer("height", height, 1, 61)
        require_integer("line", line, 1, 62)
        require_integer("players", players, 2, len(STONES))
        require(width * (height + 1) <= 62, "width * (height + 1) must be at most 62")
        self.width, self.height, self.line, self.players = width, height, line, players
        self.zero_sum = players == 2
        self.state = record(stones=f"i64[{players}]", turn="i8")
        self.max_actions = width
        self.symmetries = 2 if width > 1 else 1
        self.symbols = STONES[:players]
        self.planes = (players + 1, height, width)
        self.action_count, self.longest_game = width, width * height

    # One bitboard per player: the cell in column c and row r is bit c * (height + 1) + r. The bit
    # above each column stays 0, so that no row of stones runs over from one column to the next.

    def rules(self) -> Rules:
        width, height, line, players = self.width, self.height, self.line, self.players
        tall, filled = height + 1, (1 << height) - 1
        floor = sum(1 << (column * tall) for column in range(width))
        # The top row, the third row from above, and so on: see `list_forced`.
        board, upper = floor * filled, floor * sum(1 << row for row in range(height - 1, -1, -2))
        middle = sum(filled << (column * tall) for column in {(width - 1) // 2, width // 2})
        # In the last open column the players must play in turn: each gets every n-th layer of
        # cells, the first player this one, the next player the one above, and so on.
        layer = floor * sum(1 << row for row in range(0, height, players))

        def actions(s: State, out: Out) -> int:
            count = 0
            if not has_line(s.stones[(s.turn + players - 1) % players], tall, line):
                taken = union(s.stones, players)
                for column in range(width):
                    if (taken >> (column * tall + height - 1)) & 1 == 0:
                        out[count] = column
                        count += 1
            return count

        def is_terminal(s: State) -> bool:
            return union(s.stones, players) == board or has_line(
                s.stones[(s.turn + players - 1) % players], tall, line
            )

        def drop(s: State, column: int, t: State) -> None:
            taken = union(s.stones, players)
            # Adding 1 at the bottom of a column carries to its lowest empty cell.
            t.stones[s.turn] |= (taken + (1 << (column * tall))) & ~taken
            t.turn = (s.turn + 1) % players

        def outcome(s: State, out: Out) -> None:
            last = (s.turn + players - 1) % players
            if has_line(s.stones[last], tall, line):
                for who in range(players):
                    out[who] = 1 if who == last else -1

        def evaluate(s: State, out: Out) -> None:
            taken, total = union(s.stones, players), 0.0
            empty, playable = board & ~taken, (taken + floor) & board
            for who in range(players):
                own = s.stones[who]
                gaps = missing_stones(own, empty, tall, line)
                threats = 2 * bits_per_byte(gaps) + bits_per_byte(gaps & (layer << who))
                strength = (
                    5 * open_lines(own | empty, tall, line)
                    + 17 * sum_of_bytes(threats)
                    + 3 * sum_of_bytes(bits_per_byte(own & middle))
                )
                now = gaps & playable
                if who == s.turn:
                    strength += 5000 if now != 0 else 0
                elif who == (s.turn + 1) % players:
                    # Two gaps at once: the player to move can fill only one of them.
                    strength += 1000 if now & (now - 1) != 0 else 0
                out[who] = strength
                total += strength
            for who in range(players):
                lead = players * out[who] - total
                out[who] = lead / (abs(lead) + 250.0)

        def forced(s: State, out: Out) -> int:
            return list_forced(s.stones, s.turn, (board, floor, upper), (tall, width, line), out)

        def symmetry(s: State, k: int, t: State) -> None:
            for who in range(players if k == 1 else 0):
                t.stones[who] = mirrored(s.stones[who], tall, width)

        def relabel(s: State, k: int, t: State) -> None:
            for who in range(players):
                t.stones[(who + k) % players] = s.stones[who]
            t.turn = (s.turn + k) % players

        def encode(s: State, out: Out) -> None:
            # The last plane: where a stone can be dropped now. A gap there is an immediate threat.
            playable = (union(s.stones, players) + floor) & board
            for index in range((players + 1) * height * width):
                ahead = index // (height * width)
                cell = index % width * tall + index // width % height
                stone = (s.stones[(s.turn + ahead) % players] >> cell) & 1
                out[index] = stone if ahead < players else (playable >> cell) & 1

        return Rules(
            empty_board, player_in_turn, actions, drop, outcome,
            evaluate=evaluate, symmetry=symmetry, relabel=relabel, encode=encode,
            is_terminal=is_terminal, forced=forced if players == 2 else None,
        )  # fmt: skip

    def show(self, state: bytes) -> str:
        s = self.state.unpack(state)
        tall, lines = self.height + 1, []
        for row in reversed(range(self.height)):
            bits = [1 << (column * tall + row) for column in range(self.width)]
            lines.append(" ".join(f"{self._stone(s.stones, bit):>2}" for bit in bits))
        lines.append(" ".join(f"{column + 1:>2}" for column in range(self.width)))
        return "\n".join([*lines, self._verdict(state)])

    def _verdict(self, state: bytes) -> str:
        s = self.state.unpack(state)
        last = (s.turn - 1) % self.players
        if has_line(s.stones[last], self.height + 1, self.line):
            return f"{STONES[last]} has won"
        full = sum(stones.bit_count() for stones in s.stones) == self.width * self.height
        return "a draw" if full else f"{STONES[s.turn]} to move"

    def _stone(self, stones: list[int], bit: int) -> str:
        owners = [STONES[who] for who in range(self.players) if stones[who] & bit]
        return "".join(owners) or "."

    def action_name(self, state: bytes, action: int) -> str:
        return str(action + 1)

    def svg(self, state: bytes, *, last: int | None = None, targets: Sequence[int] = ()) -> str:
        s = self.state.unpack(state)
        title = f"Connect Four: {self._verdict(state)}"
        canvas = Canvas(self.width, self.height, title=title)
        canvas.rectangle(
            -0.08, -0.08, self.width + 0.16, self.height + 0.16, fill=FRAME, stroke=LINE, radius=0.3
        )
        won = winning_stones(s.stones[(s.turn - 1) % self.players], self.height + 1, self.line)
        for column in range(self.width):
            canvas.text(column + 0.5, self.height + 0.42, str(column + 1), size=0.32, fill=FAINT)
            above = self._stones_in(s.stones, column)
            for row in range(self.height):
                x, y = column + 0.5, self.height - row - 0.5
                bit = 1 << (column * (self.height + 1) + row)
                owners = [who for who in range(self.players) if s.stones[who] & bit]
                if owners:
                    canvas.piece(x, y, PAINTS[owners[0]], STONES[owners[0]], 0.37)
                else:
                    canvas.disc(x, y, 0.37, fill=PAPER, stroke=LINE)
                if column == last and row == above - 1:
                    canvas.ring_last(x, y, 0.41 if won & bit else 0.455)
                if won & bit:
                    canvas.mark_win(x, y)
                if column in targets and row == above:
                    canvas.mark_target(x, y)
        return canvas.svg()

    def places(self, state: bytes, action: int) -> Sequence[Place]:
        # A stone falls down the column, wherever it is clicked.
        return [Place(action + 0.5, self.height / 2, height=self.height)]

    def badge_place(self, state: bytes, action: int) -> Place | None:
        row = self._stones_in(self.state.unpack(state).stones, action)
        return Place(action + 0.5, self.height - row - 0.5).inside(0.6)  # where the stone lands

    @property
    def piece_symbols(self) -> str:  # type: ignore[override]
        """What a cell can hold: nothing, or a stone of a player."""
        return "." + self.symbols

    def piece_places(self) -> Sequence[Place]:
        return grid_places(self.height, self.width)

    def pieces_on(self, state: bytes) -> Sequence[int]:
        stones, tall = self.state.unpack(state).stones, self.height + 1
        bits = [
            1 << (column * tall + row) for row in range(self.height) for column in range(self.width)
        ]
        return [sum(who + 1 for who in range(self.players) if stones[who] & bit) for bit in bits]

    def set_up(self, pieces: Sequence[int], player: int) -> bytes:
        check_pieces(self, pieces, player)
        for cell, stone in enumerate(pieces[self.width :]):
            rests = stone == 0 or pieces[cell] != 0
            require(rests, f"a stone in column {cell % self.width + 1} has none below it")
        owned = ((stone - 1, cell % self.width) for cell, stone in enumerate(pieces) if stone)
        return placed(self, player, owned)

    def _stones_in(self, stones: list[int], column: int) -> int:
        """Count the stones in a column."""
        cells = ((1 << self.height) - 1) << (column * (self.height + 1))
        return sum((own & cells).bit_count() for own in stones)


# A direction is the distance between neighboring bits: 1 up, tall - 1, tall and tall + 1 to the
# right. A line too long for the board in a direction would need a shift too far, and is left out.


def shift_of(direction: int, tall: int) -> int:
    """Return how far apart the bits of neighboring cells are, in one of the four directions."""
    return 1 if direction == 0 else tall + direction - 2


def union(stones: Out, players: int) -> int:
    """Return the cells that any player has stones on."""
    taken = 0
    for who in range(players):
        taken |= stones[who]
    return taken


def mirrored(stones: int, tall: int, width: int) -> int:
    """Return the stones with left and right swapped."""
    column = (1 << tall) - 1
    image = 0
    for _ in range(width):
        image = (image << tall) | (stones & column)
        stones >>= tall
    return image


def has_line(stones: int, tall: int, line: int) -> bool:
    """Whether there are `line` stones in an unbroken row."""
    for direction in range(4):
        shift = shift_of(direction, tall)
        rows = stones
        for _ in range(line - 1):
            rows &= rows >> shift
        if rows != 0:
            return True
    return False


def winning_stones(stones: int, tall: int, line: int) -> int:
    """Return the stones that lie in an unbroken row of at least `line`."""
    found = 0
    for direction in range(4):
        shift = shift_of(direction, tall)
        rows = stones
        for _ in range(line - 1):
            rows &= rows >> shift
        for place in range(line):
            found |= rows << (place * shift)
    return found


def open_lines(free: int, tall: int, line: int) -> int:
    """Count the lines that lie wholly on the given cells."""
    count = 0
    for direction in range(4):
        shift = shift_of(direction, tall)
        rows = free
        for _ in range(line - 1):
            rows &= rows >> shift
        count += bits_per_byte(rows)
    return sum_of_bytes(count)


def list_forced(
    stones: Out, turn: int, cells: tuple[int, int, int], shape: tuple[int, int, int], out: Out
) -> int:
    """List the columns that may be good, with two players; return how many.

    A stone that wins does. Where the other player could win next, that has to be prevented, which
    two such cells cannot be; nor may a stone be put below a cell on which the other one then wins.

    If the columns have even numbers of empty cells, whoever does not move can follow: answer each
    stone by one on top of it, and so get the upper cell of every pair, and the mover the lower one.
    That wins if the follower completes a line in this way, and the mover does not.
    """
    (board, floor, upper), (tall, width, line) = cells, shape
    taken = stones[0] | stones[1]
    empty, playable = board & ~taken, (taken + floor) & board
    wins = missing_stones(stones[turn], empty, tall, line) & playable
    if wins != 0:
        return list_columns(wins & -wins, tall, width, out)
    gaps = missing_stones(stones[1 - turn], empty, tall, line)
    threats = gaps & playable
    if threats & (threats - 1) != 0:
        return 0
    good = (threats if threats != 0 else playable) & ~(gaps >> 1)
    odd = playable & upper  # where an odd number of cells is empty
    if odd & (odd - 1) == 0:
        follower = turn if odd != 0 else 1 - turn
        if has_line(stones[follower] | (empty & upper), tall, line) and not has_line(
            stones[1 - follower] | (empty & ~upper), tall, line
        ):
            return list_columns(odd, tall, width, out)
    return list_columns(good, tall, width, out)


def list_columns(cells: int, tall: int, width: int, out: Out) -> int:
    """Write the columns of these cells, at most one of them in each; return how many there are."""
    count, column = 0, (1 << tall) - 1
    for i in range(width):
        if cells & (column << (i * tall)) != 0:
            out[count] = i
            count += 1
    return count


def missing_stones(own: int, empty: int, tall: int, line: int) -> int:
    """Return the empty cells where one more stone would complete a line."""
    cells = 0
    for direction in range(4):
        shift = shift_of(direction, tall)
        if shift * (line - 1) < 62:
            before = -1
            for place in range(line):
                if place > 0:
                    before &= own << (place * shift)
                after = -1
                for beyond in range(1, line - place):
                    after &= own >> (beyond * shift)
                cells |= before & after
    return cells & empty


def bits_per_byte(bits: int) -> int:
    """Count the ones in each byte; 63 bits at most."""
    bits -= (bits >> 1) & 0x5555555555555555
    bits = (bits & 0x3333333333333333) + ((bits >> 2) & 0x3333333333333333)
    return (bits + (bits >> 4)) & 0x0F0F0F0F0F0F0F0F


def sum_of_bytes(counts: int) -> int:
    """Add the bytes of a number; their sum must be less than 256."""
    counts += counts >> 32
    counts += counts >> 16
    counts += counts >> 8
    return counts & 0xFF
