# SPDX-License-Identifier: MIT
"""Tables of proven positions: written from a search by `export`, read by `query`."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from unbounded.game import Game, RecordGame, UsageError, require
from unbounded.game.catalogue import is_named, load_game
from unbounded.game.position import Position
from unbounded.search.search import Search
from unbounded.solving.proven_positions import (
    ProvenPosition,
    image_of,
    key_of,
    positions_of,
    renamed,
)
from unbounded.solving.table_files import (
    FORMAT,
    FORMAT_VERSION,
    UNREADABLE,
    WRITERS,
    choose_kind,
    read_about,
)
from unbounded.storage.atomic_files import replace_by
from unbounded.storage.fingerprint import Fingerprint, has_changed
from unbounded.version import VERSION


@dataclass(frozen=True)
class Written:
    """A table that was written."""

    path: str
    kind: str
    positions: int
    bytes: int


def export(
    search: Search,
    path: str | os.PathLike[str],
    kind: str | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Written:
    """Write a table of every position that a search has stored and proven.

    kind: "sqlite", "parquet" or "jsonl"; by default what the name ends in. A file of this name is
    replaced, as Python's own functions do. `progress` is called with the number of states done, and
    the number of all states of the search.

    >>> import unbounded as ub
    >>> search = ub.Search("tic-tac-toe")
    >>> search.run().resolved
    True
    >>> ub.export(search, "tic-tac-toe.sqlite").kind
    'sqlite'
    """
    chosen = choose_kind(path, kind)
    about = {
        "format": FORMAT,
        "version": FORMAT_VERSION,
        "program": VERSION,
        "game": str(search.game),
        "rules": search.fingerprint.answers,
        "code": search.fingerprint.code,
        "canonical": search.options.canonical,
        "equilibrium": not search.zero_sum,
        "scores_ignored": search.scores_ignored,
    }
    count = 0

    def make(draft: Path) -> None:
        nonlocal count
        try:
            count = WRITERS[chosen](draft, about, positions_of(search, progress))
        except sqlite3.OperationalError as error:  # as of a disk that is full
            raise OSError(str(error)) from error
        with draft.open("rb") as file:
            os.fsync(file.fileno())

    replace_by(path, make)
    return Written(str(path), chosen, count, Path(path).stat().st_size)


def query(
    path: str | os.PathLike[str],
    moves: str | Sequence[str] | Position = (),
    game: Game[Any, Any] | str | None = None,
) -> ProvenPosition | None:
    """Look up a position, or the one after some moves; None if it is not in the table.

    game: for one that is not in the catalogue; a position brings its own.

    >>> import unbounded as ub
    >>> search = ub.Search("tic-tac-toe")
    >>> search.run().resolved
    True
    >>> ub.export(search, "positions.sqlite").kind
    'sqlite'
    >>> ub.query("positions.sqlite", ub.Position("tic-tac-toe")).outcome
    (0, 0)
    """
    require(Path(path).exists(), f"there is no file {path}")
    about, _ = read_about(Path(path))
    position = _position(about, moves, game)
    return Table(path, position.game).find(position.state)


class Table:
    """A table that was written by `export`, open to be looked up in."""

    def __init__(self, path: str | os.PathLike[str], game: Game[Any, Any]) -> None:
        """Open it; one of another game, or of other rules, is a `UsageError`."""
        self._path, self._game = path, game
        self._about, self._rows = read_about(Path(path))
        _check_rules(path, self._about, game)

    @staticmethod
    def game_of(path: str | os.PathLike[str]) -> str:
        """The game that a table is about, as it says."""
        return str(read_about(Path(path))[0]["game"])

    def find(self, state: Any) -> ProvenPosition | None:
        """What the table has of a state; None if it is not there."""
        game, canonical = self._game, self._about["canonical"]
        try:
            found = self._rows(key_of(game, state, canonical=canonical))
        except UNREADABLE as error:
            raise UsageError(f"{self._path} is damaged: {error}") from None
        if found is None:
            return None
        found = _noted(found, self._about, game)
        if not canonical:
            return found
        there = image_of(game, state)
        return replace(found, best=tuple(renamed(game, found.best, there, state)))


def _position(
    about: dict[str, Any],
    moves: str | Sequence[str] | Position,
    game: Game[Any, Any] | str | None,
) -> Position:
    if isinstance(moves, Position):
        return moves
    found = load_game(about["game"], files=False) if game is None else load_game(game)
    return Position(found, moves)


def _check_rules(path: str | os.PathLike[str], about: dict[str, Any], game: Game[Any, Any]) -> None:
    """Refuse a table of another game, or of other rules of this one."""
    require(is_named(game, about["game"]), f"{path} is about {about['game']}, not {game}")
    require(
        about["version"] > 1 or isinstance(game, RecordGame),
        f"{path} was written by an older version of this program, which could take one Python "
        "object for another: export it again",
    )
    rules = Fingerprint(str(about.get("rules", "")), str(about.get("code", "")))
    require(
        "rules" not in about or not has_changed(game, rules),
        f"{path} is about {about['game']} by other rules than those of today: export it again",
    )


def _noted(found: ProvenPosition, about: dict[str, Any], game: Game[Any, Any]) -> ProvenPosition:
    """Add what the header of the table has for all its rows."""
    # The first version did not have it; but there is no score only where scores are ignored.
    several = not (game.players == 2 and game.zero_sum)
    unscored = several and game.has_score and found.score is None
    return replace(
        found,
        equilibrium=about.get("equilibrium", several),
        scores_ignored=about.get("scores_ignored", unscored),
    )
