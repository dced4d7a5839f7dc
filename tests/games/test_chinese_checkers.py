# SPDX-License-Identifier: MIT
from __future__ import annotations

import random
from typing import Any

import pytest
from naive_chinese_checkers import Move, NaiveChineseCheckers, Position
from shared_checks import (
    NONSENSE,
    check_perft,
    check_pictures,
    check_planes,
    check_relabeling,
    check_symmetries,
    check_values_of_images,
    match,
    planes_of,
    positions,
    refused,
)

import unbounded as ub
from unbounded.conformance.check import check_game
from unbounded.game import Known, UsageError
from unbounded.games.chinese_checkers import LETTERS, SEATS, ChineseCheckers, point_tip, steps


def place(game: ChineseCheckers, pieces: str, turn: str = "A", left: int = 9) -> bytes:
    """Return the state with pieces like `A:a3,b4 B:g1`."""
    s = game.state.zero()
    for group in pieces.split():
        owner, cells = group.split(":")
        for name in cells.split(","):
            cell = game.spots.index((LETTERS.index(name[0]), int(name[1:]) - 1))
            s.cells[cell] = game.symbols.index(owner) + 1
    s.turn, s.left = game.symbols.index(turn), left
    return game.state.pack(s)


def names(game: ChineseCheckers, state: bytes) -> set[str]:
    return {game.action_name(state, a) for a in game.actions(state)}


def after(game: ChineseCheckers, state: bytes, *moves: str) -> bytes:
    for move in moves:
        state = game.next(state, game.parse_action(state, move))
    return state


# -- rules ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("size", "cells", "pieces"), [(1, 13, 1), (2, 37, 3), (3, 73, 6), (4, 121, 10)]
)
def test_the_star(size: int, cells: int, pieces: int) -> None:
    for players in (2, 3, 4, 6):
        game = ChineseCheckers(size, players)
        holds = game.state.unpack(game.initial()).cells
        assert len(holds) == cells
        assert [holds.count(who + 1) for who in range(players)] == [pieces] * players
        assert game.zero_sum == (players == 2)


def test_it_reads_like_a_board() -> None:
    game = ChineseCheckers()
    assert game.show(game.initial()).splitlines() == [
        "9       .",
        "8      . .",
        "7 B B . . . C C",
        "6  B . . . . C",
        "5   . . . . .",
        "4  . . . . . .",
        "3 . . . . . . .",
        "2      A A",
        "1       A",
        "  abcdefghijklm",
        "A to move, 60 moves left",
    ]
    with pytest.raises(UsageError, match=r"illegal move 'g1-g3' \(did you mean .*legal here"):
        game.parse_action(game.initial(), "g1-g3")


def test_players_sit_clockwise() -> None:
    def tips(players: int) -> str:
        game = ChineseCheckers(1, players)
        cells = dict(zip(game.spots, game.state.unpack(game.initial()).cells, strict=True))
        around = [(3, 0), (0, 1), (0, 3), (3, 4), (6, 3), (6, 1)]
        return "".join(".ABCDEF"[cells[tip]] for tip in around)

    assert [tips(players) for players in (2, 3, 4, 6)] == ["A..B..", "A.B.C.", "AB.CD.", "ABCDEF"]


def test_steps_and_chains_of_jumps() -> None:
    game = ChineseCheckers(2, 2)
    state = place(game, "A:e5 B:f6,g3 B:i7", "A")
    # Over f6 to g7, on over i7 to k7; and a step to each free neighbor.
    assert names(game, state) == {
        "e5-g7", "e5-k7", "e5-c5", "e5-g5", "e5-d6", "e5-d4", "e5-f4",
    }  # fmt: skip
    moved = game.state.unpack(after(game, state, "e5-k7"))
    assert sorted(moved.cells)[-4:] == [1, 2, 2, 2], "nothing is taken"


def test_a_chain_may_go_around_but_not_end_where_it_began() -> None:
    game = ChineseCheckers(2, 2)
    # From e5 over f6 to g7, over h6 to i5, over g5 back to e5; or the other way round.
    state = place(game, "A:e5 B:f6,h6,g5", "A")
    assert names(game, state) == {"e5-g7", "e5-i5", "e5-c5", "e5-d6", "e5-d4", "e5-f4"}


def test_pieces_may_stop_anywhere_and_leave_again() -> None:
    game = ChineseCheckers(2, 2)
    state = place(game, "A:g9,b6 B:g1", "A")
    assert {"g9-f8", "g9-h8", "b6-a7", "b6-c7"} <= names(game, state)
    state = place(game, "A:f8 B:g1", "A")
    assert {"f8-e7", "f8-g7"} <= names(game, state)


