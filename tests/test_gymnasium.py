# SPDX-License-Identifier: MIT
"""One seat of a game as an environment of Gymnasium: its own checks, opponents, copies."""

from __future__ import annotations

import copy
import importlib
import sys
from random import Random
from typing import Any

import numpy as np
import pytest
from environments import BOARDS, SHELF, Countdown, pickled

import unbounded as ub
from unbounded.game import UsageError
from unbounded.players import read_kind

pytest.importorskip("gymnasium", reason="not installed: pip install 'unbounded[pettingzoo]'")

import gymnasium
from gymnasium.utils.env_checker import check_env

from unbounded.bridges.gymnasium import SeatEnv, env, register


@pytest.mark.parametrize("board", BOARDS)
def test_gymnasium_accepts_every_game_without_a_warning(board: str) -> None:
    check_env(env(board))
    last = ub.load_game(board).players - 1
    check_env(env(board, seat=last, rewards="score"), skip_render_check=True)


def played(seat: Any, seed: int) -> list[Any]:
    """Play on by random legal actions; return all that the seat is told on the way."""
    random, told = Random(seed), []
    info = {"action_mask": seat.unwrapped._observed()[1]["action_mask"]}
    over = False
    while not over:
        action = random.choice(np.flatnonzero(info["action_mask"]))
        seen, reward, terminated, truncated, info = seat.step(action)
        mask = info["action_mask"].tolist()
        told.append((int(action), seen.tolist(), reward, terminated, truncated, mask))
        over = terminated or truncated
    return told


@pytest.mark.parametrize("board", BOARDS)
def test_the_reward_is_the_outcome_of_the_seat(board: str) -> None:
    seat = env(board, seat=None)
    game, seats = seat.game, set()
    for seed in range(6):
        seen, info = seat.reset(seed=seed)
        seats.add(info["seat"])
        assert seat.observation_space.contains(seen)
        state = seat._episode.state
        legal = list(game.actions(state))
        if legal:
            assert game.player(state) == info["seat"]
            assert set(np.flatnonzero(info["action_mask"])) == set(legal)
            assert (seat.action_masks() == info["action_mask"]).all()
            *_, (_, _, reward, *_) = played(seat, seed)
        else:
            _, reward, *_ = seat.step(0)
        assert reward == game.outcome(seat._episode.state)[info["seat"]]
    assert len(seats) > 1 or game.players == 1


def test_a_seed_decides_the_game() -> None:
    seat = env("othello(size=4)", opponent="random")
    games = []
    for seed in (1, 2, 1):
        seat.reset(seed=seed)
        games.append(played(seat, 5))
    assert games[0] == games[2] != games[1]
    first = [seat.reset(seed=9), played(seat, 5), seat.reset(), played(seat, 5)]
    again = [seat.reset(seed=9), played(seat, 5), seat.reset(), played(seat, 5)]
    assert first[1::2] == again[1::2]


@pytest.mark.parametrize("name", ["ubfm(iterations=20)", "mcts(simulations=30)", "greedy"])
def test_opponents_move_as_they_do_elsewhere(name: str) -> None:
    seat = env("connect-four(width=4,height=4)", opponent=name, seat=1)
    seat.reset(seed=3)
    game = seat.game
    player = read_kind(name).player(game, seat._seed)
    random = Random(2)
    while True:
        assert player.decide().action == seat._episode.actions[len(player.moves)]
        for action in seat._episode.actions[len(player.moves) :]:
            player.see(action)
        legal = game.actions(player.state)
        if not legal:
            break
        action = random.choice(list(legal))
        _, _, over, _, _ = seat.step(action)
        player.see(action)
        if over and game.is_terminal(player.state):
            break


def test_a_search_does_not_lose_at_tic_tac_toe() -> None:
    seat = env("tic-tac-toe", opponent="ubfm(iterations=200)", seat=None)
    rewards = []
    for seed in range(8):
        seat.reset(seed=seed)
        rewards.append(played(seat, seed)[-1][2])
    assert max(rewards) <= 0 > min(rewards)


def test_opponents_sit_in_their_order() -> None:
    names = ["greedy", "random"]
    seat = env("dots-and-boxes(players=3)", opponent=names, seat=1)
    seat.reset(seed=1)
    played(seat, 1)
    kinds = {s: type(player).__name__ for s, player in seat._players.items()}
    assert kinds == {2: "GreedyPlayer", 0: "RandomPlayer"}


def test_a_game_may_end_before_the_seat_has_moved() -> None:
    seat = env("nim(heaps=[1,1],players=3)", seat=2)
    _, info = seat.reset(seed=0)
    assert not info["action_mask"].any()
    action = seat.action_space.sample(info["action_mask"])
    _, reward, terminated, truncated, _ = seat.step(action)
    assert (terminated, truncated) == (True, False)
    assert reward == seat.game.outcome(seat._episode.state)[2] != 0


def test_illegal_actions() -> None:
    seat = env("tic-tac-toe", illegal_reward=-2.5)
    seat.reset(options={"moves": "a1 b1"})
    seen, reward, terminated, truncated, info = seat.step(0)
    assert (reward, terminated, truncated) == (-2.5, True, False)
    assert seat.observation_space.contains(seen) and info["action_mask"].sum() == 7
    with pytest.raises(UsageError, match=r"call reset"):
        seat.step(4)
    strict = env("tic-tac-toe", illegal_reward=None)
    strict.reset(options={"moves": "a1 b1"})
    with pytest.raises(UsageError, match="illegal action 0 in tic-tac-toe; legal here: 2, 3"):
        strict.step(0)
    assert played(strict, 1), "the game goes on"


