# SPDX-License-Identifier: MIT
"""Runs of the reference on tic-tac-toe, recorded step by step."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import unbounded as ub
from unbounded import reference
from unbounded.reference.registry import ALGORITHMS

GAME = ub.load_game("tic-tac-toe")
WINS = {1: "X wins", 0: "draw", -1: "O wins"}


@dataclass(frozen=True)
class Scene:
    """A position to search, and how long."""

    name: str
    title: str
    moves: str
    iterations: dict[str, int | None]
    """For each algorithm; None: until the root is resolved."""


SCENES = (
    Scene("win", "A win", "b1 c3 a2 c2", {"ubfm": None, "descent": None}),
    Scene("draw", "A draw", "a3 b2 b3 b1 c2", {"ubfm": None, "descent": None}),
    Scene("empty", "The empty board", "", {"ubfm": 3, "descent": 1}),
)


@dataclass
class Step:
    """One step of an iteration, with everything that it changed."""

    iteration: int
    kind: str
    """"select", "expand" or "back up"."""
    state: int
    path: list[int]
    line: int
    """The line of the listing that did it, from 0."""
    text: str
    appear: list[int] = field(default_factory=list)
    """The states that are stored from now on."""
    values: dict[int, tuple[float, int | None]] = field(default_factory=dict)
    """What has changed: the estimate, and the outcome if it is proven."""
    visits: dict[str, int] = field(default_factory=dict)
    """What has changed, by "parent-child"."""


class Recorder(reference.Search[Any]):
    """A reference search from any position, which writes down what it does."""

    def __init__(self, scene: Scene, algorithm: str) -> None:
        super().__init__(GAME, algorithm=algorithm, evaluate=GAME.evaluate)
        for table in (self.completion, self.tentative_completion, self.value, self.resolved):
            table.clear()  # the position is the root, not the start of the game
        self.root = ub.Position(GAME, scene.moves).state
        self.initialize(self.root)
        self.numbers: dict[Any, int] = {self.root: 0}
        self.steps: list[Step] = []
        self._values: dict[int, tuple[float, int | None]] = {}
        self._visits: dict[str, int] = {}
        self.run(scene.iterations[algorithm])

    # The listing is the frame that calls one of these.

    def visit(self, s: Any) -> None:
        super().visit(s)
        begins = len(self.path) == 1  # otherwise the line that went on to this state is shown
        self._record("select", s, self._why_selected(s), caller_line(1 if begins else 2))

    def expand(self, s: Any) -> None:
        super().expand(s)
        self._record("expand", s, self._why_expanded(s), caller_line())

    def back_up(self, s: Any) -> None:
        super().back_up(s)
        self._record("back up", s, self._why_backed_up(s), caller_line())

    def _record(self, kind: str, s: Any, text: str, line: int) -> None:
        path = [self.numbers[x] for x in self.path]
        step = Step(self.iterations + 1, kind, self.numbers[s], path, line, text)
        for state in self.value:
            if not self.steps and state == self.root:
                step.appear.append(0)
            elif state not in self.numbers:
                self.numbers[state] = len(self.numbers)
                step.appear.append(self.numbers[state])
            number = self.numbers[state]
            known = (self.value[state], self.completion[state] if self.resolved[state] else None)
            if self._values.get(number) != known:
                step.values[number] = self._values[number] = known
        for (parent, child), count in self.visits.items():
            edge = f"{self.numbers[parent]}-{self.numbers[child]}"
            if count and self._visits.get(edge) != count:
                step.visits[edge] = self._visits[edge] = count
        self.steps.append(step)

    # -- in words -------------------------------------------------------------------------------

    def _why_selected(self, s: Any) -> str:
        if len(self.path) == 1:
            return f"Iteration {self.iterations + 1} begins at the root, where {mover(s)} moves."
        parent = self.path[-2]
        open_children = self.unresolved_children(parent)
        if len(open_children) == 1:
            return f"{move(parent, s)} is the only child that is not resolved: go there."
        side = "highest" if GAME.player(parent) == 0 else "lowest"
        shared = sum(self.value[child] == self.value[s] for child in open_children) > 1
        tie = "; of equal ones, the one with the fewest visits, then the first" if shared else ""
        return (
            f"{mover(parent)} selects {move(parent, s)}: of the {len(open_children)} children that "
            f"are not resolved it has the {side} value, {estimate(self.value[s])}{tie}."
        )

    def _why_expanded(self, s: Any) -> str:
        children = self.children[s]
        over = [child for child in children if self.is_terminal(child)]
        text = f"Expand this state: it has {count_of(len(children), 'child', 'children')}."
        if len(over) == len(children):
            return f"{text} The game is over there, so the rules prove the outcome."
        if over:
            ends = ", ".join(f"{move(s, x)}: {WINS[self.completion[x]]}" for x in over)
            return f"{text} Where the game is over, the rules prove the outcome ({ends})."
        return f"{text} Each gets the heuristic's estimate."

    def _why_backed_up(self, s: Any) -> str:
        best = self.listings.best_action(s, self.children[s], self)
        name, outcome = move(s, best), self.completion[s]
        if not self.resolved[s]:
            left = count_of(len(self.unresolved_children(s)), "child is", "children are")
            known = ", a proven draw," if self.resolved[best] else f", {estimate(self.value[s])},"
            return (
                f"Back up: for {mover(s)}, {name}{known} is best so far. An estimate, because "
                f"{left} not resolved."
            )
        if outcome == (1 if GAME.player(s) == 0 else -1):
            return f"Back up: {name} is a proven win for {mover(s)}. Resolved: {WINS[outcome]}."
        return f"Back up: every child is resolved, and {name} is best. Resolved: {WINS[outcome]}."


def caller_line(up: int = 1) -> int:
    """Return which line of the listing is running: the frame so many above the caller's."""
    frame = inspect.currentframe()
    for _ in range(up + 1):
        assert frame is not None
        frame = frame.f_back
    assert frame is not None
    return frame.f_lineno - frame.f_code.co_firstlineno


def listing(algorithm: str) -> list[str]:
    """Return the source of an iteration, as the reference has it."""
    return inspect.getsource(ALGORITHMS[algorithm].iteration).rstrip().splitlines()


def recorded() -> Iterator[tuple[Scene, str, Recorder]]:
    """Record every scene by every algorithm."""
    for scene in SCENES:
        for algorithm in scene.iterations:
            yield scene, algorithm, Recorder(scene, algorithm)


def mover(s: Any) -> str:
    """Return who moves."""
    return GAME.symbols[GAME.player(s)]


def move(s: Any, child: Any) -> str:
    """Return the name of the move from a state to its child."""
    action = next(a for a in GAME.actions(s) if GAME.next(s, a) == child)
    return GAME.action_name(s, action)


def estimate(value: float) -> str:
    """Write an estimate."""
    return f"{value:+.3f}" if value else "0"


def count_of(number: int, one: str, many: str) -> str:
    """Write a number with its noun."""
    return f"{number} {one if number == 1 else many}"
