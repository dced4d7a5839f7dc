# SPDX-License-Identifier: MIT
"""Networks in files: the same values from PyTorch, the core, NumPy and ONNX Runtime."""

from __future__ import annotations

import importlib.util
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from random_networks import random_states

from unbounded import Search, load_game, native
from unbounded.evaluation import network_file, runtime
from unbounded.evaluation.network_file import NetworkFile
from unbounded.evaluation.networks import make_network_evaluator
from unbounded.evaluation.runtime import forward_and_leaves, values_function
from unbounded.game import UsageError

torch = pytest.importorskip("torch")
pytest.importorskip("onnxscript")
pytest.importorskip("onnxruntime")

from unbounded.learning import onnx_export  # noqa: E402
from unbounded.learning.export import from_file, to_file, write_network  # noqa: E402
from unbounded.learning.networks.choosing import make_network, shape_of  # noqa: E402

TWO = "connect-four(width=5,height=4)"
THREE = "connect-four(width=4,height=4,players=3)"
USER_FILE = """
import torch

class Linear(torch.nn.Module):
    def __init__(self, planes, players, outputs):
        super().__init__()
        self.layer = torch.nn.Linear(planes[0] * planes[1] * planes[2], outputs)

    def forward(self, planes, movers):
        return torch.tanh(self.layer(planes.flatten(1)))
"""
SPECS = ["ntuple(tuples=12,length=4)", "dense(16,16)", "residual(channels=8,blocks=2,hidden=16)"]


@pytest.fixture(autouse=True)
def _one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(autouse=True)
def drivers(monkeypatch: pytest.MonkeyPatch) -> tuple[str, ...]:
    """Evaluate on the CPU, also where there is a GPU; returns what finds one."""
    before = runtime.DRIVERS
    monkeypatch.setattr(runtime, "DRIVERS", ())
    return before


def runtime_forward(file: NetworkFile) -> runtime.Forward:
    return forward_and_leaves(file)[0]


def random_network(spec: str, text: str) -> Any:
    """A network with random weights everywhere, also where new ones have zeros."""
    network = make_network(spec, shape_of(load_game(text), 42.0), 3)
    generator = torch.Generator().manual_seed(7)
    for parameter in network.parameters():
        noise = torch.randn(parameter.shape, generator=generator)
        parameter.data += 0.2 * noise
    for module in network.modules():
        if isinstance(module, torch.nn.BatchNorm2d):
            module.running_mean.normal_(0, 0.3, generator=generator)
            module.running_var.uniform_(0.5, 2.0, generator=generator)
    return network.eval()


def written(network: Any, path: Path) -> NetworkFile:
    shape = network.network_shape
    file = to_file(network, shape, "depth", {"generation": 4})
    write_network(path, file, network)
    return network_file.read(path)


def inputs_of(text: str, count: int = 40) -> tuple[Any, Any]:
    game = load_game(text)
    states = random_states(game, count)
    planes = np.array([game.encode(s) for s in states], np.float32).reshape(-1, *game.planes)
    return planes, np.array([game.player(s) for s in states], np.int64)


def by_module(network: Any, planes: Any, movers: Any) -> Any:
    with torch.no_grad():
        return network(torch.from_numpy(planes), torch.from_numpy(movers)).numpy()


@pytest.mark.parametrize("text", [TWO, THREE], ids=["two", "three"])
@pytest.mark.parametrize("spec", SPECS)
def test_a_file_keeps_the_values(spec: str, text: str, tmp_path: Path) -> None:
    network = random_network(spec, text)
    file = written(network, tmp_path / "a.safetensors")
    game = load_game(text)
    network_file.check_fits(file, game)
    assert (file.scale, file.score, file.trained) == (42.0, "depth", {"generation": 4})
    inputs = inputs_of(text)
    again = from_file(tmp_path / "a.safetensors")
    expected = by_module(network, *inputs)
    np.testing.assert_allclose(by_module(again, *inputs), expected, atol=1e-5)
    shape = network.network_shape
    once_more = to_file(again, shape, "depth", {"generation": 4})
    assert once_more.digest == file.digest


