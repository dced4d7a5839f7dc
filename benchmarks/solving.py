# SPDX-License-Identifier: MIT
"""Time to a proven value, beside other systems, and what each shortcut is worth.

Rules are compiled before the clock starts. One thread: processor time; all cores: time on the wall.
The peers have one thread each.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import peers

import unbounded as ub
from unbounded.solving.solve import available_cores, shortcuts

DEDICATED = {14: 8054e-6, 18: 693e-6, 22: 106e-6}
"""Seconds per position of a solver written for Connect Four alone, on another day: it also proves
how soon the game ends, and its positions were others (200 random ones of the same plies)."""


@dataclass(frozen=True)
class Work:
    """A game that others can solve too."""

    game: str
    at_least: float
    peers: tuple[tuple[str, Callable[[], float]], ...]
    """Their names, and functions that solve it and return the seconds it took."""


def works() -> Iterator[Work]:
    """The games, each with the systems that can solve it in reasonable time."""
    alpha_beta, solver = peers.seconds_of_alpha_beta, peers.seconds_of_mcts_solver

    def ask(name: str, function: Callable[..., float], *about: Any) -> tuple[str, Any]:
        return name, lambda: function(*about)

    yield Work(
        "tic-tac-toe",
        20,
        (
            ask("OpenSpiel alpha-beta", alpha_beta, "tic_tac_toe"),
            ask("OpenSpiel MCTS solver", solver, "tic_tac_toe"),
            ask("easyAI Negamax", peers.seconds_of, peers.easyai_negamax_tic_tac_toe),
            ask("easyAI depth-first", peers.seconds_of, peers.easyai_depth_first_tic_tac_toe),
        ),
    )
    four = "connect_four(rows=4,columns=4)"
    yield Work(
        "connect-four(width=4,height=4)",
        20,
        (
            ask("OpenSpiel alpha-beta", alpha_beta, four),
            ask("easyAI Negamax", peers.seconds_of, peers.easyai_negamax_connect_four),
        ),
    )
    race = "breakthrough(rows=5,columns=3)"
    yield Work(
        "breakthrough(rows=5,columns=3)",
        20,
        (
            ask("OpenSpiel alpha-beta", alpha_beta, race),
            ask("OpenSpiel MCTS solver", solver, race),
        ),
    )
    # Alpha-beta without a table takes more than a minute.
    yield Work("hex(size=4)", 20, (ask("OpenSpiel MCTS solver", solver, "hex(board_size=4)"),))
    boxes = "dots_and_boxes(num_rows=2,num_cols=2)"
    yield Work("dots-and-boxes", 20, (ask("OpenSpiel alpha-beta", alpha_beta, boxes),))
    wide = "connect_four(rows=4,columns=5)"
    yield Work(
        "connect-four(width=5,height=4)", 500, (ask("OpenSpiel alpha-beta", alpha_beta, wide),)
    )


def seconds_to_solve(game: ub.Game[Any, Any], repeats: int = 5, **options: Any) -> float:
    """The best of a few runs, from an empty graph to a proven value with its line."""
    clock = time.process_time if options.get("threads") == 1 else time.perf_counter
    best = float("inf")
    for _ in range(repeats):
        search = ub.Search(game, **shortcuts(game, options))
        started = clock()
        search.run()
        best = min(best, clock() - started)
        assert search.root.resolved
    return best


def random_positions(game: ub.Game[Any, Any], ply: int, count: int) -> list[list[str]]:
    """Moves of random games that are not over after so many."""
    rng = random.Random(ply)
    found: list[list[str]] = []
    while len(found) < count:
        state, moves = game.initial(), []
        while len(moves) < ply and (actions := game.actions(state)):
            action = rng.choice(list(actions))
            moves.append(game.action_name(state, action))
            state = game.next(state, action)
        if len(moves) == ply and game.actions(state):
            found.append(moves)
    return found


def seconds_per_position(ply: int, count: int) -> float:
    """Mean time to solve a random position of the 7x6 board, one thread, each from nothing."""
    game = ub.load_game("connect-four")
    spent = 0.0
    for moves in random_positions(game, ply, count):
        search = ub.Search(game, **shortcuts(game, {"threads": 1, "moves": moves}))
        started = time.process_time()
        search.run()
        spent += time.process_time() - started
        assert search.root.resolved
    return spent / count


SHORTCUTS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("paper", {"paper": True}),
    ("default of Search", {"canonical": False, "bounds": False}),
    ("symmetry", {"bounds": False}),
    ("bounds", {"canonical": False, "probes": False}),
    ("symmetry and bounds", {"probes": False}),
    ("bounds and probes", {"canonical": False}),
    ("all of them", {}),
)
"""Each shortcut alone and together; all with one thread."""


def measure_shortcuts(game_text: str, seconds: float) -> Iterator[dict[str, Any]]:
    """States stored, states visited by probes, and seconds, for each set of shortcuts."""
    game = ub.load_game(game_text)
    for name, options in SHORTCUTS:
        search = ub.Search(game, **shortcuts(game, {"threads": 1, **options}))
        started = time.process_time()
        search.run(seconds=seconds)
        yield {
            "game": game_text,
            "shortcuts": name,
            "resolved": search.root.resolved,
            "stored": search.states,
            "probed": search.probed_states,
            "seconds": time.process_time() - started,
            "bytes": search.memory_bytes,
        }


def measure_threads(game_text: str, seconds: float) -> Iterator[dict[str, Any]]:
    """States per second with more and more threads, up to all cores."""
    game = ub.load_game(game_text)
    threads = 1
    while threads <= available_cores():
        search = ub.Search(game, **shortcuts(game, {"threads": threads}))
        started = time.perf_counter()
        search.run(seconds=seconds)
        spent = time.perf_counter() - started
        done = search.states + search.probed_states
        yield {
            "game": game_text,
            "threads": threads,
            "states_per_second": done / spent,
            "seconds": spent,
            "resolved": search.root.resolved,
        }
        threads *= 2
