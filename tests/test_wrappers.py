# SPDX-License-Identifier: MIT
from __future__ import annotations

import itertools
import math
import struct
from collections.abc import Sequence
from typing import Any

import pytest

from unbounded.catalogue import game
from unbounded.game import Game, Out, RecordGame, Rules, State, UsageError, record
from unbounded.games.connect_four import ConnectFour
from unbounded.games.nim import Nim
from unbounded.testing import check_game, check_tie_breaking, random_play
from unbounded.wrappers import Horizon, TieBreaking, horizon

AnyGame = Game[Any, Any]


class Circle(RecordGame):
    """Go round a circle of five places, either way; the first player wants to be cut at 0."""

    max_actions = 2
    state = record(place="i8")
    zero_sum = True
    best_score = (-3.0, 5.0)

    def __init__(self, winning: bool = False) -> None:
        self.winning = winning

    def rules(self) -> Rules:
        winning = self.winning

        def initial(s: State) -> None:
            s.place = 0

        def player(s: State) -> int:
            return 0

        def actions(s: State, out: Out) -> int:
            out[0], out[1] = 1, 4
            return 2

        def go(s: State, action: int, t: State) -> None:
            t.place = (s.place + action) % 5

        def outcome(s: State, out: Out) -> None:
            out[0] = 0

        def score(s: State, out: Out) -> None:
            out[0], out[1] = -3.0, 3.0

        def best_score_from(s: State, out: Out) -> None:
            out[0], out[1] = -3.0, 3.0

        def outcome_at_horizon(s: State, out: Out) -> None:
            out[0] = 1 if s.place == 0 else -1
            out[1] = -out[0]

        return Rules(
            initial,
            player,
            actions,
            go,
            outcome,
            score=score,
            best_score_from=best_score_from,
            outcome_at_horizon=outcome_at_horizon if winning else None,
        )


class ObjectCircle(Game[int, int]):
    """The same, with a place as state."""

    zero_sum = True

    def initial(self) -> int:
        return 0

    def player(self, state: int) -> int:
        return 0

    def actions(self, state: int) -> Sequence[int]:
        return (1, 4)

    def next(self, state: int, action: int) -> int:
        return (state + action) % 5

    def outcome_at_horizon(self, state: int) -> Sequence[int]:
        return (1, -1) if state == 0 else (-1, 1)


class Vote(Game[Any, Any]):
    """Each player in turn picks an outcome for himself; every vector of outcomes can happen."""

    def __init__(self, players: int = 3, scored: bool = False) -> None:
        self.players, self.scored = players, scored

    def initial(self) -> Any:
        return ()

    def player(self, state: Any) -> int:
        return len(state)

    def actions(self, state: Any) -> Sequence[int]:
        return (-1, 0, 1) if len(state) < self.players else ()

    def next(self, state: Any, action: int) -> Any:
        return (*state, action)

    def outcome(self, state: Any) -> Sequence[int]:
        return tuple(state)

    def score(self, state: Any) -> Sequence[float]:
        return [10.0 * x if self.scored else float(x) for x in state]

    @property
    def has_score(self) -> bool:
        return self.scored


# -- horizon --------------------------------------------------------------------------------------


def test_a_horizon_cuts_and_counts() -> None:
    cut = horizon(ConnectFour(4, 4), 5)
    assert isinstance(cut, Horizon)
    assert isinstance(cut, RecordGame)
    assert str(cut) == "horizon(game=connect-four(width=4,height=4),plies=5)"
    assert cut.zero_sum
    play = random_play(cut, 1)
    assert len(play.actions) == 5
    assert list(cut.outcome(play.states[-1])) == [0, 0]
    assert cut.show(play.states[2]).endswith("X to move\nmove 2 of 5")
    assert cut.action_name(play.states[0], 2) == "3"
    assert cut.parse_action(play.states[0], "3") == 2
    with pytest.raises(UsageError, match="illegal move '5'"):
        cut.parse_action(play.states[0], "5")
    with pytest.raises(UsageError, match="the game is over"):
        cut.parse_action(play.states[-1], "3")
    assert cut.evaluate(play.states[0]) == ConnectFour(4, 4).evaluate(ConnectFour(4, 4).initial())


