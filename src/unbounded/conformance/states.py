# SPDX-License-Identifier: MIT
"""Conformance of single states: what each rule returns for them."""

from __future__ import annotations

import copy
import math
import random
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NoReturn

from unbounded.conformance.believed_rules import BelievedRules
from unbounded.conformance.messages import AnyGame, broken, describe
from unbounded.conformance.promises import check_action_count
from unbounded.game import MOST_ACTIONS, Fields, RecordGame, RuleError, UsageError
from unbounded.game.rule_errors import (
    CYCLE_ADVICE,
    LIST_ADVICE,
    RANDOM_ADVICE,
    SPLIT_ADVICE,
    is_authors,
    kind,
    what_was_raised,
)

UNCHANGED = "rules must not change the state they are given; next writes to t, or makes a new state"
MOST_PARSED = 8
MOST_TRIED = 24


@dataclass(frozen=True)
class Visit:
    """What the rules returned for one state."""

    player: int | None
    actions: tuple[Any, ...]
    children: tuple[Any, ...]
    """The successors by the actions that were tried: by all, unless there are very many."""
    outcome: tuple[int, ...] = ()
    score: tuple[float, ...] = ()
    bound: tuple[float, ...] = ()
    """What `best_score_from` returned, if the game has it."""


class StateChecker:
    """Calls every rule of a game twice on a state, and raises a `RuleError` at a violation."""

    def __init__(self, game: AnyGame, compiled: Any = None, seed: int = 0) -> None:
        self.game, self.compiled = game, compiled
        self.random = random.Random(seed)
        self.visits: dict[Any, Visit] = {}
        self.spaced = ""
        """The name of an action that has spaces in it, if there is one."""
        self._before: tuple[Any, Any] | None = None
        """The state that is visited, and a copy of it as it was."""

    @cached_property
    def _believed(self) -> BelievedRules | None:
        """What checks the rules that probes believe; made when the others have been called once."""
        return BelievedRules(self.game, self) if isinstance(self.game, RecordGame) else None

    # -- one state --------------------------------------------------------------------------------

    def initial(self) -> Any:
        """Return the first state."""
        state = self._call_twice("initial", self.game.initial)
        self._check_state("initial", state, None, None)
        if self.compiled is not None:
            self._compare("initial", state, self.call("initial", self.compiled.initial))
        return state

    def visit(self, state: Any) -> Visit:
        """Check a state, once; return what the rules returned for it."""
        visit = self.visits.get(state)
        if visit is None:
            if not isinstance(self.game, RecordGame):
                self._before = (state, _snapshot(state))
            visit = self.visits[state] = self._visit(state)
            self._check_text(state, visit)
            self._before = None
            if isinstance(self.game, RecordGame):
                self._check_record_unchanged(state, visit)
        return visit

    def _visit(self, state: Any) -> Visit:
        actions = self._actions(state)
        self._check_is_terminal(state, actions)
        if not actions:
            outcome = self._outcome(state)
            if self.game.single_winner and 1 in outcome and sum(outcome) != 2 - len(outcome):
                problem = f"the outcome {list(outcome)} has a winner, and not all others lose"
                self.fail(problem, "single_winner is declared: leave that out", state)
            return Visit(None, (), (), outcome, self._score(state))
        player = self._player(state)
        children = tuple(self._next(state, action) for action in _some(actions))
        if self.game.has_evaluation:
            values = self._vector("evaluate", state)
            if self.game.zero_sum and not math.isclose(values[0], -values[1], abs_tol=1e-6):
                problem = f"the evaluation {list(values)} does not add up to zero"
                self.fail(problem, "zero_sum is declared: evaluate to x and -x", state)
        if self._believed is not None:
            self._believed.check(state, actions, player)
        local = self.game.has_local_best_score
        bound = self._vector("best_score_from", state, infinite=True) if local else ()
        return Visit(player, actions, children, bound=bound)

    def _actions(self, state: Any) -> tuple[Any, ...]:
        answer = self.call("actions", self.game.actions, state)
        if not isinstance(answer, Sequence):
            self.fail(f"actions returned {kind(answer)}", LIST_ADVICE, state)
        answer = self._call_twice("actions", self.game.actions, state)
        actions = tuple(answer)
        if len(actions) > MOST_ACTIONS:
            problem = f"actions gave {len(actions)} actions, more than {MOST_ACTIONS}"
            self.fail(problem, SPLIT_ADVICE, state)
        try:
            distinct = len(set(actions)) == len(actions)
        except TypeError:
            self.fail("actions are not hashable", "use integers, strings or tuples", state)
        if not distinct:
            twice = next(a for a in actions if actions.count(a) > 1)
            self.fail("actions gave an action twice", "list each once", state, twice)
        if isinstance(self.game, RecordGame):
            for action in actions:
                if not _is_integer(action) or not -(2**31) <= action < 2**31:
                    problem = "actions gave something that is not an integer of 32 bits"
                    self.fail(problem, "number the actions", state, action)
        check_action_count(self.game, actions, state)
        self._compare_rule("actions", list(actions), state)
        return actions

    def _check_is_terminal(self, state: Any, actions: tuple[Any, ...]) -> None:
        """Check that `is_terminal`, a rule or the inherited method, agrees with the actions."""
        answer = self._call_twice("is_terminal", self.game.is_terminal, state)
        if answer is not (not actions):
            problem = f"is_terminal gave {answer!r} for a state with {len(actions)} actions"
            advice = "make it true exactly where there are no actions, or leave is_terminal out"
            self.fail(problem, advice, state)

    def _player(self, state: Any) -> int:
        player = self._call_twice("player", self.game.player, state)
        if not _is_integer(player) or not 0 <= player < self.game.players:
            problem = f"player returned {player!r}; there are {self.game.players} players"
            self.fail(problem, "players are numbered from 0", state)
        self._compare_rule("player", player, state)
        return int(player)

    def _next(self, state: Any, action: Any) -> Any:
        child = self._call_twice("next", self.game.next, state, action)
        self._check_state("next", child, state, action)
        if child == state:
            problem = "next led back to the same state: a cycle of length 1"
            self.fail(problem, CYCLE_ADVICE, state, action)
        self._compare_rule("next", child, state, action)
        return child

    def _outcome(self, state: Any) -> tuple[int, ...]:
        outcome = self._call_twice("outcome", self.game.outcome, state)
        if not isinstance(outcome, Sequence) or len(outcome) != self.game.players:
            problem = f"outcome gave {outcome!r}, not one number for each player"
            self.fail(problem, f"give {self.game.players} numbers", state)
        if any(x not in (-1, 0, 1) or not _is_integer(x) for x in outcome):
            advice = "an outcome is -1, 0 or +1 (an integer); use score for finer distinctions"
            self.fail(f"outcome gave {list(outcome)}", advice, state)
        if self.game.zero_sum and sum(outcome) != 0:
            advice = "do not declare zero_sum, or give x and -x"
            self.fail(f"the outcome {list(outcome)} does not add up to zero", advice, state)
        self._compare_rule("outcome", list(outcome), state)
        return tuple(int(x) for x in outcome)

    def _score(self, state: Any) -> tuple[float, ...]:
        scores = self._vector("score", state)
        if self.game.zero_sum and scores[0] != -scores[1]:
            advice = "do not declare zero_sum, or give x and -x"
            self.fail(f"the score {list(scores)} does not add up to zero", advice, state)
        self.check_bound(scores, self.game.best_scores or (), "best_score", state)
        return scores

    def check_bound(
        self, scores: Sequence[float], bound: Sequence[float], rule: str, state: Any
    ) -> None:
        """Check that the scores of a terminal state do not exceed a bound."""
        for who, (score, best) in enumerate(zip(scores, bound, strict=False)):
            if rounded(score) > rounded(best):
                problem = f"player {who} scores {score}, more than {rule} allows: {best}"
                self.fail(problem, f"{rule} must be a bound for every end", state)

    # -- text -------------------------------------------------------------------------------------

    def _check_text(self, state: Any, visit: Visit) -> None:
        shown = self._call_twice("show", self.game.show, state)
        if not isinstance(shown, str):
            self.fail(f"show returned {type(shown).__name__}", "return text", state)
        naming = self.game.action_name
        names = [self.call("action_name", naming, state, action) for action in visit.actions]
        for name, action in zip(names, visit.actions, strict=True):
            if not isinstance(name, str) or not name.strip():
                self.fail(f"action_name gave {name!r}", "return text", state, action)
            if len(name.split()) > 1:
                self.spaced = self.spaced or name
        if len(set(names)) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            advice = "give different actions different names"
            self.fail(f"two actions have the same name {twice!r}", advice, state)
        pairs = list(zip(names, visit.actions, strict=True))
        for name, action in self.random.sample(pairs, min(MOST_PARSED, len(pairs))):
            self._check_parsing(state, name, action)

    def _check_parsing(self, state: Any, name: str, action: Any) -> None:
        try:
            parsed = self.game.parse_action(state, name)
        except UsageError as error:
            parsed = error
        except Exception as error:
            raise self._raised("parse_action", error, state, action) from error
        if parsed != action:
            problem = f"parse_action reads the name {name!r} as {parsed!r}"
            self.fail(problem, "parse_action must read what action_name writes", state, action)

    # -- states stay as they are ------------------------------------------------------------------

    def _check_record_unchanged(self, state: Any, visit: Visit) -> None:
        assert isinstance(self.game, RecordGame)
        for rule, action in self._record_calls(visit):
            s = self.game.state.unpack(state)
            try:
                self._call_record(rule, s, action)
            except Exception as error:
                raise self._raised(rule, error, state, action) from error
            if repr(s) != repr(self.game.state.unpack(state)):
                self.fail(f"{rule} changed its state to {s!r}", UNCHANGED, state, action)

    def _check_unchanged(self, rule: str) -> None:
        """Check that a rule has not changed the state it was called with."""
        if self._before is None:
            return
        state, before = self._before
        if before is not None and (before != state or hash(before) != hash(state)):
            problem = f"{rule} changed the state it was given: it is now {state!r}"
            self.fail(problem, UNCHANGED, before)

    def _record_calls(self, visit: Visit) -> list[tuple[str, Any]]:
        over = not visit.actions
        asked = ["outcome", "score"] if over else ["player", "evaluate", "best_score_from"]
        asked += ["actions", "outcome_at_horizon"]
        moves = self.random.sample(visit.actions, min(2, len(visit.actions)))
        return [(rule, None) for rule in asked] + [("next", action) for action in moves]

    def _call_record(self, rule: str, s: Fields, action: Any) -> None:
        assert isinstance(self.game, RecordGame)
        function = getattr(self.game.uncompiled, rule)
        if rule == "player":
            function(s)
        elif rule == "next":
            function(s, action, s.copy())
        elif function is not None:
            function(s, [0] * (self.game.max_actions if rule == "actions" else self.game.players))

    def _check_state(self, rule: str, state: Any, asked: Any, action: Any) -> None:
        try:
            hash(state)
        except TypeError:
            advice = "use tuples, frozensets or frozen dataclasses, not lists, sets or dicts"
            self.fail(f"{rule} gave a state that is not hashable", advice, asked, action)
        if isinstance(self.game, RecordGame):
            size = self.game.state.size
            if not isinstance(state, bytes) or len(state) != size:
                advice = f"a state is {size} bytes; do not override {rule}, write it in rules()"
                self.fail(f"{rule} gave {state!r}", advice, asked, action)

    # -- calling rules ----------------------------------------------------------------------------

    def call(self, rule: str, function: Callable[..., Any], *given: Any) -> Any:
        """Call a rule with a state, or state and action; what it raises becomes a `RuleError`."""
        try:
            answer = function(*given)
        except Exception as error:
            raise self._raised(rule, error, *given) from error
        self._check_unchanged(rule)
        return answer

    def _call_twice(self, rule: str, function: Callable[..., Any], *given: Any) -> Any:
        first = self.call(rule, function, *given)
        again = self.call(rule, function, *given)
        try:
            same = bool(first == again)
        except Exception as error:
            raise self._raised(rule, error, *given) from error
        if not same and repr(first) != repr(again):  # a NaN is not even equal to itself
            problem = f"{rule} returned {first!r}, then {again!r} when called again"
            problem += " with the same arguments"
            advice = RANDOM_ADVICE
            if rule in ("initial", "next"):
                advice += "; and states need __eq__ and __hash__"
            self.fail(problem, advice, *given)
        return first

    def call_both(self, rule: str, function: Callable[..., Any], state: bytes) -> Any:
        """Call a rule twice, and compiled; return what it returned."""
        answer = self._call_twice(rule, function, state)
        self._compare_rule(rule, answer, state)
        return answer

    def _vector(self, rule: str, state: Any, *, infinite: bool = False) -> tuple[float, ...]:
        answer = self._call_twice(rule, getattr(self.game, rule), state)
        numbers = self._numbers(rule, answer, state, infinite=infinite)
        exact = rule == "score"
        if self.compiled is not None and (rule != "score" or self.game.has_score):
            other = self.call(rule, getattr(self.compiled, rule), state)
            close = [
                a == b if exact else math.isclose(a, b, rel_tol=1e-5, abs_tol=1e-6)
                for a, b in zip(map(rounded, numbers), other, strict=True)
            ]
            if not all(close):
                self._compare(rule, list(numbers), other, state)
        return numbers

    def _numbers(self, rule: str, answer: Any, state: Any, *, infinite: bool) -> tuple[float, ...]:
        players = self.game.players
        if not isinstance(answer, Sequence) or len(answer) != players:
            problem = f"{rule} gave {answer!r}, not one number for each player"
            self.fail(problem, f"give {players} numbers", state)
        try:
            numbers = tuple(float(x) for x in answer)
        except (TypeError, ValueError):
            self.fail(f"{rule} gave {answer!r}", "give numbers", state)
        for x in numbers:
            if math.isnan(x) or (math.isinf(rounded(x)) and not infinite):
                advice = "numbers must be finite, also when rounded to 32 bits"
                self.fail(f"{rule} gave {list(numbers)}", advice, state)
        return numbers

    def _compare_rule(self, rule: str, answer: Any, *given: Any) -> None:
        if self.compiled is not None:
            compiled = self.call(rule, getattr(self.compiled, rule), *given)
            self._compare(rule, answer, compiled, *given)

    def _compare(
        self, rule: str, answer: Any, compiled: Any, state: Any = None, action: Any = None
    ) -> None:
        if answer != compiled:
            a, b = (describe(self.game, x) for x in (answer, compiled))
            problem = f"{rule} compiled differs from {rule} in Python: {b}, not {a}"
            advice = (
                "compiled integers have 64 bits: keep sums, products and shifts below 2**63, and "
                "use nothing that may change after the game is made"
            )
            self.fail(problem, advice, state, action)

    def _raised(
        self, rule: str, error: Exception, state: Any = None, action: Any = None
    ) -> RuleError:
        problem, advice = f"{rule} {what_was_raised(error)}", f"repair the rule {rule}"
        if isinstance(error, RuleError):
            said = error.problem
            problem = said if said.startswith(f"{rule} ") else f"{rule}: {said}"
            advice = error.advice or advice
        elif isinstance(error, NotImplementedError) and not is_authors(error):
            problem, advice = f"there is no rule {rule}", f"define {rule} in the game"
        return broken(self.game, problem, advice, state=state, action=action)

    def fail(self, problem: str, advice: str, state: Any = None, action: Any = None) -> NoReturn:
        """Raise the error for a violation."""
        raise broken(self.game, problem, advice, state=state, action=action)


def _some(actions: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the actions to be tried, evenly spread; the same ones for the same actions."""
    if len(actions) <= MOST_TRIED:
        return actions
    last = len(actions) - 1
    return tuple(actions[last * i // (MOST_TRIED - 1)] for i in range(MOST_TRIED))


def _snapshot(state: Any) -> Any:
    """Return an equal copy, or None where that cannot be had."""
    try:
        twin = copy.deepcopy(state)
        return twin if twin == state else None
    except Exception:
        return None


def _is_integer(x: Any) -> bool:
    return hasattr(type(x), "__index__")


def rounded(x: float) -> float:
    """Return the number with 32 bits that is nearest, infinite if it is too large."""
    try:
        nearest: float = struct.unpack("<f", struct.pack("<f", x))[0]
    except OverflowError:
        return math.copysign(math.inf, x)
    return nearest
