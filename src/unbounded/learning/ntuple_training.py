# SPDX-License-Identifier: MIT
"""Training of n-tuple networks on the CPU, by the core.

A batch looks up a small part of the tables. PyTorch's optimizers touch all of them in every step;
the core touches only those rows, so that large tables cost no more than small ones.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import zip_longest
from typing import Any

import torch
from torch import Tensor

from unbounded import native
from unbounded.learning.networks.ntuple import NTupleNetwork
from unbounded.learning.training import Trainer, TrainingSettings

PEAK_LEARNING_RATE = 4e-3


class NTupleTrainer(Trainer):
    """An n-tuple network in training, in place.

    A row moves by its gradient over the root mean square of its gradients, so that a row that is
    rarely looked up learns as fast as any other. The other weights, which are few, are left to
    Adam. There is no average of the weights: the falling learning rate does as much.
    """

    def __init__(
        self,
        module: NTupleNetwork,
        settings: TrainingSettings | None = None,
        seed: int = 0,
        threads: int = 1,
    ) -> None:
        super().__init__(module, "cpu", settings, seed)
        self.averaged = module.requires_grad_(False)
        self._network, self._threads = module, threads
        weights = module.parameters_in_order()
        self._moments = [torch.zeros(len(module.tables), 2)]
        self._moments += [torch.zeros(*x.shape, 2) for x in weights[1:]]
        self._updates = 0
        """Of the moments, which begin anew where PyTorch trained before."""
        self._core = self._make_core()

    @property
    def peak_learning_rate(self) -> float:
        return PEAK_LEARNING_RATE

    def _make_core(self) -> native.NTupleTrainer:
        """A trainer that changes weights and moments in place."""
        network = self._network
        return native.NTupleTrainer(
            network.cells.numpy(),
            network.symbols,
            network.network_shape.outputs,
            network.network_shape.cells,
            [x.detach().numpy() for x in network.parameters_in_order()],
            [x.numpy() for x in self._moments],
            self._threads,
        )

    def _learn(self, planes: Tensor, movers: Tensor, targets: Tensor, weights: Tensor) -> None:
        as_bytes = planes if planes.dtype == torch.uint8 else (planes != 0).to(torch.uint8)
        self._updates += 1
        loss = self._core.step(
            as_bytes.contiguous().numpy(),
            movers.to(torch.uint8).numpy(),
            targets.contiguous().numpy(),
            weights.numpy(),
            self.learning_rate,
            self._updates,
        )
        self._loss.fill_(loss)

    def _update_average(self) -> None:
        pass

    def _own_state(self) -> dict[str, Any]:
        return {"moments": self._moments, "updates": self._updates}

    def _load_own_state(self, state: Mapping[str, Any]) -> None:
        if "averaged" in state:  # trained by PyTorch before, whose last step is not the best
            self.module.load_state_dict(state["averaged"])
        self._updates = state.get("updates", 0)
        for mine, saved in zip_longest(self._moments, state.get("moments", ())):
            if saved is None:
                mine.zero_()
            else:
                mine.copy_(saved)
        self._core = self._make_core()  # the cells may be others
