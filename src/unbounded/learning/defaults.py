# SPDX-License-Identifier: MIT
"""Settings of a run that follow from the device or the game, if they are left to it."""

from __future__ import annotations

import random
from typing import Any

from unbounded.game import Game

BY_DEVICE: dict[str, dict[str, Any]] = {
    "cpu": {
        "games": 256,
        "replay": 1_000_000,
        "reuse": 1.5,
        "batch": 2048,
        "generation_states": 8_000_000,
    },
    "cuda": {
        "games": 4096,
        "replay": 8_000_000,
        "reuse": 1.0,
        "batch": 8192,
        "generation_states": 20_000_000,
    },
}
"""Defaults that depend on the device."""

_SAMPLED_GAMES = 16
_LONGEST_SAMPLE = 1_000


def default_score(game: Game[Any, Any]) -> str:
    """The score that is learned if none is asked for."""
    return "game" if game.has_score else "depth"


def default_opening(game: Game[Any, Any]) -> int:
    """The most random moves at the start of a game: half of a random game.

    Games of self-play are short, because a proven game is over: without random starts, few of their
    states would be from balanced positions late in the game.
    """
    lengths = [_random_length(game, seed) for seed in range(_SAMPLED_GAMES)]
    return sum(lengths) // len(lengths) // 2


def _random_length(game: Game[Any, Any], seed: int) -> int:
    choose = random.Random(seed)
    state, length = game.initial(), 0
    while length < _LONGEST_SAMPLE and not game.is_terminal(state):
        state = game.next(state, choose.choice(list(game.actions(state))))
        length += 1
    return length
