# SPDX-License-Identifier: MIT
"""OpenSpiel's Monte Carlo tree search as a player, on OpenSpiel's own rules of the same game."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from unbounded.game import Game, UnboundedError, UsageError, require
from unbounded.game.board import LETTERS
from unbounded.games.breakthrough import Breakthrough
from unbounded.games.clobber import Clobber
from unbounded.games.connect_four import ConnectFour
from unbounded.games.havannah import Havannah
from unbounded.games.hex import Hex
from unbounded.games.kalah import Kalah
from unbounded.games.othello import Othello
from unbounded.players.player import Decision, Player
from unbounded.search.budget import Budget

NO_LIMIT = 1 << 30
"""Simulations, where only time counts."""
FULL_PAWNS = 6
"""Rows from which on OpenSpiel's Breakthrough has two rows of pawns; below it has one."""


@dataclass(frozen=True)
class Twin:
    """The same game in OpenSpiel."""

    name: str
    """The game string for `pyspiel.load_game`."""
    move_name: Callable[[str, int], str]
    """From our name of a move, and the player who makes it, to their name."""


def twin_of(game: Game[Any, Any]) -> Twin:
    """Return OpenSpiel's version of a game, or raise a `UsageError` if it has none."""
    find = _TWINS.get(type(game))
    found = None if find is None else find(game)
    if found is None:
        names = ", ".join(cls.game_name() for cls in _TWINS)
        raise UsageError(
            f"OpenSpiel has no game with the same rules as {game}; "
            f"openspiel-mcts plays {names} on the boards that both have"
        )
    return found


def _connect_four(game: ConnectFour) -> Twin | None:
    if game.players != 2:
        return None
    board = f"rows={game.height},columns={game.width},x_in_row={game.line}"
    return Twin(f"connect_four({board})", lambda name, who: f"{'xo'[who]}{int(name) - 1}")


def _hex(game: Hex) -> Twin | None:
    return Twin(f"hex(board_size={game.size})", _same)


def _havannah(game: Havannah) -> Twin | None:
    return Twin(f"havannah(board_size={game.size})", _same)


def _othello(game: Othello) -> Twin | None:
    return Twin("othello", _same) if game.size == 8 else None


def _breakthrough(game: Breakthrough) -> Twin | None:
    if game.pawn_rows != (2 if game.rows >= FULL_PAWNS else 1):
        return None
    board = f"rows={game.rows},columns={game.columns}"
    return Twin(f"breakthrough({board})", _upside_down(game.rows))


def _clobber(game: Clobber) -> Twin | None:
    board = f"rows={game.rows},columns={game.columns}"
    return Twin(f"clobber({board})", _same)


def _kalah(game: Kalah) -> Twin | None:
    if (game.pits, game.seeds, game.empty_capture) != (6, 4, False):
        return None
    return Twin("mancala", lambda name, who: str(LETTERS.index(name.lower()) + 1 + 7 * who))


def _same(name: str, _: int) -> str:
    return name


def _upside_down(rows: int) -> Callable[[str, int], str]:
    """Their first player begins at the top, ours at the bottom."""

    def turned(name: str, _: int) -> str:
        return re.sub(r"\d+", lambda row: str(rows + 1 - int(row[0])), re.sub("[-x]", "", name))

    return turned


_TWINS: dict[type[Game[Any, Any]], Callable[[Any], Twin | None]] = {
    Breakthrough: _breakthrough,
    Clobber: _clobber,
    ConnectFour: _connect_four,
    Havannah: _havannah,
    Hex: _hex,
    Kalah: _kalah,
    Othello: _othello,
}


class Mirror:
    """A game of ours and its twin in OpenSpiel, move by move."""

    def __init__(self, game: Game[Any, Any]) -> None:
        self.twin = twin_of(game)
        require(
            importlib.util.find_spec("pyspiel") is not None,
            "openspiel-mcts needs OpenSpiel: pip install 'unbounded[openspiel]'",
        )
        import pyspiel

        self.game = game
        self.their_game: Any = pyspiel.load_game(self.twin.name)
        self.theirs: Any = self.their_game.new_initial_state()

    def actions(self, state: Any) -> dict[int, Any]:
        """Our legal actions by theirs; both must have the same."""
        names = {
            self.theirs.action_to_string(action).rstrip("*"): action  # a star is a capture
            for action in self.theirs.legal_actions()
        }
        who = int(self.game.player(state))
        ours = {
            self.twin.move_name(self.game.action_name(state, action), who): action
            for action in self.game.actions(state)
        }
        if names.keys() != ours.keys():
            raise UnboundedError(
                f"OpenSpiel's {self.twin.name} has other legal moves than {self.game}: "
                f"{' '.join(sorted(names.keys() ^ ours.keys())[:10])}"
            )
        return {names[name]: action for name, action in ours.items()}

    def play(self, state: Any, action: Any) -> None:
        """Follow a move of ours."""
        theirs = {ours: their for their, ours in self.actions(state).items()}
        self.theirs.apply_action(theirs[action])


class OpenSpielPlayer(Player):
    """OpenSpiel's search, in this process; it starts again for every move."""

    def __init__(
        self,
        game: Game[Any, Any],
        seed: int,
        *,
        budget: Budget,
        simulations: int | None,
        c: float,
        solver: bool,
        megabytes: int,
    ) -> None:
        super().__init__(game, seed, budget)
        self._mirror = Mirror(game)
        self._simulations, self._c, self._solver = simulations, c, solver
        self._megabytes = megabytes

    def see(self, action: Any) -> None:
        self._mirror.play(self.state, action)
        super().see(action)

    def choose(self) -> Decision:
        import pyspiel

        seed = (self.seed + len(self.moves)) % (1 << 31)
        seconds = self.seconds_now()
        bot = pyspiel.MCTSBot(
            self._mirror.their_game,
            pyspiel.RandomRolloutEvaluator(1, seed),
            self._c,
            self._simulations or NO_LIMIT,
            self._megabytes,
            self._solver,
            seed,
            False,
            max_wall_clock_time=-1.0 if seconds is None else seconds,
        )
        action = bot.step(self._mirror.theirs)
        return self.decision(self._mirror.actions(self.state)[action])
