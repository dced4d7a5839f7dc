# SPDX-License-Identifier: MIT
"""Strong solving: every state that can be reached, counted and compared with brute force."""

from __future__ import annotations

import json
import signal
import threading
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import pytest
from hashed_games import DISTINCT, POINTS, Hashed
from solving_checks import worths_of
from test_cli import Here, here, is_one_line, on_terminal  # noqa: F401

import unbounded as ub
from unbounded import native
from unbounded.conformance.random_games import random_graph
from unbounded.game import Game, UsageError
from unbounded.reference.backward_induction import max_n, minimax_scores
from unbounded.reference.definitions import successors
from unbounded.search.budget import Budget
from unbounded.solving.strong import Ply, StrongResult, resolve_all, solve_all

# Counted by others (John Tromp's table for Connect Four) or by hand.
COUNTS = [
    ("tic-tac-toe", 5478, 958, 0),
    ("connect-four(width=3,height=3)", 869, None, 0),
    ("connect-four(width=4,height=3)", 12031, None, 0),
    ("connect-four(width=3,height=4)", 6000, None, 0),
    ("connect-four(width=4,height=4)", 161029, None, 0),
]

GAMES = [
    "tic-tac-toe",
    "connect-four(width=4,height=3,line=3)",
    "hex(size=3)",
    "domineering(rows=4,columns=4)",
    "kalah(pits=3,seeds=2)",
    "dots-and-boxes",
    "isolation(rows=3,columns=3)",
]


def by_ply(game: Game[Any, Any], start: Any, rows: Mapping[Any, tuple[int, ...]]) -> list[Ply]:
    """Count the states in plain Python, breadth first, given the outcomes per player."""
    now, seen, plies = [start], {start}, []
    while now:
        counts = [
            tuple(sum(rows[s][p] == x for s in now) for p in range(game.players))
            for x in (1, 0, -1)
        ]
        ends = sum(not game.actions(s) for s in now)
        plies.append(Ply(len(plies), len(now), ends, *counts))
        after = dict.fromkeys(t for s in now for t in successors(game, s) if t not in seen)
        now = list(after)
        seen |= set(now)
    return plies


def two(outcome: int) -> tuple[int, int]:
    return outcome, -outcome


# -- counts ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("text", "states", "ends", "first"), COUNTS, ids=[x[0] for x in COUNTS])
def test_known_counts(text: str, states: int, ends: int | None, first: int) -> None:
    result = solve_all(text)
    assert result.resolved
    assert result.stopped == "resolved"
    assert result.states == states
    assert sum(ply.states for ply in result.plies) == states
    assert ends in (None, sum(ply.terminal for ply in result.plies))
    assert result.outcome == two(first)
    assert [ply.ply for ply in result.plies] == list(range(len(result.plies)))
    for ply in result.plies:
        for won, drawn, lost in zip(ply.won, ply.drawn, ply.lost, strict=True):
            assert won + drawn + lost == ply.states


def test_tic_tac_toe_ply_by_ply() -> None:
    result = solve_all("tic-tac-toe")
    assert [ply.states for ply in result.plies] == [
        1, 9, 72, 252, 756, 1260, 1520, 1140, 390, 78,
    ]  # fmt: skip
    # Games can end after five moves at the earliest; X and O win 626 and 316, 16 are drawn.
    assert [ply.terminal for ply in result.plies] == [0, 0, 0, 0, 0, 120, 148, 444, 168, 78]
    assert result.plies[9].drawn == (16, 16)
    assert result.plies[9].won == (62, 0)
    assert result.plies[0].drawn == (1, 1)


@pytest.mark.parametrize("text", GAMES)
def test_every_ply_agrees_with_brute_force(text: str) -> None:
    game = ub.load_game(text)
    rows = {state: two(outcome) for state, (outcome, _) in worths_of(text).items()}
    result = solve_all(text)
    assert result.outcome == rows[game.initial()]
    assert list(result.plies) == by_ply(game, game.initial(), rows)


@pytest.mark.parametrize("text", GAMES)
@pytest.mark.parametrize("algorithm", ["ubfm", "descent"])
def test_every_state_agrees_with_brute_force(text: str, algorithm: Any) -> None:
    """Scores too: where all children are resolved, the best of them is the best score."""
    worths = worths_of(text)
    search = ub.Search(text, algorithm=algorithm)
    assert resolve_all(search, Budget()).resolved
    core = search._core
    assert core.states == core.resolved == len(worths)
    for number in range(core.states):
        node = core.node(number)
        assert node.resolved
        assert node.expanded != node.terminal
        known = (node.completion[0], node.value[0])
        assert known == worths[search.route.from_core(core.state(number))]