def test_a_limit_of_moves_truncates() -> None:
    seat = env("othello(size=4)", most_moves=4)
    seat.reset(seed=1)
    *_, (_, _, reward, terminated, truncated, mask) = played(seat, 1)
    assert (reward, terminated, truncated, sum(mask)) == (0, False, True, 0)
    assert len(seat._episode.actions) == 4


# -- copies ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["random", "ubfm(iterations=20)", "mcts(simulations=20)"])
@pytest.mark.parametrize("copied", [copy.deepcopy, pickled])
def test_copies_continue_as_the_original(name: str, copied: Any) -> None:
    seat = env("connect-four(width=4,height=4)", opponent=name, seat=None)
    seat.reset(seed=4)
    mask = seat._observed()[1]["action_mask"]
    seat.step(np.flatnonzero(mask)[0])
    seat.action_space.seed(3)
    twin, saved = copied(seat), seat.save()
    assert [twin.action_space.sample() for _ in range(9)] == [
        seat.action_space.sample() for _ in range(9)
    ]
    before = played(seat, 6)
    assert played(twin, 6) == before
    seat.restore(saved)
    assert played(seat, 6) == before
    twin.reset()
    seat.reset()
    assert played(twin, 7) == played(seat, 7), "the next game too"
    assert twin.spec.id == "unbounded/ConnectFour-v0"


def test_a_copy_before_the_first_game() -> None:
    twin = pickled(env(Countdown(sticks=5), seat=1))
    twin.reset(seed=1)
    assert twin.game.sticks == 5
    assert played(twin, 1)


def test_only_what_was_saved_is_restored() -> None:
    seat = env("tic-tac-toe")
    with pytest.raises(UsageError, match="before reset"):
        seat.save()
    seat.reset(seed=1)
    saved = seat.save()
    for wrong, problem in [
        (b"nothing", "restore.. takes what save"),
        ("text", "bytes, not str"),
        (saved.replace(b"PCG64", b"Dice"), "restore.. takes what save"),
        (saved.replace(b'"seat": 0', b'"seat": 7'), "restore.. takes what save"),
        (saved.replace(b'"given": 0', b'"given": 99'), "restore.. takes what save"),
        (saved.replace(b"tic-tac-toe", b"hex"), "saved in hex, which is not tic-tac-toe"),
    ]:
        with pytest.raises(UsageError, match=problem):
            seat.restore(wrong)
        assert seat.save() == saved


# -- Gymnasium's own ways -------------------------------------------------------------------------


def test_games_are_made_by_their_names() -> None:
    registered = register()
    assert len(registered) == len(SHELF)
    assert set(registered) <= set(gymnasium.registry)
    for name in registered:
        seat = gymnasium.make(name)
        seat.reset(seed=1)
        assert isinstance(seat.unwrapped, SeatEnv)
    small = gymnasium.make("unbounded/ConnectFour-v0", width=4, opponent="greedy", seat=1)
    assert str(small.unwrapped.game) == "connect-four(width=4)"
    assert gymnasium.make("unbounded.bridges.gymnasium:unbounded/TicTacToe-v0")


def test_vectors_of_environments() -> None:
    def make() -> Any:
        return env("tic-tac-toe", seat=None)

    vector = gymnasium.vector.SyncVectorEnv([make, make, make])
    _, infos = vector.reset(seed=5)
    random, ended = Random(1), 0
    for _ in range(30):
        masks = infos["action_mask"]
        assert masks.shape == (3, 9)
        legal = [np.flatnonzero(mask) for mask in masks]
        actions = np.array([random.choice(x) if len(x) else 0 for x in legal])
        _, rewards, terminated, _, infos = vector.step(actions)
        assert all(abs(reward) <= over for reward, over in zip(rewards, terminated, strict=True))
        ended += terminated.sum()
    assert ended > 5
    vector.close()


def test_rendering() -> None:
    text = env("tic-tac-toe", render_mode="ansi")
    text.reset(options={"moves": "b2 a1"})
    assert text.render() == str(ub.Position("tic-tac-toe", moves="b2 a1"))
    picture = env("tic-tac-toe", render_mode="rgb_array")
    picture.reset()
    assert picture.render().shape == (176, 176, 3)


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"seat": 2}, "seat must be from 0 to 1, or None, not 2"),
        ({"seat": True}, "seat must be"),
        ({"opponent": None}, "opponent must be the name of a player, or a list of names"),
        ({"opponent": [3]}, "opponent must be the name of a player, or a list of names"),
        ({"opponent": "ubfn"}, "unknown player 'ubfn' .did you mean 'ubfm'"),
        ({"opponent": ["random", "random"]}, "has 1 other seats; opponent names 2 players"),
        ({"rewards": None}, "rewards must be"),
        ({"render_mode": "human"}, "render_mode must be"),
        ({"most_moves": -1}, "most_moves must be"),
    ],
)
def test_bad_options_are_refused(options: dict[str, Any], problem: str) -> None:
    with pytest.raises(UsageError, match=problem):
        env("tic-tac-toe", **options)


def test_actions_before_reset_and_actions_that_are_none() -> None:
    seat = env("tic-tac-toe")
    with pytest.raises(UsageError, match=r"call reset"):
        seat.step(0)
    seat.reset()
    with pytest.raises(UsageError, match="an action is an integer, not 'b2'"):
        seat.step("b2")


def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    name = "unbounded.bridges.gymnasium"
    monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "gymnasium", None)
    with pytest.raises(ImportError, match=r"pip install 'unbounded\[pettingzoo\]'"):
        importlib.import_module(name)
