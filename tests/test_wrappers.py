# SPDX-License-Identifier: MIT
from __future__ import annotations

import functools
import itertools
import math
import pkgutil
import struct
from collections.abc import Sequence
from typing import Any

import pytest

import unbounded as ub
from unbounded.game import (
    Game,
    Out,
    RecordGame,
    RuleError,
    Rules,
    State,
    UsageError,
    record,
    wrappers,
)
from unbounded.game.catalogue import games, load_game
from unbounded.game.wrappers import Horizon, QuickWins, TieBreaking, Unfolded, horizon
from unbounded.games.connect_four import ConnectFour
from unbounded.games.nim import Nim
from unbounded.solving.strong import solve_all
from unbounded.testing import check_game, check_tie_breaking, perft, random_graph, random_play

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


class Pair(Game[tuple[int, int], int]):
    """Two heaps, on Python objects; swapping them changes nothing, nor does renaming players."""

    symmetries, zero_sum, symbols, planes = 2, True, "XO", (1, 1, 2)

    def initial(self) -> tuple[int, int]:
        return (2, 3)

    def player(self, state: tuple[int, int]) -> int:
        return (5 - sum(state)) % 2

    def actions(self, state: tuple[int, int]) -> list[int]:
        return [heap for heap in (0, 1) if state[heap] > 0]

    def next(self, state: tuple[int, int], action: int) -> tuple[int, int]:
        return (state[0] - 1, state[1]) if action == 0 else (state[0], state[1] - 1)

    def outcome(self, state: tuple[int, int]) -> list[int]:
        return [1, -1]

    def symmetry(self, state: tuple[int, int], k: int) -> tuple[int, int]:
        return (state[1], state[0]) if k else state

    def encode(self, state: tuple[int, int]) -> list[float]:
        return [float(x) for x in state]


# -- how they are made ----------------------------------------------------------------------------


def test_each_file_of_the_package_is_one_wrapper_and_is_found() -> None:
    files = {module.name.replace("_", "-") for module in pkgutil.iter_modules(wrappers.__path__)}
    home = f"{wrappers.__name__}."
    assert files == {name for name, cls in games().items() if cls.__module__.startswith(home)}
    assert files >= {"horizon", "quick-wins", "start", "tie-breaking", "unfolded"}
    others = {"unfolded": "unfolded(nim)", "start": "start(tic-tac-toe,X...O....)"}
    for name in files:
        assert games()[name].game_name() == name
        assert load_game(others.get(name, f"{name}(nim,3)")).players == 2


class Named(RecordGame):
    """Count by 100 in a field of one byte, which is read and written by name."""

    max_actions = 1
    state = record(number="i8", places="i16[2]")

    def rules(self) -> Rules:
        number, places = "number", "places"

        def initial(s: State) -> None:
            setattr(s, number, -128)

        def player(s: State) -> int:
            return 0

        def actions(s: State, out: Out) -> int:
            return 1

        def add(s: State, action: int, t: State) -> None:
            setattr(t, number, getattr(s, number) + 100)
            getattr(t, places)[1] = getattr(s, places)[1] + getattr(s, number)

        def outcome(s: State, out: Out) -> None:
            pass

        return Rules(initial, player, actions, add, outcome)


def test_rules_read_and_write_fields_by_name() -> None:
    pytest.importorskip("numba")
    from unbounded.native.compiling import compile_game

    plain, compiled = Named(), compile_game(Named())
    state, after = plain.initial(), compiled.initial()
    for _ in range(2):
        assert after == state
        state, after = plain.next(state, 0), compiled.next(after, 0)
    assert state == after == struct.pack("<bhh", 72, 0, -156)
    for game in (plain, compiled):
        with pytest.raises(RuleError, match="172 does not fit field 'number'"):
            game.next(state, 0)


