# SPDX-License-Identifier: MIT
"""Games of this package as games of OpenSpiel: `pyspiel.load_game("unbounded_hex(size=7)")`.

A string of OpenSpiel has no lists, and no games as parameters. Both are written as text in which
`;` stands for a comma, `:` for an equals sign, `::` for a colon and braces for parentheses:
`unbounded_nim(heaps=[1;3;5])`, `unbounded_horizon(game=konane{rows:4;columns:4},plies=20)`.
"""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

from unbounded.bridges.openspiel.games import OpenSpielGame
from unbounded.bridges.openspiel.package import pyspiel
from unbounded.game import Game, RecordGame, UsageError, format_value, require
from unbounded.game.catalogue import games, load_game, read_game

AnyGame = Game[Any, Any]
PREFIX = "unbounded_"
RETURNS = ("outcome", "score")
"""What `returns()` may be: the parameter of this name that every exported game has."""
_REMEMBERED = 1024
"""States whose actions are kept: OpenSpiel asks for them several times."""
_WRITTEN = {"(": "{", ")": "}", ",": ";", "=": ":", ":": "::"}
_READ = {written: character for character, written in _WRITTEN.items()}
_EMPTY = {int: 0, float: 0.0, bool: False}
"""What OpenSpiel shows for a parameter that must be given."""


def register(*classes: type[AnyGame]) -> list[str]:
    """Let OpenSpiel load our games; return their names there.

    All games that can be named are registered, and the classes given here. A game whose name is
    `connect-four` becomes `unbounded_connect_four`. Calling it again does no harm.
    """
    pyspiel()  # an error that says what to install
    # Importing it registers the games of the catalogue.
    spiel_games = importlib.import_module("unbounded.bridges.openspiel.spiel_games")
    for cls in classes:
        known = games().get(cls.game_name(), cls)
        require(known is cls, f"there is another game {cls.game_name()!r}: rename the class")
        spiel_games.register_class(cls)
    return sorted({short_name(cls) for cls in (*games().values(), *classes)})


def game_of(game: AnyGame | str, *, returns: str = "outcome") -> Any:
    """Return the `pyspiel.Game` of one of our games: `game_of("horizon(konane(4,4),20)")`.

    The class of a game that is not in the catalogue is registered too.
    """
    found = load_game(game)
    if isinstance(found, OpenSpielGame):  # it has its own returns
        return pyspiel().load_game(found.name)
    cls = games().get(found.game_name())
    register(cls if cls is not None and isinstance(found, cls) else type(found))
    specified = parameters_of(type(found))
    given = {name: _parameter(value) for name, value in found.parameters.items()}
    for name, default in specified.items():
        # An integer may be given where a float is meant: OpenSpiel does not convert it.
        given[name] = type(default)(given.get(name, default))
    made = pyspiel().load_game(short_name(type(found)), {**given, "returns": returns})
    same = EXPORTED[str(made)].game.is_same_game(found)
    require(same, f"{found} has no string form from which OpenSpiel could make it again")
    return made


def short_name(cls: type[AnyGame]) -> str:
    """Return the name of a class of games in OpenSpiel."""
    return PREFIX + cls.game_name().replace("-", "_")


# -- parameters -----------------------------------------------------------------------------------


def parameters_of(cls: type[AnyGame]) -> dict[str, Any]:
    """Return the parameters of a class of games, with their defaults, as OpenSpiel has them."""
    found: dict[str, Any] = {}
    for name, parameter in cls.signature().items():
        require(name != "returns", f"{cls.__name__}: OpenSpiel's games have a parameter `returns`")
        if parameter.default is not inspect.Parameter.empty:
            found[name] = _parameter(parameter.default)
        else:
            kinds = [kind for kind in _EMPTY if parameter.annotation in (kind, kind.__name__)]
            found[name] = _EMPTY[kinds[0]] if kinds else ""
    return {**found, "returns": RETURNS[0]}


def _parameter(value: Any) -> Any:
    """Return a value as OpenSpiel can hold it: a number, a truth value or a text."""
    if type(value) in (int, float, bool, str):
        return value
    written = format_value(value)
    text = "".join(_WRITTEN.get(character, character) for character in written)
    require(
        _read(text) == written,
        f"{written} cannot be written in a string of OpenSpiel: it has one of ; {{ }} or := in it",
    )
    return text


