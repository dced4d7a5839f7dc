# SPDX-License-Identifier: MIT
"""The reference against brute force on random games, its variants, decisions and refusals."""

import importlib
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from unbounded.conformance.random_games import random_graph
from unbounded.game import RuleError, UsageError
from unbounded.games.graph import Graph
from unbounded.reference import Search, decision, definitions
from unbounded.reference.backward_induction import (
    highest_scores,
    is_tie_breaking,
    max_n,
    minimax_outcomes,
    minimax_scores,
    unjustified,
)
from unbounded.reference.definitions import reachable

MANY_PLAYERS = ["resolved_completion", "propagated_completion"]
WALKS: list[dict[str, Any]] = [
    {"algorithm": "ubfm"},
    {"algorithm": "ubfm", "paper": True},
    {"algorithm": "descent"},
]
BATCHES = range(20)


def seeds(batch: int, size: int) -> range:
    return range(batch * size, (batch + 1) * size)


def searches(game: Graph, values: list[str], **options: Any) -> Iterator[Search[int]]:
    for walk in WALKS:
        for rule in values:
            yield Search(game, values=rule, evaluate=game.evaluate, **walk, **options)


def numbers(search: Search[int], s: int) -> tuple[Any, ...]:
    tables = (search.completion, search.tentative_completion, search.value)
    return tuple(table[s] for table in tables)


def run_watched(search: Search[int], *, where: str) -> None:
    """Resolve the root, checking what must hold after every iteration."""
    frozen = {s: numbers(search, s) for s, r in search.resolved.items() if r}
    known = len(frozen)
    while not search.resolved[search.root]:
        search.iterate()
        assert search.path[0] == search.root, where
        for s, child in zip(search.path, search.path[1:], strict=False):
            assert child in search.children[s] and search.visits[s, child] > 0, where
        now = {s: numbers(search, s) for s, r in search.resolved.items() if r}
        assert frozen.items() <= now.items(), f"{where}: a resolved state changed"
        progress = len(search.expanded) + len(now)
        assert progress > known, f"{where}: iteration {search.iterations} brought nothing"
        frozen, known = now, progress
    assert isinstance(search.game, Graph)
    assert search.iterations <= 2 * len(search.game), where


# -- beside the paper ------------------------------------------------------------------------------

PRINTED = {
    "minimax": ["completed_best_action", "completed_best_action_dual", "backup_resolution"],
    "resolved_completion": [
        *("best_action_n", "best_action_n_dual", "backup_resolution_n", "safest_action_n"),
    ],
    "propagated_completion": [
        *("best_action_n", "best_action_n_dual", "backup_resolution_n", "safest_action_n"),
    ],
    "ubfm": ["ubfm_iteration"],
    "descent": ["descent_iteration"],
}
"""The functions of the listings, by the module that has them."""


@pytest.mark.parametrize("name", PRINTED)
def test_functions_have_the_names_that_the_paper_prints(name: str) -> None:
    module = importlib.import_module(f"unbounded.reference.{name}")
    for function in PRINTED[name]:
        assert getattr(module, function).__module__ == module.__name__
        assert "Algorithm" in module.__doc__ + getattr(module, function).__doc__


def test_every_listing_of_the_paper_is_cited() -> None:
    cited = set()
    for path in Path(definitions.__file__).parent.glob("*.py"):
        if path.name != "__init__.py":
            for numbers in re.findall(
                r"Algorithms? (\d+(?:(?:, | and | to )\d+)*)", path.read_text()
            ):
                cited |= {int(number) for number in re.findall(r"\d+", numbers)}
    assert cited == set(range(1, 16))


# -- against brute force ---------------------------------------------------------------------------


@pytest.mark.parametrize("batch", BATCHES)
def test_two_players_find_the_minimax_value(batch: int) -> None:
    for seed in seeds(batch, 17):
        game = random_graph(seed, zero_sum=True)
        exact, with_score = minimax_outcomes(game), minimax_scores(game)
        for search in searches(game, ["minimax"]):
            where = f"seed {seed}, {search.algorithm}, paper={search.paper}"
            run_watched(search, where=where)
            assert unjustified(search) == [], where
            for s in filter(search.resolved.get, search.resolved):
                assert search.completion[s] == exact[s], where
                if exact[s] == 0:  # a drawn state is resolved by all its children
                    assert search.value[s] == with_score[s][1], where


