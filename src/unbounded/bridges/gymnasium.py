# SPDX-License-Identifier: MIT
"""One seat of a game as an environment of Gymnasium: see `docs/pettingzoo.md`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from unbounded.bridges.episodes import (
    REWARDS,
    AnyGame,
    Array,
    Episode,
    Source,
    as_action,
    check_choice,
    game_and_source,
)
from unbounded.game import UsageError, require
from unbounded.game.catalogue import games
from unbounded.game.rule_errors import blaming
from unbounded.players import Player, read_kind

try:
    import gymnasium
    from gymnasium import spaces
    from gymnasium.envs.registration import EnvSpec
except ImportError as error:
    message = "this needs Gymnasium: pip install 'unbounded[pettingzoo]'"
    raise ImportError(message) from error

from unbounded.bridges.observations import observations_of
from unbounded.bridges.pictures import MODES, rendered

ENTRY_POINT = f"{__name__}:SeatEnv"
KEPT = ("_seat", "_seed", "_given", "_done")
"""What an environment keeps of a game, besides its actions."""
MOST_SEEDS = 2**31 - 1


def env(game: str | AnyGame, **options: Any) -> SeatEnv:
    """Return one seat of a game as an environment: see `SeatEnv`."""
    seat = SeatEnv(game, **options)
    seat.spec = EnvSpec(_id_of(type(seat.game)), entry_point=ENTRY_POINT, kwargs=seat.arguments)
    return seat


def register() -> list[str]:
    """Register every game, so that `gymnasium.make("unbounded/ConnectFour-v0")` finds it.

    `gymnasium.make` takes the options of `SeatEnv`, and the parameters of the game. Return the
    names; those which are registered already stay as they are.
    """
    named = {_id_of(cls): name for name, cls in games().items() if not _needs_parameters(cls)}
    for identifier, name in named.items():
        if identifier not in gymnasium.registry:
            gymnasium.register(identifier, entry_point=ENTRY_POINT, kwargs={"game": name})
    return list(named)


def _id_of(cls: type[AnyGame]) -> str:
    words = cls.game_name().split("-")
    return f"unbounded/{''.join(word.title() for word in words)}-v0"


def _needs_parameters(cls: type[AnyGame]) -> bool:
    return any(x.default is x.empty for x in cls.signature().values())


class SeatEnv(gymnasium.Env):
    """A game in which one seat acts, and players of this package sit at the others.

    An action is the number of a legal move, `info["action_mask"]` has a 1 for each of them. The
    reward comes at the end of the game. If the game ends before the seat has moved, no action is
    legal after `reset`, and any action ends the episode with the reward.

    game: a game or its string form; its parameters may also be given by name.
    opponent: the name of a player, such as "random" or "ubfm(iterations=100)"; or a list of names,
        one for each of the other seats, first the one after `seat`.
    seat: which seat acts; None for another one in each game, by chance.
    illegal_reward: the reward for an illegal action, which ends the game; None if it is an error.
    render_mode, rewards, most_moves, bounds: as in `unbounded.bridges.pettingzoo`.
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": list(MODES), "render_fps": 2}

    def __init__(
        self,
        game: Source,
        *,
        opponent: str | Sequence[str] = "random",
        seat: int | None = 0,
        illegal_reward: float | None = -1.0,
        render_mode: str | None = None,
        rewards: str = "outcome",
        most_moves: int | None = None,
        bounds: tuple[float, float] = (0.0, 1.0),
        **parameters: Any,
    ) -> None:
        self.game, source = game_and_source(game, parameters)
        self.arguments: dict[str, Any] = {
            "game": source,
            "opponent": opponent,
            "seat": seat,
            "illegal_reward": illegal_reward,
            "render_mode": render_mode,
            "rewards": rewards,
            "most_moves": most_moves,
            "bounds": bounds,
        }
        check_choice("render_mode", render_mode, (None, *MODES))
        check_choice("rewards", rewards, REWARDS)
        self._check_seats(seat, opponent)
        self.render_mode, self._kind, self._illegal_reward = render_mode, rewards, illegal_reward
        self._episode = Episode(self.game, most_moves)
        self._observations = observations_of(self.game, bounds)
        self.observation_space = self._observations.space
        self.action_space = spaces.Discrete(self._episode.action_count)
        self._seat = seat or 0
        self._seed = self._given = 0
        self._done = True
        self._players: dict[int, Player] = {}

    def _check_seats(self, seat: int | None, opponent: str | Sequence[str]) -> None:
        players = self.game.players
        require(
            seat is None or (type(seat) is int and 0 <= seat < players),
            f"`seat` must be from 0 to {players - 1}, or None, not {seat!r}",
        )
        listed = isinstance(opponent, (list, tuple)) and all(isinstance(x, str) for x in opponent)
        require(
            listed or isinstance(opponent, str),
            f"`opponent` must be the name of a player, or a list of names, not {opponent!r}",
        )
        names = [opponent] * (players - 1) if isinstance(opponent, str) else list(opponent)
        require(
            len(names) == players - 1,
            f"{self.game} has {players - 1} other seats; `opponent` names {len(names)} players",
        )
        self._kinds = [read_kind(name) for name in names]
        self._fixed_seat = seat

    # -- playing ----------------------------------------------------------------------------------

    @blaming()
    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Array, dict[str, Any]]:
        """Start a new game; with `options={"moves": "4 4"}`, after these moves."""
        super().reset(seed=seed)
        self._seed = int(self.np_random.integers(MOST_SEEDS))
        seats = self.game.players
        drawn = self._fixed_seat is None
        self._seat = int(self.np_random.integers(seats)) if drawn else self._fixed_seat or 0
        self._episode.start((options or {}).get("moves", ()))
        self._given = len(self._episode.actions)
        self._players, self._done = {}, False
        self._let_others_move()
        return self._observed()

    @blaming()
    def step(self, action: Any) -> tuple[Array, float, bool, bool, dict[str, Any]]:
        """Play a legal action, and let the others move until the seat is to move again."""
        require(not self._done, "no game is being played: call reset() to start one")
        episode = self._episode
        if not self._has_ended:
            number = as_action(action)
            if number not in episode.legal and self._illegal_reward is not None:
                self._done = True
                observation, info = self._observed()
                return observation, float(self._illegal_reward), True, False, info
            episode.play(number)
            self._let_others_move()
        self._done = self._has_ended
        reward = episode.rewards(self._kind)[self._seat]
        observation, info = self._observed()
        return observation, reward, episode.is_over, episode.is_cut, info

    @property
    def _has_ended(self) -> bool:
        return self._episode.is_over or self._episode.is_cut

    def _let_others_move(self) -> None:
        while not self._has_ended and self._episode.mover != self._seat:
            assert self._episode.mover is not None
            player = self._player_at(self._episode.mover)
            action = player.decide().action
            player.see(action)
            self._episode.play(as_action(action))

    def _player_at(self, seat: int) -> Player:
        """Return the player of another seat, who has seen all moves so far.

        A player that is made again, because the game was restored, decides again too, so that it
        knows what it knew, and its generator of random numbers is where it was.
        """
        if seat not in self._players:
            kind = self._kinds[(seat - self._seat) % self.game.players - 1]
            self._players[seat] = kind.player(self.game, self._seed + seat)
        player, episode = self._players[seat], self._episode
        for ply in range(len(player.moves), len(episode.actions)):
            if ply >= self._given and episode.mover_at(ply) == seat:
                player.decide()
            player.see(episode.actions[ply])
        return player

    def _observed(self) -> tuple[Array, dict[str, Any]]:
        mask = self._episode.mask(legal=self._episode.mover == self._seat)
        info = {"action_mask": mask, "seat": self._seat}
        return self._observations.of(self._episode, self._seat), info

    def action_masks(self) -> Array:
        """Return which actions are legal: `MaskablePPO` of sb3-contrib asks by this name."""
        mask: Array = self._observed()[1]["action_mask"]
        return mask.astype(bool)

    @blaming()
    def render(self) -> Any:
        """Return the position as text or as pixels, as `render_mode` says."""
        return rendered(self._episode, self.render_mode)

    def close(self) -> None:
        """Drop the other players, and with them the programs that they may run."""
        self._players = {}

    # -- copies -----------------------------------------------------------------------------------

    def save(self) -> bytes:
        """Return all that is needed to continue this game from here: see `restore`."""
        require(self._np_random is not None, "there is nothing to save before reset()")
        random = self.np_random.bit_generator.state
        return self._episode.saved(random=random, **{x[1:]: getattr(self, x) for x in KEPT})

    @blaming()
    def restore(self, saved: bytes) -> None:
        """Continue where `save` was called, in this or in another environment of the same game."""
        names = [name[1:] for name in KEPT]
        actions, random, *kept = self._episode.read_saved(saved, "random", *names)
        problem = "restore() takes what save() has returned"
        good = all(isinstance(x, int) for x in kept) and 0 <= kept[0] < self.game.players
        require(good and 0 <= kept[KEPT.index("_given")] <= len(actions), problem)
        try:
            self.np_random.bit_generator.state = random
        except (ValueError, KeyError, TypeError):
            raise UsageError(problem) from None
        self._episode.go_to(actions)
        self.__dict__.update(zip(KEPT, kept, strict=True))
        self._players = {}

    def __getstate__(self) -> dict[str, Any]:
        """Return the arguments and the game so far: players that search cannot be copied."""
        kept = ("observation_space", "action_space", "spec", "_np_random_seed")
        saved = self.save() if self._np_random is not None else None
        about = {name: getattr(self, name) for name in kept}
        return {"arguments": self.arguments, "saved": saved, "about": about}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(vars(type(self)(**state["arguments"])))
        if state["saved"] is not None:
            self.restore(state["saved"])
        self.__dict__.update(state["about"])


register()
