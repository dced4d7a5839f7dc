# SPDX-License-Identifier: MIT
"""Rules on a GPU beside rules on the CPU: are they equal, and how many states a second?

    python benchmarks/gpu_rules.py [GAME ...] [--states 100000] [--device cuda] [--seconds 50]

Each line printed is JSON. `equal` compares actions, children, movers, outcomes, scores and planes
of all children of random states with the C functions that the core calls. Rates are of parent
states per second, each with all its children and their planes: `gpu` on the device, `cpu_1` by the
core's functions on one thread, `cpu_all` on all. A game that fails is told, and the next one runs;
none is started after the seconds given. With --device cpu, loops on one core replace the kernels.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import math
import os
import random
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numba
import numpy as np
import torch

from unbounded.game import RecordGame
from unbounded.game.catalogue import load_game
from unbounded.learning.tensor_rules import TensorRules
from unbounded.native.compiling import compile_game

GAMES = (
    "connect-four",
    "breakthrough(rows=6,columns=6)",
    "othello",
    "hex(size=7)",
    "connect-four(players=3)",
)
SECONDS = 0.4
"""How long each rate is measured."""


class CoreFunctions:
    """The functions `expand` and `encode` that the core calls, called in a loop without Python."""

    def __init__(self, game: RecordGame) -> None:
        compiled = compile_game(game)
        self.game = game
        self.stride = (game.state.size + 7) // 8 * 8
        address = ctypes.c_size_t
        self._expand = ctypes.CFUNCTYPE(ctypes.c_int32, *[address] * 8)(compiled.address("expand"))
        self._encode = ctypes.CFUNCTYPE(ctypes.c_int32, address, ctypes.c_int64, address, address)(
            compiled.address("encode")
        )
        self._sweep = _sweeping(self._expand, self._encode)

    def room(self) -> dict[str, Any]:
        """Return arrays for what is known of the children of one state."""
        most, players = self.game.max_actions, self.game.players
        return {
            "request": np.zeros(5, np.int32),
            "actions": np.zeros(most, np.int32),
            "states": np.zeros(most * self.stride, np.uint8),
            "counts": np.zeros(most, np.int32),
            "movers": np.zeros(most, np.int32),
            "outcomes": np.zeros((most, players), np.int32),
            "scores": np.zeros((most, players), np.float32),
            "scratch": np.zeros(math.prod(self.game.planes), np.float64),
            "planes": np.zeros((most, math.prod(self.game.planes)), np.float32),
        }

    def expanding(self, room: dict[str, Any]) -> Any:
        """Return a function that expands a state, and returns how many children it has."""
        names = ("request", "actions", "states", "counts", "movers", "outcomes", "scores")
        addresses = [room[name].ctypes.data for name in names]
        state = np.zeros(self.game.state.size, np.uint8)
        given, where, request = memoryview(state), state.ctypes.data, room["request"]
        asked = np.array([-1, 0, self.game.max_actions, self.game.max_actions, 0], np.int32)

        def expand(packed: bytes) -> int:
            given[:] = packed
            request[:] = asked
            if self._expand(where, *addresses) != 0:
                raise RuntimeError(f"the rules of {self.game} failed")
            return int(request[0])

        return expand

    def sweep(self, states: np.ndarray) -> int:
        """Expand and encode the children of all states; return how many children there were."""
        sizes = (self.game.max_actions, self.stride, self.game.state.size)
        return int(self._sweep(states, sizes, *self.room().values()))


def _sweeping(expand: Any, encode: Any) -> Any:
    @numba.njit(nogil=True)
    def sweep(  # noqa: PLR0917
        parents, sizes, request, actions, states, counts, movers, outcomes, scores, scratch, planes
    ):
        most, stride, size = sizes
        children = 0
        for i in range(len(parents)):
            request[0], request[1], request[2], request[3], request[4] = -1, 0, most, most, 0
            expand(
                parents[i].ctypes.data, request.ctypes.data, actions.ctypes.data,
                states.ctypes.data, counts.ctypes.data, movers.ctypes.data, outcomes.ctypes.data,
                scores.ctypes.data,
            )  # fmt: skip
            for k in range(request[0]):
                encode(
                    states[k * stride : k * stride + size].ctypes.data, 1, scratch.ctypes.data,
                    planes[k].ctypes.data,
                )  # fmt: skip
            children += request[0]
        return children

    return sweep


def random_states(core: CoreFunctions, count: int) -> tuple[list[bytes], dict[str, Any]]:
    """Play random games; return the states visited, and what the core's functions say of them."""
    game, chance, room = core.game, random.Random(1), core.room()
    size, stride, initial = game.state.size, core.stride, game.initial()
    expand, numbers, rows = core.expanding(room), [], room["states"].reshape(-1, stride)[:, :size]
    names = ("movers", "counts", "outcomes", "scores")
    state, states, actions, children = initial, [], [], []
    told: dict[str, list[bytes]] = {name: [] for name in names}
    for _ in range(count):
        found = expand(state)
        states.append(state)
        numbers.append(found)
        actions.append(room["actions"].tobytes())
        children.append(rows[:found].tobytes())
        for name in names:
            told[name].append(room[name][:found].tobytes())
        at = chance.randrange(found) * size if found else 0
        state = children[-1][at : at + size] if found else initial
    flat = {k: np.frombuffer(b"".join(told[k]), room[k].dtype) for k in names}
    over = flat["counts"] == 0
    wide = {k: flat[k].reshape(-1, game.players) for k in ("outcomes", "scores")}
    known = {k: np.where(over[:, None], x, 0) for k, x in wide.items()}
    known["movers"] = np.where(over, -1, flat["movers"])
    known["actions"] = np.frombuffer(b"".join(actions), np.int32).reshape(count, -1)
    return states, known | {"counts": np.array(numbers), "children": b"".join(children)}


