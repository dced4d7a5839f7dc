# SPDX-License-Identifier: MIT
"""Lines of standard input for the event loop, which can stop waiting for the next one.

The reader of the SDK cannot: it waits in a thread that ends only with the input, and so would the
server after Ctrl-C.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import threading
from collections.abc import Iterator

AT_ONCE = 1 << 16
LONGEST_LINE = 4 << 20
"""Bytes; what is longer is replaced by an empty line, which no request is."""
MOST_UNREAD = 64
"""Lines that wait to be handled."""


class InputLines:
    """Reads a file descriptor in a thread of its own; an asynchronous iterator of its lines."""

    def __init__(self, file: int = 0) -> None:
        self._file = file
        self._loop = asyncio.get_running_loop()
        self._lines: asyncio.Queue[str | None] = asyncio.Queue()
        self._room = threading.Semaphore(MOST_UNREAD)
        threading.Thread(target=self._read, daemon=True, name="input").start()

    def __aiter__(self) -> InputLines:
        return self

    async def __anext__(self) -> str:
        line = await self._lines.get()
        if line is None:
            raise StopAsyncIteration
        self._room.release()
        return line

    def _read(self) -> None:
        with contextlib.suppress(RuntimeError):  # the loop has ended
            for line in lines_of(self._file):
                self._room.acquire()
                self._loop.call_soon_threadsafe(self._lines.put_nowait, line)
            self._loop.call_soon_threadsafe(self._lines.put_nowait, None)


def lines_of(file: int) -> Iterator[str]:
    """Yield the lines of a file descriptor, whatever bytes they are made of."""
    parts, size = list[bytes](), 0
    with contextlib.suppress(OSError):
        while data := os.read(file, AT_ONCE):
            *ended, rest = data.split(b"\n")
            for line in ended:
                whole = b"".join([*parts, line]) if size + len(line) <= LONGEST_LINE else b""
                parts, size = [], 0
                yield whole.decode("utf-8", "replace") + "\n"
            size += len(rest)
            parts = [*parts, rest] if size <= LONGEST_LINE else []
