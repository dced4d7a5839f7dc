# SPDX-License-Identifier: MIT
"""`unbounded match | ablation | replay`: games between players, and looking at them again."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from unbounded.commands.common import (
    BROKEN,
    GOOD,
    Debug,
    Job,
    Json,
    Quiet,
    Seed,
    print_json,
)
from unbounded.commands.files import MATCH, Force, check_readable, check_writable
from unbounded.game import UsageError, require
from unbounded.process import Signals, complain

if TYPE_CHECKING:
    from unbounded.matches import GameRecord
    from unbounded.matches.comparing import Played

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
    games: Annotated[int, typer.Option(metavar="N", help="How many games.")] = 100,
    opening: Opening = 2,
    seed: Seed = 0,
    jobs: Jobs = None,
    sprt: Annotated[
        tuple[float, float] | None,
        typer.Option(metavar="ELO0 ELO1", help="Stop when it is clear who is better."),
    ] = None,
    save: SaveGames = None,
    force: Force = False,
    quiet: Quiet = False,
    as_json: Json = False,
    debug: Debug = False,
) -> Job:
    """Let players meet in many games, seats rotated, and rate them."""

    def job(_: Signals) -> int:
        from unbounded import terminal
        from unbounded.matches import Match, play_match, result_of
        from unbounded.matches.rating import Sprt

        _check(save, jobs, force=force)
        asked = Match(text, tuple(contestants), games, opening, seed)
        test = None if sprt is None else Sprt(*sprt)
        with terminal.table_progress(quiet=quiet) as show, _Saved(save) as keep:

            def progress(records: Sequence[GameRecord]) -> None:
                keep(records[-1])
                if show is not None:
                    show(lambda: terminal.match_table(result_of(asked, records)))

            result, _games = play_match(asked, jobs=jobs, sprt=test, progress=progress)
        if as_json:
            print_json(result.to_dict())
        else:
            terminal.print_match(terminal.Terminal(), result)
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
        from unbounded import terminal
        from unbounded.matches import Comparing, compare, results_of
        from unbounded.matches.ablation import GAMES, SECONDS, VARIANTS

        _check(save, jobs, force=force)
        time = SECONDS if seconds is None and iterations is None else seconds
        variants = tuple(x.within(seconds=time, iterations=iterations) for x in VARIANTS)
        asked = Comparing(variants, tuple(texts or GAMES), games, opening, seed)
        with terminal.table_progress(quiet=quiet) as show, _Saved(save) as keep:

            def progress(played: Sequence[Played]) -> None:
                keep(replace(played[-1][1], number=len(played) - 1))
                if show is not None:
                    show(lambda: terminal.comparisons_table(results_of(asked, played)))

            results, _games = compare(asked, jobs=jobs, progress=progress)
        if as_json:
            print_json([result.to_dict() for result in results])
        else:
            terminal.Terminal().print(terminal.comparisons_table(results))
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
    path: Annotated[str, typer.Argument(metavar="FILE", help="Games that `match` has saved.")],
    number: Annotated[int, typer.Option("--number", metavar="N", help="Which game, from 0.")] = 0,
    as_json: Json = False,
    debug: Debug = False,
) -> Job:
    """Step through a saved game."""

    def job(_: Signals) -> int:
        from unbounded import terminal
        from unbounded.catalogue import game as find_game

        check_readable(path, MATCH)
        record = _read_game(Path(path), number)
        game = find_game(record["game"], files=False)
        state, states = game.initial(), [game.initial()]
        for move in record["moves"]:
            state = game.next(state, game.parse_action(state, move))
            states.append(state)
        if as_json:
            print_json(record)
        else:
            terminal.print_replay(terminal.Terminal(), game, record, states)
        return GOOD

    return job


def _read_game(path: Path, number: int) -> dict[str, Any]:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
        records = [json.loads(line) for line in lines]
        found = [r for r in records if r["number"] == number]
        wanted = {"game": str, "moves": list, "seats": list, "outcome": list, "opening": int}
        good = all(isinstance(r[key], kind) for r in found for key, kind in wanted.items())
    except (ValueError, KeyError, TypeError, OSError):
        found, good = [], False
        records = []
    require(good and bool(records), f"{path} holds no games of a match")
    if not found:
        raise UsageError(f"{path} has no game {number}; it has {len(records)}")
    return dict(found[0])
