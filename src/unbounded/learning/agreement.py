# SPDX-License-Identifier: MIT
"""How well a network agrees with what self-play proves, before it learns that.

The values are exact: the one yardstick that every game has, at little cost. It follows the games
of self-play, which change while the network learns, and a state may have been met in earlier games.
"""

from __future__ import annotations

from collections import deque
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
PER_TURN = 256
"""States that are compared at once."""
TURNS = 16
"""Comparisons that count: the latest, so that what a network said long ago is forgotten."""
TURNS_PER_GENERATION = 2 * TURNS
"""More would make a GPU wait for the answers."""


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
        self,
        shape: NetworkShape,
        inputs: native.NetworkInputs,
        least_win: float,
        seed: int,
        every: float = 0,
    ) -> None:
        """least_win: what a win is worth at least; an output of less than half of it is a draw.

        every: states that self-play delivers between one comparison and the next.
        """
        self._shape, self._inputs, self._draw = shape, inputs, least_win / 2
        self._every = every
        self._random = np.random.default_rng(seed)
        self.forget()

    def forget(self) -> None:
        """Begin anew."""
        self._said: deque[np.ndarray[Any, Any]] = deque(maxlen=TURNS)
        self._exact: deque[np.ndarray[Any, Any]] = deque(maxlen=TURNS)
        self._delivered = 0

    def compare(self, lessons: Lessons, module: nn.Module, device: torch.device) -> None:
        """Evaluate some of the proven states of finished games; call this before they are learned.

        The answers are kept, not the states: later the network may have learned them.
        """
        count = len(lessons["kinds"])
        self._delivered += count
        if self._delivered < self._every:
            return
        proven = np.flatnonzero(lessons["kinds"] == RESOLVED)
        if len(proven) == 0:
            return
        self._delivered = 0
        drawn = self._random.choice(proven, size=min(PER_TURN, len(proven)), replace=False)
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

    def measure(self) -> Agreed | None:
        """Sum up the latest comparisons since the last call; None if there were none."""
        if not self._said:
            return None
        said, exact = np.concatenate(self._said), np.concatenate(self._exact)
        self.forget()
        same = self._outcomes(said) == self._outcomes(exact)
        return Agreed(len(said), float(same.mean()), float(np.abs(said - exact).mean()))

    def _outcomes(self, values: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        return np.where(np.abs(values) < self._draw, 0, np.sign(values))
