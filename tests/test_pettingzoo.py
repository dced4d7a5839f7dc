# SPDX-License-Identifier: MIT
"""Games as environments of PettingZoo: its own tests, and the same games as by our rules."""

from __future__ import annotations

import copy
import importlib
import sys
from itertools import pairwise
from random import Random
from typing import Any

import numpy as np
import pytest
from environments import BOARDS, Countdown, Encoded, Numbered, Words, pickled, random_line

import unbounded as ub
from unbounded.conformance.random_games import random_graph
from unbounded.game import Game, RuleError, UsageError

pytest.importorskip("pettingzoo", reason="not installed: pip install 'unbounded[pettingzoo]'")

from pettingzoo.test import api_test, seed_test

from unbounded.bridges.pettingzoo import env, raw_env

# PettingZoo advises against observations that are no arrays, except for environments in a list of
# names: its own ones with masks. With the mask in the info there is nothing to advise.
ADVICE = [
    pytest.mark.filterwarnings("ignore:Observation is not a NumPy array"),
    pytest.mark.filterwarnings("ignore:Observation space for each agent probably should be"),
]


@pytest.mark.parametrize("board", BOARDS)
def test_pettingzoo_accepts_every_game_without_a_warning(board: str) -> None:
    api_test(env(board, mask_in="info"), num_cycles=1000)
    seed_test(lambda: env(board, mask_in="info"), num_cycles=1000)


@pytest.mark.parametrize("board", [pytest.param(board, marks=ADVICE) for board in BOARDS])
def test_pettingzoo_accepts_every_game_with_masks_in_observations(board: str) -> None:
    api_test(env(board), num_cycles=1000)
    seed_test(lambda: env(board), num_cycles=1000)


@pytest.mark.parametrize("game", [Countdown(), Numbered()], ids=str)
def test_pettingzoo_accepts_games_without_planes(game: Game[Any, Any]) -> None:
    api_test(env(game, mask_in="info"), num_cycles=100)
    seed_test(lambda: env(game, mask_in="info"), num_cycles=100)


@pytest.mark.parametrize("board", BOARDS)
def test_games_are_those_of_our_rules(board: str) -> None:
    """The same movers, legal actions and results, and each agent observes the same position."""
    game = ub.load_game(board)
    zoo = env(board)
    zoo.reset()
    for state, action in random_line(game, seed=5):
        if action is None:
            break
        mover = game.player(state)
        assert zoo.agent_selection == f"player_{mover}"
        for seat, agent in enumerate(zoo.possible_agents):
            seen = zoo.observe(agent)
            assert zoo.observation_space(agent).contains(seen)
            legal = list(game.actions(state)) if seat == mover else []
            assert set(np.flatnonzero(seen["action_mask"])) == set(legal)
        zoo.step(action)
    assert all(zoo.terminations.values())
    assert not any(zoo.truncations.values())
    assert list(zoo.rewards.values()) == list(game.outcome(state))
    for agent, outcome in zip(zoo.possible_agents, game.outcome(state), strict=True):
        assert zoo.agent_selection == agent
        seen, reward, terminated, truncated, _ = zoo.last()
        assert (reward, terminated, truncated) == (outcome, True, False)
        assert not seen["action_mask"].any()
        zoo.step(None)
    assert zoo.agents == []


def test_an_agent_sees_the_planes_of_the_mover_and_whose_turn_it_is() -> None:
    game = ub.load_game("dots-and-boxes(players=3)")
    zoo = raw_env(game)
    zoo.reset(options={"moves": "a1-b1"})  # player_1 is to move
    state = zoo._episode.state
    planes = np.array(game.encode(state), np.float32).reshape(game.planes)
    turns = {"player_0": 2 / 3, "player_1": 1, "player_2": 1 / 3}
    for seat, (agent, turn) in enumerate(turns.items()):
        board = zoo.observe(agent)["observation"]
        assert board.shape == (game.planes[0] + 4, *game.planes[1:])
        assert (board[:-4] == planes).all()
        assert [plane.mean() for plane in board[-4:-1]] == [float(x == seat) for x in range(3)]
        assert (board[-1] == np.float32(turn)).all()
    assert (zoo.state() == zoo.observe("player_1")["observation"]).all()


def test_fields_are_seen_where_there_are_no_planes() -> None:
    zoo = raw_env(Countdown(sticks=3), mask_in="info")
    zoo.reset()
    zoo.step(1)
    assert zoo.observe("player_0").tolist() == [2, 1, 1, 0, 1]
    assert zoo.observe("player_1").tolist() == [2, 1, 0, 1, 2]
    assert zoo.observation_space("player_0").high.tolist() == [127, 127, 1, 1, 2]
    zoo.step(2)
    assert zoo.observe("player_0").tolist() == [0, 0, 1, 0, 0]


