# SPDX-License-Identifier: MIT
"""Our players against programs that nobody here wrote, at equal time, with intervals.

`python benchmarks/arena.py [--seconds T] [--games N] [--only TEXT] [--fresh]` plays the pairings
below, and prints a table in Markdown. `--write` also stores the results: in `arena.json` beside
this file, and in the table of `docs/opponents.md`.

Every game is kept in a file as it ends, and a run with the same settings continues there.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from unbounded.game import UsageError
from unbounded.game.catalogue import load_game
from unbounded.interfaces.terminal.matches import elo_text, interval_text
from unbounded.players.matches import GameRecord, Match, MatchResult, result_of
from unbounded.players.matches.comparing import Score, score_of
from unbounded.players.matches.match import play_tasks
from unbounded.players.matches.rating import limited
from unbounded.version import VERSION

HERE = Path(__file__).parent
RESULTS = HERE / "arena.json"
PAGE = HERE.parent / "docs" / "opponents.md"
KEPT = HERE.parent / "build" / "arena-games.jsonl"
FAIRY = "external(command=fairy-stockfish,seconds={seconds})"
OPENSPIEL = "openspiel-mcts(seconds={seconds})"
OURS = "ubfm-safest(seconds={seconds})"
ALPHA_BETA = "alpha-beta(seconds={seconds})"
HEADINGS = ("game", "ours", "theirs", "won", "drawn", "lost", "share", "Elo", "95 %", "s/move")
MARKS = ("<!-- arena -->\n", "<!-- /arena -->")


@dataclass(frozen=True)
class Pairing:
    """Two players on a game. `{seconds}` is the time for a move that the run was given."""

    game: str
    theirs: str
    ours: str = OURS
    opening: int = 4
    """Random moves at the start, the same for both sides; 0 for programs that take none."""

    def match(self, seconds: float, games: int) -> Match:
        """The match; a `UsageError` if the opponent is not installed."""
        players = (text.replace("{seconds}", f"{seconds:g}") for text in (self.ours, self.theirs))
        return Match(self.game, tuple(players), games, self.opening)


# Two opponents have levels and no clock; ours gets about the time that they take.
PAIRINGS = (
    Pairing("breakthrough", FAIRY),
    Pairing("breakthrough(rows=8,columns=8)", FAIRY),
    Pairing("breakthrough(rows=8,columns=8)", FAIRY, ALPHA_BETA),
    Pairing("clobber", FAIRY),
    Pairing("clobber", FAIRY, ALPHA_BETA),
    Pairing("clobber(rows=10,columns=10)", FAIRY),
    Pairing("clobber(rows=10,columns=10)", FAIRY, ALPHA_BETA),
    Pairing("othello", "external(command=gtp-rhino,options='level=4')", "ubfm-safest(seconds=0.4)"),
    Pairing("kalah(pits=6,seeds=4)", "external(command=mancala)", "ubfm-safest(seconds=0.03)", 0),
    Pairing("kalah(pits=6,seeds=6)", "external(command=mancala)", "ubfm-safest(seconds=0.03)", 0),
    Pairing("connect-four", OPENSPIEL),
    Pairing("breakthrough(rows=8,columns=8)", OPENSPIEL),
    Pairing("hex(size=7)", OPENSPIEL),
    Pairing("havannah(size=5)", OPENSPIEL),
    Pairing("othello", OPENSPIEL),
    Pairing("kalah(pits=6,seeds=4)", OPENSPIEL),
)


# -- playing ---------------------------------------------------------------------------------------


def is_of(match: Match, record: GameRecord) -> bool:
    """Whether a game is one of a match."""
    if record.game != str(load_game(match.game)) or record.number >= match.games:
        return False
    places = match.task(record.number).places
    return tuple(record.seats) == tuple(str(match.kinds()[place]) for place in places)


def kept_games(path: Path) -> list[GameRecord]:
    """The games of earlier runs; a line that was cut off is none."""
    games = []
    for line in path.read_text("utf-8").splitlines() if path.exists() else ():
        with suppress(ValueError):
            fields = json.loads(line).items()
            games.append(GameRecord(**{k: tuple(x) if type(x) is list else x for k, x in fields}))
    return games


def play_rest(match: Match, path: Path, jobs: int | None) -> list[GameRecord]:
    """Play the games of a match that are not kept yet, and keep them."""
    records = {record.number: record for record in kept_games(path) if is_of(match, record)}
    tasks = [task for task in match.tasks() if task.number not in records]
    path.parent.mkdir(exist_ok=True)
    if tasks:
        with (
            path.open("a", encoding="utf-8") as file,
            closing(play_tasks(tasks, len(tasks), jobs)) as games,
        ):
            print(file=file)  # after a line that may have been cut off
            for record in games:
                print(json.dumps(record.to_dict()), file=file, flush=True)
                records[record.number] = record
    return [records[number] for number in sorted(records)]


def play_all(given: argparse.Namespace) -> Iterator[Row]:
    """Play all pairings whose opponents are installed."""
    for pairing in PAIRINGS:
        if given.only not in str(pairing):
            continue
        try:
            match = pairing.match(given.seconds, given.games)
        except UsageError as error:
            print(f"MISSING OPPONENT: {error}", file=sys.stderr)
            continue
        yield Row(match, play_rest(match, KEPT, given.jobs))


# -- results ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Row:
    """One pairing and what came of it."""

    match: Match
    records: Sequence[GameRecord]

    @property
    def score(self) -> Score:
        """From the side of our player."""
        return score_of([(self.match, record) for record in self.records])

    @property
    def result(self) -> MatchResult:
        """The result as a match counts it."""
        return result_of(self.match, self.records)

    def cells(self) -> Iterator[str]:
        """The line of the table."""
        score, standings = self.score, self.result.standings
        yield from (self.match.game, *(f"`{x.contestant}`" for x in standings))
        yield from map(str, (score.won, score.drawn, score.lost))
        elo = score.difference
        yield "" if score.share is None else f"{100 * score.share:.0f} %"
        yield from (elo_text(elo.elo), interval_text(elo))
        yield " and ".join(f"{x.seconds_per_move:.2f}" for x in standings)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values for JSON."""
        result = self.result.to_dict()
        elo = self.score.difference
        return result | {"elo": limited([elo.elo, elo.low, elo.high]), "share": self.score.share}


