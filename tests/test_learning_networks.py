# SPDX-License-Identifier: MIT
"""Networks, their training and their frozen form, in PyTorch on the CPU."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from unbounded import Game, load_game
from unbounded.game import UsageError

torch = pytest.importorskip("torch")

from unbounded.learning.inference import Inference, filled_up  # noqa: E402
from unbounded.learning.networks.choosing import (  # noqa: E402
    NetworkShape,
    check_network,
    default_network,
    kind_of,
    make_network,
    planes_are_exclusive,
    shape_of,
)
from unbounded.learning.networks.ntuple import choose_cells  # noqa: E402
from unbounded.learning.networks.residual import fold  # noqa: E402
from unbounded.learning.torch_training import TorchTrainer  # noqa: E402
from unbounded.learning.training import (  # noqa: E402
    LossNotFinite,
    TrainingSettings,
)

TWO = NetworkShape("connect-four(width=5,height=4)", 2, (2, 4, 5), 1)
THREE = NetworkShape("connect-four(width=5,height=4,players=3)", 3, (3, 4, 5), 3)
SPECS = ["ntuple(tuples=12,length=4)", "dense(16,16)", "residual(channels=8,blocks=2,hidden=16)"]

USER_FILE = """
import torch

class Linear(torch.nn.Module):
    def __init__(self, planes, players, outputs):
        super().__init__()
        self.layer = torch.nn.Linear(planes[0] * planes[1] * planes[2], outputs)

    def forward(self, planes, movers):
        return torch.tanh(self.layer(planes.flatten(1)))

class Wrong(Linear):
    def forward(self, planes, movers):
        return planes

class Failing(Linear):
    def __init__(self):
        super().__init__()

class NoModule:
    pass
