# SPDX-License-Identifier: MIT
"""Requests of a page: invalid and hostile ones, too many, too large replies."""

from __future__ import annotations

import contextlib
import json
import random
from collections.abc import Iterator
from typing import Any

import pytest
from serving import GENEROUS, Page, Steps, connected, serving
from websockets.exceptions import ConnectionClosed

from unbounded.interfaces.web import requests, views
from unbounded.interfaces.web.limits import Limits
from unbounded.interfaces.web.server import Server


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with serving(Limits(move_seconds=2)) as running:
        yield running


@pytest.fixture
def page(server: Server) -> Iterator[Page]:
    with contextlib.closing(Page(server)) as opened:
        yield opened


INJECTIONS = [
    "__import__('os').system('touch /tmp/owned')",
    "os.system",
    "./mine.py:Mine",
    "/etc/passwd",
    "../../etc/passwd:Game",
    "graph(file=/etc/passwd)",
    "file:///etc/passwd",
    "<script>alert(1)</script>",
    "'; DROP TABLE games; --",
    "{{7*7}}",
    "${7*7}",
    "$(reboot)",
    "`reboot`",
    "| cat /etc/passwd",
    "%s%s%s%n",
    "\x00",
    "\u202e",
    "a" * 3000,
    "(" * 1000,
    "[" * 1000,
    "cos\nsystem\n(S'reboot'\ntR.",
    "unbounded.interfaces.cli.app:main",
    "connect-four.__class__",
    "connect-four(width=__import__)",
    "hex(size=1000000000)",
]


def test_injections_are_inert(page: Page) -> None:
    page.begin()
    for text in INJECTIONS:
        for what, fields in (
            ("new", {"game": text, "seats": ["human", "human"]}),
            ("new", {"game": "tic-tac-toe", "seats": ["human", text]}),
            ("move", {"name": text}),
            ("players", {"game": text}),
            ("analyze", {"algorithm": text}),
            ("ghosts", {"path": [text]}),
            ("play_line", {"path": [text]}),
            (text, {}),
        ):
            with pytest.raises(ValueError):
                page.request(what, **fields)
    assert page.game["moves"] == [] and page.game["game"] == "tic-tac-toe"


def test_invalid_requests_get_a_reply(page: Page) -> None:
    """Every message gets a reply, and the room continues."""
    chance = random.Random(5)
    page.begin()
    kinds: list[Any] = [None, True, -1, 1e308, "x", [], {}, [[]], "human", {"a": 1}, ["a"], 10**30]
    names = list(requests.REQUESTS)
    for _ in range(300):
        fields = ["game", "seats", "seconds", "name", "path", "start", "action", "algorithm"]
        fields += [
            "line",
            "ply",
            "most",
            "depth",
            "proof",
            "values",
            "swap",
            "index",
            "kind",
            "data",
        ]
        given = {field: chance.choice(kinds) for field in chance.sample(fields, 6)}
        try:
            page.request(chance.choice(names), **given)
        except ValueError as error:
            assert "Traceback" not in str(error)
    for text in ("", "{", "[]", "null", "3", '"x"', "{}", '{"request": 3}', "[" * 30000):
        page.replies.clear()
        page.send(text)
        page.until(lambda: None in page.replies)
    assert page.request("games")["players"]


def test_a_binary_message_gets_a_reply(page: Page) -> None:
    page.connection.send(b"\x00\x01")
    page.until(lambda: None in page.replies)
    assert page.replies[None]["error"] == "the request is not JSON"


def test_a_message_that_is_too_long_closes_only_its_connection(server: Server, page: Page) -> None:
    """Why it was closed may get lost: the rest of the message is refused while it arrives."""
    other = Page(server)
    with pytest.raises(ConnectionClosed):
        other.send(json.dumps({"request": "move", "name": "x" * (1 << 17)}))
        other.until(lambda: False)
    assert page.request("games")["players"]


def test_the_announcement_of_a_message_that_is_too_long_is_refused(server: Server) -> None:
    other = Page(server)
    text_frame, masked_long, mask = 0x81, 0xFF, bytes(4)
    other.connection.socket.sendall(bytes([text_frame, masked_long, *(1 << 17).to_bytes(8), *mask]))
    with pytest.raises(ConnectionClosed, match="1009"):
        other.until(lambda: False)


def test_a_position_with_very_many_moves(page: Page) -> None:
    """The page gets some of them, and how many there are; all can be played."""
    page.begin("nim(heaps=[9999,9999,9999])", "human", "human")
    assert page.position["action_count"] == 29_997
    assert len(page.position["actions"]) == views.MAX_ACTIONS
    listed = {action["name"] for action in page.position["actions"]}
    page.request("move", name="3:9999")
    page.until(lambda: page.game["moves"] == ["3:9999"])
    assert "3:9999" not in listed and len(json.dumps(page.game)) < 1 << 18


def test_a_reply_that_is_too_large(page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(requests.REQUESTS, "ghosts", lambda *_: "x" * (5 << 20))
    with pytest.raises(ValueError, match="5 MB"):
        page.request("ghosts", path=[])
    assert page.request("games")["players"]


class Verbose(Steps):
    """A game whose board is too large as text."""

    def show(self, state: int) -> str:
        return "x" * (5 << 20)


def test_a_board_that_is_too_large_is_reported() -> None:
    with (
        serving(game=Verbose()) as running,
        connected(running) as connection,
    ):
        messages = [json.loads(connection.recv(timeout=GENEROUS)) for _ in range(2)]
        assert any("the limit is 4 MB" in str(each["data"]) for each in messages)
