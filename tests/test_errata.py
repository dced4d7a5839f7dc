# SPDX-License-Identifier: MIT
"""Each counterexample to the printed listings, with its exact trace, as printed and repaired.

Numbers are those of `docs/errata.md`, which names these tests; `errata_games.py` holds the games.
Where a listing is wrong, a few lines here follow it to the letter.
"""

from collections.abc import Sequence
from typing import Any

import pytest
from errata_games import GAMES

from unbounded.game import Game, RuleError
from unbounded.games.graph import Graph
from unbounded.reference import Search, decision, propagated_completion
from unbounded.reference.backward_induction import (
    is_tie_breaking,
    max_n,
    minimax_outcomes,
    minimax_scores,
    unjustified,
)
from unbounded.reference.registry import ALGORITHMS
from unbounded.search.search import Search as CoreSearch

VALUES = ["minimax", "resolved_completion", "propagated_completion"]
MANY_PLAYERS = VALUES[1:]


def search_of(name: str, **options: Any) -> Search[int]:
    return Search(GAMES[name], evaluate=GAMES[name].evaluate, **options)


def trace(search: Search[int], limit: int = 50) -> list[list[int]]:
    """Iterate until the root is resolved; return the path of every iteration."""
    paths = []
    while not search.resolved[search.root]:
        search.iterate()
        paths.append(search.path)
        assert len(paths) < limit, "the root is not getting resolved"
    return paths


def first_player(search: Search[int], number: Any) -> float:
    first: float = number if search.values == "minimax" else number[0]
    return first


# -- 1: Descent takes an argmax over an empty set --------------------------------------------------


def printed_descent_iteration(s: int, search: Search[int]) -> None:
    """Algorithm 3 to the letter, without the test of ERRATA 1."""
    search.visit(s)
    if search.is_terminal(s):
        return
    if s not in search.expanded:
        search.expand(s)
        search.back_up(s)
    if not search.resolved[s]:
        child = search.listings.best_action_dual(s, search.unresolved_children(s), search)
        search.visits[s, child] += 1
        printed_descent_iteration(child, search)
        search.back_up(s)


@pytest.mark.parametrize("values", VALUES)
def test_errata_1_printed_descent_has_no_child_to_choose(values: str) -> None:
    search = search_of("empty_argmax", algorithm="descent", values=values)
    for _ in range(2):
        search.path = []
        printed_descent_iteration(0, search)
    search.path = []
    with pytest.raises(ValueError, match="empty"):
        printed_descent_iteration(0, search)
    assert search.path == [0, 1]


@pytest.mark.parametrize("values", VALUES)
def test_errata_1_descent_backs_up_a_state_whose_children_were_resolved_elsewhere(
    values: str,
) -> None:
    search = search_of("empty_argmax", algorithm="descent", values=values)
    search.iterate()
    assert search.path == [0, 1, 3]
    assert search.resolved == {0: False, 1: False, 2: False, 3: True, 4: True}
    search.iterate()
    assert search.path == [0, 2]
    assert search.resolved[2] and search.resolved[3] and not search.resolved[1]  # 1 lags behind
    search.iterate()
    assert search.path == [0, 1]
    assert all(search.resolved.values())
    assert first_player(search, search.completion[0]) == 0
    assert search.visits == {(0, 1): 2, (0, 2): 1, (1, 2): 0, (1, 3): 1, (2, 4): 0, (3, 4): 0}


# -- 2: UBFM does not back up what it has just expanded --------------------------------------------


@pytest.mark.parametrize("values", VALUES)
def test_errata_2_printed_ubfm_leaves_a_state_with_resolved_children_unresolved(
    values: str,
) -> None:
    printed = search_of("forced_end", values=values, paper=True)
    printed.iterate()
    assert printed.resolved == {0: False, 1: True}
    assert trace(printed) == [[0]]
    assert trace(search_of("forced_end", values=values)) == [[0]]


@pytest.mark.parametrize("values", VALUES)
def test_errata_2_printed_ubfm_searches_beside_an_immediate_win(values: str) -> None:
    printed = search_of("unnoticed_win", values=values, paper=True)
    printed.iterate()
    assert first_player(printed, printed.value[0]) == 0  # its leaf value still
    assert trace(printed) == [[0, 2]]
    assert printed.expanded == {0, 2}
    repaired = search_of("unnoticed_win", values=values)
    assert trace(repaired) == [[0]]
    assert repaired.expanded == {0}
    for search in (printed, repaired):
        assert first_player(search, search.completion[0]) == 1


