# SPDX-License-Identifier: MIT
"""Workers that live in this process: truthful ones, ones that guess, and liars."""

from __future__ import annotations

import time
from collections.abc import Callable
from random import Random
from typing import Any

from unbounded.cluster.facts import Bounds, Scale, claim_texts
from unbounded.cluster.job import Answer, Job
from unbounded.cluster.worker import SolvingOrders, Worker
from unbounded.cluster.workers import Report

Work = Callable[[Job], Answer]


class InProcess:
    """So many workers, whose jobs are done one after the other when the driver waits."""

    def __init__(self, work: Work, count: int = 2, seed: int = 0) -> None:
        self._work, self._count, self._random = work, count, Random(seed)
        self.jobs: dict[int, tuple[str, Job]] = {}
        self.cancelled: list[int] = []
        self.replaced: list[int] = []

    def free(self) -> int:
        return self._count - len(self.jobs)

    def count(self) -> int:
        return self._count

    def start(self, job: Job) -> str:
        busy = {name for name, _ in self.jobs.values()}
        names = (f"worker {n}" for n in range(self._count))
        name = next(name for name in names if name not in busy)
        self.jobs[job.number] = name, job
        return name

    def wait(self, seconds: float) -> list[Report]:
        if not self.jobs:
            time.sleep(0.002)
            return []
        number = self._random.choice(list(self.jobs))
        name, job = self.jobs.pop(number)
        return [Report(number, name, self._work(job))]

    def cancel(self, job: int) -> None:
        self.cancelled.append(job)
        self.jobs.pop(job, None)

    def replace(self, job: int) -> None:
        self.replaced.append(job)
        self.jobs.pop(job, None)


class Oracle:
    """Answers from a table of true values; some jobs are left open, as real ones are."""

    def __init__(self, scale: Scale, value: Callable[[bytes], Any], seed: int) -> None:
        """value: the worth of a state for the first player, or the worths of an equilibrium."""
        self._scale, self._value, self._random = scale, value, Random(seed)

    def __call__(self, job: Job) -> Answer:
        value = self._value(job.state)
        fact: Any = value
        if self._scale.zero_sum:
            unknown = self._scale.unknown
            assert isinstance(unknown, Bounds)
            low = value if self._random.random() < 0.6 else unknown.low
            high = value if self._random.random() < 0.6 else unknown.high
            fact = Bounds(low, high)
        elif self._random.random() < 0.5:
            fact = None
        guess = tuple(self._random.uniform(-1, 1) for _ in range(self._scale.players))
        claims = claim_texts(fact, self._scale)
        return Answer(job.number, claims, None, guess, (guess,) * 3, (), 1, 0.1, "here")


def real(orders: SolvingOrders, count: int = 2, seed: int = 0) -> InProcess:
    """Workers that solve, each with a search of its own."""
    workers = [Worker(orders) for _ in range(count)]
    return InProcess(lambda job: workers[job.number % count].work(job), count, seed)
