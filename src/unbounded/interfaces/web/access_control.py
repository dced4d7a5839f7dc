# SPDX-License-Identifier: MIT
"""Who may come in: the right host, the right origin, and whoever has the link.

A page of another site must not reach this server through the reader's browser. So the name that the
browser asked for is checked (a name that was turned to this machine is not ours), and the page that
asks (only our own may), for web sockets too. Behind a proxy the page has other names, which the
program is started with; none is believed because a request says so. The link has a token, which
becomes a cookie that scripts cannot read, and is gone from the address bar.
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

LARGEST_BODY = 1 << 16
TOKEN_BYTES = 32
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
PORTS = {"http": 80, "https": 443}
"""That browsers leave out of names."""
EVERYWHERE = ("0.0.0.0", "::", "")  # noqa: S104 - the names of it, nothing is bound here

PROTECTION = {
    "content-security-policy": (
        "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
        "object-src 'none'"
    ),
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
"""Headers of every answer: nothing from elsewhere, no script in the page, no frames."""

WELCOME = """<!doctype html>
<meta charset="utf-8">
<meta http-equiv="refresh" content="0; url=/">
<link rel="icon" href="/icon.svg" type="image/svg+xml">
<title>unbounded</title>
<p><a href="/">To the page</a>
"""
"""The answer to the link. A redirect would count as asked for by whatever page the link was on, and
browsers send a strict cookie only to what is asked for by a page of ours: so this one asks."""


class AccessControl:
    """Lets requests through to the application, or answers them itself."""

    def __init__(self, app: ASGIApp, *, host: str, port: int, origins: Sequence[str] = ()) -> None:
        self._app = app
        self._port = port
        self.used = threading.Event()
        """Whether somebody has come in by the link."""
        self.token = secrets.token_urlsafe(TOKEN_BYTES)
        self._secret = secrets.token_urlsafe(TOKEN_BYTES)
        # Browsers send cookies to every port of a machine; so each server has its own name.
        self.cookie = f"unbounded-{port}"
        own = [_origin("http", name, port) for name in names_of(host)]
        self.origins: dict[str, set[str]] = {}
        """Under each name by which we are asked for, the pages that may ask: those of that name."""
        for origin in (*own, *map(read_origin, origins)):
            self.origins.setdefault(urlsplit(origin).netloc, set()).add(origin)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request (ASGI)."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        answer = self._answer(scope)
        if scope["type"] == "websocket":
            if answer is None:
                await self._app(scope, receive, send)
            else:
                await send({"type": "websocket.close", "code": 1008})
            return

        async def protected(message: Message) -> None:
            if message["type"] == "http.response.start":
                for name, value in PROTECTION.items():
                    message["headers"].append((name.encode(), value.encode()))
            await send(message)

        await (answer or self._app)(scope, receive, protected)

    def _answer(self, scope: Scope) -> Response | None:
        """Return what to say instead of letting it through."""
        headers = Headers(scope=scope)
        pages = self._pages(scope, headers.getlist("host"))
        if not pages:
            return PlainTextResponse("This server does not have that name.\n", 403)
        live = scope["type"] == "websocket"
        if not live and scope["method"] not in ("GET", "HEAD"):
            return PlainTextResponse("Only GET is understood here.\n", 405)
        asking = headers.getlist("origin")
        if (live and not asking) or any(origin.lower() not in pages for origin in asking):
            return PlainTextResponse("Another page may not ask this.\n", 403)
        if _body_size(headers) > LARGEST_BODY:
            return PlainTextResponse("That is too much.\n", 413)
        if scope["path"] == "/health":
            return None
        return self._known(scope, headers, live=live, secure=_all_secure(pages))

    def _pages(self, scope: Scope, hosts: Sequence[str]) -> set[str]:
        """The origins of our pages under the name that was asked for; none if it is not ours.

        The address at which the connection has come in is ours too, whatever others there are. No
        name can be turned to it: names are not addresses.
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

    def _known(
        self, scope: Scope, headers: Headers, *, live: bool, secure: bool
    ) -> Response | None:
        """Ask for the cookie; give it for the token."""
        token = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])[0]
        if token and not live and _same(token, self.token):
            answer = HTMLResponse(WELCOME)
            answer.set_cookie(
                self.cookie, self._secret, httponly=True, samesite="strict", secure=secure
            )
            self.used.set()
            return answer
        if _same(_cookie(headers, self.cookie), self._secret):
            _welcome(scope)
            return None
        return PlainTextResponse("Open the link that `unbounded serve` has printed.\n", 403)


