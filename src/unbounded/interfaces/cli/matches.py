# SPDX-License-Identifier: MIT
"""`unbounded match | ablation | replay`: games between players, and looking at them again."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from unbounded.game import Game, UsageError, require
from unbounded.game.notices import complain
from unbounded.interfaces.cli.common import (
    BROKEN,
    GOOD,
    Debug,
    Job,
    Json,
    OwnGame,
    Quiet,
    Seed,
    print_json,
)
from unbounded.interfaces.cli.files import MATCH, SESSION, Force, check_readable, check_writable
from unbounded.interfaces.process import Signals

if TYPE_CHECKING:
    from unbounded.players.matches import GameRecord
    from unbounded.players.matches.comparing import Played

Opening = Annotated[int, typer.Option(metavar="N", help="Moves by lot at the start of each game.")]
Jobs = Annotated[
    int | None, typer.Option(metavar="N", help="Games at a time, else one for each core.")
]
SaveGames = Annotated[
    str | None, typer.Option(metavar="FILE", help="Write the games there, one JSON per line.")
]


def match(
    *,
    contestants: Annotated[
        list[str], typer.Argument(metavar="PLAYER", help="Such as ubfm, or 'mcts(seconds=2)'.")
    ],
    text: Annotated[str, typer.Option("--game", metavar="GAME", help="What they play.")],
    games: Annotated[int, typer.Option(metavar="N", help="How many games.")] = 24,
    opening: Opening = 2,
    seed: Seed = 0,
    jobs: Jobs = None,
    sprt: Annotated[
        tuple[float, float] | None,
        typer.Option(
            metavar="ELO0 ELO1",
            help="Stop when it is clear whether the first is stronger by ELO1, or only by ELO0.",
        ),
    ] = None,
    save: SaveGames = None,
    force: Force = False,
    quiet: Quiet = False,
    as_json: Json = False,
    debug: Debug = False,
) -> Job:
    """Let players meet in many games, seats rotated, and rate them."""

    def job(_: Signals) -> int:
        from unbounded.interfaces.terminal import matches as shows
        from unbounded.interfaces.terminal.display import Terminal

        _check(save, jobs, force=force)
        with shows.following("match", quiet=quiet) as shown:
            from unbounded.players.matches import Match, play_match, result_of
            from unbounded.players.matches.match import guess_seconds
            from unbounded.players.matches.rating import Sprt

            test = None if sprt is None else Sprt(*sprt)
            asked = Match(text, tuple(contestants), games, opening, seed)
            shown.begin(games, guess_seconds([asked], jobs))
            with _Saved(save) as keep:

                def progress(records: Sequence[GameRecord]) -> None:
                    keep(records[-1])
                    shown.played(len(records), lambda: shows.match_table(result_of(asked, records)))

                result, _games = play_match(asked, jobs=jobs, sprt=test, progress=progress)
        if as_json:
            print_json(result.to_dict())
        else:
            shows.print_match(Terminal(), result, test)
        return BROKEN if keep.failure else GOOD

    return job


def ablation(
    *,
    texts: Annotated[
        list[str] | None,
        typer.Option("--game", metavar="GAME", help="What they play, instead of the usual games."),
    ] = None,
    games: Annotated[
        int, typer.Option(metavar="N", help="How many games of each, for each comparison.")
    ] = 24,
    seconds: Annotated[
        float | None, typer.Option(metavar="T", help="For a move; 0.1 if nothing is said.")
    ] = None,
    iterations: Annotated[
        int | None, typer.Option(metavar="N", help="For a move: the same games every time.")
    ] = None,
    opening: Opening = 2,
    seed: Seed = 0,
    jobs: Jobs = None,
    save: SaveGames = None,
    force: Force = False,
    quiet: Quiet = False,
    as_json: Json = False,
    debug: Debug = False,
) -> Job:
    """Say what each part of the search is worth: let it meet itself without that part."""

    def job(_: Signals) -> int:
        from unbounded.interfaces.terminal import matches as shows
        from unbounded.interfaces.terminal.display import Terminal

        _check(save, jobs, force=force)
        with shows.following("ablation", quiet=quiet) as shown:
            from unbounded.players.matches import Comparing, compare, results_of
            from unbounded.players.matches.ablation import GAMES, SECONDS, VARIANTS
            from unbounded.players.matches.match import guess_seconds

            time = SECONDS if seconds is None and iterations is None else seconds
            variants = tuple(x.within(seconds=time, iterations=iterations) for x in VARIANTS)
            asked = Comparing(variants, tuple(texts or GAMES), games, opening, seed)
            matches = asked.matches.values()
            shown.begin(sum(match.games for match in matches), guess_seconds(matches, jobs))
            with _Saved(save) as keep:

                def progress(played: Sequence[Played]) -> None:
                    keep(replace(played[-1][1], number=len(played) - 1))
                    shown.played(
                        len(played), lambda: shows.comparisons_overview(results_of(asked, played))
                    )

                results, _games = compare(asked, jobs=jobs, progress=progress)
        if as_json:
            print_json([result.to_dict() for result in results])
        else:
            Terminal().print(shows.comparisons_table(results))
        return BROKEN if keep.failure else GOOD

    return job


def _check(save: str | None, jobs: int | None, *, force: bool) -> None:
    check_writable(save, force=force)
    require(jobs is None or jobs >= 1, f"--jobs must be 1 or more, not {jobs}")


class _Saved:
    """Writes every game as soon as it is played, so that nothing is lost.

    A file that cannot be written is no reason to stop: that is said once, and tried again.
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
                complain(f"{self.path} cannot be written ({error.strerror}); the games go on")
            self.failure = error.strerror or "it failed"
        else:
            self.failure = ""


