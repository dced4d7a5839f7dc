# SPDX-License-Identifier: MIT
"""`action_count` and `longest_game`: every game of the shelf promises them, and keeps its word."""

from __future__ import annotations

from typing import Any

import pytest
from broken_games import Sound, SoundObject

import unbounded as ub
from unbounded.conformance.check import check_game, random_play
from unbounded.game import Game, RecordGame, RuleError, catalogue
from unbounded.storage.fingerprint import fingerprint

EXACT = {
    "blokus(size=2,pieces=1)": 2,
    "blokus(size=3,pieces=1,players=4)": 4,
    "blokus(size=3,pieces=3)": 4,
    "blokus(size=4,pieces=2,players=3)": 6,
    "breakthrough(rows=2,columns=2,pawn_rows=1)": 1,
    "breakthrough(rows=3,columns=2,pawn_rows=1)": 5,
    "breakthrough(rows=4,columns=2)": 12,
    "breakthrough(rows=5,columns=2,pawn_rows=1)": 13,
    "chinese-checkers(size=1,players=2,horizon=9)": 9,
    "chinese-checkers(size=1,horizon=5)": 5,
    "chomp(rows=1,columns=1)": 1,
    "chomp(rows=3,columns=4)": 12,
    "clobber(rows=1,columns=1)": 0,
    "clobber(rows=3,columns=3)": 7,
    "connect-four(width=3,height=3,line=3)": 9,
    "connect-four(width=2,height=3,line=3,players=3)": 6,
    "domineering(rows=1,columns=1)": 0,
    "domineering(rows=3,columns=3)": 4,
    "domineering(rows=2,columns=4,first=horizontal)": 4,
    "dots-and-boxes(rows=1,columns=2)": 7,
    "dots-and-boxes(rows=1,columns=2,players=3)": 7,
    "gomoku(size=2)": 4,
    "graph": 2,
    "havannah(size=2)": 7,
    "hex(size=1)": 1,
    "hex(size=2)": 4,
    "isolation(rows=2,columns=2)": 2,
    "isolation(rows=2,columns=4)": 6,
    "isolation(rows=3,columns=3,players=4)": 5,
    "kalah(pits=1,seeds=1)": 1,
    "kalah(pits=1,seeds=4)": 2,
    "kalah(pits=2,seeds=3)": 14,
    "kalah(pits=2,seeds=4,empty_capture=true)": 14,
    "kalah(pits=3,seeds=1)": 11,
    "kalah(pits=4,seeds=1)": 28,
    "konane(rows=2,columns=2)": 2,
    "konane(rows=3,columns=4)": 11,
    "konane(rows=4,columns=4)": 15,
    "lines-of-action(size=4,horizon=3)": 3,
    "mnk(rows=2,columns=3,line=3,players=3)": 6,
    "nim(heaps=[3,2],players=3)": 5,
    "nim(heaps=[9],most=2)": 9,
    "santorini(size=2,workers=1)": 14,
    "santorini(size=2,players=3,workers=1)": 13,
    "tic-tac-toe": 9,
    "horizon(tic-tac-toe,4)": 4,
    "horizon(hex(size=2),9)": 4,
    "horizon(graph,1)": 1,
    "quick-wins(graph)": 2,
    "quick-wins(nim(heaps=[2,2]),plies=2)": 4,
    "tie-breaking(nim(heaps=[2,1],players=3))": 3,
    "unfolded(graph)": 2,
    "unfolded(nim(heaps=[2,2]))": 4,
}
"""The moves of the longest play of small games, found by trying every move of every state."""

TIGHT = 1.2
"""A promise is at most so many times the longest play, in games that are not named here:"""
LOOSE = ("blokus", "clobber", "isolation", "kalah", "konane", "santorini")

LARGE = (
    "amazons(size=4)", "amazons(rows=4,columns=5)", "amazons", "blokus", "blokus(size=7,players=4)",
    "breakthrough", "chinese-checkers(horizon=20)", "chinese-checkers(size=1,players=6)",
    "clobber(rows=2,columns=9)", "connect-four(players=3)", "domineering(rows=4,columns=7)",
    "dots-and-boxes(columns=4,players=4)", "havannah", "hex(size=7)", "isolation(players=4)",
    "kalah(pits=6,seeds=4)", "kalah(pits=9,seeds=1)", "kalah(pits=2,seeds=20)", "konane",
    "konane(rows=2,columns=20)", "lines-of-action", "mnk(rows=4,columns=5,players=4)",
    "nim(heaps=[1,9,0,30],most=4)", "othello(size=4)", "othello(size=6)", "rolit(players=3)",
    "santorini(size=3)", "santorini(players=3)", "horizon(konane,7)", "unfolded(kalah)",
)  # fmt: skip


def shelf() -> list[str]:
    """Return the names of the games on the shelf."""
    games = catalogue.games().items()
    return [name for name, cls in games if cls.__module__.startswith("unbounded.games")]


