# SPDX-License-Identifier: MIT
"""The yardsticks of a run at its end: its first and its newest network on solved positions."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unbounded.evaluation import Evaluation, check_evaluation
from unbounded.game import Game, UsageError
from unbounded.learning.measuring import Measurement, measure
from unbounded.learning.oracle import Solver
from unbounded.learning.perfect_games import PerfectGames, games_against_perfect
from unbounded.learning.positions import SolvedPosition
from unbounded.learning.yardsticks import positions_for

POSITIONS = 400
EVALUATIONS = 600
"""States per move of the network with search."""
SHARE_OF_DRAWING = 0.5
"""Of the time: to find positions; the rest is for measuring."""
PERFECT_GAMES = 50
PROOF_STATES = 300_000
"""States of one proof of the perfect opponent: only small games are played against it."""
BEFORE, HEURISTIC, AFTER, SEARCHED = "first", "heuristic", "network", "searched"

Say = Callable[[str], None]


@dataclass(frozen=True)
class RunYardsticks:
    """What was measured; what was not is missing."""

    measured: dict[str, Measurement]
    """By whom: the first network, the heuristic and the newest network, all without search, and
    the newest with `EVALUATIONS` states per move."""
    perfect: PerfectGames | None = None
    """The newest network as first player against a perfect opponent."""

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values for JSON."""
        return {
            "measured": {name: x.to_dict() for name, x in self.measured.items()},
            "perfect": None if self.perfect is None else self.perfect.to_dict(),
        }


def measure_run(
    game: Game[Any, Any],
    first: Path,
    newest: Path,
    *,
    seconds: float,
    jobs: int = 1,
    say: Say | None = None,
) -> RunYardsticks:
    """Measure the networks of a run on positions that the solver proves, within about a time.

    A game that the solver proves nowhere in that time has no such positions; then nothing is
    measured.
    """
    tell = say or (lambda _: None)
    end = time.monotonic() + seconds
    tell("judging: solving positions to measure by")
    positions = positions_for(game, POSITIONS, seconds=SHARE_OF_DRAWING * seconds, jobs=jobs)
    measured: dict[str, Measurement] = {}
    if not positions:
        return RunYardsticks(measured)
    network = check_evaluation(game, str(newest))
    asked: list[tuple[str, Evaluation]] = [(AFTER, network)]
    if first != newest:
        asked.append((BEFORE, check_evaluation(game, str(first))))
    if game.has_evaluation:
        asked.append((HEURISTIC, "heuristic"))
    for name, evaluation in asked:
        tell(f"judging: the {name} on {len(positions)} solved positions")
        measured[name] = measure(game, evaluation, positions)
    tell(f"judging: the network with {EVALUATIONS} states per move")
    some = _affordable(game, network, positions, end - time.monotonic())
    if some:
        measured[SEARCHED] = measure(game, network, some, evaluations=EVALUATIONS)
    perfect = _against_perfect(game, network, tell) if time.monotonic() < end else None
    return RunYardsticks(measured, perfect)


def _affordable(
    game: Game[Any, Any],
    network: Evaluation,
    positions: Sequence[SolvedPosition],
    seconds: float,
) -> Sequence[SolvedPosition]:
    """As many positions as can be searched in a time, spread evenly; found out by two of them."""
    if seconds <= 0:
        return []
    started = time.monotonic()
    measure(game, network, positions[:2], evaluations=EVALUATIONS)
    each = (time.monotonic() - started) / min(2, len(positions))
    count = min(len(positions), int((seconds - 2 * each) / max(each, 1e-6)))
    return [positions[k * len(positions) // count] for k in range(max(0, count))]


def _against_perfect(game: Game[Any, Any], network: Evaluation, tell: Say) -> PerfectGames | None:
    """Play against a perfect opponent, where the solver proves every position at once."""
    if game.players != 2 or not game.zero_sum:
        return None
    tell("judging: games against a perfect opponent")
    solver = Solver(game, PROOF_STATES)
    try:
        if solver.outcomes([]) is None:
            return None
        return games_against_perfect(game, network, PERFECT_GAMES, oracle=solver)
    except UsageError:  # some position was not proven
        return None
