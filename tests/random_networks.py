# SPDX-License-Identifier: MIT
"""Networks with random weights, and random states, for tests."""

from __future__ import annotations

import itertools
from random import Random
from typing import Any

import numpy as np

from unbounded.evaluation.network_file import NetworkFile, outputs_for
from unbounded.game import Game


def random_ntuple(
    game: Game[Any, Any],
    *,
    tuples: int = 5,
    length: int = 3,
    features: int = 0,
    seed: int = 0,
    **more: Any,
) -> NetworkFile:
    """An n-tuple network for a game."""
    assert game.planes is not None
    random, outputs = np.random.default_rng(seed), outputs_for(game)
    board, symbols = game.planes[1] * game.planes[2], game.planes[0] + 1
    cells = [random.choice(board, length, replace=False) for _ in range(tuples)]
    width = outputs + features
    shape = (game.players, tuples, symbols**length, width)
    tensors = {
        "cells": np.array(cells, np.int32),
        "tables": random.normal(0, 0.3, shape).astype(np.float32),
        "bias": random.normal(0, 0.3, (game.players, width)).astype(np.float32),
    }
    if features:
        head = {
            "hidden.weight": (width, features),
            "hidden.bias": (width,),
            "output.weight": (outputs, width),
        }
        for name, size in head.items():
            tensors[name] = random.normal(0, 0.5, size).astype(np.float32)
    settings = {"tuples": tuples, "length": length, "symbols": symbols, "features": features}
    return _network(game, "ntuple", tensors, settings, more)


def random_dense(
    game: Game[Any, Any], *, hidden: tuple[int, ...] = (16, 16), seed: int = 0, **more: Any
) -> NetworkFile:
    """A dense network for a game."""
    assert game.planes is not None
    random = np.random.default_rng(seed)
    wide = [int(np.prod(game.planes)) + game.players, *hidden, outputs_for(game)]
    tensors = {}
    for i, (inputs, outputs) in enumerate(itertools.pairwise(wide)):
        weights = random.normal(0, inputs**-0.5, (outputs, inputs))
        tensors[f"layers.{i}.weight"] = weights.astype(np.float32)
        tensors[f"layers.{i}.bias"] = random.normal(0, 0.3, outputs).astype(np.float32)
    return _network(game, "dense", tensors, {"hidden": list(hidden)}, more)


def _network(
    game: Game[Any, Any],
    kind: str,
    tensors: dict[str, np.ndarray[Any, Any]],
    settings: dict[str, Any],
    more: dict[str, Any],
) -> NetworkFile:
    assert game.planes is not None
    about = {"game": str(game), "players": game.players, "planes": game.planes}
    about |= {"outputs": outputs_for(game), "kind": kind, "tensors": tensors, "settings": settings}
    return NetworkFile(**{**about, "score": "outcome", "trained": {"generation": 3}, **more})


def random_states(game: Game[Any, Any], count: int, seed: int = 0) -> list[Any]:
    """Open states of random games."""
    random, states = Random(seed), []
    while len(states) < count:
        state = game.initial()
        while actions := list(game.actions(state)):
            states.append(state)
            state = game.next(state, random.choice(actions))
    return random.sample(states, count)
