# SPDX-License-Identifier: MIT
"""What a search has found: proven and estimated kept apart, every number with its player."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from unbounded import showing
from unbounded.tree import Child


def note_of(*, equilibrium: bool, scores_ignored: bool) -> str:
    """Say what has to be said with every proven outcome; nothing, where it is the only one.

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
    value: tuple[float, ...]
    selections: int

    @classmethod
    def of(cls, child: Child) -> ActionResult:
        """Read it off a child of the root."""
        unknown = (None,) * len(child.value)
        return cls(
            child.name,
            child.resolved,
            child.outcome or unknown,
            child.score or unknown,
            child.value,
            child.selections,
        )


@dataclass(frozen=True)
class Result:
    """What a search has found out about its root, and what that has cost."""

    game: str
    moves: tuple[str, ...]
    players: int
    to_move: int | None
    """Who moves, players numbered from 0; None when the game is over."""
    resolved: bool
    """Whether the outcome is proven."""
    outcome: tuple[int | None, ...]
    """Proven: -1, 0 or +1 per player; None where it is not proven."""
    score: tuple[float | None, ...]
    """Proven: the score per player; None where it is not proven."""
    outcome_bounds: tuple[tuple[int, int], ...]
    """Proven: the worst and the best outcome that are still possible, per player."""
    distance: int | None
    """Proven: how many moves the line of best play takes to the end; None where it is not known."""
    value: tuple[float, ...]
    """Estimated: what the search goes by, per player."""
    best_action: str | None
    safest_action: str | None
    line: tuple[str, ...]
    """The best line, as far as it is known."""
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
    algorithm: str
    values: str
    evaluation: str
    paper: bool
    canonical: bool
    bounds: bool
    probes: bool
    exact_score: bool
    scores_ignored: bool
    """Whether best play is that for the outcomes alone; see `Search.scores_ignored`."""
    threads: int
    stopped: str
    """Why the last run ended (resolved, iterations, seconds, ...), or "new" before any."""
    version: str

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values for JSON."""
        return asdict(self)

    def __str__(self) -> str:
        return f"{self.game}: {self.summary()}"

    def _repr_html_(self) -> str:
        return showing.result_html(self)

    def summary(self) -> str:
        """One line for people."""
        if not self.resolved:
            values = ", ".join(f"{v:+.3f}" for v in self.value)
            return f"not proven; estimated ({values}) per player, best action {self.best_action}"
        said = f"proven {self.describe_outcome()}"
        return said if self.to_move is None else noted(said, self.note)

    @property
    def note(self) -> str:
        """What has to be said with the proven outcome; see `note_of`."""
        return note_of(equilibrium=self.values != "minimax", scores_ignored=self.scores_ignored)

    def describe_outcome(self) -> str:
        """The proven outcome in words."""
        winners = [str(p + 1) for p, x in enumerate(self.outcome) if x == 1]
        if not winners:
            losers = [str(p + 1) for p, x in enumerate(self.outcome) if x == -1]
            return f"loss for player {', '.join(losers)}" if losers else "draw"
        plural = "s" if len(winners) > 1 else ""
        return f"win for player{plural} {', '.join(winners)}"
