# SPDX-License-Identifier: MIT
"""`Search` as its users meet it: budgets, pausing, playing on, evaluations, what it refuses."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from serving import analysis_shown

import unbounded as ub
from unbounded import native
from unbounded.conformance.random_games import random_graph
from unbounded.game import Game, RuleError, UsageError
from unbounded.games.graph import Graph
from unbounded.games.mnk import TicTacToe
from unbounded.interfaces.session import Session
from unbounded.interfaces.terminal import progress, results
from unbounded.interfaces.terminal.console import Terminal
from unbounded.reference import backward_induction
from unbounded.search import decisions
from unbounded.search.budget import Budget, parse_memory
from unbounded.search.explanations import why
from unbounded.search.result import Interrupted
from unbounded.solving.strong import resolve_all, solve_all
from unbounded.solving.table import export, query
from unbounded.storage import memory
from unbounded.storage.memory import process_memory

SIX_SEARCHES = [
    {"algorithm": algorithm, "values": values}
    for algorithm in ("ubfm", "descent")
    for values in ("minimax", "resolved_completion", "propagated_completion")
]


# -- known values (each line of the table is from the list of published or independent values) -----

SMALL_BOARDS = [
    ("tic-tac-toe", 0),
    ("mnk(rows=3,columns=4,line=3)", 1),
    ("connect-four(width=4,height=1)", 0),
    ("connect-four(width=4,height=2)", 0),
    ("connect-four(width=5,height=2)", 0),
    ("connect-four(width=3,height=3)", 0),
    ("connect-four(width=4,height=3)", 0),
    ("connect-four(width=3,height=4)", 0),
    ("connect-four(width=3,height=3,line=3)", 0),
    ("connect-four(width=4,height=3,line=3)", 1),
    ("connect-four(width=3,height=4,line=3)", 0),
    ("nim(heaps=[1,2,3])", -1),
    ("nim(heaps=[3,4,5])", 1),
    ("nim(heaps=[1,4,5])", -1),
    ("nim(heaps=[5],most=3)", 1),
    ("nim(heaps=[8],most=3)", -1),
    ("nim(heaps=[1,1,1],misere=true)", -1),
]


@pytest.mark.parametrize(("text", "first"), SMALL_BOARDS, ids=[text for text, _ in SMALL_BOARDS])
def test_small_boards_by_all_six_searches(text: str, first: int) -> None:
    game = ub.load_game(text)
    for options in SIX_SEARCHES:
        for paper in (False, True):
            result = ub.solve(game, paper=paper, **options)
            assert result.resolved
            assert result.outcome == (first, -first), options


LARGER_BOARDS = [
    ("mnk(rows=3,columns=5,line=3)", 1),
    ("connect-four(width=6,height=2)", 0),
    ("connect-four(width=7,height=2)", 0),
    ("connect-four(width=5,height=3)", 0),
    ("connect-four(width=4,height=4)", 0),
    ("connect-four(width=3,height=6)", 0),
    ("connect-four(width=4,height=5)", 0),
    ("connect-four(width=5,height=4)", 0),
]


@pytest.mark.parametrize(("text", "first"), LARGER_BOARDS, ids=[text for text, _ in LARGER_BOARDS])
def test_larger_boards(text: str, first: int) -> None:
    assert ub.solve(text).outcome == (first, -first)


REACHABLE = [
    ("tic-tac-toe", 5478),
    ("connect-four(width=4,height=2)", 741),
    ("connect-four(width=3,height=3)", 869),
    ("connect-four(width=4,height=3)", 12031),
    ("connect-four(width=3,height=4)", 6000),
]


@pytest.mark.parametrize(("text", "states"), REACHABLE, ids=[text for text, _ in REACHABLE])
def test_a_search_stores_no_more_than_there_is(text: str, states: int) -> None:
    result = ub.solve(text, evaluation="zero", paper=True)
    assert result.states <= states
    assert result.iterations <= 2 * states


@pytest.mark.parametrize(
    ("algorithm", "paper", "iterations", "expanded"),
    [
        # Counted by an independent implementation of the listings (ERRATA, sections 2 and 10);
        # it did not count the iterations of Descent.
        ("ubfm", True, 5572, 4407),
        ("ubfm", False, 4435, 4122),
        ("descent", True, None, 4123),
    ],
)
def test_known_effort_on_tic_tac_toe(
    algorithm: Any, paper: bool, iterations: int | None, expanded: int
) -> None:
    search = ub.Search("tic-tac-toe", algorithm=algorithm, paper=paper, evaluation="zero")
    result = search.run()
    assert result.expanded == expanded
    assert iterations in (None, result.iterations)


def test_many_players_agree_with_backward_induction() -> None:
    game = ub.load_game("tie-breaking(game=nim(heaps=[2,3],players=3))")
    exact = backward_induction.max_n(game)[game.initial()]
    for values in ("resolved_completion", "propagated_completion"):
        for algorithm in ("ubfm", "descent"):
            result = ub.solve(game, values=values, algorithm=algorithm)
            assert (result.outcome, result.score) == exact


def test_one_player() -> None:
    game = Graph.of([[1, 2], [3], [], []], {0: 0, 1: 0}, {2: (0,), 3: (1,)}, players=1)
    result = ub.solve(game)
    assert result.outcome == (1,)
    assert result.pv == ("1", "3")


# -- budgets ---------------------------------------------------------------------------------------


def test_budgets_stop_the_run() -> None:
    search = ub.Search("connect-four")
    assert search.run(iterations=10).stopped == "iterations"
    assert search.result.iterations == 10
    assert search.run(iterations=5).iterations == 15
    before = search.result.states
    assert search.run(states=1000).stopped == "states"
    assert before + 1000 <= search.result.states < before + 1010
    started = time.perf_counter()
    assert search.run(seconds=0.2).stopped == "seconds"
    assert time.perf_counter() - started >= 0.2
    assert not search.result.resolved
    assert search.result.outcome == (None, None)


@pytest.mark.parametrize("algorithm", ["ubfm", "descent"])
def test_memory_is_not_exceeded(algorithm: Any) -> None:
    search = ub.Search("connect-four", algorithm=algorithm, evaluation="zero")
    before = process_memory()
    limit = 100 << 20
    result = search.run(memory=limit, seconds=60)
    assert result.stopped == "memory"
    assert limit // 2 < search.memory_bytes <= limit
    assert process_memory() - before < 1.05 * limit + (64 << 20)
    assert result.best_action is not None
    assert search.run(memory="200M", iterations=1000).stopped == "iterations"


def test_a_line_of_a_million_plies() -> None:
    result = ub.solve("nim(heaps=[1000000],most=1)", algorithm="descent")
    assert result.outcome == (-1, 1)
    assert result.expanded == 1_000_000


def test_free_memory_is_read_again_after_a_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    free, now = [1 << 30], [100.0]
    monkeypatch.setattr(memory, "_reading", memory._Reading())
    monkeypatch.setattr(memory, "_machine_memory", lambda: free[0])
    monkeypatch.setattr(memory, "_container_memory", lambda: memory.MOST_MEMORY)
    monkeypatch.setattr(memory.time, "monotonic", lambda: now[0])
    assert memory.free_memory() == 1 << 30
    free[0] = 1 << 20
    assert memory.free_memory() == 1 << 30, "the system is not asked for every search"
    now[0] += 2 * memory._MOMENT
    assert memory.free_memory() == 1 << 20


def test_reading_amounts_of_memory() -> None:
    assert parse_memory("4G") == 4 << 30
    assert parse_memory("1.5 MiB") == 3 << 19
    assert parse_memory(17) == 17
    for bad in ("4X", "", "G", "-1", True, 1.5, None):
        with pytest.raises(UsageError, match="memory"):
            parse_memory(bad)  # type: ignore[arg-type]


BAD_BUDGETS: list[dict[str, Any]] = [
    {"seconds": -1},
    {"seconds": float("nan")},
    {"seconds": "3"},
    {"seconds": float("inf")},
    {"iterations": -1},
    {"iterations": 1.5},
    {"iterations": True},
    {"states": -1},
    {"states": "many"},
    {"memory": -1},
    {"memory": "lots"},
]


@pytest.mark.parametrize("budget", BAD_BUDGETS, ids=str)
def test_bad_budgets(budget: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match=next(iter(budget))):
        Budget(**budget)
    with pytest.raises(UsageError, match=next(iter(budget))):
        ub.Search("tic-tac-toe", evaluation="zero").run(**budget)


def test_without_completion_a_limit_is_needed() -> None:
    search = ub.Search("tic-tac-toe", completion=False)
    with pytest.raises(UsageError, match="completion"):
        search.run()
    result = search.run(iterations=2000)
    assert not result.resolved
    assert not any(action.resolved for action in result.actions)


# -- pausing, repeating ----------------------------------------------------------------------------


@pytest.mark.parametrize("options", SIX_SEARCHES, ids=str)
def test_same_bytes_twice_and_across_pauses(options: dict[str, Any]) -> None:
    game = ub.load_game("connect-four(width=5,height=4)")
    whole = ub.Search(game, **options)
    whole.run(iterations=3000)
    again = ub.Search(game, **options)
    again.run(iterations=3000)
    assert whole.snapshot() == again.snapshot()
    pieces = ub.Search(game, **options)
    for step in range(200):
        pieces.run(iterations=step % 29 + 1)
        _ = pieces.result  # looking changes nothing
    pieces.run(iterations=3000 - pieces.result.iterations)
    assert pieces.snapshot() == whole.snapshot()


def test_pause_after_every_iteration_of_random_games() -> None:
    for seed in range(60):
        game = random_graph(seed, zero_sum=True)
        for algorithm in ("ubfm", "descent"):
            whole = ub.Search(game, algorithm=algorithm)
            whole.run()
            pieces = ub.Search(game, algorithm=algorithm)
            while not pieces.root.resolved:
                pieces.run(iterations=1)
            assert pieces.snapshot() == whole.snapshot()


def test_playouts_depend_on_the_seed_alone() -> None:
    def snapshot(seed: int) -> bytes:
        search = ub.Search("connect-four", evaluation="playouts(3)", seed=seed)
        search.run(iterations=300)
        return search.snapshot()

    assert snapshot(1) == snapshot(1)
    assert snapshot(1) != snapshot(2)
    assert snapshot(-1) == snapshot(-1)


def test_a_resolved_search_stays_as_it_is() -> None:
    search = ub.Search("tic-tac-toe")
    search.run()
    before = search.snapshot()
    assert search.run(iterations=100).stopped == "resolved"
    assert search.snapshot() == before


# -- playing on ------------------------------------------------------------------------------------


def test_the_graph_is_kept_between_moves() -> None:
    search = ub.Search("connect-four(width=5,height=4)", algorithm="descent")
    search.run(iterations=500)
    kept = search.result.states
    child = search.root.children[2]
    search.play("3")
    assert search.moves == ["3"]
    assert search.root.number == child.node.number
    assert search.result.states == kept
    search.play_action(1)  # an action itself: the second column
    assert search.moves == ["3", "2"]
    search.run()
    assert search.root.resolved


def test_moves_before_the_search() -> None:
    # X: a1, b1, c1 is a row; O played a2 and b2.
    search = ub.Search("tic-tac-toe", moves="a1 a2 b1 b2 c1")
    result = search.run()
    assert result.outcome == (1, -1)
    assert result.to_move is None
    assert result.best_action is None
    assert result.safest_action is None
    assert result.pv == ()
    assert result.actions == ()
    assert ub.solve("tic-tac-toe", moves=["a1", "a2", "b1", "b2"]).best_action == "c1"


@pytest.mark.parametrize(
    ("moves", "words"),
    [
        ("a1 a1", "illegal move 'a1'"),
        ("d1", "illegal move 'd1'"),
        ("a1 a2 b1 b2 c1 c2", "the game is over"),
        ("tomato", "illegal move 'tomato'"),
    ],
)
def test_illegal_moves(moves: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        ub.Search("tic-tac-toe", moves=moves)


def test_an_illegal_action_changes_nothing() -> None:
    search = ub.Search("tic-tac-toe")
    for bad in (9, -1, None, 1.5):
        with pytest.raises(UsageError, match="illegal action"):
            search.play_action(bad)
    with pytest.raises(UsageError, match="illegal move 'z'"):
        search.play("z")
    assert search.moves == []
    assert search.run().outcome == (0, 0)


class Pairs(Game[int, Any]):
    """Actions that are no text, and one that is the name of another."""

    def initial(self) -> int:
        return 0

    def player(self, state: int) -> int:
        return 0

    def actions(self, state: int) -> list[Any]:
        return [(0, 1), "b", "a"] if state == 0 else []

    def next(self, state: int, action: Any) -> int:
        return 1 + self.actions(0).index(action)

    def outcome(self, state: int) -> tuple[int, int]:
        return (1, -1)

    def action_name(self, state: int, action: Any) -> str:
        return {(0, 1): "0-1", "b": "a", "a": "b"}[action]


SMALL_FOUR = "connect-four(width=5,height=4)"


def test_moves_are_names_and_nothing_else(tmp_path: Path) -> None:
    table = tmp_path / "moves.jsonl"
    solved = ub.Search(Pairs())
    solved.run()
    export(solved, table)
    told = "a move is given by its name, a text such as '1', not as 3"
    with pytest.raises(UsageError, match=told):
        ub.Search(SMALL_FOUR).play(3)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match=told):
        Session(SMALL_FOUR, ["human", "human"]).play(3)  # type: ignore[arg-type]
    for moves in ([4, 4], [(0, 1)], [None], 4):
        for use in (
            lambda moves: ub.Search(SMALL_FOUR, moves=moves),
            lambda moves: ub.solve(SMALL_FOUR, moves=moves, seconds=0),
            lambda moves: query(table, moves, Pairs()),
        ):
            with pytest.raises(UsageError, match="name"):
                use(moves)
    for move, state in (("0-1", 1), ("a", 2), ("b", 3)):
        search = ub.Search(Pairs(), moves=[move])
        assert (search.state, search.moves) == (state, [move])
        assert ub.Search(Pairs(), moves=f" {move} ").state == state
    with pytest.raises(UsageError, match="the game is over"):
        search.play((0, 1))  # type: ignore[arg-type]


# -- evaluations -----------------------------------------------------------------------------------


def test_a_python_evaluation_sees_the_records() -> None:
    seen: list[Any] = []

    def empty_cells(states: Any) -> Any:
        seen.append(states)
        free = (states["cells"] == 0).sum(axis=1)
        return np.stack([free, -free], axis=1)

    search = ub.Search("tic-tac-toe", evaluation=empty_cells)
    search.run(iterations=1)
    assert search.result.evaluation == "empty_cells"
    assert [len(batch) for batch in seen] == [1, 9]
    assert seen[1]["cells"].shape == (9, 9)
    assert search.root.children[0].value == (8.0, -8.0)
    assert search.run().outcome == (0, 0)


def test_a_python_evaluation_of_object_states() -> None:
    game = random_graph(3, players=(3, 3))

    def evaluate(states: Any) -> Any:
        return [[float(state), 0.0, -1.0] for state in states]

    search = ub.Search(game, evaluation=evaluate)
    search.run(iterations=1)
    for child in search.root.children:
        if not child.node.is_terminal:
            assert child.value == (float(child.action), 0.0, -1.0)


def test_the_same_search_by_heuristic_and_by_function() -> None:
    game = ub.load_game("connect-four(width=4,height=4)")

    def by_hand(states: Any) -> Any:
        return [game.evaluate(state.tobytes()) for state in states]

    native = ub.Search(game, evaluation="heuristic")
    python = ub.Search(game, evaluation=by_hand)
    native.run(iterations=500)
    python.run(iterations=500)
    assert native.snapshot() == python.snapshot()


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), -float("inf")])
def test_bad_numbers_from_an_evaluation(bad: float) -> None:
    def evaluate(states: Any) -> Any:
        values = np.zeros((len(states), 2))
        values[states["turn"] == 1, 1] = bad
        return values

    search = ub.Search("tic-tac-toe", evaluation=evaluate)
    with pytest.raises(RuleError, match=r"evaluate\(cells=.*player 1 is -?(nan|inf)"):
        search.run()
    assert search.result.states == 1
    assert not search.root.expanded


def test_an_evaluation_of_the_wrong_shape() -> None:
    with pytest.raises(UsageError, match="one row per state"):
        ub.Search("tic-tac-toe", evaluation=lambda states: np.zeros(len(states)))


def test_an_exception_in_an_evaluation_is_the_users_own() -> None:
    def evaluate(states: Any) -> Any:
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        ub.Search("tic-tac-toe", evaluation=evaluate)


# -- wrong use -------------------------------------------------------------------------------------

WRONG: list[tuple[dict[str, Any], str]] = [
    ({"algorithm": "ubfn"}, "did you mean 'ubfm'"),
    ({"values": "minmax"}, "did you mean 'minimax'"),
    ({"evaluation": "heuristics"}, "did you mean 'heuristic'"),
    ({"evaluation": "zero(3)"}, "takes no number"),
    ({"evaluation": "playouts(0)"}, "playouts"),
    ({"seed": "x"}, "seed"),
    ({"seed": True}, "seed"),
    ({"stop_at_draw": True}, "descent"),
    ({"local_maximum": True}, "best_score_from"),
    ({"hash_bits": 0}, "hash_bits"),
]


@pytest.mark.parametrize(("options", "words"), WRONG, ids=str)
def test_wrong_options(options: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        ub.Search("tic-tac-toe", **options)


def test_minimax_needs_two_players_and_zero_sum() -> None:
    with pytest.raises(UsageError, match="minimax needs two players"):
        ub.Search("nim(players=3)", values="minimax")


def test_a_second_thread_is_refused() -> None:
    search = ub.Search("connect-four")
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
    result = search.run(seconds=600)
    thread.join()
    assert refused == ["busy"] * 3
    assert result.stopped == "interrupted"


def test_progress_and_until() -> None:
    calls: list[int] = []
    search = ub.Search("connect-four")
    result = search.run(
        seconds=20,
        report_every=0.02,
        progress=lambda s: calls.append(s.states),
        until=lambda s: s.states > 5000,
    )
    assert result.stopped == "until"
    assert calls
    assert calls == sorted(calls)


def visits_are_whole(search: ub.Search) -> bool:
    """Whether every iteration is counted, once, on its way through the first three plies.

    There, no two ways lead to one state of Connect Four. The first iteration that comes to a state
    expands it, and each later one follows an edge.
    """
    left = [(search.root, search.iterations, 0)]
    while left:
        node, came, ply = left.pop()
        if node.children and sum(child.visits for child in node.children) != came - 1:
            return False
        left += [(c.node, c.visits, ply + 1) for c in node.children if ply < 2 and c.visits]
    return True


@pytest.mark.parametrize("evaluation", [None, lambda states: [(0.0, 0.0)] * len(states)])
def test_visits_are_counted_whenever_somebody_looks(evaluation: Any) -> None:
    search = ub.Search("connect-four", evaluation=evaluation)
    seen = []

    def look(running: ub.Search) -> None:
        assert not any(child.resolved for child in running.root.children)
        assert visits_are_whole(running)
        seen.append(running.iterations)

    search.run(until=lambda _: len(seen) >= 5, progress=look, report_every=0)
    assert len(seen) >= 5
    assert visits_are_whole(search)
    for iterations in (1, 2, 100):
        search.run(iterations=iterations)
        assert visits_are_whole(search)
    root_child = max(search.root.children, key=lambda child: child.visits)
    search.play_action(root_child.action)
    search.run(iterations=10)
    assert sum(c.visits for c in search.root.children) == root_child.visits + 10 - 1


# -- deciding --------------------------------------------------------------------------------------


def test_decisions_on_an_open_position() -> None:
    search = ub.Search("connect-four")
    search.run(iterations=400)
    root = search.root
    best = decisions.best(root)
    safest = decisions.safest(root)
    assert best is not None
    assert safest is not None
    assert best.value[0] == max(c.value[0] for c in root.children)
    assert safest.visits == max(c.visits for c in root.children)
    assert search.decide() == best.name
    assert search.decide("safest") == safest.name
    for rule in ("best_by_tentative", "safest_by_tentative", "exploring"):
        assert search.decide(rule) in {c.name for c in root.children}
    with pytest.raises(UsageError, match="unknown decision"):
        search.decide("boldest")


def test_exploration_laws() -> None:
    from random import Random

    search = ub.Search("connect-four")
    search.run(iterations=400)
    root = search.root
    best = decisions.best(root)
    assert best is not None

    def share_of_best(law: decisions.Law) -> float:
        random = Random(1)
        picks = [decisions.exploring(root, law, random) for _ in range(700)]
        return sum(pick is not None and pick.value == best.value for pick in picks) / len(picks)

    assert share_of_best(decisions.ordinal(1)) == 1
    assert share_of_best(decisions.epsilon_greedy(0)) == 1
    assert share_of_best(decisions.softmax(1e-6)) == 1
    uniform = sum(c.value == best.value for c in root.children) / len(root.children)
    for law in (decisions.ordinal(0), decisions.epsilon_greedy(1), decisions.softmax(1e6)):
        assert abs(share_of_best(law) - uniform) < 0.08
    assert uniform < share_of_best(decisions.ordinal(0.5)) < 1


def test_views_of_shared_successors() -> None:
    # Two actions of nim on equal heaps lead to different states; on a graph two may be one.
    class Twins(ub.Game[int, str]):
        def initial(self) -> int:
            return 0

        def player(self, state: int) -> int:
            return 0

        def actions(self, state: int) -> list[str]:
            return ["left", "right"] if state == 0 else []

        def next(self, state: int, action: str) -> int:
            return 1

        def outcome(self, state: int) -> list[int]:
            return [1, -1]

    search = ub.Search(Twins())
    search.run()
    assert [c.name for c in search.root.children] == ["left", "right"]
    assert search._core.children(search._core.root) == [(1, 0)]
    assert search.result.outcome == (1, -1)


# -- found by review -----------------------------------------------------------------------------


def test_a_search_that_may_not_end_needs_time_or_iterations() -> None:
    search = ub.Search("tic-tac-toe", completion=False)
    for budget in ({"states": 100}, {"memory": "1M"}):
        with pytest.raises(UsageError, match="give seconds or iterations"):
            search.run(**budget)  # type: ignore[arg-type]


def test_scores_are_not_proven_where_a_first_win_resolves() -> None:
    game = Graph.of(
        [[1, 2], [], [3, 4], [], [5], []],
        {0: 0, 2: 1, 4: 1},
        {1: (0, 0, 0), 3: (0, 1, -1), 5: (0, 1, -1)},
        scores={1: (5, 0, 0), 3: (1, 1, -1), 5: (10, 2, -2)},
        players=3,
    )
    assert ub.solve(game).score == (10, 2, -2)
    assert ub.solve(game, resolve_on_win=True).score == (None, None, None)


def two_wins(**options: Any) -> ub.Search:
    """Player 1 wins at once, or one move later with more points, and then player 2 wins too."""
    game = Graph.of(
        [[1, 2], [], [3], []],
        {0: 0, 2: 0},
        {1: (1, -1, -1), 3: (1, 1, -1)},
        scores={1: (1, 0, 0), 3: (5, 0, 0)},
        players=3,
    )
    search = ub.Search(game, **options)
    search.run()
    return search


def test_it_is_said_everywhere_that_scores_are_ignored() -> None:
    note = "an equilibrium of the outcomes alone, scores ignored"
    exact, search = two_wins(), two_wins(resolve_on_win=True)
    assert (exact.result.outcome, search.result.outcome) == ((1, 1, -1), (1, -1, -1))
    assert search.result.to_dict()["scores_ignored"] is True
    assert exact.result.to_dict()["scores_ignored"] is False
    strong = resolve_all(two_wins(resolve_on_win=True), Budget())
    assert strong.to_dict()["scores_ignored"] is True
    console = Terminal()
    with console.capture() as printed:
        console.width = 200
        results.print_strong(console, strong)
        console.print(progress.drawing(search, console, analysis=False))
    assert printed.get().count(f"({note})") == 2
    for said in (str(search.result), str(results.verdict(search.result))):
        assert f"({note})" in said
    for said in (search._repr_html_(), why(search), analysis_shown(search)["note"]):
        assert note in said
    for said in (str(exact.result), str(results.verdict(exact.result)), exact._repr_html_()):
        assert "(an equilibrium)" in said


def test_scores_are_not_ignored_where_they_do_not_matter() -> None:
    """Two opponents have one outcome; and where there are no scores there is nothing to ignore."""
    for game in ("dots-and-boxes(rows=1,columns=1)", "nim(heaps=[1,2],players=3)"):
        search = ub.Search(game, resolve_on_win=True, values="resolved_completion")
        assert not search.scores_ignored
    assert ub.Search("tic-tac-toe").note == ""


def test_stop_is_not_lost_between_slices() -> None:
    search = ub.Search("connect-four")
    result = search.run(seconds=600, report_every=0.05, progress=lambda s: s.stop())
    assert result.stopped == "interrupted"


def test_an_interrupt_in_python_ends_the_run_in_good_order() -> None:
    calls: list[int] = []

    def interrupt(_: ub.Search) -> None:
        calls.append(1)
        raise KeyboardInterrupt

    search = ub.Search("connect-four")
    with pytest.raises(KeyboardInterrupt) as stopped:
        search.run(seconds=20, report_every=0.05, progress=interrupt)
    assert calls == [1]
    assert isinstance(stopped.value, Interrupted)
    assert stopped.value.result.stopped == search.result.stopped == "interrupted"
    assert stopped.value.result.best_action in set("1234567")
    assert "not proven" in str(stopped.value)
    assert search.run(iterations=10).stopped == "iterations"


def test_an_interrupt_ends_a_loop_of_runs_and_what_is_known_is_saved(tmp_path: Path) -> None:
    search = ub.Search("connect-four(width=5,height=4)")
    runs = 0

    def interrupt(_: ub.Search) -> None:
        if runs == 3:
            raise KeyboardInterrupt

    def loop() -> None:
        nonlocal runs
        for runs in range(1, 10):  # noqa: B007
            search.run(iterations=100, progress=interrupt, save=tmp_path / "kept.search")

    with pytest.raises(KeyboardInterrupt):
        loop()
    assert runs == 3 and search.result.iterations == 300
    assert ub.Search.load(tmp_path / "kept.search").snapshot() == search.snapshot()


@pytest.mark.parametrize("options", [{}, {"bounds": True, "probes": True, "threads": 2}])
def test_ctrl_c_in_the_core_is_raised(options: dict[str, Any]) -> None:
    """It comes while compiled code runs, and nothing in Python does."""
    for act in (ub.Search.run, lambda s, **_: s.run_all(Budget(seconds=60))):
        if options and act is not ub.Search.run:
            continue
        search = ub.Search("connect-four", **options)
        timer = threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            act(search, seconds=60)
        timer.join()
        assert search.stopped == "interrupted" and search.states > 1
        assert search.run(iterations=10).stopped == "iterations"


def test_an_interrupt_ends_solving() -> None:
    def interrupt(_: ub.Search) -> None:
        raise KeyboardInterrupt

    with pytest.raises(Interrupted) as stopped:
        ub.solve("connect-four", seconds=20, progress=interrupt)
    assert stopped.value.result.stopped == "interrupted"
    with pytest.raises(KeyboardInterrupt):
        solve_all("connect-four", seconds=20, progress=interrupt)


@pytest.mark.parametrize("algorithm", ["ubfm", "descent"])
def test_states_are_a_limit(algorithm: Any) -> None:
    search = ub.Search("mnk(rows=9,columns=9,line=5)", algorithm=algorithm)
    result = search.run(states=100)
    assert result.stopped == "states"
    assert 100 <= result.states <= 1 + 100 + 81


def test_a_refused_expansion_changes_nothing() -> None:
    search = ub.Search("connect-four")
    assert search.run(memory=20000).stopped == "memory"
    before = search.snapshot()
    for _ in range(20):
        assert search.run(memory=20000).stopped == "memory"
    assert search.snapshot() == before


def test_playouts_keep_to_the_time() -> None:
    search = ub.Search("mnk(rows=15,columns=15,line=5)", evaluation="playouts(1000)")
    assert search.run(seconds=0.3).stopped == "seconds"


def test_memory_of_games_on_objects_counts() -> None:
    class Wide(ub.Game[tuple[int, ...], int]):
        zero_sum = True

        def initial(self) -> tuple[int, ...]:
            return (0,) * 200

        def player(self, state: tuple[int, ...]) -> int:
            return 0

        def actions(self, state: tuple[int, ...]) -> range:
            return range(10)

        def next(self, state: tuple[int, ...], action: int) -> tuple[int, ...]:
            return (*state[1:], state[-1] * 10 + action + 1)

        def outcome(self, state: tuple[int, ...]) -> list[int]:
            return [0, 0]

    result = ub.Search(Wide()).run(memory="40M", seconds=60)
    assert result.stopped == "memory"
    assert result.memory_bytes < 150 << 20


def test_an_over_root_is_decided_by_the_rules_even_without_completion() -> None:
    search = ub.Search("tic-tac-toe", moves="a1 a2 b1 b2 c1", completion=False)
    assert search.run(iterations=5).outcome == (1, -1)


@pytest.mark.parametrize("bad", [-1, float("nan"), "often"])
def test_report_every_is_checked(bad: Any) -> None:
    with pytest.raises(UsageError, match="report_every"):
        ub.Search("tic-tac-toe").run(seconds=1, report_every=bad)


def test_huge_memory_is_no_memory_limit() -> None:
    assert ub.solve("tic-tac-toe", memory=2**70).resolved
    assert ub.solve("tic-tac-toe", memory="99999999T").resolved


EXIT_SCRIPT = """
import threading, time, unbounded as ub
search = ub.Search("connect-four")
threading.Thread(target=lambda: search.run(seconds=60), daemon=True).start()
time.sleep(0.3)
"""


def test_leaving_while_a_thread_searches() -> None:
    done = subprocess.run(
        [sys.executable, "-c", EXIT_SCRIPT], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


# -- leaks -----------------------------------------------------------------------------------------

LEAK_SCRIPT = """
import numpy as np, unbounded as ub
from unbounded.conformance.random_games import random_graph

