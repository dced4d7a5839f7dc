# SPDX-License-Identifier: MIT
"""Work that is shared by processes, where each piece may bring more."""

from __future__ import annotations

import contextlib
import multiprocessing
import signal
from collections import deque
from collections.abc import Callable, Generator
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from typing import Any, TypeVar

from unbounded.game import UnboundedError

T = TypeVar("T")
R = TypeVar("R")


def completed(
    waiting: deque[T], work: Callable[[T], R], jobs: int
) -> Generator[tuple[T, R], None, None]:
    """Yield each item with what `work` makes of it, in any order, until there are none.

    Items may be added meanwhile. With one job the work is done in this process; else what is sent
    to the others and back is pickled. An error in one of them is raised here, and ends them all,
    as closing the generator does.
    """
    if jobs > 1:
        yield from _by_processes(waiting, work, jobs)
    while waiting:
        item = waiting.popleft()
        yield item, work(item)


def _by_processes(
    waiting: deque[T], work: Callable[[T], R], jobs: int
) -> Generator[tuple[T, R], None, None]:
    processes: list[SpawnProcess] = []
    idle: list[Connection] = []
    busy: dict[Connection, T] = {}
    try:
        while waiting or busy:
            while waiting and len(busy) < jobs:
                connection = idle.pop() if idle else start(work, processes)
                busy[connection] = waiting.popleft()
                with contextlib.suppress(OSError):  # it has ended, which is noticed below
                    connection.send(busy[connection])
            ready = set(wait(list(busy)))
            for connection in [each for each in busy if each in ready]:
                item = busy.pop(connection)
                yield item, _received(connection)
                idle.append(connection)
    finally:
        for process in processes:
            process.terminate()
        for process in processes:
            process.join()


def start(work: Callable[[T], R], processes: list[SpawnProcess]) -> Connection:
    """Start a process that does `work` for each item it is sent; returns the connection to it.

    It is added to `processes`. It gets no Ctrl-C, since whoever started it ends it.
    """
    context = multiprocessing.get_context("spawn")  # threads and a fork do not go together
    ours, theirs = context.Pipe()
    process = context.Process(target=_serve, args=(theirs, work), daemon=True)
    resource_tracker.ensure_running()  # else the first start would do so, and unblock the signal
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # which is inherited
    try:
        process.start()
        processes.append(process)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    theirs.close()
    return ours


def _serve(connection: Connection, work: Callable[[Any], Any]) -> None:
    with contextlib.suppress(EOFError, OSError):  # the other process has ended
        while True:
            item = connection.recv()
            try:
                result = work(item)
            except Exception as error:
                result = error
            connection.send(result)


def _received(connection: Connection) -> Any:
    try:
        result = connection.recv()
    except (EOFError, OSError) as error:
        raise UnboundedError("a process has ended; was there too little memory?") from error
    if isinstance(result, Exception):
        raise result
    return result
