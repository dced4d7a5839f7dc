# SPDX-License-Identifier: MIT
"""What the command line draws: progress while a search runs, and what it has found.

What is proven is always bold green, what is estimated always dim, and they never share a column.
"""

from __future__ import annotations

import contextlib
import re
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import cycle, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.padding import Padding
from rich.progress import Progress as Bar
from rich.table import Table
from rich.text import Text

from unbounded.game import Game, format_value
from unbounded.game.wording import (
    bounds_text,
    counted,
    names,
    number_text,
    numbers_text,
    outcome_text,
)
from unbounded.interfaces.terminal.columns import Column, Columns
from unbounded.search import decisions
from unbounded.search.result import Result, note_of, noted
from unbounded.search.tree import Child, Node

if TYPE_CHECKING:
    from unbounded.search.checkpoints import Autosave
    from unbounded.search.search import Search
    from unbounded.solving.certificate import Written
    from unbounded.solving.checker import Verdict
    from unbounded.solving.proven_positions import ProvenPosition
    from unbounded.solving.strong import StrongResult
    from unbounded.solving.table import Written as WrittenTable

PROVEN, ESTIMATED, LABEL = "bold green", "dim", "cyan"
PLAYERS = ("bold red", "bold blue", "bold yellow", "bold magenta")
"""How the symbols of players look on a board; the symbols themselves say the same."""

SECONDS_BETWEEN_LINES = 10.0
DRAWING_SHARE = 0.1
"""Of the time, at most, that drawing may take from the search: wide games are slow to look at."""

MOST_ROWS = 20
BYTES_BETWEEN_LOOKS = 1 << 14
MOST_MOVES = 60
MOVES_OF_A_REPLY = 8
MOST_PLAYERS_SIDE_BY_SIDE = 4

Progress = Callable[["Search"], None]


class Terminal(Console):
    """A console for plain texts; a reader that goes away is left to the caller."""

    def __init__(self, *, stderr: bool = False) -> None:
        super().__init__(stderr=stderr, markup=False, highlight=False, emoji=False)

    def on_broken_pipe(self) -> None:
        """Raise the error again, rather than end the program here."""
        raise BrokenPipeError

    @property
    def animated(self) -> bool:
        """Whether something can be drawn over."""
        return self.is_terminal and not self.is_dumb_terminal


# -- numbers and words ----------------------------------------------------------------------------


def rounded(number: float) -> str:
    """Write a number with three digits and a unit: 1.63 M."""
    for size, unit in ((1e9, " G"), (1e6, " M"), (1e3, " k")):
        if number >= size:
            return f"{number / size:.3g}{unit}"
    return f"{number:.3g}"


def memory_text(amount: int) -> str:
    """Write an amount of memory, in powers of 1024."""
    for power, unit in ((30, "GiB"), (20, "MiB"), (10, "KiB")):
        if amount >= 1 << power:
            return f"{amount / (1 << power):.1f} {unit}"
    return f"{amount} bytes"


def seconds_text(seconds: float) -> str:
    """Write a duration."""
    if seconds < 60:
        return f"{seconds:.3f} s" if seconds < 10 else f"{seconds:.1f} s"
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes // 60}:{minutes % 60:02}:{rest:02}"


def moves_text(moves: Iterable[str], most: int = MOST_MOVES) -> str:
    """Write a line of moves; a long one is cut."""
    listed = list(islice(moves, most + 1))
    return " ".join(listed[:most]) + (" ..." if len(listed) > most else "")


def board(game: Game[Any, Any], state: Any) -> str:
    """Draw a state; a game that cannot draw itself is no reason to lose a result."""
    try:
        drawn = game.show(state)
        return drawn if isinstance(drawn, str) else f"(show gave {type(drawn).__name__}, not text)"
    except Exception as error:
        return f"(show failed: {type(error).__name__}: {error})"


def coloured(drawn: str, symbols: str) -> Text:
    """A board with the players' symbols in colours, where they stand alone; plain without any."""
    text = Text.from_ansi(drawn)
    for symbol, style in zip(symbols, cycle(PLAYERS), strict=False):
        text.highlight_regex(rf"(?<![^\W\d]){re.escape(symbol)}(?![^\W\d])", style)
    return text


