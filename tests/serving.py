# SPDX-License-Identifier: MIT
"""A real server for the tests, and a client that acts as a page without a browser."""

from __future__ import annotations

import contextlib
import http.client
import json
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any
from urllib.parse import parse_qs, quote, urlsplit

from websockets.sync.client import ClientConnection, connect

from unbounded.game import Game
from unbounded.interfaces.session import Session
from unbounded.interfaces.web.claims import ClaimsReader
from unbounded.interfaces.web.findings import Findings
from unbounded.interfaces.web.knowledge import Knowledge
from unbounded.interfaces.web.limits import Limits
from unbounded.interfaces.web.line import Line
from unbounded.interfaces.web.room_manager import RoomManager
from unbounded.interfaces.web.server import Server
from unbounded.search.search import Search
from unbounded.storage.memory import process_memory

GENEROUS = 120.0
"""Seconds to wait for what must happen: tests assert that it does, never how soon."""


@contextlib.contextmanager
def serving(
    limits: Limits | None = None,
    *,
    host: str = "127.0.0.1",
    port: int = 0,
    origins: Sequence[str] = (),
    claims: ClaimsReader | None = None,
    **options: Any,
) -> Iterator[Server]:
    """Run a server in a thread, at a free port."""
    limits = limits or Limits()
    if limits.memory == Limits.memory:  # what the tests before have left here is not the server's
        limits = replace(limits, memory=limits.memory + process_memory())
    rooms = RoomManager(limits, **options)
    server = Server(rooms, host=host, port=port, origins=origins, claims=claims)
    thread = threading.Thread(target=server.serve_until_stopped)
    thread.start()
    try:
        wait_until(lambda: server.started)
        yield server
    finally:
        server.stop()
        thread.join(timeout=GENEROUS)
        assert not thread.is_alive(), "the server ends when it is stopped"


@contextlib.contextmanager
def started(*arguments: str, **options: Any) -> Iterator[subprocess.Popen[str]]:
    """Run `unbounded serve` at a free port; it is terminated in any case."""
    command = [sys.executable, "-m", "unbounded", "serve", "--port", "0", *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, **options) as program:
        try:
            yield program
        finally:
            program.terminate()


def wait_until(happened: Callable[[], bool], seconds: float = GENEROUS) -> None:
    """Wait for a condition; fail if it never holds."""
    end = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < end, "the condition never held"
        time.sleep(0.01)


class Steps(Game[int, int]):
    """A little game on Python objects: count to four or more by ones and twos."""

    players, zero_sum = 2, True

    def initial(self) -> int:
        return 0

    def player(self, state: int) -> int:
        return state % 2

    def actions(self, state: int) -> list[int]:
        return [] if state > 3 else [1, 2]

    def next(self, state: int, action: int) -> int:
        return state + action

    def outcome(self, state: int) -> tuple[int, int]:
        return (1, -1)


def analysis_shown(search: Search) -> dict[str, Any]:
    """What the page shows of a search."""
    line = Line(Session(search.game, ["human"] * search.game.players))
    line.go(Session(search.game, ["human"] * search.game.players), search.moves, len(search.moves))
    return Findings(Knowledge()).view(search, line.cursor())


class Address:
    """A server in another process, given by its link."""

    def __init__(self, link: str) -> None:
        parts = urlsplit(link)
        assert parts.port is not None
        self.port = parts.port
        self.token = parse_qs(parts.query)["token"][0]


Where = Server | Address


def get(server: Where, path: str = "/", **headers: str) -> http.client.HTTPResponse:
    """Send a GET request with these headers only; `_` in a name stands for `-`."""
    return http_request("GET", server, path, [(k.replace("_", "-"), v) for k, v in headers.items()])


