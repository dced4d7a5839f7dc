# SPDX-License-Identifier: MIT
"""An n-tuple network: a sum of table rows, each looked up by what stands on a few cells.

The symbol of a cell is 0 if all planes are 0 there, else 1 + the number of the plane that is 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import embedding_bag, one_hot

from unbounded.game import UsageError
from unbounded.learning.networks.shape import NetworkShape

LONGEST = 8
MOST_NUMBERS = 6_000_000
"""In all tables: tuples that make more are made only if asked for."""
LARGEST_NUMBERS = 1 << 28
SHARE_OF_LINES = 0.5
"""At most. On connect-four 5x4, trained with exact values, the outcome was right in 84 % of new
positions without lines, 88 % with a quarter and 89 % with half of the tuples along lines."""


class _SumOfTables(torch.autograd.Function):
    """For each row of indices, the sum of those rows of a table.

    The gradient of `embedding_bag` sorts the indices, which takes ten times as long.
    """

    @staticmethod
    def forward(ctx: Any, tables: Tensor, rows: Tensor) -> Tensor:
        ctx.save_for_backward(rows)
        ctx.size = tables.shape
        return embedding_bag(rows, tables, mode="sum")

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None]:
        (rows,) = ctx.saved_tensors
        (gradient,) = gradients
        count, outputs = rows.shape[1], gradient.shape[1]
        total = gradient.new_zeros(ctx.size)
        if outputs == 1:
            total.view(-1).scatter_add_(0, rows.flatten(), gradient.expand(-1, count).flatten())
        else:
            spread = gradient.unsqueeze(1).expand(-1, count, -1).reshape(-1, outputs)
            total.index_add_(0, rows.flatten(), spread)
        return total, None


class NTupleNetwork(nn.Module):
    """The sum over the tuples of rows tables[mover, tuple, index], and layers on that sum.

    A row has one number per output, which go straight into the values, and `features`, which go
    through a hidden layer first: so the value is not just a sum of what is seen on few cells.
    """

    kind = "ntuple"

    def __init__(
        self, shape: NetworkShape, cells: Sequence[Sequence[int]], features: int = 0
    ) -> None:
        super().__init__()
        self.network_shape = shape
        self.symbols = shape.planes[0] + 1
        self.tuples, self.length = len(cells), len(cells[0])
        self.entries = self.symbols**self.length
        rows = shape.players * self.tuples * self.entries
        self.features, self.width = features, shape.outputs + features
        self.tables = nn.Parameter(torch.zeros(rows, self.width))
        self.bias = nn.Parameter(torch.zeros(shape.players, self.width))
        if features:
            # Rows begin at 0. With a bias above 0 gradients reach them, and random layers behind
            # make features differ.
            nn.init.uniform_(self.bias[:, shape.outputs :], 0.25, 0.75)
            self.hidden = nn.Linear(features, self.width)
            self.output = nn.Linear(self.width, shape.outputs, bias=False)
        self.cells: Tensor
        self.register_buffer("cells", torch.tensor(cells, dtype=torch.int32))
        self._factors: Tensor
        self._starts: Tensor
        self.register_buffer("_factors", self._index_factors(), persistent=False)
        starts = torch.arange(self.tuples, dtype=torch.int64) * self.entries
        self.register_buffer("_starts", starts, persistent=False)
        self.register_load_state_dict_post_hook(_follow_cells)

    @property
    def settings(self) -> dict[str, Any]:
        """What the network is built from, as in its file."""
        return {
            "tuples": self.tuples,
            "length": self.length,
            "symbols": self.symbols,
            "features": self.features,
        }

    def parameters_in_order(self) -> list[nn.Parameter]:
        """Tables and bias, and with features the layers behind them."""
        if not self.features:
            return [self.tables, self.bias]
        layers = [self.hidden.weight, self.hidden.bias, self.output.weight]
        return [self.tables, self.bias, *layers]

    def forward(self, planes: Tensor, movers: Tensor) -> Tensor:
        """The values, (N, outputs), of states given as (N, P, H, W) planes and (N,) movers."""
        # Double precision is always exact, and on a GPU nothing lowers it. Single precision is
        # exact up to 2**24, and faster on a CPU.
        single = planes.device.type == "cpu" and self.entries <= 1 << 24
        dtype = torch.float32 if single else torch.float64
        indices = (planes.flatten(1).to(dtype) @ self._factors.to(dtype)).long()
        first = movers * (self.tuples * self.entries)
        rows = indices + self._starts + first.unsqueeze(1)
        # As a product, because the gradient of indexing adds the batch up into few rows slowly.
        bias = one_hot(movers, self.network_shape.players).to(self.bias.dtype) @ self.bias
        return torch.tanh(self._head(_SumOfTables.apply(self.tables, rows) + bias))

    def _head(self, sums: Tensor) -> Tensor:
        """What tanh is applied to; the same as `NTupleHead` of the core."""
        direct = sums[:, : self.network_shape.outputs]
        if not self.features:
            return direct
        features = torch.relu(sums[:, self.network_shape.outputs :])
        values: Tensor = direct + self.output(torch.relu(self.hidden(features)))
        return values

    def _index_factors(self) -> Tensor:
        """What a 1 in each plane and cell adds to the index of each tuple."""
        planes, count = self.network_shape.planes[0], self.network_shape.cells
        factors = torch.zeros(planes, count, self.tuples, dtype=torch.float64)
        for t, cells in enumerate(self.cells.tolist()):
            for i, cell in enumerate(cells):
                for plane in range(planes):
                    factors[plane, cell, t] = (plane + 1) * self.symbols**i
        return factors.view(planes * count, self.tuples)


def _follow_cells(network: NTupleNetwork, _: object) -> None:
    """The cells are part of the weights: another seed draws other ones."""
    network._factors.copy_(network._index_factors())


# -- the tuples ---------------------------------------------------------------------------------


def default_features(shape: NetworkShape) -> int:
    """As many as make rows of 8 or 16 numbers, for which the core has fast loops."""
    return max(0, (8 if shape.outputs <= 4 else 16) - shape.outputs)


def default_sizes(shape: NetworkShape, width: int) -> tuple[int, int]:
    """How many tuples and how long, so that the tables stay small for many players and planes."""
    tuples = max(16, min(70, shape.cells * 5 // 3))
    return tuples, longest_that_fits(shape, tuples, width)


def longest_that_fits(shape: NetworkShape, tuples: int, width: int) -> int:
    """The longest tuples whose tables have at most `MOST_NUMBERS` numbers."""
    per_row = shape.players * tuples * width
    length = 2
    while length < LONGEST and per_row * (shape.planes[0] + 1) ** (length + 1) <= MOST_NUMBERS:
        length += 1
    return min(length, shape.cells)


def choose_cells(
    shape: NetworkShape, tuples: int, length: int, width: int, seed: int
) -> list[list[int]]:
    """Draw tuples of neighboring cells: some along lines of the board, the others random walks.

    Every cell is in about as many tuples as any other. A small board may have fewer tuples.
    """
    numbers = shape.players * tuples * (shape.planes[0] + 1) ** length * width
    if not 1 <= length <= shape.cells:
        raise UsageError(f"length must be from 1 to {shape.cells}, the cells of the board")
    if tuples < 1 or numbers > LARGEST_NUMBERS:
        raise UsageError(
            f"{tuples} tuples of {length} cells make tables of {numbers:,} numbers: the number of "
            f"tuples must be positive and the tables at most {LARGEST_NUMBERS:,}"
        )
    random = Random(seed)
    covered = [0] * shape.cells
    chosen: dict[frozenset[int], list[int]] = {}
    lines = _lines(shape.planes[1], shape.planes[2])
    random.shuffle(lines)
    lines = lines[: int(tuples * SHARE_OF_LINES)]
    for _ in range(50 * tuples):  # on a small board the same cells come up again and again
        if len(chosen) == tuples:
            break
        line = lines.pop() if lines else []
        start = random.randint(0, max(0, len(line) - length))
        cells = _walk(shape, line[start : start + length], length, covered, random)
        if frozenset(cells) not in chosen:
            chosen[frozenset(cells)] = cells
            for cell in cells:
                covered[cell] += 1
    return list(chosen.values())


def _lines(rows: int, columns: int) -> list[list[int]]:
    """Rows, columns and diagonals of at least three cells."""
    lines = []
    for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
        for row in range(rows):
            for column in range(columns):
                if 0 <= row - down < rows and 0 <= column - right < columns:
                    continue  # not the first cell of its line
                line, r, c = [], row, column
                while 0 <= r < rows and 0 <= c < columns:
                    line.append(r * columns + c)
                    r, c = r + down, c + right
                if len(line) >= 3:
                    lines.append(line)
    return lines


def _walk(
    shape: NetworkShape, start: list[int], length: int, covered: list[int], random: Random
) -> list[int]:
    """Extend a tuple by neighbors of its last cell, preferring cells in few tuples."""
    if not start:
        start = random.choices(range(shape.cells), [(1 + times) ** -2 for times in covered])
    cells = list(start)
    while len(cells) < length:
        near: list[int] = []
        for cell in reversed(cells):  # at a dead end, go on from an earlier cell
            near = [x for x in _neighbors(shape, cell) if x not in cells]
            if near:
                break
        weights = [1 / (1 + covered[cell]) for cell in near]
        cells.append(random.choices(near, weights)[0])
    return cells


def _neighbors(shape: NetworkShape, cell: int) -> list[int]:
    _, rows, columns = shape.planes
    row, column = divmod(cell, columns)
    return [
        r * columns + c
        for r in range(max(0, row - 1), min(rows, row + 2))
        for c in range(max(0, column - 1), min(columns, column + 2))
        if (r, c) != (row, column)
    ]
