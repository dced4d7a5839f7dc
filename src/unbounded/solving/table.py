# SPDX-License-Identifier: MIT
"""Tables of proven positions: written from a search, asked by position.

Three kinds of file hold the same rows: SQLite, Parquet (with `pyarrow`), and JSON lines.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from unbounded import native
from unbounded.game import (
    Game,
    RecordGame,
    RuleError,
    UsageError,
    action_named,
    did_you_mean,
    move_names,
    require,
)
from unbounded.game.catalogue import is_named, load_game
from unbounded.search.result import note_of
from unbounded.search.search import Search
from unbounded.search.tree import Child, Node
from unbounded.solving.keys import text_of
from unbounded.storage.atomic_files import replace_by
from unbounded.storage.fingerprint import Fingerprint, has_changed
from unbounded.version import VERSION

FORMAT = "unbounded positions"
FORMAT_VERSION = 2
"""Version 1 had the `repr` of a Python object as its key, and did not say what the values are."""
KINDS = ("sqlite", "parquet", "jsonl")
_ROWS_AT_ONCE = 10_000
_STATES_BETWEEN_LOOKS = 100


@dataclass(frozen=True)
class Position:
    """A proven position."""

    key: str
    """The state, and no other: its bytes in hexadecimal, or what `keys` makes of an object."""
    player: int | None
    """Who moves, from 0; None when the game is over."""
    outcome: tuple[int, ...]
    score: tuple[float, ...] | None
    """None where only the outcome is proven."""
    best: tuple[str, ...]
    """The actions that are proven to be best; there may be others that are as good."""
    distance: int | None
    """How many moves the proven line of best play takes; None where it is not stored."""
    equilibrium: bool = False
    """Whether best play may have other results too, as with more than two players."""
    scores_ignored: bool = False
    """Whether it is best play for the outcomes alone; see `Search.scores_ignored`."""

    @property
    def note(self) -> str:
        """What has to be said with the outcome, in words; see `result.note_of`."""
        return note_of(equilibrium=self.equilibrium, scores_ignored=self.scores_ignored)


COLUMNS = ("key", "player", "outcome", "score", "best", "distance")
"""What a row tells; the rest is the same for all, and in the header."""


@dataclass(frozen=True)
class Written:
    """A table that was written."""

    path: str
    kind: str
    positions: int
    bytes: int


# -- positions -------------------------------------------------------------------------------------


def image_of(game: Game[Any, Any], state: Any) -> Any:
    """Return the state that stands for all images of this one."""
    return min(native.images(game, state), key=lambda image: text_of(game, image))


def key_of(game: Game[Any, Any], state: Any, *, canonical: bool) -> str:
    """Return the key of a state; with `canonical`, that of all its images."""
    return text_of(game, image_of(game, state) if canonical else state)


def positions_of(
    search: Search, progress: Callable[[int, int], None] | None = None
) -> Iterator[Position]:
    """Yield every state that a search has stored and proven; tell how many are done."""
    distances = _distances(search)
    seen: set[str] = set()
    for number in range(search.states):
        if progress is not None and number % _STATES_BETWEEN_LOOKS == 0:
            progress(number, search.states)
        node = search.node(number)
        if node.resolved:
            row = _position(search, node, distances[number])
            _check_alone(search, node, row.key, seen)
            yield row


def _check_alone(search: Search, node: Node, key: str, seen: set[str]) -> None:
    """Make sure that a key is that of one state.

    Compiled rules store a state as its bytes, or as those of its smallest image: no two have the
    same. Objects are compared as they wish.
    """
    if search.route.holds_objects:
        alone = key not in seen
        seen.add(key)
    else:
        alone = key == text_of(search.game, node.state)
    if not alone:
        raise RuleError(
            f"{search.game}: two states have the key {key} in a table: either states that are "
            "equal have different hashes, or the symmetries do not form a group"
        )


def _position(search: Search, node: Node, distance: int | None) -> Position:
    game, outcome, player = search.game, node.outcome, node.player
    assert outcome is not None
    best = [c.name for c in node.children if player is not None and _is_best(node, c, player)]
    if search.options.canonical:
        best = _renamed(game, best, node.state, image_of(game, node.state))
    key = key_of(game, node.state, canonical=search.options.canonical)
    return Position(
        key,
        player,
        outcome,
        node.score,
        tuple(best),
        distance,
        equilibrium=not search.zero_sum,
        scores_ignored=search.scores_ignored,
    )


def _is_best(node: Node, child: Child, player: int) -> bool:
    """Whether a child is proven to be as good for the player as the state is."""
    assert node.outcome is not None
    if child.outcome is None or child.outcome[player] != node.outcome[player]:
        return False
    if node.score is None or child.score is None:
        return node.score is None
    return child.score[player] == node.score[player]


def _distances(search: Search) -> list[int | None]:
    """Return, by number, how long the best line is, where it is proven and stored to the end."""
    found: list[int | None] = [None] * search.states
    done = bytearray(search.states)
    for start in range(search.states):
        line: list[int] = []
        number: int | None = start
        while number is not None and not done[number]:
            line.append(number)
            done[number] = True
            number = search.best_successor(number)
        below = None if number is None else found[number]
        for at in reversed(line):
            if search.node(at).is_terminal:
                below = -1
            below = None if below is None else below + 1
            found[at] = below
    return found


# -- writing ---------------------------------------------------------------------------------------


def export(
    search: Search,
    path: str | os.PathLike[str],
    kind: str | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Written:
    """Write a table of every position that a search has stored and proven.

    kind: "sqlite", "parquet" or "jsonl"; by default what the name ends in. A file of this name is
    replaced, as Python's own functions do. `progress` is told how many of the states of the search
    are done, and how many there are.
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
            count = _WRITERS[chosen](draft, about, positions_of(search, progress))
        except sqlite3.OperationalError as error:  # as of a disk that is full
            raise OSError(str(error)) from error
        with draft.open("rb") as file:
            os.fsync(file.fileno())

    replace_by(path, make)
    return Written(str(path), chosen, count, Path(path).stat().st_size)


