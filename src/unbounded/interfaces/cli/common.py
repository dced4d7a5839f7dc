# SPDX-License-Identifier: MIT
"""What the commands share: exit codes, flags, printing."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from unbounded.cluster.ray_connection import ADDRESS
from unbounded.interfaces.process import Signals

GOOD = 0
"""Done; of `solve`: proven."""
BROKEN = 1
"""Something failed: rules that break the contract, a refused proof, a file not written."""
BAD_INPUT = 2
"""Wrong arguments, or files of the wrong kind."""
NOT_PROVEN = 3
"""`solve` was stopped by a limit or Ctrl-C before it was done; `query` found nothing."""
BY_SIGNAL = 128
"""Plus the number of the signal, as in shells."""
CLOSED_OUTPUT = BY_SIGNAL + 13
"""The output was closed: as if ended by SIGPIPE."""

EXIT_CODES = (
    "Exit codes: 0 success (for solve: proven); 1 failure (broken rules, a refused certificate, a "
    "file not written); 2 bad input; 3 stopped before it was proven, or nothing known; "
    "128 and more: ended by a signal."
)

Job = Callable[[Signals], int]
"""What a command does after its arguments are parsed; returns the exit code."""

Json = Annotated[bool, typer.Option("--json", metavar="", help="Print JSON and nothing else.")]
Debug = Annotated[
    bool,
    typer.Option(
        "--debug", metavar="", help="Show the traceback of an error (or UNBOUNDED_DEBUG=1)."
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", metavar="", help="Show no progress.")]
GameClock = Annotated[
    str | None,
    typer.Option(
        "--clock",
        metavar="TIME",
        help="Time for the whole game of players without a limit of their own, such as 5m or "
        "5m+3s: five minutes, and three seconds more for each move.",
    ),
]
Seed = Annotated[int, typer.Option(metavar="N", help="Seed of the random numbers.")]
OnRay = Annotated[
    str | None,
    typer.Option(
        "--ray",
        metavar="[ADDRESS]",
        help="Work on Ray: local starts Ray on this machine, auto or HOST:PORT connects to a "
        "cluster. The flag alone means local.",
    ),
]
"""See `chosen_address` for what it means."""
GameText = Annotated[str, typer.Argument(metavar="GAME", help="The game, such as tic-tac-toe.")]


Moves = Annotated[
    str,
    typer.Option(
        metavar="MOVES",
        help='Moves to play before the search, such as "4 4 3".',
        rich_help_panel="Search",
    ),
]
OwnGame = Annotated[
    str | None,
    typer.Option("--game", metavar="GAME", help="The game, if it is from a file of your own."),
]


def _plainly(params: list[Any]) -> list[Any]:
    """Leave Python types out of the help."""
    for param in params:
        if param.param_type_name == "argument":
            param.__dict__["display_type_rich"] = lambda ctx: None
        elif "--help" in param.opts:
            param.metavar = ""
    return params


class Commands(TyperGroup):
    """The program; its help shows no Python types."""

    def get_params(self, ctx: Any) -> list[Any]:
        """As they are shown."""
        return _plainly(super().get_params(ctx))


class Command(TyperCommand):
    """A command; its help shows no Python types, and `--ray` may stand alone, for `--ray local`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Complete `--ray` where what follows is no address."""
        complete = list(args)
        if any("--ray" in param.opts for param in self.params):
            for place in (k for k, word in enumerate(args) if word == "--ray"):
                if not re.fullmatch(ADDRESS, " ".join(args[place + 1 : place + 2])):
                    complete[place] = "--ray=local"
        return super().parse_args(ctx, complete)

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
    """Print a value as JSON."""
    print(json.dumps(value, default=str))
