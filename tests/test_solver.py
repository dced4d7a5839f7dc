# SPDX-License-Identifier: MIT
"""Bounds, probes, exact scores and threads: quicker proofs of the same values."""

from __future__ import annotations

import itertools
import json
import signal
import subprocess
import sys
import threading
import time
from random import Random
from typing import Any

import pytest
from hashed_games import NO_SCORE, POINTS, Hashed
from lockstep import NO_LIMIT
from solving_checks import (
    Strong,
    check_line,
    check_stored_states,
    play_line,
    worth,
    worths_of,
)
from test_cli import Here, check_result, here, is_one_line, on_terminal  # noqa: F401

import unbounded as ub
from unbounded import native
from unbounded.conformance.random_games import random_graph
from unbounded.game import Out, RecordGame, RuleError, Rules, State, UsageError, record
from unbounded.games.graph import Graph
from unbounded.reference.backward_induction import minimax_scores
from unbounded.solving.solve import available_cores, shortcuts

SHORTCUTS: list[dict[str, Any]] = [
    {"bounds": True},
    {"bounds": True, "probes": True},
    {"bounds": True, "probes": True, "threads": 2},
]
WAYS = [
    {**taken, "canonical": canonical, "algorithm": algorithm}
    for taken in SHORTCUTS
    for canonical in (False, True)
    for algorithm in ("ubfm", "descent")
]
ALL = {"bounds": True, "probes": True, "threads": 2, "canonical": True}

SMALL_GAMES = [
    "tic-tac-toe",
    "connect-four(width=4,height=3,line=3)",
    "connect-four(width=4,height=3)",
    "nim(heaps=[3,4,5])",
    "chomp",
    "hex(size=3)",
    "domineering(rows=4,columns=4)",
    "clobber(rows=3,columns=4)",
    "breakthrough(rows=4,columns=2)",
    "kalah(pits=2,seeds=2)",
    "kalah(pits=3,seeds=2)",
    "dots-and-boxes(rows=1,columns=2)",
    "dots-and-boxes",
    "isolation(rows=3,columns=3)",
    "konane(rows=4,columns=4)",
]
SCORED_GAMES = [
    "kalah(pits=2,seeds=2)",
    "kalah(pits=3,seeds=2)",
    "dots-and-boxes(rows=1,columns=2)",
    "dots-and-boxes",
]

# Found by others: see `known_values` of the games.
LARGER_GAMES: list[tuple[str, int, float | None]] = [
    ("connect-four(width=4,height=4)", 0, None),
    ("connect-four(width=5,height=4)", 0, None),
    ("breakthrough(rows=4,columns=3)", -1, None),
    ("othello(size=4)", -1, -8.0),
    ("kalah(pits=4,seeds=2)", 1, 6.0),
]


# -- the games of the shelf ------------------------------------------------------------------------


@pytest.mark.parametrize("text", SMALL_GAMES)
def test_whatever_is_proven_of_any_state_is_true(text: str) -> None:
    game, worths = ub.load_game(text), worths_of(text)
    first = worths[game.initial()][0]
    for options in WAYS:
        search = ub.Search(game, **options)
        result = search.run()
        assert result.stopped == "resolved", options
        assert result.outcome == (first, -first), options
        check_stored_states(search, worths)
        check_line(search)
        assert (result.probed > 0) == search.options.probes


@pytest.mark.parametrize(("text", "first", "_"), LARGER_GAMES, ids=[x[0] for x in LARGER_GAMES])
def test_known_values(text: str, first: int, _: float | None) -> None:
    for options in WAYS:
        if options["bounds"] and not options.get("probes") and not options["canonical"]:
            continue  # only slower
        search = ub.Search(text, **options)
        assert search.run().outcome == (first, -first), options
        check_line(search)


@pytest.mark.parametrize("text", ["tic-tac-toe", "clobber(rows=3,columns=4)", "dots-and-boxes"])
def test_what_is_proven_half_way_is_true(text: str) -> None:
    worths = worths_of(text)
    for options in WAYS:
        if options.get("probes"):
            continue
        search = ub.Search(text, **options)
        for iterations in (1, 2, 5, 20, 100, 300):
            search.run(iterations=iterations)
            check_stored_states(search, worths)


def test_bounds_close_in() -> None:
    search = ub.Search("tic-tac-toe", bounds=True, evaluation="zero")
    seen = [search.result.outcome_bounds[0]]
    while not search.root.resolved:
        search._core.run(search.iterations + 1, NO_LIMIT, NO_LIMIT, -1.0)
        seen.append(search.root.outcome_bounds[0])
    assert seen[0] == (-1, 1)
    assert seen[-1] == (0, 0)
    for (low, high), (new_low, new_high) in itertools.pairwise(seen):
        assert low <= new_low <= new_high <= high
    assert {(-1, 0), (0, 1)} & set(seen)  # known of the outcome before it is proven