def test_errata_2_the_root_is_initialized_before_the_first_iteration() -> None:
    search = search_of("empty_argmax")
    assert (search.resolved, search.completion, search.value) == ({0: False}, {0: 0}, {0: 0.0})


# -- 3: the dual of n players ranges over all children ---------------------------------------------


@pytest.mark.parametrize("values", MANY_PLAYERS)
def test_errata_3_printed_dual_chooses_a_resolved_child_forever(values: str) -> None:
    search = search_of("resolved_draw", values=values, paper=True)
    repaired = search.listings.best_action_dual
    # Algorithms 4 and 11 to the letter: the argmax ranges over A(s), whatever set is passed.
    search.listings = search.listings._replace(
        best_action_dual=lambda s, _, search: repaired(s, search.children[s], search)
    )
    search.run(100)
    assert search.iterations == 100
    assert search.path == [0, 1]
    assert search.expanded == {0}
    assert search.visits == {(0, 1): 99, (0, 2): 0}


@pytest.mark.parametrize("values", MANY_PLAYERS)
def test_errata_3_dual_ranges_over_unresolved_children(values: str) -> None:
    printed = search_of("resolved_draw", values=values, paper=True)
    assert trace(printed) == [[0], [0, 2], [0, 2]]
    assert trace(search_of("resolved_draw", values=values)) == [[0], [0, 2]]
    assert trace(search_of("resolved_draw", values=values, algorithm="descent")) == [[0, 2]]
    assert (printed.completion[0], printed.value[0]) == ((1, -1, -1), (1, -1, -1))


# -- 4: the example, and what the keys favor ------------------------------------------------------


def test_errata_4_example_of_the_two_generalizations() -> None:
    first = search_of("example", values="resolved_completion")
    second = search_of("example", values="propagated_completion")
    for search in (first, second):
        search.iterate()
        assert not search.resolved[0]
        assert search.value[0] == (0, 0, 0, -1)
        assert search.tentative_completion[0] == (0, 0, 0, -1)
    assert first.completion[0] == (0, 0, 0, 0)
    assert second.completion[0] == (0, 0, 0, -1)  # not (0, 1, 0, -1) as printed


@pytest.mark.parametrize(("c", "favored"), [(1, {1}), (0, {1, 2}), (-1, {2})])
def test_errata_4_second_generalization_favors_resolved_only_when_winning(
    c: int, favored: set[int]
) -> None:
    search = search_of("example", values="propagated_completion")
    search.iterate()
    search.completion[1] = search.completion[2] = (c, 0, 0, 0)
    search.value[1] = search.value[2] = (0.0, 0.0, 0.0, 0.0)
    assert search.resolved[1] and not search.resolved[2]
    chosen = {propagated_completion.best_action_n(0, A, search) for A in ([1, 2], [2, 1])}
    assert chosen == favored


def test_errata_4_local_maximum_counts_terminal_children() -> None:
    # Below 1 nothing scores more than the 5 of its direct child 3, though 9 exists elsewhere.
    game = Graph.of(
        [[1, 2], [3, 4], [], [], [5], []],
        {0: 0, 1: 0, 4: 0},
        {2: (1,), 3: (1,), 5: (1,)},
        scores={2: (9,), 3: (5,), 5: (2,)},
        players=1,
        root=1,
    )
    assert trace(Search(game, values="resolved_completion", local_maximum=True)) == [[1]]
    assert trace(Search(game, values="resolved_completion")) == [[1], [1, 4]]


def test_errata_4_no_action_at_a_terminal_root() -> None:
    over = Search(Graph.of([[]], [None], [(0, 0)]))
    assert over.resolved[0]
    assert decision.best(over) is None
    assert decision.safest(over) is None
    assert decision.exploring(over, lambda search, s: s) is None
    assert decision.best_by_tentative_completion(over) is None
    assert decision.safest_by_tentative_completion(over) is None


# -- 5: a won state's value is that of the first win found -----------------------------------------


class Unfrozen(Search[int]):
    """A search that iterates on resolved states too, as the listings would."""

    def back_up(self, s: int) -> None:
        self.listings.back_up(s, self)

    def iterate(self) -> None:
        self.path = []
        ALGORITHMS[self.algorithm].iteration(self.root, self)
        self.iterations += 1


@pytest.mark.parametrize("algorithm", ["ubfm", "descent"])
def test_errata_5_two_player_value_of_a_win_is_not_the_best_score(algorithm: str) -> None:
    search = search_of("better_win", algorithm=algorithm)
    assert trace(search) == [[0]]
    assert (search.completion[0], search.value[0]) == (1, 1.0)
    assert minimax_scores(GAMES["better_win"])[0] == (1, 10.0)
    search.iterate()
    assert (search.path, search.iterations, search.value[0]) == ([0], 1, 1.0)


