# SPDX-License-Identifier: MIT
"""What a run has learned: yardsticks, matches with intervals, and a verdict in words."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from unbounded.game import Game
from unbounded.game.contract import format_value
from unbounded.game.notices import print_error
from unbounded.interfaces.cli.common import print_json

if TYPE_CHECKING:
    from pathlib import Path

    from unbounded.learning.run_folder import RunFolder
    from unbounded.learning.run_yardsticks import RunYardsticks
    from unbounded.players.matches import ComparisonResult

QUIET = "UNBOUNDED_QUIET"
Say = Callable[[str], None]

REPORT, REPORT_TEXT = "report.json", "report.md"
SHARE_OF_MATCHES = 0.6
"""Of the time for judging; yardsticks have the rest."""
SECONDS_PER_MOVE = (0.01, 0.2)
"""The least and the most for a move in a match."""
WANTED_GAMES, MOST_GAMES = 40, 400
"""Per opponent: the time for a move is chosen so that there is time for the first number."""
OPENING = 2
_USUAL_LENGTH = 50


def judge(
    folder: RunFolder, game: Game[Any, Any], minutes: float, *, quiet: bool, as_json: bool
) -> None:
    """Judge the newest network of a run; store and print what came out."""
    from unbounded.interfaces.terminal.progress import steps

    if folder.latest is None:
        return
    if minutes > 0:
        with steps(quiet=quiet or as_json) as say, _without_notices_of_others():
            report = final_report(folder, game, minutes, say=say)
        earlier = report_in(folder)
        if report["interrupted"] and earlier is not None and not earlier["interrupted"]:
            print_error("interrupted; the report of before is kept")
        else:
            _store(folder, report)
    draw(folder)
    show(folder, as_json=as_json)


@contextlib.contextmanager
def _without_notices_of_others() -> Iterator[None]:
    """While inside, new processes print no notices: they would write into the progress."""
    before = os.environ.get(QUIET)
    os.environ[QUIET] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ[QUIET]
        else:
            os.environ[QUIET] = before


def final_report(
    folder: RunFolder, game: Game[Any, Any], minutes: float, *, say: Say | None = None
) -> dict[str, Any]:
    """Measure the newest network against solved positions, and play matches; Ctrl-C ends it soon.

    Plain values for JSON: `measured` and `perfect`, as in `RunYardsticks`, `matches`, and the
    `verdict` in words.
    """
    started = time.monotonic()
    latest = folder.latest
    assert latest is not None
    yardsticks, matches, interrupted = None, list[dict[str, Any]](), False
    try:
        yardsticks = _measured(folder, game, 60 * minutes * (1 - SHARE_OF_MATCHES), say)
        left = 60 * minutes - (time.monotonic() - started)
        if game.players > 1:
            matches, interrupted = _matches(folder, game, left, say)
    except KeyboardInterrupt:
        interrupted = True
    return {
        "game": folder.game_name,
        "generation": latest,
        "verdict": _verdict(yardsticks, matches),
        **(yardsticks.to_dict() if yardsticks is not None else {}),
        "matches": matches,
        "interrupted": interrupted or any(x["games"] == 0 for x in matches),
        "seconds": time.monotonic() - started,
    }


def _measured(
    folder: RunFolder, game: Game[Any, Any], seconds: float, say: Say | None
) -> RunYardsticks:
    """Measure the first and the newest network on solved positions."""
    from unbounded.learning.run_yardsticks import measure_run
    from unbounded.solving.solve import available_cores

    networks = folder.network_paths()
    first, newest = networks[min(networks)], networks[max(networks)]
    cores = available_cores()
    return measure_run(game, first, newest, seconds=seconds, jobs=cores, say=say)


def _verdict(yardsticks: RunYardsticks | None, matches: Sequence[dict[str, Any]]) -> str:
    """One plain verdict from what was measured."""
    from unbounded.learning.run_yardsticks import AFTER, BEFORE
    from unbounded.learning.verdict import Versus, verdict

    measured = {} if yardsticks is None else yardsticks.measured
    versus = [
        Versus(x["opponent"], x["share"], x["low"], x["high"], x["games"])
        for x in matches
        if x["share"] is not None
    ]
    return verdict(measured.get(BEFORE), measured.get(AFTER), versus)


# -- matches --------------------------------------------------------------------------------------


def _matches(
    folder: RunFolder, game: Game[Any, Any], seconds: float, say: Say | None
) -> tuple[list[dict[str, Any]], bool]:
    """Play against the first network, the heuristic and MCTS in turn, until the time is over.

    Also returns whether Ctrl-C ended the matches before that.
    """
    from unbounded.players.matches import Comparing, compare
    from unbounded.players.matches.playing import random_length
    from unbounded.solving.solve import available_cores

    latest = folder.latest
    assert latest is not None
    length = random_length(game) or _USUAL_LENGTH
    opponents = opponents_of(game, folder.network_paths(), latest)
    least, most = SECONDS_PER_MOVE
    cores = available_cores()
    room = seconds * cores / (length * WANTED_GAMES * len(opponents))
    per_move = round(min(most, max(least, room)), 3)
    comparisons = _comparisons(folder.network_path(latest), opponents, per_move)
    asked = Comparing(comparisons, (str(game),), MOST_GAMES, OPENING)
    ends = time.monotonic() + seconds
    total = MOST_GAMES * len(opponents)
    in_time = True

    def progress(played: Sequence[Any]) -> None:
        nonlocal in_time
        if say is not None:
            say(f"judging: {len(played)} games of matches, at most {total}")
        in_time = time.monotonic() < ends
        if not in_time:
            raise KeyboardInterrupt  # ends the matches with the games that were played

    results, _ = compare(asked, jobs=cores, progress=progress)
    interrupted = in_time and sum(result.whole.games for result in results) < total
    return [_match(result, per_move) for result in results], interrupted


def opponents_of(
    game: Game[Any, Any], networks: dict[int, Path], latest: int
) -> list[tuple[str, str]]:
    """What to play against: a name for people, and the player without its limits."""
    from unbounded.learning.verdict import FIRST

    first = min(networks)
    evaluation = "heuristic" if game.has_evaluation else "zero"
    found = [(f"UBFM with {evaluation}", f"ubfm(rule=safest,evaluation={evaluation})")]
    if first < latest:
        found.insert(0, (FIRST, _player(networks[first])))
    return [*found, ("MCTS", "mcts")]


def _player(network: Path) -> str:
    return f"ubfm(rule=safest,evaluation={format_value(str(network))})"


def _comparisons(network: Path, opponents: Sequence[tuple[str, str]], seconds: float) -> Any:
    from unbounded.players.matches import Comparison

    return tuple(
        Comparison(name, _player(network), other).within(seconds=seconds)
        for name, other in opponents
    )


def _match(result: ComparisonResult, seconds: float) -> dict[str, Any]:
    score = result.whole
    low, high = share_of(score.difference.low), share_of(score.difference.high)
    return {
        "opponent": result.about,
        "seconds_per_move": seconds,
        "games": score.games,
        "won": score.won,
        "drawn": score.drawn,
        "lost": score.lost,
        "share": score.share,
        "low": low,
        "high": high,
        "players": [result.first, result.second],
    }


def share_of(elo: float) -> float:
    """The share of the points that is expected from a difference in Elo."""
    return float(1 / (1 + 10 ** (-max(-4000.0, min(4000.0, elo)) / 400)))


def _store(folder: RunFolder, report: dict[str, Any]) -> None:
    from unbounded.interfaces.terminal.learning_report import report_markdown
    from unbounded.learning.metrics import read_rows
    from unbounded.learning.run_folder import METRICS

    rows = read_rows(folder.path / METRICS)
    folder.write_json(REPORT, report)
    text = report_markdown(folder.game_name, str(folder.path), rows, report)
    folder.write_text(REPORT_TEXT, text)


# -- printing and drawing -------------------------------------------------------------------------


def draw(folder: RunFolder) -> None:
    """Draw the plots anew; without them, the run is still complete."""
    from unbounded.learning import plots
    from unbounded.learning.metrics import read_rows
    from unbounded.learning.run_folder import METRICS, PLOTS

    rows = read_rows(folder.path / METRICS)
    matches = [x for x in plots.shares_of(report_in(folder) or {}) if x.games]
    try:
        plots.draw_plots(folder.path / PLOTS, rows, matches, title=folder.game_name)
    except OSError as error:
        print_error(f"the plots were not drawn: {error.strerror or error}")


def report_in(folder: RunFolder) -> dict[str, Any] | None:
    """The report in the folder of a run; None if it has not been judged."""
    from unbounded.learning.run_files import read_json

    path = folder.path / REPORT
    return read_json(path) if path.is_file() else None


def show(folder: RunFolder, *, as_json: bool) -> None:
    """Print what the folder says."""
    from unbounded.interfaces.terminal.console import Terminal
    from unbounded.interfaces.terminal.learning_report import report_table
    from unbounded.learning.metrics import read_rows
    from unbounded.learning.run_folder import METRICS

    rows = read_rows(folder.path / METRICS)
    report = report_in(folder)
    if as_json:
        said = {"run": str(folder.path), "game": folder.game_name, "generation": folder.latest}
        print_json({**said, "metrics": rows[-1] if rows else None, "report": report})
        return
    Terminal().print(report_table(folder.game_name, str(folder.path), rows, report))
