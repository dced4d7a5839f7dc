# SPDX-License-Identifier: MIT
"""Connections: whoever keeps one open and says nothing, or reads nothing, is cut off.

A line is known once it has shown the cookie. Of those that are not known only so many may be open,
and the oldest ones make way: silent strangers keep nobody out.
"""

from __future__ import annotations

import asyncio
import itertools
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

FIRST_BYTES_WITHIN = 10.0
"""Seconds in which a request must have come whole; who dawdles is cut off."""
MOST_STRANGERS = 100
"""Connections that have not shown the cookie."""
READS_WITHIN = 30.0
"""Seconds after which a page that has read nothing of what it was sent is cut off."""
MOST_WAITING = 1000
"""Messages of a page that have come and are not answered yet."""

_numbers = itertools.count()


class Knock(H11Protocol):
    """HTTP as usual, but a connection on which a request is begun and not ended is closed."""

    known = False
    """Whether it has shown the cookie; the door says so."""
    _waiting: asyncio.TimerHandle | None = None

    def __init__(self, config: Any, server_state: Any, app_state: Any, _loop: Any = None) -> None:
        super().__init__(config, server_state, {**app_state, "line": self}, _loop)
        self._number = next(_numbers)

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._wait()
        self._make_way()

    def _make_way(self) -> None:
        """Cut off the oldest stranger, if there are too many."""
        strangers = [
            line
            for line in self.connections
            if isinstance(line, Knock) and not line.known and not line.transport.is_closing()
        ]
        if len(strangers) > MOST_STRANGERS:
            min(strangers, key=lambda line: line._number).transport.abort()

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


class Line(WebSocketsSansIOProtocol):
    """A web socket as usual, but whoever reads nothing, or asks without end, is cut off."""

    known = False
    was_cut = False
    _watching: asyncio.TimerHandle | None = None

    def __init__(self, config: Any, server_state: Any, app_state: Any, _loop: Any = None) -> None:
        super().__init__(config, server_state, {**app_state, "line": self}, _loop)

    def cut(self) -> None:
        """Close it now; what was not read is lost, and what was asked is not answered."""
        self.was_cut = True
        self.transport.abort()

    async def drain(self) -> None:
        """Wait until the other end has read what it was sent, but for a little."""
        await self.writable.wait()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._watch()

    def resume_writing(self) -> None:
        super().resume_writing()
        self._stop_watching()

    def _watch(self) -> None:
        unread = self.transport.get_write_buffer_size()
        self._watching = self.loop.call_later(READS_WITHIN, self._look_again, unread)

    def _look_again(self, unread: int) -> None:
        # Closing it would wait for what is unread: it must be cut.
        if self.transport.get_write_buffer_size() >= unread:
            self.cut()
        else:
            self._watch()

    def _stop_watching(self) -> None:
        if self._watching is not None:
            self._watching.cancel()
            self._watching = None

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_watching()
        super().connection_lost(exc)

    def keepalive_timeout(self) -> None:
        super().keepalive_timeout()
        self.cut()

    def send_receive_event_to_app(self) -> None:
        # Reading pauses after a message, but what was read at once may hold thousands.
        if self.queue.qsize() < MOST_WAITING:
            super().send_receive_event_to_app()
        else:
            self.frames = []
            self.cut()
