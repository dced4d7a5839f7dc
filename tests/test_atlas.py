# SPDX-License-Identifier: MIT
"""The atlas of solved games: what it has, that it is true, and that its maker survives kills."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from solving_checks import equilibria

import unbounded as ub
from unbounded.storage.fingerprint import fingerprint

DOCS = Path(__file__).parent.parent / "docs"
sys.path.append(str(DOCS))

import atlas_entry  # noqa: E402
import atlas_values  # noqa: E402
import make_atlas  # noqa: E402
from atlas_page import page  # noqa: E402

Entry = dict[str, Any]
BOARDS = make_atlas.read_boards(DOCS / "atlas_boards.txt")
ENTRIES: list[Entry] = make_atlas.read_entries(DOCS / "atlas.json")
SOLVED = [entry for entry in ENTRIES if entry["solved"]]
SOLVED_AGAIN = 5
"""Few, because their rules are compiled first."""


def sample() -> list[Entry]:
    """Some quick entries from all parts of the list, always the same ones."""
    quick = [e for e in SOLVED if e["states"] + e["probed"] <= 20_000]
    return [quick[(2 * n + 1) * len(quick) // (2 * SOLVED_AGAIN)] for n in range(SOLVED_AGAIN)]


# -- what the atlas has ----------------------------------------------------------------------------


def test_it_has_as_many_boards_as_promised() -> None:
    assert len(SOLVED) >= 200
    assert sum(3 <= entry["players"] <= 6 for entry in SOLVED) >= 60
    assert {entry["board"] for entry in ENTRIES} <= set(BOARDS)
    shelf = {cls.__module__ for cls in ub.games().values()}
    shelf = {module for module in shelf if module.startswith("unbounded.games.")}
    there = {type(atlas_values.inside(ub.load_game(e["game"]))).__module__ for e in SOLVED}
    assert there == shelf


def test_every_game_string_is_that_of_its_board() -> None:
    for entry in ENTRIES:
        game = ub.load_game(entry["board"])
        assert str(game) == entry["game"]
        assert game.players == entry["players"]


def test_every_entry_is_complete() -> None:
    for entry in SOLVED:
        game = ub.load_game(entry["board"])
        assert len(entry["outcome"]) == game.players
        assert set(entry["outcome"]) <= {-1, 0, 1}
        assert (entry["score"] is not None) == game.has_score
        assert entry["equilibrium"] == (game.players > 2 or not game.zero_sum)
        certificate = entry["certificate"]
        if certificate is None:
            assert entry["no_certificate"]
        else:
            assert len(bytes.fromhex(certificate["sha256"])) == 32


def test_every_line_is_played_to_its_end_and_has_the_value_there() -> None:
    """By the plain rules: the best line ends the game with the outcome and the score proven."""
    for entry in SOLVED:
        game = ub.load_game(entry["board"])
        state = game.initial()
        for move in entry["line"]:
            state = game.next(state, game.parse_action(state, move))
        assert not list(game.actions(state)), entry["board"]
        assert list(game.outcome(state)) == entry["outcome"], entry["board"]
        if entry["score"] is not None:
            assert list(game.score(state)) == pytest.approx(entry["score"], abs=1e-6)


@pytest.mark.parametrize("entry", sample(), ids=lambda entry: entry["board"])
def test_quick_entries_are_solved_again(entry: Entry) -> None:
    game = ub.load_game(entry["board"])
    assert fingerprint(game).answers == entry["rules"], "the rules have changed"
    again = atlas_entry.entry_of(game, seconds=60.0, memory="2G")
    assert again["outcome"] == entry["outcome"]
    assert again["score"] == entry["score"]
    assert (again["certificate"] is None) == (entry["certificate"] is None)


@pytest.mark.parametrize(
    "board",
    [
        "blokus(size=3,pieces=3,players=3)",
        "chinese-checkers(size=1,players=2,horizon=8)",
        "connect-four(width=3,height=3,line=3,players=3)",
        "domineering(rows=3,columns=4,first=horizontal)",
        "dots-and-boxes(rows=1,columns=2,players=4)",
        "dots-and-boxes(rows=1,columns=3)",
        "hex(size=2)",
        "isolation(rows=2,columns=3)",
        "kalah(pits=2,seeds=4,empty_capture=true)",
        "nim(heaps=[1,2,3],players=5)",
        "nim(heaps=[3,4,5],players=3,misere=true)",
        "tie-breaking(nim(heaps=[3,4,5],players=3))",
    ],
)
def test_small_boards_by_backward_induction(board: str) -> None:
    """Over all states, by the plain rules; of more than two players, one of all equilibria."""
    (entry,) = [entry for entry in SOLVED if entry["board"] == board]
    game = ub.load_game(board)
    rows = equilibria(game, scores=game.has_score)[game.initial()]
    proven = entry["score"] or [0.0] * game.players
    assert tuple(zip(entry["outcome"], proven, strict=True)) in rows
    if game.players == 2 or board.startswith("tie-breaking"):
        assert len(rows) == 1


def test_the_page_is_what_the_entries_say() -> None:
    assert make_atlas.main(["--check"]) == make_atlas.OK


# -- contradictions --------------------------------------------------------------------------------


def test_every_contradiction_was_looked_into() -> None:
    found = atlas_values.contradictions(SOLVED)
    assert [one.board for one in found if not one.examined] == []
    assert "amazons(rows=5,columns=4)" in {one.board for one in found}


@pytest.mark.parametrize(
    ("board", "change"),
    [
        ("tic-tac-toe", {"outcome": [1, -1]}),
        ("kalah(pits=3,seeds=3)", {"score": [4.0, -4.0]}),
        ("connect-four(width=6,height=4)", {"outcome": [0, 0]}),
        ("quick-wins(mnk(columns=4),plies=100)", {"outcome": [0, 0]}),
    ],
)
def test_a_contradiction_stands_first_and_makes_the_program_fail(
    board: str, change: Entry, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong = [entry | (change if entry["board"] == board else {}) for entry in SOLVED]
    found = [x for x in atlas_values.contradictions(wrong) if x.board == board]
    assert found
    assert not any(one.examined for one in found)
    text = page(wrong, BOARDS)
    assert text.index(f"**`{board}`**") < text.index("## In numbers") < text.index("\n## amazons")
    make_atlas.write_entries(tmp_path / "atlas.json", wrong, BOARDS)
    code = make_atlas.write_page(
        tmp_path / "atlas.json", tmp_path / "atlas.md", BOARDS, check=False
    )
    assert code == make_atlas.CONTRADICTED
    assert f"CONTRADICTION (NEW) {board}" in capsys.readouterr().err


def test_where_a_value_is_known_from() -> None:
    said = {entry["board"]: atlas_values.sources(entry) for entry in SOLVED}
    assert said["tic-tac-toe"] == "published"
    assert said["dots-and-boxes(rows=1,columns=5)"].endswith("not compared")
    assert said["nim(heaps=[3,4,5],players=3)"] == atlas_values.UNPUBLISHED
    assert "who wins: " in said["quick-wins(mnk(columns=4),plies=100)"]


# -- the program -----------------------------------------------------------------------------------

QUICK = ["graph", "quick-wins(graph)", "unfolded(graph)"]
"""Boards whose rules are not compiled."""


def making(folder: Path, *more: str) -> subprocess.Popen[str]:
    """Start the program on a short list."""
    boards = folder / "boards.txt"
    if not boards.exists():
        boards.write_text("# a comment\n\n" + "\n".join(QUICK) + "\n", encoding="utf-8")
    command = [sys.executable, str(DOCS / "make_atlas.py"), "--boards", str(boards)]
    pipe = subprocess.PIPE
    return subprocess.Popen(
        [*command, "--folder", str(folder), *more], stdout=pipe, stderr=pipe, text=True
    )


def boards_in(folder: Path) -> list[str]:
    return [entry["board"] for entry in make_atlas.read_entries(folder / "atlas.json")]


def wait_for_entries(folder: Path, number: int) -> None:
    while len(boards_in(folder)) < number:
        time.sleep(0.01)


@pytest.mark.parametrize("blow", [signal.SIGKILL, signal.SIGINT], ids=str)
def test_a_killed_run_is_continued(blow: signal.Signals, tmp_path: Path) -> None:
    first = making(tmp_path)
    wait_for_entries(tmp_path, 1)
    first.send_signal(blow)
    first.communicate()
    there = boards_in(tmp_path)
    assert 1 <= len(there) < len(QUICK)
    before = json.loads((tmp_path / "atlas.json").read_text("utf-8"))["entries"][0]
    second = making(tmp_path)
    out, errors = second.communicate()
    assert second.returncode == make_atlas.OK, errors
    assert f"{len(QUICK)} boards, {len(QUICK) - len(there)} to solve" in out
    assert boards_in(tmp_path) == QUICK
    assert json.loads((tmp_path / "atlas.json").read_text("utf-8"))["entries"][0] == before
    assert (tmp_path / "atlas.md").exists()
    assert not list(tmp_path.glob(".*.partial"))


def test_only_some_boards_and_no_more_than_the_limit(tmp_path: Path) -> None:
    (tmp_path / "boards.txt").write_text("nim\ngomoku\n", encoding="utf-8")
    done = making(tmp_path, "--only", "omok", "--seconds", "0.01")
    _, errors = done.communicate()
    assert done.returncode == make_atlas.OK, errors
    (entry,) = make_atlas.read_entries(tmp_path / "atlas.json")
    assert (entry["board"], entry["solved"]) == ("gomoku", False)
    assert "`gomoku`: not within 0.01 s" in (tmp_path / "atlas.md").read_text("utf-8")
    wanted = make_atlas.wanted(["nim", "gomoku"], [entry], 0.01, "")
    assert wanted == ["nim"]
    assert make_atlas.wanted(["nim", "gomoku"], [entry], 0.02, "") == ["nim", "gomoku"]


def test_a_board_that_fails_does_not_stop_the_others(tmp_path: Path) -> None:
    (tmp_path / "boards.txt").write_text("nim(heaps=[0])\ngraph\n", encoding="utf-8")
    done = making(tmp_path, "--jobs", "2")
    _, errors = done.communicate()
    assert done.returncode == make_atlas.FAILED
    assert "FAILED nim(heaps=[0]): " in errors
    assert boards_in(tmp_path) == ["graph"]


def test_boards_on_ray_have_the_same_entries(tmp_path: Path) -> None:
    pytest.importorskip("ray", reason="Ray is not installed: pip install 'unbounded[ray]'")
    (tmp_path / "boards.txt").write_text("nim(heaps=[0])\ngraph\n", encoding="utf-8")
    here, there = tmp_path / "here", tmp_path / "there"
    for folder, more in ((here, []), (there, ["--ray", "--memory", "500M"])):
        folder.mkdir()
        done = making(folder, "--boards", str(tmp_path / "boards.txt"), *more)
        _, errors = done.communicate()
        assert done.returncode == make_atlas.FAILED, errors
        assert "FAILED nim(heaps=[0]): " in errors
    (entry,), (on_ray,) = (make_atlas.read_entries(f / "atlas.json") for f in (here, there))
    assert on_ray | {"seconds": 0} == entry | {"seconds": 0}
