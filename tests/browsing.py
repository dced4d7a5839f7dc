# SPDX-License-Identifier: MIT
"""A real browser for the tests of the page."""

from __future__ import annotations

import contextlib
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from unbounded.interfaces.web.server import Server

CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
PICTURES = Path(__file__).parent.parent / "build" / "screenshots"
FOREIGN_HOST = "evil.test"
"""A host that resolves to this machine, as a hostile name server could do (DNS rebinding)."""

SLOW = 90_000
"""Milliseconds: without a cache a game is compiled before its first move."""
expect.set_options(timeout=SLOW)

needs_browser = pytest.mark.skipif(
    CHROMIUM is None, reason="NO BROWSER: the page was not tested; install chromium"
)


@contextlib.contextmanager
def launched_browser() -> Iterator[Browser]:
    """Run Chromium without a window."""
    with sync_playwright() as driver:
        yield driver.chromium.launch(
            executable_path=CHROMIUM,
            args=["--no-sandbox", f"--host-resolver-rules=MAP {FOREIGN_HOST} 127.0.0.1"],
        )


class Traffic:
    """The hosts that a page has sent requests to, and its errors and warnings."""

    def __init__(self, page: Page) -> None:
        self.hosts: set[str] = set()
        self.errors: list[str] = []
        page.on("request", lambda request: self.hosts.add(request.url.split("/")[2]))
        page.on("console", lambda message: self._log(message.type, message.text))
        page.on("pageerror", lambda error: self.errors.append(str(error)))

    def _log(self, kind: str, text: str) -> None:
        if kind in ("error", "warning"):
            self.errors.append(text)


@contextlib.contextmanager
def opened_page(browser: Browser, server: Server) -> Iterator[Page]:
    """A page with a new game; at the end it has contacted no other host, and had no error."""
    context = browser.new_context(viewport={"width": 1280, "height": 1000})
    opened = new_page(context)
    traffic = Traffic(opened)
    opened.goto(server.link)
    expect(opened.locator("#status")).to_contain_text("move")
    yield opened
    context.close()
    assert traffic.hosts == {f"127.0.0.1:{server.port}"}, "no request leaves the machine"
    assert traffic.errors == []


def new_page(context: BrowserContext) -> Page:
    page = context.new_page()
    page.set_default_timeout(SLOW)
    return page


def begin(
    page: Page, game: str, *seats: str, seconds: float = 0.1, **parameters: str | int
) -> None:
    page.click("#new-game")
    page.select_option("#setup-game", game)
    for name, value in parameters.items():
        page.fill(f"#setup-parameters input[data-name={name}]", str(value))
        page.press(f"#setup-parameters input[data-name={name}]", "Tab")
    expect(page.locator("#setup-seats select").nth(max(0, len(seats) - 1))).to_be_visible()
    for seat, kind in enumerate(seats):
        page.locator("#setup-seats select").nth(seat).select_option(kind)
    page.fill("#setup-seconds", str(seconds))
    page.click("#setup-begin")
    expect(page.locator("#setup")).to_be_hidden()
    expect(page.locator("#title")).to_contain_text(game)
    expect(page.locator("#moves li")).to_have_count(0)


def tab(page: Page, name: str) -> None:
    """Select a tab beside the board."""
    page.click(f"#tab-{name}")


def room_of(page: Page) -> str:
    """The room in the address."""
    return parse_qs(page.url.partition("#")[2])["room"][0]


def line_of(page: Page) -> list[str]:
    """The moves to the position that is shown, by the address."""
    fields = parse_qs(page.url.partition("#")[2], keep_blank_values=True)
    moves = [name for name in fields["moves"][0].split(".") if name]
    return moves[: int(fields["ply"][0])] if "ply" in fields else moves


def wait_for_line(page: Page, *moves: str) -> None:
    """Wait until the position after these moves is shown."""
    page.wait_for_function(
        """wanted => {
            const parts = location.hash.slice(1).split("&").map(x => x.split("="));
            const fields = Object.fromEntries(parts);
            const line = (fields.moves || "").split(".").filter(x => x).map(decodeURIComponent);
            const shown = fields.ply === undefined ? line : line.slice(0, Number(fields.ply));
            return JSON.stringify(shown) === wanted;
        }""",
        arg=json.dumps(list(moves), separators=(",", ":")),
    )


def play(page: Page, *names: str) -> None:
    """Type moves, each after the other has arrived."""
    for name in names:
        before = page.locator("#moves li").count()
        page.fill("#entry-name", name)
        page.press("#entry-name", "Enter")
        expect(page.locator("#moves li")).not_to_have_count(before)


def accessible(page: Page) -> None:
    """No violation of WCAG that axe can find, and nothing wider than the window."""
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    found = Axe().run(page, options={"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]})
    assert found.violations_count == 0, found.generate_report()


def picture(page: Page, name: str) -> None:
    PICTURES.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=PICTURES / f"{name}.png", full_page=True)


def place(page: Page, name: str) -> Any:
    """The place on the board for the moves that begin with this text."""
    return page.locator(f'#board .target[aria-label^="{name}"]').first
