# SPDX-License-Identifier: MIT
"""A network of dense layers: planes and mover in, ReLU between the layers, tanh at the end."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import one_hot

from unbounded.learning.networks.shape import NetworkShape


class DenseNetwork(nn.Module):
    """All planes as one vector, followed by the mover as a one-hot vector, through dense layers."""

    kind = "dense"

    def __init__(self, shape: NetworkShape, hidden: Sequence[int]) -> None:
        super().__init__()
        self.hidden = list(hidden)
        self.network_shape = shape
        widths = [shape.inputs + shape.players, *hidden, shape.outputs]
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in pairwise(widths))
        for layer in self.layers:
            nn.init.kaiming_normal_(layer.weight, nonlinearity="relu")
            nn.init.zeros_(layer.bias)
        # An untrained network says about 0 everywhere, so that first targets are not noise.
        nn.init.normal_(self.layers[-1].weight, std=0.01)

    @property
    def settings(self) -> dict[str, Any]:
        """What the network is built from, as in its file."""
        return {"hidden": self.hidden}

    def forward(self, planes: Tensor, movers: Tensor) -> Tensor:
        """The values, (N, outputs), of states given as (N, P, H, W) planes and (N,) movers."""
        movers_as_vectors = one_hot(movers, self.network_shape.players).to(planes.dtype)
        x = torch.cat([planes.flatten(1), movers_as_vectors], 1)
        for layer in self.layers[:-1]:
            x = torch.relu(layer(x))
        return torch.tanh(self.layers[-1](x).float())