def table(rows: Sequence[Row]) -> str:
    """All rows as Markdown."""
    lines = [f"| {' | '.join(HEADINGS)} |", "|" + "---|" * len(HEADINGS)]
    lines += [f"| {' | '.join(row.cells())} |" for row in rows]
    return "\n".join(lines) + "\n"


def write(rows: Sequence[Row]) -> None:
    """Store the results, and put the table into the page."""
    about = {
        "version": VERSION,
        "date": datetime.now(UTC).date().isoformat(),
        "machine": f"{platform.machine()}, {os.cpu_count()} cores",
        "matches": [row.to_dict() for row in rows],
    }
    RESULTS.write_text(json.dumps(about, indent=1) + "\n", "utf-8")
    before, mark, rest = PAGE.read_text("utf-8").partition(MARKS[0])
    _, end, after = rest.partition(MARKS[1])
    PAGE.write_text(f"{before}{mark}{table(rows)}{end}{after}", "utf-8")


def main() -> int:
    """Play, print, write; fail if a move was not legal or a program failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=0.3, help="for a move")
    parser.add_argument("--games", type=int, default=20, help="of each pairing, an even number")
    parser.add_argument("--only", default="", help="pairings that have this text in them")
    parser.add_argument("--jobs", type=int, help="games at a time, else one for each core")
    parser.add_argument("--fresh", action="store_true", help="forget the games of earlier runs")
    parser.add_argument("--write", action="store_true", help="store the results and the table")
    given = parser.parse_args()
    if given.fresh:
        KEPT.unlink(missing_ok=True)
    rows: list[Row] = []
    try:
        for row in play_all(given):
            rows.append(row)
            print(table([row]).splitlines()[-1], flush=True)
    except KeyboardInterrupt:
        print("interrupted; the same command continues", file=sys.stderr)
    print(f"\n{table(rows)}")
    if given.write:
        write(rows)
    return int(any(row.score.illegal or row.score.failed for row in rows))


if __name__ == "__main__":
    sys.exit(main())
