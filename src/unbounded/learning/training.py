# SPDX-License-Identifier: MIT
"""Training: one optimizer step after the other, an average of the weights, and exact resuming."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor, nn

from unbounded.game import UsageError, require
from unbounded.learning.inference import Inference, as_boards, placed
from unbounded.learning.networks.choosing import kind_of, shape_in

PEAK_LEARNING_RATES = {"ntuple": 2e-3, "dense": 5e-3, "residual": 1e-3, "module": 1e-3}
EAGER_STEPS = 3
"""Steps of a batch size before its CUDA graph is captured: libraries choose their kernels then."""


EARLY_STEPS = 100
AVERAGING_INTERVAL = 10
"""Steps between two averages of the weights, after the early steps."""


class LossNotFinite(UsageError):  # noqa: N818
    """The loss is infinite or not a number: the weights are lost, those of earlier are not."""


@dataclass(frozen=True)
class TrainingSettings:
    """How a network is trained."""

    learning_rate: float | None = None
    """The peak of the schedule; None for the default of the network's kind."""
    floor: float = 0.02
    """The learning rate at the end of the run, as a share of the peak."""
    schedule: str = "cosine"
    """How the learning rate falls with the progress of the run: cosine, linear or constant."""
    warmup_steps: int = 200
    weight_decay: float = 1e-4
    """Decoupled; not for biases, batch norms and look-up tables."""
    clip: float = 1.0
    """The largest norm of a gradient."""
    averaging: float = 0.999
    """The decay of the moving average of the weights that is played and exported."""
    check_every: int = 100
    """Steps between two tests whether the loss is finite; on a GPU each test waits for it."""
    mixed_precision: bool = True
    """On a GPU, bfloat16 where it is safe, for residual networks and your own."""
    graphs: bool = True
    """On a GPU, replay each step as a CUDA graph; not for a network of your own."""
    compile: bool = False
    """Compile the network with torch.compile: the first step takes a minute."""

    def validate(self, kind: str) -> TrainingSettings:
        """Refuse numbers that make no sense, and complete the learning rate."""
        rate = PEAK_LEARNING_RATES[kind] if self.learning_rate is None else self.learning_rate
        require(0 < rate < 1, f"learning_rate must be between 0 and 1, not {rate}")
        require(0 <= self.averaging < 1, f"averaging must be from 0 to below 1: {self.averaging}")
        require(self.schedule in SCHEDULES, f"schedule is one of {', '.join(SCHEDULES)}")
        require(self.check_every >= 1, "check_every must be at least 1")
        return replace(self, learning_rate=rate)


SCHEDULES: dict[str, Callable[[float], float]] = {
    "cosine": lambda x: (1 + math.cos(math.pi * x)) / 2,
    "linear": lambda x: 1 - x,
    "constant": lambda x: 1.0,
}