def test_the_point_opposite_full_wins() -> None:
    game = ChineseCheckers(2, 2)
    won = after(game, place(game, "A:g9,f8,g7 B:b4", "A"), "g7-h8")
    assert list(game.actions(won)) == []
    assert list(game.outcome(won)) == [1, -1]
    assert game.show(won).endswith("A has won")


def test_pieces_that_stay_at_home_do_not_help() -> None:
    game = ChineseCheckers(2, 3)
    state = place(game, "A:g7,a3 B:g9 C:f8", "A")
    won = after(game, state, "g7-h8")
    assert list(game.outcome(won)) == [1, -1, -1]
    nobodys = after(game, place(game, "A:a3 B:g9,g7 C:f8", "B"), "g7-h8")
    assert game.actions(nobodys), "full, but no piece there is A's"


def test_whoever_fills_the_point_the_owner_of_the_goal_wins() -> None:
    game = ChineseCheckers(2, 2)
    state = place(game, "A:g9,f8,a3 B:g7,m3,l4", "B")
    lost = after(game, state, "g7-h8")
    assert list(game.outcome(lost)) == [1, -1]
    same = after(game, place(game, "A:g9,f8,a3 B:i7,m3,l4", "B"), "i7-h8")
    assert same == lost, "equal ends are equal states"


def test_who_cannot_move_passes() -> None:
    game = ChineseCheckers(1, 6)
    state = place(game, "A:d1 B:c2 C:e2 D:b3 E:f3 F:c4", "A", left=3)
    assert names(game, state) == {"pass"}
    assert game.places(state, game.actions(state)[0]) == ()
    passed = after(game, state, "pass")
    s, t = game.state.unpack(state), game.state.unpack(passed)
    assert (t.cells, t.turn, t.left) == (s.cells, 1, 2)
    assert "pass" not in names(game, passed)
    assert "no move: pass" in game.svg(state, targets=game.actions(state))
    assert "last move: pass" in game.svg(passed, last=game.actions(state)[0])


def test_the_horizon_is_a_draw() -> None:
    game = ChineseCheckers(2, 2)
    last = place(game, "A:g9,f8,g7 B:b4", "A", left=1)
    over = after(game, last, "g7-f6")
    assert list(game.actions(over)) == []
    assert list(game.outcome(over)) == [0, 0]
    assert game.show(over).endswith("a draw")
    assert list(game.outcome(after(game, last, "g7-h8"))) == [1, -1], "a win is still a win"


# -- against others -------------------------------------------------------------------------------


def read(game: ChineseCheckers, state: bytes) -> Position:
    s = game.state.unpack(state)
    cells = [(column + 1, row + 1) for column, row in game.spots]
    pieces = tuple(
        frozenset(cell for cell, holds in zip(cells, s.cells, strict=True) if holds == who + 1)
        for who in range(game.players)
    )
    return pieces, s.turn, s.left


def name(move: Move) -> str:
    if move is None:
        return "pass"
    return "-".join(f"{LETTERS[column - 1]}{row}" for column, row in move)


def way_left(naive: NaiveChineseCheckers, move: Move, who: int) -> float:
    """Return how far a move ends from the middle of the player's goal: for games that end."""
    if move is None:
        return 0
    goal = naive.goals[who]
    column, row = (sum(cell[i] for cell in goal) / len(goal) for i in (0, 1))
    (x1, y1), (x2, y2) = move
    return abs(x2 - column) + abs(y2 - row) - abs(x1 - column) - abs(y1 - row)


@pytest.mark.parametrize(
    ("size", "players", "games"),
    [
        (1, 2, 200), (1, 3, 150), (1, 4, 150), (1, 6, 150), (2, 2, 90), (2, 3, 90),
        (2, 4, 70), (2, 6, 70), (3, 3, 15), (3, 6, 10), (4, 2, 3), (4, 4, 2),
    ],
)  # fmt: skip
def test_the_naive_rules_agree(size: int, players: int, games: int) -> None:
    game = ChineseCheckers(size, players, 40 * size)
    naive = NaiveChineseCheckers(size, players, 40 * size)
    ended = passed = 0
    for seed in range(games):
        chance = random.Random(seed)
        state, position = game.initial(), naive.start()
        while moves := {name(move): move for move in naive.moves(position)}:
            assert read(game, state) == position
            actions = {game.action_name(state, a): a for a in game.actions(state)}
            assert set(actions) == set(moves)
            assert len(actions) == len(game.actions(state))
            who = position[1]
            forward = sorted(moves, key=lambda n: way_left(naive, moves[n], who))
            chosen = chance.choice(sorted(moves) if chance.random() < 0.3 else forward[:2])
            passed += chosen == "pass"
            state, position = game.next(state, actions[chosen]), naive.play(position, moves[chosen])
        assert not game.actions(state)
        assert read(game, state)[0] == position[0]
        assert tuple(game.outcome(state)) == naive.outcome(position)
        ended += naive.winner(position) is not None
    assert ended > games // 3 or size > 2, "many games are won"
    assert passed > 0 or (size, players) != (1, 6)


