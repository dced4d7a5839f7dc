# SPDX-License-Identifier: MIT
"""`unbounded verify`: checking certificates."""

from __future__ import annotations

import traceback
from dataclasses import asdict
from typing import Annotated

import typer

from unbounded.game import require
from unbounded.game.notices import print_error
from unbounded.interfaces.cli.common import (
    BROKEN,
    GOOD,
    Debug,
    Job,
    Json,
    OwnGame,
    Quiet,
    print_json,
)
from unbounded.interfaces.cli.files import CERTIFICATE, check_readable, kind_of
from unbounded.interfaces.process import Signals


def verify(
    path: Annotated[str, typer.Argument(metavar="FILE", help="A certificate.")],
    text: OwnGame = None,
    *,
    checker: Annotated[
        str,
        typer.Option(
            metavar="auto|plain|compiled|both",
            help="By plain rules, by compiled ones with a sample by plain ones, or all by both.",
        ),
    ] = "auto",
    quiet: Quiet = False,
    as_json: Json = False,
    debug: Debug = False,
) -> Job:
    """Check a certificate against the rules of the game alone; exit 1 if it proves nothing."""

    def job(_: Signals) -> int:
        from unbounded.game import catalogue
        from unbounded.interfaces.terminal.console import Terminal
        from unbounded.interfaces.terminal.progress import reading
        from unbounded.interfaces.terminal.results import print_verdict
        from unbounded.solving.checker import CertificateError
        from unbounded.solving.verification import verify as check_certificate

        check_readable(path, CERTIFICATE)
        require(kind_of(path) == CERTIFICATE, f"{path} is not a certificate")
        game = None if text is None else catalogue.load_game(text)
        try:
            with reading(path, quiet=quiet) as progress:
                verdict = check_certificate(path, game, progress, checker=checker)
        except CertificateError as error:
            if debug:
                traceback.print_exc()
            if as_json:
                print_json({"proven": False, "why": str(error)})
            print_error(str(error))
            return BROKEN
        if as_json:
            print_json({"proven": True, **asdict(verdict)})
        else:
            print_verdict(Terminal(), verdict)
        return GOOD

    return job