@pytest.mark.parametrize("batch", BATCHES)
def test_many_players_find_the_only_equilibrium_when_scores_break_ties(batch: int) -> None:
    for seed in seeds(batch, 17):
        game = random_graph(seed, ties=False)
        exact = max_n(game)
        for search in searches(game, MANY_PLAYERS, local_maximum=seed % 4 == 0):
            where = f"seed {seed}, {search.algorithm}, {search.values}, paper={search.paper}"
            run_watched(search, where=where)
            assert unjustified(search) == [], where
            for s in filter(search.resolved.get, search.resolved):
                assert (search.completion[s], search.value[s]) == exact[s], where


@pytest.mark.parametrize("batch", BATCHES)
def test_many_players_find_an_equilibrium_when_scores_tie(batch: int) -> None:
    for seed in seeds(batch, 17):
        game = random_graph(seed, ties=True, players=(2, 5))
        for search in searches(game, MANY_PLAYERS):
            where = f"seed {seed}, {search.algorithm}, {search.values}, paper={search.paper}"
            run_watched(search, where=where)
            assert unjustified(search) == [], where


def test_tied_scores_give_more_than_one_equilibrium() -> None:
    roots = []
    for seed in range(150):
        game = random_graph(seed, ties=True, players=(3, 5), states=(5, 30))
        found = set()
        for search in searches(game, MANY_PLAYERS):
            search.run()
            found.add((search.completion[0], search.value[0]))
        roots.append(len(found))
    assert max(roots) > 1


def test_completion_of_unresolved_states() -> None:
    """Two players, and the first generalization: not zero only when resolved."""
    for seed in range(60):
        game = random_graph(seed, zero_sum=True, states=(5, 40))
        for search in searches(game, ["minimax", "resolved_completion"]):
            while not search.resolved[0]:
                search.iterate()
                for s, c in search.completion.items():
                    assert search.resolved[s] or c in (0, (0, 0)), f"seed {seed}"


def test_states_on_the_path_are_worth_their_best_child() -> None:
    for seed in range(60):
        game = random_graph(seed, zero_sum=True, states=(5, 40))
        for walk in WALKS:
            search = Search(game, completion=False, evaluate=game.evaluate, **walk)
            for _ in range(30):
                new = set(search.children)
                search.iterate()
                for s in search.path:
                    if s in new or (s in search.children and not search.paper):
                        choose = max if game.player(s) == 0 else min
                        best = choose(search.value[t] for t in search.children[s])
                        assert search.value[s] == best, f"seed {seed}, state {s}"
            assert not any(search.resolved.values())
            assert set(search.completion.values()) == {0}


# -- the rules agree where they should -------------------------------------------------------------


def assert_same_walk(one: Search[int], many: Search[int], where: str) -> None:
    """The first player's half of the second search is the first search."""
    while not one.resolved[one.root]:
        one.iterate()
        many.iterate()
        assert one.path == many.path, where
        assert one.resolved == many.resolved, where
        assert one.visits == many.visits, where
        assert one.value == {s: v[0] for s, v in many.value.items()}, where
        assert one.completion == {s: c[0] for s, c in many.completion.items()}, where
    assert many.resolved[many.root], where


@pytest.mark.parametrize("walk", WALKS)
def test_score_equal_to_outcome_makes_n_players_walk_as_two(walk: dict[str, Any]) -> None:
    for seed in range(150):
        full = random_graph(seed, zero_sum=True)
        game = Graph.of(
            full.successors, full.movers, full.outcomes, evaluations=full.evaluations, zero_sum=True
        )
        pair = [
            Search(game, values=values, evaluate=game.evaluate, **walk)
            for values in ("minimax", "resolved_completion")
        ]
        assert_same_walk(pair[0], pair[1], f"seed {seed}")


