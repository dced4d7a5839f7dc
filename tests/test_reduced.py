# SPDX-License-Identifier: MIT
"""The optional rule `reduced`: what it may leave out, and that values are the same with it."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from coins import Coins
from without_rules import Without

import unbounded as ub
from unbounded.game import Out, RecordGame, RuleError, Rules, State
from unbounded.native.compiling import compile_game
from unbounded.testing import check_game, random_play

WITH_THE_RULE = [
    "kalah(pits=3,seeds=2)",
    "kalah(pits=2,seeds=4)",
    "kalah(pits=3,seeds=3,empty_capture=true)",
    "dots-and-boxes(rows=2,columns=2)",
    "clobber(rows=3,columns=4)",
    "clobber(rows=2,columns=5)",
]


def scores_of(game: RecordGame, most: int) -> dict[bytes, float]:
    """The first player's score in states of random games, by brute force with the plain rules."""
    known: dict[bytes, float] = {}

    def score(state: bytes) -> float:
        if state not in known:
            if len(known) >= most:
                raise OverflowError
            actions = game.actions(state)
            if actions:
                choose = max if game.player(state) == 0 else min
                known[state] = choose([score(game.next(state, action)) for action in actions])
            else:
                known[state] = float(game.score(state)[0])
        return known[state]

    for seed in range(6):
        for state in reversed(random_play(game, seed).states):
            try:
                score(state)
                left, _ = game.reduced(state)
                score(left)
            except OverflowError:
                break
    return known


@pytest.mark.parametrize("text", WITH_THE_RULE)
def test_scores_differ_by_the_lead(text: str) -> None:
    game = ub.load_game(text)
    assert isinstance(game, RecordGame) and game.uncompiled.reduced is not None
    scores, changed = scores_of(game, 4000), 0
    compiled = compile_game(game)
    for state, score in scores.items():
        if game.actions(state):
            left, lead = game.reduced(state)
            assert (left, lead) == compiled.reduced(state)
            if left in scores:
                assert score == lead + scores[left]
                assert game.player(left) == game.player(state)
                changed += left != state
    assert changed > 20  # else this has tested nothing


@pytest.mark.parametrize("exact_score", [False, True])
@pytest.mark.parametrize("text", WITH_THE_RULE)
def test_values_are_the_same_with_it(text: str, exact_score: bool) -> None:
    game, plain = ub.load_game(text), Without(text, "reduced")
    probed = [0, 0]
    for seed in range(4):
        play = random_play(game, seed)
        for length in range(0, len(play.states) - 1, max(1, len(play.states) // 4)):
            moves = [str(action) for action in play.actions[:length]]
            named = [game.action_name(*x) for x in zip(play.states, play.actions, strict=False)]
            options: Any = {"bounds": True, "probes": True, "exact_score": exact_score}
            searches = [
                ub.Search(game, moves=named[:length], **options),
                ub.Search(plain, moves=moves, **options),
            ]
            results = [search.run() for search in searches]
            assert results[0].outcome == results[1].outcome
            if exact_score:
                assert results[0].score == results[1].score
            for i, search in enumerate(searches):
                probed[i] += search.probed_states
    assert probed[0] <= 1.1 * probed[1]


def test_it_saves_states() -> None:
    text = "kalah(pits=5,seeds=3)"
    with_it, without = (
        ub.Search(Without(text, rules), bounds=True, probes=True)
        for rules in ("endgame", "endgame reduced")  # which save the same states
    )
    assert with_it.run().outcome == without.run().outcome
    assert with_it.probed_states < 0.9 * without.probed_states


class Reducing(Coins):
    """The coins that were taken do not matter for the rest of the game."""

    def __init__(self, kind: str = "right") -> None:
        super().__init__()
        self.kind = kind

    def rules(self) -> Rules:
        def fewer_win(s: State, out: Out) -> None:
            lead = s.taken[1] - s.taken[0]
            out[0] = (lead > 0) - (lead < 0)
            out[1] = -out[0]

        def reduced(s: State, t: State) -> int:
            t.taken[0] = t.taken[1] = 0
            return s.taken[0] - s.taken[1]

        def no_lead(s: State, t: State) -> int:
            t.taken[0] = t.taken[1] = 0
            return 0

        def too_much(s: State, t: State) -> int:
            t.taken[0] = t.taken[1] = 0
            t.left = s.left - s.left % 2
            return s.taken[0] - s.taken[1]

        rule = {"no_lead": no_lead, "too_much": too_much}.get(self.kind, reduced)
        rules = dataclasses.replace(super().rules(), reduced=rule)
        return dataclasses.replace(rules, outcome=fewer_win) if self.kind == "fewer_win" else rules


def test_a_right_rule_passes() -> None:
    check_game(Reducing())
    result = ub.solve(Reducing(), exact_score=True)
    assert result.score == ub.solve(Coins(), exact_score=True).score


@pytest.mark.parametrize("kind", ["no_lead", "too_much"])
def test_a_wrong_rule_is_found_by_check(kind: str) -> None:
    with pytest.raises(RuleError, match="by what reduced leaves"):
        check_game(Reducing(kind))


def test_the_higher_score_must_win() -> None:
    with pytest.raises(RuleError, match="the higher score wins"):
        ub.solve(Reducing("fewer_win"))


@pytest.mark.parametrize("text", ["horizon(kalah(pits=3,seeds=2),plies=4)", "quick-wins(kalah)"])
def test_wrappers_for_which_it_would_be_wrong_leave_it_out(text: str) -> None:
    game = ub.load_game(text)
    assert isinstance(game, RecordGame) and game.uncompiled.reduced is None
