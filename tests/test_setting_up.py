# SPDX-License-Identifier: MIT
"""Positions that are set up by hand, and games that start from them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from painted import ground, shapes_of

import unbounded as ub
from unbounded import UsageError, load_game
from unbounded.conformance.check import random_play
from unbounded.game import Game, RecordGame
from unbounded.game.catalogue import games
from unbounded.game.colors import BLACK, NOBODY, WHITE
from unbounded.game.drawing import draw
from unbounded.game.setting_up import draw_set_up, read_pieces, written
from unbounded.game.wrappers import Start, start_at
from unbounded.testing import check_game

SHELF = [n for n, c in games().items() if c.__module__.startswith("unbounded.games.")]
EDITED = [n for n in SHELF if load_game(n).piece_symbols]
OTHERS = [
    "amazons(rows=4,columns=5)",
    "chinese-checkers(size=1,players=6)",
    "chomp(rows=3,columns=4)",
    "connect-four(width=4,height=3,players=3)",
    "havannah(size=3)",
    "hex(size=3)",
    "isolation(rows=3,columns=4,players=3)",
    "konane(rows=4,columns=5)",
    "lines-of-action(size=5)",
    "mnk(rows=3,columns=4,players=4)",
    "othello(size=4)",
    "rolit(size=4,players=3)",
    "rolit(size=4,players=4)",
]


def test_boards_of_cells_can_be_set_up() -> None:
    others = {"blokus", "dots-and-boxes", "graph", "kalah", "nim", "santorini"}
    assert set(SHELF) - set(EDITED) == others


def between(game: Game[Any, Any], seed: int) -> list[Any]:
    """States of a random game in which it goes on."""
    return random_play(game, seed).states[:-1]


@pytest.mark.parametrize("text", [*EDITED, *OTHERS])
def test_what_is_on_a_board_is_set_up_again(text: str) -> None:
    game = load_game(text)
    count = 0
    for seed in range(3):
        for state in between(game, seed)[::3]:
            pieces, mover = list(game.pieces_on(state)), game.player(state)
            assert len(pieces) == len(game.piece_places())
            assert read_pieces(game, written(game, state)) == pieces
            try:
                again = game.set_up(pieces, mover)
            except UsageError:
                assert text.startswith("konane"), "whose opening cannot be set up"
                continue
            assert game.pieces_on(again) == pieces
            assert game.player(again) == mover
            same = "shooter" not in game.state.unpack(state).__slots__  # type: ignore[attr-defined]
            if same or game.state.unpack(state).shooter == 0:  # type: ignore[attr-defined]
                assert list(game.actions(again)) == list(game.actions(state))
                count += 1
    assert count > 2


@pytest.mark.parametrize("text", [*EDITED, *OTHERS])
def test_pieces_are_drawn_where_they_are_put(text: str) -> None:
    """What is painted in the middle of a cell differs from cell to cell as the pieces do."""
    game = load_game(text)
    state = between(game, 1)[len(between(game, 1)) // 2]
    svg = shapes_of(game.svg(state), dark=False)
    seen: dict[int, set[str | None]] = {}
    for piece, place in zip(game.pieces_on(state), game.piece_places(), strict=True):
        seen.setdefault(piece, set()).add(ground(svg, place.x + 0.21, place.y))
    empty = seen.pop(0, set())
    for colors in seen.values():
        assert not colors & empty


@pytest.mark.parametrize("text", [*EDITED, *OTHERS])
def test_a_game_from_a_position_goes_on_as_the_game_does(text: str) -> None:
    game = load_game(text)
    states = between(game, 2)
    state = next(s for s in states[len(states) // 2 :] if can_be_set_up(game, s))
    outer = Start(game, written(game, state), game.player(state))
    again = load_game(str(outer))
    assert again.is_same_game(outer)
    assert str(again) == str(outer)
    assert outer.initial() == again.initial()
    for action in game.actions(outer.initial()):
        child = game.next(outer.initial(), action)
        assert outer.next(outer.initial(), action) == child
    assert start_at(outer, outer.initial()).is_same_game(outer)


def can_be_set_up(game: Game[Any, Any], state: Any) -> bool:
    try:
        Start(game, written(game, state), game.player(state))
    except UsageError:
        return False
    return True


STARTS = [
    "start(tic-tac-toe,X...O....,0)",
    "start(connect-four(width=4,height=4),XOXO............)",
    "start(hex(size=3),R...B....,0)",
    "start(breakthrough(rows=4,columns=3),WW..W..B.B.B,1)",
    "start(othello(size=4),.....XO..OX....X,1)",
    "start(isolation(rows=3,columns=3),.A.x.x.B.,1)",
    "horizon(start(clobber(rows=2,columns=4),OX..XOX.),3)",
]


@pytest.mark.parametrize("text", STARTS)
def test_compiled_rules_start_there_too(text: str) -> None:
    report = check_game(text, games=5)
    assert report.conforms, str(report)


def test_solving_a_position_is_solving_the_game_after_its_moves(tmp_path: Path) -> None:
    game = load_game("connect-four(width=4,height=4)")
    position = ub.Position(game, "2 2 3 1 4")
    outer = start_at(game, position.state)
    inner = ub.solve(game, moves=position.moves)
    search = ub.Search(outer)
    assert search.run().outcome == inner.outcome
    ub.certify(search, tmp_path / "proof.cert")
    value = ub.verify(tmp_path / "proof.cert").header.value
    assert value is not None
    assert tuple(worth[0] for worth in value) == inner.outcome


def test_what_is_no_position_yet_is_drawn_as_pieces() -> None:
    game = load_game("breakthrough(rows=4,columns=3)")
    pieces = [1, 2, *[0] * 10]
    with pytest.raises(UsageError):
        game.set_up([0] * 12, 0)
    drawn = shapes_of(draw_set_up(game, pieces), dark=False)
    letters = {s.text: (s.number("x"), s.number("y")) for s in drawn if "ub-letter" in s.roles}
    assert letters == {"W": (0.5, 3.5), "B": (1.5, 3.5)}
    fills = [shape.fill for shape in drawn if "ub-piece" in shape.roles]
    assert fills == [WHITE, BLACK]
    isolated = shapes_of(draw_set_up(load_game("isolation(rows=2,columns=2)"), [3] * 4), dark=True)
    assert [s.fill for s in isolated if "ub-piece" in s.roles] == [NOBODY.dark] * 4


@pytest.mark.parametrize("text", [*EDITED, *OTHERS])
def test_anything_that_is_being_set_up_can_be_drawn(text: str) -> None:
    game = load_game(text)
    count, kinds = len(game.piece_places()), len(game.piece_symbols)
    for pieces in ([0] * count, [1] * count, [i % kinds for i in range(count)]):
        assert shapes_of(draw_set_up(game, pieces, 1), dark=True)
    state = game.initial()
    again = draw_set_up(game, game.pieces_on(state), game.player(state))
    assert again == draw(game, state) or text.startswith("konane"), "as the game draws it"


# -- what is refused ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("start(tic-tac-toe,XXX.OO...,1)", "somebody has won|over"),
        ("start(tic-tac-toe,XOXOXOOXO,1)", "over"),
        ("start(tic-tac-toe,X.,1)", "there are 9 cells, not 2"),
        ("start(tic-tac-toe,XY.......,1)", "'Y' is on no cell of tic-tac-toe"),
        ("start(tic-tac-toe,X........,2)", "from 0 to 1"),
        ("start(kalah,X,0)", "cannot be set up"),
        ("start(connect-four(width=3,height=3),...X.....)", "none below it"),
        ("start(breakthrough(rows=4,columns=2),BWW..BB.)", "arrived"),
        ("start(breakthrough(rows=4,columns=2),.W.W.W.W)", "must be 1 to"),
        ("start(hex(size=2),R.R.)", "over|won"),
        ("start(isolation(rows=3,columns=3),AA.....B.)", "more than one pawn"),
        ("start(isolation(rows=3,columns=3),Axx xx...B)", "."),
        ("start(konane(rows=2,columns=2),XO.O)", "empty|come to"),
        ("start(chomp(rows=2,columns=2),#.##)", "eaten"),
        ("start(chinese-checkers(size=1,players=2),A............)", "must have 1 piece"),
        ("start(lines-of-action(size=4),BB.......W.W....)", "connected"),
        ("start(amazons(size=4),WWWWW..........B)", "1 to 4"),
        ("start(rolit(size=4),................)", "there must be a ball"),
    ],
)
def test_positions_that_cannot_be(text: str, reason: str) -> None:
    with pytest.raises(UsageError, match=reason) as caught:
        load_game(text)
    assert "\n" not in str(caught.value)


def test_a_state_that_is_more_than_its_pieces_is_refused() -> None:
    game = load_game("amazons(size=4)")
    between_move_and_arrow = game.next(game.initial(), game.actions(game.initial())[0])
    with pytest.raises(UsageError, match="more than its pieces"):
        start_at(game, between_move_and_arrow)


def test_the_worked_example_can_be_set_up() -> None:
    game = load_game(str(Path(__file__).parent.parent / "examples" / "berries.py"))
    outer = start_at(game, game.initial())
    assert outer.pieces == "*" * 12
    row = Start(type(game)(rows=1, columns=4), "**.*", 1)
    assert ub.solve(row).outcome == (-1, 1), "two berries for the mover, one for the other"


class Tokens(Game[tuple[tuple[int, ...], int], int]):
    """A game on objects: take a token; whoever takes the last one wins."""

    players, zero_sum, piece_symbols = 2, True, ".#"

    def initial(self) -> tuple[tuple[int, ...], int]:
        return (1, 1, 1), 0

    def player(self, state: tuple[tuple[int, ...], int]) -> int:
        return state[1]

    def actions(self, state: tuple[tuple[int, ...], int]) -> list[int]:
        return [i for i, token in enumerate(state[0]) if token]

    def next(self, state: tuple[tuple[int, ...], int], action: int) -> Any:
        row = list(state[0])
        row[action] = 0
        return tuple(row), 1 - state[1]

    def outcome(self, state: tuple[tuple[int, ...], int]) -> list[int]:
        return [-1, 1] if state[1] == 0 else [1, -1]

    def piece_places(self) -> list[ub.game.Place]:
        return [ub.game.Place(i + 0.5, 0.5) for i in range(3)]

    def pieces_on(self, state: tuple[tuple[int, ...], int]) -> tuple[int, ...]:
        return state[0]

    def set_up(self, pieces: Any, player: int) -> Any:
        return tuple(pieces), player


def test_a_game_on_objects_starts_from_a_position() -> None:
    outer = Start(Tokens(), ".##", 1)
    assert not isinstance(outer, RecordGame)
    assert outer.initial() == ((0, 1, 1), 1)
    assert ub.solve(outer).outcome == (1, -1)
    assert ub.solve(Start(Tokens(), "#.#", 0)).outcome == (-1, 1)
