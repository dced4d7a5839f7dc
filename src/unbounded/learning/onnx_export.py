# SPDX-License-Identifier: MIT
"""Networks as ONNX files, so that ONNX Runtime evaluates them without PyTorch.

Residual networks are written node by node, in milliseconds, as often as a run saves one. Networks
of the user go through PyTorch's exporter, which takes seconds.
"""

from __future__ import annotations

import logging
import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any

import numpy as np
import torch
from torch import nn

from unbounded.evaluation.network_file import NetworkFile
from unbounded.evaluation.runtime import DIGEST_KEY
from unbounded.game import UsageError
from unbounded.learning.inference import inference_form
from unbounded.learning.networks.choosing import shape_in
from unbounded.storage import atomic_files

OPSET = 17
IR_VERSION = 8
"""Versions of ONNX of 2022: every ONNX Runtime of today reads them."""


def can_export(kind: str) -> bool:
    """Whether what writes a network of this kind to an ONNX file is installed."""
    return bool(find_spec("onnx")) and (kind == "residual" or bool(find_spec("onnxscript")))


def export_onnx(module: nn.Module, network: NetworkFile, path: str | os.PathLike[str]) -> None:
    """Write a network to an ONNX file: "planes" and "movers" in, "values" out, any batch size.

    network: what was written beside it; the file says which one it belongs to.
    """
    if not can_export(network.kind):
        raise UsageError(
            "onnx and onnxscript, which write a network to an ONNX file, are not installed: "
            "pip install 'unbounded[learn]'"
        )
    if network.kind == "residual":
        model = residual_model(network)
    else:
        model = _exported(inference_form(module).cpu())
    entry = model.metadata_props.add()
    entry.key, entry.value = DIGEST_KEY, network.digest
    contents = model.SerializeToString()
    atomic_files.replace(path, lambda put: put(contents))


# -- residual networks ----------------------------------------------------------------------------


def residual_model(network: NetworkFile) -> Any:
    """A residual network, from its weights, as an ONNX model."""
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    inputs = [
        helper.make_tensor_value_info("planes", TensorProto.FLOAT, ["batch", *network.planes]),
        helper.make_tensor_value_info("movers", TensorProto.INT64, ["batch"]),
    ]
    outputs = [
        helper.make_tensor_value_info("values", TensorProto.FLOAT, ["batch", network.outputs])
    ]
    weights = [
        numpy_helper.from_array(array, name) for name, array in _onnx_weights(network).items()
    ]
    graph = helper.make_graph(_residual_nodes(network), "residual", inputs, outputs, weights)
    opsets = [helper.make_opsetid("", OPSET)]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=IR_VERSION)
    onnx.checker.check_model(model)
    return model


def _onnx_weights(network: NetworkFile) -> dict[str, np.ndarray[Any, Any]]:
    """The weights in single precision, cells in the order of ONNX: channels, rows, columns."""
    weights = {name: np.asarray(x, np.float32) for name, x in network.tensors.items()}
    channels, hidden = network.settings["channels"], network.settings["hidden"]
    board = network.planes[1:]
    position = weights["position"].reshape(network.players, *board, channels)
    weights["position"] = np.ascontiguousarray(position.transpose(0, 3, 1, 2))
    dense = weights["dense.weight"].reshape(hidden, *board, channels).transpose(0, 3, 1, 2)
    weights["dense.weight"] = np.ascontiguousarray(dense.reshape(hidden, -1))
    return weights


def _residual_nodes(network: NetworkFile) -> list[Any]:
    from onnx import helper

    nodes: list[Any] = []

    def add(operator: str, *inputs: str, to: str = "", **attributes: Any) -> str:
        output = to or f"{operator.lower()}_{len(nodes)}"
        nodes.append(helper.make_node(operator, list(inputs), [output], **attributes))
        return output

    def convolved(x: str, name: str) -> str:
        weights = f"{name}.weight", f"{name}.bias"
        return add("Conv", x, *weights, kernel_shape=[3, 3], pads=[1, 1, 1, 1])

    bias = add("Gather", "position", "movers", axis=0)
    x = add("Relu", add("Add", convolved("planes", "first"), bias))
    for i in range(network.settings["blocks"]):
        y = add("Relu", convolved(x, f"blocks.{i}.first"))
        x = add("Relu", add("Add", convolved(y, f"blocks.{i}.second"), x))
    x = add("Gemm", add("Flatten", x), "dense.weight", "dense.bias", transB=1)
    x = add("Gemm", add("Relu", x), "value.weight", "value.bias", transB=1)
    add("Tanh", x, to="values")
    return nodes


# -- networks of the user -------------------------------------------------------------------------


def _exported(module: nn.Module) -> Any:
    """Any network as an ONNX model, by PyTorch's exporter."""
    batch = torch.export.Dim("batch", min=1)
    examples = (torch.zeros(3, *shape_in(module).planes), torch.zeros(3, dtype=torch.int64))
    try:
        with _quiet():
            program = torch.onnx.export(
                module,
                examples,
                input_names=["planes", "movers"],
                output_names=["values"],
                dynamic_shapes=({0: batch}, {0: batch}),
                dynamo=True,
                external_data=False,
                verbose=False,
            )
    except Exception as error:  # PyTorch has many kinds of errors for this
        first_line = str(error).strip().partition("\n")[0]
        raise UsageError(f"the network cannot be exported to ONNX: {first_line}") from error
    model = program.model_proto
    _strip(model.graph)
    return model


@contextmanager
def _quiet() -> Iterator[None]:
    """Silence what PyTorch's exporter says about itself and about packages that are not needed."""
    logger = logging.getLogger("torch.onnx")
    before = logger.level
    logger.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logger.setLevel(before)


def _strip(graph: Any) -> None:
    """Remove what PyTorch notes about its source code, paths of this machine included."""
    for node in graph.node:
        del node.metadata_props[:]
        node.doc_string = ""
    for value in (*graph.input, *graph.output, *graph.value_info, *graph.initializer):
        del value.metadata_props[:]
    del graph.metadata_props[:]
