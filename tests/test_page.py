# SPDX-License-Identifier: MIT
"""The page in a real browser: playing by clicks and keys, files, copies of games."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browsing import (
    begin,
    launched_browser,
    needs_browser,
    new_page,
    opened_page,
    picture,
    place,
    play,
    room_of,
    tab,
)
from playwright.sync_api import Browser, Page, expect
from serving import serving

from unbounded.interfaces.web import requests
from unbounded.interfaces.web.limits import Limits
from unbounded.interfaces.web.server import Server

pytestmark = needs_browser


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with launched_browser() as launched:
        yield launched


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with serving(Limits(move_seconds=5)) as running:
        yield running


@pytest.fixture
def page(browser: Browser, server: Server) -> Iterator[Page]:
    with opened_page(browser, server) as opened:
        yield opened


# -- playing ---------------------------------------------------------------------------------------


def test_a_whole_game_by_clicks(page: Page) -> None:
    begin(page, "tic-tac-toe", "human", "ubfm-safest")
    for turn in range(5):
        expect(page.locator("#status")).to_contain_text("Your move")
        expect(page.locator("#moves li")).to_have_count(2 * turn)
        page.locator("#board .target").first.click()
        expect(page.locator("#moves li").nth(2 * turn)).to_be_attached()
        page.wait_for_function(
            "() => /Your move|over/.test(document.getElementById('status').textContent)"
        )
        if "over" in page.inner_text("#status"):
            break
    expect(page.locator("#status")).to_contain_text("The game is over")
    expect(page.locator("#decision")).to_contain_text("proven")
    picture(page, "game-over")


def test_a_player_selected_early_stays_selected(
    page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The names of the players arrive late; a selection made meanwhile stays."""
    players = requests.REQUESTS["players"]

    def late(*arguments: Any) -> Any:
        time.sleep(1)
        return players(*arguments)

    page.click("#new-game")
    expect(page.locator("#setup-seats select")).to_have_count(2)
    monkeypatch.setitem(requests.REQUESTS, "players", late)
    page.select_option("#setup-game", "hex")
    page.locator("#setup-seats select").nth(1).select_option("human")
    expect(page.locator("#setup-seats label").first).to_contain_text("player 1 (R)")
    expect(page.locator("#setup-seats select").nth(1)).to_have_value("human")


def test_a_move_of_two_clicks(page: Page) -> None:
    begin(page, "breakthrough", "human", "human")
    place(page, "a2-").click()
    expect(page.locator("#board .chosen")).to_have_count(1)
    expect(page.locator("#moves li")).to_have_count(0)
    place(page, "a2-a3").click()
    expect(page.locator("#moves li")).to_have_text(["a2-a3"])
    place(page, page.locator("#board .target").first.get_attribute("aria-label") or "").click()
    page.click("text=Cancel selection")
    expect(page.locator("#board .chosen")).to_have_count(0)


@pytest.mark.parametrize(
    ("game", "players"), [("chinese-checkers", 3), ("rolit", 2), ("hex", 2), ("santorini", 2)]
)
def test_other_boards_can_be_played_by_clicks(page: Page, game: str, players: int) -> None:
    begin(page, game, *["human"] * players)
    for turn in range(4):
        while page.locator("#moves li").count() == turn:
            before = page.locator("#board .chosen").count()
            page.locator("#board .target").last.click()
            page.wait_for_function(
                """([moves, chosen]) => document.querySelectorAll("#moves li").length > moves
                    || document.querySelectorAll("#board .chosen").length > chosen""",
                arg=[turn, before],
            )
        expect(page.locator("#moves li")).to_have_count(turn + 1)
    picture(page, f"board-{game}")


def test_keyboard_only(page: Page) -> None:
    begin(page, "tic-tac-toe", "human", "human")
    page.locator("#board .target").first.focus()
    first = page.evaluate("document.activeElement.getAttribute('aria-label')")
    page.keyboard.press("ArrowUp")
    second = page.evaluate("document.activeElement.getAttribute('aria-label')")
    assert (first, second) == ("a1", "a2")
    page.keyboard.press("Enter")
    expect(page.locator("#moves li")).to_have_text(["a2"])
    page.keyboard.press("Enter")  # the focus is still on the board
    expect(page.locator("#moves li")).to_have_count(2)
    page.locator("#undo").focus()
    page.keyboard.press("u")
    expect(page.locator("#moves li")).to_have_count(1)
    page.keyboard.press("y")
    expect(page.locator("#moves li")).to_have_count(2)
    page.fill("#entry-name", "c3")
    page.keyboard.press("Enter")
    expect(page.locator("#moves li")).to_have_count(3)
    page.fill("#entry-name", "b9")
    page.keyboard.press("Enter")
    expect(page.locator("#error")).to_contain_text("b9")


