# SPDX-License-Identifier: MIT
"""Access control: hosts, origins, the token, limits of connections, and security headers."""

from __future__ import annotations

import contextlib
import http.client
import json
import logging
import os
import socket
import stat
import subprocess
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from serving import (
    GENEROUS,
    Address,
    Page,
    cookie,
    get,
    host,
    http_request,
    serving,
    started,
    wait_until,
)
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from unbounded.game import UsageError
from unbounded.interfaces.web.access_control import (
    SECURITY_HEADERS,
    WILDCARDS,
    host_names,
    is_loopback,
    page_urls,
    parse_origin,
)
from unbounded.interfaces.web.room_manager import RoomManager
from unbounded.interfaces.web.server import Server


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with serving() as running:
        yield running


def test_it_listens_at_this_machine_only(server: Server) -> None:
    assert server.socket.getsockname()[0] == "127.0.0.1"
    assert is_loopback("127.0.0.1") and is_loopback("::1") and is_loopback("localhost")
    assert not is_loopback("192.168.0.1") and not is_loopback("example.org")


# -- the token -------------------------------------------------------------------------------------


def test_the_token_becomes_a_cookie(server: Server) -> None:
    response = get(server, f"/?token={server.access.token}", Host=host(server))
    assert (response.status, response.getheader("location")) == (200, None)
    given = response.getheader("set-cookie") or ""
    assert "httponly" in given.lower() and "samesite=strict" in given.lower()
    assert server.access.token not in given
    name, _, value = given.split(";")[0].partition("=")
    assert len(value) >= 43 and str(server.port) in name and "secure" not in given.lower()
    assert get(server, Host=host(server), Cookie=f"{name}={value}").status == 200


def test_requests_without_token_or_cookie_are_refused(server: Server) -> None:
    for path in (
        "/",
        "/main.js",
        "/?token=",
        "/?token=guess",
        f"/?token={server.access.token[:-1]}",
    ):
        assert get(server, path, Host=host(server)).status == 403, path
    wrong = cookie(server)[:-1] + "!"
    assert get(server, Host=host(server), Cookie=wrong).status == 403
    assert get(server, Host=host(server), Cookie="a=b; unbounded-0=c").status == 403
    with pytest.raises(InvalidStatus):
        connect(f"ws://{host(server)}/live", origin=f"http://{host(server)}")  # type: ignore[arg-type]
    with pytest.raises(InvalidStatus):  # the token opens the page, not the WebSocket
        connect(
            f"ws://{host(server)}/live?token={server.access.token}",
            origin=f"http://{host(server)}",  # type: ignore[arg-type]
        )


def test_the_token_is_not_logged(
    caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    with caplog.at_level(logging.DEBUG), serving() as running:
        get(running, f"/?token={running.access.token}", Host=host(running))
        get(running, f"/nowhere?token={running.access.token}x", Host=host(running))
        said = capfd.readouterr()
        assert running.access.token not in caplog.text + said.out + said.err


def test_the_link_is_not_disclosed_to_other_programs(tmp_path: Path) -> None:
    """Every user of the machine can read the arguments of the browser."""
    arguments = tmp_path / "arguments"
    script = tmp_path / "browser"
    script.write_text(f'#!/bin/sh\necho "$@" > {arguments}.new && mv {arguments}.new {arguments}\n')
    script.chmod(0o755)
    environment = os.environ | {"BROWSER": str(script), "TMPDIR": str(tmp_path)}
    with started(env=environment) as program:
        assert program.stdout is not None
        address = Address(program.stdout.readline().split()[-1])
        wait_until(arguments.exists)
        assert address.token not in arguments.read_text()
        redirect = Path(unquote(urlsplit(arguments.read_text().strip()).path))
        assert address.token in redirect.read_text()
        assert stat.S_IMODE(redirect.stat().st_mode) == 0o600
        assert stat.S_IMODE(redirect.parent.stat().st_mode) == 0o700
        cookie(address)
        wait_until(lambda: not redirect.exists())  # it is not needed any more
        program.terminate()
        assert program.wait(timeout=GENEROUS) == 0
    assert not redirect.parent.exists()


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
def test_other_hosts_are_refused(server: Server, name: str) -> None:
    given = name.format(port=server.port).encode().decode("latin-1")
    headers = [("Host", given), ("Cookie", cookie(server))]
    for path in ("/", "/health", f"/?token={server.access.token}"):
        assert http_request("GET", server, path, headers).status in (400, 403), path
    upgrade = [
        *headers,
        ("Origin", f"http://{given}"),
        ("Connection", "Upgrade"),
        ("Upgrade", "websocket"),
        ("Sec-WebSocket-Version", "13"),
        ("Sec-WebSocket-Key", "AAAAAAAAAAAAAAAAAAAAAA=="),
    ]
    assert http_request("GET", server, "/live", upgrade).status in (400, 403)


def test_no_host_or_two_hosts_are_refused(server: Server) -> None:
    known = ("Cookie", cookie(server))
    assert http_request("GET", server, "/", [known]).status in (400, 403)
    two = [("Host", host(server)), ("Host", "evil.com"), known]
    assert http_request("GET", server, "/", two).status in (400, 403)


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost", "LOCALHOST", "[::1]"])
def test_its_own_hosts_are_accepted(server: Server, name: str) -> None:
    assert get(server, "/health", Host=f"{name}:{server.port}").status == 200


def test_host_names_of_other_addresses() -> None:
    assert "play.example.org" in host_names("play.example.org")
    assert "[fe80::1]" in host_names("fe80::1")
    everywhere = host_names("::")
    assert socket.gethostname().lower() in everywhere and "[::]" not in everywhere


@pytest.mark.parametrize("where", [*WILDCARDS, "127.0.0.1", "localhost"])
def test_the_link_opens_the_page(where: str) -> None:
    """A wildcard address is no host: the link has one that is accepted."""
    running = Server(RoomManager(), host=where, port=0)
    running.socket.close()
    assert urlsplit(running.link).netloc in running.access.origins


def test_a_machine_that_cannot_resolve_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "gethostname", lambda: "nowhere.invalid")
    assert host_names(WILDCARDS[0])[-1] == "nowhere.invalid"


