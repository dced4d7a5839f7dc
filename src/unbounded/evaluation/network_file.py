# SPDX-License-Identifier: MIT
"""A network in a file: what it was trained for, its settings and its weights.

The file is in the safetensors format with a checksum (`storage/tensor_file.py`). Reading one never
runs code, and everything in it is checked before it is used. `docs/networks.md` has the format.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unbounded.evaluation import packed_tables
from unbounded.game import Game, UsageError, require
from unbounded.game.catalogue import is_named
from unbounded.game.wrappers import Unfolded
from unbounded.storage.atomic_files import Write
from unbounded.storage.tensor_file import Reader, Tensor
from unbounded.storage.tensor_file import write as write_tensors

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, Any]

FORMAT = "unbounded-network"
FORMAT_VERSION = 1
KINDS = ("ntuple", "dense", "residual", "module")
LATEST = "latest.json"
"""In the folder of a run: which generation is the newest one that is complete."""
_DTYPES = {"F32": "<f4", "F16": "<f2", "I8": "|i1", "I16": "<i2", "I32": "<i4"}
_MOST = 1 << 31
WIDEST_ROW = 64
"""Numbers in a row of an n-tuple network's tables, as in core/networks/ntuple_head.h."""
NTUPLE_ARRAYS = ("tables", "bias", "hidden.weight", "hidden.bias", "output.weight")
"""Of an n-tuple network, beside its cells; the last three where rows have features."""
_HEAD = "hidden.weight, hidden.bias and output.weight"


