# SPDX-License-Identifier: MIT
"""`unbounded match | ablation`: games between players, and ratings."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from unbounded.cluster.ray_connection import check_ray, chosen_address
from unbounded.game import require
from unbounded.game.notices import print_error
from unbounded.interfaces.cli.common import (
    BROKEN,
    GOOD,
    Debug,
    GameClock,
    Job,
    Json,
    OnRay,
    Quiet,
    Seed,
    print_json,
)
from unbounded.interfaces.cli.files import Force, check_writable
from unbounded.interfaces.process import Signals

if TYPE_CHECKING:
    from unbounded.interfaces.terminal.matches import Following
    from unbounded.players.matches import (
        Comparing,
        ComparisonResult,
        GameRecord,
        Match,
        MatchResult,
    )
    from unbounded.players.matches.comparing import Played
    from unbounded.players.matches.rating import Sprt

Players = Annotated[
    list[str], typer.Argument(metavar="PLAYER", help="Such as ubfm, or 'mcts(seconds=2)'.")
]
Opening = Annotated[
    int, typer.Option(metavar="N", help="Number of random moves at the start of each game.")
]
Jobs = Annotated[
    int | None,
    typer.Option(metavar="N", help="Games played at the same time. Default: one per core."),
]
SequentialTest = Annotated[
    tuple[float, float] | None,
    typer.Option(
        metavar="ELO0 ELO1",
        help="Stop as soon as it is decided whether the first player is stronger by ELO1 or only "
        "by ELO0 (sequential probability ratio test).",
    ),
]
SaveGames = Annotated[
    str | None, typer.Option(metavar="FILE", help="Write the games to FILE, one JSON per line.")
]
GamesOfAblation = Annotated[
    list[str] | None,
    typer.Option("--game", metavar="GAME", help="Game to play, instead of the usual ones."),
]
SecondsPerMove = Annotated[
    float | None, typer.Option(metavar="T", help="Seconds per move. Default: 0.1.")
]
IterationsPerMove = Annotated[
    int | None,
    typer.Option(metavar="N", help="Iterations per move, which makes the games reproducible."),
]


def match(
    *,
    contestants: Players,
    text: Annotated[str, typer.Option("--game", metavar="GAME", help="Game to play.")],
    games: Annotated[int, typer.Option(metavar="N", help="Number of games.")] = 24,
    clock: GameClock = None,
    opening: Opening = 2,
    seed: Seed = 0,
    jobs: Jobs = None,
    ray: OnRay = None,
    sprt: SequentialTest = None,
    save: SaveGames = None,
    force: Force = False,
    quiet: Quiet = False,
    as_json: Json = False,
    debug: Debug = False,
) -> Job:
    """Play many games between players, with rotated seats, and rate the players."""

    def job(_: Signals) -> int:
        from unbounded.interfaces.terminal.console import Terminal
        from unbounded.interfaces.terminal.matches import following, print_match

        address = _checked(save, jobs, ray, force=force)
        with following("match", quiet=quiet) as shown:
            from unbounded.players.kinds import with_clock
            from unbounded.players.matches import Match
            from unbounded.players.matches.rating import Sprt

            test = None if sprt is None else Sprt(*sprt)
            players = tuple(with_clock(name, clock) for name in contestants)
            asked = Match(text, players, games, opening, seed)
            result, failure = _play(asked, test, shown, save, jobs=jobs, ray=address)
        print_json(result.to_dict()) if as_json else print_match(Terminal(), result, test)
        return BROKEN if failure else GOOD

    return job


def _play(
    asked: Match,
    test: Sprt | None,
    shown: Following,
    save: str | None,
    *,
    jobs: int | None,
    ray: str | None,
) -> tuple[MatchResult, str]:
    """Play a match, showing and saving every game; also return why saving failed, if it did."""
    from unbounded.interfaces.terminal.matches import match_table
    from unbounded.players.matches import play_match, result_of

    shown.begin(asked.games, _guess([asked], jobs, ray))
    with _Saved(save) as keep:

        def progress(records: Sequence[GameRecord]) -> None:
            keep(records[-1])
            shown.played(len(records), lambda: match_table(result_of(asked, records)))

        result, _ = play_match(asked, jobs=jobs, ray=ray, sprt=test, progress=progress)
    return result, keep.failure


def ablation(
    *,
    texts: GamesOfAblation = None,
    games: Annotated[
        int, typer.Option(metavar="N", help="Number of games of each, per comparison.")
    ] = 24,
    seconds: SecondsPerMove = None,
    iterations: IterationsPerMove = None,
    opening: Opening = 2,
    seed: Seed = 0,
    jobs: Jobs = None,
    ray: OnRay = None,
    save: SaveGames = None,
    force: Force = False,
    quiet: Quiet = False,
    as_json: Json = False,
    debug: Debug = False,
) -> Job:
    """Measure what each part of the search contributes: play it against itself without the part."""

    def job(_: Signals) -> int:
        from unbounded.interfaces.terminal.console import Terminal
        from unbounded.interfaces.terminal.matches import comparisons_table, following

        address = _checked(save, jobs, ray, force=force)
        with following("ablation", quiet=quiet) as shown:
            from unbounded.players.matches import Comparing
            from unbounded.players.matches.ablation import GAMES, SECONDS, VARIANTS

            time = SECONDS if seconds is None and iterations is None else seconds
            variants = tuple(x.within(seconds=time, iterations=iterations) for x in VARIANTS)
            asked = Comparing(variants, tuple(texts or GAMES), games, opening, seed)
            results, failure = _compare(asked, shown, save, jobs=jobs, ray=address)
        if as_json:
            print_json([result.to_dict() for result in results])
        else:
            Terminal().print(comparisons_table(results))
        return BROKEN if failure else GOOD

    return job


def _compare(
    asked: Comparing, shown: Following, save: str | None, *, jobs: int | None, ray: str | None
) -> tuple[list[ComparisonResult], str]:
    """Play the games of all comparisons like `_play`."""
    from unbounded.interfaces.terminal.matches import comparisons_overview
    from unbounded.players.matches import compare, results_of

    matches = asked.matches.values()
    shown.begin(sum(match.games for match in matches), _guess(matches, jobs, ray))
    with _Saved(save) as keep:

        def progress(played: Sequence[Played]) -> None:
            keep(replace(played[-1][1], number=len(played) - 1))
            shown.played(len(played), lambda: comparisons_overview(results_of(asked, played)))

        results, _ = compare(asked, jobs=jobs, ray=ray, progress=progress)
    return results, keep.failure


def _guess(matches: Iterable[Match], jobs: int | None, ray: str | None) -> float | None:
    """How long the games may take; unknown on a cluster, whose size is not known yet."""
    from unbounded.players.matches.match import guess_seconds

    return None if ray is not None and jobs is None else guess_seconds(matches, jobs)


def _checked(save: str | None, jobs: int | None, ray: str | None, *, force: bool) -> str | None:
    """Check what was typed; return the address of Ray, None without it."""
    check_writable(save, force=force)
    require(jobs is None or jobs >= 1, f"--jobs must be 1 or more, not {jobs}")
    address = chosen_address(ray)
    if address is not None:
        check_ray(address)
    return address


class _Saved:
    """Writes every game as soon as it is played, so that nothing is lost.

    A file that cannot be written does not end the match: one message, and another attempt after
    the next game.
    """

    def __init__(self, path: str | None) -> None:
        self.path = path
        self._file = None if path is None else Path(path).open("w", encoding="utf-8")  # noqa: SIM115
        self.failure = ""
        """Why the last try failed; empty when it did not."""

    def __enter__(self) -> _Saved:
        return self

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            self._try(self._file.close)

    def __call__(self, record: GameRecord) -> None:
        """Write one game, and what could not be written before."""
        file = self._file
        if file is None:
            return

        def write() -> None:
            file.write(json.dumps(record.to_dict()) + "\n")
            file.flush()

        self._try(write)

    def _try(self, write: Callable[[], None]) -> None:
        try:
            write()
        except OSError as error:
            if not self.failure:
                print_error(f"{self.path} cannot be written ({error.strerror}); the games go on")
            self.failure = error.strerror or "it failed"
        else:
            self.failure = ""
