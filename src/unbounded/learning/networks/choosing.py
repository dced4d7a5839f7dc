# SPDX-License-Identifier: MIT
"""Networks by name: "ntuple", "dense(64,64)", "residual(channels=64,blocks=4)", "FILE.py:Class"."""

from __future__ import annotations

import importlib.util
import re
import sys
from collections.abc import Callable
from pathlib import Path

import torch
from torch import nn

from unbounded.evaluation.network_file import WIDEST_ROW
from unbounded.game import UsageError, did_you_mean, require
from unbounded.learning.networks.dense import DenseNetwork
from unbounded.learning.networks.ntuple import (
    NTupleNetwork,
    choose_cells,
    default_features,
    default_sizes,
    longest_that_fits,
)
from unbounded.learning.networks.residual import ResidualNetwork
from unbounded.learning.networks.shape import (
    NetworkShape,
    check_network,
    default_network,
    planes_are_exclusive,
    shape_of,
)

__all__ = [
    "EXAMPLES",
    "NetworkShape",
    "check_network",
    "default_network",
    "kind_of",
    "make_network",
    "planes_are_exclusive",
    "shape_in",
    "shape_of",
]

EXAMPLES = '"ntuple", "dense(64,64)", "residual-small", "residual(channels=64,blocks=4)"'
SIZES = ("small", "medium", "large")
DENSE = {"small": (32, 32), "medium": (64, 64), "large": (256, 256, 256)}
RESIDUAL = {"small": (32, 2), "medium": (64, 4), "large": (128, 8)}
LARGEST = 4096


def make_network(spec: str, shape: NetworkShape, seed: int) -> nn.Module:
    """A new network for a game; the same seed gives the same weights.

    An n-tuple network fits only games whose planes are 0 or 1 and exclusive: see
    `check_network`.
    """
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        if ".py:" in spec:
            return _from_user(spec, shape)
        kind, size, numbers, named = _parsed(spec)
        return _MAKERS[kind](shape, size, numbers, named, seed)


def shape_in(module: nn.Module) -> NetworkShape:
    """The shape for which `make_network` made a network."""
    shape = module.network_shape
    assert isinstance(shape, NetworkShape)
    return shape


def kind_of(module: nn.Module) -> str:
    """The kind of a network as in its file; "module" for a class of the user."""
    kind = getattr(module, "kind", None)
    return kind if isinstance(kind, str) and kind in _MAKERS else "module"


# -- our kinds ----------------------------------------------------------------------------------


def _parsed(spec: str) -> tuple[str, str, list[int], dict[str, int]]:
    """Read a specification as kind, size, numbers and named numbers."""
    match = re.fullmatch(r"\s*(\w+)(?:-(\w+))?\s*(?:\((.*)\))?\s*", spec)
    kind, size, inside = match.groups() if match else (spec, None, None)
    if kind not in _MAKERS:
        raise UsageError(
            f"unknown network {spec!r}{did_you_mean(kind, _MAKERS)}; examples: {EXAMPLES}, and "
            '"FILE.py:Class" for a torch.nn.Module of your own'
        )
    require(size is None or size in SIZES, f"{spec!r}: a size is one of {', '.join(SIZES)}")
    numbers: list[int] = []
    named: dict[str, int] = {}
    for part in filter(None, (part.strip() for part in (inside or "").split(","))):
        item = re.fullmatch(r"(?:(\w+)\s*=\s*)?(\d{1,6})", part)
        if item is None:
            raise UsageError(f"{spec!r}: {part!r} is not a number; examples: {EXAMPLES}")
        if item[1]:
            named[item[1]] = int(item[2])
        else:
            numbers.append(int(item[2]))
    return kind, size or "medium", numbers, named


def _take(kind: str, named: dict[str, int], defaults: dict[str, int]) -> list[int]:
    """The named numbers in the order of the defaults, which complete them."""
    for name, value in named.items():
        if name not in defaults:
            raise UsageError(
                f"network {kind} has no parameter {name!r}{did_you_mean(name, defaults)}; "
                f"it has {', '.join(defaults)}"
            )
        require(1 <= value <= LARGEST, f"{kind}: {name} must be from 1 to {LARGEST}, not {value}")
    return [named.get(name, value) for name, value in defaults.items()]


