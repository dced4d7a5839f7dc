# SPDX-License-Identifier: MIT
"""Several threads that search one graph without bounds: exact, within their limits, saved."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
import pytest

import unbounded as ub
from unbounded import Search
from unbounded.game import UsageError
from unbounded.interfaces.web.game_setup import GameSetup
from unbounded.interfaces.web.limits import Limits
from unbounded.players import read_kind
from unbounded.players.kinds import Searching

# Solved by brute force elsewhere: tests/test_games.py names the sources.
SMALL = [
    ("tic-tac-toe", {}),
    ("connect-four(width=4,height=4)", {}),
    ("connect-four(width=4,height=4)", {"values": "resolved_completion"}),
    ("connect-four(width=4,height=4)", {"values": "propagated_completion"}),
    ("connect-four(width=4,height=3,line=3,players=3)", {}),
]


@pytest.mark.parametrize("algorithm", ["ubfm", "descent"])
@pytest.mark.parametrize(("game", "options"), SMALL)
@pytest.mark.parametrize("threads", [2, 4])
def test_threads_prove_what_one_thread_proves(
    game: str, options: dict[str, str], algorithm: str, threads: int
) -> None:
    alone = Search(game, algorithm=algorithm, **options)
    alone.run()
    together = Search(game, algorithm=algorithm, threads=threads, **options)
    together.run()
    assert together.stopped == "resolved"
    assert together.root.outcome == alone.root.outcome
    for child in together.root.children:
        if child.resolved:
            twin = alone.root.children[child.name]
            assert not twin.resolved or twin.outcome == child.outcome


@pytest.mark.parametrize("algorithm", ["ubfm", "descent"])
@pytest.mark.parametrize("values", ["resolved_completion", "propagated_completion"])
def test_threads_prove_an_equilibrium(algorithm: str, values: str) -> None:
    """This game has several: which one is found depends on the order, but it is one."""
    search = Search("nim(players=3)", algorithm=algorithm, values=values, threads=3)
    search.run()
    assert search.root.resolved
    left, checked = [search.root], 0
    while left:
        node = left.pop()
        proven = [child for child in node.children if child.resolved]
        left += [child.node for child in proven][:3]
        if not node.children:
            continue
        checked += 1
        assert node.outcome in [child.outcome for child in proven]
        assert node.outcome is not None
        best = max(child.outcome[node.player] for child in proven if child.outcome)
        assert node.outcome[node.player] == best
        assert best == 1 or len(proven) == len(node.children)
    assert checked > 3


@pytest.mark.parametrize("algorithm", ["ubfm", "descent"])
def test_no_more_iterations_than_asked_for(algorithm: str) -> None:
    search = Search("connect-four", algorithm=algorithm, threads=3)
    for iterations in (1, 2, 50, 1000):
        before = search.iterations
        search.run(iterations=iterations)
        assert search.iterations == before + iterations
        visits = sum(child.visits for child in search.root.children)
        assert visits <= search.iterations


def test_the_graph_can_be_read_during_a_run() -> None:
    """What the caller's function reads does not change under it."""
    search = Search("connect-four", threads=2)
    seen = []

    def look(running: Search) -> None:
        first, second = (
            (running.iterations, running.states, [child.visits for child in running.root.children])
            for _ in range(2)
        )
        assert first == second
        seen.append(first[0])

    search.run(until=lambda _: len(seen) >= 5, progress=look, report_every=0)
    assert len(seen) >= 5 and seen == sorted(seen)


def test_what_was_saved_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "search.safetensors"
    search = Search("connect-four(width=5,height=4)", threads=2)
    search.run(iterations=2000, save=path)
    for threads in (1, 2):
        resumed = Search.load(path, threads=threads)
        assert (resumed.iterations, resumed.states) == (search.iterations, search.states)
        resumed.run()
        assert resumed.root.outcome == (0, 0)  # docs/games/connect-four.md: 5x4 is a draw


def test_one_thread_saved_goes_on_with_several(tmp_path: Path) -> None:
    path = tmp_path / "search.safetensors"
    Search("connect-four(width=5,height=4)").run(iterations=2000, save=path)
    resumed = Search.load(path, threads=3)
    resumed.run()
    assert resumed.root.outcome == (0, 0)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"paper": True}, "paper"),
        ({"completion": False}, "completion"),
        ({"algorithm": "descent", "stop_at_draw": True}, "stop_at_draw"),
        ({"leaves": 4}, "needs threads=1"),
        ({"evaluation": "playouts"}, "several threads cannot use the evaluation"),
    ],
)
def test_what_does_not_fit_is_refused(options: dict[str, object], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        Search("connect-four", threads=2, **options)


@pytest.mark.parametrize("algorithm", ["ubfm", "descent"])
def test_evaluations_in_python_are_gathered(algorithm: str) -> None:
    inside, sizes = threading.Lock(), []

    def evaluate(states: Any) -> Any:
        assert inside.acquire(blocking=False), "one thread at a time"
        sizes.append(len(states))
        if len(sizes) < 100:
            time.sleep(0.001)  # others come meanwhile
        inside.release()
        values = np.array([crc32(state.tobytes()) / 2**32 for state in states])
        return np.stack([values, -values], axis=1)

    game = ub.load_game("connect-four(width=4,height=4)")
    search = Search(game, algorithm=algorithm, threads=8, evaluation=evaluate)
    search.run(iterations=200)
    assert max(sizes) > 4, "more than the children of one state"
    leaves = [node for node in map(search.node, range(search.states)) if not node.expanded]
    open_leaves = [node for node in leaves if not node.is_terminal]
    assert len(open_leaves) > 50
    for node in open_leaves:  # each has got its own value, not that of another thread's state
        assert node.value[0] == pytest.approx(crc32(node.state) / 2**32)
    assert search.run().outcome == (0, 0)


def test_a_function_that_fails_in_a_thread() -> None:
    calls = []

    def evaluate(states: Any) -> Any:
        calls.append(len(states))
        if len(calls) == 20:
            raise ZeroDivisionError("on the twentieth call")
        return np.zeros((len(states), 2))

    search = Search("connect-four(width=4,height=4)", threads=4, evaluation=evaluate)
    with pytest.raises(ZeroDivisionError, match="twentieth"):
        search.run()
    assert search.run().outcome == (0, 0)


def test_solving_with_a_function_and_threads() -> None:
    def evaluate(states: Any) -> Any:
        return np.zeros((len(states), 2))

    result = ub.solve("connect-four(width=4,height=4)", evaluation=evaluate, threads=3)
    assert result.outcome == (0, 0) and result.options.threads == 3


def test_players_take_threads() -> None:
    game = ub.load_game("connect-four")
    decision = read_kind("ubfm(iterations=500,threads=2)").player(game, 1).choose()
    assert decision.work == 500
    assert decision.action in list(game.actions(game.initial()))


def test_a_page_gives_its_players_one_core() -> None:
    """Whatever the name of a player asks for: its moves are scheduled as one core each."""
    (seat,) = GameSetup(Limits()).seats(["ubfm(threads=64,ponder=true)"], 1)
    kind = read_kind(seat)
    assert isinstance(kind, Searching) and not kind.ponder
    assert "threads" not in seat