@pytest.mark.parametrize("plies", [1, 2, 3, 9])
def test_an_end_at_the_horizon_keeps_its_outcome(plies: int) -> None:
    cut = horizon(Nim([plies], most=1), plies)
    end = random_play(cut).states[-1]
    winner = (plies - 1) % 2
    assert list(cut.outcome(end)) == ([1, -1] if winner == 0 else [-1, 1])


def test_a_horizon_beyond_the_end_changes_nothing() -> None:
    inner, cut = game("tic-tac-toe"), game("horizon(tic-tac-toe,40000)")
    assert isinstance(cut, RecordGame)
    for seed in range(10):
        a, b = random_play(inner, seed), random_play(cut, seed)
        assert a.actions == b.actions
        assert list(inner.outcome(a.states[-1])) == list(cut.outcome(b.states[-1]))
    assert cut.state.fields[-1].type == "i32"


@pytest.mark.parametrize("winning", [False, True])
@pytest.mark.parametrize("compiled", [False, True])
def test_a_cyclic_game_becomes_acyclic(winning: bool, compiled: bool) -> None:
    cut = Horizon(Circle(winning), 6)
    report = check_game(cut, games=20, compiled=compiled)
    assert report.longest == 6
    assert report.warnings == ()
    assert set(report.outcomes) == ({(1, -1), (-1, 1)} if winning else {(0, 0)})


def test_scores_and_bounds_at_the_horizon() -> None:
    cut, draw = Horizon(Circle(winning=True), 2), Horizon(Circle(), 2)
    assert cut.best_score == (1.0, 5.0)
    assert draw.best_score == (0.0, 5.0)
    assert list(cut.best_score_from(cut.initial())) == [1.0, 3.0]
    assert list(draw.best_score_from(draw.initial())) == [0.0, 3.0]
    back = cut.next(cut.next(cut.initial(), 1), 4)
    away = cut.next(cut.next(cut.initial(), 1), 1)
    assert (list(cut.outcome(back)), list(cut.score(back))) == ([1, -1], [1.0, -1.0])
    assert (list(cut.outcome(away)), list(cut.score(away))) == ([-1, 1], [-1.0, 1.0])


def test_horizons_in_horizons() -> None:
    cut = horizon(horizon(Circle(winning=True), 9), 4)
    assert isinstance(cut, RecordGame)
    assert [f.name for f in cut.state.fields] == ["place", "ply", "ply0"]
    assert check_game(cut, games=5, compiled=False).longest == 4
    assert check_game(horizon(cut, 7), games=5, compiled=False).longest == 4


def test_object_games_get_a_horizon_too() -> None:
    cut, twin = horizon(ObjectCircle(), 6), horizon(Circle(winning=True), 6)
    assert not isinstance(cut, RecordGame)
    assert isinstance(cut, Horizon)
    for seed in range(20):
        a, b = random_play(cut, seed), random_play(twin, seed)
        assert a.actions == b.actions
        assert list(cut.outcome(a.states[-1])) == list(twin.outcome(b.states[-1]))
    report = check_game(cut, games=10)
    assert report.longest == 6
    assert report.warnings == ()
    assert check_game(horizon(game("graph"), 1), games=10).longest == 1


@pytest.mark.parametrize("plies", [0, -1, 2**31, 1.5, True, "3", None])
def test_nonsense_horizons_are_refused(plies: Any) -> None:
    with pytest.raises(UsageError, match="plies must be an integer from 1"):
        horizon(Nim(), plies)
    with pytest.raises(UsageError, match="plies must be an integer from 1"):
        horizon(Vote(), plies)


@pytest.mark.parametrize("inner", [None, "nim", 3, Nim])
def test_a_horizon_needs_a_game(inner: Any) -> None:
    for wrapper in (Horizon, TieBreaking):
        with pytest.raises(UsageError, match="game must be a game"):
            wrapper(inner, 3)


# -- ties -----------------------------------------------------------------------------------------


def ends(rules: AnyGame) -> list[Any]:
    layer, found = {rules.initial()}, []
    while layer:
        found += [s for s in layer if not rules.actions(s)]
        layer = {rules.next(s, a) for s in layer for a in rules.actions(s)}
    return found


