# SPDX-License-Identifier: MIT
"""The classes that OpenSpiel sees when it plays a game of this package.

They derive from classes of `pyspiel`, so this module is imported only where OpenSpiel is needed.
"""

from __future__ import annotations

import math
from contextlib import suppress
from typing import Any, ClassVar

import numpy as np
import pyspiel

from unbounded.bridges.openspiel.export import (
    EXPORTED,
    AnyGame,
    Exported,
    game_from,
    parameters_of,
    short_name,
)
from unbounded.game import UnboundedError, UsageError
from unbounded.game.catalogue import games

_MOST_PLAYERS = 128
_registered: dict[str, type[AnyGame]] = {}


def register_class(cls: type[AnyGame]) -> None:
    """Register a class of games, unless it is registered already."""
    name = short_name(cls)
    if _registered.get(name) is cls:
        return
    members = {"source": cls, "__doc__": f"The game {cls.game_name()} of the package unbounded."}
    pyspiel.register_game(_class_type(cls), type(cls.__name__, (ExportedGame,), members))
    _registered[name] = cls


def _class_type(cls: type[AnyGame]) -> Any:
    """Return what OpenSpiel is told of all games of a class: of the default one, if there is."""
    try:
        game = game_from(cls, {})
    except UsageError:  # a wrapper, which needs a game
        return _game_type(cls, loadable=False)
    loadable = None not in (game.action_count, game.longest_game)
    return _game_type(cls, game, loadable=loadable, players=_numbers_of_players(cls, game))


def _numbers_of_players(cls: type[AnyGame], game: AnyGame) -> tuple[int, int]:
    """Return the least and the greatest number of players of the default board."""
    allowed = {game.players}
    if "players" in cls.signature():
        for players in range(1, _MOST_PLAYERS):
            try:
                allowed.add(game_from(cls, {"players": players}).players)
            except UsageError:
                continue
    return min(allowed), max(allowed)


def _game_type(
    cls: type[AnyGame],
    game: AnyGame | None = None,
    *,
    loadable: bool = True,
    players: tuple[int, int] | None = None,
) -> Any:
    kind = pyspiel.GameType
    zero_sum = game is not None and game.zero_sum and (players or (2, 2)) == (2, 2)
    fewest, most = players or ((1, _MOST_PLAYERS) if game is None else (game.players,) * 2)
    return kind(
        short_name=short_name(cls),
        long_name=f"{cls.game_name()} (unbounded)",
        dynamics=kind.Dynamics.SEQUENTIAL,
        chance_mode=kind.ChanceMode.DETERMINISTIC,
        information=kind.Information.PERFECT_INFORMATION,
        utility=kind.Utility.ZERO_SUM if zero_sum else kind.Utility.GENERAL_SUM,
        reward_model=kind.RewardModel.TERMINAL,
        max_num_players=most,
        min_num_players=fewest,
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=game is not None and game.planes is not None,
        parameter_specification=parameters_of(cls),
        default_loadable=loadable,
    )


def _game_info(exported: Exported) -> Any:
    game, highest = exported.game, exported.highest
    return pyspiel.GameInfo(
        num_distinct_actions=game.action_count,
        max_chance_outcomes=0,
        num_players=game.players,
        min_utility=-highest,
        max_utility=highest,
        utility_sum=0.0 if game.zero_sum else None,
        max_game_length=game.longest_game,
    )


class ExportedGame(pyspiel.Game):
    """A game of this package in OpenSpiel."""

    source: ClassVar[type[AnyGame]]
    """The class of the game; set in a subclass."""

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        given = {**parameters_of(self.source), **(params or {})}
        exported = Exported(game_from(self.source, given), given["returns"])
        super().__init__(_game_type(self.source, exported.game), _game_info(exported), given)
        known = EXPORTED.get(str(self))
        if known is None or not known.game.is_same_game(exported.game):  # of a class made anew
            EXPORTED[str(self)] = known = exported
        self.exported = known

    def __reduce__(self) -> tuple[Any, ...]:
        return load, (str(self),)

    def new_initial_state(self, state: Any = None) -> ExportedState:
        """Return the state in which the game starts."""
        if state is not None:
            raise UsageError(f"{self} starts in one position only; play actions from there")
        return ExportedState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> Any:
        """Return what observes states: the planes of `encode`, and the text of the state."""
        if params:
            raise UsageError(f"observers of {self} take no parameters, such as {params}")
        whole = iig_obs_type is None or iig_obs_type.public_info
        recall = iig_obs_type is not None and iig_obs_type.perfect_recall
        return Observer(self.exported, public=whole, recall=recall)


class ExportedState(pyspiel.State):
    """A state of such a game: a copy costs little, as it holds two values."""

    def __init__(self, game: ExportedGame) -> None:
        super().__init__(game)
        self.held = game.exported.game.initial()
        """The state of our game."""
        self.key = str(game)
        """Of the table of exported games."""

    @property
    def exported(self) -> Exported:
        """The game, as it was exported."""
        return EXPORTED[self.key]

    def current_player(self) -> Any:
        """Return who moves."""
        player = self.exported.facts(self.held).player
        return pyspiel.PlayerId.TERMINAL if player is None else player

    def _legal_actions(self, player: int) -> list[int]:
        facts = self.exported.facts(self.held)
        return list(facts.actions) if player == facts.player else []

    def _apply_action(self, action: int) -> None:
        if action not in self.exported.facts(self.held).actions:
            raise UsageError(f"illegal action {action} of {self.key} in\n{self}")
        self.held = self.exported.game.next(self.held, action)

    def _action_to_string(self, player: int, action: int) -> str:
        if action not in self.exported.facts(self.held).actions:
            return str(action)  # names are for legal actions; OpenSpiel wants one for all
        return self.exported.game.action_name(self.held, action)

    def is_terminal(self) -> bool:
        """Whether the game is over."""
        return self.exported.facts(self.held).player is None

    def returns(self) -> list[float]:
        """Return the outcome or the score of each player; zeros until the game is over."""
        return list(self.exported.facts(self.held).returns)

    def __str__(self) -> str:
        return self.exported.text(self.held)


class Observer:
    """Shows the same to everybody: all players know all."""

    def __init__(self, exported: Exported, *, public: bool, recall: bool) -> None:
        self.exported, self.public, self.recall = exported, public, recall
        shape = None if recall or not public else exported.game.planes
        self.tensor = None if shape is None else np.zeros(math.prod(shape), np.float32)
        self.dict = {} if self.tensor is None else {"observation": self.tensor.reshape(shape)}

    def set_from(self, state: ExportedState, player: int) -> None:
        """Write the planes of a state, seen by the player to move."""
        if self.tensor is not None:
            self.dict["observation"][:] = self.exported.planes(state.held)

    def string_from(self, state: ExportedState, player: int) -> str:
        """Return the text of a state or, with perfect recall, the actions that led to it."""
        if not self.public:
            return ""  # nothing is private
        return str(state.history_str()) if self.recall else str(state)


def load(text: str) -> Any:
    """Return the game with this string in OpenSpiel; by name, so that games can be pickled."""
    return pyspiel.load_game(text)


# A pickled state names its class and its game. When it is read in another process, the first makes
# Python import this module, and then OpenSpiel must know the second.
for _cls in games().values():
    with suppress(UnboundedError):  # of an installed package, say: `game_of` tells what is wrong
        register_class(_cls)
