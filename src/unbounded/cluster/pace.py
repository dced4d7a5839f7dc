# SPDX-License-Identifier: MIT
"""How much work a job is."""

from __future__ import annotations

from dataclasses import dataclass

from unbounded.cluster.job import Job
from unbounded.cluster.upper_graph import Node


@dataclass(frozen=True)
class Pace:
    """How much work a job is."""

    seconds: float = 30.0
    """Of a job deep in the graph."""
    first: float = 2.0
    """Of the first job; each move below the root doubles it."""
    tries: float = 4.0
    """How many times `seconds` a position gets before it is expanded, as long as there are enough
    others to work on: it costs less to go on with a search than to begin several new ones."""
    patience: float = 60.0
    """Seconds that an answer may be late, beside 15 times the seconds of its job."""

    def seconds_for(self, node: Node) -> float:
        """The budget of the next job about a position: twice that of its parent, or as before."""
        at_first = self.first * 2.0 ** min(node.depth, 60)
        return min(self.seconds, max(at_first, node.spent))

    def is_enough(self, spent: float) -> bool:
        """Whether a position that is still open should be expanded."""
        return spent >= self.tries * self.seconds

    def deadline(self, job: Job) -> float:
        """Seconds after which a worker that has not answered is replaced."""
        return self.patience + 15 * job.seconds
