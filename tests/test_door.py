# SPDX-License-Identifier: MIT
"""Who may come in: hosts, origins, the token, and what every answer says."""

from __future__ import annotations

import contextlib
import logging
import socket
import time
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
from serving import Page, ask, cookie, get, host, serving
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from unbounded.serving.door import EVERYWHERE, PROTECTION, is_loopback, names_of
from unbounded.serving.house import House
from unbounded.serving.server import FIRST_BYTES_WITHIN, Server


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with serving() as running:
        yield running


def test_it_listens_to_this_machine_only(server: Server) -> None:
    assert server.socket.getsockname()[0] == "127.0.0.1"
    assert is_loopback("127.0.0.1") and is_loopback("::1") and is_loopback("localhost")
    assert not is_loopback("192.168.0.1") and not is_loopback("example.org")


# -- the token -------------------------------------------------------------------------------------


def test_the_token_becomes_a_cookie(server: Server) -> None:
    answer = get(server, f"/?token={server.door.token}", Host=host(server))
    assert (answer.status, answer.getheader("location")) == (303, "/")
    given = answer.getheader("set-cookie") or ""
    assert "httponly" in given.lower() and "samesite=strict" in given.lower()
    assert server.door.token not in given
    name, _, value = given.split(";")[0].partition("=")
    assert len(value) >= 43 and str(server.port) in name
    assert get(server, Host=host(server), Cookie=f"{name}={value}").status == 200


def test_nobody_comes_in_without_it(server: Server) -> None:
    for path in ("/", "/main.js", "/?token=", "/?token=guess", f"/?token={server.door.token[:-1]}"):
        assert get(server, path, Host=host(server)).status == 403, path
    wrong = cookie(server)[:-1] + "!"
    assert get(server, Host=host(server), Cookie=wrong).status == 403
    assert get(server, Host=host(server), Cookie="a=b; unbounded-0=c").status == 403
    with pytest.raises(InvalidStatus):
        connect(f"ws://{host(server)}/live", origin=f"http://{host(server)}")  # type: ignore[arg-type]
    with pytest.raises(InvalidStatus):  # the token opens the page, not the line
        connect(
            f"ws://{host(server)}/live?token={server.door.token}",
            origin=f"http://{host(server)}",  # type: ignore[arg-type]
        )


def test_the_token_is_not_logged(
    caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    with caplog.at_level(logging.DEBUG), serving() as running:
        get(running, f"/?token={running.door.token}", Host=host(running))
        get(running, f"/nowhere?token={running.door.token}x", Host=host(running))
        said = capfd.readouterr()
        assert running.door.token not in caplog.text + said.out + said.err


# -- hosts and origins -----------------------------------------------------------------------------

BAD_HOSTS = [
    "evil.com",
    "evil.com:{port}",
    "127.0.0.1.evil.com:{port}",
    "127.0.0.1:{port}.evil.com",
    "localhost.evil.com:{port}",
    "evil.com@127.0.0.1:{port}",
    "127.0.0.1@evil.com:{port}",
    "127.0.0.1",
    "localhost",
    "127.0.0.1:1",
    "127.0.0.1:{port}0",
    "127.0.0.1.:{port}",
    "localhost.:{port}",
    "127.0.0.2:{port}",
    "127.1:{port}",
    "2130706433:{port}",
    "0x7f000001:{port}",
    "0177.0.0.1:{port}",
    "0.0.0.0:{port}",
    "[::]:{port}",
    "::1:{port}",
    "[::ffff:127.0.0.1]:{port}",
    "http://127.0.0.1:{port}",
    "127.0.0.1:{port}/",
    "127.0.0.1:{port}#",
    "127.0.0.1:{port}, evil.com",
    "*",
    "null",
    "",
    " ",
    "localhost\t:{port}",
    "l\u043ecalhost:{port}",  # with a Cyrillic letter
]


@pytest.mark.parametrize("name", BAD_HOSTS)
def test_other_names_are_refused(server: Server, name: str) -> None:
    given = name.format(port=server.port).encode().decode("latin-1")
    headers = [("Host", given), ("Cookie", cookie(server))]
    for path in ("/", "/health", f"/?token={server.door.token}"):
        assert ask("GET", server, path, headers).status in (400, 403), path
    upgrade = [
        *headers,
        ("Origin", f"http://{given}"),
        ("Connection", "Upgrade"),
        ("Upgrade", "websocket"),
        ("Sec-WebSocket-Version", "13"),
        ("Sec-WebSocket-Key", "AAAAAAAAAAAAAAAAAAAAAA=="),
    ]
    assert ask("GET", server, "/live", upgrade).status in (400, 403)


def test_no_host_or_two_are_refused(server: Server) -> None:
    known = ("Cookie", cookie(server))
    assert ask("GET", server, "/", [known]).status in (400, 403)
    two = [("Host", host(server)), ("Host", "evil.com"), known]
    assert ask("GET", server, "/", two).status in (400, 403)


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost", "LOCALHOST", "[::1]"])
def test_its_own_names_are_good(server: Server, name: str) -> None:
    assert get(server, "/health", Host=f"{name}:{server.port}").status == 200


def test_names_elsewhere() -> None:
    assert "play.example.org" in names_of("play.example.org")
    assert "[fe80::1]" in names_of("fe80::1")
    everywhere = names_of("::")
    assert socket.gethostname().lower() in everywhere and "[::]" not in everywhere


@pytest.mark.parametrize("where", [*EVERYWHERE, "127.0.0.1", "localhost"])
def test_the_link_opens_the_page(where: str) -> None:
    """Everywhere is no name to ask for: the link has one that is let in."""
    running = Server(House(), host=where, port=0)
    running.socket.close()
    assert urlsplit(running.link).netloc in running.door.hosts


def test_a_machine_that_does_not_know_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "gethostname", lambda: "nowhere.invalid")
    assert names_of(EVERYWHERE[0])[-1] == "nowhere.invalid"