@pytest.mark.parametrize("walk", WALKS)
def test_resolving_on_any_win_makes_n_players_walk_as_two(walk: dict[str, Any]) -> None:
    differs = 0
    for seed in range(150):
        game = random_graph(seed, zero_sum=True)
        one = Search(game, evaluate=game.evaluate, **walk)
        rule: dict[str, Any] = {"values": "resolved_completion", "evaluate": game.evaluate, **walk}
        assert_same_walk(one, Search(game, resolve_on_win=True, **rule), f"seed {seed}")
        complete = Search(game, **rule)
        complete.run()
        differs += complete.iterations != one.iterations
    assert differs > 10


@pytest.mark.parametrize("values", MANY_PLAYERS)
def test_resolving_on_any_win_follows_from_wins(values: str) -> None:
    """An outcome is still justified, but not the score: no equilibrium of scores."""
    worse = 0
    for seed in range(100):
        game = random_graph(seed, ties=False, players=(2, 4))
        search = Search(game, values=values, resolve_on_win=True, evaluate=game.evaluate)
        search.run()
        assert unjustified(search) == [], f"seed {seed}"
        worse += (search.completion[0], search.value[0]) != max_n(game)[0]
    assert worse > 0


def test_a_local_maximum_resolves_sooner() -> None:
    totals = {}
    for local in (False, True):
        totals[local] = 0
        for seed in range(100):
            game = random_graph(seed, ties=False, draws=False)
            search = Search(
                game,
                values="resolved_completion",
                local_maximum=local,
                evaluate=game.evaluate,
            )
            search.run()
            totals[local] += search.iterations
    assert totals[True] < 0.9 * totals[False]


def test_an_unknown_best_score_resolves_only_by_all_children() -> None:
    game = Graph.of([[1, 2], [], [3], []], [0] * 4, {1: (1,), 3: (0,)}, players=1)
    known = Search(game, values="resolved_completion")
    known.run()
    assert known.expanded == {0}
    unknown = Graph.of(
        game.successors, game.movers, game.outcomes, scores={1: (1,)}, players=1, best_score=[2]
    )
    for best_score in ([2], None):
        unknown.best_score = best_score
        search = Search(unknown, values="resolved_completion")
        search.run()
        assert search.expanded == {0, 2}


@pytest.mark.parametrize("drawn_score", [0.0, 1.0])
def test_propagated_completion_needs_a_resolved_twin(drawn_score: float) -> None:
    """The best child wins with the best score, but is itself unresolved: nothing is proven.

    That a resolved draw has the same score proves nothing either.
    """
    game = Graph.of(
        [[1, 2], [3, 4], [], [], [5], []],
        {0: 0, 1: 1, 4: 1},
        {2: (0, 0), 3: (1, 0), 5: (-1, 1)},
        scores={2: (drawn_score, 0), 3: (1, 0), 5: (-1, 1)},
        evaluations={1: (2, 5), 4: (0, -1)},
    )
    search = Search(game, values="propagated_completion", evaluate=game.evaluate)
    search.run(2)
    assert search.path == [0, 1]
    assert (search.completion[0], search.value[0]) == ((1, 0), (1.0, 0.0))
    assert not search.resolved[0]
    search.run()
    assert (search.completion[0], search.value[0]) == ((0, 0), (drawn_score, 0.0))


class Doubled(Graph):
    """Every successor can be reached by two actions, the last one first."""

    def actions(self, state: int) -> Sequence[int]:
        below = self.successors[state]
        return [*reversed(below), *below]


def test_actions_to_the_same_state_are_one_child() -> None:
    game = Doubled()
    search = Search(game, evaluate=game.evaluate)
    search.run()
    start, left, right, lost, drawn, won = range(6)
    assert search.children[start] == [right, left]
    assert search.children[right] == [won, drawn]
    assert (search.completion[start], search.value[start]) == (0, 0.0)
    assert set(search.visits) <= {
        (start, right),
        (start, left),
        (right, won),
        (right, drawn),
        (left, drawn),
        (left, lost),
    }
    assert decision.action_to(game, start, left) == left


