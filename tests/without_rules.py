# SPDX-License-Identifier: MIT
"""A game that comes with unbounded, without some of the rules that only save work."""

from __future__ import annotations

import dataclasses
from typing import Any

import unbounded as ub
from unbounded.game import RecordGame, Rules


class Without(RecordGame):
    """The same game; its states are not named, so an action is called by its number."""

    def __init__(self, text: str, without: str) -> None:
        inner = ub.load_game(text)
        assert isinstance(inner, RecordGame)
        self.text, self.without = text, without  # they name the game
        self.inner, self.players, self.state = inner, inner.players, inner.state
        self.max_actions, self.zero_sum = inner.max_actions, inner.zero_sum
        self.symmetries, self.best_score = inner.symmetries, inner.best_score

    def rules(self) -> Rules:
        missing: dict[str, Any] = dict.fromkeys(self.without.split())
        if "endgame" in missing:
            missing["endgame_sizes"] = ()
        return dataclasses.replace(self.inner.rules(), **missing)
