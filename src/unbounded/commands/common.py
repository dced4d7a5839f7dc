# SPDX-License-Identifier: MIT
"""What the commands have in common: exit codes, options, printing."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from unbounded.game import require
from unbounded.process import Signals

GOOD, BROKEN, BAD_INPUT = 0, 1, 2
CLOSED_OUTPUT = 128 + 13
"""As a shell reports a program that was ended by SIGPIPE."""

Job = Callable[[Signals], int]
"""What a command does, once its arguments are read; returns the exit code."""

Json = Annotated[bool, typer.Option("--json", metavar="", help="Print JSON and nothing else.")]
Debug = Annotated[
    bool,
    typer.Option(
        "--debug", metavar="", help="Show the traceback of an error (or UNBOUNDED_DEBUG=1)."
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", metavar="", help="Show no progress.")]
Seed = Annotated[int, typer.Option(metavar="N", help="Where randomness starts.")]
GameText = Annotated[str, typer.Argument(metavar="GAME", help="The game, such as tic-tac-toe.")]


Moves = Annotated[
    str,
    typer.Option(
        metavar="MOVES",
        help='Moves to play first, like "4 4 3".',
        rich_help_panel="The search",
    ),
]
OwnGame = Annotated[
    str | None,
    typer.Option("--game", metavar="GAME", help="The game, if it is one of your own: a file."),
]


def print_json(value: Any) -> None:
    """Print a value for programs."""
    print(json.dumps(value, default=str))


def check_writable(path: str | None) -> None:
    """Find out before the search whether a file can be written there."""
    if path is None:
        return
    folder = Path(path).absolute().parent
    require(folder.is_dir(), f"{path} cannot be written: there is no folder {folder}")
    require(not Path(path).is_dir(), f"{path} cannot be written: it is a folder")
    require(os.access(folder, os.W_OK), f"{path} cannot be written: its folder is read-only")
