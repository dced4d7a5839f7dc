# SPDX-License-Identifier: MIT
"""Self-play: thousands of games in the core, and the networks that evaluate their states.

The games are divided into groups. While the states of one group are being evaluated, the core goes
on with the next, in a thread of its own; so neither waits for the other for long.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import torch
from torch import nn

from unbounded import native
from unbounded.evaluation.networks import network_inputs
from unbounded.game import Game, RecordGame, require
from unbounded.learning.inference import Inference, Pending
from unbounded.learning.networks.choosing import kind_of, shape_in
from unbounded.learning.networks.shape import NetworkShape
from unbounded.learning.replay import Lessons
from unbounded.learning.scoring import Scores
from unbounded.learning.settings import LearnSettings
from unbounded.learning.training import LossNotFinite
from unbounded.native.failures import explain

CURRENT, PAST = 0, 1
"""The network in training, and one of an earlier generation."""
GROUPS = 2


# -- what a game is played with -------------------------------------------------------------------


def check_compiled(game: Game[Any, Any]) -> None:
    """Refuse a game that the core cannot play by itself."""
    require(
        isinstance(game, RecordGame) and native.is_compiled(game),
        f"{game} cannot be learned: self-play needs rules that compile. Write the game as a "
        "RecordGame (docs/adding_a_game.md), and install numba",
    )


class Table:
    """A game as the core sees it: compiled rules, and what networks are given."""

    def __init__(self, game: Game[Any, Any]) -> None:
        check_compiled(game)
        assert isinstance(game, RecordGame)
        self.game = game
        self.route = native.route_of(game)
        assert isinstance(self.route, native.RecordRoute)
        self.rules = self.route.rules
        self.max_actions = game.max_actions
        self.inputs = network_inputs(game, self.route)

    @contextmanager
    def explained(self) -> Iterator[None]:
        """Turn a rule that fails in the core into a `RuleError` that names rule and state."""
        with explain(self.game, self.route):
            try:
                yield
            except native.RuleFailure as failure:
                if failure.args[0] != "evaluate":
                    raise
                # Self-play calls no `evaluate` of the game: these were the values of a network.
                raise LossNotFinite(f"the network is not finite: {failure.args[1]}") from None


def core_settings(
    game: Game[Any, Any], settings: LearnSettings, scores: Scores
) -> native.SelfPlaySettings:
    """The settings of a run that the core acts on."""
    out = native.SelfPlaySettings()
    options = native.Options()
    options.algorithm, options.completion = settings.algorithm, settings.completion
    assert settings.values is not None
    assert settings.opening is not None
    options.values = getattr(native.ValueRule, settings.values)
    exploration = native.Exploration()
    exploration.law = getattr(native.Law, settings.exploration.replace("-", "_"))
    exploration.epsilon = -1.0 if settings.epsilon is None else settings.epsilon
    exploration.temperature = settings.temperature * scores.scale
    out.options, out.exploration, out.scoring = options, exploration, scores.for_core(game)
    out.targets = getattr(native.Targets, settings.targets)
    out.states, out.opening, out.past = settings.move_states, settings.opening, 0.0
    out.per_ply = settings.per_ply or (1 << 31) - 1
    out.longest = 20 * scores.longest
    return out


# -- networks for self-play -----------------------------------------------------------------------


class Source(Protocol):
    """What has the weights to play with, such as a `Trainer`."""

    averaged: nn.Module
    device: torch.device


class NativeNetworks:
    """N-tuple and dense networks, evaluated in the core."""

    def __init__(self, source: Source, inputs: native.NetworkInputs) -> None:
        self._source = source
        self.native = (
            _native_network(source.averaged, inputs),
            _native_network(source.averaged, inputs),
        )
        self._refresh = False
        self._past: nn.Module | None = None

    def refresh(self) -> None:
        """Use the weights of the training from the next turn on."""
        self._refresh = True

    def set_past(self, module: nn.Module) -> None:
        """Choose the past network, from the next turn on."""
        self._past = module

    def take_over(self) -> None:
        """Give the core the weights that were asked for; it must be at rest."""
        if self._refresh:
            self.native[CURRENT].set_weights(*_native_weights(self._source.averaged))
        if self._past is not None:
            self.native[PAST].set_weights(*_native_weights(self._past))
        self._refresh, self._past = False, None


class BatchedNetworks:
    """Networks that PyTorch evaluates, in batches."""

    native = (None, None)

    def __init__(self, source: Source, batch_size: int) -> None:
        self._device, self._batch_size = str(source.device), batch_size
        self.shape = shape_in(source.averaged)
        self.pinned = source.device.type == "cuda"
        self._inference = [Inference(source.averaged, self._device, batch_size)]

    def refresh(self) -> None:
        """Take over the weights of the training."""
        self._inference[CURRENT].refresh()

    def set_past(self, module: nn.Module) -> None:
        """Choose the past network."""
        if len(self._inference) == 1:
            self._inference.append(Inference(module, self._device, self._batch_size))
        self._inference[PAST].refresh(module)

    def evaluate(
        self, network: int, planes: torch.Tensor, movers: torch.Tensor, out: torch.Tensor
    ) -> Pending:
        """Evaluate a batch into `out`, which is there after `wait`."""
        return self._inference[network].into(planes, movers, out)


Networks = NativeNetworks | BatchedNetworks


def networks_of(source: Source, inputs: native.NetworkInputs, batch_size: int) -> Networks:
    """The networks of a run: in the core where it has that kind, and the source is on the CPU."""
    if kind_of(source.averaged) in ("ntuple", "dense") and source.device.type == "cpu":
        return NativeNetworks(source, inputs)
    return BatchedNetworks(source, batch_size)


def _native_weights(module: nn.Module) -> tuple[Any, ...]:
    """The arguments of `set_weights`, by kind."""
    if kind_of(module) == "dense":
        layers: Any = module.layers
        return [_array(x.weight) for x in layers], [_array(x.bias) for x in layers]
    known: Any = module
    return ([_array(x) for x in known.parameters_in_order()],)


def _native_network(module: nn.Module, inputs: native.NetworkInputs) -> Any:
    shape, weights = shape_in(module), _native_weights(module)
    if kind_of(module) == "dense":
        return native.DenseNetwork(inputs, weights[0], weights[1], shape.outputs, shape.scale)
    known: Any = module
    cells, symbols = known.cells.cpu().numpy(), known.symbols
    return native.NTupleNetwork(inputs, cells, weights[0], symbols, shape.outputs, shape.scale)


def _array(tensor: torch.Tensor) -> np.ndarray[Any, Any]:
    return tensor.detach().cpu().float().contiguous().numpy()


# -- the games ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Conduct:
    """What changes in the course of a run about how games are played."""

    past: float = 0.0
    """The share of new games that are played against the past network."""
    epsilon: float | None = None
    """Of the exploration; None: as in the settings."""

    def tell(self, core: native.SelfPlay) -> None:
        """Let the core play so from now on; it must be at rest."""
        core.settings.past = self.past
        if self.epsilon is not None:
            core.settings.exploration.epsilon = self.epsilon


class SelfPlay(Protocol):
    """Games in progress, wherever they are played."""

    conduct: Conduct

    def next(self) -> Lessons:
        """Go on for a little; return what the games that are over teach."""

    def counts(self) -> dict[str, int]:
        """What was done so far: evaluated, expanded, games, moves."""

    def close(self) -> None:
        """End everything that is under way."""


class NativeSelfPlay:
    """Games whose states the core evaluates by itself, while training goes on beside them."""

    def __init__(self, core: native.SelfPlay, networks: NativeNetworks, table: Table) -> None:
        self.core, self._networks, self._table = core, networks, table
        self.conduct = Conduct()
        self._counts = core.counts(0)
        networks.take_over()
        self._thread = ThreadPoolExecutor(1, "self-play")
        self._under_way = self._thread.submit(self._advance)

    def next(self) -> Lessons:
        """Let every game make a move; return what the finished ones of the last turn teach."""
        with self._table.explained():
            lessons = self._under_way.result()
        # The core is at rest: only now may the weights change that it uses.
        self._counts = self.core.counts(0)
        self._networks.take_over()
        self.conduct.tell(self.core)
        self._under_way = self._thread.submit(self._advance)
        return lessons

    def _advance(self) -> Lessons:
        self.core.advance(0)
        return self.core.take_lessons(0)

    def counts(self) -> dict[str, int]:
        """What all games had done when they were last at rest: this is reproducible."""
        return self._counts

    def close(self) -> None:
        """End the thread."""
        self._thread.shutdown(wait=True, cancel_futures=True)


class BatchedSelfPlay:
    """Games in groups, whose states are evaluated in batches."""

    def __init__(
        self, core: native.SelfPlay, groups: int, networks: BatchedNetworks, table: Table
    ) -> None:
        self.core, self._table = core, table
        self.conduct = Conduct()
        self._networks = networks
        shape = networks.shape
        self._batches = [_Batch(shape, networks.pinned) for _ in range(groups)]
        self._scale = shape.scale
        self._counts = [core.counts(group) for group in range(groups)]
        # One thread: the core's own threads do the work, for one group at a time.
        self._thread = ThreadPoolExecutor(1, "self-play")
        self._under_way: list[Future[Lessons]] = [
            self._thread.submit(self._advance, group, self.conduct) for group in range(groups)
        ]
        self._turn = 0

    def next(self) -> Lessons:
        """Evaluate what the next group waits for; meanwhile the core goes on with another."""
        group = self._turn
        self._turn = (group + 1) % len(self._batches)
        with self._table.explained():
            lessons = self._under_way[group].result()
        self._counts[group] = self.core.counts(group)
        self._batches[group].evaluate(self._networks)
        following = self._turn
        if self._batches[following].sent:  # not at first, when the core has yet to reach it
            self._batches[following].wait()
            self._under_way[following] = self._thread.submit(self._advance, following, self.conduct)
        return lessons

    def _advance(self, group: int, conduct: Conduct) -> Lessons:
        conduct.tell(self.core)
        batch = self._batches[group]
        current, earlier = batch.values()
        batch.counts = self.core.advance(group, current, earlier, scale=self._scale)
        for network, count in enumerate(batch.counts):
            if count:
                self.core.encode(group, network, *batch.room_for(network, count))
        return self.core.take_lessons(group)

    def counts(self) -> dict[str, int]:
        """What all games had done when their group was last at rest: this is reproducible."""
        return {name: sum(group[name] for group in self._counts) for name in self._counts[0]}

    def close(self) -> None:
        """End the thread."""
        self._thread.shutdown(wait=True, cancel_futures=True)


class _Batch:
    """The memory in which the states of a group go out and their values come back."""

    def __init__(self, shape: NetworkShape, pinned: bool) -> None:
        self.counts = [0, 0]
        self.sent = False
        self._pending: list[Pending] = []
        self._shape, self._pinned = shape, pinned
        self._room = [0, 0]
        self._arrays: list[tuple[torch.Tensor, ...]] = [(), ()]

    def room_for(self, network: int, count: int) -> tuple[Any, Any]:
        """Arrays for the planes and movers of so many states."""
        if count > self._room[network]:
            self._room[network] = room = count + count // 4
            sizes = [(room, self._shape.inputs), (room,), (room, self._shape.outputs)]
            kinds = [torch.float32, torch.uint8, torch.float32]
            self._arrays[network] = tuple(
                torch.empty(size, dtype=kind, pin_memory=self._pinned)
                for size, kind in zip(sizes, kinds, strict=True)
            )
        planes, movers, _ = self._arrays[network]
        return planes[:count].numpy(), movers[:count].numpy()

    def evaluate(self, networks: BatchedNetworks) -> None:
        """Send the states to their networks."""
        self.sent = True
        for network, count in enumerate(self.counts):
            if count:
                planes, movers, values = (array[:count] for array in self._arrays[network])
                self._pending.append(networks.evaluate(network, planes, movers, values))

    def wait(self) -> None:
        """Return when the values are there."""
        for pending in self._pending:
            pending.wait()
        self.sent, self._pending = False, []

    def values(self) -> list[Any]:
        """The values by network, None where no state waits."""
        return [
            self._arrays[network][2][:count].numpy() if count else None
            for network, count in enumerate(self.counts)
        ]


def self_play_of(
    table: Table, settings: LearnSettings, scores: Scores, networks: Networks, seed: int
) -> NativeSelfPlay | BatchedSelfPlay:
    """The games of a run; `settings` are complete."""
    assert settings.games is not None
    assert settings.threads is not None
    batched = isinstance(networks, BatchedNetworks)
    groups = min(GROUPS, settings.games) if batched else 1
    with table.explained():
        core = native.SelfPlay(
            table.rules,
            table.inputs,
            core_settings(table.game, settings, scores),
            settings.games,
            groups,
            settings.threads,
            seed,
            *networks.native,
        )
    if isinstance(networks, BatchedNetworks):
        return BatchedSelfPlay(core, groups, networks, table)
    return NativeSelfPlay(core, networks, table)
