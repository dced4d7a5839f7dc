# SPDX-License-Identifier: MIT
"""Conformance of images of states: symmetries, renamed players, planes.

`solve` stores positions that are the same up to symmetry as one, so a false symmetry would prove
what is not so.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from unbounded.conformance.messages import AnyGame
from unbounded.conformance.states import StateChecker, Visit, rounded

MOST_CALLS = 4_000
"""Successors of images that are compared, of all states together."""
SYMMETRY_ADVICE = (
    "an image must be the same game for the same players; mend symmetry, or leave out symmetries"
)
GROUP_ADVICE = (
    "the symmetries must form a group: undoing one, or doing one after another, is one of them too"
)
RELABEL_ADVICE = (
    "relabel must rename every player p to (p + k) mod players, and change nothing else"
)


def check_images(checker: StateChecker) -> None:
    """Check symmetries, renamed players and planes on states that were visited."""
    game = checker.game
    if game.symmetries > 1:
        turned = _Images(checker, "symmetry", game.symmetries, SYMMETRY_ADVICE)
        for state, visit in _some(checker, game.symmetries):
            turned.check(state, visit)
            turned.check_group(state)
    if game.has_relabeling:
        renamed = _Images(checker, "relabel", game.players, RELABEL_ADVICE, renames=True)
        for state, visit in _some(checker, game.players):
            renamed.check(state, visit)
    if game.planes is not None:
        for state, visit in _some(checker, 1):
            if visit.actions:
                _check_planes(checker, state)


def _some(checker: StateChecker, images: int) -> Iterator[tuple[Any, Visit]]:
    """Yield states, spread over all that were visited, as long as they are not too much work."""
    visits = list(checker.visits.items())
    work = sum(images * (1 + len(visit.actions)) for _, visit in visits)
    step = max(1, -(-work // MOST_CALLS))
    # Ends may be few among many: they have a turn of their own.
    yield from [(state, visit) for state, visit in visits if visit.actions][::step]
    yield from [(state, visit) for state, visit in visits if not visit.actions][::step]


@dataclass(frozen=True)
class _Images:
    """What a rule makes of states: `rule(state, k)`, for every k below the count."""

    checker: StateChecker
    rule: str
    count: int
    advice: str
    renames: bool = False

    def image(self, state: Any, k: int) -> Any:
        """Return one image of a state."""
        return self.checker.call(self.rule, getattr(self.checker.game, self.rule), state, k)

    def check(self, state: Any, visit: Visit) -> None:
        """Check that every image is the same game: who moves, where it leads, how it ends."""
        if self.image(state, 0) != state:
            advice = f"{self.rule}(state, 0) must be the state itself"
            self.checker.fail(f"{self.rule} 0 changes the state", advice, state)
        for k in range(1, self.count):
            problem = self._problem(state, visit, self.image(state, k), k)
            if problem is not None:
                self.checker.fail(f"{self.rule} {k} {problem}", self.advice, state)

    def check_group(self, state: Any) -> None:
        """Check that all images have the same images: one of them stands for all."""
        images = {self.image(state, k) for k in range(self.count)}
        for image in images:
            if {self.image(image, k) for k in range(self.count)} != images:
                self.checker.fail("an image of the state has other images", GROUP_ADVICE, state)

    def _player(self, player: int, k: int) -> int:
        return (player + k) % self.checker.game.players if self.renames else player

    def _problem(self, state: Any, visit: Visit, image: Any, k: int) -> str | None:
        there = _successors(self.checker, image)
        if len(there) != len(visit.actions):
            return f"leads to a state with {len(there)} actions, not {len(visit.actions)}"
        if visit.player is None or not there:
            return self._problem_of_end(state, image, k)
        mover = self.checker.call("player", self.checker.game.player, image)
        if mover != self._player(visit.player, k):
            return f"leads to a state where player {mover} moves, counted from 0"
        here = Counter(self.image(child, k) for child in _successors(self.checker, state))
        if here != Counter(there):
            return "and the rules disagree: images of successors are no successors of the image"
        return None

    def _problem_of_end(self, state: Any, image: Any, k: int) -> str | None:
        game = self.checker.game
        for rule, ask in (("outcome", game.outcome), ("score", game.score)):
            # Compared as searches do, in 32 bits.
            before = list(map(rounded, self.checker.call(rule, ask, state)))
            after = list(map(rounded, self.checker.call(rule, ask, image)))
            if any(after[self._player(who, k)] != x for who, x in enumerate(before)):
                return f"turns the {rule} {before} into {after}"
        return None


def _successors(checker: StateChecker, state: Any) -> list[Any]:
    game: AnyGame = checker.game
    actions: Sequence[Any] = checker.call("actions", game.actions, state)
    following: Callable[[Any, Any], Any] = game.next
    return [checker.call("next", following, state, action) for action in actions]


def _check_planes(checker: StateChecker, state: Any) -> None:
    game = checker.game
    assert game.planes is not None
    numbers = list(checker.call("encode", game.encode, state))
    size = math.prod(game.planes)
    if len(numbers) != size:
        checker.fail(
            f"encode gave {len(numbers)} numbers; planes {game.planes} have {size}",
            "give planes x rows x columns numbers, one after another",
            state,
        )
    if not all(math.isfinite(float(x)) for x in numbers):
        checker.fail("encode gave a number that is not finite", "give finite numbers", state)
