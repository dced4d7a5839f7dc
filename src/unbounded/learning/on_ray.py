# SPDX-License-Identifier: MIT
"""Self-play on Ray: actors play, on this machine or on many, and the learner collects.

Every actor has a few calls waiting, so that it never waits for the learner, and the learner bounds
what is under way. New weights are one object in Ray's memory; an actor takes them with its next
call. An actor that dies is replaced by a new one, with another seed and the newest weights. Actors
answer in no fixed order: a run on Ray cannot be repeated exactly.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
from torch import nn

from unbounded.cluster.actors import Actors, Seat
from unbounded.cluster.ray_connection import connect
from unbounded.learning.networks.choosing import kind_of
from unbounded.learning.ray_actor import Reply, SelfPlayActor, SelfPlayOrders, Weights
from unbounded.learning.replay import Lessons
from unbounded.learning.self_play import Conduct
from unbounded.learning.settings import RAY_EXTRAS, LearnSettings
from unbounded.learning.training import Trainer

CALLS = 2
"""Calls of an actor that are under way or waiting."""
WAIT_SECONDS = 0.5
"""How long the learner waits for actors at most before it looks at its own limits."""
COUNTS = ("evaluated", "expanded", "games", "moves")


# -- weights --------------------------------------------------------------------------------------


class BroadcastNetworks:
    """The networks of a run whose games are played elsewhere: weights to be sent."""

    def __init__(self, trainer: Trainer) -> None:
        self._trainer = trainer
        self.kind = kind_of(trainer.module)
        self._number = 0
        self._current: Any = None
        self.past: Any = None
        """A reference to the weights of the past network; None if there is none yet."""

    def refresh(self) -> None:
        """Send the weights of the training with all calls from now on."""
        self._current = None

    def forget(self) -> None:
        """Forget what was sent; Ray's memory may be another one from now on."""
        self._current = self.past = None

    def set_past(self, module: nn.Module) -> None:
        """Choose the past network."""
        self.past = self._put(module)

    @property
    def current(self) -> Any:
        """A reference to the newest weights, which are copied only when a call needs them."""
        if self._current is None:
            self._current = self._put(self._trainer.averaged)
        return self._current

    @property
    def number(self) -> int:
        """The number of the newest weights that were sent."""
        return self._number

    def _put(self, module: nn.Module) -> Any:
        import ray

        self._number += 1
        return ray.put(Weights.of(self._number, module))


# -- actors ---------------------------------------------------------------------------------------


class RaySelfPlay(Actors):
    """The games of a run, played by actors; has the methods of self-play on one machine."""

    work = "self-play"
    extras = RAY_EXTRAS

    def __init__(
        self,
        orders: SelfPlayOrders,
        networks: BroadcastNetworks,
        seed: int,
        log: Callable[[str], None],
    ) -> None:
        """log: is given a line for every death."""
        self.conduct = Conduct()
        self._orders, self._networks, self._seed = orders, networks, seed
        self._settings = orders.settings
        super().__init__(log, ours=connect_for(self._settings))
        networks.forget()
        self._counts: Counter[str] = Counter()
        self._started = 0
        self.weights: dict[int, int] = {}
        """By seat: the number of the weights of the last reply."""

    # -- what self-play does ----------------------------------------------------------------------

    def next(self) -> Lessons:
        """What the games of the actor that answers first teach; nothing if none does for long."""
        if not self.seats:
            self._start_all()
        seat = self._answered(WAIT_SECONDS)
        return _nothing() if seat is None else self._received(seat)

    def counts(self) -> dict[str, int]:
        """What the actors have done, as far as they have delivered it."""
        return {name: self._counts[name] for name in COUNTS}

    # -- calls ------------------------------------------------------------------------------------

    def _received(self, seat: Seat) -> Lessons:
        """Take the oldest reply of an actor and call it again."""
        reply: Reply | None = self._reply(seat)
        if reply is None:
            return _nothing()
        seat.process, seat.host = reply.process, reply.host
        self.weights[seat.index] = reply.weights
        self._counts.update(reply.counts)
        self._call(seat)
        # In Ray's memory they are read-only, and would keep it occupied.
        return {name: np.array(x) for name, x in reply.lessons.items()}

    def _call(self, seat: Seat) -> None:
        while len(seat.calls) < CALLS:
            networks = self._networks
            call = seat.actor.play.remote(networks.current, networks.past, self.conduct)
            seat.calls.append(call)

    # -- births and deaths ------------------------------------------------------------------------

    def _start_all(self) -> None:
        import ray

        cluster = ray.cluster_resources()
        count = number_of_actors(self._settings, cluster)
        self.seats = [Seat(index) for index in range(count)]
        gpus = gpus_each(self._settings, self._networks.kind, cluster, count)
        self._remote = ray.remote(SelfPlayActor).options(
            num_cpus=self._settings.threads, num_gpus=gpus, max_restarts=0, max_task_retries=0
        )
        self._log(
            f"on Ray: actors: {count}, CPUs: {cluster.get('CPU', 0):g}, "
            f"GPUs: {cluster.get('GPU', 0):g}"
        )
        for seat in self.seats:
            self._start(seat)

    def _start(self, seat: Seat) -> None:
        """Give the place to a new actor, with random numbers that no other has had."""
        seed = Random(f"{self._seed} {self._started}").getrandbits(63)
        self._started += 1
        seat.actor = self._remote.remote(self._orders, seed)
        self._call(seat)

    def _failed(self, seat: Seat, error: Exception) -> None:
        self._log(f"actor {seat.index} failed: {error}")

    def _lost(self, seat: Seat) -> str:
        return f"its games in progress, at most {self._settings.games}, are lost"


def _nothing() -> Lessons:
    return {"counts": np.zeros(0, dtype=np.uint32)}


# -- the cluster ----------------------------------------------------------------------------------


def connect_for(settings: LearnSettings) -> bool:
    """Connect to the Ray of a run; return whether to disconnect at the end.

    A local one has room for all actors.
    """
    cpus = (settings.actors or 0) * (settings.threads or 1)
    return connect(settings.ray, cpus, extras=RAY_EXTRAS)


def number_of_actors(settings: LearnSettings, cluster: dict[str, float]) -> int:
    """As many as asked for; else all CPUs but one, which is for the learner."""
    assert settings.threads is not None
    return settings.actors or max(1, int(cluster.get("CPU", 1) - 1) // settings.threads)


def gpus_each(settings: LearnSettings, kind: str, cluster: dict[str, float], actors: int) -> float:
    """The share of a GPU that an actor gets: networks of PyTorch share what the learner leaves."""
    left = cluster.get("GPU", 0) - (settings.device == "cuda")
    if kind in ("ntuple", "dense") or left <= 0:
        return 0
    return 1 if left >= actors else round(left / actors - 5e-5, 4)
