# SPDX-License-Identifier: MIT
"""Training: how fast, for how long, and what every way of training a network has in common."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor, nn

from unbounded.game import UsageError, require
from unbounded.learning.inference import Inference, placed
from unbounded.learning.networks.choosing import kind_of

PEAK_LEARNING_RATES = {"ntuple": 2e-3, "dense": 5e-3, "residual": 1e-3, "module": 1e-3}


class LossNotFinite(UsageError):  # noqa: N818
    """The loss is infinite or not a number: the weights are lost, those of earlier are not."""


@dataclass(frozen=True)
class TrainingSettings:
    """How a network is trained. The core heeds the learning rate and `check_every` alone."""

    learning_rate: float | None = None
    """The peak of the schedule; None for the default of the network and its trainer."""
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

    def validate(self, peak: float) -> TrainingSettings:
        """Refuse numbers that make no sense, and complete the learning rate."""
        rate = peak if self.learning_rate is None else self.learning_rate
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


class Trainer(ABC):
    """A network in training on one device, and the weights of it that are played with."""

    averaged: nn.Module
    """What is played with and exported: an average of the weights where there is one, which is
    better than those of the last step."""

    def __init__(
        self,
        module: nn.Module,
        device: str = "cpu",
        settings: TrainingSettings | None = None,
        seed: int = 0,
    ) -> None:
        self.kind = kind_of(module)
        self.settings = (settings or TrainingSettings()).validate(self.peak_learning_rate)
        self.device = torch.device(device)
        self.steps = 0
        self.progress = 0.0
        self.rate_factor = 1.0
        """Multiplies the learning rate; lowered after a loss that was not finite."""
        torch.manual_seed(seed)  # for random layers in a network of the user
        self.module = placed(module, self.device).train()
        self._loss = torch.zeros((), device=self.device)

    @property
    def peak_learning_rate(self) -> float:
        """If the settings have none."""
        return PEAK_LEARNING_RATES[self.kind]

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
        self._learn(planes, movers, targets, weights)
        self.steps += 1
        self._update_average()
        if self.steps % self.settings.check_every == 0:
            self.check()
        return self._loss.clone()

    @abstractmethod
    def _learn(self, planes: Tensor, movers: Tensor, targets: Tensor, weights: Tensor) -> None:
        """Change the weights once, and note the loss."""

    @abstractmethod
    def _update_average(self) -> None:
        """Bring `averaged` up to date after a step."""

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
        """What is played with, for evaluating batches; `refresh()` brings it up to date."""
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
            "random": torch.get_rng_state(),
            "cuda_random": torch.cuda.get_rng_state(self.device) if on_gpu else None,
            **self._own_state(),
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
            self._load_own_state(state)
        except RuntimeError as error:
            raise UsageError(f"the saved training is of another network: {error}") from error
        self.steps, self.progress = state["steps"], state["progress"]
        self._loss.copy_(state["loss"])
        torch.set_rng_state(state["random"].cpu())
        if state["cuda_random"] is not None and self.device.type == "cuda":
            torch.cuda.set_rng_state(state["cuda_random"].cpu(), self.device)

    @abstractmethod
    def _own_state(self) -> dict[str, Any]:
        """What else the next steps depend on."""

    @abstractmethod
    def _load_own_state(self, state: Mapping[str, Any]) -> None:
        """Take over what `_own_state` returned, possibly of another way of training."""


def _copied(state: Any) -> Any:
    """Copies of all tensors, so that later steps do not change what was saved."""
    if isinstance(state, Tensor):
        return state.detach().clone()
    if isinstance(state, dict):
        return {key: _copied(value) for key, value in state.items()}
    if isinstance(state, list):
        return [_copied(value) for value in state]
    return state
