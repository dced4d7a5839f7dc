# SPDX-License-Identifier: MIT
"""The contract of a game.

A game comes in one of two forms, and everything else in the package treats both alike:

* `Game`: states are any hashable Python values. Override the five methods of the paper's
  definition (initial, player, actions, next, outcome) and it runs. Simple, and slow.
* `RecordGame`: states are records of a few integers. The rules are the same five functions,
  written inside `rules()`; they run as they are, or compiled to native code (`compiling`).
  Seen from outside, a `RecordGame` is a `Game` whose states are `bytes` and actions `int`.

This module, with `twins`, needs nothing but the standard library, so that a checker of results has
to trust nothing but them and the game.
"""

from __future__ import annotations

import difflib
import inspect
import math
import operator
import re
import struct
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import cache, cached_property
from types import FunctionType
from typing import Any, Generic, NamedTuple, TypeVar

from unbounded.twins import PlainNumbers

S = TypeVar("S")
A = TypeVar("A")


class UnboundedError(Exception):
    """Anything that this package raises on purpose."""


class UsageError(UnboundedError, ValueError):
    """What the caller asked for cannot be: an unknown game, an illegal move, a bad parameter.

    The message may mark options by backticks, `like=this`: in Python they are shown without, and
    the command line, from `marked`, names them by their flags.
    """

    def __init__(self, message: str) -> None:
        super().__init__(re.sub(r"`(\w+(?:=[^`]*)?)`", r"\1", message))
        self.marked = message


class RuleError(UnboundedError):
    """A game broke the contract: which rule, on which state, and how."""

    located: bool = False
    """Whether the message says already which game, rule and state it is about."""

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
    """A value of a game, and who says so."""

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


class Game(Generic[S, A]):
    """A perfect-information game for any number of players, on any hashable states.

    The graph of states must be acyclic; `unbounded.horizon` makes any game so by counting moves.
    Constructor parameters are kept as attributes of the same names: they make the string form.
    """

    players: int = 2
    """How many players there are; they are numbered from 0."""

    zero_sum: bool = False
    """Declared by two-player games whose outcomes and scores add up to zero."""

    best_score: Sequence[float] | None = None
    """Per player, a score that no end of the game exceeds; None when it is not known."""

    symmetries: int = 1
    """How many ways there are to turn and mirror the board; leaving it as it is counts too."""

    planes: tuple[int, int, int] | None = None
    """The shape of what `encode` gives: planes, rows, columns; None for a game without it."""

    symbols: str = ""
    """A letter per player, as `show` draws their pieces."""

    solvable: str = ""
    """A game string of this game that is small enough to be solved in about a second."""

    known_values: Sequence[Known] = ()
    """Values of this game that others have found, with their sources."""

    # -- the paper's definition: every game has these -------------------------------------------

    def initial(self) -> S:
        """Return the state in which the game starts."""
        raise NotImplementedError

    def player(self, state: S) -> int:
        """Return who moves; never asked when the game is over. Players need not alternate."""
        raise NotImplementedError

    def actions(self, state: S) -> Sequence[A]:
        """Return the legal actions in a fixed order; none means that the game is over."""
        raise NotImplementedError

    def next(self, state: S, action: A) -> S:
        """Return the state after the action."""
        raise NotImplementedError

    def outcome(self, state: S) -> Sequence[int]:
        """Return -1, 0 or +1 per player; asked only when the game is over."""
        raise NotImplementedError

    # -- optional -------------------------------------------------------------------------------

    def score(self, state: S) -> Sequence[float]:
        """Return a number per player, finer than the outcome; asked only when the game is over.

        Scores are compared as 32-bit floats: two that differ by less are a tie.
        """
        return [float(x) for x in self.outcome(state)]

    def evaluate(self, state: S) -> Sequence[float]:
        """Return a guess of the final score per player; asked only when the game goes on."""
        raise NotImplementedError

    def best_score_from(self, state: S) -> Sequence[float]:
        """Return, per player, a score that no end of the game below this state exceeds."""
        raise NotImplementedError

    def outcome_at_horizon(self, state: S) -> Sequence[int]:
        """Return the outcome when a horizon (see `unbounded.horizon`) cuts the game here."""
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
        """Return the state as planes for a network, seen by the player who moves; flat."""
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

    def player_name(self, player: int) -> str:
        """Return what people call a player: "player 1 (X)"."""
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

    # -- derived --------------------------------------------------------------------------------

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
        """Whether the game knows the best score still reachable from a state."""
        return type(self).best_score_from is not Game.best_score_from

    @property
    def has_relabelling(self) -> bool:
        """Whether players can be renamed: whether the rules are the same for all of them."""
        return type(self).relabel is not Game.relabel

    @property
    def best_scores(self) -> tuple[float, ...] | None:
        """`best_score`, or 1 for everybody in a game whose score is its outcome."""
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
        return f"<game {self}>"


