# SPDX-License-Identifier: MIT
"""Listening: a socket, the door, and a server that ends when it is told to."""

from __future__ import annotations

import contextlib
import socket
import sys
from collections.abc import Iterator, Sequence

import uvicorn

from unbounded.game import UsageError
from unbounded.interfaces.web.access_control import LARGEST_BODY, AccessControl, links_to
from unbounded.interfaces.web.app import make_app
from unbounded.interfaces.web.connections import Knock, Line
from unbounded.interfaces.web.room_manager import RoomManager

BACKLOG = 256
OTHER_LINES = 200
"""Connections besides those of open pages: pages that are being opened, and strangers."""
SWITCH_EVERY = 0.002
"""Seconds that a thread may keep Python's lock: with many at work, the server's own waits less."""
ENDS_WITHIN = 1
"""Seconds for pages to be told that the server goes."""


class Server(uvicorn.Server):
    """A server for the rooms of one manager, at one address."""

    def __init__(
        self, rooms: RoomManager, *, host: str, port: int, origins: Sequence[str] = ()
    ) -> None:
        self.rooms = rooms
        self.socket = _listen(host, port)
        self.port: int = self.socket.getsockname()[1]
        self.access = AccessControl(make_app(rooms), host=host, port=self.port, origins=origins)
        self.links = [
            f"{where}/?token={self.access.token}" for where in links_to(host, self.port, origins)
        ]
        """Where people find the page; the first one is for this machine."""
        self.link = self.links[0]
        super().__init__(
            uvicorn.Config(
                self.access,
                http=Knock,
                ws=Line,
                ws_max_size=LARGEST_BODY,
                ws_per_message_deflate=False,  # a little that was sent could become a lot here
                access_log=False,  # it would write the token down
                log_level="critical",  # what goes wrong is told to its page
                server_header=False,
                proxy_headers=False,  # what a proxy says, anybody could say
                timeout_keep_alive=5,
                timeout_graceful_shutdown=ENDS_WITHIN,
                limit_concurrency=rooms.limits.pages + OTHER_LINES,
            )
        )

    def serve_until_stopped(self) -> None:
        """Serve; `stop` ends it, from a signal or from another thread."""
        before = sys.getswitchinterval()
        sys.setswitchinterval(SWITCH_EVERY)
        try:
            self.run(sockets=[self.socket])
        finally:
            sys.setswitchinterval(before)

    def stop(self) -> None:
        """End the server in good order."""
        self.should_exit = True

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave signals to the program."""
        yield


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
        listening.listen(BACKLOG)  # from now on: the link may be opened at once
    except (OSError, OverflowError) as error:
        listening.close()
        reason = getattr(error, "strerror", None) or str(error)
        raise UsageError(
            f"cannot listen at {host}, port {port}: {reason}; --port 0 takes any that is free"
        ) from None
    return listening