END_OF_JUMPS = 121 * 6
"""OpenSpiel's action to stop where a jump has led to; and to pass."""


def whole_moves(theirs: Any) -> dict[str, list[int]]:
    """Return the legal moves of OpenSpiel, where each jump is an action, by where they lead."""
    found: dict[str, list[int]] = {}
    waiting: list[tuple[Any, list[int], str]] = [(theirs, [], "")]
    while waiting:
        here, path, start = waiting.pop()
        for action in here.legal_actions():
            if action == END_OF_JUMPS:
                found.update({} if path else {"pass": [action]})
                continue
            source, target = here.action_to_string(action).replace("=", "-").split("->")
            move = f"{start or source}-{target}"
            if move not in found:
                child = here.child(action)
                goes_on = child.current_player() == theirs.current_player()
                found[move] = [*path, action] + [END_OF_JUMPS] * goes_on
                if goes_on:
                    waiting.append((child, [*path, action], start or source))
    return found


@pytest.mark.parametrize("players", [2, 3, 4, 6])
def test_openspiel_agrees_where_its_rules_are_the_same(players: int) -> None:
    """Games of the usual size, mostly forwards so that they end, with all legal moves compared.

    OpenSpiel's board is ours upside down, and a chain of jumps is several moves there. There a
    player wins only when all pieces in the point opposite are their own, so an end by our rule need
    not be one there; a winner gets a point from each of the others. Few games, as they are long.
    """
    pyspiel = pytest.importorskip("pyspiel")
    if "chinese_checkers" not in pyspiel.registered_names():
        pytest.skip("this OpenSpiel has no Chinese Checkers")
    game = ChineseCheckers(4, players, 600)
    order = sorted(range(121), key=lambda i: (game.spots[i][1], -game.spots[i][0]))
    number = {cell: i for i, cell in enumerate(order)}
    ended = 0
    for seed in range(4):
        chance = random.Random(seed)
        theirs = pyspiel.load_game(f"chinese_checkers(players={players})").new_initial_state()
        state = game.initial()
        while actions := game.actions(state):
            assert game.player(state) == theirs.current_player()
            ends = {action: divmod(action, 121) for action in actions}
            ours = {
                action: "pass" if source == 121 else f"{number[source]}-{number[target]}"
                for action, (source, target) in ends.items()
            }
            legal = whole_moves(theirs)
            assert sorted(ours.values()) == sorted(legal)
            chosen = chance.choice(actions)
            if chance.random() < 0.95:
                chosen = forward(game, state, chance)
            state = game.next(state, chosen)
            for part in legal[ours[chosen]]:
                theirs.apply_action(part)
        if theirs.is_terminal():
            assert [(x > 0) - (x < 0) for x in theirs.returns()] == list(game.outcome(state))
            ended += 1
    assert ended > 0


def forward(game: ChineseCheckers, state: bytes, chance: random.Random) -> int:
    """Return an action that brings a piece far forward, rather one that is still behind."""
    tip = point_tip((SEATS[game.players][game.player(state)] + 3) % 6, game.size)
    way = [steps(spot, tip) for spot in game.spots]
    way.append(0)  # for a pass

    def worth(action: int) -> float:
        source, target = divmod(action, len(game.spots))
        return 1.3 * way[source] - way[target] + chance.random()

    return max(game.actions(state), key=worth)


def test_perft() -> None:
    check_perft("chinese_checkers.perft")


@pytest.mark.parametrize("known", ChineseCheckers.known_values, ids=lambda known: known.game)
def test_known_values(known: Known) -> None:
    """By the search, and by trying everything: then also that no other value is possible."""
    game = ub.load_game(known.game)
    assert isinstance(game, ChineseCheckers)
    assert ub.solve(game).outcome == known.outcome
    naive = NaiveChineseCheckers(game.size, game.players, game.horizon)
    assert naive.values(naive.start()) == {known.outcome}


