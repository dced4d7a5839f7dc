# SPDX-License-Identifier: MIT
"""HTTP and WebSocket connections that are aborted when the client sends or reads too slowly.

A connection is authenticated once a request on it has shown the cookie. The number of connections
that are not is limited, and a new one replaces the oldest: idle clients cannot block the server.
"""

from __future__ import annotations

import asyncio
import itertools
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

REQUEST_TIMEOUT = 10.0
"""Seconds in which a request must arrive completely."""
MAX_UNAUTHENTICATED = 100
"""Connections that have not shown the cookie."""
SEND_TIMEOUT = 30.0
"""Seconds after which a page that has read nothing of what was sent is disconnected."""
MAX_PENDING = 1000
"""Requests of a page that have arrived and are not answered yet."""

_serial_numbers = itertools.count()


class HttpConnection(H11Protocol):
    """HTTP with a timeout for requests, and a limit of unauthenticated connections."""

    authenticated = False
    """Set by access control."""
    _request_timer: asyncio.TimerHandle | None = None

    def __init__(self, config: Any, server_state: Any, app_state: Any, _loop: Any = None) -> None:
        super().__init__(config, server_state, {**app_state, "connection": self}, _loop)
        self._serial_number = next(_serial_numbers)

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._start_timer()
        self._limit_unauthenticated()

    def _limit_unauthenticated(self) -> None:
        """Abort the oldest unauthenticated connection if there are too many."""
        unauthenticated = [
            connection
            for connection in self.connections
            if isinstance(connection, HttpConnection)
            and not connection.authenticated
            and not connection.transport.is_closing()
        ]
        if len(unauthenticated) > MAX_UNAUTHENTICATED:
            oldest = min(unauthenticated, key=lambda connection: connection._serial_number)
            oldest.transport.abort()

    def data_received(self, data: bytes) -> None:
        previous = self.cycle
        super().data_received(data)
        if self.cycle is not previous:  # a request is complete
            self._stop_timer()
        elif self._request_timer is None and self.transport.get_protocol() is self:
            self._start_timer()

    def _start_timer(self) -> None:
        self._request_timer = self.loop.call_later(REQUEST_TIMEOUT, self.transport.abort)

    def handle_websocket_upgrade(self, event: Any) -> None:
        self._stop_timer()  # from here on another protocol has the connection
        super().handle_websocket_upgrade(event)

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_timer()
        super().connection_lost(exc)

    def _stop_timer(self) -> None:
        if self._request_timer is not None:
            self._request_timer.cancel()
            self._request_timer = None


class WebSocketConnection(WebSocketsSansIOProtocol):
    """A WebSocket with a timeout for reading, and a limit of pending requests."""

    authenticated = False
    aborted = False
    _send_timer: asyncio.TimerHandle | None = None

    def __init__(self, config: Any, server_state: Any, app_state: Any, _loop: Any = None) -> None:
        super().__init__(config, server_state, {**app_state, "connection": self}, _loop)

    def abort(self) -> None:
        """Close it now; unsent messages are lost, and pending requests are dropped."""
        self.aborted = True
        self.transport.abort()

    async def drain(self) -> None:
        """Wait until the client has read almost everything that was sent."""
        await self.writable.wait()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._start_timer()

    def resume_writing(self) -> None:
        super().resume_writing()
        self._stop_timer()

    def _start_timer(self) -> None:
        unread = self.transport.get_write_buffer_size()
        self._send_timer = self.loop.call_later(SEND_TIMEOUT, self._check_progress, unread)

    def _check_progress(self, unread: int) -> None:
        # An orderly close would wait for the unread data: the connection must be aborted.
        if self.transport.get_write_buffer_size() >= unread:
            self.abort()
        else:
            self._start_timer()

    def _stop_timer(self) -> None:
        if self._send_timer is not None:
            self._send_timer.cancel()
            self._send_timer = None

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_timer()
        super().connection_lost(exc)

    def keepalive_timeout(self) -> None:
        super().keepalive_timeout()
        self.abort()

    def send_receive_event_to_app(self) -> None:
        # Reading pauses after each message, but one read may contain thousands of them.
        if self.queue.qsize() < MAX_PENDING:
            super().send_receive_event_to_app()
        else:
            self.frames = []
            self.abort()