# -- what is known --------------------------------------------------------------------------------


def verdict(result: Result) -> Text:
    """Say whether the outcome is proven, and what is known of it."""
    if result.resolved:
        said = outcome_text(result.outcome)
        if result.to_move is None:
            return Text(f"the game is over: {said}", style=PROVEN)
        return Text(noted(f"proven: {said}", result.note), style=PROVEN)
    reason = "interrupted" if result.stopped == "interrupted" else f"stopped by {result.stopped}"
    return Text.assemble(("not proven", "yellow"), f" ({reason})")


def summary(result: Result) -> Table:
    """The verdict, what to play, and the best line."""
    grid = _grid()
    grid.add_row("verdict", verdict(result))
    if result.distance is not None and result.to_move is not None:
        moves = counted(result.distance, "move")
        grid.add_row("distance", Text(f"{moves} to the end", style=PROVEN))
    bounds = bounds_text(result.outcome_bounds)
    if not result.resolved and bounds:
        grid.add_row("bounds", Text(f"proven: {bounds}", style=PROVEN))
    estimated = numbers_text(result.estimate)
    if not result.resolved and estimated:
        grid.add_row("estimated", Text(estimated, style=ESTIMATED))
    if any(x is not None and x != y for x, y in zip(result.score, result.outcome, strict=True)):
        grid.add_row("score", Text(f"proven: {numbers_text(result.score)}", style=PROVEN))
    if result.best_action is not None:
        grid.add_row("best action", Text(result.best_action, style="bold"))
        grid.add_row("safest action", Text(result.safest_action or ""))
        grid.add_row("best line", Text(moves_text(result.pv)))
    return grid


def spent(result: Result, resolved_states: int) -> Table:
    """What the search has cost, and how it was made."""
    grid = _grid()
    grid.add_row(
        "spent",
        f"{seconds_text(result.seconds)}, {memory_text(result.memory_bytes)}, "
        f"{counted(result.iterations, 'iteration')}",
    )
    probed = f", {result.probed:,} more visited by probes" if result.probes else ""
    grid.add_row(
        "states",
        f"{result.states:,} stored ({resolved_states:,} resolved, {result.expanded:,} expanded)"
        f"{probed}, {rounded(result.states_per_second)}/s",
    )
    paper = " (as in the paper)" if result.paper else ""
    grid.add_row(
        "search",
        f"{result.algorithm}{paper}, {result.values}, {result.evaluation}{shortcuts_text(result)}",
    )
    return grid


def shortcuts_text(result: Result) -> str:
    """Name the shortcuts that a search took."""
    taken = ("canonical", "symmetry"), ("bounds", "bounds"), ("probes", "probes")
    named = [name for field, name in taken if getattr(result, field)]
    named += ["exact score"] if result.exact_score else []
    threads = [f"{result.threads} threads"] if result.threads > 1 else []
    return "".join(f", {name}" for name in named + threads)


def actions_table(root: Node, *, most: int | None, replies: bool) -> RenderableType | None:
    """A table of the actions at the root, best first; None when there are none to show.

    Where it is too wide, the replies go first and then what is estimated for others: who is who,
    and what is proven, stay.
    """
    children, best = decisions.ranked(root), decisions.best(root)
    if root.player is None or not children:
        return None
    shown = children[:most]
    whose = range(len(root.value)) if any(not child.resolved for child in children) else range(0)
    if len(whose) > MOST_PLAYERS_SIDE_BY_SIDE:
        whose = range(root.player, root.player + 1)
    names = [Text(c.name, "bold" if best and c.name == best.name else "") for c in shown]
    proven = "\n".join([*root.note.replace(", ", ",\n").split("\n"), "proven"]).lstrip()
    columns = [
        Column("action", names, most=20),
        Column(proven, [_proven_text(c) for c in shown], style=PROVEN, most=24),
        *(_estimates(who, shown, rank=1 if who == root.player else 3) for who in whose),
        Column("visits", [f"{c.visits:,}" for c in shown], rank=2, number=True),
    ]
    if replies:
        columns.append(Column("best reply", [_reply(c) for c in shown], rank=4, least=12))
    table = Columns(columns, LABEL)
    hidden = len(children) - len(shown)
    return Group(table, Text(f"... and {hidden} more", style="dim")) if hidden else table


