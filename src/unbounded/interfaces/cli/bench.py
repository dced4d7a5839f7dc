# SPDX-License-Identifier: MIT
"""`unbounded bench`: fixed work, counted and timed.

The counts are the same on every machine: one thread, one seed, and no limit that a clock sets. So
their sum shows whether a change of the core changed what it searches (`--signature`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import partial
from typing import Annotated, Any

import typer

from unbounded.interfaces.cli.common import GOOD, Debug, Job, Json, Quiet, print_json
from unbounded.interfaces.process import Signals

TWO = "connect-four(width=5,height=4)"
THREE = "connect-four(width=4,height=4,line=3,players=3)"
SCORED = "dots-and-boxes(rows=2,columns=3)"
SYMMETRIC = "hex(size=4)"

MEMORY = "1GB"
"""The same everywhere: the size of the transposition table follows from it."""


@dataclass(frozen=True)
class Row:
    """Work that was done."""

    game: str
    work: str
    nodes: int
    """What was counted: states stored, states visited by probes, iterations, leaves."""
    seconds: float
    """Processor time."""


@dataclass(frozen=True)
class Work:
    """Something to do with a game; it returns what it counted."""

    game: str
    name: str
    do: Callable[[str], int]


def _search(game: str, **options: Any) -> int:
    from unbounded.search.search import Search

    found = Search(game, **options).run(iterations=10_000, memory=MEMORY)
    return found.states + found.iterations + found.resolved_states


def _solve(game: str, **options: Any) -> int:
    from unbounded.solving.solve import solve

    found = solve(game, threads=1, memory=MEMORY, **options)
    return found.states + found.probed + found.iterations


def _solve_all(game: str) -> int:
    from unbounded.solving.strong import solve_all

    return solve_all(game, memory=MEMORY).states


def _play(text: str, kind: str, after: int) -> int:
    """Let a player decide after some moves: always the first that is legal."""
    from unbounded.game.catalogue import load_game
    from unbounded.players.kinds import read_kind

    game = load_game(text)
    player = read_kind(kind).player(game, 1)
    for _ in range(after):
        player.see(game.actions(player.state)[0])
    return player.decide().work


def _perft(game: str, depth: int) -> int:
    from unbounded import native
    from unbounded.game.catalogue import load_game

    return native.perft(load_game(game), depth)


def _searches(game: str, values: str, *variants: str) -> Iterator[Work]:
    """Both algorithms with one rule for values, and these variants of the paper."""
    flags = dict.fromkeys(variants, True)
    for algorithm in ("ubfm", "descent"):
        options: dict[str, Any] = {"algorithm": algorithm, "values": values, **flags}
        yield Work(game, ", ".join((algorithm, values, *variants)), partial(_search, **options))


def works() -> Iterator[Work]:
    """Everything that is counted, in order: each part of the core at least once."""
    yield Work(TWO, "perft", partial(_perft, depth=7))
    yield from _searches(TWO, "minimax")
    yield from _searches(TWO, "minimax", "paper")
    yield from _searches(SCORED, "minimax")
    drawn = partial(_search, algorithm="descent", stop_at_draw=True)
    yield Work(SCORED, "descent, minimax, stop_at_draw", drawn)
    yield from _searches(THREE, "resolved_completion")
    yield from _searches(THREE, "propagated_completion")
    yield Work(TWO, "solve", _solve)
    yield Work(TWO, "solve, no probes", partial(_solve, probes=False))
    yield Work(SYMMETRIC, "solve", _solve)
    yield Work(SCORED, "solve", _solve)
    yield Work(SCORED, "solve, exact_score", partial(_solve, exact_score=True))
    yield Work(THREE, "solve", _solve)
    yield Work("tic-tac-toe", "solve every state", _solve_all)
    yield Work(TWO, "alpha-beta", partial(_play, kind="alpha-beta(nodes=1000000)", after=6))
    for kind in ("max-n", "paranoid", "best-reply"):
        yield Work(THREE, kind, partial(_play, kind=f"{kind}(nodes=1000000)", after=6))
    yield Work(THREE, "mcts", partial(_play, kind="mcts(simulations=5000)", after=0))


def counted(progress: Callable[[str], None]) -> Iterator[Row]:
    """Do all works; the first time for a game includes what compiling its rules takes."""
    for work in works():
        progress(f"{work.game}: {work.name}")
        started = time.process_time()
        nodes = work.do(work.game)
        yield Row(work.game, work.name, nodes, time.process_time() - started)


def signature() -> int:
    """Add up what all works count: the same number on every machine."""
    return sum(row.nodes for row in counted(lambda _: None))


def bench(
    only_signature: Annotated[
        bool,
        typer.Option("--signature", metavar="", help="Print the sum of all counts, nothing else."),
    ] = False,
    quiet: Quiet = False,
    as_json: Json = False,
    debug: Debug = False,
) -> Job:
    """Search and solve fixed games; print what was counted, and how fast this machine is."""

    def job(_: Signals) -> int:
        from unbounded.interfaces.terminal.console import Terminal
        from unbounded.interfaces.terminal.progress import steps

        with steps(quiet=quiet) as progress:
            rows = list(counted(progress or (lambda _: None)))
            if not only_signature:  # again, now that all rules are compiled
                rows = list(counted(progress or (lambda _: None)))
        total = sum(row.nodes for row in rows)
        if as_json:
            print_json({"signature": total, "rows": [asdict(row) for row in rows]})
        elif only_signature:
            print(total)
        else:
            _print_rows(Terminal(), rows)
            print(f"signature {total}")
        return GOOD

    return job


def _print_rows(console: Any, rows: list[Row]) -> None:
    """Print a table for every game: its name may be as long as a line."""
    from rich.table import Table

    for game in dict.fromkeys(row.game for row in rows):
        table = Table("work", box=None, title=game, title_justify="left", pad_edge=False)
        for name in ("nodes", "ms", "nodes/s"):
            table.add_column(name, justify="right")
        for row in rows:
            if row.game == game:
                rate = row.nodes / max(row.seconds, 1e-6)
                numbers = (f"{row.nodes:,}", f"{1000 * row.seconds:,.1f}", f"{rate:,.0f}")
                table.add_row(row.work, *numbers)
        console.print(table, "")
