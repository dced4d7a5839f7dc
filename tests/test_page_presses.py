# SPDX-License-Identifier: MIT
"""What is pressed is what is hit, and the focus is never lost, while an analysis streams."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from browsing import begin, launched_browser, needs_browser, opened_page, place, tab, wait_for_line
from playwright.sync_api import Browser, Locator, Page, expect
from serving import serving

from unbounded.interfaces.web.limits import Limits
from unbounded.interfaces.web.server import Server

pytestmark = needs_browser
PRESS = 100
"""Milliseconds between the press of a button and its release."""


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


def streaming(page: Page) -> None:
    """A game of hex with an analysis whose order of moves changes all the time."""
    begin(page, "hex", "human", "human", size=7)
    page.click("#start")
    page.wait_for_function("() => document.querySelectorAll('#actions tbody tr').length > 40")


def press(page: Page, target: Locator) -> None:
    """Point at an element, wait as a person would, press and release the button."""
    target.hover()
    box = target.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.wait_for_timeout(150)
    page.mouse.down()
    page.wait_for_timeout(PRESS)
    page.mouse.up()


def test_40_presses_on_moves_hit_40_times(page: Page) -> None:
    """In the table, in the tree and on the board; before, 13 of 40 were lost and 3 hit another."""
    streaming(page)
    states = page.inner_text("#numbers")
    for turn in range(20):
        row = page.locator("#actions .move").nth(turn % 9)
        row.hover()  # from here on the order stays
        name = row.inner_text()
        press(page, row)
        wait_for_line(page, name)
        page.keyboard.press("Escape")
        wait_for_line(page)
        page.mouse.move(5, 5)
    tab(page, "tree")
    expect(page.locator("#tree > li").nth(9)).to_be_visible()
    for turn in range(10):
        node = page.locator("#tree > li > .node").nth(turn % 9)
        node.hover()
        name = node.locator(".action").inner_text()
        press(page, node.locator(".action"))
        wait_for_line(page, name)
        page.keyboard.press("Escape")
        wait_for_line(page)
        expect(page.locator("#tree > li").nth(9)).to_be_visible()
        page.mouse.move(5, 5)
    names = ["a1", "d4", "g7", "b6", "f2", "c3", "e5", "a7", "g1", "d2"]
    for turn, name in enumerate(names, 1):
        press(page, place(page, f"{name};"))
        wait_for_line(page, *names[:turn])
    expect(page.locator("#moves li")).to_have_text(names)
    assert page.inner_text("#numbers") != states, "the search was running all the time"


def test_a_focused_move_keeps_the_focus_while_the_order_changes(page: Page) -> None:
    streaming(page)
    page.locator("#actions .move").nth(5).focus()
    kept = "() => document.activeElement.matches('.move') && document.activeElement.textContent"
    name = page.evaluate(kept)
    for _ in range(5):
        before = page.inner_text("#numbers")
        page.wait_for_function(
            "old => document.getElementById('numbers').textContent !== old", arg=before
        )
        assert page.evaluate(kept) == name
    page.keyboard.press("Enter")
    wait_for_line(page, name)
    assert page.evaluate("document.activeElement !== document.body")


def test_elements_are_kept_by_an_update(page: Page) -> None:
    """Rows, places and badges are changed in place, whatever the search says about them."""
    streaming(page)
    page.evaluate(
        """() => { for (const each of document.querySelectorAll(
            "#actions tbody tr, #board .target, #board .value")) each.kept = true; }"""
    )
    before = page.inner_text("#numbers")
    page.wait_for_function(
        "old => document.getElementById('numbers').textContent !== old", arg=before
    )
    replaced = """() => [...document.querySelectorAll(
        "#actions tbody tr, #board .target, #board .value")].filter(each => !each.kept).length"""
    assert page.evaluate(replaced) == 0


def test_nothing_jumps_when_an_analysis_starts_and_streams(page: Page) -> None:
    begin(page, "hex", "human", "human", size=7)
    where = """() => ["board", "bar", "curve", "tabs", "panel-moves", "entry"].map(id => {
        const box = document.getElementById(id).getBoundingClientRect();
        return [box.x, box.y, box.width, box.height].map(Math.round); })"""
    before = page.evaluate(where)
    page.click("#start")
    page.wait_for_function("() => document.querySelectorAll('#actions tbody tr').length > 40")
    assert page.evaluate(where) == before
    page.locator("#actions .move").first.click()
    expect(page.locator("#leave")).to_be_visible()
    assert page.evaluate(where) == before, "another position has another drawing, in the same place"


def test_the_focus_stays_on_the_board_against_a_machine(page: Page) -> None:
    """Before, it fell to the body after every move."""
    begin(page, "tic-tac-toe", "human", "greedy")
    page.locator("#board .target").first.focus()
    for turn in range(3):
        expect(page.locator("#moves li")).to_have_count(2 * turn)
        page.keyboard.press("Enter")
        page.wait_for_function(
            "turn => document.querySelectorAll('#moves li').length > 2 * turn", arg=turn
        )
        assert page.evaluate("document.getElementById('board').contains(document.activeElement)")
        if "over" in page.inner_text("#status"):
            break
    assert page.evaluate("document.getElementById('board').contains(document.activeElement)")


def test_a_board_is_one_stop_of_the_tab_key(page: Page) -> None:
    """Gomoku has 225 places."""
    begin(page, "gomoku", "human", "human")
    expect(page.locator("#board .target")).to_have_count(225)
    stops = "document.querySelectorAll('#board [tabindex=\"0\"]').length"
    assert page.evaluate(stops) == 1
    page.locator('#board [tabindex="0"]').focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowUp")
    assert page.evaluate(stops) == 1
    assert page.evaluate("document.activeElement.tabIndex") == 0
