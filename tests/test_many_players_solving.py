# SPDX-License-Identifier: MIT
"""Shortcuts for any number of players: what they prove is an equilibrium, and a line leads there.

Where scores tie there are several equilibria, and which one is found depends on the order of the
proofs. So results are compared with the set of all of them, by brute force.
"""

from __future__ import annotations

import threading
from random import Random
from typing import Any

import pytest
from hashed_games import DISTINCT, POINTS, Hashed
from solving_checks import (
    check_line,
    check_stored_rows,
    equilibria,
    equilibria_of_graph,
    play_line,
    row_of,
    worth,
)

import unbounded as ub
from unbounded.conformance.random_games import random_graph
from unbounded.games.graph import Graph
from unbounded.reference.backward_induction import is_tie_breaking, max_n
from unbounded.search.budget import Budget
from unbounded.search.tree import Node
from unbounded.solving.solve import available_cores
from unbounded.solving.strong import resolve_all

VALUES = ("resolved_completion", "propagated_completion")
SHORTCUTS: list[dict[str, Any]] = [
    {"bounds": True},
    {"bounds": True, "probes": True},
    {"bounds": True, "probes": True, "threads": 2},
]
WAYS = [
    {**taken, "canonical": canonical, "algorithm": algorithm, "values": values}
    for taken in SHORTCUTS
    for canonical in (False, True)
    for algorithm, values in zip(("ubfm", "descent"), VALUES, strict=True)
] + [{**SHORTCUTS[2], "algorithm": "descent", "values": "resolved_completion"}]

GAMES = [
    "nim(heaps=[2,3],players=3)",
    "nim(heaps=[2,2,3],players=3,misere=true)",
    "connect-four(width=3,height=3,line=3,players=3)",
    "dots-and-boxes(rows=1,columns=2,players=3)",
    "dots-and-boxes(players=3)",
    "isolation(rows=3,columns=3,players=3)",
    "santorini(size=2,players=3,workers=1)",
]
SLOW_GAME = "dots-and-boxes(rows=1,columns=5,players=3)"
LARGER_GAMES = [
    "connect-four(width=4,height=3,line=3,players=3)",
    "rolit(size=4,players=3)",
    SLOW_GAME,
]


# -- the games of the shelf ------------------------------------------------------------------------


@pytest.mark.parametrize("text", GAMES)
def test_whatever_is_proven_is_an_equilibrium(text: str) -> None:
    game = ub.load_game(text)
    rows = equilibria(game)
    for options in WAYS:
        search = ub.Search(game, **options)
        result = search.run()
        assert result.stopped == "resolved", options
        assert row_of(search.root) in rows[game.initial()], options
        check_stored_rows(search, rows)
        check_line(search)
        assert None not in result.score
        assert (result.probed > 0) == search.options.probes


@pytest.mark.parametrize("text", LARGER_GAMES)
def test_proofs_from_graph_and_probes_together(text: str) -> None:
    """Games that no single probe settles, beside all equilibria up to symmetry."""
    game = ub.load_game(text)
    strong = ub.Search(game, canonical=True, evaluation="zero")
    assert resolve_all(strong, Budget()).resolved
    rows = equilibria_of_graph(strong)
    several_iterations = 0
    for options in WAYS:
        if not options.get("probes") or (text == SLOW_GAME and not options.get("canonical")):
            continue
        search = ub.Search(game, **options)
        search.run(states=300)  # too few for the first probe, which so cannot settle the game
        result = search.run()
        assert row_of(search.root) in worth(game, rows, search.state), options
        several_iterations += result.iterations > 1
        for number in range(search.states):
            node = Node(search, number)
            if node.resolved:
                image = strong.route.from_core(strong.route.to_core(node.state))
                assert row_of(node) in rows[image], options
        check_line(search)
    assert several_iterations > 0


@pytest.mark.parametrize(
    "text",
    [
        "tie-breaking(game=nim(heaps=[2,3],players=3))",
        "tie-breaking(game=dots-and-boxes(rows=1,columns=2,players=3))",
    ],
)
def test_where_nothing_ties_there_is_one_equilibrium(text: str) -> None:
    game = ub.load_game(text)
    if not is_tie_breaking(game):
        pytest.skip("it ties")
    exact = max_n(game)[game.initial()]
    for options in WAYS:
        search = ub.Search(game, **options)
        result = search.run()
        assert (result.outcome, result.score) == exact, options
        check_line(search)


def test_playing_on() -> None:
    for text in ("isolation(rows=3,columns=3,players=3)", "dots-and-boxes(players=3)"):
        game = ub.load_game(text)
        rows, random = equilibria(game), Random(3)
        for options in (SHORTCUTS[1], {**SHORTCUTS[2], "canonical": True}):
            search = ub.Search(game, **options)
            while True:
                search.run()
                assert row_of(search.root) in rows[search.state]
                check_line(search)
                if not game.actions(search.state):
                    break
                search.play_action(random.choice(list(game.actions(search.state))))
            check_stored_rows(search, rows)


