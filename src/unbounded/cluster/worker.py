# SPDX-License-Identifier: MIT
"""A worker: solves positions, one job after the other, and proves what it says.

It keeps one search for all jobs, with its graph and its tables: positions of one game overlap, and
a job may continue what an earlier one has begun.
"""

from __future__ import annotations

import os
import socket
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unbounded.cluster.facts import Bounds, Fact, Scale, answers, claim_texts
from unbounded.cluster.job import Answer, Estimates, Job
from unbounded.cluster.orders import Orders
from unbounded.game import Game
from unbounded.search.search import Search
from unbounded.solving.certificate import NotCertifiedError, certify
from unbounded.solving.solve import search_to_solve
from unbounded.storage.memory import free_memory

SHARE_OF_MEMORY = 0.7
"""Of the free memory, that all workers of a machine together use by default."""


@dataclass(frozen=True)
class SolvingOrders(Orders):
    """What a worker needs to know beside its game."""

    options: tuple[tuple[str, Any], ...] = ()
    """Of the search."""
    scores: bool = False
    """Whether claims are about scores too."""
    memory: int | None = None
    """Bytes for the search."""
    certificates: bool = True
    """Whether to prove what is claimed."""
    checker_search: int = 1000
    """What certificates may leave to the checker; see `certify`."""


class Worker:
    """Works on jobs about one game."""

    def __init__(self, orders: SolvingOrders) -> None:
        """Remember what to do; what can fail is left to the first job, which can say why."""
        self._orders = orders
        self._game: Game[Any, Any] | None = None
        self._search: Search | None = None
        self._job, self._stopped = 0, 0

    def stop(self, job: int) -> None:
        """End a job that is in progress, from another thread; its answer is of no use."""
        self._stopped = job
        if self._search is not None and self._job == job:
            self._search.stop()

    def work(self, job: Job) -> Answer:
        """Solve a position, within its budget."""
        if self._game is None:
            self._game = self._orders.prepared()
        game, orders = self._game, self._orders
        search = self._at(game, job)
        self._job = job.number
        states, seconds = search.states + search.probed_states, search.seconds
        search.run(seconds=job.seconds, memory=self._memory(), window=job.window)
        fact = _proven(search, Scale(game, scores=orders.scores))
        claims = claim_texts(fact, Scale(game, scores=orders.scores))
        certificate, why = None, "" if answers(fact, job.window) else f"stopped by {search.stopped}"
        if self._stopped == job.number:
            claims, why = (), "it was cancelled"
        elif why and not job.partial:
            claims = ()
        if claims and orders.certificates:
            try:
                certificate = self._certified(search, job)
                if certificate is None:
                    claims, why = (), "no time was left for its certificate"
            except NotCertifiedError as error:
                claims, why = (), str(error)
        answer = Answer(
            job.number,
            claims,
            certificate,
            _shown(search.root.value),
            _estimates(search),
            search.result.pv,
            search.states + search.probed_states - states,
            search.seconds - seconds,
            f"process {os.getpid()} on {socket.gethostname()}",
            why,
        )
        if search.stopped == "memory":
            self._search = None  # the next job begins with an empty one
        return answer

    def _memory(self) -> int:
        """The limit of the search: as ordered, or this worker's share of what is free."""
        if self._orders.memory is not None:
            return self._orders.memory
        threads = int(dict(self._orders.options).get("threads", 1))
        others = max(1, (os.cpu_count() or 1) // threads)
        held = 0 if self._search is None else self._search.memory_bytes
        return held + int(SHARE_OF_MEMORY * free_memory() / others)

    def _at(self, game: Game[Any, Any], job: Job) -> Search:
        """The search, at the position of a job."""
        if self._search is None:
            self._search = search_to_solve(game, {**dict(self._orders.options), "seed": job.seed})
        search, moves = self._search, list(job.moves)
        if search.moves != moves:
            search.restart_probes()
        while search.moves != moves[: len(search.moves)]:
            search.undo()
        for move in moves[len(search.moves) :]:
            search.play(move)
        return search

    def _certified(self, search: Search, job: Job) -> bytes | None:
        """The certificate of what is proven, compressed; None if it takes very long."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "proof.cert.gz"
            written = certify(
                search,
                path,
                partial=True,
                checker_search=self._orders.checker_search,
                seconds=20 + 10 * job.seconds,
                memory=self._memory(),
            )
            return None if written is None else path.read_bytes()


def _proven(search: Search, scale: Scale) -> Fact:
    """What the search has proven of its root."""
    root = search.root
    if scale.zero_sum:
        bounds = root.worth_bounds
        assert bounds is not None
        low, high = bounds
        if not scale.scores:
            low, high = (low[0], 0.0), (high[0], 0.0)
        return Bounds(low, high)
    outcome = root.outcome
    if outcome is None:
        return None
    points = root.score if scale.scores else None
    return tuple(zip(outcome, points or [0.0] * len(outcome), strict=True))


def _estimates(search: Search) -> tuple[Estimates, ...]:
    """What the search expects of each action, in the order of the game's actions."""
    game, state = search.game, search.state
    known = {child.name: child.value for child in search.root.children}
    unknown = search.root.value
    names = (game.action_name(state, action) for action in game.actions(state))
    return tuple(_shown(known.get(name, unknown)) for name in names)


def _shown(value: tuple[float, ...]) -> Estimates:
    return tuple(float(x) for x in value)
