# SPDX-License-Identifier: MIT
"""An actor of self-play: games of its own, on whatever machine Ray puts it, for one learner.

A call plays until games are over and returns what they teach. At each of an actor's places at most
one game ends in a call: an actor that dies takes with it at most one game of each place.
"""

from __future__ import annotations

import hashlib
import os
import socket
import time
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from torch import nn

from unbounded.cluster.orders import Orders
from unbounded.learning.inference import inference_form, placed
from unbounded.learning.networks.choosing import make_network, shape_of
from unbounded.learning.replay import Lessons
from unbounded.learning.scoring import Scores
from unbounded.learning.self_play import Conduct, Table, networks_of, self_play_of
from unbounded.learning.settings import LearnSettings

LONGEST_CALL = 1.0
"""Seconds after which a call returns even if no game is over."""


@dataclass(frozen=True)
class SelfPlayOrders:
    """What an actor needs to know of a run."""

    game: Orders
    network: str
    """Its specification."""
    settings: LearnSettings
    """Complete."""
    scores: Scores


@dataclass(frozen=True)
class Weights:
    """The weights of a network in its form for inference; a new number whenever they change."""

    number: int
    arrays: dict[str, np.ndarray[Any, Any]]

    @classmethod
    def of(cls, number: int, module: nn.Module) -> Weights:
        """Copy the weights of a network."""
        tensors = inference_form(module).state_dict().items()
        return cls(number, {name: x.detach().cpu().numpy().copy() for name, x in tensors})

    def put_into(self, module: nn.Module) -> None:
        """Make them the weights of a network that is in its form for inference."""
        # Copies: arrays in Ray's memory are read-only.
        module.load_state_dict({name: torch.tensor(x) for name, x in self.arrays.items()})

    def digest(self) -> str:
        """A digest of the weights."""
        found = hashlib.sha256()
        for name, array in self.arrays.items():
            found.update(name.encode() + array.tobytes())
        return found.hexdigest()


@dataclass(frozen=True)
class Reply:
    """What a call has brought."""

    lessons: Lessons
    counts: dict[str, int]
    """What was done since the reply before."""
    weights: int
    """The number of the weights that are in use from now on."""
    process: int
    host: str


class SelfPlayActor:
    """Plays with the weights that it is given."""

    def __init__(self, orders: SelfPlayOrders, seed: int) -> None:
        """Remember what to do; what can fail is left to the first call, which can say why."""
        self._orders, self._seed = orders, seed
        self._player: _Player | None = None

    def play(self, current: Weights, past: Weights | None, conduct: Conduct) -> Reply:
        """Play until games are over."""
        if self._player is None:
            self._player = _Player(self._orders, self._seed, current)
        return self._player.play(current, past, conduct)

    def digest(self) -> str:
        """The digest of the weights that are played with."""
        assert self._player is not None
        return Weights.of(0, self._player.current.averaged).digest()


@dataclass
class _Current:
    """The network to play with, as self-play expects it."""

    averaged: nn.Module
    device: torch.device


class _Player:
    """The games, their rules and networks."""

    def __init__(self, orders: SelfPlayOrders, seed: int, first: Weights) -> None:
        """first: the weights that the games begin with."""
        game = orders.game.prepared()
        settings = orders.settings
        assert settings.threads is not None
        assert settings.games is not None
        torch.set_num_threads(settings.threads)
        table = Table(game)
        shape = shape_of(game, orders.scores.scale)
        # The seed of the run decides the form of a network too: the cells of its tuples.
        made = (make_network(orders.network, shape, settings.seed) for _ in range(2))
        device = torch.device("cuda" if _has_gpu() else "cpu")
        current, self._past = (placed(inference_form(module), device) for module in made)
        first.put_into(current)
        self.current = _Current(current, device)
        batch_size = settings.games * table.max_actions
        self._networks = networks_of(self.current, table.inputs, batch_size)
        self._numbers = (first.number, -1)
        self._play = self_play_of(table, settings, orders.scores, self._networks, seed)
        self._counted = self._play.counts()

    def play(self, current: Weights, past: Weights | None, conduct: Conduct) -> Reply:
        self._take(current, past)
        self._play.conduct = conduct if past is not None else replace(conduct, past=0.0)
        end = time.monotonic() + LONGEST_CALL
        lessons = self._play.next()
        while len(lessons["counts"]) == 0 and time.monotonic() < end:
            lessons = self._play.next()
        counts = self._play.counts()
        done = {name: count - self._counted[name] for name, count in counts.items()}
        self._counted = counts
        return Reply(lessons, done, current.number, os.getpid(), socket.gethostname())

    def _take(self, current: Weights, past: Weights | None) -> None:
        """Take over weights that are new."""
        numbers = (current.number, self._numbers[1] if past is None else past.number)
        if numbers[0] != self._numbers[0]:
            current.put_into(self.current.averaged)
            self._networks.refresh()
        if past is not None and numbers[1] != self._numbers[1]:
            past.put_into(self._past)
            self._networks.set_past(self._past)
        self._numbers = numbers


def _has_gpu() -> bool:
    """Whether Ray has given this actor a GPU that PyTorch can use."""
    import ray

    return bool(ray.get_gpu_ids()) and torch.cuda.is_available()
