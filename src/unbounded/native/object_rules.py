# SPDX-License-Identifier: MIT
"""Games whose states are ordinary Python objects, as the core sees them: by number.

The core makes one call for each state that it expands, or for each step of it; the result describes
all successors that are new to it.
"""

from __future__ import annotations

import math
import operator
from array import array
from collections.abc import Hashable, Iterator, Sequence
from random import Random
from typing import Any

from unbounded.game import Game, RuleError, checked_outcome, one_per_player, require
from unbounded.game.rule_errors import (
    RANDOM_ADVICE,
    actions_of,
    asked,
    changed,
    check_declared,
    describe,
    located,
    rule_error,
)

About = tuple[int, int, int, list[int] | None, list[float] | None]
"""A state's number, how many actions there are, who moves, and if terminal outcome and score."""


PLAYED = -1
"""Stands for the parent of a state that was played to."""
LOST = -2
"""Stands for the parent of a state whose rules failed, so that it was not played to."""
LONGEST_GAME = 1_000_000
"""No honest game is longer: a random one that is never ends."""
PLACES = 1 << 16
"""More than a state has actions. What is added to a place in multiples of it says which image."""
ASKED_TWICE = 8
"""The rules of this many first states, and this many of their actions, are called twice."""
COPY_ADVICE = "make a new state, and leave the one that is given as it is"


def try_start(game: Game[Any, Any]) -> None:
    """Call the rules on the first state; a broken one raises a `RuleError`."""
    check_declared(game)
    bridge = Bridge(game)
    bridge.describe(bridge.initial())


