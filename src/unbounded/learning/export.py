# SPDX-License-Identifier: MIT
"""From a network in PyTorch to its files, and back."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn

from unbounded.evaluation.network_file import NetworkFile, read, write
from unbounded.game import UsageError
from unbounded.learning.inference import inference_form
from unbounded.learning.networks.choosing import kind_of
from unbounded.learning.networks.dense import DenseNetwork
from unbounded.learning.networks.ntuple import NTupleNetwork
from unbounded.learning.networks.residual import ResidualNetwork
from unbounded.learning.networks.shape import NetworkShape

if TYPE_CHECKING:
    import numpy as np


def to_file(
    module: nn.Module,
    shape: NetworkShape,
    score: str,
    trained: Mapping[str, Any],
) -> NetworkFile:
    """A copy of a network as its file describes it, in the form for inference."""
    kind = kind_of(module)
    return NetworkFile(
        game=shape.game,
        players=shape.players,
        planes=shape.planes,
        outputs=shape.outputs,
        scale=shape.scale,
        kind=kind,
        settings={} if kind == "module" else module.settings,
        score=score,
        trained=dict(trained),
        tensors=_arrays(inference_form(module), shape),
    )


def _arrays(module: nn.Module, shape: NetworkShape) -> dict[str, np.ndarray[Any, Any]]:
    tensors: dict[str, Tensor] = {}
    for name, tensor in module.state_dict().items():
        if tensor.is_floating_point():
            tensors[name] = tensor.float()
        elif name == "cells":
            tensors[name] = tensor.to(torch.int32)
    if isinstance(module, NTupleNetwork):
        size = (shape.players, module.tuples, module.entries, module.width)
        tensors["tables"] = tensors["tables"].view(size)
    # Contiguous: convolutions are stored by channels last, files are not.
    return {name: x.detach().cpu().contiguous().numpy().copy() for name, x in tensors.items()}


def write_network(
    path: str | os.PathLike[str], network: NetworkFile, module: nn.Module, *, onnx: bool = True
) -> None:
    """Write a network, and where the core does not evaluate its kind, an ONNX file beside it.

    A residual network does without if `onnx` is False or onnx is not installed: PyTorch evaluates
    it too. A network of the user cannot, so that every generation of a run can be used.
    """
    from unbounded.learning.onnx_export import can_export, export_onnx

    beside = Path(path).with_suffix(".onnx")
    beside.unlink(missing_ok=True)  # it would be of other weights
    write(path, network)
    wanted = network.kind == "residual" and onnx and can_export("residual")
    if wanted or network.kind == "module":
        export_onnx(module, network, beside)


def from_file(source: NetworkFile | str | os.PathLike[str]) -> nn.Module:
    """The network of a file, for evaluating; one of a class of the user is refused."""
    network = source if isinstance(source, NetworkFile) else read(source)
    shape = NetworkShape(
        network.game, network.players, network.planes, network.outputs, network.scale
    )
    given = {name: torch.tensor(array) for name, array in network.tensors.items()}
    settings = network.settings
    module: nn.Module
    if network.kind == "ntuple":
        module = NTupleNetwork(
            shape, given["cells"].tolist(), given["bias"].shape[1] - shape.outputs
        )
        given["tables"] = given["tables"].flatten(0, 2)
    elif network.kind == "dense":
        module = DenseNetwork(shape, settings["hidden"])
    elif network.kind == "residual":
        sizes = {name: settings[name] for name in ("channels", "blocks", "hidden")}
        module = ResidualNetwork(shape, **sizes, folded=True)
    else:
        raise UsageError(
            f"{network.where} is a network of a class of its own: it is evaluated through its "
            ".onnx file, and cannot be made a PyTorch module again without that class"
        )
    try:
        module.load_state_dict(given)
    except RuntimeError as error:
        raise UsageError(f"{network.where} is no {network.kind} network: {error}") from error
    return module.eval()


def load_weights(module: nn.Module, path: str | os.PathLike[str]) -> None:
    """Give a network of a class of the user, without training, the weights of a file."""
    network = read(path)
    given = {name: torch.tensor(array) for name, array in network.tensors.items()}
    try:
        # Integers, such as the counters of batch norms, are not in the file, and stay.
        module.load_state_dict({**module.state_dict(), **given})
    except RuntimeError as error:
        raise UsageError(f"{network.where} has other weights than the class: {error}") from error