def choose_kind(path: str | os.PathLike[str], kind: str | None = None) -> str:
    """Return the kind of table that is to be written: what was asked for, else by the name."""
    named = Path(path).suffix.lstrip(".")
    require(
        kind is None or named in (kind, "") or named not in KINDS,
        f"{path} would be taken for {named}, and is to be {kind}: leave out one of the two, or "
        "give it another name",
    )
    require(
        kind is not None or named != "",
        f"{path} does not say what kind of table it is to be: give it a name that ends in "
        f"{', '.join(f'.{each}' for each in KINDS)}, or say the kind",
    )
    return _checked_kind(kind or named)


def _checked_kind(kind: str) -> str:
    """Return the kind, if there is such a kind and what it needs is installed."""
    if kind not in KINDS:
        hint = did_you_mean(kind, KINDS)
        raise UsageError(f"a table is one of {', '.join(KINDS)}, not {kind!r}{hint}")
    if kind == "parquet":
        _arrow()
    return kind


def _write_jsonl(path: Path, about: dict[str, Any], rows: Iterable[Position]) -> int:
    count = 0
    with path.open("w", encoding="utf-8") as file:
        file.write(json.dumps(about) + "\n")
        for count, row in enumerate(rows, 1):  # noqa: B007
            file.write(json.dumps(_told(row)) + "\n")
    return count


def _told(row: Position) -> dict[str, Any]:
    return {name: getattr(row, name) for name in COLUMNS}