class Bridge:
    """Numbers the states of a game in the order in which they are met."""

    def __init__(self, game: Game[Any, Any], canonical: bool = False) -> None:
        self.game = game
        self.symmetries = game.symmetries if canonical else 1
        self.states: list[Any] = []
        self.numbers: dict[Hashable, int] = {}
        self.origins = array("i")
        """How to get each state again: two numbers, see `number_of`."""

    def find(self, state: Any) -> int | None:
        """Return the state's number; None if it has none yet.

        Of states that are the same up to symmetry, the first one met stands for all.
        """
        try:
            for k in range(1, self.symmetries):
                known = self.numbers.get(self._ask("symmetry", state, k))
                if known is not None:
                    return known
            return self.numbers.get(state)
        except TypeError as error:
            raise RuleError(
                f"{self.game}: the state {describe(self.game, state)} is not hashable ({error}); "
                "use tuples, frozensets or frozen dataclasses as states, not lists, sets or dicts"
            ) from error

    def key_of(self, state: Any) -> Any:
        """Return what the state is found by: the state itself, unless something is faster."""
        return state

    def number_of(self, state: Any, parent: int, place: int) -> int:
        """Return the state's number, giving it the next one if it is new.

        It was met after the action at this place among the actions of the parent; or, where that is
        `PLAYED`, after `place` moves of the game that is searched.
        """
        known = self.find(state)
        if known is not None:
            if self.origins[2 * known] == LOST and parent < known:
                self._set_origin(known, parent, place, state)
            return known
        number = len(self.states)
        try:
            self.states.append(state)
            self.origins.extend((parent, place))
            self.numbers[self.key_of(state)] = number
        except BaseException:
            self._forget_from(number)
            raise
        return number

    def _forget_from(self, number: int) -> None:
        """Forget the states from this one on, of which the core has not been told yet.

        Ctrl-C or a lack of memory can come between any two steps. A number that only some of the
        tables had would be given again, and stand for two states.
        """
        while self.numbers and next(reversed(self.numbers.values())) >= number:
            self.numbers.popitem()
        del self.states[number:]
        del self.origins[2 * number :]

    def not_played(self, state: Any) -> None:
        """Note that a state was not played to after all."""
        number = self.find(state)
        if number is not None and self.origins[2 * number] == PLAYED:
            self.origins[2 * number] = LOST

    def undone(self, state: Any, parent_state: Any) -> None:
        """Note that a move was taken back: its state is reached from its parent from now on."""
        number, parent = self.find(state), self.find(parent_state)
        if number is None or parent is None or self.origins[2 * number] != PLAYED:
            return
        before = self.states[parent]
        for place, action in enumerate(self._actions(before)):
            made = self._ask("next", before, action)
            if self.find(made) == number:
                self._set_origin(number, parent, place, made)
                return

    def _set_origin(self, number: int, parent: int, place: int, made: Any) -> None:
        """Note how to get a state again: by an action that leads to it or, as here, to an image.

        It must be the same image again: states below it are found by the order of its actions.
        """
        for k, image in enumerate(self._images(made)):
            if image == self.states[number]:
                self.origins[2 * number : 2 * number + 2] = array("i", (parent, place + k * PLACES))
                return

    def _images(self, state: Any) -> Iterator[Any]:
        """Yield a state as every symmetry shows it, itself first."""
        yield state
        for k in range(1, self.symmetries):
            yield self._ask("symmetry", state, k)

    def initial(self) -> int:
        """Return the number of the first state."""
        state, again = self._ask("initial"), self._ask("initial")
        if state != again and repr(state) != repr(again):
            shown = [describe(self.game, x) for x in (state, again)]
            problem = f"returned {shown[0]}, then {shown[1]} when called again"
            advice = f"{RANDOM_ADVICE}; and states need __eq__ and __hash__"
            raise rule_error(self.game, "initial()", problem, advice)
        return self.number_of(state, PLAYED, 0)

    def successors(self, number: int) -> tuple[list[int], list[About]]:
        """Return the successors in the order of the actions, and all about the new ones."""
        state = self.states[number]
        seen = len(self.states)
        actions = self._actions(state)
        if number < ASKED_TWICE:
            self._ask_twice(state, actions)
        found = [
            self.number_of(self._ask("next", state, action), number, place)
            for place, action in enumerate(actions)
        ]
        return found, [self.describe(new) for new in range(seen, len(self.states))]

    def successors_until_end(
        self, number: int, places: Sequence[int]
    ) -> tuple[list[int], list[About]]:
        """Return what `successors` does, of the actions at these places.

        Up to the first one that ends the game.
        """
        state = self.states[number]
        actions = self._actions(state)
        if number < ASKED_TWICE and 0 in places:
            self._ask_twice(state, actions)
        found, new = list[int](), list[About]()
        for place in places:
            if place >= len(actions):
                break
            seen = len(self.states)
            made = self.number_of(self._ask("next", state, actions[place]), number, place)
            found.append(made)
            if made == seen:
                new.append(self.describe(made))
            if len(self._actions(self.states[made])) == 0:
                break
        return found, new

    def describe(self, number: int) -> About:
        """Return the description of a state by the rules."""
        state = self.states[number]
        count = len(self._actions(state))
        if count > 0:
            return number, count, self._player(state), None, None
        return number, 0, 0, *self._end(state)

    def _end(self, state: Any) -> tuple[list[int], list[float]]:
        outcome = checked_outcome(self.game, self._ask("outcome", state), state)
        return list(outcome), self._numbers("score", state)

    def _numbers(self, rule: str, state: Any) -> list[float]:
        return list(one_per_player(self.game, rule, self._ask(rule, state), state))

    def play_out(self, number: int, seed: int) -> tuple[list[int], list[float]]:
        """Play a random game; return outcome and score of its end, and keep no state of it."""
        random, state = Random(seed), self.states[number]
        for _ in range(LONGEST_GAME):
            actions = self._actions(state)
            if not actions:
                return self._end(state)
            state = self._ask("next", state, random.choice(actions))
        raise RuleError(
            f"{self.game}: a random game from {describe(self.game, self.states[number])} does not "
            f"end within {LONGEST_GAME:,} moves; count moves in the state, or use unbounded.horizon"
        )

    def _player(self, state: Any) -> int:
        player = self._ask("player", state)
        try:
            index = operator.index(player)
        except TypeError:
            index = -1
        if not 0 <= index < self.game.players:
            question, last = asked(self.game, "player", state), self.game.players - 1
            advice = f"players are 0 to {last}"
            raise rule_error(self.game, question, f"gave {describe(self.game, player)}", advice)
        return index

    def best_score_from(self, number: int) -> list[float]:
        """Return, per player, a bound on the scores below a state."""
        return self._numbers("best_score_from", self.states[number])

    def evaluate(self, state: Any) -> list[float]:
        """Return the evaluation of a state by the game's heuristic."""
        return self._numbers("evaluate", state)

    def inputs(self, state: Any) -> tuple[list[float], int]:
        """Return the planes of a state for a network, flat, and who moves."""
        planes, expected = list(self._ask("encode", state)), math.prod(self.game.planes or (0,))
        if len(planes) != expected:
            problem = f"gave {len(planes)} numbers"
            advice = f"`planes` says that there are {expected}"
            raise rule_error(self.game, asked(self.game, "encode", state), problem, advice)
        return planes, self._player(state)

    def rebuild(self, origins: Sequence[int], played: Sequence[Any]) -> None:
        """Number the states as they were in a search that was saved, by the rules alone.

        played: the states of the game that was searched, the first one included.
        """
        require(tuple(origins[:2]) == (PLAYED, 0), "the first state is not that of the game")
        self.states, self.numbers, self.origins = [], {}, array("i")
        parent, actions = PLAYED, list[Any]()
        for number in range(len(origins) // 2):
            before, place = origins[2 * number], origins[2 * number + 1]
            if before == LOST:
                self.states.append(object())
                self.origins.extend((LOST, place))
                continue
            if before != parent:
                require(PLAYED <= before < number, f"state {number} comes from nowhere")
                if before != PLAYED:
                    actions = self._actions(self.states[before])
                parent = before
            image, index = divmod(place, PLACES) if self.symmetries > 1 else (0, place)
            choices = played if before == PLAYED else actions
            fits = 0 <= index < len(choices) and 0 <= image < self.symmetries
            require(fits, f"state {number} is not where it was")
            state = choices[index]
            if before != PLAYED:
                state = self._ask("next", self.states[before], state)
            if image > 0:
                state = self._ask("symmetry", state, image)
            again = self.number_of(state, before, place)
            require(again == number, f"next does not lead to {state!r} any more, or did not before")

    def _actions(self, state: Any) -> list[Any]:
        return list(actions_of(self.game, self._ask("actions", state), state))

    def _ask_twice(self, state: Any, actions: list[Any]) -> None:
        """Look whether rules depend on chance, or change the state: nothing proven holds then."""
        before, shown = _hash_of(state), describe(self.game, state)
        # By their names: actions need not be comparable.
        first, again = self._names(state, actions), self._names(state, self._actions(state))
        if again != first:
            problem = f"returned {first[:9]}, then {again[:9]} when called again"
            question = asked(self.game, "actions", state)
            raise rule_error(self.game, question, problem, RANDOM_ADVICE)
        movers = {self._player(state) for _ in range(2 if actions else 0)}
        if len(movers) > 1:
            problem = f"returned {movers.pop()}, then {movers.pop()} when called again"
            raise rule_error(self.game, asked(self.game, "player", state), problem, RANDOM_ADVICE)
        for action in actions[:ASKED_TWICE]:
            one, other = (self._ask("next", state, action) for _ in range(2))
            if _hash_of(state) != before:
                question = f"next({shown}, action={describe(self.game, action)})"
                raise rule_error(self.game, question, "changed the state it was given", COPY_ADVICE)
            if one != other and repr(one) != repr(other):
                raise changed(self.game, state, action, other)

    def _names(self, state: Any, actions: Sequence[Any]) -> list[Any]:
        if type(self.game).action_name is not Game.action_name:
            return [self._ask("action_name", state, action) for action in actions]
        plain = [action for action in actions if isinstance(action, (int, str, tuple))]
        return plain if len(plain) == len(actions) else [len(actions)]

    def _ask(self, rule: str, *arguments: Any) -> Any:
        try:
            return getattr(self.game, rule)(*arguments)
        except MemoryError:
            raise
        except (Exception, SystemExit) as error:
            raise located(self.game, rule, error, *arguments) from error


def _hash_of(state: Any) -> int | None:
    try:
        return hash(state)
    except TypeError:
        return None
