# SPDX-License-Identifier: MIT
"""The optional rule `endgame`: what it numbers, and that values are the same with it."""

from __future__ import annotations

import dataclasses
import itertools
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from coins import Coins
from without_rules import Without

import unbounded as ub
from unbounded.game import Out, RecordGame, RuleError, Rules, State
from unbounded.native.compiling import compile_game
from unbounded.testing import check_game, random_play

WITH_THE_RULE = [
    "kalah(pits=4,seeds=3)",
    "kalah(pits=3,seeds=5)",
    "kalah(pits=4,seeds=3,empty_capture=true)",
]


def loaded(text: str) -> RecordGame:
    game = ub.load_game(text)
    assert isinstance(game, RecordGame)
    return game


@pytest.mark.parametrize("pits", [1, 2, 3])
def test_kalah_numbers_every_layout_once(pits: int) -> None:
    game = loaded(f"kalah(pits={pits},seeds=3)")
    sizes = list(game.uncompiled.endgame_sizes)
    seeds = min(6, 6 * pits - 1)
    layouts = [x for x in itertools.product(range(seeds + 1), repeat=2 * pits) if sum(x) <= seeds]
    for turn in range(2):
        numbers: dict[int, list[int]] = {}
        for layout in layouts:
            s = game.state.zero()
            s.pits, s.turn = list(layout), turn
            s.stores = [6 * pits - sum(layout) - 1, 1]
            number, lead = game.endgame(game.state.pack(s))
            assert lead == (s.stores[0] - 1) * (1 if turn == 0 else -1)
            numbers.setdefault(sum(layout), []).append(number)
        for count, given in numbers.items():
            before = comb(count - 1 + 2 * pits, 2 * pits) if count > 0 else 0
            assert sorted(given) == list(range(before, sizes[count]))
            if count > 0:
                assert game.endgame(game.state.pack(s), sizes[seeds])[0] >= 0
                assert game.endgame(game.state.pack(s), sizes[seeds] - 1)[0] == -1
    assert sizes[: seeds + 1] == [comb(n + 2 * pits, 2 * pits) for n in range(seeds + 1)]


@pytest.mark.parametrize("text", WITH_THE_RULE)
def test_one_number_has_one_gain(text: str) -> None:
    """By brute force with the plain rules; and no action leads to a larger size."""
    game = loaded(text)
    compiled, known = compile_game(game), dict[bytes, float]()

    def score(state: bytes) -> float:
        if state not in known:
            actions = compiled.actions(state)
            if actions:
                choose = max if compiled.player(state) == 0 else min
                known[state] = choose([score(compiled.next(state, x)) for x in actions])
            else:
                known[state] = compiled.score(state)[0]
        return known[state]

    for seed in range(20):
        for state in random_play(game, seed).states:
            if sum(game.state.unpack(state).pits) <= 10:
                score(state)
    gains, seen = dict[int, float](), 0
    for state in known:
        if not compiled.actions(state):
            continue
        number, lead = game.endgame(state)
        assert (number, lead) == compiled.endgame(state)
        size = next(size for size in game.uncompiled.endgame_sizes if number < size)
        after = [compiled.next(state, action) for action in compiled.actions(state)]
        assert all(compiled.endgame(x)[0] < size for x in after if compiled.actions(x))
        gain = (1 if game.player(state) == 0 else -1) * known[state] - lead
        seen += number in gains
        assert gains.setdefault(number, gain) == gain
    assert len(gains) > 100 and seen > 100  # else this has tested nothing


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("exact_score", [False, True])
@pytest.mark.parametrize("text", WITH_THE_RULE)
def test_values_are_the_same_with_it(text: str, exact_score: bool, threads: int) -> None:
    game, plain, numbered = loaded(text), Without(text, "endgame"), 0
    for seed in range(3):
        play = random_play(game, seed)
        for length in range(0, min(8, len(play.states) - 1), 2):
            moves = play.actions[:length]
            named = [game.action_name(*x) for x in zip(play.states, moves, strict=False)]
            options: Any = {"bounds": True, "probes": True, "exact_score": exact_score}
            with_it = ub.Search(game, moves=named, threads=threads, **options)
            without = ub.Search(plain, moves=[str(x) for x in moves], **options)
            first, second = with_it.run(), without.run()
            assert first.outcome == second.outcome
            if exact_score:
                assert first.score == second.score
            numbered += with_it.probed_states > 1 << 13
    assert numbered > 0  # else no score was looked up