def _write_sqlite(path: Path, about: dict[str, Any], rows: Iterable[Position]) -> int:
    with closing(sqlite3.connect(path)) as base:
        base.execute("PRAGMA journal_mode = OFF")  # nobody sees the file before it is complete
        base.execute("CREATE TABLE about (text TEXT NOT NULL)")
        base.execute("INSERT INTO about VALUES (?)", [json.dumps(about)])
        base.execute(
            "CREATE TABLE positions (key TEXT PRIMARY KEY, player INTEGER, outcome TEXT NOT NULL, "
            "score TEXT, best TEXT NOT NULL, distance INTEGER) WITHOUT ROWID"
        )
        base.executemany("INSERT INTO positions VALUES (?, ?, ?, ?, ?, ?)", map(_flat, rows))
        count: int = base.execute("SELECT count(*) FROM positions").fetchone()[0]
        base.commit()
    return count


def _flat(row: Position) -> tuple[Any, ...]:
    score = None if row.score is None else json.dumps(row.score)
    outcome, best = json.dumps(row.outcome), json.dumps(row.best)
    return row.key, row.player, outcome, score, best, row.distance


def _write_parquet(path: Path, about: dict[str, Any], rows: Iterable[Position]) -> int:
    arrow, parquet = _arrow()
    schema = arrow.schema(
        [
            ("key", arrow.string()),
            ("player", arrow.int8()),
            ("outcome", arrow.list_(arrow.int8())),
            ("score", arrow.list_(arrow.float32())),
            ("best", arrow.list_(arrow.string())),
            ("distance", arrow.int32()),
        ],
        metadata={"unbounded": json.dumps(about)},
    )
    count = 0
    with parquet.ParquetWriter(path, schema) as writer:
        for part in _parts(rows):
            writer.write_table(arrow.Table.from_pylist([_told(row) for row in part], schema))
            count += len(part)
    return count


def _parts(rows: Iterable[Position]) -> Iterator[Sequence[Position]]:
    part: list[Position] = []
    for row in rows:
        part.append(row)
        if len(part) == _ROWS_AT_ONCE:
            yield part
            part = []
    if part:
        yield part


def _arrow() -> tuple[Any, Any]:
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise UsageError(
            "Parquet needs pyarrow: pip install 'unbounded[parquet]', or choose sqlite or jsonl"
        ) from None
    return pyarrow, parquet


_WRITERS: dict[str, Callable[[Path, dict[str, Any], Iterable[Position]], int]] = {
    "sqlite": _write_sqlite,
    "parquet": _write_parquet,
    "jsonl": _write_jsonl,
}


# -- asking ----------------------------------------------------------------------------------------


def query(
    path: str | os.PathLike[str],
    moves: str | Sequence[str] = (),
    game: Game[Any, Any] | str | None = None,
) -> Position | None:
    """Look up the position after some moves; None if the table says nothing of it."""
    require(Path(path).exists(), f"there is no file {path}")
    about, rows = _read_about(Path(path))
    asked = load_game(about["game"], files=False) if game is None else load_game(game)
    require(is_named(asked, about["game"]), f"{path} is about {about['game']}, not {asked}")
    require(
        about["version"] > 1 or isinstance(asked, RecordGame),
        f"{path} was written by an older version of this program, which could take one Python "
        "object for another: export it again",
    )
    rules = Fingerprint(str(about.get("rules", "")), str(about.get("code", "")))
    require(
        "rules" not in about or not has_changed(asked, rules),
        f"{path} is about {about['game']} by other rules than those of today: export it anew",
    )
    state = asked.initial()
    for move in move_names(moves):
        state = asked.next(state, action_named(asked, state, move))
    key = key_of(asked, state, canonical=about["canonical"])
    try:
        found = rows(key)
    except _UNREADABLE as error:
        raise UsageError(f"{path} is damaged: {error}") from None
    if found is None:
        return None
    # The first version did not say; but only where scores are ignored there is none.
    several = not (asked.players == 2 and asked.zero_sum)
    unscored = several and asked.has_score and found.score is None
    found = replace(
        found,
        equilibrium=about.get("equilibrium", several),
        scores_ignored=about.get("scores_ignored", unscored),
    )
    if not about["canonical"]:
        return found
    best = _renamed(asked, found.best, image_of(asked, state), state)
    return replace(found, best=tuple(best))


