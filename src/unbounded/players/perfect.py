# SPDX-License-Identifier: MIT
"""A player that solves: its moves are proven to be best where that can be proven in time."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

from unbounded.game import Game
from unbounded.players.player import Decision, Player
from unbounded.players.searching import SearchPlayer
from unbounded.search import decisions
from unbounded.search.budget import Budget
from unbounded.search.options import SearchOptions
from unbounded.search.search import Search
from unbounded.solving.solve import search_to_solve

_SHARE = 0.5
"""Of time and memory for the solver; the rest is for the search that plays where it fails."""


class PerfectPlayer(Player):
    """Solve the position; if that takes too long, play as UBFM_s does."""

    def __init__(self, game: Game[Any, Any], seed: int, *, budget: Budget) -> None:
        super().__init__(game, seed, budget)
        states = None if budget.states is None else max(1, int(_SHARE * budget.states))
        memory = int(_SHARE * budget.memory_limit(0))
        self._part = replace(budget, memory=memory, states=states)
        self._solver: Search | None = self._new_solver()
        """None if the last one was full; a new one is made when it is needed."""
        self._otherwise = SearchPlayer(
            game, seed, budget=self._part, rule="safest", options=SearchOptions()
        )

    def _new_solver(self) -> Search:
        return search_to_solve(self.game, {"moves": self.moves, "threads": 1})

    def see(self, action: Any) -> None:
        super().see(action)
        self._otherwise.see(action)
        full = 0.9 * self._part.memory_limit(0)
        if self._solver is not None and self._solver.memory_bytes < full:
            self._solver.play_action(action)
            self._solver.restart_probes()
        else:
            self._solver = None

    def stop(self) -> None:
        if self._solver is not None:
            self._solver.stop()
        self._otherwise.stop()

    def choose(self) -> Decision:
        started, seconds = time.perf_counter(), self.seconds_now()
        self._solver = solver = self._solver or self._new_solver()
        before = solver.iterations
        if not solver.advance(
            replace(self._part, seconds=None if seconds is None else _SHARE * seconds)
        ):
            raise KeyboardInterrupt  # it ended the search, and must end the game too
        child = decisions.best(solver.root) if solver.root.resolved else None
        if child is not None:
            work = solver.iterations - before
            return self.decision(child.action, outcome=solver.root.outcome, work=work)
        left = None if seconds is None else max(0.0, seconds - (time.perf_counter() - started))
        return self._otherwise.decide(left)
