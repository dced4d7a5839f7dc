# SPDX-License-Identifier: MIT
"""Jobs in progress, as the driver has them."""

from __future__ import annotations

from concurrent.futures import Future
from dataclasses import dataclass

from unbounded.cluster.facts import ContradictionError
from unbounded.cluster.job import Answer, Job
from unbounded.cluster.judging import Accepted
from unbounded.cluster.upper_graph import Node
from unbounded.game import UnboundedError


@dataclass
class Task:
    """A job in progress."""

    job: Job
    node: Node | None
    """None: a proof of a position that is settled; see `proof.py`."""
    worker: str
    began: float
    checking: Future[Accepted] | None = None
    answer: Answer | None = None


class ContradictedError(UnboundedError):
    """What was accepted contradicts what is known; nothing of it was written down."""

    def __init__(
        self, accepted: Accepted, task: Task, where: str, contradiction: ContradictionError
    ) -> None:
        self.job, self.worker, self.where = task.job.number, task.worker, where
        super().__init__(f"the answer of {where} to job {self.job} contradicts what is known")
        self.accepted, self.contradiction = accepted, contradiction
