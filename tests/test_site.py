# SPDX-License-Identifier: MIT
"""The site that `make docs` builds: every link, every name, nothing from another host."""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag

import pytest
import typer
from axe_playwright_python.sync_playwright import Axe
from browsing import launched_browser, needs_browser
from playwright.sync_api import Browser, Page, expect

import unbounded as ub
import unbounded.testing
from unbounded.interfaces.cli.app import app

ROOT = Path(__file__).parent.parent
LOADED = {"script": "src", "link": "href", "img": "src", "iframe": "src", "source": "src"}
LOADED |= {"image": "href", "use": "href", "video": "src", "audio": "src", "object": "data"}
"""What a browser loads by itself, and the attribute that says from where."""


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built once for all processes of the tests; a warning is an error."""
    pytest.importorskip("mkdocs", reason="needs: pip install 'unbounded[docs]'")
    pytest.importorskip("mkdocstrings", reason="needs: pip install 'unbounded[docs]'")
    shared = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        shared = shared.parent
    built = shared / "site"
    with locked(shared / "site.lock"):
        if not (built / "done").exists():
            done = subprocess.run(
                [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", built],
                cwd=ROOT,
                env=os.environ | {"NO_MKDOCS_2_WARNING": "1"},
                capture_output=True,
                text=True,
                check=False,
            )
            assert done.returncode == 0, done.stdout + done.stderr
            assert "WARNING" not in done.stderr
            (built / "done").touch()
    return built


@contextlib.contextmanager
def locked(path: Path) -> Iterator[None]:
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


class Parsed(HTMLParser):
    """What a page refers to, and what can be referred to on it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.names: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.names |= {given[name] for name in ("id", "name") if name in given}
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        if tag in LOADED and LOADED[tag] in given:
            self.loaded.append(given[LOADED[tag]])
        if "srcset" in given:
            self.loaded += [part.split()[0] for part in given["srcset"].split(",")]


@cache
def parsed(path: Path) -> Parsed:
    return Parsed(path.read_text("utf-8"))


def pages(site: Path) -> list[Path]:
    found = sorted(site.rglob("*.html"))
    assert len(found) > 70
    return found


def is_elsewhere(address: str) -> bool:
    return bool(re.match(r"(?i)([a-z][a-z0-9+.-]*:)?//", address))


# -- links ----------------------------------------------------------------------------------------


def test_every_link_leads_somewhere(site: Path) -> None:
    broken = []
    for page in pages(site):
        if page.name == "404.html":  # its links begin with the address of the site
            continue
        for link in [*parsed(page).links, *parsed(page).loaded]:
            if is_elsewhere(link) or link.startswith(("mailto:", "data:")):
                continue
            address, fragment = urldefrag(link)
            target = (page.parent / unquote(address)).resolve() if address else page
            target = target / "index.html" if target.is_dir() else target
            is_page = target.is_file() and target.suffix == ".html"
            known = {"", *parsed(target).names} if is_page else {unquote(fragment)}
            if not target.is_file() or unquote(fragment) not in known:
                broken.append((page.relative_to(site).as_posix(), link))
    assert broken == []


def test_nothing_is_loaded_from_another_host(site: Path) -> None:
    loaded = {link for page in pages(site) for link in parsed(page).loaded}
    assert any(link.endswith(".css") for link in loaded)
    assert any(link.endswith(".js") for link in loaded)
    for sheet in site.rglob("*.css"):
        text = sheet.read_text("utf-8")
        loaded |= {x.strip("'\"") for x in re.findall(r"url\(([^)]*)\)", text)}
        loaded |= set(re.findall(r"@import\s+['\"]([^'\"]*)", text))
    for page in pages(site):
        loaded |= set(re.findall(r"(?<!\w)url\(['\"]?([^)'\"]*)", page.read_text("utf-8")))
    assert sorted(link for link in loaded if is_elsewhere(link)) == []


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md", "ARCHITECTURE.md"])
def test_pages_of_the_root_are_there(name: str, site: Path) -> None:
    title = (ROOT / name).read_text("utf-8").splitlines()[0].removeprefix("# ")
    page = site / "about" / f"{Path(name).stem.lower()}.html"
    assert re.search(rf"<h1[^>]*>{title}", page.read_text("utf-8"))


# -- every command, every name --------------------------------------------------------------------


def test_every_command_is_there_with_every_flag(site: Path) -> None:
    text = (site / "reference" / "commands.html").read_text("utf-8")
    commands = typer.main.get_command(app).commands  # type: ignore[attr-defined]
    assert len(commands) >= 19
    sections = dict(re.findall(r'<h2 id="([\w-]+)">(.*?)(?=<h2|</article>)', text, re.DOTALL))
    assert list(sections) == list(commands)
    for name, command in commands.items():
        shown = set(re.findall(r"<code>([^<]*)</code>", sections[name]))
        flags = {flag for p in command.params if p.param_type_name == "option" for flag in p.opts}
        assert flags - {"--help", "-h"} <= shown, name


