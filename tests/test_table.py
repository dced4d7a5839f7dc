# SPDX-License-Identifier: MIT
"""Tables of proven positions: what they say is true, whatever kind of file they are."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import pyarrow.parquet
import pytest
from solving_checks import worths_of
from test_cli import Here, here, is_one_line, on_terminal  # noqa: F401

import unbounded as ub
from unbounded.conformance.random_games import random_graph
from unbounded.game import Game, RuleError, UsageError
from unbounded.games.graph import Graph
from unbounded.search.budget import Budget
from unbounded.search.search import Search
from unbounded.search.tree import Node
from unbounded.solving import table
from unbounded.solving.proven_positions import key_of, positions_of
from unbounded.solving.strong import resolve_all
from unbounded.solving.table import export, query
from unbounded.solving.table_files import KINDS


def solved(text: str | Game[Any, Any], **options: Any) -> Search:
    search = ub.Search(text, **options)
    assert resolve_all(search, Budget()).resolved
    return search


def random_games(game: Game[Any, Any], count: int) -> Iterator[tuple[list[str], Any]]:
    """Positions along random games, each with the moves that lead to it."""
    random = Random(3)
    for _ in range(count):
        state, moves = game.initial(), []
        while True:
            yield list(moves), state
            actions = list(game.actions(state))
            if not actions:
                break
            action = random.choice(actions)
            moves.append(game.action_name(state, action))
            state = game.next(state, action)


def best_names(game: Game[Any, Any], worths: Any, state: Any) -> set[str]:
    """The best actions by brute force."""
    if not game.actions(state):
        return set()
    sign = 1 if game.player(state) == 0 else -1
    values = {a: sign * worths[game.next(state, a)][0] for a in game.actions(state)}
    top = max(values.values())
    return {game.action_name(state, a) for a, value in values.items() if value == top}


@pytest.mark.parametrize("canonical", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_every_position_is_found_and_true(kind: str, canonical: bool, tmp_path: Path) -> None:
    text = "tic-tac-toe"
    game, worths = ub.load_game(text), worths_of(text)
    path = tmp_path / f"table.{kind}"
    written = export(solved(text, canonical=canonical), path)
    assert written.kind == kind
    assert written.positions == (765 if canonical else 5478)
    assert written.bytes == path.stat().st_size
    for moves, state in random_games(game, 4 if kind == "jsonl" else 12):
        found = query(path, moves)
        assert found is not None
        first = worths[state][0]
        assert found.outcome == (first, -first)
        assert found.player == (game.player(state) if game.actions(state) else None)
        assert set(found.best) == best_names(game, worths, state)
        assert (found.distance == 0) == (not game.actions(state))


def test_the_kinds_say_the_same(tmp_path: Path) -> None:
    search = solved("kalah(pits=2,seeds=2)")
    rows = {row.key: row for row in positions_of(search)}
    paths = [tmp_path / f"x.{kind}" for kind in KINDS]
    for path in paths:
        export(search, path)
    for moves, state in random_games(search.game, 5):
        row = rows[key_of(search.game, state, canonical=False)]
        assert [query(path, moves) for path in paths] == [row] * 3


def test_distances_are_those_of_a_line(tmp_path: Path) -> None:
    """Playing the best line of any position takes as many moves as the table says."""
    search = solved("connect-four(width=4,height=3,line=3)")
    distances = {row.key: row.distance for row in positions_of(search)}
    for number in range(0, search.states, 97):
        node = Node(search, number)
        line = list(node.pv())
        assert distances[key_of(search.game, node.state, canonical=False)] == len(line)
        assert node.is_terminal or line[-1][1].is_terminal


def test_only_what_is_proven_is_written(tmp_path: Path) -> None:
    search = ub.Search("tic-tac-toe")
    search.run(iterations=300)
    rows = list(positions_of(search))
    assert 0 < len(rows) == search._core.resolved < search.states
    worths = worths_of("tic-tac-toe")
    for row in rows:
        first = worths[bytes.fromhex(row.key)][0]
        assert row.outcome == (first, -first)
    export(search, tmp_path / "x.sqlite")
    assert query(tmp_path / "x.sqlite", "") is None


def test_games_on_objects_and_of_many_players(tmp_path: Path) -> None:
    for game in (
        Graph(),
        random_graph(5, players=(3, 3)),
        ub.load_game("nim(heaps=[1,2],players=3)"),
    ):
        search = solved(game)
        path = tmp_path / "x.sqlite"
        export(search, path)
        for moves, _ in random_games(game, 5):
            found = query(path, moves, game)
            assert found is not None
            there = solved(game, moves=moves)
            assert found.outcome == there.root.outcome


class Two(Game[tuple[int, int], int]):
    """Two heaps that may be swapped; whoever cannot take has lost."""

    zero_sum = True
    symmetries = 2

    def initial(self) -> tuple[int, int, int]:  # type: ignore[override]
        return (1, 3, 0)

    def player(self, state: Any) -> int:
        return int(state[2])

    def actions(self, state: Any) -> list[int]:
        return [k for k in range(2) if state[k] > 0]

    def next(self, state: Any, action: int) -> Any:
        heaps = list(state[:2])
        heaps[action] -= 1
        return (*heaps, 1 - state[2])

    def outcome(self, state: Any) -> list[int]:
        return [-1, 1] if state[2] == 0 else [1, -1]

    def symmetry(self, state: Any, k: int) -> Any:
        return (state[1], state[0], state[2])


def test_images_of_objects(tmp_path: Path) -> None:
    game = Two()
    path = tmp_path / "x.jsonl"
    export(solved(game, canonical=True), path)
    plain = solved(game)
    exact = {row.key: row for row in positions_of(plain)}
    for moves, state in random_games(game, 10):
        found = query(path, moves, game)
        assert found is not None
        there = exact[key_of(game, state, canonical=False)]
        assert set(found.best) == set(there.best)
        assert found.outcome == there.outcome


# -- states that print alike -----------------------------------------------------------------------


@dataclass(frozen=True)
class Heap:
    left: int
    turn: int

    def __repr__(self) -> str:  # as people write it: what the board shows
        return f"{self.left} left"


class Sticks(Game[Any, int]):
    """Take one to three sticks; whoever takes the last one wins."""

    zero_sum = True
    symmetries = 2
    make: Any = Heap

    def initial(self) -> Any:
        return self.make(9, 0)

    def player(self, state: Any) -> int:
        return int(state.turn)

    def actions(self, state: Any) -> list[int]:
        return [k for k in (1, 2, 3) if k <= state.left]

    def next(self, state: Any, action: int) -> Any:
        return self.make(state.left - action, 1 - state.turn)

    def outcome(self, state: Any) -> list[int]:
        return [-1, 1] if state.turn == 0 else [1, -1]

    def symmetry(self, state: Any, k: int) -> Any:
        return state


@pytest.mark.parametrize("canonical", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_states_that_print_alike(kind: str, canonical: bool, tmp_path: Path) -> None:
    game, path = Sticks(), tmp_path / f"x.{kind}"
    search = solved(game, canonical=canonical)
    assert export(search, path).positions == search.states == 18
    for moves, state in random_games(game, 5):
        found = query(path, moves, game)
        assert found is not None
        loser = state.turn if state.left % 4 == 0 else 1 - state.turn
        assert found.outcome == ((-1, 1) if loser == 0 else (1, -1))
        assert found.player == (state.turn if state.left else None)


OWN_FILE = """
from dataclasses import dataclass
from unbounded import Game

