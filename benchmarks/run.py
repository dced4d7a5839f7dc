# SPDX-License-Identifier: MIT
"""Ours beside other systems: the same work, on the same machine, in one run, as a ratio.

    python benchmarks/run.py [SECTION ...] [--store]

Times are of the processor, best of a few runs; compiling rules is done before the clock starts.
What is measured is told at once, then printed as a table for each section, and compared with
`stored.json`: rows that are slower by more than 5 % are marked. Writes `results.json`; --store
writes `stored.json`, for the rows that were measured.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterator

import checkers
import expand
import latency
import networks
import peers
import proving
import rules
import solving
from measurements import (
    RESULTS,
    STORED,
    Measurement,
    Stored,
    alone,
    describe,
    faster,
    machine,
    seconds_of,
    show,
    write,
)
from rich.console import Console

import unbounded as ub
from unbounded import native
from unbounded.conformance.check import perft

SEARCH_SECONDS = 10.0
POSITIONS = 200
SHORTCUT_SECONDS = 60.0
SHORTCUT_GAMES = (
    "connect-four(width=4,height=4)",
    "connect-four(width=5,height=4)",
    "connect-four(width=5,height=5)",
    "connect-four(width=4,height=4,line=3,players=3)",
    "connect-four(width=4,height=4,line=3,players=4)",
)
THREADS = ((1, "one thread"), (None, "all cores"))


def search_rate(algorithm: str) -> tuple[float, float, ub.Search]:
    """Iterations and states per second of processor time on the full board, 10 s long."""
    search = ub.Search("connect-four", algorithm=algorithm)
    started = time.process_time()
    found = search.run(seconds=SEARCH_SECONDS)
    spent = time.process_time() - started
    return found.iterations / spent, found.states / spent, search


def measure_search() -> Iterator[Measurement]:
    """UBFM beside OpenSpiel's tree search; Descent has no peer; bytes of a state and an edge."""
    work = f"connect-four 7x6, {SEARCH_SECONDS:.0f} s"
    ubfm, _, search = search_rate("ubfm")
    mcts = peers.mcts_simulations_per_second("connect_four", SEARCH_SECONDS)
    name = "UBFM iterations, MCTS simulations (OpenSpiel)"
    yield Measurement(name, work, ubfm, mcts, ubfm / mcts, 6, "1/s")
    parts = search.memory_parts
    state = (parts["nodes"] + parts["states"] + parts["table"]) / search.states
    yield alone("memory of a state: numbers, the state itself, table", work, state, "bytes")
    yield alone("memory of an edge", work, parts["edges"] / search.edges, "bytes")
    _, descent, _ = search_rate("descent")
    yield alone("Descent states", work, descent, "1/s")


def measure_solving() -> Iterator[Measurement]:
    """Time to a proven value, beside the fastest other system that can do it."""
    for work in solving.works():
        game = ub.load_game(work.game)
        solving.seconds_to_solve(game, 1, threads=1)  # compiles
        name, peer = min(((n, f()) for n, f in work.peers), key=lambda item: item[1])
        for threads, about in THREADS:
            ours = solving.seconds_to_solve(game, threads=threads)
            yield faster(f"{work.game} solved, {name}", about, ours, peer, work.at_least)
    for size in ("width=5,height=5", "width=6,height=5", "width=5,height=4,players=3"):
        game = ub.load_game(f"connect-four({size})")
        solving.seconds_to_solve(game, 1)  # compiles
        for threads, about in THREADS:
            seconds = solving.seconds_to_solve(game, 1, threads=threads)
            yield alone(f"{game} solved", about, seconds, "s")
    for ply, dedicated in solving.DEDICATED.items():
        ours = solving.seconds_per_position(ply, POSITIONS)
        about = f"{POSITIONS} random positions of ply {ply}, mean"
        name = "connect-four 7x6 positions, a dedicated solver's published figure"
        yield Measurement(name, about, ours, dedicated, dedicated / ours, None, "s")


def measure_shortcuts() -> Iterator[Measurement]:
    """What each shortcut is worth: seconds, and the states stored and probed."""
    for game in SHORTCUT_GAMES:
        for row in solving.measure_shortcuts(game, SHORTCUT_SECONDS):
            if row["resolved"]:
                counts = f"stored {row['stored']:,}, probed {row['probed']:,}"
                yield alone(game, row["shortcuts"], row["seconds"], "s", counts)


