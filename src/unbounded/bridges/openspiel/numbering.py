# SPDX-License-Identifier: MIT
"""States of OpenSpiel games, numbered for the core: as `Bridge` does it, with fewer calls.

Calls cost more than OpenSpiel's answers here. What is asked of a state, `keys.py` has asked when it
was made; and OpenSpiel says of a game whether there is chance in it, so no rule is called twice.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from unbounded.bridges.openspiel.keys import SpielState, child_of, clash, wrapped
from unbounded.game.rule_errors import located
from unbounded.native.object_rules import LOST, About, Bridge

End = tuple[list[int], list[float]]


class Numbering(Bridge):
    """Numbers the states of an OpenSpiel game.

    Images of a state are found by their texts, without making them.
    """

    def __init__(self, game: Any, canonical: bool = False) -> None:
        super().__init__(game, canonical)
        self._merges: bool = game.merges
        self._copies: bool = game.copies
        self._ends: dict[tuple[float, ...], End] = {}
        """Outcome and score by what OpenSpiel returns."""
        self._image_texts = [image.text for image in game.images] if canonical else []
        self._length = len(game.initial()) - len("|0")
        """Of the texts."""

    def find(self, state: SpielState) -> int | None:
        """Return the number of a state, or of the image of it that was met first."""
        known = self.numbers.get(state)
        if known is not None:
            _check_same(self.states[known], state.spiel, state, state.mover)
        return known

    def number_of(self, state: SpielState, parent: int, place: int) -> int:
        """Return the state's number, giving it and its images the next one if it is new."""
        seen = len(self.states)
        number = super().number_of(state, parent, place)
        if number == seen:
            self._add_images(state, number)
        return number

    def _add_images(self, key: str, number: int) -> None:
        text, mover = key[: self._length], key[self._length :]
        for image in self._image_texts:
            self.numbers.setdefault("".join(image(text)) + mover, number)

    def successors(self, number: int) -> tuple[list[int], list[About]]:
        """Return the successors in the order of the actions, and all about the new ones."""
        found, new = list[int](), list[About]()
        count = len(self.states[number].legal)
        while len(found) < count:
            more, about = self.successors_until_end(number, len(found), count)
            found += more
            new += about
        return found, new

    def describe(self, number: int) -> About:
        """Return the description of a state."""
        return self._about(number, self.states[number])

    def successors_until_end(
        self, number: int, first: int, last: int
    ) -> tuple[list[int], list[About]]:
        """Return the same from `first` on, up to the first end of the game or up to `last`."""
        # As `next` and `number_of` do it, but in one loop: nothing else takes as much time.
        states, numbers, merges = self.states, self.numbers, self._merges
        parent, seen = states[number], len(states)
        legal, before = parent.legal, str(parent)
        child = parent.spiel.child if self._copies else partial(child_of, parent.spiel)
        found, new = list[int](), list[About]()
        try:
            for place in range(first, last):
                action = legal[place]
                spiel = child(action)
                mover = spiel.current_player()
                key = f"{spiel.to_string()}|{mover}" if merges else f"{before} {action}"
                known = numbers.get(key)
                if known is None:
                    known = len(states)
                    state = wrapped(spiel, key, mover)
                    states.append(state)
                    self.origins.extend((number, place))
                    numbers[key] = known
                    if self._image_texts:
                        self._add_images(key, known)
                    if state.legal:
                        new.append((known, len(state.legal), mover, None, None))
                    else:
                        new.append(self._about(known, state))
                else:
                    state = states[known]
                    _check_same(state, spiel, key, mover)
                    if self.origins[2 * known] == LOST:
                        self.number_of(wrapped(spiel, key, mover), number, place)
                found.append(known)
                if not state.legal:
                    break
        except BaseException as error:
            self._forget_from(seen)
            self._raise_located(error, parent, first + len(found))
            raise
        return found, new

    def _raise_located(self, error: BaseException, parent: SpielState, place: int) -> None:
        """Raise an error of a rule as such; others are left to the caller."""
        if isinstance(error, Exception) and not isinstance(error, MemoryError):
            action = parent.legal[min(place, len(parent.legal) - 1)]
            raise located(self.game, "next", error, parent, action) from error

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
        or (first.legal != legal and str.__eq__(first, key))
    ):
        raise clash(first, wrapped(spiel, key, mover))
