# SPDX-License-Identifier: MIT
"""How well a network agrees with what self-play proves, before it learns that.

The values are exact: the one yardstick that every game has, at little cost. It follows the games
of self-play, which change while the network learns, and a state may have been met in earlier games.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import nn

from unbounded import native
from unbounded.learning.inference import as_boards
from unbounded.learning.networks.shape import NetworkShape
from unbounded.learning.replay import Lessons, relative

RESOLVED = 1
"""The kind of a lesson whose value is proven, of a state that is not terminal."""
MOST_STATES = 4096
PER_TURN = 256


@dataclass(frozen=True)
class Agreed:
    """A comparison with proven values, for the player to move."""

    states: int
    sign: float
    """Share of the states whose outcome the network knows: won, drawn or lost."""
    error: float
    """Mean absolute difference, in units of the outputs."""


class Agreement:
    """Compares the network with proven states at the moment when self-play delivers them."""

    def __init__(
        self, shape: NetworkShape, inputs: native.NetworkInputs, least_win: float, seed: int
    ) -> None:
        """least_win: what a win is worth at least; an output of less than half of it is a draw."""
        self._shape, self._inputs, self._draw = shape, inputs, least_win / 2
        self._random = np.random.default_rng(seed)
        self.forget()

    def forget(self) -> None:
        """Begin anew."""
        self._said: list[np.ndarray[Any, Any]] = []
        self._exact: list[np.ndarray[Any, Any]] = []
        self._count = 0

    def compare(self, lessons: Lessons, module: nn.Module, device: torch.device) -> None:
        """Evaluate some of the proven states of finished games; call this before they are learned.

        The answers are kept, not the states: later the network may have learned them.
        """
        proven = np.flatnonzero(lessons["kinds"] == RESOLVED)
        room = min(PER_TURN, MOST_STATES - self._count)
        if room <= 0 or len(proven) == 0:
            return
        drawn = self._random.choice(proven, size=min(room, len(proven)), replace=False)
        count = len(lessons["kinds"])
        states = lessons["states"].reshape(count, -1)[drawn]
        planes = np.empty((len(drawn), self._shape.inputs), dtype=np.float32)
        movers = np.empty(len(drawn), dtype=np.uint8)
        self._inputs.write(np.ascontiguousarray(states).ravel(), None, planes, movers)
        values = lessons["values"].reshape(count, -1)[drawn]
        with torch.inference_mode():
            boards = as_boards(torch.from_numpy(planes).to(device), self._shape)
            outputs = module(boards, torch.from_numpy(movers).to(device).long())
        self._said.append(outputs[:, 0].float().cpu().numpy())
        self._exact.append(relative(values, movers, self._shape)[:, 0])
        self._count += len(drawn)

    def measure(self) -> Agreed | None:
        """Sum up the comparisons since the last call; None if there were none."""
        if self._count == 0:
            return None
        said, exact = np.concatenate(self._said), np.concatenate(self._exact)
        self.forget()
        same = self._outcomes(said) == self._outcomes(exact)
        return Agreed(len(said), float(same.mean()), float(np.abs(said - exact).mean()))

    def _outcomes(self, values: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        return np.where(np.abs(values) < self._draw, 0, np.sign(values))
