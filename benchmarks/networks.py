# SPDX-License-Identifier: MIT
"""How fast networks are evaluated in the core, and what that leaves of a search's speed."""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Iterator
from random import Random
from typing import Any

import numpy as np
from measurements import Measurement, alone, seconds_of

import unbounded as ub
from unbounded import native
from unbounded.evaluation import NetworkEvaluation
from unbounded.evaluation.network_file import NetworkFile
from unbounded.evaluation.networks import native_network, network_inputs

GAME = "connect-four"
PLANES = (3, 6, 7)
STATES = 20_000
REPEATS = 10
SEARCHED = 3_000_000
"""States that a search stores while it is timed."""


def ntuple(tuples: int, length: int, features: int) -> NetworkFile:
    """An n-tuple network with random weights; each tuple is a walk over neighboring cells."""
    random, steps = Random(0), [-8, -7, -6, -1, 1, 6, 7, 8]
    cells = []
    while len(cells) < tuples:
        walk = [random.randrange(42)]
        while len(walk) < length:
            near = walk[-1] + random.choice(steps)
            if 0 <= near < 42 and near not in walk:
                walk.append(near)
            elif random.random() < 0.1:
                walk = walk[:1]
        cells.append(walk)
    width, generator = 1 + features, np.random.default_rng(0)
    shapes: dict[str, tuple[int, ...]] = {
        "tables": (2, tuples, (PLANES[0] + 1) ** length, width),
        "bias": (2, width),
    }
    if features:
        shapes |= {
            "hidden.weight": (width, features),
            "hidden.bias": (width,),
            "output.weight": (1, width),
        }
    tensors = {
        name: generator.normal(0, 0.05, shape).astype(np.float32) for name, shape in shapes.items()
    }
    tensors["cells"] = np.array(cells, np.int32)
    return NetworkFile(GAME, 2, PLANES, 1, "ntuple", tensors)


def dense(*hidden: int) -> NetworkFile:
    """A dense network with random weights."""
    random, wide, tensors = np.random.default_rng(0), [math.prod(PLANES) + 2, *hidden, 1], {}
    for i, (inputs, outputs) in enumerate(itertools.pairwise(wide)):
        weights = random.normal(0, (2 / inputs) ** 0.5, (outputs, inputs))
        tensors[f"layers.{i}.weight"] = weights.astype(np.float32)
        tensors[f"layers.{i}.bias"] = np.zeros(outputs, np.float32)
    return NetworkFile(GAME, 2, PLANES, 1, "dense", tensors)


NETWORKS = {
    "ntuple, 70 tuples of 6 cells, 7 features": lambda: ntuple(70, 6, 7),
    "ntuple, 70 tuples of 6 cells": lambda: ntuple(70, 6, 0),
    "dense, 64-64": lambda: dense(64, 64),
    "dense, 256-256": lambda: dense(256, 256),
}


def children(game: Any, count: int) -> bytes:
    """The children of states of random games, as a search evaluates them, one after the other."""
    random, found = Random(0), []
    while len(found) < count:
        state = game.initial()
        while actions := list(game.actions(state)):
            found += [game.next(state, action) for action in actions]
            state = game.next(state, random.choice(actions))
    return b"".join(found[:count])


def iterations_per_second(evaluation: Any) -> float:
    """Iterations of UBFM from the start of the game, per second of processor time."""
    best = 0.0
    for _ in range(3):
        search = ub.Search(GAME, evaluation=evaluation)
        started = time.process_time()
        found = search.run(states=SEARCHED, memory="2GB")
        best = max(best, found.iterations / (time.process_time() - started))
    return best


def measure() -> Iterator[Measurement]:
    """States evaluated per second on one core, planes included, then the search."""
    game: Any = ub.load_game(GAME)
    route = native.route_of(game)
    assert isinstance(route, native.RecordRoute)
    inputs, packed = network_inputs(game, route), children(game, STATES)
    states = np.frombuffer(packed, np.uint8)
    planes, movers = np.empty((STATES, math.prod(PLANES)), np.float32), np.empty(STATES, np.uint8)
    spent = seconds_of(lambda: inputs.write(states, None, planes, movers), REPEATS)
    yield alone("planes alone", "states", STATES / spent, "1/s")
    for name, make in NETWORKS.items():
        network = native_network(make(), inputs)
        spent = seconds_of(lambda network=network: network.evaluate(states), REPEATS)
        yield alone(name, "states", STATES / spent, "1/s")
    evaluations = {name: NetworkEvaluation(name, make()) for name, make in NETWORKS.items()}
    for name, evaluation in {"heuristic": "heuristic", "zero": "zero", **evaluations}.items():
        yield alone(name, "UBFM iterations", iterations_per_second(evaluation), "1/s")


if __name__ == "__main__":
    from measurements import describe

    for row in measure():
        print(describe(row), flush=True)
