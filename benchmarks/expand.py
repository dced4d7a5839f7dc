# SPDX-License-Identifier: MIT
"""How fast states are expanded: solving and perft on seven games with one thread."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator

from measurements import Measurement, alone, seconds_of

import unbounded as ub
from unbounded import native
from unbounded.solving.solve import shortcuts

GAMES = (
    ("connect-four", 2_000_000, 7),
    ("hex(size=5)", 2_000_000, 4),
    ("othello(size=6)", 2_000_000, 8),
    ("dots-and-boxes(rows=3,columns=3)", 2_000_000, 5),
    ("clobber(rows=5,columns=5)", 2_000_000, 4),
    ("kalah(pits=6,seeds=4)", 2_000_000, 7),
    ("lines-of-action(size=5)", 1_000_000, 4),
)
"""Games, how many states to search, and how deep perft goes."""
REPEATS = 3


def states_per_second(game: ub.Game, states: int) -> float:
    """States stored or visited by probes, per second of processor time."""
    best = 0.0
    for _ in range(REPEATS):
        search = ub.Search(game, **shortcuts(game, {"threads": 1}))
        started = time.process_time()
        found = search.run(states=states, memory="2GB")
        spent = time.process_time() - started
        best = max(best, (found.states + found.probed) / spent)
    return best


def leaves_per_second(game: ub.Game, depth: int) -> float:
    """Leaves of the tree of all ways to play so many moves."""
    rules = native.route_of(game).rules
    leaves = native.count_leaves(rules, depth)  # compiles
    return leaves / seconds_of(lambda: native.count_leaves(rules, depth), REPEATS)


def measure() -> Iterator[Measurement]:
    """All games, and the geometric mean of each figure."""
    rates: dict[str, list[float]] = {"solving": [], "perft": []}
    for text, states, depth in GAMES:
        game = ub.load_game(text)
        rates["solving"].append(states_per_second(game, states))
        yield alone(text, f"solving, {states:,} states", rates["solving"][-1], "1/s")
        rates["perft"].append(leaves_per_second(game, depth))
        yield alone(text, f"perft, depth {depth}", rates["perft"][-1], "1/s")
    for name, found in rates.items():
        mean = math.exp(sum(map(math.log, found)) / len(found))
        yield alone("geometric mean of the games", name, mean, "1/s")


if __name__ == "__main__":
    from measurements import describe

    for row in measure():
        print(describe(row), flush=True)
