# SPDX-License-Identifier: MIT
"""Rooms: the game of a page, its analysis, and what pages may not do to each other."""

from __future__ import annotations

import json
import os
import random
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from serving import Address, Page, Steps, cookie, get, host, serving, wait_until
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from unbounded.game import UsageError
from unbounded.interfaces.web import requests, views
from unbounded.interfaces.web.analysis import Analysis
from unbounded.interfaces.web.room_manager import Limits, RoomManager
from unbounded.interfaces.web.server import Server
from unbounded.players import read_kind
from unbounded.search.search import Search

ENDINGS = int(os.environ.get("UNBOUNDED_ENDINGS", "2"))
"""How often a server is ended while it searches."""


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with serving(Limits(move_seconds=2)) as running:
        yield running


@pytest.fixture
def page(server: Server) -> Iterator[Page]:
    opened = Page(server)
    yield opened
    opened.close()


def begin(page: Page, game: str = "tic-tac-toe", *seats: str, seconds: float = 0.05) -> None:
    page.ask("new", game=game, seats=list(seats) or ["human", "ubfm-safest"], seconds=seconds)
    page.until(lambda: page.game["game"] == game and not page.game["moves"])


def analyse(page: Page, algorithm: str = "ubfm") -> None:
    page.ask("analyse", algorithm=algorithm)
    page.until(lambda: page.analysis.get("resolved") is not None)


# -- the game --------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", ["tic-tac-toe", "nim(players=3)", "hex(size=3)"])
def test_a_whole_game(page: Page, game: str) -> None:
    players = page.ask("seats", game=game)["players"]
    begin(page, game, "human", *["ubfm-safest"] * (len(players) - 1))
    page.play_out()
    assert len(page.game["outcome"]) == len(players)
    with pytest.raises(ValueError, match="not your turn"):
        page.ask("move", name="a1")


def test_a_move_that_is_not_legal_changes_nothing(page: Page) -> None:
    begin(page)
    with pytest.raises(ValueError, match=r"did you mean|legal"):
        page.ask("move", name="a9")
    assert page.game["moves"] == []


def test_undo_and_redo(page: Page) -> None:
    begin(page, "tic-tac-toe", "human", "greedy")
    page.ask("move", name="b2")
    page.until(lambda: len(page.game["moves"]) == 2)
    both = page.game["moves"]
    page.ask("undo")
    page.until(lambda: not page.game["moves"])
    assert page.game["can_redo"]
    page.ask("redo")
    page.until(lambda: page.game["moves"] == both)
    page.ask("undo")
    page.ask("move", name="a1")
    page.until(lambda: len(page.game["moves"]) == 2)
    assert not page.game["can_redo"]
    with pytest.raises(ValueError, match="nothing to play again"):
        page.ask("redo")


def test_undo_while_the_machine_thinks(page: Page) -> None:
    """What it was thinking about is gone, and so is its answer."""
    begin(page, "connect-four", "human", "ubfm", seconds=1.0)
    page.ask("move", name="4")
    page.ask("undo")
    page.until(lambda: not page.game["moves"])
    time.sleep(1.3)
    page.ask("games")
    assert page.game["moves"] == [] and page.game["yours"]


def test_redo_while_the_machine_thinks(page: Page) -> None:
    """The machine that moves first thinks anew after undo; its old move is played all the same."""
    begin(page, "connect-four", "ubfm", "human", seconds=1.0)
    page.until(lambda: page.game["yours"])
    first = page.game["moves"]
    page.ask("undo")
    page.until(lambda: page.game["thinking"])
    time.sleep(0.2)
    page.ask("redo")
    page.until(lambda: page.game["moves"] == first)
    time.sleep(1.3)
    page.ask("games")
    assert page.game["moves"] == first and page.game["yours"]


def test_nothing_to_take_back_while_the_machine_thinks(page: Page) -> None:
    page.ask("new", game="connect-four", seats=["ubfm", "human"], seconds=0.5)
    for what in ("undo", "redo"):
        with pytest.raises(ValueError, match="nothing to"):
            page.ask(what)
    page.until(lambda: page.game["yours"])
    assert len(page.game["moves"]) == 1


def test_resigning(page: Page) -> None:
    begin(page)
    page.ask("resign")
    page.until(lambda: page.game["over"])
    assert page.game["outcome"] == [-1, 1]


