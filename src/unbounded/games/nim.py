# SPDX-License-Identifier: MIT
"""Nim, with any heaps and any number of players."""

from __future__ import annotations

from collections.abc import Sequence

from unbounded.game import Known, Out, Place, RecordGame, Rules, State, record, require
from unbounded.game.board import player_in_turn, require_integer
from unbounded.game.colors import COVERED, EDGE, FAINT, LINE
from unbounded.game.drawing import Canvas

BOUTON = "theory: Bouton 1901"
MOST_DRAWN = 30
"""A larger heap is drawn as its number."""

MOST_HEAPS, LARGEST_HEAP, MOST_ACTIONS = 1000, 2**31 - 1, 65535

SURE = 0.9
"""The evaluation of a position for the player who wins it in theory."""


class Nim(RecordGame):
    """Players take turns to take objects from one heap of their choice, at least one object.

    Whoever takes the very last object wins, and all others lose; in a misere game it is the
    other way round. `most` limits how many may be taken at a time (0: no limit).

    A move says from which heap, and how many: `2:3` takes three objects from the second heap. The
    first player begins, and all play in turn.
    """

    solvable = "nim"
    known_values = (
        Known("nim", (1, -1), BOUTON),
        Known("nim(heaps=[1,2,3])", (-1, 1), BOUTON),
        Known("nim(heaps=[1,3,5,7])", (-1, 1), BOUTON),
        Known("nim(heaps=[1,3,5,7],misere=true)", (-1, 1), BOUTON),
        Known("nim(heaps=[1,1,1],misere=true)", (-1, 1), BOUTON),
        Known("nim(heaps=[20],most=3)", (-1, 1), "theory: lost at multiples of most + 1"),
        Known("nim(heaps=[21],most=3)", (1, -1), "theory: lost at multiples of most + 1"),
    )

    def __init__(
        self,
        heaps: Sequence[int] = (3, 4, 5),
        players: int = 2,
        misere: bool = False,
        most: int = 0,
    ) -> None:
        listed = isinstance(heaps, (list, tuple)) and 1 <= len(heaps) <= MOST_HEAPS
        require(listed, f"heaps must be a list of 1 to {MOST_HEAPS} integers")
        counts = all(type(heap) is int and 0 <= heap <= LARGEST_HEAP for heap in heaps)
        require(counts, f"each heap must be an integer from 0 to {LARGEST_HEAP}")
        require(any(heaps), "at least one heap must not be empty")
        require_integer("players", players, 2, 100)
        require(type(misere) is bool, "misere must be true or false")
        limited = type(most) is int and 0 <= most <= LARGEST_HEAP
        require(limited, f"most must be an integer from 0 (no limit) to {LARGEST_HEAP}")

        self.heaps, self.players, self.misere, self.most = tuple(heaps), players, misere, most
        self.zero_sum = players == 2
        self.state = record(heaps=f"i32[{len(heaps)}]", turn="i8")
        self.planes = (1, len(heaps), max(heaps).bit_length())
        self._at_once = min(most or LARGEST_HEAP, max(heaps))
        self.max_actions = sum(min(heap, self._at_once) for heap in heaps)
        require(
            self.max_actions <= MOST_ACTIONS,
            f"these heaps allow more than {MOST_ACTIONS} actions; give a smaller `most`",
        )
        self.action_count, self.longest_game = len(heaps) * self._at_once, sum(heaps)

    def rules(self) -> Rules:
        # Action numbers run through the heaps: taking n from heap h (counted from 0) is
        # h * at_once + n - 1.
        at_once, players, last_wins = self._at_once, self.players, 0 if self.misere else 1
        heaps = self.heaps
        piles, digits = len(heaps), max(heaps).bit_length()

        def initial(s: State) -> None:
            for heap in range(piles):
                s.heaps[heap] = heaps[heap]

        def actions(s: State, out: Out) -> int:
            count = 0
            for heap in range(piles):
                for taken in range(min(s.heaps[heap], at_once)):
                    out[count] = heap * at_once + taken
                    count += 1
            return count

        def take(s: State, action: int, t: State) -> None:
            t.heaps[action // at_once] -= action % at_once + 1
            t.turn = (s.turn + 1) % players

        def outcome(s: State, out: Out) -> None:
            last = (s.turn + players - 1) % players
            for who in range(players):
                out[who] = 1 if (who == last) == (last_wins == 1) else -1

        def evaluate(s: State, out: Out) -> None:
            if players == 2:
                wins = mover_should_win(s.heaps, at_once, last_wins == 1)
                out[s.turn] = SURE if wins else -SURE
                out[1 - s.turn] = -out[s.turn]
            elif can_take_all(s.heaps, at_once, last_wins == 1):
                for who in range(players):
                    out[who] = SURE if (who == s.turn) == (last_wins == 1) else -SURE

        def relabel(s: State, k: int, t: State) -> None:
            t.turn = (s.turn + k) % players

        def encode(s: State, out: Out) -> None:
            # Binary digits, the lowest first: they are what decides this game.
            for heap in range(piles):
                for digit in range(digits):
                    out[heap * digits + digit] = (s.heaps[heap] >> digit) & 1

        return Rules(
            initial, player_in_turn, actions, take, outcome,
            evaluate=evaluate, relabel=relabel, encode=encode,
        )  # fmt: skip

    def show(self, state: bytes) -> str:
        s = self.state.unpack(state)
        shown = [f"{heap + 1}: {pile(count)}" for heap, count in enumerate(s.heaps)]
        return "\n".join([*shown, self._verdict(state)])

    def _verdict(self, state: bytes) -> str:
        s = self.state.unpack(state)
        if any(s.heaps):
            return f"player {s.turn + 1} to move"
        return f"player {(s.turn - 1) % self.players + 1} took the last one"

    def action_name(self, state: bytes, action: int) -> str:
        heap, taken = divmod(action, self._at_once)
        return f"{heap + 1}:{taken + 1}"

    def svg(self, state: bytes, *, last: int | None = None, targets: Sequence[int] = ()) -> str:
        s = self.state.unpack(state)
        width = max(3, *(heap for heap in (*self.heaps, 0) if heap <= MOST_DRAWN))
        canvas = Canvas(width, len(s.heaps), title=f"Nim: {self._verdict(state)}")
        for heap, count in enumerate(s.heaps):
            y = heap + 0.5
            canvas.text(-0.35, y, str(heap + 1), size=0.32, fill=FAINT)
            canvas.line(0, heap + 0.95, width, heap + 0.95, stroke=LINE)
            gone = last is not None and last in self._takings(heap)
            taken = (last or 0) % self._at_once + 1 if gone else 0
            if self.heaps[heap] > MOST_DRAWN:
                mark = f" (-{taken})" if taken else ""
                canvas.text(width / 2, y, f"{count}{mark}", size=0.6)
                continue
            for place in range(count):
                middle = (place + 0.5, y)
                canvas.disc(*middle, 0.32, fill=COVERED, stroke=EDGE, thickness=0.05, role="piece")
            for place in range(count, count + taken):
                canvas.ring_last(place + 0.5, y, 0.3)
            for action in targets:
                if action in self._takings(heap):
                    # Taking from the right end, up to and including this one.
                    canvas.mark_target(count - action % self._at_once - 0.5, y)
        return canvas.svg()

    def places(self, state: bytes, action: int) -> Sequence[Place]:
        heap, taken = divmod(action, self._at_once)
        if self.heaps[heap] > MOST_DRAWN:
            return ()
        count = self.state.unpack(state).heaps[heap]
        return [Place(count - taken - 0.5, heap + 0.5)]

    def badge_place(self, state: bytes, action: int) -> Place | None:
        places = self.places(state, action)
        return places[-1].inside(0.5) if places else None  # an object has nothing on it

    def _takings(self, heap: int) -> range:
        """Return the actions that take from a heap."""
        return range(heap * self._at_once, (heap + 1) * self._at_once)


# Of a heap only the rest after division by the most that may be taken, plus one, matters: whatever
# the other player takes, the two can be made to take just that much together.


def mover_should_win(heaps: Out, at_once: int, last_wins: bool) -> bool:
    """Whether the mover of two wins, by Bouton's theory: if the heaps do not cancel out in binary.

    In the misere game it is the other way round as soon as no heap has more than one object.
    """
    rest, largest = 0, 0
    for heap in range(len(heaps)):
        count = heaps[heap] % (at_once + 1)
        rest ^= count
        largest = max(largest, count)
    return rest != 0 if last_wins or largest > 1 else rest == 0


def can_take_all(heaps: Out, at_once: int, last_wins: bool) -> bool:
    """Whether the mover can take the last object now; in the misere game, whether they must."""
    total, largest = 0, 0
    for heap in range(len(heaps)):
        total += heaps[heap]
        largest = max(largest, heaps[heap])
    return total == largest and total <= (at_once if last_wins else 1)


def pile(count: int) -> str:
    """Draw a heap as text; a large one as a number."""
    return "|" * count + f" ({count})" if 0 < count <= 60 else str(count)