@cache
def _parameters_of(constructor: Callable[..., None]) -> dict[str, inspect.Parameter]:
    if constructor is object.__init__:
        return {}
    parameters = inspect.signature(constructor).parameters
    return {n: p for i, (n, p) in enumerate(parameters.items()) if i > 0}


# -- what enters a search -------------------------------------------------------------------------


def one_per_player(
    game: Game[Any, Any], rule: str, answer: Any, state: Any = None
) -> tuple[float, ...]:
    """Return what a rule answered as one number per player; anything else is a `RuleError`.

    Only a bound may be infinite: it then says that nothing is known.
    """
    bound = rule in ("best_score", "best_score_from")
    numbers = _floats(answer)
    good = len(numbers) == game.players
    if not good or not all(math.isfinite(x) or (bound and x == math.inf) for x in numbers):
        finite = "numbers, infinite where nothing is known" if bound else "finite numbers"
        raise RuleError(
            f"{game}: {rule}{_about(game, state)} is {answer!r}; it must be {game.players} "
            f"{finite}, one for each player"
        )
    return numbers


def _floats(answer: Any) -> tuple[float, ...]:
    """Return an answer as floats; none, if it is anything but numbers one after the other."""
    # Of these, iterating would give the keys, or any order.
    if isinstance(answer, (Mapping, Set, str, bytes)):
        return ()
    try:
        given = [plain(x) for x in answer]
        return tuple(float(x) if isinstance(x, (int, float)) else math.nan for x in given)
    except (TypeError, OverflowError):
        return ()


def outcome_of(game: Game[Any, Any], state: Any) -> tuple[int, ...]:
    """Return the outcome of an end of the game, if it is one: -1, 0 or 1 for each player."""
    return checked_outcome(game, game.outcome(state), state)


def checked_outcome(game: Game[Any, Any], answer: Any, state: Any) -> tuple[int, ...]:
    """Return what the rule `outcome` answered; anything but -1, 0 and 1 is a `RuleError`."""
    numbers = one_per_player(game, "outcome", answer, state)
    if any(x not in (-1, 0, 1) for x in numbers):
        raise RuleError(
            f"{game}: outcome{_about(game, state)} is {answer!r}, not -1, 0 or 1 for each player; "
            "finer results belong into score"
        )
    return tuple(int(x) for x in numbers)


def state_text(game: Game[Any, Any], state: Any) -> str:
    """Return a state in one line: the fields of a record, else its repr."""
    return repr(game.state.unpack(state)) if isinstance(game, RecordGame) else repr(state)


def _about(game: Game[Any, Any], state: Any) -> str:
    return "" if state is None else f"({state_text(game, state)})"


def move_names(moves: str | Sequence[str]) -> list[str]:
    """Return moves one by one; a text names them with spaces between."""
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


# -- the record form ------------------------------------------------------------------------------

_INTEGERS = {"i8": "b", "i16": "h", "i32": "i", "i64": "q"}


@dataclass(frozen=True)
class Field:
    """One field of a record: a signed integer, or an array of `count` of them."""

    name: str
    type: str
    count: int | None

    @property
    def bits(self) -> int:
        """The width of one integer."""
        return int(self.type[1:])