def per_player(outputs: Any, movers: Any, players: int) -> Any:
    """One column per player, from outputs that begin with the mover."""
    values = np.zeros((len(movers), players))
    for n, mover in enumerate(movers):
        for j in range(players):
            output = outputs[n, j] if outputs.shape[1] > 1 else outputs[n, 0] * (-1) ** j
            values[n, (mover + j) % players] = output
    return values


@pytest.mark.parametrize("text", [TWO, THREE], ids=["two", "three"])
@pytest.mark.parametrize("spec", SPECS[:2])
def test_the_core_gives_the_same_values(spec: str, text: str, tmp_path: Path) -> None:
    game, network = load_game(text), random_network(spec, text)
    file = written(network, tmp_path / "a.safetensors")
    states = random_states(game, 40)
    evaluator = make_network_evaluator(file, game, native.route_of(game))
    assert isinstance(evaluator, native.Network)
    values = evaluator.evaluate(np.frombuffer(b"".join(states), np.uint8))
    planes, movers = inputs_of(text)
    expected = 42 * per_player(by_module(network, planes, movers), movers, game.players)
    np.testing.assert_allclose(values, expected, atol=2e-3)
    assert not (tmp_path / "a.onnx").exists()


@pytest.mark.parametrize("missing", ["", "onnxruntime"], ids=["onnx", "torch"])
@pytest.mark.parametrize("text", [TWO, THREE], ids=["two", "three"])
def test_runtimes_give_the_same_values(
    text: str, missing: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runtime, "find_spec", without(missing))
    game, network = load_game(text), random_network(SPECS[2], text)
    file = written(network, tmp_path / "a.safetensors")
    route = native.route_of(game)
    values = values_function(file, game, route, runtime_forward(file))(
        b"".join(random_states(game, 40))
    )
    planes, movers = inputs_of(text)
    expected = 42 * per_player(by_module(network, planes, movers), movers, game.players)
    assert values.dtype == np.float32
    np.testing.assert_allclose(values, expected, atol=2e-3)


