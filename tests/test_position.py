# SPDX-License-Identifier: MIT
"""`Position`, and searches that start from one, play on and take moves back."""

from __future__ import annotations

import doctest
from pathlib import Path
from random import Random
from typing import Any

import pytest
from broken_games import RaisesInNext, Sound, SoundObject

import unbounded as ub
from unbounded import Position, RuleError, Search, UsageError, load_game, solve
from unbounded.game import position as module
from unbounded.game.drawing import stand_alone
from unbounded.game.wrappers import horizon
from unbounded.games.graph import Graph
from unbounded.testing import random_graph, random_play

GAMES = ["tic-tac-toe", "connect-four(width=4,height=3)", "nim(players=3)", "kalah", "graph"]


def test_the_example_in_its_documentation() -> None:
    failed, attempted = doctest.testmod(module)
    assert attempted >= 5
    assert failed == 0


@pytest.mark.parametrize("game", [*GAMES, Sound(), SoundObject()], ids=str)
def test_a_position_says_what_the_rules_say(game: Any) -> None:
    rules = load_game(game)
    played = random_play(rules, 5)
    position = Position(game)
    for state, action in zip(played.states, played.actions, strict=False):
        assert position.state == state
        assert position.player == rules.player(state)
        assert not position.is_terminal
        assert position.outcome is None and position.score is None
        names = tuple(rules.action_name(state, a) for a in rules.actions(state))
        assert position.legal_moves == names
        position.push(rules.action_name(state, action))
    assert position.is_terminal and position.player is None and position.legal_moves == ()
    assert position.outcome == tuple(rules.outcome(played.states[-1]))
    assert position.score == tuple(rules.score(played.states[-1]))
    for state in reversed(played.states[:-1]):
        last = position.moves[-1]
        assert position.pop() == last
        assert position.state == state
    assert position.moves == ()


def test_moves_are_names() -> None:
    position = Position("tic-tac-toe", ["B2", " a1 "])
    assert position.moves == ("b2", "a1")
    with pytest.raises(UsageError, match=r"illegal move 'b2'.*legal here: b1, c1"):
        position.push("b2")
    with pytest.raises(UsageError, match="a move is given by its name"):
        position.push(3)  # type: ignore[arg-type]
    assert position.moves == ("b2", "a1")


def test_the_start_has_no_move_to_take_back() -> None:
    with pytest.raises(UsageError, match="no move to take back"):
        Position("nim").pop()


def test_a_copy_is_independent() -> None:
    position = Position("tic-tac-toe", "b2")
    twin = position.copy()
    twin.push("a1")
    assert position.moves == ("b2",) and twin.moves == ("b2", "a1")
    assert twin.pop() == "a1" and twin == position


def test_equal_by_game_and_state() -> None:
    one, other = Position("tic-tac-toe", "a1 b2 c3"), Position("tic-tac-toe", "c3 b2 a1")
    assert one == other and hash(one) == hash(other) and len({one, other}) == 1
    assert one != Position("tic-tac-toe", "a1 b2")
    assert one != "tic-tac-toe"
    assert Position("nim([3,4,5])") == Position("nim")
    assert Position("nim([1])") != Position("nim([1],misere=true)")
    assert Position("mnk") != Position("tic-tac-toe")


def test_equality_of_games_inside_games() -> None:
    nim = load_game("nim([2])")
    assert Position(horizon(nim, 3)) == Position("horizon(nim([2]),3)")
    assert Position(horizon(nim, 3)) != Position(horizon(nim, 2))
    assert Position(horizon(nim, 3)) != Position("horizon(nim([2],misere=true),3)")


def test_graphs_made_in_a_program_are_told_apart() -> None:
    one, same, other = random_graph(7), random_graph(7), random_graph(8)
    assert str(one) == str(other)
    assert Position(one) == Position(same)
    assert Position(one) != Position(other)
    assert not one.is_same_game(load_game("nim"))


@pytest.mark.parametrize(
    ("position", "text"),
    [
        (Position("connect-four"), "Position('connect-four')"),
        (Position("connect-four", "4 4"), "Position('connect-four', moves='4 4')"),
        (Position(load_game("hex", size=3), "a1"), "Position('hex(size=3)', moves='a1')"),
    ],
)
def test_a_short_repr_can_be_pasted_back(position: Position, text: str) -> None:
    assert repr(position) == text
    assert eval(text) == position  # noqa: S307


class Spaced(SoundObject):
    """Names of moves with spaces."""

    def action_name(self, state: Any, action: Any) -> str:
        return f"take {action}"


def test_names_with_spaces() -> None:
    position = Position(Spaced(), ["take 1", "take 2"])
    assert repr(position) == "Position('spaced', moves=['take 1', 'take 2'])"
    assert Search(position).moves == ["take 1", "take 2"]


def test_a_long_repr_is_cut() -> None:
    position = Position("connect-four", "4 4 4 4 4 4 1 1 1 1 1 1 7 7 7 7 7 7 2 2 2 2 2")
    assert repr(position).startswith("Position('connect-four', moves='4 4")
    for _ in range(12):
        position.push(position.legal_moves[-1])
        assert len(repr(position)) < 100
    assert repr(position) == "<Position of connect-four after 35 moves>"
    long = Position("nim(heaps=[" + ",".join(["1"] * 60) + "])", ["1:1"])
    assert repr(long).startswith("<Position of nim(heaps=[1,1") and len(repr(long)) < 100
    assert repr(long).endswith("... after 1 move>")