# -- what wrappers leave as it is -----------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "horizon(tic-tac-toe,7)",
        "tie-breaking(tic-tac-toe)",
        "tie-breaking(mnk(players=3))",
        "quick-wins(tic-tac-toe,9)",
        "quick-wins(mnk(players=3))",
        "horizon(quick-wins(connect-four(width=4,height=4),9),8)",
    ],
)
def test_boards_look_the_same_inside_and_outside(text: str) -> None:
    outer = load_game(text)
    assert isinstance(outer, RecordGame)
    inner = outer.game  # type: ignore[attr-defined]
    while isinstance(inner, (Horizon, QuickWins, TieBreaking)):
        inner = inner.game
    size = inner.state.size
    assert (outer.symmetries, outer.planes, outer.symbols) == (
        inner.symmetries, inner.planes, inner.symbols,
    )  # fmt: skip
    assert outer.player_name(1) == inner.player_name(1) == "player 2 (O)"
    renamable = outer.has_relabeling
    assert renamable == ("tie-breaking(mnk" not in text), "a code that depends on who is who"
    for state in random_play(outer, 3).states:
        board, more = state[:size], state[size:]
        assert list(outer.encode(state)) == list(inner.encode(board))
        assert outer.svg(state) == inner.svg(board)
        for action in outer.actions(state):
            assert outer.places(state, action) == inner.places(board, action) != []
        for k in range(inner.symmetries):
            assert outer.symmetry(state, k) == inner.symmetry(board, k) + more
        for k in range(inner.players if renamable else 0):
            assert outer.relabel(state, k) == inner.relabel(board, k) + more


@pytest.mark.parametrize("text", ["horizon(mnk(2,3,2),4)", "quick-wins(mnk(2,3,2),6)"])
def test_images_in_wrappers_are_the_same_game(text: str) -> None:
    rules = load_game(text)
    for seed in range(5):
        for state in random_play(rules, seed).states:
            images = [rules.symmetry(state, k) for k in range(rules.symmetries)]
            images += [rules.relabel(state, 1)]
            for image in images:
                k = image == images[-1]
                if not rules.actions(state):
                    assert list(rules.score(image))[:: -1 if k else 1] == list(rules.score(state))
                    assert not rules.actions(image)
                else:
                    assert rules.player(image) == (rules.player(state) + k) % 2
                    below = {rules.next(image, a) for a in rules.actions(image)}
                    assert len(below) == len(rules.actions(state))


@pytest.mark.parametrize(
    "text", ["tic-tac-toe", "horizon(tic-tac-toe,7)", "quick-wins(tic-tac-toe)"]
)
def test_wrapped_games_are_solved_with_their_symmetries(text: str) -> None:
    # Without probes, which store next to nothing either way.
    with_symmetry, without = (
        ub.solve(text, canonical=canonical, probes=False) for canonical in (None, False)
    )
    assert with_symmetry.options.canonical
    assert with_symmetry.outcome == without.outcome == (0, 0)
    assert with_symmetry.states < without.states / 2


def test_object_games_keep_their_symmetries_too() -> None:
    for wrapped in (Horizon(Pair(), 9), QuickWins(Pair(), 9)):
        state = wrapped.next(wrapped.initial(), 0)
        assert wrapped.symmetries == 2
        assert wrapped.symmetry(state, 1) == ((3, 1), 1)
        assert wrapped.encode(state) == [1.0, 3.0]
        assert wrapped.player_name(0) == "player 1 (X)"
        assert not wrapped.has_relabeling
        assert ub.solve(wrapped).outcome == (1, -1)
    unchanged = TieBreaking(Pair())
    assert unchanged.symmetry((1, 3), 1) == (3, 1)


def test_players_whose_ties_are_broken_are_not_renamed() -> None:
    unique = TieBreaking(Vote())
    assert not unique.has_relabeling
    with pytest.raises(NotImplementedError):
        unique.relabel((), 1)
    assert TieBreaking(ConnectFour()).has_relabeling
    ends = ((1, -1, -1), (-1, 1, -1))
    first, second = (unique.score(end)[who] for who, end in enumerate(ends))
    assert first != second


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
    inner, cut = load_game("tic-tac-toe"), load_game("horizon(tic-tac-toe,40000)")
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
    assert check_game(horizon(load_game("graph"), 1), games=10).longest == 1


@pytest.mark.parametrize("plies", [0, -1, 2**31, 1.5, True, "3", None])
def test_nonsense_horizons_are_refused(plies: Any) -> None:
    with pytest.raises(UsageError, match="plies must be an integer from 1"):
        horizon(Nim(), plies)
    with pytest.raises(UsageError, match="plies must be an integer from 1"):
        horizon(Vote(), plies)


@pytest.mark.parametrize("inner", [None, "nim", 3, Nim])
def test_a_horizon_needs_a_game(inner: Any) -> None:
    for wrapper in (Horizon, QuickWins, TieBreaking):
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
    unique = TieBreaking(load_game("mnk(players=3)"))
    assert unique.best_score is not None
    best = [max(scores) for scores in zip(*(unique.score(e) for e in ends(unique)), strict=True)]
    assert best == list(unique.best_score)