def _proven_text(child: Child) -> str:
    outcome = child.outcome
    return bounds_text(child.node.outcome_bounds) if outcome is None else outcome_text(outcome)


def _estimates(who: int, children: Sequence[Child], *, rank: int) -> Column:
    """What is estimated for one player, where nothing is proven and nothing contradicts it."""
    values = [None if child.resolved else child.estimate[who] for child in children]
    cells = ["" if x is None else number_text(x) for x in values]
    return Column(f"estimated\nplayer {who + 1}", cells, rank, ESTIMATED, number=True)


def _reply(child: Child) -> str:
    """The best line after an action."""
    return moves_text((name for name, _ in child.node.pv()), MOVES_OF_A_REPLY)


def print_result(console: Console, search: Search, *, analysis: bool) -> None:
    """Print everything that a search has found."""
    result, root = search.result, search.root
    drawn = board(search.game, root.state)
    console.print(coloured(drawn, search.game.symbols), soft_wrap=True)
    console.print()
    console.print(summary(result))
    table = actions_table(root, most=None if analysis else MOST_ROWS, replies=analysis)
    if table is not None:
        console.print()
        console.print(table)
    console.print()
    console.print(spent(result, search.core.resolved))


def print_strong(console: Console, result: StrongResult) -> None:
    """Print how many states each player wins, by ply."""
    grid = _grid()
    if result.resolved:
        said = noted(f"proven: {outcome_text(result.outcome)}", result.note)
        grid.add_row("verdict", Text(said, style=PROVEN))
    else:
        grid.add_row("verdict", Text(f"not all proven (stopped by {result.stopped})", "yellow"))
    spent = f"{seconds_text(result.seconds)}, {memory_text(result.memory_bytes)}"
    grid.add_row("states", f"{result.states:,}{' up to symmetry' if result.canonical else ''}")
    grid.add_row("spent", spent)
    console.print(grid)
    if not result.plies:
        return
    players = len(result.outcome)
    # Of two players one is enough; of more, who wins.
    heads = ("wins", "draws", "loses") if players == 2 else ("wins",)
    plies = result.plies
    columns = [
        Column("ply", [str(ply.ply) for ply in plies], number=True),
        Column("states", [f"{ply.states:,}" for ply in plies], rank=1, number=True),
        Column("over", [f"{ply.terminal:,}" for ply in plies], rank=2, number=True),
    ]
    for who in range(1 if players == 2 else players):
        counts = ([n[who] for n in (ply.won, ply.drawn, ply.lost)] for ply in plies)
        for head, numbers in zip(heads, zip(*counts, strict=True), strict=False):
            cells = [f"{n:,}" for n in numbers]
            columns.append(Column(f"player {who + 1}\n{head}", cells, style=PROVEN, number=True))
    console.print()
    console.print(Columns(columns, LABEL))


def print_certificate(console: Console, written: Written) -> None:
    """Say where the proof is."""
    grid = _grid()
    grid.add_row(
        "certificate",
        f"{written.path}: {counted(written.states, 'state')}, {memory_text(written.bytes)}",
    )
    console.print(grid)


def print_table(console: Console, written: WrittenTable) -> None:
    """Say where a table is."""
    grid = _grid()
    grid.add_row("table", f"{written.path} ({written.kind})")
    grid.add_row(
        "positions", f"{written.positions:,} stored and proven, {memory_text(written.bytes)}"
    )
    console.print(grid)


def print_position(console: Console, found: ProvenPosition) -> None:
    """Say what a table knows of a position."""
    grid = _grid()
    said = outcome_text(found.outcome)
    over = found.player is None
    text = f"the game is over: {said}" if over else noted(f"proven: {said}", found.note)
    grid.add_row("verdict", Text(text, PROVEN))
    if found.score is not None:
        grid.add_row("score", numbers_text(found.score))
    if not over:
        grid.add_row("to move", names([found.player or 0]))
        grid.add_row("best actions", moves_text(found.best))
    if found.distance is not None and not over:
        grid.add_row("distance", f"{counted(found.distance, 'move')} to the end")
    console.print(grid)


