# SPDX-License-Identifier: MIT
"""Players play by the rules, within their budgets, and say what they know."""

from __future__ import annotations

import random
import threading
from typing import Any

import pytest

import unbounded as ub
from unbounded.game import UsageError
from unbounded.game.catalogue import load_game
from unbounded.players import KINDS, Player, read_kind
from unbounded.players.matches import play_game
from unbounded.players.searching import SearchPlayer
from unbounded.search.tree import Node

GAMES = [
    "tic-tac-toe",
    "connect-four(width=5,height=4)",
    "hex(size=4)",
    "dots-and-boxes",
    "connect-four(width=4,height=4,line=3,players=3)",
    "nim(heaps=[2,3,4],players=3)",
]
OURS = [name for name, kind in KINDS.items() if not kind.local_only]
"""The others are tested in test_external_players.py and test_outside_opponents.py."""
SMALL = {
    "ubfm": "iterations=50",
    "ubfm-safest": "iterations=50",
    "descent": "iterations=5",
    "alpha-beta": "nodes=500",
    "max-n": "nodes=500",
    "paranoid": "nodes=500",
    "best-reply": "nodes=500",
    "mcts": "simulations=100",
    "perfect": "states=2000",
}


def small(name: str) -> str:
    """A kind of player that takes little time, always the same."""
    return f"{name}({SMALL[name]})" if name in SMALL else name


@pytest.mark.parametrize("name", OURS)
@pytest.mark.parametrize("text", GAMES)
def test_whole_games(text: str, name: str) -> None:
    game, kind = ub.load_game(text), read_kind(small(name))
    if name == "alpha-beta" and game.players > 2:
        with pytest.raises(UsageError, match="for two players"):
            kind.player(game, 0)
        return
    record = play_game(game, [kind] * game.players, seed=1, opening=1)
    again = play_game(game, [kind] * game.players, seed=1, opening=1)
    assert record.without_times() == again.without_times()
    assert record.illegal is None
    assert sum(record.overruns) == 0
    state = game.initial()
    for move in record.moves:
        state = game.next(state, game.parse_action(state, move))
    assert not game.actions(state)
    assert record.outcome == tuple(game.outcome(state))


def decide(name: str, text: str, moves: str) -> Any:
    game = ub.load_game(text)
    player: Player = read_kind(small(name)).player(game, 0)
    for move in moves.split():
        player.see(game.parse_action(player.state, move))
    return player.decide()


@pytest.mark.parametrize("name", [name for name in OURS if name != "random"])
def test_a_win_in_one_is_taken(name: str) -> None:
    assert decide(name, "tic-tac-toe", "a1 a2 b1 b2").name == "c1"
    assert decide(name, "connect-four", "4 1 4 1 4 1").name == "4"


@pytest.mark.parametrize("name", ["ubfm", "ubfm-safest", "descent"])
def test_searches_say_what_is_proven(name: str) -> None:
    decision = decide(name, "tic-tac-toe", "a1 a2 b1 b2")
    assert decision.outcome == (1, -1)
    assert decision.work > 0
    early = decide(name, "connect-four", "")
    assert early.outcome == (None, None)
    assert len(early.value) == 2


def test_simple_players_know_nothing() -> None:
    assert decide("random", "tic-tac-toe", "").value is None
    assert decide("greedy", "connect-four", "").outcome == (None, None)


def test_ctrl_c_during_a_search_ends_the_game(monkeypatch: pytest.MonkeyPatch) -> None:
    """The search takes the exception and returns False; a match would go on without it."""
    monkeypatch.setattr(ub.Search, "advance", lambda *_, **__: False)
    player = read_kind("ubfm(iterations=10)").player(ub.load_game("nim"), 0)
    with pytest.raises(KeyboardInterrupt):
        player.choose()


def test_the_graph_is_kept_between_moves() -> None:
    game = ub.load_game("connect-four")
    kept = read_kind("ubfm(iterations=200)").player(game, 0)
    forgetful = read_kind("ubfm(iterations=200,keep=false)").player(game, 0)
    for player in (kept, forgetful):
        player.see(player.decide().action)
    assert kept.search.states > 200  # type: ignore[attr-defined]
    assert forgetful.search.states <= 2  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", ["ubfm", "ubfm-safest", "descent"])
def test_a_search_without_transpositions_grows_a_tree(name: str) -> None:
    game = ub.load_game("connect-four(width=4,height=4)")
    player = read_kind(f"{name}(iterations=500,transpositions=false)").player(game, 0)
    states = []
    for _ in range(3):
        player.see(player.decide().action)
        search = player.search  # type: ignore[attr-defined]
        assert search.states > 1  # what was searched below the move is still there
        states.append(search.states)
        assert paths_below(search.root) == states_below(search.root)
    assert states == sorted(states)
    graph = read_kind(f"{name}(iterations=500)").player(game, 0)
    graph.decide()
    root = graph.search.root  # type: ignore[attr-defined]
    assert paths_below(root) > states_below(root)


def paths_below(node: Node) -> int:
    return 1 + sum(paths_below(child.node) for child in node.children)


