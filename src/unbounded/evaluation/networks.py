# SPDX-License-Identifier: MIT
"""From a network in a file to an evaluator of the core."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unbounded import native
from unbounded.evaluation.network_file import (
    NTUPLE_ARRAYS,
    NetworkFile,
    check_fits,
    network_path,
    played_game,
    read,
)
from unbounded.game import Game, RecordGame, UsageError, require

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, Any]

NATIVE_KINDS = ("ntuple", "dense")
"""Kinds that the core evaluates itself."""

SHIPPED = "network"
"""The name of the network that comes with the package for a game."""
SHIPPED_FOLDER = Path(__file__).with_name("shipped")
SUFFIX = ".safetensors"

_offered: dict[str, Path] = {}
"""By game: networks that this process offers instead of the shipped ones."""


@dataclass(frozen=True)
class NetworkEvaluation(os.PathLike[str]):
    """A network as an evaluation, under the name or path that it was given by."""

    name: str
    network: NetworkFile

    def __fspath__(self) -> str:
        return self.name

    @property
    def is_native(self) -> bool:
        """Whether the core evaluates it, if the game is compiled."""
        return self.network.kind in NATIVE_KINDS

    def check_fits(self, game: Game[Any, Any]) -> None:
        """Refuse a network of another game."""
        check_fits(self.network, game)


# -- which network is meant -----------------------------------------------------------------------


def names_network(evaluation: str | os.PathLike[str]) -> bool:
    """Whether an evaluation means a network: the shipped one, a file, or the folder of a run."""
    if not isinstance(evaluation, str):
        return isinstance(evaluation, os.PathLike)
    if evaluation in ("", "zero", "heuristic", "playouts"):  # whatever lies in this folder
        return False
    separators = [x for x in (os.sep, os.altsep) if x]
    looks_like_one = evaluation.endswith(SUFFIX) or any(x in evaluation for x in separators)
    return evaluation == SHIPPED or looks_like_one or _exists(evaluation)


def _exists(text: str) -> bool:
    return os.path.exists(text)  # noqa: PTH110  # no error, however long the text is


def given_network(game: Game[Any, Any], name: str) -> NetworkEvaluation:
    """Read the network that a name means, and make sure that it fits the game."""
    path = shipped_path(game) if name == SHIPPED else network_path(name)
    if path is None:
        raise UsageError(
            f"no network is shipped for {game}; give the file of one, or the folder of a run"
        )
    try:
        about = path.stat()
        network = _read_once(path, about.st_mtime_ns, about.st_size)
    except (OSError, ValueError):
        network = read(path)  # which says what is wrong
    check_fits(network, game)
    return NetworkEvaluation(name, network)


@lru_cache(maxsize=4)
def _read_once(path: Path, modified: int, size: int) -> NetworkFile:
    """Read a file again only if it has changed: a match makes many players of the same network."""
    return read(path)


def offer_network(game: Game[Any, Any], path: str | os.PathLike[str]) -> None:
    """Let the name "network" mean this one for the game, from now on.

    For a server, which opens no file because a request names it.
    """
    given_network(game, os.fspath(path))
    _offered[str(game)] = Path(path)


def is_offered(game: Game[Any, Any]) -> bool:
    """Whether `offer_network` was called for the game."""
    return str(played_game(game)) in _offered


def shipped_path(game: Game[Any, Any]) -> Path | None:
    """The file that the name "network" means for a game; None if there is none."""
    played = str(played_game(game))
    if played in _offered:
        return network_path(_offered[played])
    name = re.sub("[^a-z0-9]+", "-", played.lower()).strip("-")
    path = SHIPPED_FOLDER / f"{name}{SUFFIX}"
    return path if path.exists() else None


def is_default_network(game: Game[Any, Any]) -> bool:
    """Whether players of a game use its network where no evaluation is given.

    A network that was offered, or a shipped one that fits and is evaluated by the core.
    """
    if is_offered(game):
        return True
    if shipped_path(game) is None or not native.is_compiled(game):
        return False
    try:
        return given_network(game, SHIPPED).is_native
    except UsageError:
        return False


# -- evaluators of the core -----------------------------------------------------------------------


def network_inputs(game: RecordGame, route: native.RecordRoute) -> native.NetworkInputs:
    """What a network is given of the states of a game: planes and movers, written by the core."""
    require(game.planes is not None, f"{game} has no `encode`, which a network needs")
    assert game.planes is not None
    names = ["encode", "player", *(["symmetry"] if game.symmetries > 1 else [])]
    addresses = {name: route.compiled.address(name) for name in names}
    numbers = math.prod(game.planes)
    return native.NetworkInputs(
        game.players, route.state_bytes, numbers, game.symmetries, addresses
    )


def make_network_evaluator(
    network: NetworkFile, game: Game[Any, Any], route: native.Route
) -> native.Evaluator:
    """Build the evaluator for one search; the network fits the game, which has been checked."""
    if network.kind not in NATIVE_KINDS:
        from unbounded.evaluation.runtime import make_runtime_evaluator

        made: native.Evaluator = make_runtime_evaluator(network, game, route)
        return made
    if isinstance(route, native.RecordRoute):
        assert isinstance(game, RecordGame)
        return native_network(network, network_inputs(game, route))
    return _object_evaluator(network, game, route)


def native_network(network: NetworkFile, inputs: native.NetworkInputs) -> native.Network:
    """The network in the core."""
    import numpy as np

    given = {name: np.ascontiguousarray(x, np.float32) for name, x in network.tensors.items()}
    if network.kind == "ntuple":
        cells = np.ascontiguousarray(network.tensors["cells"], np.int32)
        weights = [given[name] for name in NTUPLE_ARRAYS if name in given]
        about = (network.planes[0] + 1, network.outputs, network.scale)
        return native.NTupleNetwork(inputs, cells, weights, *about)
    layers = range(len(given) // 2)
    weights = [given[f"layers.{i}.weight"] for i in layers]
    biases = [given[f"layers.{i}.bias"] for i in layers]
    return native.DenseNetwork(inputs, weights, biases, network.outputs, network.scale)


# -- by NumPy, for games on Python objects --------------------------------------------------------


def _object_evaluator(
    network: NetworkFile, game: Game[Any, Any], route: native.ObjectRoute
) -> native.Evaluator:
    """Let NumPy evaluate the network, since the game encodes its states in Python."""
    import numpy as np

    forward, inputs = forward_function(network), object_inputs(game, route)

    def answer(stored: bytes) -> Array:
        planes, movers = inputs(stored)
        values = values_per_player(forward(planes, movers), movers, game.players)
        scaled: Array = values * np.float32(network.scale)
        return scaled

    return native.PythonEvaluator(game.players, route.state_bytes, answer)


def object_inputs(
    game: Game[Any, Any], route: native.ObjectRoute
) -> Callable[[bytes], tuple[Array, Array]]:
    """From states as the core stores them to planes and movers, by the rules in Python."""
    import numpy as np

    size, shape = route.state_bytes, game.planes
    assert shape is not None

    def inputs(stored: bytes) -> tuple[Array, Array]:
        states = [route.from_core(stored[i : i + size]) for i in range(0, len(stored), size)]
        encoded, movers = zip(*map(route.bridge.inputs, states), strict=True)
        planes = np.array(encoded, np.float32).reshape(-1, *shape)
        return planes, np.array(movers, np.int64)

    return inputs


def forward_function(network: NetworkFile) -> Callable[[Array, Array], Array]:
    """The network as a function of planes and movers, by NumPy: the formula in plain words."""
    return _ntuple_function(network) if network.kind == "ntuple" else _dense_function(network)


def _ntuple_function(network: NetworkFile) -> Callable[[Array, Array], Array]:
    import numpy as np

    cells = network.tensors["cells"].astype(np.int64)
    given = [network.tensors[name] for name in NTUPLE_ARRAYS if name in network.tensors]
    tables, bias, *head = (array.astype(np.float32) for array in given)
    powers = (network.planes[0] + 1) ** np.arange(cells.shape[1])
    tuples = np.arange(len(cells))

    def forward(planes: Array, movers: Array) -> Array:
        there = planes.reshape(len(planes), network.planes[0], -1) != 0
        symbols = np.where(there.any(1), 1 + there.argmax(1), 0)
        indices = (symbols[:, cells] * powers).sum(2)
        sums: Array = bias[movers] + tables[movers[:, None], tuples, indices].sum(1)
        values = sums[:, : network.outputs]
        if head:
            hidden, hidden_bias, output = head
            features = np.maximum(sums[:, network.outputs :], 0)
            values = values + np.maximum(features @ hidden.T + hidden_bias, 0) @ output.T
        return np.tanh(values)

    return forward


def _dense_function(network: NetworkFile) -> Callable[[Array, Array], Array]:
    import numpy as np

    given = {name: x.astype(np.float32) for name, x in network.tensors.items()}
    layers = [
        (given[f"layers.{i}.weight"], given[f"layers.{i}.bias"]) for i in range(len(given) // 2)
    ]

    def forward(planes: Array, movers: Array) -> Array:
        seats = np.eye(network.players, dtype=np.float32)[movers]
        x: Array = np.concatenate([planes.reshape(len(planes), -1), seats], axis=1)
        for weight, bias in layers[:-1]:
            x = np.maximum(x @ weight.T + bias, 0)
        weight, bias = layers[-1]
        sums: Array = x @ weight.T + bias
        return np.tanh(sums, out=sums)

    return forward


def values_per_player(outputs: Array, movers: Array, players: int) -> Array:
    """From the outputs, mover first, to one column per player."""
    import numpy as np

    if outputs.shape[1] != players:
        outputs = np.concatenate([outputs, -outputs], axis=1)
    turns = (np.arange(players) - movers[:, None]) % players
    return np.ascontiguousarray(np.take_along_axis(outputs, turns, axis=1), dtype=np.float32)
