# SPDX-License-Identifier: MIT
"""`unbounded verify | export | query`: proofs, and tables of what is proven."""

from __future__ import annotations

import traceback
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from unbounded.commands.common import (
    BROKEN,
    GOOD,
    Debug,
    Job,
    Json,
    Moves,
    OwnGame,
    Quiet,
    check_writable,
    print_json,
)
from unbounded.game import require
from unbounded.process import Signals, complain


def verify(
    path: Annotated[str, typer.Argument(metavar="FILE", help="A certificate.")],
    text: OwnGame = None,
    quiet: Quiet = False,
    as_json: Json = False,
    debug: Debug = False,
) -> Job:
    """Check a proof by the rules of the game alone; exit 1 if it proves nothing."""

    def job(_: Signals) -> int:
        from unbounded import catalogue, terminal
        from unbounded.solving.certificate import verify as check_certificate
        from unbounded.solving.checker import CertificateError

        require(Path(path).is_file(), f"there is no file {path}")
        game = None if text is None else catalogue.game(text)
        try:
            with terminal.reading(path, quiet=quiet) as progress:
                verdict = check_certificate(path, game, progress)
        except CertificateError as error:
            if debug:
                traceback.print_exc()
            if as_json:
                print_json({"proven": False, "why": str(error)})
            complain(str(error))
            return BROKEN
        if as_json:
            print_json({"proven": True, **asdict(verdict)})
        else:
            terminal.print_verdict(terminal.Terminal(), verdict)
        return GOOD

    return job


def export(
    *,
    path: Annotated[str, typer.Argument(metavar="FILE", help="A saved search.")],
    kind: Annotated[
        str, typer.Option("--to", metavar="KIND", help="sqlite, parquet or jsonl.")
    ] = "sqlite",
    output: Annotated[
        str | None,
        typer.Option(metavar="TABLE", help="Where to write it, else FILE with another ending."),
    ] = None,
    text: OwnGame = None,
    quiet: Quiet = False,
    as_json: Json = False,
    debug: Debug = False,
) -> Job:
    """Write a table of every position that a saved search has proven."""

    def job(_: Signals) -> int:
        from unbounded import catalogue, terminal

        require(Path(path).is_file(), f"there is no file {path}")
        game = None if text is None else catalogue.game(text)
        target = output or str(Path(path).with_suffix(f".{kind}"))
        require(Path(target).absolute() != Path(path).absolute(), "the table needs another name")
        check_writable(target)
        with terminal.writing(target, quiet=quiet) as progress:
            from unbounded.search import Search
            from unbounded.solving.table import check_kind
            from unbounded.solving.table import export as write_table

            check_kind(kind)
            written = write_table(Search.load(path, game), target, kind, progress)
        if as_json:
            print_json(asdict(written))
        else:
            terminal.print_table(terminal.Terminal(), written)
        return GOOD

    return job


def query(
    path: Annotated[str, typer.Argument(metavar="TABLE", help="A table of positions.")],
    text: Annotated[
        str | None, typer.Option("--game", metavar="GAME", help="The game; the table knows it.")
    ] = None,
    moves: Moves = "",
    as_json: Json = False,
    debug: Debug = False,
) -> Job:
    """Look up a position in a table; exit 1 if the table says nothing of it."""

    def job(_: Signals) -> int:
        from unbounded import terminal
        from unbounded.solving.table import query as look_up

        found = look_up(path, moves, text)
        if as_json:
            print_json(None if found is None else asdict(found))
        elif found is not None:
            terminal.print_position(terminal.Terminal(), found)
        if found is None:
            complain(f"{path} says nothing of this position")
        return BROKEN if found is None else GOOD

    return job
