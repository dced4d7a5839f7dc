# SPDX-License-Identifier: MIT
"""Workers as Ray actors: each keeps its compiled rules and its search from job to job.

Ray places the actors by the cores and the memory that they ask for, starts them on machines that
join, and tells when one is gone. What a worker has not answered yet is all that can be lost.
"""

from __future__ import annotations

import contextlib
import re
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from unbounded.cluster.job import Answer, Job
from unbounded.cluster.ray_connection import CONTINUE, Watch, error_line
from unbounded.cluster.worker import SolvingOrders, Worker
from unbounded.cluster.workers import Report
from unbounded.game import UnboundedError, require

MOST_FAILURES = 5
"""Actors in a row, at one place, that may die before they have answered anything."""
BETWEEN_LOOKS = 2.0
"""Seconds between two looks at the size of the cluster, and at whether Ray is still there."""
MOST_WORKERS = 10_000
PLACING_SECONDS = 60.0
"""Without a worker, after which it is said what there is room for."""
CANCEL_SECONDS = 120.0
"""That a worker may take to end a job that was cancelled: it may be writing a certificate."""
BETWEEN_STOPS = 0.1
FETCH_SECONDS = 120.0
"""How long the transfer of an answer to this machine may take."""


@dataclass
class Seat:
    """The place of a worker; an actor that dies is replaced."""

    name: str
    actor: Any = None
    job: int | None = None
    call: Any = None
    """Of its readiness, or of its job; None: the worker is free."""
    cancelled: float | None = None
    """When its job was cancelled."""
    ready: bool = False
    """Whether Ray has placed it."""
    answers: int = 0
    failures: int = 0


