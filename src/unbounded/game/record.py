# SPDX-License-Identifier: MIT
"""Record games: states of a few integers, and rules that can be compiled."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from unbounded.game.contract import Game, plain
from unbounded.game.errors import RuleError, require
from unbounded.game.rules import ALL_ENDGAMES, Out, Rules, State, with_plain_numbers

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
        """Return this layout with more fields at its end; rules of this layout run on it too."""
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
        copy = type(self)()
        for name in self.__slots__:
            value = getattr(self, name)
            setattr(copy, name, value[:] if isinstance(value, list) else value)
        return copy

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"the state has no field {name!r}; it has {', '.join(self.__slots__)}")

    def __repr__(self) -> str:
        return ", ".join(f"{name}={getattr(self, name)}" for name in self.__slots__)


def record(**fields: str) -> Record:
    """Describe a state: `record(cells="i8[9]", turn="i8")`.

    Fields are *signed* integers of 8, 16, 32 or 64 bits, and rules calculate with 64-bit signed
    ones: unsigned ones would mix into floats when compiled. A number that does not fit its field is
    an error; one that outgrows 64 bits on the way wraps around when compiled, and only then.

    >>> import unbounded as ub
    >>> ub.record(cells="i8[9]", turn="i8").size
    10
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


MOST_ACTIONS = 65535
"""In any state of a game."""
LONGEST_LINE = 72
"""Characters of a state that is shown in one line."""


class RecordGame(Game[bytes, int]):
    """A game whose states are records of integers, so that its rules can be compiled.

    A subclass sets `state` (see `record`), `max_actions` and `players`, and defines `rules()`.

    >>> import unbounded as ub
    >>> game = ub.load_game("tic-tac-toe")
    >>> isinstance(game, ub.RecordGame), game.state.size, game.max_actions
    (True, 11, 9)
    >>> state = game.next(game.initial(), 4)
    >>> list(game.state.unpack(state).cells)
    [0, 0, 0, 0, 1, 0, 0, 0, 0]
    """

    state: Record
    max_actions: int

    def rules(self) -> Rules:
        """Return the rules, closing over this game's parameters."""
        raise NotImplementedError

    @cached_property
    def uncompiled(self) -> Rules:
        """The rules as plain Python; constants of NumPy in them are numbers of Python."""
        return with_plain_numbers(self.rules())

    def initial(self) -> bytes:
        s = self.state.zero()
        self.uncompiled.initial(s)
        return self.state.pack(s)

    def player(self, state: bytes) -> int:
        player: int = plain(self.uncompiled.player(self.state.unpack(state)))
        return player

    def is_terminal(self, state: bytes) -> bool:
        rule = self.uncompiled.is_terminal
        return super().is_terminal(state) if rule is None else bool(rule(self.state.unpack(state)))

    def actions(self, state: bytes) -> Sequence[int]:
        return self._listed("actions", state)

    def forced(self, state: bytes) -> Sequence[int]:
        """Return the actions that the rule `forced` lists; all actions if there is no such rule."""
        return self._listed("actions" if self.uncompiled.forced is None else "forced", state)

    def reduced(self, state: bytes) -> tuple[bytes, int]:
        """Return what the rule `reduced` leaves of a state, and the lead that it takes away.

        Without such a rule that is the state itself.
        """
        rule = self.uncompiled.reduced
        if rule is None:
            return state, 0
        t = self.state.unpack(state)
        lead = plain(rule(self.state.unpack(state), t))
        if type(lead) is not int:
            problem = f"reduced returned {lead!r}"
            raise RuleError(problem, advice="return an integer; 0 if the score stays the same")
        return self.state.pack(t), lead

    def endgame(self, state: bytes, most: int = ALL_ENDGAMES) -> tuple[int, int]:
        """Return the number that the rule `endgame` gives to a state, and the mover's lead.

        It is -1 where a state is too far from the end, or where there is no such rule. It may be -1
        instead of a number of `most` or above.
        """
        rule = self.uncompiled.endgame
        if rule is None:
            return -1, 0
        out = [0]
        number, lead = plain(rule(self.state.unpack(state), most, out)), plain(out[0])
        if type(number) is not int or type(lead) is not int:
            problem = f"endgame returned {number!r}, and wrote {lead!r}"
            raise RuleError(problem, advice="return and write integers")
        return number, lead

    def _listed(self, rule: str, state: bytes) -> Sequence[int]:
        out = [0] * self.max_actions
        try:
            count = getattr(self.uncompiled, rule)(self.state.unpack(state), out)
        except IndexError:
            self._check_room(state)
            raise
        if not hasattr(count, "__index__"):
            advice = "write the actions to out, and return how many there are"
            raise RuleError(f"{rule} returned {count!r}", advice=advice)
        if not 0 <= count <= self.max_actions:
            problem = f"{rule} returned {count}; max_actions is {self.max_actions}"
            raise RuleError(problem, advice="return how many there are, or raise max_actions")
        return [plain(action) for action in out[:count]]

    def _check_room(self, state: bytes) -> None:
        """Raise a `RuleError` if `actions` fails because max_actions is too small for it."""
        out = [0] * MOST_ACTIONS
        try:
            self.uncompiled.actions(self.state.unpack(state), out)
        except Exception:  # it fails for another reason, which the caller reports
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
    def has_relabeling(self) -> bool:
        return self.uncompiled.relabel is not None