def test_every_state_is_evaluated_once() -> None:
    for seed in range(50):
        game = random_graph(seed, ties=False)
        for walk in WALKS:
            asked: list[int] = []

            def evaluate(s: int, game: Graph = game, asked: list[int] = asked) -> Sequence[float]:
                asked.append(s)
                return game.evaluate(s)

            search = Search(game, values="resolved_completion", evaluate=evaluate, **walk)
            search.run()
            assert len(asked) == len(set(asked)), f"seed {seed}"
            assert set(asked) == {s for s in search.value if game.successors[s]}, f"seed {seed}"


# -- the Remark's stop at a draw -------------------------------------------------------------------


def test_descent_may_stop_at_a_resolved_child() -> None:
    game = Graph.of(
        [[1, 2, 5], [], [3], [4], [], [4]],
        {0: 0, 2: 0, 3: 0, 5: 0},
        {1: (0, 0), 4: (1, -1)},
        evaluations={2: (0.5, -0.5), 3: (-0.5, 0.5), 5: (-1, 1)},
    )
    for values in ("minimax", *MANY_PLAYERS):
        search = Search(
            game, algorithm="descent", values=values, stop_at_draw=True, evaluate=game.evaluate
        )
        search.iterate()
        assert search.path == [0, 2, 3]
        assert search.resolved[0], "a win is still found on the way"
        timid = {0: (0.0, 0.0), 2: (-0.5, 0.5), 5: (-1.0, 1.0)}
        stopped = Search(
            game, algorithm="descent", values=values, stop_at_draw=True, evaluate=timid.__getitem__
        )
        stopped.run(5)
        assert (stopped.iterations, stopped.path) == (5, [0, 1])
        assert stopped.visits == {(0, 1): 5, (0, 2): 0, (0, 5): 0}
        assert stopped.expanded == {0}
        assert not stopped.resolved[0]


# -- decisions -------------------------------------------------------------------------------------


@pytest.fixture(params=[0, 1], ids=["first", "second"])
def choice(request: pytest.FixtureRequest) -> Graph:
    """The mover has a promising child 1, and a duller, broader child 2."""
    mover: int = request.param
    sign = 1 - 2 * mover
    return Graph.of(
        [[1, 2], [3], [4, 5], [6], [6], [6], []],
        [mover] * 6 + [None],
        {6: (0, 0)},
        evaluations={
            s: (sign * x, -sign * x) for s, x in {1: 0.5, 2: 0.4, 3: 0.1, 4: 0.3, 5: 0.2}.items()
        },
        zero_sum=True,
    )


@pytest.mark.parametrize("values", ["minimax", *MANY_PLAYERS])
def test_best_and_safest(choice: Graph, values: str) -> None:
    search = Search(choice, values=values, evaluate=choice.evaluate)
    with pytest.raises(UsageError, match="no decision yet"):
        decision.best(search)
    search.run(3)
    assert search.path == [0, 2]
    search.run(1)
    assert search.path == [0, 2, 4]
    search.visits[0, 1] = 5
    # Worth: 1 has 0.1, 2 has 0.2; the counts say 1.
    assert decision.best(search) == 2
    assert decision.safest(search) == 1
    assert decision.action_to(choice, 0, 1) == 1


@pytest.mark.parametrize("values", ["minimax", *MANY_PLAYERS])
def test_a_proven_win_beats_counts_and_values(values: str) -> None:
    game = Graph.of([[1, 2], [3], [], []], [0] * 4, {2: (1, -1), 3: (0, 0)}, zero_sum=True)
    search = Search(game, values=values, paper=True, evaluate=lambda s: (5.0, -5.0))
    search.iterate()
    search.visits[0, 1] = 9
    assert not search.resolved[0]
    assert decision.best(search) == decision.safest(search) == 2