kept = []
for game in ("tic-tac-toe", random_graph(1)):
    for evaluation in ("zero", "playouts", lambda states: np.zeros((len(states), 2))):
        if getattr(game, "players", 2) != 2 and callable(evaluation):
            continue
        search = ub.Search(game, evaluation=evaluation)
        search.run(iterations=50)
        search.root.children

# A ring: the evaluation holds the search that holds it.
ring = []
search = ub.Search("tic-tac-toe", evaluation=lambda states: [[len(ring), 0.0]] * len(states))
ring.append(search)
search.run(iterations=5)
try:
    ub.Search("tic-tac-toe", evaluation=lambda states: 1 / 0)
except ZeroDivisionError:
    pass
"""


def test_nothing_leaks_at_the_end() -> None:
    done = subprocess.run(
        [sys.executable, "-c", LEAK_SCRIPT], capture_output=True, text=True, timeout=120, check=True
    )
    assert "leak" not in done.stderr
    assert done.stderr == ""


def test_the_public_names_are_there() -> None:
    assert all(getattr(ub, name) is not None for name in ub.__all__)
    assert dir(ub) == sorted(ub.__all__)
    with pytest.raises(AttributeError):
        _ = ub.nonsense
    assert isinstance(ub.load_game("tic-tac-toe"), TicTacToe)
