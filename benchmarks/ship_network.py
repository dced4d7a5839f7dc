# SPDX-License-Identifier: MIT
"""Write the network of a run in half precision, small enough to come with the package.

    python benchmarks/ship_network.py RUN src/unbounded/evaluation/shipped/NAME.safetensors

Ship it only if it beats the heuristic of its game at equal time: `unbounded match`.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

import numpy as np

from unbounded.evaluation import network_file

MOST_BYTES = 2_000_000


def halved(network: network_file.NetworkFile) -> network_file.NetworkFile:
    """The network with all its weights in half precision."""
    tensors = {
        name: array.astype(np.float16) if np.issubdtype(array.dtype, np.floating) else array
        for name, array in network.tensors.items()
    }
    return replace(network, tensors=tensors)


def main() -> None:
    """Convert one network, and say how large it is."""
    parser = argparse.ArgumentParser()
    parser.add_argument("run", help="folder of a run, or the file of a network")
    parser.add_argument("out", type=Path)
    given = parser.parse_args()
    network = network_file.read(network_file.network_path(given.run))
    size = network_file.write(given.out, halved(network))
    print(f"{given.out}: {network.game}, {size:,} bytes")
    if size > MOST_BYTES:
        given.out.unlink()
        raise SystemExit(f"more than {MOST_BYTES:,} bytes: learn with fewer or shorter tuples")


if __name__ == "__main__":
    main()