def test_errata_5_iterating_on_a_won_root_would_change_its_value() -> None:
    game = GAMES["better_win"]
    search = Unfrozen(game, evaluate=game.evaluate)
    search.iterate()
    assert search.resolved[0] and search.value[0] == 1.0
    search.iterate()
    assert search.path == [0, 2]
    assert search.value[0] == 10.0


@pytest.mark.parametrize("values", MANY_PLAYERS)
def test_errata_5_n_player_listings_find_the_best_score(values: str) -> None:
    ubfm = search_of("better_win", values=values)
    assert trace(ubfm) == [[0], [0, 2]]
    printed = search_of("better_win", values=values, paper=True)
    assert trace(printed) == [[0], [0, 2], [0, 2]]
    guided = search_of("better_win", values=values, algorithm="descent")
    assert trace(guided) == [[0, 2]]
    for search in (ubfm, printed, guided):
        assert (search.completion[0], search.value[0]) == ((1, -1), (10.0, -10.0))


# -- 6: the generalizations differ without draws ---------------------------------------------------


@pytest.mark.parametrize(
    ("values", "printed", "repaired", "expanded"),
    [
        (
            "resolved_completion",
            [[0], [0, 1], [0, 1, 4], [0, 1, 4]],
            [[0], [0, 1], [0, 1, 4]],
            {0, 1, 4},
        ),
        (
            "propagated_completion",
            [[0], [0, 1], [0, 1, 4], [0, 4], [0, 1, 3]],
            [[0], [0, 1], [0, 4], [0, 1, 3]],
            {0, 1, 3, 4},
        ),
    ],
)
def test_errata_6_generalizations_differ_without_draws(
    values: str, printed: list[list[int]], repaired: list[list[int]], expanded: set[int]
) -> None:
    assert all(0 not in outcome for outcome in GAMES["no_draws"].outcomes if outcome)
    for paper, paths in ((True, printed), (False, repaired)):
        search = search_of("no_draws", values=values, paper=paper)
        assert trace(search) == paths
        assert search.expanded == expanded
        assert (search.completion[0], search.value[0]) == ((-1, 1), (-99.0, 99.0))


def test_errata_6_an_unresolved_win_is_propagated_or_not() -> None:
    first = search_of("no_draws", values="resolved_completion", paper=True)
    second = search_of("no_draws", values="propagated_completion", paper=True)
    for search in (first, second):
        search.run(3)
        assert not search.resolved[1]
        assert search.value[1] == (-86.0, 86.0)
    assert (first.completion[1], first.tentative_completion[1]) == ((0, 0), (-1, 1))
    assert second.completion[1] == (-1, 1)


# -- 7: without a tie-breaking score the value is not unique ---------------------------------------

TO_3 = ((1, 0, 1), (10.0, 0.0, 10.0))
TO_4 = ((1, 0, 0), (10.0, 1.0, 0.0))


@pytest.mark.parametrize("values", MANY_PLAYERS)
@pytest.mark.parametrize(
    ("options", "paths", "result"),
    [
        ({}, [[0], [0, 1], [0, 2]], TO_3),
        ({"paper": True}, [[0], [0, 1], [0, 1, 2], [0, 2]], TO_3),
        ({"algorithm": "descent"}, [[0, 1, 2]], TO_4),
    ],
)
def test_errata_7_algorithms_find_different_equilibria(
    values: str, options: dict[str, Any], paths: list[list[int]], result: Any
) -> None:
    assert not is_tie_breaking(GAMES["indifferent"])
    search = search_of("indifferent", values=values, **options)
    assert trace(search) == paths
    assert (search.completion[0], search.value[0]) == result
    assert unjustified(search) == []


@pytest.mark.parametrize("values", MANY_PLAYERS)
def test_errata_7_iterating_on_a_tied_root_would_change_its_value(values: str) -> None:
    game = GAMES["indifferent"]
    search = Unfrozen(game, values=values, evaluate=game.evaluate)
    for _ in range(3):
        search.iterate()
    assert search.resolved[0]
    assert (search.completion[0], search.value[0]) == TO_3
    search.iterate()
    assert (search.completion[0], search.value[0]) == TO_4
    frozen = search_of("indifferent", values=values)
    for _ in range(4):
        frozen.iterate()
    assert frozen.iterations == 3
    assert (frozen.completion[0], frozen.value[0]) == TO_3