"""


@pytest.fixture(autouse=True)
def _one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def random_batch(shape: NetworkShape, count: int, seed: int = 0):
    """Boards with at most one stone on a cell, movers, and targets that depend on both."""
    generator = torch.Generator().manual_seed(seed)
    symbols = torch.randint(0, shape.planes[0] + 1, (count, *shape.planes[1:]), generator=generator)
    planes = torch.stack([symbols == p + 1 for p in range(shape.planes[0])], 1).to(torch.uint8)
    movers = torch.randint(0, shape.players, (count,), generator=generator).to(torch.uint8)
    corner = planes[:, 0, 0, 0].float() - planes[:, 1, 1, 1].float()
    sign = torch.where(movers == 0, 1.0, -1.0)
    columns = [0.8 * corner * sign * (-1) ** j for j in range(shape.outputs)]
    return planes.flatten(1), movers, torch.stack(columns, 1), torch.ones(count)


def trained(spec: str, shape: NetworkShape, steps: int, **settings: object) -> TorchTrainer:
    trainer = TorchTrainer(make_network(spec, shape, 1), "cpu", TrainingSettings(**settings), 1)
    for i in range(steps):
        trainer.step(*random_batch(shape, 256, i))
    return trainer


# -- making ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [TWO, THREE], ids=["two", "three"])
@pytest.mark.parametrize("spec", [*SPECS, "ntuple", "dense-small", "residual-small"])
def test_values_have_one_column_per_output(spec: str, shape: NetworkShape) -> None:
    planes, movers, _, _ = random_batch(shape, 6)
    network = make_network(spec, shape, 3)
    values = network(planes.view(-1, *shape.planes).float(), movers.long())
    assert values.shape == (6, shape.outputs)
    assert values.dtype == torch.float32
    assert values.abs().max() < 1
    assert kind_of(network) == spec.partition("(")[0].partition("-")[0]


@pytest.mark.parametrize("spec", SPECS)
def test_the_same_seed_makes_the_same_network(spec: str) -> None:
    def weights(seed: int) -> list[object]:
        return list(make_network(spec, TWO, seed).state_dict().values())

    assert all(torch.equal(a, b) for a, b in zip(weights(5), weights(5), strict=True))
    assert not all(torch.equal(a, b) for a, b in zip(weights(5), weights(6), strict=True))


def test_making_a_network_leaves_the_random_numbers_alone() -> None:
    before = torch.get_rng_state()
    make_network("residual-small", TWO, 4)
    assert torch.equal(before, torch.get_rng_state())


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("residul", "did you mean 'residual'"),
        ("dense-huge", "a size is one of small, medium, large"),
        ("residual(chanels=4)", "did you mean 'channels'"),
        ("residual(channels=x)", "'channels=x' is not a number"),
        ("residual(64)", "named numbers"),
        ("ntuple(tuples=4,length=21)", "length must be from 1 to 20"),
        ("ntuple(tuples=4,length=20)", "tables of"),
        ("ntuple(features=64)", "features must be from 0 to 63"),
        ("dense(0)", "widths must be"),
        ("nothing.py:Class", "nothing.py does not exist"),
    ],
)
def test_wrong_specifications_are_refused(spec: str, message: str) -> None:
    with pytest.raises(UsageError, match="(?s).*".join(message.split("*"))):
        make_network(spec, TWO, 0)


def test_a_module_of_the_user(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(USER_FILE)
    network = make_network(f"{file}:Linear", THREE, 0)
    assert kind_of(network) == "module"
    trainer = TorchTrainer(network, "cpu")
    trainer.step(*random_batch(THREE, 16))
    with pytest.raises(UsageError, match="must return a tensor of shape"):
        make_network(f"{file}:Wrong", THREE, 0)
    with pytest.raises(UsageError, match=r"Failing failed: TypeError: .*__init__"):
        make_network(f"{file}:Failing", THREE, 0)
    for name in ("NoModule", "Absent"):
        with pytest.raises(UsageError, match="no class"):
            make_network(f"{file}:{name}", THREE, 0)


def test_ntuple_networks_for_many_players() -> None:
    for players in (17, 64):
        shape = NetworkShape("many", players, (2, 2, 2), players)
        values = make_network("ntuple(tuples=2,length=2)", shape, 0)(
            torch.zeros(3, 2, 2, 2), torch.arange(3)
        )
        assert values.shape == (3, players)
    with pytest.raises(UsageError, match="features must be"):
        make_network("ntuple", NetworkShape("many", 65, (2, 2, 2), 65), 0)


# -- which network fits ---------------------------------------------------------------------------


def test_default_networks() -> None:
    connect_four = load_game("connect-four(width=5,height=4)")
    assert default_network(connect_four, "cpu") == "ntuple"
    assert default_network(connect_four, "cuda") == "residual"
    kalah = load_game("kalah")
    assert not planes_are_exclusive(kalah)
    assert default_network(kalah, "cpu") == "dense"
    for spec in ("ntuple", "ntuple-small", "ntuple(tuples=4,length=2)"):
        with pytest.raises(UsageError, match="does not fit kalah"):
            check_network(spec, kalah)
        check_network(spec, connect_four)
    check_network("dense", kalah)


def test_shapes_of_games() -> None:
    shape = shape_of(load_game("connect-four"), 42.0)
    assert (shape.planes, shape.outputs, shape.scale) == ((3, 6, 7), 1, 42.0)
    assert shape_of(load_game("connect-four(players=3)")).outputs == 3


def test_a_game_without_encode_is_refused() -> None:
    class Bare(Game):
        pass

    with pytest.raises(UsageError, match="has no encode"):
        shape_of(Bare())


# -- n-tuples -------------------------------------------------------------------------------------


def test_tuples_are_connected_and_cover_the_board_evenly() -> None:
    shape = NetworkShape("", 2, (2, 6, 7), 1)
    tuples = choose_cells(shape, 70, 8, 1, 0)
    assert len({frozenset(cells) for cells in tuples}) == 70
    for cells in tuples:
        assert len(set(cells)) == 8
        for i in range(1, 8):
            row, column = divmod(cells[i], 7)
            before = [divmod(cell, 7) for cell in cells[:i]]
            assert any(abs(row - r) <= 1 and abs(column - c) <= 1 for r, c in before)
    times = Counter(cell for cells in tuples for cell in cells)
    assert min(times.values()) >= 0.5 * 70 * 8 / 42
    assert max(times.values()) <= 2 * 70 * 8 / 42


def test_lines_of_the_board_are_among_the_tuples() -> None:
    tuples = choose_cells(NetworkShape("", 2, (2, 8, 8), 1), 70, 8, 1, 0)
    rows = [set(range(8 * r, 8 * r + 8)) for r in range(8)]
    columns = [set(range(c, 64, 8)) for c in range(8)]
    assert sum(set(cells) in rows + columns for cells in tuples) >= 3


def test_tuples_of_one_row_are_windows() -> None:
    tuples = choose_cells(NetworkShape("", 2, (2, 1, 9), 1), 50, 4, 1, 0)
    assert sorted(sorted(cells) for cells in tuples) == [list(range(i, i + 4)) for i in range(6)]


def test_index_of_a_tuple() -> None:
    """The sum of symbol * symbols**i over its cells, in the mover's part of the tables."""
    network = make_network("ntuple(tuples=12,length=4,features=0)", THREE, 2)
    torch.nn.init.normal_(network.tables)
    torch.nn.init.normal_(network.bias)
    planes, movers, _, _ = random_batch(THREE, 5)
    boards = planes.view(-1, *THREE.planes).float()
    values = network(boards, movers.long())
    tables = network.tables.view(3, 12, 4**4, 3)
    for n in range(5):
        symbols = [0] * 20
        for p in range(3):
            for cell in range(20):
                if boards[n, p].flatten()[cell]:
                    symbols[cell] = p + 1
        total = network.bias[int(movers[n])].clone()
        for t, cells in enumerate(network.cells.tolist()):
            index = sum(symbols[cell] * 4**i for i, cell in enumerate(cells))
            total += tables[int(movers[n]), t, index]
        assert torch.allclose(torch.tanh(total), values[n], atol=1e-6)


