# SPDX-License-Identifier: MIT
"""The simplest learner, to compare with: no search, all games in tensors on one device.

Thousands of games advance together. The target of a state is its one-ply back-up: the value of the
child that is best for the mover, by the rules where the game ends there, else by the moving average
of the network. Moves are epsilon-greedy, each game with an epsilon of its own. The rules are
compiled for the device (`tensor_rules`), so on a GPU nothing leaves it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from unbounded.game import require
from unbounded.learning.networks.choosing import shape_in
from unbounded.learning.tensor_rules import Children, TensorRules
from unbounded.learning.torch_training import TorchTrainer
from unbounded.learning.training import TrainingSettings

LARGEST_BATCH = 1 << 16
"""The most states that the network evaluates at once."""
SHUFFLED = 64
"""Random moves in every game before the first step, so that games are at different plies."""


@dataclass(frozen=True)
class OnePlySettings:
    """How the simplest learner learns."""

    games: int = 16384
    """Games in progress, and states trained on in one step."""
    least_epsilon: float = 0.02
    most_epsilon: float = 0.5
    """The shares of random moves, spread evenly over the games."""
    refresh_every: int = 4
    """Steps between two updates of the network that gives targets."""
    averaging: float = 0.96
    """The decay per step of the moving average that this network is: 0.85 in four steps."""
    seed: int = 0


class OnePlyLearner:
    """Games in progress, and the network that learns from them."""

    def __init__(
        self,
        rules: TensorRules,
        network: nn.Module,
        settings: OnePlySettings | None = None,
    ) -> None:
        self.settings = settings or OnePlySettings()
        require(self.settings.games >= 1, "games must be at least 1")
        self.rules, self.shape, self.device = rules, shape_in(network), rules.device
        training = TrainingSettings(averaging=self.settings.averaging)
        self.trainer = TorchTrainer(network, str(self.device), training, self.settings.seed)
        self._inference = self.trainer.inference(LARGEST_BATCH)
        self._random = torch.Generator(self.device).manual_seed(self.settings.seed)
        count = self.settings.games
        self._initial = rules.initial(1)
        self._first_mover = rules.game.player(rules.game.initial())
        self._states = rules.initial(count)
        self._movers = torch.full((count,), self._first_mover, device=self.device)
        self._epsilons = torch.linspace(
            self.settings.least_epsilon, self.settings.most_epsilon, count, device=self.device
        )
        self._weights = torch.ones(count, device=self.device)
        self.evaluated = 0
        """States that the network has evaluated for targets."""
        self._shuffle()

    def step(self, progress: float) -> Tensor:
        """Make one move in every game and learn from all of them; returns the loss.

        progress: how much of the run is over, from 0 to 1.
        """
        children = self.rules.expand(self._states)
        values = self.values_of(children)
        best = self.best(children, values, self._movers)
        targets = seen_by(values[best], self._movers, self.shape.outputs)
        planes = self.rules.encode(self.rules.random_images(self._states, self._random))
        self.trainer.set_progress(progress)
        loss = self.trainer.step(planes, self._movers, targets, self._weights)
        if self.trainer.steps % self.settings.refresh_every == 0:
            self._inference.refresh()
        explore = self._uniform(len(best)) < self._epsilons
        self._play(children, torch.where(explore, self._any(children), best))
        return loss

    def _shuffle(self) -> None:
        stopping = torch.randint(
            SHUFFLED, (len(self._states),), generator=self._random, device=self.device
        )
        for move in range(SHUFFLED):
            states, movers = self._states, self._movers
            children = self.rules.expand(states)
            self._play(children, self._any(children))
            moved = stopping > move
            self._states = torch.where(moved[:, None], self._states, states)
            self._movers = torch.where(moved, self._movers, movers)

    def values_of(self, children: Children) -> Tensor:
        """The value of every child for every player, in units of the outputs."""
        values = children.scores / self.shape.scale
        is_open = (~children.over).nonzero()[:, 0]
        for part in _parts(is_open):
            movers = children.movers[part]
            planes = self.rules.encode(children.states[part]).flatten(1)
            outputs = self._inference(planes, movers.to(torch.uint8))
            values[part] = for_all(outputs, movers, self.shape.players)
        self.evaluated += len(is_open)
        return values

    def best(self, children: Children, values: Tensor, movers: Tensor) -> Tensor:
        """The row of the child that is best for the mover of each state; of equal ones, any."""
        parents = children.parents
        own = values.gather(1, movers[parents][:, None])[:, 0]
        count = len(movers)
        most = torch.full((count,), -torch.inf, device=self.device)
        most = most.scatter_reduce(0, parents, own, "amax")
        tickets = self._uniform(len(own)).masked_fill(own < most[parents], -1.0)
        drawn = torch.full((count,), -1.0, device=self.device)
        drawn = drawn.scatter_reduce(0, parents, tickets, "amax")
        rows = torch.arange(len(own), device=self.device)
        losers = tickets < drawn[parents]
        best = torch.full((count,), len(own), device=self.device)
        return best.scatter_reduce(0, parents, rows.masked_fill(losers, len(own)), "amin")

    def _any(self, children: Children) -> Tensor:
        """The row of a child of each state, chosen at random."""
        drawn = (self._uniform(len(children.counts)) * children.counts).long()
        return children.offsets + torch.minimum(drawn, children.counts.long() - 1)

    def _play(self, children: Children, rows: Tensor) -> None:
        """Make the moves to these children; a game that is over starts again."""
        movers = children.movers[rows]
        over = children.over[rows]
        self._states = torch.where(over[:, None], self._initial, children.states[rows])
        self._movers = torch.where(over, self._first_mover, movers)

    def _uniform(self, count: int) -> Tensor:
        return torch.rand(count, generator=self._random, device=self.device)


def _parts(rows: Tensor) -> Iterator[Tensor]:
    for first in range(0, len(rows), LARGEST_BATCH):
        yield rows[first : first + LARGEST_BATCH]


def for_all(outputs: Tensor, movers: Tensor, players: int) -> Tensor:
    """The values of states for players 0, 1, ... from outputs, which begin with the mover."""
    if outputs.shape[1] == 1:
        outputs = torch.cat([outputs, -outputs], 1)
    places = (movers[:, None] + torch.arange(players, device=outputs.device)) % players
    return torch.empty_like(outputs).scatter_(1, places, outputs)


def seen_by(values: Tensor, movers: Tensor, outputs: int) -> Tensor:
    """The outputs that a network should give: the reverse of `for_all`."""
    players = values.shape[1]
    places = (movers[:, None] + torch.arange(outputs, device=values.device)) % players
    return values.gather(1, places)
