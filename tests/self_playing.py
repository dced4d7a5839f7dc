# SPDX-License-Identifier: MIT
"""Self-play for tests: small games, played by the core alone or in batches."""

from __future__ import annotations

import atexit
from functools import cache
from typing import Any

import numpy as np

import unbounded as ub
from unbounded import native
from unbounded.game import Game
from unbounded.learning.networks.choosing import shape_of
from unbounded.learning.networks.shape import NetworkShape
from unbounded.learning.replay import Lessons
from unbounded.learning.self_play import Table
from unbounded.learning.settings import LearnSettings

SMALL = "connect-four(width=4,height=3,line=3)"
THREE = "connect-four(width=4,height=3,line=3,players=3)"


@cache
def table_of(text: str) -> Table:
    game = ub.load_game(text)
    return Table(game)


# What lives until the interpreter is gone would be reported as a leak of the core.
atexit.register(table_of.cache_clear)


def shape(table: Table) -> NetworkShape:
    return shape_of(table.game)


def core_settings(table: Table, **changed: Any) -> native.SelfPlaySettings:
    """Short searches by Descent; `changed` sets fields, those of scores and exploration too."""
    settings, options = native.SelfPlaySettings(), native.Options()
    options.algorithm = "descent"
    options.values = (
        native.ValueRule.minimax
        if table.game.players == 2
        else native.ValueRule.resolved_completion
    )
    settings.options, settings.states, settings.opening = options, 12, 3
    for name, value in changed.items():
        setattr(settings, name, value)
    return settings


def played_by_core(
    table: Table, settings: native.SelfPlaySettings, rounds: int, games: int = 4, threads: int = 1
) -> Lessons:
    zero = native.ZeroEvaluator(table.game.players)
    core = native.SelfPlay(table.rules, table.inputs, settings, games, 1, threads, 5, zero, zero)
    found = []
    for _ in range(rounds):
        assert core.advance(0) == [0, 0]
        found.append(core.take_lessons(0))
    return joined(found)


def played_in_batches(
    table: Table, settings: native.SelfPlaySettings, rounds: int, games: int = 4, threads: int = 1
) -> Lessons:
    """All states are worth 0."""
    core = native.SelfPlay(table.rules, table.inputs, settings, games, 1, threads, 5)
    found, waiting = [], [0, 0]
    outputs, inputs = shape(table).outputs, shape(table).inputs
    for _ in range(rounds):
        zeros = [np.zeros((n, outputs), np.float32) if n else None for n in waiting]
        waiting = core.advance(0, zeros[0], zeros[1])
        for network, count in enumerate(waiting):
            planes, movers = np.empty((count, inputs), np.float32), np.empty(count, np.uint8)
            core.encode(0, network, planes, movers)
        found.append(core.take_lessons(0))
    return joined(found)


def joined(found: list[Lessons]) -> Lessons:
    """All but `by_ply`, which is not a list of things."""
    return {k: np.concatenate([x[k] for x in found]) for k in found[0] if k != "by_ply"}


def states_of(table: Table, lessons: Lessons) -> list[bytes]:
    size = table.route.state_bytes  # type: ignore[union-attr]
    packed = lessons["states"].tobytes()
    return [packed[i : i + size] for i in range(0, len(packed), size)]


def outcomes(game: Game[Any, Any], state: Any, known: dict[Any, int]) -> int:
    """The outcome for the first of two players, by plain minimax."""
    if state not in known:
        actions = list(game.actions(state))
        if not actions:
            known[state] = int(game.outcome(state)[0])
        else:
            best = max if game.player(state) == 0 else min
            known[state] = best(outcomes(game, game.next(state, a), known) for a in actions)
    return known[state]


def learn_settings(game: Game[Any, Any], **changed: Any) -> LearnSettings:
    """The settings of a run of a second or two."""
    given: dict[str, Any] = {
        "game": str(game),
        "network": "dense(8)",
        "device": "cpu",
        "threads": 1,
        "games": 8,
        "move_states": 12,
        "replay": 2000,
        "batch": 32,
        "states": 1500,
        "generation_states": 1000,
        "score": "depth",
    }
    settings = LearnSettings(**(given | changed))
    return settings.validate(game).complete(game, "cpu", cores=1)
