# SPDX-License-Identifier: MIT
"""The solver beside a player's search: what it proves of moves is true, and is played."""

from __future__ import annotations

import random
from types import SimpleNamespace
from typing import Any

import pytest

import unbounded as ub
from unbounded.game import UsageError
from unbounded.players import read_kind
from unbounded.players.proving import Proven, ProvingMoves, _proven
from unbounded.players.searching import SearchPlayer
from unbounded.search import decisions
from unbounded.search.budget import Budget
from unbounded.testing import random_play

GAMES = ["connect-four(width=5,height=4)", "clobber(rows=4,columns=4)"]


def true_values(game: ub.Game[Any, Any], names: list[str], state: Any) -> dict[Any, int]:
    """What each action is worth to the player who moves, by solving what it leads to."""
    player, values = game.player(state), {}
    for action in game.actions(state):
        after = [*names, game.action_name(state, action)]
        outcome = ub.solve(game, moves=after).outcome
        assert outcome is not None
        values[action] = outcome[player]
    return values


@pytest.mark.parametrize("text", GAMES)
def test_what_it_says_of_moves_is_true(text: str) -> None:
    game = ub.load_game(text)
    seen = {"action": 0, "worse": 0, "lost": 0}
    for seed, states in enumerate([2, 2, 4, 8, 16, 100, 1000, 100_000]):
        play = random_play(game, seed)
        proving = ProvingMoves(game, 0.5, Budget(states=states), 1)
        names: list[str] = []
        for state, action in zip(play.states, play.actions, strict=False):
            proven = proving.run(names, None)
            values = true_values(game, names, state)
            best = max(values.values())
            if proven.outcome is not None:
                assert proven.outcome[game.player(state)] == best
                assert (proven.action is None) == (best == -1)
            if proven.action is not None:
                assert values[proven.action] == best
            # While it is open whether all moves lose, those that do are called worse.
            assert all(values[x] < max(best, 0) for x in proven.worse)
            seen["action"] += proven.action is not None
            seen["worse"] += len(proven.worse) > 0
            seen["lost"] += proven.outcome is not None and proven.action is None
            proving.see(action)
            names.append(game.action_name(state, action))
    assert min(seen.values()) > 0, seen  # else this has tested nothing


def test_moves_that_are_left_out_are_not_chosen() -> None:
    search = ub.Search("connect-four(width=4,height=4)")
    search.run(iterations=200)
    root = search.root
    for rule in ("best", "safest"):
        actions = [child.action for child in root.children]
        while actions:
            left_out = [c.action for c in root.children if c.action not in actions]
            chosen = decisions.decide(root, rule, leave_out=left_out)
            assert chosen is not None
            if not left_out:
                first = decisions.decide(root, rule)
                assert first is not None and first.action == chosen.action
            actions.remove(chosen.action)
        everything = [child.action for child in root.children]
        chosen = decisions.decide(root, rule, leave_out=everything)
        assert chosen is not None  # something has to be played


@pytest.mark.parametrize("kind", ["perfect", "ubfm(prove=0.3)", "descent(prove=0.5,threads=2)"])
def test_such_a_player_never_loses_what_is_not_lost(kind: str) -> None:
    game = ub.load_game("tic-tac-toe")
    name = kind.removesuffix(")") + (",states=4000)" if "(" in kind else "(states=4000)")
    for seed in range(4):
        player = read_kind(name).player(game, seed)
        chance, state = random.Random(seed), game.initial()
        while actions := game.actions(state):
            action = chance.choice(list(actions))
            if game.player(state) == seed % 2:
                action = player.decide().action
            player.see(action)
            state = game.next(state, action)
        assert game.outcome(state)[seed % 2] >= 0


def test_a_lost_position_is_played_by_the_search() -> None:
    # X has two lines open: whatever O does is lost, and O is told so.
    game = ub.load_game("tic-tac-toe")
    player = read_kind("perfect(states=2000)").player(game, 0)
    for cell in (0, 4, 8, 6, 2):
        player.see(cell)
    decision = player.decide()
    assert decision.outcome == (1, -1)
    assert decision.action in (1, 5), "one of the two threats is met"


class Says(ProvingMoves):
    """A solver that has been told what to say."""

    def __init__(self, player: SearchPlayer, says: Proven, stops: bool = False) -> None:
        super().__init__(player.game, 0.5, player.budget, 1)
        self.player, self.says, self.stops = player, says, stops

    def run(self, moves: list[str], seconds: float | None) -> Proven:
        if self.stops:
            self.player.stop()
        return self.says


def told(text: str, says: Proven, **more: bool) -> SearchPlayer:
    player = read_kind(text).player(ub.load_game("connect-four"), 0)
    assert isinstance(player, SearchPlayer)
    player._proving = Says(player, says, **more)
    return player


@pytest.mark.parametrize("kind", ["perfect", "ubfm", "descent"])
def test_a_player_plays_what_is_proven(kind: str) -> None:
    for move in range(7):
        player = told(f"{kind}(states=2000)", Proven((1, -1), move, work=5))
        decision = player.decide()
        assert (decision.action, decision.outcome, decision.work) == (move, (1, -1), 5)
        assert decision.value is None
        others = [other for other in range(7) if other != move]
        assert told(f"{kind}(states=2000)", Proven(worse=others)).decide().action == move


def test_a_player_whose_solver_is_told_to_stop_does_not_search_on() -> None:
    player = told("perfect(states=400000)", Proven(), stops=True)
    assert player.decide().action in range(7)
    assert player.search.states < 4000
    unhurried = told("perfect(states=400000)", Proven())
    unhurried.decide()
    assert unhurried.search.states > 100_000


def test_a_win_without_a_known_line_leaves_out_what_may_not_win() -> None:
    def child(action: int, low: int, high: int) -> Any:
        node = SimpleNamespace(outcome_bounds=((-high, -low), (low, high)))
        return SimpleNamespace(action=action, node=node)

    children = [child(3, -1, 1), child(4, -1, 0), child(5, 0, 1), child(6, -1, -1)]
    root: Any = SimpleNamespace(
        player=1, outcome=(-1, 1), resolved=True, bounded=True, proven_best=None, children=children
    )
    assert _proven(root) == Proven((-1, 1), None, [4, 6])
    root.outcome = None
    assert _proven(root) == Proven(None, None, [6])
    root.outcome = (1, -1)
    assert _proven(root) == Proven((1, -1))


def test_more_players_are_proven_too() -> None:
    game = ub.load_game("connect-four(width=4,height=3,players=3)")
    proven = ProvingMoves(game, 0.5, Budget(), 1).run([], None)
    assert proven.outcome == ub.Search(game).run().outcome, "by the paper's search alone"
    assert proven.action in range(4)


@pytest.mark.parametrize("text", ["ubfm(prove=1)", "ubfm(prove=-0.1)", "perfect(iterations=5)"])
def test_what_cannot_be_shared_out_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="prove"):
        read_kind(text)