# -- names -----------------------------------------------------------------------------------------


def names_of(host: str) -> list[str]:
    """The names by which this machine may be asked for, when it listens there."""
    names = [*LOOPBACK]
    if host in EVERYWHERE:
        own = socket.gethostname()
        names += [name for name in (own, *_addresses(own)) if name]
    else:
        names.append(host)
    return [_bracketed(name.lower()) for name in names]


def links_to(host: str, port: int, origins: Sequence[str]) -> list[str]:
    """Where the page is, when it listens there; the first one can be opened on this machine."""
    names = [host]
    if host in EVERYWHERE:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        everywhere = {socket.AF_INET6: "::1", socket.AF_INET: "127.0.0.1"}
        names = [everywhere[family], *_reachable(family)]
    own = [_origin("http", _bracketed(name), port) for name in names]
    return list(dict.fromkeys([*own, *map(read_origin, origins)]))


def read_origin(text: str) -> str:
    """An origin as a browser writes it, of what somebody wrote."""
    try:
        parts = urlsplit(text)
        name, port = parts.hostname, parts.port
    except ValueError:
        name, port, parts = None, None, urlsplit("")
    rest = parts.path.strip("/") + parts.query + parts.fragment
    known = name is not None and re.fullmatch(r"[a-z0-9._-]+|[0-9a-f:.]+", name)
    if parts.scheme not in PORTS or not known or name is None or rest or "@" in parts.netloc:
        raise UsageError(
            f"--origin must be http:// or https://, a name and perhaps a port, "
            f"such as https://games.example.org, not {text}"
        )
    return _origin(parts.scheme, _bracketed(name), port or PORTS[parts.scheme])


def _origin(scheme: str, name: str, port: int) -> str:
    return f"{scheme}://{name}" + ("" if port == PORTS[scheme] else f":{port}")


def _all_secure(origins: set[str]) -> bool:
    return all(origin.startswith("https:") for origin in origins)


def _addresses(name: str) -> set[str]:
    try:
        return {str(info[4][0]) for info in socket.getaddrinfo(name, None)}
    except OSError:  # a machine that does not know its own name
        return set()


def _reachable(family: socket.AddressFamily) -> list[str]:
    """Addresses by which others may reach this machine, as far as it knows them."""
    # Who listens at :: is asked by addresses of both kinds.
    families = {socket.AF_INET, family}
    own = [*sorted(_addresses(socket.gethostname())), *map(_outward_address, families)]
    good = []
    for text in own:
        with contextlib.suppress(ValueError):
            address = ipaddress.ip_address(text)
            usable = not (address.is_loopback or address.is_link_local or address.is_unspecified)
            if usable and (address.version == 4 or socket.AF_INET6 in families):
                good.append(str(address))
    return good


def _outward_address(family: socket.AddressFamily) -> str:
    """The address that this machine would send from; nothing is sent to find out."""
    far = "2001:db8::1" if family == socket.AF_INET6 else "192.0.2.1"  # for examples, nobody's
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as sending:
            sending.connect((far, 9))
            return str(sending.getsockname()[0])
    except OSError:
        return ""


def _local_address(scope: Scope) -> str:
    """The address of this machine at which a connection has come in."""
    try:
        address = ipaddress.ip_address(str(scope["server"][0]).partition("%")[0])
    except (KeyError, TypeError, ValueError):
        return ""
    mapped = getattr(address, "ipv4_mapped", None)
    return _bracketed(str(mapped or address))


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach a server there."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _bracketed(name: str) -> str:
    return f"[{name}]" if ":" in name and not name.startswith("[") else name


# -- headers ---------------------------------------------------------------------------------------


def _welcome(scope: Scope) -> None:
    """Tell the connection that whoever is at its other end is known."""
    line: Any = scope.get("state", {}).get("line")
    if line is not None:
        line.known = True


def _cookie(headers: Headers, name: str) -> str:
    for line in headers.getlist("cookie"):
        for part in line.split(";"):
            key, _, value = part.strip().partition("=")
            if key == name:
                return value
    return ""


def _same(given: str, wanted: str) -> bool:
    return hmac.compare_digest(given.encode("utf-8", "replace"), wanted.encode())


def _body_size(headers: Headers) -> int:
    if "transfer-encoding" in headers:
        return LARGEST_BODY + 1
    size = headers.get("content-length", "0")
    return int(size) if size.isdecimal() and len(size) < 12 else LARGEST_BODY + 1
