# SPDX-License-Identifier: MIT
"""How good the moves are that an evaluation chooses, on positions with known results.

A move keeps the value if the player to move can still reach the best outcome after it; any other
move is a mistake. A move is perfect if no other wins sooner or loses later.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from unbounded.evaluation import (
    BatchEvaluator,
    Evaluation,
    NetworkEvaluation,
    check_evaluation,
    evaluation_name,
)
from unbounded.game import Game, UsageError, outcome_of, require
from unbounded.learning.gathering import Gathered, gather
from unbounded.learning.oracle import Solver
from unbounded.learning.positions import SolvedPosition
from unbounded.search import decisions
from unbounded.search.budget import Budget
from unbounded.search.options import SearchOptions
from unbounded.search.search import Search

RANGE = 9
"""Plies in a range of `by_ply_range`; more in long games, so that there are few ranges."""
MOST_RANGES = 6
AT_ONCE = 500
"""Positions whose children are evaluated together."""

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Share:
    """How many positions were judged, and in what share of them the move keeps the value."""

    positions: int
    value_keeping: float | None
    """None where there are no positions."""

    @classmethod
    def of(cls, kept: Sequence[bool]) -> Share:
        """Count the moves that keep the value."""
        return cls(len(kept), mean(map(float, kept)))


@dataclass(frozen=True)
class Judged:
    """The move that was chosen in a position."""

    ply: int
    move: str
    kept: bool | None
    """Whether it keeps the value; None where that could not be proven."""
    perfect: bool | None
    """Whether no move is better; None where it is not known how soon moves win."""


@dataclass(frozen=True)
class Measurement:
    """How an evaluation does on a set of positions."""

    game: str
    evaluation: str
    evaluations: int
    """States that were evaluated per move; 0: those after one move only, and no search."""
    positions: int
    """The positions that were judged."""
    undecided: int
    """Positions left out: whether the move keeps the value could not be proven."""
    value_keeping: float | None
    mistakes: float | None
    """The share of the other moves."""
    perfect: float | None
    by_ply: dict[str, Share]
    by_ply_range: dict[str, Share]
    sign_accuracy: float | None
    """Without search: how often the estimate of a won or lost position has the right sign."""
    value_error: float | None
    """Without search: the mean distance of the estimate, cut to [-1, 1], from the outcome."""
    seconds: float

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values, as JSON has them."""
        return asdict(self)


def measure(
    game: Game[Any, Any],
    evaluation: Evaluation,
    positions: Sequence[SolvedPosition],
    *,
    evaluations: int = 0,
    rule: str = "safest",
    seed: int = 0,
    solver: Solver | None = None,
    progress: Progress | None = None,
) -> Measurement:
    """Let an evaluation choose a move in every position, and judge the moves.

    evaluations: 0: the best of the states after one move; else UBFM with this many states per move,
        and a decision by the rule. Terminal states count, though their value is exact.
    solver: proves moves where a file says only what the position is worth.
    """
    require(evaluations >= 0, f"evaluations must be 0 or more, not {evaluations}")
    checked = check_evaluation(game, evaluation)  # a network is read once, not for every search
    judge = solver or Solver(game)
    started = time.perf_counter()
    if evaluations == 0:
        evaluate = BatchEvaluator(game, checked, seed)
        moves, estimates = _greedy(game, evaluate, positions, progress)
    else:
        options = SearchOptions(evaluation=checked, seed=seed)
        searching = Searching(game, options, evaluations, rule)
        moves, estimates = searching.all_moves([p.moves for p in positions], progress), []
    seconds = time.perf_counter() - started
    judged = [_judge(judge, p, move) for p, move in zip(positions, moves, strict=True)]
    signs, errors = _compared(positions, estimates)
    return Measurement(
        str(game),
        evaluation_name(checked),
        evaluations,
        **_shares(judged),
        sign_accuracy=mean(signs),
        value_error=mean(errors),
        seconds=seconds,
    )