def test_an_agent_may_move_again_or_wait() -> None:
    """Who closes a box moves again; who is isolated waits until the others are done."""
    for board, odd in [
        ("dots-and-boxes(players=3)", 0),
        ("isolation(rows=3,columns=4,players=3)", 2),
    ]:
        game, found = ub.load_game(board), False
        for seed in range(5):
            zoo = env(board)
            zoo.reset()
            line = list(random_line(game, seed))[:-1]
            selected = []
            for state, action in line:
                selected.append((game.player(state), zoo.agent_selection))
                zoo.step(action)
            assert all(agent == f"player_{seat}" for seat, agent in selected)
            steps = [(b - a) % 3 for (a, _), (b, _) in pairwise(selected)]
            found |= odd in steps
            assert sum(zoo.rewards.values()) == sum(zoo._cumulative_rewards.values())
        assert found, board


def test_rewards_can_be_scores() -> None:
    game = ub.load_game("kalah(pits=3,seeds=3)")
    zoo = env(game, rewards="score")
    zoo.reset()
    *line, (end, _) = random_line(game, seed=3)
    for _, action in line:
        zoo.step(action)
    assert list(zoo.rewards.values()) == list(game.score(end))
    assert any(abs(reward) > 1 for reward in zoo.rewards.values())


def test_a_limit_of_moves_truncates() -> None:
    zoo = env("tic-tac-toe", most_moves=3)
    zoo.reset()
    for action in (0, 1, 2):
        zoo.step(action)
    assert zoo.truncations == dict.fromkeys(zoo.agents, True)
    assert zoo.terminations == dict.fromkeys(zoo.agents, False)
    assert set(zoo.rewards.values()) == {0}
    seen, _, _, truncated, _ = zoo.last()
    assert truncated and not seen["action_mask"].any()
    assert seen["observation"].any(), "the position is still there to be judged"
    zoo.step(None)
    zoo.step(None)
    assert zoo.agents == []
    won = env("tic-tac-toe", most_moves=5)
    won.reset()
    for action in (0, 3, 1, 4, 2):
        won.step(action)
    assert won.rewards == {"player_0": 1, "player_1": -1}, "the last move of all may win"
    assert not any(won.truncations.values())


def test_illegal_actions() -> None:
    zoo = env("connect-four", width=4, height=4, illegal_reward=-5)
    assert zoo.unwrapped.game.width == 4
    zoo.reset()
    for _ in range(4):
        zoo.step(2)
    zoo.step(np.int64(2))
    assert zoo.rewards == {"player_0": -5, "player_1": 0}
    assert all(zoo.terminations.values())
    with pytest.raises(AssertionError, match="action space"):
        zoo.reset()
        zoo.step(4)
    raw = raw_env("connect-four")
    with pytest.raises(UsageError, match=r"call reset"):
        raw.step(0)
    raw.reset()
    with pytest.raises(UsageError, match=r"illegal action 9 in connect-four; legal here: 0, 1, 2"):
        raw.step(9)
    with pytest.raises(UsageError, match="an action is an integer, not '4'"):
        raw.step("4")


# -- copies ---------------------------------------------------------------------------------------


def played(zoo: Any, seed: int) -> list[Any]:
    """Play on by random actions; return all that agents are told on the way."""
    random, told = Random(seed), []
    for agent in zoo.agent_iter():
        seen, *rest = zoo.last()
        told.append((agent, seen["observation"].tolist(), seen["action_mask"].tolist(), rest))
        over = rest[1] or rest[2]
        zoo.step(None if over else random.choice(np.flatnonzero(seen["action_mask"])))
    return told


def begun(board: str, moves: int = 4) -> Any:
    zoo = env(board)
    zoo.reset()
    random = Random(1)
    for _ in range(moves):
        zoo.step(random.choice(np.flatnonzero(zoo.last()[0]["action_mask"])))
    return zoo


@pytest.mark.parametrize("board", ["dots-and-boxes(players=3)", "othello(size=4)", "graph"])
def test_a_saved_game_continues_anywhere(board: str) -> None:
    zoo = begun(board, moves=1 if board == "graph" else 4)
    saved = zoo.save()
    before = played(zoo, 7)
    zoo.restore(saved)
    assert zoo.save() == saved
    assert played(zoo, 7) == before
    other = env(board)
    other.restore(saved)  # without a reset
    assert played(other, 7) == before


@pytest.mark.parametrize("copied", [copy.deepcopy, pickled])
def test_copies_keep_the_position(copied: Any) -> None:
    for zoo in (begun("rolit(size=4,players=4)"), begun("tic-tac-toe")):
        zoo.action_space("player_0").seed(5)
        twin = copied(zoo)
        assert twin.save() == zoo.save()
        assert [twin.action_space("player_0").sample() for _ in range(9)] == [
            zoo.action_space("player_0").sample() for _ in range(9)
        ]
        assert played(twin, 3) == played(zoo, 3)
    fresh = copied(env("tic-tac-toe", rewards="score", most_moves=4, render_mode="ansi"))
    fresh.reset()
    assert (fresh.render_mode, fresh.unwrapped._episode.most_moves) == ("ansi", 4)


@pytest.mark.parametrize("copied", [copy.deepcopy, pickled])
def test_copies_of_games_that_no_string_names(copied: Any) -> None:
    games = [Countdown(sticks=6), ub.horizon(Countdown(sticks=7), plies=4), random_graph(1)]
    for game in games:
        zoo = env(game)
        zoo.reset()
        zoo.step(np.flatnonzero(zoo.last()[0]["action_mask"])[0])
        assert played(copied(zoo), 2) == played(zoo, 2)