@dataclass(frozen=True, eq=False)
class NetworkFile:
    """A network as its file describes it."""

    game: str
    """The game that it was trained for."""
    players: int
    planes: tuple[int, int, int]
    outputs: int
    """1 for two players with zero sum: the mover's value. Else one per player, mover first."""
    kind: str
    tensors: Mapping[str, Array]
    scale: float = 1.0
    """A value of the game is an output times this."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    score: str = ""
    """The name of the score that was learned."""
    trained: Mapping[str, Any] = field(default_factory=dict)
    """How it was trained; only informative."""
    path: Path | None = None
    """The file that it was read from."""

    @cached_property
    def digest(self) -> str:
        """Depends on everything that its values depend on."""
        about = [self.players, self.planes, self.outputs, self.kind, self.scale]
        digest = hashlib.sha256(json.dumps([*about, dict(self.settings)], sort_keys=True).encode())
        for name, array in sorted(self.tensors.items()):
            digest.update(f"{name} {array.dtype.str} {array.shape}".encode())
            digest.update(array.tobytes())
        return digest.hexdigest()

    @property
    def where(self) -> str:
        """The file in an error; without one, the network itself."""
        return "the network" if self.path is None else str(self.path)


# -- writing --------------------------------------------------------------------------------------


def write(path: str | os.PathLike[str], network: NetworkFile, *, small: bool = False) -> int:
    """Write a network to a file, which is replaced whole or not at all; return its length.

    small: of an n-tuple network, the tables in bytes: nearly the same values in a quarter of the
    space.
    """
    check_weights(network)
    metadata = {
        "format": FORMAT,
        "version": str(FORMAT_VERSION),
        "game": network.game,
        "players": str(network.players),
        "planes": ",".join(map(str, network.planes)),
        "outputs": str(network.outputs),
        "scale": repr(float(network.scale)),
        "kind": network.kind,
        "settings": json.dumps(dict(network.settings)),
        "score": network.score,
        "trained": json.dumps(dict(network.trained)),
    }
    names = {dtype: name for name, dtype in _DTYPES.items()}
    stored = network.tensors
    if network.kind == "ntuple":
        stored = packed_tables.pack(packed_tables.rounded_to_bytes(stored) if small else stored)
    arrays = {name: _little_endian(array) for name, array in stored.items()}
    tensors = [Tensor(name, names[x.dtype.str], x.shape) for name, x in arrays.items()]

    def produce(put: Write) -> None:
        for array in arrays.values():
            put(array.tobytes())

    return write_tensors(path, metadata, tensors, produce)


def _little_endian(array: Array) -> Array:
    import numpy as np

    wanted = array.dtype.newbyteorder("<")
    require(wanted.str in _DTYPES.values(), f"a network file cannot hold numbers of type {wanted}")
    return np.ascontiguousarray(array, dtype=wanted)


# -- reading --------------------------------------------------------------------------------------


def network_path(path: str | os.PathLike[str]) -> Path:
    """The file that a path means: itself, or the newest network in the folder of a run."""
    folder = Path(path)
    if not os.path.isdir(folder):  # noqa: PTH112  # no error, however long the name is
        return folder
    latest = folder / LATEST
    require(latest.exists(), f"{folder} is not the folder of a run: it has no {LATEST}")
    try:
        name = Path(json.loads(latest.read_text())["network"])
        within = not name.is_absolute() and ".." not in name.parts
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        name, within = Path(), False
    require(within, f"{latest} is damaged: it does not name a network in this folder")
    return folder / name


def read(path: str | os.PathLike[str]) -> NetworkFile:
    """Read the network that a path means: a file, or the folder of a run."""
    import numpy as np

    file = network_path(path)
    with Reader(file, "network") as reader:
        try:
            network = _described(reader)
        except UsageError:
            if not reader.is_intact():  # then what it says does not matter
                reader.fail("its checksum does not fit")
            raise
        arrays: dict[str, Array] = {}
        for tensor in reader.tensors:
            if tensor.dtype not in _DTYPES:
                reader.fail("it has an array of an unknown type")
            contents = bytearray(tensor.bytes)
            reader.fill(memoryview(contents))
            flat = np.frombuffer(contents, dtype=_DTYPES[tensor.dtype])
            arrays[tensor.name] = flat.reshape(tensor.shape)
        reader.verify()
    if network.kind == "ntuple":
        try:
            arrays = packed_tables.unpack(arrays, network.players, network.planes[0] + 1)
        except ValueError as error:
            raise UsageError(f"{file} is no {network.kind} network: {error}") from error
    whole = replace(network, tensors=arrays)
    check_weights(whole)
    return whole


def _described(reader: Reader) -> NetworkFile:
    """What a file says about its network, before its weights are read."""
    said = reader.metadata
    if said.get("format") != FORMAT:
        reader.fail("it does not say that it is one")
    version = said.get("version", "")
    require(
        version == str(FORMAT_VERSION),
        f"{reader.path} is a network in format {version[:20]!r}; this version of the program reads "
        f"format {FORMAT_VERSION}",
    )
    try:
        settings, trained = json.loads(said["settings"]), json.loads(said["trained"])
        planes, rows, columns = (_count(x) for x in said["planes"].split(","))
        network = NetworkFile(
            game=said["game"],
            players=_count(said["players"]),
            planes=(planes, rows, columns),
            outputs=_count(said["outputs"]),
            kind=said["kind"],
            tensors={},
            scale=float(said["scale"]),
            settings=settings,
            score=said["score"],
            trained=trained,
            path=reader.path,
        )
    except (KeyError, ValueError, RecursionError):
        reader.fail("its description cannot be read")
    if not isinstance(settings, dict) or not isinstance(trained, dict):
        reader.fail("its description cannot be read")
    require(network.kind in KINDS, f"{reader.path} is a network of an unknown kind: {network.kind}")
    return network


def _count(text: str) -> int:
    number = int(text)
    if not 1 <= number < _MOST:
        raise ValueError
    return number


# -- checking -------------------------------------------------------------------------------------


def check_fits(network: NetworkFile, game: Game[Any, Any]) -> None:
    """Refuse a network that was not made for this game."""
    played, where = played_game(game), network.where
    require(
        is_named(played, network.game),
        f"{where} is a network for {network.game}, not for {played}",
    )
    if game.planes is None:
        raise UsageError(f"{game} has no `encode`, which a network needs")
    require(
        network.planes == tuple(game.planes),
        f"{where} expects planes of {_shape(network.planes)}; {game} has {_shape(game.planes)}",
    )
    require(
        network.players == game.players,
        f"{where} is a network for {network.players} players; {game} has {game.players}",
    )
    wanted = outputs_for(game)
    require(
        network.outputs == wanted,
        f"{where} has {network.outputs} outputs; a network for {game} has {wanted}",
    )


def played_game(game: Game[Any, Any]) -> Game[Any, Any]:
    """The game itself, where it is searched as a tree: the positions are the same."""
    return game.game if isinstance(game, Unfolded) else game


def outputs_for(game: Game[Any, Any]) -> int:
    """How many outputs a network for this game has."""
    return 1 if game.players == 2 and game.zero_sum else game.players


def check_weights(network: NetworkFile) -> None:
    """Refuse weights that are not finite, and arrays that are not those of the kind."""
    import numpy as np

    require(
        math.isfinite(network.scale) and network.scale > 0,
        f"{network.where}: its scale is {network.scale}, and must be positive",
    )
    for name, array in network.tensors.items():
        require(
            array.dtype.kind != "f" or bool(np.isfinite(array).all()),
            f"{network.where}: the weights {name!r} contain numbers that are not finite",
        )
    problem = {"ntuple": _ntuple_problem, "dense": _dense_problem}.get(network.kind, _no_problem)(
        network
    )
    require(not problem, f"{network.where} is no {network.kind} network: {problem}")


def _no_problem(network: NetworkFile) -> str:
    return ""


def _ntuple_problem(network: NetworkFile) -> str:
    """What is wrong with the arrays of an n-tuple network."""
    given = network.tensors
    if set(given) not in ({"cells", *NTUPLE_ARRAYS[:2]}, {"cells", *NTUPLE_ARRAYS}):
        return f"it must have the arrays cells, tables and bias, and with features {_HEAD}"
    cells, symbols = given["cells"], network.planes[0] + 1
    if cells.ndim != 2 or not cells.size or cells.dtype.kind != "i":
        return "its cells must be integers, one row per tuple"
    tuples, length = cells.shape
    if length > packed_tables.LONGEST_TUPLE:
        return f"its tuples have more than {packed_tables.LONGEST_TUPLE} cells"
    if cells.min() < 0 or cells.max() >= network.planes[1] * network.planes[2]:
        return "it has a tuple with a cell that is not on the board"
    bias = given["bias"]
    width = bias.shape[1] if bias.ndim == 2 else 0
    features = width - network.outputs
    if not network.outputs <= width <= WIDEST_ROW or (features > 0) != ("output.weight" in given):
        return f"its bias has the shape {bias.shape}, which does not fit its outputs and features"
    expected = {
        "tables": (network.players, tuples, symbols**length, width),
        "bias": (network.players, width),
        "hidden.weight": (width, features),
        "hidden.bias": (width,),
        "output.weight": (network.outputs, width),
    }
    return _shapes_problem(given, {name: expected[name] for name in NTUPLE_ARRAYS if name in given})


def _dense_problem(network: NetworkFile) -> str:
    """What is wrong with the arrays of a dense network."""
    given, wide = network.tensors, math.prod(network.planes) + network.players
    layers = len(given) // 2
    expected: dict[str, tuple[int, ...]] = {}
    for i in range(layers):
        weight = given.get(f"layers.{i}.weight")
        if weight is None or weight.ndim != 2 or not weight.size:
            return f"its array layers.{i}.weight is missing, or has no rows and columns"
        expected[f"layers.{i}.weight"] = (weight.shape[0], wide)
        expected[f"layers.{i}.bias"] = (weight.shape[0],)
        wide = weight.shape[0]
    if not layers or set(given) != set(expected):
        return "its arrays must be a weight and a bias per layer"
    if wide != network.outputs:
        return f"its last layer has {wide} outputs, not {network.outputs}"
    return _shapes_problem(given, expected)


def _shapes_problem(given: Mapping[str, Array], expected: Mapping[str, tuple[int, ...]]) -> str:
    for name, shape in expected.items():
        if given[name].shape != shape:
            return f"{name} has the shape {given[name].shape}, not {shape}"
        if given[name].dtype.kind != "f":
            return f"{name} must hold floating-point numbers"
    return ""


def _shape(planes: tuple[int, int, int]) -> str:
    return " x ".join(map(str, planes))
