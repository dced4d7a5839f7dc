# SPDX-License-Identifier: MIT
"""`unbounded check`: whether a game keeps its contract."""

from __future__ import annotations

import sys
import traceback
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from unbounded.game import Game, RuleError, require
from unbounded.game.notices import print_error
from unbounded.game.rule_errors import CYCLE_ADVICE
from unbounded.interfaces.cli.common import (
    BROKEN,
    GOOD,
    Debug,
    GameText,
    Job,
    Json,
    Quiet,
    Seed,
    print_json,
)
from unbounded.interfaces.process import Signals

if TYPE_CHECKING:
    from unbounded.conformance.report import Report


def check(
    *,
    text: GameText,
    number: Annotated[
        int, typer.Option("--games", metavar="N", help="Number of random games to play.")
    ] = 100,
    seed: Seed = 0,
    quiet: Quiet = False,
    as_json: Json = False,
    debug: Debug = False,
) -> Job:
    """Check that a game conforms to the contract; exit 1 if it does not, or if it may not end."""

    def job(_: Signals) -> int:
        from unbounded.game import catalogue
        from unbounded.interfaces.terminal.progress import steps

        game = catalogue.load_game(text)
        require(number >= 1, f"--games must be 1 or more, not {number}")
        from unbounded.conformance.check import check_game

        try:
            with steps(quiet=quiet) as progress:
                report = check_game(game, games=number, seed=seed, progress=progress)
        except RuleError as error:
            return _broken(game, error, as_json=as_json, debug=debug)
        return _reported(game, report, as_json=as_json)

    return job


def _broken(game: Game[Any, Any], error: RuleError, *, as_json: bool, debug: bool) -> int:
    if debug:
        traceback.print_exc()
    if as_json:
        print_json({"game": str(game), "conforms": False, "broken": str(error)})
    print(f"unbounded: {error}", file=sys.stderr)
    return BROKEN


def _reported(game: Game[Any, Any], report: Report, *, as_json: bool) -> int:
    if as_json:
        outcomes = [{"outcome": o, "count": n} for o, n in report.outcomes.items()]
        print_json({"conforms": report.conforms, **asdict(report), "outcomes": outcomes})
    else:
        print(report)
    if not report.conforms:
        print_error(f"{game}: no end of a random game was seen; {CYCLE_ADVICE}")
    return GOOD if report.conforms else BROKEN
