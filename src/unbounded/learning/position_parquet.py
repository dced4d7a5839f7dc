# SPDX-License-Identifier: MIT
"""Positions with known results in Parquet: the rows of the JSON lines, with lists for objects."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from unbounded.game import UsageError
from unbounded.solving.table_files import arrow_modules

PARQUET = ".parquet"
BY_ACTION = ("outcomes", "scores", "distances")
"""Columns with a value for each of the `actions`, in their order."""


def write_parquet(path: Path, header: dict[str, Any], rows: Iterable[dict[str, Any]]) -> None:
    """Write rows of JSON lines; the header is the metadata `unbounded`."""
    arrow, parquet = arrow_modules()
    schema = arrow.schema(
        [
            ("moves", arrow.list_(arrow.string())),
            ("ply", arrow.int32()),
            ("state", arrow.string()),
            ("player", arrow.int16()),
            ("value", arrow.list_(arrow.int8())),
            ("actions", arrow.list_(arrow.string())),
            ("outcomes", arrow.list_(arrow.list_(arrow.int8()))),
            ("scores", arrow.list_(arrow.list_(arrow.float64()))),
            ("distances", arrow.list_(arrow.int32())),
        ],
        metadata={"unbounded": json.dumps(header)},
    )
    table = arrow.Table.from_pylist([_flat(row) for row in rows], schema)
    parquet.write_table(table, path)


def _flat(row: dict[str, Any]) -> dict[str, Any]:
    names = list(row["outcomes"])
    known = {key: [row[key][name] for name in names] for key in BY_ACTION if key in row}
    return row | {"actions": names} | known


def read_parquet(path: Path) -> tuple[dict[str, Any], Iterator[dict[str, Any]]]:
    """Read the header, and rows as those of JSON lines; nothing in them is checked."""
    _, parquet = arrow_modules()
    try:
        table = parquet.read_table(path)
        header = json.loads(table.schema.metadata[b"unbounded"])
        rows = table.to_pylist()
        nested = [_nested(row) for row in rows]
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror or 'it is damaged'}") from None
    except (ValueError, LookupError, TypeError, RecursionError):
        raise UsageError(f"{path} is not a file of test positions") from None
    return (header if isinstance(header, dict) else {}), iter(nested)


def _nested(row: dict[str, Any]) -> dict[str, Any]:
    names = row.pop("actions")
    known = {key: row[key] for key in row if row[key] is not None}
    for key in BY_ACTION:
        if key in known:
            known[key] = dict(zip(names, known[key], strict=True))
    return known
