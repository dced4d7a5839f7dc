# SPDX-License-Identifier: MIT
"""Who may come in: the right host, the right origin, and whoever has the link.

A page of another site must not reach this server through the reader's browser. So the name that the
browser asked for is checked (a name that was turned to this machine is not ours), and the page that
asks (only our own may), for web sockets too. The link has a token, which becomes a cookie that
scripts cannot read, and is gone from the address bar.
"""

from __future__ import annotations

import hmac
import ipaddress
import secrets
import socket
from urllib.parse import parse_qs

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LARGEST_BODY = 1 << 16
TOKEN_BYTES = 32
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
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


class Door:
    """Lets requests through to the application, or answers them itself."""

    def __init__(self, app: ASGIApp, *, host: str, port: int) -> None:
        self._app = app
        self.token = secrets.token_urlsafe(TOKEN_BYTES)
        self._secret = secrets.token_urlsafe(TOKEN_BYTES)
        # Browsers send cookies to every port of a machine; so each server has its own name.
        self.cookie = f"unbounded-{port}"
        self.hosts = frozenset(f"{name}:{port}" for name in names_of(host))

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
        hosts = headers.getlist("host")
        if len(hosts) != 1 or hosts[0].lower() not in self.hosts:
            return PlainTextResponse("This server does not have that name.\n", 403)
        live = scope["type"] == "websocket"
        if not live and scope["method"] not in ("GET", "HEAD"):
            return PlainTextResponse("Only GET is understood here.\n", 405)
        origins = headers.getlist("origin")
        if (live and not origins) or any(origin.lower() != _origin(hosts[0]) for origin in origins):
            return PlainTextResponse("Another page may not ask this.\n", 403)
        if _body_size(headers) > LARGEST_BODY:
            return PlainTextResponse("That is too much.\n", 413)
        if scope["path"] == "/health":
            return None
        return self._known(scope, headers, live=live)

    def _known(self, scope: Scope, headers: Headers, *, live: bool) -> Response | None:
        """Ask for the cookie; give it for the token."""
        token = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])[0]
        if token and not live and _same(token, self.token):
            answer = RedirectResponse("/", 303)
            answer.set_cookie(self.cookie, self._secret, httponly=True, samesite="strict")
            return answer
        if _same(_cookie(headers, self.cookie), self._secret):
            return None
        return PlainTextResponse("Open the link that `unbounded serve` has printed.\n", 403)


def names_of(host: str) -> list[str]:
    """The names by which this machine may be asked for, when it listens there."""
    names = [*LOOPBACK]
    if host in EVERYWHERE:
        own = socket.gethostname()
        names += [name for name in (own, *_addresses(own)) if name]
    else:
        names.append(host)
    return [_bracketed(name.lower()) for name in names]


def name_in_link(host: str) -> str:
    """The name to ask for from this machine, when it listens there; everywhere is no name."""
    everywhere = {"::": "::1", "0.0.0.0": "127.0.0.1", "": "127.0.0.1"}  # noqa: S104
    return _bracketed(everywhere.get(host, host))


def _addresses(name: str) -> set[str]:
    try:
        return {str(info[4][0]) for info in socket.getaddrinfo(name, None)}
    except OSError:  # a machine that does not know its own name
        return set()


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach a server there."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _bracketed(name: str) -> str:
    return f"[{name}]" if ":" in name and not name.startswith("[") else name


def _origin(host: str) -> str:
    return f"http://{host.lower()}"


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