@pytest.mark.parametrize("shape", [TWO, THREE], ids=["two", "three"])
def test_gradient_of_tables(shape: NetworkShape) -> None:
    network = make_network("ntuple(tuples=4,length=2)", shape, 2).double()
    torch.nn.init.normal_(network.tables, std=0.1)
    planes, movers, _, _ = random_batch(shape, 4)
    boards = planes.view(-1, *shape.planes).double()

    def values(tables: object) -> object:
        return torch.func.functional_call(network, {"tables": tables}, (boards, movers.long()))

    assert torch.autograd.gradcheck(values, (network.tables,))


# -- training -------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [TWO, THREE], ids=["two", "three"])
@pytest.mark.parametrize("spec", SPECS)
def test_every_kind_learns(spec: str, shape: NetworkShape) -> None:
    rate = {"learning_rate": 0.01, "warmup_steps": 5, "averaging": 0.9}
    trainer = trained(spec, shape, 180, **rate)
    planes, movers, targets, _ = random_batch(shape, 512, 10_000)
    values = trainer.inference(512)(planes, movers)
    assert (values - targets).square().mean() < 0.4 * targets.square().mean()


def test_schedule() -> None:
    settings = TrainingSettings(learning_rate=0.1, warmup_steps=10, floor=0.05)
    trainer = TorchTrainer(make_network("dense(4)", TWO, 0), "cpu", settings)
    assert trainer.learning_rate == pytest.approx(0.01)
    for i in range(10):
        trainer.step(*random_batch(TWO, 8, i))
    assert trainer.learning_rate == pytest.approx(0.1)
    trainer.set_progress(0.5)
    assert trainer.learning_rate == pytest.approx(0.1 * (0.05 + 0.95 / 2))
    trainer.set_progress(2.0)
    assert trainer.learning_rate == pytest.approx(0.005)
    with pytest.raises(UsageError, match="schedule is one of"):
        TorchTrainer(make_network("dense(4)", TWO, 0), "cpu", TrainingSettings(schedule="square"))


def test_a_rate_of_the_schedule_reaches_the_optimizer() -> None:
    trainer = trained("dense(4)", TWO, 1, schedule="linear", floor=0.0, warmup_steps=0)
    trainer.set_progress(1.0)
    before = [p.clone() for p in trainer.module.parameters()]
    trainer.step(*random_batch(TWO, 8))
    after = trainer.module.parameters()
    assert all(torch.equal(a, b) for a, b in zip(before, after, strict=True))


def test_average_of_the_weights() -> None:
    trainer = TorchTrainer(
        make_network("dense(4)", TWO, 0), "cpu", TrainingSettings(averaging=0.75)
    )
    expected = None
    for i in range(8):
        trainer.step(*random_batch(TWO, 8, i))
        now = [p.detach().clone() for p in trainer.module.parameters()]
        share = max(0.25, 1 / (i + 1))
        expected = [b + share * (a - b) for a, b in zip(now, expected or now, strict=True)]
    for mine, average in zip(expected, trainer.averaged.parameters(), strict=True):
        assert torch.allclose(mine, average, atol=1e-6)


def test_later_the_average_is_taken_every_tenth_step() -> None:
    """With the same decay per step."""
    trainer = trained("dense(4)", TWO, 109, averaging=0.75, warmup_steps=0)
    before = [p.clone() for p in trainer.averaged.parameters()]
    trainer.step(*random_batch(TWO, 8, 110))
    new = list(trainer.module.parameters())
    share = 1 - 0.75**10
    expected = [a + share * (b - a) for a, b in zip(before, new, strict=True)]
    taken = [p.clone() for p in trainer.averaged.parameters()]
    for a, b in zip(expected, taken, strict=True):
        assert torch.allclose(a, b, atol=1e-6)
    trainer.step(*random_batch(TWO, 8, 111))
    after = trainer.averaged.parameters()
    assert all(torch.equal(a, b) for a, b in zip(taken, after, strict=True))


