# SPDX-License-Identifier: MIT
"""Training of n-tuple networks by the core, against the same steps written down plainly."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from unbounded import native  # noqa: E402
from unbounded.game import UsageError  # noqa: E402
from unbounded.game.catalogue import load_game  # noqa: E402
from unbounded.learning.networks.choosing import make_network, shape_of  # noqa: E402
from unbounded.learning.networks.ntuple import NTupleNetwork  # noqa: E402
from unbounded.learning.networks.shape import NetworkShape  # noqa: E402
from unbounded.learning.ntuple_training import NTupleTrainer  # noqa: E402
from unbounded.learning.self_play import NativeNetworks, Table  # noqa: E402
from unbounded.learning.torch_training import TorchTrainer  # noqa: E402
from unbounded.learning.training import LossNotFinite, TrainingSettings  # noqa: E402

TWO = NetworkShape("two", 2, (2, 3, 4), 1)
THREE = NetworkShape("three", 3, (3, 3, 3), 3)
SPECS = [
    "ntuple(tuples=6,length=3,features=0)",
    "ntuple(tuples=6,length=3)",
    "ntuple(tuples=6,length=3,features=3)",
]
Batch = tuple[Any, Any, Any, Any]


def network(spec: str, shape: NetworkShape, seed: int = 1) -> NTupleNetwork:
    made = make_network(spec, shape, seed)
    assert isinstance(made, NTupleNetwork)
    return made


def random_batch(shape: NetworkShape, count: int, seed: int = 0) -> Batch:
    """Few cells differ, so that many states look up the same rows."""
    random = np.random.default_rng(seed)
    symbols = random.integers(0, shape.planes[0] + 1, (count, shape.cells))
    symbols[:, 4:] = 1
    planes = (symbols[:, None] == np.arange(1, shape.planes[0] + 1)[:, None]).reshape(count, -1)
    movers = random.integers(0, shape.players, count)
    known = 0.7 * (1.0 * (symbols[:, 0] == 1) - (symbols[:, 1] == 1)) * (-1.0) ** movers
    targets = known[:, None] + random.uniform(-0.1, 0.1, (count, shape.outputs))
    weights = random.uniform(0.5, 2, count)
    return (
        torch.from_numpy(planes.astype(np.uint8)),
        torch.from_numpy(movers.astype(np.uint8)),
        torch.from_numpy(targets.astype(np.float32)),
        torch.from_numpy(weights.astype(np.float32)),
    )


class PlainTrainer:
    """The steps of the core, from gradients that PyTorch finds state by state."""

    def __init__(self, module: NTupleNetwork) -> None:
        self.module = module.double().requires_grad_()
        rows = len(module.tables)
        self.squares, self.updates = np.zeros(rows), np.zeros(rows)
        self.others = module.parameters_in_order()[1:]
        self.adam = torch.optim.Adam(self.others, lr=1.0)

    def step(self, batch: Batch, rate: float) -> None:
        planes, movers, targets, weights = batch
        gradients = []
        for i in range(len(planes)):
            self.module.zero_grad()
            boards = planes[i : i + 1].view(-1, *self.module.network_shape.planes)
            values = self.module(boards.double(), movers[i : i + 1].long())
            (0.5 * weights[i] * (values - targets[i]).square().sum()).backward()
            gradients.append([x.grad.clone() for x in self.module.parameters_in_order()])
        self.adam.param_groups[0]["lr"] = rate
        for k, parameter in enumerate(self.others):
            parameter.grad = sum(gradient[k + 1] for gradient in gradients)
        self.adam.step()
        tables = [gradient[0].numpy() for gradient in gradients]
        looked_up = [np.flatnonzero(np.abs(table).sum(1)) for table in tables]
        shared = np.bincount(np.concatenate(looked_up), minlength=len(self.squares))
        for table, rows in zip(tables, looked_up, strict=True):
            for row in rows:  # as often as states look it up
                self.updates[row] += 1
                share = max(0.001, 1 / self.updates[row])
                self.squares[row] += share * (np.square(table[row]).sum() - self.squares[row])
                size = np.sqrt(self.squares[row] * shared[row])
                self.module.tables.data[row] -= torch.from_numpy(rate * table[row] / size)


@pytest.mark.parametrize("shape", [TWO, THREE], ids=["two", "three"])
@pytest.mark.parametrize("spec", SPECS)
@pytest.mark.parametrize("threads", [1, 3])
def test_steps(spec: str, shape: NetworkShape, threads: int) -> None:
    trainer = NTupleTrainer(network(spec, shape), threads=threads)
    plain = PlainTrainer(network(spec, shape))
    for i in range(4):
        batch = random_batch(shape, 40, i)
        rate = trainer.learning_rate
        trainer.step(*batch)
        plain.step(batch, rate)
    for mine, its in zip(trainer.module.parameters(), plain.module.parameters(), strict=True):
        np.testing.assert_allclose(mine.numpy(), its.detach().numpy(), atol=2e-6)
    assert trainer.averaged.tables.abs().max() > 1e-6


@pytest.mark.parametrize("shape", [TWO, THREE], ids=["two", "three"])
@pytest.mark.parametrize("spec", SPECS)
def test_the_loss(spec: str, shape: NetworkShape) -> None:
    """It is that of PyTorch, and it falls."""
    batch = random_batch(shape, 300)
    planes, movers, targets, weights = batch
    module = network(spec, shape)
    with torch.no_grad():
        values = module(planes.view(-1, *shape.planes).float(), movers.long())
    errors = (values - targets).square().mean(1)
    settings = TrainingSettings(learning_rate=0.01, warmup_steps=0)
    trainer = NTupleTrainer(module, settings)
    first = float(trainer.step(*batch))
    assert first == pytest.approx(float((errors * weights).sum() / weights.sum()), rel=1e-5)
    for _ in range(200):
        last = float(trainer.step(*batch))
    assert last < 0.5 * first


def test_planes_as_floats_and_bytes_are_the_same() -> None:
    planes, movers, targets, weights = random_batch(TWO, 50)
    trainers = [NTupleTrainer(network(SPECS[1], TWO)) for _ in range(2)]
    losses = [
        trainer.step(given, movers, targets, weights)
        for trainer, given in zip(trainers, (planes, planes.float()), strict=True)
    ]
    assert torch.equal(*losses)


@pytest.mark.parametrize("spec", SPECS)
def test_resuming_is_exact(spec: str, tmp_path: Path) -> None:
    trainer = NTupleTrainer(network(spec, TWO))
    for i in range(5):
        trainer.step(*random_batch(TWO, 64, i))
    torch.save(trainer.state_dict(), tmp_path / "state.pt")
    resumed = NTupleTrainer(network(spec, TWO, seed=2))
    resumed.load_state_dict(torch.load(tmp_path / "state.pt", weights_only=True))
    for i in range(5, 10):
        batch = random_batch(TWO, 64, i)
        assert torch.equal(trainer.step(*batch), resumed.step(*batch))
    for a, b in zip(trainer.module.parameters(), resumed.module.parameters(), strict=True):
        assert torch.equal(a, b)


def test_either_way_of_training_goes_on_from_the_other() -> None:
    """As when a run moves between a GPU and a CPU."""
    one, other = NTupleTrainer(network(SPECS[1], TWO)), TorchTrainer(network(SPECS[1], TWO, seed=2))
    batch = random_batch(TWO, 64)
    for _ in range(5):
        one.step(*batch)
    other.load_state_dict(one.state_dict())
    assert torch.equal(other.averaged.tables, one.averaged.tables)
    for _ in range(5):
        other.step(*batch)
    one.load_state_dict(other.state_dict())
    assert torch.equal(other.averaged.tables, one.averaged.tables)
    assert one.steps == 10
    before = one.averaged.bias.clone()
    rate = one.learning_rate
    one.step(*batch)
    assert 0 < (one.averaged.bias - before).abs().max() <= 1.01 * rate


def test_numbers_that_are_not_finite() -> None:
    trainer = NTupleTrainer(network(SPECS[1], TWO), TrainingSettings(check_every=1))
    planes, movers, targets, weights = random_batch(TWO, 8)
    with pytest.raises(LossNotFinite, match="the loss is nan after 1 steps"):
        trainer.step(planes, movers, targets * float("nan"), weights)


def test_weights_of_0_teach_nothing() -> None:
    trainer = NTupleTrainer(network(SPECS[1], TWO))
    planes, movers, targets, weights = random_batch(TWO, 8)
    assert float(trainer.step(planes, movers, targets, 0 * weights)) == 0
    assert trainer.averaged.tables.abs().max() == 0


def test_self_play_keeps_its_weights_until_it_takes_over_new_ones() -> None:
    table = Table(load_game("connect-four(width=4,height=4)"))
    shape = shape_of(table.game)
    trainer = NTupleTrainer(network("ntuple(tuples=4,length=2)", shape))
    networks = NativeNetworks(trainer, table.inputs)
    states = np.frombuffer(table.game.initial(), np.uint8)

    def value() -> float:
        return float(networks.native[0].evaluate(states)[0, 0])

    before = value()
    for _ in range(20):
        trainer.step(*random_batch(shape, 64))
    networks.take_over()
    assert value() == before
    networks.refresh()
    assert value() == before
    networks.take_over()
    assert value() != before


def test_another_network_is_refused() -> None:
    state = NTupleTrainer(network(SPECS[0], TWO)).state_dict()
    with pytest.raises(UsageError, match="of another network"):
        NTupleTrainer(network(SPECS[1], TWO)).load_state_dict(state)


def test_the_core_refuses_what_does_not_fit() -> None:
    module = network(SPECS[1], TWO)
    weights = [x.detach().numpy() for x in module.parameters_in_order()]
    moments = [np.zeros((len(module.tables), 2), np.float32)]
    moments += [np.zeros((*x.shape, 2), np.float32) for x in weights[1:]]
    cells = module.cells.numpy()

    def make(threads: int = 1, board: int = 12, **given: Any) -> native.NTupleTrainer:
        chosen = {"weights": weights, "moments": moments, **given}
        return native.NTupleTrainer(
            cells, 3, 1, board, chosen["weights"], chosen["moments"], threads
        )

    for wrong, words in [
        ({"threads": 0}, "threads"),
        ({"board": 5}, "not on the board"),
        ({"weights": weights[:2]}, "features"),
        ({"weights": [weights[0][:-1], *weights[1:]]}, "tables do not fit"),
        ({"moments": moments[:2]}, "moments"),
        ({"moments": [*moments[:-1], moments[0]]}, "moments"),
    ]:
        with pytest.raises(ValueError, match=words):
            make(**wrong)
    # Copies would be trained in place of what was given.
    for other in (weights[0].astype(np.float64), np.asfortranarray(weights[0])):
        with pytest.raises(TypeError):
            make(weights=[other, *weights[1:]])
    trainer, batch = make(), [x.numpy() for x in random_batch(TWO, 8)]
    with pytest.raises(ValueError, match="no player"):
        trainer.step(batch[0], batch[1] + 2, *batch[2:], 0.1, 1)
    with pytest.raises(ValueError, match="counted from 1"):
        trainer.step(*batch, 0.1, 0)
    with pytest.raises(ValueError, match="do not fit each other"):
        trainer.step(batch[0][:-1], *batch[1:], 0.1, 1)
