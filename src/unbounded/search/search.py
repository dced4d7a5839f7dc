# SPDX-License-Identifier: MIT
"""`Search`: grow a game graph best-first, pause, look inside, play on."""

from __future__ import annotations

import atexit
import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import Any, Literal, Self

from unbounded import native
from unbounded.game import (
    Game,
    UsageError,
    action_named,
    did_you_mean,
    require,
)
from unbounded.game.position import Position, start_of
from unbounded.game.rule_errors import blaming, check_declared
from unbounded.game.wording import counted, cut
from unbounded.native.evaluation import (
    Evaluation,
    check_evaluation,
    default_evaluation,
    evaluation_name,
    make_evaluator,
)
from unbounded.native.failures import explain
from unbounded.search import checkpoints, decisions, rendering
from unbounded.search.budget import Budget
from unbounded.search.checkpoints import Autosave
from unbounded.search.result import ActionResult, Interrupted, Result, note_of
from unbounded.search.tree import Node, proven_length
from unbounded.storage.fingerprint import Fingerprint, fingerprint
from unbounded.version import VERSION

AlgorithmName = Literal["ubfm", "descent"]
ValuesName = Literal["minimax", "resolved_completion", "propagated_completion"]

ALGORITHMS = ("ubfm", "descent")
VALUES = ("minimax", "resolved_completion", "propagated_completion")

_NO_LIMIT = 2**64 - 1
_FOREVER = 1e9
_BETWEEN_MEMORY_CHECKS = 0.1
_BETWEEN_REPORTS = 0.5

_running: set[Search] = set()


@atexit.register
def _stop_all() -> None:
    """End the runs in other threads before the interpreter goes away under them."""
    for search in list(_running):
        search.stop()
    give_up_at = time.monotonic() + 2
    while _running and time.monotonic() < give_up_at:
        time.sleep(0.005)