def test_undo_redo_and_resign(page: Page) -> None:
    begin(page, "tic-tac-toe", "human", "greedy")
    place(page, "b2").click()
    expect(page.locator("#moves li")).to_have_count(2)
    page.click("#undo")
    expect(page.locator("#moves li")).to_have_count(0)
    tab(page, "game")
    page.click("#redo")
    expect(page.locator("#moves li")).to_have_count(2)
    page.click("#resign")
    page.click("#confirm button:has-text('Cancel')")
    expect(page.locator("#status")).to_contain_text("Your move")
    page.click("#resign")
    page.click("#confirm-yes")
    expect(page.locator("#status")).to_contain_text("resigned")


def test_reload_returns_to_the_game(page: Page) -> None:
    begin(page, "hex", "human", "human", size=4)
    place(page, "b2").click()
    expect(page.locator("#moves li")).to_have_text(["b2"])
    page.reload()
    expect(page.locator("#moves li")).to_have_text(["b2"])
    expect(page.locator("#title")).to_have_text("hex(size=4)")


def test_export_and_import(page: Page, tmp_path: Path) -> None:
    begin(page, "tic-tac-toe", "human", "human")
    place(page, "b2").click()
    expect(page.locator("#moves li")).to_have_count(1)
    tab(page, "game")
    with page.expect_download() as download:
        page.click("#export")
    saved = tmp_path / "game.json"
    download.value.save_as(saved)
    assert json.loads(saved.read_text())["moves"] == ["b2"]
    begin(page, "nim", "human", "human")
    page.set_input_files("#import-file", saved)
    expect(page.locator("#title")).to_have_text("tic-tac-toe")
    expect(page.locator("#moves li")).to_have_text(["b2"])
    bad = tmp_path / "bad.json"
    bad.write_text("{")
    page.set_input_files("#import-file", bad)
    expect(page.locator("#error")).to_contain_text("not a saved game")
    bad.write_text(json.dumps({"moves": ["b2"] * 20_000}))
    page.set_input_files("#import-file", bad)
    expect(page.locator("#error")).to_contain_text("too long")
    expect(page.locator("#status")).to_contain_text("to move")


def test_the_skip_link_keeps_the_room(page: Page) -> None:
    begin(page, "tic-tac-toe", "human", "human")
    page.locator(".skip").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#entry-name")).to_be_focused()
    page.keyboard.type("b2")
    page.keyboard.press("Enter")
    expect(page.locator("#moves li")).to_have_text(["b2"])
    page.reload()
    expect(page.locator("#moves li")).to_have_text(["b2"])


def test_a_game_whose_room_was_closed_is_restored(browser: Browser) -> None:
    """The connection is lost, and the server closes the room before the page reconnects."""
    with serving() as running, browser.new_context() as context:
        page = new_page(context)
        page.goto(running.link)
        begin(page, "tic-tac-toe", "human", "human")
        place(page, "b2").click()
        expect(page.locator("#moves li")).to_have_text(["b2"])
        room = room_of(page)
        running.rooms._rooms.pop(room)
        for lost in list(running.server_state.connections):
            lost.loop.call_soon_threadsafe(lost.transport.abort)
        page.wait_for_function("old => !location.hash.includes(`room=${old}&`)", arg=room)
        expect(page.locator("#status")).to_contain_text("to move")
        expect(page.locator("#title")).to_have_text("tic-tac-toe")
        expect(page.locator("#moves li")).to_have_text(["b2"])


def test_the_color_scheme_can_be_selected(page: Page) -> None:
    page.click("#settings-open")
    page.select_option("#theme", "dark")
    dark = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.reload()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == dark
    page.click("#settings-open")
    page.select_option("#theme", "light")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != dark


# -- games that survive the server -----------------------------------------------------------------


