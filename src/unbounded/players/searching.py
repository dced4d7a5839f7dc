# SPDX-License-Identifier: MIT
"""The searches of this package as players: the graph is kept from move to move."""

from __future__ import annotations

import threading
import time
from dataclasses import replace
from typing import Any

from unbounded.evaluation import default_evaluation
from unbounded.game import Game
from unbounded.game.wrappers import Unfolded
from unbounded.players.player import Decision, Player
from unbounded.players.pondering import Cores, Pondering
from unbounded.players.proving import FULL, Proven, ProvingMoves
from unbounded.search import decisions
from unbounded.search.budget import Budget
from unbounded.search.options import SearchOptions
from unbounded.search.search import Search


class SearchPlayer(Player):
    """Search for a while, then decide by a rule of `decisions`.

    With `prove`, a solver gets that share of the time before. A move that it proves to be best is
    played at once; those that it proves to be worse than others are left out.
    """

    def __init__(
        self,
        game: Game[Any, Any],
        seed: int,
        *,
        budget: Budget,
        rule: str = "best",
        keep: bool = True,
        transpositions: bool = True,
        ponder: bool = False,
        prove: float = 0.0,
        options: SearchOptions,
    ) -> None:
        super().__init__(game, seed, budget)
        self._told_to_stop = threading.Event()
        self._proving = None
        if prove > 0:
            self._proving = ProvingMoves(game, prove, budget, options.threads)
            self.budget = self._proving.rest(budget)
        self.rule, self.keep, self.ponder = rule, keep, ponder
        self._seat: int | None = None
        self.cores: Cores | None = None
        """Who says when a core is free for pondering; None: there always is one."""
        self._pondering: Pondering | None = None
        self._searched = game if transpositions else Unfolded(game)
        """The game as the search sees it, with the same actions."""
        evaluation = options.evaluation or default_evaluation(self._searched, playing=True)
        self._options = replace(options, seed=seed, evaluation=evaluation).validate(self._searched)
        self._search: Search | None = self._new_search()
        """None if the last search was dropped; a new one is made when it is needed."""

    @property
    def search(self) -> Search:
        """The search of the current position."""
        if self._search is None:
            self._search = self._new_search()
        return self._search

    def _new_search(self) -> Search:
        return Search(self._searched, moves=self.moves, options=self._options)

    def prepare(self, seat: int) -> None:
        self._seat = seat

    def see(self, action: Any) -> None:
        self._end_pondering()
        super().see(action)
        self._follow(action)
        if self._proving is not None:
            self._proving.see(action)
        if self.ponder and self._others_think():
            self._pondering = Pondering(self.search, self.budget, self.cores)

    def _others_think(self) -> bool:
        if self._seat is None or not self.game.actions(self.state):
            return False
        return int(self.game.player(self.state)) != self._seat

    def _follow(self, action: Any) -> None:
        full = FULL * self.budget.memory_limit(0)
        if self._search is not None and self.keep and self._search.memory_bytes < full:
            self._search.play_action(action)
        else:
            self._search = None

    def stop(self) -> None:
        self._told_to_stop.set()
        if self._proving is not None:
            self._proving.stop()
        if self._search is not None:
            self._search.stop()

    def close(self) -> None:
        self._end_pondering()

    def _end_pondering(self) -> None:
        if self._pondering is not None:
            self._pondering.end()
            self._pondering = None

    def choose(self) -> Decision:
        self._told_to_stop.clear()
        self._end_pondering()
        self._seat = int(self.game.player(self.state))
        started, seconds = time.perf_counter(), self.seconds_now()
        proven = Proven() if self._proving is None else self._proving.run(self.moves, seconds)
        if proven.action is not None:
            return self.decision(proven.action, outcome=proven.outcome, work=proven.work)
        search = self.search
        before = search.iterations
        if seconds is not None:  # a new search, and a solver, have taken some of them
            seconds = max(0.0, seconds - (time.perf_counter() - started))
        if self._told_to_stop.is_set():  # while the solver was at work
            seconds = 0.0
        if not search.advance(replace(self.budget, seconds=seconds)):
            raise KeyboardInterrupt  # it ended the search, and must end the game too
        root, unknown = search.root, (None,) * self.game.players
        child = decisions.decide(root, self.rule, leave_out=proven.worse)
        # Nothing may have been expanded in so little time.
        action = next(iter(self.game.actions(self.state))) if child is None else child.action
        work = search.iterations - before
        outcome = root.outcome or proven.outcome or unknown
        return self.decision(action, outcome=outcome, value=root.value, work=work)
