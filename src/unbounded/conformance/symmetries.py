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
from unbounded.conformance.states import Conformance, Visit, rounded

MOST_QUESTIONS = 4_000
"""Successors of images that are asked for, of all states together."""
SYMMETRY_ADVICE = (
    "an image must be the same game for the same players; mend symmetry, or leave out symmetries"
)
GROUP_ADVICE = (
    "the symmetries must form a group: undoing one, or doing one after another, is one of them too"
)
RELABEL_ADVICE = (
    "relabel must rename every player p to (p + k) mod players, and change nothing else"
)


def check_images(conformance: Conformance) -> None:
    """Check symmetries, renamed players and planes on states that were visited."""
    game = conformance.game
    if game.symmetries > 1:
        turned = _Images(conformance, "symmetry", game.symmetries, SYMMETRY_ADVICE)
        for state, visit in _some(conformance, game.symmetries):
            turned.check(state, visit)
            turned.check_group(state)
    if game.has_relabelling:
        renamed = _Images(conformance, "relabel", game.players, RELABEL_ADVICE, renames=True)
        for state, visit in _some(conformance, game.players):
            renamed.check(state, visit)
    if game.planes is not None:
        for state, visit in _some(conformance, 1):
            if visit.actions:
                _check_planes(conformance, state)


def _some(conformance: Conformance, images: int) -> Iterator[tuple[Any, Visit]]:
    """Yield states, spread over all that were visited, as long as they are not too much work."""
    visits = list(conformance.visits.items())
    work = sum(images * (1 + len(visit.actions)) for _, visit in visits)
    step = max(1, -(-work // MOST_QUESTIONS))
    # Ends may be few among many: they have a turn of their own.
    yield from [(state, visit) for state, visit in visits if visit.actions][::step]
    yield from [(state, visit) for state, visit in visits if not visit.actions][::step]


@dataclass(frozen=True)
class _Images:
    """What a rule makes of states: `rule(state, k)`, for every k below the count."""

    conformance: Conformance
    rule: str
    count: int
    advice: str
    renames: bool = False

    def image(self, state: Any, k: int) -> Any:
        """Return one image of a state."""
        return self.conformance.ask(self.rule, getattr(self.conformance.game, self.rule), state, k)

    def check(self, state: Any, visit: Visit) -> None:
        """Check that every image is the same game: who moves, where it leads, how it ends."""
        if self.image(state, 0) != state:
            advice = f"{self.rule}(state, 0) must be the state itself"
            self.conformance.fail(f"{self.rule} 0 changes the state", advice, state)
        for k in range(1, self.count):
            problem = self._problem(state, visit, self.image(state, k), k)
            if problem is not None:
                self.conformance.fail(f"{self.rule} {k} {problem}", self.advice, state)

    def check_group(self, state: Any) -> None:
        """Check that all images have the same images: one of them stands for all."""
        images = {self.image(state, k) for k in range(self.count)}
        for image in images:
            if {self.image(image, k) for k in range(self.count)} != images:
                self.conformance.fail("an image of the state has other images", GROUP_ADVICE, state)

    def _player(self, player: int, k: int) -> int:
        return (player + k) % self.conformance.game.players if self.renames else player

    def _problem(self, state: Any, visit: Visit, image: Any, k: int) -> str | None:
        there = _successors(self.conformance, image)
        if len(there) != len(visit.actions):
            return f"leads to a state with {len(there)} actions, not {len(visit.actions)}"
        if visit.player is None or not there:
            return self._problem_of_end(state, image, k)
        mover = self.conformance.ask("player", self.conformance.game.player, image)
        if mover != self._player(visit.player, k):
            return f"leads to a state where player {mover} moves, counted from 0"
        here = Counter(self.image(child, k) for child in _successors(self.conformance, state))
        if here != Counter(there):
            return "and the rules disagree: images of successors are no successors of the image"
        return None

    def _problem_of_end(self, state: Any, image: Any, k: int) -> str | None:
        game = self.conformance.game
        for rule, ask in (("outcome", game.outcome), ("score", game.score)):
            # Compared as searches do, in 32 bits.
            before = list(map(rounded, self.conformance.ask(rule, ask, state)))
            after = list(map(rounded, self.conformance.ask(rule, ask, image)))
            if any(after[self._player(who, k)] != x for who, x in enumerate(before)):
                return f"turns the {rule} {before} into {after}"
        return None


def _successors(conformance: Conformance, state: Any) -> list[Any]:
    game: AnyGame = conformance.game
    actions: Sequence[Any] = conformance.ask("actions", game.actions, state)
    following: Callable[[Any, Any], Any] = game.next
    return [conformance.ask("next", following, state, action) for action in actions]


def _check_planes(conformance: Conformance, state: Any) -> None:
    game = conformance.game
    assert game.planes is not None
    numbers = list(conformance.ask("encode", game.encode, state))
    size = math.prod(game.planes)
    if len(numbers) != size:
        conformance.fail(
            f"encode gave {len(numbers)} numbers; planes {game.planes} have {size}",
            "give planes x rows x columns numbers, one after another",
            state,
        )
    if not all(math.isfinite(float(x)) for x in numbers):
        conformance.fail("encode gave a number that is not finite", "give finite numbers", state)
