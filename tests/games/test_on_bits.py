# SPDX-License-Identifier: MIT
"""Games on bits: what larger boards use instead, cell by cell, gives the same answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from unbounded.game import RecordGame
from unbounded.games import breakthrough, clobber, lines_of_action
from unbounded.games import hex as hex_game
from unbounded.testing import random_play


def some_states(game: RecordGame, games: int) -> Iterator[tuple[bytes, Any]]:
    """States of random games that are not over, as bytes and as fields."""
    for seed in range(games):
        for state in random_play(game, seed=seed).states[:-1]:
            yield state, game.state.unpack(state)


def listed(game: RecordGame, fill: Callable[[list[int]], int]) -> list[int]:
    out = [0] * game.max_actions
    return out[: fill(out)]


@pytest.mark.parametrize(("rows", "columns"), [(5, 5), (1, 7), (7, 9), (6, 2)])
def test_clobber(rows: int, columns: int) -> None:
    game, shape = clobber.Clobber(rows, columns), (rows, columns)
    for state, s in some_states(game, 6):
        moves = listed(game, lambda out, s=s: clobber.list_moves(s.cells, s.turn + 1, shape, out))
        assert game.actions(state) == moves
        assert game.uncompiled.is_terminal is not None
        assert game.uncompiled.is_terminal(s) != clobber.has_pair(s.cells, shape)
        lead = clobber.lead_by_stones(s.cells, shape)
        assert game.evaluate(state)[0] == lead / (abs(lead) + 20.0)


@pytest.mark.parametrize(("rows", "columns"), [(5, 5), (4, 2), (7, 9), (6, 3)])
def test_breakthrough(rows: int, columns: int) -> None:
    game, shape = breakthrough.Breakthrough(rows, columns), (rows, columns)
    for state, s in some_states(game, 6):
        steps = listed(game, lambda out, s=s: breakthrough.list_steps(s.cells, s.turn, shape, out))
        assert game.actions(state) == steps
        out = steps + [0] * len(steps)
        count = breakthrough.keep_forced(s.cells, s.turn, len(steps), shape, out)
        assert game.forced(state) == out[:count]
        lead = breakthrough.lead_by_pawns(s.cells, s.turn, shape)
        assert game.evaluate(state)[0] == lead / (abs(lead) + 100.0)


@pytest.mark.parametrize("size", [1, 2, 4, 5, 7])
def test_hex(size: int) -> None:
    game = hex_game.Hex(size)
    table = np.array(game.grid.neighbors(hex_game.SIX_AROUND))
    for state, s in some_states(game, 6):
        forced = listed(game, lambda out, s=s: hex_game.list_forced(s.cells, s.turn, table, out))
        assert game.forced(state) == forced
        for cell in game.actions(state):
            cells, along = s.cells[:], divmod(cell, size)[s.turn]
            cells[cell] = 1 - 2 * s.turn
            sides = hex_game.join(cells, table, cell, hex_game.sides_at(along, size))
            after = game.state.unpack(game.next(state, cell))
            assert (after.cells, after.winner != 0) == (cells, sides == hex_game.BOTH_SIDES)
        lead = 0.5 - s.turn + hex_game.missing_stones(s.cells, table, -1)
        lead -= hex_game.missing_stones(s.cells, table, 1)
        assert game.evaluate(state)[0] == lead / (abs(lead) + 2.0)


@pytest.mark.parametrize("size", [3, 5, 7])
def test_lines_of_action(size: int) -> None:
    game, module = lines_of_action.LinesOfAction(size), lines_of_action
    tables = module.places_of_counts(size), module.cells_passed(size)
    edge = module.first_column(size)
    for state, s in some_states(game, 2):
        own = s.turn + 1
        moves = listed(
            game, lambda out, s=s, own=own: module.list_moves(s.cells, own, tables, size, out)
        )
        assert game.actions(state) == moves
        for move in moves:
            cells, target = s.cells[:], module.landing(s.cells, move // 8, move % 8, size)
            cells[move // 8], cells[target] = 0, own
            joined = module.joined_on(cells, own, s.cells[target] != 0, size, edge)
            after = game.state.unpack(game.next(state, move))
            assert (after.cells, after.winner) == (cells, (0, own, 3 - own)[joined])
        lead = module.spread(s.cells, 2, size) - module.spread(s.cells, 1, size)
        assert game.evaluate(state)[0] == lead / (abs(lead) + 2.0)
