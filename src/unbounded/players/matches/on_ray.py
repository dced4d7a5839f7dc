# SPDX-License-Identifier: MIT
"""Games of matches on Ray: actors play one game at a time, on this machine or on many.

A game depends on its task only, so whichever actor plays it, the game is the same if the players
are limited by counts. The game of an actor that dies is played again, by any other.
"""

from __future__ import annotations

import heapq
import os
import socket
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from unbounded.cluster.actors import Actors, Seat
from unbounded.cluster.orders import Orders
from unbounded.cluster.ray_connection import connect
from unbounded.evaluation.networks import given_network, names_network
from unbounded.game import UnboundedError
from unbounded.game.catalogue import load_game
from unbounded.players.matches.match import Match, Task, play
from unbounded.players.matches.playing import GameRecord

WAIT_SECONDS = 0.5
GROWTH_SECONDS = 5.0
"""How often to look for new machines in the cluster."""
PATIENCE_SECONDS = 30.0
"""Without any actor, until it is said."""
AHEAD_PER_ACTOR = 256
"""Games that may be finished before an earlier one is."""
MOST_LOSSES = 5
"""Actors that may die in the same game."""


# -- on the worker --------------------------------------------------------------------------------


@dataclass(frozen=True)
class MatchOrders:
    """What an actor needs to know of a match, beside the task."""

    game: Orders
    networks: tuple[tuple[str, str], ...]
    """The networks of players, as they were named, with their digests."""

    @classmethod
    def of(cls, match: Match) -> MatchOrders:
        """The orders for a match."""
        game = load_game(match.game)
        named = [getattr(kind, "evaluation", None) or "" for kind in match.kinds()]
        names = sorted({name for name in named if names_network(name)})
        digests = [given_network(game, name).network.digest for name in names]
        return cls(Orders.of(game), tuple(zip(names, digests, strict=True)))

    def check(self) -> None:
        """On the worker: refuse other rules and other networks than where the match was begun."""
        game = self.game.prepared()
        for name, digest in self.networks:
            if given_network(game, name).network.digest != digest:
                raise UnboundedError(
                    f"the network {name} on {socket.gethostname()} differs from that on "
                    f"{self.game.host}: put the same file on every machine"
                )


class MatchActor:
    """Plays games; compiled rules and networks stay in its process from game to game."""

    def __init__(self) -> None:
        self._checked: set[MatchOrders] = set()

    def started(self) -> tuple[int, str]:
        """Say which process this is, and where."""
        return os.getpid(), socket.gethostname()

    def play(self, orders: MatchOrders, task: Task) -> GameRecord:
        """Play one game."""
        if orders not in self._checked:
            orders.check()
            self._checked.add(orders)
        return play(task)


# -- on the machine where the match was begun -----------------------------------------------------


class RayGames(Actors):
    """Some games, played by actors, in the order of their tasks."""

    work = "a match"

    def __init__(
        self,
        tasks: Iterable[Task],
        count: int,
        *,
        address: str | None,
        jobs: int | None,
        log: Callable[[str], None],
    ) -> None:
        """count: how many tasks there are. jobs: actors; None: one for every CPU of the cluster."""
        super().__init__(log, ours=connect(address, jobs))
        self._tasks, self._count, self._jobs = enumerate(tasks), count, jobs
        self._orders = cache(MatchOrders.of)
        self._playing: dict[Any, tuple[int, Task]] = {}
        """By call: the place of a game in the order, and its task."""
        self._again: list[tuple[int, Task]] = []
        """A heap of games whose actors died."""
        self._losses: Counter[int] = Counter()
        self._finished: dict[int, GameRecord] = {}
        self._handed_out = self._yielded = 0
        self._began = time.monotonic()
        self._look = 0.0
        """When to look at the size of the cluster again."""

    def __iter__(self) -> Iterator[GameRecord]:
        while self._yielded < self._count:
            while self._yielded not in self._finished:
                self._advance()
            yield self._finished.pop(self._yielded)
            self._yielded += 1

    def _advance(self) -> None:
        """Give games to idle actors, then wait for one that answers."""
        self._grow()
        for seat in self.seats:
            # Only to actors that live: others may wait for a free CPU for long.
            if seat.replies and not seat.calls:
                self._give_game(seat)
        answered = self._answered(WAIT_SECONDS)
        if answered is None:
            self._report_waiting()
            return
        call = answered.calls[0]
        reply = self._reply(answered)
        if reply is None:  # it died
            return
        if call in self._playing:
            place, _ = self._playing.pop(call)
            self._finished[place] = reply
        else:
            answered.process, answered.host = reply

    def _give_game(self, seat: Seat) -> None:
        if self._again:
            place, task = heapq.heappop(self._again)
        elif self._handed_out < min(self._count, self._yielded + AHEAD_PER_ACTOR * len(self.seats)):
            place, task = next(self._tasks)
            self._handed_out += 1
        else:
            return
        call = seat.actor.play.remote(self._orders(task.match), task)
        seat.calls.append(call)
        self._playing[call] = place, task

    # -- births and deaths ------------------------------------------------------------------------

    def _grow(self) -> None:
        """Start as many actors as the cluster has CPUs by now, or as were asked for."""
        import ray

        now = time.monotonic()
        if now < self._look:
            return
        self._look = now + GROWTH_SECONDS
        wanted = self._jobs or int(ray.cluster_resources().get("CPU", 1))
        for index in range(len(self.seats), max(1, min(wanted, self._count))):
            seat = Seat(index)
            self.seats.append(seat)
            self._start(seat)

    def _start(self, seat: Seat) -> None:
        import ray

        made = ray.remote(MatchActor).options(num_cpus=1, max_restarts=0, max_task_retries=0)
        seat.actor = made.remote()
        seat.calls.append(seat.actor.started.remote())

    def _lost(self, seat: Seat) -> str:
        games = [self._playing.pop(call) for call in seat.calls if call in self._playing]
        for place, task in games:
            self._losses[place] += 1
            if self._losses[place] >= MOST_LOSSES:
                raise UnboundedError(
                    f"{MOST_LOSSES} actors died on Ray in game {task.number} of {task.match.game}, "
                    f"the last one on {seat.host}: has the machine too little memory?"
                )
            heapq.heappush(self._again, (place, task))
        return "its game is played again" if games else "it had no game"

    def _report_waiting(self) -> None:
        """Say once that no actor has started, which another user of the cluster may be why."""
        waiting = not any(seat.replies or seat.failures for seat in self.seats)
        if waiting and time.monotonic() > self._began + PATIENCE_SECONDS:
            self._began = float("inf")
            self._log("no game has begun yet: Ray has no free CPU for one")
