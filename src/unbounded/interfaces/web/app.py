# SPDX-License-Identifier: MIT
"""The web application: the files of the pages, and one WebSocket for each open page."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from functools import partial
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

import anyio.to_thread
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from unbounded.game import UsageError
from unbounded.interfaces.web import requests
from unbounded.interfaces.web.claims import REQUESTS as CLAIMS_REQUESTS
from unbounded.interfaces.web.claims import ClaimsReader
from unbounded.interfaces.web.connections import WebSocketConnection
from unbounded.interfaces.web.game_room import Listener
from unbounded.interfaces.web.room_manager import RoomManager
from unbounded.interfaces.web.send_queue import SendBudget, SendQueue, encode
from unbounded.native.failures import error_text

PAGE = Path(__file__).parent / "page"
CLAIMS_PAGE = "claims.html"
MEDIA_TYPES = {
    ".html": "text/html",
    ".css": "text/css",
    ".js": "text/javascript",
    ".svg": "image/svg+xml",
}
THREADS = 200
"""Requests that run at the same time; most of them wait for the thread of a search."""
TRY_AGAIN_LATER = 1013
"""The close code of a WebSocket that the server cannot serve."""

T = TypeVar("T")


def make_app(rooms: RoomManager, claims: ClaimsReader | None = None) -> Starlette:
    """The application behind access control; with the page of a claims file, if there is one."""
    budget = SendBudget(pages=rooms.limits.pages, unsent=rooms.limits.unsent)
    files = {path.name: path for path in PAGE.iterdir() if path.suffix in MEDIA_TYPES}
    if claims is None:
        del files[CLAIMS_PAGE]

    async def file(request: Request) -> Response:
        path = files.get(request.path_params.get("name", "index.html"))
        if path is None:
            return PlainTextResponse("There is no such page.\n", 404)
        return FileResponse(path, media_type=MEDIA_TYPES[path.suffix])

    async def health(_: Request) -> Response:
        return JSONResponse({"ok": True})

    async def about(_: Request) -> Response:
        return JSONResponse({"claims": None if claims is None else claims.path.name})

    async def live(socket: WebSocket) -> None:
        reply = partial(requests.reply, known=requests.REQUESTS)
        await _serve(rooms, reply, budget, socket)

    async def live_claims(socket: WebSocket) -> None:
        assert claims is not None
        reply = partial(requests.reply, known=CLAIMS_REQUESTS)
        await _serve(claims, reply, budget, socket)

    @contextlib.asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        anyio.to_thread.current_default_thread_limiter().total_tokens = THREADS
        yield
        if claims is not None:
            await asyncio.to_thread(claims.close)
        await asyncio.to_thread(rooms.close)

    routes = [
        Route("/", file),
        Route("/health", health),
        Route("/about.json", about),
        Route("/{name}", file),
        WebSocketRoute("/live", live),
    ]
    if claims is not None:
        routes.append(WebSocketRoute("/live-claims", live_claims))
    return Starlette(routes=routes, lifespan=lifespan)


class Shown(Protocol):
    """What a page shows, and hears of: a room, or a claims file."""

    def subscribe(self, listener: Listener) -> None:
        """Send the present state to a listener, and every later change."""

    def unsubscribe(self, listener: Listener) -> None:
        """Send nothing more to a listener."""


S = TypeVar("S", bound=Shown)


class Source(Protocol[S]):
    """Where a page gets what it shows."""

    def enter(self, name: str | None, /) -> S:
        """Return what has this name, and count another viewer."""

    def leave(self, shown: S, /) -> None:
        """Count one viewer less."""


async def _serve(
    source: Source[S], reply: Callable[[S, str], str], budget: SendBudget, socket: WebSocket
) -> None:
    await socket.accept()
    try:
        await PageConnection(source, reply, budget, socket).serve()
    except WebSocketDisconnect:
        pass
    except Exception as error:  # too many pages, or the game's rules fail
        with contextlib.suppress(WebSocketDisconnect, RuntimeError):  # disconnected already
            await socket.send_text(encode({"event": "error", "data": error_text(error)}))
            await socket.close(TRY_AGAIN_LATER)


class PageConnection(Generic[S]):
    """One open page: its requests are answered in order, and events of its room are sent to it.

    A page that does not read the replies has to wait with further requests (backpressure), and is
    disconnected after a timeout.
    """

    def __init__(
        self,
        source: Source[S],
        reply: Callable[[S, str], str],
        budget: SendBudget,
        socket: WebSocket,
    ) -> None:
        self._source, self._reply, self._socket = source, reply, socket
        self._connection: WebSocketConnection = socket.scope["state"]["connection"]
        self._queue = SendQueue(budget, self._connection.abort)
        self._loop = asyncio.get_running_loop()

    async def serve(self) -> None:
        """Serve the page until it is closed."""
        sender = asyncio.create_task(self._send_messages())
        try:
            name = self._socket.query_params.get("room")
            shown = await _in_thread(self._source.enter, name)
            try:
                await _in_thread(shown.subscribe, self._on_event)
                await self._serve_requests(shown)
            finally:
                await _in_thread(self._leave, shown)
        finally:
            sender.cancel()
            self._queue.close()

    def _leave(self, shown: S) -> None:
        shown.unsubscribe(self._on_event)
        self._source.leave(shown)

    async def _serve_requests(self, shown: S) -> None:
        while not self._connection.aborted:
            text = await self._receive()
            self._queue.put_reply(await _in_thread(self._reply, shown, text))
            await self._queue.wait_for_space()

    async def _receive(self) -> str:
        """Return the next request; a binary message is an empty one, which is no valid request."""
        message = await self._socket.receive()
        if message["type"] == "websocket.disconnect":
            raise WebSocketDisconnect(message.get("code", 1000))
        return message.get("text") or ""

    def _on_event(self, event: str, data: Any) -> None:
        """Queue an event; called by any thread."""
        try:
            text = encode({"event": event, "data": data})
        except UsageError as error:
            event = "error"
            text = encode({"event": event, "data": error_text(error)})
        with contextlib.suppress(RuntimeError):  # the event loop is closed
            self._loop.call_soon_threadsafe(self._queue.put_event, event, text)

    async def _send_messages(self) -> None:
        with contextlib.suppress(WebSocketDisconnect, RuntimeError):
            while True:
                text = await self._queue.get()
                await self._socket.send_text(text)
                await self._connection.drain()
                self._queue.mark_sent(text)
        self._queue.close()


async def _in_thread(function: Callable[..., T], *arguments: Any) -> T:
    return await anyio.to_thread.run_sync(partial(function, *arguments))
