# SPDX-License-Identifier: MIT
"""What `solve` and `analyze` share: their flags, and a search from flags or from a file."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from unbounded.game import Game, UsageError, require
from unbounded.game.notices import print_error
from unbounded.interfaces.cli.common import BROKEN, GOOD, NOT_PROVEN
from unbounded.interfaces.cli.files import SEARCH, check_readable, check_writable, is_same
from unbounded.interfaces.cli.flags import options_given, typed
from unbounded.interfaces.process import Signals
from unbounded.search.budget import Budget
from unbounded.search.descriptions import Option, described
from unbounded.search.options import SOLVING, options_of, search_options
from unbounded.storage.memory import process_memory

if TYPE_CHECKING:
    from unbounded.search.autosave import Autosave
    from unbounded.search.search import Search

FILES = "Saving"
MEMORY = (
    "Limit of the whole process, such as 4G or 512M; the search gets what Python and the compiled "
    "rules leave of it, at least half. Default: 70 % of the free memory."
)

GameName = Annotated[
    str | None, typer.Argument(metavar="GAME", help="The game; not needed with --resume.")
]
SaveFile = Annotated[
    str | None,
    typer.Option(
        metavar="FILE",
        help="Save the search to FILE during the run and at its end.",
        rich_help_panel=FILES,
    ),
]
SaveEvery = Annotated[
    float | None,
    typer.Option(
        metavar="T",
        help="Seconds between two saves, 30 by default; more if saving would take over 4 % of the "
        "time.",
        rich_help_panel=FILES,
    ),
]


def flags_of(*, solving: bool) -> list[Option]:
    """The flags of a search and its limits."""
    return [*search_options(solving=solving, threads=True), *described(Budget)]


@dataclass(frozen=True)
class Files:
    """The files that a search is read from and written to."""

    save: str | None
    every: float | None
    resume: str | None
    certificate: str | None = None
    force: bool = False
    """Whether existing files may be overwritten."""
    checker_search: int = 0
    """See `certificate.certify`."""

    def check(self) -> None:
        """Refuse unreadable files, and files that would be overwritten, before any work is done."""
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

    def autosave(self, *, analysis: bool) -> Autosave | None:
        """What saves the search; one that `solve` resumes is saved to its file again."""
        from unbounded.search.autosave import Autosave

        path = self.save if self.save is not None or analysis else self.resume
        if path is None:
            return None
        if self.every is None:
            return Autosave(path, tell=print_error)
        return Autosave(path, every=self.every, tell=print_error)


@dataclass(frozen=True)
class Request:
    """A search as it was requested."""

    command: str
    """`solve`, `solve --all` or `analyze`."""
    game: str | None
    moves: str
    options: dict[str, Any]
    """Fields of `SearchOptions`: those that were typed."""
    limits: dict[str, Any]
    """Fields of `Budget`; memory is that of the whole process."""
    files: Files
    given: frozenset[str]
    """The parameters that were typed."""
    quiet: bool
    as_json: bool

    @property
    def analysis(self) -> bool:
        """Whether the command is `analyze`."""
        return self.command == "analyze"

    @property
    def everything(self) -> bool:
        """Whether the command is `solve --all`."""
        return self.command == "solve --all"

    # -- running ----------------------------------------------------------------------------------

    @contextmanager
    def open(self, signals: Signals) -> Iterator[tuple[Search, dict[str, Any]]]:
        """Check everything that is quick to check, then open the search.

        Yields the search and the keywords of its run: limits, `until`, `progress` and `save`. While
        inside, progress is shown, and a signal ends the search.
        """
        from unbounded.interfaces.terminal.progress import progress

        budget = Budget(**self.limits)
        self.files.check()
        game = self._check(budget)
        with progress(
            quiet=self.quiet, analysis=self.analysis, seconds=budget.seconds
        ) as show_progress:
            search = self._make(game)
            how = {**self.limits, "memory": _memory_for_search(budget)}
            how["save"] = self.files.autosave(analysis=self.analysis)
            with signals.ending(search) as until:
                yield search, {**how, "until": until, "progress": show_progress}

    def _check(self, budget: Budget) -> Game[Any, Any] | None:
        """Check the game, the moves and the options; return the game, if it was named."""
        from unbounded.game import catalogue

        game = None if self.game is None else catalogue.load_game(self.game)
        if self.files.resume is not None:
            self._check_resumed(self.files.resume)
            return game
        assert game is not None
        if not self.everything:
            budget.check_ends(options_of(self.options))
        state = game.initial()
        for move in self.moves.split():  # by the Python rules, before anything is compiled
            state = game.next(state, game.parse_action(state, move))
        return game

    def _check_resumed(self, path: str) -> None:
        """Refuse options that contradict those of the file; only the threads may change."""
        from unbounded.search.checkpoints import about

        said = about(path)
        saved = {**said["options"], "moves": said["moves"]}
        given = {**self.options}
        given |= {"moves": self.moves.split()} if "moves" in self.given else {}
        if isinstance(saved["evaluation"], dict):
            given.pop("evaluation", None)  # of a network, the weights are compared
        for name in sorted(given.keys() - {"threads"}):
            require(
                given[name] == saved.get(name),
                f"{path} was made {typed(name, saved.get(name))}, not {typed(name, given[name])}: "
                "a resumed search keeps its options",
            )
        require(not (self.everything and saved["bounds"]), f"{path} was not made by --all")

    def _make(self, game: Game[Any, Any] | None) -> Search:
        """Make the search, or load it."""
        from unbounded.search.search import Search
        from unbounded.solving.solve import search_to_solve

        if self.files.resume is not None:
            return self._resumed(self.files.resume, game)
        assert game is not None
        if self.everything:
            # States are counted as positions, not as positions up to symmetry.
            groups = {about.name: about.group for about in search_options()}
            plain = {name: x for name, x in self.options.items() if groups[name] != SOLVING}
            return Search(game, moves=self.moves, **plain)
        options = {**self.options, "moves": self.moves}
        if self.analysis:
            return Search(game, **options)
        return search_to_solve(game, options, counted=self.limits["iterations"] is not None)

    def _resumed(self, path: str, game: Game[Any, Any] | None) -> Search:
        from unbounded.search.search import Search

        search = Search.load(
            path,
            game,
            evaluation=self.options.get("evaluation"),
            threads=self.options.get("threads"),
        )
        if search.checked_states < search.states:
            print_error(
                f"{path}: {search.checked_states:,} of its {search.states:,} states were checked "
                "against the rules"
            )
        return search

    # -- ending -----------------------------------------------------------------------------------

    def end(self, search: Search, *, proven: bool) -> int:
        """Print how to resume an unfinished search; return the exit code.

        A search that should have been saved and was not is a failure, whatever was found.
        """
        path = saved_to(search)
        if path is not None and not proven and not self.as_json:
            print_error(f"saved in {path}; go on with: {self._command_to_resume(search, path)}")
        if search.autosave is not None and search.autosave.failure:
            return BROKEN
        return GOOD if proven or self.analysis else NOT_PROVEN

    def _command_to_resume(self, search: Search, path: str) -> str:
        from unbounded.game import catalogue

        words = ["unbounded", self.command.split()[0]]
        try:
            catalogue.load_game(str(search.game), files=False)
        except UsageError:  # the checkpoint does not name the file with the game
            words += [str(self.game)]
        words += ["--all"] if self.everything else []
        return shlex.join([*words, "--resume", path])


def request_of(context: typer.Context, command: str, *, solving: bool) -> Request:
    """Read what both commands share from the parsed arguments."""
    parsed = context.params
    require(
        parsed["text"] is not None or parsed["resume"] is not None, "give a game, or --resume FILE"
    )
    names = ("save", "save_every", "resume")
    save, every, resume = (parsed[name] for name in names)
    sources = {name: context.get_parameter_source(name) for name in parsed}
    return Request(
        command,
        parsed["text"],
        parsed["moves"],
        options_given(context, search_options(solving=solving, threads=True)),
        {about.name: parsed[about.name] for about in described(Budget)},
        Files(
            save,
            every,
            resume,
            parsed.get("certificate"),
            force=parsed["force"],
            checker_search=parsed.get("checker_search", 0),
        ),
        frozenset(name for name, x in sources.items() if x and x.name == "COMMANDLINE"),
        quiet=parsed["quiet"],
        as_json=parsed["as_json"],
    )


def saved_to(search: Search) -> str | None:
    """The file that holds the search in its present state; None if there is none."""
    autosave = search.autosave
    if autosave is None or autosave.saved_at is None or autosave.failure:
        return None
    return str(autosave.path)


def saved(search: Search) -> dict[str, Any]:
    """For JSON: where the search was saved; null if it should have been and was not."""
    return {} if search.autosave is None else {"saved": saved_to(search)}


def _memory_for_search(budget: Budget) -> int | None:
    """What is left of the limit for the search, at least half of it."""
    if budget.memory is None:
        return None
    whole = budget.memory_limit(0)
    return max(whole - process_memory(), whole // 2)
