# SPDX-License-Identifier: MIT
"""A small game with scores, to which tests add rules that probes believe."""

from __future__ import annotations

from unbounded.game import Out, RecordGame, Rules, State, record
from unbounded.game.board import player_in_turn


class Coins(RecordGame):
    """Take one or two coins of a heap in turn; whoever has more coins at the end wins."""

    state = record(left="i16", taken="i16[2]", turn="i8")
    max_actions, zero_sum = 2, True

    def __init__(self, coins: int = 9) -> None:
        self.coins, self.best_score = coins, (float(coins), float(coins))

    def rules(self) -> Rules:
        coins = self.coins

        def initial(s: State) -> None:
            s.left = coins

        def actions(s: State, out: Out) -> int:
            out[0], out[1] = 1, 2
            return min(2, s.left)

        def take(s: State, number: int, t: State) -> None:
            t.left = s.left - number
            t.taken[s.turn] += number
            t.turn = 1 - s.turn

        def score(s: State, out: Out) -> None:
            out[0] = s.taken[0] - s.taken[1]
            out[1] = -out[0]

        def outcome(s: State, out: Out) -> None:
            lead = s.taken[0] - s.taken[1]
            out[0] = (lead > 0) - (lead < 0)
            out[1] = -out[0]

        return Rules(initial, player_in_turn, actions, take, outcome, score)
