# SPDX-License-Identifier: MIT
"""The process that runs the tools: it can be ended at any time, and no game is lost with it."""

from __future__ import annotations

import contextlib
import functools
import multiprocessing
import os
import threading
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from typing import Any

from unbounded.interfaces.mcp.answers import Answer
from unbounded.interfaces.mcp.limits import Limits
from unbounded.interfaces.mcp.tools import Call, find_tool
from unbounded.solving.processes import start


@dataclass(frozen=True)
class Reply:
    """What a call has led to."""

    answer: Answer | None = None
    data: dict[str, Any] | None = None
    """The game as it is now; None if there is none any more."""
    error: str = ""


Work = Callable[[tuple[str, Call] | None], Reply]
"""What the process does with a call; with None it says that it is ready."""


class Worker:
    """Runs calls one after the other in a process of its own, which is started when needed."""

    def __init__(self, limits: Limits, work: Work | None = None) -> None:
        self._limits = limits
        self._work = work or run_tool
        self._process: SpawnProcess | None = None
        self._connection: Connection | None = None
        self._running = threading.Lock()

    def run(self, name: str, call: Call, canceled: threading.Event | None = None) -> Reply:
        """Run a tool; where the process dies or the call does not end, that is the reply.

        Another thread cancels the call by setting `canceled`, and then by `end`.
        """
        with self._running:
            return self._run(name, call, canceled)

    def _run(self, name: str, call: Call, canceled: threading.Event | None) -> Reply:
        limit = self._limits.seconds + self._limits.grace
        process: SpawnProcess | None = None
        try:
            process, connection = self._started()
            if canceled is not None and canceled.is_set():  # while the process was starting
                raise EOFError
            connection.send((name, call))
            if connection.poll(limit):
                return _received(connection)
            problem = f"{name} did not end within {limit:g} seconds and was stopped"
        except (EOFError, OSError):
            allowed = f"{self._limits.memory >> 20:,}M of memory that are allowed here"
            problem = f"{name} needed more than the {allowed}, or was stopped"
        if process is self._process:  # else it was ended by another thread, and there is a new one
            self.end()
        return Reply(error=f"{problem}; the game is as it was")

    def end(self) -> None:
        """End the process, and with it the call that it works on; also from another thread."""
        process, self._process, self._connection = self._process, None, None
        if process is not None:
            process.kill()
            process.join()

    def _started(self) -> tuple[SpawnProcess, Connection]:
        """The process and the connection to it; a new one where there is none."""
        if self._process is None or self._connection is None or not self._process.is_alive():
            self.end()
            processes: list[SpawnProcess] = []
            connection = start(self._work, processes)
            self._process, self._connection = processes[0], connection
            connection.send(None)
            connection.recv()  # starting it is not part of the first call
        return self._process, self._connection


def _received(connection: Connection) -> Reply:
    reply: Reply | Exception = connection.recv()
    if isinstance(reply, Exception):  # `work` turns its own into replies
        return Reply(error=f"{type(reply).__name__}: {reply}")
    return reply


# -- in the process --------------------------------------------------------------------------------


def run_tool(request: tuple[str, Call] | None) -> Reply:
    """Run a tool; every failure becomes a text."""
    if request is None:
        return Reply()
    name, call = request
    _confine(call.limits.memory)
    try:
        answer = find_tool(name).run(call)
    except MemoryError:
        allowed = f"{call.limits.memory >> 20:,}M of memory that are allowed here"
        return Reply(error=f"{name} needed more than the {allowed}")
    except Exception as error:
        from unbounded.native.failures import error_text  # slow: it needs the core

        return Reply(error=error_text(error))
    return Reply(answer, call.data)


@functools.cache
def _confine(memory: int) -> None:
    """Let the process have no more memory, and end with the one that started it."""
    with contextlib.suppress(ImportError, ValueError, OSError):  # not on every system
        import resource

        resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))
    parent = multiprocessing.parent_process()
    if parent is not None:

        def watch() -> None:
            wait([parent.sentinel])
            os._exit(1)

        threading.Thread(target=watch, daemon=True).start()
