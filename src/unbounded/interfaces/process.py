# SPDX-License-Identifier: MIT
"""The program and its surroundings: signals, and streams that close or cannot write everything."""

from __future__ import annotations

import _thread
import contextlib
import io
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from unbounded.game.notices import print_error

if TYPE_CHECKING:
    from types import FrameType

    from unbounded.search.search import Search


def show_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    """Show a warning in one line; takes the place of `warnings.showwarning`."""
    print_error(f"warning: {message}")


def prepare_streams() -> None:
    """Make sure that what cannot be written in the terminal's encoding is no error."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:  # closed before we started
            setattr(sys, name, io.StringIO())
        elif hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")


def settle_stdout() -> None:
    """Write what is left to stdout; where that fails, send it nowhere, so that exit is quiet."""
    with contextlib.suppress(OSError, ValueError):
        try:
            sys.stdout.flush()
        except OSError:
            with Path(os.devnull).open("wb") as nowhere:
                os.dup2(nowhere.fileno(), sys.stdout.fileno())
            raise


class Stoppable(Protocol):
    """What can be stopped in good order: a search, a server."""

    def stop(self) -> None:
        """Request the end; called by a signal handler."""


class Signals:
    """Lets Ctrl-C and SIGTERM end a search or a server in good order, and anything else at once.

    The first one requests a stop; a second one, or one with nothing to stop, raises
    `KeyboardInterrupt`.
    """

    def __init__(self) -> None:
        self.running: Stoppable | None = None
        self.last: int = signal.SIGINT
        self.stopping = False
        self.insisting = False
        self._held: bool | None = None
        self._before: dict[int, Any] = {}
        self._in_hook = False
        self._unraisable: Callable[[sys.UnraisableHookArgs], Any] | None = None

    def __enter__(self) -> Signals:
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                if signal.getsignal(number) is not signal.SIG_IGN:  # as for jobs in the background
                    self._before[number] = signal.signal(number, self._handle)
            self._unraisable, sys.unraisablehook = sys.unraisablehook, self._raise_again
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)
        if self._unraisable is not None:
            sys.unraisablehook = self._unraisable

    def _raise_again(self, unraisable: sys.UnraisableHookArgs) -> None:
        """Keep an interrupt that came inside a call-back of C, such as the compiler's.

        Python would print it and go on.
        """
        if issubclass(unraisable.exc_type, KeyboardInterrupt):
            self._in_hook = True  # what is raised in here would be lost as well
            self._signal_again()
            self._in_hook = False
        elif self._unraisable is not None:
            self._unraisable(unraisable)

    def _signal_again(self) -> None:
        if sys.platform == "win32":
            again = threading.Timer(0.01, _thread.interrupt_main, (self.last,))
        else:
            main = threading.main_thread().ident
            again = threading.Timer(0.01, signal.pthread_kill, (main, self.last))
        again.daemon = True
        again.start()

    def _handle(self, number: int, frame: FrameType | None) -> None:
        self.last = number
        if self._in_hook:
            self._signal_again()
            return
        if self._held is not None:
            self._held = True
            return
        if self.running is None or self.stopping:
            self.insisting = True
            raise KeyboardInterrupt
        self.stopping = True
        self.running.stop()

    @contextlib.contextmanager
    def stopping_first(self, running: Stoppable) -> Iterator[None]:
        """While inside, the first signal only requests a stop."""
        self.running = running
        try:
            yield
        finally:
            self.running = None

    def forget(self) -> None:
        """Start over: the next signal counts as the first."""
        self.stopping = self.insisting = False

    @contextlib.contextmanager
    def held(self) -> Iterator[None]:
        """While inside, a signal waits for the end, so that nothing is left half done."""
        self._held = False
        try:
            yield
        finally:
            came, self._held = self._held, None
        if came:
            self.insisting = True
            raise KeyboardInterrupt

    @contextlib.contextmanager
    def ending(self, search: Search) -> Iterator[Callable[[Search], str]]:
        """While inside, a signal ends the search; yields `until` for its run."""
        with self.stopping_first(search):
            yield lambda _: "interrupted" if self.stopping else ""
        if self.stopping and not search.root.resolved:
            search.stopped = "interrupted"
