# SPDX-License-Identifier: MIT
from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import pytest
import shared_checks
from naive_kalah import Naive, Position

import unbounded as ub
from unbounded.conformance.check import check_game, random_play
from unbounded.games.kalah import Kalah
from unbounded.reference.backward_induction import minimax_scores
from unbounded.search.budget import Budget
from unbounded.solving.strong import resolve_all
from unbounded.storage.fingerprint import fingerprint

SIZES = [(4, 3), (1, 1), (1, 7), (2, 5), (3, 2), (6, 4), (5, 20)]
SMALL = [(pits, seeds) for pits in (1, 2, 3) for seeds in (1, 2, 3)]


def position(
    south: Sequence[int],
    north: Sequence[int],
    stores: Sequence[int],
    turn: int = 0,
    *,
    empty_capture: bool = False,
) -> tuple[Kalah, bytes]:
    """A position of a game with a fitting number of seeds; rows as their owners see them."""
    seeds = sum(south) + sum(north) + sum(stores)
    game = Kalah(len(south), seeds // (2 * len(south)), empty_capture)
    assert 2 * game.pits * game.seeds == seeds
    s = game.state.zero()
    s.pits, s.stores, s.turn = [*south, *north], list(stores), turn
    return game, game.state.pack(s)


def after(game: Kalah, state: bytes, move: str) -> tuple[list[int], list[int], list[int], int]:
    s = game.state.unpack(game.next(state, game.parse_action(state, move)))
    return s.pits[: game.pits], s.pits[game.pits :], s.stores, s.turn


# -- rules ----------------------------------------------------------------------------------------


def test_a_last_seed_in_the_own_store_moves_again() -> None:
    game = Kalah(4, 3)
    assert after(game, game.initial(), "b") == ([3, 0, 4, 4], [3, 3, 3, 3], [1, 0], 0)
    assert after(game, game.initial(), "a") == ([0, 4, 4, 4], [3, 3, 3, 3], [0, 0], 1)
    assert after(game, game.initial(), "d") == ([3, 3, 3, 0], [4, 4, 3, 3], [1, 0], 1)


def test_the_store_of_the_other_is_passed() -> None:
    game, state = position([1, 0, 8], [1, 1, 1], [3, 3])
    assert after(game, state, "c") == ([2, 1, 1], [2, 2, 2], [5, 3], 0)
    game, state = position([1, 1, 1], [1, 0, 8], [3, 3], turn=1)
    assert after(game, state, "C") == ([2, 2, 2], [2, 1, 1], [3, 5], 1)


def test_capture_takes_the_seed_and_those_opposite() -> None:
    game, state = position([1, 0, 2], [1, 4, 1], [2, 1])
    assert after(game, state, "a") == ([0, 0, 2], [1, 0, 1], [7, 1], 1)
    game, state = position([1, 4, 1], [1, 0, 2], [2, 1], turn=1)
    assert after(game, state, "A") == ([1, 0, 1], [0, 0, 2], [2, 6], 0)


def test_no_capture_when_the_pit_opposite_is_empty() -> None:
    game, state = position([1, 0, 2], [1, 0, 1], [4, 3])
    assert after(game, state, "a") == ([0, 1, 2], [1, 0, 1], [4, 3], 1)


def test_empty_capture_takes_the_seed_alone() -> None:
    game, state = position([1, 0, 2], [1, 0, 1], [4, 3], empty_capture=True)
    assert after(game, state, "a") == ([0, 0, 2], [1, 0, 1], [5, 3], 1)
    game, state = position([1, 0, 1], [1, 0, 2], [3, 4], turn=1, empty_capture=True)
    assert after(game, state, "A") == ([1, 0, 1], [0, 0, 2], [3, 5], 0)
    # With seeds opposite it is the usual capture; a pit of the other's, or with seeds, is none.
    game, state = position([1, 0, 2], [1, 4, 1], [2, 1], empty_capture=True)
    assert after(game, state, "a") == ([0, 0, 2], [1, 0, 1], [7, 1], 1)
    game, state = position([1, 1, 2], [0, 4, 1], [2, 1], empty_capture=True)
    assert after(game, state, "c") == ([1, 1, 0], [1, 4, 1], [3, 1], 1)
    game, state = position([1, 1, 2], [1, 0, 1], [3, 3], empty_capture=True)
    assert after(game, state, "a") == ([0, 2, 2], [1, 0, 1], [3, 3], 1)


def test_empty_capture_of_the_last_seed_of_a_row_ends_the_game() -> None:
    game, state = position([1, 0, 0], [1, 0, 2], [5, 3])
    assert after(game, state, "a") == ([0, 1, 0], [1, 0, 2], [5, 3], 1)
    game, state = position([1, 0, 0], [1, 0, 2], [5, 3], empty_capture=True)
    assert after(game, state, "a") == ([0, 0, 0], [0, 0, 0], [6, 6], 0)


def test_no_capture_in_an_occupied_or_foreign_pit() -> None:
    game, state = position([1, 1, 2], [1, 4, 1], [1, 1])
    assert after(game, state, "a") == ([0, 2, 2], [1, 4, 1], [1, 1], 1)
    game, state = position([1, 1, 2], [0, 4, 1], [2, 1])
    assert after(game, state, "c") == ([1, 1, 0], [1, 4, 1], [3, 1], 1)


def test_capture_after_a_whole_round_in_the_emptied_pit() -> None:
    game, state = position([1, 7, 1], [1, 2, 1], [3, 2])
    assert after(game, state, "b") == ([2, 0, 2], [2, 0, 2], [8, 2], 1)


def test_an_empty_row_ends_the_game_and_the_rest_goes_to_its_owner() -> None:
    game, state = position([0, 0, 1], [1, 2, 3], [3, 2])
    assert after(game, state, "c") == ([0, 0, 0], [0, 0, 0], [4, 8], 0)
    end = game.next(state, 2)
    assert list(game.outcome(end)) == [-1, 1]
    assert list(game.score(end)) == [-4.0, 4.0]
    assert game.show(end).endswith("North has won, 8 : 4")
    # The other's row was emptied by a capture: North had its last seeds there.
    game, state = position([1, 0, 2], [0, 2, 0], [3, 4])
    assert after(game, state, "a") == ([0, 0, 0], [0, 0, 0], [8, 4], 0)


def test_equal_seeds_are_a_draw() -> None:
    game, state = position([0, 1], [1, 0], [1, 1])
    end = game.next(state, game.parse_action(state, "b"))
    assert not game.actions(end)
    assert list(game.outcome(end)) == [0, 0]
    assert game.show(end).endswith("a draw, 2 : 2")


def test_the_board_as_text() -> None:
    game, state = position([1, 7, 1], [10, 2, 0], [1, 2], turn=1)
    text = ["     C  B  A", "     0  2 10", " 2             1", "     1  7  1", "     a  b  c"]
    assert game.show(state).splitlines() == [*text, "North to move"]
    assert [game.action_name(state, a) for a in game.actions(state)] == ["A", "B"]


def test_equal_ends_are_equal_states() -> None:
    game = Kalah(2, 2)
    ends = {random_play(game, seed).states[-1] for seed in range(100)}
    assert len(ends) == len({tuple(game.score(end)) for end in ends})


# -- against others -------------------------------------------------------------------------------


@pytest.mark.parametrize("empty_capture", [False, True])
@pytest.mark.parametrize("size", SIZES, ids=str)
def test_against_the_naive_rules(size: tuple[int, int], empty_capture: bool) -> None:
    game, naive = Kalah(*size, empty_capture), Naive(*size, empty_capture)
    for seed in range(40):
        choose = random.Random(seed)
        state, slow = game.initial(), naive.initial()
        while naive.actions(slow):
            s = game.state.unpack(state)
            pits = game.pits
            assert (tuple(s.pits[:pits]), tuple(s.pits[pits:]), tuple(s.stores), s.turn) == slow
            assert game.player(state) == slow[3]
            first = pits * slow[3]
            assert [a - first for a in game.actions(state)] == naive.actions(slow)
            pit = choose.choice(naive.actions(slow))
            state, slow = game.next(state, first + pit), naive.next(slow, pit)
        assert not game.actions(state)
        assert list(game.outcome(state)) == naive.outcome(slow)
        assert list(game.score(state)) == naive.score(slow)


def test_against_openspiel() -> None:
    pyspiel = pytest.importorskip("pyspiel")
    theirs = pyspiel.load_game("mancala")
    game = Kalah(6, 4)
    for seed in range(100):
        choose = random.Random(seed)
        state, other = game.initial(), theirs.new_initial_state()
        while not other.is_terminal():
            assert game.player(state) == other.current_player()
            # They number the stores too: 0 is North's, 7 South's.
            actions = {a + (1 if a < 6 else 2): a for a in game.actions(state)}
            assert list(actions) == other.legal_actions()
            chosen = choose.choice(list(actions))
            state = game.next(state, actions[chosen])
            other.apply_action(chosen)
        assert not game.actions(state)
        assert list(game.outcome(state)) == other.returns()


# -- the contract ---------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [(4, 3), (1, 1), (4, 3, True)], ids=str)
def test_the_contract(size: Any) -> None:
    report = check_game(Kalah(*size), games=20)
    assert report.compiled
    assert not report.warnings


@pytest.mark.parametrize("size", [(4, 3), (2, 2), (4, 3, True)], ids=str)
def test_images(size: Any) -> None:
    game = Kalah(*size)
    assert game.symmetries == 1
    shared_checks.check_relabeling(game)
    shared_checks.check_planes(game)


def test_images_have_the_same_value() -> None:
    game = ub.load_game(Kalah.solvable)
    assert isinstance(game, Kalah)
    for seed in range(6):
        state = random_play(game, seed).states[4 + seed]
        value = shared_checks.proven(game, state)
        assert shared_checks.proven(game, game.relabel(state, 1)) == value[::-1]


def test_planes_are_seen_by_the_mover() -> None:
    game, state = position([1, 2, 3], [4, 0, 0], [0, 2], turn=1)
    mine, other, my_store, other_store = shared_checks.planes_of(game, state)
    assert mine == [pytest.approx([4 / 12, 0, 0])]
    assert other == [pytest.approx([3 / 12, 2 / 12, 1 / 12])]  # opposite pits in one column
    assert my_store == [pytest.approx([2 / 12] * 3)]
    assert other_store == [[0] * 3]


@pytest.mark.parametrize("size", [(4, 3), (1, 1), (12, 1)], ids=str)
def test_pictures(size: tuple[int, int]) -> None:
    shared_checks.check_pictures(Kalah(*size))


@pytest.mark.parametrize("value", shared_checks.NONSENSE, ids=repr)
@pytest.mark.parametrize("parameter", ["pits", "seeds"])
def test_nonsense_is_refused(parameter: str, value: Any) -> None:
    shared_checks.refused(Kalah, parameter, value)


@pytest.mark.parametrize("value", [*shared_checks.NONSENSE, 1], ids=repr)
def test_empty_capture_is_true_or_false(value: Any) -> None:
    if value is not True:
        shared_checks.refused(Kalah, "empty_capture", value)


def test_the_string_has_the_rule_only_where_it_is_not_usual() -> None:
    assert str(Kalah(4, 3, empty_capture=False)) == "kalah"
    assert str(Kalah(3, 2)) == "kalah(pits=3,seeds=2)"
    text = "kalah(pits=3,empty_capture=true)"
    assert str(ub.load_game(text)) == str(Kalah(3, 3, empty_capture=True)) == text


@pytest.mark.parametrize(
    ("size", "answers"),
    [((4, 3), "087eb1eea63d2a38"), ((2, 2), "b74760e82480e3fb"), ((6, 4), "0a499a9172451395")],
    ids=str,
)
def test_the_usual_rules_are_what_they_were_before_there_were_others(
    size: tuple[int, int], answers: str
) -> None:
    # The fingerprints of the version without `empty_capture`: its files are about the same game.
    assert fingerprint(Kalah(*size)).answers.startswith(answers)


@pytest.mark.parametrize("size", [(13, 1), (1, 101)], ids=str)
def test_too_large_is_refused(size: tuple[int, int]) -> None:
    with pytest.raises(ub.UsageError, match="must be an integer from 1 to"):
        Kalah(*size)


def test_no_seed_is_lost_on_the_largest_board() -> None:
    game = Kalah(12, 100)
    for state in random_play(game, 0).states[::10]:
        s = game.state.unpack(state)
        assert sum(s.pits) + sum(s.stores) == 2400
        assert min(s.pits) >= 0


# -- values and strength --------------------------------------------------------------------------


def test_perft() -> None:
    shared_checks.check_perft("kalah.perft")


@pytest.mark.parametrize("known", Kalah.known_values, ids=lambda known: known.game)
def test_known_values(known: Any) -> None:
    assert ub.solve(known.game, seconds=60).outcome == known.outcome
    # The two-player search stops at the first win; this one proves the score too.
    result = ub.solve(known.game, seconds=60, values="resolved_completion")
    assert result.outcome == known.outcome
    assert result.score == known.score


@pytest.mark.parametrize(
    "known", [k for k in Kalah.known_values if "pits=4" not in k.game], ids=lambda known: known.game
)
def test_values_by_trying_everything(known: Any) -> None:
    game = ub.load_game(known.game)
    assert isinstance(game, Kalah)
    naive = Naive(game.pits, game.seeds, game.empty_capture)
    assert naive.best_difference() == known.score[0]


def naive_scores(size: tuple[int, int]) -> dict[Position, int]:
    """The score of South in each position with empty captures, by trying everything."""
    naive = Naive(*size, empty_capture=True)
    return {naive.settled(position): value for position, value in naive.differences().items()}


def as_naive(game: Kalah, state: bytes) -> Position:
    s, pits = game.state.unpack(state), game.pits
    return tuple(s.pits[:pits]), tuple(s.pits[pits:]), (s.stores[0], s.stores[1]), s.turn


@pytest.mark.parametrize("size", SMALL, ids=str)
def test_every_score_with_empty_captures(size: tuple[int, int]) -> None:
    scores = {
        as_naive(game, state): score
        for game in [Kalah(*size, empty_capture=True)]
        for state, (_, score) in minimax_scores(game).items()
    }
    assert scores == naive_scores(size)


def test_every_score_with_empty_captures_by_the_core() -> None:
    game, scores = Kalah(3, 3, empty_capture=True), naive_scores((3, 3))
    search = ub.Search(game)
    assert resolve_all(search, Budget()).resolved
    core = search._core
    assert core.states == len(scores) > 1000
    for number in range(core.states):
        assert core.node(number).value[0] == scores[as_naive(game, core.state(number))]


def test_evaluations_are_zero_sum_and_near_the_scores() -> None:
    game = Kalah()
    seen = set()
    for state in shared_checks.positions(game, 20):
        if game.actions(state):
            first, second = game.evaluate(state)
            assert first == -second
            assert abs(first) < game.best_score[0]
            seen.add(first)
    assert len(seen) > 20


def test_heuristic_against_zero() -> None:
    share = shared_checks.match(Kalah(6, 4), iterations=60, pairs=12, opening=4)
    assert share > 0.65
