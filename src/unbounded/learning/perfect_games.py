# SPDX-License-Identifier: MIT
"""Games against a perfect opponent, who takes any of the best moves at random.

What is perfect depends on what the oracle knows. Our solver proves outcomes: in a lost position it
takes any move. An oracle that knows how soon moves win is a stronger opponent.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from random import Random
from typing import Any

from unbounded.evaluation import BatchEvaluator, Evaluation, check_evaluation, evaluation_name
from unbounded.game import Game, UsageError, outcome_of, require
from unbounded.learning.measuring import Searching, best_moves
from unbounded.learning.oracle import Oracle, Solver
from unbounded.search.options import SearchOptions


@dataclass(frozen=True)
class PerfectGames:
    """What an evaluation reached as first player against a perfect opponent."""

    game: str
    evaluation: str
    evaluations: int
    games: int
    won: int
    drawn: int
    lost: int
    seconds: float

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values, as JSON has them."""
        return asdict(self)


@dataclass(eq=False)
class _Played:
    """One game that is being played."""

    random: Random
    state: Any
    moves: list[str] = field(default_factory=list)


def games_against_perfect(
    game: Game[Any, Any],
    evaluation: Evaluation,
    games: int = 200,
    *,
    evaluations: int = 0,
    oracle: Oracle | None = None,
    seed: int = 0,
    progress: Callable[[int], None] | None = None,
) -> PerfectGames:
    """Play games as first player against a perfect opponent, all at once.

    evaluations: as in `measure`. oracle: by default our solver; a position that it cannot prove is
    a `UsageError`. `progress` is called with the number of moves that every open game has.
    """
    two = game.players == 2 and game.zero_sum
    require(two, f"a perfect opponent needs two players and zero sum; {game} is not declared so")
    require(games >= 1, f"games must be 1 or more, not {games}")
    checked = check_evaluation(game, evaluation)
    started = time.perf_counter()
    knows = oracle or Solver(game)
    choose = _chooser(game, checked, evaluations, seed)
    played = [_Played(Random(f"{seed} {number}"), game.initial()) for number in range(games)]
    ply = 0
    while going := [each for each in played if game.actions(each.state)]:
        mine = [each for each in going if game.player(each.state) == 0]
        for each, move in zip(mine, choose(mine), strict=True):
            _play(game, each, move)
        for each in going:
            if each not in mine:
                _play(game, each, _perfect_move(game, knows, each))
        ply += 1
        if progress is not None:
            progress(ply)
    results = [outcome_of(game, each.state)[0] for each in played]
    return PerfectGames(
        str(game),
        evaluation_name(checked),
        evaluations,
        games,
        won=results.count(1),
        drawn=results.count(0),
        lost=results.count(-1),
        seconds=time.perf_counter() - started,
    )


Chooser = Callable[[Sequence[_Played]], list[str]]


def _chooser(game: Game[Any, Any], evaluation: Evaluation, evaluations: int, seed: int) -> Chooser:
    """Return what chooses the evaluation's moves, in several games at once."""
    if evaluations == 0:
        evaluate = BatchEvaluator(game, evaluation, seed)
        return lambda games: best_moves(game, evaluate, [(each.state, 0) for each in games])
    searching = Searching(game, SearchOptions(evaluation=evaluation, seed=seed), evaluations)
    return lambda games: searching.all_moves([each.moves for each in games])


def _perfect_move(game: Game[Any, Any], oracle: Oracle, played: _Played) -> str:
    scores = oracle.scores(played.moves)
    if scores is None:
        raise UsageError(
            f"{game} after {' '.join(played.moves) or 'no moves'} could not be proven: give the "
            "solver a larger budget, or another oracle"
        )
    best = max(scores.values())
    return played.random.choice([name for name, score in scores.items() if score == best])


def _play(game: Game[Any, Any], played: _Played, move: str) -> None:
    played.state = game.next(played.state, game.parse_action(played.state, move))
    played.moves.append(move)
