# SPDX-License-Identifier: MIT
"""Nim, with any heaps and any number of players."""

from __future__ import annotations

from collections.abc import Sequence

from unbounded.game import Out, RecordGame, Rules, State, record, require

MOST_HEAPS, LARGEST_HEAP, MOST_ACTIONS = 1000, 2**31 - 1, 65535


class Nim(RecordGame):
    """Players take turns to take objects from one heap of their choice, at least one object.

    Whoever takes the very last object wins, and all others lose; in a misere game it is the
    other way round. `most` limits how many may be taken at a time (0: no limit).
    """

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
        many = type(players) is int and 2 <= players <= 100
        require(many, "players must be an integer from 2 to 100")
        require(type(misere) is bool, "misere must be true or false")
        limited = type(most) is int and 0 <= most <= LARGEST_HEAP
        require(limited, f"most must be an integer from 0 (no limit) to {LARGEST_HEAP}")

        self.heaps, self.players, self.misere, self.most = tuple(heaps), players, misere, most
        self.zero_sum = players == 2
        self.state = record(heaps=f"i32[{len(heaps)}]", turn="i8")
        self._at_once = min(most or LARGEST_HEAP, max(heaps))
        self.max_actions = sum(min(heap, self._at_once) for heap in heaps)
        require(
            self.max_actions <= MOST_ACTIONS,
            f"these heaps allow more than {MOST_ACTIONS} actions; give a smaller `most`",
        )

    def rules(self) -> Rules:
        # Action numbers run through the heaps: taking n from heap h (counted from 0) is
        # h * at_once + n - 1.
        at_once, players, last_wins = self._at_once, self.players, 0 if self.misere else 1
        heaps = self.heaps
        piles = len(heaps)

        def initial(s: State) -> None:
            for heap in range(piles):
                s.heaps[heap] = heaps[heap]

        def player(s: State) -> int:
            turn: int = s.turn
            return turn

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

        return Rules(initial, player, actions, take, outcome)

    def show(self, state: bytes) -> str:
        s = self.state.unpack(state)
        shown = [f"{heap + 1}: {pile(count)}" for heap, count in enumerate(s.heaps)]
        if any(s.heaps):
            shown.append(f"player {s.turn + 1} to move")
        else:
            last = (s.turn - 1) % self.players
            shown.append(f"player {last + 1} took the last one")
        return "\n".join(shown)

    def action_name(self, state: bytes, action: int) -> str:
        heap, taken = divmod(action, self._at_once)
        return f"{heap + 1}:{taken + 1}"


def pile(count: int) -> str:
    """Draw a heap; a large one is only counted."""
    return "|" * count + f" ({count})" if 0 < count <= 60 else str(count)
