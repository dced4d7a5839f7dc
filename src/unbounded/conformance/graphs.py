# SPDX-License-Identifier: MIT
"""Conformance of states taken together: no cycles, true bounds, no needless states."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Any

from unbounded.conformance.messages import AnyGame, broken, describe, shows_itself
from unbounded.conformance.promises import check_longest_game
from unbounded.conformance.states import StateChecker, Visit
from unbounded.game import RecordGame, RuleError
from unbounded.game.rule_errors import CYCLE_ADVICE


def cycle(game: AnyGame, states: Sequence[Any]) -> RuleError:
    """Return the error for a cycle, given with its first state once more at its end."""
    problem = f"next led back to an earlier state: a cycle of length {len(states) - 1}"
    return broken(game, problem, CYCLE_ADVICE, state=states[0])


def check_graph(checker: StateChecker, first: Any) -> None:
    """Check all states visited so far for cycles and for bounds that some end or line exceeds."""
    best: dict[Any, list[float]] = {}
    longest: dict[Any, int] = {}
    for state in _children_first(checker, first):
        visit = checker.visits[state]
        longest[state] = max((1 + longest.get(child, 0) for child in visit.children), default=0)
        below = [best[child] for child in visit.children if best.get(child)]
        best[state] = list(visit.score) or [max(scores) for scores in zip(*below, strict=True)]
        checker.check_bound(best[state], visit.bound, "best_score_from", state)
    check_longest_game(checker.game, longest[first], first)


def _children_first(checker: StateChecker, first: Any) -> Iterator[Any]:
    """Yield the visited states from the first one on, each after all its children."""
    visits, game = checker.visits, checker.game
    path, on_path, done = [first], {first}, set[Any]()
    waiting = [iter(visits[first].children)]
    while path:
        for child in waiting[-1]:
            if child in on_path:
                raise cycle(game, [*path[path.index(child) :], child])
            if child in visits and child not in done:
                path.append(child)
                on_path.add(child)
                waiting.append(iter(visits[child].children))
                break
        else:
            waiting.pop()
            state = path.pop()
            on_path.remove(state)
            done.add(state)
            yield state


def find_needless_states(checker: StateChecker, first: Any) -> str | None:
    """Look for different states that look the same; return a warning, or None."""
    game = checker.game
    if shows_itself(game):
        return _find_lookalikes(game, checker.visits)
    return _find_needless_field(game, checker, first) if isinstance(game, RecordGame) else None


def _find_lookalikes(game: AnyGame, visits: Mapping[Any, Visit]) -> str | None:
    """Look for two states that are drawn alike, that answer alike, and so do their successors."""
    groups: dict[Hashable, Any] = {}
    for state, visit in visits.items():
        if all(child in visits for child in visit.children):
            near = (state, *visit.children)
            alike = tuple((game.show(x), _facts(visits[x])) for x in near)
            other = groups.setdefault(alike, state)
            if other != state:
                return _needless(game, other, state)
    return None


def _find_needless_field(game: RecordGame, checker: StateChecker, first: Any) -> str | None:
    """Look for a field that makes no difference wherever states differ in nothing else."""
    kinds = _kinds(checker, first)
    going_on = [state for state, visit in checker.visits.items() if visit.actions]
    if 2 * sum(state in kinds for state in going_on) < len(going_on):
        return None  # too little of the game is known to its end
    for field in game.state.fields:
        groups: dict[str, list[Any]] = {}
        for state in kinds:
            groups.setdefault(_without(game, state, field.name), []).append(state)
        if all(len({kinds[state] for state in group}) == 1 for group in groups.values()):
            for group in groups.values():
                if len(group) > 1 and checker.visits[group[0]].actions:
                    return _needless(game, *group[:2])
    return None


def _kinds(checker: StateChecker, first: Any) -> dict[Any, int]:
    """Number the states so that equal ones have the same game before them, to its very end.

    Two states may well answer alike for a while: twenty sticks and nineteen. A state below which
    not everything was visited has no number.
    """
    visits, kinds, known = checker.visits, dict[Any, int](), dict[Hashable, int]()
    for state in _children_first(checker, first):
        visit = visits[state]
        below = [kinds.get(child) for child in visit.children]
        if None not in below and len(below) == len(visit.actions):
            kinds[state] = known.setdefault((_facts(visit), tuple(below)), len(known))
    return kinds


def _without(game: RecordGame, state: bytes, left_out: str) -> str:
    fields = game.state.unpack(state)
    return repr([getattr(fields, f.name) for f in game.state.fields if f.name != left_out])


def _facts(visit: Visit) -> Hashable:
    return visit.player, visit.actions, visit.outcome, visit.score


def _needless(game: AnyGame, a: Any, b: Any) -> str:
    where = ""
    if isinstance(game, RecordGame):
        x, y = game.state.unpack(a), game.state.unpack(b)
        names = [f.name for f in game.state.fields if getattr(x, f.name) != getattr(y, f.name)]
        where = f" but for {', '.join(names)}"
    return (
        f"non-canonical: two different states seem to be the same{where}: {describe(game, a)} and "
        f"{describe(game, b)}; keep in the state only what matters for the rest of the game"
        + (", or let show tell them apart" if shows_itself(game) else "")
    )
