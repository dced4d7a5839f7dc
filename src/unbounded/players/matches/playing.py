# SPDX-License-Identifier: MIT
"""One game between players."""

from __future__ import annotations

import itertools
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from random import Random
from typing import Any

from unbounded.game import Game, UsageError
from unbounded.game.rule_errors import RANDOM_ADVICE, asked, blaming, rule_error
from unbounded.native.object_rules import try_start
from unbounded.players import Kind, Player
from unbounded.players.clock import TimeControl
from unbounded.players.external.process import IllegalMoveError, ProgramError
from unbounded.players.kind import Timed

ALLOWED_OVERRUN = 0.1
"""As a share of the time for a move."""
GRACE = 0.05
"""Seconds beside it: a machine has other things to do too."""
_PATIENCE = 0.5


@dataclass(frozen=True)
class GameRecord:
    """A game that was played."""

    game: str
    number: int
    seats: tuple[str, ...]
    """Who sat where."""
    opening: int
    """How many of the first moves are the random opening."""
    moves: tuple[str, ...]
    outcome: tuple[int, ...]
    score: tuple[float, ...]
    times: tuple[tuple[float, ...], ...]
    """Per seat, the seconds of each move that it chose."""
    overruns: tuple[int, ...]
    """Per seat, how many moves took longer than they may."""
    illegal: int | None = None
    """The seat whose move was not legal, which ended the game: it lost, and no other did."""
    failed: int | None = None
    """The seat whose program failed, which ended the game in the same way."""
    reason: str | None = None
    """What was wrong, as the error says it."""

    @property
    def seconds(self) -> tuple[float, ...]:
        """Per seat, of all its moves."""
        return tuple(map(sum, self.times))

    @property
    def decisions(self) -> tuple[int, ...]:
        """Per seat, how many moves it chose."""
        return tuple(map(len, self.times))

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values for JSON."""
        return asdict(self)

    def without_times(self) -> dict[str, Any]:
        """What must be the same when the same game is played again."""
        data = self.to_dict()
        return {k: v for k, v in data.items() if k not in ("times", "overruns")}


@blaming()
def play_game(
    game: Game[Any, Any], seats: Sequence[Kind], *, number: int = 0, seed: int = 0, opening: int = 0
) -> GameRecord:
    """Play a game after some random moves; equal seeds and count budgets make equal games."""
    try_start(game)
    state, moves = random_opening(game, seed, opening)
    players = [kind.player(game, hash_of(seed, number, at)) for at, kind in enumerate(seats)]
    try:
        for move in moves:
            _tell(players, move)
        course = _play_on(game, players, state, _names(game, moves))
    finally:
        for player in players:
            player.close()
    outcome, score = _end(game, course.state, course.loser)
    return GameRecord(
        game=str(game),
        number=number,
        seats=tuple(map(str, seats)),
        opening=len(moves),
        moves=tuple(course.names),
        outcome=outcome,
        score=score,
        times=tuple(map(tuple, course.times)),
        overruns=tuple(map(_too_long, seats, course.times)),
        illegal=course.illegal,
        failed=course.failed,
        reason=course.reason,
    )


@dataclass
class _Course:
    """How a game went, so far."""

    state: Any
    names: list[str]
    times: list[list[float]]
    illegal: int | None = None
    failed: int | None = None
    reason: str | None = None

    @property
    def loser(self) -> int | None:
        """The seat that lost by a fault, if there was one."""
        return self.illegal if self.failed is None else self.failed


def _play_on(
    game: Game[Any, Any], players: Sequence[Player], state: Any, names: list[str]
) -> _Course:
    """Play from a position to the end, or to a fault."""
    course = _Course(state, names, [[] for _ in players])
    seat = 0
    try:
        for seat, player in enumerate(players):
            player.prepare(seat)
        while game.actions(course.state):
            seat = int(game.player(course.state))
            decision = players[seat].decide()
            if decision.action not in game.actions(course.state):
                course.illegal = seat
                break
            course.times[seat].append(decision.seconds)
            course.names.append(decision.name)
            course.state = game.next(course.state, decision.action)
            _tell(players, decision.action)
    except ProgramError as error:
        is_illegal = isinstance(error, IllegalMoveError)
        course.illegal, course.failed = (seat, None) if is_illegal else (None, seat)
        course.reason = str(error)
    return course


def random_opening(game: Game[Any, Any], seed: int, plies: int) -> tuple[Any, list[Any]]:
    """Play random moves, but none that ends the game; return the position and the moves."""
    random = Random(seed)
    state, moves = game.initial(), []
    for _ in range(plies):
        open_actions = [a for a in game.actions(state) if game.actions(game.next(state, a))]
        if not open_actions:
            break
        moves.append(random.choice(open_actions))
        state = game.next(state, moves[-1])
    return state, moves


def random_length(game: Game[Any, Any], seed: int = 0) -> int | None:
    """Return how many moves a random game takes; None if that takes too long to find out."""
    random, state, started = Random(seed), game.initial(), time.monotonic()
    for length in itertools.count():
        actions = game.actions(state)
        if not actions:
            return length
        if time.monotonic() - started > _PATIENCE:
            break
        state = game.next(state, random.choice(list(actions)))
    return None


def hash_of(*numbers: int) -> int:
    """Mix numbers to the seed of a player."""
    return Random(repr(numbers)).getrandbits(48)


def _tell(players: Sequence[Player], action: Any) -> None:
    for player in players:
        try:
            player.see(action)
        except UsageError as error:  # it was legal when it was chosen
            question = asked(player.game, "actions", player.state)
            problem = f"does not give {action!r} any more"
            raise rule_error(player.game, question, problem, RANDOM_ADVICE) from error


def _names(game: Game[Any, Any], actions: Sequence[Any]) -> list[str]:
    state, names = game.initial(), []
    for action in actions:
        names.append(game.action_name(state, action))
        state = game.next(state, action)
    return names


def _too_long(kind: Kind, times: Sequence[float]) -> int:
    """Count the moves that took longer than they may."""
    if isinstance(kind, Timed) and kind.clock is not None:
        control, passed = TimeControl.parse(kind.clock), itertools.accumulate(times)
        return sum(
            total > control.seconds + control.increment * moves + GRACE
            for moves, total in enumerate(passed)
        )
    allowed = kind.seconds_per_move
    if allowed is None:
        return 0
    return sum(seconds > allowed * (1 + ALLOWED_OVERRUN) + GRACE for seconds in times)


def _end(
    game: Game[Any, Any], state: Any, loser: int | None
) -> tuple[tuple[int, ...], tuple[float, ...]]:
    if loser is None:
        outcome = tuple(int(x) for x in game.outcome(state))
        return outcome, tuple(float(x) for x in game.score(state))
    outcome = tuple(-1 if seat == loser else 1 for seat in range(game.players))
    return outcome, tuple(float(x) for x in outcome)
