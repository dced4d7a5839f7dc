# SPDX-License-Identifier: MIT
"""Agreement with proven states: what the network said before it learned them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from self_playing import SMALL, core_settings, played_by_core, shape, table_of

from unbounded import native
from unbounded.learning.agreement import PER_TURN, RESOLVED, TURNS, Agreement

CPU = torch.device("cpu")


class Constant(torch.nn.Module):
    def __init__(self, value: float) -> None:
        super().__init__()
        self.value = value

    def forward(self, planes: torch.Tensor, movers: torch.Tensor) -> torch.Tensor:
        return torch.full((len(planes), 1), self.value)


def lessons_and_agreement() -> tuple[Any, Any, Agreement, Any]:
    table = table_of(SMALL)
    settings = core_settings(table)
    scoring = settings.scoring
    scoring.score = native.Score.outcome
    settings.scoring = scoring
    lessons = played_by_core(table, settings, 8)
    proven = lessons["kinds"] == RESOLVED
    assert 10 < proven.sum() <= PER_TURN  # so that all of them are compared
    return lessons, proven, Agreement(shape(table), table.inputs, 1.0, 0), table


def movers_of(table: Any, states: Any) -> Any:
    return np.array([table.game.player(state.tobytes()) for state in states])


@pytest.mark.parametrize(("said", "outcome"), [(0.9, 1), (0.1, 0), (-0.9, -1)])
def test_shares_and_errors_are_those_of_the_answers(said: float, outcome: int) -> None:
    lessons, proven, agreement, table = lessons_and_agreement()
    count = len(proven)
    states = lessons["states"].reshape(count, -1)[proven]
    values = lessons["values"].reshape(count, -1)[proven]
    exact = values[np.arange(len(values)), movers_of(table, states)]
    agreement.compare(lessons, Constant(said), CPU)
    agreed = agreement.measure()
    assert agreed is not None
    assert agreed.states == len(exact)
    assert agreed.sign == pytest.approx((exact == outcome).mean())
    assert agreed.error == pytest.approx(np.abs(exact - said).mean(), abs=1e-6)
    assert agreement.measure() is None


def test_what_is_learned_later_does_not_count() -> None:
    lessons, _, agreement, _ = lessons_and_agreement()
    network = Constant(0.25)
    agreement.compare(lessons, network, CPU)
    network.value = 0.75
    first = agreement.measure()
    agreement.compare(lessons, network, CPU)
    agreement.forget()
    assert agreement.measure() is None
    agreement.compare(lessons, network, CPU)
    second = agreement.measure()
    assert first is not None
    assert second is not None
    assert first.error != second.error


def test_what_was_said_long_ago_is_forgotten() -> None:
    lessons, proven, agreement, _ = lessons_and_agreement()
    agreement.compare(lessons, Constant(1000.0), CPU)
    for _ in range(TURNS):
        agreement.compare(lessons, Constant(0.0), CPU)
    agreed = agreement.measure()
    assert agreed is not None
    assert agreed.states == TURNS * proven.sum()
    assert agreed.error <= 1


def test_comparisons_are_spread_over_what_is_delivered() -> None:
    lessons, proven, _, table = lessons_and_agreement()
    agreement = Agreement(shape(table), table.inputs, 1.0, 0, every=2.5 * len(proven))
    for _ in range(6):
        agreement.compare(lessons, Constant(0.0), CPU)
    agreed = agreement.measure()
    assert agreed is not None
    assert agreed.states == 2 * proven.sum()
