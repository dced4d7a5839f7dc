# SPDX-License-Identifier: MIT
"""The core is the reference: the same numbers after every iteration, on thousands of games."""

from __future__ import annotations

from random import Random
from typing import Any

import errata_games
import pytest
from lockstep import Lockstep
from soaking import repeated

from unbounded import load_game
from unbounded.conformance.random_games import random_graph
from unbounded.reference import backward_induction

GAMES = repeated(1_200, soak=20_000)
BATCH = 100
N_PLAYER_VALUES = ("resolved_completion", "propagated_completion")


def kinds_of_games(seed: int) -> dict[str, Any]:
    """A third zero-sum, a third with tie-breaking scores, the rest with ties."""
    return [{"zero_sum": True}, {"ties": False}, {"ties": True}][seed % 3]


def searches(seed: int, zero_sum: bool) -> list[dict[str, Any]]:
    values = (*N_PLAYER_VALUES, "minimax") if zero_sum else N_PLAYER_VALUES
    return [
        {"algorithm": algorithm, "values": rule, "paper": (seed + i) % 2 == 0}
        for i, algorithm in enumerate(("ubfm", "descent"))
        for rule in values
    ]


@pytest.mark.parametrize("batch", range(GAMES // BATCH))
def test_random_games(batch: int) -> None:
    for seed in range(batch * BATCH, (batch + 1) * BATCH):
        game = random_graph(seed, **kinds_of_games(seed))
        for options in searches(seed, game.zero_sum):
            lockstep = Lockstep(game, **options)
            lockstep.finish(most=2 * len(game.successors))
            check_solved(lockstep)


def check_solved(lockstep: Lockstep) -> None:
    theirs = lockstep.theirs
    game = theirs.game
    assert theirs.resolved[theirs.root], "resolved within 2|S| iterations"
    assert backward_induction.unjustified(theirs) == [], "an equilibrium"
    resolved = [s for s, r in theirs.resolved.items() if r]
    if theirs.values == "minimax":
        exact = backward_induction.minimax_outcomes(game)
        assert all(theirs.completion[s] == exact[s] for s in resolved)
    elif backward_induction.is_tie_breaking(game):
        best = backward_induction.max_n(game)
        assert all((theirs.completion[s], theirs.value[s]) == best[s] for s in resolved)


VARIANTS: list[dict[str, Any]] = [
    {"completion": False},
    {"resolve_on_win": True},
    {"stop_at_draw": True, "algorithm": "descent"},
    {"local_maximum": True},
]


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda v: next(iter(v)))
def test_variants(variant: dict[str, Any]) -> None:
    for seed in range(200):
        game = random_graph(seed, states=(5, 60), zero_sum=seed % 2 == 0)
        for options in searches(seed, game.zero_sum):
            if options["algorithm"] == variant.get("algorithm", options["algorithm"]):
                Lockstep(game, **{**options, **variant}).finish(most=60)


@pytest.mark.parametrize("name", errata_games.GAMES)
@pytest.mark.parametrize("paper", [True, False], ids=["paper", "default"])
def test_errata_games(name: str, paper: bool) -> None:
    game = errata_games.GAMES[name]
    for options in searches(0, game.zero_sum):
        options["paper"] = paper
        Lockstep(game, **options).finish(most=50)


@pytest.mark.parametrize(
    ("text", "most"),
    [
        ("tic-tac-toe", 400),
        ("mnk(rows=3,columns=3,players=3)", 200),
        ("mnk(rows=2,columns=3,line=2,players=4)", 200),
        ("connect-four(width=3,height=3,line=3)", 300),
        ("connect-four(width=4,height=3,players=3)", 200),
        ("nim(heaps=[2,3,4])", 300),
        ("nim(heaps=[2,2,3],players=3,misere=true)", 300),
        ("horizon(game=nim(heaps=[3,4,5]),plies=4)", 200),
    ],
)
def test_compiled_games(text: str, most: int) -> None:
    """The other route: compiled rules and heuristics against the rules in plain Python."""
    game = load_game(text)
    for options in searches(Random(text).randrange(2), game.zero_sum):
        Lockstep(game, **options).finish(most=most)
