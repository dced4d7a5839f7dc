# SPDX-License-Identifier: MIT
"""The machines' turns in a room: one decision at a time, in a thread of its own."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

from unbounded.interfaces.web.scheduler import Scheduler
from unbounded.native.failures import error_text
from unbounded.players import Decision, Player


@dataclass(frozen=True, eq=False)
class Turn:
    """One request for a decision; a player may get several."""

    player: Player


class MachineTurns:
    """Runs the machine whose turn it is, and delivers its decision unless it was cancelled.

    `lock` guards the game. It is held by callers of `start` and `cancel`, and while `on_decision`
    or `on_failure` is called, so a cancelled decision is never delivered.
    """

    def __init__(
        self,
        scheduler: Scheduler,
        *,
        lock: AbstractContextManager[Any],
        on_decision: Callable[[Decision], None],
        on_failure: Callable[[str], None],
    ) -> None:
        self._scheduler, self._lock = scheduler, lock
        self._on_decision, self._on_failure = on_decision, on_failure
        self._current: Turn | None = None

    @property
    def thinking(self) -> bool:
        """Whether a machine is deciding on its move."""
        return self._current is not None

    def start(self, player: Player) -> None:
        """Let a player decide on its move."""
        self.cancel()
        self._current = turn = Turn(player)
        threading.Thread(target=self._think, args=(turn,), daemon=True, name="move").start()

    def cancel(self) -> None:
        """Stop the player; its decision is dropped."""
        if self._current is not None:
            self._current.player.stop()
            self._current = None

    def _think(self, turn: Turn) -> None:
        try:
            with self._scheduler.move(turn.player.seconds_per_move or 0.0) as seconds:
                if turn is not self._current:
                    return
                decision = turn.player.decide(at_most=seconds)
        except Exception as error:  # of the game's rules, or no core is free
            self._deliver(turn, self._on_failure, error_text(error))
        else:
            self._deliver(turn, self._on_decision, decision)

    def _deliver(self, turn: Turn, deliver: Callable[[Any], None], what: Any) -> None:
        with self._lock:
            if turn is not self._current:
                return
            self._current = None
            try:
                deliver(what)
            except Exception as error:  # of the game's rules, when the move is played or shown
                self._on_failure(error_text(error))
