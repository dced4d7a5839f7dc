# SPDX-License-Identifier: MIT
"""A real server for the tests, and a page without a browser."""

from __future__ import annotations

import contextlib
import http.client
import json
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any
from urllib.parse import parse_qs, quote, urlsplit

from websockets.sync.client import ClientConnection, connect

from unbounded.game import Game
from unbounded.interfaces.web.room_manager import Limits, RoomManager
from unbounded.interfaces.web.server import Server


@contextlib.contextmanager
def serving(
    limits: Limits | None = None,
    *,
    host: str = "127.0.0.1",
    port: int = 0,
    origins: Sequence[str] = (),
    **options: Any,
) -> Iterator[Server]:
    """Run a server in a thread, at a port that is free."""
    server = Server(RoomManager(limits, **options), host=host, port=port, origins=origins)
    thread = threading.Thread(target=server.serve_until_stopped)
    thread.start()
    try:
        wait_until(lambda: server.started)
        yield server
    finally:
        server.stop()
        thread.join(timeout=20)
        assert not thread.is_alive(), "the server ends when it is told to"


@contextlib.contextmanager
def started(*arguments: str, **options: Any) -> Iterator[subprocess.Popen[str]]:
    """Run `unbounded serve` at a port that is free; it ends, whatever happens here."""
    command = [sys.executable, "-m", "unbounded", "serve", "--port", "0", *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, **options) as program:
        try:
            yield program
        finally:
            program.terminate()


def wait_until(happened: Callable[[], bool], seconds: float = 30) -> None:
    """Wait for something; an error if it does not come."""
    end = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < end, "it did not happen in time"
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


class Address:
    """A server in another process, known by its link."""

    def __init__(self, link: str) -> None:
        parts = urlsplit(link)
        assert parts.port is not None
        self.port = parts.port
        self.token = parse_qs(parts.query)["token"][0]


Where = Server | Address


def get(server: Where, path: str = "/", **headers: str) -> http.client.HTTPResponse:
    """Ask over HTTP, with these headers only; `_` in a name stands for `-`."""
    return ask("GET", server, path, [(k.replace("_", "-"), v) for k, v in headers.items()])


def ask(
    method: str, server: Where, path: str, headers: list[tuple[str, str]], body: bytes = b""
) -> http.client.HTTPResponse:
    """Ask with headers in this order; nothing is added but the body's."""
    line = http.client.HTTPConnection("127.0.0.1", server.port, timeout=10)
    line.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
    for name, value in headers:
        line.putheader(name, value)
    line.endheaders(body)
    with contextlib.closing(line):
        answer = line.getresponse()
        answer.read()
    return answer


def host(server: Where) -> str:
    return f"127.0.0.1:{server.port}"


def token_of(server: Where) -> str:
    return server.token if isinstance(server, Address) else server.access.token


def cookie(server: Where) -> str:
    """Come in by the link; return the cookie."""
    answer = get(server, f"/?token={token_of(server)}", Host=host(server))
    assert answer.status == 200
    return (answer.getheader("set-cookie") or "").split(";")[0]


class Page:
    """What a browser's page does, without the browser."""

    def __init__(self, server: Where, room: str = "") -> None:
        self._open = contextlib.ExitStack()
        self.line: ClientConnection = self._open.enter_context(
            connect(
                f"ws://{host(server)}/live?room={quote(room)}",
                origin=f"http://{host(server)}",  # type: ignore[arg-type]
                additional_headers={"Cookie": cookie(server)},
                compression=None,
                max_size=None,
            )
        )
        self.events: dict[str, Any] = {}
        self.answers: dict[Any, dict[str, Any]] = {}
        self._number = 0
        self.until(lambda: {"game", "analysis"} <= set(self.events))

    @property
    def game(self) -> dict[str, Any]:
        return dict(self.events["game"])

    @property
    def analysis(self) -> dict[str, Any]:
        return dict(self.events.get("analysis", {"state": "none"}))

    def read(self, timeout: float = 30) -> None:
        told = json.loads(self.line.recv(timeout=timeout))
        if "event" in told:
            self.events[told["event"]] = told["what"]
        else:
            self.answers[told["id"]] = told

    def until(self, happened: Callable[[], bool], seconds: float = 60) -> None:
        """Read until something is so."""
        end = time.monotonic() + seconds
        while not happened():
            self.read(timeout=max(0.01, end - time.monotonic()))

    def send(self, text: str) -> None:
        self.line.send(text)

    def ask(self, what: str, **fields: Any) -> Any:
        """Ask; an error of the server's is a `ValueError` here."""
        self._number += 1
        number = self._number
        self.send(json.dumps({"id": number, "do": what, **fields}))
        self.until(lambda: number in self.answers)
        answer = self.answers.pop(number)
        if "error" in answer:
            raise ValueError(answer["error"])
        return answer["answer"]

    def play_out(self) -> None:
        """Play any legal moves until the game is over."""
        while not self.game["over"]:
            self.until(lambda: self.game["yours"] or self.game["over"])
            if not self.game["over"]:
                self.move(self.game["actions"][0]["name"])

    def move(self, name: str) -> None:
        """Play a move, and see it on the board."""
        before = len(self.game["moves"])
        self.ask("move", name=name)
        self.until(lambda: len(self.game["moves"]) > before)

    def close(self) -> None:
        self._open.close()

    def give_up(self) -> None:
        """Close without waiting for what was not read."""
        self.line.close_timeout = 0.1
        self.close()
