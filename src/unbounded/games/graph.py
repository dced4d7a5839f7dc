# SPDX-License-Identifier: MIT
"""A game given state by state: a small acyclic graph, from a JSON file or from a program.

    {"players": 2, "root": "a", "states": {
      "a": {"player": 0, "next": ["b", "c"], "evaluation": [0.5, -0.5]},
      "b": {"outcome": [1, -1], "score": [3, -3]},
      "c": {"outcome": [0, 0]}}}

Optional, with defaults in brackets: "root" (the first state), "zero_sum" and "best_score"
(computed), and in a state "evaluation" (zeros) and "score" (the outcome).
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from unbounded.game import Game, UsageError, did_you_mean, require

T = TypeVar("T")
PerState = Sequence[T | None] | Mapping[int, T]
"""Values for some of the states: a list with None for the others, or a mapping."""

_EXAMPLE = """{"states": {
  "start": {"player": 0, "next": ["left", "right"], "evaluation": [0.5, -0.5]},
  "left": {"player": 1, "next": ["lost", "drawn"], "evaluation": [0.75, -0.75]},
  "right": {"player": 1, "next": ["drawn", "won"], "evaluation": [0.25, -0.25]},
  "lost": {"outcome": [-1, 1], "score": [-2, 2]},
  "drawn": {"outcome": [0, 0]},
  "won": {"outcome": [1, -1], "score": [5, -5]}}}"""

_GAME_KEYS = ("players", "zero_sum", "root", "best_score", "states")
_STATE_KEYS = ("player", "next", "evaluation", "outcome", "score")
_LARGEST = (2 - 2**-23) * 2.0**127  # the largest finite number of 32 bits


class Graph(Game[int, int]):
    """A game given state by state in a JSON file; without a file, a small example.

    A state is its place in the list of states; an action is the state it leads to.
    """

    file: str
    root: int
    names: tuple[str, ...]
    successors: tuple[tuple[int, ...], ...]
    movers: tuple[int | None, ...]
    """Who moves in each state; None where the game is over. So for the other lists."""
    outcomes: tuple[tuple[int, ...] | None, ...]
    scores: tuple[tuple[float, ...] | None, ...]
    evaluations: tuple[tuple[float, ...] | None, ...]

    def __init__(self, file: str = "") -> None:
        require(isinstance(file, str), f"file must be the name of a JSON file, not {file!r}")
        self.file = file
        if not file:
            self._set(**_parse(_EXAMPLE))
            return
        try:
            self._set(**_parse(Path(file).read_text(encoding="utf-8")))
        except OSError as error:
            raise UsageError(f"cannot read {file!r}: {error.strerror}") from None
        except ValueError as error:  # of which UsageError and UnicodeDecodeError are kinds
            raise UsageError(f"{file}: {error}") from None

    @classmethod
    def of(
        cls,
        successors: Sequence[Sequence[int]],
        movers: PerState[int],
        outcomes: PerState[Sequence[int]],
        *,
        scores: PerState[Sequence[float]] | None = None,
        evaluations: PerState[Sequence[float]] | None = None,
        best_score: Sequence[float] | None = None,
        players: int = 2,
        names: Sequence[str] | None = None,
        root: int = 0,
        zero_sum: bool | None = None,
    ) -> Graph:
        """Make a graph in a program; the states are numbered as in `successors`."""
        count = len(successors)
        names = [str(s) for s in range(count)] if names is None else names
        require(len(names) == count, f"names: {len(names)} given for {count} states")
        graph = cls.__new__(cls)
        graph.file = "<program>"  # no file has this name, so the string form makes no other game
        graph._set(
            players=players,
            names=names,
            successors=successors,
            movers=_listed(movers, count, "movers"),
            outcomes=_listed(outcomes, count, "outcomes"),
            scores=_listed(scores, count, "scores"),
            evaluations=_listed(evaluations, count, "evaluations"),
            best_score=best_score,
            root=root,
            zero_sum=zero_sum,
        )
        return graph

    @classmethod
    def from_json(cls, text: str) -> Graph:
        """Make the graph that a JSON text describes."""
        graph = cls.__new__(cls)
        graph.file = "<program>"
        graph._set(**_parse(text))
        return graph

    def is_same_game(self, other: Game[Any, Any]) -> bool:
        # Graphs made in a program have no name that would tell them apart.
        return self is other or (isinstance(other, Graph) and self.to_json() == other.to_json())

    def to_json(self) -> str:
        """Describe the graph as a JSON text, one state a line."""
        given = {"players": self.players, "zero_sum": self.zero_sum, "root": self.names[self.root]}
        head = "".join(f"{json.dumps(k)}: {json.dumps(v)}, " for k, v in given.items())
        if self.best_score is not None:
            head += f'"best_score": {json.dumps(_short(self.best_score))}, '
        states = ",\n  ".join(
            f"{json.dumps(name)}: {json.dumps(self._entry(s))}" for s, name in enumerate(self.names)
        )
        return f'{{{head}"states": {{\n  {states}}}}}\n'

    # -- the rules ------------------------------------------------------------------------------

    def initial(self) -> int:
        return self.root

    def player(self, state: int) -> int:
        mover = self.movers[state]
        assert mover is not None, "never asked when the game is over"
        return mover

    def actions(self, state: int) -> Sequence[int]:
        return self.successors[state]

    def next(self, state: int, action: int) -> int:
        return action

    def outcome(self, state: int) -> Sequence[int]:
        outcome = self.outcomes[state]
        assert outcome is not None, "asked only when the game is over"
        return outcome

    def score(self, state: int) -> Sequence[float]:
        score = self.scores[state]
        return super().score(state) if score is None else score

    def evaluate(self, state: int) -> Sequence[float]:
        evaluation = self.evaluations[state]
        return (0.0,) * self.players if evaluation is None else evaluation

    def best_score_from(self, state: int) -> Sequence[float]:
        return self._best_scores_from[state]

    @property
    def has_score(self) -> bool:
        return any(score is not None for score in self.scores)

    @property
    def has_evaluation(self) -> bool:
        return any(evaluation is not None for evaluation in self.evaluations)

    # Found when they are needed: what the constructor does is part of the fingerprint of the rules.

    @cached_property
    def action_count(self) -> int:  # type: ignore[override]
        """The number of states, as an action is the state that it leads to."""
        return len(self)

    @cached_property
    def longest_game(self) -> int:  # type: ignore[override]
        """The moves of the longest way from the root to an end."""
        longest: dict[int, int] = {}
        for s in _children_first(self.successors, self.names):
            longest[s] = max((1 + longest[child] for child in self.successors[s]), default=0)
        return longest[self.root]

    def show(self, state: int) -> str:
        """Say who moves where, or how the game ended."""
        if self.successors[state]:
            choices = ", ".join(self.names[s] for s in self.successors[state])
            return f"{self.names[state]}: player {self.player(state)} moves to {choices}"
        ended = f"{self.names[state]}: over, outcome {list(self.outcome(state))}"
        return ended + (f", score {_short(self.score(state))}" if self.has_score else "")

    def action_name(self, state: int, action: int) -> str:
        return self.names[action]

    def __len__(self) -> int:
        """The number of states."""
        return len(self.names)

    # -- taking over a description --------------------------------------------------------------

    def _set(
        self, players: Any, root: Any, zero_sum: Any, best_score: Any, **lists: Sequence[Any]
    ) -> None:
        require(
            _is_integer(players) and players > 0, f"players is {players!r}, not a positive number"
        )
        self.players = players
        self.names = _checked_names(lists["names"])
        require(_is_state(root, len(self)), f"root {root!r} is not a state")
        self.root = root
        self._set_states(lists)
        self._set_zero_sum(zero_sum)
        self._best_scores_from = self._highest_below(_children_first(self.successors, self.names))
        self._set_best_score(best_score)

    def _set_states(self, lists: Mapping[str, Sequence[Any]]) -> None:
        successors, movers, outcomes, scores, evaluations = [], [], [], [], []
        for s, name in enumerate(self.names):
            given = {key: lists[key][s] for key in ("movers", "outcomes", "scores", "evaluations")}
            try:
                successors.append(_checked_successors(lists["successors"][s], self.names))
                inner = bool(successors[-1])
                self._require_fit(given, inner)
                movers.append(given["movers"] if inner else None)
                outcomes.append(None if inner else self._checked_outcome(given["outcomes"]))
                scores.append(_checked_numbers("score", given["scores"], self.players))
                evaluations.append(
                    _checked_numbers("evaluation", given["evaluations"], self.players)
                )
            except UsageError as error:
                raise UsageError(f"state {name!r}: {error}") from None
        self.successors, self.movers = tuple(successors), tuple(movers)
        self.outcomes, self.scores = tuple(outcomes), tuple(scores)
        self.evaluations = tuple(evaluations)

    def _require_fit(self, given: Mapping[str, Any], inner: bool) -> None:
        if inner:
            mover = given["movers"]
            require(given["outcomes"] is None, "has both successors and an outcome")
            require(given["scores"] is None, "has a score, but the game is not over there")
            require(mover is not None, "does not say which player moves")
            require(
                _is_integer(mover) and 0 <= mover < self.players,
                f"player {mover!r} is not one of 0 to {self.players - 1}",
            )
        else:
            require(given["outcomes"] is not None, "has neither successors nor an outcome")
            require(given["evaluations"] is None, "has an evaluation, but the game is over there")

    def _checked_outcome(self, outcome: Any) -> tuple[int, ...]:
        _require_one_each("outcome", outcome, self.players)
        for x in outcome:
            require(_is_integer(x) and x in (-1, 0, 1), f"outcome {x!r} is not -1, 0 or 1")
        return tuple(outcome)

    def _set_zero_sum(self, declared: Any) -> None:
        require(
            declared is None or isinstance(declared, bool),
            f"zero_sum is {declared!r}, not true or false",
        )
        ends = [s for s in range(len(self)) if not self.successors[s]]
        unbalanced = [s for s in ends if sum(self.outcome(s)) != 0 or sum(self.score(s)) != 0]
        if declared:
            require(self.players == 2, f"zero_sum is for 2 players; this game has {self.players}")
            for s in unbalanced[:1]:
                raise UsageError(
                    f"state {self.names[s]!r}: outcome {list(self.outcome(s))} and score "
                    f"{_short(self.score(s))} do not add up to zero"
                )
        self.zero_sum = (self.players == 2 and not unbalanced) if declared is None else declared

    def _highest_below(self, order: Sequence[int]) -> dict[int, tuple[float, ...]]:
        highest: dict[int, tuple[float, ...]] = {}
        for s in order:
            below = [highest[child] for child in self.successors[s]] or [tuple(self.score(s))]
            highest[s] = tuple(map(max, zip(*below, strict=True)))
        return highest

    def _set_best_score(self, declared: Any) -> None:
        highest = tuple(map(max, zip(*self._best_scores_from.values(), strict=True)))
        best = _checked_numbers("best_score", declared, self.players)
        if best is None:
            self.best_score = highest if self.has_score else None
            return
        for j, (bound, attained) in enumerate(zip(best, highest, strict=True)):
            require(
                bound >= attained, f"best_score {bound} of player {j}: an end scores {attained}"
            )
        self.best_score = best

    def _entry(self, s: int) -> dict[str, Any]:
        if self.successors[s]:
            choices = [self.names[child] for child in self.successors[s]]
            entry: dict[str, Any] = {"player": self.movers[s], "next": choices}
        else:
            entry = {"outcome": self.outcomes[s]}
        for key, numbers in (("score", self.scores[s]), ("evaluation", self.evaluations[s])):
            if numbers is not None:
                entry[key] = _short(numbers)
        return entry


# -- reading and checking -------------------------------------------------------------------------


def _parse(text: str) -> dict[str, Any]:
    """Read a JSON description into the lists that `Graph._set` takes."""
    try:
        described = json.loads(text, object_pairs_hook=_without_repeats, parse_constant=_refuse)
    except UsageError:
        raise
    except (ValueError, RecursionError) as error:
        raise UsageError(f"not JSON: {error}") from None
    _require_keys("a graph", described, _GAME_KEYS)
    states = described.get("states")
    require(isinstance(states, dict) and bool(states), '"states" must describe at least one state')
    names = list(states)
    place = {name: s for s, name in enumerate(names)}
    root = described.get("root", names[0])
    _require_state("root", root, place)
    for name, entry in states.items():
        _require_entry(name, entry, place)
    return {
        "players": described.get("players", 2),
        "zero_sum": described.get("zero_sum"),
        "best_score": described.get("best_score"),
        "root": place[root],
        "names": names,
        "successors": [[place[x] for x in entry.get("next", ())] for entry in states.values()],
        "movers": [entry.get("player") for entry in states.values()],
        "outcomes": [entry.get("outcome") for entry in states.values()],
        "scores": [entry.get("score") for entry in states.values()],
        "evaluations": [entry.get("evaluation") for entry in states.values()],
    }


def _require_entry(name: str, entry: Any, place: Mapping[str, int]) -> None:
    where = f"state {name!r}"
    _require_keys(where, entry, _STATE_KEYS)
    successors = entry.get("next", [])
    require(isinstance(successors, list), f"{where}: next must be a list of states")
    for successor in successors:
        _require_state(f"{where}: successor", successor, place)


def _require_state(what: str, name: Any, place: Mapping[str, int]) -> None:
    known = isinstance(name, str) and name in place
    hint = did_you_mean(name, place) if isinstance(name, str) else ""
    require(known, f"{what} {name!r} is not a state{hint}")


def _require_keys(what: str, described: Any, known: Sequence[str]) -> None:
    require(isinstance(described, dict), f"{what} must be described by a JSON object")
    for key in described:
        require(key in known, f"{what}: unknown key {key!r}{did_you_mean(key, known)}")


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    described: dict[str, Any] = {}
    for key, value in pairs:
        require(key not in described, f"{key!r} is described twice")
        described[key] = value
    return described


def _refuse(constant: str) -> None:
    raise UsageError(f"{constant} is not a finite number")


def _listed(given: PerState[Any] | None, count: int, what: str) -> Sequence[Any]:
    if given is None:
        return [None] * count
    if isinstance(given, Mapping):
        for s in given:
            require(_is_state(s, count), f"{what}: {s!r} is not a state")
        return [given.get(s) for s in range(count)]
    require(len(given) == count, f"{what}: {len(given)} given for {count} states")
    return given


def _checked_names(names: Sequence[Any]) -> tuple[str, ...]:
    require(len(names) > 0, "a graph needs at least one state")
    for name in names:
        good = isinstance(name, str) and name.isprintable() and name.strip() == name != ""
        require(good, f"{name!r} is not a name: printable text without spaces around it")
    require(len(set(names)) == len(names), "two states have the same name")
    return tuple(names)


def _checked_successors(given: Any, names: Sequence[str]) -> tuple[int, ...]:
    require(isinstance(given, (list, tuple)), "its successors must be a list")
    for successor in given:
        require(_is_state(successor, len(names)), f"successor {successor!r} is not a state")
        require(
            list(given).count(successor) == 1, f"successor {names[successor]!r} is listed twice"
        )
    return tuple(given)


def _require_one_each(what: str, given: Any, players: int) -> None:
    require(isinstance(given, (list, tuple)), f"{what} must be a list, one number per player")
    require(len(given) == players, f"{what} has {len(given)} numbers for {players} players")


def _checked_numbers(what: str, given: Any, players: int) -> tuple[float, ...] | None:
    """Round to the 32 bits that the core keeps."""
    if given is None:
        return None
    _require_one_each(what, given, players)
    for x in given:
        require(
            isinstance(x, (int, float)) and not isinstance(x, bool), f"{what} {x!r} is no number"
        )
        require(abs(x) <= _LARGEST, f"{what} {x!r} is not a finite number of 32 bits")
    return tuple(array("f", given))


def _short(numbers: Sequence[float]) -> list[float]:
    """Write each number with the fewest digits that round to the same 32 bits."""
    return [
        next(y for digits in range(1, 10) if array("f", [y := float(f"{x:.{digits}g}")])[0] == x)
        for x in numbers
    ]


def _is_integer(x: Any) -> bool:
    return isinstance(x, int) and not isinstance(x, bool)


def _is_state(x: Any, count: int) -> bool:
    return _is_integer(x) and 0 <= x < count


def _children_first(successors: Sequence[Sequence[int]], names: Sequence[str]) -> list[int]:
    """Return the states, each after all its successors; refuse a cycle."""
    done: dict[int, None] = {}
    for start in range(len(successors)):
        path: dict[int, list[int]] = {} if start in done else {start: list(successors[start])}
        while path:
            s, waiting = next(reversed(path.items()))
            if not waiting:
                del path[s]
                done[s] = None
                continue
            child = waiting.pop()
            if child in path:
                states = list(path)
                cycle = [names[x] for x in (*states[states.index(child) :], child)]
                shown = cycle if len(cycle) <= 12 else [*cycle[:10], "...", cycle[-1]]
                raise UsageError(f"the states run in a cycle: {' -> '.join(shown)}")
            if child not in done:
                path[child] = list(successors[child])
    return list(done)
