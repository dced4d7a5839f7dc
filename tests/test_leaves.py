# SPDX-License-Identifier: MIT
"""Several leaves for each evaluation: what is proven stays exact, and nothing is left half done."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from soaking import repeated

import unbounded as ub
from unbounded import reference
from unbounded.conformance.random_games import random_graph
from unbounded.game import Game, RuleError, UsageError
from unbounded.games.graph import Graph
from unbounded.players.kinds import read_kind
from unbounded.reference import backward_induction
from unbounded.search.result import Interrupted

GAMES = repeated(150, soak=5_000)
LEAVES = (2, 5, 64)
GAME = "connect-four(width=5,height=4)"


def kind_of_game(seed: int) -> dict[str, Any]:
    """Two players with zero sum, three players with tie-breaking scores, any number with ties."""
    return [{"zero_sum": True}, {"players": (3, 3), "ties": False}, {"ties": True}][seed % 3]


def value_rules(game: Game[Any, Any]) -> list[str]:
    both = ["resolved_completion", "propagated_completion"]
    return ["minimax", *both] if game.zero_sum else both


def as_reference(search: ub.Search) -> reference.Search[Any]:
    """The numbers of a search as the reference would hold them."""
    options = search.options
    assert options.values is not None
    same = reference.Search(
        search.game,
        algorithm="ubfm",
        values=options.values,
        resolve_on_win=options.resolve_on_win,
        local_maximum=options.local_maximum,
        completion=options.completion,
    )
    for number in range(search.states):
        state = search.route.from_core(search._core.state(number))
        node = search._core.node(number)
        same.resolved[state] = node.resolved
        same.completion[state] = node.completion[0] if search.zero_sum else tuple(node.completion)
        same.value[state] = node.value[0] if search.zero_sum else tuple(node.value)
    return same


def check_proven(search: ub.Search) -> None:
    """Every resolved state follows from its children, and has its exact value where that is one."""
    held, game = as_reference(search), search.game
    assert backward_induction.unjustified(held) == []
    resolved = [state for state, known in held.resolved.items() if known]
    assert len(resolved) == search.resolved_states
    expanded = [search._core.node(number).expanded for number in range(search.states)]
    assert sum(expanded) == search.expanded_states
    if held.values == "minimax":
        exact = backward_induction.minimax_outcomes(game)
        assert all(held.completion[s] == exact[s] for s in resolved)
    elif not search.options.resolve_on_win and backward_induction.is_tie_breaking(game):
        best = backward_induction.max_n(game)
        assert all((held.completion[s], held.value[s]) == best[s] for s in resolved)


# -- what is proven --------------------------------------------------------------------------------


@pytest.mark.parametrize("part", range(5))
def test_random_games_are_solved_exactly(part: int) -> None:
    for seed in range(part, GAMES, 5):
        game = random_graph(seed, states=(5, 60), **kind_of_game(seed))
        for values in value_rules(game):
            leaves = LEAVES[seed // 5 % len(LEAVES)]
            search = ub.Search(game, values=values, leaves=leaves)
            while not search.root.resolved:
                before = search.iterations
                search.run(iterations=7)
                check_proven(search)
                assert before < search.iterations <= before + 7
                assert search.iterations <= 2 * len(game.successors)


@pytest.mark.parametrize("variant", ["resolve_on_win", "local_maximum"])
def test_variants_of_completion(variant: str) -> None:
    for seed in range(60):
        game = random_graph(seed, states=(5, 60), **kind_of_game(seed))
        for values in value_rules(game):
            search = ub.Search(game, values=values, leaves=6, **{variant: True})
            assert search.run(iterations=1000).stopped == "resolved"
            check_proven(search)


def test_without_completion_nothing_is_resolved() -> None:
    for seed in range(30):
        game = random_graph(seed, states=(5, 60), zero_sum=seed % 2 == 0)
        search = ub.Search(game, completion=False, leaves=6)
        result = search.run(iterations=100)
        assert search.resolved_states == 0
        assert result.iterations == 100 or search.root.terminal


@pytest.mark.parametrize(
    "text",
    ["tic-tac-toe", "mnk(rows=3,columns=3,players=3)", "nim(heaps=[2,2,3],players=3,misere=true)"],
)
def test_compiled_games_have_the_same_value(text: str) -> None:
    alone, together = ub.Search(text, leaves=1), ub.Search(text, leaves=16)
    assert together.run().outcome == alone.run().outcome
    assert together.result.resolved


def test_one_leaf_is_the_plain_search() -> None:
    plain, one = ub.Search(GAME), ub.Search(GAME, leaves=1)
    plain.run(iterations=500)
    one.run(iterations=500)
    assert plain.snapshot() == one.snapshot()


def test_the_same_options_give_the_same_graph() -> None:
    searches = [ub.Search(GAME, leaves=9, hash_bits=bits) for bits in (64, 64, 4)]
    for search in searches:
        search.run(iterations=2_000)
    assert len({search.snapshot() for search in searches}) == 1


# -- batches ---------------------------------------------------------------------------------------


class Recording:
    """The heuristic of a game as a Python function that remembers what it was given."""

    def __init__(self, game: Game[Any, Any]) -> None:
        self.game = game
        self.batches: list[list[bytes]] = []
        self.before_call: Callable[[], None] = lambda: None

    def __call__(self, states: Any) -> Any:
        self.before_call()
        self.batches.append([state.tobytes() for state in states])
        return [self.game.evaluate(state) for state in self.batches[-1]]


def recorded(**options: Any) -> tuple[ub.Search, Recording]:
    game = ub.load_game(GAME)
    evaluation = Recording(game)
    return ub.Search(game, evaluation=evaluation, **options), evaluation


def test_the_children_of_many_leaves_come_in_one_call() -> None:
    search, evaluation = recorded(leaves=32)
    search.run(iterations=2_000)
    states = [state for batch in evaluation.batches for state in batch]
    assert len(set(states)) == len(states), "no state is evaluated twice, not even in one batch"
    assert len(evaluation.batches) < 2_000 / 20
    native = ub.Search(GAME, leaves=32)
    native.run(iterations=2_000)
    assert native.snapshot() == search.snapshot()


def test_two_leaves_may_share_a_child() -> None:
    """Both are in one batch; the child is evaluated and stored once."""
    batches = []

    def evaluate(states: Any) -> Any:
        batches.append(list(states))
        return np.zeros((len(states), 2))

    game = Graph.of(
        [[1, 2], [3, 4], [4, 5], [], [6], [], []],
        {0: 0, 1: 1, 2: 1, 4: 0},
        {3: (1, -1), 5: (-1, 1), 6: (0, 0)},
        players=2,
        zero_sum=True,
    )
    search = ub.Search(game, evaluation=evaluate, leaves=4)
    search.run(iterations=3)
    assert batches == [[0], [1, 2], [4]]
    assert search.states == 6 and search.edges == 6
    assert search.run().outcome == (0, 0)
    check_proven(search)


# -- limits and failures ---------------------------------------------------------------------------


@pytest.mark.parametrize("states", [1, 50, 1000])
def test_the_limit_of_states_holds(states: int) -> None:
    """As with one leaf, only the last expansion may exceed it."""
    search = ub.Search("mnk(rows=9,columns=9,line=5)", leaves=64)
    result = search.run(states=states)
    assert result.stopped == "states" and 1 + states <= result.states <= 1 + states + 81


def test_a_failing_evaluation_leaves_the_graph_as_it_was() -> None:
    undisturbed, _ = recorded(leaves=16)
    undisturbed.run(iterations=400)
    search, evaluation = recorded(leaves=16)

    def fail() -> None:
        if len(evaluation.batches) == 20:
            raise ZeroDivisionError

    evaluation.before_call = fail
    with pytest.raises(ZeroDivisionError):
        search.run(iterations=400)
    before = search.snapshot()
    with pytest.raises(ZeroDivisionError):
        search.run(iterations=400)
    assert search.snapshot() == before
    evaluation.before_call = lambda: None
    search.run(iterations=400 - search.iterations)
    assert search.snapshot() == undisturbed.snapshot()


def test_ctrl_c_in_the_middle_of_a_batch() -> None:
    search, evaluation = recorded(leaves=16)
    search.run(iterations=100)
    before = search.snapshot()
    evaluation.before_call = lambda: os.kill(os.getpid(), signal.SIGINT)
    with pytest.raises(Interrupted):
        search.run(iterations=100)
    assert search.stopped == "interrupted" and search.snapshot() == before
    evaluation.before_call = lambda: None
    assert search.run(iterations=100).stopped == "iterations"


class Fragile(Game[tuple[int, ...], int]):
    """Four moves of three kinds each; some states may be broken for a while."""

    players, zero_sum = 2, True

    def __init__(self) -> None:
        self.broken: set[tuple[int, ...]] = set()

    def initial(self) -> tuple[int, ...]:
        return ()

    def player(self, state: tuple[int, ...]) -> int:
        return len(state) % 2

    def actions(self, state: tuple[int, ...]) -> list[int]:
        return [] if len(state) == 4 else [0, 1, 2]

    def next(self, state: tuple[int, ...], action: int) -> tuple[int, ...]:
        if state in self.broken:
            raise ZeroDivisionError
        return (*state, action)

    def outcome(self, state: tuple[int, ...]) -> tuple[int, int]:
        result = sum(state) % 3 - 1
        return result, -result


def test_a_rule_that_fails_in_the_middle_of_a_batch() -> None:
    """The leaves that were gathered before it are free again, and their visits undone."""
    game, undisturbed = Fragile(), ub.Search(Fragile(), leaves=8)
    undisturbed.run()
    search = ub.Search(game, leaves=8)
    search.run(iterations=4)  # now the leaves have two moves; (0, 0) is the first to be gathered
    before = search.snapshot()
    game.broken = {(i, j) for i in range(3) for j in range(3)} - {(0, 0)}
    with pytest.raises(RuleError, match="raised ZeroDivisionError"):
        search.run()
    assert search.iterations == 4 and search.snapshot() == before
    game.broken = set()
    assert search.run().outcome == undisturbed.result.outcome
    check_proven(search)


def test_full_memory() -> None:
    search = ub.Search("connect-four", leaves=32)
    result = search.run(memory="1M", seconds=60)
    assert result.stopped == "memory" and search.memory_bytes <= 2**20
    assert search.run(iterations=100, memory="2M").stopped == "iterations"


def test_what_is_dropped_when_memory_is_full() -> None:
    """Compaction gives states new numbers; nothing of a batch may outlive it."""
    search = ub.Search("tic-tac-toe", leaves=32)
    while search.run(memory="200K", iterations=500).stopped == "iterations":
        pass
    assert search.compactions > 0
    assert search.run().outcome == (0, 0)


# -- files -----------------------------------------------------------------------------------------


def test_saved_in_the_middle_of_a_batch(tmp_path: Path) -> None:
    """Playouts let the search report while a batch is evaluated; no leaf of it is in the file."""
    path = tmp_path / "running.search"
    search = ub.Search("connect-four", leaves=16, evaluation="playouts(500)")
    search.run(iterations=60, progress=lambda s: s.save(path), report_every=0.0)
    loaded = ub.Search.load(path)
    assert loaded.options.leaves == 16 and loaded.iterations <= 60
    loaded.run(iterations=16)
    search.save(path)
    assert ub.Search.load(path).snapshot() == search.snapshot()


# -- the option ------------------------------------------------------------------------------------


def zeros(states: Any) -> Any:
    return np.zeros((len(states), 2))


def hinted(states: Any) -> Any:
    return zeros(states)


hinted.batch_hint = 32  # type: ignore[attr-defined]


def test_an_evaluation_may_ask_for_batches() -> None:
    def chosen(**options: Any) -> int:
        return ub.Search("tic-tac-toe", **options)._core.leaves

    assert chosen() == chosen(evaluation="zero") == chosen(evaluation=zeros) == 1
    assert chosen(evaluation=hinted) == 32
    assert chosen(evaluation=hinted, leaves=1) == 1
    assert chosen(evaluation=zeros, leaves=7) == 7
    for alone in ({"algorithm": "descent"}, {"bounds": True}, {"paper": True}):
        assert chosen(evaluation=hinted, **alone) == 1


@pytest.mark.parametrize("bad", [0, 1025, None, 2.5, "many"])
def test_a_bad_hint_is_refused(bad: Any) -> None:
    class Hinted:
        batch_hint = bad

        def __call__(self, states: Any) -> Any:
            return zeros(states)

    with pytest.raises(UsageError, match=r"batch_hint of .* must be from 1 to 1024 leaves, not"):
        ub.Search("tic-tac-toe", evaluation=Hinted())


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"algorithm": "descent"}, "needs algorithm='ubfm'; descent expands one leaf at a time"),
        ({"bounds": True}, "needs bounds=False; a search with bounds expands one leaf"),
        ({"paper": True}, "cannot be combined with paper"),
    ],
)
def test_one_leaf_at_a_time_only(options: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageError, match=f"leaves=8 {words}"):
        ub.Search("tic-tac-toe", leaves=8, **options)
    assert ub.Search("tic-tac-toe", leaves=1, **options).options.leaves == 1


@pytest.mark.parametrize("bad", [-1, 1025, True, 2.0])
def test_the_number_of_leaves_is_checked(bad: Any) -> None:
    with pytest.raises(UsageError, match="leaves must be from 0 to 1024"):
        ub.Search("tic-tac-toe", leaves=bad)


def test_a_player_takes_the_option() -> None:
    player = read_kind("ubfm(leaves=4)").player(ub.load_game("tic-tac-toe"), 0)
    assert player.search.options.leaves == 4
