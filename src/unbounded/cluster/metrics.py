# SPDX-License-Identifier: MIT
"""How far a run is, as metrics of Ray, which its dashboard and Prometheus show."""

from __future__ import annotations

import time
from typing import Any

from unbounded.cluster.driver import Driver
from unbounded.cluster.facts import Bounds
from unbounded.cluster.seldom import Seldom

BETWEEN = 2.0
"""Seconds between two publications."""
NAMES = {
    "unbounded_jobs_running": "Jobs in progress",
    "unbounded_jobs_waiting": "Positions that wait for a job",
    "unbounded_jobs_done": "Jobs that were answered, in this run",
    "unbounded_jobs_refused": "Answers that were refused, in this run",
    "unbounded_states_per_second": "States searched per second, by all workers",
    "unbounded_share_settled": "A guess of how much of the proof is done",
    "unbounded_root_least": "The least outcome that the first player can still get",
    "unbounded_root_most": "The greatest outcome that the first player can still get",
}


class Metrics:
    """Publishes the numbers of a driver."""

    def __init__(self) -> None:
        from ray.util.metrics import Gauge

        self._gauges: dict[str, Any] = {
            name: Gauge(name, description=text) for name, text in NAMES.items()
        }
        self._times = Seldom(BETWEEN)

    def publish(self, driver: Driver) -> None:
        """Publish, unless that was done a moment ago."""
        if not self._times.is_due():
            return
        with self._times:
            for name, value in numbers(driver).items():
                self._gauges[name].set(value)


def numbers(driver: Driver) -> dict[str, float]:
    """What is published."""
    graph, counts = driver.graph, driver.counts
    seconds = max(1e-3, time.monotonic() - driver.began)
    fact = graph.root.fact
    low, high = (fact.low[0], fact.high[0]) if isinstance(fact, Bounds) else (-1, 1)
    if isinstance(fact, tuple):
        low = high = fact[0][0]
    values = (
        len(driver.tasks),
        max(0, graph.leaves - len(driver.tasks)),
        counts.solved + counts.open,
        counts.refused,
        counts.states / seconds,
        graph.share_settled(),
        low,
        high,
    )
    return dict(zip(NAMES, map(float, values), strict=True))