def measure_threads() -> Iterator[Measurement]:
    """States per second, one thread and more."""
    rows = list(solving.measure_threads("connect-four", SEARCH_SECONDS))
    one = rows[0]["states_per_second"]
    work = f"connect-four 7x6, {SEARCH_SECONDS:.0f} s"
    for row in rows[1:]:
        many = row["states_per_second"]
        least = 1.6 if row["threads"] == 2 else None
        name = f"states per second, {row['threads']} threads, one"
        yield Measurement(name, work, many, one, many / one, least, "1/s")


def measure_rules() -> Iterator[Measurement]:
    """Rules compiled and not; beside OpenSpiel's, on the same trees, see rules.py; and perft."""
    game, depth = ub.load_game("connect-four"), 6
    leaves = native.perft(game, depth)  # compiles
    compiled = seconds_of(lambda: native.perft(game, depth), 20)
    plain = seconds_of(lambda: perft(game, depth), 2)
    work = f"connect-four 7x6, depth {depth}, {leaves:,} leaves"
    yield faster("perft, rules compiled and uncompiled", work, compiled, plain, 30)
    for same in rules.SAME_GAMES:
        speed = rules.measure(same)
        tree = f"depth {same.depth}, {speed.leaves:,} leaves"
        ours, peer = speed.states / speed.ours, speed.states / speed.theirs
        work = f"states made and asked, {tree}"
        name = f"rules of {same.ours}, OpenSpiel"
        yield Measurement(name, work, ours, peer, speed.ratio, 10, "1/s")
        yield alone(f"perft of {same.ours}", tree, speed.leaves / speed.ours, "1/s")


SECTIONS: dict[str, tuple[str, Callable[[], Iterator[Measurement]]]] = {
    "search": ("searching", measure_search),
    "solving": ("solving, beside the best other system", measure_solving),
    "positions": (
        "positions of Connect Four beside a dedicated solver, one thread",
        proving.measure_positions,
    ),
    "states": ("states a second in solving, one thread", proving.measure_states),
    "boards": ("time to a proven value, one thread", proving.measure_boards),
    "expand": ("states a second: solving and perft, one thread", expand.measure),
    "shortcuts": ("what each shortcut is worth, one thread", measure_shortcuts),
    "threads": ("more threads", measure_threads),
    "rules": ("rules", measure_rules),
    "networks": ("networks evaluated by the core, one thread", networks.measure),
    "checkers": ("certificates: the compiled checker beside the plain one", checkers.measure),
    "latency": (
        "latency: the longest of a few, and how long it may take",
        latency.measure,
    ),
}


def measure(name: str, console: Console, started: float) -> list[Measurement]:
    """Measure one section, and tell each figure as soon as it is known."""
    rows = []
    title, section = SECTIONS[name]
    console.print(f"{time.monotonic() - started:5.0f} s  {title} ...", style="bold")
    for row in section():
        rows.append(row)
        told = f"{time.monotonic() - started:5.0f} s  {describe(row)}"
        console.print(told, highlight=False, markup=False)
    return rows


def store(rows: list[Measurement]) -> None:
    """Store these rows, and keep the others that are stored."""
    kept = json.loads(STORED.read_text("utf-8"))["rows"] if STORED.exists() else []
    merged = {row.key: row for row in (*(Measurement(**row) for row in kept), *rows)}
    write(merged.values(), STORED)


def main() -> int:
    """Measure, print, compare, write; exit 1 if a figure is below its mark."""
    parser = argparse.ArgumentParser(description="Measure ours beside other systems.")
    parser.add_argument("sections", nargs="*", metavar="SECTION", help=", ".join(SECTIONS))
    parser.add_argument("--store", action="store_true", help="compare later runs with this one")
    given = parser.parse_args()
    wanted = given.sections or list(SECTIONS)
    if unknown := sorted(set(wanted) - set(SECTIONS)):
        parser.error(f"there is no section {unknown[0]}; there are {', '.join(SECTIONS)}")
    console, stored, started = Console(), Stored(), time.monotonic()
    console.print(f"{machine()}; stored figures are from {stored.machine or 'nowhere'}")
    measured = {name: measure(name, console, started) for name in wanted}
    for name, rows in measured.items():
        console.print()
        show(console, SECTIONS[name][0], rows, stored)
    everything = [row for rows in measured.values() for row in rows]
    write(everything, RESULTS)
    if given.store:  # how late the system wakes a thread is another thing every time
        store([row for name, rows in measured.items() for row in rows if name != "latency"])
    for row in everything:
        if stored.is_slower(row):
            console.print(f"slower than stored: {describe(row)}", markup=False)
        if row.is_below:
            console.print(f"below its mark: {describe(row)}", markup=False)
    return 1 if any(row.is_below for row in everything) else 0


if __name__ == "__main__":
    sys.exit(main())
