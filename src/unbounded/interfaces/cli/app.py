# SPDX-License-Identifier: MIT
"""The command line: `unbounded games | check | solve | analyze`, and `commands` for the others.

Typer only reads the arguments: each command returns a `Job`, which `main` runs. So every failure,
wherever it happens, is answered in one place: one line on stderr and an exit code. What is slow to
import (the core, Numba) is imported by the jobs, when the arguments are known to be good.
"""

from __future__ import annotations

import os
import shlex
import sys
import traceback
import warnings
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from unbounded.game import Game, RuleError, UnboundedError, UsageError, require
from unbounded.game.notices import complain, without_notices
from unbounded.game.rule_errors import CYCLE_ADVICE, blame
from unbounded.interfaces.cli import bench, engine, matches, play, proofs, serve
from unbounded.interfaces.cli.common import (
    BAD_INPUT,
    BROKEN,
    BY_SIGNAL,
    CLOSED_OUTPUT,
    EXIT_CODES,
    GOOD,
    NOT_PROVEN,
    Command,
    Commands,
    Debug,
    GameText,
    Job,
    Json,
    Moves,
    Quiet,
    Seed,
    print_json,
)
from unbounded.interfaces.cli.files import SEARCH, Force, check_readable, check_writable, is_same
from unbounded.interfaces.cli.flags import in_flags, typed
from unbounded.interfaces.process import Signals, prepare_streams, settle_stdout, show_warning
from unbounded.search.budget import Budget
from unbounded.storage.memory import process_memory

if TYPE_CHECKING:
    from unbounded.search.search import Search
    from unbounded.solving.certificate import Written

app = typer.Typer(
    name="unbounded",
    cls=Commands,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Solve perfect-information games of any number of players by complete best-first search.",
    epilog='A game is its name, with parameters if need be: "connect-four(width=5,height=4)", or '
    "a file: mygame.py:MyGame. Players are numbered from 1 for people, from 0 in JSON.\n\n"
    + EXIT_CODES,
)


