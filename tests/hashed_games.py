# SPDX-License-Identifier: MIT
"""Random little games whose rules are compiled: what a state is like follows from a hash of it.

The first action chooses one of many games, so that one compilation is enough for all of them.
"""

from __future__ import annotations

from unbounded.game import Out, RecordGame, Rules, State, record

PRIME = 2**31 - 1
NO_SCORE, POINTS, DISTINCT = range(3)


class Hashed(RecordGame):
    """Any of `games` random games, of up to `plies` moves and `width` places for each ply.

    Players move in any order, games end early, moves bring points, and outcomes have nothing to do
    with them. There are two images of every state: `flip` only turns the order of the actions.

    scores: 0 for the outcomes, 1 for the points, 2 for numbers that are hardly ever the same.
    single: all others lose where one player wins, and the game declares it.
    """

    symmetries = 2

    def __init__(
        self,
        players: int = 2,
        games: int = 200,
        plies: int = 6,
        width: int = 5,
        scores: int = 0,
        *,
        single: bool = False,
    ) -> None:
        self.players, self.games, self.plies, self.width = players, games, plies, width
        self.scores, self.single = scores, single
        self.single_winner = single
        self.zero_sum = players == 2
        self.max_actions = max(games, 4)
        self.state = record(
            seed="i32", ply="i8", place="i32", turn="i8", flip="i8", points=f"i16[{players}]"
        )
        if scores == POINTS:
            self.best_score = (2.0 * plies,) * players
        if scores == DISTINCT:
            self.best_score = (1000.0,) * players

    def rules(self) -> Rules:
        players, games, plies, width = self.players, self.games, self.plies, self.width
        scores, single = self.scores, 1 if self.single else 0

        def initial(s: State) -> None:
            s.seed = 0

        def player(s: State) -> int:
            turn: int = s.turn
            return turn

        def actions(s: State, out: Out) -> int:
            if s.seed == 0:
                for number in range(games):
                    out[number] = number
                return games
            if s.ply == plies or (s.ply > 1 and mix(s.seed, s.ply, s.place, 1) % 6 == 0):
                return 0
            count = 1 + mix(s.seed, s.ply, s.place, 2) % 4
            for number in range(count):
                out[number] = count - 1 - number if s.flip == 1 else number
            return count

        def play(s: State, action: int, t: State) -> None:
            if s.seed == 0:
                t.seed = 1 + action
                t.turn = mix(1 + action, 0, 0, 3) % players
                return
            salt = 10 * (action + 1)
            t.ply = s.ply + 1
            t.place = mix(s.seed, s.ply, s.place, salt) % width
            t.turn = mix(s.seed, s.ply, s.place, salt + 1) % players
            t.flip = (s.flip + mix(s.seed, s.ply, s.place, salt + 2)) % 2
            t.points[s.turn] = s.points[s.turn] + mix(s.seed, s.ply, s.place, salt + 3) % 3

        def outcome(s: State, out: Out) -> None:
            for who in range(players):
                out[who] = mix(s.seed, s.ply, s.place, 4 + who) % 3 - 1
            if players == 2:
                out[1] = -out[0]
            winner = mix(s.seed, s.ply, s.place, 50) % (players + 2)
            for who in range(players if single == 1 else 0):
                # Without a winner, players draw or lose.
                out[who] = min(out[who], 0) if winner >= players else 1 if who == winner else -1

        def score(s: State, out: Out) -> None:
            for who in range(players):
                if scores == 1:
                    out[who] = s.points[who] - (s.points[1 - who] if players == 2 else 0)
                else:
                    out[who] = mix(s.seed, s.ply, s.place, 100 + who) % 8000 / 8.0
            if players == 2:
                out[1] = -out[0]

        def evaluate(s: State, out: Out) -> None:
            for who in range(players):
                out[who] = mix(s.seed, s.ply, s.place, 200 + who) % 21 / 10.0 - 1.0
            if players == 2:
                out[1] = -out[0]

        def best_score_from(s: State, out: Out) -> None:
            for who in range(players):
                best = s.points[who] + 2 * (plies - s.ply)
                out[who] = best - (s.points[1 - who] if players == 2 else 0)

        def symmetry(s: State, k: int, t: State) -> None:
            t.flip = (s.flip + k) % 2

        return Rules(
            initial,
            player,
            actions,
            play,
            outcome,
            score=None if scores == NO_SCORE else score,
            evaluate=evaluate,
            best_score_from=best_score_from if scores == POINTS else None,
            symmetry=symmetry,
        )


def mix(seed: int, ply: int, place: int, salt: int) -> int:
    """Return a number from 0 to 2**31 - 2, the same compiled and in plain Python."""
    mixed = (seed * 7919 + ply * 104729 + place * 1299709 + salt * 15485863) % PRIME
    for _ in range(3):
        mixed = (mixed * mixed + 12345 + salt) % PRIME
    return mixed