def test_more_players_may_not_care_who_wins() -> None:
    naive = NaiveChineseCheckers(1, 3, 18)
    values = naive.values(naive.start())
    assert ub.solve("chinese-checkers(size=1,horizon=18)").outcome in values


# -- the contract ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "chinese-checkers",
        "chinese-checkers(size=1,players=2)",
        "chinese-checkers(size=1,players=6)",
    ],
)
def test_it_conforms_to_the_contract(text: str) -> None:
    report = check_game(text, games=10)
    assert report.compiled
    assert report.warnings == ()


def test_mirror_images() -> None:
    check_symmetries(ChineseCheckers(2, 2, 20), games=3)
    check_values_of_images(ChineseCheckers(1, 2), plies=[2, 3, 5], seeds=3)
    assert [ChineseCheckers(2, players).symmetries for players in (2, 3, 4, 6)] == [2, 1, 1, 1]


@pytest.mark.parametrize(("size", "players"), [(2, 2), (2, 3), (1, 6)])
def test_the_board_is_turned_for_other_names(size: int, players: int) -> None:
    check_relabeling(ChineseCheckers(size, players, 20), games=3)
    check_planes(ChineseCheckers(size, players, 20), games=3)


def test_four_sit_unevenly() -> None:
    game = ChineseCheckers(2, 4, 20)
    assert not game.has_relabeling
    seen: dict[tuple[float, ...], bytes] = {}
    for state in positions(game, 5):
        if game.actions(state):
            assert seen.setdefault(tuple(game.encode(state)), state) == state
    half = place(game, "A:g1,f2 B:a3 C:g9,e3 D:m7", "A")
    turned = place(game, "C:g9,h8 D:m7 A:g1,i7 B:a3", "C")
    assert game.encode(half) == game.encode(turned)
    other = place(game, "B:a3,b4 C:g9 D:m7,c7 A:g1", "B")
    assert game.encode(half) != game.encode(other)


def test_planes_are_seen_by_the_mover() -> None:
    game = ChineseCheckers(1, 3, 4)
    mine, following, last, star, left = planes_of(game, place(game, "A:d1 B:c2 C:g4", "B", left=3))

    def one(row: int, column: int) -> list[list[float]]:
        return [[float((r, c) == (row, column)) for c in range(5)] for r in range(5)]

    # The mover's home, the upper left point, is turned to the bottom: two points back.
    assert (following, last) == (one(3, 0), one(3, 3))
    assert mine == one(2, 3)
    assert sum(map(sum, star)) == 13
    assert star[0] == [0, 0, 0, 1, 0], "the tip at the bottom"
    assert left == [[0.75] * 5] * 5


@pytest.mark.parametrize(("size", "players"), [(2, 3), (1, 6), (2, 4)])
def test_pictures(size: int, players: int) -> None:
    check_pictures(ChineseCheckers(size, players, 30), games=1)


@pytest.mark.parametrize("parameter", ["size", "players", "horizon"])
@pytest.mark.parametrize("value", NONSENSE, ids=lambda x: repr(x)[:9])
def test_nonsense_is_refused(parameter: str, value: object) -> None:
    refused(ChineseCheckers, parameter, value)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"size": 5}, "size must be an integer from 1 to 4"),
        ({"players": 5}, "players must be 2, 3, 4 or 6"),
        ({"horizon": 10_001}, "horizon must be an integer from 1 to 10000"),
    ],
)
def test_stars_that_cannot_be(parameters: dict[str, int], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        ChineseCheckers(**parameters)


@pytest.mark.parametrize("players", [2, 3, 6])
def test_the_evaluation_is_a_guess_within_the_outcomes(players: int) -> None:
    game = ChineseCheckers(2, players)
    seen = set()
    for state in positions(game, 3):
        if game.actions(state):
            values = game.evaluate(state)
            assert all(abs(x) < 1 for x in values)
            assert sum(x > 0 for x in values) == 1, "one is ahead"
            if players == 2:
                assert values[0] == -values[1]
            seen.add(values[0])
    assert len(seen) > 10


def test_the_evaluation_sees_who_is_ahead() -> None:
    game = ChineseCheckers()
    state = place(game, "A:g9,f8,i7 B:a7,b6,c7 C:m7,k7,l6", "B")
    first, second, third = game.evaluate(state)
    assert first > 0.5
    assert third < second < -0.5


def test_the_evaluation_plays_better_than_none() -> None:
    assert match(ChineseCheckers(), iterations=60, pairs=4, opening=4) > 0.75