def replay(
    path: Annotated[
        str, typer.Argument(metavar="FILE", help="Games that `match`, `ablation` or `play` saved.")
    ],
    number: Annotated[int, typer.Option("--number", metavar="N", help="Which game, from 0.")] = 0,
    text: OwnGame = None,
    as_json: Json = False,
    debug: Debug = False,
) -> Job:
    """Step through a saved game."""

    def job(_: Signals) -> int:
        from unbounded.game.catalogue import FileRefusedError, is_named, load_game
        from unbounded.interfaces.terminal import matches as shows
        from unbounded.interfaces.terminal.display import Terminal

        check_readable(path, MATCH, SESSION)
        record = _read_game(Path(path), number)
        try:
            game = load_game(record["game"], files=False) if text is None else load_game(text)
        except FileRefusedError:
            raise UsageError(
                f"{path} is of a game from a file, which must be named too: "
                f"--game {shlex.quote(record['game'])}"
            ) from None
        require(is_named(game, record["game"]), f"it is a game of {record['game']}, not of {game}")
        states = _replayed(game, record, path)
        ended = {**record, "outcome": _outcome(game, record, states[-1], path)}
        if as_json:
            print_json(record)
        else:
            shows.print_replay(Terminal(), game, ended, states)
        return GOOD

    return job


def _replayed(game: Game[Any, Any], record: dict[str, Any], path: str) -> list[Any]:
    """Return every position of a game."""
    states = [game.initial()]
    seats = len(record["seats"])
    require(seats == game.players, f"{path}: {game} has {game.players} seats, not {seats}")
    for move in record["moves"]:
        try:
            states.append(game.next(states[-1], game.parse_action(states[-1], move)))
        except UsageError as error:
            raise UsageError(f"{path}: move {len(states)}: {error}") from error
    return states


def _outcome(game: Game[Any, Any], record: dict[str, Any], end: Any, path: str) -> Any:
    """Return how a game ended, as it says or as the rules do; None if it has not."""
    seats, told = range(game.players), record["outcome"]
    for who in (record.get("resigned"), record.get("illegal")):
        require(who is None or who in seats, f"{path}: there is no player {who!r}")
        if who is not None:
            return [-1 if seat == who else 1 for seat in seats]
    if told is None:
        return None if game.actions(end) else list(game.outcome(end))
    good = (
        isinstance(told, list) and len(told) == game.players and all(x in (-1, 0, 1) for x in told)
    )
    require(good, f"{path}: {told!r} is no outcome of {game}")
    return told


def _read_game(path: Path, number: int) -> dict[str, Any]:
    """Read one of the games in a file; what is in it is not believed."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
        records = [_as_record(json.loads(line)) for line in lines]
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError):
        records = [None]
    found = [record for record in records if record is not None]
    require(
        bool(found) and len(found) == len(records),
        f"{path} holds no games that match, ablation or play saved",
    )
    asked = [record for record in found if record["number"] == number]
    if not asked:
        held = "1 game" if len(found) == 1 else f"{len(found)} games"
        raise UsageError(f"{path} has no game {number}; it has {held}, numbered from 0")
    return asked[0]


_WANTED = {"game": str, "moves": list, "seats": list, "number": int, "opening": int}


def _as_record(told: Any) -> dict[str, Any] | None:
    """Return a game of a match, or one that was saved while it was played, as one of a match."""
    if not isinstance(told, dict):
        return None
    if told.get("format") == "unbounded game":
        told = {**told, "number": 0, "opening": 0, "outcome": told.get("outcome")}
    good = all(isinstance(told.get(key), kind) for key, kind in _WANTED.items())
    good = good and all(isinstance(x, str) for x in told["moves"] + told["seats"])
    return told if good and "outcome" in told else None
