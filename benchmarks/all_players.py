# SPDX-License-Identifier: MIT
"""Whole games among all kinds of players: does anybody break the rules, crash, or take too long?

`python benchmarks/all_players.py [--seconds T] [--games N] [--game GAME]... [--to FOLDER]`
prints a table in Markdown and writes it as all_players.json. Times are compared with the budget
itself, without the grace that matches allow.
"""

from __future__ import annotations

import argparse
import json
import sys
import traceback
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from random import Random
from typing import Any

import unbounded as ub
from unbounded.game import Game, UsageError
from unbounded.players import KINDS, Kind
from unbounded.players.kinds import Limited
from unbounded.players.matches.playing import ALLOWED_OVERRUN, GameRecord, play_game

GAMES = (
    "connect-four",
    "breakthrough",
    "othello",
    "lines-of-action",
    "rolit(players=3)",
    "chinese-checkers",
)
"""The last two are for three players."""


@dataclass
class Conduct:
    """What a kind of player has done in all its games."""

    kind: str
    seats: int = 0
    moves: int = 0
    illegal: int = 0
    crashes: int = 0
    """Games with it at the table that did not come to their end."""
    slow: int = 0
    """Moves that took more than 110 % of their time."""
    worst_milliseconds: float = 0.0
    """The most that a move took beyond its time."""
    worst_percent: float = 0.0

    def count(self, record: GameRecord, seat: int, allowed: float | None) -> None:
        """Add what it did in one seat of one game."""
        times = record.times[seat]
        self.seats += 1
        self.moves += len(times)
        self.illegal += record.illegal == seat
        if allowed is not None and times:
            beyond = max(times) - allowed
            self.slow += sum(x > allowed * (1 + ALLOWED_OVERRUN) for x in times)
            self.worst_milliseconds = max(self.worst_milliseconds, 1000 * beyond)
            self.worst_percent = max(self.worst_percent, 100 * beyond / allowed)


def kinds_for(game: Game[Any, Any], seconds: float) -> list[Kind]:
    """All kinds that can play the game."""
    fitting = []
    for make in (kind for kind in KINDS.values() if not kind.local_only):
        kind = make()
        if isinstance(kind, Limited):
            kind = replace(kind, seconds=seconds)
        try:
            kind.player(game, 0)
        except UsageError as error:
            print(f"not in {game}: {error}", file=sys.stderr)
        else:
            fitting.append(kind)
    return fitting


def dealt(kinds: Sequence[Kind], seats: int, random: Random) -> Iterator[list[Kind]]:
    """Seat all of them, in random order, before anybody sits down again."""
    waiting: list[Kind] = []
    while True:
        if len(waiting) < seats:
            waiting += random.sample(kinds, len(kinds))
        yield [waiting.pop(0) for _ in range(seats)]


def play(text: str, games: int, seconds: float, conducts: dict[str, Conduct]) -> list[GameRecord]:
    """Play one kind of game, and count."""
    game = ub.load_game(text)
    tables = dealt(kinds_for(game, seconds), game.players, Random(text))
    records = []
    for number, seats in zip(range(games), tables, strict=False):
        mine = [conducts.setdefault(x.kind_name(), Conduct(x.kind_name())) for x in seats]
        try:
            record = play_game(game, seats, number=number, seed=number, opening=2)
        except Exception:
            traceback.print_exc()
            for conduct in mine:
                conduct.crashes += 1
            continue
        records.append(record)
        for seat, conduct in enumerate(mine):
            conduct.count(record, seat, seats[seat].seconds_per_move)
    return records


def table(conducts: Sequence[Conduct]) -> str:
    """The result as Markdown."""
    lines = ["| player | seats | moves | illegal | crashes | slow | worst ms | worst % |"]
    lines.append("|---" * 8 + "|")
    for x in conducts:
        counts = (x.kind, x.seats, x.moves, x.illegal, x.crashes, x.slow)
        cells = [*map(str, counts), f"{x.worst_milliseconds:.1f}", f"{x.worst_percent:.1f}"]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def main() -> int:
    """Play, print, write; fail if a move was not legal or a game did not end."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=0.2, help="for a move")
    parser.add_argument("--games", type=int, default=20, help="of each kind")
    parser.add_argument("--game", action="append", help="instead of the usual ones")
    parser.add_argument("--to", type=Path, default=Path(), help="a folder")
    given = parser.parse_args()
    conducts = {name: Conduct(name) for name, kind in KINDS.items() if not kind.local_only}
    for text in given.game or GAMES:
        records = play(text, given.games, given.seconds, conducts)
        print(f"{text}: {len(records)} of {given.games} games came to their end", flush=True)
    found = list(conducts.values())
    told = json.dumps([asdict(x) for x in found], indent=1) + "\n"
    (given.to / "all_players.json").write_text(told, "utf-8")
    print(table(found))
    return 1 if any(x.illegal or x.crashes for x in found) else 0


if __name__ == "__main__":
    sys.exit(main())