def test_shortcuts_are_shorter() -> None:
    text = "connect-four(width=4,height=4)"
    plain = ub.Search(text).run()
    bounded = ub.Search(text, bounds=True).run()
    probing = ub.Search(text, bounds=True, probes=True).run()
    assert bounded.states <= plain.states
    assert probing.states < bounded.states / 100
    assert plain.outcome_bounds == bounded.outcome_bounds == ((0, 0), (0, 0))
    assert plain.probed == bounded.probed == 0


def test_two_players_by_the_rules_for_many() -> None:
    for text in ("tic-tac-toe", "dots-and-boxes", "hex(size=3)", "kalah(pits=3,seeds=2)"):
        first, score = worths_of(text)[ub.load_game(text).initial()]
        for values in ("resolved_completion", "propagated_completion"):
            for taken in SHORTCUTS:
                search = ub.Search(text, values=values, **taken)  # type: ignore[arg-type]
                result = search.run()
                assert (result.outcome, result.score) == ((first, -first), (score, -score))
                check_line(search)


def test_every_action_of_a_played_game() -> None:
    for text in ("tic-tac-toe", "kalah(pits=3,seeds=2)", "isolation(rows=3,columns=3)"):
        game, worths, random = ub.load_game(text), worths_of(text), Random(1)
        for options in ({**SHORTCUTS[1]}, ALL):
            search = ub.Search(game, **options)
            while True:
                first = worths[search.state][0]
                assert search.run().outcome == (first, -first)
                check_line(search)
                check_stored_states(search, worths)
                if not game.actions(search.state):
                    break
                search.play_action(random.choice(list(game.actions(search.state))))


def test_following_the_best_line_keeps_what_was_proven() -> None:
    search = ub.Search("connect-four(width=4,height=3,line=3)", **ALL)
    line, outcome = search.run().pv, search.result.outcome
    for place in range(len(line)):
        assert search.run().outcome == outcome == (1, -1)
        assert search.decide() == search.decide("safest") == search.result.best_action
        assert search.result.distance == len(search.result.pv)
        search.play(search.result.pv[0])
        assert len(search.moves) == place + 1


def test_a_resolved_search_with_probes_stays_as_it_is() -> None:
    search = ub.Search("dots-and-boxes", **{**ALL, "threads": 1})
    result = search.run()
    before = search.snapshot()
    for _ in range(3):
        assert search.run(iterations=10).stopped == "resolved"
        assert search.snapshot() == before
    assert search.result.pv == result.pv


def test_a_game_that_is_over() -> None:
    for options in WAYS:
        search = ub.Search("tic-tac-toe", moves="a1 a2 b1 b2 c1", **options)
        result = search.run()
        assert result.outcome == (1, -1)
        assert result.outcome_bounds == ((1, 1), (-1, -1))
        assert (result.pv, result.distance, result.best_action) == ((), 0, None)


def test_a_very_long_line() -> None:
    result = ub.solve("nim(heaps=[100000],most=1)", canonical=False)
    assert result.outcome == (-1, 1)
    assert result.pv == ("1:1",) * len(result.pv)
    assert len(result.pv) >= 1000


# -- scores ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", SCORED_GAMES)
def test_exact_scores(text: str) -> None:
    game, worths = ub.load_game(text), worths_of(text)
    first, score = worths[game.initial()]
    for options in WAYS:
        search = ub.Search(game, exact_score=True, **options)
        result = search.run()
        assert (result.outcome, result.score) == ((first, -first), (score, -score)), options
        check_stored_states(search, worths)
        check_line(search)


@pytest.mark.parametrize(
    ("text", "first", "score"), [x for x in LARGER_GAMES if x[2] is not None], ids=str
)
def test_known_scores(text: str, first: int, score: float) -> None:
    for options in WAYS:
        if not options.get("probes"):
            continue
        search = ub.Search(text, exact_score=True, **options)
        result = search.run()
        assert (result.outcome, result.score) == ((first, -first), (score, -score)), options
        check_line(search)


def test_the_exact_score_of_a_game_without_scores_is_the_outcome() -> None:
    for options in WAYS:
        search = ub.Search("tic-tac-toe", exact_score=True, **options)
        assert search.run().score == (0.0, 0.0)
        check_stored_states(search, worths_of("tic-tac-toe"))


@pytest.mark.parametrize("text", SCORED_GAMES)
def test_a_score_is_not_proven_unless_asked_for(text: str) -> None:
    for options in WAYS:
        search = ub.Search(text, **options)
        result = search.run()
        assert result.resolved
        assert result.score == (None, None), options
        for action, child in zip(result.actions, search.root.children, strict=True):
            assert (action.score[0] is not None) == child.node.is_terminal
        while not search.root.is_terminal:
            search.play(search.run().pv[0])
        assert search.run().score == tuple(search.game.score(search.state))


