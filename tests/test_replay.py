# SPDX-License-Identifier: MIT
"""The replay: a ring of states as a network is given them, with targets from the mover on."""

from __future__ import annotations

import dataclasses
import itertools
from typing import Any

import numpy as np
import pytest
import torch
from self_playing import SMALL, THREE, core_settings, played_by_core, shape, states_of, table_of

from unbounded.game import RuleError
from unbounded.learning.networks.choosing import shape_of
from unbounded.learning.replay import Lessons, Replay, relative
from unbounded.learning.self_play import Table


def replay_of(table: Table, capacity: int, *, symmetries: int = 1, as_bytes: bool = True) -> Replay:
    return Replay(
        shape(table),
        table.inputs,
        capacity,
        "cpu",
        symmetries=symmetries,
        as_bytes=as_bytes,
        seed=3,
    )


def lessons_of(table: Table, rounds: int = 40) -> Lessons:
    return played_by_core(table, core_settings(table), rounds)


def first(lessons: Lessons, table: Table, begin: int, end: int) -> Lessons:
    size, players = table.route.state_bytes, table.game.players  # type: ignore[union-attr]
    return {
        "states": lessons["states"][begin * size : end * size],
        "values": lessons["values"][begin * players : end * players],
        "kinds": lessons["kinds"][begin:end],
    }


def test_targets_are_relative_to_the_mover() -> None:
    two, three = shape_of(table_of(SMALL).game, 2.0), shape_of(table_of(THREE).game, 2.0)
    movers = np.array([0, 1, 1], np.uint8)
    values = np.array([[1, -1], [1, -1], [9, -9]], np.float32)
    assert relative(values, movers, two).tolist() == [[0.5], [-0.5], [-1.0]]  # cut off at -1
    movers = np.array([0, 1, 2], np.uint8)
    values = np.array([[2, 1, 0]] * 3, np.float32)
    expected = [[1, 0.5, 0], [0.5, 0, 1], [0, 1, 0.5]]
    assert relative(values, movers, three).tolist() == expected


@pytest.mark.parametrize("text", [SMALL, THREE])
@pytest.mark.parametrize("as_bytes", [False, True])
def test_a_state_is_stored_as_it_is_encoded(text: str, as_bytes: bool) -> None:
    table = table_of(text)
    game, lessons = table.game, lessons_of(table)
    count = len(lessons["kinds"])
    replay = replay_of(table, 10_000, as_bytes=as_bytes)
    assert replay.add(lessons) == count == replay.size
    values = lessons["values"].reshape(count, -1)
    for i, state in enumerate(states_of(table, lessons)):
        assert replay._planes[i].tolist() == list(game.encode(state))
        mover = int(replay._movers[i])
        for k, target in enumerate(replay._targets[i].tolist()):
            assert target == values[i][(mover + k) % game.players]
        if not game.is_terminal(state):
            assert mover == game.player(state)


def test_images_under_the_symmetries_are_stored() -> None:
    table = table_of("tic-tac-toe")
    game, lessons = table.game, lessons_of(table)
    replay = replay_of(table, 10_000, symmetries=game.symmetries)
    replay.add(lessons)
    numbers = set()
    for i, state in enumerate(states_of(table, lessons)):
        images = [game.symmetry(state, k) if k else state for k in range(game.symmetries)]
        planes = [list(game.encode(image)) for image in images]
        assert replay._planes[i].tolist() in planes
        if len({tuple(x) for x in planes}) == len(planes):
            numbers.add(planes.index(replay._planes[i].tolist()))
    assert numbers == set(range(game.symmetries))


