# SPDX-License-Identifier: MIT
"""`unbounded verify | export | query`: proofs, and tables of what is proven."""

from __future__ import annotations

import traceback
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from unbounded.game import UnboundedError, require
from unbounded.game.notices import complain
from unbounded.interfaces.cli.common import (
    BROKEN,
    GOOD,
    NOT_PROVEN,
    Debug,
    Job,
    Json,
    Moves,
    OwnGame,
    Quiet,
    print_json,
)
from unbounded.interfaces.cli.files import (
    CERTIFICATE,
    SEARCH,
    TABLE,
    Force,
    check_readable,
    check_writable,
    is_same,
    kind_of,
)
from unbounded.interfaces.process import Signals


def verify(
    path: Annotated[str, typer.Argument(metavar="FILE", help="A certificate.")],
    text: OwnGame = None,
    quiet: Quiet = False,
    as_json: Json = False,
    debug: Debug = False,
) -> Job:
    """Check a proof by the rules of the game alone; exit 1 if it proves nothing."""

    def job(_: Signals) -> int:
        from unbounded.game import catalogue
        from unbounded.interfaces.terminal import display
        from unbounded.solving.certificate import verify as check_certificate
        from unbounded.solving.checker import CertificateError

        check_readable(path, CERTIFICATE)
        require(kind_of(path) == CERTIFICATE, f"{path} is not a certificate")
        game = None if text is None else catalogue.load_game(text)
        try:
            with display.reading(path, quiet=quiet) as progress:
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
            display.print_verdict(display.Terminal(), verdict)
        return GOOD

    return job


def export(
    *,
    path: Annotated[str, typer.Argument(metavar="FILE", help="A saved search.")],
    kind: Annotated[
        str | None,
        typer.Option(
            "--to",
            metavar="KIND",
            help="sqlite, parquet or jsonl; else what TABLE ends in, else sqlite.",
        ),
    ] = None,
    output: Annotated[
        str | None,
        typer.Option(metavar="TABLE", help="Where to write it, else FILE with another ending."),
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
        from unbounded.game import catalogue
        from unbounded.interfaces.terminal import display

        check_readable(path, SEARCH)
        game = None if text is None else catalogue.load_game(text)
        from unbounded.solving.table import export as write_table
        from unbounded.solving.table_files import choose_kind

        chosen = choose_kind(output or "", kind or (None if output else "sqlite"))
        target = output or str(Path(path).with_suffix(f".{chosen}"))
        require(not is_same(target, path), "the table needs another name than the search")
        check_writable(target, force=force)
        try:
            with display.writing(target, quiet=quiet) as progress:
                from unbounded.search.search import Search

                search = Search.load(path, game)
                written = write_table(search, target, chosen, progress)
        except OSError as error:
            why = error.strerror or str(error)
            raise UnboundedError(f"{target} cannot be written: {why}") from error
        if as_json:
            print_json(asdict(written))
        else:
            display.print_table(display.Terminal(), written)
            if search.options["probes"]:
                complain(
                    "only stored positions are in the table, and probes store none: solve with "
                    "--no-probes for more, with --all for every position"
                )
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
    """Look up a position in a table; exit 3 if the table says nothing of it."""

    def job(_: Signals) -> int:
        from unbounded.interfaces.terminal import display
        from unbounded.solving.table import query as look_up

        check_readable(path, TABLE)
        found = look_up(path, moves, text)
        if as_json:
            print_json(None if found is None else asdict(found))
        elif found is not None:
            display.print_position(display.Terminal(), found)
        if found is None:
            complain(f"{path} says nothing of this position")
        return NOT_PROVEN if found is None else GOOD

    return job
