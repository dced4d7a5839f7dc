# SPDX-License-Identifier: MIT
"""Limits of connections: slow requests, idle clients, pages that do not read, too many of them."""

from __future__ import annotations

import contextlib
import json
import socket
import time
from collections.abc import Iterator
from typing import Any

import pytest
from serving import GENEROUS, Page, connected, get, host, serving, wait_until
from websockets.exceptions import ConnectionClosed

from unbounded.interfaces.web import requests
from unbounded.interfaces.web.connections import MAX_UNAUTHENTICATED
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


@pytest.mark.parametrize("complete", [0, 1])
def test_a_slow_request_is_disconnected(
    server: Server, complete: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether it is the first request of a connection or a later one."""
    monkeypatch.setattr("unbounded.interfaces.web.connections.REQUEST_TIMEOUT", 2.0)
    with socket.create_connection(("127.0.0.1", server.port), timeout=GENEROUS) as s:
        for _ in range(complete):
            s.sendall(f"GET /health HTTP/1.1\r\nHost: {host(server)}\r\n\r\n".encode())
            assert b"200" in s.recv(10_000)
            time.sleep(0.2)
        s.sendall(b"GET / HTTP/1.1\r\nHost: ")
        with contextlib.suppress(ConnectionResetError):
            while s.recv(10_000):
                pass


def test_an_open_page_has_no_request_timeout(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("unbounded.interfaces.web.connections.REQUEST_TIMEOUT", 2.0)
    with serving() as running:
        page = Page(running)
        time.sleep(2.5)
        assert page.request("games")["players"]
        page.close()


def test_idle_unauthenticated_clients_block_nobody() -> None:
    """The oldest of them are disconnected for new clients, authenticated or not."""
    with serving(Limits(rooms=20, pages=20)) as running, contextlib.ExitStack() as idle:
        page = Page(running)
        first, *_ = [
            idle.enter_context(socket.create_connection(("127.0.0.1", running.port)))
            for _ in range(MAX_UNAUTHENTICATED + 160)
        ]
        with contextlib.suppress(ConnectionResetError):
            assert first.recv(1) == b""
        wait_until(lambda: len(running.server_state.connections) <= MAX_UNAUTHENTICATED + 1)
        assert get(running, "/health", Host=host(running)).status == 200
        other = Page(running)
        assert other.request("games")["players"] and page.request("games")["players"]
        other.close(), page.close()


def test_backpressure(server: Server, page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    """A page that does not read has to wait for its replies, and none is lost."""
    calls: list[int] = []

    def large_reply(*_: Any) -> str:
        calls.append(1)
        return "x" * (1 << 19)

    def is_waiting() -> bool:
        before = len(calls)
        time.sleep(0.5)
        return before == len(calls) > 0

    monkeypatch.setitem(requests.REQUESTS, "ghosts", large_reply)
    for number in range(120):
        page.send(json.dumps({"id": number, "request": "ghosts"}))
    wait_until(is_waiting)
    assert len(calls) < 100, "the sockets buffer some, the server a few"
    other = Page(server)
    assert other.request("games")["players"], "other pages do not wait"
    other.close()
    page.until(lambda: len(page.replies) == 120)


def test_a_page_that_never_reads_is_disconnected(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("unbounded.interfaces.web.connections.SEND_TIMEOUT", 0.2)
    monkeypatch.setitem(requests.REQUESTS, "ghosts", lambda *_: "x" * (1 << 20))
    page = Page(server)
    room = server.rooms._rooms[page.game["room"]]
    for number in range(60):
        page.send(json.dumps({"id": number, "request": "ghosts"}))
    wait_until(lambda: room.viewers == 0)
    page.abort()


def test_above_the_send_budget_the_fullest_page_is_disconnected(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The unread messages of all pages count together; pages that read stay connected."""
    monkeypatch.setattr("unbounded.interfaces.web.limits.process_memory", lambda: 0)
    monkeypatch.setitem(requests.REQUESTS, "ghosts", lambda *_: "x" * (1 << 20))
    with serving(Limits(memory=48 << 20)) as small:  # 3 MB of it for unread messages
        reading = Page(small)
        unread = [Page(small) for _ in range(4)]
        rooms = [small.rooms._rooms[page.game["room"]] for page in unread]
        for page in unread:
            for number in range(60):
                page.send(json.dumps({"id": number, "request": "ghosts"}))
        wait_until(lambda: any(room.viewers == 0 for room in rooms))
        assert reading.request("games")["players"]
        for page in unread:
            page.abort()
        reading.close()


def test_too_many_pending_requests(
    server: Server, page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The page is disconnected, and its pending requests are dropped."""
    calls: list[int] = []
    monkeypatch.setattr("unbounded.interfaces.web.connections.MAX_PENDING", 5)
    monkeypatch.setitem(requests.REQUESTS, "undo", lambda *_: calls.append(1))
    room = server.rooms._rooms[page.game["room"]]
    text = b'{"request": "undo"}'
    page.connection.socket.sendall((bytes([0x81, 0x80 + len(text), 0, 0, 0, 0]) + text) * 100)
    with pytest.raises(ConnectionClosed):
        page.until(lambda: False)
    wait_until(lambda: room.viewers == 0)
    assert len(calls) <= 1


def test_the_number_of_pages_is_limited() -> None:
    with serving(Limits(pages=2)) as small:
        pages = [Page(small), Page(small)]
        with connected(small) as third:
            assert "too many pages" in json.loads(third.recv(timeout=GENEROUS))["data"]
        for page in pages:
            page.close()
