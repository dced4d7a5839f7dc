# SPDX-License-Identifier: MIT
"""Training by PyTorch: any network on any device, with a moving average of the weights."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, nn

from unbounded.learning.inference import as_boards
from unbounded.learning.networks.choosing import shape_in
from unbounded.learning.training import Trainer, TrainingSettings

EAGER_STEPS = 3
"""Steps of a batch size before its CUDA graph is captured: libraries choose their kernels then."""
EARLY_STEPS = 100
AVERAGING_INTERVAL = 10
"""Steps between two averages of the weights, after the early steps."""


class TorchTrainer(Trainer):
    """A network in training by Adam.

    On a GPU everything runs on the caller's current stream, and nothing waits for it except
    `check`, `state_dict` and every `check_every`-th step.
    """

    def __init__(
        self,
        module: nn.Module,
        device: str = "cpu",
        settings: TrainingSettings | None = None,
        seed: int = 0,
    ) -> None:
        super().__init__(module, device, settings, seed)
        self.averaged = copy.deepcopy(self.module).eval().requires_grad_(False)
        self._forward: Any = torch.compile(self.module) if self.settings.compile else self.module
        # A tensor, because a CUDA graph reads it anew in every step.
        self._rate = torch.zeros((), device=self.device)
        self._optimizer = self._make_optimizer()
        self._graphs: dict[Any, _StepGraph] = {}
        # Code of the user may do what a CUDA graph cannot record.
        on_gpu = self.device.type == "cuda"
        self._uses_graphs = on_gpu and self.settings.graphs and self.kind != "module"
        if on_gpu:
            torch.backends.cudnn.benchmark = True  # the same sizes come again and again

    def _make_optimizer(self) -> torch.optim.Optimizer:
        decayed: list[Tensor] = []
        others: list[Tensor] = []
        for name, parameter in self.module.named_parameters():
            spared = parameter.ndim < 2 or name in ("tables", "bias", "position")
            (others if spared else decayed).append(parameter)
        groups = [
            {"params": decayed, "weight_decay": self.settings.weight_decay},
            {"params": others, "weight_decay": 0.0},
        ]
        groups = [group for group in groups if group["params"]]
        on_gpu = self.device.type == "cuda"
        return torch.optim.AdamW(groups, lr=self._rate, fused=True, capturable=on_gpu)

    def _learn(self, planes: Tensor, movers: Tensor, targets: Tensor, weights: Tensor) -> None:
        self._rate.fill_(self.learning_rate)
        batch = (planes, movers, targets, weights)
        if self._uses_graphs:
            key = (len(planes), planes.dtype)
            if key not in self._graphs:
                self._graphs[key] = _StepGraph(self, batch)
            self._graphs[key].run(batch)
        else:
            self._compute(*(x.to(self.device, non_blocking=True) for x in batch))

    def _compute(self, planes: Tensor, movers: Tensor, targets: Tensor, weights: Tensor) -> None:
        """Forward, backward, clip, optimize: all on tensors of the device."""
        # Gradients are made anew, not cleared: a CUDA graph then writes instead of adding.
        self._optimizer.zero_grad(set_to_none=True)
        with self._precision():
            values = self._forward(as_boards(planes, shape_in(self.module)), movers.long())
        errors = (values.float() - targets).square().mean(1)
        loss = (errors * weights).sum() / weights.sum().clamp_min(1e-8)
        loss.backward()
        if self.kind != "ntuple":  # tables have small gradients, and are large
            nn.utils.clip_grad_norm_(self.module.parameters(), self.settings.clip)
        self._optimizer.step()
        self._loss.copy_(loss.detach())

    def _precision(self) -> Any:
        mixed = self.settings.mixed_precision and self.kind in ("residual", "module")
        on_gpu = self.device.type == "cuda"
        # Without its cache: copies of weights that it keeps would be stale in a CUDA graph.
        return torch.autocast(
            self.device.type, torch.bfloat16, enabled=mixed and on_gpu, cache_enabled=False
        )

    @torch.no_grad()
    def _update_average(self) -> None:
        """Average after every step at first, later now and then: it touches all weights."""
        interval = 1 if self.steps <= EARLY_STEPS else AVERAGING_INTERVAL
        if self.steps % interval != 0:
            return
        # Early averages forget faster: the first weights are not worth keeping.
        share = max(1 - self.settings.averaging**interval, interval / self.steps)
        old, new = list(self.averaged.parameters()), list(self.module.parameters())
        torch._foreach_lerp_(old, new, share)
        # Means of batch norms are moving averages themselves.
        buffers = list(self.module.buffers())
        if buffers:
            torch._foreach_copy_(list(self.averaged.buffers()), buffers)

    def _own_state(self) -> dict[str, Any]:
        return {
            "averaged": self.averaged.state_dict(),
            "optimizer": self._optimizer.state_dict()["state"],
        }

    def _load_own_state(self, state: Mapping[str, Any]) -> None:
        self.averaged.load_state_dict(state.get("averaged", state["module"]))
        self._graphs.clear()  # they point at the moments of before
        # The settings of the groups come from this trainer, the moments from the other.
        groups = self._optimizer.state_dict()["param_groups"]
        moments = state.get("optimizer", {})
        self._optimizer.load_state_dict({"state": moments, "param_groups": groups})
        for group in self._optimizer.param_groups:
            group["lr"] = self._rate


class _StepGraph:
    """The steps of one batch size as a CUDA graph over fixed input tensors."""

    def __init__(self, trainer: TorchTrainer, batch: tuple[Tensor, ...]) -> None:
        self._trainer = trainer
        self._inputs = tuple(torch.empty_like(x, device=trainer.device) for x in batch)
        self._steps = 0
        self._graph: Any = None

    def run(self, batch: tuple[Tensor, ...]) -> None:
        for fixed, given in zip(self._inputs, batch, strict=True):
            fixed.copy_(given, non_blocking=True)
        self._steps += 1
        if self._steps <= EAGER_STEPS:
            self._run_eagerly()
            return
        if self._graph is None:
            self._graph = torch.cuda.CUDAGraph()
            # "thread_local": another thread, of self-play, may allocate meanwhile.
            with torch.cuda.graph(self._graph, capture_error_mode="thread_local"):
                self._trainer._compute(*self._inputs)
        self._graph.replay()

    def _run_eagerly(self) -> None:
        # On a side stream, as the capture will be.
        stream, current = torch.cuda.Stream(), torch.cuda.current_stream()
        stream.wait_stream(current)
        with torch.cuda.stream(stream):
            self._trainer._compute(*self._inputs)
        current.wait_stream(stream)
