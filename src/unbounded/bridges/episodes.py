# SPDX-License-Identifier: MIT
"""A game played by action numbers, as learning environments play it."""

from __future__ import annotations

import json
import operator
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from unbounded.game import (
    Game,
    RecordGame,
    RuleError,
    UsageError,
    action_named,
    move_names,
    one_per_player,
    outcome_of,
    require,
)
from unbounded.game.catalogue import load_game

AnyGame = Game[Any, Any]
Array = np.ndarray[Any, Any]

REWARDS = ("outcome", "score")
MOST_LISTED = 12


class Recipe(NamedTuple):
    """A game as its class and parameters: the rules that a record game holds cannot be pickled."""

    made_by: type[AnyGame]
    parameters: dict[str, Any]


Source = str | AnyGame | Recipe
"""What a game is made of, in another process too."""


def game_and_source(given: Source, parameters: dict[str, Any]) -> tuple[AnyGame, Source]:
    """Return the game that is meant, and what it can be made of again."""
    if isinstance(given, Recipe):
        return _made(given), given
    game = load_game(given, **parameters)
    named = isinstance(given, str) or _is_named(game)
    return game, str(game) if named else _recipe(game)


def _recipe(given: Any) -> Any:
    if not isinstance(given, RecordGame):
        return given
    return Recipe(type(given), {name: _recipe(x) for name, x in given.parameters.items()})


def _made(given: Any) -> Any:
    if not isinstance(given, Recipe):
        return given
    return given.made_by(**{name: _made(x) for name, x in given.parameters.items()})


def _is_named(game: AnyGame) -> bool:
    """Whether the string form of a game leads to it: not if its class is in no catalogue."""
    try:
        return load_game(str(game)).is_same_game(game)
    except UsageError:
        return False


def action_count_of(game: AnyGame) -> int:
    """Return the number of actions, which the game must promise."""
    require(
        game.action_count is not None,
        f"{game} does not say how many actions there are, so there is no action space; set "
        "`action_count` in the game: its actions are integers from 0 to action_count - 1",
    )
    assert game.action_count is not None
    return game.action_count


class Episode:
    """One game from its start, with the states on the way, so that moves can be taken back.

    most_moves: after so many moves of all players together the game is cut.
    """

    def __init__(self, game: AnyGame, most_moves: int | None = None) -> None:
        require(
            most_moves is None or (type(most_moves) is int and most_moves >= 1),
            f"`most_moves` must be a number of moves, 1 or more, not {most_moves!r}",
        )
        self.game, self.most_moves = game, most_moves
        self.action_count = action_count_of(game)
        self._states: list[Any] = [game.initial()]
        self.actions: list[int] = []
        self._read_state()
        require(len(self.legal) > 0, f"{game} is over before the first move")

    @property
    def state(self) -> Any:
        """The state, as the rules of the game represent it."""
        return self._states[-1]

    @property
    def is_over(self) -> bool:
        """Whether the game has ended by its rules."""
        return not self.legal

    @property
    def is_cut(self) -> bool:
        """Whether the limit of moves has ended a game that is not over."""
        full = self.most_moves is not None and len(self.actions) >= self.most_moves
        return full and not self.is_over

    def mover_at(self, ply: int) -> int:
        """Return who made the move with this number, counted from 0."""
        return int(self.game.player(self._states[ply]))

    def play(self, action: int) -> None:
        """Play a legal action."""
        if action not in self.legal:
            raise UsageError(self._illegal(action, self.legal))
        self._states.append(self.game.next(self.state, action))
        self.actions.append(action)
        self._read_state()

    def go_to(self, actions: Sequence[int]) -> None:
        """Make these the actions since the start; what they share with the current ones stays."""
        wanted = [as_action(action) for action in actions]
        pairs = enumerate(zip(self.actions, wanted, strict=False))
        shared = next((i for i, (a, b) in pairs if a != b), min(len(self.actions), len(wanted)))
        states = self._states[: shared + 1]
        for action in wanted[shared:]:
            legal = self.game.actions(states[-1])
            if action not in legal:
                raise UsageError(self._illegal(action, legal))
            states.append(self.game.next(states[-1], action))
        self._states, self.actions = states, wanted
        self._read_state()

    def start(self, moves: str | Sequence[str] = ()) -> None:
        """Start a new game, after moves that are given by their names."""
        actions, state = [], self._states[0]
        for name in move_names(moves):
            action = action_named(self.game, state, name)
            actions.append(action)
            state = self.game.next(state, action)
        self.go_to(actions)
        ended = self.is_over or self.is_cut
        require(not ended, f"the game is over after the moves {' '.join(move_names(moves))}")

    def saved(self, **more: Any) -> bytes:
        """Return the game, its actions so far and more, from which `read_saved` reads them."""
        return json.dumps({"game": str(self.game), "actions": self.actions, **more}).encode()

    def read_saved(self, saved: bytes, *more: str) -> list[Any]:
        """Return the actions, and what else has these names; refuse what is of another game."""
        problem = "restore() takes what save() has returned"
        require(isinstance(saved, bytes), f"{problem}: bytes, not {type(saved).__name__}")
        try:
            given = json.loads(saved)
            game, found = given["game"], [given[name] for name in ("actions", *more)]
        except (ValueError, KeyError, TypeError, RecursionError):
            raise UsageError(problem) from None
        require(game == str(self.game), f"this was saved in {game}, which is not {self.game}")
        require(isinstance(found[0], list), problem)
        return found

    def mask(self, *, legal: bool = True) -> Array:
        """Return 1 for each legal action and 0 for the others; all 0 if `legal` is false."""
        mask = np.zeros(self.action_count, np.int8)
        if legal and not self.is_cut:
            mask[list(self.legal)] = 1
        return mask

    def rewards(self, kind: str) -> tuple[float, ...]:
        """Return the reward of each player: 0 before the end, and in a game that was cut."""
        if not self.is_over:
            return (0.0,) * self.game.players
        if kind == "outcome":
            return tuple(float(x) for x in outcome_of(self.game, self.state))
        return one_per_player(self.game, "score", self.game.score(self.state), self.state)

    def _read_state(self) -> None:
        """Ask the rules about the current state, once."""
        self.legal = tuple(self._number(action) for action in self.game.actions(self.state))
        self.mover = int(self.game.player(self.state)) if self.legal else None

    def _number(self, action: Any) -> int:
        try:
            number = operator.index(action)
        except TypeError:
            number = -1
        if 0 <= number < self.action_count:
            return number
        problem = f"{self.game}: actions gave {action!r}, and action_count is {self.action_count}"
        raise RuleError(problem, advice="give integers from 0 to action_count - 1")

    def _illegal(self, action: Any, legal: Sequence[int]) -> str:
        if not len(legal):
            return f"illegal action {action!r}: the game is over"
        listed = ", ".join(map(str, legal[:MOST_LISTED])) + ", ..." * (len(legal) > MOST_LISTED)
        return f"illegal action {action!r} in {self.game}; legal here: {listed}"


def as_action(action: Any) -> int:
    """Return an action as Python's integer, from whichever library it comes."""
    try:
        return operator.index(action)
    except TypeError:
        raise UsageError(f"an action is an integer, not {action!r}") from None


def check_choice(name: str, given: Any, known: Sequence[str | None]) -> None:
    """Raise a `UsageError` unless what was given for a parameter is one of the known words."""
    listed = " or ".join(map(repr, known))
    require(given in known, f"`{name}` must be {listed}, not {given!r}")
