# SPDX-License-Identifier: MIT
"""The server: a listening socket, access control and the application."""

from __future__ import annotations

import contextlib
import socket
import sys
from collections.abc import Iterator, Sequence

import uvicorn

from unbounded.game import UsageError
from unbounded.interfaces.web.access_control import MAX_BODY, AccessControl, page_urls
from unbounded.interfaces.web.app import CLAIMS_PAGE, make_app
from unbounded.interfaces.web.claims import ClaimsReader
from unbounded.interfaces.web.connections import HttpConnection, WebSocketConnection
from unbounded.interfaces.web.room_manager import RoomManager

BACKLOG = 256
OTHER_CONNECTIONS = 200
"""Connections besides those of open pages: pages being loaded, and unauthenticated clients."""
SWITCH_INTERVAL = 0.002
"""Seconds for which a thread may keep the GIL: the event loop waits less among many threads."""
SHUTDOWN_TIMEOUT = 1
"""Seconds for closing the connections when the server stops."""


class Server(uvicorn.Server):
    """Serves the rooms of one manager at one address."""

    def __init__(
        self,
        rooms: RoomManager,
        *,
        host: str,
        port: int,
        origins: Sequence[str] = (),
        claims: ClaimsReader | None = None,
    ) -> None:
        """claims: a claims file to show beside the games; the link leads to it."""
        self.rooms = rooms
        self.socket = _listen(host, port)
        self.port: int = self.socket.getsockname()[1]
        self.access = AccessControl(
            make_app(rooms, claims),
            host=host,
            port=self.port,
            origins=origins,
            start="/" if claims is None else f"/{CLAIMS_PAGE}",
        )
        self.links = [
            f"{url}/?token={self.access.token}" for url in page_urls(host, self.port, origins)
        ]
        """Links that sign in and open the page; the first one is for this machine."""
        self.link = self.links[0]
        super().__init__(
            uvicorn.Config(
                self.access,
                http=HttpConnection,
                ws=WebSocketConnection,
                ws_max_size=MAX_BODY,
                ws_per_message_deflate=False,  # a small message could expand to a large one
                access_log=False,  # it would contain the token
                log_level="critical",  # errors are sent to the page that they concern
                server_header=False,
                proxy_headers=False,  # any client could send them
                timeout_keep_alive=5,
                timeout_graceful_shutdown=SHUTDOWN_TIMEOUT,
                limit_concurrency=rooms.limits.pages + OTHER_CONNECTIONS,
            )
        )

    def serve_until_stopped(self) -> None:
        """Serve until `stop` is called, by a signal handler or another thread."""
        before = sys.getswitchinterval()
        sys.setswitchinterval(SWITCH_INTERVAL)
        try:
            self.run(sockets=[self.socket])
        finally:
            sys.setswitchinterval(before)

    def stop(self) -> None:
        """Shut the server down in good order."""
        self.should_exit = True

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave signals to the program."""
        yield


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        listener.listen(BACKLOG)  # now: the link may be opened as soon as it is printed
    except (OSError, OverflowError) as error:
        listener.close()
        reason = getattr(error, "strerror", None) or str(error)
        raise UsageError(
            f"cannot listen at {host}, port {port}: {reason}; --port 0 takes any free port"
        ) from None
    return listener
