# SPDX-License-Identifier: MIT
"""Self-play of real games: what it teaches, and what it says if the rules of a game fail.

core/tests/self_play_tests.cpp tests the parts, under the sanitizers.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from broken_games import Sound, SoundObject, sound
from self_playing import (
    SMALL,
    THREE,
    core_settings,
    learn_settings,
    outcomes,
    played_by_core,
    played_in_batches,
    states_of,
    table_of,
)

import unbounded as ub
from unbounded import native
from unbounded.game import Out, RecordGame, RuleError, Rules, State, UsageError
from unbounded.learning.networks.choosing import make_network, shape_of
from unbounded.learning.scoring import Scores
from unbounded.learning.self_play import (
    BatchedNetworks,
    BatchedSelfPlay,
    NativeSelfPlay,
    Networks,
    Table,
    networks_of,
    self_play_of,
)
from unbounded.learning.torch_training import TorchTrainer
from unbounded.learning.training import LossNotFinite

RESOLVED, TERMINAL = 1, 2
RESIDUAL = "residual(channels=4,blocks=1)"


@pytest.mark.parametrize("text", ["tic-tac-toe", SMALL])
def test_proven_values_are_those_of_the_solver(text: str) -> None:
    table, known = table_of(text), {}
    lessons = played_by_core(table, core_settings(table), 60)
    proven = np.flatnonzero(lessons["kinds"] >= RESOLVED)
    states, values = states_of(table, lessons), lessons["values"].reshape(-1, 2)
    assert len(lessons["counts"]) > 5
    assert len(proven) > 20
    for i in proven:
        outcome = outcomes(table.game, states[i], known)
        assert values[i].tolist() == [outcome, -outcome]
        assert (lessons["kinds"][i] == TERMINAL) == table.game.is_terminal(states[i])


@pytest.mark.parametrize("text", [SMALL, THREE])
def test_lessons_do_not_depend_on_who_evaluates_or_on_threads(text: str) -> None:
    table = table_of(text)
    settings = core_settings(table)
    by_one, by_two = (played_by_core(table, settings, 40, threads=n) for n in (1, 2))
    assert all(np.array_equal(by_one[name], by_two[name]) for name in by_one)
    # One game: of several, those that end at other times are told in another order.
    alone = played_by_core(table, settings, 80, games=1)
    batched = played_in_batches(table, settings, 160, games=1)
    both = min(len(alone["counts"]), len(batched["counts"]))
    assert both >= 3
    count = int(alone["counts"][:both].sum())
    assert states_of(table, alone)[:count] == states_of(table, batched)[:count]
    values = count * table.game.players
    assert np.array_equal(alone["values"][:values], batched["values"][:values])


@pytest.mark.parametrize("text", ["tic-tac-toe", SMALL, THREE])
def test_games_can_be_replayed(text: str) -> None:
    """Also where symmetric states are one in the core."""
    table, at, ended = table_of(text), 0, 0
    game = table.game
    lessons = played_by_core(table, core_settings(table, options=_no_completion(table)), 60)
    results = lessons["results"].reshape(-1, game.players)
    for moves, result in zip(lessons["moves"], results, strict=True):
        state = game.initial()
        for action in lessons["actions"][at : at + moves]:
            state = game.next(state, game.actions(state)[action])
        at += moves
        assert game.is_terminal(state)
        assert result.tolist() == list(game.outcome(state))
        ended += 1
    assert ended > 5
    assert at == len(lessons["actions"])


def _no_completion(table: Table) -> native.Options:
    """Nothing is proven, so that games are played to their ends."""
    options = core_settings(table).options
    options.completion = False
    return options


def test_arrays_that_do_not_fit_are_refused() -> None:
    table = table_of(SMALL)
    core = native.SelfPlay(table.rules, table.inputs, core_settings(table), 2, 1, 1, 0)
    count = core.advance(0)[0]
    planes, movers = np.empty((count, 36), np.float32), np.empty(count, np.uint8)
    for network, bad_planes, bad_movers in (
        (0, planes[:1], movers[:1]),
        (0, np.empty((count, 35), np.float32), movers),
        (2, planes, movers),
    ):
        with pytest.raises(ValueError, match=r"arrays|network"):
            core.encode(0, network, bad_planes, bad_movers)
    core.encode(0, 0, planes, movers)
    for size in (None, (count - 1, 1), (count, 3)):
        with pytest.raises(ValueError, match="value"):
            core.advance(0, None if size is None else np.zeros(size, np.float32))
    core.advance(0, np.zeros((count, 1), np.float32))  # nothing was lost by that


# -- networks -------------------------------------------------------------------------------------


def games_of(
    table: Table, network: str, *, batched: bool = False, **changed: Any
) -> tuple[NativeSelfPlay | BatchedSelfPlay, Networks, TorchTrainer]:
    """batched: also a network that the core could evaluate."""
    settings = learn_settings(table.game, network=network, **changed)
    scores = Scores(settings.score, settings.margin, 1, 12, 1.0, 1.0)
    trainer = TorchTrainer(make_network(network, shape_of(table.game, scores.scale), 0), "cpu")
    networks = networks_of(trainer, table.inputs, 1000)
    networks = BatchedNetworks(trainer, 1000) if batched else networks
    return self_play_of(table, settings, scores, networks, 3), networks, trainer


@pytest.mark.parametrize("text", [SMALL, THREE])
def test_a_dense_network_plays_alike_in_the_core_and_in_batches(text: str) -> None:
    """One game, whose order does not depend on rounds; equal up to the rounding of values."""
    table, found = table_of(text), []
    for batched in (False, True):
        play, _, _ = games_of(table, "dense(8)", games=1, batched=batched)
        assert isinstance(play, BatchedSelfPlay if batched else NativeSelfPlay)
        found.append(_first_game(play))
        play.close()
    one, other = found
    count = int(one["counts"][0])
    assert one["moves"][0] == other["moves"][0]
    assert count == other["counts"][0]
    for name, width in (("states", len(table.game.initial())), ("kinds", 1)):
        assert np.array_equal(one[name][: count * width], other[name][: count * width])
    values = [x["values"][: count * table.game.players] for x in found]
    np.testing.assert_allclose(values[0], values[1], atol=1e-5)


def _first_game(play: NativeSelfPlay | BatchedSelfPlay) -> dict[str, Any]:
    for _ in range(1000):
        lessons = play.next()
        if len(lessons["counts"]):
            return lessons
    raise AssertionError("no game has ended")


def test_counts_are_those_of_groups_at_rest() -> None:
    """Not of the one that is being played: a run that stops by them can be repeated."""
    seen: list[list[dict[str, int]]] = []
    for _ in range(2):
        play, _, _ = games_of(table_of(SMALL), RESIDUAL)
        seen.append([])
        for _ in range(30):
            play.next()
            seen[-1].append(play.counts())
        play.close()
    assert seen[0] == seen[1]
    assert seen[0][-1]["expanded"] > 0


@pytest.mark.parametrize("network", ["dense(8)", RESIDUAL])
def test_a_network_that_gives_no_numbers(network: str) -> None:
    play, networks, trainer = games_of(table_of(SMALL), network)
    for parameter in trainer.averaged.parameters():
        parameter.data.fill_(float("nan"))
    networks.refresh()
    with pytest.raises(LossNotFinite, match="nan"):
        for _ in range(10):
            play.next()
    play.close()


# -- games that cannot be learned, or fail --------------------------------------------------------


class Shown(Sound):
    """A sound game with planes."""

    planes = (1, 1, 5)

    def rules(self) -> Rules:
        def encode(s: State, out: Out) -> None:
            out[0] = s.left

        return sound(encode=encode)


class FailsLate(Shown):
    """A move fails in one state."""

    def rules(self) -> Rules:
        def take(s: State, action: int, t: State) -> None:
            t.marks[0 if s.left != 2 else 7] = 0
            t.left = s.left - action
            t.turn = 1 - s.turn

        def encode(s: State, out: Out) -> None:
            out[0] = s.left

        return sound(next=take, encode=encode)


class EncodesNoNumber(Shown):
    """The planes of one state cannot be made."""

    def rules(self) -> Rules:
        def encode(s: State, out: Out) -> None:
            out[0] = 1 / (s.left - 1)

        return sound(encode=encode)


def play_of(game: RecordGame, network: str) -> NativeSelfPlay | BatchedSelfPlay:
    return games_of(Table(game), network, opening=0, score="outcome")[0]


@pytest.mark.parametrize("network", ["dense(8)", RESIDUAL])
def test_a_small_game_is_learned_from_although_it_is_proven_at_once(network: str) -> None:
    play = play_of(Shown(), network)
    lessons = [play.next() for _ in range(30)]
    play.close()
    assert sum(len(x["kinds"]) for x in lessons) > 0
    assert play.counts()["resolved_roots"] > 0


@pytest.mark.parametrize("network", ["dense(8)", RESIDUAL])
@pytest.mark.parametrize(
    ("game", "words"),
    [
        (EncodesNoNumber, r"encode\(left=1.*ZeroDivisionError"),
        (FailsLate, r"next\(left=2.*action=\d.*IndexError"),
    ],
)
def test_a_rule_that_fails_is_named_with_its_state(
    game: type[RecordGame], words: str, network: str
) -> None:
    with pytest.raises(RuleError, match=words):
        play = play_of(game(), network)
        try:
            for _ in range(30):
                play.next()
        finally:
            play.close()


def test_games_that_cannot_be_learned() -> None:
    game = SoundObject()
    with pytest.raises(UsageError, match="no encode"):
        shape_of(game)
    game.planes = (1, 1, 1)  # type: ignore[misc]
    with pytest.raises(UsageError, match="needs rules that compile"):
        Table(game)
    with pytest.raises(UsageError, match="no encode"):
        learn_settings(Sound())
    assert ub.load_game("tic-tac-toe").planes is not None
