# SPDX-License-Identifier: MIT
"""`unbounded learn`: an evaluation learned by self-play, in the folder of a run."""

from __future__ import annotations

import datetime
import importlib.util
import re
import shlex
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from unbounded.cluster.ray_connection import check_ray, chosen_address
from unbounded.game import Game, UnboundedError, UsageError, require
from unbounded.game.notices import print_error
from unbounded.interfaces.cli.common import GOOD, Debug, Job, Json, Quiet
from unbounded.interfaces.cli.flags import flag_of, options_given, typed, with_flags
from unbounded.interfaces.process import Signals
from unbounded.learning.settings import (
    RAY_EXTRAS,
    RUN,
    SESSION,
    LearnSettings,
    check_encodes,
    learn_settings,
)

if TYPE_CHECKING:
    from unbounded.interfaces.terminal.learning import View
    from unbounded.learning.progress import Progress
    from unbounded.learning.run_folder import RunFolder

RUNS = Path("runs")
"""Where new runs are, unless a folder is given."""

GameName = Annotated[
    str | None, typer.Argument(metavar="GAME", help="The game; not needed with --resume.")
]
Folder = Annotated[
    str | None,
    typer.Option(
        "--run",
        metavar="FOLDER",
        help="Folder of the run. Default: runs/GAME-DATE.",
        rich_help_panel=RUN,
    ),
]
Resume = Annotated[
    bool,
    typer.Option(
        "--resume",
        metavar="",
        help="Continue the run in the folder, with its settings.",
        rich_help_panel=RUN,
    ),
]
ShowReport = Annotated[
    bool,
    typer.Option(
        "--report",
        metavar="",
        help="Show what the folder of the run says, and draw its plots, without learning; with "
        "--judge, judge it anew.",
        rich_help_panel=RUN,
    ),
]
Judge = Annotated[
    float | None,
    typer.Option(
        metavar="M",
        help="Minutes to judge the network at the end, by yardsticks and matches; 0: not at all. "
        "Default: 2.",
        rich_help_panel=RUN,
    ),
]
DEFAULT_JUDGE = 2.0


@dataclass(frozen=True)
class Request:
    """What was typed."""

    game: str | None
    run: str | None
    settings: dict[str, Any]
    """Fields of `LearnSettings`: those that were typed."""
    resume: bool
    report: bool
    judge: float | None
    quiet: bool
    as_json: bool


@with_flags(learn_settings(), after="text")
def learn(
    *,
    context: typer.Context,
    text: GameName = None,
    run: Folder = None,
    resume: Resume = False,
    report: ShowReport = False,
    judge: Judge = None,
    quiet: Quiet = False,
    as_json: Json = False,
    debug: Debug = False,
    **flags: Any,
) -> Job:
    """Learn an evaluation by self-play, and judge it, until a limit or Ctrl-C."""
    given = options_given(context, learn_settings())
    request = Request(text, run, given, resume, report, judge, quiet, as_json)
    require(not (resume and report), "--report does not learn: leave out --resume")
    require(run is not None or not (resume or report), "which run? Give its folder with --run")
    require(
        text is not None or resume or report,
        "which game? Say its name, or continue a run with --resume --run FOLDER",
    )
    require(judge is None or 0 <= judge < 1e6, f"--judge must be 0 or more, not {judge}")
    if report:
        require(not given, "--report does not learn: leave out the settings")
        return lambda signals: _show(request, signals)
    return lambda signals: _run(request, signals)


# -- learning -------------------------------------------------------------------------------------


def _run(request: Request, signals: Signals) -> int:
    from unbounded.interfaces.cli import judging
    from unbounded.interfaces.terminal.progress import waiting

    with waiting("checking the game and the settings ...", quiet=request.quiet or request.as_json):
        game, settings, folder = _opened(request)
    with folder:
        try:
            _learn(request, game, settings, folder, signals)
            signals.forget()
            minutes = DEFAULT_JUDGE if request.judge is None else request.judge
            judging.judge(folder, game, minutes, quiet=request.quiet, as_json=request.as_json)
        except (KeyboardInterrupt, UnboundedError):
            if folder.latest is not None:
                _say_how_to_go_on(request, settings, folder)
            raise
        _say_how_to_go_on(request, settings, folder)
    return GOOD