def differences(rules: TensorRules, states: list[bytes], told: dict[str, Any]) -> list[str]:
    """Return the names of what the device says otherwise."""
    children = rules.expand(rules.states(b"".join(states)))
    wrong = []
    for name in ("counts", "actions", "movers", "outcomes", "scores"):
        if not np.array_equal(getattr(children, name).cpu().numpy(), told[name]):
            wrong.append(name)
    if rules.packed(children.states) != told["children"]:
        wrong.append("children")
    planes = rules.encode(children.states).cpu().numpy()
    if not np.array_equal(planes, compile_game(rules.game).encode_many(told["children"])):
        wrong.append("planes")
    return wrong


def rate_of(rules: TensorRules, states: torch.Tensor) -> float:
    """States per second, each with its children and their planes."""

    def wait() -> None:
        if rules.device.type == "cuda":
            torch.cuda.synchronize()

    rules.encode(rules.expand(states).states)
    wait()
    started, rounds = time.perf_counter(), 0
    while time.perf_counter() - started < SECONDS:
        rules.encode(rules.expand(states).states)
        wait()
        rounds += 1
    return rounds * len(states) / (time.perf_counter() - started)


def core_rate(core: CoreFunctions, states: np.ndarray, threads: int) -> float:
    """As `rate_of`, by the core's functions on so many threads, each with a part of the states."""
    parts = np.array_split(states, threads)
    core.sweep(states[:10])
    with ThreadPoolExecutor(threads) as pool:
        started, rounds = time.perf_counter(), 0
        while time.perf_counter() - started < SECONDS:
            list(pool.map(core.sweep, parts))
            rounds += 1
        return rounds * len(states) / (time.perf_counter() - started)


def measure(text: str, count: int, device: str) -> dict[str, Any]:
    """Compare and measure one game."""
    game = load_game(text)
    core = CoreFunctions(game)
    states, told = random_states(core, count)
    started = time.perf_counter()
    rules = TensorRules(game, device)
    on_device = rules.states(b"".join(states[:1]))
    rules.encode(rules.expand(on_device).states)
    compiling = time.perf_counter() - started
    wrong = differences(rules, states, told)
    rows = np.frombuffer(b"".join(states), np.uint8).reshape(count, -1)
    threads = len(os.sched_getaffinity(0))
    row = {
        "game": text,
        "states": count,
        "children": len(told["movers"]),
        "equal": not wrong,
        "differ": wrong,
        "compile_seconds": round(compiling, 1),
        "gpu": round(rate_of(rules, rules.states(b"".join(states)))),
        "cpu_1": round(core_rate(core, rows, 1)),
        "threads": threads,
        "cpu_all": round(core_rate(core, rows, threads)),
    }
    row["gpu_over_cpu_all"] = round(row["gpu"] / row["cpu_all"], 1)
    return row


def main() -> int:
    """Measure all games; 1 if one of them differs or cannot be compiled."""
    parser = argparse.ArgumentParser()
    parser.add_argument("games", nargs="*", default=GAMES)
    parser.add_argument("--states", type=int, default=100_000)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--seconds", type=float, default=50.0)
    given = parser.parse_args()
    started, failed = time.perf_counter(), False
    for text in given.games:
        try:
            if time.perf_counter() - started > given.seconds:
                raise TimeoutError(f"not started after {given.seconds:g} seconds")
            row = measure(text, given.states, given.device)
        except Exception as error:  # whatever is wrong with one game, the others are measured
            row = {"game": text, "error": f"{type(error).__name__}: {error}"[:500]}
        failed |= not row.get("equal", False)
        print(json.dumps(row), flush=True)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
