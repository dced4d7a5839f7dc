# SPDX-License-Identifier: MIT
"""`unbounded mcp`: tools for assistants over the Model Context Protocol."""

from __future__ import annotations

import importlib.util
import sys
from typing import Annotated

import typer

from unbounded.game import require
from unbounded.game.notices import print_error
from unbounded.interfaces.cli.common import GOOD, Debug, Job
from unbounded.interfaces.process import Signals

Seconds = Annotated[float, typer.Option(metavar="T", help="Longest search of one call.")]
Grace = Annotated[
    float,
    typer.Option(
        metavar="T",
        help="Seconds beyond its search after which a call is ended: compiling rules takes some.",
    ),
]
Memory = Annotated[str, typer.Option(metavar="SIZE", help="Memory of the process that searches.")]
Games = Annotated[int, typer.Option(metavar="N", help="Number of games that may be open.")]
Threads = Annotated[int, typer.Option(metavar="N", help="Threads of a search.")]
Files = Annotated[
    bool,
    typer.Option(
        "--files",
        metavar="",
        help="Allow files that a call names: games in Python, which are executed, and "
        "certificates.",
    ),
]


def mcp(
    *,
    seconds: Seconds = 30.0,
    grace: Grace = 60.0,
    memory: Memory = "2G",
    games: Games = 64,
    threads: Threads = 1,
    files: Files = False,
    debug: Debug = False,
) -> Job:
    """Serve tools for assistants (MCP) on standard input and output."""

    def job(signals: Signals) -> int:
        from unbounded.interfaces.mcp.limits import Limits
        from unbounded.search.budget import parse_memory

        limits = Limits(seconds, grace, parse_memory(memory), games, threads, files)
        require(
            importlib.util.find_spec("mcp") is not None,
            "tools for assistants need the SDK of MCP: pip install 'unbounded[mcp]'",
        )
        from unbounded.interfaces.mcp.server import GameServer

        if sys.stdin.isatty():
            print_error("waiting for requests of an assistant, see docs/mcp.md; Ctrl-C ends it")
        server = GameServer(limits)
        with signals.stopping_first(server):
            server.serve()
        return GOOD

    return job
