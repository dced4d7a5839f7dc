# SPDX-License-Identifier: MIT
"""The contract of a game.

A game comes in one of two forms, and everything else in the package treats both alike:

* `Game`: states are any hashable Python values. Override the five methods of the paper's
  definition (initial, player, actions, next, outcome) and it runs. Simple, and slow.
* `RecordGame` (`record.py`): states are records of a few integers. The rules are the same five
  functions, written inside `rules()`; they run as they are, or compiled to native code. Seen from
  outside, a `RecordGame` is a `Game` whose states are `bytes` and actions `int`.

The contract imports only the standard library, so that a checker of results has to trust nothing
but it and the game.
"""

from __future__ import annotations

import inspect
import operator
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Generic, NamedTuple, TypeVar

from unbounded.game.errors import RuleError, UsageError, did_you_mean, require
from unbounded.game.wording import cut

S = TypeVar("S")
A = TypeVar("A")


def plain(number: Any) -> Any:
    """Return a number as Python's own, whichever library it comes from; else what was given."""
    if type(number) in (int, float) or isinstance(number, (str, bytes)):
        return number
    for kind in (operator.index, float):
        try:
            return kind(number)
        except (TypeError, ValueError, OverflowError):
            continue
    return number


@dataclass(frozen=True)
class Known:
    """A value of a game from the literature, with its source."""

    game: str
    """The game string."""
    outcome: tuple[int, ...]
    """Under best play, per player."""
    source: str
    score: tuple[float, ...] | None = None
    """Under best play, per player, where it is known."""
    slow: bool = False
    """Whether proving it takes longer than a few seconds."""


class Place(NamedTuple):
    """A rectangle of a drawing, in its units (the SVG's viewBox): clicked to choose an action.

    x and y are its *middle*, as of a disc; `Canvas.rectangle` takes the upper left corner, and
    `Place.from_corner` does so too.
    """

    x: float
    """The middle, from left to right."""
    y: float
    """The middle, downwards."""
    width: float = 1.0
    height: float = 1.0

    @classmethod
    def from_corner(cls, x: float, y: float, width: float = 1.0, height: float = 1.0) -> Place:
        """Make the place whose upper left corner is (x, y), as rectangles are drawn."""
        return cls(x + width / 2, y + height / 2, width, height)

    def corner(self, share: float = 0.36) -> Place:
        """Return a square in the upper right corner, with this share of the shorter side."""
        side = share * min(self.width, self.height)
        right, top = self.x + self.width / 2, self.y - self.height / 2
        return Place(right - side / 2, top + side / 2, side, side)

    def inside(self, share: float = 0.7) -> Place:
        """Return a square in the middle, with this share of the shorter side."""
        side = share * min(self.width, self.height)
        return Place(self.x, self.y, side, side)


