# SPDX-License-Identifier: MIT
"""Games on the page with a clock: who runs out of time loses; machines share out theirs."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from serving import Page, serving, wait_until

import unbounded as ub
from unbounded.interfaces.session import Session
from unbounded.interfaces.web.game_setup import GameSetup, seat_words
from unbounded.interfaces.web.limits import Limits
from unbounded.interfaces.web.room_clocks import RoomClocks, read_clocks
from unbounded.interfaces.web.room_game import RoomGame
from unbounded.interfaces.web.scheduler import Scheduler
from unbounded.interfaces.web.server import Server
from unbounded.players import read_kind
from unbounded.players.clock import TimeControl
from unbounded.players.kinds import Searching
from unbounded.players.searching import SearchPlayer


class Time:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with serving(Limits(move_seconds=2)) as running:
        yield running


@pytest.fixture
def page(server: Server) -> Iterator[Page]:
    with contextlib.closing(Page(server)) as opened:
        yield opened


# -- the clocks ------------------------------------------------------------------------------------


def test_one_clock_runs_and_a_move_adds_the_increment() -> None:
    time = Time()
    clocks = RoomClocks(TimeControl(60, 3), 2, now=time)
    time.now += 500
    assert clocks.view() == {"control": "60s+3s", "left": [60, 60], "running": None}
    clocks.moved(0, 1)  # the first move of the game is free, and adds nothing
    time.now += 10
    assert clocks.view()["left"] == [60, 50]
    clocks.moved(1, 0)
    time.now += 5
    assert clocks.view() == {"control": "60s+3s", "left": [55, 53], "running": 0}
    clocks.start(None)
    time.now += 500
    assert clocks.view()["left"] == [55, 53] and not clocks.has_run_out


def test_a_clock_runs_out_and_never_below_nothing() -> None:
    time = Time()
    clocks = RoomClocks(TimeControl(2), 2, now=time)
    clocks.moved(0, 1)
    time.now += 1.9
    assert not clocks.has_run_out
    time.now += 5
    assert clocks.has_run_out and clocks.left(1) == 0 and clocks.left(0) == 2


@pytest.mark.parametrize(
    "data",
    [
        None,
        "5m",
        {},
        {"control": "soon", "left": [1, 1]},
        {"control": "5m", "left": [1]},
        {"control": "5m", "left": [1, -1]},
        {"control": "5m", "left": [1, True]},
        {"control": "5m", "left": [1, float("nan")]},
        {"control": "5m", "left": "11"},
    ],
)
def test_nothing_that_was_saved_is_trusted(data: Any) -> None:
    assert read_clocks(data, 2) is None


def test_a_saved_game_continues_with_what_was_left() -> None:
    time = Time()
    game = RoomGame(Session("tic-tac-toe", ["human"] * 2))
    game.clocks = RoomClocks(TimeControl(60), 2, now=time)
    game.move("a1")
    time.now += 20
    saved = game.to_dict()
    time.now += 1000  # the server was away
    session = Session.from_dict(saved)
    again = RoomGame.from_dict(session, saved)
    assert again.clocks is not None and again.clocks.running == 1
    assert 39 < again.clocks.left(1) <= 40 and again.clocks.left(0) == 60
    again.lose_on_time()
    last = RoomGame.from_dict(Session.from_dict(again.to_dict()), again.to_dict())
    assert last.out_of_time and last.session.outcome() == (1, -1)
    assert last.clocks is not None and last.clocks.running is None


# -- rooms -----------------------------------------------------------------------------------------


def begin(page: Page, *seats: str, game: str = "tic-tac-toe", **fields: Any) -> None:
    page.request("new", game=game, seats=list(seats), seconds=0.05, **fields)
    page.until(lambda: page.game["game"] == game and not page.game["moves"])


def test_who_runs_out_of_time_loses(page: Page) -> None:
    begin(page, "human", "human", clock="0.4s")
    assert page.game["clock"] == {"control": "0.4s", "left": [0.4, 0.4], "running": None}
    page.request("move", name="a1")
    page.until(lambda: page.game["over"])
    assert page.game["out_of_time"] and page.game["resigned"] == 1
    assert page.game["outcome"] == [1, -1]
    assert page.game["clock"]["left"][1] == 0 and page.game["clock"]["running"] is None
    page.request("move", name="b2")  # only a variation now
    assert page.game["moves"] == ["a1"]


def test_a_rematch_has_new_clocks(page: Page) -> None:
    begin(page, "human", "human", clock="0.2s")
    page.request("move", name="a1")
    page.until(lambda: page.game["over"])
    page.request("rematch", swap=False)
    page.until(lambda: not page.game["moves"])
    assert not page.game["over"] and not page.game["out_of_time"]
    assert page.game["clock"]["left"] == [0.2, 0.2]


def test_a_machine_plays_a_whole_game_on_its_clock(page: Page) -> None:
    seats = ["ubfm-safest", "mcts"]
    page.request("new", game="tic-tac-toe", seats=seats, seconds=0.05, clock="20s+0.1s")
    page.until(lambda: page.game["over"] and page.game["clock"] is not None)
    assert page.game["resigned"] is None and min(page.game["clock"]["left"]) > 0


@pytest.mark.parametrize(
    ("name", "fields"),
    [("undo", {}), ("take_back_to", {"ply": 0}), ("swap_sides", {})],
)
def test_moves_are_not_taken_back(page: Page, name: str, fields: dict[str, Any]) -> None:
    begin(page, "human", "human", clock="5m")
    page.request("move", name="a1")
    with pytest.raises(ValueError, match="clock"):
        page.request(name, **fields)
    assert page.game["moves"] == ["a1"]


def test_a_clock_that_cannot_be_read_begins_no_game(page: Page) -> None:
    begin(page, "human", "human")
    with pytest.raises(ValueError, match=r"a clock is like 5m\+3s"):
        page.request("new", game="hex(size=3)", seats=["human"] * 2, seconds=1, clock="soon")
    assert page.game["game"] == "tic-tac-toe" and page.game["clock"] is None


def test_the_clock_of_a_stored_room_stands_still_while_the_server_is_away(tmp_path: Path) -> None:
    with serving(folder=tmp_path) as server, contextlib.closing(Page(server)) as page:
        begin(page, "human", "human", clock="1h")
        page.request("move", name="a1")
        page.until(lambda: page.game["moves"] == ["a1"])
        room = page.game["room"]
    with serving(folder=tmp_path) as server, contextlib.closing(Page(server, room)) as page:
        page.until(lambda: page.game["moves"] == ["a1"])
        assert page.game["clock"]["control"] == "3600s" and page.game["clock"]["running"] == 1
        assert 0 < page.game["clock"]["left"][1] < 3600


# -- machines --------------------------------------------------------------------------------------


def test_seats_get_the_clock_and_keep_their_own_limit() -> None:
    setup = GameSetup(Limits(move_seconds=30))
    seats = ["ubfm", "ubfm-safest(seconds=1)"]
    session = setup.new_session("tic-tac-toe", seats, 1.0, clock="5m+3s")
    first, second = (read_kind(seat) for seat in session.seats)
    assert isinstance(first, Searching) and isinstance(second, Searching)
    assert (first.clock, first.seconds) == ("5m+3s", 30)
    assert (second.clock, second.seconds) == ("5m+3s", 1)
    assert seat_words(session.seats) == ["ubfm", "strong (ubfm-safest)"]


def test_a_machine_is_told_what_the_clock_of_the_room_says() -> None:
    time = Time()
    session = GameSetup(Limits()).new_session("tic-tac-toe", ["human", "ubfm"], 1.0, clock="60s")
    game = RoomGame(session, clocks=RoomClocks(TimeControl(60), 2, now=time))
    game.move("a1")
    time.now += 50  # it had to wait for a core
    machine = session.machine()
    game.give_time(machine)
    assert machine.clock is not None and machine.clock.left == 10
    assert machine.seconds_per_move is not None and machine.seconds_per_move < 4


def test_the_perfect_player_has_a_clock_too() -> None:
    player = read_kind("perfect(clock=10s)").player(ub.load_game("tic-tac-toe"), 0)
    assert isinstance(player, SearchPlayer) and player.clock is not None
    assert player.seconds_now() is not None


# -- pondering -------------------------------------------------------------------------------------


def test_seats_ponder_only_where_it_is_switched_on() -> None:
    setup = GameSetup(Limits())
    for ponder in (False, True):
        session = setup.new_session("tic-tac-toe", ["ubfm", "random"], 1.0, ponder=ponder)
        assert ("ponder=true" in session.seats[0]) == ponder


def test_a_machine_ponders_while_a_human_thinks() -> None:
    limits = Limits(player_memory=1 << 30)
    session = GameSetup(limits).new_session("hex(size=7)", ["ubfm", "human"], 0.05, ponder=True)
    session.ponder_on(Scheduler(cores=1, max_searches=4))
    try:
        machine = session.machine()
        work = session.machine_move().work
        assert isinstance(machine, SearchPlayer)
        wait_until(lambda: machine.search.seconds_of_run > 0.1)
        session.play(session.legal()[0])
        assert machine.search.iterations > work  # they were kept
    finally:
        session.close()
    assert machine.search.moves == session.moves
    assert not any(thread.name == "ponder" for thread in threading.enumerate())


def test_what_was_found_by_pondering_for_long_is_kept() -> None:
    memory = 4 << 20  # full within a second
    kind = read_kind(f"ubfm(iterations=10,memory={memory},ponder=true)")
    player = kind.player(ub.load_game("hex(size=7)"), 0)
    assert isinstance(player, SearchPlayer)
    try:
        player.see(player.choose().action)
        wait_until(lambda: player.search.stopped == "memory")
        found = player.search.iterations
        assert found > 10 and player.search.memory_bytes < 0.9 * memory
        player.see(next(iter(player.game.actions(player.state))))
        assert player.search.iterations == found
    finally:
        player.close()


def test_pondering_leaves_the_core_to_a_move() -> None:
    scheduler = Scheduler(cores=1, max_searches=4)
    session = GameSetup(Limits()).new_session("hex(size=7)", ["ubfm", "human"], 0.05, ponder=True)
    session.ponder_on(scheduler)
    try:
        session.machine_move()
        machine = session._machines[0]
        assert isinstance(machine, SearchPlayer)
        for _ in range(3):  # it gets the core again after each
            wait_until(lambda: machine.search.seconds_of_run > 0)
            with scheduler.move(0.1):
                assert machine.search.stopped == "until" and machine.search.seconds_of_run == 0
    finally:
        session.close()
