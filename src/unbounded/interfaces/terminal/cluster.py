# SPDX-License-Identifier: MIT
"""Solving by jobs, on the terminal: the live view, the result, and what a claims file holds."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Iterator, Sequence

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.table import Table
from rich.text import Text

from unbounded.cluster.driver import Driver
from unbounded.cluster.facts import Bounds, Fact
from unbounded.cluster.judging import NONE
from unbounded.cluster.seldom import Seldom
from unbounded.cluster.solving import Outcome
from unbounded.cluster.summary import Summary
from unbounded.game.wording import bounds_text, counted, cut, numbers_text, outcome_text
from unbounded.interfaces.terminal.console import (
    ESTIMATED,
    LABEL,
    PROVEN,
    Terminal,
    grid,
    moves_text,
    rounded,
    seconds_text,
)
from unbounded.interfaces.terminal.progress import SECONDS_BETWEEN_LINES
from unbounded.search.result import note_of, noted

MOST_WORKERS = 8
"""Workers that the live view lists."""
BETWEEN_DRAWINGS = 0.5


# -- what is known ---------------------------------------------------------------------------------


def fact_words(fact: Fact) -> str:
    """What a fact says; nothing where it says nothing."""
    if isinstance(fact, Bounds):
        low, high = fact.low[0], fact.high[0]
        if low == high:
            return outcome_text((low, -low))
        return bounds_text(((low, high), (-high, -low)))
    if fact is None:
        return ""
    return noted(
        outcome_text([x for x, _ in fact]), note_of(equilibrium=True, scores_ignored=False)
    )


def fact_text(fact: Fact, *, checked: bool = True) -> Text:
    """What is proven, or claimed by workers who are believed, in words."""
    words = fact_words(fact)
    if words and not checked:
        return Text(f"claimed by workers, not checked: {words}", style="yellow")
    return Text(f"proven: {words}", style=PROVEN) if words else Text("nothing is proven yet")


def _root_text(driver: Driver) -> Text:
    return fact_text(driver.graph.root.fact, checked=driver.judge.trust == NONE)


def score_text(fact: Fact) -> str:
    """The scores that are proven; nothing where they say no more than the outcome."""
    if isinstance(fact, Bounds):
        if not fact.settled or fact.low[1] == 0:
            return ""
        return numbers_text((fact.low[1], -fact.low[1]))
    return numbers_text([y for _, y in fact]) if fact and any(y for _, y in fact) else ""


# -- while it runs ---------------------------------------------------------------------------------


@contextlib.contextmanager
def cluster_progress(*, quiet: bool) -> Iterator[Callable[[Driver], None]]:
    """Show on stderr how far a driver is: a view that changes, or a line now and then."""
    console = Terminal(stderr=True)
    if quiet:
        yield lambda _: None
        return
    if not console.animated:
        yield _Lines().show
        return
    with Live(console=console, transient=True, auto_refresh=False) as live:
        drawings = Seldom(BETWEEN_DRAWINGS)

        def show(driver: Driver) -> None:
            if drawings.is_due():
                with drawings:
                    live.update(drawing(driver, console), refresh=True)

        yield show


class _Lines:
    """A line of progress every ten seconds."""

    def __init__(self) -> None:
        self._shown = time.monotonic()

    def show(self, driver: Driver) -> None:
        if time.monotonic() - self._shown < SECONDS_BETWEEN_LINES:
            return
        self._shown = time.monotonic()
        counts = driver.counts
        share = driver.graph.share_settled()
        with contextlib.suppress(OSError):  # stderr is closed: no reason to stop
            print(
                f"unbounded: {counted(counts.solved + counts.open, 'job')} done, "
                f"{len(driver.tasks)} running, {counts.refused} refused, about {share:.0%} of the "
                f"proof; {_root_text(driver).plain}",
                file=sys.stderr,
                flush=True,
            )


def drawing(driver: Driver, console: Console) -> RenderableType:
    """The live view."""
    graph, counts = driver.graph, driver.counts
    seconds = time.monotonic() - driver.began
    rows = Table.grid(padding=(0, 2, 0, 0), expand=True)
    rows.add_column(style=LABEL, no_wrap=True, min_width=13)
    rows.add_column(overflow="fold", ratio=1)
    rows.add_row("game", str(graph.game))
    if graph.root.moves:
        rows.add_row("after", moves_text(graph.root.moves))
    rows.add_row("root", _root_text(driver))
    share = graph.share_settled()
    rows.add_row(
        "settled", Text(f"about {share:.1%} of the proof{_left(share, seconds)}", ESTIMATED)
    )
    rows.add_row(
        "jobs",
        f"{max(0, graph.leaves - len(driver.tasks)):,} waiting, {len(driver.tasks):,} running, "
        f"{counts.solved:,} solved, {counts.open:,} left open, {counts.cancelled:,} cancelled, "
        f"{counts.failed:,} failed, {counts.refused:,} refused",
    )
    rate = counts.states / seconds if seconds > 0 else 0.0
    rows.add_row(
        "states", f"{counts.states:,} searched, {rounded(rate)}/s; {len(graph.nodes):,} positions"
    )
    rows.add_row("spent", f"{seconds_text(seconds)}, {seconds_text(counts.worked)} of workers")
    parts: list[RenderableType] = [rows]
    if driver.by_worker:
        parts += ["", _workers(driver)]
    hint = "Ctrl-C ends the run; the same command continues it"
    return Group(*parts, Text(hint, style="dim"))


def _left(share: float, seconds: float) -> str:
    if not 0.01 < share < 1 or seconds < 10:
        return ""
    return f", {seconds_text(seconds * (1 - share) / share)} left at this rate"


def _workers(driver: Driver) -> Table:
    busy = {task.worker: task.job.number for task in driver.tasks.values()}
    table = Table(box=None, padding=(0, 2, 0, 0), header_style=LABEL)
    for name in ("worker", "where", "jobs", "states/s", "refused", "now"):
        table.add_column(name, justify="right" if name in ("jobs", "states/s") else "left")
    shown = sorted(driver.by_worker.items(), key=lambda item: -item[1].states)
    for name, status in shown[:MOST_WORKERS]:
        rate = rounded(status.states / status.seconds) if status.seconds > 0 else ""
        now = f"job {busy[name]}" if name in busy else "free"
        refused = Text(f"{status.refused}", style="red") if status.refused else Text("")
        table.add_row(name, cut(status.where, 30), f"{status.jobs:,}", rate, refused, now)
    if len(shown) > MOST_WORKERS:
        table.add_row(f"{len(shown) - MOST_WORKERS} more", "", "", "", "", "")
    return table


# -- results ---------------------------------------------------------------------------------------


def print_outcome(console: Console, outcome: Outcome) -> None:
    """Print what a run has found."""
    rows = grid()
    rows.add_row("game", outcome.game)
    if outcome.moves:
        rows.add_row("after", moves_text(outcome.moves))
    rows.add_row("verdict", fact_text(outcome.fact, checked=outcome.checked))
    if score := score_text(outcome.fact):
        said, style = ("proven", PROVEN) if outcome.checked else ("claimed", "yellow")
        rows.add_row("score", Text(f"{said}: {score}", style=style))
    if outcome.line:
        rows.add_row("best line", moves_text(outcome.line))
    rows.add_row("jobs", _jobs_text(outcome.jobs))
    rate = f", {rounded(outcome.states / outcome.worked)}/s" if outcome.worked > 0 else ""
    rows.add_row(
        "spent", f"{seconds_text(outcome.worked)} of workers, {outcome.states:,} states{rate}"
    )
    if outcome.proof is not None:
        rows.add_row("proof", f"{outcome.proof}; check it by: unbounded verify {outcome.proof}")
    console.print(rows)


def _jobs_text(jobs: dict[str, int]) -> str:
    return ", ".join(f"{count:,} {status}" for status, count in sorted(jobs.items())) or "none"


def print_summary(console: Console, summary: Summary) -> None:
    """Print what a claims file holds."""
    rows = grid()
    rows.add_row("game", summary.game)
    if summary.moves:
        rows.add_row("after", moves_text(summary.moves))
    rows.add_row("root", fact_text(summary.fact, checked=summary.checked == summary.claims))
    rows.add_row("settled", Text(f"about {summary.share:.1%} of the proof", ESTIMATED))
    rows.add_row(
        "positions",
        f"{summary.positions:,}, {summary.settled:,} of them settled, {summary.leaves:,} to do",
    )
    rows.add_row(
        "claims", f"{summary.claims:,}, {summary.checked:,} of them checked by their certificates"
    )
    rows.add_row("jobs", _jobs_text(summary.jobs))
    rows.add_row("spent", f"{seconds_text(summary.worked)} of workers, {summary.states:,} states")
    for name, jobs, states, seconds in summary.workers[:MOST_WORKERS]:
        rate = f", {rounded(states / seconds)}/s" if seconds > 0 else ""
        rows.add_row("", f"{name}: {counted(jobs, 'job')}{rate}")
    console.print(rows)
    _print_claims(console, summary)
    for number, worker, why in summary.refused[:MOST_WORKERS]:
        console.print(Text(f"refused: {worker}, job {number}: {why}", style="red"))


def _print_claims(console: Console, summary: Summary) -> None:
    table = Table(box=None, padding=(0, 2, 0, 0), header_style=LABEL)
    for name in ("after", "claim", "by", "certificate"):
        table.add_column(name, overflow="fold" if name == "after" else "ellipsis")
    for claim in summary.latest:
        proof = "none" if claim.digest is None else claim.digest[:12]
        checked = "" if claim.checked or claim.digest is None else " (not checked)"
        table.add_row(
            _short(claim.moves), Text(claim.claim, PROVEN), claim.worker, f"{proof}{checked}"
        )
    if summary.latest:
        console.print()
        console.print(table)


def _short(moves: Sequence[str]) -> str:
    return cut(" ".join(moves) or "the start", 40)