def test_the_score_is_the_outcome_where_the_game_has_no_other() -> None:
    for options in WAYS:
        assert ub.Search("connect-four(width=4,height=3,line=3)", **options).run().score == (1, -1)


# -- random games ----------------------------------------------------------------------------------


def test_random_games_on_objects() -> None:
    outcomes = set()
    for seed in range(300):
        game = random_graph(seed, zero_sum=True, states=(2, 120))
        worths = minimax_scores(game)
        first, score = worths[game.initial()]
        for algorithm in ("ubfm", "descent"):
            for exact in (False, True):
                search = ub.Search(
                    game,
                    algorithm=algorithm,  # type: ignore[arg-type]
                    bounds=True,
                    exact_score=exact,
                )
                result = search.run()
                assert result.outcome == (first, -first), (seed, search.options)
                known = exact or not game.has_score or search.root.is_terminal
                assert result.score == ((score, -score) if known else (None, None)), seed
                check_stored_states(search, worths)
                check_line(search)
        outcomes.add(first)
    assert outcomes == {-1, 0, 1}


@pytest.mark.parametrize("scores", [NO_SCORE, POINTS])
def test_random_games_with_compiled_rules(scores: int) -> None:
    game = Hashed(scores=scores)
    worths = minimax_scores(game)
    for seed in range(game.games):
        options = WAYS[seed % len(WAYS)]
        for exact in (False, True):
            search = ub.Search(game, moves=[str(seed)], exact_score=exact, **options)
            result = search.run()
            first, score = worths[search.state]
            assert result.outcome == (first, -first), (seed, options)
            if exact:
                assert result.score == (score, -score), (seed, options)
            check_stored_states(search, worths)
            check_line(search)


def test_all_random_games_at_once() -> None:
    game = Hashed(scores=POINTS)
    worths = minimax_scores(game)
    first, score = worths[game.initial()]
    for options in WAYS:
        search = ub.Search(game, exact_score=True, **options)
        assert search.run().score == (score, -score), options
        assert search.result.outcome == (first, -first)
        check_stored_states(search, worths)
        check_line(search)


def test_a_game_that_no_single_probe_settles() -> None:
    """Proofs come from the graph and from probes together."""
    text = "dots-and-boxes(columns=3)"
    worths = Strong(text)
    assert worths[ub.load_game(text).initial()] == (-1, -2.0)
    for options in WAYS:
        if not options.get("probes"):
            continue
        for exact in (False, True):
            search = ub.Search(text, exact_score=exact, **options)
            result = search.run()
            assert result.outcome == (-1, 1), options
            assert result.score == ((-2.0, 2.0) if exact else (None, None))
            # The rule `forced` lets one probe prove the outcome, but not the score.
            assert result.iterations > 1 or options["canonical"] or not exact
            check_stored_states(search, worths)
            check_line(search)


# -- what `solve` takes by itself ------------------------------------------------------------------


def test_solve_takes_every_shortcut_that_fits() -> None:
    result = ub.solve("connect-four(width=4,height=4)")
    assert (result.options.canonical, result.options.bounds, result.options.probes) == (
        True,
        True,
        True,
    )
    assert result.options.threads == available_cores() >= 1
    assert result.options.exact_score is False
    assert result.probed > 0
    assert result.distance == len(result.pv) == 16


def test_shortcuts_that_do_not_fit_are_left_out() -> None:
    record_game, graph = ub.load_game("tic-tac-toe"), Graph()
    every = {"canonical": True, "bounds": True, "probes": True, "threads": available_cores()}
    assert shortcuts(record_game, {}) == every
    assert shortcuts(record_game, {"threads": None, "probes": None}) == every
    assert shortcuts(record_game, {"threads": 3, "canonical": False}) == {
        **every,
        "threads": 3,
        "canonical": False,
    }
    assert shortcuts(graph, {}) == {**every, "probes": False, "threads": 1}
    assert shortcuts(record_game, {"paper": True}) == {"canonical": False, "paper": True}
    assert shortcuts(record_game, {"bounds": False}) == {"canonical": True, "bounds": False}
    for variant in ("resolve_on_win", "stop_at_draw", "local_maximum"):
        assert shortcuts(record_game, {variant: True}) == {"canonical": True, variant: True}
    playouts = shortcuts(record_game, {"evaluation": "playouts(2)"})
    assert (playouts["threads"], playouts["probes"]) == (1, True)
    function = shortcuts(record_game, {"evaluation": lambda states: states})
    assert (function["threads"], function["probes"]) == (1, True)


def test_solving_by_any_evaluation() -> None:
    def nothing(states: Any) -> Any:
        return [[0.0, 0.0]] * len(states)

    for evaluation in ("zero", "heuristic", "playouts(2)", nothing):
        result = ub.solve("tic-tac-toe", evaluation=evaluation)
        assert result.outcome == (0, 0)
        assert result.options.bounds
        assert result.options.probes
        assert result.distance == 9


