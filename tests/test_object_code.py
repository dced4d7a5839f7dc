# SPDX-License-Identifier: MIT
"""What stays in memory when rules were compiled: machine code, and what it refers to."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import unbounded as ub
from unbounded.game import Rules
from unbounded.games.nim import Nim
from unbounded.native.compiling import compile_game, object_code

numba = pytest.importorskip("numba")

GAMES = 6
MOST_MEGABYTES = 6.0
"""For a game. It takes 1.6; it took 14 while everything that is compiled was loaded and kept."""
GROWTH = f"""
import gc
import unbounded as ub
from unbounded.native.compiling import compile_game
from unbounded.storage.memory import process_memory

def compile_one(width):
    game = ub.load_game("connect-four", width=width, height=4)
    compiled = compile_game(game)
    compiled.addresses_for(canonical=True)
    compiled.address("evaluate")
    assert compiled.compiled > 0 and compiled.from_cache == 0

compile_one(4)
gc.collect()
before = process_memory()
for width in range(5, {5 + GAMES}):
    compile_one(width)
gc.collect()
print((process_memory() - before) / 1e6 / {GAMES})
"""


def in_another_process(program: str, cache: Path, *arguments: str) -> str:
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(cache), "PYTHONWARNINGS": "error"}
    command = [sys.executable, "-c", program, *arguments]
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout


def test_a_compiled_game_takes_little_memory(tmp_path: Path) -> None:
    assert float(in_another_process(GROWTH, tmp_path)) < MOST_MEGABYTES


def unloaded() -> int:
    """How many libraries there are of functions that were compiled and not loaded."""
    kind = object_code._unloaded_library()
    gc.collect()
    return sum(type(each) is kind for each in gc.get_objects())


def test_what_thunks_were_compiled_from_is_let_go(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(numba.config, "CACHE_DIR", "")
    before = unloaded()
    game: Any = ub.load_game("nim(heaps=[3,1,4,1,5])")
    compiled = compile_game(game)
    compiled.addresses_for(canonical=False)
    assert compiled.player(game.initial()) == 0
    assert unloaded() > before, "otherwise nothing is tested: these can be used for other thunks"
    del game, compiled
    assert unloaded() == before


class Talking(Nim):
    """A game whose rules print, which needs objects of Python while they run."""

    def rules(self) -> Rules:
        given, table = super().rules(), (1.5, 2.5)
        player = given.player

        def say_player(s: Any) -> int:
            if s.turn == 1:
                print("turn", s.turn, table, s.heaps)
            return int(player(s))

        return replace(given, player=say_player)


TALK = """
import gc, sys
sys.path.insert(0, sys.argv[1])
from test_object_code import Talking
from unbounded.native.compiling import compile_game

game = Talking()
compiled = compile_game(game)
state = game.next(game.initial(), 0)
compiled.player(state)
player = compiled._functions["player"]
from_cache = compiled.from_cache
del game, compiled
gc.collect()
kept = [bytes(size) for size in range(5000)]
assert player(state) == 1
print(from_cache)
"""


def test_rules_that_print_do_so_however_they_were_loaded(tmp_path: Path) -> None:
    here = str(Path(__file__).parent)
    first, again = (in_another_process(TALK, tmp_path, here).splitlines() for _ in range(2))
    assert (first[2], again[2]) == ("0", "1")
    line = "turn 1 (1.5, 2.5) [2 4 5]"
    assert first[:2] == again[:2] == [line, line]