def test_errata_7_backing_up_a_resolved_state_is_refused() -> None:
    search = search_of("better_win")
    search.run()
    with pytest.raises(AssertionError, match="resolved state never changes"):
        search.back_up(0)


# -- 8: parents that lag behind delay a proof, and never make it wrong -----------------------------


@pytest.mark.parametrize("name", sorted(set(GAMES) - {"resolved_draw", "example", "indifferent"}))
@pytest.mark.parametrize(
    "options", [{}, {"paper": True}, {"algorithm": "descent"}], ids=["ubfm", "printed", "descent"]
)
def test_errata_8_every_iteration_expands_or_resolves_a_state(
    name: str, options: dict[str, Any]
) -> None:
    search, exact = search_of(name, **options), minimax_outcomes(GAMES[name])
    known = sum(search.resolved.values())
    while not search.resolved[search.root]:
        search.iterate()
        progress = len(search.expanded) + sum(search.resolved.values())
        assert progress > known
        known = progress
        for s in filter(search.resolved.get, search.resolved):
            assert search.completion[s] == exact[s]
    assert search.iterations <= 2 * len(GAMES[name])


# -- 9: the safest decision, the highest score, and cycles -----------------------------------------


@pytest.mark.parametrize("values", MANY_PLAYERS)
def test_errata_9_a_highest_score_that_is_too_low_proves_too_much(values: str) -> None:
    for declared, value in ((10.0, 10.0), (11.0, 10.0), (1.0, 1.0)):
        search = search_of("better_win", values=values)
        search.best_scores = (declared, declared)
        search.run()
        assert search.value[0] == (value, -value)


@pytest.mark.parametrize("values", VALUES)
def test_errata_9_safest_at_a_resolved_root_is_best(values: str) -> None:
    search = search_of("worse_score", values=values, paper=True)
    assert trace(search) == [[0], [0, 1], [0, 1, 3], [0, 1, 3], [0, 2], [0, 2]]
    assert (search.visits[0, 1], search.visits[0, 2]) == (3, 2)
    assert [first_player(search, search.value[s]) for s in (0, 1, 2)] == [1.0, 0.0, 1.0]
    assert decision.best(search) == 2
    assert decision.safest(search) == 2
    search.resolved[0] = False
    assert decision.safest(search) == 1  # what Algorithms 8 and 13 would play
    search.resolved[0] = True
    assert trace(search_of("worse_score", values=values)) == [[0], [0, 1], [0, 1, 3], [0, 2]]


class Ring(Game[int, int]):
    """0 leads to 1, and 1 leads to 0."""

    zero_sum = True

    def initial(self) -> int:
        return 0

    def player(self, state: int) -> int:
        return 0

    def actions(self, state: int) -> Sequence[int]:
        return [1 - state]

    def next(self, state: int, action: int) -> int:
        return action


@pytest.mark.parametrize(("algorithm", "walked"), [("ubfm", 2), ("descent", 0)])
def test_errata_9_a_cycle_is_an_error_and_not_an_endless_walk(algorithm: str, walked: int) -> None:
    search = Search(Ring(), algorithm=algorithm)
    with pytest.raises(RuleError, match="state 0 comes back to itself"):
        search.run()
    assert search.iterations == walked
    with pytest.raises(RuleError, match="state 0 comes back to itself"):
        max_n(Ring())


# -- 10: bounds resolve sooner ---------------------------------------------------------------------


def test_errata_10_bounds_resolve_a_draw_that_completion_leaves_open() -> None:
    search = search_of("bounded_draw")
    assert trace(search) == [[0], [0, 2], [0, 2, 4]]
    expanded = {}
    for bounds in (False, True):
        core = CoreSearch(GAMES["bounded_draw"], evaluation="heuristic", bounds=bounds)
        assert core.run().outcome == (0, 0)
        expanded[bounds] = core.expanded_states
    assert expanded == {False: len(search.expanded), True: 2}


# -- 11: without completion the search never expands the child beside the draw --------------------


@pytest.mark.parametrize("values", VALUES)
@pytest.mark.parametrize("paper", [True, False])
def test_errata_11_without_completion_the_search_is_stuck(values: str, paper: bool) -> None:
    basic = search_of("stuck", values=values, paper=paper, completion=False)
    basic.run(200)
    assert basic.iterations == 200
    assert basic.path == [0, 1]
    assert basic.visits == {(0, 1): 199, (0, 2): 0}
    assert basic.expanded == {0}
    assert not any(basic.resolved.values())
    complete = search_of("stuck", values=values, paper=paper)
    assert trace(complete) == [[0], [0, 2], [0, 2]][: 3 if paper else 2]
    assert first_player(complete, complete.completion[0]) == 1
