# SPDX-License-Identifier: MIT
"""Taking turns: as many at a time as there are cores, moves first, and everybody in the end."""

from __future__ import annotations

import threading
import time

import pytest
from serving import wait_until

from unbounded.game import UsageError
from unbounded.interfaces.web.scheduler import LEAST_SECONDS, TURN, Scheduler


class Crowd:
    """Threads that take turns; each holds its core until it is let go."""

    def __init__(self, turns: Scheduler) -> None:
        self.turns = turns
        self.order: list[str] = []
        self.shares: dict[str, float] = {}
        self._go = {"": threading.Event()}
        self._threads: list[threading.Thread] = []

    def move(self, name: str, seconds: float = 1.0) -> None:
        def think() -> None:
            with self.turns.move(seconds) as share:
                self.shares[name] = share
                self._hold(name)

        self._start(name, think)

    def analysis(self, name: str) -> None:
        def think() -> None:
            with self.turns.analysis(lambda: False):
                self._hold(name)

        self._start(name, think)

    def _start(self, name: str, think: object) -> None:
        self._go[name] = threading.Event()
        before = self.waiting()
        thread = threading.Thread(target=think)  # type: ignore[arg-type]
        self._threads.append(thread)
        thread.start()
        wait_until(lambda: name in self.order or self.waiting() > before)

    def waiting(self) -> int:
        return len(self.turns._moves) + len(self.turns._analyses)

    def _hold(self, name: str) -> None:
        self.order.append(name)
        self._go[name].wait(20)

    def let_go(self, name: str) -> None:
        self._go[name].set()

    def end(self) -> None:
        for event in self._go.values():
            event.set()
        for thread in self._threads:
            thread.join(20)


def test_moves_come_before_analyses() -> None:
    crowd = Crowd(Scheduler(cores=1, most=10))
    crowd.move("first")
    crowd.analysis("thought")
    crowd.move("second")
    crowd.let_go("first")
    wait_until(lambda: len(crowd.order) == 2)
    crowd.let_go("second")
    wait_until(lambda: len(crowd.order) == 3)
    crowd.end()
    assert crowd.order == ["first", "second", "thought"]


def test_no_more_than_there_are_cores() -> None:
    crowd = Crowd(Scheduler(cores=2, most=10))
    for name in "abcd":
        crowd.move(name)
    assert crowd.order == ["a", "b"]
    crowd.let_go("b")
    wait_until(lambda: len(crowd.order) == 3)
    assert crowd.order[2] == "c"
    crowd.end()
    assert sorted(crowd.order) == list("abcd")


def test_a_crowd_shares_the_time() -> None:
    crowd = Crowd(Scheduler(cores=1, most=100))
    crowd.move("alone", 1.0)
    for n in range(9):
        crowd.move(f"m{n}", 1.0)
    crowd.let_go("alone")
    wait_until(lambda: len(crowd.order) == 2)
    assert 0.9 < crowd.shares["alone"] <= 1.0
    assert LEAST_SECONDS <= crowd.shares["m0"] <= 1.0 / 9 + 0.01
    crowd.end()
    assert all(share >= LEAST_SECONDS for share in crowd.shares.values())


def test_an_analysis_makes_way() -> None:
    crowd = Crowd(Scheduler(cores=1, most=10))
    crowd.analysis("one")
    assert not crowd.turns.wanted(100)
    crowd.analysis("two")
    assert crowd.turns.wanted(TURN) and not crowd.turns.wanted(TURN / 2)
    crowd.move("move")
    assert crowd.turns.wanted(0)
    crowd.end()
    assert crowd.order == ["one", "move", "two"]


def test_who_waits_can_give_up() -> None:
    turns = Scheduler(cores=1, most=10)
    crowd = Crowd(turns)
    crowd.move("busy")
    given_up = threading.Event()
    got: list[bool] = []

    def think() -> None:
        with turns.analysis(given_up.is_set) as mine:
            got.append(mine)

    waiting = threading.Thread(target=think)
    waiting.start()
    time.sleep(0.05)
    assert got == []
    given_up.set()
    turns.nudge()
    waiting.join(20)
    assert got == [False]
    crowd.end()
    with turns.analysis(lambda: False) as mine:
        assert mine, "who gave up left no core taken"


def test_a_crowd_has_a_limit() -> None:
    crowd = Crowd(Scheduler(cores=1, most=2))
    crowd.move("a")
    crowd.move("b")
    with pytest.raises(UsageError, match="too many searches"), crowd.turns.move(1.0):
        pass
    crowd.end()


def test_a_mistake_gives_the_core_back() -> None:
    turns = Scheduler(cores=1, most=2)
    with pytest.raises(ZeroDivisionError), turns.move(1.0):
        raise ZeroDivisionError
    with turns.move(1.0) as share:
        assert share > 0.9
