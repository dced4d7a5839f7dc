# SPDX-License-Identifier: MIT
"""Another program as a process: lines in, lines out, and never left running."""

from __future__ import annotations

import contextlib
import os
import queue
import shutil
import signal
import subprocess
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable, Sequence
from typing import IO, TypeVar

from unbounded.game import UnboundedError, UsageError

GAME_FOLDERS = "/usr/games:/usr/local/games"
"""Where Debian installs games; they are not in every user's PATH."""
LONGEST_LINE = 1 << 16
MOST_WAITING = 1000
"""Lines that are read ahead; a program that writes more has to wait."""
LAST_LINES = 5
"""How many lines of its output and of its errors are shown when a program fails."""
MANNERS_SECONDS = 0.5
"""How long a program may take to end before it is killed."""

WATCHING = 'read -r _; kill -KILL "-$0"'
"""For a shell: wait for the end of the input, which is ours, and kill a group of processes."""

T = TypeVar("T")


class ProgramError(UnboundedError):
    """A program that died, did not answer in time, or answered what cannot be understood."""


class IllegalMoveError(ProgramError):
    """A program chose a move that is not legal."""


def find_program(name: str, package: str | None = None) -> str:
    """Return the path of a program, or raise a `UsageError` that names its Debian package."""
    path = shutil.which(name) or shutil.which(name, path=GAME_FOLDERS)
    if path is None:
        what = "it" if package is None else f"the Debian package {package}"
        raise UsageError(f"there is no program {name!r}: install {what}, or give its path")
    return path


class Program:
    """A running program. It ends when this object is closed or dropped, or when we end."""

    def __init__(self, name: str, command: Sequence[str]) -> None:
        self.name = name
        words = [find_program(command[0]), *command[1:]]
        try:
            self._process = _start(words)
        except OSError as error:
            raise UsageError(f"{name} cannot be started: {error.strerror}") from None
        self._lines: queue.Queue[str | None] = queue.Queue(MOST_WAITING)
        self._errors: deque[str] = deque(maxlen=LAST_LINES)
        self._heard: deque[str] = deque(maxlen=LAST_LINES)
        closed = threading.Event()
        # The threads must not know this object, or it would never be dropped.
        streams = self._process.stdout, self._process.stderr
        takers = _queue_lines(self._lines, closed), _keep_last(self._errors)
        self._readers = [
            threading.Thread(target=_read, args=(stream, take), daemon=True, name=name)
            for stream, take in zip(streams, takers, strict=True)
        ]
        for reader in self._readers:
            reader.start()
        watch = _watch(self._process)
        self._finalizer = weakref.finalize(self, _end, self._process, watch, closed)

    @property
    def pid(self) -> int:
        """The number of the process, which is also the number of its group."""
        return self._process.pid

    def close(self) -> None:
        """End the program."""
        self._finalizer()

    def send(self, line: str) -> None:
        """Write a line. Also called by signal handlers, so it takes no lock."""
        assert self._process.stdin is not None
        try:
            os.write(self._process.stdin.fileno(), f"{line}\n".encode())
        except (OSError, ValueError):  # it died, or was closed: the next answer will say so
            return

    def wait_for(self, wanted: Callable[[str], T | None], seconds: float, question: str) -> T:
        """Read lines until `wanted` makes something of one; `question` is for error messages."""
        deadline = time.monotonic() + seconds
        self._heard.clear()
        while (left := deadline - time.monotonic()) > 0:
            try:
                line = self._lines.get(timeout=left)
            except queue.Empty:
                break
            if line is None:
                self._lines.put(None)  # for whoever asks again
                raise self.error(f"{self._death()} when asked {question!r}")
            self._heard.append(line)
            found = wanted(line)
            if found is not None:
                return found
        raise self.error(f"did not answer {question!r} within {seconds:g} s")

    def error(self, problem: str) -> ProgramError:
        """Make an error that says what the program wrote last."""
        return ProgramError(f"{self.name} {problem}{self.last_words()}")

    def last_words(self) -> str:
        """The last lines that were read, of its output and of its errors."""
        kinds = (("it answered", list(self._heard)), ("on stderr", list(self._errors)))
        said = [f"; {kind}: {' / '.join(map(_shown, lines))}" for kind, lines in kinds if lines]
        return "".join(said) or "; it wrote nothing"

    def _death(self) -> str:
        try:
            status = self._process.wait(MANNERS_SECONDS)
        except subprocess.TimeoutExpired:
            return "closed its output"
        self._readers[1].join(MANNERS_SECONDS)  # its last words
        if status >= 0:
            return f"ended with exit status {status}"
        return f"was killed by {signal.Signals(-status).name}"


def _shown(line: str) -> str:
    """A line for an error message: short, and without what a terminal would obey."""
    return "".join(x if x.isprintable() else "?" for x in line[:200])


def _start(words: Sequence[str]) -> subprocess.Popen[bytes]:
    # In a group of its own: Ctrl-C is for us, and its own children end with it.
    return subprocess.Popen(  # noqa: S603 - the user's own command
        words,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        process_group=0 if os.name == "posix" else -1,
    )


def _watch(process: subprocess.Popen[bytes]) -> subprocess.Popen[bytes] | None:
    """Start a shell that kills a program with its group if we are killed, where there is one."""
    if os.name != "posix":
        return None
    # Nobody else has the other end of its input, so that it ends when we do, in whatever way.
    with contextlib.suppress(OSError):  # no more processes: go without it
        return subprocess.Popen(  # noqa: S603 - our own command
            ["/bin/sh", "-c", WATCHING, str(process.pid)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            process_group=0,
        )
    return None


def _queue_lines(
    lines: queue.Queue[str | None], closed: threading.Event
) -> Callable[[str | None], None]:
    """Make a function that puts lines into a queue, and waits while it is full."""

    def take(line: str | None) -> None:
        while not closed.is_set():
            with contextlib.suppress(queue.Full):
                lines.put(line, timeout=0.1)
                return

    return take


def _keep_last(lines: deque[str]) -> Callable[[str | None], None]:
    """Make a function that keeps the last lines, and ignores the end."""
    return lambda line: None if line is None else lines.append(line)


def _read(stream: IO[bytes], take: Callable[[str | None], None]) -> None:
    """Read lines to the end of a stream; None is its end."""
    with stream:
        while line := stream.readline(LONGEST_LINE):
            take(line.decode("utf-8", "replace").rstrip("\r\n"))
    take(None)


def _end(
    process: subprocess.Popen[bytes],
    watch: subprocess.Popen[bytes] | None,
    closed: threading.Event,
) -> None:
    """End a program with its group, politely if it lets us."""
    closed.set()
    assert process.stdin is not None
    with contextlib.suppress(OSError):
        process.stdin.close()
    _signal(process, signal.SIGTERM)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(MANNERS_SECONDS)
    _signal(process, getattr(signal, "SIGKILL", signal.SIGTERM))
    if watch is not None:
        watch.kill()
        watch.wait()
        assert watch.stdin is not None
        watch.stdin.close()
    process.wait()


def _signal(process: subprocess.Popen[bytes], number: int) -> None:
    with contextlib.suppress(OSError):  # it has ended
        if os.name == "posix":
            os.killpg(process.pid, number)
        else:
            process.terminate()
