# SPDX-License-Identifier: MIT
"""Solving on a real Ray: workers are killed, lie, never answer; machines come and go."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from soaking import repeated

import unbounded as ub
from unbounded.cluster import metrics, on_ray, ray_connection
from unbounded.cluster.claims_file import ClaimsFile
from unbounded.cluster.driver import Driver, Pace
from unbounded.cluster.job import Job
from unbounded.cluster.on_ray import ActorWorker, RayWorkers
from unbounded.cluster.ray_connection import Watch
from unbounded.cluster.solving import ClusterOptions, Outcome, orders_for, solve_with_claims
from unbounded.cluster.workers import Report
from unbounded.game import UnboundedError, UsageError
from unbounded.solving.verification import verify

ray = pytest.importorskip("ray", reason="Ray is not installed: pip install 'unbounded[ray]'")
Gauge = pytest.importorskip("ray.util.metrics").Gauge

GAME = ub.load_game("connect-four(4,4)")
LARGE = ub.load_game("connect-four(7,6)")
ORDERS = orders_for(GAME, {}, ClusterOptions())
KILLS = repeated(2, soak=200)
MOST_BYTES = 1_000_000


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """A Ray of two machines, as far as Ray knows, with one core each."""
    from ray.cluster_utils import Cluster

    ray.cloudpickle.register_pickle_by_value(sys.modules[__name__])  # workers cannot import it
    made = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    made.add_node(num_cpus=1)
    ray.init(made.address, log_to_driver=False)
    yield made
    ray.shutdown()
    made.shutdown()


def job(number: int, seconds: float = 0.05, game: Any = GAME) -> Job:
    return Job(number, (), game.initial(), ((-1, 0.0), (1, 0.0)), seconds, 0)


def reports(workers: RayWorkers, until: Callable[[list[Report]], bool]) -> list[Report]:
    """What the workers report, until it is enough."""
    found: list[Report] = []
    end = time.monotonic() + 300
    while not until(found):
        assert time.monotonic() < end, found
        found += workers.wait(0.1)
    return found


def get_free(workers: RayWorkers, count: int = 1) -> None:
    reports(workers, lambda _: workers.free() >= count)


def answer_of(workers: RayWorkers, number: int, **about: Any) -> Report:
    """Have a job done by a worker that is free."""
    get_free(workers)
    workers.start(job(number, **about))
    (report,) = reports(workers, bool)
    assert report.job == number
    return report


# -- a whole run -----------------------------------------------------------------------------------


@dataclass
class Run:
    """A run with two workers, each on a machine of its own, of which one was killed."""

    path: Path
    said: list[str] = field(default_factory=list)
    killed: list[int] = field(default_factory=list)
    published: dict[str, float] = field(default_factory=dict)
    """The metrics, as Ray was given them last."""
    outcome: Outcome | None = None

    def go(self) -> None:
        workers: list[RayWorkers] = []
        gauges = metrics.Metrics()

        def make(orders: Any) -> RayWorkers:
            workers.append(RayWorkers(orders, workers=2, tell=self.said.append))
            return workers[0]

        def progress(driver: Driver) -> None:
            gauges.publish(driver)
            self._kill_one(driver)

        options = ClusterOptions(pace=Pace(0.0005, 0.0005, tries=1))
        self.outcome = solve_with_claims(
            GAME, self.path, make, options=options, progress=progress, tell=self.said.append
        )
        workers[0].close()

    def _kill_one(self, driver: Driver) -> None:
        places = [status.where for status in driver.by_worker.values() if status.where]
        if not self.killed and driver.counts.begun >= 3 and places:
            self.killed.append(int(re.findall(r"process (\d+)", places[0])[0]))
            os.kill(self.killed[0], signal.SIGKILL)


@pytest.fixture(scope="module")
def run(cluster: Any, tmp_path_factory: pytest.TempPathFactory) -> Run:
    made = Run(tmp_path_factory.mktemp("run") / "claims")
    with pytest.MonkeyPatch.context() as patch:
        sets = Gauge.set

        def spied(gauge: Any, value: float) -> None:
            made.published[gauge.info["name"]] = value
            sets(gauge, value)

        patch.setattr(Gauge, "set", spied)
        patch.setattr(metrics, "BETWEEN", 0.0)
        made.go()
    return made


def test_two_workers_solve_a_game_though_one_is_killed(run: Run) -> None:
    outcome = run.outcome
    assert outcome is not None and outcome.resolved and outcome.outcome == (0, 0)
    assert outcome.proof is not None
    verdict = verify(outcome.proof, GAME)
    assert [claim.relation for claim in verdict.header.claims] == [">=", "<="]
    assert [claim.worth[0][0] for claim in verdict.header.claims] == [0, 0]
    assert run.killed and any("died and is replaced" in line for line in run.said)
    with ClaimsFile.read(run.path) as file:
        by = {worker for worker, *_ in file.workers()}
    assert {name.partition(" (")[0] for name in by} == {"worker 1", "worker 2"}


def test_its_numbers_were_metrics_of_ray(run: Run) -> None:
    found = run.published
    assert set(found) == set(metrics.NAMES)
    assert found["unbounded_jobs_done"] > 0 and found["unbounded_states_per_second"] > 0
    assert found["unbounded_jobs_refused"] == 0 and found["unbounded_share_settled"] == 1
    assert found["unbounded_root_least"] == found["unbounded_root_most"] == 0


def test_commands_that_are_killed_are_continued(tmp_path: Path) -> None:
    """The command line, in processes of its own; `killed_clusters.py` has the checks."""
    program = Path(__file__).with_name("killed_clusters.py")
    command = [sys.executable, str(program), str(tmp_path / "runs"), str(KILLS)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-5000:]
    seen = json.loads(done.stdout)
    assert sum(seen["kills"].values()) == KILLS and seen["kills"]["driver"] >= 1
    assert seen["solved"] >= 1 and seen["claims"] > 0 and seen["runs"] > seen["kills"]["driver"]


# -- machines that come and go ---------------------------------------------------------------------


class Patient(ActorWorker):
    """Works until it is told to stop."""

    def __init__(self, orders: Any) -> None:
        super().__init__(orders)
        self._told = threading.Event()

    def work(self, job: Job) -> Any:
        self._told.wait()
        return super().work(job)

    def stop(self, job: int) -> None:
        self._told.set()


def test_workers_follow_the_size_of_the_cluster(
    cluster: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(on_ray, "BETWEEN_LOOKS", 0.1)
    workers = RayWorkers(ORDERS, actor=Patient)
    get_free(workers, 2)
    assert workers.count() == 2
    node = cluster.add_node(num_cpus=1)
    get_free(workers, 3)
    assert workers.count() == 3
    names = {workers.start(job(number)) for number in (1, 2, 3)}
    cluster.remove_node(node)
    (lost,) = reports(workers, bool)
    assert lost.worker_died and lost.worker in names
    reports(workers, lambda _: workers.count() == 2)
    for seat in workers._seats:
        seat.actor.stop.remote(0)
    done = reports(workers, lambda found: len(found) == 2)
    assert {one.job for one in done} == {1, 2, 3} - {lost.job} and all(x.answer for x in done)
    workers.start(job(lost.job))  # again, where there is room
    (again,) = reports(workers, bool)
    assert again.answer and again.job == lost.job
    workers.close()


# -- workers that lie, fail, or never answer -------------------------------------------------------

HUGE, RAISES, GARBAGE, UNREADABLE, DIES, SILENT = range(1001, 1007)


class Unreadable:
    """An answer that fails while it is read."""

    def __reduce__(self) -> Any:
        return (int, ("not a number",))


class Liar(ActorWorker):
    """Answers by the number of the job."""

    def work(self, job: Job) -> Any:
        match job.number:
            case 1001:
                return b"x" * (MOST_BYTES + 1)
            case 1002:
                raise KeyError("no such thing")
            case 1003:
                return {"job": job.number}
            case 1004:
                return Unreadable()
            case 1005:
                os._exit(3)
            case 1006:
                time.sleep(1e6)
        return super().work(job)


@pytest.fixture(scope="module")
def liar(cluster: Any) -> Iterator[tuple[RayWorkers, list[str]]]:
    said: list[str] = []
    made = RayWorkers(ORDERS, workers=1, most_bytes=MOST_BYTES, tell=said.append, actor=Liar)
    yield made, said
    made.close()


@pytest.mark.parametrize(
    ("number", "why"),
    [
        (RAISES, "'no such thing'"),
        (GARBAGE, "it answers something that is not an answer"),
        (UNREADABLE, "not a number"),
    ],
)
def test_bad_answers_are_reported_and_the_worker_goes_on(
    liar: tuple[RayWorkers, list[str]], number: int, why: str
) -> None:
    workers, _ = liar
    before = answer_of(workers, number - 1000)
    report = answer_of(workers, number)
    assert report.answer is None and why in report.failure and not report.worker_died
    after = answer_of(workers, number - 900)
    assert before.answer and after.answer and before.answer.where == after.answer.where


def test_an_answer_that_is_too_large_is_not_fetched(
    liar: tuple[RayWorkers, list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    workers, _ = liar
    fetched: list[Any] = []
    get = ray.get

    def spied(*given: Any, **more: Any) -> Any:
        fetched.append(get(*given, **more))
        return fetched[-1]

    monkeypatch.setattr(ray, "get", spied)
    report = answer_of(workers, HUGE)
    assert report.answer is None and "its answer has 1,000,0" in report.failure
    assert not any(isinstance(one, bytes) for one in fetched)
    assert answer_of(workers, 200).answer in fetched


def test_a_worker_that_dies_is_replaced(liar: tuple[RayWorkers, list[str]]) -> None:
    workers, said = liar
    report = answer_of(workers, DIES)
    assert report.worker_died and report.answer is None and "it died" in report.failure
    assert said[-1].startswith("worker 1 died and is replaced")
    assert answer_of(workers, 300).answer


def test_a_worker_that_never_answers_is_replaced(liar: tuple[RayWorkers, list[str]]) -> None:
    workers, _ = liar
    first = answer_of(workers, 400).answer
    workers.start(job(SILENT))
    assert workers.wait(0.5) == [] and workers.free() == 0
    workers.replace(SILENT)
    second = answer_of(workers, 401).answer
    assert first and second and first.where != second.where


def test_workers_that_only_die_end_the_run(cluster: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(on_ray, "MOST_FAILURES", 2)
    workers = RayWorkers(ORDERS, workers=1, actor=Liar)
    answer_of(workers, DIES)
    with pytest.raises(UsageError, match="2 workers in a row died on Ray"):
        answer_of(workers, DIES)
    workers.close()


@pytest.mark.parametrize("seconds", [0.0, 2.0])
def test_a_job_that_is_cancelled_frees_its_worker(cluster: Any, seconds: float) -> None:
    workers = RayWorkers(orders_for(LARGE, {}, ClusterOptions()), workers=1)
    first = answer_of(workers, 1, game=LARGE)
    workers.start(job(2, 1e6, LARGE))
    assert not seconds or workers.wait(seconds) == []
    workers.cancel(2)
    third = answer_of(workers, 3, game=LARGE)  # and nothing about the second
    assert first.answer and third.answer and first.answer.where == third.answer.where
    workers.close()


# -- Ray that cannot be used, or is gone -----------------------------------------------------------


def test_ray_that_does_not_start_is_an_error_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: Any, **__: Any) -> None:
        raise Exception("The current node timed out\nduring startup")

    monkeypatch.setattr(ray, "init", fails)
    monkeypatch.setattr(ray, "is_initialized", lambda: False)
    with pytest.raises(UsageError, match=r"cannot use Ray at ray=local: .* timed out during start"):
        ray_connection.connect("local")


def test_the_client_of_ray_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ray.util.client.ray, "is_connected", lambda: True)
    with pytest.raises(UsageError, match="on a machine of the cluster"):
        RayWorkers(ORDERS)


class _Head:
    """What a driver knows of the head of its cluster."""

    def __init__(self, address: str) -> None:
        self.gcs_address = address

    def get_node_id(self) -> str:
        return "here"


@pytest.fixture
def nothing_listens(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))  # not listening
        address = f"127.0.0.1:{free.getsockname()[1]}"
        monkeypatch.setattr(ray, "get_runtime_context", lambda: _Head(address))
        yield address


def test_a_local_head_that_is_gone_ends_the_run_at_once(nothing_listens: str) -> None:
    with pytest.raises(UnboundedError, match=f"{nothing_listens} is gone.*same command continues"):
        Watch(local=True).look()


def test_the_head_of_a_cluster_may_come_back(
    nothing_listens: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    now = [0.0]
    monkeypatch.setattr(ray_connection.time, "monotonic", lambda: now[0])
    watch = Watch(tell=said.append)
    assert not watch.look()
    now[0] += ray_connection.HEAD_SECONDS / 2
    assert not watch.look() and len(said) == 1 and "does not answer" in said[0]
    now[0] += ray_connection.HEAD_SECONDS
    with pytest.raises(UnboundedError, match="is gone"):
        watch.look()


@pytest.mark.parametrize("alive", [True, False])
def test_the_raylet_of_this_machine_must_be_alive(
    alive: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    nodes = [{"NodeID": "here", "Alive": alive}, {"NodeID": "there", "Alive": True}]
    with socket.create_server(("127.0.0.1", 0)) as head:
        address = f"127.0.0.1:{head.getsockname()[1]}"
        monkeypatch.setattr(ray, "get_runtime_context", lambda: _Head(address))
        monkeypatch.setattr(ray, "nodes", lambda: nodes)
        if alive:
            assert Watch().look()
        else:
            with pytest.raises(UnboundedError, match=r"raylet, is gone; what was proven is safe"):
                Watch().look()