def http_request(
    method: str, server: Where, path: str, headers: list[tuple[str, str]], body: bytes = b""
) -> http.client.HTTPResponse:
    """Send a request with headers in this order; only those of the body are added."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=GENEROUS)
    connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
    for name, value in headers:
        connection.putheader(name, value)
    connection.endheaders(body)
    with contextlib.closing(connection):
        response = connection.getresponse()
        response.read()
    return response


def host(server: Where) -> str:
    return f"127.0.0.1:{server.port}"


def token_of(server: Where) -> str:
    return server.token if isinstance(server, Address) else server.access.token


def cookie(server: Where) -> str:
    """Sign in by the link; return the cookie."""
    response = get(server, f"/?token={token_of(server)}", Host=host(server))
    assert response.status == 200
    return (response.getheader("set-cookie") or "").split(";")[0]


class Page:
    """Sends the requests of a page and keeps what it is sent."""

    def __init__(self, server: Where, room: str = "") -> None:
        self._open = contextlib.ExitStack()
        self.connection = self._open.enter_context(connected(server, room))
        self.events: dict[str, Any] = {}
        self.replies: dict[Any, dict[str, Any]] = {}
        self._number = 0
        self.until(lambda: {"game", "position", "analysis", "curve"} <= set(self.events))

    @property
    def game(self) -> dict[str, Any]:
        return dict(self.events["game"])

    @property
    def position(self) -> dict[str, Any]:
        return dict(self.events["position"])

    @property
    def curve(self) -> list[dict[str, Any]]:
        return list(self.events["curve"]["points"])

    @property
    def analysis(self) -> dict[str, Any]:
        return dict(self.events.get("analysis", {"state": "none"}))

    def read(self, timeout: float = GENEROUS) -> None:
        message = json.loads(self.connection.recv(timeout=timeout))
        if "event" in message:
            self.events[message["event"]] = message["data"]
        else:
            self.replies[message["id"]] = message

    def until(self, happened: Callable[[], bool], seconds: float = GENEROUS) -> None:
        """Read messages until a condition holds."""
        end = time.monotonic() + seconds
        while not happened():
            self.read(timeout=max(0.01, end - time.monotonic()))

    def send(self, text: str) -> None:
        self.connection.send(text)

    def request(self, name: str, /, **fields: Any) -> Any:
        """Send a request and return its result; an error of the server is a `ValueError` here."""
        self._number += 1
        number = self._number
        self.send(json.dumps({"id": number, "request": name, **fields}))
        self.until(lambda: number in self.replies)
        reply = self.replies.pop(number)
        if "error" in reply:
            raise ValueError(reply["error"])
        return reply["result"]

    def begin(self, game: str = "tic-tac-toe", *seats: str, seconds: float = 0.05) -> None:
        """Begin a game, by default against a machine, and see its empty board."""
        chosen = list(seats) or ["human", "ubfm-safest"]
        for event in ("game", "position"):
            del self.events[event]
        self.request("new", game=game, seats=chosen, seconds=seconds)
        self.until(lambda: {"game", "position"} <= set(self.events))
        self.until(lambda: self.game["game"] == game and not self.game["moves"])

    def analyze(self, algorithm: str = "ubfm") -> None:
        """Start an analysis, and see its first findings."""
        self.request("analyze", algorithm=algorithm)
        self.until(lambda: bool(self.analysis.get("iterations") or self.analysis["resolved"]))

    def play_out(self) -> None:
        """Play any legal moves until the game is over."""
        while not self.game["over"]:
            self.until(lambda: self.game["human_to_move"] or self.game["over"])
            self.until(lambda: bool(self.position["line"] == self.game["moves"]))
            if not self.game["over"]:
                self.move(self.position["actions"][0]["name"])

    def move(self, name: str) -> None:
        """Play a move, and see it on the board."""
        before = len(self.game["moves"])
        self.request("move", name=name)
        self.until(lambda: len(self.game["moves"]) > before)
        self.until(lambda: len(self.position["line"]) > before)

    def copy(self) -> dict[str, Any]:
        """The copy of the game that a browser keeps."""
        fields = ("game", "seats", "moves", "resigned", "changes")
        kept = {name: self.game[name] for name in fields}
        return kept | {"format": "unbounded game", "version": 1, "seed": 0}

    def close(self) -> None:
        self._open.close()

    def abort(self) -> None:
        """Close without waiting for what was not read."""
        self.connection.close_timeout = 0.1
        self.close()


def connected(server: Where, room: str = "", path: str = "live") -> ClientConnection:
    """Open the WebSocket of a page, as a browser with the cookie does."""
    return connect(
        f"ws://{host(server)}/{path}?room={quote(room)}",
        origin=f"http://{host(server)}",  # type: ignore[arg-type]
        additional_headers={"Cookie": cookie(server)},
        compression=None,
        max_size=None,
    )
