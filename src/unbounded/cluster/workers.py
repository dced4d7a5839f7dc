# SPDX-License-Identifier: MIT
"""What the driver needs of those who do the jobs, wherever they are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from unbounded.cluster.job import Answer, Job


@dataclass(frozen=True)
class Report:
    """How a job has ended: with an answer, or without one."""

    job: int
    worker: str
    answer: Answer | None
    failure: str = ""
    """Why there is no answer."""
    worker_died: bool = False
    """The failure is the worker's, not the job's: another worker may do the job."""


class Workers(Protocol):
    """Processes that each do one job at a time."""

    def free(self) -> int:
        """How many jobs could begin now."""
        ...

    def count(self) -> int:
        """How many workers there are."""
        ...

    def start(self, job: Job, preferred: str = "") -> str:
        """Give a job to a free worker, if possible to the preferred one; return its name."""
        ...

    def wait(self, seconds: float) -> list[Report]:
        """The jobs that have ended; wait so long for the first one."""
        ...

    def cancel(self, job: int) -> None:
        """Stop a job that is of no use any more; it is never reported."""
        ...

    def replace(self, job: int) -> None:
        """Stop the worker that has this job and does not answer, and start another one."""
        ...