def get_at(address: str, server: Server, path: str, **headers: str) -> http.client.HTTPResponse:
    """Send a GET request to another address of this machine."""
    connection = http.client.HTTPConnection(address, server.port, timeout=10)
    with contextlib.closing(connection):
        connection.request("GET", path, headers=headers)
        return connection.getresponse()


def test_its_own_addresses_are_accepted_when_it_listens_at_all() -> None:
    """The address at which a connection arrives is accepted; names that resolve to it are not."""
    with serving(host=WILDCARDS[0]) as running:
        name = f"127.0.0.2:{running.port}"
        path = f"/?token={running.access.token}"
        response = get_at("127.0.0.2", running, path, Host=name)
        assert response.status == 200
        known = (response.getheader("set-cookie") or "").split(";")[0]
        for origin, status in ((f"http://{name}", 200), (f"https://{name}", 403)):
            headers = {"Host": name, "Cookie": known, "Origin": origin}
            assert get_at("127.0.0.2", running, "/", **headers).status == status
        for other in ("evil.com", f"evil.com:{running.port}", f"127.0.0.3:{running.port}"):
            assert get_at("127.0.0.2", running, path, Host=other).status == 403, other
        assert get_at("127.0.0.2", running, path, Host="127.0.0.2").status == 403


def test_the_links_can_be_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "unbounded.interfaces.web.access_control._addresses", lambda _: {"192.0.2.7", "127.0.1.1"}
    )
    monkeypatch.setattr(
        "unbounded.interfaces.web.access_control._outward_address", lambda _: "192.0.2.8"
    )
    everywhere = page_urls(WILDCARDS[0], 8421, ["https://games.example.org/"])
    assert everywhere == [
        "http://127.0.0.1:8421",
        "http://192.0.2.7:8421",
        "http://192.0.2.8:8421",
        "https://games.example.org",
    ]
    assert page_urls("192.0.2.7", 80, []) == ["http://192.0.2.7"]
    assert page_urls("::1", 8421, []) == ["http://[::1]:8421"]


OUTSIDE = "https://games.example.org"


@pytest.fixture(scope="module")
def behind_a_proxy() -> Iterator[Server]:
    with serving(origins=[OUTSIDE, "http://10.1.2.3:8000"]) as running:
        yield running


def test_behind_a_proxy(behind_a_proxy: Server) -> None:
    name, path = urlsplit(OUTSIDE).netloc, f"/?token={behind_a_proxy.access.token}"
    response = get(behind_a_proxy, path, Host=name)
    given = response.getheader("set-cookie") or ""
    assert response.status == 200 and "; secure" in given.lower()
    known = given.split(";")[0]
    assert get(behind_a_proxy, Host=name, Cookie=known, Origin=OUTSIDE).status == 200
    bad = (f"http://{name}", f"{OUTSIDE}:8443", f"{OUTSIDE}.evil.com", "https://evil.com", "null")
    for origin in (*bad, f"http://{host(behind_a_proxy)}"):
        asked = get(behind_a_proxy, Host=name, Cookie=known, Origin=origin)
        assert asked.status == 403, origin
    with socket.create_connection(("127.0.0.1", behind_a_proxy.port)) as connection:
        headers = {"Cookie": known, "Origin": OUTSIDE}
        with connect(f"ws://{name}/live", sock=connection, additional_headers=headers) as live:
            assert json.loads(live.recv(timeout=GENEROUS))["event"] == "game"


