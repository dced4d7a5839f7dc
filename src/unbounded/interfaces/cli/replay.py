# SPDX-License-Identifier: MIT
"""`unbounded replay`: stepping through saved games."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Annotated, Any

import typer

from unbounded.game import Game, UsageError, require
from unbounded.interfaces.cli.common import GOOD, Debug, Job, Json, OwnGame, print_json
from unbounded.interfaces.cli.files import MATCH, SESSION, check_readable
from unbounded.interfaces.process import Signals


def replay(
    path: Annotated[
        str, typer.Argument(metavar="FILE", help="Games saved by `match`, `ablation` or `play`.")
    ],
    number: Annotated[
        int, typer.Option("--number", metavar="N", help="Number of the game, from 0.")
    ] = 0,
    text: OwnGame = None,
    as_json: Json = False,
    debug: Debug = False,
) -> Job:
    """Step through a saved game."""

    def job(_: Signals) -> int:
        from unbounded.game.catalogue import FileRefusedError, is_named, load_game
        from unbounded.interfaces.terminal.console import Terminal
        from unbounded.interfaces.terminal.matches import print_replay

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
            print_replay(Terminal(), game, ended, states)
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
    """Return how a game ended, by its record or else by the rules; None if it has not."""
    seats, data = range(game.players), record["outcome"]
    for who in map(record.get, ("resigned", "illegal", "failed")):
        require(who is None or who in seats, f"{path}: there is no player {who!r}")
        if who is not None:
            return [-1 if seat == who else 1 for seat in seats]
    if data is None:
        return None if game.actions(end) else list(game.outcome(end))
    good = (
        isinstance(data, list) and len(data) == game.players and all(x in (-1, 0, 1) for x in data)
    )
    require(good, f"{path}: {data!r} is no outcome of {game}")
    return data


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


def _as_record(data: Any) -> dict[str, Any] | None:
    """Return a game of a match, or one that was saved while it was played, as one of a match."""
    if not isinstance(data, dict):
        return None
    if data.get("format") == "unbounded game":
        data = {**data, "number": 0, "opening": 0, "outcome": data.get("outcome")}
    good = all(isinstance(data.get(key), kind) for key, kind in _WANTED.items())
    good = good and all(isinstance(x, str) for x in data["moves"] + data["seats"])
    return data if good and "outcome" in data else None
