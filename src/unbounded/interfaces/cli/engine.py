# SPDX-License-Identifier: MIT
"""`unbounded engine`: JSON lines for other programs."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import Annotated, Any

import typer

from unbounded.interfaces.cli.common import GOOD, Debug, Job
from unbounded.interfaces.process import Signals


def engine(
    files: Annotated[
        bool,
        typer.Option(
            "--files", metavar="", help="Allow games from Python files, which are executed."
        ),
    ] = False,
    debug: Debug = False,
) -> Job:
    """Answer requests in JSON, one per line, on standard input and output."""

    def job(_: Signals) -> int:
        from unbounded.interfaces.engine import Engine

        Engine(_print, files=files).serve(_lines())
        return GOOD

    return job


def _lines() -> Iterator[str]:
    """Read standard input, whatever bytes it is made of; what is too long is cut."""
    from unbounded.interfaces.engine import LONGEST_LINE

    while line := sys.stdin.buffer.readline(LONGEST_LINE + 2):
        if len(line) > LONGEST_LINE and not line.endswith(b"\n"):
            while (rest := sys.stdin.buffer.readline(LONGEST_LINE)) and not rest.endswith(b"\n"):
                pass
        yield line.decode("utf-8", "replace")


def _print(answer: dict[str, Any]) -> None:
    print(json.dumps(answer, default=str), flush=True)