def test_other_hosts_are_refused_behind_a_proxy_too(behind_a_proxy: Server) -> None:
    path = f"/?token={behind_a_proxy.access.token}"
    for name in ("evil.com", "games.example.org:8421", "example.org", "10.1.2.3"):
        assert get(behind_a_proxy, path, Host=name).status == 403, name
    for name in (host(behind_a_proxy), "10.1.2.3:8000"):
        response = get(behind_a_proxy, path, Host=name)
        assert response.status == 200
        assert "secure" not in (response.getheader("set-cookie") or "").lower()


def test_parsing_origins() -> None:
    assert parse_origin("https://Games.Example.org:443/") == OUTSIDE
    assert parse_origin("http://[::1]:8000") == "http://[::1]:8000"
    bad = ["", "games.example.org", "ftp://a", "https://", "https://a/page", "https://a?b"]
    bad += ["https://u@a", "https://a b", "https://*", "https://a:x", "https://a:99999", "null"]
    for text in bad:
        with pytest.raises(UsageError, match="--origin"):
            parse_origin(text)


def test_origins_on_the_command_line() -> None:
    with started("--no-browser", "--origin", "here", stderr=subprocess.PIPE) as bad:
        said = bad.communicate(timeout=GENEROUS)[1]
    assert bad.returncode == 2 and said.count("\n") == 1 and "--origin" in said
    arguments = ["--origin", OUTSIDE, "--origin", "http://10.1.2.3:8000"]
    with started("--no-browser", *arguments, stderr=subprocess.PIPE) as program:
        assert program.stdout is not None and program.stderr is not None
        links = [program.stdout.readline().split()[-1] for _ in range(3)]
        assert "others can reach this page" in program.stderr.readline()
    assert [urlsplit(link).netloc for link in links[1:]] == ["games.example.org", "10.1.2.3:8000"]
    assert len({urlsplit(link).query for link in links}) == 1


BAD_ORIGINS = [
    "http://evil.com",
    "https://127.0.0.1:{port}",
    "http://127.0.0.1",
    "http://127.0.0.1:1",
    "http://127.0.0.1:{port}0",
    "http://localhost:{port}",  # the request went to the other host
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
def test_other_origins_are_refused(server: Server, name: str) -> None:
    origin = name.format(port=server.port)
    known = cookie(server)
    assert get(server, Host=host(server), Cookie=known, Origin=origin).status == 403
    with pytest.raises(InvalidStatus) as refused:
        connect(
            f"ws://{host(server)}/live",
            additional_headers={"Cookie": known, "Origin": origin},
        )
    assert refused.value.response.status_code == 403


def test_a_websocket_without_an_origin_is_refused(server: Server) -> None:
    with pytest.raises(InvalidStatus):
        connect(f"ws://{host(server)}/live", additional_headers={"Cookie": cookie(server)})


def test_its_own_page_is_accepted(server: Server) -> None:
    page = Page(server)
    assert page.request("games")["players"][0] == "human"
    page.close()


# -- responses -------------------------------------------------------------------------------------


def test_every_response_has_the_security_headers(server: Server) -> None:
    known = cookie(server)
    paths = ["/", "/main.js", "/style.css", "/icon.svg", "/health", "/nowhere", "/live"]
    for path in paths:
        for headers in ({"Cookie": known}, {}):
            response = get(server, path, Host=host(server), **headers)
            for name, value in SECURITY_HEADERS.items():
                assert response.getheader(name) == value, (path, name)
            assert not [
                k for k, _ in response.getheaders() if k.lower().startswith("access-control")
            ]
            assert response.getheader("server") is None
    assert "unsafe" not in SECURITY_HEADERS["content-security-policy"]


def test_only_get_is_allowed(server: Server) -> None:
    headers = [("Host", host(server)), ("Cookie", cookie(server))]
    for method in ("POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE"):
        assert http_request(method, server, "/", headers).status == 405, method
    large = [*headers, ("Content-Length", str(1 << 20))]
    assert http_request("GET", server, "/", large).status == 413


@pytest.mark.parametrize(
    "path",
    ["/../server.py", "/%2e%2e/server.py", "/..%2fserver.py", "/etc/passwd", "//etc/passwd", "/x"],
)
def test_no_file_but_those_of_the_page(server: Server, path: str) -> None:
    assert get(server, path, Host=host(server), Cookie=cookie(server)).status == 404
