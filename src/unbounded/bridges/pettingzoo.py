# SPDX-License-Identifier: MIT
"""Games as environments of PettingZoo, one agent per player: see `docs/pettingzoo.md`."""

from __future__ import annotations

from typing import Any

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
from unbounded.game import require
from unbounded.game.rule_errors import blaming

try:
    from gymnasium import spaces
    from gymnasium.utils import EzPickle
    from pettingzoo import AECEnv
    from pettingzoo.utils import wrappers
except ImportError as error:
    message = "this needs PettingZoo: pip install 'unbounded[pettingzoo]'"
    raise ImportError(message) from error

from unbounded.bridges.observations import observations_of
from unbounded.bridges.pictures import MODES, rendered

MASKS = ("observation", "info")
SELECTION = ("agents", "agent_selection", "_skip_agent_selection")
PER_AGENT = ("rewards", "_cumulative_rewards", "terminations", "truncations")
"""Attributes that every environment of PettingZoo has."""


def env(game: str | AnyGame, *, illegal_reward: float = -1.0, **options: Any) -> AECEnv:
    """Return a game as an environment, wrapped as the classic games of PettingZoo are.

    An illegal action ends the game, with `illegal_reward` for the agent and 0 for the others; an
    action outside of the action space is an error. options: those of `raw_env`.
    """
    wrapped = TerminateIllegal(raw_env(game, **options), illegal_reward=illegal_reward)
    return OrderEnforcing(wrappers.AssertOutOfBoundsWrapper(wrapped))


def raw_env(game: str | AnyGame, **options: Any) -> GameEnv:
    """Return a game as an environment without wrappers: see `GameEnv`."""
    return GameEnv(game, **options)


