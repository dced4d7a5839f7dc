# SPDX-License-Identifier: MIT
"""What a search has found: proven and estimated apart, every number with its player."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any

from unbounded.game.wording import bounds_text, cut, numbers_text, outcome_text
from unbounded.search import decisions, rendering
from unbounded.search.options import SearchOptions, search_options
from unbounded.search.tree import Child, estimates, proven_length
from unbounded.version import VERSION

if TYPE_CHECKING:
    from unbounded.search.search import Search


def note_of(*, equilibrium: bool, scores_ignored: bool) -> str:
    """The note on a proven outcome that may not be the only one; else empty.

    equilibrium: of more players than two, and without zero sum, best play may have several results,
    of which one is proven. scores_ignored: and it is best play for the outcomes alone; with scores
    other outcomes may be those of best play.
    """
    if scores_ignored:
        return "an equilibrium of the outcomes alone, scores ignored"
    return "an equilibrium" if equilibrium else ""


def noted(text: str, note: str) -> str:
    """Add a note to a text, if there is one."""
    return f"{text} ({note})" if note else text


@dataclass(frozen=True)
class ActionResult:
    """What is known of one action at the root."""

    action: str
    resolved: bool
    outcome: tuple[int | None, ...]
    score: tuple[float | None, ...]
    outcome_bounds: tuple[tuple[int, int], ...]
    """Proven: the worst and the best outcome that are still possible, per player."""
    value: tuple[float, ...]
    """Estimated: the value by which the search chooses, per player."""
    visits: int
    rank: int
    """1 for the best action of the root, as `decisions.ranked` orders them."""

    @property
    def estimate(self) -> tuple[float | None, ...]:
        """The value as it is shown: None where it contradicts what is proven."""
        return estimates(self.value, self.outcome_bounds)

    @classmethod
    def of(cls, child: Child, rank: int) -> ActionResult:
        """The result for a child of the root."""
        unknown = (None,) * len(child.value)
        return cls(
            child.name,
            child.resolved,
            child.outcome or unknown,
            child.score or unknown,
            child.node.outcome_bounds,
            child.value,
            child.visits,
            rank,
        )


@dataclass(frozen=True, repr=False)
class Result:
    """What a search has found out about its root, and what that has cost.

    >>> import unbounded as ub
    >>> result = ub.solve("tic-tac-toe", moves="a1 b2 b1")
    >>> result.resolved, result.outcome, result.best_action
    (True, (0, 0), 'c1')
    >>> print(result)
    tic-tac-toe: proven: draw
    """

    game: str
    moves: tuple[str, ...]
    players: int
    to_move: int | None
    """Who moves, players numbered from 0; None when the game is over."""
    resolved: bool
    """Whether the outcome is proven."""
    outcome: tuple[int | None, ...]
    """Proven: -1, 0 or +1 per player; None where it is not proven."""
    equilibrium: bool
    """Whether best play may have other results too, as with more than two players."""
    score: tuple[float | None, ...]
    """Proven: the score per player; None where it is not proven."""
    outcome_bounds: tuple[tuple[int, int], ...]
    """Proven: the worst and the best outcome that are still possible, per player."""
    distance: int | None
    """Proven: how many moves the line of best play takes to the end; None where it is not known."""
    value: tuple[float, ...]
    """Estimated: the value by which the search chooses, per player."""
    best_action: str | None
    safest_action: str | None
    pv: tuple[str, ...]
    """The principal variation (best line), as far as it is known."""
    actions: tuple[ActionResult, ...]
    iterations: int
    expanded: int
    states: int
    """Stored."""
    probed: int
    """Visited by probes, which store none."""
    resolved_states: int
    seconds: float
    states_per_second: float
    memory_bytes: int
    options: SearchOptions
    """The options of the search, with the game's defaults filled in."""
    scores_ignored: bool
    """Whether best play is that for the outcomes alone; see `Search.scores_ignored`."""
    stopped: str
    """Why the last run ended (resolved, iterations, seconds, ...), or "new" before any."""
    version: str

    @classmethod
    def of(cls, search: Search) -> Result:
        """The present result of a search."""
        root, game = search.root, search.game
        unknown = (None,) * game.players
        safest, pv = decisions.safest(root), list(root.pv())
        ranks = {child.name: rank for rank, child in enumerate(decisions.ranked(root), 1)}
        return cls(
            game=str(game),
            moves=tuple(search.moves),
            players=game.players,
            to_move=root.player,
            resolved=root.resolved,
            outcome=root.outcome or unknown,
            equilibrium=not search.zero_sum,
            score=root.score or unknown,
            value=root.value,
            outcome_bounds=root.outcome_bounds,
            distance=proven_length(root, pv),
            best_action=pv[0][0] if pv else None,
            safest_action=None if safest is None else safest.name,
            pv=tuple(name for name, _ in pv),
            actions=tuple(ActionResult.of(child, ranks[child.name]) for child in root.children),
            iterations=search.iterations,
            expanded=search.expanded_states,
            states=search.states,
            probed=search.probed_states,
            resolved_states=search.resolved_states,
            seconds=search.seconds,
            states_per_second=search.states_per_second,
            memory_bytes=search.memory_bytes,
            options=search.options,
            scores_ignored=search.scores_ignored,
            stopped=search.stopped,
            version=VERSION,
        )

    @property
    def ranked_actions(self) -> list[ActionResult]:
        """The actions, best first."""
        return sorted(self.actions, key=lambda action: action.rank)

    @property
    def evaluation(self) -> str:
        """The name of the evaluation."""
        from unbounded.evaluation import evaluation_name  # slow: it needs the core

        assert self.options.evaluation is not None
        return evaluation_name(self.options.evaluation)

    @property
    def estimate(self) -> tuple[float | None, ...]:
        """The value as it is shown: None where it contradicts what is proven."""
        return estimates(self.value, self.outcome_bounds)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values for JSON; options have keys of their own."""
        plain: dict[str, Any] = {field.name: getattr(self, field.name) for field in fields(self)}
        plain["actions"] = [asdict(action) for action in self.actions]
        del plain["options"]
        plain |= {x.name: getattr(self.options, x.name) for x in search_options()}
        return plain | {"evaluation": self.evaluation}

    def to_json(self, **more: Any) -> str:
        """Everything as JSON text in one line, with more entries after it if they are given."""
        return json.dumps(self.to_dict() | more)

    def __repr__(self) -> str:
        return f"<Result of {cut(str(self), 85)}>"

    def __str__(self) -> str:
        return f"{self.game}: {self.summary()}"

    def _repr_html_(self) -> str:
        return rendering.result_html(self)

    def summary(self) -> str:
        """One line for people."""
        if self.resolved and self.to_move is None:
            return f"the game is over: {outcome_text(self.outcome)}"
        if self.resolved:
            return noted(f"proven: {outcome_text(self.outcome)}", self.note)
        sure, estimated = bounds_text(self.outcome_bounds), numbers_text(self.estimate)
        said = [f"not proven, only that {sure}" if sure else "not proven"]
        said += [f"estimated {estimated}"] if estimated else []
        said += [f"best action {self.best_action}"] if self.best_action is not None else []
        return "; ".join(said)

    @property
    def note(self) -> str:
        """What has to be said with the proven outcome; see `note_of`."""
        return note_of(equilibrium=self.equilibrium, scores_ignored=self.scores_ignored)


class Interrupted(KeyboardInterrupt):
    """Ctrl-C during a run, which ended in good order; `result` has what was known by then.

    >>> import unbounded as ub
    >>> try:
    ...     result = ub.solve("tic-tac-toe")
    ... except ub.Interrupted as stopped:
    ...     result = stopped.result
    >>> result.outcome
    (0, 0)
    """

    def __init__(self, result: Result) -> None:
        super().__init__(str(result))
        self.result = result
