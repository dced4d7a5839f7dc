# SPDX-License-Identifier: MIT
"""Networks that the core does not evaluate itself: by PyTorch on a GPU, or else on the CPU.

On the CPU it is ONNX Runtime, if that is installed and the network has its file, or else PyTorch.

Loading one never runs code of the user: a network of kind "module" has only its ONNX file.
"""

from __future__ import annotations

import ctypes
import math
import os
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unbounded import native
from unbounded.evaluation.network_file import NetworkFile
from unbounded.game import Game, RecordGame, UsageError, require

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, Any]
    Forward = Callable[[Array, Array], Array]
    """Planes, float32 (N, P, H, W), and movers, int64 (N,), to values, float32 (N, outputs)."""

DIGEST_KEY = "unbounded-network"
"""In an ONNX file: the digest of the network that it belongs to."""
MOST_THREADS = 4
"""Of ONNX Runtime: batches of a search are too small for more."""
LEAVES_ON_GPU, LEAVES_BY_PYTORCH, LEAVES_BY_ONNX = 32, 8, 1
"""Leaves that a search collects for each call, unless the option `leaves` says otherwise. For ONNX
Runtime on a CPU, a state in a batch of 30 takes nearly as long as in one of 5."""
DRIVERS = ("libcuda.so.1", "nvcuda.dll")
"""Libraries without which there is no GPU that PyTorch could use."""
INSTALL = "pip install 'unbounded[learn]'"


def make_runtime_evaluator(
    network: NetworkFile, game: Game[Any, Any], route: native.Route
) -> native.Evaluator:
    """Build the evaluator for one search, of a residual network or one of the user."""
    forward, leaves = forward_and_leaves(network)
    answer = values_function(network, game, route, forward)
    return native.PythonEvaluator(game.players, route.state_bytes, answer, leaves)


def values_function(
    network: NetworkFile, game: Game[Any, Any], route: native.Route, forward: Forward
) -> Callable[[bytes], Array]:
    """From states as the core stores them to values, one row per state, one column per player."""
    import numpy as np

    from unbounded.evaluation.networks import values_per_player

    inputs = _inputs(network, game, route)

    def answer(stored: bytes) -> Array:
        planes, movers = inputs(stored)
        values = values_per_player(forward(planes, movers), movers, game.players)
        scaled: Array = values * np.float32(network.scale)
        return scaled

    return answer


def _inputs(
    network: NetworkFile, game: Game[Any, Any], route: native.Route
) -> Callable[[bytes], tuple[Array, Array]]:
    """What the network is given of states in the core: by the core, or by the rules in Python."""
    import numpy as np

    from unbounded.evaluation.networks import network_inputs, object_inputs

    if isinstance(route, native.ObjectRoute):
        return object_inputs(game, route)
    assert isinstance(game, RecordGame)
    native_inputs, size, shape = network_inputs(game, route), route.state_bytes, network.planes

    def by_core(stored: bytes) -> tuple[Array, Array]:
        count = len(stored) // size
        planes = np.empty((count, math.prod(shape)), np.float32)
        movers = np.empty(count, np.uint8)
        native_inputs.write(np.frombuffer(stored, np.uint8), None, planes, movers)
        return planes.reshape(count, *shape), movers.astype(np.int64)

    return by_core


def forward_and_leaves(network: NetworkFile) -> tuple[Forward, int]:
    """The network as a function on arrays, by what is installed and there, and leaves per call."""
    on_gpu = _on_gpu(network)
    if on_gpu is not None:
        return on_gpu, LEAVES_ON_GPU
    file = _onnx_file(network)
    has_onnx = file is not None and file.is_file()
    if file is not None and has_onnx and find_spec("onnxruntime"):
        return _by_onnx_runtime(network, file), LEAVES_BY_ONNX
    if network.kind == "residual" and find_spec("torch"):
        return _by_pytorch(network, "cpu"), LEAVES_BY_PYTORCH
    if network.kind == "residual":
        raise UsageError(
            f"{network.where} is a residual network, which PyTorch evaluates, or ONNX Runtime "
            f"from an .onnx file; this is not installed: {INSTALL}"
        )
    if has_onnx:
        raise UsageError(f"{file} needs ONNX Runtime, which is not installed: {INSTALL}")
    raise UsageError(
        f"{network.where} is a network of a class of its own, and is evaluated through "
        f"{file or 'an .onnx file'}, which does not exist"
    )


def _on_gpu(network: NetworkFile) -> Forward | None:
    """The network on a GPU; None if there is none, or it cannot be used for this."""
    # PyTorch takes seconds to import, so it comes last.
    if network.kind != "residual" or not find_spec("torch") or not any(map(_loads, DRIVERS)):
        return None
    import numpy as np

    _check_residual(network)
    try:  # a GPU may be too old for PyTorch, or its memory full
        import torch

        if not torch.cuda.is_available():
            return None
        forward = _by_pytorch(network, "cuda")
        values = forward(np.ones((1, *network.planes), np.float32), np.zeros(1, np.int64))
    except (ImportError, OSError, RuntimeError):
        return None
    return forward if np.isfinite(values).all() else None  # half precision may overflow


