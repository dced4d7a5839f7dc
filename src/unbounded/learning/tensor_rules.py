# SPDX-License-Identifier: MIT
"""The rules of a game on tensors of PyTorch: thousands of states at once, on a GPU or a CPU."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import torch

from unbounded.game import RecordGame, UsageError
from unbounded.native.cuda_rules import CudaRules, LoopRules, from_gpu, to_gpu
from unbounded.native.kernels import OVER


@dataclass(frozen=True)
class Children:
    """All children of some states: child k of state i is in row offsets[i] + k."""

    actions: torch.Tensor
    """int32, states x max_actions: the actions of each state."""
    counts: torch.Tensor
    """int32: how many there are."""
    offsets: torch.Tensor
    """int64: where the children of each state begin."""
    parents: torch.Tensor
    """int64, one per child: the number of its parent."""
    states: torch.Tensor
    """The children, as rows of bytes."""
    movers: torch.Tensor
    """int64: who moves in each child; -1 where the game is over."""
    outcomes: torch.Tensor
    """int32, children x players: the outcome where the game is over, else 0."""
    scores: torch.Tensor
    """float32, children x players: the score where the game is over, else 0."""

    @property
    def over(self) -> torch.Tensor:
        """Which children end the game."""
        return self.movers == OVER


class TensorRules:
    """The rules of a game, compiled for a device. States are tensors of bytes, a row for each."""

    def __init__(self, game: RecordGame, device: str = "cuda") -> None:
        if not isinstance(game, RecordGame):
            raise UsageError(f"{game}: rules run on tensors for games whose states are records")
        self.game, self.device = game, torch.device(device)
        on_gpu = self.device.type == "cuda"
        self._rules = CudaRules(game) if on_gpu else LoopRules(game)

    def states(self, packed: bytes) -> torch.Tensor:
        """Return states that are packed one after another."""
        return torch.from_numpy(to_gpu(self.game.state, packed)).to(self.device)

    def initial(self, count: int) -> torch.Tensor:
        """Return the first state of the game so many times."""
        return self.states(self.game.initial()).repeat(count, 1)

    def packed(self, states: torch.Tensor) -> bytes:
        """Return the packed bytes of states, as the rest of the package uses them."""
        return from_gpu(self.game.state, states.cpu().numpy())

    def expand(self, states: torch.Tensor) -> Children:
        """Return all children of the states; a state without actions has none."""
        count, players = len(states), self.game.players
        actions = self._empty((count, self.game.max_actions), torch.int32)
        counts = self._empty((count,), torch.int32)
        self._rules.list_actions(*self._given(states, actions, counts), stream=self._stream())
        ends = counts.cumsum(0, dtype=torch.int64)
        offsets, rows = ends - counts, int(ends[-1]) if count else 0
        numbers = torch.arange(count, device=self.device)
        parents = torch.repeat_interleave(numbers, counts.long(), output_size=rows)
        children = self._empty((rows, self._rules.state_bytes), torch.uint8)
        movers = self._empty((rows,), torch.int64)
        outcomes = self._empty((rows, players), torch.int32)
        scores = self._empty((rows, players), torch.float32)
        known = (states, actions, counts, offsets)
        written = (children, movers, outcomes, scores)
        self._rules.make_children(*self._given(*known, *written), stream=self._stream())
        return Children(actions, counts, offsets, parents, *written)

    def encode(self, states: torch.Tensor) -> torch.Tensor:
        """Return the planes of the states: float32, states x planes x rows x columns."""
        if self.game.planes is None:
            raise UsageError(f"{self.game} has no planes; give it a rule 'encode'")
        planes = self._empty((len(states), math.prod(self.game.planes)), torch.float32)
        self._rules.encode(*self._given(states, planes), stream=self._stream())
        return planes.view(len(states), *self.game.planes)

    def random_images(self, states: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
        """Return each state under one of the symmetries of the board, chosen at random."""
        if self.game.symmetries == 1:
            return states
        images = torch.randint(
            self.game.symmetries, (len(states),), generator=generator, device=self.device
        )
        made = torch.empty_like(states)
        given = self._given(states, images.int(), made)
        self._rules.make_images(*given, stream=self._stream())
        return made

    def _empty(self, shape: tuple[int, ...], kind: torch.dtype) -> torch.Tensor:
        return torch.empty(shape, dtype=kind, device=self.device)

    def _given(self, *tensors: torch.Tensor) -> list[Any]:
        """Return tensors as the kernels take them, in the same memory."""
        tensors = tuple(tensor.contiguous() for tensor in tensors)
        return list(tensors) if self.device.type == "cuda" else [x.numpy() for x in tensors]

    def _stream(self) -> int:
        """Return PyTorch's stream, so that kernels run between its own."""
        if self.device.type != "cuda":
            return 0
        return int(torch.cuda.current_stream(self.device).cuda_stream)