def test_solving_a_game_on_objects() -> None:
    result = ub.solve(Graph())
    assert result.outcome == (0, 0)
    assert (result.options.bounds, result.options.probes, result.options.threads) == (
        True,
        False,
        1,
    )
    assert result.pv == ("right", "drawn")
    assert result.distance == 2


# -- the same twice --------------------------------------------------------------------------------


def without_times(result: ub.Result) -> dict[str, Any]:
    told = result.to_dict()
    return {k: v for k, v in told.items() if k not in ("seconds", "states_per_second")}


@pytest.mark.parametrize("exact", [False, True])
def test_the_same_bytes_twice_and_across_pauses(exact: bool) -> None:
    def new() -> ub.Search:
        return ub.Search(
            "dots-and-boxes(rows=3,columns=3)",
            bounds=True,
            probes=True,
            exact_score=exact,
            canonical=True,
        )

    whole, again, pieces = new(), new(), new()
    assert whole.run(iterations=3).stopped == "iterations"
    again.run(iterations=3)
    assert whole.snapshot() == again.snapshot()
    assert without_times(whole.result) == without_times(again.result)
    assert whole.result.probed > 100_000
    for step in (1, 2):
        pieces.run(iterations=step)
        _ = pieces.result  # looking changes nothing
    assert pieces.snapshot() == whole.snapshot()
    assert without_times(pieces.result) == without_times(whole.result)


@pytest.mark.parametrize("algorithm", ["ubfm", "descent"])
@pytest.mark.parametrize("options", [SHORTCUTS[0], SHORTCUTS[1], {**ALL, "threads": 1}], ids=str)
def test_the_same_bytes_twice_when_it_is_solved(algorithm: Any, options: dict[str, Any]) -> None:
    text = "dots-and-boxes(columns=3)" if options.get("probes") else "dots-and-boxes"
    first, second, pieces = (ub.Search(text, algorithm=algorithm, **options) for _ in range(3))
    assert without_times(first.run()) == without_times(second.run())
    assert first.snapshot() == second.snapshot()
    while not pieces.root.resolved:
        pieces.run(iterations=7)
    assert pieces.snapshot() == first.snapshot()


def test_cut_hashes_change_nothing() -> None:
    for options in ({"bounds": True}, {"bounds": True, "probes": True}):
        whole = ub.Search("tic-tac-toe", **options)  # type: ignore[arg-type]
        cut = ub.Search("tic-tac-toe", hash_bits=3, **options)  # type: ignore[arg-type]
        assert without_times(whole.run()) == without_times(cut.run())
        assert whole.snapshot() == cut.snapshot()


# -- limits ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("algorithm", ["ubfm", "descent"])
def test_iterations_are_exact_with_threads(algorithm: Any) -> None:
    search = ub.Search("connect-four", bounds=True, threads=2, algorithm=algorithm)
    done = 0
    for iterations in (0, 1, 2, 3, 50, 1, 997):
        result = search.run(iterations=iterations)
        done += iterations
        assert (result.stopped, result.iterations) == ("iterations", done)


def test_iterations_are_exact_with_threads_and_probes() -> None:
    search = ub.Search("connect-four", **ALL)
    for iterations in (0, 1, 3, 2):
        assert search.run(iterations=iterations).stopped == "iterations"
    assert search.result.iterations == 6


@pytest.mark.parametrize("algorithm", ["ubfm", "descent"])
@pytest.mark.parametrize("threads", [1, 2])
def test_states_are_a_limit(algorithm: Any, threads: int) -> None:
    search = ub.Search(
        "mnk(rows=9,columns=9,line=5)", algorithm=algorithm, bounds=True, threads=threads
    )
    result = search.run(states=500)
    assert result.stopped == "states"
    assert 500 <= result.states <= 1 + 500 + 81 * (threads if algorithm == "ubfm" else 81)
    assert search.run(iterations=3).stopped == "iterations"


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(
    "game", ["connect-four", "kalah(pits=5,seeds=5)", "connect-four(width=5,height=5,players=3)"]
)
def test_probes_keep_to_a_limit_of_states(game: str, threads: int) -> None:
    for states in (4_000, 20_000, 50_000):
        exact = game.startswith("kalah")
        search = ub.Search(game, **{**ALL, "threads": threads, "exact_score": exact})
        assert search.run(states=states).stopped == "states"
        # All children of the state in progress are added. Each of two threads may visit half of
        # what is left, and both together may search as many endgames.
        most = states + 50 if threads == 1 else 1.5 * states + 50
        assert states <= search.states + search.probed_states <= most


