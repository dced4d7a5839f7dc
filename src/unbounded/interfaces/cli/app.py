# SPDX-License-Identifier: MIT
"""The commands of the program; `main.py` runs them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import typer

from unbounded.interfaces.cli.analyze import analyze
from unbounded.interfaces.cli.bench import bench
from unbounded.interfaces.cli.check import check
from unbounded.interfaces.cli.cluster import claims
from unbounded.interfaces.cli.common import EXIT_CODES, Command, Commands, Job
from unbounded.interfaces.cli.engine import engine
from unbounded.interfaces.cli.games import games
from unbounded.interfaces.cli.learn import learn
from unbounded.interfaces.cli.matches import ablation, match
from unbounded.interfaces.cli.mcp import mcp
from unbounded.interfaces.cli.measure import measure
from unbounded.interfaces.cli.play import play
from unbounded.interfaces.cli.positions import positions
from unbounded.interfaces.cli.replay import replay
from unbounded.interfaces.cli.serve import serve
from unbounded.interfaces.cli.solve import solve
from unbounded.interfaces.cli.tables import export, query
from unbounded.interfaces.cli.verify import verify

app = typer.Typer(
    name="unbounded",
    cls=Commands,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Solve perfect-information games of any number of players by complete best-first search.",
    epilog="A game is named with its parameters, if any: "
    '"connect-four(width=5,height=4)"; or it is a class in a file: mygame.py:MyGame. '
    "Players are numbered from 1 for people, from 0 in JSON.\n\n" + EXIT_CODES,
)


def _print_version(wanted: bool) -> None:
    if wanted:
        from unbounded.version import VERSION

        typer.echo(f"unbounded {VERSION}")
        raise typer.Exit


@app.callback()
def unbounded(
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            metavar="",
            is_eager=True,
            callback=_print_version,
            help="Show the version and exit.",
        ),
    ] = False,
) -> None:
    """Take the options that belong to no command."""


COMMANDS: tuple[Callable[..., Job], ...] = (
    games,
    check,
    solve,
    analyze,
    learn,
    verify,
    claims,
    export,
    query,
    match,
    ablation,
    replay,
    measure,
    positions,
    bench,
    engine,
    mcp,
    play,
    serve,
)
"""In the order of the help."""

for command in COMMANDS:
    app.command(cls=Command)(command)
