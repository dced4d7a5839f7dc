# SPDX-License-Identifier: MIT
"""How fast n-tuple networks are trained: by the core, and by PyTorch, on the same states.

    PYTHONPATH=src python benchmarks/ntuple_training.py [--game GAME] [--network NETWORK]

Batches of 2,048 states of random games; microseconds per state.
"""

from __future__ import annotations

import argparse
import os
import time
from random import Random

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
import torch

import unbounded as ub
from unbounded.learning.networks.choosing import make_network, shape_of
from unbounded.learning.networks.ntuple import NTupleNetwork
from unbounded.learning.networks.shape import NetworkShape
from unbounded.learning.ntuple_training import NTupleTrainer
from unbounded.learning.self_play import Table
from unbounded.learning.torch_training import TorchTrainer
from unbounded.learning.training import Trainer

BATCH, BATCHES, STEPS = 2048, 8, 100
Batch = tuple[torch.Tensor, ...]


def random_states(table: Table, count: int) -> bytes:
    """Open states of random games, one after the other."""
    random, found, game = Random(0), [], table.game
    while len(found) < count:
        state = game.initial()
        while actions := list(game.actions(state)):
            found.append(state)
            state = game.next(state, random.choice(actions))
    return b"".join(found[:count])


def batches_of(table: Table, shape: NetworkShape) -> list[Batch]:
    """Batches with random targets."""
    count = BATCH * BATCHES
    states = np.frombuffer(random_states(table, count), np.uint8)
    planes = np.empty((count, shape.inputs), np.float32)
    movers = np.empty(count, np.uint8)
    table.inputs.write(states, None, planes, movers)
    order = np.random.default_rng(0).permutation(count)
    arrays = (planes.astype(np.uint8)[order], movers[order])
    targets, weights = 2 * torch.rand(count, shape.outputs) - 1, torch.ones(count)
    whole = (*map(torch.from_numpy, arrays), targets, weights)
    return list(zip(*(x.split(BATCH) for x in whole), strict=True))


def microseconds(trainer: Trainer, batches: list[Batch]) -> float:
    """Per state, after some steps that are not counted."""
    for i in range(STEPS // 10):
        trainer.step(*batches[i % BATCHES])
    started = time.perf_counter()
    for i in range(STEPS):
        trainer.step(*batches[i % BATCHES])
    return (time.perf_counter() - started) / (STEPS * BATCH) * 1e6


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--game", default="connect-four")
    parser.add_argument("--network", default="ntuple")
    given = parser.parse_args()
    torch.set_num_threads(1)
    table = Table(ub.load_game(given.game))
    shape = shape_of(table.game)
    batches = batches_of(table, shape)

    def network() -> NTupleNetwork:
        made = make_network(given.network, shape, 0)
        assert isinstance(made, NTupleNetwork)
        return made

    by_torch = microseconds(TorchTrainer(network()), batches)
    print(f"PyTorch, one thread: {by_torch:.2f} µs")
    for threads in (1, 2):
        by_core = microseconds(NTupleTrainer(network(), threads=threads), batches)
        print(f"core, threads={threads}: {by_core:.2f} µs, {by_torch / by_core:.1f} times as fast")


if __name__ == "__main__":
    main()
