# SPDX-License-Identifier: MIT
"""The states that are learned from: those of the newest games, on the device of the training.

A state is encoded once, as one of its images under the game's symmetries, drawn at random. It is
drawn for training a bounded number of times, on average.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor

from unbounded import native
from unbounded.game import RuleError
from unbounded.learning.networks.shape import NetworkShape

Lessons = dict[str, "np.ndarray[Any, Any]"]
"""What games that are over teach, as arrays; see `Lessons` of core/selfplay/game.h."""


class Replay:
    """A ring of the newest states, with their targets."""

    def __init__(
        self,
        shape: NetworkShape,
        inputs: native.NetworkInputs,
        capacity: int,
        device: str,
        *,
        symmetries: int,
        as_bytes: bool,
        seed: int,
        threads: int = 1,
    ) -> None:
        """as_bytes: begin with a byte per number, for planes that hold only small integers."""
        self.shape, self.capacity, self.device = shape, capacity, torch.device(device)
        self.size = self.added = 0
        self._at = 0
        self._inputs, self._symmetries, self._threads = inputs, symmetries, threads
        self._random = np.random.default_rng(seed)
        self._draws = torch.Generator(device=self.device).manual_seed(seed)
        dtype = torch.uint8 if as_bytes else torch.float32
        self._planes = torch.empty((capacity, shape.inputs), dtype=dtype, device=self.device)
        self._movers = torch.empty(capacity, dtype=torch.uint8, device=self.device)
        self._targets = torch.empty((capacity, shape.outputs), device=self.device)

    def add(self, lessons: Lessons) -> int:
        """Add the states of finished games; the oldest make room. Returns how many were added."""
        count = len(lessons["kinds"])
        if count == 0:
            return 0
        images = None
        if self._symmetries > 1:
            images = self._random.integers(0, self._symmetries, count, dtype=np.uint8)
        movers = self._room((count,), torch.uint8)
        planes = self._encoded(lessons["states"], images, movers)
        targets = self._room((count, self.shape.outputs), torch.float32)
        values = lessons["values"].reshape(count, -1)
        targets.numpy()[:] = relative(values, movers.numpy(), self.shape)
        for start in range(0, count, self.capacity):
            piece = slice(start, start + self.capacity)
            self._store(planes[piece], movers[piece], targets[piece])
        self.added += count
        return count

    def _room(self, size: tuple[int, ...], dtype: torch.dtype) -> Tensor:
        """Memory on the CPU from which the device can copy while the CPU goes on."""
        return torch.empty(size, dtype=dtype, pin_memory=self.device.type == "cuda")

    def _encoded(
        self, states: np.ndarray[Any, Any], images: np.ndarray[Any, Any] | None, movers: Tensor
    ) -> Tensor:
        """Planes as bytes while nothing is lost by that, and else as floats, from then on."""
        size = (len(movers), self.shape.inputs)
        if self._planes.dtype == torch.uint8:
            planes = self._room(size, torch.uint8)
            given = (states, images, planes.numpy(), movers.numpy())
            if self._inputs.write_bytes(*given, self._threads):
                return planes
            self._planes = self._planes.float()
        planes = self._room(size, torch.float32)
        self._inputs.write(states, images, planes.numpy(), movers.numpy(), self._threads)
        if not torch.isfinite(planes).all():
            raise RuleError(f"{self.shape.game}: encode returned a number that is not finite")
        return planes

    def _store(self, *arrays: Tensor) -> None:
        stored = (self._planes, self._movers, self._targets)
        count, done = len(arrays[0]), 0
        while done < count:  # at the end of the ring, the rest goes to its beginning
            part = min(count - done, self.capacity - self._at)
            for whole, array in zip(stored, arrays, strict=True):
                # After the training that is under way, without waiting for it here.
                rows = whole[self._at : self._at + part]
                rows.copy_(array[done : done + part], non_blocking=True)
            self.size = max(self.size, self._at + part)
            self._at = (self._at + part) % self.capacity
            done += part

    def sample(self, count: int) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Planes, movers, targets and weights of states drawn at random."""
        rows = torch.randint(self.size, (count,), generator=self._draws, device=self.device)
        weights = torch.ones(count, device=self.device)
        # Copies whole rows; indexing by `rows` would copy number after number.
        stored = (self._planes, self._movers, self._targets)
        planes, movers, targets = (x.index_select(0, rows) for x in stored)
        return planes, movers, targets, weights

    def clear(self) -> None:
        """Forget all states."""
        self.size = self._at = 0

    def random_state(self) -> dict[str, Any]:
        """For resuming; the states themselves are not kept."""
        return {"draws": self._draws.get_state(), "images": self._random.bit_generator.state}

    def set_random_state(self, state: dict[str, Any]) -> None:
        """Go on with the random numbers of a saved run."""
        self._draws.set_state(state["draws"].cpu())
        self._random.bit_generator.state = state["images"]


def joined(parts: list[Lessons]) -> Lessons:
    """States that several groups of games taught, as one."""
    names = ("states", "values", "kinds")
    return {name: np.concatenate([part[name] for part in parts]) for name in names}


def relative(
    values: np.ndarray[Any, Any], movers: np.ndarray[Any, Any], shape: NetworkShape
) -> np.ndarray[Any, Any]:
    """Turn values per player into a network's targets: from the mover on, in units of its scale."""
    columns = (movers[:, None].astype(np.int64) + np.arange(shape.outputs)) % shape.players
    targets = np.take_along_axis(values, columns, axis=1) / shape.scale
    return np.clip(targets, -1.0, 1.0).astype(np.float32)
