# SPDX-License-Identifier: MIT
"""The core beside the reference, compared after every iteration."""

from __future__ import annotations

from typing import Any

from unbounded import reference
from unbounded.game import Game
from unbounded.search.search import Search

NO_LIMIT = 2**64 - 1
SMALL = 40
"""Up to so many states everything is compared each time, beyond it what the iteration touched."""


def numbers_of(search: Search, stored: Any) -> dict[str, Any]:
    def unwrapped(numbers: list[Any]) -> Any:
        return numbers[0] if search.zero_sum else tuple(numbers)

    return {
        "completion": unwrapped(stored.completion),
        "tentative_completion": unwrapped(stored.tentative_completion),
        "value": unwrapped(stored.value),
        "resolved": stored.resolved,
        "expanded": stored.expanded,
    }


class Lockstep:
    """One search by the core, with whole and with cut hashes, and one by the reference."""

    def __init__(self, game: Game[Any, Any], **options: Any) -> None:
        self.ours = Search(game, **options)
        self.cut = Search(game, hash_bits=4, **options)
        evaluate = game.evaluate if self.ours.options.evaluation == "heuristic" else None
        self.theirs: reference.Search[Any] = reference.Search(game, evaluate=evaluate, **options)
        self.compare_all()

    def step(self) -> None:
        """Do one iteration on each side, and compare."""
        for search in (self.ours, self.cut):
            search._core.run(search.iterations + 1, NO_LIMIT, NO_LIMIT, -1.0)
        self.theirs.iterate()
        core, theirs = self.ours._core, self.theirs
        assert core.iterations == theirs.iterations
        path = [self.state(number) for number in core.path]
        assert path == theirs.path
        if len(theirs.resolved) <= SMALL:
            self.compare_all()
        for state in path:
            self.compare(state)
            for child in theirs.children.get(state, []):
                self.compare(child)

    def state(self, number: int) -> Any:
        return self.ours.route.from_core(self.ours._core.state(number))

    def compare(self, state: Any) -> None:
        core, theirs = self.ours._core, self.theirs
        number = core.find(self.ours.route.to_core(state))
        assert number is not None, state
        assert numbers_of(self.ours, core.node(number)) == {
            "completion": theirs.completion[state],
            "tentative_completion": theirs.tentative_completion[state],
            "value": theirs.value[state],
            "resolved": theirs.resolved[state],
            "expanded": state in theirs.expanded,
        }, state
        children = [(self.state(child), n) for child, n in core.children(number)]
        expected = [(t, theirs.visits[state, t]) for t in theirs.children.get(state, [])]
        assert children == expected, state

    def compare_all(self) -> None:
        core = self.ours._core
        assert core.states == len(self.theirs.resolved)
        assert core.expanded == len(self.theirs.expanded)
        assert core.resolved == sum(self.theirs.resolved.values())
        for number in range(core.states):
            self.compare(self.state(number))
        assert self.cut.snapshot() == self.ours.snapshot()

    def finish(self, most: int) -> None:
        """Go on until the root is resolved, at most so many iterations."""
        theirs = self.theirs
        while not theirs.resolved[theirs.root] and theirs.iterations < most:
            before = len(theirs.expanded) + sum(theirs.resolved.values())
            self.step()
            if theirs.completes and not theirs.stop_at_draw:
                assert len(theirs.expanded) + sum(theirs.resolved.values()) > before
        self.compare_all()
