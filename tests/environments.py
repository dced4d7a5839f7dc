# SPDX-License-Identifier: MIT
"""Boards for the tests of learning environments: every game of the shelf, and games for more."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from random import Random
from typing import Any

from unbounded.game import Game, Out, RecordGame, Rules, State, record
from unbounded.game.catalogue import games

SHELF = {n: c for n, c in games().items() if c.__module__.startswith("unbounded.games.")}
MANY = [
    "blokus(size=5,pieces=3,players=4)",
    "chinese-checkers(size=1,players=3)",
    "connect-four(width=4,height=4,players=3)",
    "dots-and-boxes(players=3)",
    "isolation(rows=3,columns=4,players=3)",
    "mnk(rows=3,columns=3,players=3)",
    "nim(players=3)",
    "rolit(size=4,players=4)",
    "santorini(size=3,workers=1,players=3)",
]
WRAPPED = ["horizon(tic-tac-toe,plies=5)", "quick-wins(tic-tac-toe)"]
BOARDS = [cls.solvable or name for name, cls in SHELF.items()] + MANY + WRAPPED


class Countdown(RecordGame):
    """A game that no catalogue names and that has no planes: take one or two of the sticks."""

    players, max_actions, action_count = 2, 2, 3
    state = record(sticks="i8", turn="i8")

    def __init__(self, sticks: int = 4) -> None:
        self.sticks = sticks

    def rules(self) -> Rules:
        sticks = self.sticks

        def initial(s: State) -> None:
            s.sticks = sticks

        def player(s: State) -> int:
            return int(s.turn)

        def actions(s: State, out: Out) -> int:
            count = min(2, s.sticks)
            for i in range(count):
                out[i] = i + 1
            return count

        def take(s: State, action: int, t: State) -> None:
            t.sticks = s.sticks - action
            t.turn = 1 - s.turn

        def outcome(s: State, out: Out) -> None:
            out[s.turn], out[1 - s.turn] = -1, 1

        return Rules(initial, player, actions, take, outcome)


class Words(Game[str, int]):
    """A game on objects that cannot be observed: its states are texts."""

    action_count = 2

    def initial(self) -> str:
        return ""

    def player(self, state: str) -> int:
        return len(state) % 2

    def actions(self, state: str) -> list[int]:
        return [0, 1] if len(state) < 3 else []

    def next(self, state: str, action: int) -> str:
        return state + "ab"[action]

    def outcome(self, state: str) -> list[int]:
        return [1, -1] if state.count("a") > 1 else [-1, 1]


class Encoded(Words):
    """The same with planes, which count to 3, and which the end of the game does not have."""

    planes = (2, 1, 1)

    def encode(self, state: str) -> list[float]:
        return {3: []}.get(len(state), [float(len(state)), -1.0])


class Numbered(Words):
    """The same with states that are integers, one in a tuple within a tuple."""

    def initial(self) -> Any:
        return (0, (0,))

    def player(self, state: Any) -> int:
        return int(state[0]) % 2

    def actions(self, state: Any) -> list[int]:
        return [0, 1] if state[0] < 3 else []

    def next(self, state: Any, action: int) -> Any:
        return (state[0] + 1, (state[1][0] + action,))

    def outcome(self, state: Any) -> list[int]:
        return [1, -1] if state[1][0] > 1 else [-1, 1]


def random_line(game: Game[Any, Any], seed: int) -> Iterator[tuple[Any, int | None]]:
    """Yield the states of a random game with the action that is played there; None at the end."""
    random, state = Random(seed), game.initial()
    while legal := list(game.actions(state)):
        action = random.choice(legal)
        yield state, action
        state = game.next(state, action)
    yield state, None


def pickled(environment: Any) -> Any:
    """Return what another process gets of an environment that is sent to it."""
    return pickle.loads(pickle.dumps(environment))  # noqa: S301 - it was written here
