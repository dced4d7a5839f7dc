# SPDX-License-Identifier: MIT
"""The analysis in a real browser: streaming, the tree, the proof."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from browsing import (
    begin,
    launched_browser,
    needs_browser,
    opened_page,
    picture,
    place,
)
from playwright.sync_api import Browser, Page, expect
from serving import serving

from unbounded.interfaces.web.limits import Limits
from unbounded.interfaces.web.server import Server
from unbounded.search.options import ALGORITHMS, options_schema

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


def test_tic_tac_toe_is_a_proven_draw(page: Page) -> None:
    begin(page, "tic-tac-toe", "human", "ubfm-safest")
    page.click("#start")
    expect(page.locator("#verdict")).to_have_text("Proven: draw.")
    expect(page.locator("#actions .badge.draw")).to_have_count(9)
    expect(page.locator("#actions .estimate")).to_have_count(0)
    page.click("#why")
    expect(page.locator("#reason")).to_contain_text("is proven")
    picture(page, "proven-draw")


def test_an_analysis_streams(page: Page) -> None:
    begin(page, "connect-four", "human", "ubfm-safest")
    page.click("#start")
    expect(page.locator("#verdict")).to_contain_text("Not proven. Estimated")
    states = (
        "Number(document.getElementById('numbers').textContent.split(' ')[0].replaceAll(',', ''))"
    )
    expect(page.locator("#verdict")).to_have_attribute(
        "aria-live", "off"
    )  # not announced each time
    seen = page.evaluate(states)
    for _ in range(3):
        page.wait_for_function(f"before => {states} > before", arg=seen)
        seen = page.evaluate(states)
    page.click("#pause")
    expect(page.locator("#numbers")).to_contain_text("paused")
    expect(page.locator("#verdict")).to_have_attribute("aria-live", "polite")
    page.click("#resume")
    page.wait_for_function(f"before => {states} > before", arg=page.evaluate(states))
    page.locator("#pv button").nth(1).click()
    expect(page.locator("#preview")).to_be_visible()
    page.click("#preview-play")
    expect(page.locator("#moves li")).to_have_count(2)
    page.click("#stop")
    expect(page.locator("#start")).to_be_visible()


def test_the_tree_three_levels_deep(page: Page) -> None:
    begin(page, "connect-four", "human", "human", width=5, height=4)
    page.click("#start")
    page.wait_for_function("() => document.querySelectorAll('#tree > li').length > 0")
    page.wait_for_timeout(500)
    if page.locator("#pause").is_visible():
        page.click("#pause")
    page.wait_for_timeout(300)
    page.click("#refresh")
    item = page.locator("#tree > li").first
    for _ in range(3):
        item.locator("> .node .twist").click()
        item = item.locator("> ul > li").first
        expect(item).to_be_visible()
    item.locator("> .node").click()
    expect(page.locator("#preview")).to_be_visible()
    path = page.inner_text("#preview-line").split()
    assert len(path) == 4
    shown = page.locator("#board-text").text_content() or ""
    assert shown.count("X") >= 2 and shown.count("O") >= 2
    picture(page, "tree")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    expect(page.locator("#tree li li li li")).to_have_count(0)
    page.keyboard.press("Escape")
    expect(page.locator("#preview")).to_be_hidden()


def test_only_the_proof(page: Page) -> None:
    begin(page, "tic-tac-toe", "human", "human")
    for name in ("a1", "a2", "b1", "b2"):
        place(page, name).click()
        expect(page.locator("#moves li").last).to_have_text(name)
    page.click("#start")
    expect(page.locator("#verdict")).to_contain_text("Proven: player 1")
    expect(page.locator("#tree > li")).to_have_count(5)
    page.check("#proof")
    expect(page.locator("#tree > li")).to_have_count(1)
    expect(page.locator("#tree > li .action")).to_have_text("c1")
    expect(page.locator("#tree > li .badge.win")).to_have_count(1)


def test_no_proof_yet(page: Page) -> None:
    begin(page, "othello", "human", "human")
    page.click("#start")
    expect(page.locator("#tree > li")).to_have_count(4)
    page.check("#proof")
    expect(page.locator("#tree > li")).to_have_count(0)
    expect(page.locator("#tree-empty")).to_have_text("The position is not proven yet.")


def test_more_children_stay_during_the_search(page: Page) -> None:
    begin(page, "gomoku", "human", "human")
    page.click("#start")
    page.click("#tree button:has-text('125 more')")
    expect(page.locator("#tree > li")).to_have_count(201)
    page.locator("#tree > li").first.evaluate("item => { item.dataset.old = 'yes'; }")
    page.wait_for_function("() => !document.querySelector('#tree > li')?.dataset.old")
    expect(page.locator("#tree > li")).to_have_count(201)


def test_the_end_of_an_analyzed_game(page: Page) -> None:
    begin(page, "connect-four", "human", "human")
    page.click("#start")
    for turn, name in enumerate("1212121"):
        page.fill("#entry-name", name)
        page.keyboard.press("Enter")
        expect(page.locator("#moves li")).to_have_count(turn + 1)
    expect(page.locator("#status")).to_contain_text("The game is over")
    expect(page.locator("#verdict")).to_contain_text("Proven: player 1 (X) wins")
    expect(page.locator("#pause")).to_be_hidden()
    expect(page.locator("#actions")).to_be_hidden()


def test_three_players(page: Page) -> None:
    begin(page, "nim", "human", "ubfm", "max-n", players=3)
    page.click("#start")
    expect(page.locator("#verdict")).to_contain_text("Proven: player")
    expect(page.locator("#actions tbody tr").first).to_contain_text("wins")
    picture(page, "three-players")


def test_the_form_is_made_from_the_described_options(page: Page) -> None:
    begin(page, "tic-tac-toe", "human", "ubfm-safest")
    expect(page.locator("#algorithm option")).to_have_text(list(ALGORITHMS))
    page.click("#options summary")
    expect(page.locator("#options label")).to_have_count(len(options_schema(solving=False)) - 1)
    page.get_by_label("stop at draw").check()
    page.click("#start")
    expect(page.locator("#error")).to_contain_text("stop_at_draw needs algorithm='descent'")
    page.get_by_label("stop at draw").uncheck()
    page.get_by_label("values").select_option("resolved_completion")
    page.click("#start")
    expect(page.locator("#verdict")).to_have_text("Proven: draw (an equilibrium).")
