# SPDX-License-Identifier: MIT
"""Players who do not search."""

from __future__ import annotations

from random import Random
from typing import Any

from unbounded.game import Game, require
from unbounded.players.player import Decision, Player


class RandomPlayer(Player):
    """Any legal action, all equally likely."""

    def __init__(self, game: Game[Any, Any], seed: int) -> None:
        super().__init__(game, seed)
        self._random = Random(seed)

    def choose(self) -> Decision:
        return self.decision(self._random.choice(list(self.game.actions(self.state))))


class GreedyPlayer(Player):
    """The action after which the heuristic likes the position best; of the best ones, any."""

    def __init__(self, game: Game[Any, Any], seed: int) -> None:
        require(game.has_evaluation, f"greedy needs a game with a heuristic; {game} has none")
        super().__init__(game, seed)
        self._random = Random(seed)

    def choose(self) -> Decision:
        me = self.game.player(self.state)
        worths = {a: self._worth(self.game.next(self.state, a)) for a in self._actions()}
        top = max(worth[me] for worth in worths.values())
        action = self._random.choice([a for a, worth in worths.items() if worth[me] == top])
        value = tuple(score for _, score in worths[action])
        return self.decision(action, value=value, work=len(worths))

    def _actions(self) -> list[Any]:
        return list(self.game.actions(self.state))

    def _worth(self, state: Any) -> list[tuple[int, float]]:
        """Outcome and score at the end of the game, else the guess: a win beats any guess."""
        if self.game.actions(state):
            return [(0, float(x)) for x in self.game.evaluate(state)]
        scores = self.game.score(state)
        return [(int(x), float(y)) for x, y in zip(self.game.outcome(state), scores, strict=True)]
