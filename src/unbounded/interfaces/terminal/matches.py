# SPDX-License-Identifier: MIT
"""What the command line draws of matches: who is who, how far they are, and what came out.

Names of players are long. They are numbered and written once in full, so that no table has to cut
them; a table that does not fit the terminal is drawn in another shape.
"""

from __future__ import annotations

import contextlib
import math
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.live import Live
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from unbounded.game import Game
from unbounded.game.wording import outcome_text
from unbounded.interfaces.terminal.console import LABEL, Terminal, board, colored
from unbounded.interfaces.terminal.progress import DRAWING_SHARE, SECONDS_BETWEEN_LINES

if TYPE_CHECKING:
    from unbounded.players.matches import ComparisonResult, MatchResult
    from unbounded.players.matches.comparing import Score
    from unbounded.players.matches.match import Standing
    from unbounded.players.matches.rating import Rating, Sprt

SECONDS_TO_FIRST_LINE = 0.9
REFRESHES_PER_SECOND = 4
MOST_REASONS = 3
_WIDEST = 10_000


class Fitting:
    """The first of some renderables that is not too wide, else the last."""

    def __init__(self, *shapes: RenderableType) -> None:
        self._shapes = shapes

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Choose by what each would need."""
        room = options.update(width=_WIDEST)
        for shape in self._shapes:
            if Measurement.get(console, room, shape).maximum <= options.max_width:
                yield shape
                return
        yield self._shapes[-1]


def count_text(count: int, what: str) -> str:
    """Return a count with its noun: "1 game", "2 games"."""
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def duration_text(seconds: float) -> str:
    """Return a duration, rounded to what is known of it."""
    if seconds < 60:
        return f"{max(1, round(seconds))} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 120 else f"{round(seconds / 3600)} h"


def elo_text(elo: float) -> str:
    """Write Elo, which is not known any nearer, with its sign."""
    return f"{round(elo):+d}"


def interval_text(rating: Rating) -> str:
    """Say within which limits a rating lies."""
    low, high = math.isfinite(rating.low), math.isfinite(rating.high)
    if low and high:
        return f"{elo_text(rating.low)} to {elo_text(rating.high)}"
    if low:
        return f"above {elo_text(rating.low)}"
    return f"below {elo_text(rating.high)}" if high else "unknown"


def faults_text(player: Standing | Score) -> str:
    """Say how many moves were not legal, how often a program failed, and how many were too slow."""
    failed = f"{player.failed} failed, " if player.failed else ""
    if not (player.illegal or failed or player.overruns):
        return "none"
    return f"{player.illegal} illegal, {failed}{player.overruns} slow"


def _table(*headings: str, gap: int = 2) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, gap, 0, 0), header_style=LABEL)
    for heading in headings:
        table.add_column(heading, justify="right", no_wrap=True)
    return table


def _numbered(names: Sequence[str]) -> Table:
    """Number players from 1 and name them in full, on several lines if need be."""
    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(style="bold", no_wrap=True)
    grid.add_column(overflow="fold")
    for number, name in enumerate(names, start=1):
        grid.add_row(str(number), Text(name))
    return grid


# -- matches --------------------------------------------------------------------------------------


def match_table(result: MatchResult) -> RenderableType:
    """Draw the standings, and who got what against whom."""
    heading = Text(f"{result.game}: {count_text(result.played, 'game')}", style="bold")
    names = _numbered([s.contestant for s in result.standings])
    order = sorted(range(len(result.standings)), key=lambda k: -result.standings[k].rating.elo)
    parts: list[RenderableType] = [heading, names, "", _standings(result.standings, order)]
    if len(order) > 2:
        parts += ["", _crosstable(result, order)]
    return Group(*parts)


def _standings(standings: Sequence[Standing], order: Sequence[int]) -> RenderableType:
    """One table, or two if there is no room."""
    results, conduct = ("Elo", "95 %", "won", "drawn", "lost"), ("by seat", "s/move", "faults")
    whole = _table("", *results, *conduct)
    first, second = _table("", *results, gap=1), _table("", gap=1)
    for heading in conduct:
        second.add_column(heading, justify="right", overflow="fold")
    for k in order:
        s, number = standings[k], str(k + 1)
        seats = " ".join(f"{w}-{d}-{x}" for w, d, x in zip(s.won, s.drawn, s.lost, strict=True))
        counts = [str(sum(x)) for x in (s.won, s.drawn, s.lost)]
        elo = elo_text(s.rating.elo) if s.games else "?"
        left = [number, elo, interval_text(s.rating), *counts]
        right = [seats, f"{s.seconds_per_move:.3f}", faults_text(s)]
        whole.add_row(*left, *right)
        first.add_row(*left)
        second.add_row(number, *right)
    return Fitting(whole, Group(first, "", second))


def _crosstable(result: MatchResult, order: Sequence[int]) -> RenderableType:
    cross, listed = _table("", *(str(k + 1) for k in order)), _table("", "share")
    for i in order:
        shares = [result.table[i][j] for j in order]
        cells = ["" if x is None else f"{100 * x:.0f} %" for x in shares]
        cross.add_row(str(i + 1), *cells)
        for j, cell in zip(order, cells, strict=True):
            if cell:
                listed.add_row(f"{i + 1} against {j + 1}", cell)
    return Group(Text("share of the points against each"), Fitting(cross, listed))


def print_match(console: Console, result: MatchResult, sprt: Sprt | None = None) -> None:
    """Print how a match went."""
    console.print(match_table(result))
    if result.reasons:
        console.print()
    for number, reason in result.reasons[:MOST_REASONS]:
        console.print(Text(f"game {number} was forfeited: {reason}"), soft_wrap=True)
    if len(result.reasons) > MOST_REASONS:
        console.print(f"and {len(result.reasons) - MOST_REASONS} more")
    if sprt is not None:
        console.print()
        console.print(f"sequential test: {verdict_text(result.verdict, sprt)}")


def verdict_text(verdict: str | None, sprt: Sprt) -> str:
    """Say what the sequential test has found."""
    if verdict is None:
        return "undecided; it needs more games"
    yes, no = (sprt.elo1, sprt.elo0) if verdict == "H1" else (sprt.elo0, sprt.elo1)
    return (
        f"{verdict}, player 1 is {yes:+g} Elo above player 2 rather than {no:+g} "
        f"(wrong in {100 * sprt.error:g} % of matches)"
    )


# -- comparisons ----------------------------------------------------------------------------------


def comparisons_table(results: Sequence[ComparisonResult]) -> RenderableType:
    """Draw how the first of two did against the second, on every game and on all."""
    return Fitting(_matrix(results), Group(*(_one_comparison(result) for result in results)))


def comparisons_overview(results: Sequence[ComparisonResult]) -> RenderableType:
    """Draw the same in short: all games together."""
    table = _comparison_table("what is different")
    for result in results:
        table.add_row(result.about, *_score_cells(result.whole))
    return table


def _comparison_table(heading: str) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0), header_style=LABEL)
    table.add_column(heading, overflow="fold")
    for other in ("share", "Elo", "95 %", "games"):
        table.add_column(other, justify="right", no_wrap=True)
    return table


def _score_cells(score: Score) -> list[str]:
    if score.share is None:
        return ["", "", "unknown", "0"]
    elo = score.difference
    return [f"{100 * score.share:.0f} %", elo_text(elo.elo), interval_text(elo), str(score.games)]


def _one_comparison(result: ComparisonResult) -> RenderableType:
    table = _comparison_table("game")
    for game, score in (*result.by_game.items(), ("all", result.whole)):
        table.add_row(game, *_score_cells(score))
    faults = faults_text(result.whole)
    heading = Text(result.about, style="bold")
    return Group(heading, _numbered([result.first, result.second]), table, f"faults: {faults}", "")


def _matrix(results: Sequence[ComparisonResult]) -> Table:
    titled = "what is different: share of the points, Elo difference, 95 % of it"
    table = Table(title=titled, title_justify="left", show_lines=True)
    table.add_column("")
    for heading in (*results[0].by_game, "all", "games", "faults"):
        table.add_column(heading, justify="right")
    for result in results:
        scores = [*result.by_game.values(), result.whole]
        cells = ["\n".join(_score_cells(score)[:3]) for score in scores]
        whole = (str(result.whole.games), faults_text(result.whole))
        table.add_row(result.about, *cells, *whole)
    return table


# -- games again ----------------------------------------------------------------------------------


def print_replay(
    console: Console, game: Game[Any, Any], record: dict[str, Any], states: Sequence[Any]
) -> None:
    """Draw every position of a game."""
    console.print(Text(str(game), style="bold"))
    for seat, name in enumerate(record["seats"]):
        console.print(f"{game.player_name(seat)}: {name}")
    console.print()
    for number, state in enumerate(states):
        if number > 0:
            who = game.player_name(game.player(states[number - 1]))
            note = " (random opening)" if number <= record["opening"] else ""
            console.print(f"\n{number}. {who}: {record['moves'][number - 1]}{note}")
        console.print(colored(board(game, state), game.symbols), soft_wrap=True)
    console.print(f"\n{_end_text(game, record)}")


def _end_text(game: Game[Any, Any], record: dict[str, Any]) -> str:
    if record["outcome"] is None:
        return "not played to its end"
    said = outcome_text(record["outcome"])
    who, how = record.get("resigned"), "resigned"
    if who is None:
        who, how = record.get("illegal"), "made an illegal move"
    if who is None:
        who, how = record.get("failed"), "failed"
    return said if who is None else f"{said}: {game.player_name(who)} {how}"


# -- progress -------------------------------------------------------------------------------------


class Following:
    """How far some games are, in a line, and what they show so far."""

    def __init__(self, what: str, *, tables: bool) -> None:
        self._what, self._tables = what, tables
        self._since = time.monotonic()
        self._done, self._total = 0, 0
        self._guess: float | None = None
        self._next = 0.0
        self._table: RenderableType = ""

    def begin(self, total: int, guess: float | None) -> None:
        """Say how many games there will be, and perhaps how many seconds they may take."""
        self._since, self._total, self._guess = time.monotonic(), total, guess

    def played(self, done: int, make: Callable[[], RenderableType]) -> None:
        """Take note of a game; make a table of all, if it is seen and there is time to."""
        self._done = done
        started = time.monotonic()
        if self._tables and started >= self._next:
            self._table = make()
            now = time.monotonic()
            self._next = now + max(1 / REFRESHES_PER_SECOND, (now - started) / DRAWING_SHARE)

    def line(self) -> str:
        """How far it is, and how long it may still take."""
        passed = time.monotonic() - self._since
        if not self._total:
            return f"{self._what}: compiling the rules ..., {duration_text(passed)}"
        said = f"{self._what}: {self._done:,} of {count_text(self._total, 'game')}"
        if self._done == self._total:
            return said
        said += f", {duration_text(passed)}"
        if self._done:
            left = passed * (self._total - self._done) / self._done
            return f"{said}, about {duration_text(left)} left"
        if self._guess is not None:
            return f"{said}; perhaps {duration_text(self._guess)} in all"
        return f"{said}; how long is known after the first"

    def drawing(self) -> RenderableType:
        """The line and the table."""
        note = "Ctrl-C ends it with the games that were played"
        return Group(Text(self.line()), self._table, Text(note, style="dim"))


@contextlib.contextmanager
def following(what: str, *, quiet: bool) -> Iterator[Following]:
    """Show on stderr how far some games are: drawn over, or a line now and then."""
    console = Terminal(stderr=True)
    shown = Following(what, tables=console.animated and not quiet)
    if quiet:
        yield shown
    elif console.animated:
        with Live(
            get_renderable=shown.drawing,
            console=console,
            transient=True,
            refresh_per_second=REFRESHES_PER_SECOND,
            redirect_stdout=False,
        ):
            yield shown
    else:
        with _lines(shown.line):
            yield shown


@contextlib.contextmanager
def _lines(line: Callable[[], str]) -> Iterator[None]:
    """Write a line soon, and then now and then."""
    ended = threading.Event()

    def write() -> None:
        pause = SECONDS_TO_FIRST_LINE
        while not ended.wait(pause):
            pause = SECONDS_BETWEEN_LINES
            with contextlib.suppress(OSError, ValueError):  # stderr is closed: no reason to stop
                print(f"unbounded: {line()}", file=sys.stderr, flush=True)

    thread = threading.Thread(target=write, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