# -- choosing moves --------------------------------------------------------------------------------


def _greedy(
    game: Game[Any, Any],
    evaluate: BatchEvaluator,
    positions: Sequence[SolvedPosition],
    progress: Progress | None,
) -> tuple[list[str], list[float]]:
    """Return the best move of every position by its children, and its own estimate."""
    moves, estimates = list[str](), list[float]()
    for first in range(0, len(positions), AT_ONCE):
        part = positions[first : first + AT_ONCE]
        moves += best_moves(game, evaluate, [(p.state, p.player) for p in part])
        values = evaluate([position.state for position in part])
        estimates += [float(row[p.player]) for row, p in zip(values, part, strict=True)]
        if progress is not None:
            progress(len(moves), len(positions))
    return moves, estimates


def best_moves(
    game: Game[Any, Any], evaluate: BatchEvaluator, states: Sequence[tuple[Any, int]]
) -> list[str]:
    """Return, for states and who moves there, the move to the best child; ties: the first.

    The children of all states are evaluated together. A terminal child has its exact worth: a won
    end of the game is better than any estimate, and a lost one worse.
    """
    children = [[game.next(state, a) for a in game.actions(state)] for state, _ in states]
    is_open = [[len(game.actions(child)) > 0 for child in row] for row in children]
    leaves = [c for row, opened in zip(children, is_open, strict=True)
              for c, o in zip(row, opened, strict=True) if o]  # fmt: skip
    values = iter(evaluate(leaves))
    moves = []
    for (state, player), row, opened in zip(states, children, is_open, strict=True):
        worths = [
            (0, float(next(values)[player])) if o else _exact(game, child, player)
            for child, o in zip(row, opened, strict=True)
        ]
        actions = list(game.actions(state))
        moves.append(game.action_name(state, actions[worths.index(max(worths))]))
    return moves


def _exact(game: Game[Any, Any], state: Any, player: int) -> tuple[int, float]:
    """Return outcome and score of a terminal state, which compare with (0, estimate)."""
    return outcome_of(game, state)[player], float(game.score(state)[player])


@dataclass(frozen=True)
class Searching:
    """Choosing moves by a new search for each."""

    game: Game[Any, Any]
    options: SearchOptions
    """With an evaluation that has been checked."""
    states: int
    """Per move."""
    rule: str = "safest"
    """Of `decisions`."""

    def all_moves(
        self, positions: Sequence[Sequence[str]], progress: Progress | None = None
    ) -> list[str]:
        """Choose a move of every position, given by the moves before it."""

        def done(count: int) -> None:
            if progress is not None:
                progress(count, len(positions))

        evaluation = self.options.evaluation
        assert evaluation is not None
        if not _is_python(evaluation):
            moves = []
            for played in positions:
                moves.append(self.move(played))
                done(len(moves))
            return moves
        shared = BatchEvaluator(self.game, evaluation, self.options.seed)

        def move(gathered: Gathered, played: Sequence[str]) -> str:
            return replace(self, options=replace(self.options, evaluation=gathered)).move(played)

        return gather(shared, positions, move, done)

    def move(self, played: Sequence[str]) -> str:
        """Choose a move of the position after some moves."""
        search = Search(self.game, moves=played, options=self.options)
        if not search.advance(Budget(None, None, self.states, None)):
            raise KeyboardInterrupt  # it ended the search, and must end the measurement too
        child = decisions.decide(search.root, self.rule)
        if child is not None:
            return child.name
        return self.game.action_name(search.state, next(iter(self.game.actions(search.state))))


def _is_python(evaluation: Evaluation) -> bool:
    """Whether an evaluation is called in Python, where large batches are worth waiting for."""
    if isinstance(evaluation, NetworkEvaluation):
        return not evaluation.is_native
    return callable(evaluation)


# -- judging them ----------------------------------------------------------------------------------


def _judge(solver: Solver, position: SolvedPosition, move: str) -> Judged:
    kept = keeps_value(solver, position, move)
    scores = position.scores
    perfect = None if scores is None else scores[move] == max(scores.values())
    return Judged(position.ply, move, kept, perfect)


