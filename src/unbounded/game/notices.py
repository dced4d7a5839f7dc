# SPDX-License-Identifier: MIT
"""One-line messages on stderr: errors, and what takes long."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from collections.abc import Iterator

LONGEST_MESSAGE = 500


def one_line(message: str) -> str:
    """Make a message one line of reasonable length, without control characters."""
    line = " ".join(message.split())
    line = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in line)
    return line if len(line) <= LONGEST_MESSAGE else line[: LONGEST_MESSAGE - 4] + " ..."


def print_error(message: str) -> None:
    """Write one line to stderr."""
    with contextlib.suppress(OSError):
        print(f"unbounded: {one_line(message)}", file=sys.stderr, flush=True)


NOTICE_AFTER = 1.0
_notices = True


@contextlib.contextmanager
def without_notices() -> Iterator[None]:
    """While inside, print no notices: the caller shows progress in another way."""
    global _notices  # noqa: PLW0603
    before, _notices = _notices, False
    try:
        yield
    finally:
        _notices = before


@contextlib.contextmanager
def notice(message: str) -> Iterator[None]:
    """Print to stderr what is being done, if it takes longer than a second and a person waits.

    That is in a terminal or a notebook; `UNBOUNDED_QUIET=1` switches it off.
    """
    if not (_notices and _is_interactive()):
        yield
        return
    timer = threading.Timer(NOTICE_AFTER, print_error, (message,))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _is_interactive() -> bool:
    """Whether stderr is shown to a person, and this is the main thread."""
    quiet = os.environ.get("UNBOUNDED_QUIET", "0") not in ("", "0")
    if quiet or threading.current_thread() is not threading.main_thread() or sys.stderr is None:
        return False
    in_notebook = type(sys.stderr).__module__.startswith("ipykernel")
    with contextlib.suppress(ValueError):  # it is closed
        return in_notebook or sys.stderr.isatty()
    return False
