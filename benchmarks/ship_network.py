# SPDX-License-Identifier: MIT
"""Write the n-tuple network of a run with tables of bytes, so that it can come with the package.

    python benchmarks/ship_network.py RUN src/unbounded/evaluation/shipped/NAME.safetensors

Ship it only if it beats the heuristic of its game at equal time: `unbounded match`.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from unbounded.evaluation import network_file

MOST_BYTES = 2_000_000


def main() -> None:
    """Convert one network, and say how large it is."""
    parser = argparse.ArgumentParser()
    parser.add_argument("run", help="folder of a run, or the file of a network")
    parser.add_argument("out", type=Path)
    given = parser.parse_args()
    network = network_file.read(network_file.network_path(given.run))
    if network.kind != "ntuple":
        raise SystemExit(f"only n-tuple networks are shipped, and this is a {network.kind} network")
    made = given.out.with_suffix(".new")
    size = network_file.write(made, network, small=True)
    print(f"{given.out}: {network.game}, {size:,} bytes")
    if size > MOST_BYTES:
        made.unlink()
        raise SystemExit(f"more than {MOST_BYTES:,} bytes: learn with fewer or shorter tuples")
    made.replace(given.out)


if __name__ == "__main__":
    main()
