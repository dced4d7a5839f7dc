# SPDX-License-Identifier: MIT
"""Networks in the core, against the same formulas in NumPy."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from random_networks import random_dense, random_ntuple, random_states

import unbounded as ub
from unbounded import native
from unbounded.evaluation import NetworkEvaluation
from unbounded.evaluation.network_file import NTUPLE_ARRAYS, NetworkFile, outputs_for
from unbounded.evaluation.networks import native_network, network_inputs
from unbounded.game import Game, RecordGame, RuleError
from unbounded.game.wrappers import Unfolded

Array = np.ndarray[Any, Any]

GAMES = [
    "connect-four",
    "connect-four(width=4,height=3,line=3,players=3)",
    "hex(size=5)",
]

MAKERS = {
    "ntuple": random_ntuple,
    "long tuples": lambda game: random_ntuple(game, tuples=11, length=5),
    "features": lambda game: random_ntuple(game, features=8 - outputs_for(game)),
    "more features": lambda game: random_ntuple(game, features=16 - outputs_for(game)),
    "odd features": lambda game: random_ntuple(game, features=3),
    "dense": random_dense,
    "linear": lambda game: random_dense(game, hidden=()),
    "wide": lambda game: random_dense(game, hidden=(100, 64, 7)),
}


def record_game(text: str) -> RecordGame:
    game = ub.load_game(text)
    assert isinstance(game, RecordGame)
    return game


def in_core(game: RecordGame, network: NetworkFile) -> native.Network:
    route = native.route_of(game)
    assert isinstance(route, native.RecordRoute)
    return native_network(network, network_inputs(game, route))


def packed(states: list[bytes]) -> Array:
    return np.frombuffer(b"".join(states), np.uint8)


def by_formula(game: RecordGame, network: NetworkFile, state: bytes) -> list[float]:
    """The value of one state for every player, in 64-bit numbers, as docs/networks.md has it."""
    planes, rows, columns = network.planes
    encoded = np.array(game.encode(state), np.float64)
    mover, weights = game.player(state), network.tensors
    if network.kind == "ntuple":
        board = encoded.reshape(planes, rows * columns)
        symbols = [1 + int(cell.argmax()) if cell.any() else 0 for cell in board.T]
        total = weights["bias"][mover].astype(np.float64)
        for t, cells in enumerate(weights["cells"]):
            index = sum(symbols[c] * (planes + 1) ** i for i, c in enumerate(cells))
            total = total + weights["tables"][mover, t, index]
        total, features = total[: network.outputs], total[network.outputs :]
        if len(features):
            hidden = weights["hidden.weight"].astype(np.float64) @ np.maximum(features, 0)
            hidden = np.maximum(hidden + weights["hidden.bias"], 0)
            total = total + weights["output.weight"] @ hidden
    else:
        total = np.concatenate([encoded, np.arange(game.players) == mover])
        layers = len(weights) // 2
        for i in range(layers):
            weight, bias = weights[f"layers.{i}.weight"], weights[f"layers.{i}.bias"]
            total = weight.astype(np.float64) @ total + bias
            total = total if i == layers - 1 else np.maximum(total, 0)
    outputs = list(np.tanh(total) * network.scale)
    seen = [outputs[0], -outputs[0]] if len(outputs) < game.players else outputs
    return [seen[(player - mover) % game.players] for player in range(game.players)]


@pytest.mark.parametrize("text", GAMES)
@pytest.mark.parametrize("made", MAKERS)
def test_formula(text: str, made: str) -> None:
    game = record_game(text)
    network = MAKERS[made](game)
    states = random_states(game, 50)
    values = in_core(game, network).evaluate(packed(states))
    assert values.dtype == np.float32 and values.shape == (50, game.players)
    expected = [by_formula(game, network, state) for state in states]
    np.testing.assert_allclose(values, expected, atol=2e-6)
    assert np.ptp(values) > 0.1, "the states have different values"


def test_scale() -> None:
    game = record_game("connect-four")
    states = packed(random_states(game, 20))
    small, large = (
        in_core(game, random_dense(game, scale=scale)).evaluate(states) for scale in (1.0, 16.0)
    )
    np.testing.assert_allclose(small * 16, large, rtol=1e-6)
    assert np.abs(large).max() > 1


@pytest.mark.parametrize("make", [random_ntuple, random_dense])
def test_batches_and_threads_change_nothing(make: Any) -> None:
    """A state is worth the same in whatever company it is evaluated, to the last bit."""
    game = record_game("connect-four")
    network = in_core(game, make(game))
    states = random_states(game, 500)
    together = network.evaluate(packed(states))
    alone = np.concatenate([network.evaluate(packed([state])) for state in states])
    np.testing.assert_array_equal(together, alone)
    np.testing.assert_array_equal(together, network.evaluate(packed(states), threads=3))
    with ThreadPoolExecutor(4) as pool:
        for values in pool.map(lambda _: network.evaluate(packed(states)), range(16)):
            np.testing.assert_array_equal(together, values)


def test_no_states() -> None:
    game = record_game("connect-four")
    assert in_core(game, random_dense(game)).evaluate(packed([]), threads=2).shape == (0, 2)


def test_several_networks_in_turn() -> None:
    """Networks of different sizes share scratch memory in a thread."""
    games = [record_game(text) for text in GAMES]
    for game in [*games, *reversed(games)]:
        states = random_states(game, 9)
        for network in (random_ntuple(game), random_dense(game, hidden=(130,))):
            values = in_core(game, network).evaluate(packed(states))
            expected = [by_formula(game, network, state) for state in states]
            np.testing.assert_allclose(values, expected, atol=2e-6)


class AsObject(Game[bytes, int]):
    """A record game whose rules are not compiled."""

    def __init__(self, inner: RecordGame) -> None:
        self.inner, self.players, self.zero_sum = inner, inner.players, inner.zero_sum
        self.planes, self.wrong = inner.planes, False

    def encode(self, state: bytes) -> Sequence[float]:
        return [0.0] * 5 if self.wrong else self.inner.encode(state)

    def __getattribute__(self, name: str) -> Any:
        if name in {"initial", "player", "actions", "next", "outcome"}:
            return getattr(self.inner, name)
        return super().__getattribute__(name)

    def __str__(self) -> str:
        return str(self.inner)


@pytest.mark.parametrize("make", [random_ntuple, random_dense])
@pytest.mark.parametrize("text", ["connect-four(width=5)", GAMES[1]])
def test_games_on_objects(text: str, make: Any) -> None:
    """The same values by NumPy, where states are Python objects."""
    game = record_game(text)
    network = NetworkEvaluation("some.safetensors", make(game, scale=2.0))
    fast, slow = ub.Search(game, evaluation=network), ub.Search(AsObject(game), evaluation=network)
    assert isinstance(slow.route, native.ObjectRoute)
    for search in (fast, slow):
        search.run(iterations=1)
    values = [[child.value for child in search.root.children] for search in (fast, slow)]
    np.testing.assert_allclose(*values, atol=1e-5)
    assert np.ptp(values[0]) > 0.1


def test_an_encoding_of_the_wrong_size_is_reported() -> None:
    game = AsObject(record_game("tic-tac-toe"))
    network = NetworkEvaluation("some.safetensors", random_dense(game))
    game.wrong = True
    with pytest.raises(RuleError, match=r"encode.* gave 5 numbers; `planes` says .* are 18"):
        ub.Search(game, evaluation=network)


def test_unfolded_games() -> None:
    """A search without transpositions uses the network of the game inside."""
    game = record_game("connect-four(width=5,height=4)")
    network = NetworkEvaluation("some.safetensors", random_ntuple(game))
    plain = ub.Search(game, evaluation=network)
    unfolded = ub.Search(Unfolded(game), evaluation=network)
    for search in (plain, unfolded):
        search.run(iterations=1)
    assert plain.root.value == unfolded.root.value


# -- weights --------------------------------------------------------------------------------------


def test_set_weights_of_an_ntuple_network() -> None:
    game = record_game("connect-four")
    first, second = (random_ntuple(game, seed=seed) for seed in (1, 1))
    other = random_ntuple(game, seed=2).tensors
    changed = in_core(game, first)
    states = packed(random_states(game, 30))
    before = changed.evaluate(states)
    assert isinstance(changed, native.NTupleNetwork)
    changed.set_weights([other["tables"], other["bias"]])
    fresh = replace(second, tensors={**other, "cells": second.tensors["cells"]})
    np.testing.assert_array_equal(changed.evaluate(states), in_core(game, fresh).evaluate(states))
    assert (before != changed.evaluate(states)).any()
    longer = random_ntuple(game, length=4).tensors
    with pytest.raises(ValueError, match="another shape"):
        changed.set_weights([longer["tables"], longer["bias"]])
    with pytest.raises(ValueError, match="another shape"):
        changed.set_weights([other["tables"], other["bias"].T.copy()])


def test_set_weights_of_an_ntuple_network_with_features() -> None:
    game = record_game("connect-four")
    first, second = (random_ntuple(game, seed=seed, features=7) for seed in (1, 2))
    cells = first.tensors["cells"]
    other = replace(second, tensors={**second.tensors, "cells": cells})
    changed = in_core(game, first)
    assert isinstance(changed, native.NTupleNetwork)
    arrays = [other.tensors[name] for name in NTUPLE_ARRAYS]
    changed.set_weights(arrays)
    states = packed(random_states(game, 30))
    np.testing.assert_array_equal(changed.evaluate(states), in_core(game, other).evaluate(states))
    with pytest.raises(ValueError, match="features"):
        changed.set_weights(arrays[:2])
    for i in (2, 3, 4):
        short = [*arrays[:i], np.zeros(1, np.float32), *arrays[i + 1 :]]
        with pytest.raises(ValueError, match="another shape"):
            changed.set_weights(short)


def test_set_weights_of_a_dense_network() -> None:
    game = record_game("connect-four")
    changed, other = in_core(game, random_dense(game, seed=1)), random_dense(game, seed=2)
    states = packed(random_states(game, 30))
    weights = [other.tensors[f"layers.{i}.weight"] for i in range(3)]
    biases = [other.tensors[f"layers.{i}.bias"] for i in range(3)]
    assert isinstance(changed, native.DenseNetwork)
    changed.set_weights(weights, biases)
    np.testing.assert_array_equal(changed.evaluate(states), in_core(game, other).evaluate(states))
    before = changed.evaluate(states)
    for wrong in (weights[:2], [weights[0], weights[2], weights[1]], [w.T.copy() for w in weights]):
        with pytest.raises(ValueError, match=r"another shape|biases|bias per output"):
            changed.set_weights(wrong, biases)
    np.testing.assert_array_equal(before, changed.evaluate(states))


def test_the_weights_are_copied() -> None:
    game = record_game("connect-four")
    network = random_ntuple(game)
    core, states = in_core(game, network), packed(random_states(game, 5))
    before = core.evaluate(states)
    network.tensors["tables"][:] = 0
    np.testing.assert_array_equal(before, core.evaluate(states))


def test_the_core_refuses_what_does_not_fit() -> None:
    game = record_game("connect-four")
    route = native.route_of(game)
    assert isinstance(route, native.RecordRoute)
    inputs, given = network_inputs(game, route), random_ntuple(game).tensors
    tables, bias = given["tables"], given["bias"]
    for cells, symbols, words in [
        (given["cells"] + 40, 4, "not on the board"),
        (given["cells"], 6, "symbols do not fit"),
        (given["cells"][:-1], 4, "tables do not fit"),
        (given["cells"][:, :-1].copy(), 4, "tables do not fit"),
    ]:
        with pytest.raises(ValueError, match=words):
            native.NTupleNetwork(inputs, cells, [tables, bias], symbols, 1, 1.0)
    for arrays in ([tables], [tables, bias, bias, bias, bias], [tables, bias[:, :0].copy()]):
        with pytest.raises(ValueError, match=r"bias|features"):
            native.NTupleNetwork(inputs, given["cells"], arrays, 4, 1, 1.0)
    layers = random_dense(game).tensors
    weights, biases = ([layers[f"layers.{i}.{x}"] for i in range(3)] for x in ("weight", "bias"))
    with pytest.raises(ValueError, match="fit the outputs"):
        native.DenseNetwork(inputs, weights, biases, 2, 1.0)
    with pytest.raises(ValueError, match="fit the planes"):
        native.DenseNetwork(inputs, weights[1:], biases[1:], 1, 1.0)
    network = native.DenseNetwork(inputs, weights, biases, 1, 1.0)
    with pytest.raises(ValueError, match="whole number of states"):
        network.evaluate(np.zeros(route.state_bytes + 1, np.uint8))
    with pytest.raises(ValueError, match="threads"):
        network.evaluate(np.zeros(route.state_bytes, np.uint8), threads=0)