def test_exploring_asks_the_law_until_the_root_is_resolved() -> None:
    game = Graph.of([[1, 2], [3], [], []], [0] * 4, {2: (0, 0), 3: (0, 0)}, zero_sum=True)

    def last(search: Search[int], s: int) -> int:
        return search.children[s][-1]

    search = Search(game, evaluate=lambda s: (1.0, -1.0))
    search.iterate()
    assert decision.exploring(search, last) == 2
    search.run()
    search.visits[0, 2] = 9
    # Both are draws: Algorithm 10 leaves out the counts, so the first one it is.
    assert decision.exploring(search, last) == 1
    assert decision.best(search) == 2


def promising() -> Search[int]:
    """A search whose child 1 promises a win that is not proven, and child 2 is worth more."""
    game = Graph.of(
        [[1, 2, 3], [4, 5], [6], [6], [], [6], []],
        {0: 0, 1: 0, 2: 0, 3: 0, 5: 0},
        {4: (1, 0), 6: (0, 0)},
        scores={4: (1, 0), 6: (9, 0)},
        evaluations={1: (8, 0), 2: (4, 0), 3: (3, 0), 5: (0, 0)},
    )
    search = Search(game, values="resolved_completion", evaluate=game.evaluate)
    search.run(2)
    assert search.path == [0, 1]
    assert search.tentative_completion[1] == (1, 0)
    assert search.completion[1] == (0, 0)
    return search


def test_alternatives_look_at_the_tentative_completion() -> None:
    search = promising()
    assert search.value[1] == (1.0, 0.0)
    assert decision.best(search) == 2
    assert decision.best_by_tentative_completion(search) == 1
    search.visits.update({(0, 1): 1, (0, 2): 2, (0, 3): 3})
    assert decision.safest(search) == 3
    assert decision.safest_by_tentative_completion(search) == 1
    search.tentative_completion[1] = (0, 0)
    assert decision.best_by_tentative_completion(search) == 2
    assert decision.safest_by_tentative_completion(search) == 3


def test_alternatives_at_a_resolved_root_agree_with_best() -> None:
    search = promising()
    search.run()
    assert (search.completion[0], search.value[0]) == ((1, 0), (1.0, 0.0))
    search.visits[0, 3] = 99
    assert decision.safest_by_tentative_completion(search) == 1
    assert decision.best_by_tentative_completion(search) == decision.best(search) == 1


# -- brute force itself ----------------------------------------------------------------------------


def test_brute_force_on_a_game_worked_out_by_hand() -> None:
    """Player 1 takes the draw from the first player, who then prefers the right."""
    game = Graph()
    start, left, right, lost, drawn, won = range(6)
    assert minimax_outcomes(game) == {start: 0, left: -1, right: 0, lost: -1, drawn: 0, won: 1}
    assert minimax_scores(game)[left] == (-1, -2.0)
    assert minimax_scores(game)[start] == (0, 0.0)
    assert max_n(game)[left] == ((-1, 1), (-2.0, 2.0))
    assert max_n(game)[start] == ((0, 0), (0.0, 0.0))
    assert highest_scores(game)[left] == (0.0, 2.0)
    assert highest_scores(game)[start] == (5.0, 2.0)
    assert reachable(game)[-1] == start


def test_max_n_of_a_zero_sum_game_is_its_minimax() -> None:
    for seed in range(100):
        game = random_graph(seed, zero_sum=True)
        scores = minimax_scores(game)
        assert {s: (c[0], v[0]) for s, (c, v) in max_n(game).items()} == scores
        assert {s: c for s, (c, _) in scores.items()} == minimax_outcomes(game)


def test_max_n_gives_ties_to_the_first_action() -> None:
    for order, first in (([1, 2], (0, 1)), ([2, 1], (0, -1))):
        game = Graph.of([order, [], []], [0] * 3, {1: (0, 1), 2: (0, -1)})
        assert max_n(game)[0][0] == first


