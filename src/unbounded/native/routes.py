# SPDX-License-Identifier: MIT
"""Routes from a game to the core: its rules, and the conversion of states to bytes and back."""

from __future__ import annotations

import math
import warnings
from functools import cache
from typing import Any

from unbounded.game import Game, RecordGame, RuleError, UsageError, one_per_player, require
from unbounded.game.rules import checked_endgame_sizes
from unbounded.native.core import NativeRules, ObjectRules, Rules, count_leaves
from unbounded.native.object_rules import PLAYED, Bridge
from unbounded.storage.memory import process_memory

__all__ = [
    "NO_NUMBER",
    "ObjectRoute",
    "RecordRoute",
    "Route",
    "best_scores",
    "images",
    "is_compiled",
    "perft",
    "route_of",
    "suits_probes",
]

NO_NUMBER = 2**32 - 1


class RecordRoute:
    """A record game through its compiled rules; the core stores the state as it is."""

    def __init__(self, game: RecordGame, canonical: bool) -> None:
        from unbounded.native.compiling import compile_game

        try:
            self.compiled = compile_game(game)
            addresses = self.compiled.addresses_for(canonical=canonical and game.symmetries > 1)
        except UsageError as error:  # the error is in the rules, not in the call
            raise RuleError(str(error)) from error
        self.state_bytes = game.state.size
        about = (game.players, game.state.size, game.max_actions, best_scores(game))
        self.rules = NativeRules(*about, addresses, checked_endgame_sizes(game.uncompiled))
        declare_single_winner(game, self.rules)

    holds_objects = False

    def held_bytes(self) -> int:
        """What is held outside the core: nothing."""
        return 0

    def to_core(self, state: bytes) -> bytes:
        """Return the state itself, or the smallest of its images."""
        return self.rules.canonical(state)

    def played_to(self, state: bytes, moves: int) -> bytes:
        """Return the bytes in the core of a state that was reached after `moves` moves."""
        return self.to_core(state)

    def not_played_to(self, state: bytes) -> None:
        """Take it back; there is nothing to do."""

    def undone(self, state: bytes, parent: bytes) -> None:
        """Take back the move from the parent to the state; there is nothing to do."""

    def from_core(self, stored: bytes) -> bytes:
        """Return the bytes themselves."""
        return stored


class ObjectRoute:
    """Any game, its states numbered by `object_rules.py`; the core stores the numbers."""

    def __init__(self, game: Game[Any, Any], canonical: bool) -> None:
        self.bridge: Bridge = getattr(game, "numbering", Bridge)(game, canonical)
        self.state_bytes = 4
        self._before = process_memory()
        self.rules: Rules = ObjectRules(
            game.players, 65535, best_scores(game), self.bridge, game.has_local_best_score
        )
        declare_single_winner(game, self.rules)

    holds_objects = True

    def held_bytes(self) -> int:
        """What the states take as Python objects: what the process has grown by."""
        return max(0, process_memory() - self._before)

    def to_core(self, state: Any) -> bytes:
        """Return the state's number as bytes, or `NO_NUMBER` if the state has none yet."""
        number = self.bridge.find(state)
        return (NO_NUMBER if number is None else number).to_bytes(4, "little")

    def played_to(self, state: Any, moves: int) -> bytes:
        """Return the bytes in the core of a state that was reached after `moves` moves."""
        return self.bridge.number_of(state, PLAYED, moves).to_bytes(4, "little")

    def not_played_to(self, state: Any) -> None:
        """Take it back: the rules failed there."""
        self.bridge.not_played(state)

    def undone(self, state: Any, parent: Any) -> None:
        """Take back the move from the parent to the state."""
        self.bridge.undone(state, parent)

    def from_core(self, stored: bytes) -> Any:
        """Return the state with this number."""
        return self.bridge.states[int.from_bytes(stored, "little")]


def images(game: Game[Any, Any], state: Any) -> list[Any]:
    """The state as every symmetry of the board shows it, itself first."""
    return [state, *(game.symmetry(state, k) for k in range(1, game.symmetries))]


Route = RecordRoute | ObjectRoute
"""Routes from a game to the core: its rules, and the conversion of states to bytes and back."""


def best_scores(game: Game[Any, Any]) -> list[float]:
    """The best score per player; infinity, which no score reaches, where it is not known."""
    if game.best_score is not None:
        return list(one_per_player(game, "best_score", game.best_score))
    return [math.inf if game.has_score else 1.0] * game.players


def declare_single_winner(game: Game[Any, Any], rules: Rules) -> None:
    """Tell the core, if the game declares it, that all others lose where one player wins."""
    if game.single_winner:
        rules.declare_single_winner(game.has_score)


def is_compiled(game: Game[Any, Any]) -> bool:
    """Whether the rules of a game reach the core compiled."""
    if not isinstance(game, RecordGame):
        return False
    from unbounded.native import compiling

    try:
        return compiling.available()
    except ImportError:
        return False


def suits_probes(game: Game[Any, Any]) -> bool:
    """Whether rules are fast enough for depth-first searches of leaves to pay off.

    They are if they are compiled, or if the game numbers its states in a way of its own.
    """
    return is_compiled(game) or (game.zero_sum and hasattr(game, "numbering"))


@cache
def _warn_uncompiled(reason: str) -> None:
    warnings.warn(f"{reason}: rules run uncompiled, about 100 times slower", stacklevel=4)


def route_of(game: Game[Any, Any], *, canonical: bool = False) -> Route:
    """Bind a game to the core: compiled if it is a record game and Numba is there.

    canonical: states that are the same up to the game's symmetries are stored as one.
    """
    if isinstance(game, RecordGame):
        from unbounded.native import compiling

        require(game.max_actions <= 65535, f"{game}: max_actions must be at most 65535")
        try:
            if compiling.available():
                return RecordRoute(game, canonical)
        except ImportError as error:
            _warn_uncompiled(f"numba cannot be imported ({error})")
        else:
            _warn_uncompiled("numba is not installed")
    return ObjectRoute(game, canonical)


def perft(game: Game[Any, Any], depth: int) -> int:
    """Count the ways to play `depth` moves from the start, through the core's rules."""
    return count_leaves(route_of(game).rules, depth)
