# SPDX-License-Identifier: MIT
"""The rules of a record game: plain functions, which can be compiled."""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from types import FunctionType
from typing import Any

from unbounded.game.errors import RuleError, UsageError
from unbounded.game.function_copies import PlainNumbers
from unbounded.game.wording import shortened

State = Any
"""What a rule gets as a state: a record with the fields as attributes, compiled or not."""

Out = Any
"""What a rule writes its answer to: a list of the right length, compiled an array."""


ALL_ENDGAMES = 2**31 - 1
"""More than the rule `endgame` may number."""


@dataclass(frozen=True)
class Rules:
    """The rules of a record game: plain functions, compiled as they stand.

    They may use parameters of the game as plain integers (closed over from `rules()`), NumPy
    arrays of constants likewise, and helper functions, of a module or defined inside `rules()`;
    no other objects. `s` is read-only; in `t`, write fields like `t.turn = 1` and items of arrays
    like `t.cells[i] = 1`, never a whole array `t.cells`.

    >>> import unbounded as ub
    >>> rules = ub.load_game("nim").rules()
    >>> callable(rules.outcome), rules.score is None
    (True, True)
    """

    initial: Callable[[State], None]
    """(s): write the first state; every field is 0 beforehand."""
    player: Callable[[State], int]
    """(s): who moves."""
    actions: Callable[[State, Out], int]
    """(s, out): write the legal actions to out, return how many."""
    next: Callable[[State, int, State], None]
    """(s, action, t): t is a copy of s; change in it what the action changes."""
    outcome: Callable[[State, Out], None]
    """(s, out): write -1, 0 or +1 per player; all are 0 beforehand."""
    score: Callable[[State, Out], None] | None = None
    """(s, out): write a number per player."""
    evaluate: Callable[[State, Out], None] | None = None
    """(s, out): write a guess of the final score per player."""
    best_score_from: Callable[[State, Out], None] | None = None
    """(s, out): write per player a bound on the score of every end below s."""
    outcome_at_horizon: Callable[[State, Out], None] | None = None
    """(s, out): as outcome, for a game that is cut here by a horizon."""
    symmetry: Callable[[State, int, State], None] | None = None
    """(s, k, t): t is a copy of s; make it the image of s under symmetry k of the board."""
    relabel: Callable[[State, int, State], None] | None = None
    """(s, k, t): t is a copy of s; rename player p to (p + k) mod players in it."""
    is_terminal: Callable[[State], bool] | None = None
    """(s): whether there are no actions, if that can be seen faster than by listing them."""
    forced: Callable[[State, Out], int] | None = None
    """(s, out): as actions, without those that need not be searched to know the outcome."""
    reduced: Callable[[State, State], int] | None = None
    """(s, t): t is a copy of s; leave out of it what no longer matters. Return how much more the
    first player scores in the end than from t."""
    endgame: Callable[[State, int, Out], int] | None = None
    """(s, most, out): return a number for what is left of s, -1 far from the end of the game; the
    same only where the rest is the same for the player to move. Write how many points that one
    leads. Numbers of `most`, one of the sizes, and above are not wanted: -1 will do."""
    endgame_sizes: Sequence[int] = ()
    """How many numbers `endgame` gives to states at most 0, 1, 2... steps from the end: from a
    number below one of these, every action leads to the end or to such a number."""
    encode: Callable[[State, Out], None] | None = None
    """(s, out): write planes for a network, flat, seen by the mover; all are 0 beforehand."""

    def __post_init__(self) -> None:
        # They may be given as an array of NumPy.
        object.__setattr__(self, "endgame_sizes", tuple(map(operator.index, self.endgame_sizes)))


NO_ENDGAMES: dict[str, Any] = {"endgame": None, "endgame_sizes": ()}
"""For `dataclasses.replace`: rules without endgames."""


def checked_endgame_sizes(rules: Rules) -> list[int]:
    """Return the sizes of endgames, or raise a `RuleError` if they are none."""
    sizes = list(rules.endgame_sizes)
    rising = all(a < b for a, b in itertools.pairwise([0, *sizes, ALL_ENDGAMES + 1]))
    if rising and (rules.endgame is not None) == bool(sizes):
        return sizes
    problem = f"endgame_sizes are {shortened(str(sizes))}"
    advice = f"with a rule endgame, give rising integers from 1 to {ALL_ENDGAMES}"
    raise RuleError(problem, advice=advice)


@dataclass(frozen=True)
class Permutation:
    """Attribute `permutes` of a `symmetry` rule that only moves the items of one field.

    Compiled, such images are compared item by item, and only the smallest of them is made.
    """

    field: str
    """An array of i8."""
    sources: Any
    """A NumPy array: under symmetry k, item i comes from item sources[k, i]."""


def with_plain_numbers(rules: Rules) -> Rules:
    """Return the same rules, but reading numbers of Python from constants of NumPy."""
    if not isinstance(rules, Rules):
        return rules  # refused where they are used
    copies = PlainNumbers()
    try:
        made = {k: copies.of(v) for k, v in vars(rules).items() if isinstance(v, FunctionType)}
    except OverflowError as error:
        raise UsageError(f"the rules cannot use {error}") from error
    return replace(rules, **made) if copies.changed else rules
