# SPDX-License-Identifier: MIT
"""The optional rule `is_terminal`, and symmetries that are declared to permute a field."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

import unbounded as ub
from unbounded import native
from unbounded.game import Out, RecordGame, RuleError, Rules, State, record
from unbounded.game.board import Grid, moved_cells, mover_loses, player_in_turn
from unbounded.native.compiling.building import Builder
from unbounded.testing import check_game, perft, random_play

WITH_THE_RULE = [
    "connect-four(width=4,height=4)",
    "connect-four(width=4,height=3,line=3,players=3)",
    "hex(size=3)",
    "othello(size=4)",
    "dots-and-boxes(rows=2,columns=2)",
    "dots-and-boxes(rows=8,columns=8)",
    "clobber(rows=3,columns=4)",
    "kalah(pits=3,seeds=3)",
    "kalah(pits=3,seeds=3,empty_capture=true)",
    "lines-of-action(size=4)",
]


@pytest.mark.parametrize("text", WITH_THE_RULE)
def test_it_is_true_exactly_where_there_are_no_actions(text: str) -> None:
    game = ub.load_game(text)
    assert isinstance(game, RecordGame) and game.uncompiled.is_terminal is not None
    seen = {state for seed in range(20) for state in random_play(game, seed).states}
    for state in seen:
        assert game.is_terminal(state) is (len(game.actions(state)) == 0)


class Sticks(RecordGame):
    """Take one or two sticks; whoever cannot loses. `wrong_at` makes `is_terminal` lie there."""

    zero_sum = True

    def __init__(self, sticks: int = 12, wrong_at: int = -1) -> None:
        self.sticks, self.wrong_at = sticks, wrong_at
        self.state = record(left="i16", turn="i8")
        self.max_actions = 2

    def rules(self) -> Rules:
        sticks, wrong_at = self.sticks, self.wrong_at

        def initial(s: State) -> None:
            s.left = sticks

        def actions(s: State, out: Out) -> int:
            out[0], out[1] = 1, 2
            return min(2, s.left)

        def take(s: State, number: int, t: State) -> None:
            t.left, t.turn = s.left - number, 1 - s.turn

        def is_terminal(s: State) -> bool:
            return bool((s.left == 0) != (s.left == wrong_at))

        return Rules(initial, player_in_turn, actions, take, mover_loses, is_terminal=is_terminal)


def test_searches_use_it() -> None:
    game = Sticks()
    assert check_game(game).conforms
    assert ub.solve(game, threads=1).outcome == (-1, 1)
    assert ub.solve(Sticks(13), threads=1).outcome == (1, -1)
    assert native.perft(game, 9) == perft(game, 9)[-1], "which counts actions, not ones and zeros"


@pytest.mark.parametrize("wrong_at", [0, 4])
def test_a_wrong_answer_is_refused(wrong_at: int) -> None:
    """Whether it ends the game too early or not at all, nothing is proven by it."""
    game = Sticks(12, wrong_at)
    with pytest.raises(RuleError, match="is_terminal"):
        check_game(game)
    with pytest.raises(RuleError, match=r"is_terminal|actions"):
        ub.solve(game, threads=1)


class Placing(RecordGame):
    """Fill the board in any order; `declared` images are compared without being made."""

    zero_sum = True

    def __init__(self, size: int = 3, declared: bool = True) -> None:
        self.size, self.declared = size, declared
        self.grid = Grid(size, size)
        self.symmetries = 8
        self.state = record(before="i8", cells=f"i8[{size * size}]", turn="i8")
        self.max_actions = size * size

    def rules(self) -> Rules:
        cells = self.size * self.size
        symmetry = moved_cells("cells", np.array(self.grid.images()))
        if not self.declared:
            vars(symmetry).clear()

        def initial(s: State) -> None:
            s.before = 1

        def actions(s: State, out: Out) -> int:
            count = 0
            for cell in range(cells):
                if s.cells[cell] == 0:
                    out[count] = cell
                    count += 1
            return count

        def place(s: State, cell: int, t: State) -> None:
            t.cells[cell], t.turn = 1 - 2 * s.turn, 1 - s.turn  # -1 is a large byte

        return Rules(initial, player_in_turn, actions, place, mover_loses, symmetry=symmetry)


def is_compared_by_items(game: RecordGame) -> bool:
    """Whether images of the game's states are compared without being made."""
    rules = {"rule": game.uncompiled.symmetry}
    return Builder(game, str(game))._permutation(rules) is not None


def canonical(game: RecordGame, states: list[bytes]) -> list[bytes]:
    route: Any = native.route_of(game, canonical=True)
    return [route.to_core(state) for state in states]


def test_declared_images_are_compared_as_bytes() -> None:
    game, rng = Placing(), random.Random(1)
    states = [s for seed in range(30) for s in random_play(game, rng.randrange(10**6)).states]
    smallest = [min(native.images(game, state)) for state in states]
    plain = Placing(declared=False)
    assert is_compared_by_items(game) and not is_compared_by_items(plain)
    assert canonical(game, states) == canonical(plain, states) == smallest


def test_other_images_are_made_and_compared() -> None:
    """An array of wider integers is not compared item by item: its bytes come lowest first."""
    game = Placing()
    game.state = record(before="i8", cells="i16[9]", turn="i8")
    assert not is_compared_by_items(game)
    states = [s for seed in range(10) for s in random_play(game, seed).states]
    assert canonical(game, states) == [min(native.images(game, state)) for state in states]
