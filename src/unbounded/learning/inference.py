# SPDX-License-Identifier: MIT
"""A network frozen for evaluating batches of states: fast, asynchronous on a GPU."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from unbounded.game import require
from unbounded.learning.networks.choosing import kind_of, shape_in
from unbounded.learning.networks.residual import ResidualNetwork, copy_folded, fold
from unbounded.learning.networks.shape import NetworkShape

STEP = 2048
"""On a GPU, batches are filled up to a power of two, above this to a multiple of it."""
WARM_UPS = 3


def placed(module: nn.Module, device: torch.device) -> nn.Module:
    """A module on the device, convolutions in the memory order that is fastest there."""
    moved: nn.Module = module.to(device)
    return moved.to(memory_format=torch.channels_last)


def as_boards(planes: Tensor, shape: NetworkShape) -> Tensor:
    """Planes of any type and layout as (N, P, H, W) floats, in memory by channels last."""
    boards = planes.view(-1, *shape.planes)
    dtype = boards.dtype if boards.is_floating_point() else torch.float32
    return boards.to(dtype, memory_format=torch.channels_last)


def inference_form(module: nn.Module) -> nn.Module:
    """A copy for inference: batch norms folded where the network is ours, no gradients."""
    if isinstance(module, ResidualNetwork):
        return fold(module).requires_grad_(False)
    return copy.deepcopy(module).eval().requires_grad_(False)


@dataclass(frozen=True)
class Pending:
    """Values that are on their way to the CPU."""

    event: Any = None

    def wait(self) -> None:
        """Return when the values are there, and the inputs may be overwritten."""
        if self.event is not None:
            self.event.synchronize()


class Inference:
    """A network for evaluating batches of at most `batch_size` states.

    On a GPU it has a stream of its own, half precision, and a CUDA graph per size of batch: use
    it in one thread at a time.
    """

    def __init__(self, module: nn.Module, device: str, batch_size: int) -> None:
        require(batch_size >= 1, f"batch_size must be at least 1, not {batch_size}")
        self.device = torch.device(device)
        self.batch_size = batch_size
        self.shape = shape_in(module)
        self._source = module
        self._module = placed(inference_form(module), self.device)
        self._gpu = None if self.device.type == "cpu" else _GraphRunner(self)
        self.stream = self._gpu.stream if self._gpu else None

    def refresh(self, module: nn.Module | None = None) -> None:
        """Take over the present weights of the network, or of another one of the same form."""
        self._source = self._source if module is None else module
        if self._gpu:
            self._gpu.take_over(self._source)
        else:
            _copy_weights(self._source, self._module)

    def __call__(self, planes: Tensor, movers: Tensor) -> Tensor:
        """The values, float32 (N, outputs), on the device.

        planes: (N, inputs), float32, or uint8 if they are integers; movers: (N,) uint8. On a GPU
        both are best in pinned memory; the result may be used on the current stream at once, and
        the inputs must not change before it is there.
        """
        self._check(planes, movers)
        if self._gpu is None:
            return self.forward(planes, movers)
        values = self._gpu.evaluate(planes, movers)
        current = torch.cuda.current_stream(self.device)
        current.wait_stream(self._gpu.stream)
        values.record_stream(current)
        return values

    def into(self, planes: Tensor, movers: Tensor, out: Tensor) -> Pending:
        """Evaluate into `out`, (N, outputs) on the CPU, which is complete after `wait()`."""
        self._check(planes, movers)
        if self._gpu is None:
            out.copy_(self.forward(planes, movers))
            return Pending()
        values = self._gpu.evaluate(planes, movers)
        with torch.cuda.stream(self._gpu.stream):
            out.copy_(values, non_blocking=True)
            event = torch.cuda.Event()
            event.record()
        return Pending(event)

    def _check(self, planes: Tensor, movers: Tensor) -> None:
        require(
            1 <= len(planes) == len(movers) <= self.batch_size,
            f"a batch has from 1 to {self.batch_size} states: here are planes of {len(planes)} "
            f"and movers of {len(movers)}",
        )

    @torch.inference_mode()
    def forward(self, planes: Tensor, movers: Tensor) -> Tensor:
        """Evaluate tensors that are on the device."""
        boards = as_boards(planes, self.shape)
        values: Tensor = self._module(boards, movers.long())
        return values.float()


@torch.no_grad()
def _copy_weights(source: nn.Module, target: nn.Module) -> None:
    """Overwrite the weights of a copy for inference in place: CUDA graphs point at them."""
    if isinstance(source, ResidualNetwork):
        copy_folded(source, target)
        return
    for new, old in (
        (source.parameters(), target.parameters()),
        (source.buffers(), target.buffers()),
    ):
        for given, tensor in zip(new, old, strict=True):
            tensor.copy_(given)


# -- on a GPU -------------------------------------------------------------------------------------


class _GraphRunner:
    """Runs an `Inference` on a GPU: fixed input buffers, and a CUDA graph per size of batch."""

    def __init__(self, inference: Inference) -> None:
        self._inference = inference
        self._device = inference.device
        # Ahead of training on the same GPU: games wait for their values.
        self.stream = torch.cuda.Stream(self._device, priority=-1)
        self._kind = kind_of(inference._module)
        if isinstance(inference._module, ResidualNetwork):
            _to_half(inference._module)
            _use_fused_kernels(inference._module, inference)
        self._buffers: dict[torch.dtype, Tensor] = {}
        self._movers = torch.zeros(
            filled_up(inference.batch_size), dtype=torch.uint8, device=self._device
        )
        self._graphs: dict[tuple[int, torch.dtype], tuple[Any, Tensor]] = {}
        self._pool = torch.cuda.graph_pool_handle()
        # What was written above, on the current stream, is read on ours.
        self.stream.wait_stream(torch.cuda.current_stream(self._device))

    def evaluate(self, planes: Tensor, movers: Tensor) -> Tensor:
        """Enqueue everything on our stream; the result is a tensor of its own."""
        count = len(planes)
        if planes.is_cuda:  # written on the caller's stream
            self.stream.wait_stream(torch.cuda.current_stream(self._device))
        with torch.cuda.stream(self.stream):
            buffer = self._buffer(planes)
            buffer[:count].copy_(planes.view(count, -1), non_blocking=True)
            self._movers[:count].copy_(movers, non_blocking=True)
            return self._values(filled_up(count), buffer)[:count].clone()

    def take_over(self, source: nn.Module) -> None:
        """Copy weights in stream order: after the training so far, before its next step."""
        current = torch.cuda.current_stream(self._device)
        self.stream.wait_stream(current)
        with torch.cuda.stream(self.stream):
            _copy_weights(source, self._inference._module)
        current.wait_stream(self.stream)

    def _buffer(self, planes: Tensor) -> Tensor:
        """The input buffer for planes of this type: bytes take a quarter of the transfer."""
        if planes.dtype not in self._buffers:
            size = (filled_up(self._inference.batch_size), self._inference.shape.inputs)
            self._buffers[planes.dtype] = torch.zeros(size, dtype=planes.dtype, device=self._device)
        return self._buffers[planes.dtype]

    def _values(self, size: int, buffer: Tensor) -> Tensor:
        if self._kind == "module":  # code of the user may do what a graph cannot record
            return self._run(size, buffer)
        graph, values = self._graph(size, buffer)
        graph.replay()
        return values

    def _graph(self, size: int, buffer: Tensor) -> tuple[Any, Tensor]:
        """The graph for batches of this size and type, captured at its first use."""
        key = (size, buffer.dtype)
        if key not in self._graphs:
            for _ in range(WARM_UPS):  # libraries choose their kernels before the capture
                self._run(size, buffer)
            graph = torch.cuda.CUDAGraph()
            # All graphs run on one stream, one after the other: they can share their memory.
            with torch.cuda.graph(
                graph, self._pool, self.stream, capture_error_mode="thread_local"
            ):
                values = self._run(size, buffer)
            self._graphs[key] = graph, values
        return self._graphs[key]

    def _run(self, size: int, buffer: Tensor) -> Tensor:
        planes = buffer[:size]
        if self._kind == "residual":
            return self._inference.forward(planes.half(), self._movers[:size])
        # A network of the user keeps its weights; PyTorch chooses what runs in half precision.
        half = self._kind == "module"
        with torch.autocast("cuda", torch.float16, enabled=half, cache_enabled=False):
            return self._inference.forward(planes, self._movers[:size])


def _to_half(module: ResidualNetwork) -> None:
    """Half precision, except for the last layer."""
    for name, part in module.named_children():
        if name != "value":
            part.half()
    module.position.data = module.position.data.half()


@torch.no_grad()
def _use_fused_kernels(network: ResidualNetwork, inference: Inference) -> None:
    """Use cuDNN's fused kernels if it has them for this network, and they give the same values."""
    torch.backends.cudnn.benchmark = True  # few sizes of batches: choosing kernels by time pays
    device = inference.device
    planes = torch.rand(64, inference.shape.inputs, device=device).half()
    movers = torch.zeros(64, dtype=torch.uint8, device=device)
    plain = inference.forward(planes, movers)
    network.set_fused(True)
    try:
        same = torch.allclose(plain, inference.forward(planes, movers), atol=0.02)
    except RuntimeError:
        same = False
    network.set_fused(same)


def filled_up(count: int) -> int:
    """The size of the batch in which `count` states are evaluated on a GPU."""
    if count > STEP:
        return -(-count // STEP) * STEP
    return 1 << (count - 1).bit_length()
