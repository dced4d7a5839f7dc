# SPDX-License-Identifier: MIT
"""One-line messages on stderr: errors, and what takes long."""

from __future__ import annotations

import contextlib
import logging
import os
import sys
import threading
from collections.abc import Callable, Iterator

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


LOGGER = logging.getLogger("unbounded")
"""Where a Python program finds what it does not want on stderr, at level INFO."""

NOTICE_AFTER = 1.0

Show = Callable[[str], contextlib.AbstractContextManager[None]]
"""Shows a message while inside."""


@contextlib.contextmanager
def shown_by(show: Show) -> Iterator[None]:
    """While inside, show notices in this way, not as lines on stderr."""
    global _show  # noqa: PLW0603
    before, _show = _show, show
    try:
        yield
    finally:
        _show = before


def without_notices() -> contextlib.AbstractContextManager[None]:
    """While inside, show no notices: the caller shows progress in another way."""
    return shown_by(lambda _: contextlib.nullcontext())


@contextlib.contextmanager
def notice(message: str) -> Iterator[None]:
    """Log what is being done, and show it to a person who waits for it.

    A notice that follows the same one is not logged again. A program that neither logs it nor
    shows it in its own way prints it to stderr, if it takes longer than a second, in a terminal or
    a notebook; `UNBOUNDED_QUIET=1` switches that off.
    """
    global _last_logged  # noqa: PLW0603
    if message != _last_logged and LOGGER.isEnabledFor(logging.INFO):
        _last_logged = message
        LOGGER.info("%s", one_line(message))
    with _show(message):
        yield


@contextlib.contextmanager
def _on_stderr(message: str) -> Iterator[None]:
    is_logged = LOGGER.isEnabledFor(logging.INFO) and LOGGER.hasHandlers()
    if is_logged or not _is_interactive():
        yield
        return
    timer = threading.Timer(NOTICE_AFTER, print_error, (message,))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


_show: Show = _on_stderr
_last_logged = ""


def _is_interactive() -> bool:
    """Whether stderr is shown to a person, and this is the main thread."""
    quiet = os.environ.get("UNBOUNDED_QUIET", "0") not in ("", "0")
    if quiet or threading.current_thread() is not threading.main_thread() or sys.stderr is None:
        return False
    in_notebook = type(sys.stderr).__module__.startswith("ipykernel")
    with contextlib.suppress(ValueError):  # it is closed
        return in_notebook or sys.stderr.isatty()
    return False
