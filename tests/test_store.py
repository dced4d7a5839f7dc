# SPDX-License-Identifier: MIT
"""The store: what is removed when it is full, and what never is."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from unbounded.game import UsageError
from unbounded.interfaces.web import store as module
from unbounded.interfaces.web.store import BLOCK, Store

GAME = {"format": "unbounded game", "moves": []}


def name(number: int) -> str:
    return f"room-{number:011}"


def fill(store: Store, count: int, size: int = 0) -> None:
    """Save games, each used later than the one before."""
    for number in range(count):
        if size:
            assert store.save_with_search(name(number), GAME, 1000 + number, size, writer(size))
        else:
            store.save(name(number), GAME, 1000 + number)


def writer(size: int) -> Any:
    return lambda path: path.write_bytes(b"x" * size)


def games(folder: Path) -> list[str]:
    return sorted(path.stem for path in folder.glob("*.json"))


def total(folder: Path) -> int:
    return sum(-(-path.stat().st_size // BLOCK) * BLOCK for path in folder.iterdir())


def test_the_oldest_are_removed_with_their_searches(tmp_path: Path) -> None:
    store = Store(tmp_path, 10 * BLOCK, tuple)
    fill(store, 8, size=BLOCK)
    assert games(tmp_path) == [name(number) for number in range(3, 8)]
    assert total(tmp_path) == 10 * BLOCK
    assert len(list(tmp_path.glob("*.search"))) == 5


def test_games_in_use_stay(tmp_path: Path) -> None:
    store = Store(tmp_path, 3 * BLOCK, lambda: [name(0)])
    fill(store, 6)
    assert games(tmp_path) == [name(0), name(4), name(5)]


def test_an_older_game_does_not_replace_newer_ones(tmp_path: Path) -> None:
    store = Store(tmp_path, 2 * BLOCK, tuple)
    fill(store, 2)
    with pytest.raises(UsageError, match="--disk"):
        store.save(name(9), GAME, 5)
    assert games(tmp_path) == [name(0), name(1)]


def test_nothing_is_removed_for_what_does_not_fit(tmp_path: Path) -> None:
    store = Store(tmp_path, 4 * BLOCK, tuple)
    fill(store, 3)
    assert not store.save_with_search(name(9), GAME, 2000, 4 * BLOCK, writer(1))
    assert games(tmp_path) == [name(0), name(1), name(2)]


def test_a_search_that_is_larger_than_expected(tmp_path: Path) -> None:
    store = Store(tmp_path, 4 * BLOCK, tuple)
    fill(store, 2)
    assert not store.save_with_search(name(9), GAME, 2000, 1, writer(5 * BLOCK))
    assert total(tmp_path) <= 4 * BLOCK
    assert store.save_with_search(name(9), GAME, 2000, 1, writer(3 * BLOCK))
    assert games(tmp_path) == [name(9)] and total(tmp_path) == 4 * BLOCK


def test_the_old_search_of_a_game_is_replaced(tmp_path: Path) -> None:
    store = Store(tmp_path, 4 * BLOCK, tuple)
    for used_at in (1000, 2000):
        assert store.save_with_search(name(0), GAME, used_at, 3 * BLOCK, writer(3 * BLOCK))
    store.save(name(0), GAME, 3000)
    assert [path.name for path in tmp_path.iterdir()] == [f"{name(0)}.json"]


def test_files_of_other_programs_stay(tmp_path: Path) -> None:
    """Even under a name that a server could have generated."""
    for other in ("six.search", "six.json", "notes.txt", f"{name(0)}.json", f"{name(1)}.json"):
        (tmp_path / other).write_text(json.dumps(GAME))
    os.utime(tmp_path / f"{name(0)}.json", (1, 1))
    os.utime(tmp_path / f"{name(1)}.json", (1, 1))
    store = Store(tmp_path, 4 * BLOCK, tuple)
    for number in range(2, 9):
        store.save(name(number), GAME, 1000 + number)
    assert games(tmp_path) == [name(0), name(1), name(7), name(8), "six"]
    assert (tmp_path / "six.search").exists() and (tmp_path / "notes.txt").exists()


def test_the_number_of_games_is_limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_GAMES", 3)
    store = Store(tmp_path, 1 << 30, tuple)
    fill(store, 7)
    assert games(tmp_path) == [name(4), name(5), name(6)]


def test_partial_files_of_killed_programs_are_removed(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as ended:
        ended.wait()
    dead = tmp_path / f".{name(0)}.search.{ended.pid}-0.partial"
    alive = tmp_path / f".{name(0)}.search.{os.getppid()}-0.partial"
    foreign = tmp_path / f".mine.search.{ended.pid}-0.partial"
    for path in (dead, alive, foreign):
        path.write_bytes(b"x")
    Store(tmp_path, 1 << 30, tuple)
    assert not dead.exists() and alive.exists() and foreign.exists()


def test_space_is_reserved_while_a_search_is_written(tmp_path: Path) -> None:
    store = Store(tmp_path, 6 * BLOCK, tuple)

    def save(path: Path) -> None:
        assert not store.save_with_search(name(1), GAME, 900, 4 * BLOCK, writer(1))
        writer(4 * BLOCK)(path)

    assert store.save_with_search(name(0), GAME, 1000, 4 * BLOCK, save)
    assert total(tmp_path) == 5 * BLOCK