class Trainer:
    """A network in training on one device, and the moving average of its weights.

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
        self.kind = kind_of(module)
        self.settings = (settings or TrainingSettings()).validate(self.kind)
        self.device = torch.device(device)
        self.steps = 0
        self.progress = 0.0
        self.rate_factor = 1.0
        """Multiplies the learning rate; lowered after a loss that was not finite."""
        torch.manual_seed(seed)  # for random layers in a network of the user
        self.module = placed(module, self.device).train()
        self.averaged = copy.deepcopy(self.module).eval().requires_grad_(False)
        self._forward: Any = torch.compile(self.module) if self.settings.compile else self.module
        # Numbers that change from step to step are tensors, so that a CUDA graph reads them anew.
        self._rate = torch.zeros((), device=self.device)
        self._loss = torch.zeros((), device=self.device)
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

    # -- the schedule -----------------------------------------------------------------------------

    def set_progress(self, progress: float) -> None:
        """Say how much of the run is over, from 0 to 1; the learning rate follows."""
        self.progress = min(1.0, max(0.0, progress))

    @property
    def learning_rate(self) -> float:
        """The learning rate of the next step."""
        settings = self.settings
        assert settings.learning_rate is not None
        warm = min(1.0, (self.steps + 1) / max(1, settings.warmup_steps))
        falling = SCHEDULES[settings.schedule](self.progress)
        share = settings.floor + (1 - settings.floor) * falling
        return settings.learning_rate * self.rate_factor * warm * share

    # -- a step -----------------------------------------------------------------------------------

    def step(self, planes: Tensor, movers: Tensor, targets: Tensor, weights: Tensor) -> Tensor:
        """Train on one batch; returns the loss on the device, without waiting for it.

        planes: (N, inputs) or (N, P, H, W), float32 or uint8. movers: (N,). targets: (N, outputs),
        in units of the outputs. weights: (N,). All on the CPU (best in pinned memory, which must
        not change before the step is over) or on the device.
        """
        self._rate.fill_(self.learning_rate)
        batch = (planes, movers, targets, weights)
        if self._uses_graphs:
            key = (len(planes), planes.dtype)
            if key not in self._graphs:
                self._graphs[key] = _StepGraph(self, batch)
            self._graphs[key].run(batch)
        else:
            self._compute(*(x.to(self.device, non_blocking=True) for x in batch))
        self.steps += 1
        self._update_average()
        if self.steps % self.settings.check_every == 0:
            self.check()
        return self._loss.clone()

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

    def check(self) -> None:
        """Raise `LossNotFinite` if the last loss or a weight is infinite or not a number."""
        with torch.no_grad():
            norms = torch.stack(torch._foreach_norm(list(self.module.parameters())))
        if not bool(torch.isfinite(norms.sum() + self._loss)):
            raise LossNotFinite(
                f"the loss is {float(self._loss)} after {self.steps} steps, and the weights are "
                f"{'' if bool(torch.isfinite(norms).all()) else 'not '}finite: a target is not "
                f"finite, or the learning rate {self.settings.learning_rate} is too high"
            )

    # -- the average in use ----------------------------------------------------------------------

    def inference(self, batch_size: int) -> Inference:
        """The averaged network for evaluating batches; `refresh()` brings it up to date."""
        return Inference(self.averaged, str(self.device), batch_size)

    # -- resuming ---------------------------------------------------------------------------------

    def state_dict(self) -> dict[str, Any]:
        """Everything that the next steps depend on; refused if the loss is not finite."""
        self.check()
        on_gpu = self.device.type == "cuda"
        state = {
            "kind": self.kind,
            "steps": self.steps,
            "progress": self.progress,
            "loss": self._loss,
            "module": self.module.state_dict(),
            "averaged": self.averaged.state_dict(),
            "optimizer": self._optimizer.state_dict()["state"],
            "random": torch.get_rng_state(),
            "cuda_random": torch.cuda.get_rng_state(self.device) if on_gpu else None,
        }
        return _copied(state)

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on from where `state_dict` was taken."""
        require(
            state["kind"] == self.kind,
            f"the saved training is of a network of kind {state['kind']}, not {self.kind}",
        )
        try:
            self.module.load_state_dict(state["module"])
            self.averaged.load_state_dict(state["averaged"])
        except RuntimeError as error:
            raise UsageError(f"the saved training is of another network: {error}") from error
        # The settings of the groups come from this trainer, the moments from the other.
        groups = self._optimizer.state_dict()["param_groups"]
        self._optimizer.load_state_dict({"state": state["optimizer"], "param_groups": groups})
        for group in self._optimizer.param_groups:
            group["lr"] = self._rate
        self.steps, self.progress = state["steps"], state["progress"]
        self._loss.copy_(state["loss"])
        self._graphs.clear()  # they point at the moments of before
        torch.set_rng_state(state["random"].cpu())
        if state["cuda_random"] is not None and self.device.type == "cuda":
            torch.cuda.set_rng_state(state["cuda_random"].cpu(), self.device)


class _StepGraph:
    """The steps of one batch size as a CUDA graph over fixed input tensors."""

    def __init__(self, trainer: Trainer, batch: tuple[Tensor, ...]) -> None:
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


def _copied(state: Any) -> Any:
    """Copies of all tensors, so that later steps do not change what was saved."""
    if isinstance(state, Tensor):
        return state.detach().clone()
    if isinstance(state, dict):
        return {key: _copied(value) for key, value in state.items()}
    return state
