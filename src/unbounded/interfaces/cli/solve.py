# SPDX-License-Identifier: MIT
"""`unbounded solve`: a proven outcome, its certificate, or every state resolved."""

from __future__ import annotations

import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from unbounded.game import UnboundedError, require
from unbounded.game.notices import print_error
from unbounded.interfaces.cli.cluster import (
    ClaimsPath,
    ClusterFlags,
    JobSeconds,
    Trust,
    WorkerCores,
    Workers,
    solve_on_ray,
)
from unbounded.interfaces.cli.common import BROKEN, Debug, Job, Json, Moves, OnRay, Quiet
from unbounded.interfaces.cli.files import Force
from unbounded.interfaces.cli.flags import with_flags
from unbounded.interfaces.cli.searching import (
    FILES,
    MEMORY,
    GameName,
    Request,
    SaveEvery,
    SaveFile,
    flags_of,
    request_of,
    saved,
)
from unbounded.interfaces.process import Signals
from unbounded.search.budget import Budget
from unbounded.search.options import SOLVING

if TYPE_CHECKING:
    from unbounded.search.result import Result
    from unbounded.search.search import Search
    from unbounded.solving.certificate import Written

ResumeFile = Annotated[
    str | None,
    typer.Option(
        metavar="FILE",
        help="Continue the search in FILE, with its game and options; it is saved to FILE again.",
        rich_help_panel=FILES,
    ),
]
Everything = Annotated[
    bool,
    typer.Option(
        "--all",
        metavar="",
        help="Solve strongly: resolve every reachable state, and count states by ply.",
        rich_help_panel=SOLVING,
    ),
]
CertificateFile = Annotated[
    str | None,
    typer.Option(
        "--certificate",
        metavar="FILE",
        help="Write the proof to FILE, for `unbounded verify` and other checkers. Compressed if "
        "FILE ends in .gz.",
        rich_help_panel=SOLVING,
    ),
]
CheckerSearch = Annotated[
    int,
    typer.Option(
        "--checker-search",
        metavar="N",
        min=0,
        max=999_999_999,
        help="Leave out of the certificate what the checker can prove itself by generating at most "
        "N successors per claim: a smaller file, more work to verify it.",
        rich_help_panel=SOLVING,
    ),
]


@with_flags(flags_of(solving=True), helps={"memory": MEMORY})
def solve(
    *,
    context: typer.Context,
    text: GameName = None,
    moves: Moves = "",
    everything: Everything = False,
    certificate: CertificateFile = None,
    checker_search: CheckerSearch = 0,
    save: SaveFile = None,
    save_every: SaveEvery = None,
    resume: ResumeFile = None,
    ray: OnRay = None,
    claims: ClaimsPath = None,
    trust: Trust = "none",
    workers: Workers = None,
    worker_cores: WorkerCores = 1,
    job_seconds: JobSeconds = 30.0,
    force: Force = False,
    quiet: Quiet = False,
    as_json: Json = False,
    debug: Debug = False,
    **flags: Any,
) -> Job:
    """Search until the outcome is proven, or until a limit or Ctrl-C."""
    cluster = ClusterFlags(ray, claims, trust, workers, worker_cores, job_seconds)
    if cluster.wanted:
        on_ray = request_of(context, "solve", solving=True)
        return lambda signals: solve_on_ray(on_ray, cluster, signals)
    cluster.refuse_without_ray(request_of(context, "solve", solving=True).given)
    require(
        save_every is None or save is not None or resume is not None,
        "--save-every needs --save FILE",
    )
    require(
        checker_search == 0 or certificate is not None,
        "--checker-search needs --certificate FILE",
    )
    if not everything:
        request = request_of(context, "solve", solving=True)
        return lambda signals: _run(request, signals)
    request = request_of(context, "solve --all", solving=True)
    for name, about in (
        ("iterations", "makes no iterations: give --seconds, --states or --memory"),
        ("exact_score", "takes no shortcuts: no --exact-score"),
        ("threads", "takes no shortcuts: no --threads"),
        ("certificate", "counts states: it writes no --certificate"),
    ):
        require(name not in request.given, f"--all {about}")
    return lambda signals: _run_all(request, signals)