class Game(Generic[S, A]):
    """A perfect-information game for any number of players, on any hashable states.

    The graph of states must be acyclic; `unbounded.horizon` makes any game so by counting moves.
    Constructor parameters are kept as attributes of the same names: they make the string form.

    >>> import unbounded as ub
    >>> class Countdown(ub.Game):
    ...     zero_sum = True
    ...     def initial(self):
    ...         return 10, 0  # what is left, and who moves
    ...     def player(self, state):
    ...         return state[1]
    ...     def actions(self, state):
    ...         return [take for take in (1, 2) if take <= state[0]]
    ...     def next(self, state, take):
    ...         return state[0] - take, 1 - state[1]
    ...     def outcome(self, state):
    ...         return (-1, 1) if state[1] == 0 else (1, -1)
    >>> ub.solve(Countdown()).outcome
    (1, -1)
    """

    players: int = 2
    """How many players there are; they are numbered from 0."""

    zero_sum: bool = False
    """Declared by two-player games whose outcomes and scores add up to zero."""

    best_score: Sequence[float] | None = None
    """Per player, a score that no terminal state exceeds; None if it is not known."""

    symmetries: int = 1
    """The number of symmetries of the board, the identity included."""

    action_count: int | None = None
    """All actions of the whole game are integers in range(action_count); None: not promised."""

    longest_game: int | None = None
    """No play has more moves than this; None if that is not known."""

    planes: tuple[int, int, int] | None = None
    """The shape of what `encode` gives: planes, rows, columns; None for a game without it."""

    symbols: str = ""
    """A letter per player, as `show` draws their pieces."""

    piece_symbols: str = ""
    """What a cell can hold, a letter each, an empty cell first; "" if no position can be set up."""

    solvable: str = ""
    """A game string of this game that is small enough to be solved in about a second."""

    known_values: Sequence[Known] = ()
    """Values of this game that others have found, with their sources."""

    # -- the paper's definition: every game has these -------------------------------------------

    def initial(self) -> S:
        """Return the state in which the game starts."""
        raise NotImplementedError

    def player(self, state: S) -> int:
        """Return the player to move; not called in terminal states. Players need not alternate."""
        raise NotImplementedError

    def actions(self, state: S) -> Sequence[A]:
        """Return the legal actions in a fixed order; a state without actions is terminal."""
        raise NotImplementedError

    def next(self, state: S, action: A) -> S:
        """Return the state after the action."""
        raise NotImplementedError

    def outcome(self, state: S) -> Sequence[int]:
        """Return -1, 0 or +1 per player; called in terminal states only."""
        raise NotImplementedError

    # -- optional -------------------------------------------------------------------------------

    def score(self, state: S) -> Sequence[float]:
        """Return a number per player, finer than the outcome; called in terminal states only.

        Scores are compared as 32-bit floats: two that differ by less are a tie.
        """
        return [float(x) for x in self.outcome(state)]

    def evaluate(self, state: S) -> Sequence[float]:
        """Return an estimate of the final score per player; not called in terminal states."""
        raise NotImplementedError

    def best_score_from(self, state: S) -> Sequence[float]:
        """Return, per player, a score that no terminal state below this one exceeds."""
        raise NotImplementedError

    def outcome_at_horizon(self, state: S) -> Sequence[int]:
        """Return the outcome if a horizon (see `unbounded.horizon`) ends the game here."""
        return [0] * self.players

    def symmetry(self, state: S, k: int) -> S:
        """Return the state as symmetry k of the board shows it; k = 0 is the state itself.

        The image is the same game for the same players: same outcomes, same player to move.
        """
        if k != 0:
            raise NotImplementedError
        return state

    def relabel(self, state: S, k: int) -> S:
        """Return the same position with player p renamed to (p + k) mod players."""
        raise NotImplementedError

    def encode(self, state: S) -> Sequence[float]:
        """Return the state as planes for a network, flat, seen by the player to move."""
        raise NotImplementedError

    def show(self, state: S) -> str:
        """Draw the state as text."""
        return repr(state)

    def svg(self, state: S, *, last: A | None = None, targets: Sequence[A] = ()) -> str:
        """Draw the state as SVG, with the last action and legal ones to choose from marked."""
        raise NotImplementedError

    def places(self, state: S, action: A) -> Sequence[Place]:
        """Return where a legal action is chosen on the drawing, one click after another.

        A place is given by its middle, or by its corner with `Place.from_corner`. No two actions
        have the same places, unless they have none: such are chosen by name only.
        Places of different actions may overlap; then the one with the nearest middle is meant.
        """
        return ()

    def badge_place(self, state: S, action: A) -> Place | None:
        """Return where a short text about an action can be written without hiding anything.

        None for an action without places. Unless overridden, it is the upper right corner of the
        last place, where a piece in the middle of a cell is not covered.
        """
        places = self.places(state, action)
        return places[-1].corner() if places else None

    def piece_places(self) -> Sequence[Place]:
        """Return where the cells are on the drawing on which pieces can be put by hand."""
        return ()

    def pieces_on(self, state: S) -> Sequence[int]:
        """Return what is on each of these cells, as places in `piece_symbols`."""
        raise NotImplementedError

    def set_up(self, pieces: Sequence[int], player: int) -> S:
        """Return the state with these pieces and this player to move.

        A `UsageError` where the rules could not go on from it, or what they promise would be wrong.
        """
        raise NotImplementedError

    def player_name(self, player: int) -> str:
        """Return the name of a player for people: "player 1 (X)"."""
        symbol = f" ({self.symbols[player]})" if player < len(self.symbols) else ""
        return f"player {player + 1}{symbol}"

    def action_name(self, state: S, action: A) -> str:
        """Return the action as players of the game write it."""
        return str(action)

    def parse_action(self, state: S, text: str) -> A:
        """Return the legal action that the text names, or raise `UsageError`."""
        names = {self.action_name(state, a): a for a in self.actions(state)}
        if not names:
            raise UsageError(f"illegal move {text!r}: the game is over")
        wanted = text.strip()
        if wanted in names:
            return names[wanted]
        loosely = [a for name, a in names.items() if name.lower() == wanted.lower()]
        if len(loosely) == 1:
            return loosely[0]
        listed = ", ".join(list(names)[:12]) + (", ..." if len(names) > 12 else "")
        hint = did_you_mean(wanted, names)
        raise UsageError(f"illegal move {text!r}{hint}; legal here: {listed}")

    # -- derived: not to be overridden -----------------------------------------------------------

    def is_terminal(self, state: S) -> bool:
        """Whether the game is over in this state: whether it has no actions."""
        return len(self.actions(state)) == 0

    @property
    def has_score(self) -> bool:
        """Whether the game gives a score of its own; if not, score = outcome."""
        return type(self).score is not Game.score

    @property
    def has_evaluation(self) -> bool:
        """Whether the game comes with a heuristic evaluation."""
        return type(self).evaluate is not Game.evaluate

    @property
    def has_local_best_score(self) -> bool:
        """Whether the game bounds the scores that are reachable from a state."""
        return type(self).best_score_from is not Game.best_score_from

    @property
    def has_relabeling(self) -> bool:
        """Whether players can be renamed: whether the rules are the same for all of them."""
        return type(self).relabel is not Game.relabel

    @property
    def best_scores(self) -> tuple[float, ...] | None:
        """`best_score`, or 1 for each player in a game whose score is its outcome."""
        if self.best_score is not None:
            return tuple(float(x) for x in self.best_score)
        return None if self.has_score else (1.0,) * self.players

    @classmethod
    def game_name(cls) -> str:
        """The name as typed: ConnectFour is `connect-four`."""
        return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", cls.__name__).lower()

    @classmethod
    def signature(cls) -> dict[str, inspect.Parameter]:
        """The constructor's parameters by name."""
        return _parameters_of(cls.__init__)

    @property
    def parameters(self) -> dict[str, Any]:
        """The values of the constructor's parameters."""
        for name in self.signature():
            if not hasattr(self, name):
                raise RuleError(
                    f"{self.game_name()}: the constructor parameter {name!r} is not kept; set "
                    f"self.{name} = {name} in __init__: constructor parameters are kept as "
                    "attributes of the same names"
                )
        return {name: getattr(self, name) for name in self.signature()}

    def is_same_game(self, other: Game[Any, Any]) -> bool:
        """Whether two games are of one class and have the same parameters."""
        if self is other or type(self) is not type(other):
            return self is other
        return _equal(list(self.parameters.values()), list(other.parameters.values()))

    def __str__(self) -> str:
        """The string form, `connect-four(width=5,height=4)`: parameters that are not default."""
        signature = self.signature()
        given = [
            f"{name}={format_value(value)}"
            for name, value in self.parameters.items()
            if value != signature[name].default
        ]
        return self.game_name() + (f"({','.join(given)})" if given else "")

    def __repr__(self) -> str:
        return f"<game {cut(str(self), 80)}>"