def test_following_the_best_line_keeps_what_was_proven() -> None:
    search = ub.Search("nim(heaps=[3,4,5],players=3)", bounds=True, probes=True)
    proven = search.run().outcome
    while search.result.pv:
        assert search.decide() == search.decide("safest") == search.result.best_action
        search.play(search.result.pv[0])
        assert search.run().outcome == proven
        check_line(search)


def test_solve_takes_every_shortcut_that_fits() -> None:
    result = ub.solve("dots-and-boxes(players=3)")
    assert (result.options.canonical, result.options.bounds, result.options.probes) == (
        True,
        True,
        True,
    )
    assert result.options.threads == available_cores()
    assert result.options.values == "resolved_completion"
    assert result.distance == len(result.pv) == 12
    assert result.outcome_bounds == tuple((x, x) for x in result.outcome)
    game = Graph.of([[1, 2], [], []], {0: 2}, {1: (1, 0, 0), 2: (0, 0, 1)}, players=3)
    result = ub.solve(game)
    assert (result.options.bounds, result.options.probes, result.options.threads) == (
        True,
        False,
        1,
    )
    assert (result.outcome, result.pv) == ((0, 0, 1), ("2",))


def test_one_player() -> None:
    game = Graph.of(
        [[1, 2, 3], [4, 5], [], [], [], []],
        {0: 0, 1: 0},
        {2: (1,), 3: (0,), 4: (1,), 5: (-1,)},
        scores={2: (3,), 3: (9,), 4: (5,), 5: (7,)},
        players=1,
    )
    for values in VALUES:
        search = ub.Search(game, bounds=True, values=values)  # type: ignore[arg-type]
        result = search.run()
        assert (result.outcome, result.score, result.pv) == ((1,), (5,), ("1", "4"))


# -- random games ----------------------------------------------------------------------------------


def test_random_games_without_ties() -> None:
    for seed in range(300):
        game = random_graph(seed, ties=False, states=(2, 120))
        exact = max_n(game)
        rows = {s: frozenset([tuple(zip(*pair, strict=True))]) for s, pair in exact.items()}
        for algorithm in ("ubfm", "descent"):
            for values in VALUES:
                search = ub.Search(
                    game,
                    algorithm=algorithm,  # type: ignore[arg-type]
                    values=values,  # type: ignore[arg-type]
                    bounds=True,
                )
                result = search.run()
                assert (result.outcome, result.score) == exact[game.initial()], seed
                check_stored_rows(search, rows)
                check_line(search)


def test_random_games_with_ties() -> None:
    several = 0
    for seed in range(200):
        game = random_graph(seed, ties=True, states=(2, 60))
        rows = equilibria(game)
        several += len(rows[game.initial()]) > 1
        for algorithm in ("ubfm", "descent"):
            for values in VALUES:
                search = ub.Search(
                    game,
                    algorithm=algorithm,  # type: ignore[arg-type]
                    values=values,  # type: ignore[arg-type]
                    bounds=True,
                )
                search.run()
                assert row_of(search.root) in rows[game.initial()], (seed, algorithm, values)
                check_stored_rows(search, rows)
                check_line(search)
    assert several > 20


def test_random_games_whose_scores_are_ignored() -> None:
    """What is proven then is an equilibrium of the outcomes alone, and so it is called."""
    differ = 0
    for seed in range(150):
        game = random_graph(seed, players=(2, 4), states=(5, 40), ties=False)
        exact, alone = equilibria(game), equilibria(game, scores=False)
        rule = ("resolved_completion", "propagated_completion")[seed % 2]
        search = ub.Search(game, values=rule, resolve_on_win=True)
        assert search.run().resolved
        assert search.scores_ignored
        for number in range(search.states):
            node = Node(search, number)
            if node.outcome is not None:
                assert tuple((x, 0.0) for x in node.outcome) in alone[node.state]
        outcomes = {tuple(x for x, _ in row) for row in exact[game.initial()]}
        differ += search.root.outcome not in outcomes
    assert differ > 0


@pytest.mark.parametrize("scores", [POINTS, DISTINCT])
def test_random_games_with_compiled_rules(scores: int) -> None:
    game = Hashed(players=3, scores=scores)
    rows = equilibria(game)
    single = 0
    for seed in range(game.games):
        options = WAYS[seed % len(WAYS)]
        search = ub.Search(game, moves=[str(seed)], **options)
        search.run()
        assert row_of(search.root) in rows[search.state], (seed, options)
        single += len(rows[search.state]) == 1
        check_stored_rows(search, rows)
        check_line(search)
    assert single > 50


