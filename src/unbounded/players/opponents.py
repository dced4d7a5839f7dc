# SPDX-License-Identifier: MIT
"""Other ways to search, as players: those that ours are compared with."""

from __future__ import annotations

from typing import Any

from unbounded import native
from unbounded.evaluation import check_evaluation, default_evaluation, make_evaluator
from unbounded.game import Game, require
from unbounded.native.failures import explain
from unbounded.players.player import Decision, Player
from unbounded.search.budget import Budget


class _CorePlayer(Player):
    """A search of the core that starts again for every move."""

    def __init__(self, game: Game[Any, Any], seed: int, budget: Budget) -> None:
        super().__init__(game, seed, budget)
        self.route = native.route_of(game)

    searcher: native.DepthFirst | native.MonteCarlo

    def stop(self) -> None:
        self.searcher.stop()

    def _ask(self, **counts: int) -> Decision:
        searcher = self.searcher
        searcher.clear_stop()
        with explain(self.game, self.route):
            state = self.route.played_to(self.state, len(self.moves))
            seconds = self.seconds_now()
            choice = searcher.choose(state, seconds=-1.0 if seconds is None else seconds, **counts)
        action = list(self.game.actions(self.state))[choice.index]
        return self.decision(
            action,
            outcome=tuple(choice.proven),
            value=tuple(choice.values),
            work=choice.nodes,
        )


class DepthFirstPlayer(_CorePlayer):
    """Alpha-beta, Max^n, Paranoid or Best-Reply Search, to a growing depth."""

    def __init__(
        self,
        game: Game[Any, Any],
        seed: int,
        *,
        budget: Budget,
        nodes: int | None,
        kind: str,
        evaluation: str | None,
        megabytes: float,
    ) -> None:
        super().__init__(game, seed, budget)
        self.nodes = nodes or 0
        two = game.players == 2 and game.zero_sum
        require(two or kind != "alpha_beta", f"alpha-beta is for two players; {game} is not")
        chosen = check_evaluation(game, evaluation or default_evaluation(game))
        evaluator = make_evaluator(game, self.route, chosen, seed)
        self.searcher = native.DepthFirst(self.route.rules, evaluator, kind, megabytes)

    def choose(self) -> Decision:
        return self._ask(nodes=self.nodes)


class MonteCarloPlayer(_CorePlayer):
    """UCT for any number of players, with random playouts and a solver."""

    def __init__(
        self,
        game: Game[Any, Any],
        seed: int,
        *,
        budget: Budget,
        simulations: int | None,
        c: float,
        playouts: int,
        solver: bool,
        megabytes: float,
    ) -> None:
        super().__init__(game, seed, budget)
        self.simulations = simulations or 0
        self.searcher = native.MonteCarlo(self.route.rules, c, playouts, seed, solver, megabytes)

    def choose(self) -> Decision:
        return self._ask(simulations=self.simulations)