def test_random_games() -> None:
    for seed in range(100):
        game = random_graph(seed, zero_sum=True)
        rows = {s: two(outcome) for s, (outcome, _) in minimax_scores(game).items()}
        result = solve_all(game)
        assert list(result.plies) == by_ply(game, game.initial(), rows), seed


def test_random_games_of_many_players() -> None:
    """Ties go to the first child, as in the reference."""
    for seed in range(100):
        game = random_graph(seed)
        rows = {s: outcome for s, (outcome, _) in max_n(game).items()}
        for values in ("resolved_completion", "propagated_completion"):
            result = solve_all(game, values=values)
            assert list(result.plies) == by_ply(game, game.initial(), rows), seed


@pytest.mark.parametrize("scores", [POINTS, DISTINCT])
def test_compiled_games_of_three_players(scores: int) -> None:
    game = Hashed(players=3, scores=scores)
    exact = max_n(game)
    search = ub.Search(game)
    result = resolve_all(search, Budget())
    assert result.states == len(exact)
    for number in range(search.states):
        node = search._core.node(number)
        state = search.route.from_core(search._core.state(number))
        assert (tuple(node.completion), tuple(node.value)) == exact[state]


def test_the_counts_are_those_of_any_search_before() -> None:
    """A search that has run already, whatever it has resolved early."""
    for options in ({}, {"algorithm": "descent"}, {"resolve_on_win": True}):
        search = ub.Search("tic-tac-toe", **options)  # type: ignore[arg-type]
        search.run(iterations=500)
        assert resolve_all(search, Budget()).plies == solve_all("tic-tac-toe").plies
        search.run()
        assert resolve_all(search, Budget()).plies == solve_all("tic-tac-toe").plies


def test_the_counts_are_those_of_a_search_that_has_forgotten() -> None:
    text = "connect-four(width=4,height=3)"
    search = ub.Search(text)
    assert search.run(memory="260k").resolved
    assert search.compactions > 0
    result = resolve_all(search, Budget())
    assert result.plies == solve_all(text).plies
    assert result.states == 12031


# -- positions and symmetry ------------------------------------------------------------------------


def test_after_moves_only_what_follows_counts() -> None:
    game = ub.load_game("tic-tac-toe")
    worths = worths_of("tic-tac-toe")
    rows = {state: two(outcome) for state, (outcome, _) in worths.items()}
    state = game.next(game.initial(), game.parse_action(game.initial(), "a1"))
    result = solve_all(game, moves="a1")
    assert result.moves == ("a1",)
    assert list(result.plies) == by_ply(game, state, rows)
    assert result.outcome == rows[state]
    assert sum(ply.states for ply in result.plies) == result.states
    over = solve_all(game, moves="a1 a2 b1 b2 c1")
    assert over.outcome == (1, -1)
    assert over.plies == (Ply(0, 1, 1, (1, 0), (0, 0), (0, 1)),)
    assert over.states == 1


@pytest.mark.parametrize("text", ["tic-tac-toe", "dots-and-boxes", "isolation(rows=3,columns=3)"])
def test_up_to_symmetry_there_are_fewer_states(text: str) -> None:
    game = ub.load_game(text)
    result = solve_all(text, canonical=True)
    whole = solve_all(text)
    assert (result.canonical, whole.canonical) == (True, False)
    assert len({min(native.images(game, s)) for s in worths_of(text)}) == result.states
    assert result.states < whole.states / 3
    assert sum(ply.states for ply in result.plies) == result.states
    assert len(result.plies) == len(whole.plies)
    assert result.outcome == whole.outcome
    if text == "tic-tac-toe":
        assert result.states == 765


def test_a_game_without_symmetries_is_not_canonical() -> None:
    result = solve_all("nim(heaps=[3,4,5])", canonical=True)
    assert not result.canonical
    assert result.states == solve_all("nim(heaps=[3,4,5])").states == 232


# -- limits ----------------------------------------------------------------------------------------


def is_nothing(result: StrongResult) -> bool:
    return not result.resolved and result.plies == () and set(result.outcome) == {None}


def test_limits_and_going_on() -> None:
    search = ub.Search("connect-four(width=4,height=4)")
    result = resolve_all(search, Budget(states=1000))
    assert result.stopped == "states"
    assert is_nothing(result)
    assert 1000 <= result.states < 1010
    result = resolve_all(search, Budget(memory=200_000))
    assert result.stopped == "memory"
    assert is_nothing(result)
    assert search.memory_bytes <= 200_000
    result = resolve_all(search, Budget(seconds=0))
    assert result.stopped == "seconds"
    assert is_nothing(result)
    result = resolve_all(search, Budget())
    assert result.resolved
    assert result.plies == solve_all("connect-four(width=4,height=4)").plies


