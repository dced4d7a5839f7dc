# SPDX-License-Identifier: MIT
"""Take the pictures of the page for the documents: `make pictures`."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

PICTURES = Path(__file__).parent / "pictures"
WIDE, PHONE = {"width": 1400, "height": 880}, {"width": 390, "height": 844}
HUMAN = "human"


def begin(page: Page, game: str, *seats: str, **parameters: int) -> None:
    """Begin a game as the dialog does."""
    page.click("#new-game")
    page.select_option("#setup-game", game)
    for name, value in parameters.items():
        page.fill(f"#setup-parameters input[data-name={name}]", str(value))
    page.locator("#setup-seats select").nth(len(seats) - 1).wait_for()
    page.wait_for_timeout(500)
    for seat, kind in enumerate(seats):
        page.locator("#setup-seats select").nth(seat).select_option(kind)
    page.click("#setup-begin")
    page.locator("#setup").wait_for(state="hidden")  # the rules are compiled before


def play(page: Page, *moves: str) -> None:
    """Play moves by name."""
    for number, move in enumerate(moves):
        page.fill("#entry-name", move)
        page.press("#entry-name", "Enter")
        page.locator("#moves li").nth(number).wait_for(state="attached")


def proof(page: Page) -> None:
    """A won position with its values on the board, and the review of how it came about."""
    begin(page, "connect-four", HUMAN, HUMAN, width=5, height=5)
    play(page, "3", "3", "2")
    page.click("#start")
    page.wait_for_function("() => /Proven/.test(document.getElementById('verdict').textContent)")
    page.click("#tab-game")
    page.click("#review")
    page.wait_for_function(
        "() => document.getElementById('review')?.textContent === 'Review again'"
    )
    page.click("#tab-moves")
    page.mouse.move(0, 0)
    page.wait_for_timeout(700)


def thinking(page: Page) -> None:
    """A search in the middle of its work."""
    begin(page, "hex", HUMAN, HUMAN, size=7)
    play(page, "d4", "c5")
    page.click("#start")
    page.wait_for_timeout(4500)
    page.click("#tab-lines")
    page.locator("#pv li").first.locator("button").nth(4).hover()
    page.wait_for_timeout(600)


def three(page: Page) -> None:
    """Three players, on a phone."""
    begin(page, "chinese-checkers", HUMAN, HUMAN, HUMAN)
    page.click("#start")
    page.wait_for_timeout(1500)


def take(browser: Browser, link: str) -> None:
    """Take every picture."""
    shots = (("proof", proof, WIDE, "light"), ("thinking", thinking, WIDE, "dark"))
    for name, scene, size, colors in (*shots, ("phone", three, PHONE, "light")):
        with browser.new_context(viewport=size, color_scheme=colors) as context:
            page = context.new_page()
            page.goto(link)
            page.locator("#board .target").first.wait_for()
            scene(page)
            page.evaluate("scrollTo(0, 0)")
            page.screenshot(path=PICTURES / f"{name}.png")


def main() -> None:
    """Start a server, and take pictures of its page."""
    PICTURES.mkdir(exist_ok=True)
    command = [sys.executable, "-m", "unbounded", "serve", "--no-browser", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:  # noqa: S603
        assert server.stdout is not None
        found = re.search(r"http\S+", server.stdout.readline())
        assert found is not None
        try:
            with sync_playwright() as driver:
                chromium = shutil.which("chromium")
                browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
                take(browser, found[0])
        finally:
            server.terminate()


if __name__ == "__main__":
    main()
