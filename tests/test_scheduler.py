# SPDX-License-Identifier: MIT
"""The scheduler: as many searches as there are cores, moves first, and all of them in the end."""

from __future__ import annotations

import threading
import time

import pytest
from serving import GENEROUS, wait_until

from unbounded.game import UsageError
from unbounded.interfaces.web.scheduler import MIN_MOVE_SECONDS, TIME_SLICE, Scheduler


class Threads:
    """Threads that queue for cores; each holds its core until it is released."""

    def __init__(self, scheduler: Scheduler) -> None:
        self.scheduler = scheduler
        self.order: list[str] = []
        self.shares: dict[str, float] = {}
        self._released = {"": threading.Event()}
        self._threads: list[threading.Thread] = []

    def move(self, name: str, seconds: float = 1.0) -> None:
        def search() -> None:
            with self.scheduler.move(seconds) as share:
                self.shares[name] = share
                self._hold(name)

        self._start(name, search)

    def analysis(self, name: str) -> None:
        def search() -> None:
            with self.scheduler.analysis(lambda: False):
                self._hold(name)

        self._start(name, search)

    def _start(self, name: str, search: object) -> None:
        self._released[name] = threading.Event()
        before = self.waiting()
        thread = threading.Thread(target=search)  # type: ignore[arg-type]
        self._threads.append(thread)
        thread.start()
        wait_until(lambda: name in self.order or self.waiting() > before)

    def waiting(self) -> int:
        return len(self.scheduler._moves) + len(self.scheduler._analyses)

    def _hold(self, name: str) -> None:
        self.order.append(name)
        self._released[name].wait(GENEROUS)

    def release(self, name: str) -> None:
        self._released[name].set()

    def end(self) -> None:
        for event in self._released.values():
            event.set()
        for thread in self._threads:
            thread.join(GENEROUS)


def test_moves_come_before_analyses() -> None:
    threads = Threads(Scheduler(cores=1, max_searches=10))
    threads.move("first")
    threads.analysis("analysis")
    threads.move("second")
    threads.release("first")
    wait_until(lambda: len(threads.order) == 2)
    threads.release("second")
    wait_until(lambda: len(threads.order) == 3)
    threads.end()
    assert threads.order == ["first", "second", "analysis"]


def test_no_more_than_there_are_cores() -> None:
    threads = Threads(Scheduler(cores=2, max_searches=10))
    for name in "abcd":
        threads.move(name)
    wait_until(lambda: len(threads.order) >= 2)
    assert sorted(threads.order) == ["a", "b"]
    threads.release("b")
    wait_until(lambda: len(threads.order) == 3)
    assert threads.order[2] == "c"
    threads.end()
    assert sorted(threads.order) == list("abcd")


def test_waiting_moves_share_the_time() -> None:
    threads = Threads(Scheduler(cores=1, max_searches=100))
    threads.move("alone", 1000.0)  # so many seconds that the waiting in this test does not matter
    for n in range(9):
        threads.move(f"m{n}", 1000.0)
    threads.release("alone")
    wait_until(lambda: len(threads.order) == 2)
    assert 500 < threads.shares["alone"] <= 1000
    assert MIN_MOVE_SECONDS <= threads.shares["m0"] <= 1000 / 9
    threads.end()
    assert all(share >= MIN_MOVE_SECONDS for share in threads.shares.values())


def test_an_analysis_yields() -> None:
    threads = Threads(Scheduler(cores=1, max_searches=10))
    threads.analysis("one")
    assert not threads.scheduler.should_yield(100)
    threads.analysis("two")
    assert threads.scheduler.should_yield(TIME_SLICE)
    assert not threads.scheduler.should_yield(TIME_SLICE / 2)
    threads.move("move")
    assert threads.scheduler.should_yield(0)
    threads.end()
    assert threads.order == ["one", "move", "two"]


def test_waiting_can_be_cancelled() -> None:
    scheduler = Scheduler(cores=1, max_searches=10)
    threads = Threads(scheduler)
    threads.move("busy")
    cancelled = threading.Event()
    acquired: list[bool] = []

    def search() -> None:
        with scheduler.analysis(cancelled.is_set) as core:
            acquired.append(core)

    waiting = threading.Thread(target=search)
    waiting.start()
    time.sleep(0.05)
    assert acquired == []
    cancelled.set()
    scheduler.wake()
    waiting.join(GENEROUS)
    assert acquired == [False]
    threads.end()
    with scheduler.analysis(lambda: False) as core:
        assert core, "a cancelled search holds no core"


def test_the_number_of_searches_is_limited() -> None:
    threads = Threads(Scheduler(cores=1, max_searches=2))
    threads.move("a")
    threads.move("b")
    with pytest.raises(UsageError, match="too many searches"), threads.scheduler.move(1.0):
        pass
    threads.end()


def test_an_error_releases_the_core() -> None:
    scheduler = Scheduler(cores=1, max_searches=2)
    with pytest.raises(ZeroDivisionError), scheduler.move(1.0):
        raise ZeroDivisionError
    with scheduler.move(1000.0) as share:
        assert share > 500
