# SPDX-License-Identifier: MIT
"""The optional rule `forced`: what it may leave out, and that values are the same with it."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

import unbounded as ub
from unbounded.game import Out, RecordGame, RuleError, Rules, State, record
from unbounded.game.board import mover_loses, player_in_turn
from unbounded.testing import check_game, random_play

WITH_THE_RULE = [
    "connect-four(width=4,height=4)",
    "connect-four(width=5,height=4,line=3)",
    "hex(size=3)",
    "hex(size=4)",
    "breakthrough(rows=5,columns=3)",
    "breakthrough(rows=4,columns=2)",
    "breakthrough(rows=4,columns=4)",
    "domineering(rows=4,columns=4)",
    "domineering(rows=4,columns=5,first=horizontal)",
    "dots-and-boxes(rows=2,columns=2)",
    "dots-and-boxes(rows=2,columns=3)",
    "kalah(pits=3,seeds=2)",
    "kalah(pits=3,seeds=3,empty_capture=true)",
]


def values_of(game: RecordGame, most: int) -> dict[bytes, int]:
    """The outcome of the mover in states of random games, by brute force, as far as that is quick.

    Independent of every search of the package: plain rules, minimax to the end of the game.
    """
    known: dict[bytes, int] = {}  # the first player's outcome

    def value(state: bytes) -> int:
        if state not in known:
            if len(known) >= most:
                raise OverflowError
            actions = game.actions(state)
            if actions:
                choose = max if game.player(state) == 0 else min
                known[state] = choose([value(game.next(state, action)) for action in actions])
            else:
                known[state] = game.outcome(state)[0]
        return known[state]

    found: dict[bytes, int] = {}
    for seed in range(6):
        for state in reversed(random_play(game, seed).states):
            try:
                found[state] = value(state)
            except OverflowError:
                break
    return {s: known[s] if game.player(s) == 0 else -known[s] for s in known if game.actions(s)}


@pytest.mark.parametrize("text", WITH_THE_RULE)
def test_what_it_lists_has_a_best_action_unless_all_lose(text: str) -> None:
    game = ub.load_game(text)
    assert isinstance(game, RecordGame) and game.uncompiled.forced is not None
    values = values_of(game, 1500)
    left_out = 0
    for state, value in values.items():
        listed = game.forced(state)
        assert set(listed) <= set(game.actions(state)) and len(set(listed)) == len(listed)
        left_out += len(listed) < len(game.actions(state))
        if value > -1:
            player = game.player(state)
            after = [game.next(state, action) for action in listed]
            seen = [_seen_by(game, player, s, values) for s in after]
            assert value in [x for x in seen if x is not None] or None in seen
    assert left_out > 5  # else this has tested nothing


def _seen_by(game: RecordGame, player: int, state: bytes, values: dict[bytes, int]) -> int | None:
    if not game.actions(state):
        return game.outcome(state)[player]
    value = values.get(state)
    return value if value is None or game.player(state) == player else -value


class Plain(RecordGame):
    """A game without its rule `forced`."""

    def __init__(self, text: str) -> None:
        inner = ub.load_game(text)
        assert isinstance(inner, RecordGame)
        self.text = text
        self.inner, self.players, self.state = inner, inner.players, inner.state
        self.max_actions, self.zero_sum = inner.max_actions, inner.zero_sum
        self.symmetries = inner.symmetries

    def rules(self) -> Rules:
        return dataclasses.replace(self.inner.rules(), forced=None)


@pytest.mark.parametrize("text", WITH_THE_RULE)
def test_values_are_the_same_with_it_and_hardly_more_states(text: str) -> None:
    game, plain = ub.load_game(text), Plain(text)
    probed = {"with": 0, "without": 0}
    for seed in range(3):
        play = random_play(game, seed)
        for length in range(0, len(play.states) - 1, max(1, len(play.states) // 4)):
            moves = [str(action) for action in play.actions[:length]]
            named = [game.action_name(*x) for x in zip(play.states, play.actions, strict=False)]
            searches = [
                ub.Search(game, moves=named[:length], bounds=True, probes=True),
                ub.Search(plain, moves=moves, bounds=True, probes=True),
            ]
            outcomes = [search.run().outcome for search in searches]
            assert outcomes[0] == outcomes[1]
            probed["with"] += searches[0].probed_states
            probed["without"] += searches[1].probed_states
    # On a very small board another order of moves may matter more.
    assert probed["with"] < 1.2 * probed["without"]


class Sticks(RecordGame):
    """Take one or two sticks; whoever cannot loses. `listed` tells what `forced` lists of them."""

    players, max_actions, zero_sum = 2, 2, True
    state = record(left="i8", turn="i8")

    def __init__(self, listed: str = "all", sticks: int = 10) -> None:
        self.listed, self.sticks = listed, sticks

    def rules(self) -> Rules:
        sticks = self.sticks

        def initial(s: State) -> None:
            s.left = sticks

        def actions(s: State, out: Out) -> int:
            out[0], out[1] = 1, 2
            return min(2, s.left)

        def take(s: State, action: int, t: State) -> None:
            t.left -= action
            t.turn = 1 - s.turn

        def right(s: State, out: Out) -> int:
            # Whoever leaves a multiple of 3 wins.
            out[0] = s.left % 3
            return min(1, s.left % 3)

        def wrong(s: State, out: Out) -> int:
            out[0] = 1
            return 1

        def foreign(s: State, out: Out) -> int:
            out[0] = 3
            return 1

        def twice(s: State, out: Out) -> int:
            out[0] = out[1] = 1
            return 2

        rules = {"all": None, "right": right, "wrong": wrong, "foreign": foreign, "twice": twice}
        return Rules(initial, player_in_turn, actions, take, mover_loses, forced=rules[self.listed])


def test_check_accepts_what_may_be_left_out() -> None:
    check_game(Sticks("right"))


@pytest.mark.parametrize(
    ("listed", "problem"),
    [
        ("wrong", r"forced leaves out 2, which does not lose, and lists \[1\]"),
        ("foreign", "forced gave 3, which is not among the actions"),
        ("twice", "forced gave an action twice"),
    ],
)
def test_check_refuses_what_is_wrong(listed: str, problem: str) -> None:
    with pytest.raises(RuleError, match=problem):
        check_game(Sticks(listed))


def test_probes_use_it() -> None:
    easy, hard = (ub.Search(Sticks(x, 100), bounds=True, probes=True) for x in ("right", "all"))
    assert easy.run().outcome == hard.run().outcome == (1, -1)
    assert easy.probed_states < hard.probed_states


def test_certificates_do_not_trust_it(tmp_path: Any) -> None:
    search = ub.Search(Sticks("wrong"), bounds=True, probes=True)
    search.run()
    assert search.root.outcome != (1, -1)  # it was believed
    path = tmp_path / "wrong.cert"
    with pytest.raises(Exception, match=r"prove|certif"):
        ub.certify(search, path)
        ub.verify(Sticks("wrong"), path)


def test_a_horizon_leaves_it_out() -> None:
    game = ub.load_game("horizon(game=connect-four(width=4,height=4),plies=6)")
    assert isinstance(game, RecordGame) and game.uncompiled.forced is None