def _loads(library: str) -> bool:
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


def _onnx_file(network: NetworkFile) -> Path | None:
    return None if network.path is None else network.path.with_suffix(".onnx")


# -- ONNX Runtime ---------------------------------------------------------------------------------


def _by_onnx_runtime(network: NetworkFile, file: Path) -> Forward:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = min(MOST_THREADS, os.cpu_count() or 1)
    options.log_severity_level = 3
    # Idle threads would take the time of the search, which runs between two batches.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    try:
        session = onnxruntime.InferenceSession(
            str(file), options, providers=["CPUExecutionProvider"]
        )
    except Exception as error:  # ONNX Runtime has an error of its own for each reason
        raise UsageError(f"{file} cannot be read by ONNX Runtime: {error}") from error
    digest = session.get_modelmeta().custom_metadata_map.get(DIGEST_KEY)
    require(
        digest == network.digest,
        f"{file} does not belong to {network.path}: it was written for other weights; remove it, "
        "or export the network again",
    )

    def forward(planes: Array, movers: Array) -> Array:
        values: Array = session.run(["values"], {"planes": planes, "movers": movers})[0]
        return values

    return forward


# -- PyTorch --------------------------------------------------------------------------------------


def _by_pytorch(network: NetworkFile, device: str) -> Forward:
    """The residual network with folded batch norms, from its weights alone.

    On a GPU in half precision, except for the last layer: similar states would have equal values.
    """
    import torch
    from torch.nn.functional import conv2d, linear

    _check_residual(network)
    dtype = torch.float16 if device == "cuda" else torch.float32
    w = {name: torch.tensor(array).to(device, dtype) for name, array in network.tensors.items()}
    for name in ("value.weight", "value.bias"):
        w[name] = torch.tensor(network.tensors[name]).to(device).float()
    blocks = network.settings["blocks"]

    def convolved(x: Any, name: str) -> Any:
        return conv2d(x, w[f"{name}.weight"], w[f"{name}.bias"], padding=1)

    @torch.inference_mode()
    def forward(planes: Array, movers: Array) -> Array:
        x = convolved(torch.from_numpy(planes).to(device, dtype), "first")
        bias = w["position"][torch.from_numpy(movers).to(device)]
        x = torch.relu(x + bias.view(len(planes), *network.planes[1:], -1).permute(0, 3, 1, 2))
        for i in range(blocks):
            y = torch.relu(convolved(x, f"blocks.{i}.first"))
            x = torch.relu(convolved(y, f"blocks.{i}.second") + x)
        x = x.permute(0, 2, 3, 1).flatten(1)
        x = torch.relu(linear(x, w["dense.weight"], w["dense.bias"]))
        outputs = torch.tanh(linear(x.float(), w["value.weight"], w["value.bias"]))
        values: Array = outputs.cpu().numpy()
        return values

    return forward


def _check_residual(network: NetworkFile) -> None:
    """Refuse arrays that are not those of a residual network of these settings."""
    names = ("channels", "blocks", "hidden")
    sizes = [network.settings.get(name) for name in names]
    problem = "its settings must be " + ", ".join(names)
    if all(type(size) is int and 0 <= size < 1 << 20 for size in sizes):
        expected = _residual_shapes(network)
        given = {name: array.shape for name, array in network.tensors.items()}
        wrong = sorted(k for k in {*expected, *given} if expected.get(k) != given.get(k))
        problem = f"{wrong[0]} is missing, or not of the right shape" if wrong else ""
    require(not problem, f"{network.where} is no residual network: {problem}")


def _residual_shapes(network: NetworkFile) -> dict[str, tuple[int, ...]]:
    channels, hidden = network.settings["channels"], network.settings["hidden"]
    planes, rows, columns = network.planes
    flat = rows * columns * channels
    shapes: dict[str, tuple[int, ...]] = {"position": (network.players, flat)}
    inputs = {"first": planes}
    for i in range(network.settings["blocks"]):
        inputs |= {f"blocks.{i}.first": channels, f"blocks.{i}.second": channels}
    for name, count in inputs.items():
        shapes[f"{name}.weight"] = (channels, count, 3, 3)
        shapes[f"{name}.bias"] = (channels,)
    for name, rows_, columns_ in (
        ("dense", hidden, flat),
        ("value", network.outputs, hidden),
    ):
        shapes[f"{name}.weight"], shapes[f"{name}.bias"] = (rows_, columns_), (rows_,)
    return shapes
