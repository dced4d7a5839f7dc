# SPDX-License-Identifier: MIT
"""The analysis in a real browser: streaming, the tree, the proof."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from browsing import (
    begin,
    launched_browser,
    line_of,
    needs_browser,
    opened_page,
    picture,
    place,
    play,
    tab,
    wait_for_line,
)
from playwright.sync_api import Browser, Locator, Page, expect
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


PROVEN = "() => /Proven/.test(document.getElementById('verdict').textContent)"


def test_tic_tac_toe_is_a_proven_draw(page: Page) -> None:
    begin(page, "tic-tac-toe", "human", "ubfm-safest")
    expect(page.locator("#board .value")).to_have_count(0)
    page.click("#start")
    expect(page.locator("#verdict")).to_have_text("Proven: draw.")
    expect(page.locator("#actions .badge.draw")).to_have_count(9)
    expect(page.locator("#actions .estimate")).to_have_count(0)
    expect(page.locator("#board .value.proven.draw")).to_have_count(9)
    expect(page.locator("#bar [aria-label='Evaluation: proven: draw']")).to_be_visible()
    tab(page, "why")
    expect(page.locator("#reason")).to_contain_text("is proven")
    picture(page, "proven-draw")


def test_an_analysis_streams(page: Page) -> None:
    begin(page, "connect-four", "human", "ubfm-safest")
    page.click("#start")
    expect(page.locator("#verdict")).to_contain_text("Not proven. Estimated")
    states = (
        "Number(document.getElementById('numbers').textContent.split(' ')[0].replaceAll(',', ''))"
    )
    # Estimates are not announced each time that they change.
    expect(page.locator("#verdict")).to_have_attribute("aria-live", "off")
    expect(page.locator("#board .value.estimated")).to_have_count(7)
    seen = page.evaluate(states)
    for _ in range(3):
        page.wait_for_function(f"before => {states} > before", arg=seen)
        seen = page.evaluate(states)
    page.click("#pause")
    expect(page.locator("#numbers")).to_contain_text("paused")
    expect(page.locator("#verdict")).to_have_attribute("aria-live", "polite")
    page.click("#resume")
    page.wait_for_function(f"before => {states} > before", arg=page.evaluate(states))
    tab(page, "lines")
    page.locator("#pv li").first.locator("button").nth(1).click()
    expect(page.locator("#status")).to_contain_text("Variation")
    page.click("#play-line")
    expect(page.locator("#moves li")).to_have_count(2)
    page.click("#stop")
    expect(page.locator("#start")).to_be_visible()


def test_the_analysis_follows_the_board(page: Page) -> None:
    """Whatever is shown is about one position: before, a line kept the verdict of the root."""
    begin(page, "tic-tac-toe", "human", "human")
    play(page, "a1", "a2", "b1")
    page.click("#start")
    expect(page.locator("#verdict")).to_contain_text("Proven")
    expect(page.locator("#actions .move")).to_have_count(6)
    page.locator("#actions .move", has_text="c3").click()
    wait_for_line(page, "a1", "a2", "b1", "c3")
    expect(page.locator("#actions .move")).to_have_count(5)
    expect(page.locator("#verdict")).to_have_text("Proven: player 1 (X) wins in 1 move.")
    assert "c3" not in page.locator("#actions .move").all_inner_texts(), "the cell is occupied"
    expect(page.locator("#board .value.win")).not_to_have_count(0)
    assert page.get_attribute("#curve", "aria-valuenow") == "4"
    page.keyboard.press("Home")
    wait_for_line(page)
    expect(page.locator("#actions .move")).to_have_count(9)
    page.click("#leave")
    wait_for_line(page, "a1", "a2", "b1")
    expect(page.locator("#verdict")).to_contain_text("Proven: ")


def test_undo_keeps_the_proof(page: Page) -> None:
    begin(page, "tic-tac-toe", "human", "human")
    page.click("#start")
    expect(page.locator("#verdict")).to_have_text("Proven: draw.")
    numbers = page.inner_text("#numbers").split(",")[0]
    play(page, "b2")
    page.click("#undo")
    expect(page.locator("#moves li")).to_have_count(0)
    expect(page.locator("#verdict")).to_have_text("Proven: draw.")
    expect(page.locator("#board .value.proven.draw")).to_have_count(9)
    assert page.inner_text("#numbers").split(",")[0] == numbers, "nothing was searched again"


def test_values_on_the_board_can_be_switched(page: Page) -> None:
    begin(page, "tic-tac-toe", "human", "human")
    page.click("#start")
    expect(page.locator("#board .value")).to_have_count(9)
    expect(page.locator("#values")).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("v")
    expect(page.locator("#board .value")).to_have_count(0)
    page.reload()
    expect(page.locator("#verdict")).to_have_text("Proven: draw.")
    expect(page.locator("#board .value")).to_have_count(0)
    page.click("#values")
    expect(page.locator("#board .value")).to_have_count(9)
    play(page, "b2")
    page.click("#stop")
    begin(page, "tic-tac-toe", "human", "ubfm-safest")
    expect(page.locator("#values")).to_have_attribute("aria-pressed", "false")


def test_a_piece_has_the_number_of_its_best_move(page: Page) -> None:
    begin(page, "breakthrough", "human", "human", rows=5, columns=3)
    page.click("#start")
    expect(page.locator("#verdict")).to_contain_text("Proven")
    pieces = page.locator("#board .value")
    expect(pieces).to_have_count(page.locator("#board .target").count())
    best = page.locator("#actions tr.best .move").inner_text()
    place(page, f"{best[:2]}-").click()
    expect(page.locator("#board .chosen")).to_have_count(1)
    expect(page.locator("#board .value")).to_have_count(page.locator("#board .target").count())
    assert "proven" in (place(page, best).get_attribute("aria-label") or "")


def test_pointing_at_a_line_shows_ghosts(page: Page) -> None:
    begin(page, "tic-tac-toe", "human", "human")
    page.click("#start")
    expect(page.locator("#verdict")).to_have_text("Proven: draw.")
    tab(page, "lines")
    expect(page.locator("#pv li")).to_have_count(5)
    moves = page.locator("#pv li").first.locator("button")
    moves.nth(2).hover()
    expect(page.locator("#board .ghost")).to_have_count(3)
    expect(page.locator("#board .ghost text")).to_have_text(["1", "2", "3"])
    page.mouse.move(5, 5)
    expect(page.locator("#board .ghost")).to_have_count(0)
    moves.nth(1).focus()
    expect(page.locator("#board .ghost")).to_have_count(2)


def lasting(page: Page, item: Locator) -> Locator:
    """An item of the tree, wherever it moves."""
    expect(item).to_be_visible()
    return page.locator(f"#tree li[data-path='{item.get_attribute('data-path')}']")


def test_the_tree_three_levels_deep(page: Page) -> None:
    begin(page, "connect-four", "human", "human", width=5, height=4)
    page.click("#start")
    tab(page, "tree")
    expect(page.locator("#tree > li .twist").first).to_have_text("▸")
    page.click("#pause")
    page.click("#refresh")
    # By its moves, because the order may still change until the tree is read and pointed at.
    item = lasting(page, page.locator("#tree > li").first)
    for _ in range(3):
        item.locator("> .node .twist").click()
        item = lasting(page, item.locator("> ul > li").first)
    item.locator("> .node").click()
    expect(page.locator("#status")).to_contain_text("Variation")
    assert len(line_of(page)) == 4
    shown = page.locator("#board-text").text_content() or ""
    assert shown.count("X") >= 2 and shown.count("O") >= 2
    box = page.locator("#board").bounding_box()
    assert box is not None and box["y"] >= 0, "the board is in sight"
    page.keyboard.press("Escape")
    wait_for_line(page)


def test_the_tree_as_a_picture(page: Page) -> None:
    begin(page, "tic-tac-toe", "human", "human")
    page.click("#start")
    page.wait_for_function(PROVEN)
    tab(page, "tree")
    page.check("#tree-graph")
    states = page.locator("#tree-picture .state")
    expect(states.nth(5)).to_be_visible()
    expect(page.locator("#tree-picture .edge.shared")).not_to_have_count(0)
    numbers = states.evaluate_all("all => all.map(each => each.dataset.number)")
    assert len(numbers) == len(set(numbers)), "a shared state is drawn once"
    assert len(numbers) <= 300
    before = page.get_attribute("#tree-picture svg", "viewBox")
    page.locator("#tree-picture .state[tabindex='0']").focus()
    page.keyboard.press("+")
    assert page.get_attribute("#tree-picture svg", "viewBox") != before
    page.keyboard.press("0")
    page.keyboard.press("ArrowRight")
    name = page.evaluate("document.activeElement.getAttribute('aria-label')").split(":")[0]
    picture(page, "tree-picture")
    page.keyboard.press("Enter")
    wait_for_line(page, name)
    assert page.evaluate("document.activeElement !== document.body")


def test_only_the_proof(page: Page) -> None:
    begin(page, "tic-tac-toe", "human", "human")
    play(page, "a1", "a2", "b1", "b2")
    page.click("#start")
    expect(page.locator("#verdict")).to_contain_text("Proven: player 1")
    tab(page, "tree")
    expect(page.locator("#tree > li")).to_have_count(5)
    page.check("#proof")
    expect(page.locator("#tree > li")).to_have_count(1)
    expect(page.locator("#tree > li .action")).to_have_text("c1")
    expect(page.locator("#tree > li .badge.win")).to_have_count(1)


def test_no_proof_yet(page: Page) -> None:
    begin(page, "othello", "human", "human")
    page.click("#start")
    tab(page, "tree")
    expect(page.locator("#tree > li")).to_have_count(4)
    page.check("#proof")
    expect(page.locator("#tree > li")).to_have_count(0)
    expect(page.locator("#tree-empty")).to_have_text("The position is not proven yet.")


def test_more_children_stay_during_the_search(page: Page) -> None:
    begin(page, "gomoku", "human", "human")
    page.click("#start")
    tab(page, "tree")
    page.click("#tree button:has-text('125 more')")
    expect(page.locator("#tree > li")).to_have_count(201)
    numbers = page.inner_text("#numbers")
    page.wait_for_function(
        "old => document.getElementById('numbers').textContent !== old", arg=numbers
    )
    page.click("#refresh")
    expect(page.locator("#tree > li")).to_have_count(201)


def test_a_finished_game_can_be_analyzed(page: Page) -> None:
    """Before, the end of a game was a dead end."""
    begin(page, "connect-four", "human", "human")
    play(page, *"1212121")
    expect(page.locator("#status")).to_contain_text("The game is over")
    expect(page.locator("#verdict")).to_contain_text("player 1 (X) wins")
    expect(page.locator("#board .ub-win")).not_to_have_count(0)
    tab(page, "game")
    page.locator("#moves button").nth(4).click()
    wait_for_line(page, *"12121")
    page.click("#start")
    tab(page, "moves")
    expect(page.locator("#actions .move")).not_to_have_count(0)
    tab(page, "game")
    page.click("#review")
    expect(page.locator("#review")).to_have_text("Review again")
    expect(page.locator("#mistakes li").first).to_contain_text("away")
    page.locator("#mistakes button").last.click()
    expect(page.locator("#status")).to_contain_text("After move")
    picture(page, "review")


def test_three_players(page: Page) -> None:
    begin(page, "nim", "human", "ubfm", "max-n", players=3)
    expect(page.locator("#status")).to_contain_text("Your move")
    page.click("#start")
    expect(page.locator("#verdict")).to_contain_text("Proven: player")
    expect(page.locator("#actions tbody tr").first).to_contain_text("win")
    expect(page.locator(".evaluation-bar")).to_have_count(3)
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


def test_the_algorithm_is_named_after_a_reload(page: Page) -> None:
    begin(page, "connect-four", "human", "human")
    page.select_option("#algorithm", "descent")
    page.click("#start")
    expect(page.locator("#verdict")).to_contain_text("Estimated")
    page.reload()
    expect(page.locator("#verdict")).to_contain_text("Estimated")
    expect(page.locator("#algorithm")).to_have_value("descent")


def test_moves_that_are_not_listed_are_counted(page: Page) -> None:
    begin(page, "nim", "human", "human", heaps="[9999,9999,9999]")
    expect(page.locator("#by-name, #board .target").first).to_be_attached()
    shown = page.locator("#by-name button").count()
    if shown:
        expect(page.locator("#by-name")).to_contain_text(f"and {29_997 - shown:,} more: type them")
    page.click("#start")
    expect(page.locator("#panel-moves")).to_contain_text("more moves not listed")
