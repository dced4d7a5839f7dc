# SPDX-License-Identifier: MIT
"""The game in a room: moves, undo, machines, several pages, the browser's copy."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from typing import Any

import pytest
from serving import Page, serving

from unbounded.interfaces.web.limits import Limits
from unbounded.interfaces.web.server import Server


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with serving(Limits(move_seconds=2)) as running:
        yield running


@pytest.fixture
def page(server: Server) -> Iterator[Page]:
    with contextlib.closing(Page(server)) as opened:
        yield opened


@pytest.mark.parametrize("game", ["tic-tac-toe", "nim(players=3)", "hex(size=3)"])
def test_a_whole_game(page: Page, game: str) -> None:
    players = page.request("players", game=game)["players"]
    page.begin(game, "human", *["ubfm-safest"] * (len(players) - 1))
    page.play_out()
    assert len(page.game["outcome"]) == len(players)
    with pytest.raises(ValueError, match="the game is over"):
        page.request("move", name="a1")


def test_a_move_that_is_not_legal_changes_nothing(page: Page) -> None:
    page.begin()
    with pytest.raises(ValueError, match=r"did you mean|legal"):
        page.request("move", name="a9")
    assert page.game["moves"] == []


def test_undo_and_redo(page: Page) -> None:
    page.begin("tic-tac-toe", "human", "greedy")
    page.request("move", name="b2")
    page.until(lambda: len(page.game["moves"]) == 2)
    both = page.game["moves"]
    page.request("undo")
    page.until(lambda: not page.game["moves"])
    assert page.game["can_redo"]
    page.request("redo")
    page.until(lambda: page.game["moves"] == both)
    page.request("undo")
    page.request("move", name="a1")
    page.until(lambda: len(page.game["moves"]) == 2)
    assert not page.game["can_redo"]
    with pytest.raises(ValueError, match="nothing to play again"):
        page.request("redo")


def test_undo_while_the_machine_thinks(page: Page) -> None:
    """The decision on the position that was undone is dropped."""
    page.begin("connect-four", "human", "ubfm", seconds=1.0)
    page.request("move", name="4")
    page.request("undo")
    page.until(lambda: not page.game["moves"])
    time.sleep(1.3)
    page.request("games")
    assert page.game["moves"] == [] and page.game["human_to_move"]


def test_redo_while_the_machine_thinks(page: Page) -> None:
    """After undo the machine thinks about its first move again; redo plays the old one."""
    page.begin("connect-four", "ubfm", "human", seconds=1.0)
    page.until(lambda: page.game["human_to_move"])
    first = page.game["moves"]
    page.request("undo")
    page.until(lambda: page.game["thinking"])
    time.sleep(0.2)
    page.request("redo")
    page.until(lambda: page.game["moves"] == first)
    time.sleep(1.3)
    page.request("games")
    assert page.game["moves"] == first and page.game["human_to_move"]


def test_nothing_to_take_back_while_the_machine_thinks(page: Page) -> None:
    page.request("new", game="connect-four", seats=["ubfm", "human"], seconds=0.5)
    for what in ("undo", "redo"):
        with pytest.raises(ValueError, match="nothing to"):
            page.request(what)
    page.until(lambda: page.game["human_to_move"])
    assert len(page.game["moves"]) == 1


def test_resigning(page: Page) -> None:
    page.begin()
    page.request("resign")
    page.until(lambda: page.game["over"])
    assert page.game["outcome"] == [-1, 1]


def test_export_and_import(page: Page) -> None:
    page.begin("hex(size=3)", "human", "human")
    for name in ("b2", "a1"):
        page.request("move", name=name)
    exported = page.request("export")
    page.begin()
    page.request("import", game=exported)
    page.until(lambda: page.game["game"] == "hex(size=3)")
    assert page.game["moves"] == ["b2", "a1"]
    bad: list[Any] = [None, 3, [], {}, exported | {"moves": ["z9"]}, exported | {"seats": "human"}]
    bad += [
        exported | {"game": "/etc/passwd:Game"},
        exported | {"version": 99},
        exported | {"seats": ["x"] * 2},
    ]
    bad += [exported | {"resigned": 5}, exported | {"moves": [1, 2]}]
    for hostile in bad:
        with pytest.raises(ValueError):
            page.request("import", game=hostile)
    assert page.game["moves"] == ["b2", "a1"], "an invalid file changes nothing"


def test_rejoining_a_room(server: Server, page: Page) -> None:
    page.begin("tic-tac-toe", "human", "human")
    page.request("move", name="b2")
    room = page.game["room"]
    page.close()
    again = Page(server, room)
    assert (again.game["room"], again.game["moves"]) == (room, ["b2"])
    again.close()
    other = Page(server, "another")
    assert other.game["room"] not in (room, "another")
    other.close()


def test_two_pages_in_one_room(server: Server, page: Page) -> None:
    page.begin("tic-tac-toe", "human", "human")
    other = Page(server, page.game["room"])
    page.request("move", name="b2")
    other.until(lambda: other.game["moves"] == ["b2"])
    other.close()


def test_playing_a_line(page: Page) -> None:
    page.begin("tic-tac-toe", "human", "human")
    page.request("play_line", path=["b2", "a1"])
    page.until(lambda: page.game["moves"] == ["b2", "a1"])


def test_no_line_is_played_after_resigning(page: Page) -> None:
    page.begin("tic-tac-toe", "human", "human")
    page.request("resign")
    for path in (["b2"], ["b2", "a1"]):
        with pytest.raises(ValueError, match="the game is over"):
            page.request("play_line", path=path)
    assert page.game["moves"] == []


def test_an_undone_move_stays_undone(page: Page) -> None:
    """The copy with more moves is older than the one where they were undone."""
    page.begin("connect-four", "human", "human")
    for name in "123":
        page.move(name)
    kept = page.copy()
    page.request("undo")
    page.until(lambda: page.game["moves"] == ["1", "2"])
    assert page.request("restore", game=kept) is False


def test_without_a_count_the_longer_copy_wins(page: Page) -> None:
    """Of copies with the same count, one that continues the other is newer."""
    page.begin("connect-four", "human", "human")
    page.move("1")
    kept = page.copy()
    assert page.request("restore", game=kept | {"moves": ["2", "3"]}) is False
    assert page.request("restore", game=kept | {"game": "hex(size=3)", "moves": ["1"]}) is False
    assert page.request("restore", game=kept | {"moves": ["1", "2"]}) is True
    page.until(lambda: page.game["moves"] == ["1", "2"])


def test_exporting_is_no_change(page: Page) -> None:
    page.begin("tic-tac-toe", "human", "human")
    before = page.game["changes"]
    again = page.request("export")
    assert page.game["changes"] == before
    for bad in (None, [], {"changes": -1}, {"changes": 10**30}, {"changes": "x"}, {"changes": 99}):
        with pytest.raises(ValueError):
            page.request("restore", game=bad)
    page.request("import", game=again)
    page.until(lambda: page.game["changes"] == before + 1)
