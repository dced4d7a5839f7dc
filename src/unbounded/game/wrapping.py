# SPDX-License-Identifier: MIT
"""What all wrappers share: a game made from another game, which looks like the game inside.

A wrapper of a record game is a record game, so it compiles like any other: its rules are closures
over the rules of the game inside. If it needs a field of its own, the field goes at the end of the
record, where the rules of the game inside do not see it. Its name depends on the names that are
already taken, so a wrapper's rules read and write it by `getattr` and `setattr`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, ClassVar

from unbounded.game import Game, Out, Place, Record, RecordGame, State, require
from unbounded.game.drawing import draw

Results = Callable[[State, Out], None]
"""A rule that writes a number per player."""

PRIME = 2**31 - 1


class Wrapper(Game[Any, Any]):
    """A game made from the game `game`.

    Each wrapper has two forms, one for games on Python objects and one for record games. The caller
    names the wrapper itself, and gets the form that fits the game inside.
    """

    game: Game[Any, Any]
    forms: ClassVar[tuple[type[Wrapper], type[Wrapper]]]
    """The form for games on objects, and the form for record games."""

    def __new__(cls, *parameters: Any, **named: Any) -> Any:
        if "forms" not in vars(cls):
            return super().__new__(cls)
        game = parameters[0] if parameters else named.get("game")
        return super().__new__(cls.forms[isinstance(game, RecordGame)])

    @classmethod
    def game_name(cls) -> str:
        """The name of the wrapper, whichever form it has."""
        named = next(base for base in cls.__mro__ if "forms" in vars(base))
        name: str = Game.game_name.__func__(named)  # type: ignore[attr-defined]
        return name

    def _wrap(self, game: Game[Any, Any]) -> None:
        require(isinstance(game, Game), "game must be a game")
        self.game = game
        self.players, self.zero_sum, self.best_score = game.players, game.zero_sum, game.best_score
        self.symmetries, self.planes, self.symbols = game.symmetries, game.planes, game.symbols

    # Properties, as what the constructor does is part of the fingerprint of the rules.

    @cached_property
    def action_count(self) -> int | None:  # type: ignore[override]
        """As promised by the game inside: the actions are the same."""
        return self.game.action_count

    @cached_property
    def longest_game(self) -> int | None:  # type: ignore[override]
        """As promised by the game inside."""
        return self.game.longest_game

    def _inner(self, state: Any) -> Any:
        """Return the state of the game inside."""
        return state

    def show(self, state: Any) -> str:
        return self.game.show(self._inner(state))

    def svg(
        self, state: Any, *, last: Any = None, targets: Sequence[Any] = (), before: Any = None
    ) -> str:
        earlier = None if before is None else self._inner(before)
        return draw(self.game, self._inner(state), last=last, targets=targets, before=earlier)

    def places(self, state: Any, action: Any) -> Sequence[Place]:
        return self.game.places(self._inner(state), action)

    def badge_place(self, state: Any, action: Any) -> Place | None:
        return self.game.badge_place(self._inner(state), action)

    def player_name(self, player: int) -> str:
        return self.game.player_name(player)

    def action_name(self, state: Any, action: Any) -> str:
        return self.game.action_name(self._inner(state), action)

    def parse_action(self, state: Any, text: str) -> Any:
        if len(self.actions(state)) == 0:
            return super().parse_action(state, text)
        return self.game.parse_action(self._inner(state), text)


class ObjectWrapper(Wrapper):
    """A wrapper of a game on Python objects: every rule is that of the game inside."""

    def initial(self) -> Any:
        return self.game.initial()

    def player(self, state: Any) -> int:
        return self.game.player(self._inner(state))

    def actions(self, state: Any) -> Sequence[Any]:
        return self.game.actions(self._inner(state))

    def next(self, state: Any, action: Any) -> Any:
        return self.game.next(self._inner(state), action)

    def outcome(self, state: Any) -> Sequence[int]:
        return self.game.outcome(self._inner(state))

    def score(self, state: Any) -> Sequence[float]:
        return self.game.score(self._inner(state))

    def evaluate(self, state: Any) -> Sequence[float]:
        return self.game.evaluate(self._inner(state))

    def best_score_from(self, state: Any) -> Sequence[float]:
        return self.game.best_score_from(self._inner(state))

    def outcome_at_horizon(self, state: Any) -> Sequence[int]:
        return self.game.outcome_at_horizon(self._inner(state))

    def _with(self, state: Any, inner: Any) -> Any:
        """Return the state with another state inside."""
        return inner

    def symmetry(self, state: Any, k: int) -> Any:
        return self._with(state, self.game.symmetry(self._inner(state), k))

    def relabel(self, state: Any, k: int) -> Any:
        return self._with(state, self.game.relabel(self._inner(state), k))

    def encode(self, state: Any) -> Sequence[float]:
        return self.game.encode(self._inner(state))

    @property
    def has_score(self) -> bool:
        return self.game.has_score

    @property
    def has_evaluation(self) -> bool:
        return self.game.has_evaluation

    @property
    def has_local_best_score(self) -> bool:
        return self.game.has_local_best_score

    @property
    def has_relabeling(self) -> bool:
        return self.game.has_relabeling


class RecordWrapper(Wrapper, RecordGame):
    """A wrapper of a record game; the record may get one more field, at its end."""

    game: RecordGame
    field: str
    """The name of that field."""

    def _wrap(self, game: Game[Any, Any]) -> None:
        super()._wrap(game)
        assert isinstance(game, RecordGame), "this form is chosen for record games only"
        self.state, self.max_actions = game.state, game.max_actions

    def _extend(self, name: str, kind: str) -> None:
        """Add the field, by this name or, if it is taken, by one like it."""
        self.field = _free_name(self.game.state, name)
        self.state = self.game.state.extended(**{self.field: kind})

    def _inner(self, state: bytes) -> bytes:
        return state[: self.game.state.size]


def _free_name(layout: Record, wanted: str) -> str:
    """Return a name that no field has."""
    taken = {field.name for field in layout.fields}
    numbered = (f"{wanted}{i}" for i in range(len(taken) + 1))
    return next(name for name in (wanted, *numbered) if name not in taken)


def mix(hashed: int, number: float) -> int:
    """Return a hash below 2**31 of an earlier hash and one number more."""
    hashed = ((hashed ^ int(number % PRIME)) * 1597334677) % PRIME
    return hashed ^ (hashed >> 15)


# -- wrappers that count moves --------------------------------------------------------------------


class Counting(Wrapper):
    """A wrapper in whose states the moves made so far are counted."""

    plies: int
    """Up to how many moves are counted."""

    def _ply(self, state: Any) -> int:
        """Return the number of moves made."""
        raise NotImplementedError


class ObjectCounting(Counting, ObjectWrapper):
    """A state is the state inside and the number of moves made."""

    def initial(self) -> Any:
        return self.game.initial(), 0

    def _inner(self, state: Any) -> Any:
        return state[0]

    def _with(self, state: Any, inner: Any) -> Any:
        return inner, state[1]

    def _ply(self, state: Any) -> int:
        ply: int = state[1]
        return ply


class RecordCounting(Counting, RecordWrapper):
    """The additional field is the number of moves made.

    Symmetries and renamed players leave it as it is: an image is made of a copy of the state.
    """

    def _count(self) -> None:
        """Add the field."""
        self._extend("ply", "i16" if self.plies < 2**15 else "i32")

    def _ply(self, state: bytes) -> int:
        ply: int = getattr(self.state.unpack(state), self.field)
        return ply
