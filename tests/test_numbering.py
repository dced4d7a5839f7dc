# SPDX-License-Identifier: MIT
"""Numbers of states that are Python objects: what comes in between leaves none for two states."""

from __future__ import annotations

import pytest
from interruptions import interrupt, require_sound

import unbounded as ub
from unbounded.native import object_rules
from unbounded.solving.solve import search_to_solve

FILES = [object_rules.__file__]
PLACES = range(40, 4000, 37)


class Nim(ub.Game[tuple[int, ...], tuple[int, int]]):
    """Heaps; whoever takes the last object wins."""

    zero_sum = True

    def initial(self) -> tuple[int, ...]:
        return (0, 1, 2, 3, 3)

    def player(self, state: tuple[int, ...]) -> int:
        return state[0]

    def actions(self, state: tuple[int, ...]) -> list[tuple[int, int]]:
        return [(i, left) for i in range(1, len(state)) for left in range(state[i])]

    def next(self, state: tuple[int, ...], action: tuple[int, int]) -> tuple[int, ...]:
        after = list(state)
        after[action[0]] = action[1]
        return 1 - after[0], *after[1:]

    def outcome(self, state: tuple[int, ...]) -> tuple[int, int]:
        return (-1, 1) if state[0] == 0 else (1, -1)


@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError])
@pytest.mark.parametrize("options", [{"probes": True}, {"probes": False}])
def test_what_interrupts_it_leaves_no_number_for_two_states(
    options: dict[str, bool], error: type[BaseException]
) -> None:
    for line in PLACES:
        search = search_to_solve(Nim(), dict(options))
        interrupt(search, FILES, line, error)
        require_sound(search.route.bridge)
        search.run()
        assert search.root.outcome == (1, -1)
        require_sound(search.route.bridge)
