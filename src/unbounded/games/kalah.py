# SPDX-License-Identifier: MIT
"""Kalah with any number of pits and seeds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import comb

import numpy as np

from unbounded.game import Known, Out, Place, RecordGame, Rules, State, record, require
from unbounded.game.board import LETTERS, most_points_win, player_in_turn, require_integer
from unbounded.game.colors import BOARD, DARK, FAINT, PLAYERS
from unbounded.game.drawing import Canvas

MOST_PITS = 12
MOST_SEEDS = 100
MOST_ENDGAMES = 1 << 28
"""Layouts of seeds that are numbered."""
TO_MOVE = 2.5
"""The seeds that a move is guessed to bring, further moves included."""


class Kalah(RecordGame):
    """Two players, South and North, have a row of pits each and a store at its right end.

    The player to move takes all seeds of one of their own pits and sows them one by one to the
    right, anticlockwise: through their own pits, into their own store, through the opponent's pits,
    past the opponent's store and on around, the emptied pit included. If the last seed falls into
    their own store, the same player moves again. If it falls into an empty pit of their own and the
    pit opposite is not empty, that seed and all seeds opposite go into their store. When either row
    is empty after a move, the game is over: the seeds of the other row go to the store of the
    player who owns it. The player with more seeds wins; the score is how many more.

    These are the usual rules. With `empty_capture`, a last seed in an empty pit of the mover's own
    goes into their store also when the pit opposite is empty. Some variants give the seeds left
    over to the player who emptied their row: not here.

    South begins. A move is the letter of a pit: a, b, c for South's from the left, A, B, C for
    North's, as North sees them.
    """

    players = 2
    zero_sum = True
    symbols = "SN"
    solvable = "kalah(pits=3,seeds=3)"
    known_values = tuple(
        Known(
            f"kalah(pits={pits},seeds={seeds}{rule})",
            ((lead > 0) - (lead < 0), (lead < 0) - (lead > 0)),
            "independent solver",
            (float(lead), float(-lead)),
        )
        for rule, boards in (
            ("", (
                (1, 1, 0), (1, 2, -2), (1, 3, 6), (2, 1, 2), (2, 2, -2), (2, 3, -2),
                (2, 4, -10), (3, 1, 0), (3, 2, 4), (3, 3, 2), (4, 1, 2), (4, 2, 6),
            )),
            (",empty_capture=true", ((2, 4, -12), (3, 2, 4), (3, 3, 2))),
        )
        for pits, seeds, lead in boards
    )  # fmt: skip

    def __init__(self, pits: int = 4, seeds: int = 3, empty_capture: bool = False) -> None:
        require_integer("pits", pits, 1, MOST_PITS)
        require_integer("seeds", seeds, 1, MOST_SEEDS)
        require(type(empty_capture) is bool, "empty_capture must be true or false")
        self.pits, self.seeds, self.empty_capture = pits, seeds, empty_capture
        self._least_opposite = 0 if empty_capture else 1  # seeds, for a capture
        self.best_score = (2.0 * pits * seeds,) * 2
        self.planes = (4, 1, pits)
        self.max_actions = pits
        self.action_count, self.longest_game = 2 * pits, most_moves(pits, seeds)
        # The pits of South from left to right, then those of North as North sees them.
        self.state = record(pits=f"i16[{2 * pits}]", stores="i16[2]", turn="i8")

    def rules(self) -> Rules:
        pits, seeds, least = self.pits, self.seeds, self._least_opposite
        total = 2 * pits * seeds

        def initial(s: State) -> None:
            for pit in range(2 * pits):
                s.pits[pit] = seeds

        def actions(s: State, out: Out) -> int:
            count = 0
            if s.stores[0] + s.stores[1] < total:
                for pit in range(s.turn * pits, (s.turn + 1) * pits):
                    if s.pits[pit] > 0:
                        out[count] = pit
                        count += 1
            return count

        def is_terminal(s: State) -> bool:
            return bool(s.stores[0] + s.stores[1] == total)

        def sow(s: State, pit: int, t: State) -> None:
            # Places are counted from the mover's first pit; the mover's store comes after the last.
            mine = s.turn * pits
            place = pit - mine
            t.pits[pit] = 0
            for _ in range(s.pits[pit]):
                place = place + 1 if place < 2 * pits else 0
                if place == pits:
                    t.stores[s.turn] += 1
                elif place < pits:
                    t.pits[mine + place] += 1
                else:
                    t.pits[place - 1 - mine] += 1
            if place != pits:
                t.turn = 1 - s.turn
            if place < pits and t.pits[mine + place] == 1:
                opposite = 2 * pits - 1 - mine - place
                if t.pits[opposite] >= least:
                    t.stores[s.turn] += 1 + t.pits[opposite]
                    t.pits[mine + place] = 0
                    t.pits[opposite] = 0
            if seeds_in_row(t.pits, 0, pits) == 0 or seeds_in_row(t.pits, 1, pits) == 0:
                for who in range(2):
                    t.stores[who] += seeds_in_row(t.pits, who, pits)
                for each in range(2 * pits):
                    t.pits[each] = 0
                t.turn = 0  # over: equal ends are equal states, whoever moved last

        def outcome(s: State, out: Out) -> None:
            out[0], out[1] = s.stores[0], s.stores[1]
            most_points_win(out, 2)

        def score(s: State, out: Out) -> None:
            for who in range(2):
                out[who] = s.stores[who] - s.stores[1 - who]

        def forced(s: State, out: Out) -> int:
            # With more than half of the seeds in a store, the game is decided.
            if 2 * s.stores[1 - s.turn] > total:
                return 0
            count: int = actions(s, out)
            for i in range(count):
                gained = seeds_gained(s.pits, s.turn * pits, out[i] - s.turn * pits, pits, least)
                if 2 * (s.stores[s.turn] + gained) > total:
                    out[0] = out[i]
                    return 1
            return count

        def reduced(s: State, t: State) -> int:
            # Whose seeds those in the stores are does not matter for the rest of the game.
            t.stores[0] = s.stores[0] + s.stores[1]
            t.stores[1] = 0
            return int(-2 * s.stores[1])

        (evaluate, best_score_from), (relabel, encode) = self._guesses(), self._views()
        endgame, endgame_sizes = self._endgames()
        return Rules(
            initial, player_in_turn, actions, sow, outcome, score, evaluate, best_score_from,
            relabel=relabel, encode=encode, is_terminal=is_terminal,
            forced=forced, reduced=reduced, endgame=endgame, endgame_sizes=endgame_sizes,
        )  # fmt: skip

    def _endgames(self) -> tuple[Callable[[State, int, Out], int], Sequence[int]]:
        """Return the rule `endgame`, and its sizes: how many ways there are to lay out few seeds.

        The pits are numbered from the mover's first. Let the first i + 1 of them hold n seeds, for
        i = 0, 1, 2...: then C(n + i, i + 1) layouts with fewer seeds in these pits come before, so
        that the sum of these counts, over all i, numbers the layouts without a gap, those with the
        fewest seeds first.
        """
        pits, total = self.pits, 2 * self.pits * self.seeds
        sizes = [comb(n + 2 * pits, 2 * pits) for n in range(total + 1)]
        sizes = [size for size in sizes if size <= MOST_ENDGAMES]
        few, size_of = len(sizes), np.array(sizes, np.int64)
        before = np.array(
            [[comb(n + i, i + 1) for i in range(2 * pits)] for n in range(few)], np.int64
        ).ravel()

        def endgame(s: State, most: int, out: Out) -> int:
            left = total - s.stores[0] - s.stores[1]
            if left >= few or size_of[left] > most:
                return -1
            out[0] = s.stores[s.turn] - s.stores[1 - s.turn]
            mine, seeds, number = s.turn * pits, 0, 0
            for i in range(pits):
                seeds += s.pits[mine + i]
                number += before[seeds * 2 * pits + i]
            for i in range(pits, 2 * pits):
                seeds += s.pits[i - mine]
                number += before[seeds * 2 * pits + i]
            return number

        return endgame, sizes

    def _guesses(self) -> list[Callable[..., None]]:
        """Return the rules `evaluate` and `best_score_from`."""
        total = 2 * self.pits * self.seeds

        def evaluate(s: State, out: Out) -> None:
            # Who is to move gains by it, and above all by moving again. What lies in the pits has
            # not been found to say more, and searches by this find proofs several times sooner.
            out[0] = s.stores[0] - s.stores[1] + (TO_MOVE if s.turn == 0 else -TO_MOVE)
            out[1] = -out[0]

        def best_score_from(s: State, out: Out) -> None:
            left = total - s.stores[0] - s.stores[1]
            for who in range(2):
                out[who] = s.stores[who] - s.stores[1 - who] + left

        return [evaluate, best_score_from]

    def _views(self) -> list[Callable[..., None]]:
        """Return the rules `relabel` and `encode`."""
        pits, total = self.pits, 2 * self.pits * self.seeds

        def relabel(s: State, k: int, t: State) -> None:
            if k % 2 == 1:
                for pit in range(2 * pits):
                    t.pits[pit] = s.pits[(pit + pits) % (2 * pits)]
                t.stores[0] = s.stores[1]
                t.stores[1] = s.stores[0]
                if s.stores[0] + s.stores[1] < total:
                    t.turn = 1 - s.turn

        def encode(s: State, out: Out) -> None:
            mine = s.turn * pits
            for pit in range(pits):
                out[pit] = s.pits[mine + pit] / total
                out[pits + pit] = s.pits[2 * pits - 1 - mine - pit] / total
                out[2 * pits + pit] = s.stores[s.turn] / total
                out[3 * pits + pit] = s.stores[1 - s.turn] / total

        return [relabel, encode]

    # -- for people -------------------------------------------------------------------------------

    def action_name(self, state: bytes, action: int) -> str:
        return self._letter(action)

    def _letter(self, pit: int) -> str:
        letter = LETTERS[pit % self.pits]
        return letter if pit < self.pits else letter.upper()

    def _verdict(self, stores: list[int], turn: int) -> str:
        names = ("South", "North")
        if sum(stores) < 2 * self.pits * self.seeds:
            return f"{names[turn]} to move"
        lead = stores[0] - stores[1]
        if lead == 0:
            return f"a draw, {stores[0]} : {stores[1]}"
        return f"{names[lead < 0]} has won, {max(stores)} : {min(stores)}"

    def show(self, state: bytes) -> str:
        s, pits = self.state.unpack(state), self.pits
        wide = len(str(2 * pits * self.seeds))
        margin = " " * (wide + 2)

        def row(entries: Sequence[object]) -> str:
            return margin + " ".join(f"{entry!s:>{wide}}" for entry in entries)

        letters = LETTERS[:pits]
        stores = f"{s.stores[1]:>{wide}}" + " " * (pits * (wide + 1) + 3) + f"{s.stores[0]:>{wide}}"
        return "\n".join(
            [
                row(letters.upper()[::-1]),
                row(s.pits[: pits - 1 : -1]),
                stores,
                row(s.pits[:pits]),
                row(letters),
                self._verdict(s.stores, s.turn),
            ]
        )

    def svg(self, state: bytes, *, last: int | None = None, targets: Sequence[int] = ()) -> str:
        s, pits = self.state.unpack(state), self.pits
        over = sum(s.stores) == 2 * pits * self.seeds
        canvas = Canvas(pits + 2.4, 2, title=self._verdict(s.stores, s.turn))
        canvas.rectangle(0, -0.15, pits + 2.4, 2.3, fill=DARK, radius=0.5)
        for who, x in ((1, 0.1), (0, pits + 1.3)):
            thickness = 0.12 if who == s.turn and not over else 0.05
            color = PLAYERS[who]
            canvas.rectangle(x, 0.1, 1, 1.8, radius=0.45, stroke=color, thickness=thickness)
            canvas.text(x + 0.5, 0.92, str(s.stores[who]), size=0.56, bold=True)
            canvas.text(x + 0.5, 1.55, self.symbols[who], size=0.3)
        for pit in range(2 * pits):
            who = pit // pits
            x, y = self._center(pit)
            canvas.disc(x, y, 0.38, fill=BOARD, stroke=PLAYERS[who], thickness=0.05)
            if s.pits[pit] > 0:
                canvas.text(x, y, str(s.pits[pit]), size=0.42)
            if pit == last:
                canvas.ring_last(x, y, 0.455)
            name = (x, 2.4 if who == 0 else -0.4)
            canvas.text(*name, self._letter(pit), size=0.32, fill=FAINT)
            if pit in targets:
                canvas.mark_target(x + 0.36, y - 0.36, 0.1)
        return canvas.svg()

    def places(self, state: bytes, action: int) -> Sequence[Place]:
        return [Place(*self._center(action))]

    def _center(self, pit: int) -> tuple[float, float]:
        """Return where the middle of a pit is drawn."""
        if pit < self.pits:
            return 1.7 + pit, 1.5
        return 2 * self.pits + 0.7 - pit, 0.5


def most_moves(pits: int, seeds: int) -> int:
    """Return a number of moves that no game exceeds.

    Let a seed be as many steps from home as it is from the store at the end of its row. A move that
    puts nothing into a store leaves all seeds in their rows, at least one of them a step nearer. In
    another move, each seed that falls into the mover's store loses at least a step, and at most
    one for every pit of both rows follows before the next one falls there: these gain at most
    1 + 2 + ... + (pits - 1) steps in each row, that is pits * (pits - 1) together. So the steps of
    all seeds, and pits * (pits - 1) for each seed outside the stores, add up to less after every
    move. Before the last move there is still a seed in each row.
    """
    worth = pits * (pits - 1)
    return seeds * pits * (pits + 1) + worth * 2 * pits * seeds - (2 + 2 * worth) + 1


def seeds_in_row(cells: Out, who: int, pits: int) -> int:
    """Count the seeds in the pits of a player."""
    count = 0
    for pit in range(who * pits, (who + 1) * pits):
        count += cells[pit]
    return count


def seeds_gained(cells: Out, mine: int, pit: int, pits: int, least: int) -> int:
    """Count the seeds that a move brings at least, of the mover whose pits begin at `mine`.

    That is all of them, but for captures after a whole lap and seeds left over at the end.
    """
    count: int = cells[mine + pit]
    to_store = pits - pit
    if count >= to_store:
        return 1 + (count - to_store) // (2 * pits + 1)
    last = pit + count
    opposite: int = cells[2 * pits - 1 - mine - last]
    return 1 + opposite if cells[mine + last] == 0 and opposite >= least else 0
