# SPDX-License-Identifier: MIT
"""Promises about time, measured: how long after Ctrl-C, stop() or its limit a search goes on."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from measurements import Measurement, faster

import unbounded as ub
from unbounded import native
from unbounded.evaluation import default_evaluation, make_evaluator
from unbounded.search.search import Search
from unbounded.solving.strong import solve_all

PROMISE = 0.2
"""Seconds."""
REPEATS = 5
AFTER = 0.3
"""Seconds of searching before something ends it."""
FOREVER = 60.0

RUNS: dict[str, dict[str, Any]] = {
    "ubfm": {},
    "descent": {"algorithm": "descent"},
    "solving, one thread": {"bounds": True, "probes": True},
    "solving, two threads": {"bounds": True, "probes": True, "threads": 2},
    "playouts": {"evaluation": "playouts(1000)"},
}
GAME = "connect-four"


def worst(measure: Callable[[], float]) -> float:
    """The longest of a few."""
    return max(measure() for _ in range(REPEATS))


def lateness(run: Callable[..., Any]) -> float:
    """How much longer a run takes than it may."""
    started = time.perf_counter()
    run(seconds=AFTER)
    return time.perf_counter() - started - AFTER


def answer(run: Callable[[], Any], end: Callable[[], None]) -> float:
    """How long a run goes on after something ends it from another thread."""
    ended: list[float] = []

    def act() -> None:
        ended.append(time.perf_counter())
        end()

    timer = threading.Timer(AFTER, act)
    timer.start()
    with contextlib.suppress(KeyboardInterrupt):
        run()
    returned = time.perf_counter()
    timer.join()
    return returned - ended[0]


def interrupt() -> None:
    os.kill(os.getpid(), signal.SIGINT)


def kept(name: str, work: str, seconds: float) -> Measurement:
    return faster(name, work, max(seconds, 1e-6), PROMISE, 1)


def of_searches() -> Iterator[Measurement]:
    for name, options in RUNS.items():

        def new(options: dict[str, Any] = options) -> Search:
            return ub.Search(GAME, **options)

        def stopped(new: Callable[[], Search] = new) -> float:
            search = new()
            return answer(lambda: search.run(seconds=FOREVER), search.stop)

        new().run(iterations=1)  # compiles
        yield kept(
            "Ctrl-C", name, worst(lambda: answer(lambda: new().run(seconds=FOREVER), interrupt))
        )
        yield kept("stop()", name, worst(stopped))
        yield kept("seconds", name, worst(lambda: lateness(new().run)))


def of_strong_solving() -> Iterator[Measurement]:
    def run(seconds: float) -> Any:
        return solve_all(GAME, seconds=seconds)

    run(0.01)  # compiles
    name = "solving every state"
    yield kept("Ctrl-C", name, worst(lambda: answer(lambda: run(FOREVER), interrupt)))
    yield kept("seconds", name, worst(lambda: lateness(run)))


def of_opponents() -> Iterator[Measurement]:
    game = ub.load_game("hex(size=9)")
    route = native.route_of(game)
    evaluator = make_evaluator(game, route, default_evaluation(game), 0)
    state = route.played_to(game.initial(), 0)
    for name, searcher in (
        ("alpha-beta", native.DepthFirst(route.rules, evaluator, "alpha_beta")),
        ("mcts", native.MonteCarlo(route.rules)),
    ):
        forever = partial(searcher.choose, state, seconds=FOREVER)
        yield kept("Ctrl-C", name, worst(lambda run=forever: answer(run, interrupt)))
        within = partial(searcher.choose, state)
        yield kept("seconds", name, worst(lambda run=within: lateness(run)))


def measure() -> Iterator[Measurement]:
    """Every promise; a ratio of less than 1 is one that was not kept."""
    yield from of_searches()
    yield from of_strong_solving()
    yield from of_opponents()