def _learn(
    request: Request,
    game: Game[Any, Any],
    settings: LearnSettings,
    folder: RunFolder,
    signals: Signals,
) -> None:
    """Learn until the end of the session, and show the progress."""
    from unbounded.interfaces.terminal.learning import learning_view
    from unbounded.learning import loop
    from unbounded.learning.metrics import read_rows
    from unbounded.learning.run_folder import METRICS
    from unbounded.learning.settings import choose_device
    from unbounded.solving.solve import available_cores

    complete = settings.complete(game, choose_device(settings.device), available_cores())
    folder.log(f"begins: {'resumed' if request.resume else 'new'}, {complete}")
    about, rows = f"{folder.game_name} in {folder.path}", read_rows(folder.path / METRICS)
    quiet, as_json = request.quiet, request.as_json
    with learning_view(about, rows, quiet=quiet, as_json=as_json) as view:
        watching = _Watching(view, settings.minutes)
        with signals.stopping_first(watching):
            loop.learn(game, complete, folder, watching.report)
    folder.log(f"ends at generation {folder.latest}")


class _Watching:
    """Shows the reports of a run, and requests its end after Ctrl-C."""

    def __init__(self, view: View, minutes: float | None) -> None:
        self._view, self._minutes = view, minutes
        self._stopping = False

    def stop(self) -> None:
        """Request the end; called by a signal handler."""
        self._stopping = True

    def report(self, progress: Progress) -> bool:
        """Show where the run is; return whether it is to end."""
        if self._minutes is not None:
            progress = replace(progress, remaining=60 * self._minutes - progress.seconds)
        self._view.show(progress, stopping=self._stopping)
        return self._stopping


def _say_how_to_go_on(request: Request, settings: LearnSettings, folder: RunFolder) -> None:
    if request.as_json:
        return
    latest = folder.latest
    said = "nothing was learned yet" if latest is None else f"generation {latest} is saved"
    words = ["unbounded", "learn"]
    try:
        _game_of(folder)
    except UsageError:  # no file runs by its name alone
        words.append(settings.game)
    words += ["--resume", "--run", str(folder.path)]
    for name in _limits_reached(folder, settings):
        limit = getattr(settings, name)
        words += [
            flag_of(name),
            f"{2 * limit or 1:g}" if name == "minutes" else str(2 * limit or 1),
        ]
    print_error(f"{said} in {folder.path}; go on with: {shlex.join(words)}")


# -- opening a run --------------------------------------------------------------------------------


def _opened(request: Request) -> tuple[Game[Any, Any], LearnSettings, RunFolder]:
    """Check everything, then make or open the folder of the run."""
    from unbounded.game import catalogue

    game = None if request.game is None else catalogue.load_game(request.game)
    if request.resume:
        return _resumed(request, game)
    assert game is not None
    assert request.game is not None
    settings = LearnSettings(game=request.game, **request.settings)
    _check(settings, game)
    from unbounded.learning.networks.shape import default_network
    from unbounded.learning.run_folder import RunFolder
    from unbounded.learning.settings import choose_device

    if settings.network == "auto":  # chosen once: the run may be resumed on another device
        chosen = default_network(game, choose_device(settings.device))
        settings = replace(settings, network=chosen)
    path = _default_folder(game) if request.run is None else Path(request.run)
    return game, settings, RunFolder.create(path, settings, game)