@dataclass(frozen=True)
class Heap:
    left: int
    turn: int

class Sticks(Game):
    zero_sum = True

    def initial(self):
        return Heap(5, 0)

    def player(self, state):
        return state.turn

    def actions(self, state):
        return [k for k in (1, 2) if k <= state.left]

    def next(self, state, action):
        return Heap(state.left - action, 1 - state.turn)

    def outcome(self, state):
        return (-1, 1) if state.turn == 0 else (1, -1)
"""


def test_a_game_in_a_file_that_was_touched(tmp_path: Path) -> None:
    """It is another module then, and its classes are others; the states are the same."""
    rules, path = tmp_path / "sticks.py", tmp_path / "x.sqlite"
    rules.write_text(OWN_FILE, encoding="utf-8")
    before = ub.load_game(str(rules))
    export(solved(before), path)
    os.utime(rules, ns=(1, 1))
    after = ub.load_game(str(rules))
    assert type(after) is not type(before)
    for moves, state in random_games(after, 3):
        found = query(path, moves, after)
        assert found is not None
        loser = state.turn if state.left % 3 == 0 else 1 - state.turn
        assert found.outcome == ((-1, 1) if loser == 0 else (1, -1))


class Own:
    """A state that says itself what is equal to it."""

    def __init__(self, left: int, turn: int) -> None:
        self.left, self.turn = left, turn

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Own) and (self.left, self.turn) == (other.left, other.turn)

    def __hash__(self) -> int:
        return hash((self.left, self.turn))


class OwnSticks(Sticks):
    make = Own


@dataclass(frozen=True)
class Unsteady(Heap):
    """Equal states have different hashes, so the search takes them for different ones."""

    def __hash__(self) -> int:
        return id(self)


class UnsteadySticks(Sticks):
    make = Unsteady


@pytest.mark.parametrize("kind", KINDS)
def test_states_that_cannot_be_told_apart_are_not_exported(kind: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="Own is compared in a way of its own"):
        export(solved(OwnSticks()), tmp_path / f"x.{kind}")
    with pytest.raises(RuleError, match="two states have the key"):
        export(solved(UnsteadySticks()), tmp_path / f"x.{kind}")
    assert list(tmp_path.iterdir()) == []


def with_version(path: Path, version: int) -> None:
    """Make a table of JSON lines say that it is of another version."""
    first, *rest = path.read_text(encoding="utf-8").splitlines(keepends=True)
    told = json.loads(first)
    if version == 1:
        del told["equilibrium"], told["scores_ignored"]
    path.write_text(json.dumps(told | {"version": version}) + "\n" + "".join(rest), "utf-8")


def test_tables_of_the_first_version(tmp_path: Path) -> None:
    """They are read where the key was exact: the bytes of a record."""
    path = tmp_path / "x.jsonl"
    export(solved("nim(heaps=[1,2],players=3)"), path)
    new = query(path)
    with_version(path, 1)
    assert query(path) == new
    assert new is not None
    assert new.note == "an equilibrium"
    export(solved(Sticks()), path)
    with_version(path, 1)
    with pytest.raises(UsageError, match="older version of this program"):
        query(path, game=Sticks())


@pytest.mark.parametrize("kind", ["jsonl", "parquet"])
def test_two_rows_about_one_position(kind: str, tmp_path: Path) -> None:
    path = tmp_path / f"x.{kind}"
    search = solved("nim(heaps=[1])")
    with pytest.MonkeyPatch.context() as patch:
        rows = list(positions_of(search))
        patch.setattr("unbounded.solving.table.positions_of", lambda *_: iter(rows * 2))
        export(search, path)
    with pytest.raises(UsageError, match="2 rows about one position"):
        query(path)


# -- more than two players -------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_it_is_said_what_the_outcomes_are(kind: str, here: Here, tmp_path: Path) -> None:  # noqa: F811
    path = tmp_path / f"x.{kind}"
    game = "dots-and-boxes(rows=1,columns=2,players=3)"
    for options, note in (
        ({}, "an equilibrium"),
        ({"resolve_on_win": True}, "an equilibrium of the outcomes alone, scores ignored"),
    ):
        export(solved(game, **options), path)
        found = query(path)
        assert found is not None
        assert found.note == note
        assert here("query", str(path)) == 0
        assert f"({note})" in " ".join(here.out.split())
        assert here("query", str(path), "--json") == 0
        assert json.loads(here.out)["scores_ignored"] == bool(options)
    export(solved("nim(heaps=[1,2])"), path)
    assert (query(path) or found).note == ""


# -- wrong use -------------------------------------------------------------------------------------


def test_the_name_decides(here: Here, tmp_path: Path) -> None:  # noqa: F811
    saved = tmp_path / "x.search"
    search = ub.Search("nim(heaps=[1])")
    search.run()
    search.save(saved)
    for kind in KINDS:
        path = tmp_path / f"x.{kind}"
        assert here("export", str(saved), "--output", str(path), "--json") == 0
        assert json.loads(here.out)["kind"] == kind
        assert query(path) is not None
    for output, kind, words in (
        ("y.parquet", ["--to", "jsonl"], "taken for parquet"),
        ("y", [], "does not say what kind"),
        ("y.parket", [], "did you mean 'parquet'"),
    ):
        assert here("export", str(saved), "--output", str(tmp_path / output), *kind) == 2
        assert words in here.err
        assert is_one_line(here.err)
    with pytest.raises(UsageError, match="taken for parquet"):
        export(search, tmp_path / "y.parquet", "jsonl")
    assert not [path for path in tmp_path.iterdir() if path.stem == "y"]


def test_a_full_disk(here: Here, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: F811
    saved = tmp_path / "x.search"
    search = ub.Search("nim(heaps=[1])")
    search.run()
    search.save(saved)

    def fail(*_: object) -> int:
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setitem(table.WRITERS, "sqlite", fail)
    assert here("export", str(saved)) == 1
    assert "x.sqlite cannot be written: database or disk is full" in here.err
    assert is_one_line(here.err)
    assert list(tmp_path.iterdir()) == [saved]


def test_only_what_is_stored_is_there_and_that_is_said(here: Here, tmp_path: Path) -> None:  # noqa: F811
    saved = str(tmp_path / "x.search")
    asked = ("solve", "connect-four(width=4,height=3)", "--quiet", "--save", saved)
    assert here(*asked) == 0
    assert here("export", saved) == 0
    assert "stored and proven" in here.out
    assert "--no-probes" in here.err
    assert is_one_line(here.err)
    assert here(*asked, "--no-probes", "--force") == 0
    assert here("export", saved, "--force") == 0
    assert here.err == ""


def test_an_unknown_kind(tmp_path: Path) -> None:
    search = solved("nim(heaps=[1])")
    with pytest.raises(UsageError, match="did you mean 'parquet'"):
        export(search, tmp_path / "x.parket")
    with pytest.raises(UsageError, match="sqlite, parquet, jsonl"):
        export(search, tmp_path / "x", "csv")
    assert list(tmp_path.iterdir()) == []


def test_what_is_no_table(tmp_path: Path) -> None:
    good = tmp_path / "good.sqlite"
    export(solved("nim(heaps=[1])"), good)
    foreign = tmp_path / "foreign.sqlite"
    with sqlite3.connect(foreign) as base:
        base.execute("CREATE TABLE about (text TEXT)")
    nameless = tmp_path / "nameless.parquet"
    pyarrow.parquet.write_table(pyarrow.table({"key": ["a"]}), nameless)
    contents = {
        "foreign parquet": nameless.read_bytes(),
        "certificate": b'{"format": "unbounded certificate", "version": 1, "game": "nim"}\n',
        "empty": b"",
        "text": b"hello\n",
        "json": b"[1]\n",
        "newer": json.dumps(
            {
                "format": "unbounded positions",
                "version": 3,
                "game": "nim(heaps=[1])",
                "canonical": False,
            }
        ).encode(),
        "cut": good.read_bytes()[:1000],
        "parquet": b"PAR1 and nothing else",
        "foreign": foreign.read_bytes(),
    }
    for name, content in contents.items():
        path = tmp_path / name
        path.write_bytes(content)
        with pytest.raises(UsageError, match="not a table of positions"):
            query(path)
    with pytest.raises(UsageError, match="there is no file"):
        query(tmp_path / "nowhere")
    with pytest.raises(UsageError, match="is about nim"):
        query(good, game="tic-tac-toe")
    with pytest.raises(UsageError, match="illegal move"):
        query(good, "9:9")


def test_a_table_names_no_file_to_run(tmp_path: Path) -> None:
    """A stranger's table must not say what Python to run."""
    trap = tmp_path / "trap.py"
    trap.write_text("raise SystemExit('ran')\n", encoding="utf-8")
    path = tmp_path / "x.jsonl"
    about = {"format": "unbounded positions", "version": 1, "canonical": False, "game": str(trap)}
    path.write_text(json.dumps(about) + "\n", encoding="utf-8")
    with pytest.raises(UsageError):
        query(path)


