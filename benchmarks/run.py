# SPDX-License-Identifier: MIT
"""Ours beside other systems: the same work, on the same machine, in one run, as a ratio.

Times are of the processor, best of a few runs; compiling rules is done before the clock starts.
Writes benchmarks/results.json: a list of {name, work, ours, peer, ratio, at_least, unit}.
"""

from __future__ import annotations

import json
import platform
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import peers
import rules
import solving
from rich.console import Console
from rich.table import Table

import unbounded as ub
from unbounded import native
from unbounded.conformance.check import perft

RESULTS = Path(__file__).with_name("results.json")
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


@dataclass(frozen=True)
class Measurement:
    """One line of the table; `ratio` is how many times better ours is."""

    name: str
    work: str
    ours: float
    peer: float | None
    ratio: float | None
    at_least: float | None
    unit: str


def seconds_of(work: Callable[[], Any], repeats: int) -> float:
    """The processor time of the fastest of several runs."""
    best = float("inf")
    for _ in range(repeats):
        started = time.process_time()
        work()
        best = min(best, time.process_time() - started)
    return best


def faster(name: str, work: str, ours: float, peer: float, at_least: float) -> Measurement:
    """Compare two times."""
    return Measurement(name, work, ours, peer, peer / ours, at_least, "s")


def search_rate(algorithm: str) -> tuple[float, float, ub.Search]:
    """Iterations and states per second of processor time on the full board, 10 s long."""
    search = ub.Search("connect-four", algorithm=algorithm)
    started = time.process_time()
    search.run(seconds=SEARCH_SECONDS)
    spent = time.process_time() - started
    return search.iterations / spent, search.states / spent, search


def measure_search(console: Console) -> list[Measurement]:
    """UBFM beside OpenSpiel's tree search; Descent has no peer."""
    ubfm, _, search = search_rate("ubfm")
    describe_memory(console, search)
    work = f"connect-four 7x6, {SEARCH_SECONDS:.0f} s"
    mcts = peers.mcts_simulations_per_second("connect_four", SEARCH_SECONDS)
    _, descent, _ = search_rate("descent")
    name = "UBFM iterations, MCTS simulations (OpenSpiel)"
    return [
        Measurement(name, work, ubfm, mcts, ubfm / mcts, 6, "1/s"),
        Measurement("Descent states", work, descent, None, None, None, "1/s"),
    ]


def describe_memory(console: Console, search: ub.Search) -> None:
    """What a stored state and an edge take, and what they are made of."""
    parts, states, edges = search.memory_parts, search.states, search.edges
    per_state = (parts["nodes"] + parts["states"] + parts["table"]) / states
    console.print(
        f"memory: {per_state:.1f} bytes a state = {parts['nodes'] // states} numbers and "
        f"flags + {parts['states'] // states} the state itself + "
        f"{parts['table'] / states:.1f} table; {parts['edges'] / edges:.0f} bytes an "
        f"edge = 4 child + 4 visits; {states} states, {edges} edges, "
        f"{search.memory_bytes / 2**20:.0f} MiB in all"
    )


def measure_solving() -> list[Measurement]:
    """Time to a proven value, beside the fastest other system that can do it."""
    measured = []
    for work in solving.works():
        game = ub.load_game(work.game)
        solving.seconds_to_solve(game, 1, threads=1)  # compiles
        name, peer = min(((n, f()) for n, f in work.peers), key=lambda item: item[1])
        for threads, about in ((1, "one thread"), (None, "all cores")):
            ours = solving.seconds_to_solve(game, threads=threads)
            what = f"{work.game} solved, {name}"
            measured.append(faster(what, about, ours, peer, work.at_least))
    for size in ("width=5,height=5", "width=6,height=5"):
        game = ub.load_game(f"connect-four({size})")
        solving.seconds_to_solve(game, 1)  # compiles
        for threads, about in ((1, "one thread"), (None, "all cores")):
            ours = solving.seconds_to_solve(game, 1, threads=threads)
            measured.append(Measurement(f"{game} solved", about, ours, None, None, None, "s"))
    for ply, dedicated in solving.DEDICATED.items():
        ours = solving.seconds_per_position(ply, POSITIONS)
        work_text = f"{POSITIONS} random positions of ply {ply}, mean"
        name = "connect-four 7x6 positions, a dedicated solver's published figure"
        measured.append(Measurement(name, work_text, ours, dedicated, dedicated / ours, None, "s"))
    return measured


