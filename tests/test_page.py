# SPDX-License-Identifier: MIT
"""The page in a real browser: playing by clicks, analyses, the tree, hostile sites."""

from __future__ import annotations

import contextlib
import http.server
import json
import shutil
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright
from serving import Steps, serving

from unbounded.interfaces.web import requests
from unbounded.interfaces.web.browser import write_redirect
from unbounded.interfaces.web.limits import Limits
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

pytestmark = pytest.mark.skipif(
    CHROMIUM is None, reason="NO BROWSER: the page was not tested; install chromium"
)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as driver:
        yield driver.chromium.launch(
            executable_path=CHROMIUM,
            args=["--no-sandbox", f"--host-resolver-rules=MAP {FOREIGN_HOST} 127.0.0.1"],
        )


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with serving(Limits(move_seconds=5)) as running:
        yield running


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


@pytest.fixture
def page(browser: Browser, server: Server) -> Iterator[Page]:
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


def picture(page: Page, name: str) -> None:
    PICTURES.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=PICTURES / f"{name}.png", full_page=True)


def place(page: Page, name: str) -> Any:
    """The place on the board for the moves that begin with this text."""
    return page.locator(f'#board .target[aria-label^="{name}"]').first


# -- playing ---------------------------------------------------------------------------------------


def test_a_whole_game_by_clicks(page: Page) -> None:
    begin(page, "tic-tac-toe", "human", "ubfm-safest")
    for turn in range(5):
        expect(page.locator("#status")).to_contain_text("Your move")
        expect(page.locator("#moves li")).to_have_count(2 * turn)
        page.locator("#board .target").first.click()
        expect(page.locator("#moves li").nth(2 * turn)).to_be_visible()
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
    page.fill("#entry-name", "b2")
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
    page.click("#redo")
    expect(page.locator("#moves li")).to_have_count(2)
    page.click("#resign")
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
        (room,) = running.rooms._rooms
        running.rooms._rooms.pop(room)
        for lost in list(running.server_state.connections):
            lost.loop.call_soon_threadsafe(lost.transport.abort)
        page.wait_for_function("old => location.hash !== `#${old}`", arg=room)
        expect(page.locator("#status")).to_contain_text("to move")
        expect(page.locator("#title")).to_have_text("tic-tac-toe")
        expect(page.locator("#moves li")).to_have_text(["b2"])


# -- the analysis ----------------------------------------------------------------------------------


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


# -- accessibility ---------------------------------------------------------------------------------


@pytest.mark.parametrize("colors", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1280])
def test_it_is_accessible(page: Page, colors: Any, width: int) -> None:
    page.emulate_media(color_scheme=colors)
    page.set_viewport_size({"width": width, "height": 800})
    begin(page, "connect-four", "human", "human")
    page.click("#start")
    page.wait_for_function("() => document.querySelectorAll('#tree > li').length > 0")
    page.click("#why")
    page.click("#pause")
    page.locator("#tree .node").first.click()
    expect(page.locator("#preview")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    found = Axe().run(page, options={"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]})
    assert found.violations_count == 0, found.generate_report()
    picture(page, f"{colors}-{width}")


def test_the_color_scheme_can_be_selected(page: Page) -> None:
    page.select_option("#theme", "dark")
    dark = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.reload()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == dark
    page.select_option("#theme", "light")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != dark


# -- hostile sites and games -----------------------------------------------------------------------


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
        page.click("#why")
        expect(page.locator("#reason")).to_contain_text("<img")
        assert "owned" not in page.title()
        assert page.locator("main img").count() == 0
        assert traffic.errors == []


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


def play(page: Page, *names: str) -> None:
    for name in names:
        page.fill("#entry-name", name)
        page.keyboard.press("Enter")
        expect(page.locator("#moves li").last).to_have_text(name)


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
    kept = page.evaluate("Object.keys(localStorage).filter((key) => key.startsWith('unbounded:'))")
    room = page.url.partition("#")[2]
    assert set(kept) == {f"unbounded:{room}", *(f"unbounded:game{n}" for n in range(21, 40))}
