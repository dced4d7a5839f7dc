# SPDX-License-Identifier: MIT
"""Actors on Ray that work on calls, each at a seat; an actor that dies is replaced by a new one."""

from __future__ import annotations

import abc
import contextlib
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from unbounded.cluster.ray_connection import disconnect, error_line
from unbounded.game import UnboundedError, require

MOST_FAILURES = 3
"""Actors in a row that may die at the same seat before they have answered anything."""


@dataclass
class Seat:
    """The place of an actor; when it dies, another takes it."""

    index: int
    actor: Any = None
    calls: deque[Any] = field(default_factory=deque)
    """References to replies, oldest first: an actor answers its calls in order."""
    replies: int = 0
    """Of the present actor."""
    failures: int = 0
    """Actors in a row that died without a reply."""
    process: int = 0
    host: str = ""


class Actors(abc.ABC):
    """So many actors with calls under way, of one kind of work."""

    work = "the work"
    """What they do, for messages."""
    extras = "ray"
    """The extras of this package that they need, on every machine."""

    def __init__(self, log: Callable[[str], None], *, ours: bool) -> None:
        """log: is given a line for every death. ours: whether to disconnect from Ray at the end."""
        self._log, self._ours = log, ours
        self.seats: list[Seat] = []

    @abc.abstractmethod
    def _start(self, seat: Seat) -> None:
        """Give the seat to a new actor, and the actor its first call."""

    @abc.abstractmethod
    def _lost(self, seat: Seat) -> str:
        """Act on the death of an actor with its calls; say what is lost with it."""

    def _failed(self, seat: Seat, error: Exception) -> None:  # noqa: B027
        """Take note of an error in an actor, with its traceback there; it ends the work."""

    def close(self) -> None:
        """End the actors, and the connection to Ray if it was made for them."""
        import ray

        if not ray.is_initialized():
            return
        for seat in self.seats:
            with contextlib.suppress(ray.exceptions.RayError, ValueError):  # it is gone
                ray.kill(seat.actor)
        self.seats = []
        if self._ours:
            disconnect()

    def _answered(self, seconds: float) -> Seat | None:
        """Wait for a seat with a reply, or with a dead actor; None if there is none for long."""
        import ray

        heads = {seat.calls[0]: seat for seat in self.seats if seat.calls}
        ready, _ = ray.wait(list(heads), num_returns=1, timeout=seconds)
        if not ready:
            return None
        seat = heads[ready[0]]
        # To the end of the list, so that no actor is always the last to be heard.
        self.seats.remove(seat)
        self.seats.append(seat)
        return seat

    def _reply(self, seat: Seat) -> Any | None:
        """Take the oldest reply of an actor; if it is dead, replace it and return None."""
        import ray

        try:
            reply = ray.get(seat.calls[0])
        except ray.exceptions.RayTaskError as error:  # its own failure, not its death
            self._failed(seat, error)
            if isinstance(error.cause, UnboundedError):
                raise error.cause from error
            raise UnboundedError(f"{self.work} failed on Ray: {error_line(error.cause)}") from error
        except ray.exceptions.RayError as error:
            self._replace(seat, error)
            return None
        seat.calls.popleft()
        seat.replies, seat.failures = seat.replies + 1, 0
        return reply

    def _replace(self, seat: Seat, error: Exception) -> None:
        import ray

        where = f" (process {seat.process} on {seat.host})" if seat.replies else ""
        seat.failures += not seat.replies
        reason = error_line(error).rpartition("The actor is dead because ")[2]
        self._log(
            f"actor {seat.index}{where} died after {seat.replies} replies: {reason}; "
            f"{self._lost(seat)}, and a new actor takes its place"
        )
        with contextlib.suppress(ray.exceptions.RayError, ValueError):
            ray.kill(seat.actor)  # it may live, out of reach
        require(
            seat.failures < MOST_FAILURES,
            f"{MOST_FAILURES} actors in a row died on Ray before they had answered: {reason}. Is "
            f"unbounded[{self.extras}] installed on every machine, in the same version?",
        )
        seat.actor, seat.calls, seat.replies = None, deque(), 0
        self._start(seat)
