# SPDX-License-Identifier: MIT
"""Networks as ONNX files, so that ONNX Runtime evaluates them without PyTorch."""

from __future__ import annotations

import os
import warnings
from typing import Any

import torch
from torch import nn

from unbounded.evaluation.network_file import NetworkFile
from unbounded.evaluation.runtime import DIGEST_KEY
from unbounded.game import UsageError
from unbounded.learning.inference import inference_form
from unbounded.learning.networks.choosing import shape_in
from unbounded.storage import atomic_files


def export_onnx(module: nn.Module, network: NetworkFile, path: str | os.PathLike[str]) -> None:
    """Write a network to an ONNX file: "planes" and "movers" in, "values" out, any batch size.

    network: what was written beside it; the file says which one it belongs to.
    """
    model = _exported(inference_form(module).cpu())
    _strip(model.graph)
    entry = model.metadata_props.add()
    entry.key, entry.value = DIGEST_KEY, network.digest
    contents = model.SerializeToString()
    atomic_files.replace(path, lambda put: put(contents))


def _exported(module: nn.Module) -> Any:
    """The network as an ONNX model."""
    batch = torch.export.Dim("batch", min=1)
    examples = (torch.zeros(3, *shape_in(module).planes), torch.zeros(3, dtype=torch.int64))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of PyTorch about itself
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
    except ImportError as error:
        raise UsageError(
            f"{error.name} is not installed, and writes networks to ONNX files: "
            "pip install 'unbounded[learn]'"
        ) from error
    except Exception as error:  # PyTorch has many kinds of errors for this
        first_line = str(error).strip().partition("\n")[0]
        raise UsageError(f"the network cannot be exported to ONNX: {first_line}") from error
    return program.model_proto


def _strip(graph: Any) -> None:
    """Remove what PyTorch notes about its source code, paths of this machine included."""
    for node in graph.node:
        del node.metadata_props[:]
        node.doc_string = ""
    for value in (*graph.input, *graph.output, *graph.value_info):
        del value.metadata_props[:]
    for tensor in graph.initializer:
        del tensor.metadata_props[:]
    del graph.metadata_props[:]