def test_what_was_legal_before_restore_does_not_count() -> None:
    zoo = env("tic-tac-toe")
    zoo.reset()
    start = zoo.save()
    zoo.step(4)
    zoo.observe(zoo.agent_selection)  # PettingZoo's wrapper notes what is legal now
    zoo.restore(start)
    zoo.step(4)
    assert not any(zoo.terminations.values())


def test_a_game_that_an_illegal_action_ended_is_restored_so() -> None:
    zoo = begun("tic-tac-toe", 1)
    taken = zoo.unwrapped._episode.actions[0]
    zoo.step(taken)
    saved = zoo.save()
    twin = env("tic-tac-toe")
    twin.restore(saved)
    assert twin.terminations == zoo.terminations == {"player_0": True, "player_1": True}
    assert played(twin, 1) == played(zoo, 1)


def test_only_what_was_saved_is_restored() -> None:
    zoo = begun("tic-tac-toe", 2)
    saved = zoo.save()
    for wrong, problem in [
        (b"", "restore.. takes what save"),
        (b"[]", "restore.. takes what save"),
        (b"{}", "restore.. takes what save"),
        (b"[" * 100_000, "restore.. takes what save"),
        (saved.replace(b'selection": "player_0"', b'selection": []'), "restore.. takes what save"),
        (saved.replace(b"false", b'"no"'), "restore.. takes what save"),
        (zoo.state(), "bytes, not ndarray"),
        (saved.replace(b"tic-tac-toe", b"hex"), "saved in hex, which is not tic-tac-toe"),
        (saved.replace(b"player_0", b"player_7"), "restore.. takes what save"),
        (begun("tic-tac-toe", 1).save().replace(b'"actions": [', b'"actions": [99, '), "illegal"),
    ]:
        with pytest.raises(UsageError, match=problem):
            zoo.restore(wrong)
        assert zoo.save() == saved
    with pytest.raises(UsageError, match="before reset"):
        env("tic-tac-toe").save()


# -- bad input ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"rewards": "points"}, "rewards must be 'outcome' or 'score', not 'points'"),
        ({"render_mode": "human"}, "render_mode must be None or 'ansi' or 'rgb_array'"),
        ({"mask_in": "nowhere"}, "mask_in must be 'observation' or 'info'"),
        ({"most_moves": 0}, "most_moves must be a number of moves, 1 or more, not 0"),
        ({"most_moves": True}, "most_moves must be"),
        ({"bounds": (1, 0)}, "bounds must be the least and the largest number"),
        ({"bounds": (0, float("inf"))}, "bounds must be"),
        ({"bounds": 3}, "bounds must be"),
        ({"colour": 3}, "colour"),
    ],
)
def test_bad_options_are_refused(options: dict[str, Any], problem: str) -> None:
    with pytest.raises(UsageError, match=problem):
        env("tic-tac-toe", **options)


def test_games_that_cannot_be_environments_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match=r"unknown game 'connect-for' .did you mean"):
        env("connect-for")
    with pytest.raises(
        UsageError, match=r"no `?encode`?.* neither records nor integers .there is a str"
    ):
        env(Words())
    monkeypatch.setattr(Words, "action_count", None)
    with pytest.raises(UsageError, match=r"does not say how many actions .* set action_count"):
        env(Words())
    with pytest.raises(UsageError, match="is over before the first move"):
        env(Countdown(sticks=0))


def test_false_promises_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Countdown, "action_count", 2)
    with pytest.raises(RuleError, match=r"actions gave 2, and action_count is 2"):
        env(Countdown())
    zoo = env(Encoded())
    zoo.reset()
    with pytest.raises(RuleError, match=r"numbers from -1 to 0; the bounds are 0 and 1; .*bounds="):
        zoo.last()
    wide = env(Encoded(), bounds=(-1, 3))
    wide.reset()
    assert played(wide, 1)
    monkeypatch.setattr(Encoded, "planes", (3, 1, 1))
    wrong = env(Encoded(), bounds=(-1, 3))
    wrong.reset()
    with pytest.raises(RuleError, match=r"encode gave 2 numbers; planes are \(3, 1, 1\)"):
        wrong.last()


def test_moves_to_start_from() -> None:
    zoo = env("tic-tac-toe")
    zoo.reset(options={"moves": ["b2", "a1"]})
    assert zoo.agent_selection == "player_0"
    assert zoo.last()[0]["action_mask"].sum() == 7
    with pytest.raises(UsageError, match="illegal move 'b9'"):
        zoo.reset(options={"moves": "b9"})
    with pytest.raises(UsageError, match="over after the moves a1 b1 a2 b2 a3"):
        zoo.reset(options={"moves": "a1 b1 a2 b2 a3"})


def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    name = "unbounded.bridges.pettingzoo"
    monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "pettingzoo", None)
    with pytest.raises(ImportError, match=r"pip install 'unbounded\[pettingzoo\]'"):
        importlib.import_module(name)
