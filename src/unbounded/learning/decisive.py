# SPDX-License-Identifier: MIT
"""Decisive positions: where the player to move can still reach at least two different outcomes.

Most positions of a game are won or lost whatever is played, and say nothing about who chooses the
moves. Decisive ones are drawn from games of a perfect player who makes random moves at several
rates, and the outcome of every legal action is proven by the solver.
"""

from __future__ import annotations

import math
import multiprocessing
import signal
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import count as numbers
from random import Random
from typing import Any

from unbounded import native
from unbounded.game import Game, UsageError, require
from unbounded.game.catalogue import load_game
from unbounded.learning.oracle import STATES, Solver
from unbounded.learning.positions import SolvedPosition, solved_position

RATES = (1.0, 0.5, 0.25, 0.1)
"""Shares of random moves in the games; one game in four has each."""
TRIES, TAKEN = 4, 2
"""Positions of one game that are tried, and the most that are taken of it."""
FRUITLESS = 200
"""After this many games in a row without a new position, there are hardly any more."""


@dataclass
class Drawn:
    """Positions that were drawn, and what was left out."""

    positions: list[SolvedPosition] = field(default_factory=list)
    games: int = 0
    unproven: int = 0
    """Positions that could not be proven within the budget."""
    not_decisive: int = 0
    repeated: int = 0
    """Positions drawn before, up to symmetry."""


@dataclass(frozen=True)
class Drawing:
    """How positions are drawn. The same numbers draw the same positions, on any number of cores."""

    game: str
    seed: int = 0
    plies: tuple[int, int] = (2, 36)
    states: int = STATES
    """Budget of each proof."""
    states_per_move: int = STATES // 100
    """Budget of each move of the perfect player; beyond it, the best move is an estimate."""
    rates: tuple[float, ...] = RATES
    details: bool = False
    """Whether to add what is known of the scores and distances of every action."""
    scores: bool = False
    """Whether to prove the scores, where the game has some; that takes longer."""
    seconds_per_game: float | None = None
    """For playing a game and proving its positions; with it, what is drawn depends on the clock."""


@dataclass(frozen=True)
class _FromGame:
    """What one game gave."""

    positions: tuple[SolvedPosition, ...] = ()
    unproven: int = 0
    not_decisive: int = 0


def draw_decisive(
    game: Game[Any, Any] | str,
    count: int,
    seed: int = 0,
    *,
    jobs: int = 1,
    seconds: float | None = None,
    progress: Callable[[Drawn], None] | None = None,
    resume: Drawn | None = None,
    **how: Any,
) -> Drawn:
    """Draw decisive positions, no two of them equal up to symmetry; the outcomes are proven.

    how: fields of `Drawing`, such as plies. jobs: processes; one for games that are not in the
    catalogue. seconds: no game is begun after them. Fewer positions than asked are returned then,
    and where the game hardly has any more. resume: what was drawn by the same numbers, to go on
    with from the next game.
    """
    found = load_game(game)
    drawing = Drawing(str(found), seed, **how)
    first, last = drawing.plies
    require(0 <= first <= last, f"plies must be from low to high, not {first} to {last}")
    require(count >= 0 and jobs >= 1, "count must be 0 or more, and jobs 1 or more")
    end = math.inf if seconds is None else time.monotonic() + seconds
    drawn, fruitless = resume or Drawn(), 0
    seen = {_images(found, position) for position in drawn.positions}
    results = _results(found, drawing, jobs, drawn.games)
    while len(drawn.positions) < count and fruitless < FRUITLESS and time.monotonic() < end:
        before = len(drawn.positions)
        _add(drawn, next(results), found, seen)
        fruitless = 0 if len(drawn.positions) > before else fruitless + 1
        if progress is not None:
            progress(drawn)
    del drawn.positions[count:]
    return drawn


Images = frozenset[Any]
"""A state as every symmetry of the board shows it: the same for positions equal up to symmetry."""


def _is_in_catalogue(game: Game[Any, Any]) -> bool:
    """Whether another process finds the game by its name."""
    try:
        return load_game(str(game), files=False).is_same_game(game)
    except UsageError:
        return False


def _add(drawn: Drawn, result: _FromGame, game: Game[Any, Any], seen: set[Images]) -> None:
    """Add what a game gave."""
    drawn.games += 1
    drawn.unproven += result.unproven
    drawn.not_decisive += result.not_decisive
    for position in result.positions:
        key = _images(game, position)
        if key in seen:
            drawn.repeated += 1
        else:
            seen.add(key)
            drawn.positions.append(position)


