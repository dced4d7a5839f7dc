# SPDX-License-Identifier: MIT
"""Rules on the GPU: the same functions compiled for a CPU everywhere, and kernels on a GPU.

Numba's simulator is no help: it runs rules on numbers of NumPy, which wrap around at 8 bits.
"""

from __future__ import annotations

import random
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import unbounded as ub
from unbounded.native import cuda_rules as cuda

numba = pytest.importorskip("numba")
needs_gpu = pytest.mark.skipif(not cuda.available(), reason="there is no GPU")

SMALL = (
    "connect-four(width=4,height=4,line=3,players=3)",
    "hex(size=3)",
)
"""Fields of 8 and 64 bits, functions that rules call, constants of NumPy, three players."""


def visited(game: ub.RecordGame, count: int) -> list[bytes]:
    """States of random games, ends included."""
    chance, found, state = random.Random(7), [game.initial()], game.initial()
    while len(found) < count:
        actions = game.actions(state)
        state = game.next(state, chance.choice(actions)) if actions else game.initial()
        found.append(state)
    return found


class Expected:
    """What the plain rules say about states and their children."""

    def __init__(self, game: ub.RecordGame, states: list[bytes]) -> None:
        actions = [list(game.actions(s)) for s in states]
        self.counts = [len(listed) for listed in actions]
        self.actions = [x + [0] * (game.max_actions - len(x)) for x in actions]
        pairs = zip(states, actions, strict=True)
        self.children = [game.next(s, a) for s, listed in pairs for a in listed]
        over = [not game.actions(s) for s in self.children]
        told = list(zip(self.children, over, strict=True))
        nobody = [0] * game.players
        self.movers = [-1 if end else game.player(s) for s, end in told]
        self.outcomes = [list(game.outcome(s)) if end else nobody for s, end in told]
        self.scores = [list(game.score(s)) if end else nobody for s, end in told]
        self.planes = [list(game.encode(s)) for s in states]


class Arrays:
    """Room for what the functions write, filled with numbers that are wrong."""

    def __init__(self, game: ub.RecordGame, states: list[bytes], counts: list[int]) -> None:
        rows, count = sum(counts), len(states)
        self.states = cuda.to_gpu(game.state, b"".join(states))
        self.actions = np.full((count, game.max_actions), 99, np.int32)
        self.counts = np.full(count, 99, np.int32)
        self.offsets = np.cumsum([0, *counts[:-1]], dtype=np.int64)
        self.children = np.zeros((rows, self.states.shape[1]), np.uint8)
        self.movers = np.full(rows, 99, np.int64)
        self.outcomes = np.full((rows, game.players), 99, np.int32)
        self.scores = np.full((rows, game.players), 99, np.float32)
        self.planes = np.full((count, len(game.encode(states[0]))), 99, np.float32)


def compare(game: ub.RecordGame, found: Any, expected: Expected) -> None:
    for name in ("counts", "actions", "movers", "outcomes", "scores"):
        assert np.asarray(getattr(found, name)).tolist() == getattr(expected, name), name
    assert cuda.from_gpu(game.state, found.children) == b"".join(expected.children)
    assert np.array_equal(found.planes, np.array(expected.planes, np.float32))


def run(rules: Any, arrays: Any) -> None:
    known = arrays.states, arrays.actions, arrays.counts
    rules.list_actions(*known)
    told = arrays.movers, arrays.outcomes, arrays.scores
    rules.make_children(*known, arrays.offsets, arrays.children, *told)
    rules.encode(arrays.states, arrays.planes)


@pytest.mark.parametrize("text", SMALL)
def test_loops_say_what_the_plain_rules_say(text: str) -> None:
    game = ub.load_game(text)
    states = visited(game, 60)
    expected = Expected(game, states)
    assert -1 in expected.movers
    arrays = Arrays(game, states, expected.counts)
    run(cuda.LoopRules(game), arrays)
    compare(game, arrays, expected)


def test_a_game_without_is_terminal_and_with_a_score() -> None:
    class Countdown(ub.RecordGame):
        players, max_actions, planes = 2, 3, (1, 1, 1)
        state = ub.record(turn="i8", left="i32", taken="i16[2]")

        def rules(self) -> ub.Rules:
            def initial(s: Any) -> None:
                s.left = 5

            def actions(s: Any, out: Any) -> int:
                for i in range(min(3, s.left)):
                    out[i] = i + 1
                return min(3, s.left)

            def take(s: Any, action: int, t: Any) -> None:
                t.left = s.left - action
                t.taken[s.turn] += action
                t.turn = 1 - s.turn

            def outcome(s: Any, out: Any) -> None:
                out[s.turn], out[1 - s.turn] = -1, 1

            def score(s: Any, out: Any) -> None:
                for who in range(2):
                    out[who] = s.taken[who] + 0.1

            def encode(s: Any, out: Any) -> None:
                out[0] = s.left / 5

            return ub.Rules(
                initial, lambda s: s.turn, actions, take, outcome, score=score, encode=encode
            )

    game = Countdown()
    states = visited(game, 30)
    expected = Expected(game, states)
    expected.scores = np.array(expected.scores, np.float32).tolist()
    arrays = Arrays(game, states, expected.counts)
    run(cuda.LoopRules(game), arrays)
    compare(game, arrays, expected)


def test_states_survive_the_way_to_the_gpu_and_back() -> None:
    layout = ub.record(turn="i8", big="i64[2]", small="i16", cells="i8[3]")
    fields = layout.zero()
    fields.turn, fields.big, fields.small, fields.cells = -1, [2**62, -7], -300, [1, -2, 3]
    packed = layout.pack(fields) + layout.pack(layout.zero())
    rows = cuda.to_gpu(layout, packed)
    assert rows.shape == (2, cuda.record_type(layout).itemsize)
    assert rows.shape[1] % 8 == 0
    assert cuda.from_gpu(layout, rows) == packed


@pytest.mark.skipif(cuda.available(), reason="there is a GPU")
def test_without_a_gpu_the_error_says_what_is_needed() -> None:
    with pytest.raises(ub.UsageError, match="need numba, numba-cuda and an NVIDIA GPU"):
        cuda.CudaRules(ub.load_game("tic-tac-toe"))


def test_a_rule_that_does_not_compile_is_explained_in_a_line() -> None:
    told = (
        "Failed in cuda mode pipeline (step: nopython)\n\x1b[1mNo implementation\n >>> zeros(int64)"
    )
    explained = cuda._explained(ValueError(told))
    assert explained.endswith("they call zeros(int64), which Numba does not offer there")
    assert cuda._explained(ValueError("Failed in cuda mode pipeline\nwhy")).endswith("GPU: why")


@needs_gpu
@pytest.mark.parametrize("text", [*SMALL, "connect-four", "breakthrough", "kalah", "othello"])
def test_kernels_say_what_the_plain_rules_say(text: str) -> None:
    from numba import cuda as device

    game = ub.load_game(text)
    states = visited(game, 300)
    expected = Expected(game, states)
    arrays = Arrays(game, states, expected.counts)
    on = SimpleNamespace(**{k: device.to_device(array) for k, array in vars(arrays).items()})
    run(cuda.CudaRules(game), on)
    for name, array in vars(on).items():
        setattr(arrays, name, array.copy_to_host())
    compare(game, arrays, expected)
