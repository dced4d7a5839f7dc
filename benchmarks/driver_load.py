# SPDX-License-Identifier: MIT
"""How many workers one driver of `solve --ray` can keep busy, measured with jobs that do nothing.

`logic`: the driver alone, without Ray: its workers answer at once, and what is measured is the
processor time of a job, by size of the graph. `ray`: actors on a local Ray whose jobs sleep.

    python benchmarks/driver_load.py logic --jobs 20000
    python benchmarks/driver_load.py ray --workers 100 --sleep 10 --seconds 120
"""

from __future__ import annotations

import argparse
import resource
import shutil
import tempfile
import time
from pathlib import Path
from random import Random
from typing import Any

import unbounded as ub
from unbounded.cluster.driver import Driver, Pace
from unbounded.cluster.job import Answer, Job
from unbounded.cluster.solving import ClusterOptions, solve_with_claims
from unbounded.cluster.workers import Report

SHARE_SOLVED = 0.3
"""Of the jobs; the others are left open, so that the graph grows."""


def answer(job: Job, random: Random) -> Answer:
    """Leave a job open, or claim a draw: as long as no solved position is expanded, that fits."""
    claims = (">=0", "<=0") if len(job.moves) > 4 and random.random() < SHARE_SOLVED else ()
    guess = random.uniform(-1, 1)
    actions = tuple((x := random.uniform(-1, 1), -x) for _ in range(12))
    return Answer(job.number, claims, None, (guess, -guess), actions, (), 10**6, 1.0, "nowhere")


class Instant:
    """Workers that answer as soon as they are asked, so many at a time."""

    def __init__(self, count: int) -> None:
        self._count, self._random = count, Random(0)
        self._jobs: list[tuple[str, Job]] = []

    def free(self) -> int:
        return self._count - len(self._jobs)

    def count(self) -> int:
        return self._count

    def start(self, job: Job, preferred: str = "") -> str:
        self._jobs.append((f"worker {job.number % self._count}", job))
        return self._jobs[-1][0]

    def wait(self, seconds: float) -> list[Report]:
        # An eighth of them: others are in the middle of their jobs.
        done, self._jobs = self._jobs[: self._count // 8], self._jobs[self._count // 8 :]
        return [Report(job.number, name, answer(job, self._random)) for name, job in done]

    def cancel(self, job: int) -> None:
        self._jobs = [one for one in self._jobs if one[1].number != job]

    def replace(self, job: int) -> None:
        self.cancel(job)


class SleepingActor:
    """Jobs that sleep."""

    def __init__(self, orders: Any) -> None:
        self._random = Random()

    def ready(self) -> None:
        """Answer."""

    def work(self, job: Job) -> Answer:
        """Sleep as long as the job may take."""
        time.sleep(job.seconds)
        return answer(job, self._random)

    def stop(self, job: int) -> None:
        """Go on sleeping."""


class Stopwatch:
    """Prints what the driver has used, every so many jobs, and says when to stop."""

    def __init__(self, jobs: int, seconds: float) -> None:
        self._jobs, self._end = jobs, time.monotonic() + seconds
        self._done, self._step = 0, max(1, jobs // 10)
        self._cpu, self._wall, self._at = time.process_time(), time.monotonic(), 0
        print("   jobs  positions  jobs/s of CPU  jobs/s  memory MB")

    def __call__(self, driver: Driver) -> None:
        self._done = driver.counts.solved + driver.counts.open
        if self._done < self._at + self._step:
            return
        cpu, wall = time.process_time(), time.monotonic()
        jobs = self._done - self._at
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
        print(
            f"{self._done:7,} {len(driver.graph.nodes):10,} {jobs / (cpu - self._cpu):14.0f} "
            f"{jobs / (wall - self._wall):7.0f} {memory:10,}",
            flush=True,
        )
        self._cpu, self._wall, self._at = cpu, wall, self._done

    def over(self) -> bool:
        """Whether that is enough."""
        return self._done >= self._jobs or time.monotonic() > self._end


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=("logic", "ray"))
    parser.add_argument("--workers", type=int, default=1000)
    parser.add_argument("--jobs", type=int, default=10_000)
    parser.add_argument("--sleep", type=float, default=2.0, help="seconds of a job on Ray")
    parser.add_argument("--seconds", type=float, default=300.0)
    parser.add_argument("--game", default="connect-four")
    given = parser.parse_args()
    folder = Path(tempfile.mkdtemp())
    watch = Stopwatch(given.jobs, given.seconds)

    def workers(orders: Any) -> Any:
        if given.what == "logic":
            return Instant(given.workers)
        from unbounded.cluster.on_ray import RayWorkers

        return RayWorkers(orders, workers=given.workers, actor=SleepingActor)

    try:
        if given.what == "ray":
            import ray

            ray.init("local", num_cpus=given.workers, include_dashboard=False, log_to_driver=False)
        solve_with_claims(
            ub.load_game(given.game),
            folder / "load.claims",
            workers,
            options=ClusterOptions(trust="all", pace=Pace(given.sleep, given.sleep, tries=1)),
            stop=watch.over,
            progress=watch,
        )
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