def _ntuple(
    shape: NetworkShape, size: str, numbers: list[int], named: dict[str, int], seed: int
) -> nn.Module:
    require(not numbers, 'ntuple takes named numbers: "ntuple(tuples=70,length=6,features=7)"')
    named = dict(named)
    features = named.pop("features", default_features(shape))
    most = WIDEST_ROW - shape.outputs
    require(0 <= features <= most, f"ntuple: features must be from 0 to {most}, not {features}")
    width = shape.outputs + features
    tuples, length = default_sizes(shape, width)
    if size == "small":
        tuples, length = max(8, tuples // 2), max(2, length - 2)
    elif size == "large":
        tuples = min(200, shape.cells * 5)
        length = min(shape.cells, longest_that_fits(shape, 70, width) + (shape.players > 2))
    if "tuples" in named and "length" not in named:
        length = longest_that_fits(shape, min(named["tuples"], 70), width)
    tuples, length = _take("ntuple", named, {"tuples": tuples, "length": length})
    return NTupleNetwork(shape, choose_cells(shape, tuples, length, width, seed), features)


def _dense(
    shape: NetworkShape, size: str, numbers: list[int], named: dict[str, int], seed: int
) -> nn.Module:
    require(not named, 'dense takes the widths of its layers: "dense(64,64)"')
    hidden = numbers or DENSE[size]
    require(all(1 <= n <= LARGEST for n in hidden), f"dense: widths must be from 1 to {LARGEST}")
    return DenseNetwork(shape, hidden)


def _residual(
    shape: NetworkShape, size: str, numbers: list[int], named: dict[str, int], seed: int
) -> nn.Module:
    require(not numbers, 'residual takes named numbers: "residual(channels=64,blocks=4)"')
    channels, blocks = RESIDUAL[size]
    defaults = {"channels": channels, "blocks": blocks, "hidden": 128}
    channels, blocks, hidden = _take("residual", named, defaults)
    return ResidualNetwork(shape, channels, blocks, hidden)


_MAKERS: dict[str, Callable[[NetworkShape, str, list[int], dict[str, int], int], nn.Module]] = {
    "ntuple": _ntuple,
    "dense": _dense,
    "residual": _residual,
}


# -- a class of the user --------------------------------------------------------------------------


def _from_user(spec: str, shape: NetworkShape) -> nn.Module:
    """Build the user's class and try it on two empty states."""
    try:
        network = _user_class(spec)(shape.planes, shape.players, shape.outputs)
        network.network_shape = shape
        with torch.no_grad():
            states = torch.zeros(2, *shape.planes), torch.zeros(2, dtype=torch.int64)
            values = network.eval()(*states)
    except UsageError:
        raise
    except Exception as error:  # whatever the user's code raises
        raise UsageError(f"{spec} failed: {type(error).__name__}: {error}") from error
    wanted = (2, shape.outputs)
    if not isinstance(values, torch.Tensor) or tuple(values.shape) != wanted:
        what = tuple(values.shape) if isinstance(values, torch.Tensor) else type(values).__name__
        raise UsageError(
            f"{spec} returned {what} for two states; it must return a tensor of shape {wanted}"
        )
    return network.train()


def _user_class(spec: str) -> type[nn.Module]:
    """Run the user's file and find the class in it."""
    name, _, class_name = spec.rpartition(":")
    path = Path(name)
    require(path.is_file(), f"{name} does not exist: a network of your own is FILE.py:Class")
    found = importlib.util.spec_from_file_location(f"unbounded_user_{path.stem}", path)
    assert found is not None
    assert found.loader is not None
    loaded = importlib.util.module_from_spec(found)
    sys.modules[found.name] = loaded
    found.loader.exec_module(loaded)
    made_by = getattr(loaded, class_name, None)
    if not (isinstance(made_by, type) and issubclass(made_by, nn.Module)):
        raise UsageError(f"{name} has no class {class_name!r} that is a torch.nn.Module")
    return made_by