def test_the_game_survives_the_server(browser: Browser) -> None:
    """A page restores its game on the next server at the same address."""
    with browser.new_context() as context:
        page = new_page(context)
        with serving() as first:
            port = first.port
            page.goto(first.link)
            begin(page, "tic-tac-toe", "human", "human")
            place(page, "b2").click()
            expect(page.locator("#moves li")).to_have_text(["b2"])
        expect(page.locator("#status")).to_contain_text("is disconnected")
        with serving(port=port) as second:
            expect(page.locator("#status")).to_contain_text("open the link")
            other = new_page(context)
            other.goto(second.link)  # the new server has a new link
            page.reload()
            expect(page.locator("#moves li")).to_have_text(["b2"])


def test_the_newer_copy_of_a_game_wins(browser: Browser, tmp_path: Path) -> None:
    """A server is stopped, the next one is killed: its folder has fewer moves than the browser."""
    with browser.new_context() as context:
        page = new_page(context)
        with serving(folder=tmp_path) as first:
            port = first.port
            page.goto(first.link)
            begin(page, "tic-tac-toe", "human", "human")
            play(page, "b2", "a1")
        saved = {path: path.read_bytes() for path in tmp_path.iterdir()}
        with serving(port=port, folder=tmp_path) as second:
            rejoin(page, second)
            expect(page.locator("#moves li")).to_have_text(["b2", "a1"])
            play(page, "c1", "a3")
        for path, contents in saved.items():  # as if it had been killed
            path.write_bytes(contents)
        with serving(port=port, folder=tmp_path) as third:
            rejoin(page, third)
            expect(page.locator("#moves li")).to_have_text(["b2", "a1", "c1", "a3"])
            page.click("#undo")
            expect(page.locator("#moves li")).to_have_count(3)
            page.reload()
            expect(page.locator("#moves li")).to_have_text(["b2", "a1", "c1"])


def rejoin(page: Page, server: Server) -> None:
    """Return to the room, on a restarted server."""
    room = page.url.partition("#")[2]
    page.goto(server.link)
    expect(page.locator("#status")).to_contain_text("move")
    page.goto(f"http://127.0.0.1:{server.port}/#{room}")
    page.reload()


def test_the_browser_keeps_the_newest_games(page: Page) -> None:
    page.evaluate(
        """() => {
            for (let number = 0; number < 40; number += 1) {
                const name = (number * 7) % 40;  // not in the order of their age
                localStorage.setItem(`unbounded:game${name}`, JSON.stringify({ saved_at: name }));
            }
        }"""
    )
    begin(page, "tic-tac-toe", "human", "human")
    play(page, "b2")
    kept = page.evaluate("Object.keys(localStorage).filter((key) => key.startsWith('unbounded:'))")
    room = room_of(page)
    assert set(kept) == {f"unbounded:{room}", *(f"unbounded:game{n}" for n in range(21, 40))}


# -- clocks ----------------------------------------------------------------------------------------


def test_a_game_with_a_clock_is_lost_on_time(page: Page) -> None:
    page.click("#new-game")
    page.fill("#setup-clock", "soon")
    page.select_option("#setup-game", "tic-tac-toe")
    expect(page.locator("#setup-seats select")).to_have_count(2)
    for seat in range(2):
        page.locator("#setup-seats select").nth(seat).select_option("human")
    page.click("#setup-begin")
    expect(page.locator("#setup-error")).to_contain_text("a clock is like 5m+3s")
    page.fill("#setup-clock", "4s")
    page.click("#setup-begin")
    expect(page.locator("#setup")).to_be_hidden()
    clocks = page.locator("#clocks [role=timer]")
    expect(clocks).to_have_count(2)
    expect(clocks.nth(0)).to_have_text(re.compile(r"4\.0$"))
    picture(page, "clocks")
    page.locator("#board .target").first.click()
    expect(clocks.nth(1)).to_have_class(re.compile("running"))
    expect(clocks.nth(1)).to_have_attribute("aria-label", re.compile("seconds?, running$"))
    expect(page.locator("#undo")).to_have_attribute("aria-disabled", "true")
    expect(page.locator("#status")).to_contain_text("ran out of time: player 1 (X) wins")
    expect(clocks.nth(1)).to_have_text(re.compile(r"0\.0$"))
    expect(page.locator("#clocks .running")).to_have_count(0)
    picture(page, "clocks-over")


def test_a_game_without_a_clock_shows_none(page: Page) -> None:
    begin(page, "tic-tac-toe", "human", "human")
    expect(page.locator("#clocks")).to_be_hidden()
