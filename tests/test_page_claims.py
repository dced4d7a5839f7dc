# SPDX-License-Identifier: MIT
"""The page of a claims file in a real browser: the numbers, and its positions one by one."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from browsing import Traffic, launched_browser, needs_browser, new_page, picture, place
from playwright.sync_api import Browser, Page, expect
from serving import serving
from written_claims import DIGEST, write_example, writing

from unbounded.interfaces.web import claims
from unbounded.interfaces.web.claims import ClaimsReader
from unbounded.interfaces.web.server import Server

pytestmark = needs_browser


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with launched_browser() as launched:
        yield launched


@pytest.fixture(scope="module", autouse=True)
def interval() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(claims, "INTERVAL", 0.1)
        yield


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    path = tmp_path_factory.mktemp("claims") / "example.claims"
    write_example(path)
    with serving(claims=ClaimsReader(path)) as running:
        yield running


@pytest.fixture
def page(browser: Browser, server: Server) -> Iterator[Page]:
    with opened(browser, server) as page:
        yield page


@contextlib.contextmanager
def opened(browser: Browser, server: Server) -> Iterator[Page]:
    """The page that the link leads to; at the end it has contacted no other host."""
    with browser.new_context(viewport={"width": 1280, "height": 1000}) as context:
        page = new_page(context)
        traffic = Traffic(page)
        page.goto(server.link)
        expect(page.locator("#children tbody tr")).to_have_count(9)
        yield page
        assert "owned" not in page.title() and page.locator("main img").count() == 0
        assert traffic.hosts == {f"127.0.0.1:{server.port}"}, "no request leaves the machine"
        assert traffic.errors == []


def cells(page: Page, move: str) -> list[str]:
    """What the table says about a move."""
    row = page.locator("#children tbody tr", has=page.locator(f'button[data-move="{move}"]'))
    return [" ".join(text.split()) for text in row.locator("td").all_inner_texts()]


def test_proven_not_checked_and_estimated_are_apart(page: Page) -> None:
    expect(page.locator("#verdict")).to_contain_text("Proven: player 1 (X) cannot lose")
    expect(page.locator("#share")).to_contain_text("Estimated: about")
    expect(page.locator("#numbers")).to_contain_text("1 running, 3 solved, 3 open, 1 refused")
    expect(page.locator("#workers tbody tr")).to_have_count(3)
    expect(page.locator("#refused")).to_contain_text("<img")
    short = DIGEST[:10]
    assert cells(page, "b2") == [
        "b2",
        "at least a draw",
        f"certificate {short}",
        "",
        "+0.500",
        "expanded",
    ]
    assert cells(page, "a1") == ["a1", "", "", "at most a draw", "-0.250", "leaf"]
    assert cells(page, "a2") == ["a2", "", "", "", "+0.125", "expanded"]
    assert page.locator("#children .badge.unchecked").count() == 4, "the corners"


def test_going_down_and_up(page: Page) -> None:
    page.click('#children button[data-move="b2"]')
    expect(page.locator("#path button")).to_have_text(["root", "b2"])
    expect(page.locator("#position-title")).to_be_focused()
    expect(page.locator("#claims")).to_contain_text(DIGEST)
    expect(page.locator("#claims")).to_contain_text("checked")
    place(page, "b1").click()
    expect(page.locator("#path button")).to_have_text(["root", "b2", "b1"])
    assert page.evaluate("document.getElementById('board').contains(document.activeElement)")
    expect(page.locator("#known")).to_contain_text("player 1 (X) wins")
    expect(page.locator("#known")).not_to_contain_text("estimated")
    expect(page.locator("#children-note")).to_contain_text("Nothing is left to prove")
    page.reload()
    expect(page.locator("#path button")).to_have_text(["root", "b2", "b1"])
    page.go_back()
    expect(page.locator("#path button")).to_have_text(["root", "b2"])
    page.locator("#path button").first.click()
    expect(page.locator("#children tbody tr")).to_have_count(9)


def test_keyboard_only(page: Page) -> None:
    page.locator('#children button[data-move="b2"]').focus()
    page.keyboard.press("Enter")
    expect(page.locator("#path button")).to_have_text(["root", "b2"])
    page.keyboard.press("u")
    expect(page.locator("#path button")).to_have_text(["root"])
    page.fill("#entry-moves", "b2 a1")
    page.keyboard.press("Enter")
    expect(page.locator("#path button")).to_have_text(["root", "b2", "a1"])
    expect(page.locator("#children-note")).to_contain_text("A leaf")
    page.fill("#entry-moves", "a1 b2")
    page.keyboard.press("Enter")
    expect(page.locator("#error")).to_contain_text("not in the claims file")
    expect(page.locator("#path button")).to_have_text(["root", "b2", "a1"])
    page.locator("#position-title").focus()
    page.keyboard.press("r")
    expect(page.locator("#path button")).to_have_text(["root"])


def test_it_follows_a_run(browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "run.claims"
    write_example(path)
    with serving(claims=ClaimsReader(path)) as server, opened(browser, server) as page:
        follow(page, path)


def follow(page: Page, path: Path) -> None:
    page.locator('#children button[data-move="a2"]').focus()
    with writing(path) as write:
        write.claim("<=0", "b2")
        expect(page.locator("#children .badge.draw")).to_have_count(1)
        assert cells(page, "b2")[1:2] == ["draw"] and cells(page, "b2")[4] == ""
        expect(page.locator('#children button[data-move="a2"]')).to_be_focused()
        write.claim("<=0", "a2")
        expect(page.locator("#accepted")).to_contain_text("not checked: draw")
        expect(page.locator("#verdict")).to_contain_text("cannot lose")
        write.claim("<=0", "a1")
        expect(page.locator("#verdict")).to_have_text("Proven: draw.")
    expect(page.locator("#accepted")).to_be_hidden()
    expect(page.locator("#progress")).to_be_hidden()
    page.fill("#entry-moves", "b2 a1")
    page.press("#entry-moves", "Enter")
    expect(page.locator("#children-note")).to_contain_text("A leaf")
    expect(page.locator("#board .target")).to_have_count(0)
    with writing(path) as write:
        write.expand("b2 a1")
        expect(page.locator("#board .target")).to_have_count(7)
        write.claim("<=-1", "b2")
    expect(page.locator("#failure")).to_contain_text("exclude each other")
    expect(page.locator("#verdict")).not_to_contain_text("Proven")


def test_the_two_pages_lead_to_each_other(page: Page) -> None:
    page.click("text=Play and analyze")
    expect(page.locator("#status")).to_contain_text("move")
    page.click("#claims-link")
    expect(page.locator("#children tbody tr")).to_have_count(9)


@pytest.mark.parametrize("colors", ["light", "dark"])
def test_it_is_accessible(page: Page, colors: Any) -> None:
    page.emulate_media(color_scheme=colors)
    for width, path, moves in ((1280, "", 9), (360, "b2", 8)):
        page.set_viewport_size({"width": width, "height": 800})
        page.fill("#entry-moves", path)
        page.press("#entry-moves", "Enter")
        expect(page.locator("#children tbody tr")).to_have_count(moves)
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
        found = Axe().run(page, options={"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]})
        assert found.violations_count == 0, found.generate_report()
        picture(page, f"claims-{colors}-{width}")