def test_the_oldest_states_make_room() -> None:
    table = table_of(SMALL)
    lessons = lessons_of(table, 60)
    count = len(lessons["kinds"])
    assert count > 50
    whole = replay_of(table, 10_000)
    whole.add(lessons)
    for capacity in (7, count // 2, count - 1, count, count + 5):
        ring = replay_of(table, capacity)
        ends = [*range(0, count, 13), count]
        for begin, end in itertools.pairwise(ends):
            ring.add(first(lessons, table, begin, end))
            assert ring.size == min(end, capacity)
        assert ring.added == count
        kept = sorted(map(repr, ring._planes[: ring.size].tolist()))
        assert kept == sorted(map(repr, whole._planes[count - ring.size : count].tolist()))
    tiny = replay_of(table, 10)  # more states at once than there is room
    assert tiny.add(lessons) == count
    assert tiny.size == 10
    tiny.clear()
    assert tiny.size == 0
    tiny.add(first(lessons, table, 0, 4))
    assert tiny.size == 4


def test_draws_are_from_what_is_stored_and_can_be_repeated() -> None:
    table = table_of(SMALL)
    replay = replay_of(table, 1000)
    replay.add(first(lessons_of(table), table, 0, 5))
    before = replay.random_state()
    planes, movers, targets, weights = replay.sample(200)
    stored = replay._planes[:5].tolist()
    assert {stored.index(row) for row in planes.tolist()} == set(range(5))
    assert weights.tolist() == [1.0] * 200
    replay.set_random_state(before)
    again = replay.sample(200)
    for x, y in zip((planes, movers, targets), again, strict=False):
        assert torch.equal(x, y)


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("text", ["connect-four", "othello(size=4)", "chinese-checkers(players=3)"])
def test_bytes_are_the_numbers_that_the_rules_encode(text: str, threads: int) -> None:
    table = table_of(text)
    game, state = table.game, table.game.initial()
    states = [state]
    while len(states) < 700 and not game.is_terminal(states[-1]):
        states.append(game.next(states[-1], game.actions(states[-1])[len(states) % 2 - 1]))
    states *= 700 // len(states) + 1
    packed = np.frombuffer(b"".join(states), np.uint8)
    images = np.arange(len(states), dtype=np.uint8) % game.symmetries
    numbers = np.empty((len(states), replay_of(table, 1).shape.inputs), np.float32)
    movers, same_movers = np.empty((2, len(states)), np.uint8)
    table.inputs.write(packed, images, numbers, movers, threads)
    as_bytes = np.empty(numbers.shape, np.uint8)
    fits = table.inputs.write_bytes(packed, images, as_bytes, same_movers, threads)
    assert fits == bool((numbers == numbers.astype(np.uint8)).all())
    assert fits == (text != "chinese-checkers(players=3)")  # it tells how much of the game is left
    assert np.array_equal(movers, same_movers)
    assert np.array_equal(as_bytes, numbers.astype(np.uint8))


def test_arrays_of_another_type_are_refused() -> None:
    """Instead of writing to a copy that nobody sees."""
    table = table_of(SMALL)
    state = np.frombuffer(table.game.initial(), np.uint8)
    planes, movers = np.zeros((1, replay_of(table, 1).shape.inputs), np.float32), np.zeros(1)
    with pytest.raises(TypeError):
        table.inputs.write_bytes(state, None, planes, movers.astype(np.uint8))
    with pytest.raises(TypeError):
        table.inputs.write(state, None, planes.astype(np.uint8), movers.astype(np.uint8))
    with pytest.raises(TypeError):
        table.inputs.write(state, None, planes, movers)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU")
def test_a_replay_on_a_gpu_holds_what_one_on_the_cpu_holds() -> None:
    table = table_of(SMALL)
    lessons = lessons_of(table, 60)
    count = len(lessons["kinds"])
    rings = [
        Replay(shape(table), table.inputs, 50, device, symmetries=1, as_bytes=True, seed=3)
        for device in ("cpu", "cuda")
    ]
    busy = torch.rand(2000, 2000, device="cuda")
    for begin, end in itertools.pairwise([*range(0, count, 7), count]):
        for ring in rings:
            busy = torch.tanh(busy @ busy)  # copies have to wait for this
            ring.add(first(lessons, table, begin, end))
    for name in ("_planes", "_movers", "_targets"):
        assert torch.equal(getattr(rings[0], name), getattr(rings[1], name).cpu())


def test_nothing_to_add() -> None:
    table = table_of(SMALL)
    replay = replay_of(table, 10)
    assert replay.add(first(lessons_of(table), table, 0, 0)) == 0
    assert replay.size == 0


def test_planes_that_are_not_finite_are_refused() -> None:
    table = table_of(SMALL)
    replay = replay_of(table, 10)

    class Infinite:
        def write(
            self, states: object, images: object, planes: object, movers: object, threads=1
        ) -> None:
            planes[...] = np.inf  # type: ignore[index]

        def write_bytes(self, *given: object) -> bool:
            return False

    replay._inputs = Infinite()  # type: ignore[assignment]
    replay.shape = dataclasses.replace(replay.shape, game="this-game")
    with pytest.raises(RuleError, match=r"this-game: encode .* not finite"):
        replay.add(first(lessons_of(table), table, 0, 3))


def test_numbers_that_are_no_bytes_are_kept_exactly() -> None:
    """Random games may show only 0 and 1, and later games other numbers."""
    table = table_of(SMALL)
    lessons, seen = lessons_of(table), table.inputs
    replay = replay_of(table, 10)
    replay.add(first(lessons, table, 0, 3))
    before = replay._planes[:3].float().clone()
    assert replay._planes.dtype == torch.uint8

    class Halves:
        def write(self, states: Any, images: Any, planes: Any, movers: Any, threads: int) -> None:
            seen.write(states, images, planes, movers, threads)
            planes *= 0.5

        def write_bytes(self, *given: object) -> bool:
            return False

    replay._inputs = Halves()  # type: ignore[assignment]
    replay.add(first(lessons, table, 3, 6))
    assert torch.equal(replay._planes[:3], before)
    assert set(replay._planes[3:6].unique().tolist()) == {0.0, 0.5}