# -- the command line ------------------------------------------------------------------------------


def test_on_the_command_line(here: Here, tmp_path: Path) -> None:  # noqa: F811
    saved = tmp_path / "all.search"
    assert here("solve", "tic-tac-toe", "--all", "--save", str(saved), "--quiet") == 0
    assert here("export", str(saved), "--json") == 0
    told = json.loads(here.out)
    table = tmp_path / "all.sqlite"
    assert told == {
        "path": str(table),
        "kind": "sqlite",
        "positions": 5478,
        "bytes": table.stat().st_size,
    }
    other = tmp_path / "other"
    assert here("export", str(saved), "--to", "jsonl", "--output", str(other)) == 0
    assert "5,478" in here.out
    for path in (table, other):
        assert here("query", str(path), "--moves", "a1 a2", "--json") == 0
        found = json.loads(here.out)
        assert (found["outcome"], found["distance"]) == ([1, -1], 5)
        assert here("query", str(path), "--game", "tic-tac-toe", "--moves", "a1 a2") == 0
        assert "proven: player 1 wins" in here.out
        assert here("query", str(path), "--moves", "a1 a2 b1 b2 c1") == 0
        assert "the game is over" in here.out


def test_a_position_that_is_not_there(here: Here, tmp_path: Path) -> None:  # noqa: F811
    search = ub.Search("tic-tac-toe")
    search.run(iterations=100)
    path = tmp_path / "x.sqlite"
    export(search, path)
    assert here("query", str(path)) == 3
    assert is_one_line(here.err)
    assert here("query", str(path), "--json") == 3
    assert json.loads(here.out) is None


