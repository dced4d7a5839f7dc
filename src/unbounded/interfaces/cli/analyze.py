# SPDX-License-Identifier: MIT
"""`unbounded analyze`: what is known of every action."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import typer

from unbounded.game import require
from unbounded.interfaces.cli.common import Debug, Job, Json, Moves, Quiet
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

SECONDS = 10.0

ResumeFile = Annotated[
    str | None,
    typer.Option(
        "--resume",
        metavar="FILE",
        help="Continue the search in FILE, with its game and options; FILE is not changed.",
        rich_help_panel=FILES,
    ),
]


@with_flags(flags_of(solving=False), defaults={"seconds": SECONDS}, helps={"memory": MEMORY})
def analyze(
    *,
    context: typer.Context,
    text: GameName = None,
    moves: Moves = "",
    save: SaveFile = None,
    save_every: SaveEvery = None,
    resume: ResumeFile = None,
    force: Force = False,
    quiet: Quiet = False,
    as_json: Json = False,
    debug: Debug = False,
    **flags: Any,
) -> Job:
    """Search for a limited time and show what is known of every action."""
    require(save_every is None or save is not None, "--save-every needs --save FILE")
    request = request_of(context, "analyze", solving=False)
    return lambda signals: _run(request, signals)


def _run(request: Request, signals: Signals) -> int:
    with request.open(signals) as (search, how):
        from unbounded.search.analysis import analyze

        result = analyze(search, **how)
    if request.as_json:
        print(result.to_json(**saved(search)))
    else:
        from unbounded.interfaces.terminal.console import Terminal
        from unbounded.interfaces.terminal.results import print_result

        print_result(Terminal(), search, result, analysis=True)
    sys.stdout.flush()
    return request.end(search, proven=result.resolved)
