# SPDX-License-Identifier: MIT
"""What a network is given of a game and what it returns, and which kinds of networks fit."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from unbounded.evaluation.network_file import WIDEST_ROW, outputs_for
from unbounded.game import Game, UsageError, require
from unbounded.game.rule_errors import located
from unbounded.learning.settings import check_encodes

SAMPLED_GAMES = 8
SAMPLED_MOVES = 200


@dataclass(frozen=True)
class NetworkShape:
    """The inputs and outputs of every network for a game."""

    game: str
    """The game string."""
    players: int
    planes: tuple[int, int, int]
    """Planes, rows and columns of what `encode` returns."""
    outputs: int
    """1 for two players whose scores add up to zero: the value for the mover. Otherwise one output
    per player, output j for player (mover + j) % players."""
    scale: float = 1.0
    """An output of 1 means this value in the game's units."""

    @property
    def inputs(self) -> int:
        """How many numbers `encode` returns for a state."""
        return math.prod(self.planes)

    @property
    def cells(self) -> int:
        """How many cells a plane has."""
        return self.planes[1] * self.planes[2]


def shape_of(game: Game[Any, Any], scale: float = 1.0) -> NetworkShape:
    """The shape of the networks for a game; a game without `encode` is refused."""
    check_encodes(game)
    assert game.planes is not None
    return NetworkShape(str(game), game.players, game.planes, outputs_for(game), scale)


def planes_are_exclusive(game: Game[Any, Any], seed: int = 0) -> bool:
    """Whether every cell has at most one plane that is not 0, and that one is 1.

    This is tested on the states of a few random games.
    """
    assert game.planes is not None
    cells = game.planes[1] * game.planes[2]
    return all(
        len(set(ones)) == len(ones) and _is_binary(values)
        for values in _sampled(game, seed)
        for ones in [[index % cells for index, value in enumerate(values) if value != 0]]
    )


def planes_are_binary(game: Game[Any, Any], seed: int = 0) -> bool:
    """Whether the planes hold only 0 and 1, in the states of a few random games."""
    return all(_is_binary(values) for values in _sampled(game, seed))


def _is_binary(values: Sequence[float]) -> bool:
    return all(value in (0, 1) for value in values)


def _sampled(game: Game[Any, Any], seed: int) -> Iterator[Sequence[float]]:
    """The planes of the states of a few random games."""
    random = Random(seed)
    for _ in range(SAMPLED_GAMES):
        state = game.initial()
        for _ in range(SAMPLED_MOVES):
            actions = list(game.actions(state))
            if not actions:
                break
            yield _encoded(game, state)
            state = game.next(state, random.choice(actions))


def _encoded(game: Game[Any, Any], state: Any) -> Sequence[float]:
    try:
        return game.encode(state)
    except Exception as error:
        raise located(game, "encode", error, state) from error


def check_network(spec: str, game: Game[Any, Any]) -> None:
    """Refuse an n-tuple network for a game whose cells have no single symbol."""
    if not spec.lstrip().startswith("ntuple"):
        return
    players = outputs_for(game)
    require(players <= WIDEST_ROW, f"an ntuple network is for at most {WIDEST_ROW} players")
    if planes_are_exclusive(game):
        return
    raise UsageError(
        f"an ntuple network does not fit {game}: it needs planes of 0 and 1, at most one of them 1 "
        "on each cell. Use dense or residual"
    )


def default_network(game: Game[Any, Any], device: str) -> str:
    """The kind of network that fits a game best on a device ("cpu" or "cuda")."""
    _, rows, columns = shape_of(game).planes
    if device.startswith("cuda"):
        return "residual" if min(rows, columns) >= 3 else "dense"
    fits = outputs_for(game) <= WIDEST_ROW and min(rows, columns) >= 2
    if fits and planes_are_exclusive(game):
        return "ntuple"
    return "dense"
