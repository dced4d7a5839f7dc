# SPDX-License-Identifier: MIT
"""A board game with everything a game can have: `unbounded serve examples/berries.py`.

It goes with docs/hooks.md, which explains each part. Run it to check the rules and to see what the
heuristic and the symmetries are worth: `python examples/berries.py`.
"""

from __future__ import annotations

from collections.abc import Sequence

import unbounded as ub
from unbounded.game import Fields, Out, Place, RecordGame, Rules, State, record, require
from unbounded.game.colors import EDGE, PLAYERS, TINTS
from unbounded.game.drawing import Canvas
from unbounded.game.setting_up import check_pieces, grid_places, packed
from unbounded.testing import check_game

LETTERS = "abcdefghij"
NUMBERED = 24
"""So many cells, the first ones, may hold the berries of an endgame."""
BERRY, LEAVES = PLAYERS[4], TINTS[3]
"""Colors that follow the theme of whoever looks at the board: violet, and a faint green."""


class Berries(RecordGame):
    """Players take turns to pick two neighboring berries, or a lonely one; most berries wins.

    At the start there is a berry on every cell of the board. Neighbors are side by side or one
    above the other; a berry without neighbors is lonely, and is picked alone. The game ends when
    all berries are picked.
    """

    zero_sum = True
    piece_symbols = ".*"
    symmetries = 4  # as it is, mirrored left-right, mirrored top-bottom, and both

    def __init__(self, rows: int = 3, columns: int = 4) -> None:
        for name, value in (("rows", rows), ("columns", columns)):
            allowed = type(value) is int and 1 <= value <= len(LETTERS)
            require(allowed, f"{name} must be an integer from 1 to {len(LETTERS)}")
        self.rows, self.columns = rows, columns
        cells = rows * columns
        # The lead is the first player's berries minus the second's: who picked which does not
        # matter for the rest of the game, so it is not in the state.
        self.state = record(berries=f"i8[{cells}]", lead="i8", turn="i8")
        self.max_actions = 2 * cells
        self.best_score = (float(cells), float(cells))
        self.planes = (2, rows, columns)
        self.action_count, self.longest_game = 3 * cells, cells

    # Action 3 * cell picks that cell alone, 3 * cell + 1 its right neighbor too, 3 * cell + 2 its
    # upper one. Cell 0 is a1, at the bottom left.

    def rules(self) -> Rules:
        rows, columns = self.rows, self.columns
        cells = rows * columns

        def initial(s: State) -> None:
            for cell in range(cells):
                s.berries[cell] = 1

        def player(s: State) -> int:
            turn: int = s.turn
            return turn

        def actions(s: State, out: Out) -> int:
            return list_picks(s.berries, rows, columns, out)

        def is_terminal(s: State) -> bool:
            return count(s.berries, cells) == 0

        def forced(s: State, out: Out) -> int:
            # A lead that the berries left cannot make up for decides who wins.
            lead, left = s.lead if s.turn == 0 else -s.lead, count(s.berries, cells)
            if lead + left < 0:
                return 0
            listed = list_picks(s.berries, rows, columns, out)
            return 1 if lead > left else listed

        def reduced(s: State, t: State) -> int:
            # What is picked from here on does not depend on who leads.
            t.lead = 0
            lead: int = s.lead
            return lead

        def endgame(s: State, most: int, out: Out) -> int:
            # The berries that are left, as bits: whoever picks some makes that number smaller.
            out[0] = s.lead if s.turn == 0 else -s.lead
            number = 0
            for cell in range(cells):
                if s.berries[cell] == 1 and cell >= NUMBERED:
                    return -1
                number += s.berries[cell] << cell
            return number

        def pick(s: State, action: int, t: State) -> None:
            cell, way = action // 3, action % 3
            t.berries[cell] = 0
            if way > 0:
                t.berries[cell + (1 if way == 1 else columns)] = 0
            picked = 1 if way == 0 else 2
            t.lead = s.lead + (picked if s.turn == 0 else -picked)
            # When the game is over nobody is to move: one end for both, not two.
            t.turn = 1 - s.turn if count(t.berries, cells) > 0 else 0

        def outcome(s: State, out: Out) -> None:
            if s.lead != 0:
                out[0], out[1] = (1, -1) if s.lead > 0 else (-1, 1)

        def score(s: State, out: Out) -> None:
            out[0], out[1] = s.lead, -s.lead

        def evaluate(s: State, out: Out) -> None:
            guess = s.lead + (0.5 if s.turn == 0 else -0.5)
            out[0], out[1] = guess, -guess

        def best_score_from(s: State, out: Out) -> None:
            left = count(s.berries, cells)
            out[0], out[1] = s.lead + left, left - s.lead

        def symmetry(s: State, k: int, t: State) -> None:
            for row in range(rows):
                for column in range(columns):
                    y = rows - 1 - row if k >= 2 else row
                    x = columns - 1 - column if k % 2 == 1 else column
                    t.berries[y * columns + x] = s.berries[row * columns + column]

        def relabel(s: State, k: int, t: State) -> None:
            if k == 1:
                t.lead = -s.lead
                t.turn = 1 - s.turn if count(s.berries, cells) > 0 else 0

        def encode(s: State, out: Out) -> None:
            for cell in range(cells):
                out[cell] = s.berries[cell]
                out[cells + cell] = (s.lead if s.turn == 0 else -s.lead) / cells

        return Rules(
            initial,
            player,
            actions,
            pick,
            outcome,
            score=score,
            evaluate=evaluate,
            best_score_from=best_score_from,
            outcome_at_horizon=outcome,  # whoever leads when the game is cut short
            symmetry=symmetry,
            relabel=relabel,
            encode=encode,
            is_terminal=is_terminal,
            forced=forced,
            reduced=reduced,
            endgame=endgame,
            endgame_sizes=[1 << used for used in range(min(cells, NUMBERED) + 1)],
        )

    # -- what people see ----------------------------------------------------------------------

    def show(self, state: bytes) -> str:
        s = self.state.unpack(state)
        lines = []
        for row in reversed(range(self.rows)):
            cells = s.berries[row * self.columns : (row + 1) * self.columns]
            lines.append(f"{row + 1:2} " + " ".join("*" if berry else "." for berry in cells))
        return "\n".join([*lines, "   " + " ".join(LETTERS[: self.columns]), self._verdict(s)])

    def _verdict(self, s: Fields) -> str:
        lead: int = s.lead
        ahead = f"player {1 if lead > 0 else 2} is {abs(lead)} ahead" if lead else "even"
        return f"{ahead}; player {s.turn + 1} to move" if any(s.berries) else f"over: {ahead}"

    def action_name(self, state: bytes, action: int) -> str:
        return "-".join(
            f"{LETTERS[cell % self.columns]}{cell // self.columns + 1}"
            for cell in self._picked(action)
        )

    def _picked(self, action: int) -> tuple[int, ...]:
        """Return the cells that an action empties."""
        cell, way = divmod(action, 3)
        return (cell,) if way == 0 else (cell, cell + (1 if way == 1 else self.columns))

    def svg(self, state: bytes, *, last: int | None = None, targets: Sequence[int] = ()) -> str:
        s = self.state.unpack(state)
        canvas = Canvas(self.columns, self.rows, title=f"Berries: {self._verdict(s)}")
        canvas.coordinates(self.columns, self.rows)
        for cell, berry in enumerate(s.berries):
            x, y = cell % self.columns, self.rows - 1 - cell // self.columns
            canvas.rectangle(x, y, fill=LEAVES)  # x, y: its upper left corner
            if last is not None and cell in self._picked(last):
                canvas.mark_last(x, y)
            if berry:
                canvas.disc(x + 0.5, y + 0.5, 0.3, fill=BERRY, stroke=EDGE)  # its middle
        for action in targets:
            place = self.places(state, action)[0]
            canvas.mark_target(place.x, place.y, taken=len(self._picked(action)) == 1)
        return canvas.svg()

    def places(self, state: bytes, action: int) -> Sequence[Place]:
        # One click, near where two berries meet: of places that overlap the nearest middle counts.
        cells = self._picked(action)
        columns = [cell % self.columns for cell in cells]
        rows = [self.rows - 1 - cell // self.columns for cell in cells]
        width, height = max(columns) - min(columns) + 1, max(rows) - min(rows) + 1
        return [Place(min(columns) + width / 2, min(rows) + height / 2, width, height)]

    def badge_place(self, state: bytes, action: int) -> Place | None:
        # Between two berries, where nothing is; or above a lonely one.
        (place,) = self.places(state, action)
        return place.inside(0.36) if max(place.width, place.height) > 1 else place.corner()

    def piece_places(self) -> Sequence[Place]:
        return grid_places(self.rows, self.columns)

    def pieces_on(self, state: bytes) -> Sequence[int]:
        berries: list[int] = self.state.unpack(state).berries
        return berries

    def set_up(self, pieces: Sequence[int], player: int) -> bytes:
        check_pieces(self, pieces, player)
        return packed(self, player, berries=list(pieces))  # and nobody is ahead


# Rules may use functions of their module; these are compiled with them.


def list_picks(berries: Out, rows: int, columns: int, out: Out) -> int:
    """Write the legal actions to out; return how many there are."""
    found = 0
    for cell in range(rows * columns):
        x, y = cell % columns, cell // columns
        if berries[cell] == 1:
            right = berry_at(berries, rows, columns, x + 1, y)
            above = berry_at(berries, rows, columns, x, y + 1)
            left = berry_at(berries, rows, columns, x - 1, y)
            below = berry_at(berries, rows, columns, x, y - 1)
            if right + above + left + below == 0:
                out[found] = 3 * cell
                found += 1
            if right == 1:
                out[found] = 3 * cell + 1
                found += 1
            if above == 1:
                out[found] = 3 * cell + 2
                found += 1
    return found


def berry_at(berries: Out, rows: int, columns: int, x: int, y: int) -> int:
    """Return 1 if there is a berry on that cell, 0 if it is empty or off the board."""
    if x < 0 or x >= columns or y < 0 or y >= rows:
        return 0
    berry: int = berries[y * columns + x]
    return berry


def count(berries: Out, cells: int) -> int:
    """Count the berries that are left."""
    left = 0
    for cell in range(cells):
        left += berries[cell]
    return left


def main() -> None:
    """Check the rules, and say what symmetries and heuristic save."""
    print(check_game(Berries()))
    for options in ({}, {"canonical": True}, {"evaluation": "zero"}):
        result = ub.Search(Berries(), **options).run()
        print(options, result.outcome, f"{result.states:,} states")


if __name__ == "__main__":
    main()
