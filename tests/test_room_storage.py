# SPDX-License-Identifier: MIT
"""Saving rooms when the server stops, and loading them again."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest
from serving import GENEROUS, Address, Page, serving
from soaking import repeated

from unbounded.interfaces.web.limits import Limits
from unbounded.interfaces.web.room_manager import RoomManager
from unbounded.interfaces.web.search_thread import SearchThread
from unbounded.search.options import SearchOptions
from unbounded.search.search import Search

ENDINGS = repeated(2, soak=50)
"""How often a server is terminated while it searches."""


def test_a_search_is_saved_and_continued(tmp_path: Path) -> None:
    with serving(folder=tmp_path) as first:
        page = Page(first)
        page.begin("othello", "human", "human")
        page.request("move", name=page.position["actions"][0]["name"])
        page.analyze()
        page.until(lambda: page.analysis["states"] > 2000)
        room, moves = page.game["room"], page.game["moves"]
    assert Search.load(tmp_path / f"{room}.search").states > 2000
    with serving(folder=tmp_path) as second:
        page = Page(second, room)
        assert page.game["moves"] == moves
        assert page.analysis["state"] == "paused" and page.analysis["states"] > 2000
        page.close()


def test_saving_may_take_longer_than_other_calls(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A large search is not lost because it takes long to write."""
    save = Search.save
    monkeypatch.setattr("unbounded.interfaces.web.search_thread.CALL_TIMEOUT", 0.1)
    monkeypatch.setattr(SearchThread.call, "__defaults__", (0.1,))
    monkeypatch.setattr(Search, "save", lambda *arguments: (time.sleep(0.5), save(*arguments)))
    rooms = RoomManager(folder=tmp_path)
    rooms.enter(None).analyze(SearchOptions())
    rooms.close()
    (saved,) = tmp_path.glob("*.search")
    assert Search.load(saved).moves == []


def test_damaged_files_are_ignored(tmp_path: Path) -> None:
    (tmp_path / "abc.json").write_text('{"format": "unbounded game"')
    (tmp_path / "abc.search").write_bytes(b"nonsense")
    with serving(folder=tmp_path) as running:
        page = Page(running, "abc")
        assert page.game["game"] == "connect-four"
        page.close()


def test_a_search_that_is_older_than_the_game(tmp_path: Path) -> None:
    """The analysis moves to the position on the board."""
    with serving(folder=tmp_path) as first:
        page = Page(first)
        page.begin("othello", "human", "human")
        page.analyze()
        page.until(lambda: page.analysis["states"] > 1000)
        room = page.game["room"]
    move = page.position["actions"][0]["name"]
    kept = json.loads((tmp_path / f"{room}.json").read_text())
    (tmp_path / f"{room}.json").write_text(json.dumps(kept | {"moves": [move]}))
    with serving(folder=tmp_path) as second:
        page = Page(second, room)
        assert page.game["moves"] == page.analysis["moves"] == [move]
        page.close()


def test_a_failure_to_save_affects_no_other_room(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    rooms = RoomManager(Limits(rooms=1), folder=tmp_path / "nowhere")
    room = rooms.enter(None)
    room.new_game("tic-tac-toe", ["human", "human"], 1.0)
    rooms.leave(room)
    assert rooms.enter(None).viewers == 1
    assert "was not saved" in capfd.readouterr().err
    rooms.close()


def test_the_folder_has_a_limited_size(tmp_path: Path) -> None:
    """Older games are removed; the browser still has their moves."""
    rooms = RoomManager(Limits(rooms=1, disk=5 * 4096), folder=tmp_path)
    names = []
    for _ in range(12):
        room = rooms.enter(None)
        room.new_game("tic-tac-toe", ["human", "human"], 1.0)
        names.append(room.name)
        rooms.leave(room)
    rooms.close()
    kept = {path.stem for path in tmp_path.iterdir()}
    assert kept == set(names[-5:]), "the newest ones"


def test_an_untouched_board_is_not_saved(tmp_path: Path) -> None:
    rooms = RoomManager(folder=tmp_path)
    rooms.enter(None)
    rooms.close()
    assert list(tmp_path.iterdir()) == []


def test_the_page_reports_what_could_not_be_saved(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with serving(Limits(disk=4096), folder=tmp_path) as first:
        page = Page(first)
        page.begin("othello", "human", "human")
        page.analyze()
        room = page.game["room"]
    assert [path.name for path in tmp_path.iterdir()] == [f"{room}.json"]
    assert "the analysis of this game was not saved" in capfd.readouterr().err
    with serving(folder=tmp_path) as second:
        page = Page(second, room)
        page.until(lambda: "error" in page.events)
        assert "was not saved" in page.events["error"] and "--disk" in page.events["error"]
        assert page.game["game"] == "othello"
        page.close()


def test_the_newer_copy_of_a_game_wins(tmp_path: Path) -> None:
    """A server is stopped, the next one is killed: its folder is older than the browser's copy."""
    with serving(folder=tmp_path) as first:
        page = Page(first)
        page.begin("connect-four", "human", "human")
        for name in "123":
            page.move(name)
        page.analyze()
        page.until(lambda: page.analysis["moves"] == ["1", "2", "3"])
        room, older = page.game["room"], page.copy()
    saved = {path: path.read_bytes() for path in tmp_path.iterdir()}
    with serving(folder=tmp_path) as second:
        page = Page(second, room)
        for name in "45":
            page.move(name)
        newer = page.copy()
    for path, contents in saved.items():  # as if it had been killed
        path.write_bytes(contents)
    with serving(folder=tmp_path) as third:
        page = Page(third, room)
        assert page.game["moves"] == ["1", "2", "3"]
        assert page.request("restore", game=older) is False
        assert page.request("restore", game=newer) is True
        page.until(lambda: page.game["moves"] == list("12345"))
        page.until(lambda: page.analysis.get("moves") == list("12345"))
        assert page.request("restore", game=newer) is False, "both copies are the same now"
        assert page.request("restore", game=older) is False
        assert page.game["moves"] == list("12345")
        page.close()


@pytest.mark.parametrize("room", ["../abc", "a/b", "..", "abc.json", "a" * 100, "%2e%2e", ""])
def test_no_name_leads_out_of_the_folder(tmp_path: Path, room: str) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    (tmp_path / "abc.json").write_text("{}")
    rooms = RoomManager(folder=inner)
    assert rooms.enter(room).name != room
    rooms.close()


def test_sigterm_during_a_search_saves_it(tmp_path: Path) -> None:
    """The saved search can be loaded."""
    for number in range(ENDINGS):
        folder = tmp_path / str(number)
        command = [sys.executable, "-m", "unbounded", "serve", "othello", "--no-browser"]
        command += ["--port", "0", "--save", str(folder)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as program:
            assert program.stdout is not None
            link = program.stdout.readline().split()[-1]
            page = Page(Address(link))
            page.request("analyze", algorithm="ubfm")
            page.until(lambda: page.analysis.get("states", 0) > 20_000)  # noqa: B023
            program.terminate()
            assert program.wait(timeout=GENEROUS) == 0
            page.close()
        (saved,) = folder.glob("*.search")
        assert Search.load(saved).states > 20_000