# -- the ends of the program ----------------------------------------------------------------------


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program and return its exit code; `commands.common` has them."""
    given = list(sys.argv[1:] if arguments is None else arguments) or ["--help"]
    debug = "--debug" in given or os.environ.get("UNBOUNDED_DEBUG", "0") not in ("", "0")
    prepare_streams()
    with warnings.catch_warnings(), without_notices(), Signals() as signals:
        warnings.showwarning = show_warning
        try:
            job = _read(given)
            code = job if isinstance(job, int) else job(signals)
            sys.stdout.flush()
            return code
        except BrokenPipeError:
            return CLOSED_OUTPUT
        except (Exception, KeyboardInterrupt) as error:
            if debug:
                traceback.print_exc()
            code, message = _answer(error, given, signals)
            complain(message)
            return code
        finally:
            settle_stdout()


def _answer(error: BaseException, given: Sequence[str], signals: Signals) -> tuple[int, str]:
    """Return the exit code and the line for a failure, in the words of what was typed."""
    error = blame(error) or error
    if isinstance(error, KeyboardInterrupt):
        return BY_SIGNAL + signals.last, "interrupted"
    if isinstance(error, UsageError):
        return BAD_INPUT, in_flags(error.marked, _flags(given))
    if isinstance(error, UnboundedError):
        return BROKEN, str(error)
    if isinstance(error, MemoryError):
        return BROKEN, "out of memory; limit the search with --memory"
    return BROKEN, f"{type(error).__name__}: {error} (--debug shows where)"


def _flags(given: Sequence[str]) -> frozenset[str]:
    """The flags of the command that was typed."""
    commands: dict[str, Any] = getattr(typer.main.get_command(app), "commands", {})
    command = commands.get(next(iter(given), ""))
    parameters = [] if command is None else command.params
    return frozenset(flag for parameter in parameters for flag in parameter.opts)


def _read(arguments: list[str]) -> Job | int:
    """Let Typer read the arguments; its complaints become a `UsageError` of one line."""
    try:
        job: Job | int | None = typer.main.get_command(app).main(
            arguments, prog_name="unbounded", standalone_mode=False
        )
    except SystemExit:  # by Typer, when the reader of the help has gone
        return CLOSED_OUTPUT
    except Exception as error:
        # Typer brings its own copy of Click or uses the installed one, depending on its version.
        explain = getattr(error, "format_message", None)
        if explain is None:
            raise
        message = _in_plain_words(error, arguments) or str(explain()).rstrip(".")
        context = getattr(error, "ctx", None)
        see = f" (see '{context.command_path} --help')" if context is not None else ""
        raise UsageError(message[:1].lower() + message[1:] + see) from error
    return GOOD if job is None else job


WANTED = {"valid integer": "a whole number", "valid number": "a number"}
"""What the library that reads the arguments calls a kind of value, and what we do."""


def _in_plain_words(error: Exception, arguments: Sequence[str]) -> str | None:
    """Say what an option needs that was given something else; None for other complaints."""
    said, option = str(getattr(error, "message", "")), getattr(error, "param", None)
    wanted = next((ours for theirs, ours in WANTED.items() if theirs in said), None)
    if wanted is None or option is None:
        return None
    if option.nargs != 1:
        return f"{option.opts[0]} needs {option.nargs} values, each {wanted}"
    for word, following in zip(arguments, [*arguments[1:], ""], strict=True):
        name, equals, value = word.partition("=")
        if name in option.opts:
            return f"{name} must be {wanted}, not {value if equals else following!r}"
    return f"{option.opts[0]} must be {wanted}"


# -- options --------------------------------------------------------------------------------------


def _limit(metavar: str, about: str) -> Any:
    return typer.Option(metavar=metavar, help=about, rich_help_panel="Limits")


def _search_option(metavar: str, about: str) -> Any:
    return typer.Option(metavar=metavar, help=about, rich_help_panel="The search")


def _variant(name: str, about: str) -> Any:
    return typer.Option(name, metavar="", help=about, rich_help_panel="Variants of the paper")


GameName = Annotated[
    str | None, typer.Argument(metavar="GAME", help="The game; --resume knows it.")
]
Algorithm = Annotated[str, _search_option("NAME", "ubfm or descent.")]
Values = Annotated[
    str | None,
    _search_option(
        "NAME", "minimax, resolved_completion or propagated_completion; else what fits."
    ),
]
Evaluation = Annotated[
    str | None, _search_option("NAME", "zero, heuristic or playouts(N); else what the game has.")
]

Seconds = Annotated[float | None, _limit("T", "Stop after T seconds.")]
AnalysisSeconds = Annotated[float, _limit("T", "Stop after T seconds.")]
Iterations = Annotated[int | None, _limit("N", "Stop after N iterations.")]
States = Annotated[
    int | None, _limit("N", "Stop after N more states, stored or visited by probes.")
]
Memory = Annotated[
    str | None,
    _limit(
        "SIZE",
        "Stop when the whole process holds so much, like 4G or 512M: the search gets what Python "
        "and the compiled rules leave, but at least half. Else 70 % of the free memory.",
    ),
]

NoSymmetry = Annotated[
    bool,
    typer.Option(
        "--no-symmetry",
        metavar="",
        help="Store positions apart that are the same up to symmetry, as --paper does.",
        rich_help_panel="The search",
    ),
]

Threads = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        help="How many threads share the search; else as many as there are cores.",
        rich_help_panel="The search",
    ),
]
ExactScore = Annotated[
    bool,
    typer.Option(
        "--exact-score",
        metavar="",
        help="Prove the score too (the biggest margin), not only who wins.",
        rich_help_panel="The search",
    ),
]
NoBounds = Annotated[
    bool,
    typer.Option(
        "--no-bounds",
        metavar="",
        help="Keep no bounds, and so use no probes and no threads.",
        rich_help_panel="The search",
    ),
]
NoProbes = Annotated[
    bool,
    typer.Option(
        "--no-probes",
        metavar="",
        help="Store every state: search no leaf depth-first.",
        rich_help_panel="The search",
    ),
]

Save = Annotated[
    str | None,
    typer.Option(
        metavar="FILE",
        help="Save the search to FILE now and then, and when it stops.",
        rich_help_panel="Never lost",
    ),
]
SaveEvery = Annotated[
    float | None,
    typer.Option(
        metavar="T",
        help="Save not more often than every T seconds, else 30; and never so often that it takes "
        "more than 4 % of the time.",
        rich_help_panel="Never lost",
    ),
]
Resume = Annotated[
    str | None,
    typer.Option(
        metavar="FILE",
        help="Go on with the search in FILE: its game, its options; it is saved there again.",
        rich_help_panel="Never lost",
    ),
]
Look = Annotated[
    str | None,
    typer.Option(
        "--resume",
        metavar="FILE",
        help="Go on with the search in FILE: its game, its options; FILE stays as it is.",
        rich_help_panel="Never lost",
    ),
]

Everything = Annotated[
    bool,
    typer.Option(
        "--all",
        metavar="",
        help="Solve strongly: resolve every state that can be reached, and count them by ply.",
        rich_help_panel="The search",
    ),
]

CertificateFile = Annotated[
    str | None,
    typer.Option(
        "--certificate",
        metavar="FILE",
        help="Write down the proof, for `unbounded verify` and other checkers.",
        rich_help_panel="The search",
    ),
]

Paper = Annotated[bool, _variant("--paper", "The listing exactly as printed.")]
NoCompletion = Annotated[
    bool, _variant("--no-completion", "The basic algorithm: proves nothing, needs a limit.")
]
ResolveOnWin = Annotated[bool, _variant("--resolve-on-win", "A first win resolves a state.")]
StopAtDraw = Annotated[bool, _variant("--stop-at-draw", "A descent ends at a proven draw.")]
LocalMaximum = Annotated[
    bool, _variant("--local-maximum", "The best score still reachable resolves a state.")
]


# -- commands -------------------------------------------------------------------------------------


def _print_version(wanted: bool) -> None:
    if wanted:
        from unbounded.version import VERSION

        typer.echo(f"unbounded {VERSION}")
        raise typer.Exit


@app.callback()
def unbounded(
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            metavar="",
            is_eager=True,
            callback=_print_version,
            help="Show the version and exit.",
        ),
    ] = False,
) -> None:
    """Take the options that belong to no command."""


@app.command(cls=Command)
def games(
    name: Annotated[
        str | None,
        typer.Argument(metavar="GAME", help="Show this one: rules, parameters, start."),
    ] = None,
    as_json: Json = False,
    debug: Debug = False,
) -> Job:
    """List the games that can be named, or show one of them."""

    def job(_: Signals) -> int:
        from unbounded.game import catalogue
        from unbounded.interfaces.terminal import display

        if name is None:
            known = [catalogue.describe(cls) for cls in catalogue.games().values()]
            print_json(known) if as_json else display.print_games(display.Terminal(), known)
            return GOOD
        kind = catalogue.games().get(name)
        if kind is not None and any(x["required"] for x in catalogue.describe(kind)["parameters"]):
            about = catalogue.describe(kind)  # such as a wrapper: it starts as what it is given
        else:
            game = catalogue.load_game(name)
            about = _describe(game)
        print_json(about) if as_json else display.print_game(display.Terminal(), about)
        return GOOD

    return job


@app.command(cls=Command)
def check(
    *,
    text: GameText,
    number: Annotated[
        int, typer.Option("--games", metavar="N", help="How many random games to play.")
    ] = 100,
    seed: Seed = 0,
    quiet: Quiet = False,
    as_json: Json = False,
    debug: Debug = False,
) -> Job:
    """Check that a game conforms to the contract; exit 1 if it does not, or if it may not end."""

    def job(_: Signals) -> int:
        from unbounded.game import catalogue
        from unbounded.interfaces.terminal import display

        game = catalogue.load_game(text)
        require(number >= 1, f"--games must be 1 or more, not {number}")
        from unbounded.conformance.check import check_game

        try:
            with display.steps(quiet=quiet) as progress:
                report = check_game(game, games=number, seed=seed, progress=progress)
        except RuleError as error:
            if debug:
                traceback.print_exc()
            if as_json:
                print_json({"game": str(game), "conforms": False, "broken": str(error)})
            print(f"unbounded: {error}", file=sys.stderr)
            return BROKEN
        if as_json:
            outcomes = [{"outcome": o, "count": n} for o, n in report.outcomes.items()]
            print_json({"conforms": report.conforms, **asdict(report), "outcomes": outcomes})
        else:
            print(report)
        if not report.conforms:
            complain(f"{game}: no end of a random game was seen; {CYCLE_ADVICE}")
        return GOOD if report.conforms else BROKEN

    return job


# What an option says is read from the context, so that two commands can share it.


@app.command(cls=Command)
def solve(
    *,
    context: typer.Context,
    text: GameName = None,
    moves: Moves = "",
    algorithm: Algorithm = "ubfm",
    values: Values = None,
    evaluation: Evaluation = None,
    seed: Seed = 0,
    seconds: Seconds = None,
    iterations: Iterations = None,
    states: States = None,
    memory: Memory = None,
    paper: Paper = False,
    no_completion: NoCompletion = False,
    resolve_on_win: ResolveOnWin = False,
    stop_at_draw: StopAtDraw = False,
    local_maximum: LocalMaximum = False,
    no_symmetry: NoSymmetry = False,
    exact_score: ExactScore = False,
    no_bounds: NoBounds = False,
    no_probes: NoProbes = False,
    threads: Threads = None,
    everything: Everything = False,
    certificate: CertificateFile = None,
    save: Save = None,
    save_every: SaveEvery = None,
    resume: Resume = None,
    force: Force = False,
    quiet: Quiet = False,
    as_json: Json = False,
    debug: Debug = False,
) -> Job:
    """Search until the outcome is proven, or until a limit or Ctrl-C."""
    require(
        save_every is None or save is not None or resume is not None,
        "--save-every needs --save FILE",
    )
    shortcuts = {
        "canonical": not (paper or no_symmetry),
        "exact_score": exact_score,
        "bounds": False if no_bounds else None,
        "probes": False if no_bounds or no_probes else None,
        "threads": threads,
    }
    request = _asked(context, shortcuts, analysis=False)
    if not everything:
        return request.run
    require(iterations is None, "--all makes no iterations: give --seconds, --states or --memory")
    require(not exact_score, "--all takes no shortcuts: no --exact-score")
    require(threads is None, "--all takes no shortcuts: no --threads")
    require(certificate is None, "--all counts states: it writes no --certificate")
    return request.run_all


@app.command(cls=Command)
def analyze(
    *,
    context: typer.Context,
    text: GameName = None,
    moves: Moves = "",
    algorithm: Algorithm = "ubfm",
    values: Values = None,
    evaluation: Evaluation = None,
    seed: Seed = 0,
    seconds: AnalysisSeconds = 10.0,
    iterations: Iterations = None,
    states: States = None,
    memory: Memory = None,
    paper: Paper = False,
    no_completion: NoCompletion = False,
    resolve_on_win: ResolveOnWin = False,
    stop_at_draw: StopAtDraw = False,
    local_maximum: LocalMaximum = False,
    save: Save = None,
    save_every: SaveEvery = None,
    resume: Look = None,
    force: Force = False,
    quiet: Quiet = False,
    as_json: Json = False,
    debug: Debug = False,
) -> Job:
    """Search for a while and show what is known of every action."""
    require(save_every is None or save is not None, "--save-every needs --save FILE")
    # No shortcuts: they prove the outcome sooner by leaving other actions alone.
    plain = {"canonical": False, "exact_score": False, "bounds": False, "probes": False}
    return _asked(context, {**plain, "threads": None}, analysis=True).run


def _asked(context: typer.Context, shortcuts: dict[str, Any], *, analysis: bool) -> Request:
    """Read what both commands share."""
    told = context.params
    values = told["values"]
    as_they_are = ("moves", "algorithm", "evaluation", "seed", "paper", "resolve_on_win")
    options = {name: told[name] for name in (*as_they_are, "stop_at_draw", "local_maximum")}
    options |= {"values": values and values.replace("-", "_")}
    options |= {"completion": not told["no_completion"], **shortcuts}
    limits = {name: told[name] for name in ("seconds", "iterations", "states", "memory")}
    require(told["text"] is not None or told["resume"] is not None, "give a game, or --resume FILE")
    keeping = Keeping(
        told["save"],
        told["save_every"],
        told["resume"],
        _given(context),
        told.get("certificate"),
        force=told["force"],
    )
    return Request(
        told["text"],
        options,
        limits,
        keeping,
        analysis=analysis,
        quiet=told["quiet"],
        as_json=told["as_json"],
    )


def _given(context: typer.Context) -> frozenset[str]:
    """The options that were typed, rather than left as they are."""
    sources = {name: context.get_parameter_source(name) for name in context.params}
    return frozenset(name for name, x in sources.items() if x and x.name == "COMMANDLINE")


@dataclass(frozen=True)
class Keeping:
    """What was asked for about files."""

    save: str | None
    every: float | None
    resume: str | None
    given: frozenset[str]
    """The options that were typed."""
    certificate: str | None = None
    """Where to write the proof."""
    force: bool = False
    """Whether files that exist may be written over."""

    def autosave(self, *, analysis: bool) -> Any:
        """Who saves the search, if anybody: a search that is taken up goes back to its file."""
        from unbounded.search.checkpoints import Autosave

        path = self.save if self.save is not None or analysis else self.resume
        if path is None:
            return None
        if self.every is None:
            return Autosave(path, tell=complain)
        return Autosave(path, every=self.every, tell=complain)

    def check_place(self) -> None:
        """Refuse to write over a file that holds something else, before anything is done."""
        if self.resume is not None:
            check_readable(self.resume, SEARCH)
        for other in (self.save, self.resume):
            require(not is_same(self.certificate, other), "the certificate needs a file of its own")
        check_writable(self.certificate, force=self.force)
        check_writable(
            self.save,
            force=self.force,
            own=self.resume,
            instead="go on with it by --resume, save to another file",
        )


@dataclass(frozen=True)
class Request:
    """A search, as it was asked for."""

    game: str | None
    options: dict[str, Any]
    """Those of `Search`."""
    limits: dict[str, Any]
    """Those of `Search.run`; memory is that of the whole process."""
    keeping: Keeping
    analysis: bool
    quiet: bool
    as_json: bool

    def run(self, signals: Signals) -> int:
        """Check everything that can be checked before something slow is imported, then search."""
        from unbounded.interfaces.terminal import display

        budget = Budget(**self.limits)
        self.keeping.check_place()
        make = self._maker(budget)
        with display.progress(
            quiet=self.quiet, analysis=self.analysis, seconds=self.limits["seconds"]
        ) as progress:
            search = make()
            require(
                self.keeping.certificate is None or not search.scores_ignored,
                f"{search.game} has scores, and --resolve-on-win ignores them: there is no "
                "--certificate of that",
            )
            autosave = self.keeping.autosave(analysis=self.analysis)
            limits = {**self.limits, "memory": _memory_for_search(budget)}
            with signals.ending(search) as until:
                search.run(**limits, until=until, progress=progress, save=autosave)
        unread: OSError | None = None
        if not self.as_json:
            try:
                display.print_result(display.Terminal(), search, analysis=self.analysis)
                sys.stdout.flush()
            except OSError as error:  # nobody reads it: no reason to lose the proof
                unread = error
        written = self._certificate(search, signals)
        if unread is not None:
            raise unread
        code = self._end(search, proven=search.root.resolved)
        failed = search.root.resolved and self.keeping.certificate is not None and written is None
        return BROKEN if failed else code

    def _certificate(self, search: Search, signals: Signals) -> Written | None:
        """Write the proof, if that was asked for. What was found is told whether it works or not.

        As JSON the two are one object: it is printed after the attempt, however that ends.
        """
        from unbounded.interfaces.terminal import display
        from unbounded.native.failures import words

        written, why_not = None, ""
        failure: BaseException | None = None
        asked = self.keeping.certificate is not None
        if asked:
            try:
                written = self._certify(search, signals)
                why_not = "" if written else _why_not(resolved=search.root.resolved)
            except KeyboardInterrupt as error:
                failure, why_not = error, _why_not(resolved=True)
            except Exception as error:
                failure, why_not = error, words(error)
        if self.as_json:
            told = {"certificate": written and asdict(written), "certificate_error": why_not}
            print(search.result.to_json(**self._kept(search), **(told if asked else {})))
            sys.stdout.flush()
        elif written is not None:
            display.print_certificate(display.Terminal(), written)
        if failure is not None:
            raise failure
        if why_not:
            complain(f"no certificate was written: {why_not}")
        return written

    def _certify(self, search: Search, signals: Signals) -> Written | None:
        """Write the proof, if there is one; None if there is none, or it was stopped."""
        from unbounded.interfaces.terminal import display
        from unbounded.solving.certificate import certify

        path = self.keeping.certificate
        if path is None or not search.root.resolved:
            return None
        try:
            with (
                display.waiting("writing the proof ...", quiet=self.quiet),
                signals.ending(search),
            ):
                return certify(search, path)
        except OSError as error:
            why = error.strerror or str(error)
            raise UnboundedError(
                f"no certificate was written: {path} cannot be written: {why}"
            ) from error

    def _kept(self, search: Search) -> dict[str, Any]:
        """Where the search is, for programs: null, if it was to be saved and is not."""
        return {} if search.autosave is None else {"saved": _saved_to(search)}

    def _end(self, search: Search, *, proven: bool) -> int:
        """Say how to go on, if there is something to go on with; return the exit code.

        What was to be saved and is not is a failure, whatever was found.
        """
        saved_to = _saved_to(search)
        if saved_to is not None and not proven and not self.as_json:
            complain(f"saved in {saved_to}; go on with: {self._going_on(search, saved_to)}")
        if search.autosave is not None and search.autosave.failure:
            return BROKEN
        return GOOD if proven or self.analysis else NOT_PROVEN

    def _going_on(self, search: Search, path: str) -> str:
        """The command that goes on with a search that was saved."""
        from unbounded.game import catalogue

        words = ["unbounded", "analyze" if self.analysis else "solve"]
        try:
            catalogue.load_game(str(search.game), files=False)
        except UsageError:  # a file does not say which file to run
            words += [str(self.game)]
        words += ["--all"] if "everything" in self.keeping.given else []
        return shlex.join([*words, "--resume", path])

    def run_all(self, signals: Signals) -> int:
        """Resolve every state that can be reached."""
        from unbounded.interfaces.terminal import display

        budget = Budget(**self.limits)
        self.keeping.check_place()
        make = self._maker(budget, everything=True)
        from unbounded.solving.strong import resolve_all

        with display.progress(
            quiet=self.quiet, analysis=False, seconds=self.limits["seconds"]
        ) as progress:
            search = make()
            within = Budget(**{**self.limits, "memory": _memory_for_search(budget)})
            with signals.ending(search):
                autosave = self.keeping.autosave(analysis=False)
                result = resolve_all(search, within, progress, save=autosave)
        if self.as_json:
            print(result.to_json(**self._kept(search)))
        else:
            display.print_strong(display.Terminal(), result)
            sys.stdout.flush()
        return self._end(search, proven=result.resolved)

    def _maker(self, budget: Budget, *, everything: bool = False) -> Callable[[], Search]:
        """Check what is asked for; return what makes the search, which takes longer."""
        from unbounded.game import catalogue

        game = None if self.game is None else catalogue.load_game(self.game)
        if self.keeping.resume is not None:
            self._check_resumed(self.keeping.resume, everything=everything)
            return lambda: self._resumed(game)
        assert game is not None
        require(
            everything
            or budget.surely_ends
            or (self.options["completion"] and not self.options["stop_at_draw"]),
            "without completion, or with --stop-at-draw, a search may never end: "
            "give --seconds or --iterations",
        )
        _check_moves(game, self.options["moves"])
        return lambda: self._new(game, everything=everything)

    def _new(self, game: Game[Any, Any], *, everything: bool) -> Search:
        from unbounded.search.search import Search
        from unbounded.solving.solve import shortcuts

        if everything:
            # Whoever counts states means positions, not positions up to symmetry.
            plain = {"bounds": False, "probes": False, "canonical": False, "threads": 1}
            return Search(game, **{**self.options, **plain})
        counted = self.limits["iterations"] is not None
        return Search(game, **shortcuts(game, self.options, counted=counted))

    def _resumed(self, game: Game[Any, Any] | None) -> Search:
        from unbounded.search.search import Search

        path = self.keeping.resume
        assert path is not None
        search = Search.load(path, game, threads=self.options["threads"])
        if search.asked_again < search.core.states:
            complain(
                f"{path}: the rules were asked again about {search.asked_again:,} of its "
                f"{search.core.states:,} states"
            )
        return search

    def _check_resumed(self, path: str, *, everything: bool) -> None:
        """Refuse options that contradict those of the file."""
        from unbounded.search.checkpoints import about

        said = about(path)
        saved = {**said["options"], "moves": said["moves"]}
        asked = {**self.options, "moves": self.options["moves"].split()}
        # These are typed in another form, or only to say no; the number of threads may change.
        forms = {"no_completion": "completion", "no_symmetry": "canonical", "no_bounds": "bounds"}
        forms |= {"no_probes": "probes", "threads": ""}
        for name in sorted(self.keeping.given):
            option = forms.get(name, name)
            if option in saved and option in asked:
                require(
                    asked[option] == saved[option],
                    f"{path} was made {typed(option, saved[option])}, not "
                    f"{typed(option, asked[option])}: a search goes on with the options that it "
                    "has",
                )
        require(not (everything and saved["bounds"]), f"{path} was not made by --all")


def _why_not(*, resolved: bool) -> str:
    return "it was interrupted" if resolved else "nothing is proven yet"


def _check_moves(game: Game[Any, Any], moves: str) -> None:
    """Play the moves by the Python rules: an illegal one is known before anything is compiled."""
    if moves.split():
        state = game.initial()
        for move in moves.split():
            state = game.next(state, game.parse_action(state, move))


def _saved_to(search: Search) -> str | None:
    """The file in which the search is as it is now; None, if it is in none."""
    autosave = search.autosave
    if autosave is None or autosave.saved_at is None or autosave.failure:
        return None
    return str(autosave.path)


def _memory_for_search(budget: Budget) -> int | None:
    """Leave to the search what the process does not hold already, but at least half."""
    if budget.memory is None:
        return None
    whole = budget.memory_limit(0)
    return max(whole - process_memory(), whole // 2)


app.command(cls=Command)(proofs.verify)
app.command(cls=Command)(proofs.export)
app.command(cls=Command)(proofs.query)
app.command(cls=Command)(matches.match)
app.command(cls=Command)(matches.ablation)
app.command(cls=Command)(matches.replay)
app.command(cls=Command)(engine.engine)
app.command(cls=Command)(play.play)
app.command(cls=Command)(serve.serve)
app.command(cls=Command)(bench.bench)


# -- what is printed ------------------------------------------------------------------------------


def _describe(game: Game[Any, Any]) -> dict[str, Any]:
    """Describe a game, and how it starts."""
    from unbounded.game.catalogue import describe
    from unbounded.interfaces.terminal.display import board

    about = describe(type(game))
    about |= {"game": str(game), "players": game.players, "zero_sum": game.zero_sum}
    about |= {"values": game.parameters, "board": board(game, game.initial())}
    return about | {"symbols": game.symbols}
