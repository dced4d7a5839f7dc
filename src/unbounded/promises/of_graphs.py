# SPDX-License-Identifier: MIT
"""What a game promises about its states together: no cycles, true bounds, no needless states."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Any

from unbounded.game import Game, RecordGame, RuleError
from unbounded.promises.messages import CYCLE_ADVICE, AnyGame, broken, describe
from unbounded.promises.of_states import Promises, Visit


def cycle(game: AnyGame, states: Sequence[Any]) -> RuleError:
    """Return the error for a cycle, given with its first state once more at its end."""
    problem = f"next led back to an earlier state: a cycle of length {len(states) - 1}"
    return broken(game, problem, CYCLE_ADVICE, state=states[0])


def check_graph(promises: Promises, first: Any) -> None:
    """Check all states visited so far for cycles and for bounds that some end exceeds."""
    best: dict[Any, list[float]] = {}
    for state in _children_first(promises, first):
        visit = promises.visits[state]
        below = [best[child] for child in visit.children if best.get(child)]
        best[state] = list(visit.score) or [max(scores) for scores in zip(*below, strict=True)]
        promises.check_bound(best[state], visit.bound, "best_score_from", state)


def _children_first(promises: Promises, first: Any) -> Iterator[Any]:
    """Yield the visited states below the first one, each after all its children."""
    visits, game = promises.visits, promises.game
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


def find_needless_states(game: AnyGame, visits: Mapping[Any, Visit]) -> str | None:
    """Look for different states that nobody can tell apart; return a warning, or None.

    Two states are taken for the same if they look the same, answer the same, and so do their
    successors. The look is what `show` draws; a record without `show` looks like all its fields
    but one.
    """
    for name, look in _looks(game):
        groups: dict[Hashable, Any] = {}
        for state, visit in visits.items():
            if all(child in visits for child in visit.children):
                near = (state, *visit.children)
                alike = tuple((look(x), _facts(visits[x])) for x in near)
                other = groups.setdefault(alike, state)
                if other != state:
                    return _needless(game, other, state, name)
    return None


def _looks(game: AnyGame) -> Iterator[tuple[str, Any]]:
    if type(game).show is not Game.show:
        yield "", game.show
    elif isinstance(game, RecordGame):
        for field in game.state.fields:
            others = [f.name for f in game.state.fields if f is not field]
            yield field.name, _fields_of(game, others)


def _fields_of(game: RecordGame, names: Sequence[str]) -> Any:
    def look(state: bytes) -> str:
        fields = game.state.unpack(state)
        return repr([getattr(fields, name) for name in names])

    return look


def _facts(visit: Visit) -> Hashable:
    return visit.player, visit.actions, visit.outcome, visit.score


def _needless(game: AnyGame, a: Any, b: Any, field: str) -> str:
    if isinstance(game, RecordGame):
        x, y = game.state.unpack(a), game.state.unpack(b)
        names = [f.name for f in game.state.fields if getattr(x, f.name) != getattr(y, f.name)]
        field = ", ".join(names)
    where = f" but for {field}" if field else ""
    return (
        f"non-canonical: two different states seem to be the same{where}: {describe(game, a)} and "
        f"{describe(game, b)}; keep in the state only what matters for the rest of the game, or "
        "let show tell them apart"
    )