@pytest.mark.parametrize(
    "arguments",
    [
        ["export", "nowhere"],
        ["export", "README.md"],
        ["export", "."],
        ["query", "nowhere"],
        ["query", "README.md"],
        ["query", "."],
    ],
    ids=" ".join,
)
def test_wrong_use(here: Here, arguments: list[str]) -> None:  # noqa: F811
    assert here(*arguments) == 2
    assert is_one_line(here.err)
    assert here.out == ""


def test_a_kind_that_there_is_not(here: Here, tmp_path: Path) -> None:  # noqa: F811
    saved = tmp_path / "x.search"
    search = ub.Search("nim(heaps=[1])")
    search.run()
    search.save(saved)
    assert here("export", str(saved), "--to", "csv") == 2
    assert "sqlite, parquet, jsonl" in here.err
    assert here("export", str(saved), "--output", str(saved)) == 2
    assert here("export", str(saved), "--output", str(tmp_path / "no" / "x")) == 2
    assert list(tmp_path.iterdir()) == [saved]


@pytest.mark.parametrize("kind", KINDS)
def test_a_table_of_other_rules_is_refused(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    search = Search("nim(heaps=[1,2])")
    search.run()
    path = tmp_path / f"a.{kind}"
    export(search, path)
    assert query(path) is not None
    for digest in ("cpython-27 0", ""):  # of another version of Python, then none: no comparison
        monkeypatch.setattr(
            "unbounded.storage.fingerprint.rules_digest", lambda game, is_=digest: is_
        )
        assert query(path) is not None
    python = search.fingerprint.code.split()[0]
    monkeypatch.setattr("unbounded.storage.fingerprint.rules_digest", lambda game: f"{python} 0")
    with pytest.raises(UsageError, match="by other rules than those of today"):
        query(path)
    monkeypatch.setattr("unbounded.storage.fingerprint.rules_digest", lambda game: "")
    monkeypatch.setattr("unbounded.storage.fingerprint._answers", lambda game: "others")
    with pytest.raises(UsageError, match="by other rules than those of today"):
        query(path)


def test_progress_of_writing(tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    search = Search("tic-tac-toe")
    search.run()
    export(search, tmp_path / "t.jsonl", progress=lambda done, total: told.append((done, total)))
    assert told == sorted(told) and told[0][0] == 0
    assert {total for _, total in told} == {search.states}
    assert told[-1][0] > 0.9 * search.states


def test_export_shows_that_it_is_at_work(tmp_path: Path) -> None:
    search = Search("tic-tac-toe")
    search.run()
    search.save(tmp_path / "t.search")
    with on_terminal("export", str(tmp_path / "t.search"), "--json") as program:
        code, out = program.finish()
    assert code == 0 and json.loads(out)["positions"] > 0
    assert "reading, to write t.sqlite" in program.seen
    with on_terminal("export", str(tmp_path / "t.search"), "-q", "--to", "jsonl") as program:
        assert program.finish()[0] == 0 and program.seen == ""