def test_seconds_are_a_limit_and_the_search_goes_on() -> None:
    search = ub.Search("connect-four", **ALL)
    result = search.run(seconds=0.3)
    assert result.stopped == "seconds"
    assert result.seconds >= 0.3
    assert not result.resolved
    assert (result.outcome, result.outcome_bounds) == ((None, None), ((-1, 1), (-1, 1)))
    assert result.distance is None
    assert result.best_action == search.decide() == result.pv[0]
    play_line(search)  # every move of it is legal
    more = search.run(iterations=2)
    assert more.stopped == "iterations"
    assert more.iterations == result.iterations + 2
    assert more.probed > result.probed
    assert search.run(seconds=0).stopped == "seconds"


def test_seconds_may_run_out_before_the_line_is_proven() -> None:
    """Whatever the moment at which time is up, another run finds the rest."""
    for seconds in (0.0, 0.001, 0.003, 0.01, 0.03):
        search = ub.Search("othello(size=4)", **{**ALL, "threads": 1})
        result = search.run(seconds=seconds)
        assert result.stopped == ("resolved" if result.resolved else "seconds")
        end = play_line(search)
        if result.distance is not None:
            assert not search.game.actions(end)
        assert search.run().outcome == (-1, 1)
        check_line(search)


class Slow(ub.Game[tuple[int, ...], int]):
    """Every move takes a while."""

    zero_sum = True

    def initial(self) -> tuple[int, ...]:
        return ()

    def player(self, state: tuple[int, ...]) -> int:
        return len(state) % 2

    def actions(self, state: tuple[int, ...]) -> range:
        return range(4 if len(state) < 12 else 0)

    def __init__(self) -> None:
        self.asked_at: list[float] = []

    def next(self, state: tuple[int, ...], action: int) -> tuple[int, ...]:
        self.asked_at.append(time.monotonic())
        time.sleep(0.001)
        return (*state, action)

    def outcome(self, state: tuple[int, ...]) -> list[int]:
        return [0, 0]


def calls_after(times: list[float], seconds: float) -> int:
    """How many calls came after the limit, which a run counts from before its first call."""
    return sum(at > times[0] + seconds for at in times)


def test_slow_rules_on_objects_keep_to_the_time() -> None:
    game = Slow()
    search = ub.Search(game, bounds=True)
    game.asked_at.clear()
    assert search.run(seconds=0.2).stopped == "seconds"
    assert calls_after(game.asked_at, 0.2) <= 100


def test_a_slow_evaluation_keeps_to_the_time() -> None:
    def slow(states: Any) -> Any:
        asked_at.append(time.monotonic())
        time.sleep(0.01)
        return [[0.0, 0.0]] * len(states)

    asked_at: list[float] = []
    search = ub.Search("connect-four", bounds=True, evaluation=slow)
    asked_at.clear()
    assert search.run(seconds=0.2).stopped == "seconds"
    assert calls_after(asked_at, 0.2) <= 10


def test_playouts_keep_to_the_time() -> None:
    search = ub.Search("mnk(rows=15,columns=15,line=5)", evaluation="playouts(1000)", bounds=True)
    assert search.run(seconds=0.2).stopped == "seconds"


class Lopsided(RecordGame):
    """Draws only. Behind the first of two actions moves are quick, behind the second slow."""

    zero_sum = True
    max_actions = 3

    def __init__(self, work: int = 20_000, plies: int = 22) -> None:
        self.work, self.plies = work, plies
        self.state = record(place="i64", ply="i8", slow="i8")

    def rules(self) -> Rules:
        work, plies = self.work, self.plies

        def initial(s: State) -> None:
            s.place = 1

        def player(s: State) -> int:
            return int(s.ply % 2)

        def actions(s: State, out: Out) -> int:
            count = 0 if s.ply == plies else 2 if s.ply == 0 else 3
            for action in range(count):
                out[action] = action
            return count

        def play(s: State, action: int, t: State) -> None:
            wasted = 0
            for i in range(work * s.slow):
                wasted = (wasted * 5 + i) % 1_000_003
            t.place = 3 * s.place + action if wasted >= 0 else 0
            t.ply = s.ply + 1
            if s.ply == 0:
                t.slow = action

        def outcome(s: State, out: Out) -> None:
            out[0] = 0

        return Rules(initial, player, actions, play, outcome)


def test_an_idle_thread_looks_at_the_clock() -> None:
    """Soon only one leaf is open, and the thread that has the clock may not be the one at work."""
    search = ub.Search(Lopsided(), bounds=True, probes=True, threads=2)
    timer = threading.Timer(60, search.stop)
    timer.start()
    result = search.run(seconds=0.3)
    timer.cancel()
    assert result.stopped == "seconds"


def test_stop_from_another_thread() -> None:
    for options in (ALL, {"bounds": True, "threads": 2}, {"bounds": True, "probes": True}):
        search = ub.Search("connect-four", **options)  # type: ignore[arg-type]
        timer = threading.Timer(0.2, search.stop)
        timer.start()
        result = search.run(seconds=600)
        timer.join()
        assert result.stopped == "interrupted"
        assert search.run(iterations=1).stopped == "iterations"