def test_zero_sum_games_stay_as_they_are() -> None:
    inner = load_game("connect-four(4,4)")
    unique = TieBreaking(inner)
    assert unique.zero_sum
    assert not unique.has_score
    end = random_play(unique).states[-1]
    assert list(unique.score(end)) == list(inner.score(end))
    assert unique.best_scores == inner.best_scores
    graph = TieBreaking(load_game("graph"))
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


# -- quick wins -----------------------------------------------------------------------------------


def test_quick_wins_are_worth_more_and_slow_losses_too() -> None:
    quick = QuickWins(Nim([4], most=2), plies=8)
    assert isinstance(quick, RecordGame)
    assert str(quick) == "quick-wins(game=nim(heaps=[4],most=2),plies=8)"
    assert str(load_game(str(quick))) == str(quick)

    def score_after(*takings: int) -> list[float]:
        state = quick.initial()
        for taken in takings:
            state = quick.next(state, taken - 1)
        assert not quick.actions(state)
        return list(quick.score(state))

    assert score_after(2, 2) == [-1.375, 1.375]
    assert score_after(1, 1, 2) == [1.3125, -1.3125]
    assert score_after(1, 1, 1, 1) == [-1.25, 1.25]
    assert quick.best_score == (1.5, 1.5)
    assert list(quick.best_score_from(quick.initial())) == [1 + 7 / 16] * 2


def test_draws_and_late_ends_get_no_bonus() -> None:
    quick, late = (
        load_game("quick-wins(tic-tac-toe)"),
        QuickWins(Nim([5], most=1), plies=3, bonus=2),
    )
    draw = next(p for p in (random_play(quick, s) for s in range(99)) if len(p.actions) == 9)
    outcome = list(quick.outcome(draw.states[-1]))
    expected = [x * (1 + 0.5 * (1 - 9 / 1000)) for x in outcome]
    assert list(quick.score(draw.states[-1])) == pytest.approx(expected)
    end = random_play(late).states[-1]
    assert list(late.score(end)) == [1.0, -1.0]
    assert late.show(end).endswith("\nmove 3 or later"), "no more states than scores"
    assert late.show(late.initial()).endswith("\nmove 0")


@pytest.mark.parametrize(
    ("text", "moves"),
    [
        ("nim(heaps=[7],most=3)", 3),  # the winner takes 3, and then what is left of 4
        ("nim(heaps=[8],most=3)", 4),
        ("nim(heaps=[3])", 1),
        ("connect-four(width=4,height=3,line=3)", 9),
        ("mnk(columns=4)", 7),
    ],
)
def test_best_play_is_as_quick_as_possible(text: str, moves: int) -> None:
    """The number of moves is that of a plain search for the quickest win and the slowest loss."""
    inner = load_game(text)

    @functools.cache
    def plain(state: Any) -> tuple[int, int]:
        # (outcome of the mover, moves to the end), the quickest win or the slowest loss
        actions = inner.actions(state)
        if not actions:
            return inner.outcome(state)[inner.player(state)], 0
        values = [plain(inner.next(state, a)) for a in actions]
        turned = [(-outcome, -outcome * -(n + 1)) for outcome, n in values]
        outcome, rank = max(turned)
        return outcome, abs(rank)

    assert plain(inner.initial())[1] == moves
    options = {"values": "resolved_completion", "local_maximum": True}
    result = ub.solve(QuickWins(inner, plies=64), **options)
    assert result.resolved
    won = result.outcome[0]
    assert result.score[0] == won * (1 + 0.5 * (1 - moves / 64))
    assert len(result.pv) == moves


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize(
    "text", ["quick-wins(nim,5)", "quick-wins(mnk(players=3),9,0.25)", "quick-wins(horizon(nim,4))"]
)
def test_quick_wins_conform_to_the_contract(text: str, compiled: bool) -> None:
    report = check_game(text, games=20, compiled=compiled)
    assert report.warnings == ()


def test_quick_wins_of_object_games_are_the_same() -> None:
    records, objects = QuickWins(Nim([2, 3], most=1), plies=9), QuickWins(Pair(), plies=9)
    a, b = random_play(records, 1), random_play(objects, 1)
    assert not isinstance(objects, RecordGame)
    assert list(records.score(a.states[-1])) == list(objects.score(b.states[-1]))
    for x, y in zip(a.states[:-1], b.states[:-1], strict=True):
        assert list(records.best_score_from(x)) == list(objects.best_score_from(y))
    assert check_game(objects, games=5).warnings == ()


