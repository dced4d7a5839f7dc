# SPDX-License-Identifier: MIT
"""A solver beside a player's search: near the end of a game, the player stops guessing."""

from __future__ import annotations

import time
from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any

from unbounded.game import Game
from unbounded.search import decisions
from unbounded.search.budget import Budget
from unbounded.search.search import Search
from unbounded.search.tree import Node
from unbounded.solving.solve import search_to_solve

_MEMORY = 0.5
"""Of the player's memory, for the solver."""
FULL = 0.9
"""The share of its memory above which a search starts the next move with an empty graph."""


@dataclass(frozen=True)
class Proven:
    """What is proven of the moves in a position."""

    outcome: tuple[int, ...] | None = None
    """Of the position, if it is proven."""
    action: Any = None
    """A move that is proven to be best and not to lose; None if there is no such move."""
    worse: Collection[Any] = ()
    """Moves that are proven to be worse than some other move is, or may be."""
    work: int = 0


class ProvingMoves:
    """A solver that follows a game, and gets a share of the time for each move."""

    def __init__(self, game: Game[Any, Any], share: float, budget: Budget, threads: int) -> None:
        self._game, self._share, self._threads = game, share, threads
        self._budget = _part(budget, _MEMORY, share)
        self._solver: Search | None = self._new_solver([])
        """None if the last one was full; a new one is made when it is needed."""

    def _new_solver(self, moves: list[str]) -> Search:
        return search_to_solve(self._game, {"moves": moves, "threads": self._threads})

    def rest(self, budget: Budget) -> Budget:
        """Return what is left of a player's budget, but for the time, which is read."""
        return _part(budget, 1 - _MEMORY, 1 - self._share)

    def see(self, action: Any) -> None:
        """Follow an action that any player has played."""
        full = FULL * self._budget.memory_limit(0)
        if self._solver is not None and self._solver.memory_bytes < full:
            self._solver.play_action(action)
            self._solver.restart_probes()
        else:
            self._solver = None

    def stop(self) -> None:
        """Make `run` return soon."""
        if self._solver is not None:
            self._solver.stop()

    def run(self, moves: list[str], seconds: float | None) -> Proven:
        """Prove what can be proven in a share of the seconds for this move, after these moves."""
        started = time.perf_counter()
        self._solver = solver = self._solver or self._new_solver(moves)
        before, share = solver.iterations, None
        if seconds is not None:  # a new solver has taken some of them
            share = max(0.0, self._share * seconds - (time.perf_counter() - started))
        if not solver.advance(replace(self._budget, seconds=share)):
            raise KeyboardInterrupt  # it ended the search, and must end the game too
        return replace(_proven(solver.root), work=solver.iterations - before)


def _part(budget: Budget, memory: float, states: float) -> Budget:
    whole = budget.states
    counted = None if whole is None else max(1, int(states * whole))
    return replace(budget, memory=int(memory * budget.memory_limit(0)), states=counted)


def _proven(root: Node) -> Proven:
    """Read from the root of a solver what is proven of its moves.

    In a lost position, all moves are proven to be as good; which of them is the hardest to answer
    is a guess, and left to the player.
    """
    assert root.player is not None
    outcome, player = root.outcome, root.player
    if outcome is not None and outcome[player] < 0:
        return Proven(outcome)
    child = None if outcome is None else decisions.best(root)
    if child is not None:
        return Proven(outcome, child.action)
    bounds = {child.action: child.node.outcome_bounds[player] for child in root.children}
    # Where the position is not proven lost, a move that loses is worse than what may be found.
    least = max([0 if outcome is None else outcome[player], *(low for low, _ in bounds.values())])
    return Proven(outcome, worse=[action for action, (_, high) in bounds.items() if high < least])
