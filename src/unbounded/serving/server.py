# SPDX-License-Identifier: MIT
"""Listening: a socket, the door, and a server that ends when it is told to."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import sys
from collections.abc import Iterator
from typing import Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from unbounded.game import UsageError
from unbounded.serving.app import make_app
from unbounded.serving.door import LARGEST_BODY, Door, name_in_link
from unbounded.serving.house import House

FIRST_BYTES_WITHIN = 10.0
"""Seconds in which a request must have come whole; who dawdles is cut off."""
BACKLOG = 256
SWITCH_EVERY = 0.002
"""Seconds that a thread may keep Python's lock: with many at work, the server's own waits less."""
ENDS_WITHIN = 1
"""Seconds for pages to be told that the server goes."""


class Server(uvicorn.Server):
    """A server for one house of rooms, at one address."""

    def __init__(self, house: House, *, host: str, port: int) -> None:
        self.house = house
        self.socket = _listen(host, port)
        self.port: int = self.socket.getsockname()[1]
        self.door = Door(make_app(house), host=host, port=self.port)
        self.link = f"http://{name_in_link(host)}:{self.port}/?token={self.door.token}"
        super().__init__(
            uvicorn.Config(
                self.door,
                http=_Impatient,
                ws="websockets-sansio",
                ws_max_size=LARGEST_BODY,
                access_log=False,  # it would write the token down
                log_level="critical",  # what goes wrong is told to its page
                server_header=False,
                timeout_keep_alive=5,
                timeout_graceful_shutdown=ENDS_WITHIN,
                limit_concurrency=4 * house.limits.rooms,
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


class _Impatient(H11Protocol):
    """HTTP as usual, but a connection on which a request is begun and not ended is closed."""

    _waiting: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        answered = self.cycle
        super().data_received(data)
        if self.cycle is not answered:  # a request has come
            self._stop_waiting()
        elif self._waiting is None and self.transport.get_protocol() is self:
            self._wait()

    def _wait(self) -> None:
        self._waiting = self.loop.call_later(FIRST_BYTES_WITHIN, self.transport.abort)

    def handle_websocket_upgrade(self, event: Any) -> None:
        self._stop_waiting()  # from here on another protocol has the connection
        super().handle_websocket_upgrade(event)

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        super().connection_lost(exc)

    def _stop_waiting(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None