def test_quick_wins_of_games_with_a_score_and_bounds() -> None:
    quick = QuickWins(horizon(Circle(winning=True), 4), plies=10, bonus=0.5)
    assert quick.best_score == (1.5, 5.5)
    assert list(quick.best_score_from(quick.initial())) == [1.45, 3.45]
    assert check_game(quick, games=10, compiled=False).warnings == ()
    scored = QuickWins(Vote(3, scored=True))
    assert scored.best_score is None
    assert not scored.has_local_best_score
    assert check_game(QuickWins(Auction(), 3), games=10).warnings == ()


@pytest.mark.parametrize("plies", [0, -1, 2**21, 1.5, True, "3", None])
def test_nonsense_plies_are_refused(plies: Any) -> None:
    with pytest.raises(UsageError, match="plies must be an integer from 1"):
        QuickWins(Nim(), plies)


@pytest.mark.parametrize("bonus", [0, -1.0, math.inf, math.nan, True, "1", None])
def test_nonsense_bonuses_are_refused(bonus: Any) -> None:
    with pytest.raises(UsageError, match="bonus must be a number greater than 0"):
        QuickWins(Vote(), 9, bonus)


# -- unfolded --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "plies"),
    [
        ("tic-tac-toe", 9),
        ("connect-four(width=4,height=4)", 6),
        ("kalah(pits=3,seeds=2)", 6),
        ("nim(heaps=[2,3,4],players=3)", 9),
        ("isolation(rows=4,columns=4,players=3)", 3),
        ("graph", 9),
    ],
)
def test_an_unfolded_game_has_as_many_states_as_paths(text: str, plies: int) -> None:
    inner = horizon(load_game(text), plies)
    tree = solve_all(Unfolded(inner))
    assert [ply.states for ply in tree.plies] == perft(inner, len(tree.plies) - 1)
    assert tree.states > solve_all(inner).states
    assert tree.outcome == solve_all(inner).outcome


@pytest.mark.parametrize("text", ["tic-tac-toe", "othello(size=4)", "nim(players=3)", "graph"])
def test_an_unfolded_game_conforms_to_the_contract(text: str) -> None:
    tree = load_game(f"unfolded({text})")
    check_game(tree, games=10)
    assert str(tree) == f"unfolded(game={tree.game})"  # type: ignore[attr-defined]
    assert tree.symmetries == 1
    assert not tree.has_relabeling


@pytest.mark.parametrize("text", ["othello(size=6)", "rolit(players=3)", "connect-four"])
def test_an_unfolded_game_is_played_as_the_one_inside(text: str) -> None:
    inner, tree = load_game(text), load_game(f"unfolded({text})")
    state, alike = inner.initial(), tree.initial()
    for action in random_play(inner, 5).actions:
        assert inner.actions(state) == tree.actions(alike)
        assert inner.player(state) == tree.player(alike)
        assert inner.evaluate(state) == tree.evaluate(alike)
        assert inner.action_name(state, action) == tree.action_name(alike, action)
        assert inner.show(state) == tree.show(alike)
        state, alike = inner.next(state, action), tree.next(alike, action)
    assert inner.outcome(state) == tree.outcome(alike)
    assert inner.score(state) == tree.score(alike)


@pytest.mark.parametrize("seed", range(40))
def test_a_tree_is_worth_what_the_graph_is(seed: int) -> None:
    graph = random_graph(seed, states=(5, 15), ties=False, zero_sum=seed % 2 == 0)
    for algorithm in ("ubfm", "descent"):
        search, tree, again = (
            ub.Search(x, algorithm=algorithm)  # type: ignore[arg-type]
            for x in (graph, Unfolded(graph), Unfolded(graph))
        )
        assert tree.run().resolved
        assert tree.result.outcome == search.run().outcome
        again.run()
        assert tree.snapshot() == again.snapshot()


def test_a_field_named_like_the_path_does_not_matter() -> None:
    twice = Unfolded(Unfolded(load_game("tic-tac-toe")))
    check_game(twice, games=5)
    assert solve_all(horizon(twice, 4)).states == sum(perft(load_game("tic-tac-toe"), 4))
