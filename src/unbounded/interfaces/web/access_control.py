# SPDX-License-Identifier: MIT
"""Which requests are let through: the right host, the right origin, and the token or the cookie.

A page of another site must not reach this server through the reader's browser. So the `Host` header
is checked (against DNS rebinding), and the `Origin` header (only our own page may send requests),
for WebSockets too. Behind a proxy the page has other origins, which the server is started with; no
header of a proxy is trusted. The link contains a token, which is exchanged for a cookie that
scripts cannot read, and disappears from the address bar.
"""

from __future__ import annotations

import contextlib
import hmac
import ipaddress
import re
import secrets
import socket
import threading
from collections.abc import Sequence
from typing import Any
from urllib.parse import parse_qs, urlsplit

from starlette.datastructures import Headers
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from unbounded.game import UsageError

MAX_BODY = 1 << 16
TOKEN_BYTES = 32
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
DEFAULT_PORTS = {"http": 80, "https": 443}
"""Ports that browsers leave out of origins."""
WILDCARDS = ("0.0.0.0", "::", "")  # noqa: S104 - compared with, not bound
POLICY_VIOLATION = 1008
"""The close code of a WebSocket that is refused."""

SECURITY_HEADERS = {
    "content-security-policy": (
        "default-src 'self'; img-src 'self' blob:; base-uri 'none'; form-action 'none'; "
        "frame-ancestors 'none'; object-src 'none'"
    ),
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
"""Headers of every response: no foreign content, no inline script, no frames.

A blob is an image that the page has made itself: a drawing, on its way to the clipboard.
"""

SIGNED_IN = """<!doctype html>
<meta charset="utf-8">
<meta http-equiv="refresh" content="0; url={start}">
<link rel="icon" href="/icon.svg" type="image/svg+xml">
<title>unbounded</title>
<p><a href="{start}">Open the page</a>
"""
"""The response to the link. After a redirect the request for the page would still count as started
by the site where the link was clicked, and browsers send a strict cookie only with requests that
our own pages start: so this page starts it."""


class AccessControl:
    """Passes requests to the application, or refuses them."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        host: str,
        port: int,
        origins: Sequence[str] = (),
        start: str = "/",
    ) -> None:
        """start: the page that the link leads to."""
        self._app, self._start = app, start
        self._port = port
        self.used = threading.Event()
        """Set once a client has signed in by the link."""
        self.token = secrets.token_urlsafe(TOKEN_BYTES)
        self._secret = secrets.token_urlsafe(TOKEN_BYTES)
        # Browsers send cookies to every port of a machine; so each server uses its own name.
        self.cookie = f"unbounded-{port}"
        own = [_origin("http", name, port) for name in host_names(host)]
        self.origins: dict[str, set[str]] = {}
        """For each accepted `Host`, the origins that may send requests to it."""
        for origin in (*own, *map(parse_origin, origins)):
            self.origins.setdefault(urlsplit(origin).netloc, set()).add(origin)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request or WebSocket handshake (ASGI)."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        response = self._check(scope)
        if scope["type"] == "websocket":
            if response is None:
                await self._app(scope, receive, send)
            else:
                await send({"type": "websocket.close", "code": POLICY_VIOLATION})
            return

        async def send_secured(message: Message) -> None:
            if message["type"] == "http.response.start":
                for name, value in SECURITY_HEADERS.items():
                    message["headers"].append((name.encode(), value.encode()))
            await send(message)

        await (response or self._app)(scope, receive, send_secured)

    def _check(self, scope: Scope) -> Response | None:
        """Return the response to a request that is not passed on; None to pass it on."""
        headers = Headers(scope=scope)
        allowed = self._allowed_origins(scope, headers.getlist("host"))
        if not allowed:
            return PlainTextResponse("This server does not have that name.\n", 403)
        is_websocket = scope["type"] == "websocket"
        if not is_websocket and scope["method"] not in ("GET", "HEAD"):
            return PlainTextResponse("Only GET is allowed here.\n", 405)
        origins = headers.getlist("origin")
        if (is_websocket and not origins) or any(o.lower() not in allowed for o in origins):
            return PlainTextResponse("Requests from other origins are refused.\n", 403)
        if _body_size(headers) > MAX_BODY:
            return PlainTextResponse("The request is too large.\n", 413)
        if scope["path"] == "/health":
            return None
        return self._authenticate(scope, headers, secure=_all_secure(allowed))

    def _allowed_origins(self, scope: Scope, hosts: Sequence[str]) -> set[str]:
        """The origins that may send requests to this `Host`; none if the host is not ours.

        The address at which the connection was accepted is ours too. DNS rebinding cannot use it:
        a host name is not an address.
        """
        if len(hosts) != 1:
            return set()
        host = hosts[0].lower()
        known = self.origins.get(host)
        if known is not None:
            return known
        address = _local_address(scope)
        own = address and _origin("http", address, self._port)
        return {own} if own and urlsplit(own).netloc == host else set()

    def _authenticate(self, scope: Scope, headers: Headers, *, secure: bool) -> Response | None:
        """Require the cookie, or exchange the token for it."""
        token = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])[0]
        if token and scope["type"] != "websocket" and _equal(token, self.token):
            response = HTMLResponse(SIGNED_IN.format(start=self._start))
            response.set_cookie(
                self.cookie, self._secret, httponly=True, samesite="strict", secure=secure
            )
            self.used.set()
            return response
        if _equal(_cookie(headers, self.cookie), self._secret):
            _mark_authenticated(scope)
            return None
        return PlainTextResponse("Open the link that `unbounded serve` has printed.\n", 403)


# -- hosts and origins -----------------------------------------------------------------------------


def host_names(host: str) -> list[str]:
    """The names under which this machine is reached when it listens at `host`."""
    names = [*LOOPBACK]
    if host in WILDCARDS:
        own = socket.gethostname()
        names += [name for name in (own, *_addresses(own)) if name]
    else:
        names.append(host)
    return [_bracketed(name.lower()) for name in names]


def page_urls(host: str, port: int, origins: Sequence[str]) -> list[str]:
    """The addresses of the page; the first one can be opened on this machine."""
    names = [host]
    if host in WILDCARDS:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        loopback = {socket.AF_INET6: "::1", socket.AF_INET: "127.0.0.1"}
        names = [loopback[family], *_reachable(family)]
    own = [_origin("http", _bracketed(name), port) for name in names]
    return list(dict.fromkeys([*own, *map(parse_origin, origins)]))


def parse_origin(text: str) -> str:
    """Return an origin as browsers write it; raise `UsageError` if it is none."""
    try:
        parts = urlsplit(text)
        name, port = parts.hostname, parts.port
    except ValueError:
        name, port, parts = None, None, urlsplit("")
    rest = parts.path.strip("/") + parts.query + parts.fragment
    valid = name is not None and re.fullmatch(r"[a-z0-9._-]+|[0-9a-f:.]+", name)
    scheme = parts.scheme
    if scheme not in DEFAULT_PORTS or not valid or name is None or rest or "@" in parts.netloc:
        raise UsageError(
            f"--origin must be http:// or https://, a name and perhaps a port, "
            f"such as https://games.example.org, not {text}"
        )
    return _origin(scheme, _bracketed(name), port or DEFAULT_PORTS[scheme])


def _origin(scheme: str, name: str, port: int) -> str:
    return f"{scheme}://{name}" + ("" if port == DEFAULT_PORTS[scheme] else f":{port}")


def _all_secure(origins: set[str]) -> bool:
    return all(origin.startswith("https:") for origin in origins)


def _addresses(name: str) -> set[str]:
    try:
        return {str(info[4][0]) for info in socket.getaddrinfo(name, None)}
    except OSError:  # the machine cannot resolve its own name
        return set()


def _reachable(family: socket.AddressFamily) -> list[str]:
    """Addresses under which other machines may reach this one, as far as they are known."""
    # A socket that listens at :: accepts IPv4 connections too.
    families = {socket.AF_INET, family}
    own = [*sorted(_addresses(socket.gethostname())), *map(_outward_address, families)]
    reachable = []
    for text in own:
        with contextlib.suppress(ValueError):
            address = ipaddress.ip_address(text)
            usable = not (address.is_loopback or address.is_link_local or address.is_unspecified)
            if usable and (address.version == 4 or socket.AF_INET6 in families):
                reachable.append(str(address))
    return reachable


def _outward_address(family: socket.AddressFamily) -> str:
    """The source address of packets to other machines; no packet is sent to find out."""
    remote = "2001:db8::1" if family == socket.AF_INET6 else "192.0.2.1"  # reserved for examples
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect((remote, 9))
            return str(probe.getsockname()[0])
    except OSError:
        return ""


def _local_address(scope: Scope) -> str:
    """The address of this machine at which the connection was accepted."""
    try:
        address = ipaddress.ip_address(str(scope["server"][0]).partition("%")[0])
    except (KeyError, TypeError, ValueError):
        return ""
    mapped = getattr(address, "ipv4_mapped", None)
    return _bracketed(str(mapped or address))


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach a server at this host."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _bracketed(name: str) -> str:
    return f"[{name}]" if ":" in name and not name.startswith("[") else name


# -- headers ---------------------------------------------------------------------------------------


def _mark_authenticated(scope: Scope) -> None:
    """Exempt the connection from the limit of unauthenticated ones."""
    connection: Any = scope.get("state", {}).get("connection")
    if connection is not None:
        connection.authenticated = True


def _cookie(headers: Headers, name: str) -> str:
    for header in headers.getlist("cookie"):
        for part in header.split(";"):
            key, _, value = part.strip().partition("=")
            if key == name:
                return value
    return ""


def _equal(given: str, expected: str) -> bool:
    return hmac.compare_digest(given.encode("utf-8", "replace"), expected.encode())


def _body_size(headers: Headers) -> int:
    if "transfer-encoding" in headers:
        return MAX_BODY + 1
    size = headers.get("content-length", "0")
    return int(size) if size.isdecimal() and len(size) < 12 else MAX_BODY + 1
