# SPDX-License-Identifier: MIT
"""The page by keyboard alone: a whole game, the tree and the curve. The mouse is never used."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from browsing import launched_browser, line_of, needs_browser, opened_page, wait_for_line
from playwright.sync_api import Browser, Page, expect
from serving import serving

from unbounded.interfaces.web.limits import Limits
from unbounded.interfaces.web.server import Server

pytestmark = needs_browser
FOCUSED = "selector => document.activeElement.closest(selector) !== null"


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


def reach(page: Page, selector: str) -> None:
    """Press the Tab key until the focus is there."""
    for _ in range(60):
        if page.evaluate(FOCUSED, selector):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"the Tab key does not lead to {selector}")


def begin_by_keys(page: Page, game: str) -> None:
    """The dialog for a new game, by keys: a letter opens it, typing selects the game."""
    page.keyboard.press("n")
    expect(page.locator("#setup-game")).to_be_focused()
    page.keyboard.type(game)
    expect(page.locator("#setup-game")).to_have_value(game)
    reach(page, "#setup-seats label:nth-child(2) select")
    page.keyboard.press("Home")
    reach(page, "#setup-begin")
    page.keyboard.press("Enter")
    expect(page.locator("#setup")).to_be_hidden()
    expect(page.locator("#title")).to_have_text(game)


def test_a_whole_game_the_tree_and_the_curve(page: Page) -> None:
    begin_by_keys(page, "tic-tac-toe")
    reach(page, "#board")
    for turn in range(9):
        page.keyboard.press("Enter")
        expect(page.locator("#moves li")).to_have_count(turn + 1)
        assert page.evaluate(FOCUSED, "#board"), "the focus stays on the board"
        if "over" in page.inner_text("#status"):
            break
        page.keyboard.press("ArrowRight" if turn % 2 else "ArrowUp")
    expect(page.locator("#status")).to_contain_text("The game is over")
    played = line_of(page)
    walk_the_curve(page, played)
    walk_the_tree(page, played)


def walk_the_curve(page: Page, played: list[str]) -> None:
    reach(page, "#curve")
    for ply in range(len(played) - 1, len(played) - 4, -1):
        page.keyboard.press("ArrowLeft")
        wait_for_line(page, *played[:ply])
        expect(page.locator("#curve")).to_have_attribute("aria-valuenow", str(ply))
        assert page.evaluate(FOCUSED, "#curve")
    page.keyboard.press("Home")
    wait_for_line(page)
    page.keyboard.press("a")
    expect(page.locator("#verdict")).to_contain_text("Proven: draw")
    expect(page.locator("#curve")).to_have_attribute("aria-valuetext", "At the start: proven: draw")


def walk_the_tree(page: Page, played: list[str]) -> None:
    reach(page, "#tabs")
    while page.get_attribute("#tab-tree", "aria-selected") != "true":
        page.keyboard.press("ArrowRight")
    expect(page.locator("#tree > li")).to_have_count(9)
    reach(page, "#tree")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#tree ul > li").first).to_be_visible()
    page.keyboard.press("ArrowRight")
    path = page.evaluate("JSON.parse(document.activeElement.dataset.path)")
    assert len(path) == 2
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    expect(page.locator("#tree ul > li")).to_have_count(0)
    page.keyboard.press("Enter")
    wait_for_line(page, path[0])
    assert page.evaluate("document.activeElement !== document.body")
    page.keyboard.press("Escape")
    wait_for_line(page, *played)
