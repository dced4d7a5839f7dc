# SPDX-License-Identifier: MIT
"""Files of the server in a real browser: opened, checked with progress, drawn as curves."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from browsing import accessible, launched_browser, needs_browser, new_page, picture, tab
from playwright.sync_api import Browser, expect
from serving import serving

import unbounded as ub
from unbounded.interfaces.web.opened_files import OpenedFile
from unbounded.solving.certificate import certify

pytestmark = needs_browser


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with launched_browser() as launched:
        yield launched


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> list[OpenedFile]:
    folder = tmp_path_factory.mktemp("files")
    search = ub.Search("tic-tac-toe", moves="b2")
    search.run()
    search.save(folder / "board.search")
    certify(search, folder / "draw.cert")
    run = folder / "run"
    run.mkdir()
    config = {"format": "unbounded run", "version": 1, "game": "tic-tac-toe"}
    (run / "config.json").write_text(json.dumps(config))
    rows = [{"generation": k, "loss": 1 / (k + 1), "yardsticks": {"x": 0.5}} for k in range(30)]
    (run / "metrics.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    kinds = {"board.search": "search", "draw.cert": "certificate", "run": "learning"}
    return [OpenedFile.of(folder / name, kind) for name, kind in kinds.items()]


def test_files_of_the_server(browser: Browser, files: list[OpenedFile]) -> None:
    with serving(files=files) as server, browser.new_context() as context:
        page = new_page(context)
        page.goto(server.link)
        expect(page.locator("#tab-files")).to_be_visible()
        tab(page, "files")
        expect(page.locator(".files li")).to_have_count(3)
        page.locator(".files li", has_text="draw.cert").get_by_text("Verify").click()
        expect(page.locator("#verification")).to_contain_text("accepted")
        page.locator(".files li", has_text="run").get_by_text("curves").click()
        expect(page.locator(".charts figure")).to_have_count(2)
        expect(page.locator(".charts figure").first).to_contain_text("loss")
        page.locator(".files li", has_text="board.search").get_by_text("Open").click()
        expect(page.locator("#verdict")).to_have_text("Proven: draw.")
        expect(page.locator("#board .value.proven")).to_have_count(8)
        accessible(page)
        picture(page, "files")


def test_a_certificate_can_be_uploaded(browser: Browser, files: list[OpenedFile]) -> None:
    certificate = next(file.path for file in files if file.kind == "certificate")
    assert isinstance(certificate, Path)
    with serving() as server, browser.new_context() as context:
        page = new_page(context)
        page.goto(server.link)
        expect(page.locator("#status")).to_contain_text("move")
        expect(page.locator("#tab-files")).to_be_hidden()
        tab(page, "game")
        page.click("#open-file")
        page.set_input_files("#open-input", certificate)
        expect(page.locator("#verification")).to_contain_text("accepted")
        expect(page.locator("#title")).to_have_text("tic-tac-toe")