class RayWorkers:
    """As many workers as the cluster has room for, or as were asked for."""

    def __init__(
        self,
        orders: SolvingOrders,
        *,
        cores: int = 1,
        workers: int | None = None,
        most_bytes: int = 1 << 30,
        local: bool = False,
        tell: Callable[[str], None] | None = None,
        actor: type[Any] | None = None,
    ) -> None:
        """cores: of each worker. workers: None means what the cluster has room for, as it grows.

        most_bytes: an answer that is larger is not even fetched. local: this process has started
        Ray. actor: another class than `ActorWorker`, with the same methods.
        """
        import ray

        require(
            not ray.util.client.ray.is_connected(),
            "solving by jobs cannot use Ray by its client, ray://HOST:PORT: run the command on a "
            "machine of the cluster, with `ray=auto`",
        )
        self._orders, self._cores, self._workers = orders, cores, workers
        self._most_bytes, self._tell = most_bytes, tell or (lambda _: None)
        self._watch = Watch(local=local, tell=self._tell)
        needs: dict[str, Any] = {"num_cpus": cores, "max_concurrency": 2}
        if orders.memory is not None:
            needs["memory"] = orders.memory
        self._remote = ray.remote(**needs)(actor or ActorWorker)
        self._seats: list[Seat] = []
        self._started, self._looked = 0, -BETWEEN_LOOKS
        self._waited = time.monotonic()
        self._ended: deque[Report] = deque()
        self._look()

    # -- what the driver uses ---------------------------------------------------------------------

    def free(self) -> int:
        """How many jobs could begin now."""
        return sum(seat.call is None for seat in self._seats)

    def count(self) -> int:
        """How many workers there are; not those that Ray has no room for."""
        return max(1, sum(seat.ready for seat in self._seats))

    def start(self, job: Job, preferred: str = "") -> str:
        """Give a job to a free worker, if possible to the preferred one; return its name."""
        free = [seat for seat in self._seats if seat.call is None]
        seat = next((seat for seat in free if seat.name == preferred), free[0])
        seat.job, seat.cancelled = job.number, None
        seat.call = seat.actor.work.remote(job)
        return seat.name

    def wait(self, seconds: float) -> list[Report]:
        """The jobs that have ended; wait so long for the first one."""
        import ray

        try:
            self._look()
            for seat in self._ready(seconds):
                self._take(seat)
        except ray.exceptions.RayError as error:
            raise UnboundedError(f"Ray is gone: {error_line(error)}; {CONTINUE}") from error
        reports = list(self._ended)
        self._ended.clear()
        return reports

    def _ready(self, seconds: float) -> list[Seat]:
        """The seats whose calls have ended; wait so long for the first one."""
        import ray

        calls = {seat.call: seat for seat in self._seats if seat.call is not None}
        if not calls:
            time.sleep(seconds)
            return []
        # Answers stay where they are until their size is known.
        ready, _ = ray.wait(list(calls), num_returns=len(calls), timeout=0, fetch_local=False)
        if not ready:
            ready, _ = ray.wait(list(calls), timeout=seconds, fetch_local=False)
        return [calls[call] for call in ready]

    def cancel(self, job: int) -> None:
        """Stop a job that is of no use any more; it is never reported."""
        seat = self._seat_of(job)
        if seat is not None:
            seat.cancelled = time.monotonic()
            seat.actor.stop.remote(job)

    def replace(self, job: int) -> None:
        """Stop the worker that has this job and does not answer, and start another one."""
        seat = self._seat_of(job)
        if seat is not None:
            self._end(seat)
            self._start(seat)

    def close(self) -> None:
        """End all workers."""
        for seat in self._seats:
            self._end(seat)
        self._seats = []

    # -- actors -----------------------------------------------------------------------------------

    def _seat_of(self, job: int) -> Seat | None:
        return next((seat for seat in self._seats if seat.job == job), None)

    def _look(self) -> None:
        """Have as many seats as there is room for."""
        import ray

        now = time.monotonic()
        if now - self._looked < BETWEEN_LOOKS:
            return
        self._looked = now
        if not self._watch.look():
            return
        wanted = self._workers or int(ray.cluster_resources().get("CPU", 1)) // self._cores
        wanted = max(1, min(wanted, MOST_WORKERS))
        while len(self._seats) < wanted:
            self._started += 1
            seat = Seat(f"worker {self._started}")
            self._seats.append(seat)
            self._start(seat)
        self._end_all_but(wanted)
        self._replace_stuck(now)
        if any(seat.ready for seat in self._seats):
            self._waited = now
        elif now - self._waited > PLACING_SECONDS:
            self._waited = now
            room = ray.available_resources()
            self._tell(
                f"Ray has no room for a worker yet: each takes {self._cores} cores"
                + (f" and {self._orders.memory:,} bytes" if self._orders.memory else "")
                + f"; free are {room.get('CPU', 0):g} cores and {room.get('memory', 0):,.0f} bytes"
            )

    def _replace_stuck(self, now: float) -> None:
        """Replace workers that do not end a job that was cancelled long ago."""
        for seat in self._seats:
            if seat.cancelled is not None and now - seat.cancelled > CANCEL_SECONDS:
                self._tell(f"{seat.name} does not end a cancelled job and is replaced")
                self._end(seat)
                self._start(seat)

    def _end_all_but(self, wanted: int) -> None:
        """End workers that there is no room for: those first that have no process yet."""
        idle = [seat for seat in self._seats if seat.job is None]
        idle.sort(key=lambda seat: seat.call is None)
        for seat in idle[: len(self._seats) - wanted]:
            self._end(seat)
        self._seats = [seat for seat in self._seats if seat.actor is not None]

    def _start(self, seat: Seat) -> None:
        seat.actor, seat.job, seat.answers = self._remote.remote(self._orders), None, 0
        seat.ready, seat.cancelled = False, None
        seat.call = seat.actor.ready.remote()

    def _end(self, seat: Seat) -> None:
        import ray

        with contextlib.suppress(ray.exceptions.RayError, ValueError):
            ray.kill(seat.actor)
        seat.actor = seat.call = seat.job = None

    def _take(self, seat: Seat) -> None:
        """Take what a call has brought."""
        import ray

        call, job, seat.call, seat.job = seat.call, seat.job, None, None
        try:
            answer = self._fetched(call)
        except ray.exceptions.RayTaskError as error:
            self._report(seat, job, None, error_line(error.cause or error))
        except _TooLargeError as error:
            self._report(seat, job, None, str(error))
        except _deaths() as error:
            self._report(seat, job, None, f"it died: {_reason(error)}", died=True)
            self._replace_dead(seat, _reason(error))
        except Exception as error:  # whatever the answer does when it is read
            self._report(seat, job, None, f"its answer cannot be read: {error_line(error)}")
        else:
            seat.ready = True
            if job is not None:
                seat.answers += 1
                seat.failures = 0
                good = isinstance(answer, Answer)
                failure = "" if good else "it answers something that is not an answer"
                self._report(seat, job, answer if good else None, failure)
        seat.cancelled = None

    def _fetched(self, call: Any) -> Any:
        import ray

        about = ray.experimental.get_object_locations([call], int(1000 * FETCH_SECONDS)).get(
            call, {}
        )
        size = about.get("object_size") or 0
        if size > self._most_bytes:
            raise _TooLargeError(f"its answer has {size:,} bytes, more than {self._most_bytes:,}")
        return ray.get(call, timeout=FETCH_SECONDS)

    def _report(
        self,
        seat: Seat,
        job: int | None,
        answer: Answer | None,
        failure: str,
        *,
        died: bool = False,
    ) -> None:
        if job is not None and seat.cancelled is None:
            self._ended.append(Report(job, seat.name, answer, failure, died))

    def _replace_dead(self, seat: Seat, why: str) -> None:
        seat.failures += seat.answers == 0
        require(
            seat.failures < MOST_FAILURES,
            f"{MOST_FAILURES} workers in a row died on Ray before they had answered: {why}. Is "
            "unbounded[ray] installed on every machine, in the same version?",
        )
        self._tell(f"{seat.name} died and is replaced: {why}")
        self._end(seat)
        self._start(seat)


class _TooLargeError(Exception):
    """An answer that is too large to be fetched."""


def _deaths() -> tuple[type[Exception], ...]:
    """What Ray raises if a worker is gone, or its machine with the answer."""
    from ray import exceptions as of_ray

    lost = of_ray.ObjectLostError, of_ray.NodeDiedError, of_ray.WorkerCrashedError
    return (of_ray.RayActorError, *lost)


def _reason(error: Exception) -> str:
    """Why an actor is dead, without Ray's advice."""
    said = error_line(error).rpartition("The actor is dead because ")[2]
    return re.split(r" Some common causes| Owner Id:", said)[0].strip().rstrip(".")


class ActorWorker:
    """A worker in a process of its own, which can be told to stop while it works."""

    def __init__(self, orders: SolvingOrders) -> None:
        self._worker = Worker(orders)
        self._job = self._stopped = 0

    def ready(self) -> None:
        """Answer, to show that the process is there."""

    def work(self, job: Job) -> Answer | None:
        """Do a job; None if it was stopped before it began."""
        self._job = job.number
        try:
            return None if self._stopped == job.number else self._worker.work(job)
        finally:
            self._job = 0

    def stop(self, job: int) -> None:
        """End a job that is in progress, or about to begin."""
        self._stopped = job
        while self._job == job:
            self._worker.stop(job)
            time.sleep(BETWEEN_STOPS)  # a search that was just beginning has not noticed
