# SPDX-License-Identifier: MIT
"""What every move is worth: proven like the moves by themselves, and estimates apart."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

import unbounded as ub
from unbounded.reference.backward_induction import minimax_scores
from unbounded.search.budget import Budget
from unbounded.solving.move_values import move_values
from unbounded.solving.solve import search_to_solve

GAMES = [
    "tic-tac-toe",
    "connect-four(width=4,height=3)",
    "dots-and-boxes(rows=1,columns=2)",
    "nim(heaps=[1,2,2],players=3)",
    "quick-wins(tic-tac-toe)",
]


def some_moves(game: Any, random: Random) -> list[str]:
    state, moves = game.initial(), list[str]()
    for _ in range(random.randrange(4)):
        action = random.choice(list(game.actions(state)))
        name, following = game.action_name(state, action), game.next(state, action)
        if not game.actions(following):
            break
        moves.append(name)
        state = following
    return moves


@pytest.mark.parametrize("text", GAMES)
def test_they_are_those_of_backward_induction(text: str) -> None:
    game, random = ub.load_game(text), Random(text)
    exact = minimax_scores(game) if game.players == 2 else {}
    for _ in range(3):
        moves = some_moves(game, random)
        search = search_to_solve(game, {"moves": moves, "threads": 1})
        values = move_values(search, Budget(memory="100M"))
        assert search.moves == moves
        state = search.state
        names = [game.action_name(state, action) for action in game.actions(state)]
        assert [value.name for value in values] == names
        me = game.player(state)
        assert search.root.outcome is not None
        assert search.root.outcome[me] == max(v.outcome[me] for v in values if v.outcome)
        for action, value in zip(game.actions(state), values, strict=True):
            after = game.next(state, action)
            assert value.estimate is None and value.outcome is not None
            assert value.outcome_bounds == tuple((x, x) for x in value.outcome)
            if game.players == 2:
                assert value.outcome == (exact[after][0], -exact[after][0])
                assert value.score is None or value.score[0] == exact[after][1]
            assert value.distance is None or value.distance >= 1
            if not game.actions(after):
                assert value.distance == 1


def test_what_is_not_proven_has_an_estimate_and_bounds() -> None:
    search = search_to_solve("connect-four", {"threads": 1, "probes": False})
    values = move_values(search, Budget(iterations=30, memory="100M"))
    assert len(values) == 7
    for value in values:
        assert value.outcome is None and value.score is None and value.distance is None
        assert value.estimate is not None and len(value.estimate) == 2
        assert value.outcome_bounds == ((-1, 1), (-1, 1))


def test_without_time_nothing_is_claimed() -> None:
    search = search_to_solve("connect-four", {"threads": 1})
    values = move_values(search, Budget(seconds=0.0, memory="100M"))
    assert [value.outcome for value in values] == [None] * 7


@pytest.mark.parametrize(
    ("text", "iterations"), [("nim(heaps=[1,2,2],players=3)", 9), ("nim(heaps=[3,3])", 12)]
)
def test_if_every_move_is_proven_the_position_is_too(text: str, iterations: int) -> None:
    budget, options = Budget(iterations=iterations), {"threads": 1, "probes": False}
    alone = search_to_solve(text, options)
    assert alone.advance(budget) and not alone.root.resolved, "the budget is too large to tell"
    search = search_to_solve(text, options)
    assert all(value.outcome is not None for value in move_values(search, budget))
    assert search.root.outcome is not None
