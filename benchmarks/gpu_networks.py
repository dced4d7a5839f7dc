# SPDX-License-Identifier: MIT
"""How many states a second residual networks evaluate and learn on a GPU; needs PyTorch and NumPy.

    PYTHONPATH=src python benchmarks/gpu_networks.py

First it compares what is fast (folded batch norms, half precision, fused kernels, CUDA graphs) with
the plain network in single precision, and ends with an error if they differ.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import torch

from unbounded.learning.inference import Inference
from unbounded.learning.networks.choosing import make_network
from unbounded.learning.networks.residual import ResidualNetwork
from unbounded.learning.networks.shape import NetworkShape
from unbounded.learning.torch_training import TorchTrainer
from unbounded.learning.training import TrainingSettings

SHAPE = NetworkShape("connect-four", 2, (2, 6, 7), 1)
NETWORKS = {"32x2": (32, 2), "64x4": (64, 4), "128x8": (128, 8)}
BATCHES = [2048, 4096, 8192, 16384, 32768, 65536]
TRAINING_BATCHES = [4096, 8192]
TOLERANCE = 0.02
SECONDS = 1.0


def random_batch(count: int, device: str) -> tuple[torch.Tensor, ...]:
    """Random boards with a target that depends on them and on the mover."""
    symbols = torch.randint(0, 3, (count, *SHAPE.planes[1:]), device=device)
    planes = torch.stack([symbols == 1, symbols == 2], 1).to(torch.uint8)
    movers = torch.randint(0, 2, (count,), device=device).to(torch.uint8)
    lead = (planes[:, 0].float() - planes[:, 1].float()).mean((1, 2))
    targets = torch.tanh(4 * lead * (1 - 2 * movers.float())).unsqueeze(1)
    return planes.flatten(1), movers, targets, torch.ones(count, device=device)


def rate(work: Callable[[], object], states: int) -> float:
    """States a second, measured over at least a second after a few calls."""
    for _ in range(5):
        work()
    torch.cuda.synchronize()
    start, calls = time.perf_counter(), 0
    while time.perf_counter() - start < SECONDS:
        for _ in range(10):
            work()
        torch.cuda.synchronize()
        calls += 10
    return states * calls / (time.perf_counter() - start)


def network(size: str) -> torch.nn.Module:
    channels, blocks = NETWORKS[size]
    return make_network(f"residual(channels={channels},blocks={blocks})", SHAPE, 0)


# -- the same values ------------------------------------------------------------------------------


def check_values(size: str) -> None:
    """Compare after some training, so that the batch norms do something."""
    trainer = TorchTrainer(network(size), "cuda", TrainingSettings(warmup_steps=10, averaging=0.9))
    first = [float(trainer.step(*random_batch(2048, "cuda"))) for _ in range(5)]
    last = [float(trainer.step(*random_batch(2048, "cuda"))) for _ in range(60)][-5:]
    inference = trainer.inference(8192)
    exact = Inference(trainer.averaged, "cpu", 8192)
    worst = 0.0
    for count in (1, 7, 2048, 5000, 8192):
        planes, movers, _, _ = (x.cpu() for x in random_batch(count, "cuda"))
        expected = exact(planes, movers)
        for given in (planes.pin_memory(), planes.float().pin_memory(), planes.cuda()):
            movers_there = movers.cuda() if given.is_cuda else movers.pin_memory()
            difference = (inference(given, movers_there).cpu() - expected).abs().max()
            worst = max(worst, float(difference))
        out = torch.empty(count, 1).pin_memory()
        inference.into(planes.pin_memory(), movers.pin_memory(), out).wait()
        worst = max(worst, float((out - expected).abs().max()))
    moved = _check_refresh(trainer, inference)
    fused = inference._module.blocks[0].fused
    mean = [sum(losses) / 5 for losses in (first, last)]
    print(
        f"{size}: largest difference {worst:.4f}, after refresh {moved:.4f}; fused kernels: "
        f"{fused}; loss {mean[0]:.4f} -> {mean[1]:.4f}",
        flush=True,
    )
    assert worst < TOLERANCE, "the values differ from those in single precision"
    assert moved < TOLERANCE, "the values after refresh() are not those of the new weights"
    assert mean[1] < mean[0], "training does not lower the loss"


def _check_refresh(trainer: TorchTrainer, inference: Inference) -> float:
    """The largest difference after more training and a refresh."""
    for _ in range(20):
        trainer.step(*random_batch(2048, "cuda"))
    inference.refresh()
    planes, movers, _, _ = (x.cpu() for x in random_batch(4096, "cuda"))
    expected = Inference(trainer.averaged, "cpu", 4096)(planes, movers)
    return float((inference(planes, movers).cpu() - expected).abs().max())


def check_graph_of_training(size: str) -> None:
    """Training with and without CUDA graphs gives about the same losses."""
    losses = []
    for graphs in (False, True):
        torch.manual_seed(0)
        settings = TrainingSettings(graphs=graphs, warmup_steps=5)
        trainer = TorchTrainer(network(size), "cuda", settings)
        batches = [random_batch(1024, "cuda") for _ in range(20)]
        losses.append([float(trainer.step(*batch)) for batch in batches])
    worst = max(abs(a - b) for a, b in zip(*losses, strict=True))
    print(f"{size}: losses with and without CUDA graphs differ by at most {worst:.4f}", flush=True)
    assert worst < TOLERANCE


# -- speed ----------------------------------------------------------------------------------------


def inference_rates(size: str) -> None:
    inference = Inference(network(size), "cuda", max(BATCHES))
    module = inference._module
    assert isinstance(module, ResidualNetwork)
    for count in BATCHES:
        planes, movers, _, _ = (x.cpu().pin_memory() for x in random_batch(count, "cuda"))
        out = torch.empty(count, 1).pin_memory()
        there = planes.cuda(), movers.cuda()
        resident = rate(lambda p=there: inference(*p), count)
        as_bytes = rate(lambda p=planes, m=movers, o=out: inference.into(p, m, o).wait(), count)
        floats = planes.float().pin_memory()
        as_floats = rate(lambda p=floats, m=movers, o=out: inference.into(p, m, o).wait(), count)
        print(
            f"  batch {count:6,}: {resident / 1e6:6.2f} M states/s on the GPU, "
            f"{as_bytes / 1e6:6.2f} from and to pinned memory as bytes, "
            f"{as_floats / 1e6:6.2f} as floats",
            flush=True,
        )


def training_rates(size: str) -> None:
    for count in TRAINING_BATCHES:
        batch = random_batch(count, "cuda")
        rates = []
        for graphs in (True, False):
            settings = TrainingSettings(graphs=graphs, check_every=1000)
            trainer = TorchTrainer(network(size), "cuda", settings)
            rates.append(rate(lambda t=trainer, b=batch: t.step(*b), count))
        print(
            f"  training, batch {count:6,}: {rates[0] / 1e6:.3f} M states/s as a CUDA graph, "
            f"{rates[1] / 1e6:.3f} without",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", default=",".join(NETWORKS), help="of " + ", ".join(NETWORKS))
    parser.add_argument("--check", action="store_true", help="compare values only")
    given = parser.parse_args()
    print(torch.__version__, torch.cuda.get_device_name(), flush=True)
    sizes = given.sizes.split(",")
    for size in sizes:
        check_values(size)
        check_graph_of_training(size)
    for size in [] if given.check else sizes:
        print(f"residual {size}, 7x6:", flush=True)
        inference_rates(size)
        training_rates(size)


if __name__ == "__main__":
    main()
