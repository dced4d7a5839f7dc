# SPDX-License-Identifier: MIT
"""Errors that this package raises on purpose, and how parameters are checked."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable


class UnboundedError(Exception):
    """Anything that this package raises on purpose.

    >>> import unbounded as ub
    >>> try:
    ...     ub.solve("tic-tac-two")
    ... except ub.UnboundedError as error:
    ...     print(type(error).__name__)
    UsageError
    """


class UsageError(UnboundedError, ValueError):
    """An invalid request: an unknown game, an illegal move, a bad parameter.

    The message may mark options by backticks, `like=this`: in Python they are shown without, and
    the command line, from `marked`, names them by their flags.

    >>> import unbounded as ub
    >>> try:
    ...     ub.load_game("hex", sise=3)
    ... except ub.UsageError as error:
    ...     print(error)
    hex has no parameter 'sise' (did you mean 'size'?); it has: size
    """

    def __init__(self, message: str) -> None:
        super().__init__(re.sub(r"`(\w+(?:=[^`]*)?)`", r"\1", message))
        self.marked = message


class RuleError(UnboundedError):
    """A game broke the contract: which rule, on which state, and how.

    >>> import unbounded as ub
    >>> class Unfair(ub.load_game("tic-tac-toe").__class__):
    ...     def outcome(self, state):
    ...         return (1, 1)
    >>> try:
    ...     ub.check_game(Unfair())
    ... except ub.RuleError as error:
    ...     print(str(error).splitlines()[0])
    unfair: the outcome [1, 1] does not add up to zero
    """

    located: bool = False
    """Whether the message already names the game, the rule and the state."""

    def __init__(self, problem: str = "", *, advice: str = "") -> None:
        super().__init__(f"{problem}; {advice}" if advice else problem)
        self.problem, self.advice = problem, advice


def require(condition: bool, message: str) -> None:
    """Raise `UsageError(message)` unless the condition holds; for checking parameters."""
    if not condition:
        raise UsageError(message)


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return " (did you mean ...?)" for the known word nearest to `word`, or nothing."""
    near = difflib.get_close_matches(word.lower(), list(known), n=1, cutoff=0.5)
    return f" (did you mean {near[0]!r}?)" if near else ""