def _read(text: str) -> str:
    """Return the text of a list or game as game strings have it."""
    return re.sub("::|[{};:]", lambda found: _READ[found[0]], text)


def game_from(cls: type[AnyGame], parameters: Mapping[str, Any]) -> AnyGame:
    """Make a game of a class with the parameters that OpenSpiel has for it."""
    given, signature = [], cls.signature()
    for name, default in parameters_of(cls).items():
        value = parameters.get(name, default)
        if name == "returns" or value == default:
            continue  # the game has the same default, or says that it must be given
        hint = signature[name].default
        plain = not isinstance(value, str) or isinstance(hint, str)
        written = format_value(value) if plain else _read(value)
        given.append(f"{name}={written}")
    text = f"{cls.game_name()}({','.join(given)})"
    return read_game(text, {**games(), cls.game_name(): cls})


# -- games ----------------------------------------------------------------------------------------


class Facts(NamedTuple):
    """What OpenSpiel asks about a state."""

    player: int | None
    """None when the game is over."""
    actions: tuple[int, ...]
    """In ascending order."""
    returns: tuple[float, ...]
    """Zeros until the game is over."""


@dataclass(frozen=True)
class Exported:
    """One of our games, with what OpenSpiel wants to know of it."""

    game: AnyGame
    returns: str = RETURNS[0]
    """Whether returns are outcomes or scores."""

    def __post_init__(self) -> None:
        require(self.returns in RETURNS, f"returns must be outcome or score, not {self.returns!r}")
        for promise in ("action_count", "longest_game"):
            require(
                getattr(self.game, promise) is not None,
                f"{self.game} cannot be a game of OpenSpiel, which wants to know its {promise} "
                f"before it begins: set {promise} in the class of the game (docs/hooks.md)"
                + ("" if promise == "action_count" else ", or wrap the game in a horizon"),
            )
        bounded = self.game.zero_sum and self.game.best_scores is not None
        require(
            self.returns == RETURNS[0] or not self.game.has_score or bounded,
            f"the scores of {self.game} have no lower bound that OpenSpiel could be told: only "
            "those of games with zero_sum and best_score have; use returns=outcome",
        )

    @property
    def highest(self) -> float:
        """What no player's return exceeds; minus this, none falls below."""
        scored = self.returns == "score" and self.game.has_score
        return max(self.game.best_scores or (1.0,)) if scored else 1.0

    @cached_property
    def facts(self) -> Any:
        """The function from a state to its `Facts`, which remembers the latest."""
        return lru_cache(_REMEMBERED)(self._facts)

    def _facts(self, state: Any) -> Facts:
        actions = tuple(sorted(int(action) for action in self.game.actions(state)))
        if actions:
            return Facts(int(self.game.player(state)), actions, (0.0,) * self.game.players)
        rule = self.game.score if self.returns == "score" else self.game.outcome
        return Facts(None, (), tuple(float(x) for x in rule(state)))

    def text(self, state: Any) -> str:
        """Return the state as text: different states have different texts.

        Drawings may leave something out, so all that the state consists of comes after them.
        """
        held = state.hex() if isinstance(self.game, RecordGame) else repr(state)
        return f"{self.game.show(state)}\nstate {held}"

    def planes(self, state: Any) -> Any:
        """Return the planes of a state as an array, seen by the player to move; None without."""
        import numpy as np

        shape = self.game.planes
        if shape is None:
            return None
        return np.array(self.game.encode(state), np.float32).reshape(shape)


EXPORTED: dict[str, Exported] = {}
"""The exported games by their strings in OpenSpiel.

A state of OpenSpiel holds only that string: what it held itself would be copied with it.
"""


def exported(game: Any) -> Exported | None:
    """Return what was exported as this `pyspiel.Game`; None if it is a game of OpenSpiel's own."""
    if not game.get_type().short_name.startswith(PREFIX):
        return None
    found = EXPORTED.get(str(game))
    if found is None:
        raise UsageError(f"{game} was not made in this process: load it with pyspiel.load_game")
    return found
