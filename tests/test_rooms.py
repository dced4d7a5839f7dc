# SPDX-License-Identifier: MIT
"""Rooms: what they share, their limits, and what they cannot do to each other."""

from __future__ import annotations

import contextlib
import json
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from serving import GENEROUS, Page, Steps, connected, get, host, serving, wait_until

from unbounded.game import UsageError
from unbounded.interfaces.web import requests
from unbounded.interfaces.web.game_setup import GameSetup
from unbounded.interfaces.web.limits import Limits
from unbounded.interfaces.web.room_manager import RoomManager
from unbounded.interfaces.web.server import Server
from unbounded.players import read_kind
from unbounded.search.options import SearchOptions


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with serving(Limits(move_seconds=2)) as running:
        yield running


@pytest.fixture
def page(server: Server) -> Iterator[Page]:
    with contextlib.closing(Page(server)) as opened:
        yield opened


def test_an_analysis_has_its_share_of_memory() -> None:
    with serving(Limits(room_memory=8 << 20)) as small:
        page = Page(small)
        page.begin("othello")
        page.request("analyze", algorithm="ubfm")
        page.until(lambda: page.analysis["state"] == "paused" and page.analysis["states"] > 1000)
        assert page.analysis["memory"] <= 9 << 20
        page.close()


def test_searches_at_the_same_time() -> None:
    with serving(Limits(searches=1, room_memory=4 << 30)) as small:  # it runs until it is stopped
        first, second = Page(small), Page(small)
        for page in (first, second):
            page.begin("othello")
        first.analyze()
        second.request("analyze", algorithm="ubfm")
        second.until(lambda: second.analysis.get("failure") is not None)
        assert "too many searches" in second.analysis["failure"]
        second.request("move", name=second.position["actions"][0]["name"])
        second.until(lambda: "error" in second.events)
        first.request("stop")
        second.request("retry_machine")
        second.until(lambda: len(second.game["moves"]) == 2)
        first.close(), second.close()


def test_the_number_of_rooms_is_limited() -> None:
    rooms = RoomManager(Limits(rooms=3))
    taken = [rooms.enter(None) for _ in range(3)]
    with pytest.raises(Exception, match="too many pages"):
        rooms.enter(None)
    rooms.leave(taken[0])
    assert rooms.enter(None).name != taken[0].name
    rooms.close()


def test_a_game_between_machines_needs_a_viewer(server: Server) -> None:
    page = Page(server)
    page.begin("othello", "ubfm", "mcts", seconds=0.05)
    page.until(lambda: len(page.game["moves"]) > 2)
    room = server.rooms._rooms[page.game["room"]]
    page.close()
    wait_until(lambda: room.viewers == 0 and not room.turns.thinking)
    assert room.game is not None
    moves = list(room.game.session.moves)
    time.sleep(0.5)
    assert room.game.session.moves == moves and not room.game.session.over
    again = Page(server, room.name)
    again.until(lambda: len(again.game["moves"]) > len(moves))
    again.request("new", game="tic-tac-toe", seats=["human", "human"])
    again.close()


def test_many_machines_share_the_memory() -> None:
    setup = GameSetup(Limits())
    for kind, most in (("max-n", 4 * 64), ("mcts", 4 * 64)):
        seats = setup.seats([kind] * 100, 1.0)
        assert sum(float(read_kind(seat).megabytes) for seat in seats) <= most  # type: ignore[attr-defined]
    (alone,) = setup.seats(["ubfm"], 1.0)
    assert read_kind(alone).memory == str(64 << 20)  # type: ignore[attr-defined]


def test_no_room_without_memory() -> None:
    rooms = RoomManager(Limits(memory=1 << 20))
    with pytest.raises(UsageError, match="out of memory"):
        rooms.enter(None)
    assert rooms._rooms == {}


def test_no_board_without_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    rooms = RoomManager()
    room = rooms.enter(None)
    monkeypatch.setattr(
        "unbounded.interfaces.web.limits.process_memory", lambda: 2 * rooms.limits.memory
    )
    with pytest.raises(UsageError, match="out of memory"):
        room.go(["4"], 1)
    rooms.close()


def test_when_memory_is_short_unwatched_analyses_are_closed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rooms = RoomManager()
    left, watched, plain = (rooms.enter(None) for _ in range(3))
    for room in (left, watched):
        room.analyze(SearchOptions())
    rooms.leave(left), rooms.leave(plain)
    monkeypatch.setattr(
        "unbounded.interfaces.web.limits.process_memory", lambda: rooms.limits.memory
    )
    rooms.enter(None)
    assert left.name not in rooms._rooms
    assert {watched.name, plain.name} <= set(rooms._rooms)
    rooms.close()