def test_a_second_caller_is_refused_while_threads_search() -> None:
    search = ub.Search("connect-four", **ALL)
    refused: list[str] = []

    def meddle() -> None:
        time.sleep(0.1)
        for act in (search.run, lambda: search.result, lambda: search.play("1")):
            try:
                act()
            except native.Busy:
                refused.append("busy")
        search.stop()

    thread = threading.Thread(target=meddle)
    thread.start()
    search.run(seconds=20)
    thread.join()
    assert refused == ["busy"] * 3


def test_progress_and_until_with_threads() -> None:
    calls: list[int] = []
    search = ub.Search("connect-four", **ALL)
    result = search.run(
        seconds=20,
        report_every=0.02,
        progress=lambda s: calls.append(s.result.probed),
        until=lambda s: len(calls) > 5,
    )
    assert result.stopped == "until"
    assert calls == sorted(calls)
    assert calls[-1] > 0


INTERRUPTED = """
import unbounded as ub
search = ub.Search("connect-four", bounds=True, probes=True, threads=2)
try:
    search.run(seconds=600, report_every=0.05, progress=lambda s: print("going", flush=True))
except KeyboardInterrupt as stopped:
    result = stopped.result
print(result.stopped, result.best_action is not None, search.run(iterations=1).stopped)
"""

LEFT = """
import threading, time, unbounded as ub
search = ub.Search("connect-four", bounds=True, probes=True, threads=2)
threading.Thread(target=lambda: search.run(seconds=60), daemon=True).start()
time.sleep(0.5)
"""


def test_ctrl_c_ends_a_run_with_threads() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        for _ in range(5):
            assert process.stdout.readline() == "going\n"
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=300)
    assert (process.returncode, err) == (0, "")
    assert out.splitlines()[-1] == "interrupted True iterations"


@pytest.mark.parametrize("options", [["--json"], []])
def test_ctrl_c_on_the_command_line(options: list[str]) -> None:
    with on_terminal("solve", "connect-four", "--threads", "2", *options) as program:
        program.wait_for("estimated")
        time.sleep(0.3)
        program.process.send_signal(signal.SIGINT)
        code, out = program.finish()
    assert code == 3
    assert "Traceback" not in program.seen
    if not options:
        assert "not proven (interrupted)" in out
        return
    result = json.loads(out)
    check_result(result)
    assert result["stopped"] == "interrupted"
    assert (result["threads"], result["bounds"], result["probes"]) == (2, True, True)
    assert result["probed"] > 0
    assert result["distance"] is None


def test_leaving_while_threads_search() -> None:
    done = subprocess.run(
        [sys.executable, "-c", LEFT], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


# -- memory ----------------------------------------------------------------------------------------


def test_solving_in_little_memory_by_forgetting() -> None:
    search = ub.Search("connect-four(width=5,height=4)", canonical=True)
    result = search.run(memory="20M", seconds=120)
    assert result.stopped == "resolved"
    assert result.outcome == (0, 0)
    assert search.compactions > 0
    assert search.memory_bytes <= 20 << 20
    check_line(search)
    assert result.best_action in {action.action for action in result.actions}


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"algorithm": "descent"},
        {"bounds": True},
        {"bounds": True, "threads": 2},
        {"bounds": True, "algorithm": "descent"},
        {"canonical": True},
        {"values": "resolved_completion"},
        {"values": "resolved_completion", "bounds": True, "threads": 2},
        {"values": "propagated_completion", "algorithm": "descent"},
    ],
    ids=str,
)
def test_what_is_left_after_forgetting_is_true(options: dict[str, Any]) -> None:
    """As little memory as will do, so that much is forgotten, and found again."""
    text = "connect-four(width=4,height=3)"
    game, worths = ub.load_game(text), worths_of(text)
    whole = ub.Search(game, **options)
    whole.run()
    forgetful = 0
    for sixteenths in (4, 8, 10, 12, 13):
        search = ub.Search(game, **options)
        limit = whole.memory_bytes * sixteenths // 16
        result = search.run(memory=limit)
        assert search.memory_bytes <= limit
        for number in range(search.states):
            state = search.route.from_core(search._core.state(number))
            node = search._core.node(number)
            if node.resolved:
                assert node.completion[0] == worth(game, worths, state)[0]
        if result.stopped == "memory":
            continue
        assert result.outcome == (0, 0)
        check_line(search)
        forgetful += search.compactions > 0
    assert forgetful > 0


def test_a_search_that_has_forgotten_can_be_played_on() -> None:
    text = "connect-four(width=4,height=3)"
    game, worths, random = ub.load_game(text), worths_of(text), Random(2)
    for seed in range(5):
        algorithm: Any = ["ubfm", "descent"][seed % 2]
        search = ub.Search(game, algorithm=algorithm)
        assert search.run(memory="260k").resolved
        assert search.compactions > 0
        while game.actions(search.state):
            search.play_action(random.choice(list(game.actions(search.state))))
            first = worths[search.state][0]
            assert search.run().outcome == (first, -first)
            check_line(search)


