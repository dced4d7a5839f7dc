# SPDX-License-Identifier: MIT
"""`unbounded export | query`: tables of proven positions."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from unbounded.game import UnboundedError, require
from unbounded.game.notices import print_error
from unbounded.interfaces.cli.common import (
    GOOD,
    NOT_PROVEN,
    Debug,
    Job,
    Json,
    OwnGame,
    Quiet,
    print_json,
)
from unbounded.interfaces.cli.files import (
    SEARCH,
    TABLE,
    Force,
    check_readable,
    check_writable,
    is_same,
)
from unbounded.interfaces.process import Signals

if TYPE_CHECKING:
    from unbounded.search.search import Search
    from unbounded.solving.table import Written


Kind = Annotated[
    str | None,
    typer.Option(
        "--to",
        metavar="KIND",
        help="sqlite, parquet or jsonl. Default: by the ending of TABLE, else sqlite.",
    ),
]


def export(
    *,
    path: Annotated[str, typer.Argument(metavar="FILE", help="A saved search.")],
    kind: Kind = None,
    output: Annotated[
        str | None,
        typer.Option(
            metavar="TABLE", help="File to write. Default: FILE with the ending of its kind."
        ),
    ] = None,
    text: OwnGame = None,
    force: Force = False,
    quiet: Quiet = False,
    as_json: Json = False,
    debug: Debug = False,
) -> Job:
    """Write a table of every position that a saved search has stored and proven.

    Probes prove without storing: for more positions solve with --no-probes, for all with --all.
    """

    def job(_: Signals) -> int:
        from unbounded.interfaces.terminal.console import Terminal
        from unbounded.interfaces.terminal.results import print_table

        search, written = _written(path, kind, output, text, force=force, quiet=quiet)
        if as_json:
            print_json(asdict(written))
            return GOOD
        print_table(Terminal(), written)
        if search.options.probes:
            print_error(
                "only stored positions are in the table, and probes store none: solve with "
                "--no-probes for more, with --all for every position"
            )
        return GOOD

    return job


def _written(
    path: str, kind: str | None, output: str | None, text: str | None, *, force: bool, quiet: bool
) -> tuple[Search, Written]:
    """Load the search and write the table."""
    from unbounded.game import catalogue
    from unbounded.interfaces.terminal.progress import writing

    check_readable(path, SEARCH)
    game = None if text is None else catalogue.load_game(text)
    from unbounded.solving.table import export as write_table
    from unbounded.solving.table_files import choose_kind

    chosen = choose_kind(output or "", kind or (None if output else "sqlite"))
    target = output or str(Path(path).with_suffix(f".{chosen}"))
    require(not is_same(target, path), "the table needs another name than the search")
    check_writable(target, force=force)
    try:
        with writing(target, quiet=quiet) as progress:
            from unbounded.search.search import Search

            search = Search.load(path, game)
            return search, write_table(search, target, chosen, progress)
    except OSError as error:
        why = error.strerror or str(error)
        raise UnboundedError(f"{target} cannot be written: {why}") from error


def query(
    path: Annotated[str, typer.Argument(metavar="TABLE", help="A table of positions.")],
    text: OwnGame = None,
    moves: Annotated[
        str, typer.Option(metavar="MOVES", help='Moves to the position, such as "4 4 3".')
    ] = "",
    as_json: Json = False,
    debug: Debug = False,
) -> Job:
    """Look up a position in a table; exit 3 if the table says nothing of it."""

    def job(_: Signals) -> int:
        from unbounded.interfaces.terminal.console import Terminal
        from unbounded.interfaces.terminal.results import print_position
        from unbounded.solving.table import query as look_up

        check_readable(path, TABLE)
        found = look_up(path, moves, text)
        if as_json:
            print_json(None if found is None else asdict(found))
        elif found is not None:
            print_position(Terminal(), found)
        if found is None:
            print_error(f"{path} says nothing of this position")
        return NOT_PROVEN if found is None else GOOD

    return job