def longest_play(game: Game[Any, Any]) -> int:
    """Return the moves of the longest play; every action on the way is as promised."""
    layer, moves = {game.initial()}, -1
    while layer:
        moves += 1
        listed = [(state, game.actions(state)) for state in layer]
        assert all(is_promised(game, actions) for _, actions in listed)
        layer = {game.next(state, action) for state, actions in listed for action in actions}
    return moves


def is_promised(game: Game[Any, Any], actions: Any) -> bool:
    assert game.action_count is not None
    return all(type(action) is int and 0 <= action < game.action_count for action in actions)


@pytest.mark.parametrize("name", shelf())
def test_every_game_of_the_shelf_promises_both(name: str) -> None:
    assert name in [text.partition("(")[0] for text in (*EXACT, *LARGE)]
    for text in {name, ub.games()[name].solvable} - {""}:
        game = ub.load_game(text)
        assert type(game.action_count) is int, text
        assert type(game.longest_game) is int, text


@pytest.mark.parametrize(("text", "moves"), EXACT.items(), ids=str)
def test_no_play_of_a_small_game_is_longer_than_promised(text: str, moves: int) -> None:
    game = ub.load_game(text)
    assert game.longest_game is not None
    assert longest_play(game) == moves <= game.longest_game
    if not text.startswith(LOOSE):
        assert game.longest_game <= TIGHT * moves + 1


@pytest.mark.parametrize("text", LARGE)
def test_random_plays_of_larger_games_keep_to_the_promises(text: str) -> None:
    game = ub.load_game(text)
    for seed in range(3):
        play = random_play(game, seed)
        assert game.longest_game is not None
        assert len(play.actions) <= game.longest_game
        assert all(is_promised(game, game.actions(state)) for state in play.states)


def test_a_game_without_promises_works_and_is_wrapped_without_them() -> None:
    game = Sound()
    assert game.action_count is game.longest_game is None
    assert check_game(game, games=2).ended
    assert ub.solve(game).resolved
    assert ub.horizon(game, 3).action_count is None
    assert ub.horizon(game, 3).longest_game == 3
    assert ub.load_game("quick-wins(mnk)").longest_game == 9


class Promising(Sound):
    """Actions are 1 and 2, and there are five moves at most."""

    action_count: Any = 3
    longest_game: Any = 5


class PromisingObject(SoundObject):
    action_count: Any = 3
    longest_game: Any = 5


@pytest.mark.parametrize("cls", [Promising, PromisingObject])
def test_true_promises_pass_the_check_and_change_no_fingerprint(cls: Any) -> None:
    assert check_game(cls(), games=5).warnings == check_game(cls.__mro__[1](), games=5).warnings
    plain = type(cls.__name__, (cls.__mro__[1],), {})()
    assert fingerprint(cls()) == fingerprint(plain)


@pytest.mark.parametrize("cls", [Promising, PromisingObject])
@pytest.mark.parametrize(
    ("promise", "value", "words"),
    [
        ("action_count", 2, r"actions gave 2; action_count promises integers below 2"),
        ("longest_game", 4, r"a game of 5 moves is possible; longest_game promises at most 4"),
        ("longest_game", 0, r"longest_game promises at most 0"),
        ("action_count", 0, r"action_count is 0"),
        ("action_count", "many", r"action_count is 'many'"),
        ("longest_game", -1, r"longest_game is -1"),
        ("longest_game", 2.5, r"longest_game is 2.5"),
        ("longest_game", True, r"longest_game is True"),
    ],
)
def test_a_false_promise_is_found(cls: Any, promise: str, value: Any, words: str) -> None:
    broken = type("Broken", (cls,), {promise: value})()
    with pytest.raises(RuleError, match=words):
        check_game(broken, games=20)


def test_actions_that_are_not_numbers_cannot_be_counted() -> None:
    class Words(SoundObject):
        action_count = 9

        def actions(self, state: Any) -> Any:
            return ["one", "two"][: state[0]]

        def next(self, state: Any, action: Any) -> Any:
            return super().next(state, 1 + ["one", "two"].index(action))

    with pytest.raises(RuleError, match="actions gave 'one'; action_count promises integers"):
        check_game(Words(), games=1)


def test_a_long_play_is_found_where_few_states_are_visited() -> None:
    """A game of one line, which is longer than the states that are checked in full."""

    class Long(Game[int, int]):
        longest_game = 9_000

        def initial(self) -> int:
            return 0

        def player(self, state: int) -> int:
            return state % 2

        def actions(self, state: int) -> list[int]:
            return [0] if state < 9_001 else []

        def next(self, state: int, action: int) -> int:
            return state + 1

        def outcome(self, state: int) -> list[int]:
            return [0, 0]

    with pytest.raises(RuleError, match="a game of 9001 moves is possible"):
        check_game(Long(), games=1)


def test_wrappers_of_records_are_records_with_promises() -> None:
    game = ub.load_game("horizon(konane(rows=4,columns=4),20)")
    assert isinstance(game, RecordGame)
    assert (game.action_count, game.longest_game) == (1024, 15)