def test_export_and_import(page: Page) -> None:
    begin(page, "hex(size=3)", "human", "human")
    for name in ("b2", "a1"):
        page.ask("move", name=name)
    told = page.ask("export")
    begin(page)
    page.ask("import", game=told)
    page.until(lambda: page.game["game"] == "hex(size=3)")
    assert page.game["moves"] == ["b2", "a1"]
    bad: list[Any] = [None, 3, [], {}, told | {"moves": ["z9"]}, told | {"seats": "human"}]
    bad += [
        told | {"game": "/etc/passwd:Game"},
        told | {"version": 99},
        told | {"seats": ["x"] * 2},
    ]
    bad += [told | {"resigned": 5}, told | {"moves": [1, 2]}]
    for hostile in bad:
        with pytest.raises(ValueError):
            page.ask("import", game=hostile)
    assert page.game["moves"] == ["b2", "a1"], "what cannot be read changes nothing"


def test_coming_back(server: Server, page: Page) -> None:
    begin(page, "tic-tac-toe", "human", "human")
    page.ask("move", name="b2")
    room = page.game["room"]
    page.close()
    again = Page(server, room)
    assert (again.game["room"], again.game["moves"]) == (room, ["b2"])
    again.close()
    other = Page(server, "another")
    assert other.game["room"] not in (room, "another")
    other.close()


def test_two_pages_in_one_room(server: Server, page: Page) -> None:
    begin(page, "tic-tac-toe", "human", "human")
    other = Page(server, page.game["room"])
    page.ask("move", name="b2")
    other.until(lambda: other.game["moves"] == ["b2"])
    other.close()


# -- the analysis ----------------------------------------------------------------------------------


@pytest.mark.parametrize("algorithm", ["ubfm", "descent"])
def test_tic_tac_toe_is_a_proven_draw(page: Page, algorithm: str) -> None:
    begin(page)
    page.ask("analyse", algorithm=algorithm)
    page.until(lambda: page.analysis.get("resolved", False))
    assert page.analysis["outcome"] == [0, 0]
    assert page.analysis["value"] is None, "proven and estimated are not mixed"
    page.until(lambda: page.analysis["state"] == "paused")
    for action in page.analysis["actions"]:
        assert (action["outcome"] is None) != (action["value"] is None)


def test_it_streams_pauses_and_goes_on(page: Page) -> None:
    begin(page, "othello")
    analyse(page)
    seen = page.analysis["states"]
    page.until(lambda: page.analysis["states"] > seen)
    page.ask("pause")
    page.until(lambda: page.analysis["state"] == "paused")
    rest = page.ask("tree", path=[])
    time.sleep(0.4)
    assert page.ask("tree", path=[]) == rest, "what is paused does not change"
    states = page.analysis["states"]
    page.ask("resume")
    page.until(lambda: page.analysis["state"] == "going" and page.analysis["states"] > states)
    page.ask("stop")
    page.until(lambda: page.analysis["state"] == "none")
    with pytest.raises(ValueError, match="no analysis"):
        page.ask("tree", path=[])


def test_it_follows_the_game(page: Page) -> None:
    begin(page, "connect-four", "human", "human")
    analyse(page)
    for name in ("4", "4", "3"):
        page.ask("move", name=name)
    page.until(lambda: page.analysis.get("moves") == ["4", "4", "3"])
    page.ask("undo")
    page.until(lambda: page.analysis.get("moves") == ["4", "4"])
    assert page.analysis["state"] == "going"
    page.ask("stop")


def test_it_pauses_for_no_reason_but_the_one_it_says(server: Server) -> None:
    """Three take turns; none of them is short of memory, and none says so when it is paused."""
    pages = [Page(server) for _ in range(3)]
    for page in pages:
        begin(page, "othello", "human", "human")
        analyse(page)
    time.sleep(1)
    for page in pages:
        page.ask("pause")
        page.until(lambda: page.analysis["state"] == "paused")  # noqa: B023
        assert page.analysis["reason"] is None
        page.close()


def test_it_follows_the_game_to_its_end(page: Page) -> None:
    begin(page, "connect-four", "human", "human")
    for name in "12121":
        page.ask("move", name=name)
    analyse(page)
    for name in "21":
        page.ask("move", name=name)
    page.until(lambda: len(page.analysis.get("moves", "")) == 7)
    assert page.analysis["state"] == "paused" and page.analysis["outcome"] == [1, -1]
    assert page.analysis["actions"] == [] and page.ask("tree", path=[])["children"] == []


def test_undo_while_it_is_paused(server: Server, page: Page) -> None:
    """Everybody in the room is told the same: paused, at the position of the board."""
    begin(page, "othello", "human", "human")
    page.ask("move", name=page.game["actions"][0]["name"])
    analyse(page)
    page.ask("pause")
    page.ask("undo")
    page.until(lambda: page.analysis.get("moves") == [])
    other = Page(server, page.game["room"])
    assert page.analysis == other.analysis and page.analysis["state"] == "paused"
    other.close()


