# SPDX-License-Identifier: MIT
"""Canonical states: the same up to symmetry is the same, exactly, and lines are in real moves."""

from __future__ import annotations

from typing import Any

import pytest
from lockstep import Lockstep

import unbounded as ub
from unbounded import reference
from unbounded.game import Game, RecordGame, Rules, record
from unbounded.native import images


class Quotient(Game[Any, Any]):
    """A game on the smallest images of its states: what canonical states should be."""

    def __init__(self, game: Game[Any, Any]) -> None:
        self.game, self.players, self.zero_sum = game, game.players, game.zero_sum
        self.best_score = game.best_scores

    def smallest(self, state: Any) -> Any:
        return min(images(self.game, state))

    def initial(self) -> Any:
        return self.smallest(self.game.initial())

    def player(self, state: Any) -> int:
        return self.game.player(state)

    def actions(self, state: Any) -> Any:
        return self.game.actions(state)

    def next(self, state: Any, action: Any) -> Any:
        return self.smallest(self.game.next(state, action))

    def outcome(self, state: Any) -> Any:
        return self.game.outcome(state)

    def score(self, state: Any) -> Any:
        return self.game.score(state)

    def evaluate(self, state: Any) -> Any:
        return self.game.evaluate(state)


class CanonicalLockstep(Lockstep):
    """The core with canonical states beside the reference on the quotient."""

    def __init__(self, game: Game[Any, Any], **options: Any) -> None:
        self.ours = ub.Search(game, canonical=True, **options)
        self.cut = ub.Search(game, canonical=True, hash_bits=4, **options)
        evaluate = game.evaluate if self.ours.options.evaluation == "heuristic" else None
        self.theirs = reference.Search(Quotient(game), evaluate=evaluate, **options)
        self.compare_all()


GAMES = [
    "tic-tac-toe",
    "connect-four(width=4,height=3)",
    "connect-four(width=3,height=3,players=3)",
    "mnk(rows=2,columns=3,line=2)",
    "mnk(rows=3,columns=3,players=3)",
]


@pytest.mark.parametrize("text", GAMES)
def test_the_core_is_the_reference_on_the_quotient(text: str) -> None:
    game = ub.load_game(text)
    assert game.symmetries > 1
    values = "minimax" if game.zero_sum else "resolved_completion"
    for algorithm in ("ubfm", "descent"):
        CanonicalLockstep(game, algorithm=algorithm, values=values).finish(most=120)


@pytest.mark.parametrize("text", GAMES)
def test_same_outcome_with_fewer_states(text: str) -> None:
    with_symmetry = ub.solve(text, bounds=False)
    without = ub.solve(text, canonical=False, bounds=False)
    assert with_symmetry.outcome == without.outcome
    assert with_symmetry.states < without.states
    assert with_symmetry.options.canonical
    assert not without.options.canonical


def test_lines_are_in_real_moves() -> None:
    search = ub.Search("tic-tac-toe", canonical=True)
    search.run()
    game, state = search.game, search.game.initial()
    line = search.result.pv
    for move in line:
        state = game.next(state, game.parse_action(state, move))
    assert len(line) == 9
    assert list(game.outcome(state)) == [0, 0]
    # The corners are one action up to symmetry: they share node and numbers, not names.
    corners = [c for c in search.root.children if c.name in ("a1", "a3", "c1", "c3")]
    assert len({c.node.number for c in corners}) == 1
    assert len({c.node.state for c in corners}) == 4


def test_playing_on_keeps_the_real_position() -> None:
    search = ub.Search("tic-tac-toe", canonical=True)
    search.run()
    stored = search.result.states
    for move in ("c3", "b2", "a1"):
        search.play(move)
    assert search.result.states == stored, "every position is known up to symmetry"
    assert search.game.show(search.root.state) == search.game.show(search.state)
    assert "c3" not in [c.name for c in search.root.children]
    assert search.run().outcome == (0, 0)


def test_paper_mode_knows_no_symmetry() -> None:
    assert not ub.solve("tic-tac-toe", paper=True).options.canonical


class Pair(Game[tuple[int, int], int]):
    """Two heaps, on Python objects; swapping the heaps changes nothing."""

    symmetries = 2
    zero_sum = True

    def initial(self) -> tuple[int, int]:
        return (3, 4)

    def player(self, state: tuple[int, int]) -> int:
        return sum(state) % 2

    def actions(self, state: tuple[int, int]) -> list[int]:
        return [heap for heap in (0, 1) if state[heap] > 0]

    def next(self, state: tuple[int, int], action: int) -> tuple[int, int]:
        return (state[0] - 1, state[1]) if action == 0 else (state[0], state[1] - 1)

    def outcome(self, state: tuple[int, int]) -> list[int]:
        return [1, -1]

    def symmetry(self, state: tuple[int, int], k: int) -> tuple[int, int]:
        return (state[1], state[0]) if k else state


def test_games_on_objects() -> None:
    plain = ub.solve(Pair(), canonical=False)
    canonical = ub.solve(Pair())
    assert plain.outcome == canonical.outcome == (1, -1)
    assert canonical.states < plain.states


class Raising(RecordGame):
    """A symmetry that fails."""

    state = record(left="i8", turn="i8")
    max_actions, symmetries, zero_sum = 1, 2, True

    def rules(self) -> Rules:
        def initial(s: Any) -> None:
            s.left = 3

        def player(s: Any) -> Any:
            return s.turn

        def actions(s: Any, out: Any) -> Any:
            return 1 if s.left > 0 else 0

        def take(s: Any, action: int, t: Any) -> None:
            t.left = s.left - 1

        def outcome(s: Any, out: Any) -> None:
            out[0], out[1] = 1, -1

        def symmetry(s: Any, k: int, t: Any) -> None:
            if s.left == 1:
                t.left = 1 // (s.left - 1)

        return Rules(initial, player, actions, take, outcome, symmetry=symmetry)


def test_a_broken_symmetry_is_named() -> None:
    with pytest.raises(ub.RuleError, match=r"symmetry\(left=1, turn=0.*ZeroDivisionError"):
        ub.solve(Raising())