@pytest.mark.parametrize("players", [1, 2, 3, 5, 7])
def test_outcomes_of_any_number_of_players_are_told_apart(players: int) -> None:
    inner = Vote(players)
    unique = TieBreaking(inner)
    assert (check_tie_breaking(inner).tie_breaking is True) == (players == 1)
    assert check_tie_breaking(unique).tie_breaking is True
    assert unique.has_score
    assert unique.best_score is not None
    for end in ends(unique):
        for score, best in zip(unique.score(end), unique.best_score, strict=True):
            assert score <= best


def test_twelve_players_are_told_apart_exactly() -> None:
    unique = TieBreaking(Vote(12))
    largest = [unique.score((x,) * 12)[0] for x in (-1, 0, 1)]
    assert largest == sorted(largest)
    for vectors in (((0,) * 12, (0,) * 11 + (1,)), ((1,) * 12, (1,) + (1,) * 10 + (0,))):
        a, b = (unique.score(v)[0] for v in vectors)
        assert a != b
        assert all(struct.unpack("f", struct.pack("f", x))[0] == x for x in (a, b))
    with pytest.raises(UsageError, match="at most 12 players"):
        TieBreaking(Vote(13))


def test_the_order_of_outcomes_stays() -> None:
    unique = TieBreaking(Vote(4))
    scored = [(end, unique.score(end)) for end in ends(unique)]
    for (a, x), (b, y) in itertools.product(scored, repeat=2):
        for who in range(4):
            if a[who] > b[who]:
                assert x[who] > y[who]


def test_to_win_alone_is_best_and_the_bound_is_reached() -> None:
    unique = TieBreaking(game("mnk(players=3)"))
    assert unique.best_score is not None
    best = [max(scores) for scores in zip(*(unique.score(e) for e in ends(unique)), strict=True)]
    assert best == list(unique.best_score)


def test_zero_sum_games_stay_as_they_are() -> None:
    inner = game("connect-four(4,4)")
    unique = TieBreaking(inner)
    assert unique.zero_sum
    assert not unique.has_score
    end = random_play(unique).states[-1]
    assert list(unique.score(end)) == list(inner.score(end))
    assert unique.best_scores == inner.best_scores
    graph = TieBreaking(game("graph"))
    assert [graph.score(e) for e in ends(graph)] == [graph.game.score(e) for e in ends(graph)]


def test_scores_of_ones_own_lose_less_than_half_a_step() -> None:
    inner = Vote(4, scored=True)
    unique = TieBreaking(inner, step=10)
    assert check_tie_breaking(inner).tie_breaking is False
    assert check_tie_breaking(unique).tie_breaking is True
    for end in ends(inner):
        for before, after in zip(inner.score(end), unique.score(end), strict=True):
            assert 0 <= before - after < 5
    assert unique.best_score is None
    assert str(unique) == "tie-breaking(game=vote(players=4,scored=true),step=10.0)"


class Auction(RecordGame):
    """Three players bid 0, 1 or 2 in turn; a bid is a score, the sum decides who wins."""

    players = 3
    max_actions = 3
    state = record(bids="i8[3]", made="i8")
    best_score = (2.5, 2.5, 2.5)

    def rules(self) -> Rules:
        def initial(s: State) -> None:
            s.made = 0

        def player(s: State) -> int:
            made: int = s.made
            return made

        def actions(s: State, out: Out) -> int:
            for bid in range(3):
                out[bid] = bid
            return 3 if s.made < 3 else 0

        def offer(s: State, action: int, t: State) -> None:
            t.bids[s.made] = action
            t.made = s.made + 1

        def outcome(s: State, out: Out) -> None:
            for who in range(3):
                out[who] = 1 if (s.bids[0] + s.bids[1] + s.bids[2]) % 3 == who else -1

        def score(s: State, out: Out) -> None:
            for who in range(3):
                out[who] = s.bids[who] + 0.5

        return Rules(initial, player, actions, offer, outcome, score=score)


def test_wrapped_records_are_the_same_compiled() -> None:
    pytest.importorskip("numba")
    unique = TieBreaking(Auction())
    report = check_game(unique, games=10)
    assert report.compiled
    assert report.ties.tie_breaking is True
    assert check_tie_breaking(Auction()).tie_breaking is False
    assert unique.best_score == (2.5, 2.5, 2.5)


@pytest.mark.parametrize("step", [0, -1.0, math.inf, math.nan, True, "1", None])
def test_nonsense_steps_are_refused(step: Any) -> None:
    with pytest.raises(UsageError, match="step must be a number greater than 0"):
        TieBreaking(Vote(), step)
