# SPDX-License-Identifier: MIT
"""Games of OpenSpiel as games of this package: `open_spiel:breakthrough(rows=5,columns=4)`.

What follows the prefix is given to `pyspiel.load_game` as it is. Every sequential, deterministic
game with perfect information can be used.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

from unbounded.bridges.openspiel.keys import (
    CHECKED,
    HISTORY,
    NO_COPIES,
    SpielState,
    child_of,
    is_complete,
    state_by_text,
    wrapped,
)
from unbounded.bridges.openspiel.numbering import Numbering
from unbounded.bridges.openspiel.package import pyspiel
from unbounded.bridges.openspiel.symmetries import Image, images_of
from unbounded.bridges.openspiel.trial import is_harmless
from unbounded.game import MOST_ACTIONS, Game, RuleError, UsageError, did_you_mean, require
from unbounded.game.catalogue import NAME_IT, NO_FILES, FileRefusedError
from unbounded.game.rule_errors import MOST_PLAYERS
from unbounded.game.wording import cut, shortened

PREFIX = "open_spiel"
TREE_PREFIX = "open_spiel_tree"
"""Names the same games, but never takes two positions for one."""

LARGEST_NUMBER = 1000
"""In a name that comes from a stranger: a larger board could take all memory."""
LARGEST_SAFE_NUMBER = 25
"""In the names of others: OpenSpiel has no letters for the columns of larger boards."""

ENDS_LATE = ("mancala",)
"""Games that OpenSpiel ends after one move more than it says."""

_OPENS_FILE = re.compile(r"file|\befg_game\b|\bnfg_game\b", re.IGNORECASE)
_DIGITS = re.compile(r"[0-9]+")


def load(name: str, *, key: str | None = None, files: bool = True) -> OpenSpielGame:
    """Return the game that OpenSpiel knows by this name: `load("breakthrough(rows=5,columns=4)")`.

    key: "history": states are equal if all moves are the same, so the game is a tree. "checked":
        states are equal if mover and OpenSpiel's text are the same; only for games for which this
        was found to be right, and checked again whenever two such states meet. Without it,
        "checked" where possible.
    files: whether the game may read a file, as `efg_game(filename=...)` does.
    """
    _check_trust(PREFIX, name, files)
    return OpenSpielGame(name, key)


def game_named(prefix: str, name: str, files: bool) -> OpenSpielGame:
    """Return the game that `prefix:name` stands for in a game string."""
    _check_trust(prefix, name, files)
    return OpenSpielGame(name, HISTORY if prefix == TREE_PREFIX else None)


def _check_trust(prefix: str, name: str, files: bool) -> None:
    """Where no file may be opened, refuse a game that reads one, or that could take all memory."""
    shown, numbers = f"{prefix}:{cut(name, 80)}", _DIGITS.findall(name)
    if not files:
        if _OPENS_FILE.search(name):
            raise FileRefusedError(f"{shown}: {NO_FILES}; {NAME_IT}")
        require(
            all(_is_at_most(LARGEST_NUMBER, digits) for digits in numbers),
            f"{shown}: numbers above {LARGEST_NUMBER:,} are not allowed here",
        )
    if not files or not all(_is_at_most(LARGEST_SAFE_NUMBER, digits) for digits in numbers):
        pyspiel()  # an error that says what to install
        require(
            is_harmless(name),
            f"{shown}: OpenSpiel crashes, hangs or runs out of memory when it loads or plays this "
            "game; use a smaller board",
        )


def _is_at_most(bound: int, digits: str) -> bool:
    return len(digits) <= 4 and int(digits) <= bound


class OpenSpielGame(Game[SpielState, int]):
    """A game of OpenSpiel.

    name: its string form in OpenSpiel.
    key: when two states are equal; see `load`.
    """

    numbering = Numbering

    def __init__(self, name: str, key: str | None = None) -> None:
        self.name = name.strip()
        self.key = key
        self._game, first = _loaded(self.name)
        self.copies = not any(game in self.name for game in NO_COPIES)
        """Whether states may be copied."""
        kind = self._game.get_type()
        complete = is_complete(kind.short_name, self._game.get_parameters())
        require(key in (None, HISTORY, CHECKED), f"key must be history or checked, not {key!r}")
        require(
            key != CHECKED or complete,
            f"OpenSpiel's text of {self.name} may be the same for different positions, so it "
            "cannot be the key: use key='history'",
        )
        self.merges = complete and key != HISTORY
        """Whether positions that were reached in different ways may be the same state."""
        self.images: tuple[Image, ...] = ()
        """The symmetries of the board but for the identity."""
        if self.merges:
            self.images = images_of(kind.short_name, self._game.get_parameters(), first)
        self.symmetries = 1 + len(self.images)
        self._describe(kind)

    def _describe(self, kind: Any) -> None:
        """Fill in what a game declares."""
        game, utility = self._game, type(kind.utility)
        self.players = game.num_players()
        self.action_count = game.num_distinct_actions()
        longest = game.max_game_length() + (kind.short_name in ENDS_LATE)
        self.longest_game = longest if longest > 0 else None
        constant = kind.utility in (utility.ZERO_SUM, utility.CONSTANT_SUM)
        self.zero_sum = self.players == 2 and constant and game.utility_sum() == 0
        # Otherwise returns say no more than who won; in games of more than two players the losers
        # share what the winner gets.
        plain = kind.utility == utility.ZERO_SUM and game.max_utility() == 1
        self._scored = not plain or kind.short_name == "efg_game"
        # Where rewards are given on the way, more than that can be left when the game is cut short.
        at_end = kind.reward_model == type(kind.reward_model).TERMINAL
        if self._scored and at_end and math.isfinite(game.max_utility()):
            self.best_score = [game.max_utility()] * self.players
        self.planes = _planes(game) if kind.provides_observation_tensor else None

    # -- rules ------------------------------------------------------------------------------------

    def initial(self) -> SpielState:
        spiel = self._game.new_initial_state()
        return state_by_text(spiel) if self.merges else wrapped(spiel, "", spiel.current_player())

    def player(self, state: SpielState) -> int:
        return state.mover

    def actions(self, state: SpielState) -> Sequence[int]:
        return state.legal

    def next(self, state: SpielState, action: int) -> SpielState:
        spiel = state.spiel.child(action) if self.copies else child_of(state.spiel, action)
        if self.merges:
            return state_by_text(spiel)
        return wrapped(spiel, f"{state.key} {action}", spiel.current_player())

    def symmetry(self, state: SpielState, k: int) -> SpielState:
        if k == 0:
            return state
        spiel = self._game.new_initial_state()
        for action in state.spiel.history():
            spiel.apply_action(self.images[k - 1].action(action))
        return state_by_text(spiel)

    def outcome(self, state: SpielState) -> Sequence[int]:
        return [(x > 0) - (x < 0) for x in self._returns(state)]

    def score(self, state: SpielState) -> Sequence[float]:
        returns = self._returns(state)
        return returns if self._scored else [float((x > 0) - (x < 0)) for x in returns]

    @property
    def has_score(self) -> bool:
        return self._scored

    def _returns(self, state: SpielState) -> list[float]:
        returns = state.returns
        if returns is None:
            raise RuleError("outcome was asked for a state in which the game is not over")
        if not self._scored and self.players == 2 and not {-1.0, 0.0, 1.0}.issuperset(returns):
            raise RuleError(
                f"returns of {returns} say more than who won, although OpenSpiel gives "
                f"{self._game.max_utility()} as the most that can be won"
            )
        return returns

    # -- for people and networks ------------------------------------------------------------------

    def encode(self, state: SpielState) -> Sequence[float]:
        """Return the observation of the player to move, and a plane that says who that is.

        Many observations of OpenSpiel are the same for all players.
        """
        if self.planes is None:
            raise NotImplementedError
        mover = max(0, state.mover)
        _, rows, columns = self.planes
        return [*state.spiel.observation_tensor(mover), *[float(mover)] * (rows * columns)]

    def show(self, state: SpielState) -> str:
        return str(state.spiel)

    def action_name(self, state: SpielState, action: int) -> str:
        return state.names[action]

    def __str__(self) -> str:
        return f"{TREE_PREFIX if self.key == HISTORY else PREFIX}:{self.name}"


def _loaded(name: str) -> tuple[Any, str]:
    """Return a game of OpenSpiel, and the text of its first state."""
    spiel = pyspiel()
    short = re.match(r"\s*(\w*)", name)
    known = spiel.registered_names()
    if short is None or short[1] not in known:
        wanted = short[1] if short else name
        raise UsageError(
            f"OpenSpiel has no game {shortened(wanted)}{did_you_mean(wanted, known)}; "
            "pyspiel.registered_names() lists them"
        )
    try:
        game = spiel.load_game(name)
        _require_fitting(name, game)
        state = game.new_initial_state()
        if state.is_chance_node():  # which the type of the game need not say
            raise UsageError(f"{PREFIX}:{cut(name, 80)} cannot be used: there is chance")
        count = len(state.legal_actions())  # some parameters are refused only now
        require(
            count <= MOST_ACTIONS,
            f"{PREFIX}:{cut(name, 80)} has {count:,} actions in its first state; at most "
            f"{MOST_ACTIONS:,} are allowed",
        )
        return game, state.to_string()
    except UsageError:
        raise
    except Exception as error:
        said = " ".join(str(error).split()) or type(error).__name__
        raise UsageError(f"{PREFIX}:{cut(name, 80)}: OpenSpiel refuses it: {said}") from error


def _require_fitting(name: str, game: Any) -> None:
    """Refuse a game that is none of ours, naming what it has that we cannot handle."""
    kind = game.get_type()
    problems = []
    if kind.dynamics != type(kind.dynamics).SEQUENTIAL:
        problems.append("players do not move one after the other")
    if kind.chance_mode != type(kind.chance_mode).DETERMINISTIC:
        problems.append("there is chance")
    if kind.information != type(kind.information).PERFECT_INFORMATION:
        problems.append("players do not see everything")
    if not 1 <= game.num_players() <= MOST_PLAYERS:
        problems.append(f"it is for {game.num_players()} players")
    require(
        not problems,
        f"{PREFIX}:{cut(name, 80)} cannot be used: {', '.join(problems)}; only sequential, "
        "deterministic games with perfect information can",
    )


def _planes(game: Any) -> tuple[int, int, int]:
    """Return the shape of `encode`: that of the observation, with a plane for the mover."""
    shape = list(game.observation_tensor_shape())
    if len(shape) > 3:
        shape = [math.prod(shape)]
    planes, rows, columns = [1] * (3 - len(shape)) + shape
    return planes + 1, rows, columns
