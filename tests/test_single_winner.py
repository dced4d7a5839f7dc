# SPDX-License-Identifier: MIT
"""What is left out in games with a single winner: what is proven is still an equilibrium.

The lemma of `core/probes/probe_many.h` is tried here in plain Python too, against the set of all
equilibria by brute force; and the core against the same.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random
from typing import Any

import pytest
from certificates import certificate, spoiled, verdict, why_refused
from hashed_games import DISTINCT, NO_SCORE, POINTS, Hashed
from solving_checks import Row, check_line, check_stored_rows, equilibria, row_of

import unbounded as ub
from unbounded.conformance.random_games import random_graph
from unbounded.game import Game, RuleError
from unbounded.games.graph import Graph
from unbounded.testing import check_game

WAYS: list[dict[str, Any]] = [
    {**taken, "algorithm": algorithm, "values": values, "canonical": canonical}
    for taken in (
        {"bounds": True},
        {"bounds": True, "probes": True},
        {"bounds": True, "probes": True, "threads": 2},
    )
    for algorithm, values, canonical in (
        ("ubfm", "resolved_completion", True),
        ("descent", "propagated_completion", False),
    )
]


def random_single_winner(seed: int) -> Graph:
    """A random graph in which all others lose where one player wins; scores are the outcomes."""
    random = Random(seed)
    players = random.randint(2, 4)
    game = random_graph(seed, players=(players, players), states=(2, 60))
    ends = [s for s, below in enumerate(game.successors) if not below]
    outcomes: dict[int, tuple[int, ...]] = {}
    for s in ends:
        winner = random.randrange(players + 2)
        drawn = tuple(random.choice((-1, 0)) for _ in range(players))
        won = tuple(1 if who == winner else -1 for who in range(players))
        outcomes[s] = won if winner < players else drawn
    movers = {s: who for s, who in enumerate(game.movers) if who is not None}
    graph = Graph.of(game.successors, movers, outcomes, players=players, zero_sum=False)
    graph.single_winner = True
    return graph


# -- the lemma, in plain Python --------------------------------------------------------------------


@dataclass
class Settling:
    """Max^n with shallow pruning, without a table."""

    game: Game[Any, Any]
    visited: int = 0
    rows: dict[Any, Row] = field(default_factory=dict)
    least: dict[Any, int] = field(default_factory=dict)
    """The outcome that the mover of a state has at least, where no row was needed."""

    def settle(self, state: Any, chooser: tuple[int, int] | None) -> Row | None:
        """Return a row of the state; None: it is not better for the chooser, who has an outcome."""
        game = self.game
        self.visited += 1
        actions = game.actions(state)
        if not actions:
            self.rows[state] = tuple((x, float(x)) for x in game.outcome(state))
            return self.rows[state]
        mover, best = game.player(state), None
        for action in actions:
            in_hand = None if best is None else (mover, best[mover][0])
            row = self.settle(game.next(state, action), in_hand)
            if row is not None and (best is None or row[mover] > best[mover]):
                best = row
            assert best is not None  # the first child has a row
            own = best[mover][0]
            if own == 1:
                break
            # Who does not lose leaves no win to others.
            if chooser and chooser[0] != mover and own == 0 and chooser[1] >= 0:
                self.least[state] = own
                return None
        assert best is not None
        self.rows[state] = best
        return best


def everything(game: Game[Any, Any], state: Any) -> int:
    """How many states Max^n visits that only stops at wins."""
    visited = 1
    for action in game.actions(state):
        visited += everything(game, game.next(state, action))
    return visited


def test_the_lemma() -> None:
    pruned = saved = 0
    for seed in range(400):
        game = random_single_winner(seed)
        rows = equilibria(game)
        settling = Settling(game)
        settling.settle(game.initial(), None)
        for state, row in settling.rows.items():
            assert row in rows[state], seed
        for state, outcome in settling.least.items():
            assert any(row[game.player(state)][0] >= outcome for row in rows[state]), seed
            pruned += 1
        saved += settling.visited < everything(game, game.initial())
    assert pruned > 100
    assert saved > 100


# -- the core --------------------------------------------------------------------------------------


def test_random_graphs() -> None:
    for seed in range(300):
        game = random_single_winner(seed)
        rows = equilibria(game)
        options = WAYS[seed % 2]
        search = ub.Search(game, **{**options, "canonical": False})
        search.run()
        assert row_of(search.root) in rows[game.initial()], seed
        check_stored_rows(search, rows)
        check_line(search)


@pytest.mark.parametrize("scores", [NO_SCORE, POINTS, DISTINCT])
@pytest.mark.parametrize("players", [3, 4])
def test_random_games_with_compiled_rules(scores: int, players: int) -> None:
    game = Hashed(players=players, scores=scores, single=True)
    rows = equilibria(game)
    for seed in range(game.games):
        options = WAYS[seed % len(WAYS)]
        search = ub.Search(game, moves=[str(seed)], **options)
        search.run()
        assert row_of(search.root) in rows[search.state], (seed, options)
        check_stored_rows(search, rows)
        check_line(search)
    for options in WAYS:
        search = ub.Search(game, **options)
        search.run()
        assert row_of(search.root) in rows[search.state], options
        check_stored_rows(search, rows)
        check_line(search)


def test_less_is_searched() -> None:
    """The same game with and without the declaration: both are equilibria, one is cheaper."""
    text = "connect-four(width=4,height=4,line=3,players=3)"
    probed = {}
    for single in (True, False):
        game = ub.load_game(text)
        game.single_winner = single
        search = ub.Search(game, bounds=True, probes=True)
        probed[single] = search.run().probed
        assert search.root.outcome == (0, 0, 0)
    assert 5 * probed[True] < probed[False]


# -- certificates ----------------------------------------------------------------------------------


@pytest.mark.parametrize("block", range(6))
def test_certificates(block: int) -> None:
    """What is left out of a search is left out of its certificate, and all checkers accept it."""
    random = Random(block)
    about_movers = 0
    games = [Hashed(players=3, scores=scores, single=True) for scores in (NO_SCORE, POINTS)]
    for number in range(40):
        seed = 40 * block + number
        if number % 4 == 0:
            search = ub.Search(random_single_winner(seed), bounds=True)
        else:
            game = games[number % 2]
            move = str(random.randrange(game.games))
            search = ub.Search(game, moves=[move], **WAYS[number % len(WAYS)])
        search.run()
        lines = certificate(search)
        about_movers += any(b" >=" in line for line in lines)
        assert verdict(lines, search.game).states == len(lines) - 1
        for what, mutant in random.sample(list(spoiled(lines, random)), 2):
            assert why_refused(mutant, search.game), (what, search.options, lines)
    assert about_movers > 3


# -- what is declared must be so -------------------------------------------------------------------


class TwoWinners(Game[int, int]):
    """A move, and then two players win, or all draw."""

    players, single_winner = 3, True

    def initial(self) -> int:
        return 0

    def player(self, state: int) -> int:
        return 0

    def actions(self, state: int) -> list[int]:
        return [] if state else [1, 2]

    def next(self, state: int, action: int) -> int:
        return action

    def outcome(self, state: int) -> list[int]:
        return [1, 1, -1] if state == 1 else [0, 0, 0]


def test_a_false_declaration_is_found() -> None:
    with pytest.raises(RuleError, match="not all others lose"):
        check_game(TwoWinners())
    with pytest.raises(RuleError, match="not all others lose"):
        ub.Search(TwoWinners(), bounds=True).run()
    honest = TwoWinners()
    honest.single_winner = False
    assert ub.Search(honest, bounds=True).run().outcome == (1, 1, -1)