def states_below(node: Node) -> int:
    seen: set[int] = set()
    todo = [node]
    while todo:
        node = todo.pop()
        if node.number not in seen:
            seen.add(node.number)
            todo += [child.node for child in node.children]
    return len(seen)


def test_a_graph_that_is_too_big_is_left_behind() -> None:
    game = ub.load_game("connect-four")
    player = read_kind("ubfm(iterations=3000,memory=100k)").player(game, 0)
    for _ in range(6):
        player.see(player.decide().action)
        assert player.search.memory_bytes <= 100 << 10  # type: ignore[attr-defined]


def test_a_search_that_is_not_kept_is_made_when_it_is_needed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A long game is seen in no time: not every move of it needs a new search."""
    player = read_kind("ubfm(iterations=10,keep=false)").player(ub.load_game("nim(heaps=[250])"), 0)
    made: list[int] = []
    new = SearchPlayer._new_search
    monkeypatch.setattr(SearchPlayer, "_new_search", lambda self: (made.append(1), new(self))[1])
    for _ in range(200):
        player.see(next(iter(player.game.actions(player.state))))
    assert made == []
    player.stop()
    assert player.decide().name and made == [1]


def test_seconds_are_used() -> None:
    game = ub.load_game("connect-four")
    kind = read_kind("ubfm(seconds=0.05)")
    record = play_game(game, [kind, read_kind("random")], opening=2)
    assert record.decisions[0] > 0
    assert record.seconds[0] >= 0.05  # the first decision is far from proven


# -- names -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "ubfm",
        "ubfm(transpositions=false)",
        "ubfm(seconds=2.5)",
        "ubfm(iterations=10,rule=safest)",
        "descent(states=5)",
        "random",
    ],
)
def test_names_are_read_and_written(text: str) -> None:
    assert str(read_kind(text)) == text
    assert read_kind(str(read_kind(text))) == read_kind(text)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("ubfmm", "did you mean 'ubfm'"),
        ("", "expected"),
        ("[1]", "a player is needed"),
        ("ubfm(second=1)", "did you mean 'seconds'"),
        ("ubfm(rule=worst)", "rule must be best or safest"),
        ("ubfm(seconds=-1)", "seconds must be"),
        ("ubfm(iterations=1.5)", "must be an integer"),
        ("ubfm(memory=x)", "memory must be"),
        ("random(1)", "too many parameters"),
    ],
)
def test_wrong_names(text: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        read_kind(text)


class Plain(ub.Game[int, int]):
    """One move, and it is over."""

    zero_sum = True

    def initial(self) -> int:
        return 0

    def player(self, state: int) -> int:
        return 0

    def actions(self, state: int) -> list[int]:
        return [1] if state == 0 else []

    def next(self, state: int, action: int) -> int:
        return action

    def outcome(self, state: int) -> list[int]:
        return [1, -1]


def test_a_game_without_a_heuristic() -> None:
    with pytest.raises(UsageError, match="has none"):
        read_kind("greedy").player(Plain(), 0)
    assert play_game(Plain(), [read_kind("ubfm(iterations=3)")] * 2).outcome == (1, -1)


@pytest.mark.parametrize("kind", ["ubfm", "descent", "alpha-beta", "mcts"])
def test_a_player_in_a_hurry(kind: str) -> None:
    """It takes what time it is given, and the next move has its usual time again."""
    player = read_kind(f"{kind}(seconds=600)").player(ub.load_game("othello"), 0)
    assert player.seconds_per_move == 600
    for _ in range(2):
        assert 0.05 <= player.decide(at_most=0.05).seconds < player.seconds_per_move


@pytest.mark.parametrize("kind", ["ubfm", "alpha-beta", "mcts"])
def test_a_player_can_be_stopped_from_another_thread(kind: str) -> None:
    player = read_kind(f"{kind}(seconds=600)").player(ub.load_game("othello"), 0)
    threading.Timer(0.2, player.stop).start()
    assert player.seconds_per_move is not None
    assert player.decide().seconds < player.seconds_per_move
    assert player.decide(at_most=0.05).action in player.game.actions(player.state)


@pytest.mark.parametrize("game", ["tic-tac-toe", "connect-four(width=4,height=4)", "nim"])
def test_a_perfect_player_never_gives_a_proven_result_away(game: str) -> None:
    """What it has proven of one position holds, or is better, in all that it moves in later."""
    rules = load_game(game)
    for seed in range(5):
        player = read_kind("perfect(seconds=20)").player(rules, seed)
        chance, state, known = random.Random(seed), rules.initial(), -1
        while actions := rules.actions(state):
            action = chance.choice(list(actions))
            if rules.player(state) == 0:
                decision = player.decide()
                action, outcome = decision.action, decision.outcome[0]
                assert outcome is not None and outcome >= known
                assert outcome < 0 or decision.value is None  # it is proven, and nothing guessed
                known = outcome
            player.see(action)
            state = rules.next(state, action)
        assert rules.outcome(state)[0] >= known


def test_a_perfect_player_without_time_to_prove_plays_on() -> None:
    player = read_kind("perfect(seconds=0.2)").player(load_game("hex(size=11)"), 0)
    decision = player.decide()
    assert decision.outcome == (None, None) and decision.value is not None
