# SPDX-License-Identifier: MIT
"""The rules on tensors, and the simplest learner, which learns from one-ply back-ups."""

from __future__ import annotations

import functools
import random
from typing import Any

import pytest

import unbounded as ub
from unbounded.native import cuda_rules

torch = pytest.importorskip("torch")

from unbounded.learning.networks.choosing import make_network, shape_of  # noqa: E402
from unbounded.learning.one_ply import (  # noqa: E402
    OnePlyLearner,
    OnePlySettings,
    for_all,
    seen_by,
)
from unbounded.learning.tensor_rules import TensorRules  # noqa: E402

GAME = ub.load_game("tic-tac-toe")
DEVICES = [
    "cpu",
    pytest.param(
        "cuda", marks=pytest.mark.skipif(not cuda_rules.available(), reason="there is no GPU")
    ),
]


@functools.cache
def rules_on(device: str) -> TensorRules:
    return TensorRules(GAME, device)


@functools.cache
def value(state: bytes) -> int:
    """The value of a state for the first player."""
    below = [value(GAME.next(state, action)) for action in GAME.actions(state)]
    if not below:
        return GAME.outcome(state)[0]
    return max(below) if GAME.player(state) == 0 else min(below)


def open_states(count: int) -> list[bytes]:
    chance, found = random.Random(3), []
    while len(found) < count:
        state = GAME.initial()
        while actions := GAME.actions(state):
            found.append(state)
            state = GAME.next(state, chance.choice(actions))
    return found[:count]


@pytest.mark.parametrize("device", DEVICES)
def test_children_on_tensors_are_those_of_the_game(device: str) -> None:
    states = open_states(40)
    rules = rules_on(device)
    children = rules.expand(rules.states(b"".join(states)))
    expected = [(i, GAME.next(s, a)) for i, s in enumerate(states) for a in GAME.actions(s)]
    assert children.parents.tolist() == [i for i, _ in expected]
    assert rules.packed(children.states) == b"".join(state for _, state in expected)
    assert children.over.tolist() == [not GAME.actions(state) for _, state in expected]
    planes = rules.encode(children.states)
    assert planes.shape == (len(expected), *GAME.planes)
    assert planes.flatten(1).tolist() == [list(GAME.encode(state)) for _, state in expected]


def test_no_states_have_no_children() -> None:
    rules = rules_on("cpu")
    children = rules.expand(rules.initial(0))
    assert len(children.states) == len(children.parents) == 0


@pytest.mark.parametrize("device", DEVICES)
def test_images_are_those_of_the_game(device: str) -> None:
    state = GAME.next(GAME.next(GAME.initial(), 0), 5)
    rules = rules_on(device)
    chance = torch.Generator(device).manual_seed(1)
    packed = rules.packed(rules.random_images(rules.states(state * 100), chance))
    size = GAME.state.size
    found = {packed[i : i + size] for i in range(0, len(packed), size)}
    assert found == {GAME.symmetry(state, k) for k in range(GAME.symmetries)}


def test_outputs_begin_with_the_mover() -> None:
    values = torch.tensor([[0.1, 0.2, 0.3], [0.1, 0.2, 0.3]])
    movers = torch.tensor([0, 2])
    outputs = seen_by(values, movers, 3)
    assert torch.equal(outputs, torch.tensor([[0.1, 0.2, 0.3], [0.3, 0.1, 0.2]]))
    assert torch.equal(for_all(outputs, movers, 3), values)


def test_one_output_is_the_value_for_the_mover() -> None:
    values = torch.tensor([[0.5, -0.5], [0.5, -0.5]])
    movers = torch.tensor([0, 1])
    outputs = seen_by(values, movers, 1)
    assert torch.equal(outputs, torch.tensor([[0.5], [-0.5]]))
    assert torch.equal(for_all(outputs, movers, 2), values)


def test_a_game_that_is_no_record_is_refused() -> None:
    with pytest.raises(ub.UsageError, match="whose states are records"):
        TensorRules(ub.load_game("graph"), "cpu")


def optimal_moves(learner: Any, states: list[bytes]) -> float:
    """The share of states in which the network's best move keeps the value."""
    rules = learner.rules
    children = rules.expand(rules.states(b"".join(states)))
    movers = torch.tensor([GAME.player(s) for s in states], device=rules.device)
    best = learner.best(children, learner.values_of(children), movers)
    packed, size = rules.packed(children.states[best]), GAME.state.size
    chosen = [packed[i : i + size] for i in range(0, len(packed), size)]
    return sum(value(s) == value(t) for s, t in zip(states, chosen, strict=True)) / len(states)


@pytest.mark.parametrize("device", DEVICES)
def test_the_simplest_learner_learns(device: str) -> None:
    states = open_states(500)
    network = make_network("dense(64,64)", shape_of(GAME), 0)
    learner = OnePlyLearner(rules_on(device), network, OnePlySettings(games=256))
    before = optimal_moves(learner, states)
    for i in range(250):
        learner.step(i / 250)
    assert before < 0.85
    assert optimal_moves(learner, states) > before + 0.05
