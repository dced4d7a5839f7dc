# SPDX-License-Identifier: MIT
"""`unbounded solve --ray` and `unbounded claims`: solving by jobs, and what is proven so far."""

from __future__ import annotations

import json
import shlex
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from unbounded.cluster.ray_connection import check_ray, chosen_address
from unbounded.game import require
from unbounded.game.notices import print_error
from unbounded.interfaces.cli.common import (
    BROKEN,
    GOOD,
    NOT_PROVEN,
    Debug,
    Job,
    Json,
    OwnGame,
    Quiet,
    print_json,
)
from unbounded.interfaces.cli.searching import Request
from unbounded.interfaces.process import Signals

if TYPE_CHECKING:
    from unbounded.cluster.browsing import ClaimsView
    from unbounded.cluster.driver import Driver
    from unbounded.cluster.solving import ClusterOptions, Outcome

MACHINES = "Many machines"

ClaimsPath = Annotated[
    str | None,
    typer.Option(
        "--claims",
        metavar="FILE",
        help="With --ray: where everything proven is written, in FILE and FILE.certificates; the "
        "same command continues a run.",
        rich_help_panel=MACHINES,
    ),
]
Trust = Annotated[
    str,
    typer.Option(
        metavar="all|sample|none",
        help="With --ray: believe workers, check a tenth of their proofs, or believe nothing "
        "without a checked proof.",
        rich_help_panel=MACHINES,
    ),
]
Workers = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        help="With --ray: number of workers. Default: what the cluster has room for, as it grows.",
        rich_help_panel=MACHINES,
    ),
]
WorkerCores = Annotated[
    int,
    typer.Option(
        metavar="N", help="With --ray: cores, and threads, of a worker.", rich_help_panel=MACHINES
    ),
]
JobSeconds = Annotated[
    float,
    typer.Option(
        metavar="T",
        help="With --ray: seconds of search in a job; the first jobs get less.",
        rich_help_panel=MACHINES,
    ),
]