def test_weights_of_samples() -> None:
    """A sample of weight 0 changes nothing, and the loss is the weighted mean."""
    planes, movers, targets, _ = random_batch(TWO, 16)
    weights = torch.tensor([1.0] * 8 + [0.0] * 8)
    wrong = targets.clone()
    wrong[8:] = 0.9
    losses = []
    for given in (targets, wrong):
        trainer = TorchTrainer(make_network("dense(4)", TWO, 0), "cpu")
        losses.append([float(trainer.step(planes, movers, given, weights)) for _ in range(3)])
    assert losses[0] == losses[1]
    assert losses[0][0] == pytest.approx(float(targets[:8].square().mean()), rel=0.2)


def test_loss_that_is_not_finite() -> None:
    trainer = trained("dense(4)", TWO, 3, check_every=2)
    planes, movers, targets, weights = random_batch(TWO, 8)
    with pytest.raises(LossNotFinite, match="the loss is nan after 4 steps"):
        trainer.step(planes, movers, targets * float("nan"), weights)
    with pytest.raises(LossNotFinite):
        trainer.state_dict()


def test_weights_that_are_not_finite() -> None:
    """Even if the last loss was: they would be saved otherwise."""
    trainer = trained("dense(4)", TWO, 1)
    with torch.no_grad():
        next(trainer.module.parameters())[0, 0] = float("inf")
    with pytest.raises(LossNotFinite, match="the weights are not finite"):
        trainer.state_dict()


@pytest.mark.parametrize("spec", SPECS)
def test_resuming_is_exact(spec: str, tmp_path: Path) -> None:
    trainer = trained(spec, TWO, 5)
    torch.save(trainer.state_dict(), tmp_path / "state.pt")
    resumed = TorchTrainer(make_network(spec, TWO, 2), "cpu", seed=9)
    resumed.load_state_dict(torch.load(tmp_path / "state.pt", weights_only=True))
    for i in range(5, 10):
        batch = random_batch(TWO, 64, i)
        assert torch.equal(trainer.step(*batch), resumed.step(*batch))
    for a, b in zip(trainer.averaged.parameters(), resumed.averaged.parameters(), strict=True):
        assert torch.equal(a, b)


def test_a_saved_training_does_not_change_later() -> None:
    trainer = trained("dense(4)", TWO, 2)
    state = trainer.state_dict()
    before = state["module"]["layers.0.weight"].clone()
    trainer.step(*random_batch(TWO, 8))
    assert torch.equal(before, state["module"]["layers.0.weight"])


def test_resuming_another_network_is_refused() -> None:
    state = trained("dense(4)", TWO, 1).state_dict()
    with pytest.raises(UsageError, match="of another network"):
        TorchTrainer(make_network("dense(5)", TWO, 0), "cpu").load_state_dict(state)
    with pytest.raises(UsageError, match="of kind dense, not ntuple"):
        TorchTrainer(make_network("ntuple", TWO, 0), "cpu").load_state_dict(state)


# -- inference ------------------------------------------------------------------------------------


def test_folded_batch_norms_give_the_same_values() -> None:
    trainer = trained(SPECS[2], THREE, 20, learning_rate=0.01, warmup_steps=0)
    planes, movers, _, _ = random_batch(THREE, 64)
    boards = planes.view(-1, *THREE.planes).float()
    expected = trainer.averaged(boards, movers.long())
    folded = fold(trainer.averaged)
    assert not any(isinstance(m, torch.nn.BatchNorm2d) for m in folded.modules())
    assert torch.allclose(folded(boards, movers.long()), expected, atol=1e-5)
    assert torch.allclose(fold(folded)(boards, movers.long()), expected, atol=1e-5)


@pytest.mark.parametrize("spec", SPECS)
def test_inference_follows_only_when_refreshed(spec: str) -> None:
    trainer = trained(spec, TWO, 2)
    inference = trainer.inference(64)
    planes, movers, _, _ = random_batch(TWO, 64)
    before = inference(planes, movers)
    for i in range(5):
        trainer.step(*random_batch(TWO, 64, i))
    assert torch.equal(before, inference(planes.float(), movers))
    inference.refresh()
    out = torch.empty(64, 1)
    inference.into(planes, movers, out).wait()
    assert not torch.equal(before, out)
    boards = planes.view(-1, *TWO.planes).float()
    assert torch.allclose(out, trainer.averaged(boards, movers.long()), atol=1e-5)


def test_batches_that_do_not_fit_are_refused() -> None:
    inference = Inference(make_network("dense(4)", TWO, 0), "cpu", 8)
    planes, movers, _, _ = random_batch(TWO, 9)
    with pytest.raises(UsageError, match="from 1 to 8 states"):
        inference(planes, movers)
    with pytest.raises(UsageError, match="movers of 9"):
        inference(planes[:8], movers)


def test_sizes_of_batches_on_a_gpu() -> None:
    sizes = [1, 2, 3, 100, 2048, 2049, 5000, 65536]
    assert [filled_up(n) for n in sizes] == [1, 2, 4, 128, 2048, 4096, 6144, 65536]