def _equal(a: Any, b: Any) -> bool:
    """Whether two values of a parameter are the same."""
    if isinstance(a, Game) and isinstance(b, Game):
        return a.is_same_game(b)
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        return len(a) == len(b) and all(map(_equal, a, b))
    return bool(a == b)


@cache
def _parameters_of(constructor: Callable[..., None]) -> dict[str, inspect.Parameter]:
    if constructor is object.__init__:
        return {}
    parameters = inspect.signature(constructor).parameters
    return {n: p for i, (n, p) in enumerate(parameters.items()) if i > 0}


def move_names(moves: str | Sequence[str]) -> list[str]:
    """Return the names of moves as a list; a text has them with spaces between."""
    if isinstance(moves, str):
        return moves.split()
    require(isinstance(moves, Iterable), f"moves are names, such as {'a1 b2'!r}, not {moves!r}")
    return list(moves)


def action_named(game: Game[S, A], state: S, name: str) -> A:
    """Return the legal action of this name, or raise `UsageError`.

    An action itself is no name: the number 3 may be the action that people call "4".
    """
    if not isinstance(name, str):
        legal = game.actions(state)
        require(len(legal) > 0, f"illegal move {name!r}: the game is over")
        example = game.action_name(state, legal[0])
        raise UsageError(
            f"a move is given by its name, a text such as {example!r}, not as {name!r}"
        )
    return game.parse_action(state, name)


PLAIN_WORD = re.compile(r"[^\s()\[\],='\"]+")
"""A text that needs no quotes in a game string."""


def quoted(text: str) -> str:
    """Write a text for a game string: in quotes, if it needs them."""
    if PLAIN_WORD.fullmatch(text):
        return text
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def format_value(value: Any) -> str:
    """Write a parameter's value as it is written in a game string."""
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(format_value(v) for v in value) + "]"
    return str(value)
