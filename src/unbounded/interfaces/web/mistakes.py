# SPDX-License-Identifier: MIT
"""Which moves of a game gave something away, proven or estimated, and what was right.

A mistake is proven only if both are: what the mover had, and what is left after the move.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from unbounded.interfaces.web.knowledge import Estimate, Proven

LARGE = 0.3
"""How much of the scale a move must give away, by estimates, to count as a mistake."""
MAX_BETTER = 5
RESULTS = {1: "win", 0: "draw", -1: "loss"}
VERBS = {1: ("wins", "win"), 0: ("draws", "draw"), -1: ("loses", "lose")}


@dataclass(frozen=True)
class Choice:
    """A legal move, and what is known of the position after it."""

    name: str
    proven: Proven | None
    estimate: Estimate | None

    @property
    def known(self) -> Sequence[float | None] | None:
        """The proven outcome, else the estimate."""
        return self.estimate if self.proven is None else self.proven.outcome

    def worth(self, player: int, scale: float) -> float | None:
        """For a player, from -1 to 1; None where nothing is known."""
        if self.proven is not None:
            return float(self.proven.outcome[player])
        x = None if self.estimate is None else self.estimate[player]
        return None if x is None else max(-1.0, min(1.0, x / scale))


@dataclass(frozen=True)
class Ply:
    """A move that was played, and all that could have been."""

    number: int
    """How many moves were played before it."""
    mover: int
    move: str
    proven: Proven | None
    """Of the position before the move."""
    choices: tuple[Choice, ...]
    """Best first."""

    @property
    def played(self) -> Choice:
        """The move that was played."""
        return next(choice for choice in self.choices if choice.name == self.move)


def mistakes(plies: Sequence[Ply]) -> list[dict[str, Any]]:
    """The moves that gave something away, in the order of the game."""
    scale = _scale(plies)
    found = [_proven_mistake(ply) or _estimated_mistake(ply, scale) for ply in plies]
    return sorted((each for each in found if each is not None), key=lambda each: each["ply"])


def _scale(plies: Sequence[Ply]) -> float:
    """The largest estimate of the game: evaluations have scales of their own."""
    values = [x for ply in plies for choice in ply.choices for x in choice.estimate or ()]
    return max([1.0, *(abs(x) for x in values if x is not None)])


def _proven_mistake(ply: Ply) -> dict[str, Any] | None:
    played, me = ply.played.proven, ply.mover
    settled = [choice.proven for choice in ply.choices if choice.proven is not None]
    if played is None:
        return None
    best = ply.proven or max(settled, key=lambda proven: proven.outcome[me])
    lost: float = best.outcome[me] - played.outcome[me]
    points = 0.0
    if lost == 0 and best.score is not None and played.score is not None:
        points = best.score[me] - played.score[me]
    if lost <= 0 and points <= 0:
        return None
    better = [c.name for c in ply.choices if c.proven is not None and _as_good(c.proven, best, me)]
    if lost > 0:
        words = f"Move {ply.move} gave away a proven {RESULTS[best.outcome[me]]}: "
        words += f"it is proven that it {VERBS[played.outcome[me]][0]}."
        words += _also(better, VERBS[best.outcome[me]])
    else:
        words = f"Move {ply.move} gave away {points:g} of the score, as is proven."
        words += _also(better, ("keeps it", "keep it"))
    return _view(ply, "proven", (best.outcome, played.outcome), lost or points, better) | {
        "words": words
    }


def _as_good(proven: Proven, best: Proven, player: int) -> bool:
    if proven.outcome[player] != best.outcome[player]:
        return False
    unscored = proven.score is None or best.score is None
    return unscored or proven.score[player] >= best.score[player]  # type: ignore[index]


def _also(better: Sequence[str], verbs: tuple[str, str]) -> str:
    if not better:
        return ""
    shown = list(better[:MAX_BETTER])
    listed = shown[0] if len(shown) == 1 else ", ".join(shown[:-1]) + " and " + shown[-1]
    # A move may be named by a number: "3 draws" would say something else.
    return f" Move {listed} {verbs[0]}." if len(shown) == 1 else f" Moves {listed} {verbs[1]}."


def _estimated_mistake(ply: Ply, scale: float) -> dict[str, Any] | None:
    me, played = ply.mover, ply.played
    worth = played.worth(me, scale)
    known = [(c.worth(me, scale), c) for c in ply.choices]
    best_worth, best = max(
        ((x, c) for x, c in known if x is not None), key=lambda each: each[0], default=(None, None)
    )
    if worth is None or best is None or best_worth is None or best_worth - worth < LARGE:
        return None
    had = "had a proven win" if best.proven and best_worth == 1 else "had more by estimates"
    words = f"Move {ply.move} seems to give something away; the mover {had}: {best.name}."
    lost = best_worth - worth
    return _view(ply, "estimated", (best.known, played.known), lost, [best.name]) | {"words": words}


def _view(
    ply: Ply, kind: str, known: tuple[Any, Any], lost: float, better: Sequence[str]
) -> dict[str, Any]:
    return {
        "ply": ply.number,
        "move": ply.move,
        "mover": ply.mover,
        "kind": kind,
        "before": known[0],
        "after": known[1],
        "lost": round(lost, 3),
        "better": list(better[:MAX_BETTER]),
    }