def test_it_saves_states() -> None:
    text = "kalah(pits=4,seeds=5)"
    with_it, without = (
        ub.Search(game, bounds=True, probes=True, exact_score=True)
        for game in (loaded(text), Without(text, "endgame"))
    )
    assert with_it.run().score == without.run().score == (4, -4)
    assert with_it.probed_states < 0.7 * without.probed_states


def test_a_search_that_was_saved_goes_on_in_the_same_way(tmp_path: Path) -> None:
    """Scores that were looked up are not saved: they are found again, and nothing else differs."""
    game = loaded("kalah(pits=4,seeds=5)")

    def fresh() -> ub.Search[Any, Any]:
        return ub.Search(game, bounds=True, probes=True, exact_score=True)

    whole, half = fresh(), fresh()
    whole.run()
    half.run(iterations=10)
    assert half.probed_states > 1 << 13  # else no score was looked up by then
    half.save(tmp_path / "half")
    resumed = ub.Search.load(tmp_path / "half")
    resumed.run()
    assert (resumed.iterations, resumed.states) == (whole.iterations, whole.states)
    assert resumed.root.score == whole.root.score == (4, -4)


class Numbering(Coins):
    """What is left of the game is the coins that are left."""

    def __init__(self, kind: str = "right") -> None:
        super().__init__(60)
        self.kind = kind

    def rules(self) -> Rules:
        def endgame(s: State, most: int, out: Out) -> int:
            out[0] = s.taken[s.turn] - s.taken[1 - s.turn]
            return s.left

        def no_lead(s: State, most: int, out: Out) -> int:
            return s.left

        def first_players_lead(s: State, most: int, out: Out) -> int:
            out[0] = s.taken[0] - s.taken[1]
            return s.left

        def too_few(s: State, most: int, out: Out) -> int:
            out[0] = s.taken[s.turn] - s.taken[1 - s.turn]
            return s.left - s.left % 2

        def far_first(s: State, most: int, out: Out) -> int:
            out[0] = s.taken[s.turn] - s.taken[1 - s.turn]
            return 60 - s.left

        def hides(s: State, most: int, out: Out) -> int:
            out[0] = s.taken[s.turn] - s.taken[1 - s.turn]
            left: int = s.left
            return left if left + 1 < most else -1

        named = {
            "hides": hides,
            "no_lead": no_lead,
            "first_players_lead": first_players_lead,
            "too_few": too_few,
            "far_first": far_first,
        }
        sizes: dict[str, Any] = {
            "falling": (5, 4),
            "none": (),
            "too_large": (5, 2**31),
            "array": np.arange(1, 62),
        }
        return dataclasses.replace(
            super().rules(),
            endgame=None if self.kind == "no_rule" else named.get(self.kind, endgame),
            endgame_sizes=sizes.get(self.kind, range(1, 62)),
        )


def test_a_right_rule_passes() -> None:
    check_game(Numbering())


@pytest.mark.parametrize(
    ("kind", "says"),
    [
        ("no_lead", "to two states"),
        ("first_players_lead", "to two states"),
        ("too_few", "to two states"),
        ("hides", "are wanted"),
        ("far_first", "but an action leads to"),
        ("falling", "endgame_sizes are"),
        ("none", "endgame_sizes are"),
    ],
)
def test_a_wrong_rule_is_found_by_check(kind: str, says: str) -> None:
    with pytest.raises(RuleError, match=says):
        check_game(Numbering(kind))


@pytest.mark.parametrize("kind", ["falling", "none", "no_rule", "too_large"])
def test_sizes_that_are_none_are_refused_by_solve(kind: str) -> None:
    with pytest.raises(RuleError, match="endgame_sizes are"):
        ub.solve(Numbering(kind))


def test_sizes_may_be_an_array() -> None:
    check_game(Numbering("array"))
    assert ub.solve(Numbering("array")).outcome == ub.solve(Coins(60)).outcome


@pytest.mark.parametrize(
    "text",
    ["horizon(kalah(pits=3,seeds=2),plies=4)", "quick-wins(kalah)", "unfolded(kalah)"],
)
def test_wrappers_for_which_it_would_be_wrong_leave_it_out(text: str) -> None:
    rules = loaded(text).uncompiled
    assert rules.endgame is None and rules.endgame_sizes == ()
