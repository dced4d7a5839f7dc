# SPDX-License-Identifier: MIT
"""Progress on stderr: of a search, of files that are read and written, of a check."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress import Progress as Bar
from rich.status import Status
from rich.table import Table
from rich.text import Text

from unbounded.game.notices import shown_by
from unbounded.game.wording import bounds_text, counted, numbers_text, outcome_text
from unbounded.interfaces.terminal.console import (
    ESTIMATED,
    LABEL,
    MOST_MOVES,
    PROVEN,
    Terminal,
    memory_text,
    moves_text,
    rounded,
    seconds_text,
)
from unbounded.interfaces.terminal.results import actions_table
from unbounded.search.result import noted

if TYPE_CHECKING:
    from unbounded.search.autosave import Autosave
    from unbounded.search.search import Search
    from unbounded.search.tree import Node

SECONDS_BETWEEN_LINES = 10.0
DRAWING_SHARE = 0.1
"""The most that drawing may take of the time: reading a tree with many actions is slow."""
BYTES_BETWEEN_LOOKS = 1 << 14

Progress = Callable[["Search"], None]


@contextlib.contextmanager
def spinner(console: Console, what: str) -> Iterator[Status]:
    """Show what is being done beside a spinner, and notices in its place."""
    with console.status(_dim(what), spinner="line") as status:

        @contextlib.contextmanager
        def show(message: str) -> Iterator[None]:
            before = status.status
            status.update(_dim(message))
            try:
                yield
            finally:
                status.update(before)

        with shown_by(show):
            yield status


def _dim(what: str) -> Text:
    return Text(what, style="dim", no_wrap=True, overflow="ellipsis")


@contextlib.contextmanager
def waiting(what: str, *, quiet: bool = False) -> Iterator[None]:
    """Show what is being done, if stderr is a terminal."""
    console = Terminal(stderr=True)
    if quiet or not console.animated:
        yield
        return
    with spinner(console, what):
        yield


@contextlib.contextmanager
def reading(path: str, *, quiet: bool) -> Iterator[Callable[[int], None] | None]:
    """Show how much of a file has been read, if there is a terminal to show it on."""
    console = Terminal(stderr=True)
    if quiet or not console.animated:
        yield None
        return
    with Bar(*Bar.get_default_columns(), console=console, transient=True) as bar:
        size = Path(path).stat().st_size
        task = bar.add_task("checking", total=size)
        read = unseen = 0

        def progress(amount: int) -> None:
            nonlocal read, unseen
            read += amount
            unseen += amount
            if unseen >= BYTES_BETWEEN_LOOKS:
                # What the files on which it leans add up to is known at the end only.
                bar.update(task, completed=read, total=size if read <= size else None)
                unseen = 0

        yield progress


@contextlib.contextmanager
def steps(*, quiet: bool) -> Iterator[Callable[[str], None] | None]:
    """Show on stderr what is being done: at once on a terminal, else only if it takes long."""
    console = Terminal(stderr=True)
    if quiet:
        yield None
    elif console.animated:
        with spinner(console, "") as status:
            yield lambda step: status.update(_dim(f"{step} ..."))
    else:
        shown = time.monotonic()

        def say(step: str) -> None:
            nonlocal shown
            if time.monotonic() - shown >= SECONDS_BETWEEN_LINES:
                shown = time.monotonic()
                with contextlib.suppress(OSError):  # stderr is closed: no reason to stop
                    print(f"unbounded: {step}", file=sys.stderr, flush=True)

        yield say


@contextlib.contextmanager
def writing(path: str, *, quiet: bool) -> Iterator[Callable[[int, int], None] | None]:
    """Show how much of a file has been written, if there is a terminal to show it on."""
    console = Terminal(stderr=True)
    if quiet or not console.animated:
        yield None
        return
    with Bar(*Bar.get_default_columns(), console=console, transient=True) as bar:
        task = bar.add_task(f"reading, to write {Path(path).name}", total=None)

        def progress(done: int, total: int) -> None:
            bar.update(task, description="writing", completed=done, total=total)

        yield progress


# -- a search -------------------------------------------------------------------------------------


def drawing(
    search: Search, console: Console, *, analysis: bool, seconds: float | None = None
) -> RenderableType:
    """The progress of a search; `seconds` is its limit."""
    grid = Table.grid(padding=(0, 2, 0, 0), expand=True)
    grid.add_column(style=LABEL, no_wrap=True, min_width=13)
    grid.add_column(overflow="fold", ratio=1)
    root = search.root
    _add_position(grid, search, root)
    _add_numbers(grid, search, root, seconds)
    if search.autosave is not None:
        failed = "red" if search.autosave.failure else ""
        grid.add_row("saved", Text(saved_text(search.autosave), failed))
    parts: list[RenderableType] = [grid]
    if analysis:
        rows = max(1, console.height - len(console.render_lines(grid)) - 6)
        table = actions_table(root, most=rows, replies=True)
        parts += ["", table] if table is not None else []
    return Group(*parts, Text("Ctrl-C ends the search and shows what is known", style="dim"))


def _add_position(grid: Table, search: Search, root: Node) -> None:
    """Add the game, and what is known of the root."""
    played = f" after {moves_text(search.moves)}" if search.moves else ""
    grid.add_row("game", Text(f"{search.game}{played}", no_wrap=True, overflow="ellipsis"))
    if root.outcome is None:
        sure = bounds_text(root.outcome_bounds)
        if sure:
            grid.add_row("bounds", Text(f"proven: {sure}", style=PROVEN))
        estimated = numbers_text(root.estimate) or "nothing more"
        grid.add_row("root", Text(f"estimated: {estimated}", style=ESTIMATED))
    else:
        said = noted(f"proven: {outcome_text(root.outcome)}", search.note)
        grid.add_row("root", Text(said, style=PROVEN))
    line = moves_text((name for name, _ in root.pv()), MOST_MOVES // 2)
    grid.add_row("best line", Text(line, no_wrap=True, overflow="ellipsis"))


def _add_numbers(grid: Table, search: Search, root: Node, seconds: float | None) -> None:
    """Add counts of states, time and memory."""
    probes = search.options.probes
    probed = f", {search.probed_states:,} more visited by probes" if probes else ""
    stored = f"{search.states:,} ({search.resolved_states:,} resolved)"
    grid.add_row("states", f"{stored}{probed}, {rounded(search.states_per_second)}/s")
    children = root.children
    settled = sum(child.resolved for child in children)
    if children:
        grid.add_row("root moves", f"{settled} of {len(children)} resolved")
    memory, iterations = memory_text(search.memory_bytes), counted(search.iterations, "iteration")
    left = 0.0 if seconds is None else max(0.0, seconds - search.seconds_of_run)
    ends = "" if seconds is None else f"; {seconds_text(left)} left"
    grid.add_row("spent", f"{seconds_text(search.seconds)}, {memory}, {iterations}{ends}")


def saved_text(autosave: Autosave) -> str:
    """Return when a search was last saved, and why it could not be."""
    failed = f" (failed: {autosave.failure})" if autosave.failure else ""
    if autosave.saved_at is None:
        return f"not yet{failed}"
    ago = seconds_text(float(int(time.monotonic() - autosave.saved_at)))
    return f"{ago} ago, {memory_text(autosave.bytes)}{failed}"


class LiveProgress:
    """Draws over itself on a terminal, a few times per second.

    Inside `shown`, which holds a spinner until there is something to draw.
    """

    def __init__(
        self, shown: contextlib.ExitStack, *, analysis: bool, seconds: float | None
    ) -> None:
        self._shown, self._console, self._analysis = shown, Terminal(stderr=True), analysis
        self._seconds = seconds
        self._next = 0.0
        self._live: Live | None = None
        shown.enter_context(spinner(self._console, "preparing the search ..."))

    def __call__(self, search: Search) -> None:
        started = time.perf_counter()
        if started < self._next:
            return
        if self._live is None:
            self._shown.close()  # one display at a time
            self._live = self._shown.enter_context(
                Live(
                    console=self._console,
                    auto_refresh=False,
                    transient=True,
                    redirect_stdout=False,
                )
            )
        picture = drawing(search, self._console, analysis=self._analysis, seconds=self._seconds)
        self._live.update(picture, refresh=True)
        now = time.perf_counter()
        self._next = now + (now - started) / DRAWING_SHARE


class PlainProgress:
    """Writes a line now and then, where nothing can be drawn over."""

    def __init__(self) -> None:
        self._next = SECONDS_BETWEEN_LINES

    def __call__(self, search: Search) -> None:
        if search.seconds < self._next:
            return
        self._next = search.seconds + SECONDS_BETWEEN_LINES
        values = numbers_text(search.root.estimate) or "nothing more"
        saved = "" if search.autosave is None else f"; saved {saved_text(search.autosave)}"
        with contextlib.suppress(OSError):  # stderr is closed: no reason to stop
            print(
                f"unbounded: {search.seconds:.0f} s, {counted(search.states, 'state')}, "
                f"{search.resolved_states:,} resolved, {memory_text(search.memory_bytes)}; "
                f"estimated: {values}; best action {search.decide()}{saved}",
                file=sys.stderr,
                flush=True,
            )


@contextlib.contextmanager
def progress(
    *, quiet: bool, analysis: bool, seconds: float | None = None
) -> Iterator[Progress | None]:
    """Show the progress of a search on stderr; `seconds` is its limit."""
    console = Terminal(stderr=True)
    if quiet:
        yield None
    elif not console.animated:
        yield PlainProgress()
    else:
        with contextlib.ExitStack() as shown:
            yield LiveProgress(shown, analysis=analysis, seconds=seconds)
