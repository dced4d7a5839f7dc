# SPDX-License-Identifier: MIT
"""Positions to measure a learner by, found by the solver: all of a small game, or drawn ones."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Sequence
from random import Random
from typing import Any

from unbounded import native
from unbounded.game import Game, UsageError, require
from unbounded.learning.decisive import draw_decisive
from unbounded.learning.positions import SolvedPosition, solved_position
from unbounded.search.budget import Budget
from unbounded.search.search import Search
from unbounded.search.tree import Node
from unbounded.solving.proven_positions import line_lengths

SMALL = 50_000
"""States of a game small enough to be measured whole."""
PLIES = (2, 1000)
"""Whole games: of long ones, the solver proves only the ends."""
QUICK = 3_000_000
"""States of a proof that takes about a second, with compiled rules."""


def all_open_positions(
    game: Game[Any, Any],
    most: int = SMALL,
    *,
    seconds: float | None = None,
    details: bool = False,
    scores: bool = False,
) -> list[SolvedPosition]:
    """Return every reachable position where the game goes on, with the outcome of every action.

    A game of more than `most` states, or one not solved in time, is a `UsageError`. With more than
    two players, the outcomes are those of one equilibrium, the same for all positions.
    details: add distances, and what is known of scores. scores: prove them, where there are some.
    """
    # Without bounds, two players prove scores only by this rule; more players always do.
    values = "resolved_completion" if scores and game.has_score else None
    search = Search(game, evaluation="zero", values=values)
    stopped = search.run_all(Budget(seconds, None, most, None))
    require(stopped != "seconds", f"{game} was not solved in {seconds} seconds")
    require(
        stopped == "resolved",
        f"{game} has more than {most} states, too many to measure all of them",
    )
    lengths = line_lengths(search) if details else None
    found, seen = list[SolvedPosition](), {search.root.number}
    waiting = deque[tuple[Node, tuple[str, ...]]]([(search.root, ())])
    while waiting:
        node, moves = waiting.popleft()
        if node.is_terminal:
            continue
        found.append(_position(game, node, moves, lengths))
        for child in node.children:
            if child.node.number not in seen:
                seen.add(child.node.number)
                waiting.append((child.node, (*moves, child.name)))
    return found


def _position(
    game: Game[Any, Any],
    node: Node,
    moves: tuple[str, ...],
    lengths: Sequence[int | None] | None = None,
) -> SolvedPosition:
    """Return a position of a search that has resolved everything; lengths of lines by node."""
    outcomes = {}
    for child in node.children:
        assert child.outcome is not None
        outcomes[child.name] = child.outcome
    if lengths is None:
        return solved_position(game, moves, node.state, outcomes)
    below = {child.name: lengths[child.node.number] for child in node.children}
    distances = {name: None if length is None else 1 + length for name, length in below.items()}
    scores = {child.name: child.score for child in node.children}
    return solved_position(
        game,
        moves,
        node.state,
        outcomes,
        final_scores=scores if game.has_score else None,
        distances=distances,
        value=node.outcome,
    )


def positions_for(
    game: Game[Any, Any], count: int = 500, *, seed: int = 0, seconds: float = 60.0, jobs: int = 1
) -> list[SolvedPosition]:
    """Return decisive positions of any game, as many as the solver proves in some seconds.

    Of a small game they are a random sample of all of them; of others they are drawn from games,
    see `decisive`. A game that the solver cannot settle anywhere has none.
    """
    started = time.perf_counter()
    try:
        every = [p for p in all_open_positions(game, seconds=seconds / 2) if p.is_decisive]
    except UsageError:  # not a small game
        left = seconds - (time.perf_counter() - started)
        states = QUICK if native.is_compiled(game) else QUICK // 100
        how: dict[str, Any] = {"states": states, "states_per_move": states // 300, "plies": PLIES}
        how["seconds_per_game"] = seconds / 6
        drawn = draw_decisive(game, count, seed, seconds=max(0.0, left), jobs=jobs, **how)
        return drawn.positions
    return every if len(every) <= count else Random(seed).sample(every, count)
