# SPDX-License-Identifier: MIT
"""How the page looks: accessible, of high contrast, and with the board always in sight."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from browsing import (
    accessible,
    begin,
    launched_browser,
    needs_browser,
    opened_page,
    picture,
    play,
    tab,
    wait_for_line,
)
from playwright.sync_api import Browser, Page, expect
from serving import serving

from unbounded.game import catalogue
from unbounded.interfaces.web.limits import Limits
from unbounded.interfaces.web.server import Server

pytestmark = needs_browser
DESKTOPS = ((1400, 900), (1000, 700))
TABS = ("moves", "lines", "why", "tree", "game", "rules")

CONTRAST = """() => {
  const channel = value => value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  const rgb = text => {
    const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
    canvas.fillStyle = text;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const parts = [0.2126, 0.7152, 0.0722];
  const light = color => parts.reduce((sum, part, i) => sum + part * channel(color[i] / 255), 0);
  const ratio = (a, b) => {
    const [x, y] = [light(a), light(b)].sort((m, n) => n - m);
    return (x + 0.05) / (y + 0.05);
  };
  const over = (top, alpha, under) =>
    top.map((value, i) => i < 3 ? value * alpha + under[i] * (1 - alpha) : 255);
  const ground = rgb(getComputedStyle(document.body).backgroundColor);
  // The color of the drawing below a point: the topmost filled shape there.
  const below = (x, y) => {
    const shapes = [...document.querySelectorAll("#board .drawing *")].filter(shape =>
      shape instanceof SVGGeometryElement && getComputedStyle(shape).fill !== "none").reverse();
    for (const shape of shapes) {
      const at = new DOMPoint(x, y).matrixTransform(shape.getScreenCTM().inverse());
      const point = shape.ownerSVGElement.createSVGPoint();
      Object.assign(point, { x: at.x, y: at.y });
      const fill = rgb(getComputedStyle(shape).fill);
      if (fill[3] === 255 && shape.isPointInFill(point)) return fill;
    }
    return ground;
  };
  return [...document.querySelectorAll("#board .value")].map(value => {
    const rect = value.querySelector("rect"), text = value.querySelector("text");
    const box = rect.getBoundingClientRect(), style = getComputedStyle(rect);
    const board = below(box.x + box.width / 2, box.y + box.height / 2);
    const alpha = Number(value.getAttribute("opacity")), filled = alpha * Number(style.fillOpacity);
    const tile = over(rgb(style.fill), filled, board);
    const ink = over(rgb(getComputedStyle(text).fill), alpha, tile);
    const edge = over(rgb(style.stroke), alpha, board);
    const mark = Math.max(ratio(tile, board), ratio(edge, tile));
    return { text: text.textContent, letters: ratio(ink, tile), mark };
  });
}"""


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


@pytest.mark.parametrize("colors", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
def test_it_is_accessible(page: Page, colors: Any, width: int) -> None:
    page.emulate_media(color_scheme=colors)
    page.set_viewport_size({"width": width, "height": 844})
    begin(page, "connect-four", "human", "human")
    play(page, "4", "4")
    page.click("#start")
    expect(page.locator("#board .value")).to_have_count(7)
    page.click("#pause")
    for name in TABS:
        tab(page, name)
        page.wait_for_timeout(300)
        accessible(page)
    tab(page, "tree")
    page.check("#tree-graph")
    expect(page.locator("#tree-picture .state").first).to_be_visible()
    accessible(page)
    page.keyboard.press("Home")
    wait_for_line(page)
    accessible(page)
    page.click("#new-game")
    expect(page.locator("#setup-picture svg")).to_be_visible()
    accessible(page)
    picture(page, f"{colors}-{width}")


@pytest.mark.parametrize("size", DESKTOPS)
def test_the_board_is_large_and_in_sight(page: Page, size: tuple[int, int]) -> None:
    width, height = size
    page.set_viewport_size({"width": width, "height": height})
    begin(page, "hex", "human", "human", size=7)
    box = page.locator(".arena").bounding_box()
    assert box is not None and box["height"] >= 0.6 * height
    page.click("#start")
    tab(page, "tree")
    expect(page.locator("#tree > li").nth(20)).to_be_attached()
    page.locator("#tree > li").nth(40).scroll_into_view_if_needed()
    assert page.locator(".arena").bounding_box() == box, "the list is scrolled, not the board"
    assert page.evaluate("document.documentElement.scrollHeight <= window.innerHeight")


def test_a_phone_has_one_row_of_header_and_keeps_the_board(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    begin(page, "breakthrough", "human", "human")
    header = page.locator("header").bounding_box()
    assert header is not None and header["height"] < 60
    page.click("#start")
    expect(page.locator("#actions .move").nth(10)).to_be_attached()
    page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
    box = page.locator("#board").bounding_box()
    assert box is not None and box["y"] >= 0 and box["y"] + box["height"] <= 844
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


GAMES = sorted(
    name
    for name, game in catalogue.games().items()
    if not any(about["required"] for about in catalogue.describe(game)["parameters"])
)

KEEP_SOCKET = """() => {
  const Original = WebSocket;
  window.WebSocket = class extends Original {
    constructor(...about) { super(...about); window.socket = this; }
  };
}"""

SEND_VALUES = """() => {
  const targets = [...document.querySelectorAll("#board .target, #by-name button")];
  const names = targets.map(target => (target.ariaLabel ?? target.textContent).split(/[,;]/)[0]);
  const kinds = [[1, 7], [0, 9], [-1, 12], null];
  const actions = names.map((name, i) => {
    const proven = kinds[i % kinds.length], all = value => Array(6).fill(value);
    const about = { name, visits: 1 + i * i, expanded: true, score: null };
    return proven ? { ...about, outcome: all(proven[0]), distance: proven[1], value: null }
      : { ...about, outcome: null, distance: null, value: all(-0.374) };
  });
  const data = { state: "paused", moves: [], ply: 0, mover: 0, actions, states: 1 };
  if (!window.socket.receive) {  // what the server says itself about the position comes too late
    const receive = window.socket.receive = window.socket.onmessage;
    window.socket.onmessage = message => {
      if (JSON.parse(message.data).event !== "analysis") receive(message);
    };
  }
  window.socket.receive({ data: JSON.stringify({ event: "analysis", data }) });
}"""


@pytest.mark.parametrize("colors", ["light", "dark"])
def test_numbers_on_every_board_can_be_read(page: Page, colors: Any) -> None:
    """Measured on what is really drawn: text 4.5 : 1 on its tile, the tile or its edge 3 : 1.

    The values are made up, so that every board has each kind of them.
    """
    page.emulate_media(color_scheme=colors)
    page.add_init_script(f"({KEEP_SOCKET})()")
    page.reload()
    measured = 0
    for game in GAMES:
        page.evaluate("game => { location.hash = `game=${encodeURIComponent(game)}`; }", game)
        page.wait_for_function(
            "game => document.title.startsWith(game) && location.hash.includes('room=')", arg=game
        )
        page.wait_for_function(
            f"""() => {{
                ({SEND_VALUES})();
                return document.querySelectorAll("#board .value").length
                    >= document.querySelectorAll("#board .target").length;
            }}""",
            polling=200,
        )
        for badge in page.evaluate(CONTRAST):
            assert badge["letters"] >= 4.5, (game, badge)
            assert badge["mark"] >= 3, (game, badge)
            measured += 1
    assert measured > 100