def test_every_public_name_is_there(site: Path) -> None:
    text = (site / "reference" / "names.html").read_text("utf-8")
    headings = re.findall(r"<h3[^>]*>(.*?)</h3>", text, re.DOTALL)
    words = re.sub(r"<[^>]+>|&para;|¶", " ", " ".join(headings))
    shown = set(words.split())
    assert {f"ub.{name}" for name in ub.__all__} <= shown
    assert set(unbounded.testing.__all__) <= shown
    assert 'id="unbounded.search.search.Search.run"' in text  # methods too


def test_docstrings_have_sections(site: Path) -> None:
    text = (site / "reference" / "names.html").read_text("utf-8")
    verify = text[text.index('id="unbounded.solving.verification.verify"') :]
    verify = re.sub(r"<[^>]+>", "", verify[: verify.index("<h3")])
    assert "Parameters:" in verify and "Examples:" in verify
    assert "refuse a file that leaves searches" in verify
    assert "&gt;&gt;&gt;" in verify
    options = text[text.index('id="unbounded.search.options.SearchOptions.leaves"') :]
    assert "Leaves to expand with one call" in options[:3000]


# -- in a browser ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with launched_browser() as launched:
        yield launched


@contextlib.contextmanager
def opened(browser: Browser, page: Path, **options: object) -> Iterator[Page]:
    """A page opened as a file; it has no error, and loads files only."""
    context = browser.new_context(**options)  # type: ignore[arg-type]
    tab = context.new_page()
    seen: list[str] = []
    tab.on("request", lambda request: seen.append(request.url))
    tab.on("pageerror", lambda error: seen.append(str(error)))
    tab.on("console", lambda said: seen.append(said.text) if said.type == "error" else None)
    tab.goto(page.as_uri())
    yield tab
    context.close()
    assert [x for x in seen if not x.startswith(("file:", "data:", "about:"))] == []


@needs_browser
def test_the_search_finds_words_without_a_server(site: Path, browser: Browser) -> None:
    with opened(browser, site / "index.html") as page:
        page.locator(".md-search__input").click()
        page.keyboard.type("transposition table", delay=20)
        expect(page.locator(".md-search-result__item").first).to_be_visible()
        assert "glossary" in page.locator(".md-search-result__list").inner_html()


@needs_browser
@pytest.mark.parametrize("colors", ["light", "dark"])
@pytest.mark.parametrize("name", ["index", "iterations", "benchmarks", "games"])
def test_pages_are_accessible(name: str, colors: str, site: Path, browser: Browser) -> None:
    with opened(browser, site / f"{name}.html", color_scheme=colors) as page:
        options = {"resultTypes": ["violations"], "preload": False}
        found = Axe().run(page, context="article", options=options)
        wrong = {x["id"]: [n["target"] for n in x["nodes"]] for x in found.response["violations"]}
        assert wrong == {}


@needs_browser
@pytest.mark.parametrize("width", [390, 1280])
def test_no_page_is_wider_than_the_screen(width: int, site: Path, browser: Browser) -> None:
    size = {"width": width, "height": 800}
    for name in ("index", "start", "iterations", "benchmarks", "glossary", "reference/names"):
        with opened(browser, site / f"{name}.html", viewport=size) as page:
            assert page.evaluate("document.documentElement.scrollWidth") <= width, name


@needs_browser
def test_steps_by_keyboard(site: Path, browser: Browser) -> None:
    with opened(browser, site / "iterations.html") as page:
        run = page.locator('.steps-run[data-run="win-ubfm"]')
        text, seen = run.locator(".steps-text"), run.locator(".node:not(.unseen)")
        expect(text).to_contain_text("Iteration 1, step 1")
        expect(seen).to_have_count(1)
        run.get_by_role("button", name="Next step").focus()
        page.keyboard.press("ArrowRight")
        expect(text).to_contain_text("Expand this state: it has 5 children")
        expect(seen).to_have_count(6)
        assert "T.expand(s)" in run.locator(".steps-line.active").inner_text()
        page.keyboard.press("PageDown")
        expect(text).to_contain_text("Iteration 2 begins at the root")
        page.keyboard.press("End")
        root = run.locator('.node[data-node="0"]')
        expect(root).to_contain_text("✓ X wins")
        expect(run.locator(".node.unseen")).to_have_count(0)
        page.keyboard.press("Home")
        expect(root).to_contain_text("≈")
        expect(seen).to_have_count(1)
        page.get_by_text("Descent", exact=True).click()
        expect(run).to_be_hidden()
        expect(page.locator('.steps-run[data-run="win-descent"] .steps-text')).to_be_visible()
