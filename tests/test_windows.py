# SPDX-License-Identifier: MIT
"""Runs within a window: what they prove is true, decides the window, and can be certified."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import combinations
from random import Random
from typing import Any

import pytest
from hashed_games import NO_SCORE, POINTS, Hashed

import unbounded as ub
from unbounded.conformance.random_games import random_graph
from unbounded.game import Game, UsageError
from unbounded.search.search import Search
from unbounded.search.window import Window, Worth

INFINITE = float("inf")
WAYS: list[dict[str, Any]] = [
    {"bounds": True},
    {"bounds": True, "algorithm": "descent"},
    {"bounds": True, "probes": True},
    {"bounds": True, "probes": True, "canonical": True},
    {"bounds": True, "probes": True, "threads": 2},
]


def worths(game: Game[Any, Any], root: Any, *, scores: bool) -> dict[Any, Worth]:
    """The first player's worth of every state that can be reached, by brute force."""
    known: dict[Any, Worth] = {}

    def worth(state: Any) -> Worth:
        if state not in known:
            children = [worth(game.next(state, action)) for action in game.actions(state)]
            end = game.outcome(state)[0] if not children else 0
            score = float(game.score(state)[0]) if not children and scores else float(end)
            best = (max if game.player(state) == 0 else min) if children else None
            known[state] = best(children) if best else (end, score)
        return known[state]

    worth(root)
    return known


@cache
def hashed(scores: int) -> Hashed:
    return Hashed(scores=scores, plies=4, width=3)


def small_games() -> Iterator[tuple[Game[Any, Any], list[str], dict[str, Any]]]:
    """Games, the moves before their roots, and options of a search; with exact scores and not."""
    for number in range(20):
        exact = number % 2 == 0
        yield (
            hashed(POINTS if number % 4 < 3 else NO_SCORE),
            [str(number)],
            WAYS[number % len(WAYS)] | {"exact_score": exact},
        )
        graph = random_graph(number, zero_sum=True, players=(2, 2), states=(4, 25))
        yield graph, [], WAYS[number % 2] | {"exact_score": exact}


def decides(bounds: Window, window: Window) -> bool:
    low, high = bounds
    return high <= window[0] or low >= window[1] or low == high


def test_every_window_of_small_games() -> None:
    """All windows between worths that occur, as brute force has them; then to the end."""
    windows = cut = 0
    for game, moves, options in small_games():
        exact = options["exact_score"]
        root = Search(game, moves=moves, **options).state
        known = worths(game, root, scores=exact)
        ends = sorted({*known.values(), (-1, -INFINITE), (1, INFINITE), (0, 0.0)})
        if not exact:
            ends = [(-1, -1.0), (0, 0.0), (1, 1.0)]
        for low, high in combinations(ends, 2):
            search = Search(game, moves=moves, **options)
            result = search.run(window=(low, high))
            proven = search.root.worth_bounds
            assert proven is not None
            assert proven[0] <= known[root] <= proven[1]
            assert decides(proven, (low, high)), (proven, low, high)
            assert result.stopped == ("resolved" if proven[0] == proven[1] else "window")
            windows, cut = windows + 1, cut + (result.stopped == "window")
            assert search.run().stopped == "resolved"
            assert search.root.worth_bounds == (known[root], known[root])
    assert windows > 400
    assert cut > windows // 4


def test_every_stored_bound_is_true() -> None:
    """What a window leaves out is not taken as proven anywhere in the graph."""
    checked = 0
    for game, moves, options in small_games():
        if options.get("canonical"):
            continue
        exact = options["exact_score"]
        known = worths(game, Search(game, moves=moves, **options).state, scores=exact)
        ends = sorted(set(known.values())) if exact else [(-1, -1.0), (0, 0.0), (1, 1.0)]
        random = Random(str(moves))
        for window in random.sample(list(combinations(ends, 2)), min(3, len(ends) - 1)):
            search = Search(game, moves=moves, **options)
            search.run(window=window)
            for number in range(search.states):
                node = search.node(number)
                if node.state not in known:  # the start, before the moves
                    continue
                low, high = node.worth_bounds or ((1, 0.0), (-1, 0.0))
                assert low <= known[node.state] <= high
                assert node.resolved == (low == high) or not exact
                checked += 1
    assert checked > 500


def test_nothing_outside_is_searched() -> None:
    def effort(window: Window | None) -> int:
        search = Search("connect-four(width=4,height=4)", bounds=True, probes=True)
        search.run(window=window)
        return search.states + search.probed_states

    whole = effort(None)
    assert effort(((-1, 0), (0, 0))) < whole
    assert effort(((0, 0), (1, 0))) < whole
    assert effort(((-1, -INFINITE), (1, INFINITE))) == whole


def test_a_window_that_is_decided_already() -> None:
    search = Search("tic-tac-toe", bounds=True)
    assert search.run(window=((-1, 0), (0, 0))).stopped == "window"
    before = search.iterations
    assert search.run(window=((-1, 0), (0, 0))).stopped == "window"
    assert search.iterations == before
    assert ub.solve(search, window=((0, 0), (1, 0))).stopped == "resolved"


def test_solve_takes_a_window() -> None:
    result = ub.solve("connect-four(width=4,height=4)", window=((-1, 0), (0, 0)))
    assert result.stopped == "window"
    assert result.outcome_bounds == ((0, 1), (-1, 0))
    assert not result.resolved


@pytest.mark.parametrize(
    ("window", "why"),
    [
        (((0, 0), (0, 1)), "must be below its upper end.*exact_score"),
        (((1, 0), (0, 0)), "must be below"),
        ((0, 1), "an end of window must be an outcome"),
        (5, "must be two worths"),
        (((0, 0),), "must be two worths"),
        (((-2, 0), (0, 0)), "an end of window"),
        (((0, float("nan")), (1, 0)), "an end of window"),
        (((0, "a"), (1, 0)), "an end of window"),
        (((0, 0), (1, 10**400)), "an end of window"),
    ],
)
def test_windows_that_are_none(window: Any, why: str) -> None:
    with pytest.raises(UsageError, match=why):
        Search("tic-tac-toe", bounds=True).run(window=window)


def test_a_window_needs_bounds_of_one_worth() -> None:
    for search in (
        Search("tic-tac-toe"),
        Search("nim(heaps=[1,2],players=3)", bounds=True),
        Search("tic-tac-toe", bounds=True, values="resolved_completion"),
    ):
        with pytest.raises(UsageError, match="window needs bounds, two players and zero sum"):
            search.run(window=((-1, 0), (1, 0)))


def test_worth_bounds_of_many_players() -> None:
    search = Search("nim(heaps=[1,2,3],players=3)")
    assert search.root.worth_bounds is None
    search.run()
    assert search.root.worth_bounds == ((1, 1.0), (1, 1.0))


def test_worth_bounds_without_bounds() -> None:
    search = Search("tic-tac-toe")
    assert search.root.worth_bounds == ((-1, -1.0), (1, 1.0))
    search.run()
    assert search.root.worth_bounds == ((0, 0.0), (0, 0.0))