@dataclass(frozen=True)
class ClusterFlags:
    """What was typed about many machines."""

    ray: str | None
    claims: str | None
    trust: str
    workers: int | None
    worker_cores: int
    job_seconds: float

    @property
    def wanted(self) -> bool:
        """Whether a game is to be solved by jobs."""
        return chosen_address(self.ray) is not None or self.claims is not None

    def refuse_without_ray(self, given: frozenset[str]) -> None:
        """Refuse flags that mean nothing without Ray."""
        for name in ("trust", "workers", "worker_cores", "job_seconds"):
            require(name not in given, f"--{name.replace('_', '-')} needs --ray and --claims FILE")

    def check(self, request: Request) -> str:
        """Refuse what does not fit together; return the address of Ray."""
        from unbounded.cluster.judging import TRUST

        address = chosen_address(self.ray)
        require(address is not None, "--claims needs --ray: it is written by jobs on Ray")
        require(self.claims is not None, "--ray needs --claims FILE, where the proofs are written")
        require(self.trust in TRUST, f"--trust is one of {', '.join(TRUST)}, not {self.trust!r}")
        require(self.workers is None or self.workers > 0, "--workers must be at least 1")
        require(self.worker_cores > 0, "--worker-cores must be at least 1")
        require(0 < self.job_seconds < 1e6, "--job-seconds must be more than 0")
        for name, instead in (
            ("save", "the claims file is always saved"),
            ("resume", "the same command continues"),
            ("everything", "it proves one value"),
            ("iterations", "give --seconds"),
            ("states", "give --seconds"),
            ("threads", "give --worker-cores"),
            ("certificate", "the proof is written beside the claims file"),
            ("save_every", "the claims file is always saved"),
            ("force", "a claims file is never overwritten"),
        ):
            flag = "all" if name == "everything" else name
            flag = flag.replace("_", "-")
            require(name not in request.given, f"--ray takes no --{flag}: {instead}")
        assert address is not None
        check_ray(address)
        return address

    def options(self, request: Request) -> ClusterOptions:
        """How to solve by jobs."""
        from unbounded.cluster.driver import Pace
        from unbounded.cluster.solving import ClusterOptions
        from unbounded.search.budget import Budget
        from unbounded.solving.solve import available_cores

        memory = Budget(**request.limits)
        given = request.limits["memory"]
        search = request.files.checker_search
        return ClusterOptions(
            trust=self.trust,
            pace=Pace(self.job_seconds, min(2.0, self.job_seconds)),
            seed=int(request.options.get("seed") or 0),
            cores=self.worker_cores,
            memory=None if given is None else memory.memory_limit(0),
            checkers=max(1, available_cores() // 2),
            **({"checker_search": search} if "checker_search" in request.given else {}),
        )


class Deadline:
    """Ends a run: after so many seconds, or when a signal asks for it."""

    def __init__(self, seconds: float | None) -> None:
        self._end = None if seconds is None else time.monotonic() + seconds
        self._stopped = False

    def stop(self) -> None:
        """Request the end."""
        self._stopped = True

    def __call__(self) -> bool:
        """Whether to end."""
        return self._stopped or (self._end is not None and time.monotonic() >= self._end)


def solve_on_ray(request: Request, flags: ClusterFlags, signals: Signals) -> int:
    """Solve a game by jobs on Ray."""
    from unbounded.cluster.ray_connection import connected
    from unbounded.game import catalogue
    from unbounded.interfaces.terminal.cluster import cluster_progress

    address = flags.check(request)
    assert request.game is not None
    game = catalogue.load_game(request.game)
    state = game.initial()
    for move in request.moves.split():
        state = game.next(state, game.parse_action(state, move))
    cpus = (flags.workers or 1) * flags.worker_cores
    deadline = Deadline(request.limits["seconds"])
    with (
        signals.stopping_first(deadline),
        connected(address, cpus),
        cluster_progress(quiet=request.quiet) as progress,
    ):
        outcome = _solved(game, request, flags, deadline, progress)
    _print(outcome, request)
    return GOOD if outcome.proof is not None and outcome.checked else NOT_PROVEN


def _solved(
    game: Any,
    request: Request,
    flags: ClusterFlags,
    stop: Callable[[], bool],
    progress: Callable[[Driver], None],
) -> Outcome:
    from unbounded.cluster.metrics import Metrics
    from unbounded.cluster.on_ray import RayWorkers
    from unbounded.cluster.solving import solve_with_claims

    tell = (lambda _: None) if request.quiet else print_error
    metrics = Metrics()

    def show(driver: Driver) -> None:
        metrics.publish(driver)
        progress(driver)

    assert flags.claims is not None
    return solve_with_claims(
        game,
        Path(flags.claims),
        lambda orders: RayWorkers(
            orders,
            cores=flags.worker_cores,
            workers=flags.workers,
            local=chosen_address(flags.ray) == "local",
            tell=tell,
        ),
        moves=tuple(request.moves.split()),
        search=request.options,
        options=flags.options(request),
        stop=stop,
        progress=show,
        tell=tell,
    )


def _print(outcome: Outcome, request: Request) -> None:
    from unbounded.cluster.summary import fact_json
    from unbounded.interfaces.terminal.cluster import print_outcome
    from unbounded.interfaces.terminal.console import Terminal

    if request.as_json:
        about = {**vars(outcome), "fact": fact_json(outcome.fact), "outcome": outcome.outcome}
        print_json(about)
    else:
        print_outcome(Terminal(), outcome)
    sys.stdout.flush()
    if outcome.resolved and not outcome.checked:
        print_error("not proven: workers were trusted; --trust none checks what they claim")
    elif outcome.proof is None:
        why = "its proof is not complete" if outcome.resolved else "not proven yet"
        print_error(f"{why}; continue by: {shlex.join(['unbounded', *sys.argv[1:]])}")


# -- the claims file -------------------------------------------------------------------------------


def claims(
    path: Annotated[str, typer.Argument(metavar="FILE", help="A claims file.")],
    text: OwnGame = None,
    *,
    export_jobs: Annotated[
        bool,
        typer.Option(
            "--export-jobs",
            metavar="",
            help="Print the open questions, most urgent first, one JSON object per line.",
        ),
    ] = False,
    imports: Annotated[
        list[str] | None,
        typer.Option(
            "--import",
            metavar="CERTIFICATE",
            help="Check a certificate and record what it proves; may be repeated.",
        ),
    ] = None,
    moves: Annotated[
        str | None,
        typer.Option(
            metavar="MOVES",
            help='Show the position after these moves from the start of the game, such as "4 4", '
            "and what is known of each of its moves.",
        ),
    ] = None,
    quiet: Quiet = False,
    as_json: Json = False,
    debug: Debug = False,
) -> Job:
    """Show what is proven in a claims file, what is open, and by whom."""
    require(
        export_jobs + bool(imports) + (moves is not None) <= 1,
        "--export-jobs, --import and --moves are three commands: give one of them",
    )

    def job(_: Signals) -> int:
        from unbounded.game import catalogue

        given = None if text is None else catalogue.load_game(text)
        if imports:
            files = [Path(name) for name in imports]
            return _import(Path(path), given, files, as_json=as_json)
        from unbounded.cluster.browsing import ClaimsView
        from unbounded.cluster.claims_file import ClaimsFile
        from unbounded.cluster.summary import jobs_to_export, summary_of
        from unbounded.interfaces.terminal.cluster import print_summary
        from unbounded.interfaces.terminal.console import Terminal

        with ClaimsFile.read(Path(path)) as file:
            game = file.game(given)
            if export_jobs:
                for one in jobs_to_export(file, game):
                    print(json.dumps(one))
                return GOOD
            if moves is not None:
                return _show_position(ClaimsView(file, game), moves.split(), as_json=as_json)
            summary = summary_of(file, game)
        if as_json:
            print_json(summary.to_json())
        else:
            print_summary(Terminal(), summary)
        return GOOD

    return job


def _show_position(view: ClaimsView, moves: list[str], *, as_json: bool) -> int:
    from unbounded.interfaces.terminal.claims import print_position
    from unbounded.interfaces.terminal.console import Terminal

    position = view.position(moves)
    if as_json:
        print_json(position.to_json(view.scale))
    else:
        print_position(Terminal(), view.game, position)
    return GOOD


def _import(path: Path, given: Any, certificates: list[Path], *, as_json: bool) -> int:
    from unbounded.cluster.claims_file import ClaimsFile
    from unbounded.cluster.summary import import_certificates

    with ClaimsFile.read(path) as file:
        game, about = file.game(given), file.about
    with ClaimsFile.open(path, about, game) as file:
        good = import_certificates(file, game, certificates, print_error)
    if as_json:
        print_json({"accepted": good, "given": len(certificates)})
    else:
        print(f"{good} of {len(certificates)} certificates accepted")
    return GOOD if good == len(certificates) else BROKEN