def test_games_on_objects(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where nothing is compiled, the rules in Python encode the states."""
    game, network = load_game(TWO), random_network(SPECS[2], TWO)
    file = written(network, tmp_path / "a.safetensors")
    states = random_states(game, 5)
    forward = runtime_forward(file)
    compiled = values_function(file, game, native.route_of(game), forward)(b"".join(states))
    route = native.ObjectRoute(game, False)
    numbers = b"".join(route.played_to(state, 0) for state in states)
    by_rules = values_function(file, game, route, forward)(numbers)
    np.testing.assert_allclose(by_rules, compiled, atol=1e-4)


@pytest.mark.parametrize(
    ("missing", "leaves"), [("", 1), ("onnxruntime", 8)], ids=["onnx", "torch"]
)
def test_a_search_uses_the_network(
    missing: str, leaves: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """PyTorch takes long for a call, so it is called for several leaves at once."""
    monkeypatch.setattr(runtime, "find_spec", without(missing))
    game, path = load_game(TWO), tmp_path / "a.safetensors"
    written(random_network(SPECS[2], TWO), path)
    search = Search(game, evaluation=str(path))
    search.run(iterations=20)
    assert search.iterations == 20 and search._core.leaves == leaves
    assert Search(game, evaluation=str(path), leaves=3)._core.leaves == 3


@pytest.mark.parametrize("missing", ["", "onnxruntime"], ids=["onnx", "torch"])
def test_threads_share_the_network(
    missing: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One of them calls it for all; every leaf has the value that it has for one thread."""
    monkeypatch.setattr(runtime, "find_spec", without(missing))
    path = tmp_path / "a.safetensors"
    written(random_network(SPECS[2], TWO), path)
    alone, together = (Search(TWO, evaluation=str(path), threads=n) for n in (1, 4))
    for search in (alone, together):
        search.run(iterations=60)
    compared = 0
    for node in map(together.node, range(together.states)):
        same = alone.find(node.state)
        if same is None or node.expanded or node.is_terminal or same.expanded:
            continue
        assert node.value == pytest.approx(same.value, abs=1e-4)
        compared += 1
    assert compared > 10


def test_a_module_of_the_user_is_evaluated_by_its_onnx_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = tmp_path / "mine.py"
    source.write_text(USER_FILE)
    network = make_network(f"{source}:Linear", shape_of(load_game(THREE), 42.0), 0)
    file = written(network, tmp_path / "a.safetensors")
    source.unlink()
    exported = (tmp_path / "a.onnx").read_bytes()
    assert b"mine.py" not in exported, "a file must not name paths of this machine"
    assert b"site-packages" not in exported
    planes, movers = inputs_of(THREE)
    values = runtime_forward(file)(planes, movers)
    np.testing.assert_allclose(values, by_module(network, planes, movers), atol=1e-5)
    with pytest.raises(UsageError, match="a class of its own"):
        from_file(file)
    monkeypatch.setattr(runtime, "find_spec", without("onnxruntime"))
    with pytest.raises(UsageError, match=r"needs ONNX Runtime, which is not installed: pip"):
        runtime_forward(file)
    (tmp_path / "a.onnx").unlink()
    with pytest.raises(UsageError, match=r"a\.onnx, which does not exist"):
        runtime_forward(file)


def without(*missing: str) -> Any:
    """`find_spec` as if some packages were not installed."""
    return lambda name: None if name in missing else importlib.util.find_spec(name)


def test_what_is_missing_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = written(random_network(SPECS[2], TWO), tmp_path / "a.safetensors")
    monkeypatch.setattr(runtime, "find_spec", without("onnxruntime", "torch"))
    with pytest.raises(UsageError, match=r"not installed: pip install 'unbounded\[learn\]'"):
        runtime_forward(file)


def test_onnx_files_of_other_weights_are_refused(tmp_path: Path) -> None:
    network = random_network(SPECS[2], TWO)
    file = written(network, tmp_path / "a.safetensors")
    network.value.bias.data += 1
    network_file.write(tmp_path / "a.safetensors", to_file(network, network.network_shape, "", {}))
    with pytest.raises(UsageError, match="written for other weights"):
        runtime_forward(network_file.read(tmp_path / "a.safetensors"))
    (tmp_path / "a.onnx").write_bytes((tmp_path / "a.onnx").read_bytes()[:1000])
    with pytest.raises(UsageError, match="cannot be read by ONNX Runtime"):
        runtime_forward(file)


def test_without_onnx_pytorch_evaluates(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And an ONNX file of before does not outlive its network."""
    network = random_network(SPECS[2], TWO)
    written(network, tmp_path / "a.safetensors")
    file = to_file(network, network.network_shape, "", {})
    write_network(tmp_path / "a.safetensors", file, network, onnx=False)
    assert not (tmp_path / "a.onnx").exists()
    monkeypatch.setattr(onnx_export, "find_spec", without("onnx"))
    file = written(network, tmp_path / "a.safetensors")
    assert not (tmp_path / "a.onnx").exists()
    inputs = inputs_of(TWO)
    np.testing.assert_allclose(
        runtime_forward(file)(*inputs), by_module(network, *inputs), atol=1e-5
    )


@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU")
def test_on_a_gpu_pytorch_evaluates(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, drivers: tuple[str, ...]
) -> None:
    monkeypatch.setattr(runtime, "DRIVERS", drivers)
    network = random_network(SPECS[2], TWO)
    file = written(network, tmp_path / "a.safetensors")
    forward, leaves = forward_and_leaves(file)
    assert leaves == runtime.LEAVES_ON_GPU
    inputs = inputs_of(TWO)
    np.testing.assert_allclose(forward(*inputs), by_module(network, *inputs), atol=0.02)
    search = Search(load_game(TWO), evaluation=str(tmp_path / "a.safetensors"))
    assert search._core.leaves == runtime.LEAVES_ON_GPU


def pretend_gpu(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Let the GPU be the CPU; returns the devices that networks are made for."""
    made = []
    by_pytorch = runtime._by_pytorch

    def on_cpu(network: NetworkFile, device: str) -> Any:
        made.append(device)
        return by_pytorch(network, "cpu")

    monkeypatch.setattr(runtime, "DRIVERS", ("any",))
    monkeypatch.setattr(runtime, "_loads", lambda library: True)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(runtime, "_by_pytorch", on_cpu)
    return made


def test_a_gpu_is_used_before_onnx(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = written(random_network(SPECS[2], TWO), tmp_path / "a.safetensors")
    assert forward_and_leaves(file)[1] == runtime.LEAVES_BY_ONNX
    made = pretend_gpu(monkeypatch)
    assert forward_and_leaves(file)[1] == runtime.LEAVES_ON_GPU
    assert made == ["cuda"]
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert forward_and_leaves(file)[1] == runtime.LEAVES_BY_ONNX


@pytest.mark.parametrize("how", ["full", "not finite"])
def test_a_gpu_that_cannot_be_used_is_left_alone(
    how: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = written(random_network(SPECS[2], TWO), tmp_path / "a.safetensors")
    pretend_gpu(monkeypatch)

    def failing(planes: Any, movers: Any) -> Any:
        if how == "full":
            raise torch.OutOfMemoryError("CUDA out of memory")
        return np.full((len(planes), 1), np.nan, np.float32)

    monkeypatch.setattr(runtime, "_by_pytorch", lambda network, device: failing)
    assert forward_and_leaves(file)[1] == runtime.LEAVES_BY_ONNX


def test_the_last_layer_of_half_precision_has_single_precision(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """In half precision, tanh has the same value for all of these outputs, from 4 to 4.5."""
    network = random_network(SPECS[2], TWO)
    network.value.weight.data.zero_()
    values = []
    monkeypatch.setattr(torch.Tensor, "to", on_cpu_instead(torch.Tensor.to))
    for bias in (4.0, 4.2, 4.5):
        network.value.bias.data.fill_(bias)
        file = to_file(network, network.network_shape, "", {})
        values.append(float(runtime._by_pytorch(file, "cuda")(*inputs_of(TWO))[0, 0]))
    assert values == sorted(set(values))
    assert values == pytest.approx(np.tanh([4.0, 4.2, 4.5]), abs=1e-6)


def on_cpu_instead(to: Any) -> Any:
    """`Tensor.to` that takes the CPU for the GPU."""
    return lambda self, *given: to(self, *("cpu" if x == "cuda" else x for x in given))


def test_without_onnx_modules_of_the_user_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine.py").write_text(USER_FILE)
    network = make_network(f"{tmp_path / 'mine.py'}:Linear", shape_of(load_game(TWO)), 0)
    monkeypatch.setattr(onnx_export, "find_spec", without("onnxscript"))
    with pytest.raises(UsageError, match=r"onnxscript.*not installed: pip install"):
        written(network, tmp_path / "a.safetensors")


@pytest.mark.parametrize("changed", ["settings", "tensors"])
def test_residual_networks_of_wrong_shape_are_refused(changed: str) -> None:
    network = random_network(SPECS[2], TWO)
    file = to_file(network, network.network_shape, "", {})
    if changed == "settings":
        wrong = replace(file, settings={"channels": 8, "blocks": "2", "hidden": 16})
    else:
        tensors = {name: x for name, x in file.tensors.items() if name != "blocks.1.first.bias"}
        wrong = replace(file, tensors=tensors)
    with pytest.raises(UsageError, match="is no residual network"):
        runtime_forward(wrong)
    with pytest.raises((UsageError, TypeError)):
        from_file(wrong)


def test_small_files_have_nearly_the_same_values(tmp_path: Path) -> None:
    network = random_network(SPECS[0], TWO)
    file = to_file(network, network.network_shape, "", {})
    sizes, values = [], []
    for small in (False, True):
        sizes.append(network_file.write(tmp_path / "a.safetensors", file, small=small))
        values.append(by_module(from_file(tmp_path / "a.safetensors"), *inputs_of(TWO)))
    assert sizes[1] < 0.5 * sizes[0]
    np.testing.assert_allclose(*values, atol=0.03)
    assert np.abs(values[0]).max() > 0.3  # so that the bound above says something
