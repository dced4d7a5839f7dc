# SPDX-License-Identifier: MIT
"""States of OpenSpiel games, numbered for the core: as `Bridge` does it, with fewer calls.

Calls cost more than OpenSpiel's answers here. What is asked of a state, `keys.py` has asked when it
was made; and OpenSpiel says of a game whether there is chance in it, so no rule is called twice.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from unbounded.bridges.openspiel.keys import SpielState, clash
from unbounded.game.rule_errors import located
from unbounded.native.object_rules import About, Bridge

End = tuple[list[int], list[float]]


class Numbering(Bridge):
    """Numbers the states of an OpenSpiel game.

    Images of a state are found by their texts, without making them.
    """

    def __init__(self, game: Any, canonical: bool = False) -> None:
        super().__init__(game, canonical)
        self._make = game.next
        self._ends: dict[tuple[float, ...], End] = {}
        """Outcome and score by what OpenSpiel returns."""
        self._images = [image.text for image in game.images] if canonical else []
        self._length = len(game.initial()) - len("|0")
        """Of the texts."""
        self._smallest: dict[tuple[str, ...], int] = {}
        """States by the smallest of their images."""

    def find(self, state: SpielState) -> int | None:
        """Return the number of a state, or of the image of it that was met first."""
        known = self.numbers.get(state)
        if known is None and self._images:
            known = self._smallest.get(self._smallest_image(state))
            if known is not None:
                self.numbers[str(state)] = known
        if known is not None:
            first = self.states[known]
            if (
                first.mover != state.mover
                or len(first.legal) != len(state.legal)
                or first.returns != state.returns
            ):
                raise clash(first, state)
        return known

    def number_of(self, state: SpielState, parent: int, place: int) -> int:
        """Return the state's number, giving it the next one if it is new."""
        number = super().number_of(state, parent, place)
        if self._images and number == len(self.states) - 1:
            self._smallest[self._smallest_image(state)] = number
        return number

    def rebuild(self, origins: Sequence[int], played: Sequence[Any]) -> None:
        """Number the states as they were in a search that was saved."""
        self._smallest = {}
        super().rebuild(origins, played)

    def _smallest_image(self, state: SpielState) -> tuple[str, ...]:
        if len(state) - len(f"|{state.mover}") != self._length:
            return (state,)
        text = state[: self._length]
        return (str(state.mover), *min(tuple(text), *(image(text) for image in self._images)))

    def successors(self, number: int) -> tuple[list[int], list[About]]:
        """Return the successors in the order of the actions, and all about the new ones."""
        return self._expanded(number, 0, len(self.states[number].legal), stop=False)

    def successors_until_end(
        self, number: int, first: int, last: int
    ) -> tuple[list[int], list[About]]:
        """Return the same from `first` on, up to the first end of the game or up to `last`."""
        return self._expanded(number, first, last, stop=True)

    def describe(self, number: int) -> About:
        """Return the description of a state."""
        return self._about(number, self.states[number])

    def _expanded(
        self, number: int, first: int, last: int, *, stop: bool
    ) -> tuple[list[int], list[About]]:
        states, make, parent = self.states, self._make, self.states[number]
        found, new = list[int](), list[About]()
        for place in range(first, last):
            action, seen = parent.legal[place], len(states)
            try:
                state = make(parent, action)
                made = self.number_of(state, number, place)
            except MemoryError:
                raise
            except Exception as error:
                raise located(self.game, "next", error, parent, action) from error
            if made == seen:
                new.append(self._about(made, state))
            found.append(made)
            if stop and not state.legal:
                break
        return found, new

    def _about(self, number: int, state: SpielState) -> About:
        if state.legal:
            return number, len(state.legal), state.mover, None, None
        assert state.returns is not None
        returns = tuple(state.returns)
        end = self._ends.get(returns)
        if end is None:
            end = self._ends[returns] = self._end(state)
        return number, 0, 0, *end