def measure_shortcuts(console: Console) -> list[Measurement]:
    """What each shortcut is worth: states stored, states probed, seconds."""
    table = Table("game", "shortcuts", "stored", "probed", "seconds", "MB", title="shortcuts")
    measured = []
    for game in SHORTCUT_GAMES:
        for row in solving.measure_shortcuts(game, SHORTCUT_SECONDS):
            seconds = f"{row['seconds']:.3f}" if row["resolved"] else "not solved"
            stored, probed = f"{row['stored']:,}", f"{row['probed']:,}"
            table.add_row(
                game, row["shortcuts"], stored, probed, seconds, f"{row['bytes'] / 1e6:.1f}"
            )
            if row["resolved"]:
                name = f"{game} with {row['shortcuts']}"
                work = f"stored {stored}, probed {probed}"
                measured.append(Measurement(name, work, row["seconds"], None, None, None, "s"))
    console.print(table)
    return measured


def measure_threads(console: Console) -> list[Measurement]:
    """States per second, one thread and more."""
    rows = list(solving.measure_threads("connect-four", SEARCH_SECONDS))
    one = rows[0]["states_per_second"]
    return [
        Measurement(
            f"states per second, {row['threads']} threads, one",
            f"connect-four 7x6, {SEARCH_SECONDS:.0f} s",
            row["states_per_second"],
            one,
            row["states_per_second"] / one,
            1.6 if row["threads"] == 2 else None,
            "1/s",
        )
        for row in rows[1:]
    ]


def measure_same_rules(console: Console) -> list[Measurement]:
    """Rules beside OpenSpiel's, on the same trees, game by game; see rules.py."""
    speeds = [rules.measure(game) for game in rules.SAME_GAMES]
    slowest = min(speeds, key=lambda speed: speed.ratio)
    console.print(f"rules: slowest beside OpenSpiel {slowest.game.ours}, {slowest.ratio:.1f} times")
    slowest = min(speeds, key=lambda speed: speed.leaves / speed.ours)
    leaves = slowest.leaves / slowest.ours
    console.print(f"rules: slowest perft {slowest.game.ours}, {leaves:,.0f} leaves/s")
    return [measurement for speed in speeds for measurement in described(speed)]


def described(speed: rules.Speed) -> list[Measurement]:
    """One game beside OpenSpiel, and what its perft reaches."""
    name, tree = speed.game.ours, f"depth {speed.game.depth}, {speed.leaves} leaves"
    ours, peer = speed.states / speed.ours, speed.states / speed.theirs
    leaves = speed.leaves / speed.ours
    work = f"states made and asked, {tree}"
    return [
        Measurement(f"rules of {name}, OpenSpiel", work, ours, peer, speed.ratio, 10, "1/s"),
        Measurement(f"perft of {name}", tree, leaves, None, None, None, "1/s"),
    ]


def measure_rules() -> list[Measurement]:
    """The same rules compiled and not."""
    game, depth = ub.load_game("connect-four"), 6
    leaves = native.perft(game, depth)  # compiles
    compiled = seconds_of(lambda: native.perft(game, depth), 20)
    plain = seconds_of(lambda: perft(game, depth), 2)
    work = f"connect-four 7x6, depth {depth}, {leaves} leaves"
    return [faster("perft, rules compiled and uncompiled", work, compiled, plain, 30)]


def show(console: Console, measurements: list[Measurement]) -> None:
    """Print the table."""
    table = Table("what", "work", "ours", "peer", "ratio", "at least", title="ours beside others")
    for m in measurements:
        table.add_row(
            m.name,
            m.work,
            f"{m.ours:,.4g} {m.unit}",
            "" if m.peer is None else f"{m.peer:,.4g} {m.unit}",
            "" if m.ratio is None else f"{m.ratio:.2f}",
            "" if m.at_least is None else f"{m.at_least:g}",
        )
    console.print(table)


def main() -> int:
    """Measure, print, write; exit 1 if a figure is below its mark."""
    console = Console()
    console.print(f"{platform.machine()}, Python {platform.python_version()}")
    measurements = [
        *measure_search(console),
        *measure_solving(),
        *measure_shortcuts(console),
        *measure_threads(console),
        *measure_rules(),
        *measure_same_rules(console),
    ]
    show(console, measurements)
    RESULTS.write_text(json.dumps([asdict(m) for m in measurements], indent=2) + "\n")
    below = [m.name for m in measurements if m.at_least and m.ratio and m.ratio < m.at_least]
    for name in below:
        console.print(f"below its mark: {name}")
    return 1 if below else 0


if __name__ == "__main__":
    sys.exit(main())
