# SPDX-License-Identifier: MIT
"""`check_game`: does a game conform to the contract? Also perft counts and random games.

`unbounded check mygame.py` prints the report.
"""

from __future__ import annotations

import random
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from unbounded.conformance.declarations import (
    check_declarations,
    check_string_form,
    find_unused_symmetry,
)
from unbounded.conformance.drawings import check_drawings
from unbounded.conformance.graphs import check_graph, cycle, find_needless_states
from unbounded.conformance.messages import AnyGame, broken, describe
from unbounded.conformance.promises import check_action_count, check_longest_game
from unbounded.conformance.report import Report
from unbounded.conformance.states import StateChecker, Visit
from unbounded.conformance.symmetries import check_images
from unbounded.conformance.ties import check_tie_breaking
from unbounded.game import RecordGame, UsageError, catalogue, require

LONGEST_PLAY = 1_000_000
WALKED_STATES = 2_000
MOST_COUNTED = 12_000
"""Moves made for the perft counts of a report."""
CALLS_PER_GAME = 100
MOST_MOVES = 50_000
LONG_GAME = 10_000
"""Moves after which a game that was cut is played on, to see whether it ends at all."""
LONGEST_IN_PYTHON = 100_000
"""Moves of a game that is played on by the rules in Python; compiled ones make `LONGEST_PLAY`."""
MOVES_BETWEEN_WORDS = 1_000
MOST_DEPTH = 40


# -- playing --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Play:
    """One game played: all its states, and the actions between them.

    >>> from unbounded.testing import random_play
    >>> from unbounded import load_game
    >>> play = random_play(load_game("tic-tac-toe"), seed=1)
    >>> len(play.states) == len(play.actions) + 1
    True
    """

    states: tuple[Any, ...]
    actions: tuple[Any, ...]


def random_play(game: AnyGame, seed: int = 0, *, longest: int = LONGEST_PLAY) -> Play:
    """Play at random to the end of the game, or for `longest` moves; a cycle is a `RuleError`.

    >>> from unbounded import load_game
    >>> game = load_game("tic-tac-toe")
    >>> game.is_terminal(random_play(game, seed=1).states[-1])
    True
    """
    choose = random.Random(seed)
    states, actions = [game.initial()], list[Any]()
    passed = set(states)
    while len(actions) < longest and (legal := game.actions(states[-1])):
        actions.append(choose.choice(legal))
        states.append(game.next(states[-1], actions[-1]))
        if states[-1] in passed:
            raise cycle(game, states[states.index(states[-1]) :])
        passed.add(states[-1])
    return Play(tuple(states), tuple(actions))


def perft(game: AnyGame, depth: int) -> list[int]:
    """Count the ways to play 0, 1, ... `depth` moves; a game that is over goes no further.

    >>> from unbounded import load_game
    >>> perft(load_game("connect-four"), 4)
    [1, 7, 49, 343, 2401]
    """
    require(type(depth) is int and depth >= 0, "depth must be an integer from 0")
    layers = _layers(game)
    return [sum(next(layers).values()) for _ in range(depth + 1)]


def _layers(game: AnyGame) -> Iterator[Counter[Any]]:
    """Yield for each depth the states there, and in how many ways each is reached."""
    layer = Counter([game.initial()])
    while True:
        yield layer
        deeper: Counter[Any] = Counter()
        for state, ways in layer.items():
            for action in game.actions(state):
                deeper[game.next(state, action)] += ways
        layer = deeper


# -- checking -------------------------------------------------------------------------------------


def check_game(
    game: AnyGame | str,
    *,
    games: int = 100,
    seed: int = 0,
    compiled: bool = True,
    progress: Callable[[str], None] | None = None,
) -> Report:
    """Check a game against its contract; raise a `RuleError` at the first violation.

    The states checked are those nearest to the start and those of random games. That can show
    that a game is broken, and make it probable that it is not. `progress` is called now and then
    with what is being done: "compiling the rules", "game 12 of 100".

    >>> import unbounded as ub
    >>> ub.check_game(ub.load_game("nim")).conforms
    True
    """
    game = catalogue.load_game(game)
    require(type(games) is int and games >= 1, "games must be an integer from 1")
    return _Check(game, games, seed, compiled, progress or (lambda _: None)).report()