def test_little_steps_of_time() -> None:
    search = ub.Search("connect-four(width=4,height=4)")
    steps = 0
    while not resolve_all(search, Budget(seconds=0.02)).resolved:
        steps += 1
        assert steps < 1000
    assert steps > 0
    assert search.states == 161029
    assert resolve_all(search, Budget()).plies == solve_all(search.game).plies


def test_a_big_board_keeps_to_the_time() -> None:
    calls: list[int] = []
    result = solve_all("connect-four", seconds=0.7, progress=lambda s: calls.append(s.states))
    assert result.stopped == "seconds"
    assert is_nothing(result)
    assert calls
    assert calls == sorted(calls)


def test_stop_from_another_thread() -> None:
    search = ub.Search("connect-four")
    timer = threading.Timer(0.2, search.stop)
    timer.start()
    result = resolve_all(search, Budget(seconds=600))
    timer.join()
    assert result.stopped == "interrupted"
    assert is_nothing(result)


def test_shortcuts_are_refused() -> None:
    with pytest.raises(UsageError, match="bounds must be off"):
        solve_all("tic-tac-toe", bounds=True)
    with pytest.raises(UsageError, match="completion must be on"):
        solve_all("tic-tac-toe", completion=False)
    with pytest.raises(UsageError, match="seconds"):
        solve_all("tic-tac-toe", seconds=-1)


def test_plain_values_for_json() -> None:
    result = solve_all("nim(heaps=[1,2])")
    assert result.to_dict() == asdict(result)
    assert json.loads(json.dumps(result.to_dict()))["states"] == result.states


# -- the command line ------------------------------------------------------------------------------


def test_json_of_a_strong_solution(here: Here) -> None:  # noqa: F811
    assert here("solve", "tic-tac-toe", "--all", "--json") == 0
    assert here.out.count("\n") == 1
    assert here.err == ""
    result = json.loads(here.out)
    assert (result["states"], result["outcome"], result["stopped"]) == (5478, [0, 0], "resolved")
    assert result["resolved"] is True
    assert result["canonical"] is False
    assert len(result["plies"]) == 10
    assert sum(ply["terminal"] for ply in result["plies"]) == 958
    assert result["plies"] == [
        json.loads(json.dumps(asdict(ply))) for ply in solve_all("tic-tac-toe").plies
    ]


def test_text_of_a_strong_solution(here: Here) -> None:  # noqa: F811
    assert here("solve", "tic-tac-toe", "--all") == 0
    assert "draw" in here.out
    assert "5,478" in here.out or "5478" in here.out
    assert "1,520" in here.out or "1520" in here.out
    assert here("solve", "connect-four", "--all", "--states", "1000") == 3
    assert "states" in here.out
    assert "proven:" not in here.out


def test_a_strong_solution_on_the_command_line_may_start_anywhere(
    here: Here,  # noqa: F811
) -> None:
    assert here("solve", "tic-tac-toe", "--all", "--json", "--moves", "a1 b2") == 0
    result = json.loads(here.out)
    assert result["moves"] == ["a1", "b2"]
    assert sum(ply["states"] for ply in result["plies"]) == result["states"] < 1870


def test_limits_on_the_command_line(here: Here) -> None:  # noqa: F811
    for limit, reason in (("--states=500", "states"), ("--seconds=0", "seconds")):
        assert here("solve", "connect-four", "--all", "--json", limit) == 3
        result = json.loads(here.out)
        assert result["stopped"] == reason
        assert result["resolved"] is False
        assert result["plies"] == []


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["solve", "tic-tac-toe", "--all", "--iterations", "5"], "--all makes no iterations"),
        (["solve", "tic-tac-toe", "--all", "--exact-score"], "--all takes no shortcuts"),
        (["solve", "tic-tac-toe", "--all", "--threads", "2"], "--all takes no shortcuts"),
        (["solve", "tic-tac-toe", "--all", "--threads", "0"], "threads"),
        (["solve", "tic-tac-toe", "--all", "--no-completion"], "completion"),
        (["solve", "tic-tac-toe", "--all", "--moves", "z9"], "illegal move"),
        (["analyze", "tic-tac-toe", "--all"], "--all"),
    ],
    ids=lambda x: " ".join(x) if isinstance(x, list) else "",
)
def test_wrong_use_on_the_command_line(
    here: Here,  # noqa: F811
    arguments: list[str],
    words: str,
) -> None:
    assert here(*arguments) == 2
    assert is_one_line(here.err), here.err
    assert words in here.err
    assert here.out == ""


def test_ctrl_c_ends_strong_solving() -> None:
    with on_terminal("solve", "connect-four", "--all", "--json") as program:
        program.wait_for("states")
        program.process.send_signal(signal.SIGINT)
        code, out = program.finish()
    assert code == 3
    assert "Traceback" not in program.seen
    result = json.loads(out)
    assert result["stopped"] == "interrupted"
    assert result["plies"] == []