BAD_ORIGINS = [
    "http://evil.com",
    "https://127.0.0.1:{port}",
    "http://127.0.0.1",
    "http://127.0.0.1:1",
    "http://127.0.0.1:{port}0",
    "http://localhost:{port}",  # the page was asked for by the other name
    "http://127.0.0.1:{port}.evil.com",
    "http://127.0.0.1.evil.com:{port}",
    "http://evil.com:{port}",
    "http://evil.com@127.0.0.1:{port}",
    "http://127.0.0.1:{port}/",
    "http://127.0.0.1:{port}/page",
    "http://[::1]:{port}",
    "ws://127.0.0.1:{port}",
    "file://",
    "null",
    "",
    "127.0.0.1:{port}",
    "//127.0.0.1:{port}",
    "chrome-extension://abcdef",
    "*",
]


@pytest.mark.parametrize("name", BAD_ORIGINS)
def test_other_pages_are_refused(server: Server, name: str) -> None:
    origin = name.format(port=server.port)
    known = cookie(server)
    assert get(server, Host=host(server), Cookie=known, Origin=origin).status == 403
    with pytest.raises(InvalidStatus) as refused:
        connect(
            f"ws://{host(server)}/live",
            additional_headers={"Cookie": known, "Origin": origin},
        )
    assert refused.value.response.status_code == 403


def test_a_line_without_an_origin_is_refused(server: Server) -> None:
    with pytest.raises(InvalidStatus):
        connect(f"ws://{host(server)}/live", additional_headers={"Cookie": cookie(server)})


def test_its_own_page_is_let_in(server: Server) -> None:
    page = Page(server)
    assert page.ask("games")["players"][0] == "human"
    page.close()


# -- answers ---------------------------------------------------------------------------------------


def test_every_answer_is_protected(server: Server) -> None:
    known = cookie(server)
    paths = ["/", "/main.js", "/style.css", "/icon.svg", "/health", "/nowhere", "/live"]
    for path in paths:
        for headers in ({"Cookie": known}, {}):
            answer = get(server, path, Host=host(server), **headers)
            for name, value in PROTECTION.items():
                assert answer.getheader(name) == value, (path, name)
            assert not [k for k, _ in answer.getheaders() if k.lower().startswith("access-control")]
            assert answer.getheader("server") is None
    assert "unsafe" not in PROTECTION["content-security-policy"]


def test_only_reading_is_understood(server: Server) -> None:
    headers = [("Host", host(server)), ("Cookie", cookie(server))]
    for method in ("POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE"):
        assert ask(method, server, "/", headers).status == 405, method
    large = [*headers, ("Content-Length", str(1 << 20))]
    assert ask("GET", server, "/", large).status == 413


@pytest.mark.parametrize(
    "path", ["/../door.py", "/%2e%2e/door.py", "/..%2fdoor.py", "/etc/passwd", "//etc/passwd", "/x"]
)
def test_no_file_but_the_page(server: Server, path: str) -> None:
    assert get(server, path, Host=host(server), Cookie=cookie(server)).status == 404


@pytest.mark.parametrize("whole", [0, 1])
def test_who_dawdles_is_cut_off(server: Server, whole: int) -> None:
    """With the first request of a connection, or with the next one."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=FIRST_BYTES_WITHIN + 5) as s:
        for _ in range(whole):
            s.sendall(f"GET /health HTTP/1.1\r\nHost: {host(server)}\r\n\r\n".encode())
            assert b"200" in s.recv(10_000)
            time.sleep(0.2)
        s.sendall(b"GET / HTTP/1.1\r\nHost: ")
        with contextlib.suppress(ConnectionResetError):
            while s.recv(10_000):
                pass


def test_a_page_stays_longer_than_who_dawdles(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("unbounded.serving.server.FIRST_BYTES_WITHIN", 0.3)
    with serving() as quick:
        page = Page(quick)
        time.sleep(1)
        assert page.ask("games")["players"]
        page.close()
