# SPDX-License-Identifier: MIT
"""Strong solving: resolve every state that can be reached, and count what they are worth."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from unbounded.game import Game, require
from unbounded.game.position import Position
from unbounded.search.budget import Budget
from unbounded.search.descriptions import taking
from unbounded.search.options import SearchOptions
from unbounded.search.result import note_of
from unbounded.search.running import Save
from unbounded.search.search import Search


@dataclass(frozen=True)
class Ply:
    """The states that are `ply` moves from the start, by the shortest line."""

    ply: int
    states: int
    terminal: int
    """Those of them where the game is over."""
    won: tuple[int, ...]
    """Proven: how many of them each player wins, under best play from there."""
    drawn: tuple[int, ...]
    lost: tuple[int, ...]


@dataclass(frozen=True)
class StrongResult:
    """What every state is worth, counted by ply."""

    game: str
    moves: tuple[str, ...]
    resolved: bool
    """Whether every state was resolved; else a limit came first, and nothing is counted."""
    outcome: tuple[int | None, ...]
    """Proven: the outcome of the root per player."""
    states: int
    plies: tuple[Ply, ...]
    seconds: float
    memory_bytes: int
    canonical: bool
    stopped: str
    equilibrium: bool
    """Whether best play may have other results too, as with more than two players."""
    scores_ignored: bool
    """Whether best play is that for the outcomes alone; see `Search.scores_ignored`."""

    @property
    def note(self) -> str:
        """What has to be said with the outcomes; see `result.note_of`."""
        return note_of(equilibrium=self.equilibrium, scores_ignored=self.scores_ignored)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values, as JSON has them."""
        return asdict(self)

    def to_json(self, **more: Any) -> str:
        """Everything as JSON text in one line, with more entries after it if they are given."""
        return json.dumps(self.to_dict() | more)


@taking(SearchOptions)
def solve_all(
    game: Game[Any, Any] | str | Position,
    *,
    seconds: float | None = None,
    states: int | None = None,
    memory: int | str | None = None,
    progress: Callable[[Search], None] | None = None,
    save: Save = None,
    moves: str | Sequence[str] = (),
    options: SearchOptions | None = None,
    **given: Any,
) -> StrongResult:
    """Resolve every state that can be reached from a position, or the start of a game.

    The options are those of `Search`, without bounds; with `canonical`, states that are equal up to
    symmetry are counted as one.
    """
    search = Search(game, moves=moves, options=options, **given)
    return resolve_all(search, Budget(seconds, None, states, memory), progress, save)


def resolve_all(
    search: Search,
    budget: Budget,
    progress: Callable[[Search], None] | None = None,
    save: Save = None,
) -> StrongResult:
    """Resolve every state that can be reached from the root of a search."""
    require(not search.options.bounds, "to resolve every state, bounds must be off")
    require(search.options.completion, "to resolve every state, completion must be on")
    stopped = search.run_all(budget, progress, save)
    resolved = stopped == "resolved"
    plies = tuple(_plies(search)) if resolved else ()
    unknown = (None,) * search.game.players
    return StrongResult(
        game=str(search.game),
        moves=tuple(search.moves),
        resolved=resolved,
        outcome=(search.root.outcome or unknown) if resolved else unknown,
        states=sum(ply.states for ply in plies) if resolved else search.states,
        plies=plies,
        seconds=search.seconds,
        memory_bytes=search.memory_bytes,
        canonical=search.options.canonical,
        stopped=stopped,
        equilibrium=not search.zero_sum,
        scores_ignored=search.scores_ignored,
    )


def _plies(search: Search) -> list[Ply]:
    counted = []
    for number, (states, terminal, outcomes) in enumerate(search.count_by_ply()):
        lost, drawn, won = (tuple(row[k] for row in outcomes) for k in range(3))
        if search.zero_sum:  # stored for the first player only
            lost, drawn, won = lost + won, drawn * 2, won + lost
        counted.append(Ply(number, states, terminal, won, drawn, lost))
    return counted