def print_verdict(console: Console, verdict: Verdict) -> None:
    """Say what a certificate proves."""
    header = verdict.header
    outcome = [won for won, _ in header.value]
    note = note_of(equilibrium=header.kind != "bounds", scores_ignored=False)
    text = Text(noted(f"proven: {outcome_text(outcome)}", note), style=PROVEN)
    grid = _grid()
    grid.add_row("game", header.game)
    if header.moves:
        grid.add_row("after", moves_text(header.moves))
    grid.add_row("verdict", text)
    if header.scores:
        grid.add_row("score", numbers_text([points for _, points in header.value]))
    grid.add_row(
        "checked",
        f"{counted(verdict.states, 'state')}, by the rules alone; {verdict.most_held:,} at once",
    )
    console.print(grid)


@contextlib.contextmanager
def waiting(what: str, *, quiet: bool) -> Iterator[None]:
    """Say what is being done, if there is a terminal to say it on."""
    console = Terminal(stderr=True)
    if quiet or not console.animated:
        yield
        return
    with console.status(what):
        yield


@contextlib.contextmanager
def reading(path: str, *, quiet: bool) -> Iterator[Callable[[int], None] | None]:
    """Show how much of a file has been read, if there is a terminal to show it on."""
    console = Terminal(stderr=True)
    if quiet or not console.animated:
        yield None
        return
    with Bar(*Bar.get_default_columns(), console=console, transient=True) as bar:
        task = bar.add_task("checking", total=Path(path).stat().st_size)
        unseen = 0

        def progress(amount: int) -> None:
            nonlocal unseen
            unseen += amount
            if unseen >= BYTES_BETWEEN_LOOKS:
                bar.advance(task, unseen)
                unseen = 0

        yield progress


@contextlib.contextmanager
def steps(*, quiet: bool) -> Iterator[Callable[[str], None] | None]:
    """Say what is being done on stderr: at once on a terminal, else only while it takes long."""
    console = Terminal(stderr=True)
    if quiet:
        yield None
    elif console.animated:
        with console.status("", spinner="line") as status:
            yield lambda step: status.update(Text(f"{step} ...", style="dim"))
    else:
        shown = time.monotonic()

        def say(step: str) -> None:
            nonlocal shown
            if time.monotonic() - shown >= SECONDS_BETWEEN_LINES:
                shown = time.monotonic()
                with contextlib.suppress(OSError):  # nobody reads it: no reason to stop
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


def _grid() -> Table:
    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(style=LABEL, no_wrap=True, min_width=13)
    grid.add_column(overflow="fold")
    return grid


# -- games ----------------------------------------------------------------------------------------


def print_games(console: Console, games: Sequence[dict[str, Any]]) -> None:
    """Print a list of games: name, parameters with defaults, and what they are about."""
    for about in games:
        console.print(_call(about))
        console.print(Padding(Text(about["summary"]), (0, 0, 0, 4), expand=False))


def print_game(console: Console, about: dict[str, Any]) -> None:
    """Print all about one game: rules, parameters and how it starts."""
    console.print(_call(about))
    console.print()
    console.print(_reflowed(about["rules"]))
    grid = _grid()
    values = about.get("values", {})
    for parameter in about["parameters"]:
        default = "required" if parameter["required"] else f"default {_value(parameter)}"
        given = values.get(parameter["name"], parameter["default"])
        if given != parameter["default"]:
            default = f"{format_value(given)} here, {default}"
        grid.add_row(parameter["name"], f"{parameter['type']}, {default}".lstrip(", "))
    if about["parameters"]:
        console.print()
        console.print(grid)
    if "board" in about:
        console.print()
        console.print(coloured(about["board"], about.get("symbols", "")), soft_wrap=True)


def _reflowed(text: str) -> str:
    """Join the lines of each paragraph, so that they can be broken elsewhere."""
    paragraphs = text.split("\n\n")
    return "\n\n".join(p if "\n " in p else p.replace("\n", " ") for p in paragraphs)