class Record:
    """The layout of a state: named integer fields, packed without padding."""

    def __init__(self, fields: Sequence[Field]) -> None:
        self.fields = tuple(fields)
        codes = "".join(f"{f.count or ''}{_INTEGERS[f.type]}" for f in self.fields)
        self._struct = struct.Struct("<" + codes)
        self.size = self._struct.size
        self._fields_class = type("State", (Fields,), {"__slots__": [f.name for f in self.fields]})

    def extended(self, **more: str) -> Record:
        """Return this layout with more fields at its end; the old rules run on it unchanged."""
        return Record(self.fields + record(**more).fields)

    def zero(self) -> Fields:
        """Return a state with every field 0."""
        return self.unpack(bytes(self.size))

    def unpack(self, state: bytes) -> Fields:
        """Return the fields of a packed state, as plain integers and lists."""
        values = self._struct.unpack(state)
        fields: Fields = self._fields_class()
        at = 0
        for f in self.fields:
            if f.count is None:
                setattr(fields, f.name, values[at])
                at += 1
            else:
                setattr(fields, f.name, list(values[at : at + f.count]))
                at += f.count
        return fields

    def pack(self, fields: Fields) -> bytes:
        """Return the bytes of a state; a value that does not fit its field is a `RuleError`."""
        flat: list[int] = []
        for f in self.fields:
            value = getattr(fields, f.name)
            if f.count is None:
                flat.append(value)
            elif len(value) == f.count:
                flat += value
            else:
                problem = f"field {f.name!r} has {len(value)} values, not {f.count}"
                raise RuleError(problem, advice="write its items, and append nothing")
        try:
            return self._struct.pack(*flat)
        except struct.error as error:
            raise self._misfit(fields) from error

    def _misfit(self, fields: Fields) -> RuleError:
        for f in self.fields:
            value = getattr(fields, f.name)
            limit = 1 << (f.bits - 1)
            for x in [value] if f.count is None else value:
                if not isinstance(x, int):
                    problem = f"{x!r} in field {f.name!r} is not an integer"
                    return RuleError(problem, advice="write integers; divide with //, not /")
                if not -limit <= x < limit:
                    problem = f"{x} does not fit field {f.name!r} ({f.type})"
                    advice = "declare a wider one, such as i64, or correct the rule"
                    return RuleError(problem, advice=advice)
        return RuleError("a field holds something that is not an integer")


class Fields:
    """A state with its fields as attributes, as the rules see it when they run uncompiled."""

    __slots__: Sequence[str] = ()

    def copy(self) -> Fields:
        """Return an independent copy."""
        twin = type(self)()
        for name in self.__slots__:
            value = getattr(self, name)
            setattr(twin, name, value[:] if isinstance(value, list) else value)
        return twin

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"the state has no field {name!r}; it has {', '.join(self.__slots__)}")

    def __repr__(self) -> str:
        return ", ".join(f"{name}={getattr(self, name)}" for name in self.__slots__)


def record(**fields: str) -> Record:
    """Describe a state: `record(cells="i8[9]", turn="i8")`.

    Fields are *signed* integers of 8, 16, 32 or 64 bits, and rules calculate with 64-bit signed
    ones: unsigned ones would mix into floats when compiled. A number that does not fit its field is
    an error; one that outgrows 64 bits on the way wraps around when compiled, and only then.
    """
    described = []
    for name, text in fields.items():
        match = re.fullmatch(r"(i8|i16|i32|i64)(?:\[(\d+)\])?", text)
        require(
            match is not None, f"field {name}: {text!r} is not i8, i16, i32, i64, or like i8[9]"
        )
        assert match is not None
        count = int(match[2]) if match[2] else None
        require(count is None or count > 0, f"field {name}: an array needs at least one element")
        described.append(Field(name, match[1], count))
    require(bool(described), "a state needs at least one field")
    return Record(described)


State = Any
"""What a rule gets as a state: a record with the fields as attributes, compiled or not."""

Out = Any
"""What a rule writes its answer to: a list of the right length, compiled an array."""


@dataclass(frozen=True)
class Rules:
    """The rules of a record game: plain functions, compiled as they stand.

    They may use parameters of the game as plain integers (closed over from `rules()`), NumPy
    arrays of constants likewise, and helper functions, of a module or defined inside `rules()`;
    no other objects. `s` is read-only; in `t`, write fields like `t.turn = 1` and items of arrays
    like `t.cells[i] = 1`, never a whole array `t.cells`.
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
    encode: Callable[[State, Out], None] | None = None
    """(s, out): write planes for a network, flat, seen by the mover; all are 0 beforehand."""


MOST_ACTIONS = 65535
"""In any state of a game."""
LONGEST_LINE = 72
"""Characters of a state that is shown in one line."""


def with_plain_numbers(rules: Rules) -> Rules:
    """Return the same rules, but reading Python's numbers from constants of NumPy."""
    if not isinstance(rules, Rules):
        return rules  # whoever asks them will say so
    twins = PlainNumbers()
    try:
        made = {k: twins.of(v) for k, v in vars(rules).items() if isinstance(v, FunctionType)}
    except OverflowError as error:
        raise UsageError(f"the rules cannot use {error}") from error
    return replace(rules, **made) if twins.changed else rules


