# SPDX-License-Identifier: MIT
"""The class of bots that OpenSpiel sees; imported only where OpenSpiel is needed."""

from __future__ import annotations

from typing import Any

import pyspiel

from unbounded.bridges.openspiel.positions import actions_to, our_game
from unbounded.game import UsageError, require
from unbounded.players.kinds import read_kind
from unbounded.players.player import Decision, Player
from unbounded.players.searching import SearchPlayer

Policy = list[tuple[int, float]]


def make_bot(game: Any, player_id: int, player: str, seed: int) -> PlayerBot:
    """Make a bot; see `bots.bot`."""
    is_state = isinstance(game, pyspiel.State)
    require(
        is_state or isinstance(game, pyspiel.Game),
        f"a bot needs a game or a state of OpenSpiel, not {game!r}; for ours there is game_of",
    )
    made = PlayerBot(game.get_game() if is_state else game, player_id, player, seed)
    if is_state:
        made.restart_at(game)
    return made


class PlayerBot(pyspiel.Bot):
    """A player of ours at a board of OpenSpiel."""

    def __init__(self, game: Any, player_id: int, player: str, seed: int) -> None:
        super().__init__()
        players = game.num_players()
        allowed = type(player_id) is int and 0 <= player_id < players
        require(allowed, f"player_id must be from 0 to {players - 1}, not {player_id!r}")
        self._game, self._player_id, self._seed = our_game(game), player_id, seed
        self._text = str(game)
        self._kind = read_kind(player)
        self._games = 0
        self._seen: list[int] = []
        self._player: Player | None = None
        """Made when it is needed: its first search may compile rules."""

    # -- following the game -----------------------------------------------------------------------

    def restart(self) -> None:
        """Forget everything: a new game begins."""
        self._player, self._seen = None, []

    def restart_at(self, state: Any) -> None:
        """Begin a new game in this state."""
        self.restart()
        self._follow(state)

    def inform_action(self, state: Any, player_id: int, action: int) -> None:
        """See an action that any player plays in a state."""
        self._follow(state)
        self._see(action)

    def provides_force_action(self) -> bool:
        """Whether `force_action` works."""
        return True

    def force_action(self, state: Any, action: int) -> None:
        """Play this action instead of one of its own choice."""
        self._require_turn(state)
        self.inform_action(state, self._player_id, action)

    def _follow(self, state: Any) -> Player:
        """Bring the player to this state, and return it."""
        self._require_game(state)
        actions = actions_to(state)
        if actions[: len(self._seen)] != self._seen:
            self.restart()
        for action in actions[len(self._seen) :]:
            self._see(action)
        return self._at_board()

    def _at_board(self) -> Player:
        if self._player is None:
            # Otherwise players that choose at random would play the same game again.
            self._player = self._kind.player(self._game, self._seed + self._games)
            self._games += 1
        return self._player

    def _see(self, action: int) -> None:
        player = self._at_board()
        if action not in player.game.actions(player.state):
            raise UsageError(f"illegal action {action} of {self._text} after {self._seen}")
        player.see(action)
        self._seen.append(action)

    # -- choosing ---------------------------------------------------------------------------------

    def player_id(self) -> int:
        """Return whose moves it chooses."""
        return self._player_id

    def step(self, state: Any) -> int:
        """Return the action that it chooses."""
        return int(self._decide(state).action)

    def provides_policy(self) -> bool:
        """Whether the policy of a state can be asked for."""
        return True

    def get_policy(self, state: Any) -> Policy:
        """Return the actions that it may choose, each with its probability."""
        return self.step_with_policy(state)[0]

    def step_with_policy(self, state: Any) -> tuple[Policy, int]:
        """Return the policy, and the action that it chooses."""
        decision = self._decide(state)
        chosen = int(decision.action)
        best = proven_best(self._at_board(), decision) or [chosen]
        likely = {action: 1 / len(best) for action in best}
        # OpenSpiel's own bots list all legal actions.
        return [(action, likely.get(action, 0.0)) for action in state.legal_actions()], chosen

    def _decide(self, state: Any) -> Decision:
        self._require_turn(state)
        return self._follow(state).decide()

    def _require_game(self, state: Any) -> None:
        require(
            str(state.get_game()) == self._text,
            f"this bot plays {self._text}, and was shown a state of {state.get_game()}",
        )

    def _require_turn(self, state: Any) -> None:
        self._require_game(state)
        require(
            not state.is_terminal(),
            f"this bot was asked for a move of {self._text}, but the game is over:\n{state}",
        )
        mover = state.current_player()
        require(
            mover == self._player_id,
            f"this bot is player {self._player_id}, but player {mover} is to move",
        )


def proven_best(player: Player, decision: Decision) -> list[int]:
    """Return all actions that are proven to be best; none if the best outcome is not proven."""
    best = decision.outcome[player.game.player(player.state)]
    if best is None or not isinstance(player, SearchPlayer):
        return []
    mover = player.game.player(player.state)
    proven = [
        int(child.action)
        for child in player.search.root.children
        if child.outcome is not None and child.outcome[mover] == best
    ]
    # The action that was chosen is best too; its own proof may rest on bounds alone.
    return sorted({*proven, int(decision.action)})