def _resumed(
    request: Request, game: Game[Any, Any] | None
) -> tuple[Game[Any, Any], LearnSettings, RunFolder]:
    from unbounded.learning.run_folder import RunFolder

    assert request.run is not None
    folder = RunFolder.open(request.run, game)
    try:
        text, found = (request.game, game) if game is not None else _game_of(folder)
        assert text is not None
        assert found is not None
        saved = folder.settings
        for name, value in request.settings.items():
            kept = getattr(saved, name)
            require(
                name in SESSION or value == kept,
                f"{folder.path} was begun {typed(name, kept)}, not {typed(name, value)}: a resumed "
                "run keeps its settings",
            )
        settings = replace(saved, game=text, **request.settings)
        _check(settings, found)
        folder.newest_intact(print_error)
        _check_unfinished(folder, settings)
    except BaseException:
        folder.close()
        raise
    return found, settings, folder


def _check_unfinished(folder: RunFolder, settings: LearnSettings) -> None:
    """Refuse to go on with a run that has reached its limits."""
    for name in _limits_reached(folder, settings):
        limit = getattr(settings, name)
        raise UsageError(
            f"{folder.path} has reached its end, {limit:g} {name}: go on with more `{name}`"
        )


def _limits_reached(folder: RunFolder, settings: LearnSettings) -> list[str]:
    """The limits that end the run where it is now."""
    counters = folder.counters or {}
    done = {
        "minutes": counters.get("seconds", 0) / 60,
        "states": counters.get("expanded", 0),
        "generations": folder.latest or 0,
    }
    limits = {name: getattr(settings, name) for name in done}
    return [name for name, x in limits.items() if x is not None and done[name] >= x]


def _game_of(folder: RunFolder) -> tuple[str, Game[Any, Any]]:
    """The game of a run; one from a file must be given, since no file runs by its name."""
    from unbounded.game import catalogue

    try:
        return folder.game_name, catalogue.load_game(folder.game_name, files=False)
    except catalogue.FileRefusedError:
        raise UsageError(
            f"{folder.path} is of a game from a file, which must be named too: "
            f"unbounded learn FILE.py:NAME --resume --run {folder.path}"
        ) from None


def _check(settings: LearnSettings, game: Game[Any, Any]) -> None:
    """Refuse what cannot be learned, before anything is written."""
    check_encodes(game)
    settings.validate(game)
    if importlib.util.find_spec("torch") is None:
        raise UsageError("learning needs PyTorch: pip install 'unbounded[learn]'")
    from unbounded.learning.self_play import check_compiled
    from unbounded.learning.settings import choose_device

    check_compiled(game)
    choose_device(settings.device)
    if chosen_address(settings.ray) is not None:
        check_ray(settings.ray, RAY_EXTRAS)
    if settings.network != "auto":
        _check_network(settings, game)


def _check_network(settings: LearnSettings, game: Game[Any, Any]) -> None:
    """Refuse an unknown network, and one that cannot be given this game's states."""
    from unbounded.learning.networks.choosing import check_network, make_network, shape_of

    make_network(settings.network, shape_of(game), settings.seed)
    check_network(settings.network, game)


def _default_folder(game: Game[Any, Any]) -> Path:
    """A new folder, named after the game and the time."""
    words = re.findall(r"[\w-]+", str(game).rpartition("/")[2])
    now = datetime.datetime.now().astimezone().strftime("%Y%m%d-%H%M%S")
    return RUNS / f"{'-'.join(words)[:60]}-{now}"


# -- showing a run --------------------------------------------------------------------------------


def _show(request: Request, signals: Signals) -> int:
    """Show what the folder says; judge it first, if that was asked for."""
    from unbounded.game import catalogue
    from unbounded.interfaces.cli import judging
    from unbounded.learning.run_folder import RunFolder

    assert request.run is not None
    game = None if request.game is None else catalogue.load_game(request.game)
    judged = bool(request.judge)
    with RunFolder.open(request.run, game, read_only=not judged) as folder:
        if judged:
            assert request.judge is not None
            found = _game_of(folder)[1] if game is None else game
            judging.judge(
                folder, found, request.judge, quiet=request.quiet, as_json=request.as_json
            )
        else:
            judging.draw(folder)  # a run that was killed, or goes on, has no plots yet
            judging.show(folder, as_json=request.as_json)
    return GOOD