def test_counts_stay_true_after_forgetting() -> None:
    search = ub.Search("connect-four(width=4,height=3)")
    result = search.run(memory="260k")
    assert search.compactions > 0
    nodes = [search._core.node(number) for number in range(search.states)]
    assert result.resolved_states == sum(node.resolved for node in nodes)
    assert result.resolved_states <= result.states


def test_memory_holds_probes_and_graph_together() -> None:
    for memory in (1 << 20, 4 << 20):
        search = ub.Search("mnk(rows=9,columns=9,line=5)", **ALL)
        result = search.run(memory=memory, seconds=1)
        assert result.memory_bytes <= memory
        assert search._core.memory["probes"] > 0


def test_little_memory_with_probes() -> None:
    for memory in (0, 1000, 20_000):
        search = ub.Search("connect-four(width=4,height=4)", **ALL)
        result = search.run(memory=memory, seconds=20)
        assert result.stopped in ("memory", "resolved")
        assert search.run().outcome == (0, 0)
        check_line(search)


# -- rules that fail -------------------------------------------------------------------------------


class Broken(RecordGame):
    """Nobody can play it to the end: some outcomes are no outcomes."""

    max_actions = 4

    def __init__(self, players: int = 2, plies: int = 8, wrong: int = 2) -> None:
        self.players, self.plies, self.wrong = players, plies, wrong
        self.zero_sum = players == 2
        self.state = record(place="i64", ply="i8")

    def rules(self) -> Rules:
        players, plies, wrong = self.players, self.plies, self.wrong

        def initial(s: State) -> None:
            s.place = 1

        def player(s: State) -> int:
            return int(s.ply % players)

        def actions(s: State, out: Out) -> int:
            count = 0 if s.ply == plies else 4
            for action in range(count):
                out[action] = action
            return count

        def play(s: State, action: int, t: State) -> None:
            t.place = 4 * s.place + action
            t.ply = s.ply + 1

        def outcome(s: State, out: Out) -> None:
            if s.place % 97 == 5:
                out[0] = wrong

        return Rules(initial, player, actions, play, outcome)


@pytest.mark.parametrize("players", [2, 3])
def test_a_rule_that_fails_in_a_probe_is_named(players: int) -> None:
    for options in (*SHORTCUTS, ALL):
        search = ub.Search(Broken(players=players), **options)
        for _ in range(2):
            with pytest.raises(RuleError, match=r"outcome\(place=\d+, ply=8\)"):
                search.run()
        assert not search.result.resolved


def test_a_game_that_does_not_add_up_to_zero_is_refused_in_a_probe() -> None:
    for options in SHORTCUTS:
        with pytest.raises(RuleError, match="add up"):
            ub.Search(Broken(wrong=1), **options).run()


class Ring(RecordGame):
    """It goes round, and to stop is bad for whoever does."""

    max_actions = 2

    def __init__(self, players: int = 2, size: int = 6) -> None:
        self.players, self.size = players, size
        self.zero_sum = players == 2
        self.state = record(place="i32", turn="i8")

    def rules(self) -> Rules:
        players, size = self.players, self.size

        def initial(s: State) -> None:
            s.place = 1

        def player(s: State) -> int:
            turn: int = s.turn
            return turn

        def actions(s: State, out: Out) -> int:
            out[0], out[1] = 0, 1
            return 0 if s.place == 0 else 2

        def play(s: State, action: int, t: State) -> None:
            if action == 0:
                t.place = s.place % size + 1
                t.turn = (s.turn + 1) % players
            else:
                t.place = 0

        def outcome(s: State, out: Out) -> None:
            for who in range(players):
                out[who] = -1 if who == s.turn else 1

        return Rules(initial, player, actions, play, outcome)


@pytest.mark.parametrize("players", [2, 3])
@pytest.mark.parametrize("options", [{}, *SHORTCUTS], ids=str)
def test_a_cycle_is_found(players: int, options: dict[str, Any]) -> None:
    search = ub.Search(Ring(players=players), evaluation="zero", **options)
    with pytest.raises(RuleError, match="has a cycle, 6 moves long"):
        search.run(seconds=5)


# -- wrong use -------------------------------------------------------------------------------------

