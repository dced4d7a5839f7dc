# SPDX-License-Identifier: MIT
"""The page in a real browser, beside hostile sites and games."""

from __future__ import annotations

import contextlib
import http.server
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browsing import (
    FOREIGN_HOST,
    Traffic,
    launched_browser,
    needs_browser,
    new_page,
    tab,
)
from playwright.sync_api import Browser, expect
from serving import Steps, serving

from unbounded.interfaces.web.browser import write_redirect
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


def test_a_foreign_host_for_this_machine_is_refused(browser: Browser, server: Server) -> None:
    with browser.new_context() as context:
        page = new_page(context)
        response = page.goto(f"http://{FOREIGN_HOST}:{server.port}/?token={server.access.token}")
        assert response is not None and response.status == 403
        assert context.cookies() == []


def test_the_link_works_from_a_file(browser: Browser, server: Server, tmp_path: Path) -> None:
    """The command opens the page by such a file, without disclosing the link."""
    with browser.new_context() as context:
        page = new_page(context)
        page.goto(write_redirect(server.link, tmp_path).as_uri())
        expect(page.locator("#status")).to_contain_text("move")
        assert "token" not in page.url
        (cookie,) = context.cookies()
        assert cookie["sameSite"] == "Strict" and cookie["httpOnly"]


def test_the_link_works_from_another_site(browser: Browser, server: Server) -> None:
    """The cookie is sent only with requests of our own pages: one of them requests the page."""
    with browser.new_context() as context, another_site() as address:
        page = new_page(context)
        page.goto(address.replace("127.0.0.1", FOREIGN_HOST))
        page.evaluate(
            """link => {
                const there = document.createElement("a");
                there.href = link;
                there.textContent = "there";
                document.body.append(there);
            }""",
            server.link,
        )
        page.click("text=there")
        expect(page.locator("#status")).to_contain_text("move")
        assert "token" not in page.url
        page.go_back()  # the link is not in the history either
        expect(page.locator("text=there")).to_have_count(0)
        assert FOREIGN_HOST in page.url


def test_another_site_is_refused(browser: Browser, server: Server) -> None:
    """A page of another origin, in the browser that has the cookie, gets no WebSocket."""
    with browser.new_context() as context, another_site() as address:
        new_page(context).goto(server.link)
        page = new_page(context)
        page.goto(address)
        outcome = page.evaluate(
            """port => new Promise(resolve => {
                const socket = new WebSocket(`ws://127.0.0.1:${port}/live`);
                socket.onopen = () => resolve("open");
                socket.onerror = () => resolve("refused");
            })""",
            server.port,
        )
        assert outcome == "refused"
        frame = """port => new Promise(resolve => {
            const frame = document.createElement("iframe");
            frame.onload = () => resolve(frame.contentWindow.length);
            frame.src = `http://127.0.0.1:${port}/`;
            document.body.append(frame);
        })"""
        page.evaluate(frame, server.port)
        assert all('id="status"' not in frame.content() for frame in page.frames)


@contextlib.contextmanager
def another_site() -> Iterator[str]:
    """A site at another port, with an empty page."""

    class Empty(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"<!doctype html><body>")

        def log_message(self, *_: Any) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Empty) as site:
        threading.Thread(target=site.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{site.server_port}/"
        site.shutdown()


class Hostile(Steps):
    """A game whose names try to be markup."""

    def action_name(self, state: int, action: int) -> str:
        return f"<img/src=x/onerror=document.title='owned'>{action}"

    def show(self, state: int) -> str:
        return "<script>document.title='owned'</script>"


def test_names_are_never_markup(browser: Browser) -> None:
    with serving(game=Hostile()) as running, browser.new_context() as context:
        page = new_page(context)
        traffic = Traffic(page)
        page.goto(running.link)
        page.locator("#by-name button").first.click()
        expect(page.locator("#moves li").first).to_contain_text("<img")
        page.click("#start")
        expect(page.locator("#verdict")).to_contain_text("Proven")
        tab(page, "why")
        expect(page.locator("#reason")).to_contain_text("<img")
        assert "owned" not in page.title()
        assert page.locator("main img").count() == 0
        assert traffic.errors == []
