# SPDX-License-Identifier: MIT
"""`unbounded measure`: how good the moves of an evaluation are, on positions with known results."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from unbounded.game import require
from unbounded.interfaces.cli.common import (
    GOOD,
    Debug,
    GameText,
    Job,
    Json,
    Quiet,
    Seed,
    print_json,
)
from unbounded.interfaces.cli.files import POSITIONS, check_readable
from unbounded.interfaces.process import Signals

if TYPE_CHECKING:
    from unbounded.learning.measuring import Measurement

EvaluationName = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Evaluation to measure, named as in analyze: also the file of a network, or the "
        "folder of a run. Default: the one that analyze uses.",
    ),
]
PositionFiles = Annotated[
    list[str] | None,
    typer.Option(
        "--positions",
        metavar="FILE...",
        help="Files of lines MOVES SCORE, CSV with the columns moves,ply,scores, or JSON lines.",
    ),
]
MoreFiles = Annotated[
    list[str] | None, typer.Argument(metavar="FILE", help="More files, as after --positions.")
]
Evaluations = Annotated[
    int,
    typer.Option(
        metavar="N",
        help="States per move of a search with the evaluation. Default: 0, no search: the best of "
        "the states after one move.",
    ),
]
Rule = Annotated[
    str,
    typer.Option(metavar="NAME", help="How a search decides: safest (the usual one) or best."),
]


def measure(
    *,
    text: GameText,
    more: MoreFiles = None,
    evaluation: EvaluationName = None,
    positions: PositionFiles = None,
    evaluations: Evaluations = 0,
    rule: Rule = "safest",
    seed: Seed = 0,
    quiet: Quiet = False,
    as_json: Json = False,
    debug: Debug = False,
) -> Job:
    """Measure how often the moves of an evaluation keep the value of positions."""
    paths = [*(positions or []), *(more or [])]
    require(len(paths) > 0, "give positions with known results: --positions FILE")
    require(rule in ("safest", "best"), f"--rule must be safest or best, not {rule!r}")
    require(evaluations >= 0, f"--evaluations must be 0 or more, not {evaluations}")

    def job(_: Signals) -> int:
        from unbounded.interfaces.terminal.console import Terminal
        from unbounded.interfaces.terminal.measurements import print_measurements
        from unbounded.interfaces.terminal.progress import steps
        from unbounded.learning.measuring import combined

        with steps(quiet=quiet) as say:
            how = {"evaluations": evaluations, "rule": rule, "seed": seed}
            measured = _measured(text, evaluation, paths, how, say)
        together = combined(measured)
        if as_json:
            files = [
                {"file": path, **each.to_dict()} for path, each in zip(paths, measured, strict=True)
            ]
            print_json({**together.to_dict(), "files": files})
        else:
            print_measurements(Terminal(), paths, measured, together)
        return GOOD

    return job


def _measured(
    text: str,
    evaluation: str | None,
    paths: Sequence[str],
    how: Mapping[str, Any],
    say: Callable[[str], None] | None,
) -> list[Measurement]:
    """Read every file before the first measurement, so that mistakes in them are found early."""
    from unbounded.game.catalogue import load_game
    from unbounded.learning.positions import read_positions

    for path in paths:
        check_readable(path, POSITIONS)
    game = load_game(text)
    sets = [read_positions(game, path) for path in paths]
    from unbounded.evaluation import check_evaluation, default_evaluation
    from unbounded.learning.measuring import measure

    chosen = default_evaluation(game) if evaluation is None else evaluation
    check_evaluation(game, chosen)
    measured = []
    for path, positions in zip(paths, sets, strict=True):

        def progress(done: int, total: int, path: str = path) -> None:
            if say is not None:
                say(f"{path}: {done} of {total} positions")

        measured.append(measure(game, chosen, positions, progress=progress, **how))
    return measured
