# SPDX-License-Identifier: MIT
"""Cells as bits: compiled, the functions of `game/bits.py` do what they do in plain Python."""

from __future__ import annotations

import random

import pytest

from unbounded import RecordGame, Rules, record
from unbounded.game import Out, RuleError, State
from unbounded.game.bits import (
    cells_above,
    cells_with,
    count_cells,
    fill_cells,
    first_cell,
    list_cells,
)
from unbounded.native.compiling import compile_game

SPREAD = 0x1_0008_0004_0201
"""Makes many bits of a few."""


class Cells(RecordGame):
    """One state: cells, and a value to compare them with. Actions are what the functions return."""

    def __init__(self, count: int = 25, width: int = 8) -> None:
        self.count, self.width = count, width
        self.state = record(cells=f"i{width}[{count}]", value="i64", turn="i8")
        self.max_actions = 64

    def rules(self) -> Rules:
        def initial(s: State) -> None:
            s.turn = 0

        def player(s: State) -> int:
            turn: int = s.turn
            return turn

        def actions(s: State, out: Out) -> int:
            equal, above = cells_with(s.cells, s.value), cells_above(s.cells, s.value)
            count = list_cells(equal if s.turn == 0 else above, out)
            for bits in (equal, above, s.value):
                out[count] = first_cell(bits)
                out[count + 1] = count_cells(bits)
                count += 2
            return count

        def move(s: State, action: int, t: State) -> None:
            fill_cells(t.cells, action * SPREAD, s.value)
            t.turn = 1

        def outcome(s: State, out: Out) -> None:
            out[0] = 0

        return Rules(initial, player, actions, move, outcome)


def some_states(game: Cells, number: int) -> list[bytes]:
    rng, most = random.Random(number), 2 ** (game.width - 1)
    ends = [0, 1, -1, most - 1, -most, min(most, 2**62), max(-most - 1, -(2**63))]
    states = []
    for _ in range(200):
        fields = game.state.zero()
        values = rng.sample(ends[:5], 2)
        fields.cells = [rng.choice(values) for _ in range(game.count)]
        fields.value, fields.turn = rng.choice([*ends, *values]), rng.randrange(2)
        states.append(game.state.pack(fields))
    return states


@pytest.mark.parametrize("width", [8, 16, 64])
@pytest.mark.parametrize("count", [1, 9, 25, 58])
def test_compiled_functions_do_the_same(count: int, width: int) -> None:
    game = Cells(count, width)
    compiled = compile_game(game)
    for state in some_states(game, count):
        assert compiled.actions(state) == list(game.actions(state))


@pytest.mark.parametrize("width", [8, 16, 64])
@pytest.mark.parametrize("count", [1, 9, 25, 63])
def test_compiled_filling_does_the_same(count: int, width: int) -> None:
    game, rng = Cells(count, width), random.Random(count)
    compiled = compile_game(game)
    filled = refused = 0
    for state in some_states(game, count):
        action = rng.choice([0, 1, -1, rng.randrange(2**14)])
        try:
            successor = game.next(state, action)
        except (OverflowError, RuleError):
            refused += 1
            with pytest.raises(RuleError):
                compiled.next(state, action)
            continue
        filled += successor != state[:-1] + b"\x01"
        assert compiled.next(state, action) == successor
    assert filled > 10 and (refused > 0 or width == 64)


def test_more_cells_than_bits_are_refused() -> None:
    game = Cells(64)
    state = game.initial()
    with pytest.raises(OverflowError, match="64 cells do not fit the 63 bits"):
        game.next(state, 1)
    with pytest.raises(RuleError, match="64 cells do not fit the 63 bits"):
        compile_game(game).next(state, 1)
    with pytest.raises(OverflowError, match="64 cells do not fit the 63 bits"):
        game.actions(state)
    with pytest.raises(RuleError, match="64 cells do not fit the 63 bits"):
        compile_game(game).actions(state)


def test_bits_by_hand() -> None:
    assert cells_with([0, 2, 1, 2], 2) == 0b1010
    assert cells_above([0, 2, 1, -2], 0) == 0b0110
    cells = [0, 2, 1, 2]
    fill_cells(cells, 0b110110, 7)
    assert cells == [0, 7, 7, 2]
    assert (first_cell(0b1010), first_cell(0)) == (1, -1)
    assert (count_cells(0b1010), count_cells(-1)) == (2, 64)
    out = [0] * 4
    assert (list_cells(0b1010, out), out) == (2, [1, 3, 0, 0])