def _images(game: Game[Any, Any], position: SolvedPosition) -> Images:
    return frozenset(native.images(game, position.state))


def _results(game: Game[Any, Any], drawing: Drawing, jobs: int, first: int) -> Iterator[_FromGame]:
    """What games give, from one of them on."""
    alone = jobs == 1 or not _is_in_catalogue(game)
    return _in_turn(game, drawing, first) if alone else _in_processes(drawing, jobs, first)


def _in_turn(game: Game[Any, Any], drawing: Drawing, first: int) -> Iterator[_FromGame]:
    for number in numbers(first):
        yield _draw(game, drawing, number)


def _in_processes(drawing: Drawing, jobs: int, first_game: int) -> Iterator[_FromGame]:
    # A new process each: threads of a search and a fork do not go together.
    # It ignores Ctrl-C, which ends this process, and then this one ends the others.
    ignore = (signal.SIGINT, signal.SIG_IGN)
    with multiprocessing.get_context("spawn").Pool(jobs, signal.signal, ignore) as pool:
        for first in numbers(first_game, 4 * jobs):  # in parts, since the numbers never end
            tasks = [(drawing, first + k) for k in range(4 * jobs)]
            yield from pool.imap(_draw_task, tasks)


def _draw_task(task: tuple[Drawing, int]) -> _FromGame:
    drawing, number = task
    return _draw(load_game(drawing.game), drawing, number)


def _draw(game: Game[Any, Any], drawing: Drawing, number: int) -> _FromGame:
    """Play one game, and take decisive positions of it."""
    random, limit = Random(f"{drawing.seed} {number}"), drawing.seconds_per_game
    end = None if limit is None else time.monotonic() + limit
    player = Solver(game, drawing.states_per_move, deadline=end)
    moves = _play(player, drawing.plies[1], random, drawing.rates[number % len(drawing.rates)])
    plies = list(range(drawing.plies[0], min(drawing.plies[1] + 1, len(moves))))
    tried = random.sample(plies, min(TRIES, len(plies)))
    solver = Solver(game, drawing.states, exact_score=drawing.scores, deadline=end)
    result = _FromGame()
    for ply in sorted(tried, reverse=True):  # so that quick proofs help the slow ones
        result = _judged(result, solver, moves[:ply], details=drawing.details)
        if result.unproven or len(result.positions) == TAKEN:  # earlier ones are harder still
            break
    return result


def _judged(result: _FromGame, solver: Solver, moves: list[str], *, details: bool) -> _FromGame:
    """Prove a position, and add it to what a game gave."""
    outcomes, game = solver.outcomes(moves), solver.game
    if outcomes is None:
        return replace(result, unproven=result.unproven + 1)
    position = solved_position(game, moves, _state(game, moves), outcomes)
    if not position.is_decisive:
        return replace(result, not_decisive=result.not_decisive + 1)
    if details:
        value = solver.outcome(moves)
        # If states were forgotten, it may be of another equilibrium: not the best of these moves.
        if value is None or not _is_best(value, position):
            return replace(result, unproven=result.unproven + 1)
        position = _detailed(position, solver, value)
    return replace(result, positions=(*result.positions, position))


def _is_best(value: tuple[int, ...], position: SolvedPosition) -> bool:
    """Whether it is the outcome of a move that is best for the player to move."""
    listed = (position.outcomes or {}).values()
    return value in listed and value[position.player] == position.best


def _detailed(
    position: SolvedPosition, solver: Solver, value: tuple[int, ...] | None
) -> SolvedPosition:
    """Add what the solver knows of the scores and the distances."""
    known = solver.details(position.moves)
    scores = {each.name: each.score for each in known} if solver.game.has_score else None
    distances = {each.name: each.distance for each in known}
    return replace(position, final_scores=scores, distances=distances, value=value)


def _play(player: Solver, last: int, random: Random, rate: float) -> list[str]:
    """Play until the game is over or the last ply is passed; return the moves."""
    game = player.game
    state, moves = game.initial(), list[str]()
    while len(moves) <= last and (actions := list(game.actions(state))):
        if random.random() < rate:
            action = random.choice(actions)
        else:
            action = game.parse_action(state, player.best_move(moves))
        moves.append(game.action_name(state, action))
        state = game.next(state, action)
    return moves


def _state(game: Game[Any, Any], moves: list[str]) -> Any:
    state = game.initial()
    for move in moves:
        state = game.next(state, game.parse_action(state, move))
    return state
