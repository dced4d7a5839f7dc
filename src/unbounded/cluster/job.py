# SPDX-License-Identifier: MIT
"""What a driver asks of a worker, and what comes back."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from unbounded.game.notices import one_line
from unbounded.solving.checker_format import Worth

Window = tuple[Worth, Worth]
Estimates = tuple[float, ...]
MOST_LISTED, LONGEST_TEXT = 10_000, 200
"""Of what an answer lists, and of the texts in it: more is cut off."""


@dataclass(frozen=True)
class Job:
    """A position to solve, within a budget."""

    number: int
    moves: tuple[str, ...]
    """From the start of the game."""
    state: bytes
    """Where the moves lead."""
    window: Window | None
    """Two players, zero sum: is the first player's worth at most the one, at least the other, or
    what is it between them? None: an equilibrium is wanted."""
    seconds: float
    seed: int
    partial: bool = True
    """Whether bounds that leave the question open are to be proven as well."""


@dataclass(frozen=True)
class Answer:
    """What a worker has found out.

    The driver believes nothing of it that the certificate does not prove, but the numbers that only
    guide the search: estimates, states and seconds.
    """

    job: int
    claims: tuple[str, ...]
    """What is proven, as in the first line of a certificate: ">=0", "=1,-1,-1". None: open."""
    certificate: bytes | None
    """Compressed."""
    estimates: Estimates
    """Of the position, one per player."""
    actions: tuple[Estimates, ...]
    """Of each action, in the order of the game's actions."""
    line: tuple[str, ...]
    """The best line, as far as it is known."""
    states: int
    """Stored or visited."""
    seconds: float
    where: str
    """Process and machine."""
    why_open: str = ""
    """Why nothing, or not all, is proven."""


def sanitized(answer: Answer, players: int) -> Answer:
    """An answer whose numbers and texts can be used and stored, whatever a worker has sent.

    What it claims and proves is left as it is: that is for the judge.
    """
    states, seconds = answer.states, answer.seconds
    return replace(
        answer,
        estimates=finite(answer.estimates, players),
        actions=tuple(finite(x, players) for x in _several(answer.actions)),
        line=tuple(_text(move) for move in _several(answer.line)),
        states=states if isinstance(states, int) and 0 <= states < 2**53 else 0,
        seconds=float(seconds) if _is_number(seconds) and 0 <= seconds < 1e9 else 0.0,
        where=_text(answer.where),
        why_open=_text(answer.why_open),
    )


def finite(numbers: Any, count: int) -> Estimates:
    """Estimates that come from elsewhere: so many finite numbers; 0 instead of anything else."""
    given = numbers if isinstance(numbers, (tuple, list)) and len(numbers) == count else ()
    good = [float(x) if _is_number(x) else 0.0 for x in given]
    return tuple(good or [0.0] * count)


def _is_number(number: Any) -> bool:
    """Whether it is a finite number, and no integer that is too large for a float."""
    return isinstance(number, (int, float)) and -1e300 < number < 1e300


def _several(values: Any) -> tuple[Any, ...]:
    return tuple(values[:MOST_LISTED]) if isinstance(values, (tuple, list)) else ()


def _text(value: Any) -> str:
    """A text in one line, for logs and terminals."""
    return one_line(value[:LONGEST_TEXT]) if isinstance(value, str) else ""