class RecordGame(Game[bytes, int]):
    """A game whose states are records of integers, so that its rules can be compiled.

    A subclass sets `state` (see `record`), `max_actions` and `players`, and defines `rules()`.
    """

    state: Record
    max_actions: int

    def rules(self) -> Rules:
        """Return the rules, closing over this game's parameters."""
        raise NotImplementedError

    @cached_property
    def uncompiled(self) -> Rules:
        """The rules as plain Python functions; NumPy's constants in them are Python's numbers."""
        return with_plain_numbers(self.rules())

    def initial(self) -> bytes:
        s = self.state.zero()
        self.uncompiled.initial(s)
        return self.state.pack(s)

    def player(self, state: bytes) -> int:
        player: int = plain(self.uncompiled.player(self.state.unpack(state)))
        return player

    def actions(self, state: bytes) -> Sequence[int]:
        out = [0] * self.max_actions
        try:
            count = self.uncompiled.actions(self.state.unpack(state), out)
        except IndexError:
            self._complain_of_room(state)
            raise
        if not hasattr(count, "__index__"):
            advice = "write the actions to out, and return how many there are"
            raise RuleError(f"actions returned {count!r}", advice=advice)
        if not 0 <= count <= self.max_actions:
            problem = f"actions returned {count}; max_actions is {self.max_actions}"
            raise RuleError(problem, advice="return how many there are, or raise max_actions")
        return [plain(action) for action in out[:count]]

    def _complain_of_room(self, state: bytes) -> None:
        """Raise a `RuleError` if `actions` fails because max_actions is too small for it."""
        out = [0] * MOST_ACTIONS
        try:
            self.uncompiled.actions(self.state.unpack(state), out)
        except Exception:  # it fails for another reason, which is for its author to see
            return
        raise RuleError(
            f"actions wrote more than max_actions, which is {self.max_actions}",
            advice="set max_actions to the most actions that any state has",
        )

    def next(self, state: bytes, action: int) -> bytes:
        s = self.state.unpack(state)
        t = s.copy()
        self.uncompiled.next(s, action, t)
        return self.state.pack(t)

    def outcome(self, state: bytes) -> Sequence[int]:
        out = [0] * self.players
        self.uncompiled.outcome(self.state.unpack(state), out)
        return [plain(x) for x in out]

    def score(self, state: bytes) -> Sequence[float]:
        return self._numbers(self.uncompiled.score, state) or super().score(state)

    def evaluate(self, state: bytes) -> Sequence[float]:
        return self._numbers(self.uncompiled.evaluate, state) or super().evaluate(state)

    def best_score_from(self, state: bytes) -> Sequence[float]:
        rule = self.uncompiled.best_score_from
        return self._numbers(rule, state) or super().best_score_from(state)

    def show(self, state: bytes) -> str:
        """Draw the state as text: its fields, in a line if they fit, else one below the other."""
        fields = self.state.unpack(state)
        line = repr(fields)
        if len(line) <= LONGEST_LINE:
            return line
        return "\n".join(f"{name}={getattr(fields, name)}" for name in fields.__slots__)

    def symmetry(self, state: bytes, k: int) -> bytes:
        return state if k == 0 else self._image(self.uncompiled.symmetry, state, k)

    def relabel(self, state: bytes, k: int) -> bytes:
        return state if k == 0 else self._image(self.uncompiled.relabel, state, k)

    def _image(
        self, rule: Callable[[State, int, State], None] | None, state: bytes, k: int
    ) -> bytes:
        if rule is None:
            raise NotImplementedError
        s = self.state.unpack(state)
        t = s.copy()
        rule(s, k, t)
        return self.state.pack(t)

    def encode(self, state: bytes) -> Sequence[float]:
        if self.uncompiled.encode is None or self.planes is None:
            return super().encode(state)
        out = [0.0] * (self.planes[0] * self.planes[1] * self.planes[2])
        self.uncompiled.encode(self.state.unpack(state), out)
        return [plain(x) for x in out]

    def outcome_at_horizon(self, state: bytes) -> Sequence[int]:
        if self.uncompiled.outcome_at_horizon is None:
            return super().outcome_at_horizon(state)
        out = [0] * self.players
        self.uncompiled.outcome_at_horizon(self.state.unpack(state), out)
        return [plain(x) for x in out]

    def _numbers(
        self, rule: Callable[[State, Out], None] | None, state: bytes
    ) -> Sequence[float] | None:
        if rule is None:
            return None
        out = [0.0] * self.players
        rule(self.state.unpack(state), out)
        return [plain(x) for x in out]

    @property
    def has_score(self) -> bool:
        return self.uncompiled.score is not None

    @property
    def has_evaluation(self) -> bool:
        return self.uncompiled.evaluate is not None

    @property
    def has_local_best_score(self) -> bool:
        return self.uncompiled.best_score_from is not None

    @property
    def has_relabelling(self) -> bool:
        return self.uncompiled.relabel is not None