def keeps_value(solver: Solver, position: SolvedPosition, move: str) -> bool | None:
    """Whether a move keeps the best outcome of the mover; None where that is not proven."""
    if position.outcomes is not None:
        return position.outcomes[move][position.player] == position.best
    outcome = solver.outcome([*position.moves, move])
    if outcome is None:
        return None
    reached = outcome[position.player]
    if reached > position.best:
        raise UsageError(
            f"the score given for {' '.join(position.moves)} is too low: {move} reaches "
            f"{reached:+d}"
        )
    return reached == position.best


def _shares(judged: Sequence[Judged]) -> dict[str, Any]:
    known = [(x.ply, x.kept) for x in judged if x.kept is not None]
    plies: dict[int, list[bool]] = {}
    for ply, kept in sorted(known):
        plies.setdefault(ply, []).append(kept)
    keeping = mean(float(kept) for _, kept in known)
    by_ply = {str(ply): Share.of(kept) for ply, kept in plies.items()}
    return {
        "positions": len(known),
        "undecided": len(judged) - len(known),
        "value_keeping": keeping,
        "mistakes": None if keeping is None else 1 - keeping,
        "perfect": mean(float(x.perfect) for x in judged if x.perfect is not None),
        "by_ply": by_ply,
        "by_ply_range": _by_range(by_ply),
    }


def combined(measured: Sequence[Measurement]) -> Measurement:
    """Put several sets of positions together: shares are means over the sets, as in the literature.

    By ply, every position counts the same.
    """
    first = measured[0]
    if len(measured) == 1:
        return first

    def over(name: str) -> float | None:
        return mean(x for x in (getattr(each, name) for each in measured) if x is not None)

    by_ply = joined(pair for each in measured for pair in each.by_ply.items())
    by_ply = dict(sorted(by_ply.items(), key=lambda pair: int(pair[0])))
    averaged = ("value_keeping", "mistakes", "perfect", "sign_accuracy", "value_error")
    return Measurement(
        first.game,
        first.evaluation,
        first.evaluations,
        positions=sum(each.positions for each in measured),
        undecided=sum(each.undecided for each in measured),
        by_ply=by_ply,
        by_ply_range=_by_range(by_ply),
        seconds=sum(each.seconds for each in measured),
        **{name: over(name) for name in averaged},
    )


def _by_range(by_ply: Mapping[str, Share]) -> dict[str, Share]:
    """Join plies to ranges."""
    last = max(map(int, by_ply), default=0)
    width = max(RANGE, -(-(last + 1) // MOST_RANGES))

    def named(ply: int) -> str:
        low = ply // width * width
        return f"{low}-{low + width - 1}"

    return joined((named(int(ply)), share) for ply, share in by_ply.items())


def joined(shares: Iterable[tuple[str, Share]]) -> dict[str, Share]:
    """Add up shares of the same name."""
    found: dict[str, Share] = {}
    for name, share in shares:
        before = found.get(name, Share(0, None))
        count = before.positions + share.positions
        kept = sum(x.positions * (x.value_keeping or 0.0) for x in (before, share))
        found[name] = Share(count, kept / count if count else None)
    return found


def _compared(
    positions: Sequence[SolvedPosition], estimates: Sequence[float]
) -> tuple[list[float], list[float]]:
    """Compare estimates, if there are any, with what the positions are worth to the mover."""
    if not estimates:
        return [], []
    pairs = list(zip(positions, estimates, strict=True))
    signs = [float((x > 0) == (p.best > 0) and x != 0) for p, x in pairs if p.best != 0]
    errors = [abs(min(1.0, max(-1.0, x)) - p.best) for p, x in pairs]
    return signs, errors


def mean(numbers: Iterable[float]) -> float | None:
    """Return the mean; None of nothing."""
    listed = list(numbers)
    return sum(listed) / len(listed) if listed else None