WRONG: list[tuple[str, dict[str, Any], str]] = [
    ("tic-tac-toe", {"bounds": True, "threads": 0}, "threads must be from 1 to 1024, not 0"),
    ("tic-tac-toe", {"bounds": True, "threads": -1}, "threads must be"),
    ("tic-tac-toe", {"bounds": True, "threads": 1025}, "threads must be"),
    ("tic-tac-toe", {"bounds": True, "threads": 1.5}, "threads must be"),
    ("tic-tac-toe", {"bounds": True, "threads": True}, "threads must be"),
    ("tic-tac-toe", {"bounds": True, "threads": "2"}, "threads must be"),
    ("tic-tac-toe", {"threads": 0}, "threads must be"),
    ("tic-tac-toe", {"probes": True}, "probes needs bounds=True"),
    ("tic-tac-toe", {"exact_score": True}, "exact_score needs bounds=True"),
    ("tic-tac-toe", {"threads": 2, "probes": True}, "probes needs bounds=True"),
    ("tic-tac-toe", {"threads": 2, "paper": True}, "paper cannot be combined with threads"),
    (
        "nim(players=3)",
        {"bounds": True, "exact_score": True},
        "exact_score is for values='minimax'",
    ),
    (
        "tic-tac-toe",
        {"bounds": True, "exact_score": True, "values": "resolved_completion"},
        "exact_score is for values='minimax'",
    ),
    ("tic-tac-toe", {"bounds": True, "paper": True}, "bounds cannot be combined with paper"),
    ("tic-tac-toe", {"bounds": True, "resolve_on_win": True}, "combined with resolve_on_win"),
    (
        "tic-tac-toe",
        {"bounds": True, "stop_at_draw": True, "algorithm": "descent"},
        "combined with stop_at_draw",
    ),
    ("dots-and-boxes", {"bounds": True, "local_maximum": True}, "combined with local_maximum"),
    ("tic-tac-toe", {"bounds": True, "completion": False}, "combined with completion=False"),
    (
        "graph",
        {"bounds": True, "probes": True, "values": "resolved_completion"},
        "two players and zero sum, or compiled rules",
    ),
    ("graph", {"bounds": True, "threads": 2}, "needs compiled rules"),
    (
        "tic-tac-toe",
        {"bounds": True, "threads": 2, "evaluation": "playouts(3)"},
        "several threads cannot use the evaluation 'playouts'",
    ),
]


@pytest.mark.parametrize(
    ("text", "options", "words"), WRONG, ids=[f"{x[0]} {', '.join(x[1])}" for x in WRONG]
)
def test_wrong_options(text: str, options: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        ub.Search(text, **options)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["tic-tac-toe", "--threads", "0"], "--threads must be from 1 to 1024, not 0"),
        (["tic-tac-toe", "--threads", "many"], "--threads"),
        (["tic-tac-toe", "--no-bounds", "--exact-score"], "--exact-score needs bounds"),
        (["tic-tac-toe", "--paper", "--exact-score"], "--exact-score needs bounds"),
        (["tic-tac-toe", "--stop-at-draw", "--threads", "2"], "--stop-at-draw"),
        (["nim(players=3)", "--exact-score"], "--exact-score is for --values minimax"),
        (["graph", "--threads", "2"], "compiled"),
        (["tic-tac-toe", "--threads", "2", "--evaluation", "playouts"], "several threads"),
    ],
    ids=lambda x: " ".join(x) if isinstance(x, list) else "",
)
def test_wrong_options_on_the_command_line(
    here: Here,  # noqa: F811
    arguments: list[str],
    words: str,
) -> None:
    assert here("solve", *arguments) == 2
    assert is_one_line(here.err), here.err
    assert words in here.err
    assert here.out == ""


@pytest.mark.parametrize("option", ["--exact-score", "--no-bounds"])
def test_analyze_takes_no_shortcuts(here: Here, option: str) -> None:  # noqa: F811
    assert here("analyze", "tic-tac-toe", option) == 2
    assert is_one_line(here.err)


def test_shortcuts_on_the_command_line(here: Here) -> None:  # noqa: F811
    def solve(*options: str) -> dict[str, Any]:
        assert here("solve", "dots-and-boxes", "--json", *options) == 0
        result: dict[str, Any] = json.loads(here.out)
        check_result(result)
        assert result["outcome"] == [1, -1]
        assert result["distance"] == len(result["pv"]) == 12
        return result

    usual = solve()
    assert (usual["bounds"], usual["probes"], usual["canonical"]) == (True, True, True)
    assert usual["threads"] == available_cores()
    assert usual["score"] == [None, None]
    assert usual["outcome_bounds"] == [[1, 1], [-1, -1]]
    assert solve("--exact-score", "--threads", "1")["score"] == [2.0, -2.0]
    assert solve("--no-probes")["probed"] == 0
    plain = solve("--no-bounds")
    assert (plain["bounds"], plain["probes"], plain["threads"]) == (False, False, 1)
    assert solve("--no-symmetry")["canonical"] is False
    assert here("analyze", "dots-and-boxes", "--json", "--iterations", "5") == 0
    looked = json.loads(here.out)
    assert (looked["bounds"], looked["probes"], looked["threads"]) == (False, False, 1)
