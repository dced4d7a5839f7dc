# SPDX-License-Identifier: MIT
"""How fast values are proven: positions beside a dedicated solver, boards, and states a second.

    python benchmarks/proving.py [positions] [states] [boards]

One thread; processor time. The dedicated solver plays Connect Four alone. It is asked the same
questions in the same run: who wins (a window around a draw), and how soon (its score), which it
usually answers. Its opening book is off, and its table empty for each position; emptying it is not
counted. What each of the two says of a position is compared.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import solving
from bitbully import BitBully, Board
from measurements import Measurement, alone, describe

import unbounded as ub
from unbounded.search.budget import Budget
from unbounded.solving.solve import shortcuts

POSITIONS = ((14, 50), (18, 200), (22, 400))
"""Plies, and how many random positions of each."""
STATES = (
    ("hex(size=5)", 300_000),
    ("dots-and-boxes(rows=3,columns=3)", 1_000_000),
    ("othello(size=6)", 2_000_000),
    ("clobber(rows=5,columns=5)", 2_000_000),
    ("kalah(pits=6,seeds=4)", 2_000_000),
    ("breakthrough(rows=5,columns=5)", 2_000_000),
    ("lines-of-action(size=5)", 1_000_000),
)
"""Games, and how many states to search."""
BOARDS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("connect-four(width=6,height=5)", {}),
    ("connect-four(width=6,height=6)", {}),
    ("breakthrough(rows=5,columns=5)", {}),
    ("domineering(rows=7,columns=7)", {}),
    ("hex(size=5)", {}),
    ("clobber(rows=5,columns=5)", {}),
    ("dots-and-boxes(rows=3,columns=3)", {"exact_score": True}),
    ("kalah(pits=6,seeds=4)", {}),
)
"""Games to solve from the first state, with options."""
BOARD_SECONDS = 300.0


def measure_positions() -> Iterator[Measurement]:
    """Mean time per position, ours and the dedicated solver's."""
    game, peer = ub.load_game("connect-four"), BitBully(opening_book=None)
    for ply, count in POSITIONS:
        positions = list(solving.random_positions(game, ply, count))
        # One after the other: emptying the peer's large table would empty the caches of both.
        proven = [_prove(game, moves) for moves in positions]
        ours = sum(seconds for seconds, _ in proven) / count
        for question, ask in (
            ("outcome", lambda board: peer.negamax(board, -1, 1)),
            ("score", peer.mtdf),
        ):
            theirs = 0.0
            for moves, (_, outcome) in zip(positions, proven, strict=True):
                board = Board([int(move) - 1 for move in moves])
                peer.reset_transposition_table()
                seconds, score = _seconds(lambda ask=ask, board=board: ask(board))
                theirs += seconds / count
                assert (score > 0) - (score < 0) == outcome, moves
            name = f"connect-four 7x6, outcome and line; a dedicated solver's {question}"
            work = f"{count} random positions of ply {ply}, mean"
            least = 1 / 3 if question == "score" else None
            yield Measurement(name, work, ours, theirs, theirs / ours, least, "s")


def _prove(game: ub.Game[Any, Any], moves: list[str]) -> tuple[float, int]:
    """Seconds, and the outcome for who is to move."""
    search = _search(game, {"moves": moves})
    # Without the description of the result in Python, which takes as long as an easy proof.
    seconds, _ = _seconds(lambda: search.advance(Budget()))
    return seconds, search.root.worth_bounds[0][0] * (-1 if len(moves) % 2 else 1)


def measure_states() -> Iterator[Measurement]:
    """States stored or visited by probes, per second, and their geometric mean."""
    rates = []
    for text, states in STATES:
        game = ub.load_game(text)
        _search(game, {}).run(states=1000)  # compiles
        best = 0.0
        for _ in range(3):
            search = _search(game, {})
            seconds, _ = _seconds(lambda search=search, most=states: search.run(states=most))
            best = max(best, (search.states + search.probed_states) / seconds)
        rates.append(best)
        yield alone(text, f"solving, {states:,} states", best, "1/s")
    mean = math.exp(sum(map(math.log, rates)) / len(rates))
    yield alone("geometric mean of the games", "solving", mean, "1/s")


def measure_boards() -> Iterator[Measurement]:
    """Time to a proven value."""
    for text, options in BOARDS:
        game = ub.load_game(text)
        _search(game, options).run(states=1000)  # compiles
        search = _search(game, options)
        seconds, _ = _seconds(lambda search=search: search.run(seconds=BOARD_SECONDS))
        told = f"stored {search.states:,}, probed {search.probed_states:,}"
        proven = "proven" if search.root.resolved else "NOT PROVEN"
        yield alone(text, "to a proven value", seconds, "s", f"{proven}, {told}")


def _search(game: ub.Game[Any, Any], options: dict[str, Any]) -> ub.Search:
    return ub.Search(game, **shortcuts(game, {"threads": 1, **options}))


def _seconds(work: Callable[[], Any]) -> tuple[float, Any]:
    started = time.process_time()
    result = work()
    return time.process_time() - started, result


SECTIONS = {"positions": measure_positions, "states": measure_states, "boards": measure_boards}


if __name__ == "__main__":
    for section in sys.argv[1:] or SECTIONS:
        for row in SECTIONS[section]():
            print(describe(row), row.note, flush=True)
