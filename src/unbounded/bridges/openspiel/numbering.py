# SPDX-License-Identifier: MIT
"""States of OpenSpiel games, numbered for the core: as `Bridge` does it, with fewer calls.

Calls cost more than OpenSpiel's answers here. What is asked of a state, `keys.py` has asked when it
was made; and OpenSpiel says of a game whether there is chance in it, so no rule is called twice.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from unbounded.bridges.openspiel.keys import SpielState, child_of, clash, ended, wrapped
from unbounded.game.rule_errors import located
from unbounded.native.object_rules import LOST, About, Bridge

End = tuple[list[int], list[float]]
LEAST_PLAYER = -16
"""OpenSpiel's numbers for no player, chance and the like are above it."""
_new = tuple.__new__


class Numbering(Bridge):
    """Numbers the states of an OpenSpiel game.

    Images of a state are found by their texts, without making them.
    """

    def __init__(self, game: Any, canonical: bool = False) -> None:
        super().__init__(game, canonical)
        self._merges: bool = game.merges
        self._movers = {player: f"|{player}" for player in range(LEAST_PLAYER, game.players)}
        """What is appended to a text to make a key."""
        self._copies: bool = game.copies
        self._ends: dict[tuple[float, ...], End] = {}
        """Outcome and score by what OpenSpiel returns."""
        self._image_texts = [image.text for image in game.images] if canonical else []

    def find(self, state: SpielState) -> int | None:
        """Return the number of a state, or of the image of it that was met first."""
        known = self.numbers.get(state.key)
        if known is not None:
            _check_same(self.states[known], state.spiel, state.key, state.mover)
        return known

    def number_of(self, state: SpielState, parent: int, place: int) -> int:
        """Return the state's number, giving it and its images the next one if it is new."""
        seen = len(self.states)
        number = super().number_of(state, parent, place)
        if number == seen:
            text, _, mover = state.key.rpartition("|")
            for image in self._image_texts:
                self.numbers.setdefault("".join(image(text)) + self._movers[int(mover)], number)
        return number

    def key_of(self, state: SpielState) -> str:
        """Return the text by which the state is found."""
        return state.key

    def successors(self, number: int) -> tuple[list[int], list[About]]:
        """Return the successors in the order of the actions, and all about the new ones."""
        found, new = list[int](), list[About]()
        places = range(len(self.states[number].legal))
        while len(found) < len(places):
            more, about = self.successors_until_end(number, places[len(found) :])
            found += more
            new += about
        return found, new

    def describe(self, number: int) -> About:
        """Return the description of a state."""
        return self._about(number, self.states[number])

    def successors_until_end(
        self, number: int, places: Sequence[int]
    ) -> tuple[list[int], list[About]]:
        """Return the same for the actions at these places, up to the first end of the game."""
        seen, found, new = len(self.states), list[int](), list[About]()
        try:
            self._make(number, places, found, new)
        except BaseException as error:
            self._forget_from(seen)
            place = places[min(len(found), len(places) - 1)]
            self._raise_located(error, self.states[number], place)
            raise
        return found, new

    def _make(self, number: int, places: Sequence[int], found: list[int], new: list[About]) -> None:
        # As `next` and `number_of` do it, but in one loop: nothing else takes as much time.
        states, numbers, origins, movers = self.states, self.numbers, self.origins, self._movers
        merges, images, join = self._merges, self._image_texts, "".join
        before, spiel, _, legal, _ = states[number]
        child = spiel.child if self._copies else partial(child_of, spiel)
        for place in places:
            spiel = child(legal[place])
            mover = spiel.current_player()
            text = spiel.to_string() if merges else f"{before} {legal[place]}"
            key = text + movers[mover] if merges else text
            known = numbers.get(key)
            if known is None:
                known = len(states)
                # OpenSpiel has no player to move at the end of a game.
                actions = spiel.legal_actions() if mover >= 0 else ()
                if actions:
                    state = _new(SpielState, (key, spiel, mover, actions, None))
                    new.append((known, len(actions), mover, None, None))
                else:
                    state = ended(spiel, key, mover)
                    new.append(self._about(known, state))
                states.append(state)
                origins.append(number)
                origins.append(place)
                numbers[key] = known
                for image in images:
                    numbers.setdefault(join(image(text)) + movers[mover], known)
            else:
                state = states[known]
                _check_same(state, spiel, key, mover)
                if origins[2 * known] == LOST:
                    self.number_of(wrapped(spiel, key, mover), number, place)
            found.append(known)
            if not state.legal:
                break

    def _raise_located(self, error: BaseException, parent: SpielState, place: int) -> None:
        """Raise an error of a rule as such; others are left to the caller."""
        if isinstance(error, Exception) and not isinstance(error, MemoryError):
            raise located(self.game, "next", error, parent, parent.legal[place]) from error

    def _about(self, number: int, state: SpielState) -> About:
        if state.legal:
            return number, len(state.legal), state.mover, None, None
        assert state.returns is not None
        returns = tuple(state.returns)
        end = self._ends.get(returns)
        if end is None:
            end = self._ends[returns] = self._end(state)
        return number, 0, 0, *end


def _check_same(first: SpielState, spiel: Any, key: str, mover: int) -> None:
    """Compare two states that are taken for one; of images, what they have in common."""
    legal = spiel.legal_actions() if mover >= 0 else ()
    returns = None if legal else spiel.returns()
    if (
        first.mover != mover
        or first.returns != returns
        or len(first.legal) != len(legal)
        or (first.legal != legal and first.key == key)
    ):
        raise clash(first, wrapped(spiel, key, mover))