def test_machines_stay_within_limits(page: Page) -> None:
    page.begin("tic-tac-toe", "human", "mcts(simulations=1000000000000)", seconds=0.1)
    assert "seconds=0.1" in page.game["seats"][1]
    for bad in ("mcts(playouts=100000)", "ubfm(evaluation=playouts(1000000))", "nobody", "ubfm("):
        with pytest.raises(ValueError):
            page.request("new", game="tic-tac-toe", seats=["human", bad], seconds=0.1)
    page.request("new", game="tic-tac-toe", seats=["human", "ubfm(seconds=1000000)"], seconds=0.1)
    page.until(lambda: "seconds=2" in page.game["seats"][1])


def test_an_error_stays_in_its_room(
    server: Server, page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = Page(server)
    page.begin("tic-tac-toe", "human", "human")
    other.begin("tic-tac-toe", "human", "human")
    broken = server.rooms.enter(page.game["room"])
    monkeypatch.setattr(broken, "move", lambda name: 1 / 0)
    with pytest.raises(ValueError, match="ZeroDivisionError"):
        page.request("move", name="b2")
    other.request("move", name="b2")
    other.until(lambda: other.game["moves"] == ["b2"])
    other.close()


class Broken(Steps):
    """A game with a rule that fails."""

    def __init__(self, where: str) -> None:
        self.where = where

    def initial(self) -> int:
        return self._unless("initial", 0)

    def show(self, state: int) -> str:
        return str(self._unless("show", state))

    def _unless(self, where: str, answer: int) -> int:
        if where == self.where:
            raise KeyError(f"{where} fails")
        return answer


@pytest.mark.parametrize("where", ["initial", "show"])
def test_a_game_that_cannot_be_shown_is_reported(
    where: str, capfd: pytest.CaptureFixture[str]
) -> None:
    with serving(Limits(rooms=2), game=Broken(where)) as running:
        for _ in range(4):  # more often than there are rooms
            with connected(running) as connection:
                message = json.loads(connection.recv(timeout=GENEROUS))
            assert message["event"] == "error" and f"{where} fails" in message["data"]
    assert "Traceback" not in capfd.readouterr().err


def test_a_closing_page_does_not_block_others(server: Server, page: Page) -> None:
    """Its room is busy; the server is not."""
    leaving = Page(server)
    room = server.rooms._rooms[leaving.game["room"]]
    with room._lock:
        leaving.close()
        time.sleep(0.2)
        assert get(server, "/health", Host=host(server)).status == 200
        assert page.request("games")["players"]


def test_health_needs_no_cookie(server: Server) -> None:
    assert get(server, "/health", Host=host(server)).status == 200


def test_stopping_during_a_request_is_quiet(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(requests.REQUESTS, "games", lambda *_: time.sleep(3))
    with serving() as running:
        page = Page(running)
        page.send('{"request": "games"}')
        time.sleep(0.3)
    page.close()
    assert capfd.readouterr().err == ""


def test_errors_of_the_command(tmp_path: Path) -> None:
    def serve(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "unbounded", "serve", "--no-browser", *arguments]
        return subprocess.run(
            command, capture_output=True, text=True, timeout=GENEROUS, check=False
        )

    with socket.create_server(("127.0.0.1", 0)) as taken:
        busy = serve("--port", str(taken.getsockname()[1]))
    assert busy.returncode == 2 and "--port 0" in busy.stderr
    unknown = serve("conect-four")
    assert unknown.returncode == 2 and "connect-four" in unknown.stderr
    (tmp_path / "file").touch()
    folder = serve("--save", str(tmp_path / "file" / "folder"))
    assert folder.returncode == 2 and "cannot be made" in folder.stderr
    assert serve("--searches", "0").returncode == 2
    size = serve("--disk", "much")
    assert size.returncode == 2 and "--disk" in size.stderr
    for said in (busy, unknown, folder, size):
        assert said.stderr.count("\n") == 1 and said.stdout == ""


def test_serving_other_machines_gives_a_warning() -> None:
    command = [sys.executable, "-m", "unbounded", "serve", "--no-browser", "--port", "0"]
    with subprocess.Popen(
        [*command, "--host", "::"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as program:
        assert program.stderr is not None
        assert "others can reach this page" in program.stderr.readline()
        program.terminate()