class _Check:
    """One run of `check_game`."""

    def __init__(
        self,
        game: AnyGame,
        games: int,
        seed: int,
        compiled: bool,
        progress: Callable[[str], None],
    ) -> None:
        self.game, self.games, self.report_progress = game, games, progress
        self.started = time.perf_counter()
        self.random = random.Random(seed)
        self.notes: list[str] = []
        self.warnings: list[str] = []
        self.calls = self.moves = 0
        self.ended = True
        self.most_calls = 2_000 + CALLS_PER_GAME * games
        self.checker = StateChecker(game, seed=seed)
        check_declarations(game)
        twin = check_string_form(game)
        self._visit(self.checker.initial())
        if compiled:
            self.report_progress("compiling the rules")
            # Only now: the errors of Python rules are easier to understand.
            self.checker = StateChecker(game, self._compiled(), seed)
        self.first = self.checker.initial()
        self._check_name(twin)

    def report(self) -> Report:
        visits = self.checker.visits
        self._walk()
        check_graph(self.checker, self.first)
        longest = max(self._play(number) for number in range(1, self.games + 1))
        self.report_progress("comparing states and their images, checking drawings, measuring")
        check_graph(self.checker, self.first)
        check_images(self.checker)
        needless = find_needless_states(self.checker, self.first)
        self.warnings += [x for x in (needless, find_unused_symmetry(self.game)) if x]
        self.warnings += check_drawings(self.checker)
        if self.checker.spaced:
            self.notes.append(
                f"names of moves have spaces, such as {self.checker.spaced!r}: --moves takes "
                "no such names, so give them others by action_name"
            )
        counts, rate = self._count()
        ends = Counter(v.outcome for v in visits.values() if not v.actions)
        compiled = self.checker.compiled
        return Report(
            game=str(self.game),
            states=len(visits),
            games=self.games,
            longest=longest,
            most_actions=self._most_actions(),
            outcomes=dict(ends),
            perft=counts,
            compiled=compiled is not None,
            rules_loaded=0 if compiled is None else compiled.from_cache,
            rules_compiled=0 if compiled is None else compiled.compiled,
            ties=check_tie_breaking(self.game, 1 + self.most_calls // (1 + self._most_actions())),
            states_per_second=rate,
            compiled_states_per_second=self._compiled_rate(),
            seconds=time.perf_counter() - self.started,
            notes=tuple(dict.fromkeys(self.notes)),
            warnings=tuple(self.warnings),
            ended=self.ended,
        )

    def _compiled(self) -> Any:
        if not isinstance(self.game, RecordGame):
            self.notes.append("not compiled: only a RecordGame can be")
            return None
        from unbounded.native import compiling

        if not compiling.available():
            self.notes.append("not compiled: numba is not installed")
            return None
        try:
            compiled = compiling.compile_game(self.game)
            compiled.addresses_for(canonical=self.game.symmetries > 1)  # compiles what searches use
            return compiled
        except UsageError as error:
            problem = f"the rules cannot be compiled: {error}"
            advice = "see what rules may use, in docs/adding_a_game.md or help(unbounded.Rules)"
            raise broken(self.game, problem, advice) from error

    def _check_name(self, twin: AnyGame) -> None:
        if self.game.initial() != twin.initial():
            self.warnings.append(f"the string form {str(self.game)!r} starts in another state")
        known = catalogue.games().get(self.game.game_name())
        if known is not None and not isinstance(self.game, known):
            name = self.game.game_name()
            self.warnings.append(f"another game is named {name!r} too; rename the class")

    # -- choosing states --------------------------------------------------------------------------

    def _visit(self, state: Any) -> Visit:
        if state not in self.checker.visits:
            self.calls += 1 + len(self.checker.visit(state).children)
        return self.checker.visit(state)

    def _walk(self) -> None:
        """Visit the states nearest to the start."""
        waiting, known = deque([self.first]), {self.first}
        while (
            waiting
            and len(self.checker.visits) < WALKED_STATES
            and self.calls < self.most_calls // 2
        ):
            self.report_progress(f"{len(self.checker.visits)} states near the start")
            for child in self._visit(waiting.popleft()).children:
                if child not in known:
                    known.add(child)
                    waiting.append(child)
        if not waiting and all(
            len(v.children) == len(v.actions) for v in self.checker.visits.values()
        ):
            self.notes.append("these are all states of the game")

    def _play(self, number: int) -> int:
        """Play a random game, visiting its states; return its length."""
        path, passed = [self.first], {self.first}
        self.report_progress(f"game {number} of {self.games}")
        while self.moves < MOST_MOVES:
            state = path[-1]
            actions = self._actions(state)
            if not actions:
                break
            action = self.random.choice(actions)
            path.append(self.checker.call("next", self.game.next, state, action))
            if path[-1] in passed:
                raise cycle(self.game, path[path.index(path[-1]) :])
            passed.add(path[-1])
            check_longest_game(self.game, len(path) - 1, path[-1])
            self.moves += 1
            if len(path) % MOVES_BETWEEN_WORDS == 0:
                self.report_progress(f"game {number} of {self.games}, move {len(path):,}")
        else:
            self.notes.append(f"random games were cut after {MOST_MOVES:,} moves in all")
            if len(path) > LONG_GAME:
                self._play_on(path)
        self._check_bounds(path)
        return len(path) - 1

    def _play_on(self, path: Sequence[Any]) -> None:
        """See whether a long game ends at all: nothing else is checked, and no state is kept."""
        rules = self.checker.compiled or self.game
        longest = LONGEST_IN_PYTHON if self.checker.compiled is None else LONGEST_PLAY
        state, moves = path[-1], len(path) - 1
        while moves < longest:
            actions = self.checker.call("actions", rules.actions, state)
            if not actions:
                return
            state = self.checker.call("next", rules.next, state, self.random.choice(actions))
            moves += 1
            check_longest_game(self.game, moves, state)
            if moves % MOVES_BETWEEN_WORDS == 0:
                self.report_progress(f"one game has {moves:,} moves and does not end")
        self.ended = False
        self.warnings.append(
            f"a random game had not ended after {moves:,} moves, in {describe(self.game, state)}; "
            "every game must end, however it is played: count the moves in the state, or wrap the "
            "game in unbounded.horizon"
        )

    def _actions(self, state: Any) -> Sequence[Any]:
        if self.calls < self.most_calls or state in self.checker.visits:
            return self._visit(state).actions
        self.notes.append(
            f"rules were checked in full for {self.most_calls:,} moves; the other random games "
            "were only played (more --games check more)"
        )
        actions: Sequence[Any] = self.checker.call("actions", self.game.actions, state)
        check_action_count(self.game, actions, state)
        return actions if actions else self._visit(state).actions

    def _check_bounds(self, path: Sequence[Any]) -> None:
        """Check the bounds on the score along a game against the score at its end."""
        visits = self.checker.visits
        if path[-1] in visits and self.game.has_local_best_score:
            scores = visits[path[-1]].score
            for state in path:
                bound = visits[state].bound if state in visits else ()
                self.checker.check_bound(scores, bound, "best_score_from", state)

    # -- counting ---------------------------------------------------------------------------------

    def _count(self) -> tuple[tuple[int, ...], float]:
        """Return the perft counts as far as they come quickly, and states per second."""
        counts, states, started = list[int](), 0, time.perf_counter()
        for layer in _layers(self.game):
            counts.append(sum(layer.values()))
            states += len(layer)
            if states * self._most_actions() > MOST_COUNTED or len(counts) > 12 or not layer:
                break
        rate = states / max(time.perf_counter() - started, 1e-9)
        return tuple(n for n in counts[1:] if n), rate

    def _most_actions(self) -> int:
        return max(len(visit.actions) for visit in self.checker.visits.values())

    def _compiled_rate(self) -> float | None:
        """Count moves through the core, ever deeper, until it takes long enough to be timed."""
        if self.checker.compiled is None:
            return None
        try:
            from unbounded import native
        except ImportError:
            return None
        counts, seconds = [1], 0.0
        while counts[-1] > 0 and seconds < 0.05 and len(counts) < MOST_DEPTH:
            started = time.perf_counter()
            counts.append(native.perft(self.game, len(counts)))
            seconds = time.perf_counter() - started
        # The last moves are counted, not made.
        return sum(counts[:-1]) / seconds if seconds > 0.01 else None