def test_it_prints_and_draws_the_board() -> None:
    position = Position("tic-tac-toe", "b2")
    assert str(position) == position.game.show(position.state)
    game = position.game
    last = game.parse_action(game.initial(), "b2")
    assert position._repr_svg_() == stand_alone(game.svg(position.state, last=last))
    assert Position("tic-tac-toe")._repr_svg_().startswith("<svg")
    assert Position(SoundObject(), "1")._repr_svg_().startswith("<svg")  # its text, as a picture


def test_rules_that_fail_are_named() -> None:
    with pytest.raises(RuleError, match=r"raises-in-next: next\(.*raised ZeroDivisionError"):
        Position(RaisesInNext()).push("1")


# -- searches from a position ---------------------------------------------------------------------


def test_a_search_takes_a_position() -> None:
    position = Position("tic-tac-toe", "b2 a1")
    search = Search(position, moves="c3")
    assert search.moves == ["b2", "a1", "c3"]
    position.push("a3")
    assert search.moves == ["b2", "a1", "c3"]
    assert search.game is position.game


@pytest.mark.parametrize("moves", [None, "c3", ["c3"]])
def test_solving_a_position(moves: Any) -> None:
    position = Position("tic-tac-toe", "b2 b1")
    result = solve(position, moves=moves)
    assert result.moves == ("b2", "b1", *(["c3"] if moves else []))
    assert result.outcome == solve("tic-tac-toe", moves=result.moves).outcome == (1, -1)


# -- taking moves back ----------------------------------------------------------------------------


def test_undo_keeps_what_is_known() -> None:
    search = Search("tic-tac-toe", moves="b2 b1")
    search.run()
    states = search.states
    assert search.undo() == "b1"
    assert search.moves == ["b2"] and search.stopped == "new"
    assert search.state == Position("tic-tac-toe", "b2").state
    assert search.states >= states
    search.play("b1")
    assert search.result.resolved and search.states >= states


def test_undo_at_the_start_is_refused() -> None:
    search = Search("nim")
    with pytest.raises(UsageError, match="no move to take back"):
        search.undo()


OPTIONS: list[dict[str, Any]] = [
    {},
    {"canonical": True},
    {"bounds": True, "canonical": True},
    {"algorithm": "descent"},
]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("game", ["tic-tac-toe", "connect-four(width=3,height=3,line=3)"])
def test_outcomes_are_exact_after_any_moves_and_undos(game: str, options: dict[str, Any]) -> None:
    random, search = Random(1), Search(game, **options)
    values: dict[Any, Any] = {}
    for _ in range(25):
        position = Position(game, search.moves)
        legal = position.legal_moves
        if legal and (not search.moves or random.random() < 0.6):
            search.play(random.choice(legal))
        else:
            search.undo()
        assert search.state == Position(game, search.moves).state
        search.run(iterations=random.choice([1, 30, 100_000]))
        if search.result.resolved:
            values[Position(game, search.moves)] = search.result.outcome
    assert len(values) > 3
    for position, outcome in values.items():
        assert solve(position).outcome == outcome


class Rows(SoundObject):
    """With a mirror image, on Python objects: fill a row of four; the last to fill loses."""

    symmetries = 2

    def initial(self) -> Any:
        return (0, 0, 0, 0)

    def player(self, state: Any) -> int:
        return sum(x > 0 for x in state) % 2

    def actions(self, state: Any) -> Any:
        return [i for i, x in enumerate(state) if x == 0]

    def next(self, state: Any, action: Any) -> Any:
        return (*state[:action], 1 + self.player(state), *state[action + 1 :])

    def outcome(self, state: Any) -> Any:
        won = 1 if state[0] == state[3] else -1
        return [won, -won]

    def symmetry(self, state: Any, k: int) -> Any:
        return state[::-1] if k else state


@pytest.mark.parametrize("canonical", [False, True])
@pytest.mark.parametrize("searched", [0, 1, 5, 500])
def test_a_search_of_objects_is_saved_after_undo(
    canonical: bool, searched: int, tmp_path: Path
) -> None:
    """Saved states are found again from the start, also those whose moves were taken back."""
    game = Rows()
    search = Search(game, canonical=canonical)
    for moves in ("0 1", "3 2 1", "1 0"):
        while search.moves:
            search.undo()
        for move in moves.split():
            search.play(move)
        search.run(iterations=searched)
    search.save(tmp_path / "search")
    loaded = Search.load(tmp_path / "search", game)
    assert loaded.moves == ["1", "0"] and loaded.states == search.states
    assert loaded.run().outcome == solve(Position(game, "1 0")).outcome


def test_an_undone_move_to_an_image_is_saved(tmp_path: Path) -> None:
    """The state played to stands for its images, whichever of them its parent leads to first."""
    game, random = Rows(), Random(3)
    for _ in range(60):
        search = Search(game, canonical=True)
        for _ in range(8):
            legal = Position(game, search.moves).legal_moves
            if search.moves and (not legal or random.random() < 0.4):
                search.undo()
            else:
                search.play(random.choice(legal))
            search.run(iterations=random.choice([0, 1, 3]))
        search.save(tmp_path / "search")
        assert Search.load(tmp_path / "search", game).snapshot() == search.snapshot()


def test_a_graph_made_in_a_program_can_be_played() -> None:
    game = Graph.of([[1, 2], [], []], {0: 0}, {1: (-1, 1), 2: (1, -1)}, zero_sum=True)
    assert ub.solve(Position(game)).outcome == (1, -1)
    assert ub.solve(Position(game, [Position(game).legal_moves[0]])).outcome == (-1, 1)
