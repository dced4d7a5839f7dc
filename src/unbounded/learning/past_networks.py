# SPDX-License-Identifier: MIT
"""The pool: networks of earlier generations, which play some seats of self-play.

Against itself alone a network can forget how to answer what it has stopped playing.
"""

from __future__ import annotations

import copy
from random import Random

from torch import nn

from unbounded.learning.export import from_file, load_weights
from unbounded.learning.networks.choosing import kind_of
from unbounded.learning.run_folder import RunFolder


class PastNetworks:
    """At most `size` networks of the past."""

    def __init__(self, size: int, seed: int) -> None:
        self.networks: list[nn.Module] = []
        self._size, self._random = size, Random(seed)

    def add(self, network: nn.Module) -> None:
        """Keep a copy of the network of a generation."""
        self.networks.append(copy.deepcopy(network))

    def draw(self) -> nn.Module | None:
        """The one to play against until the next generation; None if there is none yet."""
        if not self.networks:
            return None
        if len(self.networks) > self._size:  # one goes, but not the newest
            del self.networks[self._random.randrange(len(self.networks) - 1)]
        return self._random.choice(self.networks)

    def read_again(self, folder: RunFolder, current: nn.Module) -> None:
        """Fill the pool from the folder of a run; its first network knows nothing."""
        paths = list(folder.network_paths().values())[1:]
        self.networks = []
        for path in paths[:: max(1, -(-len(paths) // self._size))]:
            if kind_of(current) == "module":
                past = copy.deepcopy(current)
                load_weights(past, path)
            else:
                past = from_file(path)
            self.networks.append(past)
