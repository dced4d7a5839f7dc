# SPDX-License-Identifier: MIT
"""The driver: chooses positions to work on, believes what is proven, and writes it down.

It knows nothing of Ray: `Workers` do the jobs. Everything that must not be lost is in the claims
file before it is used; so a driver can be killed at any moment, and another one continues.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from random import Random

from unbounded.cluster import claims_schema
from unbounded.cluster.claims_file import ClaimsFile
from unbounded.cluster.facts import ContradictionError, answers
from unbounded.cluster.job import Answer, Job, Window, sanitized
from unbounded.cluster.judging import SAMPLE, Accepted, Judge, RefusedError
from unbounded.cluster.pace import Pace
from unbounded.cluster.records import WithdrawnError, audit, record
from unbounded.cluster.seldom import Seldom
from unbounded.cluster.tally import CHANCES, Counts, WorkerStatus
from unbounded.cluster.tasks import ContradictedError, Task
from unbounded.cluster.upper_graph import Node, UpperGraph
from unbounded.cluster.workers import Report, Workers
from unbounded.game import require
from unbounded.game.notices import one_line

__all__ = ["ContradictedError", "Driver", "Pace", "Task", "Tell"]

MOST_USELESS = 20
"""Jobs in a row without a good answer, after which a run stops if no worker gives any."""
MOST_DEATHS = 5
"""Workers that die in jobs about one position before it is expanded instead."""
BETWEEN_LOOKS = 2.0
"""Seconds between two looks for jobs that are of no use any more."""

Tell = Callable[[str], None]


class Driver:
    """Runs jobs until the root of a graph is settled."""

    def __init__(
        self,
        file: ClaimsFile,
        graph: UpperGraph,
        workers: Workers,
        judge: Judge,
        *,
        pace: Pace | None = None,
        seed: int = 0,
        checkers: int = 1,
        by_worker: dict[str, WorkerStatus] | None = None,
        tell: Tell | None = None,
    ) -> None:
        """checkers: certificates that are checked at once, in threads of this process.

        by_worker: what the workers have done already.
        """
        self.file, self.graph, self.workers, self.judge = file, graph, workers, judge
        self.pace = pace or Pace()
        self.counts, self.tasks = Counts(), dict[int, Task]()
        self.by_worker = {} if by_worker is None else by_worker
        self.began = time.monotonic()
        self._tell = tell or (lambda _: None)
        self._random = Random(seed)
        self._pool = ThreadPoolExecutor(checkers, thread_name_prefix="check")
        self._next, self._useless, self._looks = file.next_number(), 0, Seldom(BETWEEN_LOOKS)
        self._suspects: set[str] = set()
        self._hopeless = ""
        self._scarce: bool | None = None  # fewer leaves wait than there are workers
        if lost := file.lose_running():
            self._tell(f"{lost} jobs of an earlier run were in progress and are done again")

    # -- the loop ---------------------------------------------------------------------------------

    def run(self, stop: Callable[[], bool], progress: Callable[[Driver], None]) -> bool:
        """Work until the root is settled; False if it was stopped before."""
        while not self.graph.is_settled(self.graph.root):
            if stop():
                return False
            self.step(0.2)
            progress(self)
        return True

    def step(self, seconds: float) -> None:
        """Give out jobs, and take what has been done, waiting at most so long."""
        self._scarce = None
        self._give_out()
        reports = self.workers.wait(seconds)
        self._scarce = None
        done = [task for task in self.tasks.values() if task.checking and task.checking.done()]
        if reports or done:
            self._take(reports, done)
        if self._suspects:
            self._audit()
        self._look_after()
        require(not self._hopeless, self._hopeless)

    def _take(self, reports: list[Report], done: list[Task]) -> None:
        """Use what has come back; what one answer contradicts does not undo the others."""
        contradicted = None
        with self.file.changes():
            for report in reports:
                self._hear(report)
            for task in done:
                try:
                    with self.file.part():
                        self._conclude(task)
                except ContradictedError as error:
                    contradicted = error
                    break
        if contradicted is not None:
            raise contradicted

    def _audit(self) -> None:
        """Of a worker that was caught, check everything."""
        suspects, self._suspects = self._suspects, set()
        for worker in suspects:
            if withdrawn := audit(self.judge, self._tell, worker):
                raise WithdrawnError(withdrawn)

    def close(self) -> None:
        """End the checks and cancel the jobs in progress."""
        self._pool.shutdown(wait=True, cancel_futures=True)
        if self.tasks:
            with self.file.changes():
                for task in list(self.tasks.values()):
                    # The graph may be contradictory, and is of no use any more.
                    self._cancel(task, release=False)

    def _give_out(self) -> None:
        # What waits to be checked is bounded, too.
        free = min(self.workers.free(), 2 * self.workers.count() + 2 - len(self.tasks))
        if free <= 0:
            return
        busy = {task.worker for task in self.tasks.values() if task.answer is None}
        found = self._select(busy, free)
        if not found:
            return
        with self.file.changes():
            while found:
                for one in found:
                    busy.add(self._begin(*one))
                free -= len(found)
                found = self._select(busy, free) if free > 0 else []

    def _select(self, busy: set[str], free: int) -> list[tuple[Node, Window | None]]:
        """The next leaves; not those that a busy worker knows best, if there are others."""
        # Each selection passes the leaves in work: with many workers, one is not worth that.
        most = min(free, 1 + self.workers.count() // 64)
        known = busy - {""}
        found = self._leaves(known, most)
        if not found and known:
            busy.clear()  # so that others are looked for only once
            found = self._leaves(set(), most)
        return found

    def _leaves(self, known: set[str], most: int) -> list[tuple[Node, Window | None]]:
        leaves = self.graph.leaves_to_work_on(
            self._random, self._spread(), lambda node: node.worker in known
        )
        return list(islice(leaves, most))

    def _spread(self) -> int:
        """With many workers, the best positions to work on are less certain."""
        return min(4, 1 + self.workers.count() // 16)

    def _begin(self, node: Node, window: Window | None) -> str:
        """Give a job about a leaf to a worker, whose name is returned."""
        node.visits += 1
        worker = self.begin(node, node.moves, node.state, window, self.pace.seconds_for(node))
        if worker:
            self.graph.set_pending(node, pending=True)
        return worker

    def _is_expanded_next(self, node: Node, seconds: float) -> bool:
        """Whether a leaf is expanded if it is still open after so many seconds more."""
        if self.pace.is_enough(node.spent + seconds):
            return True
        if self._scarce is None:
            workers = self.workers.count()
            self._scarce = self.graph.waiting(workers) < workers
        return self._scarce

    def begin(
        self,
        node: Node | None,
        moves: tuple[str, ...],
        state: bytes,
        window: Window | None,
        seconds: float,
    ) -> str:
        """Give a job to a worker, and return its name; none if that one is replaced instead."""
        seed = self._random.getrandbits(31)
        partial = node is None or self._is_expanded_next(node, seconds)
        job = Job(self._next, moves, state, window, seconds, seed, partial)
        worker = self.workers.start(job, "" if node is None else node.worker)
        self._next += 1
        status = self.by_worker.setdefault(worker, WorkerStatus())
        if status.chances <= 0:
            status.chances = CHANCES
            self.workers.replace(job.number)
            self._tell(f"{worker} is replaced: {CHANCES} of its jobs in a row brought nothing")
            return ""
        self.file.begin(job, self.graph.key_of(state), worker)
        self.tasks[job.number] = Task(job, node, worker, time.monotonic())
        self.counts.begun += 1
        return worker

    # -- what comes back --------------------------------------------------------------------------

    def _hear(self, report: Report) -> None:
        task = self.tasks.get(report.job)
        if task is None or task.worker != report.worker or task.answer is not None:
            self._tell(f"{report.worker} answers job {report.job}, which it does not have: ignored")
            return
        answer = report.answer
        if answer is None:
            self._fail(task, report)
        elif getattr(answer, "job", None) != task.job.number:
            self._refuse(task, "it answers another job")
        else:
            try:
                task.answer = answer = sanitized(answer, self.graph.game.players)
            except Exception as error:  # of an object that is not what it should be
                self._refuse(task, f"it cannot be read: {error}")
                return
            status = self._status(task)
            status.where = answer.where
            task.checking = self._pool.submit(
                self.judge.judge, task.job, answer, check=status.refused > 0
            )

    def _fail(self, task: Task, report: Report) -> None:
        del self.tasks[task.job.number]
        self.counts.failed += 1
        why = one_line(report.failure)
        self.file.end(task.job.number, claims_schema.FAILED, report.worker, why=why)
        self._release(task)
        self._tell(f"job {task.job.number} failed on {report.worker}: {why}")
        if not report.worker_died:
            self._brought_nothing(task, why)
        elif task.node is not None:
            self._survive(task.node)

    def _survive(self, node: Node) -> None:
        """A position whose jobs end their workers, by the memory they take perhaps, is split."""
        node.deaths += 1
        if node.deaths >= MOST_DEATHS and node.children is None and not node.terminal:
            self.graph.expand(node)
            self.file.expand(node.key, node.moves, [])

    def _refuse(self, task: Task, why: str) -> None:
        self.tasks.pop(task.job.number, None)
        self.counts.refused += 1
        self._status(task).refused += 1
        why = one_line(why)
        self.file.end(task.job.number, claims_schema.REFUSED, task.worker, why=why)
        self._release(task)
        self._tell(f"refused: the answer of {self._where(task)} to job {task.job.number}: {why}")
        self._brought_nothing(task, why)
        if self.judge.trust == SAMPLE:
            self._suspects.add(task.worker)

    def _brought_nothing(self, task: Task, why: str) -> None:
        """Take note; a run stops if no worker gives good answers, and goes on if one does."""
        self._status(task).failed()
        self._useless += 1
        if task.node is not None:
            task.node.worker = ""  # another one may do it
        bad = sum(status.useless >= CHANCES for status in self.by_worker.values())
        if self._useless >= MOST_USELESS and bad >= self.workers.count():
            self._hopeless = f"{self._useless} jobs in a row have brought nothing, the last: {why}"

    def _release(self, task: Task) -> None:
        if task.node is not None and task.node.pending:
            self.graph.set_pending(task.node, pending=False)

    def _where(self, task: Task) -> str:
        where = self._status(task).where
        return f"{task.worker} ({where})" if where else task.worker

    def _status(self, task: Task) -> WorkerStatus:
        return self.by_worker.setdefault(task.worker, WorkerStatus())

    def _conclude(self, task: Task) -> None:
        """Use what was found out by a job whose answer has been checked."""
        answer = task.answer
        assert answer is not None
        assert task.checking is not None
        try:
            accepted = task.checking.result()
        except RefusedError as error:
            self._refuse(task, str(error))
            return
        try:
            record(self.file, self.graph, accepted, task.worker, task.job.number)
            solved = self._settles(task, accepted)
            if task.node is not None and not solved:
                self._keep_or_expand(task.node, task, answer)
        except ContradictionError as error:
            raise ContradictedError(accepted, task, self._where(task), error) from error
        del self.tasks[task.job.number]
        self._useless = 0
        self._release(task)
        self._count(task, answer)
        self.counts.solved += solved
        self.counts.open += not solved
        self.file.end(
            task.job.number,
            claims_schema.SOLVED if solved else claims_schema.OPEN,
            task.worker,
            states=answer.states,
            worked=answer.seconds,
            line=answer.line,
            why=answer.why_open,
        )

    def _count(self, task: Task, answer: Answer) -> None:
        status = self._status(task)
        status.succeeded()
        status.jobs += 1
        status.states += answer.states
        status.seconds += answer.seconds
        self.counts.states += answer.states
        self.counts.worked += answer.seconds

    def _settles(self, task: Task, accepted: Accepted) -> bool:
        """Whether the question of a job is answered by what is known now."""
        if task.node is None:
            return bool(accepted.claims)
        return answers(task.node.fact, task.job.window)

    def _keep_or_expand(self, node: Node, task: Task, answer: Answer) -> None:
        """A leaf that a job has left open: it gets another job, or its children do."""
        if node.children is not None or node.terminal:
            return
        node.estimates, node.worker = answer.estimates, task.worker
        expanded = self._is_expanded_next(node, task.job.seconds)
        node.spent += task.job.seconds
        if not expanded:
            return
        estimates = list(answer.actions[: len(self.graph.game.actions(node.state))])
        self.graph.expand(node, estimates)
        self.file.expand(node.key, node.moves, estimates)

    # -- jobs that matter no more, and workers that do not answer ---------------------------------

    def _look_after(self) -> None:
        if self._looks.is_due():
            with self._looks:
                self._find_useless_and_late()

    def _find_useless_and_late(self) -> None:
        now, matters = time.monotonic(), self.graph.mattering()
        gone = [
            task
            for task in self.tasks.values()
            if task.node is not None and task.node.key not in matters
        ]
        late = [
            task
            for task in self.tasks.values()
            if task.answer is None and now - task.began > self.pace.deadline(task.job)
        ]
        if not (gone or late):
            return
        with self.file.changes():
            for task in gone:
                self._cancel(task)
            for task in late:
                if task.job.number in self.tasks:
                    self.workers.replace(task.job.number)
                    self._refuse(task, f"no answer after {now - task.began:.0f} s")

    def _cancel(self, task: Task, *, release: bool = True) -> None:
        if task.answer is None:
            self.workers.cancel(task.job.number)
        elif task.checking is not None:
            task.checking.cancel()
        self.tasks.pop(task.job.number)
        self.counts.cancelled += 1
        self.file.end(task.job.number, claims_schema.CANCELLED, task.worker, why="no use any more")
        if release:
            self._release(task)
