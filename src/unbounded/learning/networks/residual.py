# SPDX-License-Identifier: MIT
"""A residual network of 3x3 convolutions, and the same network with its batch norms folded.

The first layer adds a learned bias per mover, channel and cell: it tells the network who moves and
where the edges are.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import one_hot

from unbounded.learning.networks.shape import NetworkShape


def _convolution(inputs: int, channels: int, folded: bool) -> nn.Conv2d:
    # A batch norm has its own bias, which becomes that of the convolution when it is folded.
    return nn.Conv2d(inputs, channels, 3, padding=1, bias=folded)


def _norm(channels: int, folded: bool) -> nn.Module:
    return nn.Identity() if folded else nn.BatchNorm2d(channels)


class _Block(nn.Module):
    def __init__(self, channels: int, folded: bool) -> None:
        super().__init__()
        self.first = _convolution(channels, channels, folded)
        self.first_norm = _norm(channels, folded)
        self.second = _convolution(channels, channels, folded)
        self.second_norm = _norm(channels, folded)
        if not folded:  # a new block passes its input on unchanged
            nn.init.zeros_(self.second_norm.weight)

    def forward(self, x: Tensor) -> Tensor:
        y = torch.relu(self.first_norm(self.first(x)))
        return torch.relu(self.second_norm(self.second(y)) + x)


class ResidualNetwork(nn.Module):
    """Convolutions in residual blocks, then one hidden dense layer.

    `folded` makes the form for inference, in which every batch norm is part of its convolution.
    """

    kind = "residual"

    def __init__(
        self,
        shape: NetworkShape,
        channels: int,
        blocks: int,
        hidden: int = 128,
        *,
        folded: bool = False,
    ) -> None:
        super().__init__()
        planes, rows, columns = shape.planes
        self.network_shape = shape
        self.channels, self.hidden, self.folded = channels, hidden, folded
        self.first = _convolution(planes, channels, folded)
        self.first_norm = _norm(channels, folded)
        # By row, column and channel: added in the memory order of channels_last without a copy.
        self.position = nn.Parameter(torch.zeros(shape.players, rows * columns * channels))
        self.blocks = nn.ModuleList(_Block(channels, folded) for _ in range(blocks))
        self.dense = nn.Linear(shape.cells * channels, hidden)
        self.value = nn.Linear(hidden, shape.outputs)
        for module in self.modules():
            if isinstance(module, nn.Conv2d | nn.Linear):
                nn.init.kaiming_normal_(module.weight, nonlinearity="relu")
                if module.bias is not None:
                    nn.init.zeros_(module.bias)
        nn.init.normal_(self.value.weight, std=0.01)

    @property
    def settings(self) -> dict[str, Any]:
        """What the network is built from, as in its file."""
        return {"channels": self.channels, "blocks": len(self.blocks), "hidden": self.hidden}

    def forward(self, planes: Tensor, movers: Tensor) -> Tensor:
        """The values, (N, outputs), of states given as (N, P, H, W) planes and (N,) movers."""
        x = self.first_norm(self.first(planes))
        x = torch.relu(x + self._bias_of(movers, x))
        for block in self.blocks:
            x = block(x)
        x = torch.relu(self.dense(x.permute(0, 2, 3, 1).flatten(1)))
        # The last layer in single precision, also where the others run in half precision: there
        # the values of similar states would round to the same number.
        x = (x.float().unsqueeze(1) * self.value.weight.float()).sum(2) + self.value.bias.float()
        return torch.tanh(x)

    def _bias_of(self, movers: Tensor, like: Tensor) -> Tensor:
        # As a product, because the gradient of indexing adds the batch up into few rows slowly.
        chosen = one_hot(movers, self.network_shape.players).to(like.dtype)
        bias = chosen @ self.position.to(like.dtype)
        return bias.view(-1, *like.shape[2:], self.channels).permute(0, 3, 1, 2)


def fold(network: ResidualNetwork) -> ResidualNetwork:
    """A copy for inference, on the same device, with every batch norm part of its convolution."""
    device = network.position.device
    settings = network.settings
    with torch.random.fork_rng(devices=[]):  # a copy must not advance the run's random numbers
        copy = ResidualNetwork(network.network_shape, **settings, folded=True).to(device).eval()
    if network.folded:
        copy.load_state_dict(network.state_dict())
        return copy
    with torch.no_grad():
        _fold_into(copy.first, network.first, network.first_norm)
        for folded, block in zip(copy.blocks, network.blocks, strict=True):
            _fold_into(folded.first, block.first, block.first_norm)
            _fold_into(folded.second, block.second, block.second_norm)
        copy.position.copy_(network.position)
        copy.dense.load_state_dict(network.dense.state_dict())
        copy.value.load_state_dict(network.value.state_dict())
    return copy


def _fold_into(folded: nn.Conv2d, convolution: nn.Conv2d, norm: Any) -> None:
    """Write the weights of a convolution and its batch norm into one convolution."""
    factor = norm.weight / torch.sqrt(norm.running_var + norm.eps)
    assert folded.bias is not None
    folded.weight.copy_(convolution.weight * factor[:, None, None, None])
    folded.bias.copy_(norm.bias - norm.running_mean * factor)
