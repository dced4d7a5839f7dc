# SPDX-License-Identifier: MIT
"""Games on bits: what larger boards use instead, cell by cell, gives the same answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from unbounded.game import RecordGame
from unbounded.games import (
    amazons,
    breakthrough,
    clobber,
    domineering,
    havannah,
    isolation,
    konane,
    lines_of_action,
    santorini,
)
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


@pytest.mark.parametrize(("rows", "columns"), [(5, 5), (1, 7), (7, 9), (6, 2), (2, 2)])
@pytest.mark.parametrize("first", domineering.SIDES)
def test_domineering(rows: int, columns: int, first: str) -> None:
    game, shape = domineering.Domineering(rows, columns, first), (rows, columns)
    for state, s in some_states(game, 6):
        upright = game.symbols[s.turn] == "V"
        cells = [c for c in range(rows * columns) if domineering.fits(s.covered, c, upright, shape)]
        assert game.actions(state) == cells
        assert game.uncompiled.is_terminal is not None
        assert game.uncompiled.is_terminal(s) == (cells == [])
        listed_ones = listed(
            game,
            lambda out, s=s, upright=upright: domineering.list_forced(
                s.covered, upright, shape, out
            ),
        )
        assert game.forced(state) == listed_ones
        lead = 2 * domineering.room(s.covered, True, shape)
        lead -= 2 * domineering.room(s.covered, False, shape)
        lead = (lead if first == "vertical" else -lead) + (-1 if s.turn == 0 else 1)
        assert game.evaluate(state)[0] == lead / (abs(lead) + 10.0)


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


@pytest.mark.parametrize(("rows", "columns"), [(5, 5), (6, 6), (7, 9), (2, 7), (9, 3)])
def test_konane(rows: int, columns: int) -> None:
    game, shape = konane.Konane(rows, columns), (rows, columns)
    opening = konane.opening_cells(rows, columns)
    for state, s in some_states(game, 3):
        own = s.turn + 1
        moves = listed(
            game, lambda out, s=s, own=own: konane.list_moves(s.cells, own, opening, shape, out)
        )
        assert game.actions(state) == moves
        assert konane.can_move(s.cells, own, shape)
        for move in moves:
            cells, (cell, direction, jumps) = s.cells[:], (move // 64, move // 16 % 4, move % 16)
            konane.take_path(cells, cell, direction, jumps, shape)
            if jumps > 0:
                cells[konane.ahead(cell, direction, 2 * jumps, shape)] = own
            successor = game.next(state, move)
            after = game.state.unpack(successor)
            assert after.cells == cells
            moves_on = konane.can_move(after.cells, 3 - own, shape)
            assert (len(game.actions(successor)) > 0) == moves_on
        lead = konane.lead_by_jumps(s.cells, shape)
        assert game.evaluate(state)[0] == lead / (abs(lead) + 15.0)


@pytest.mark.parametrize(
    ("rows", "columns", "players"), [(5, 5, 2), (2, 4, 2), (4, 3, 4), (3, 5, 3), (7, 9, 2)]
)
def test_isolation(rows: int, columns: int, players: int) -> None:
    game, shape = isolation.Isolation(rows, columns, players), (rows, columns)
    size = rows * columns
    around, near = (isolation.cells_within(steps, rows, columns).tolist() for steps in (1, 2))
    for state, s in some_states(game, 2):
        moves = listed(game, lambda out, s=s: isolation.list_moves(s.cells, s.turn, shape, out))
        assert game.actions(state) == moves
        for move in moves[::7]:
            cells = s.cells[:]
            cells[cells.index(s.turn + 1)] = 0
            cells[move // size], cells[move % size] = s.turn + 1, -1
            turn = isolation.next_player(cells, s.turn, players, shape)
            after = game.state.unpack(game.next(state, move))
            assert (after.cells, after.turn) == (cells, turn)
            over = isolation.pawns_left(cells, size) < 2
            assert game.uncompiled.is_terminal is not None
            assert game.uncompiled.is_terminal(after) == over
            assert over or isolation.can_move(cells, turn, rows, columns)
        for who in range(players):
            room = isolation.room(s.cells, who, shape)
            assert isolation.room_on_bits(s.cells, who, around, near) == room


@pytest.mark.parametrize(("rows", "columns"), [(4, 4), (5, 6), (7, 9), (10, 6)])
def test_amazons(rows: int, columns: int) -> None:
    game, longest = amazons.Amazons(rows=rows, columns=columns), max(rows, columns)
    steps = np.array(game.grid.neighbors(amazons.ALL_AROUND)).ravel()
    for state, s in some_states(game, 1):
        assert amazons.can_go_on(s.cells, s.turn, s.shooter, steps)
        for action in game.actions(state)[::3]:
            successor = game.next(state, action)
            after = game.state.unpack(successor)
            goes_on = amazons.can_go_on(after.cells, after.turn, after.shooter, steps)
            assert (len(game.actions(successor)) > 0) == goes_on
        first = 1 - s.turn if s.shooter else s.turn
        lead = 2.0 * amazons.nearer(s.cells, first, steps, longest)
        lead += amazons.nearer(s.cells, first, steps, 1)
        assert game.evaluate(state)[first] == lead / (abs(lead) + (rows + columns))


@pytest.mark.parametrize(
    ("size", "players", "workers"), [(5, 2, 2), (2, 2, 1), (3, 3, 1), (4, 3, 2), (7, 2, 1)]
)
def test_santorini(size: int, players: int, workers: int) -> None:
    game, module = santorini.Santorini(size, players, workers), santorini
    around = np.array(game.grid.neighbors(module.ALL_AROUND)).ravel()
    for state, s in some_states(game, 2):
        if module.is_placing(s.workers, s.turn):
            continue
        turns = listed(
            game, lambda out, s=s: module.turns(s.levels, s.workers, s.turn, around, out)
        )
        assert game.actions(state) == turns
        for turn in turns[::5]:
            successor = game.next(state, turn)
            t = game.state.unpack(successor)
            goes_on = module.is_placing(t.workers, t.turn) or (
                not module.stands_on_top(t.levels, t.workers, t.turn)
                and module.can_go_on(t.levels, t.workers, t.turn, around)
            )
            assert (len(game.actions(successor)) > 0) == goes_on
        values = [
            module.strength(s.levels, s.workers, who, s.turn, around) for who in range(players)
        ]
        leads = [players * value - sum(values) for value in values]
        assert game.evaluate(state) == [lead / (abs(lead) + 60.0) for lead in leads]


@pytest.mark.parametrize("size", [2, 3, 4, 5])
def test_havannah(size: int) -> None:
    game, module = havannah.Havannah(size), havannah
    around = np.array(module.neighbor_table(game.spots))
    borders = np.array(module.borders_of(size, game.spots))
    images = module.images_of(size, game.spots)
    for state, s in some_states(game, 3):
        lead = 0.5 - s.turn + module.missing_stones(s.cells, around, borders, -1)
        lead -= module.missing_stones(s.cells, around, borders, 1)
        assert game.evaluate(state)[0] == lead / (abs(lead) + 3.0)
        for k in range(12):
            image = game.state.unpack(game.symmetry(state, k)).cells
            for cell, value in enumerate(s.cells):
                chain = [images[k][i] for i, other in enumerate(s.cells) if other == value]
                number = (min(chain) + 1) * ((value > 0) - (value < 0))
                assert image[images[k][cell]] == number