_UNREADABLE = (sqlite3.Error, ValueError, TypeError, LookupError, RecursionError, OSError)


def _read_about(path: Path) -> tuple[dict[str, Any], Rows]:
    """Read what a table says of itself, believing nothing."""
    try:
        about, rows = _open(path)
    except UsageError:
        raise
    except OSError as error:
        why = error.strerror or "it is none"
        raise UsageError(f"{path} is not a table of positions: {why}") from None
    except _UNREADABLE:
        about, rows = {}, lambda _: None
    kinds = {"format": str, "version": int, "game": str, "canonical": bool}
    good = isinstance(about, dict) and about.get("format") == FORMAT
    good = good and all(type(about.get(name)) is kind for name, kind in kinds.items())
    require(good, f"{path} is not a table of positions")
    require(
        about["version"] <= FORMAT_VERSION,
        f"{path} is not a table of positions that this program knows: it is of version "
        f"{about['version']}, and {FORMAT_VERSION} is the newest known here",
    )
    return about, rows


def _renamed(game: Game[Any, Any], names: Sequence[str], there: Any, here: Any) -> list[str]:
    """Name actions of a state as they are called in an image of it."""
    if there == here:
        return list(names)

    def below(state: Any, action: Any) -> Any:
        return image_of(game, game.next(state, action))

    good = [below(there, game.parse_action(there, name)) for name in names]
    return [game.action_name(here, a) for a in game.actions(here) if below(here, a) in good]


Rows = Callable[[str], Position | None]


def _open(path: Path) -> tuple[dict[str, Any], Rows]:
    with path.open("rb") as file:
        start = file.read(16)
    if start.startswith(b"SQLite format 3\0"):
        return _open_sqlite(path)
    return _open_parquet(path) if start.startswith(b"PAR1") else _open_jsonl(path)


def _open_jsonl(path: Path) -> tuple[dict[str, Any], Rows]:
    with path.open("rb") as file:
        about = json.loads(file.readline(1 << 20))

    def find(key: str) -> Position | None:
        found = []
        with path.open("rb") as file:
            file.readline()
            for line in file:
                row = json.loads(line)
                if row["key"] == key:
                    found.append(row)
        return _only(found)

    return about, find


def _open_sqlite(path: Path) -> tuple[dict[str, Any], Rows]:
    def ask(text: str, *given: str) -> Any:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as base:
            return base.execute(text, given).fetchone()

    def find(key: str) -> Position | None:
        row = ask("SELECT * FROM positions WHERE key = ?", key)
        if row is None:
            return None
        told = dict(zip(COLUMNS, row, strict=True))
        for name in ("outcome", "score", "best"):
            told[name] = None if told[name] is None else json.loads(told[name])
        return _read(told)

    return json.loads(ask("SELECT text FROM about")[0]), find


def _open_parquet(path: Path) -> tuple[dict[str, Any], Rows]:
    _, parquet = _arrow()
    about = json.loads(parquet.read_schema(path).metadata[b"unbounded"])

    def find(key: str) -> Position | None:
        rows = parquet.read_table(path, filters=[("key", "=", key)]).to_pylist()
        return _only(rows)

    return about, find


def _only(rows: Sequence[dict[str, Any]]) -> Position | None:
    if len(rows) > 1:
        raise ValueError(f"it has {len(rows)} rows about one position")
    return _read(rows[0]) if rows else None


def _read(row: dict[str, Any]) -> Position:
    score = None if row["score"] is None else tuple(row["score"])
    outcome, best = tuple(row["outcome"]), tuple(row["best"])
    return Position(row["key"], row["player"], outcome, score, best, row["distance"])
