# SPDX-License-Identifier: MIT
"""The searches that ours is compared with: unless they are good, beating them means nothing."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import pytest
from broken_games import RaisesInNext, Sound, SoundObject

import unbounded as ub
from unbounded import native
from unbounded.evaluation import default_evaluation, make_evaluator
from unbounded.game import Game, RuleError
from unbounded.native.failures import explain

DEPTH_FIRST = ("alpha_beta", "max_n", "paranoid", "best_reply")
ALL = (*DEPTH_FIRST, "monte_carlo")

TWO_PLAYERS = [
    "mnk",
    "connect-four(width=5,height=4)",
    "breakthrough(rows=5,columns=4)",
    "hex(size=4)",
    "othello(size=4)",
    "kalah(pits=3,seeds=2)",
    "domineering(rows=4,columns=4)",
]
SOLVED = [
    "mnk",
    "connect-four(width=4,height=4)",
    "breakthrough(rows=4,columns=3)",
    "hex(size=3)",
    "othello(size=4)",
    "kalah(pits=3,seeds=2)",
    "domineering(rows=4,columns=4)",
    "dots-and-boxes",
]
MORE_PLAYERS = [
    "connect-four(width=5,height=4,line=3,players=3)",
    "nim(heaps=[2,3,4],players=3)",
    "isolation(rows=3,columns=4,players=3)",
    "mnk(rows=4,columns=4,line=3,players=3)",
]


class Table:
    """A game, and opponents to play it."""

    def __init__(self, game: Game[Any, Any] | str, evaluation: Any = None) -> None:
        self.game = ub.load_game(game) if isinstance(game, str) else game
        self.route = native.route_of(self.game)
        chosen = evaluation or default_evaluation(self.game)
        self.evaluator = make_evaluator(self.game, self.route, chosen, 0)

    def kinds(self) -> list[str]:
        return [k for k in ALL if k != "alpha_beta" or self.game.players == 2]

    def opponent(self, kind: str, **options: Any) -> Any:
        if kind == "monte_carlo":
            return native.MonteCarlo(self.route.rules, **options)
        return native.DepthFirst(self.route.rules, self.evaluator, kind, **options)

    def stored(self, state: Any) -> bytes:
        return self.route.played_to(state, 0)

    def ask(self, opponent: Any, state: Any, **limits: Any) -> tuple[Any, native.Choice]:
        """Return the action, which is a legal one, and what is said about it."""
        choice = opponent.choose(self.stored(state), **limits)
        at, line = state, choice.line
        assert line[0] == choice.index
        for index in line:
            assert 0 <= index < len(self.game.actions(at))
            at = self.game.next(at, self.game.actions(at)[index])
        assert len(choice.values) == len(choice.proven) == self.game.players
        return self.game.actions(state)[choice.index], choice

    def is_won(self, state: Any, player: int, plies: int) -> bool:
        """Whether the player wins within so many plies, whatever the others do."""
        game, actions = self.game, self.game.actions(state)
        if not actions:
            return game.outcome(state)[player] == 1
        if plies == 0:
            return False
        children = (self.is_won(game.next(state, a), player, plies - 1) for a in actions)
        return any(children) if game.player(state) == player else all(children)

    def random_states(self, random: Random, games: int) -> Iterator[Any]:
        """Every state of some random games."""
        for _ in range(games):
            state = self.game.initial()
            while actions := self.game.actions(state):
                yield state
                state = self.game.next(state, random.choice(actions))


def enough(kind: str) -> dict[str, int]:
    """So much that a win in two is found."""
    return {"simulations": 4000} if kind == "monte_carlo" else {"depth": 4}


# -- strength -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", TWO_PLAYERS + MORE_PLAYERS)
def test_a_win_in_one_is_taken(name: str) -> None:
    table, seen = Table(name), 0
    players = {k: table.opponent(k) for k in table.kinds()}
    for state in table.random_states(Random(1), 30):
        mover = table.game.player(state)
        if not table.is_won(state, mover, 1):
            continue
        seen += 1
        for kind, player in players.items():
            limit = {"simulations": 1} if kind == "monte_carlo" else {"nodes": 1}
            action, choice = table.ask(player, state, **limit)
            assert table.is_won(table.game.next(state, action), mover, 0), kind
            assert kind == "best_reply" or choice.proven[mover] in (1, None)
    assert seen > 0


@pytest.mark.parametrize("name", TWO_PLAYERS + MORE_PLAYERS)
def test_a_win_in_two_is_taken(name: str) -> None:
    """In Max^n and Best-Reply Search the others may be expected to help; not so with two."""
    table, seen = Table(name), 0
    many = table.game.players > 2
    kinds = ["paranoid", "monte_carlo"] if many else table.kinds()
    players = {k: table.opponent(k) for k in kinds}
    turns = table.game.players + 1
    for state in table.random_states(Random(2), 20):
        mover = table.game.player(state)
        if not table.is_won(state, mover, turns) or table.is_won(state, mover, 1):
            continue
        seen += 1
        for kind, player in players.items():
            limit = {"simulations": 20_000} if kind == "monte_carlo" else {"depth": turns}
            action, choice = table.ask(player, state, **limit)
            assert choice.values[mover] > 0, kind
            if kind in ("alpha_beta", "paranoid"):
                assert choice.proven[mover] == 1
                assert table.is_won(table.game.next(state, action), mover, turns), kind
            elif choice.proven[mover] is not None:
                assert choice.proven[mover] == 1
        if seen == 20:
            break
    assert seen > 0


def test_tic_tac_toe_is_drawn() -> None:
    table = Table("mnk")
    player = table.opponent("alpha_beta")
    state = table.game.initial()
    while table.game.actions(state):
        action, choice = table.ask(player, state)
        assert choice.proven == [0, 0] and choice.stop == native.Stop.resolved
        state = table.game.next(state, action)
    assert list(table.game.outcome(state)) == [0, 0]


@pytest.mark.parametrize("kind", ["alpha_beta", "max_n"])
def test_connect_four_on_a_small_board_is_drawn(kind: str) -> None:
    table = Table("connect-four(width=4,height=4)")
    choice = table.opponent(kind).choose(table.stored(table.game.initial()))
    assert choice.proven == [0, 0] and choice.values == [0, 0]
    assert choice.rounds == 16


@pytest.mark.parametrize("name", SOLVED)
def test_alpha_beta_agrees_with_solve(name: str) -> None:
    table = Table(name)
    choice = table.opponent("alpha_beta").choose(table.stored(table.game.initial()), seconds=60)
    assert choice.proven == list(ub.solve(name).outcome or ())


def test_monte_carlo_proves_tic_tac_toe() -> None:
    table = Table("mnk")
    _, choice = table.ask(table.opponent("monte_carlo"), table.game.initial(), simulations=200_000)
    assert choice.proven == [0, 0] and choice.rounds < 200_000
    _, choice = table.ask(
        table.opponent("monte_carlo", solver=False), table.game.initial(), simulations=20_000
    )
    assert choice.proven == [None, None] and choice.rounds == 20_000


@pytest.mark.parametrize("kind", ALL)
def test_a_search_beats_random_moves(kind: str) -> None:
    table, random, score = Table("connect-four(width=5,height=5)"), Random(3), 0
    for first in range(10):
        player = table.opponent(kind)
        state = table.game.initial()
        while actions := table.game.actions(state):
            if table.game.player(state) == first % 2:
                action, _ = table.ask(player, state, nodes=2000)
            else:
                action = random.choice(actions)
            state = table.game.next(state, action)
        score += table.game.outcome(state)[first % 2]
    assert score >= 8


# -- games on Python objects ----------------------------------------------------------------------


@pytest.mark.parametrize("kind", ALL)
def test_objects_and_records_are_played_alike(kind: str) -> None:
    answers = []
    for game in (Sound(), SoundObject()):
        table = Table(game, "zero")
        player = table.opponent(kind)
        choice = player.choose(table.stored(game.initial()), **enough(kind))
        rounds = choice.rounds if kind != "monte_carlo" else "by other random numbers"
        answers.append((choice.index, choice.values, choice.proven, rounds, choice.line))
        assert choice.index == 1 and choice.values[0] == 1
    assert answers[0] == answers[1]


def test_random_games_on_objects_are_not_kept() -> None:
    class Long(SoundObject):
        def initial(self) -> Any:
            return 300, 0

    table = Table(Long(), "zero")
    _, choice = table.ask(table.opponent("monte_carlo"), table.game.initial(), simulations=30)
    assert choice.rounds == 30 and isinstance(table.route, native.ObjectRoute)
    assert len(table.route.bridge.states) < 100


def test_a_python_evaluation_is_asked() -> None:
    asked = []

    def likes_the_middle(states: Any) -> Any:
        asked.append(len(states))
        return [[float(s["cells"][4] == 1), -float(s["cells"][4] == 1)] for s in states]

    table = Table("mnk", likes_the_middle)
    _, choice = table.ask(table.opponent("alpha_beta"), table.game.initial(), depth=1)
    assert choice.index == 4 and asked == [9]


# -- limits ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ALL)
def test_the_same_nodes_give_the_same_answer(kind: str) -> None:
    table = Table("hex(size=5)")

    def game() -> list[Any]:
        player = table.opponent(kind, **({"seed": 7} if kind == "monte_carlo" else {}))
        state, answers = table.game.initial(), []
        for _ in range(6):
            action, choice = table.ask(player, state, nodes=3000)
            assert choice.nodes < 3000 + 100
            answers.append((choice.index, choice.values, choice.rounds, choice.nodes, choice.line))
            state = table.game.next(state, action)
        return answers

    assert game() == game()


def test_another_seed_is_another_search() -> None:
    table = Table("hex(size=5)")
    state = table.game.initial()
    means = {
        tuple(table.ask(table.opponent("monte_carlo", seed=s), state, simulations=500)[1].values)
        for s in range(5)
    }
    assert len(means) > 1


@pytest.mark.parametrize("name", ["hex(size=9)", "connect-four", "amazons"])
@pytest.mark.parametrize("kind", ALL)
def test_the_deadline_is_kept(name: str, kind: str) -> None:
    table = Table(name)
    player, state = table.opponent(kind), table.stored(table.game.initial())
    player.choose(state, nodes=1)
    start = time.monotonic()
    choice = player.choose(state, seconds=0.1)
    assert time.monotonic() - start >= 0.1
    assert choice.stop == native.Stop.seconds


def test_rounds_are_a_limit() -> None:
    table = Table("connect-four")
    state = table.game.initial()
    assert table.ask(table.opponent("alpha_beta"), state, depth=3)[1].rounds == 3
    _, choice = table.ask(table.opponent("monte_carlo"), state, simulations=77)
    assert choice.rounds == 77 and choice.stop == native.Stop.iterations


def test_memory_is_a_limit() -> None:
    table = Table("connect-four")
    state = table.game.initial()
    for megabytes in (0, 1, 4):
        player = table.opponent("alpha_beta", table_megabytes=megabytes)
        table.ask(player, state, nodes=200_000)
        assert player.memory <= megabytes * 2**20
        tree = table.opponent("monte_carlo", megabytes=megabytes)
        _, choice = table.ask(tree, state, simulations=100_000)
        assert tree.memory <= max(megabytes * 2**20, 1000) and choice.rounds == 100_000


def test_the_tree_is_kept_between_moves() -> None:
    table = Table("connect-four")
    player = table.opponent("monte_carlo")
    state = table.game.initial()
    _, choice = table.ask(player, state, simulations=20_000)
    before = player.tree_nodes
    for index in choice.line[:2]:
        state = table.game.next(state, table.game.actions(state)[index])
    table.ask(player, state, simulations=1)
    assert 100 < player.tree_nodes < before
    table.ask(player, table.game.initial(), simulations=1)
    assert player.tree_nodes < 20


# -- interruption and failures --------------------------------------------------------------------


def while_choosing(table: Table, kind: str, do: Callable[[Any], None]) -> native.Choice:
    player = table.opponent(kind)
    timer = threading.Timer(0.2, do, (player,))
    timer.start()
    choice: native.Choice = player.choose(table.stored(table.game.initial()), seconds=600)
    timer.join()
    return choice


@pytest.mark.parametrize("kind", ["alpha_beta", "monte_carlo"])
def test_it_can_be_stopped(kind: str) -> None:
    table = Table("hex(size=9)")
    for stop in (lambda _: os.kill(os.getpid(), signal.SIGINT), lambda player: player.stop()):
        assert while_choosing(table, kind, stop).stop == native.Stop.interrupted


def test_one_thread_at_a_time() -> None:
    table = Table("hex(size=9)")
    refused = []

    def also(player: Any) -> None:
        try:
            player.choose(table.stored(table.game.initial()), nodes=1)
        except native.Busy:
            refused.append(True)
        player.stop()

    while_choosing(table, "alpha_beta", also)
    assert refused == [True]


@pytest.mark.parametrize("kind", ALL)
def test_a_broken_rule_is_explained(kind: str) -> None:
    class Raises(SoundObject):
        def next(self, state: Any, action: Any) -> Any:
            return 5 // (action - 1), 1

    for game, words in ((RaisesInNext(), "next.*ZeroDivision"), (Raises(), "next.*ZeroDivision")):
        table = Table(game, "zero")
        player = table.opponent(kind)
        with pytest.raises(RuleError, match=words), explain(table.game, table.route):
            player.choose(table.stored(table.game.initial()), seconds=5)


def test_what_cannot_be_is_refused() -> None:
    table = Table("nim(heaps=[1],players=3)")
    with pytest.raises(ValueError, match="two players"):
        table.opponent("alpha_beta")
    with pytest.raises(ValueError, match="unknown kind"):
        table.opponent("beta_alpha")
    for options in ({"playouts": 0}, {"c": -1.0}, {"c": float("nan")}, {"megabytes": -1.0}):
        with pytest.raises(ValueError, match=r"must be|not negative"):
            table.opponent("monte_carlo", **options)
    end = table.game.next(table.game.initial(), table.game.actions(table.game.initial())[0])
    for kind in table.kinds():
        player = table.opponent(kind)
        with pytest.raises(ValueError, match="the game is over"):
            player.choose(table.stored(end), nodes=10)
        with pytest.raises(ValueError, match="another size"):
            player.choose(b"", nodes=10)
    with pytest.raises(ValueError, match="needs a limit"):
        table.opponent("monte_carlo").choose(table.stored(table.game.initial()))