def test_an_analysis_that_cannot_follow_does_not_stop_the_game(
    server: Server, page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin(page, "tic-tac-toe", "human", "greedy")
    analyse(page)
    broken = server.rooms._rooms[page.game["room"]]
    monkeypatch.setattr(broken, "_follow", lambda: 1 / 0)
    page.ask("move", name="b2")
    page.until(lambda: len(page.game["moves"]) == 2 and page.game["yours"])
    page.until(lambda: page.analysis["state"] == "none")
    assert "ZeroDivisionError" in page.events["trouble"]


def test_rules_that_fail_in_a_report(page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    """The page is told, and the thread of the analysis answers still."""
    begin(page, "othello")
    monkeypatch.setattr("unbounded.interfaces.web.views.analysis_view", lambda _: 1 / 0)
    page.ask("analyse", algorithm="ubfm")
    page.until(lambda: page.analysis.get("failure") is not None)
    assert "ZeroDivisionError" in page.analysis["failure"]
    assert page.analysis["state"] == "paused"
    monkeypatch.undo()
    page.ask("resume")
    page.until(lambda: page.analysis["state"] == "going" and page.analysis.get("states", 0) > 0)
    page.ask("stop")


def test_what_has_ended_answers_at_once(server: Server, page: Page) -> None:
    begin(page, "othello")
    analyse(page)
    ended = server.rooms._rooms[page.game["room"]]._analysis()
    page.ask("stop")
    with pytest.raises(Exception, match="has ended"):
        ended.ask(lambda search: search.root)


def test_the_tree(page: Page) -> None:
    begin(page)
    page.ask("analyse", algorithm="ubfm")
    page.until(lambda: page.analysis.get("resolved", False))
    root = page.ask("tree", path=[])
    assert (root["count"], root["outcome"]) == (9, [0, 0])
    ranked = [child["name"] for child in root["children"]]
    assert ranked[0] == page.analysis["pv"][0]
    path: list[str] = []
    for _ in range(3):
        view = page.ask("tree", path=path)
        child = next(c for c in view["children"] if c["expanded"])
        path.append(child["name"])
    assert page.ask("look", path=path)["text"].count("X") == 2
    with pytest.raises(ValueError, match="not in the tree"):
        page.ask("tree", path=["a1", "a1"])
    with pytest.raises(ValueError):
        page.ask("look", path=["nowhere"])


def test_the_proof_of_a_win_needs_one_move(page: Page) -> None:
    begin(page, "tic-tac-toe", "human", "human")
    for name in ("a1", "a2", "b1", "b2"):
        page.ask("move", name=name)
    page.ask("analyse", algorithm="ubfm")
    page.until(lambda: page.analysis.get("resolved", False))
    assert page.ask("tree", path=[])["count"] == 5
    proof = page.ask("tree", path=[], proof=True)
    assert [c["name"] for c in proof["children"]] == ["c1"]
    assert proof["children"][0]["outcome"] == [1, -1]
    assert "c1 is proven" in page.ask("why", action=None)
    assert "b3" in page.ask("why", action="b3")


def test_there_is_no_proof_of_what_is_not_proven(page: Page) -> None:
    begin(page, "othello")
    analyse(page)
    page.ask("pause")
    assert page.ask("tree", path=[])["count"] == 4
    unproven = page.ask("tree", path=[], proof=True)
    assert unproven["children"] == [] and not unproven["resolved"]
    page.ask("stop")


def test_playing_a_line_that_was_looked_at(page: Page) -> None:
    begin(page, "tic-tac-toe", "human", "human")
    page.ask("look", path=["b2", "a1"])
    assert page.game["moves"] == []
    page.ask("go_to", path=["b2", "a1"])
    page.until(lambda: page.game["moves"] == ["b2", "a1"])


def test_who_has_resigned_plays_no_line(page: Page) -> None:
    begin(page, "tic-tac-toe", "human", "human")
    page.ask("resign")
    for path in (["b2"], ["b2", "a1"]):
        with pytest.raises(ValueError, match="the game is over"):
            page.ask("go_to", path=path)
    assert page.game["moves"] == []


def test_a_tree_of_many_states_is_opened_at_once(page: Page) -> None:
    begin(page, "othello")
    analyse(page)
    page.until(lambda: page.analysis["states"] > 300_000, seconds=90)
    view = page.ask("tree", path=[page.ask("tree", path=[])["children"][0]["name"]])
    assert view["children"]
    page.ask("stop")


# -- limits ----------------------------------------------------------------------------------------


def test_an_analysis_has_its_share_of_memory() -> None:
    with serving(Limits(room_memory=8 << 20)) as small:
        page = Page(small)
        begin(page, "othello")
        page.ask("analyse", algorithm="ubfm")
        page.until(lambda: page.analysis["state"] == "paused" and page.analysis["states"] > 1000)
        assert page.analysis["memory"] <= 9 << 20
        page.close()


def test_searches_at_the_same_time() -> None:
    with serving(Limits(searches=1)) as small:
        first, second = Page(small), Page(small)
        for page in (first, second):
            begin(page, "othello")
        analyse(first)
        second.ask("analyse", algorithm="ubfm")
        second.until(lambda: second.analysis.get("failure") is not None)
        assert "too many searches" in second.analysis["failure"]
        second.ask("move", name=second.game["actions"][0]["name"])
        second.until(lambda: "trouble" in second.events)
        first.ask("stop")
        second.ask("let_move")
        second.until(lambda: len(second.game["moves"]) == 2)
        first.close(), second.close()


def test_rooms_are_not_without_end() -> None:
    rooms = RoomManager(Limits(rooms=3))
    taken = [rooms.enter(None) for _ in range(3)]
    with pytest.raises(Exception, match="too many pages"):
        rooms.enter(None)
    rooms.leave(taken[0])
    assert rooms.enter(None).name != taken[0].name
    rooms.close()


def test_nobody_looks_then_nobody_thinks(server: Server) -> None:
    page = Page(server)
    begin(page, "othello")
    analyse(page)
    room = page.game["room"]
    page.close()
    again: list[Page] = []
    wait_until(lambda: not any(t.name == "move" for t in threading.enumerate()))
    time.sleep(0.5)
    again.append(Page(server, room))
    assert again[0].analysis["state"] == "paused" and again[0].analysis["states"] > 0
    again[0].close()


def test_machines_among_themselves_wait_for_somebody_to_look(server: Server) -> None:
    page = Page(server)
    begin(page, "othello", "ubfm", "mcts", seconds=0.05)
    page.until(lambda: len(page.game["moves"]) > 2)
    room = server.rooms._rooms[page.game["room"]]
    page.close()
    wait_until(lambda: room.viewers == 0 and not room._thinking)
    moves = list(room._game().moves)
    time.sleep(0.5)
    assert room._game().moves == moves and not room._game().over
    again = Page(server, room.name)
    again.until(lambda: len(again.game["moves"]) > len(moves))
    again.ask("new", game="tic-tac-toe", seats=["human", "human"])
    again.close()


def test_a_crowd_of_machines_shares_the_memory() -> None:
    rooms = RoomManager()
    for kind, most in (("max-n", 4 * 64), ("mcts", 4 * 64)):
        seats = rooms.seats([kind] * 100, 1.0)
        assert sum(float(read_kind(seat).megabytes) for seat in seats) <= most  # type: ignore[attr-defined]
    (alone,) = rooms.seats(["ubfm"], 1.0)
    assert read_kind(alone).memory == str(64 << 20)  # type: ignore[attr-defined]


def test_no_more_games_than_there_is_memory_for() -> None:
    rooms = RoomManager(Limits(memory=1 << 20))
    with pytest.raises(UsageError, match="no memory is left"):
        rooms.enter(None)
    assert rooms._rooms == {}


def test_without_memory_no_line_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    rooms = RoomManager()
    room = rooms.enter(None)
    monkeypatch.setattr(
        "unbounded.interfaces.web.room_manager.process_memory", lambda: 2 * rooms.limits.memory
    )
    with pytest.raises(UsageError, match="no memory is left"):
        room.look(["4"])
    rooms.close()


def test_when_memory_is_short_what_nobody_looks_at_goes_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rooms = RoomManager()
    left, looked_at, plain = (rooms.enter(None) for _ in range(3))
    for room in (left, looked_at):
        room.analyse("ubfm")
    rooms.leave(left), rooms.leave(plain)
    monkeypatch.setattr(
        "unbounded.interfaces.web.room_manager.process_memory", lambda: rooms.limits.memory
    )
    rooms.enter(None)
    assert left.name not in rooms._rooms
    assert {looked_at.name, plain.name} <= set(rooms._rooms)
    rooms.close()


def test_who_does_not_read_waits_for_answers(
    server: Server, page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No more is thought up than can be sent, and nothing is lost."""
    asked: list[int] = []

    def look(*_: Any) -> str:
        asked.append(1)
        return "x" * (1 << 19)

    def rests() -> bool:
        before = len(asked)
        time.sleep(0.5)
        return before == len(asked) > 0

    monkeypatch.setitem(requests.REQUESTS, "look", look)
    for number in range(120):
        page.send(json.dumps({"id": number, "do": "look"}))
    wait_until(rests)
    assert len(asked) < 100, "the machine between us holds some, the server a few"
    other = Page(server)
    assert other.ask("games")["players"], "others need not wait"
    other.close()
    page.until(lambda: len(page.answers) == 120)


def test_who_never_reads_is_cut_off(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("unbounded.interfaces.web.connections.READS_WITHIN", 0.2)
    monkeypatch.setitem(requests.REQUESTS, "look", lambda *_: "x" * (1 << 20))
    page = Page(server)
    room = server.rooms._rooms[page.game["room"]]
    for number in range(60):
        page.send(json.dumps({"id": number, "do": "look"}))
    wait_until(lambda: room.viewers == 0)
    page.give_up()


def test_when_memory_is_short_the_fullest_page_is_cut_off(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What all pages leave unread counts together; those that read stay."""
    monkeypatch.setattr("unbounded.interfaces.web.room_manager.process_memory", lambda: 0)
    monkeypatch.setitem(requests.REQUESTS, "look", lambda *_: "x" * (1 << 20))
    with serving(Limits(memory=48 << 20)) as small:  # 3 MB of it for answers
        reads = Page(small)
        lazy = [Page(small) for _ in range(4)]
        rooms = [small.rooms._rooms[page.game["room"]] for page in lazy]
        for page in lazy:
            for number in range(60):
                page.send(json.dumps({"id": number, "do": "look"}))
        wait_until(lambda: any(room.viewers == 0 for room in rooms))
        assert reads.ask("games")["players"]
        for page in lazy:
            page.give_up()
        reads.close()


def test_a_thousand_requests_at_once(
    server: Server, page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who asks without end is cut off, and what was asked is not done any more."""
    asked: list[int] = []
    monkeypatch.setattr("unbounded.interfaces.web.connections.MOST_WAITING", 5)
    monkeypatch.setitem(requests.REQUESTS, "undo", lambda *_: asked.append(1))
    room = server.rooms._rooms[page.game["room"]]
    text = b'{"do": "undo"}'
    page.line.socket.sendall((bytes([0x81, 0x80 + len(text), 0, 0, 0, 0]) + text) * 100)
    with pytest.raises(ConnectionClosed):
        page.until(lambda: False)
    wait_until(lambda: room.viewers == 0)
    assert len(asked) <= 1


def test_pages_are_not_without_end() -> None:
    with serving(Limits(pages=2)) as small:
        pages = [Page(small), Page(small)]
        with connect(
            f"ws://{host(small)}/live",
            origin=f"http://{host(small)}",  # type: ignore[arg-type]
            additional_headers={"Cookie": cookie(small)},
        ) as third:
            assert "too many pages" in json.loads(third.recv(timeout=20))["what"]
        for page in pages:
            page.close()


def test_a_position_with_very_many_moves(page: Page) -> None:
    """The page is told of some, and of how many there are; all can be played."""
    begin(page, "nim(heaps=[9999,9999,9999])", "human", "human")
    assert page.game["action_count"] == 29_997
    assert len(page.game["actions"]) == views.MOST_ACTIONS
    told = {action["name"] for action in page.game["actions"]}
    page.ask("move", name="3:9999")
    page.until(lambda: page.game["moves"] == ["3:9999"])
    assert "3:9999" not in told and len(json.dumps(page.game)) < 1 << 18


def test_an_answer_that_is_too_long(page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(requests.REQUESTS, "look", lambda *_: "x" * (5 << 20))
    with pytest.raises(ValueError, match="5 MB"):
        page.ask("look", path=[])
    assert page.ask("games")["players"]


class Verbose(Steps):
    """A game that says too much."""

    def show(self, state: int) -> str:
        return "x" * (5 << 20)


def test_a_board_that_is_too_large_is_told_of() -> None:
    with (
        serving(game=Verbose()) as running,
        connect(
            f"ws://{host(running)}/live",
            origin=f"http://{host(running)}",  # type: ignore[arg-type]
            additional_headers={"Cookie": cookie(running)},
        ) as line,
    ):
        told = [json.loads(line.recv(timeout=20)) for _ in range(2)]
        assert any("told 4 at most" in str(each["what"]) for each in told)


def test_machines_are_kept_within_limits(page: Page) -> None:
    begin(page, "tic-tac-toe", "human", "mcts(simulations=1000000000000)", seconds=0.1)
    assert "seconds=0.1" in page.game["seats"][1]
    for bad in ("mcts(playouts=100000)", "ubfm(evaluation=playouts(1000000))", "nobody", "ubfm("):
        with pytest.raises(ValueError):
            page.ask("new", game="tic-tac-toe", seats=["human", bad], seconds=0.1)
    page.ask("new", game="tic-tac-toe", seats=["human", "ubfm(seconds=1000000)"], seconds=0.1)
    page.until(lambda: "seconds=2" in page.game["seats"][1])


def test_one_room_breaks_and_another_does_not(
    server: Server, page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = Page(server)
    begin(page, "tic-tac-toe", "human", "human")
    begin(other, "tic-tac-toe", "human", "human")
    broken = server.rooms.enter(page.game["room"])
    monkeypatch.setattr(broken, "move", lambda name: 1 / 0)
    with pytest.raises(ValueError, match="ZeroDivisionError"):
        page.ask("move", name="b2")
    other.ask("move", name="b2")
    other.until(lambda: other.game["moves"] == ["b2"])
    other.close()


class Broken(Steps):
    """A game whose rules fail where it is told to."""

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
def test_a_game_that_cannot_be_shown_is_told_of(
    where: str, capfd: pytest.CaptureFixture[str]
) -> None:
    with serving(Limits(rooms=2), game=Broken(where)) as running:
        for _ in range(4):  # more often than there are rooms
            with connect(
                f"ws://{host(running)}/live",
                origin=f"http://{host(running)}",  # type: ignore[arg-type]
                additional_headers={"Cookie": cookie(running)},
            ) as line:
                told = json.loads(line.recv(timeout=20))
            assert told["event"] == "trouble" and f"{where} fails" in told["what"]
    assert "Traceback" not in capfd.readouterr().err


def test_a_page_that_goes_does_not_make_others_wait(server: Server, page: Page) -> None:
    """Its room is busy with something; the server is not."""
    leaving = Page(server)
    room = server.rooms._rooms[leaving.game["room"]]
    with room._lock:
        leaving.close()
        time.sleep(0.2)
        assert get(server, "/health", Host=host(server)).status == 200
        assert page.ask("games")["players"]


# -- hostile pages ---------------------------------------------------------------------------------

INJECTIONS = [
    "__import__('os').system('touch /tmp/owned')",
    "os.system",
    "./mine.py:Mine",
    "/etc/passwd",
    "../../etc/passwd:Game",
    "graph(file=/etc/passwd)",
    "file:///etc/passwd",
    "<script>alert(1)</script>",
    "'; DROP TABLE games; --",
    "{{7*7}}",
    "${7*7}",
    "$(reboot)",
    "`reboot`",
    "| cat /etc/passwd",
    "%s%s%s%n",
    "\x00",
    "\u202e",
    "a" * 3000,
    "(" * 1000,
    "[" * 1000,
    "cos\nsystem\n(S'reboot'\ntR.",
    "unbounded.interfaces.cli.app:main",
    "connect-four.__class__",
    "connect-four(width=__import__)",
    "hex(size=1000000000)",
]


def test_injections_are_inert(page: Page) -> None:
    begin(page)
    for text in INJECTIONS:
        for what, fields in (
            ("new", {"game": text, "seats": ["human", "human"]}),
            ("new", {"game": "tic-tac-toe", "seats": ["human", text]}),
            ("move", {"name": text}),
            ("seats", {"game": text}),
            ("analyse", {"algorithm": text}),
            ("look", {"path": [text]}),
            ("go_to", {"path": [text]}),
            (text, {}),
        ):
            with pytest.raises(ValueError):
                page.ask(what, **fields)
    assert page.game["moves"] == [] and page.game["game"] == "tic-tac-toe"


def test_nonsense_is_answered(page: Page) -> None:
    """Every message gets an answer, and the room lives on."""
    chance = random.Random(5)
    begin(page)
    kinds: list[Any] = [None, True, -1, 1e308, "x", [], {}, [[]], "human", {"a": 1}, ["a"], 10**30]
    names = ["new", "move", "undo", "redo", "tree", "why", "look", "import", "analyse", "go_to"]
    for _ in range(300):
        fields = ["game", "seats", "seconds", "name", "path", "start", "action", "algorithm"]
        told = {field: chance.choice(kinds) for field in chance.sample(fields, 4)}
        try:
            page.ask(chance.choice(names), **told)
        except ValueError as error:
            assert "Traceback" not in str(error)
    for text in ("", "{", "[]", "null", "3", '"x"', "{}", '{"do": 3}', "[" * 30000):
        page.answers.clear()
        page.send(text)
        page.until(lambda: None in page.answers)
    assert page.ask("games")["players"]


def test_bytes_are_answered_too(page: Page) -> None:
    page.line.send(b"\x00\x01")
    page.until(lambda: None in page.answers)
    assert page.answers[None]["error"] == "this is not JSON"


def test_too_long_a_message_ends_the_line_only(server: Server, page: Page) -> None:
    other = Page(server)
    other.send(json.dumps({"do": "move", "name": "x" * (1 << 17)}))
    with pytest.raises(Exception, match=r"1009|too big|message"):
        other.until(lambda: False, seconds=10)
    assert page.ask("games")["players"]


# -- stopping --------------------------------------------------------------------------------------


def test_what_was_thought_is_kept(tmp_path: Path) -> None:
    with serving(folder=tmp_path) as first:
        page = Page(first)
        begin(page, "othello", "human", "human")
        page.ask("move", name=page.game["actions"][0]["name"])
        analyse(page)
        page.until(lambda: page.analysis["states"] > 2000)
        room, moves = page.game["room"], page.game["moves"]
    assert Search.load(tmp_path / f"{room}.search").states > 2000
    with serving(folder=tmp_path) as second:
        page = Page(second, room)
        assert page.game["moves"] == moves
        assert page.analysis["state"] == "paused" and page.analysis["states"] > 2000
        page.close()


def test_saving_may_take_longer_than_an_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A large search takes its time to be written, and is not lost for that."""
    save = Search.save
    monkeypatch.setattr("unbounded.interfaces.web.analysis.PATIENCE", 0.1)
    monkeypatch.setattr(Analysis.ask, "__defaults__", (0.1,))
    monkeypatch.setattr(Search, "save", lambda *told: (time.sleep(0.5), save(*told)))
    rooms = RoomManager(folder=tmp_path)
    rooms.enter(None).analyse("ubfm")
    rooms.close()
    (saved,) = tmp_path.glob("*.search")
    assert Search.load(saved).moves == []


def test_what_is_damaged_is_not_believed(tmp_path: Path) -> None:
    (tmp_path / "abc.json").write_text('{"format": "unbounded game"')
    (tmp_path / "abc.search").write_bytes(b"nonsense")
    with serving(folder=tmp_path) as running:
        page = Page(running, "abc")
        assert page.game["game"] == "connect-four"
        page.close()


def test_a_search_that_is_older_than_the_game(tmp_path: Path) -> None:
    """The analysis is of the position on the board, whatever lies in the folder."""
    with serving(folder=tmp_path) as first:
        page = Page(first)
        begin(page, "othello", "human", "human")
        analyse(page)
        page.until(lambda: page.analysis["states"] > 1000)
        room = page.game["room"]
    move = page.game["actions"][0]["name"]
    kept = json.loads((tmp_path / f"{room}.json").read_text())
    (tmp_path / f"{room}.json").write_text(json.dumps(kept | {"moves": [move]}))
    with serving(folder=tmp_path) as second:
        page = Page(second, room)
        assert page.game["moves"] == page.analysis["moves"] == [move]
        page.close()


def test_what_cannot_be_kept_harms_nobody(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    rooms = RoomManager(Limits(rooms=1), folder=tmp_path / "nowhere")
    room = rooms.enter(None)
    room.new_game("tic-tac-toe", ["human", "human"], 1.0)
    rooms.leave(room)
    assert rooms.enter(None).viewers == 1
    assert "was not kept" in capfd.readouterr().err
    rooms.close()


def test_the_folder_does_not_grow_without_end(tmp_path: Path) -> None:
    """Older games make way; a page that comes back to one of those has kept its moves itself."""
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


def test_an_untouched_board_is_not_kept(tmp_path: Path) -> None:
    rooms = RoomManager(folder=tmp_path)
    rooms.enter(None)
    rooms.close()
    assert list(tmp_path.iterdir()) == []


def test_the_page_is_told_what_could_not_be_kept(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with serving(Limits(disk=4096), folder=tmp_path) as first:
        page = Page(first)
        begin(page, "othello", "human", "human")
        analyse(page)
        room = page.game["room"]
    assert [path.name for path in tmp_path.iterdir()] == [f"{room}.json"]
    assert "the analysis of this game was not kept" in capfd.readouterr().err
    with serving(folder=tmp_path) as second:
        page = Page(second, room)
        page.until(lambda: "trouble" in page.events)
        assert "was not kept" in page.events["trouble"] and "--disk" in page.events["trouble"]
        assert page.game["game"] == "othello"
        page.close()


# -- two copies of a game --------------------------------------------------------------------------


def copy_of(page: Page) -> dict[str, Any]:
    """What the browser keeps of a game."""
    fields = ("game", "seats", "moves", "resigned", "changes")
    kept = {name: page.game[name] for name in fields}
    return kept | {"format": "unbounded game", "version": 1, "seed": 0}


def test_the_newer_copy_of_a_game_wins(tmp_path: Path) -> None:
    """A server is ended, the next one is killed: its folder is older than the browser's copy."""
    with serving(folder=tmp_path) as first:
        page = Page(first)
        begin(page, "connect-four", "human", "human")
        for name in "123":
            page.move(name)
        analyse(page)
        page.until(lambda: page.analysis["moves"] == ["1", "2", "3"])
        room, older = page.game["room"], copy_of(page)
    saved = {path: path.read_bytes() for path in tmp_path.iterdir()}
    with serving(folder=tmp_path) as second:
        page = Page(second, room)
        for name in "45":
            page.move(name)
        newer = copy_of(page)
    for path, contents in saved.items():  # as if it had been killed
        path.write_bytes(contents)
    with serving(folder=tmp_path) as third:
        page = Page(third, room)
        assert page.game["moves"] == ["1", "2", "3"]
        assert page.ask("bring_back", game=older) is False
        assert page.ask("bring_back", game=newer) is True
        page.until(lambda: page.game["moves"] == list("12345"))
        page.until(lambda: page.analysis.get("moves") == list("12345"))
        assert page.ask("bring_back", game=newer) is False, "they are the same now"
        assert page.ask("bring_back", game=older) is False
        assert page.game["moves"] == list("12345")
        page.close()


def test_what_was_taken_back_stays_so(page: Page) -> None:
    """The copy with more moves is older than the one where they were taken back."""
    begin(page, "connect-four", "human", "human")
    for name in "123":
        page.move(name)
    kept = copy_of(page)
    page.ask("undo")
    page.until(lambda: page.game["moves"] == ["1", "2"])
    assert page.ask("bring_back", game=kept) is False


def test_without_a_count_the_longer_copy_wins(page: Page) -> None:
    """Copies of the same age, of which one goes on where the other ends; other ones are left."""
    begin(page, "connect-four", "human", "human")
    page.move("1")
    kept = copy_of(page)
    assert page.ask("bring_back", game=kept | {"moves": ["2", "3"]}) is False
    assert page.ask("bring_back", game=kept | {"game": "hex(size=3)", "moves": ["1"]}) is False
    assert page.ask("bring_back", game=kept | {"moves": ["1", "2"]}) is True
    page.until(lambda: page.game["moves"] == ["1", "2"])


def test_asking_a_machine_again_is_no_change(page: Page) -> None:
    begin(page, "tic-tac-toe", "human", "human")
    before = page.game["changes"]
    again = page.ask("export")
    assert page.game["changes"] == before
    for bad in (None, [], {"changes": -1}, {"changes": 10**30}, {"changes": "x"}, {"changes": 99}):
        with pytest.raises(ValueError):
            page.ask("bring_back", game=bad)
    page.ask("import", game=again)
    page.until(lambda: page.game["changes"] == before + 1)


@pytest.mark.parametrize("room", ["../abc", "a/b", "..", "abc.json", "a" * 100, "%2e%2e", ""])
def test_no_name_leads_out_of_the_folder(tmp_path: Path, room: str) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    (tmp_path / "abc.json").write_text("{}")
    rooms = RoomManager(folder=inner)
    assert rooms.enter(room).name != room
    rooms.close()


def test_health_is_told_to_anybody_here(server: Server) -> None:
    assert get(server, "/health", Host=host(server)).status == 200


def test_the_program_ends_in_good_order_while_it_searches(tmp_path: Path) -> None:
    """SIGTERM in the middle of a search: gone soon, with a search that can be read."""
    for number in range(ENDINGS):
        folder = tmp_path / str(number)
        command = [sys.executable, "-m", "unbounded", "serve", "othello", "--no-browser"]
        command += ["--port", "0", "--save", str(folder)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as program:
            assert program.stdout is not None
            link = program.stdout.readline().split()[-1]
            page = Page(Address(link))
            page.ask("analyse", algorithm="ubfm")
            page.until(lambda: page.analysis.get("states", 0) > 20_000)  # noqa: B023
            program.terminate()
            assert program.wait(timeout=120) == 0
            page.close()
        (saved,) = folder.glob("*.search")
        assert Search.load(saved).states > 20_000


def test_it_ends_quietly_while_a_page_waits(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(requests.REQUESTS, "games", lambda *_: time.sleep(3))
    with serving() as running:
        page = Page(running)
        page.send('{"do": "games"}')
        time.sleep(0.3)
    page.close()
    assert capfd.readouterr().err == ""


def test_what_the_command_says(tmp_path: Path) -> None:
    def serve(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "unbounded", "serve", "--no-browser", *arguments]
        return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)

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


def test_others_are_let_in_only_with_a_warning() -> None:
    command = [sys.executable, "-m", "unbounded", "serve", "--no-browser", "--port", "0"]
    with subprocess.Popen(
        [*command, "--host", "::"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as program:
        assert program.stderr is not None
        assert "others can reach this page" in program.stderr.readline()
        program.terminate()
