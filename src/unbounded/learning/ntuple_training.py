# SPDX-License-Identifier: MIT
"""Training of n-tuple networks on the CPU, by the core.

A batch looks up a small part of the tables. PyTorch's optimizers touch all of them in every step;
the core touches only those rows, so that large tables cost no more than small ones.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from unbounded import native
from unbounded.learning.networks.ntuple import NTupleNetwork
from unbounded.learning.training import Trainer, TrainingSettings


class NTupleTrainer(Trainer):
    """An n-tuple network in training, in place.

    A row moves by its slope over the root mean square of its slopes, so that a row that is rarely
    looked up learns as fast as any other. The other weights, which are few, are left to Adam.
    There is no average of the weights: the falling learning rate does as much.
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
        self._core = self._make_core()

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
        symbols = planes if planes.dtype == torch.uint8 else (planes != 0).to(torch.uint8)
        loss = self._core.step(
            symbols.contiguous().numpy(),
            movers.to(torch.uint8).numpy(),
            targets.contiguous().numpy(),
            weights.numpy(),
            self.learning_rate,
            self.steps + 1,
        )
        self._loss.fill_(loss)

    def _update_average(self) -> None:
        pass

    def _remembered(self) -> dict[str, Any]:
        return {"moments": self._moments}

    def _remember(self, state: Mapping[str, Any]) -> None:
        if "averaged" in state:  # trained by PyTorch before, whose last step is not the best
            self.module.load_state_dict(state["averaged"])
        saved = state.get("moments")
        for mine, its in zip(self._moments, saved or self._moments, strict=True):
            mine.copy_(its) if saved else mine.zero_()
        self._core = self._make_core()  # the cells may be others
