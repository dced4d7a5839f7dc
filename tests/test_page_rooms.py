# SPDX-License-Identifier: MIT
"""Rooms, addresses and the dialog for a new game, in a real browser."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

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
    wait_for_line,
)
from playwright.sync_api import Browser, Page, expect
from serving import serving

from unbounded.game import catalogue
from unbounded.interfaces.web.limits import Limits
from unbounded.interfaces.web.server import Server

pytestmark = needs_browser
BERRIES = Path(__file__).parent.parent / "examples" / "berries.py"


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


def test_a_new_game_destroys_nothing(page: Page) -> None:
    """Each game has a room of its own; the back button and the list of games lead to the others."""
    begin(page, "tic-tac-toe", "human", "human")
    play(page, "b2", "a1")
    first = room_of(page)
    begin(page, "hex", "human", "human", size=4)
    assert room_of(page) != first
    play(page, "b2")
    page.go_back()
    expect(page.locator("#title")).to_have_text("tic-tac-toe")
    expect(page.locator("#moves li")).to_have_text(["b2", "a1"])
    page.go_forward()
    expect(page.locator("#title")).to_contain_text("hex")
    tab(page, "game")
    page.click("#recent summary")
    expect(page.locator("#recent a").first).to_contain_text("tic-tac-toe, 2 moves")
    page.locator("#recent a").first.click()
    expect(page.locator("#moves li")).to_have_text(["b2", "a1"])


def test_a_position_can_be_sent(page: Page, browser: Browser, server: Server) -> None:
    """The link has no room: it opens the position for someone else, in a room of its own."""
    link = f"http://127.0.0.1:{server.port}/#game=connect-four&moves=4.4.3&ply=2"
    with browser.new_context() as context:
        other = new_page(context)
        other.goto(server.link)
        expect(other.locator("#status")).to_contain_text("move")
        other.goto(link)
        wait_for_line(other, "4", "4")
        expect(other.locator("#moves li")).to_have_text(["4", "4", "3"])
        expect(other.locator("#title")).to_have_text("connect-four")
        assert room_of(other)
    page.goto(f"http://127.0.0.1:{server.port}/#game=no-such-game&moves=1")
    expect(page.locator("#error")).to_contain_text("no-such-game")
    expect(page.locator("#status")).to_contain_text("move")


def test_the_position_can_be_copied(browser: Browser, server: Server) -> None:
    with browser.new_context(permissions=["clipboard-read", "clipboard-write"]) as context:
        page = new_page(context)
        page.goto(server.link)
        expect(page.locator("#status")).to_contain_text("move")
        begin(page, "tic-tac-toe", "human", "human")
        play(page, "b2")
        tab(page, "game")
        read = "navigator.clipboard.readText()"
        page.click("#copy-link")
        expect(page.locator("#announcement")).to_contain_text("Link copied")
        assert page.evaluate(read).endswith("#game=tic-tac-toe&moves=b2")
        page.click("#copy-text")
        expect(page.locator("#announcement")).to_contain_text("Board copied")
        assert "X" in page.evaluate(read)
        page.click("#copy-svg")
        expect(page.locator("#announcement")).to_contain_text("SVG copied")
        assert page.evaluate(read).startswith("<svg")
        page.click("#copy-png")
        expect(page.locator("#announcement")).to_contain_text("Picture copied")
        kinds = "navigator.clipboard.read().then(items => items.flatMap(item => item.types))"
        assert page.evaluate(kinds) == ["image/png"]


def test_enter_begins_and_the_dialog_remembers(page: Page) -> None:
    """Before, Enter in a parameter was Cancel, and parameters were forgotten."""
    page.click("#new-game")
    page.select_option("#setup-game", "hex")
    size = page.locator("#setup-parameters input[data-name=size]")
    size.fill("4")
    page.locator("#setup-seats select").nth(1).select_option("human")
    size.press("Enter")
    expect(page.locator("#setup")).to_be_hidden()
    expect(page.locator("#title")).to_have_text("hex(size=4)")
    begin(page, "tic-tac-toe", "human", "human")
    page.click("#new-game")
    page.select_option("#setup-game", "hex")
    expect(size).to_have_value("4")
    expect(page.locator("#setup-seats select").nth(1)).to_have_value("human")
    expect(page.locator("#setup-picture svg")).to_be_visible()
    expect(page.locator("#setup-words")).to_contain_text("chain")
    page.fill("#setup-seconds", "")
    page.click("#setup-begin")
    expect(page.locator("#setup-error")).to_contain_text("must be a number above 0")
    page.fill("#setup-seconds", "1")
    size.fill("-3")
    page.click("#setup-begin")
    expect(page.locator("#setup-error")).not_to_be_empty()
    expect(page.locator("#setup")).to_be_visible()
    page.click("#setup-cancel")
    expect(page.locator("#title")).to_have_text("tic-tac-toe")


def test_strengths_in_words(page: Page) -> None:
    page.click("#new-game")
    expect(page.locator("#setup-seats optgroup").first).to_be_attached()
    words = page.locator("#setup-seats select").nth(1).locator("option").all_inner_texts()
    assert any(text.startswith("novice") for text in words)
    assert any(text.startswith("perfect") and "prove" in text for text in words)


def test_rules_hint_swap_and_rematch(page: Page) -> None:
    begin(page, "tic-tac-toe", "human", "greedy")
    tab(page, "rules")
    expect(page.locator("#panel-rules")).to_contain_text("three")
    expect(page.locator("#panel-rules svg")).to_be_visible()
    page.click("#hint")
    expect(page.locator("#caption")).not_to_be_empty()
    expect(page.locator("#board .ghost")).to_have_count(1)
    tab(page, "game")
    page.click("#swap")
    expect(page.locator(".seats")).to_contain_text("player 2 (O): you")
    expect(page.locator("#moves li")).to_have_count(1)
    page.click("#rematch")
    page.click("#confirm-yes")
    expect(page.locator("#moves li")).to_have_count(1)


def test_a_game_of_ones_own_has_a_short_title(browser: Browser) -> None:
    """Before, the full path was the title, and too wide for a phone."""
    game = catalogue.load_game(f"{BERRIES}:Berries")
    with serving(game=game) as running, browser.new_context() as context:
        page = new_page(context)
        page.set_viewport_size({"width": 390, "height": 844})
        page.goto(running.link)
        expect(page.locator("#status")).to_contain_text("Your move")
        assert "/" not in page.inner_text("#title")
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
        tab(page, "rules")
        expect(page.locator(".rules-text").first).not_to_be_empty()
        picture(page, "own-game-phone")


def test_a_position_can_be_edited(page: Page) -> None:
    begin(page, "tic-tac-toe", "human", "human")
    play(page, "b2")
    tab(page, "game")
    page.click("#edit")
    expect(page.locator("#editor")).to_be_visible()
    expect(page.locator("#board .target")).to_have_count(9)
    page.click("#editor button:has-text('O')")
    page.locator("#board .target").nth(0).click()
    expect(page.locator("#edit-done")).to_be_enabled()
    picture(page, "editor")
    page.click("#edit-done")
    expect(page.locator("#editor")).to_be_hidden()
    expect(page.locator("#title")).to_contain_text("from a position")
    expect(page.locator("#board .target")).to_have_count(7)
    page.click("#start")
    expect(page.locator("#verdict")).to_contain_text("Proven")
    tab(page, "moves")
    place(page, page.locator("#actions .move").first.inner_text()).click()
    expect(page.locator("#moves li")).to_have_count(1)


def test_machine_moves_are_announced(page: Page) -> None:
    begin(page, "tic-tac-toe", "human", "greedy")
    expect(page.locator("#announcement")).to_have_attribute("aria-live", "polite")
    play(page, "b2")
    expect(page.locator("#announcement")).to_contain_text("player 2 (O) plays")
    expect(page.locator("#decision")).to_contain_text("was played")
    page.click("#undo")
    expect(page.locator("#moves li")).to_have_count(0)
    expect(page.locator("#decision")).to_be_empty()


def test_shortcuts_of_one_letter_can_be_switched_off(page: Page) -> None:
    begin(page, "tic-tac-toe", "human", "human")
    play(page, "b2")
    page.click("#settings-open")
    page.uncheck("#shortcuts")
    page.keyboard.press("Escape")
    page.locator("#undo").focus()
    page.keyboard.press("u")
    page.keyboard.press("ArrowLeft")
    wait_for_line(page)
    expect(page.locator("#moves li")).to_have_text(["b2"])
    page.reload()
    expect(page.locator("#moves li")).to_have_text(["b2"])
    page.click("#settings-open")
    expect(page.locator("#shortcuts")).not_to_be_checked()
    page.check("#shortcuts")
    page.keyboard.press("Escape")
    page.keyboard.press("u")
    expect(page.locator("#moves li")).to_have_count(0)
