# SPDX-License-Identifier: MIT
"""Conformance of a game as a whole: its declarations, parameters and string form."""

from __future__ import annotations

from unbounded.conformance.messages import AnyGame, broken
from unbounded.game import Game, RecordGame, UnboundedError, catalogue
from unbounded.game.rule_errors import what_was_raised, wrong_declaration


def check_declarations(game: AnyGame) -> None:
    """Check the declarations of a game before it is played."""
    wrong = wrong_declaration(game)
    if wrong is not None:
        raise broken(game, *wrong)
    try:
        _ = game.uncompiled if isinstance(game, RecordGame) else None
    except Exception as error:
        problem = f"rules {what_was_raised(error)}"
        raise broken(game, problem, "rules() must return Rules(...)") from error
    _check_player_names(game)


def _check_player_names(game: AnyGame) -> None:
    for player in range(game.players):
        try:
            name = game.player_name(player)
        except Exception as error:
            problem = f"player_name({player}) {what_was_raised(error)}"
            raise broken(game, problem, "return what people call the player") from error
        if not isinstance(name, str) or not name.strip():
            problem = f"player_name({player}) gave {name!r}"
            raise broken(game, problem, "return what people call the player")


def find_unused_symmetry(game: AnyGame) -> str | None:
    """Look for a symmetry that is defined but not declared; return a warning, or None."""
    if game.symmetries > 1:
        return None
    if isinstance(game, RecordGame):
        defined = game.uncompiled.symmetry is not None
    else:
        defined = type(game).symmetry is not Game.symmetry
    # A game whose symmetries depend on its size may declare that it has none.
    if not defined or "symmetries" in vars(game):
        return None
    return "there is a symmetry, but symmetries is 1: set it to how many there are, or it is unused"


def check_string_form(game: AnyGame) -> AnyGame:
    """Check that the string form gives the game back; return what it gives."""
    for name in game.signature():
        if not hasattr(game, name):
            problem = f"the constructor parameter {name!r} is not kept"
            raise broken(game, problem, f"set self.{name} = {name} in the constructor")
    try:
        twin = catalogue.read_game(str(game), {**catalogue.games(), **_classes(game)})
    except UnboundedError as error:
        problem = f"the string form {str(game)!r} does not give the game back: {error}"
        advice = "parameters are integers, true or false, words, lists of these, or games"
        raise broken(game, problem, advice) from error
    if not game.is_same_game(twin):
        problem = f"the string form of {game} gives another game: {twin}"
        advice = "keep each parameter under its own name, with the value that was given"
        raise broken(game, problem, advice)
    return twin


def _classes(game: AnyGame) -> dict[str, type[AnyGame]]:
    """Return the classes of a game and of those inside it, by name."""
    found: dict[str, type[AnyGame]] = {}
    for value in game.parameters.values():
        if isinstance(value, Game):
            found.update(_classes(value))
    return {**found, game.game_name(): type(game)}
