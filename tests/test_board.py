# SPDX-License-Identifier: MIT
"""What games on boards share: cells and their names, tables, texts, and rules that compile."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import pytest

from unbounded.game import Out, RecordGame, Rules, State, UsageError, record
from unbounded.game.board import (
    ALL_AROUND,
    Grid,
    cell_name,
    empty_board,
    most_points_win,
    mover_loses,
    mover_text,
    player_in_turn,
    rename_owners,
    renamed,
    require_board,
    require_integer,
    winners_text,
)
from unbounded.game.catalogue import load_game
from unbounded.game.drawing import HEX_CORNER, HEX_STEP, cells_named, hexagon

SHAPES = [(1, 1), (1, 4), (3, 2), (4, 4), (12, 3)]


@pytest.mark.parametrize("shape", SHAPES)
def test_names_and_places_of_cells_belong_together(shape: tuple[int, int]) -> None:
    grid = Grid(*shape)
    names = [grid.name(cell) for cell in range(grid.rows * grid.columns)]
    assert names[0] == "a1"
    assert len(set(names)) == len(names)
    for cell, name in enumerate(names):
        (place,) = cells_named(name, grid.rows)
        assert (place.x, place.y) == grid.center(cell)
        assert grid.corner(cell) == (place.x - 0.5, place.y - 0.5)
        assert name == cell_name(*divmod(cell, grid.columns))


def test_a_chequered_board_has_a_dark_corner() -> None:
    grid = Grid(3, 2)
    assert [grid.is_dark(cell) for cell in range(6)] == [True, False, False, True, True, False]


def test_a_text_board_has_its_names_at_the_edges() -> None:
    assert Grid(2, 3).text(list("X..Oo.")) == "2 O o .\n1 X . .\n  a b c"
    tall = Grid(10, 1).text(["."] * 9 + [" "])
    assert tall.splitlines()[:2] == ["10", " 9 ."], "no spaces at the ends of lines"
    assert tall.splitlines()[-1] == "   a"
    assert Grid(1, 2).text(["1", "2X"], width=2) == "1 1  2X\n  a  b"


@pytest.mark.parametrize("shape", SHAPES)
def test_images_of_a_board_are_a_group_that_keeps_neighbors(shape: tuple[int, int]) -> None:
    grid = Grid(*shape)
    images = grid.images()
    cells = list(range(grid.rows * grid.columns))
    assert len(images) == grid.symmetries == (8 if shape[0] == shape[1] else 4)
    assert images[0] == cells
    found = {tuple(image) for image in images}
    if min(shape) > 1:
        assert len(found) == len(images)
    for first, second in itertools.product(images, repeat=2):
        assert tuple(second[first[cell]] for cell in cells) in found
    around = [set(row) - {-1} for row in grid.neighbors(ALL_AROUND)]
    for image in images:
        assert all({image[x] for x in around[cell]} == around[image[cell]] for cell in cells)


def test_neighbors_are_in_the_order_of_the_ways() -> None:
    assert Grid(2, 2).neighbors(ALL_AROUND)[0] == [1, 3, 2, -1, -1, -1, -1, -1]
    assert Grid(2, 3).neighbors([(0, 1), (-1, 0)]) == [
        [1, -1], [2, -1], [-1, -1], [4, 0], [5, 1], [-1, 2],
    ]  # fmt: skip


@pytest.mark.parametrize("value", [0, 27, True, 1.0, "3", None, [3]])
def test_what_is_no_integer_in_the_range_is_refused(value: Any) -> None:
    with pytest.raises(UsageError, match=r"^rows must be an integer from 1 to 26$"):
        require_integer("rows", value, 1, 26)
    with pytest.raises(UsageError, match=r"^columns must be an integer from 1 to 26$"):
        require_board(3, value)


def test_a_board_is_not_too_large() -> None:
    for edge in (1, 26):
        require_integer("rows", edge, 1, 26)
    require_board(20, 20)
    with pytest.raises(UsageError, match="at most 400 cells"):
        require_board(26, 26)
    with pytest.raises(UsageError, match="rows must be an integer from 2 to 26"):
        require_board(1, 5, least=2)


def test_who_moves_and_who_has_won_in_words() -> None:
    game = load_game("clobber(rows=1,columns=3)")
    state = game.initial()
    assert mover_text(game, state) == "White (O) to move"
    state = game.next(state, game.parse_action(state, "a1b1"))
    assert mover_text(game, state) == "Black (X) cannot move; White (O) wins"
    assert winners_text("ABC", [1, 3, 2]) == "B has won"
    assert winners_text("ABC", [3, 3, 2]) == "A and B draw"


def test_a_hexagon_has_its_corners_around_its_middle() -> None:
    corners = hexagon(2.0, 3.0)
    assert len(set(corners)) == 6
    for x, y in corners:
        assert (x - 2) ** 2 + (y - 3) ** 2 == pytest.approx(HEX_CORNER**2)
    assert pytest.approx(HEX_CORNER * 1.5) == HEX_STEP, "rows lie one in another"


# -- rules ----------------------------------------------------------------------------------------


class Shared(RecordGame):
    """A game of shared rules: take a cell, which is worth its number; the last cell ends it."""

    players, max_actions = 3, 4
    state = record(cells="i8[4]", turn="i8")

    def rules(self) -> Rules:
        def actions(s: State, out: Out) -> int:
            count = 0
            for cell in range(4):
                if s.cells[cell] == 0:
                    out[count] = cell
                    count += 1
            return count

        def take(s: State, cell: int, t: State) -> None:
            t.cells[cell] = s.turn + 1
            t.turn = (s.turn + 1) % 3

        def outcome(s: State, out: Out) -> None:
            for cell in range(4):
                if s.cells[cell] != 0:
                    out[s.cells[cell] - 1] += cell
            most_points_win(out, 3)

        relabel = rename_owners(4, 3)
        return Rules(empty_board, player_in_turn, actions, take, outcome, relabel=relabel)


def test_shared_rules_are_the_same_compiled() -> None:
    pytest.importorskip("numba")
    from unbounded.native.compiling import compile_game

    game = Shared()
    compiled, seen = compile_game(game), set()
    for order in itertools.permutations(range(4)):
        state = game.initial()
        assert state == compiled.initial() == bytes(5)
        for cell in order:
            assert compiled.player(state) == game.player(state)
            for k in range(3):
                image = game.relabel(state, k)
                assert compiled.relabel(state, k) == image
                assert game.player(image) == (game.player(state) + k) % 3
            state = game.next(state, cell)
        assert compiled.outcome(state) == list(game.outcome(state))
        seen.add(tuple(game.outcome(state)))
    assert seen > {(1, -1, -1), (-1, 1, -1), (-1, -1, 1)}, "there are draws too"


@pytest.mark.parametrize(
    ("points", "outcome"),
    [
        ([2, 1, 0], [1, -1, -1]),
        ([-5, -2, -5], [-1, 1, -1]),
        ([3, 3, 1], [0, 0, -1]),
        ([0, 0, 0], [0, 0, 0]),
        ([7], [1]),
    ],
)
def test_the_most_points_win_and_shared_ones_draw(points: list[int], outcome: list[int]) -> None:
    most_points_win(points, len(points))
    assert points == outcome


def test_the_mover_loses_who_cannot_move() -> None:
    s, out = Shared.state.zero(), [0, 0]
    mover_loses(s, out)
    assert out == [-1, 1]
    s.turn = 1  # type: ignore[attr-defined]
    mover_loses(s, out)
    assert out == [1, -1]


def test_owners_are_renamed_and_empty_cells_stay_empty() -> None:
    assert [renamed(owner, 1, 3) for owner in range(4)] == [0, 2, 3, 1]
    assert [renamed(owner, 0, 3) for owner in range(4)] == [0, 1, 2, 3]


def test_no_game_takes_its_board_from_another_game() -> None:
    """Shared code lives in `game.board` and `game.drawing`; Rolit is Othello with more colors."""
    folder = Path(__file__).parent.parent / "src" / "unbounded" / "games"
    texts = {path.stem: path.read_text("utf-8") for path in folder.glob("*.py")}
    assert {name for name, text in texts.items() if "from unbounded.games" in text} == {"rolit"}
    assert [name for name, text in texts.items() if "abcdefg" in text] == []
