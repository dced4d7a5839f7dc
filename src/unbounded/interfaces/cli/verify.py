# SPDX-License-Identifier: MIT
"""`unbounded verify`: checking certificates."""

from __future__ import annotations

import traceback
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

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

if TYPE_CHECKING:
    from unbounded.solving.verification import Verified


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
    jobs: Annotated[
        int,
        typer.Option(
            metavar="N", help="Processes that check the files on which the certificate leans."
        ),
    ] = 1,
    quiet: Quiet = False,
    as_json: Json = False,
    debug: Debug = False,
) -> Job:
    """Check a certificate against the rules of the game alone; exit 1 if it proves nothing."""

    def job(_: Signals) -> int:
        from unbounded.interfaces.terminal.console import Terminal
        from unbounded.interfaces.terminal.progress import reading
        from unbounded.interfaces.terminal.results import print_verdict
        from unbounded.solving.checker_format import CertificateError
        from unbounded.solving.verification import verify as check_certificate

        check_readable(path, CERTIFICATE)
        require(kind_of(path) == CERTIFICATE, f"{path} is not a certificate")
        require(jobs >= 1, f"--jobs must be 1 or more, not {jobs}")
        try:
            with reading(path, quiet=quiet) as progress:
                verdict = check_certificate(path, text, progress, checker=checker, jobs=jobs)
        except CertificateError as error:
            if debug:
                traceback.print_exc()
            if as_json:
                print_json({"proven": False, "why": str(error)})
            print_error(str(error))
            return BROKEN
        if as_json:
            print_json({"proven": True, **_as_json(verdict)})
        else:
            print_verdict(Terminal(), verdict)
        return GOOD

    return job


def _as_json(verdict: Verified) -> dict[str, Any]:
    """Return what a certificate proves, without states, which may be any objects."""
    told = {key: value for key, value in vars(verdict).items() if key not in ("root", "leans_on")}
    header = asdict(verdict.header)
    header["claims"] = [
        {"relation": claim.relation, "worth": claim.worth} for claim in verdict.header.claims
    ]
    leans_on = dict.fromkeys(lean.digest for lean in verdict.leans_on)
    return {**told, "header": header, "leans_on": list(leans_on)}
