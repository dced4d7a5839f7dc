# SPDX-License-Identifier: MIT
"""What the commands have in common: exit codes, options, printing."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

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


def _plainly(params: list[Any]) -> list[Any]:
    """Leave the types of Python out of the help: they say nothing to people."""
    for param in params:
        if param.param_type_name == "argument":
            param.__dict__["display_type_rich"] = lambda ctx: None
        elif "--help" in param.opts:
            param.metavar = ""
    return params


class Commands(TyperGroup):
    """The program, whose help is in plain words."""

    def get_params(self, ctx: Any) -> list[Any]:
        """As they are shown."""
        return _plainly(super().get_params(ctx))


class Command(TyperCommand):
    """A command, whose help is in plain words."""

    def get_params(self, ctx: Any) -> list[Any]:
        """As they are shown."""
        return _plainly(super().get_params(ctx))

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """How to call it: `GAME`, `[GAME]` where it may be left out, `PLAYER...` for several."""
        pieces = [self.options_metavar or ""]
        for param in self.get_params(ctx):
            if param.param_type_name == "argument":
                name = f"{param.metavar}{'...' if param.nargs != 1 else ''}"
                pieces.append(name if param.required else f"[{name}]")
        return pieces


def print_json(value: Any) -> None:
    """Print a value for programs."""
    print(json.dumps(value, default=str))


def check_writable(path: str | None) -> None:
    """Find out before the search whether a file can be written there."""
    if path is None:
        return
    folder = Path(path).absolute().parent
    require(folder.is_dir(), f"{path} cannot be written: no such directory")
    require(not Path(path).is_dir(), f"{path} cannot be written: it is a directory")
    require(os.access(folder, os.W_OK), f"{path} cannot be written: its folder is read-only")
