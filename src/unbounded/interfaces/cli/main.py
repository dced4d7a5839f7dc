# SPDX-License-Identifier: MIT
"""`main`: parse the arguments, run the command, and turn every failure into one line.

Typer only parses: each command returns a `Job`, which `main` runs. Every failure, wherever it
happens, is handled here: one line on stderr and an exit code. What is slow to import (the core,
Numba) is imported by the jobs, after the arguments have been checked.
"""

from __future__ import annotations

import os
import sys
import traceback
import warnings
from collections.abc import Sequence
from typing import Any

import typer

from unbounded.game import UnboundedError, UsageError
from unbounded.game.notices import print_error, without_notices
from unbounded.game.rule_errors import blame
from unbounded.interfaces.cli.app import app
from unbounded.interfaces.cli.common import (
    BAD_INPUT,
    BROKEN,
    BY_SIGNAL,
    CLOSED_OUTPUT,
    GOOD,
    Job,
)
from unbounded.interfaces.cli.flags import in_flags
from unbounded.interfaces.process import Signals, prepare_streams, settle_stdout, show_warning


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program and return its exit code, one of those in `common`."""
    given = list(sys.argv[1:] if arguments is None else arguments) or ["--help"]
    debug = "--debug" in given or os.environ.get("UNBOUNDED_DEBUG", "0") not in ("", "0")
    prepare_streams()
    with warnings.catch_warnings(), without_notices(), Signals() as signals:
        warnings.showwarning = show_warning
        try:
            job = _read(given)
            code = job if isinstance(job, int) else job(signals)
            sys.stdout.flush()
            return code
        except BrokenPipeError:
            return CLOSED_OUTPUT
        except (Exception, KeyboardInterrupt) as error:
            if debug:
                traceback.print_exc()
            code, message = _answer(error, given, signals)
            print_error(message)
            return code
        finally:
            settle_stdout()


def _answer(error: BaseException, given: Sequence[str], signals: Signals) -> tuple[int, str]:
    """Return the exit code and the message for a failure, with options named as flags."""
    error = blame(error) or error
    if isinstance(error, KeyboardInterrupt):
        return BY_SIGNAL + signals.last, "interrupted"
    if isinstance(error, UsageError):
        return BAD_INPUT, in_flags(error.marked, _flags(given))
    if isinstance(error, UnboundedError):
        return BROKEN, str(error)
    if isinstance(error, MemoryError):
        return BROKEN, "out of memory; limit the search with --memory"
    return BROKEN, f"{type(error).__name__}: {error} (--debug shows where)"


def _flags(given: Sequence[str]) -> frozenset[str]:
    """The flags of the command that was typed."""
    commands: dict[str, Any] = getattr(typer.main.get_command(app), "commands", {})
    command = commands.get(next(iter(given), ""))
    parameters = [] if command is None else command.params
    return frozenset(flag for parameter in parameters for flag in parameter.opts)


def _read(arguments: list[str]) -> Job | int:
    """Let Typer parse the arguments; its errors become a `UsageError` of one line."""
    try:
        job: Job | int | None = typer.main.get_command(app).main(
            arguments, prog_name="unbounded", standalone_mode=False
        )
    except SystemExit:  # by Typer, when the help is written to a closed pipe
        return CLOSED_OUTPUT
    except Exception as error:
        # Typer has its own copy of Click or uses the installed one, depending on its version.
        explain = getattr(error, "format_message", None)
        if explain is None:
            raise
        message = _in_plain_words(error, arguments) or str(explain()).rstrip(".")
        context = getattr(error, "ctx", None)
        see = f" (see '{context.command_path} --help')" if context is not None else ""
        raise UsageError(message[:1].lower() + message[1:] + see) from error
    return GOOD if job is None else job


WANTED = {"valid integer": "a whole number", "valid number": "a number"}
"""Types in the messages of Click, and in ours."""


def _in_plain_words(error: Exception, arguments: Sequence[str]) -> str | None:
    """The message for a value of the wrong type; None for other errors."""
    said, option = str(getattr(error, "message", "")), getattr(error, "param", None)
    wanted = next((ours for theirs, ours in WANTED.items() if theirs in said), None)
    if wanted is None or option is None:
        return None
    if option.nargs != 1:
        return f"{option.opts[0]} needs {option.nargs} values, each {wanted}"
    for word, following in zip(arguments, [*arguments[1:], ""], strict=True):
        name, equals, value = word.partition("=")
        if name in option.opts:
            return f"{name} must be {wanted}, not {value if equals else following!r}"
    return f"{option.opts[0]} must be {wanted}"
