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


_GEOMETRY = ((1, 1), (1, 1), (1, 1), 1)
"""Of every convolution: stride, padding, dilation, groups."""


class _Block(nn.Module):
    def __init__(self, channels: int, folded: bool) -> None:
        super().__init__()
        self.first = _convolution(channels, channels, folded)
        self.first_norm = _norm(channels, folded)
        self.second = _convolution(channels, channels, folded)
        self.second_norm = _norm(channels, folded)
        self.fused = False
        """Whether cuDNN adds the bias and the input and applies ReLU within a convolution."""
        if not folded:  # a new block passes its input on unchanged
            nn.init.zeros_(self.second_norm.weight)

    def forward(self, x: Tensor) -> Tensor:
        if self.fused:
            y = torch.cudnn_convolution_relu(x, self.first.weight, self.first.bias, *_GEOMETRY)
            second = self.second.weight, x, 1.0, self.second.bias
            return torch.cudnn_convolution_add_relu(y, *second, *_GEOMETRY)
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

    def set_fused(self, fused: bool) -> None:
        """Use cuDNN's fused kernels or not; only in the folded form, on a GPU."""
        assert self.folded
        for block in self.blocks:
            block.fused = fused

    def _bias_of(self, movers: Tensor, like: Tensor) -> Tensor:
        # As a product, because the gradient of indexing adds the batch up into few rows slowly.
        chosen = one_hot(movers, self.network_shape.players).to(like.dtype)
        bias = chosen @ self.position.to(like.dtype)
        return bias.view(-1, *like.shape[2:], self.channels).permute(0, 3, 1, 2)


def fold(network: ResidualNetwork) -> ResidualNetwork:
    """A copy for inference, on the same device, with every batch norm part of its convolution."""
    with torch.random.fork_rng(devices=[]):  # a copy must not advance the run's random numbers
        copy = ResidualNetwork(network.network_shape, **network.settings, folded=True)
    copy.to(network.position.device).eval()
    copy_folded(network, copy)
    return copy


@torch.no_grad()
def copy_folded(network: ResidualNetwork, folded: ResidualNetwork) -> None:
    """Overwrite the weights of the folded form in place, whatever their precision."""
    if network.folded:
        given = network.state_dict()
        for name, tensor in folded.state_dict().items():
            tensor.copy_(given[name])
        return
    _fold_into(folded.first, network.first, network.first_norm)
    for block, given in zip(folded.blocks, network.blocks, strict=True):
        _fold_into(block.first, given.first, given.first_norm)
        _fold_into(block.second, given.second, given.second_norm)
    for name in ("position", "dense.weight", "dense.bias", "value.weight", "value.bias"):
        folded.get_parameter(name).copy_(network.get_parameter(name))


def _fold_into(folded: nn.Conv2d, convolution: nn.Conv2d, norm: Any) -> None:
    """Write the weights of a convolution and its batch norm into one convolution."""
    factor = norm.weight / torch.sqrt(norm.running_var + norm.eps)
    assert folded.bias is not None
    folded.weight.copy_(convolution.weight * factor[:, None, None, None])
    folded.bias.copy_(norm.bias - norm.running_mean * factor)
