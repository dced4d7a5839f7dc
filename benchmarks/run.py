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
from rich.console import Console
from rich.table import Table

import unbounded as ub
from unbounded import _native
from unbounded.testing import perft

RESULTS = Path(__file__).with_name("results.json")
SEARCH_SECONDS = 10.0


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
    search = ub.Search("connect-four", algorithm=algorithm)  # type: ignore[arg-type]
    started = time.process_time()
    search.run(seconds=SEARCH_SECONDS)
    spent = time.process_time() - started
    return search.core.iterations / spent, search.core.states / spent, search


def measure_search(console: Console) -> list[Measurement]:
    """UBFM beside OpenSpiel's tree search; Descent has no peer."""
    ubfm, _, search = search_rate("ubfm")
    describe_memory(console, search)
    work = f"connect-four 7x6, {SEARCH_SECONDS:.0f} s"
    mcts = peers.mcts_simulations_per_second("connect_four", SEARCH_SECONDS)
    _, descent, _ = search_rate("descent")
    name = "UBFM iterations, MCTS simulations (OpenSpiel)"
    return [
        Measurement(name, work, ubfm, mcts, ubfm / mcts, 2.5, "1/s"),
        Measurement("Descent states", work, descent, None, None, None, "1/s"),
    ]


def describe_memory(console: Console, search: ub.Search) -> None:
    """What a stored state and an edge take, and what they are made of."""
    core, parts = search.core, search.core.memory
    per_state = (parts["nodes"] + parts["states"] + parts["table"]) / core.states
    console.print(
        f"memory: {per_state:.1f} bytes a state = {parts['nodes'] // core.states} numbers and "
        f"flags + {parts['states'] // core.states} the state itself + "
        f"{parts['table'] / core.states:.1f} table; {parts['edges'] / core.edges:.0f} bytes an "
        f"edge = 4 child + 4 selections; {core.states} states, {core.edges} edges, "
        f"{search.memory_bytes / 2**20:.0f} MiB in all"
    )


def measure_solving() -> list[Measurement]:
    """Tic-tac-toe to a proven value."""
    game = ub.game("tic-tac-toe")
    ub.solve(game)  # compiles

    def ours() -> None:
        assert ub.solve(game).outcome == (0, 0)

    own = seconds_of(ours, 20)
    others = {
        "OpenSpiel alpha-beta": seconds_of(peers.alpha_beta_tic_tac_toe, 5),
        "easyAI Negamax with table": seconds_of(peers.easyai_negamax_tic_tac_toe, 5),
        "easyAI depth-first with table": seconds_of(peers.easyai_depth_first_tic_tac_toe, 5),
    }
    name, best = min(others.items(), key=lambda item: item[1])
    return [faster(f"tic-tac-toe solved, {name}", "proven value of the empty board", own, best, 2)]


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
    game, depth = ub.game("connect-four"), 6
    leaves = _native.perft(game, depth)  # compiles
    compiled = seconds_of(lambda: _native.perft(game, depth), 20)
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