class GameEnv(AECEnv, EzPickle):
    """A game in which `player_0`, `player_1`, ... act when it is their turn.

    An agent whose turn comes twice is selected twice, and one who cannot move any more is not
    selected until the game is over. Then each agent gets its reward.

    game: a game or its string form; its parameters may also be given by name.
    render_mode: "ansi" for text, "rgb_array" for a picture.
    rewards: "outcome" (-1, 0 or 1) or "score".
    most_moves: after so many moves of all agents together, the game is truncated.
    mask_in: where an agent finds its legal actions: `observation["action_mask"]` or
        `info["action_mask"]`; in the second case an observation is an array.
    bounds: the least and the largest number that `encode` of the game gives.
    """

    def __init__(
        self,
        game: Source,
        *,
        render_mode: str | None = None,
        rewards: str = "outcome",
        most_moves: int | None = None,
        mask_in: str = "observation",
        bounds: tuple[float, float] = (0.0, 1.0),
        **parameters: Any,
    ) -> None:
        self.game, source = game_and_source(game, parameters)
        given = {"render_mode": render_mode, "rewards": rewards, "most_moves": most_moves}
        EzPickle.__init__(self, source, **given, mask_in=mask_in, bounds=bounds)
        super().__init__()
        check_choice("render_mode", render_mode, (None, *MODES))
        check_choice("rewards", rewards, REWARDS)
        check_choice("mask_in", mask_in, MASKS)
        self.render_mode, self._kind, self._mask_in = render_mode, rewards, mask_in
        self.metadata = _metadata(self.game)
        self._episode = Episode(self.game, most_moves)
        self._observations = observations_of(self.game, bounds)
        self._was_reset = False
        self._skip_agent_selection: str | None = None
        self.agents: list[str] = []
        self.possible_agents = agents = [f"player_{i}" for i in range(self.game.players)]
        count = self._episode.action_count
        self.action_spaces = {agent: spaces.Discrete(count) for agent in agents}
        self.observation_spaces = {agent: self._observation_space(count) for agent in agents}

    def _observation_space(self, count: int) -> spaces.Space:
        board = self._observations.space
        board = spaces.Box(board.low, board.high, dtype=board.dtype)
        if self._mask_in == "info":
            return board
        mask = spaces.Box(0, 1, (count,), dtype="int8")
        return spaces.Dict({"observation": board, "action_mask": mask})

    def observation_space(self, agent: str) -> spaces.Space:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space:
        return self.action_spaces[agent]

    @blaming()
    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start a new game; with `options={"moves": "4 4"}`, after these moves.

        A seed changes nothing: there is no chance in these games.
        """
        self._episode.start((options or {}).get("moves", ()))
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self._skip_agent_selection = None
        self._was_reset = True
        self._select()

    @blaming()
    def step(self, action: Any) -> None:
        """Play the action of the selected agent; None for one whose game is over."""
        require(self._was_reset, "no game is being played: call reset() to start one")
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self._episode.play(as_action(action))
        self._cumulative_rewards[agent] = 0.0
        self.rewards = dict(zip(self.agents, self._episode.rewards(self._kind), strict=True))
        self.terminations = dict.fromkeys(self.agents, self._episode.is_over)
        self.truncations = dict.fromkeys(self.agents, self._episode.is_cut)
        self._select()
        self._accumulate_rewards()

    def _select(self) -> None:
        """Select who moves, or the first agent when nobody does; and say what is legal."""
        mover = self._episode.mover
        self.agent_selection = self.agents[0 if mover is None or self._episode.is_cut else mover]
        self._update_infos()

    def _update_infos(self) -> None:
        in_info = self._mask_in == "info"
        self.infos = {x: {"action_mask": self._mask(x)} if in_info else {} for x in self.agents}

    def _mask(self, agent: str) -> Array:
        return self._episode.mask(legal=self._seat(agent) == self._episode.mover)

    def _seat(self, agent: str) -> int:
        require(agent in self.possible_agents, f"there is no agent {agent!r}")
        return self.possible_agents.index(agent)

    @blaming()
    def observe(self, agent: str) -> Any:
        """Return what an agent sees: also one who is not to move, whose actions are all illegal."""
        board = self._observations.of(self._episode, self._seat(agent))
        if self._mask_in == "info":
            return board
        return {"observation": board, "action_mask": self._mask(agent)}

    @blaming()
    def state(self) -> Array:
        """Return the position as the agent to move observes it; all agents know all of it."""
        return self._observations.of(self._episode, self._episode.mover or 0)

    @blaming()
    def render(self) -> Any:
        """Return the position as text or as pixels, as `render_mode` says."""
        return rendered(self._episode, self.render_mode)

    def close(self) -> None:
        """Do nothing: there is no window or file to close."""

    # -- copies -----------------------------------------------------------------------------------

    def save(self) -> bytes:
        """Return all that is needed to continue this game from here: see `restore`."""
        require(self._was_reset, "there is nothing to save before reset()")
        kept = {name: getattr(self, name) for name in (*SELECTION, *PER_AGENT)}
        return self._episode.saved(**kept)

    @blaming()
    def restore(self, saved: bytes) -> None:
        """Continue where `save` was called, in this or in another environment of the same game."""
        actions, *kept = self._episode.read_saved(saved, *SELECTION, *PER_AGENT)
        agents, selected, skipped, *per_agent = kept
        good = all(isinstance(x, dict) and list(x) == agents for x in per_agent)
        good = good and all(
            isinstance(x, (int, float)) for each in per_agent for x in each.values()
        )
        named = [*agents, selected, *([] if skipped is None else [skipped])] if good else [None]
        good = good and all(name in self.possible_agents for name in named)
        require(good, "restore() takes what save() has returned")
        self._episode.go_to(actions)
        self.__dict__.update(zip((*SELECTION, *PER_AGENT), kept, strict=True))
        self._was_reset = True
        self._update_infos()

    def __getstate__(self) -> dict[str, Any]:
        """Return the arguments, as other environments do, and the game so far.

        The spaces are part of it: they have generators of random numbers.
        """
        kept = ("action_spaces", "observation_spaces")
        saved = self.save() if self._was_reset else None
        return {**super().__getstate__(), **{x: vars(self)[x] for x in kept}, "saved": saved}

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        self.action_spaces = state["action_spaces"]
        self.observation_spaces = state["observation_spaces"]
        if state["saved"] is not None:
            self.restore(state["saved"])


def _metadata(game: AnyGame) -> dict[str, Any]:
    return {
        "name": f"unbounded_{game.game_name().replace('-', '_')}_v0",
        "render_modes": list(MODES),
        "render_fps": 2,
        "is_parallelizable": False,
    }


class TerminateIllegal(wrappers.TerminateIllegalWrapper):
    """PettingZoo's wrapper, which must forget what was legal when another position is restored."""

    def restore(self, saved: bytes) -> None:
        """Continue where `save` was called."""
        self.env.restore(saved)
        self._prev_obs = self._prev_info = None


class OrderEnforcing(wrappers.OrderEnforcingWrapper):
    """PettingZoo's wrapper; `restore` starts a game as `reset` does."""

    def restore(self, saved: bytes) -> None:
        """Continue where `save` was called."""
        self.env.restore(saved)
        self._has_reset = self._has_updated = True

    def __str__(self) -> str:
        return str(self.env)