@pytest.mark.parametrize(
    ("scores", "tie_breaking"),
    [
        ({1: (1, 5), 2: (2, 6)}, True),
        ({1: (1, 5), 2: (1, 6)}, False),
        ({1: (1, 5), 2: (2, 5)}, True),  # player 1 wins here and loses there
        ({1: (1, 5), 2: (1, 5)}, False),  # the outcomes differ, and player 0 does not care
    ],
)
def test_is_tie_breaking(scores: dict[int, tuple[float, float]], tie_breaking: bool) -> None:
    game = Graph.of([[1, 2], [], []], [0] * 3, {1: (1, 1), 2: (1, -1)}, scores=scores)
    assert is_tie_breaking(game) == tie_breaking


def test_ends_alike_for_everybody_break_no_tie() -> None:
    game = Graph.of([[1, 2], [], []], [0] * 3, {1: (1, -1), 2: (1, -1)})
    assert is_tie_breaking(game)


TAMPERED: dict[str, dict[str, dict[int, Any]]] = {
    "an end against the rules": {"value": {3: (2.0, 0.0)}},
    "no child has the value": {"value": {0: (2.0, 0.0)}},
    "no child has all of the value": {"value": {0: (1.0, 2.0)}},
    "not the best child": {"completion": {0: (0, 0)}, "value": {0: (7.0, 0.0)}},
    "a win of less than the best score": {"resolved": {2: False}},
}


@pytest.mark.parametrize("what", TAMPERED)
def test_unjustified_finds_tampering(what: str) -> None:
    game = Graph.of(
        [[1, 2, 3], [], [4], [], []],
        [0] * 5,
        {1: (0, 0), 3: (1, 0), 4: (-1, 0)},
        scores={1: (7, 0), 3: (1, 0), 4: (3, 0)},
    )
    search = Search(game, values="resolved_completion")
    search.run()
    assert (search.completion[0], search.value[0]) == ((1, 0), (1.0, 0.0))
    assert unjustified(search) == []
    for table, changes in TAMPERED[what].items():
        getattr(search, table).update(changes)
    assert unjustified(search) != []


# -- refusals --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"algorithm": "ubmf"}, "no algorithm 'ubmf' .did you mean 'ubfm'"),
        ({"values": "maxn"}, "no values 'maxn'"),
        ({"stop_at_draw": True}, "stop_at_draw is a variant of descent"),
    ],
)
def test_unknown_variants_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        Search(Graph(), **options)


def test_minimax_is_for_two_players_and_zero_sum() -> None:
    for players in (1, 3):
        game = Graph.of([[]], [None], [(0,) * players], players=players)
        with pytest.raises(UsageError, match=f"minimax is for 2 players; .* has {players}"):
            Search(game)
        with pytest.raises(UsageError, match="minimax is for 2 players"):
            minimax_scores(game)
    cooperative = Graph.of([[]], [None], [(1, 1)])
    with pytest.raises(UsageError, match="not declared one"):
        Search(cooperative)
    assert Search(cooperative, values="resolved_completion").completion[0] == (1, 1)


@pytest.mark.parametrize(
    "options", [{"completion": False}, {"stop_at_draw": True, "algorithm": "descent"}]
)
def test_a_search_that_may_not_end_needs_a_budget(options: dict[str, Any]) -> None:
    search = Search(Graph(), **options)
    with pytest.raises(UsageError, match="say how many iterations"):
        search.run()
    search.run(1)
    assert search.iterations == 1
    search.run(1)
    assert search.iterations == 2


@pytest.mark.parametrize("given", [(float("nan"), 0.0), (float("inf"), 0.0), (1e39, 0.0), (1.0,)])
def test_an_evaluation_must_be_one_finite_number_per_player(given: tuple[float, ...]) -> None:
    with pytest.raises(RuleError, match=r"evaluation of state 0 is .*, not 2 finite numbers"):
        Search(Graph(), evaluate=lambda s: given)


def test_numbers_are_those_of_32_bits() -> None:
    search = Search(Graph(), evaluate=lambda s: (0.1, -0.1))
    assert search.value[0] == 0.10000000149011612


def test_local_maximum_needs_a_game_that_knows_it() -> None:
    class Forgetful(Graph):
        has_local_best_score = False

    with pytest.raises(UsageError, match="has no best_score_from"):
        Search(Forgetful(), values="resolved_completion", local_maximum=True)
