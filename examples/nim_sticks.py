# SPDX-License-Identifier: MIT
"""A game of one's own: from the rules to a checked game, in one file.

There are some sticks on the table. Two players take turns to take one, two or three of them.
Whoever takes the last stick wins.

Run it to check the rules: `python examples/nim_sticks.py`. Then it can be used by its file name
wherever a game is named, for example `unbounded solve examples/nim_sticks.py`.
"""

from __future__ import annotations

from unbounded.game import Out, RecordGame, Rules, State, record, require
from unbounded.testing import check_game


class NimSticks(RecordGame):
    """Take turns to take 1 to `most` sticks; whoever takes the last one wins."""

    zero_sum = True  # what one player wins the other loses

    def __init__(self, sticks: int = 21, most: int = 3) -> None:
        require(type(sticks) is int and 1 <= sticks <= 10_000, "sticks must be from 1 to 10000")
        require(type(most) is int and 1 <= most <= 100, "most must be from 1 to 100")
        self.sticks, self.most = sticks, most
        self.state = record(sticks="i16", turn="i8")  # all that matters for the rest of the game
        self.max_actions = most

    def rules(self) -> Rules:
        sticks, most = self.sticks, self.most  # plain numbers, so that the rules can be compiled

        def initial(s: State) -> None:
            s.sticks = sticks

        def player(s: State) -> int:
            turn: int = s.turn
            return turn

        def actions(s: State, out: Out) -> int:
            count: int = min(most, s.sticks)
            for i in range(count):
                out[i] = i + 1
            return count  # none left: the game is over

        def take(s: State, action: int, t: State) -> None:
            t.sticks = s.sticks - action
            t.turn = 1 - s.turn

        def outcome(s: State, out: Out) -> None:
            out[s.turn] = -1  # the other one took the last stick
            out[1 - s.turn] = 1

        return Rules(initial, player, actions, take, outcome)

    def show(self, state: bytes) -> str:
        s = self.state.unpack(state)
        return f"{'|' * s.sticks or 'no sticks'} (player {s.turn + 1} to move)"


def main() -> None:
    """Check the rules, and say what was found."""
    print(check_game(NimSticks()))


if __name__ == "__main__":
    main()
