# SPDX-License-Identifier: MIT
"""`Search`: grow a game graph best-first, pause, look inside, play on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, Self

from unbounded import native
from unbounded.evaluation import Evaluation, make_evaluator
from unbounded.game import Game, action_named, require
from unbounded.game.position import Position, start_of
from unbounded.game.rule_errors import blaming, check_declared
from unbounded.game.wording import counted, cut
from unbounded.native.failures import explain
from unbounded.search import checkpoints, decisions, rendering, running
from unbounded.search.autosave import Autosave
from unbounded.search.budget import Budget
from unbounded.search.checkpoints import PathLike
from unbounded.search.descriptions import taking
from unbounded.search.options import SearchOptions, options_of
from unbounded.search.result import Interrupted, Result, note_of
from unbounded.search.running import Save, Stopwatch, Until
from unbounded.search.tree import Node
from unbounded.search.window import Window
from unbounded.storage.fingerprint import Fingerprint, fingerprint


class Search:
    """A best-first search with completion, from a position of a game.

    game: a game, its string form, or a `Position`.
    moves: names of moves played before the search begins, from the start of the game or from the
        position: one text with spaces between them, or a sequence.
    options: a `SearchOptions`; its fields can also be given as keywords, which take precedence:
        `Search("nim", algorithm="descent")`. `SearchOptions` describes each of them.

    >>> import unbounded as ub
    >>> search = ub.Search("connect-four(width=5,height=4)", moves="3 3")
    >>> search.run(iterations=100).resolved, search.run().outcome
    (False, (0, 0))
    """

    @taking(SearchOptions)
    @blaming()
    def __init__(
        self,
        game: Game[Any, Any] | str | Position,
        *,
        moves: str | Sequence[str] = (),
        options: SearchOptions | None = None,
        **given: Any,
    ) -> None:
        self.game, played = start_of(game, moves)
        check_declared(self.game)
        self.options = options_of(given, options).validate(self.game)
        """All options, with the game's defaults filled in."""
        self.moves: list[str] = []
        self._passed: list[Any] = []
        """The states before each of the moves."""
        self.stopped = "new"
        """Why the last run ended; "new" before the first one and after a move."""
        self.autosave: Autosave | None = None
        """What saves this search while it runs."""
        self.checked_states = 0
        """Number of loaded states that were checked against the rules."""
        self._stopwatch = Stopwatch()
        self._told_to_stop = False
        self.route = native.route_of(self.game, canonical=self.options.canonical)
        evaluation, seed = self.options.evaluation, self.options.seed
        assert evaluation is not None  # since they were validated
        evaluator = make_evaluator(self.game, self.route, evaluation, seed)
        with explain(self.game, self.route):
            self._core = native.Search(self.route.rules, evaluator, self.options.to_core())
            self.state: Any = self.game.initial()
        for move in played:
            self.play(move)

    @property
    def zero_sum(self) -> bool:
        """Whether only the first player's numbers are stored."""
        return self.options.zero_sum

    @property
    def scores_ignored(self) -> bool:
        """Whether what is proven holds for the outcomes alone, though the game has scores.

        With `resolve_on_win` any win counts the same. For two players with zero sum the outcome is
        the same either way, since it comes before the score; other players may choose between
        wins, and so between outcomes of the others, by the score.
        """
        two = self.game.players == 2 and self.game.zero_sum
        return self.options.resolve_on_win and self.game.has_score and not two

    @property
    def note(self) -> str:
        """What has to be said with every proven outcome; see `result.note_of`."""
        return note_of(equilibrium=not self.zero_sum, scores_ignored=self.scores_ignored)

    # -- running ----------------------------------------------------------------------------------

    def run(
        self,
        *,
        seconds: float | None = None,
        iterations: int | None = None,
        states: int | None = None,
        memory: int | str | None = None,
        until: Until = "resolved",
        progress: Callable[[Search], None] | None = None,
        report_every: float = 0.2,
        save: Save = None,
        window: Window | None = None,
    ) -> Result:
        """Search until the root is resolved, or until a limit; return what is known then.

        seconds, iterations and states (stored, or visited by probes) limit this run; memory (bytes,
        or like "4G") limits the whole graph. `until` may be a function of the search that returns
        True, or the reason as a text, when the run is to stop; it and `progress` are called every
        `report_every` seconds, and may read the search. The search can always be run further.
        `save` names a file to which the search is saved during the run and at its end, whatever
        ends it; or it is an `Autosave`.

        window: with bounds, for two players with zero sum: two worths of the first player, each an
        outcome and a score (which counts only with `exact_score`), like ((-1, 0), (0, 0)). The run
        also ends, with "window" as the reason, when the root is proven to be worth at most the
        first or at least the second, and searches nothing that only matters beyond them.
        `root.worth_bounds` then has what is proven.

        Ctrl-C ends the run cleanly and is then raised as `Interrupted`, so that it also ends a
        loop of runs; `search.result`, or `result` of the exception, has what is known.
        """
        budget = Budget(seconds, iterations, states, memory)
        whole = self.advance(
            budget,
            until=until,
            progress=progress,
            report_every=report_every,
            save=save,
            window=window,
        )
        result = self.result
        if not whole:
            raise Interrupted(result) from None
        return result

    def advance(
        self,
        budget: Budget,
        *,
        until: Until = "resolved",
        progress: Callable[[Search], None] | None = None,
        report_every: float = 0.2,
        save: Save = None,
        window: Window | None = None,
    ) -> bool:
        """Do the same as `run`, without building a `Result`, which takes some milliseconds.

        Return False, rather than raise, when Ctrl-C has ended it.
        """
        return running.advance(
            self,
            budget,
            until=until,
            progress=progress,
            report_every=report_every,
            save=save,
            window=window,
        )

    def run_all(
        self,
        budget: Budget,
        progress: Callable[[Search], None] | None = None,
        save: Save = None,
    ) -> str:
        """Resolve every state that can be reached; return why it ended. See `solving.strong`."""
        return running.resolve_all(self, budget, progress, save)

    @property
    def seconds(self) -> float:
        """Seconds of all runs so far."""
        return self._stopwatch.seconds

    @property
    def seconds_of_run(self) -> float:
        """Seconds of the present run; 0 between two runs."""
        return self._stopwatch.seconds - self._stopwatch.before

    def stop(self) -> None:
        """End the run that is in progress in another thread."""
        self._told_to_stop = True
        self._core.stop()

    def certify(
        self,
        route: native.Route,
        budget: Budget,
        *,
        scores: bool,
        partial: bool = False,
        checker_search: int = 0,
        progress: Callable[[], None] | None = None,
    ) -> native.Claims | None:
        """Find claims that prove the root's value; None if it was stopped.

        route: the game without symmetries, by which the claims are checked. scores: whether the
        claims include scores. partial: if the value is not proven, prove its bounds.
        checker_search: how many successors the checker may make to prove a claim by itself. See
        `solving.certificate`.
        """
        return running.certify(
            self,
            route,
            budget,
            scores=scores,
            partial=partial,
            checker_search=checker_search,
            progress=progress,
        )

    # -- playing ----------------------------------------------------------------------------------

    def play(self, move: str) -> None:
        """Play a move by its name from the root; the graph is kept."""
        with explain(self.game, self.route):
            self._play(action_named(self.game, self.state, move))

    def undo(self) -> str:
        """Take back the last move, and return its name; the graph is kept."""
        require(len(self.moves) > 0, "there is no move to take back: this is the start")
        with explain(self.game, self.route):
            before = self._passed[-1]
            self._core.set_root(self.route.played_to(before, len(self.moves) - 1))
            self.route.undone(self.state, before)
        self.state, self.stopped = self._passed.pop(), "new"
        return self.moves.pop()

    def restart_probes(self) -> None:
        """Let probes begin small again, as in a new search; what is known stays.

        Probes grow with the work that was done. For a position that is new to a large search they
        would be so large from the start that the search is no longer best-first.
        """
        self._core.restart_probes()

    def play_action(self, action: Any) -> None:
        """Play an action, given as the action itself rather than its name."""
        with explain(self.game, self.route):
            self._play(action)

    def _play(self, action: Any) -> None:
        state = self.state
        legal = list(self.game.actions(state))
        require(len(legal) > 0, f"illegal action {action!r}: the game is over")
        require(action in legal, f"illegal action {action!r}; legal here: {legal[:20]}")
        name = self.game.action_name(state, action)
        following = self.game.next(state, action)
        try:
            self._core.set_root(self.route.played_to(following, len(self.moves) + 1))
        except BaseException:
            self.route.not_played_to(following)
            raise
        self.state = following
        self._passed.append(state)
        self.moves.append(name)
        self.stopped = "new"

    # -- saving -----------------------------------------------------------------------------------

    def save(self, path: PathLike) -> None:
        """Write everything to a file, from which `load` makes this search again.

        The file is replaced whole or not at all; an `OSError` leaves the old one.
        """
        checkpoints.save(self, path)

    @classmethod
    def load(
        cls,
        path: PathLike,
        game: Game[Any, Any] | str | None = None,
        *,
        evaluation: Evaluation | None = None,
        threads: int | None = None,
    ) -> Self:
        """Make the search that was saved to a file, which goes on exactly where it was.

        game: needed only for a game that cannot be named, such as a class of your own; it must be
            the one that was searched.
        evaluation: needed only where it was a function, or a network that has been moved; the same
            one.
        threads: another number of threads than before.
        A file that is damaged, from a newer version or of another game is a `UsageError`.
        """
        return checkpoints.load(cls, path, game, evaluation=evaluation, threads=threads)

    @cached_property
    def fingerprint(self) -> Fingerprint:
        """What stands for the rules of the game in files."""
        return fingerprint(self.game)

    # -- looking ----------------------------------------------------------------------------------

    @property
    def root(self) -> Node:
        """The state that is searched."""
        return Node(self, self._core.root, self.state)

    def decide(self, rule: str = "best", **options: Any) -> str | None:
        """The name of the action to play: "best", "safest", ..., see `decisions`."""
        child = decisions.decide(self.root, rule, **options)
        return None if child is None else child.name

    @property
    def result(self) -> Result:
        """What is known now."""
        with explain(self.game, self.route):
            return Result.of(self)

    # -- the graph in numbers ---------------------------------------------------------------------

    @property
    def iterations(self) -> int:
        """Number of iterations so far."""
        return self._core.iterations

    @property
    def states(self) -> int:
        """Number of stored states; they are numbered from 0."""
        return self._core.states

    @property
    def edges(self) -> int:
        """Number of stored edges."""
        return self._core.edges

    @property
    def expanded_states(self) -> int:
        """Number of states whose children are stored."""
        return self._core.expanded

    @property
    def resolved_states(self) -> int:
        """Number of stored states whose outcome is proven."""
        return self._core.resolved

    @property
    def probed_states(self) -> int:
        """Number of states visited by probes, which store none."""
        return self._core.probed

    @property
    def compactions(self) -> int:
        """How often proven parts of the graph were dropped because memory was full."""
        return self._core.compactions

    @property
    def states_per_second(self) -> float:
        """States stored or visited by probes per second of running."""
        done = self.states + self.probed_states
        return done / self.seconds if self.seconds > 0 else 0.0

    @property
    def memory_parts(self) -> dict[str, int]:
        """The bytes of each part of the graph."""
        return self._core.memory

    @property
    def memory_bytes(self) -> int:
        """The bytes of the graph; for a game on Python objects, including the objects."""
        return sum(self.memory_parts.values()) + self.route.held_bytes()

    def count_by_ply(self) -> list[tuple[int, int, list[tuple[int, int, int]]]]:
        """After `run_all`, by ply: states, terminal ones, and losses, draws, wins per player."""
        return self._core.count_by_ply()

    def node(self, number: int) -> Node:
        """The stored state of this number."""
        return Node(self, number)

    def find(self, state: Any) -> Node | None:
        """The node of a state of the game; None where the graph does not have it."""
        number = self._core.find(self.route.to_core(state))
        return None if number is None else Node(self, number, state)

    def best_successor(self, number: int) -> int | None:
        """In a resolved state, the number of the next state on the best line; None at its end."""
        position = self._core.best_child(number) if self._core.node(number).resolved else -1
        return None if position < 0 else self._core.children(number)[position][0]

    # -- exporting --------------------------------------------------------------------------------

    def to_dot(self, depth: int = 3, most: int = 200) -> str:
        """The top of the tree in the language of Graphviz, children with most visits first."""
        return rendering.dot(self, depth, most)

    def to_rows(self, depth: int = 3, most: int = 1000) -> list[dict[str, Any]]:
        """The top of the tree as rows of plain values."""
        return rendering.rows(self, depth, most)

    def to_pandas(self, depth: int = 3, most: int = 1000) -> Any:
        """The same as a data frame."""
        return rendering.pandas(self, depth, most)

    def to_networkx(self, depth: int = 3, most: int = 1000) -> Any:
        """The top of the graph as a `networkx.DiGraph`."""
        return rendering.networkx(self, depth, most)

    def _repr_html_(self) -> str:
        return rendering.search_html(self)

    def snapshot(self) -> bytes:
        """The whole graph as bytes: equal searches have equal bytes."""
        return self._core.snapshot()

    def __repr__(self) -> str:
        known = "proven" if self.root.resolved else "not proven"
        states, game = counted(self.states, "state"), cut(str(self.game), 40)
        return f"<Search of {game} by {self.options.algorithm}: {states}, {known}>"
