# SPDX-License-Identifier: MIT
"""The machines' turns: one decision is delivered, and none that was cancelled."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from serving import GENEROUS, Steps, wait_until

from unbounded.interfaces.web.machine_turns import MachineTurns
from unbounded.interfaces.web.scheduler import Scheduler
from unbounded.players import Decision, Player


class Waiting(Player):
    """Decides when it is released or stopped."""

    def __init__(self) -> None:
        super().__init__(Steps(), seed=0)
        self.started, self.released = threading.Event(), threading.Event()
        self.stopped = False

    def choose(self) -> Decision:
        self.started.set()
        assert self.released.wait(GENEROUS)
        return self.decision(1)

    def stop(self) -> None:
        self.stopped = True
        self.released.set()


class Failing(Player):
    """Cannot decide."""

    def choose(self) -> Decision:
        raise KeyError("no move")


class Room:
    """Receives decisions and failures."""

    def __init__(self, *, max_searches: int = 10) -> None:
        self.decisions: list[Decision] = []
        self.failures: list[str] = []
        self.lock = threading.RLock()
        self.turns = MachineTurns(
            Scheduler(cores=2, max_searches=max_searches),
            lock=self.lock,
            on_decision=self.decisions.append,
            on_failure=self.failures.append,
        )


def end_of_turns() -> None:
    wait_until(lambda: not any(t.name == "move" for t in threading.enumerate()))


def test_a_decision_is_delivered_once() -> None:
    room, player = Room(), Waiting()
    room.turns.start(player)
    assert room.turns.thinking
    player.released.set()
    wait_until(lambda: bool(room.decisions))
    end_of_turns()
    assert [decision.name for decision in room.decisions] == ["1"]
    assert not room.turns.thinking and room.failures == [] and not player.stopped


def test_a_cancelled_decision_is_dropped() -> None:
    """Also one that was made already, and waits for the lock."""
    room, player = Room(), Waiting()
    with room.lock:
        room.turns.start(player)
        assert player.started.wait(GENEROUS)
        player.released.set()
        room.turns.cancel()
        assert player.stopped and not room.turns.thinking
    end_of_turns()
    assert room.decisions == [] and room.failures == []


def test_a_new_turn_replaces_the_old_one() -> None:
    room, old, new = Room(), Waiting(), Waiting()
    room.turns.start(old)
    assert old.started.wait(GENEROUS)
    room.turns.start(new)
    assert old.stopped and room.turns.thinking
    new.released.set()
    end_of_turns()
    assert len(room.decisions) == 1 and not room.turns.thinking


def test_a_player_that_fails_is_reported() -> None:
    room = Room()
    room.turns.start(Failing(Steps(), seed=0))
    end_of_turns()
    assert room.failures == ["KeyError: 'no move'"]
    assert not room.turns.thinking, "it can be started again"


def test_no_core_is_a_failure() -> None:
    room = Room(max_searches=0)
    room.turns.start(Waiting())
    end_of_turns()
    assert len(room.failures) == 1 and "too many searches" in room.failures[0]


def test_a_decision_that_cannot_be_played_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    room, player = Room(), Waiting()

    def refuse(_: Any) -> None:
        raise ZeroDivisionError("the rule fails")

    monkeypatch.setattr(room.turns, "_on_decision", refuse)
    player.released.set()
    room.turns.start(player)
    end_of_turns()
    assert room.failures == ["ZeroDivisionError: the rule fails"] and not room.turns.thinking
