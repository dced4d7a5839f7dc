# SPDX-License-Identifier: MIT
"""Files of proven positions: SQLite, Parquet (with `pyarrow`) and JSON lines hold the same rows."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from unbounded.game import UsageError, did_you_mean, require
from unbounded.solving.proven_positions import COLUMNS, ProvenPosition

FORMAT = "unbounded positions"
FORMAT_VERSION = 2
"""Version 1 had the `repr` of a Python object as its key, and no description of the values."""
KINDS = ("sqlite", "parquet", "jsonl")
_ROWS_AT_ONCE = 10_000


def choose_kind(path: str | os.PathLike[str], kind: str | None = None) -> str:
    """Return the kind of table that is to be written: the given one, else by the name."""
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
        arrow_modules()
    return kind


# -- writing ---------------------------------------------------------------------------------------


def _write_jsonl(path: Path, about: dict[str, Any], rows: Iterable[ProvenPosition]) -> int:
    count = 0
    with path.open("w", encoding="utf-8") as file:
        file.write(json.dumps(about) + "\n")
        for count, row in enumerate(rows, 1):  # noqa: B007
            file.write(json.dumps(_told(row)) + "\n")
    return count


def _told(row: ProvenPosition) -> dict[str, Any]:
    return {name: getattr(row, name) for name in COLUMNS}


def _write_sqlite(path: Path, about: dict[str, Any], rows: Iterable[ProvenPosition]) -> int:
    with closing(sqlite3.connect(path)) as base:
        base.execute("PRAGMA journal_mode = OFF")  # the file is not visible before it is complete
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


def _flat(row: ProvenPosition) -> tuple[Any, ...]:
    score = None if row.score is None else json.dumps(row.score)
    outcome, best = json.dumps(row.outcome), json.dumps(row.best)
    return row.key, row.player, outcome, score, best, row.distance


def _write_parquet(path: Path, about: dict[str, Any], rows: Iterable[ProvenPosition]) -> int:
    arrow, parquet = arrow_modules()
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


def _parts(rows: Iterable[ProvenPosition]) -> Iterator[Sequence[ProvenPosition]]:
    part: list[ProvenPosition] = []
    for row in rows:
        part.append(row)
        if len(part) == _ROWS_AT_ONCE:
            yield part
            part = []
    if part:
        yield part


def arrow_modules() -> tuple[Any, Any]:
    """Return the modules that read and write Parquet; it is a `UsageError` to have none."""
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise UsageError(
            "Parquet needs pyarrow: pip install 'unbounded[parquet]', or choose sqlite or jsonl"
        ) from None
    return pyarrow, parquet


WRITERS: dict[str, Callable[[Path, dict[str, Any], Iterable[ProvenPosition]], int]] = {
    "sqlite": _write_sqlite,
    "parquet": _write_parquet,
    "jsonl": _write_jsonl,
}


# -- reading ---------------------------------------------------------------------------------------


UNREADABLE = (sqlite3.Error, ValueError, TypeError, LookupError, RecursionError, OSError)

Rows = Callable[[str], ProvenPosition | None]


def read_about(path: Path) -> tuple[dict[str, Any], Rows]:
    """Read and validate the header of a table."""
    try:
        about, rows = _open(path)
    except UsageError:
        raise
    except OSError as error:
        why = error.strerror or "it is none"
        raise UsageError(f"{path} is not a table of positions: {why}") from None
    except UNREADABLE:
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


def _open(path: Path) -> tuple[dict[str, Any], Rows]:
    with path.open("rb") as file:
        start = file.read(16)
    if start.startswith(b"SQLite format 3\0"):
        return _open_sqlite(path)
    return _open_parquet(path) if start.startswith(b"PAR1") else _open_jsonl(path)


def _open_jsonl(path: Path) -> tuple[dict[str, Any], Rows]:
    with path.open("rb") as file:
        about = json.loads(file.readline(1 << 20))

    def find(key: str) -> ProvenPosition | None:
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
    def query(text: str, *given: str) -> Any:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as base:
            return base.execute(text, given).fetchone()

    def find(key: str) -> ProvenPosition | None:
        row = query("SELECT * FROM positions WHERE key = ?", key)
        if row is None:
            return None
        data = dict(zip(COLUMNS, row, strict=True))
        for name in ("outcome", "score", "best"):
            data[name] = None if data[name] is None else json.loads(data[name])
        return _read(data)

    return json.loads(query("SELECT text FROM about")[0]), find


def _open_parquet(path: Path) -> tuple[dict[str, Any], Rows]:
    _, parquet = arrow_modules()
    about = json.loads(parquet.read_schema(path).metadata[b"unbounded"])

    def find(key: str) -> ProvenPosition | None:
        rows = parquet.read_table(path, filters=[("key", "=", key)]).to_pylist()
        return _only(rows)

    return about, find


def _only(rows: Sequence[dict[str, Any]]) -> ProvenPosition | None:
    if len(rows) > 1:
        raise ValueError(f"it has {len(rows)} rows about one position")
    return _read(rows[0]) if rows else None


def _read(row: dict[str, Any]) -> ProvenPosition:
    score = None if row["score"] is None else tuple(row["score"])
    outcome, best = tuple(row["outcome"]), tuple(row["best"])
    return ProvenPosition(row["key"], row["player"], outcome, score, best, row["distance"])