class Search:
    """A best-first search with completion, from a position of a game.

    game: a game, its string form, or a `Position`.
    algorithm: "ubfm" expands the end of the best line; "descent" follows it to the end of the game.
    values: "minimax" for two players and zero sum; else "resolved_completion" or
        "propagated_completion", the two Max^n rules. By default what fits the game.
    evaluation: "zero", "heuristic", "playouts(n)", or a function on a batch of states.
    paper: exactly as printed, where the listing is defined; else also back up on first expansion.
    completion: False for the basic algorithms, which prove nothing.
    resolve_on_win, stop_at_draw, local_maximum: the paper's Remark.
    canonical: positions that are the same up to the game's symmetries are stored as one.
    bounds: keep what is proven of every state as bounds, and leave out what cannot matter any more.
    probes: with bounds, search a leaf depth-first to the end of the game before it is expanded.
    exact_score: with bounds, prove the score too, not only who wins.
    threads: with bounds, how many threads share the graph.
    moves: names of moves played before the search begins, from the start of the game or from the
        position: in one text with spaces between, or one by one.
    """

    @blaming()
    def __init__(
        self,
        game: Game[Any, Any] | str | Position,
        *,
        algorithm: AlgorithmName = "ubfm",
        values: ValuesName | None = None,
        evaluation: Evaluation | None = None,
        paper: bool = False,
        completion: bool = True,
        resolve_on_win: bool = False,
        stop_at_draw: bool = False,
        local_maximum: bool = False,
        canonical: bool = False,
        bounds: bool = False,
        probes: bool = False,
        exact_score: bool = False,
        threads: int = 1,
        seed: int = 0,
        moves: str | Sequence[str] = (),
        hash_bits: int = 64,
    ) -> None:
        self.game, played = start_of(game, moves)
        check_declared(self.game)
        self.algorithm = algorithm
        self.values = values or default_values(self.game)
        self.evaluation = evaluation if evaluation is not None else default_evaluation(self.game)
        self.seed = seed
        self.hash_bits = hash_bits
        self.options: dict[str, Any] = {
            "paper": paper,
            "completion": completion,
            "resolve_on_win": resolve_on_win,
            "stop_at_draw": stop_at_draw,
            "local_maximum": local_maximum,
            "canonical": canonical,
            "bounds": bounds,
            "probes": probes,
            "exact_score": exact_score,
            "threads": threads,
        }
        self._check()
        self.moves: list[str] = []
        self.spent = 0.0
        """Seconds of the runs before the present one."""
        self._since: float | None = None
        self.stopped = "new"
        self._told_to_stop = False
        self.autosave: Autosave | None = None
        """Who saves this search while it runs, if anybody."""
        self.asked_again = 0
        """Of how many states that were loaded the rules were asked again."""
        self.canonical = canonical and self.game.symmetries > 1
        self.route = native.route_of(self.game, canonical=self.canonical)
        evaluator = make_evaluator(self.game, self.route, self.evaluation, seed)
        with explain(self.game, self.route):
            self.core = native.Search(self.route.rules, evaluator, self._core_options())
            self.state: Any = self.game.initial()
        for move in played:
            self.play(move)

    def _check(self) -> None:
        for name, given, known in (
            ("algorithm", self.algorithm, ALGORITHMS),
            ("values", self.values, VALUES),
        ):
            if given not in known:
                hint = did_you_mean(str(given), known)
                raise UsageError(f"unknown {name} {given!r}{hint}; there are {', '.join(known)}")
        check_evaluation(self.game, self.evaluation)
        require(
            isinstance(self.seed, int) and not isinstance(self.seed, bool),
            f"`seed` must be a whole number, not {self.seed!r}",
        )
        require(
            self.values != "minimax" or (self.game.players == 2 and self.game.zero_sum),
            f"minimax needs two players and zero sum; {self.game} is not declared so. "
            "Use resolved_completion or propagated_completion",
        )
        require(
            not self.options["stop_at_draw"] or self.algorithm == "descent",
            "`stop_at_draw` is a variant of `algorithm='descent'`",
        )
        self._check_shortcuts()
        require(
            not self.options["local_maximum"] or self.game.has_local_best_score,
            f"`local_maximum` needs a game with best_score_from; {self.game} has none",
        )

    def _check_shortcuts(self) -> None:
        """Bounds change when a state is resolved; everything that builds on them needs them."""
        given, threads = self.options, self.options["threads"]
        require(
            isinstance(threads, int) and not isinstance(threads, bool) and 1 <= threads <= 1024,
            f"`threads` must be from 1 to 1024, not {threads!r}",
        )
        if not given["bounds"]:
            built_on = [f"`{name}`" for name in ("probes", "exact_score") if given[name]]
            built_on += ["`threads`"] if threads > 1 else []
            need = "needs" if len(built_on) == 1 else "need"
            require(not built_on, f"{' and '.join(built_on)} {need} `bounds=True`")
            return
        require(
            not given["exact_score"] or self.values == "minimax",
            f"`exact_score` is for `values='minimax'`; {self.values} always proves the score",
        )
        variants = ("paper", "resolve_on_win", "stop_at_draw", "local_maximum")
        clashing = [f"`{name}`" for name in variants if given[name]]
        clashing += [] if given["completion"] else ["`completion=False`"]
        require(not clashing, f"`bounds` do not go together with {', '.join(clashing)}")
        require(
            not (given["probes"] or threads > 1) or native.is_compiled(self.game),
            f"`probes` and `threads` need rules that are compiled; those of {self.game} are not",
        )
        require(
            threads == 1 or self.evaluation in ("zero", "heuristic"),
            "several threads need the evaluation 'zero' or 'heuristic'",
        )

    def _core_options(self) -> native.Options:
        require(1 <= self.hash_bits <= 64, f"hash_bits must be from 1 to 64, not {self.hash_bits}")
        options = native.Options()
        options.algorithm = getattr(native.Algorithm, self.algorithm)
        options.values = getattr(native.ValueRule, self.values)
        options.back_up_on_expansion = not self.options["paper"]
        options.completion = self.options["completion"]
        options.resolve_on_win = self.options["resolve_on_win"]
        options.stop_at_draw = self.options["stop_at_draw"]
        options.local_maximum = self.options["local_maximum"]
        options.bounds = self.options["bounds"]
        options.probes = self.options["probes"]
        options.exact_score = self.options["exact_score"]
        options.threads = self.options["threads"]
        options.hash_bits = self.hash_bits
        return options

    @property
    def zero_sum(self) -> bool:
        """Whether the search keeps the first player's numbers only."""
        return self.values == "minimax"

    @property
    def scores_ignored(self) -> bool:
        """Whether what is proven holds for the outcomes alone, though the game has scores.

        With `resolve_on_win` any win is as good as another. Two players with zero sum have the same
        outcome all the same, for it comes before the score; others may choose between wins, and so
        between outcomes of the others, by the score.
        """
        two = self.game.players == 2 and self.game.zero_sum
        return bool(self.options["resolve_on_win"] and self.game.has_score and not two)

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
        until: Literal["resolved"] | Callable[[Search], bool] = "resolved",
        progress: Callable[[Search], None] | None = None,
        report_every: float = 0.2,
        save: Autosave | str | os.PathLike[str] | None = None,
    ) -> Result:
        """Search until the root is resolved, or until a limit; return what is known then.

        seconds, iterations and states (stored, or visited by probes) are limits of this run, memory
        (bytes, or like "4G") of the whole graph. `until` may also be a function of the search that
        says when to stop; it and `progress` are called every `report_every` seconds, and may look
        at the search. The search can always be run further. `save` names a file to which the
        search is saved now and then, and at the end, however that comes; or it is a `Autosave`.

        Ctrl-C ends the run in good order, and then it is raised as `Interrupted`, so that it ends a
        loop of runs too; `search.result`, or `result` of the exception, has what is known.
        """
        budget = Budget(seconds, iterations, states, memory)
        whole = self.advance(
            budget, until=until, progress=progress, report_every=report_every, save=save
        )
        if not whole:
            raise Interrupted(self.result) from None
        return self.result

    def advance(
        self,
        budget: Budget,
        *,
        until: Literal["resolved"] | Callable[[Search], bool] = "resolved",
        progress: Callable[[Search], None] | None = None,
        report_every: float = 0.2,
        save: Autosave | str | os.PathLike[str] | None = None,
    ) -> bool:
        """Do as `run` does, but do not sum up what is known: that takes some milliseconds.

        Return False, rather than raise, when Ctrl-C has ended it.
        """
        require(
            until == "resolved" or callable(until),
            f"until must be 'resolved' or a function of the search, not {until!r}",
        )
        require(
            isinstance(report_every, (int, float)) and 0 <= report_every < _FOREVER,
            f"report_every must be seconds, 0 or more, not {report_every!r}",
        )
        surely_ends = self.options["completion"] and not self.options["stop_at_draw"]
        require(
            surely_ends or budget.surely_ends or callable(until),
            "without completion, or with `stop_at_draw`, the root may never be resolved: "
            "give `seconds` or `iterations`",
        )
        with self._kept(save) as keeping:
            watchers = [f for f in (keeping, progress, until) if callable(f)]
            return self._run_watched(budget, watchers, report_every)

    @contextmanager
    def _kept(
        self, save: Autosave | str | os.PathLike[str] | None
    ) -> Iterator[Callable[[Search], None] | None]:
        """Save the search at the end of what is done inside; gives what saves it meanwhile."""
        self.autosave = Autosave(save) if isinstance(save, (str, os.PathLike)) else save
        if self.autosave is None:
            yield None
            return
        self.autosave.begin(self)
        try:
            yield self.autosave.watch
        finally:
            self.autosave.save(self)

    def _run_watched(
        self, budget: Budget, watchers: list[Callable[[Search], Any]], report_every: float
    ) -> bool:
        self._clear_stop()
        _running.add(self)
        try:
            self.stopped = self._run(budget, watchers, report_every)
            return self.stopped != "interrupted" or self._told_to_stop
        except KeyboardInterrupt:
            self.stopped = "interrupted"
            return False
        finally:
            _running.discard(self)

    def _run(
        self, budget: Budget, watchers: list[Callable[[Search], Any]], report_every: float
    ) -> str:
        """Run the core, which calls the watchers meanwhile; return why it ended."""
        memory = budget.memory_limit(self.memory_bytes)
        reasons: list[str] = []

        def report() -> bool:
            enough = [bool(watch(self)) for watch in watchers]
            if enough and enough[-1]:
                reasons.append("until")
            elif self.route.holds_objects and self.memory_bytes > memory:
                reasons.append("memory")
            return bool(reasons)

        every = report_every if watchers else _FOREVER
        if self.route.holds_objects:
            every = min(every, _BETWEEN_MEMORY_CHECKS)
        deadline = _Deadline(budget.seconds)
        with self._spending(), explain(self.game, self.route):
            stop = self.core.run(
                _limit(self.core.iterations, budget.iterations),
                _limit(self.core.states + self.core.probed, budget.states),
                memory,
                deadline.left(),
                report if every < _FOREVER else None,
                every,
                self._at_rest if self.autosave else None,
            )
            if stop == native.Stop.resolved and self.options["probes"]:
                # Probes prove states without storing what lies below them; this stores a line.
                self.core.complete_line(memory, deadline.left())
        self.stopped = reasons[0] if reasons else stop.name
        if not reasons:
            for watch in watchers:
                watch(self)
        return self.stopped

    def _at_rest(self) -> None:
        if self.autosave is not None:
            self.autosave.at_rest(self)

    def run_all(
        self,
        budget: Budget,
        progress: Callable[[Search], None] | None = None,
        save: Autosave | str | os.PathLike[str] | None = None,
    ) -> str:
        """Resolve every state that can be reached; return why it ended. See `solving.strong`."""
        with self._kept(save) as keeping:
            self._run_all(budget, [f for f in (keeping, progress) if f is not None])
        return self.stopped

    def _run_all(self, budget: Budget, watchers: list[Callable[[Search], None]]) -> None:
        def report() -> bool:
            for watch in watchers:
                watch(self)
            return False

        self._clear_stop()
        _running.add(self)
        try:
            with self._spending(), explain(self.game, self.route):
                stop = self.core.resolve_all(
                    _limit(self.core.states, budget.states),
                    budget.memory_limit(self.memory_bytes),
                    _Deadline(budget.seconds).left(),
                    report if watchers else None,
                    _BETWEEN_REPORTS,
                )
            self.stopped = stop.name
            if self.stopped == "interrupted" and not self._told_to_stop:
                raise KeyboardInterrupt
        except KeyboardInterrupt:
            self.stopped = "interrupted"
            raise
        finally:
            _running.discard(self)

    def _clear_stop(self) -> None:
        """Begin a run: what ends it without having been told to stop is Ctrl-C."""
        self._told_to_stop = False
        self.core.clear_stop()

    @contextmanager
    def _spending(self) -> Iterator[None]:
        """Count the time of a run, which may be looked at meanwhile."""
        self._since = time.perf_counter()
        try:
            yield
        finally:
            self.spent, self._since = self.seconds, None

    @property
    def seconds(self) -> float:
        """How long this search has run so far."""
        running = 0.0 if self._since is None else time.perf_counter() - self._since
        return self.spent + running

    def stop(self) -> None:
        """End the run that is going on in another thread."""
        self._told_to_stop = True
        self.core.stop()

    def play(self, move: str) -> None:
        """Play a move by its name from the root; the graph is kept."""
        with explain(self.game, self.route):
            self._play(action_named(self.game, self.state, move))

    def undo(self) -> str:
        """Take back the last move, and return its name; the graph is kept."""
        require(len(self.moves) > 0, "there is no move to take back: this is the start")
        with explain(self.game, self.route):
            before = Position(self.game, self.moves[:-1]).state
            self.core.set_root(self.route.played_to(before, len(self.moves) - 1))
            self.route.undone(self.state, before)
        self.state, self.stopped = before, "new"
        return self.moves.pop()

    def play_action(self, action: Any) -> None:
        """Play an action itself, as the rules of the game know it."""
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
            self.core.set_root(self.route.played_to(following, len(self.moves) + 1))
        except BaseException:
            self.route.not_played_to(following)
            raise
        self.state = following
        self.moves.append(name)
        self.stopped = "new"

    # -- saving -----------------------------------------------------------------------------------

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write everything to a file, from which `load` makes this search again.

        The file is replaced whole or not at all; an `OSError` leaves the old one.
        """
        checkpoints.save(self, path)

    @classmethod
    def load(
        cls,
        path: str | os.PathLike[str],
        game: Game[Any, Any] | str | None = None,
        *,
        evaluation: Evaluation | None = None,
        threads: int | None = None,
    ) -> Self:
        """Make the search that was saved to a file, which goes on exactly where it was.

        game: needed only for a game that cannot be named, such as a class of your own; it must be
            the one that was searched.
        evaluation: needed only where it was a function; the same one.
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
        return Node(self, self.core.root, self.state)

    def decide(self, rule: str = "best", **options: Any) -> str | None:
        """The name of the action to play: "best", "safest", ..., see `deciding`."""
        child = decisions.decide(self.root, rule, **options)
        return None if child is None else child.name

    @property
    def memory_bytes(self) -> int:
        """The bytes that the graph takes; of a game on Python objects, also what they take."""
        return sum(self.core.memory.values()) + self.route.held_bytes()

    @property
    def states_per_second(self) -> float:
        """How many states were stored or visited by probes in a second."""
        done: int = self.core.states + self.core.probed
        return done / self.seconds if self.seconds > 0 else 0.0

    @property
    def result(self) -> Result:
        """What is known now."""
        with explain(self.game, self.route):
            return self._result()

    def _result(self) -> Result:
        root, core = self.root, self.core
        unknown = (None,) * self.game.players
        safest = decisions.safest(root)
        pv = list(root.pv())
        return Result(
            game=str(self.game),
            moves=tuple(self.moves),
            players=self.game.players,
            to_move=root.player,
            resolved=root.resolved,
            outcome=root.outcome or unknown,
            equilibrium=not self.zero_sum,
            score=root.score or unknown,
            value=root.value,
            outcome_bounds=root.outcome_bounds,
            distance=proven_length(root, pv),
            best_action=pv[0][0] if pv else None,
            safest_action=None if safest is None else safest.name,
            pv=tuple(name for name, _ in pv),
            actions=tuple(ActionResult.of(child) for child in root.children),
            iterations=core.iterations,
            expanded=core.expanded,
            states=core.states,
            probed=core.probed,
            resolved_states=core.resolved,
            seconds=self.seconds,
            states_per_second=self.states_per_second,
            memory_bytes=self.memory_bytes,
            algorithm=self.algorithm,
            values=self.values,
            evaluation=evaluation_name(self.evaluation),
            paper=self.options["paper"],
            canonical=self.canonical,
            bounds=self.options["bounds"],
            probes=self.options["probes"],
            exact_score=self.options["exact_score"],
            scores_ignored=self.scores_ignored,
            threads=self.options["threads"],
            stopped=self.stopped,
            version=VERSION,
        )

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
        return self.core.snapshot()

    def __repr__(self) -> str:
        known = "proven" if self.root.resolved else "not proven"
        states, game = counted(self.core.states, "state"), cut(str(self.game), 40)
        return f"<Search of {game} by {self.algorithm}: {states}, {known}>"


class _Deadline:
    """What is left of a time."""

    def __init__(self, seconds: float | None) -> None:
        self._end = None if seconds is None else time.perf_counter() + seconds

    def left(self) -> float:
        """The seconds that are left; very many, if there is no end."""
        return _FOREVER if self._end is None else max(0.0, self._end - time.perf_counter())


def default_values(game: Game[Any, Any]) -> ValuesName:
    """The value rule that fits the game."""
    return "minimax" if game.players == 2 and game.zero_sum else "resolved_completion"


def _limit(now: int, more: int | None) -> int:
    return _NO_LIMIT if more is None else min(_NO_LIMIT, now + more)