def test_all_random_games_at_once() -> None:
    game = Hashed(players=3, scores=POINTS)
    rows = equilibria(game)
    for options in WAYS:
        if not options.get("probes"):
            continue
        search = ub.Search(game, **options)
        search.run()
        assert row_of(search.root) in rows[search.state], options
        check_stored_rows(search, rows)
        check_line(search)


# -- the same twice --------------------------------------------------------------------------------


def without_times(result: ub.Result) -> dict[str, Any]:
    told = result.to_dict()
    return {k: v for k, v in told.items() if k not in ("seconds", "states_per_second")}


def test_the_same_bytes_twice_and_across_pauses() -> None:
    text = "connect-four(width=5,height=4,line=3,players=3)"
    whole, again, pieces = (ub.Search(text, bounds=True, probes=True) for _ in range(3))
    assert whole.run(iterations=3).stopped == "iterations"
    again.run(iterations=3)
    assert whole.snapshot() == again.snapshot()
    assert without_times(whole.result) == without_times(again.result)
    for _ in range(3):
        pieces.run(iterations=1)
        _ = pieces.result
    assert pieces.snapshot() == whole.snapshot()


@pytest.mark.parametrize("text", ["dots-and-boxes(players=3)", LARGER_GAMES[0]])
def test_the_same_bytes_twice_when_it_is_solved(text: str) -> None:
    for options in WAYS:
        if options.get("threads", 1) > 1:
            continue
        first, second = (ub.Search(text, **options) for _ in range(2))
        assert without_times(first.run()) == without_times(second.run())
        assert first.snapshot() == second.snapshot()


# -- limits ----------------------------------------------------------------------------------------

BIG = "connect-four(players=3)"


def test_iterations_are_exact_with_threads() -> None:
    search = ub.Search(BIG, bounds=True, threads=2)
    done = 0
    for iterations in (0, 1, 2, 50, 1, 446):
        result = search.run(iterations=iterations)
        done += iterations
        assert (result.stopped, result.iterations) == ("iterations", done)
    probing = ub.Search(BIG, **SHORTCUTS[2])
    assert probing.run(iterations=3).iterations == 3


def test_seconds_are_a_limit_and_the_search_goes_on() -> None:
    search = ub.Search(BIG, **SHORTCUTS[2], canonical=True)
    result = search.run(seconds=0.3)
    assert result.stopped == "seconds"
    assert result.outcome == (None,) * 3
    assert result.outcome_bounds == ((-1, 1),) * 3
    assert result.distance is None
    assert search.run(seconds=0.3).probed > result.probed
    assert search.result.best_action is not None
    play_line(search)  # every move of it is legal


def test_stop_from_another_thread() -> None:
    search = ub.Search(BIG, **SHORTCUTS[2])
    timer = threading.Timer(0.2, search.stop)
    timer.start()
    result = search.run(seconds=600)
    timer.join()
    assert result.stopped == "interrupted"


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"values": "propagated_completion", "algorithm": "descent"},
        {"bounds": True},
        {"bounds": True, "threads": 2},
        {"bounds": True, "canonical": True},
        {"bounds": True, "values": "propagated_completion", "algorithm": "descent"},
    ],
    ids=str,
)
def test_solving_in_little_memory_by_forgetting(options: dict[str, Any]) -> None:
    game = ub.load_game("connect-four(width=4,height=3,line=3,players=3)")
    whole = ub.Search(game, **options)
    assert whole.run().outcome == (0, 0, 0)
    for sixteenths in (8, 10, 12):
        search = ub.Search(game, **options)
        limit = whole.memory_bytes * sixteenths // 16
        result = search.run(memory=limit)
        assert search.memory_bytes <= limit
        assert result.stopped == "resolved"
        assert search.compactions > 0
        assert result.outcome == (0, 0, 0)
        check_line(search)


def test_forgetting_where_scores_tie() -> None:
    """The line that is kept is one that ends as was proven, not just any best one."""
    for text in ("dots-and-boxes(players=3)", "isolation(rows=3,columns=3,players=3)"):
        game = ub.load_game(text)
        rows = equilibria(game)
        forgetful = 0
        for options in ({}, {"bounds": True}, {"bounds": True, "algorithm": "descent"}):
            whole = ub.Search(game, **options)
            whole.run()
            for sixteenths in (6, 8, 10, 12, 14):
                search = ub.Search(game, **options)
                result = search.run(memory=whole.memory_bytes * sixteenths // 16)
                check_stored_rows(search, rows)
                if not result.resolved:
                    continue
                assert row_of(search.root) in rows[game.initial()]
                check_line(search)
                forgetful += search.compactions > 0
        assert forgetful > 0
