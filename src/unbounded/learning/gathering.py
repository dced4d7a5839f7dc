# SPDX-License-Identifier: MIT
"""Many searches that share one evaluation in Python: it is called once for all that wait for it.

A network that runs in PyTorch or ONNX Runtime is fast on large batches only, and one search asks
for the children of one state at a time. So every search runs in a thread of its own, and the
evaluation is called when all of them wait.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

from unbounded.evaluation import BatchEvaluator
from unbounded.game import RecordGame

Task = TypeVar("Task")
Result = TypeVar("Result")

WORKERS = 64
_SECONDS_BETWEEN_LOOKS = 0.1
"""How soon Ctrl-C is noticed."""


class _AbandonedError(Exception):
    """Another search failed, so this one ends too."""


class _Request:
    """The states of one search, and their values as soon as they are known."""

    def __init__(self, states: list[Any]) -> None:
        self.states = states
        self.values: Any = None
        self.answered = threading.Event()


class Gathered:
    """An evaluation for searches in several threads, to be given to all of them as a function."""

    def __init__(self, evaluate: BatchEvaluator, workers: int) -> None:
        self._evaluate, self._active = evaluate, workers
        self._by_bytes = isinstance(evaluate.game, RecordGame)
        self._lock = threading.Lock()
        self._waiting: list[_Request] = []
        self.failure: BaseException | None = None

    def __call__(self, states: Any) -> Any:
        """Return the values of some states, together with those that other threads ask for."""
        request = _Request([x.tobytes() for x in states] if self._by_bytes else list(states))
        with self._lock:
            self._waiting.append(request)
            self._answer_if_all_wait()
        request.answered.wait()
        if request.values is None:
            raise _AbandonedError
        return request.values

    def leave(self, failure: BaseException | None = None) -> None:
        """Count one thread less; a failure ends all others too."""
        with self._lock:
            self._active -= 1
            self.failure = self.failure or failure
            self._answer_if_all_wait()

    def abandon(self, failure: BaseException) -> None:
        """End all searches."""
        with self._lock:
            self.failure = self.failure or failure
            self._answer_if_all_wait()

    def _answer_if_all_wait(self) -> None:
        requests = self._waiting
        if not requests or (len(requests) < self._active and self.failure is None):
            return
        self._waiting = []
        try:
            if self.failure is None:
                values = self._evaluate([state for each in requests for state in each.states])
                first = 0
                for each in requests:
                    each.values = values[first : first + len(each.states)]
                    first += len(each.states)
        except BaseException as error:
            self.failure = error
        finally:
            for each in requests:
                each.answered.set()


def gather(
    evaluate: BatchEvaluator,
    tasks: Sequence[Task],
    work: Callable[[Gathered, Task], Result],
    done: Callable[[int], None] | None = None,
) -> list[Result]:
    """Do every task in one of several threads; return the results in the order of the tasks."""
    workers = min(WORKERS, len(tasks))
    gathered, results = Gathered(evaluate, workers), dict[int, Result]()
    threads = [
        threading.Thread(
            target=_worker, args=(gathered, list(enumerate(tasks))[k::workers], work, results)
        )
        for k in range(workers)
    ]
    for thread in threads:
        thread.start()
    try:
        for thread in threads:
            while thread.is_alive():
                thread.join(_SECONDS_BETWEEN_LOOKS)
                if done is not None:
                    done(len(results))
    except BaseException as error:  # Ctrl-C, which is raised in the main thread
        gathered.abandon(error)
        for thread in threads:
            thread.join()
        raise
    if gathered.failure is not None:
        raise gathered.failure
    return [results[k] for k in range(len(tasks))]


def _worker(
    gathered: Gathered,
    tasks: Iterable[tuple[int, Task]],
    work: Callable[[Gathered, Task], Result],
    results: dict[int, Result],
) -> None:
    failure: BaseException | None = None
    try:
        for number, task in tasks:
            if gathered.failure is not None:
                break
            results[number] = work(gathered, task)
    except _AbandonedError:
        pass
    except BaseException as error:
        failure = error
    finally:
        gathered.leave(failure)