def _call(about: dict[str, Any]) -> Text:
    parameters = (
        x["name"] if x["required"] else f"{x['name']}={_value(x)}" for x in about["parameters"]
    )
    listed = ", ".join(parameters)
    return Text.assemble((about["name"], "bold"), (f"({listed})" if listed else "", LABEL))


def _value(parameter: dict[str, Any]) -> str:
    return format_value(parameter["default"]) or '""'


# -- progress -------------------------------------------------------------------------------------


def drawing(
    search: Search, console: Console, *, analysis: bool, seconds: float | None = None
) -> RenderableType:
    """What a person sees while a search runs, for at most so many seconds."""
    core, root = search.core, search.root
    grid = Table.grid(padding=(0, 2, 0, 0), expand=True)
    grid.add_column(style=LABEL, no_wrap=True, min_width=13)
    grid.add_column(overflow="fold", ratio=1)
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
    speed = rounded(search.states_per_second)
    probed = f", {core.probed:,} more visited by probes" if search.options["probes"] else ""
    grid.add_row("states", f"{core.states:,} ({core.resolved:,} resolved){probed}, {speed}/s")
    children = root.children
    settled = sum(child.resolved for child in children)
    if children:
        grid.add_row("root moves", f"{settled} of {len(children)} settled")
    memory, iterations = memory_text(search.memory_bytes), counted(core.iterations, "iteration")
    left = 0.0 if seconds is None else max(0.0, seconds - (search.seconds - search.spent))
    ends = "" if seconds is None else f"; {seconds_text(left)} left"
    grid.add_row("spent", f"{seconds_text(search.seconds)}, {memory}, {iterations}{ends}")
    if search.autosave is not None:
        grid.add_row(
            "saved", Text(saved_text(search.autosave), "red" if search.autosave.failure else "")
        )
    parts: list[RenderableType] = [grid]
    if analysis:
        rows = max(1, console.height - len(console.render_lines(grid)) - 6)
        table = actions_table(root, most=rows, replies=True)
        parts += ["", table] if table is not None else []
    return Group(*parts, Text("Ctrl-C ends the search and shows what is known", style="dim"))


def saved_text(autosave: Autosave) -> str:
    """Say when a search was last saved, and what is in the way of it."""
    failed = f" (failed: {autosave.failure})" if autosave.failure else ""
    if autosave.saved_at is None:
        return f"not yet{failed}"
    ago = seconds_text(float(int(time.monotonic() - autosave.saved_at)))
    return f"{ago} ago, {memory_text(autosave.bytes)}{failed}"


class LiveProgress:
    """Draws over itself on a terminal, a few times per second."""

    def __init__(
        self, live: Live, console: Console, *, analysis: bool, seconds: float | None
    ) -> None:
        self._live, self._console, self._analysis = live, console, analysis
        self._seconds = seconds
        self._next = 0.0

    def __call__(self, search: Search) -> None:
        started = time.perf_counter()
        if started < self._next:
            return
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
        core = search.core
        values = numbers_text(search.root.estimate) or "nothing more"
        saved = "" if search.autosave is None else f"; saved {saved_text(search.autosave)}"
        with contextlib.suppress(OSError):  # nobody reads it: no reason to stop
            print(
                f"unbounded: {search.seconds:.0f} s, {counted(core.states, 'state')}, "
                f"{core.resolved:,} resolved, {memory_text(search.memory_bytes)}; "
                f"estimated: {values}; best action {search.decide()}{saved}",
                file=sys.stderr,
                flush=True,
            )


@contextlib.contextmanager
def progress(
    *, quiet: bool, analysis: bool, seconds: float | None = None
) -> Iterator[Progress | None]:
    """Follow a search of at most so many seconds on stderr, in the way that fits it."""
    console = Terminal(stderr=True)
    if quiet:
        yield None
    elif not console.animated:
        yield PlainProgress()
    else:
        first = Text("compiling the rules ...", style="dim")
        with Live(
            first, console=console, auto_refresh=False, transient=True, redirect_stdout=False
        ) as live:
            yield LiveProgress(live, console, analysis=analysis, seconds=seconds)