# -- the outcome of one position -------------------------------------------------------------------


def _run(request: Request, signals: Signals) -> int:
    with request.open(signals) as (search, how):
        from unbounded.solving.solve import solve

        require(
            request.files.certificate is None or not search.scores_ignored,
            f"{search.game} has scores, and --resolve-on-win ignores them: there is no "
            "--certificate of that",
        )
        result = solve(search, **how)
    unread = None if request.as_json else _printed(search, result)
    written = _certified(request, signals, search, result)
    if unread is not None:
        raise unread
    code = request.end(search, proven=result.resolved)
    failed = result.resolved and request.files.certificate is not None and written is None
    return BROKEN if failed else code


def _printed(search: Search, result: Result) -> OSError | None:
    """Print the result; a closed output is returned, so that the proof is written first."""
    from unbounded.interfaces.terminal.console import Terminal
    from unbounded.interfaces.terminal.results import print_result

    try:
        print_result(Terminal(), search, result, analysis=False)
        sys.stdout.flush()
    except OSError as error:
        return error
    return None


def _certified(
    request: Request, signals: Signals, search: Search, result: Result
) -> Written | None:
    """Write the certificate, if there is to be one, and print JSON or where it is.

    As JSON, result and certificate are one object, printed after the attempt, however it ends.
    """
    from unbounded.interfaces.terminal.console import Terminal
    from unbounded.interfaces.terminal.results import print_certificate
    from unbounded.native.failures import error_text

    written, why_not = None, ""
    failure: BaseException | None = None
    wanted = request.files.certificate is not None
    if wanted:
        try:
            written = _certify(request, signals, search)
            why_not = "" if written else _why_not(resolved=result.resolved)
        except KeyboardInterrupt as error:
            failure, why_not = error, _why_not(resolved=True)
        except Exception as error:
            failure, why_not = error, error_text(error)
    if request.as_json:
        about = {"certificate": written and asdict(written), "certificate_error": why_not}
        print(result.to_json(**saved(search), **(about if wanted else {})))
        sys.stdout.flush()
    elif written is not None:
        print_certificate(Terminal(), written)
    if failure is not None:
        raise failure
    if why_not:
        print_error(f"no certificate was written: {why_not}")
    return written


def _why_not(*, resolved: bool) -> str:
    return "it was interrupted" if resolved else "nothing is proven yet"


def _certify(request: Request, signals: Signals, search: Search) -> Written | None:
    """Write the certificate; None if nothing is proven, or it was stopped."""
    from unbounded.interfaces.terminal.progress import waiting
    from unbounded.solving.certificate import certify

    path = request.files.certificate
    if path is None or not search.root.resolved:
        return None
    try:
        with (
            waiting("writing the proof ...", quiet=request.quiet),
            signals.ending(search),
        ):
            return certify(search, path, checker_search=request.files.checker_search)
    except OSError as error:
        why = error.strerror or str(error)
        raise UnboundedError(
            f"no certificate was written: {path} cannot be written: {why}"
        ) from error


# -- every state -----------------------------------------------------------------------------------


def _run_all(request: Request, signals: Signals) -> int:
    with request.open(signals) as (search, how):
        from unbounded.solving.strong import resolve_all

        progress, save = how.pop("progress"), how.pop("save")
        del how["until"]  # a signal stops such a run by itself
        result = resolve_all(search, Budget(**how), progress, save=save)
    if request.as_json:
        print(result.to_json(**saved(search)))
    else:
        from unbounded.interfaces.terminal.console import Terminal
        from unbounded.interfaces.terminal.results import print_strong

        print_strong(Terminal(), result)
        sys.stdout.flush()
    return request.end(search, proven=result.resolved)
