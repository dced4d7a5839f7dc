# SPDX-License-Identifier: MIT
"""The web application: the page and its files, and one web socket for each page that is open."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import anyio.to_thread
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from unbounded.game import UsageError
from unbounded.interfaces.web import requests
from unbounded.interfaces.web.connections import Line
from unbounded.interfaces.web.game_room import GameRoom
from unbounded.interfaces.web.outbox import Outbox, Post, encode
from unbounded.interfaces.web.room_manager import RoomManager
from unbounded.native.failures import words

PAGE = Path(__file__).parent / "page"
KINDS = {".html": "text/html", ".css": "text/css", ".js": "text/javascript"}
KINDS |= {".svg": "image/svg+xml"}
THREADS = 200
"""That answer requests at the same time; most of them only wait for a search to look up."""

T = TypeVar("T")


def make_app(rooms: RoomManager) -> Starlette:
    """The application behind the door."""
    post = Post(pages=rooms.limits.pages, unread=rooms.limits.unread)
    files = {path.name: path for path in PAGE.iterdir() if path.suffix in KINDS}

    async def file(request: Request) -> Response:
        path = files.get(request.path_params.get("name", "index.html"))
        if path is None:
            return PlainTextResponse("There is no such page.\n", 404)
        return FileResponse(path, media_type=KINDS[path.suffix])

    async def health(_: Request) -> Response:
        return JSONResponse({"ok": True})

    async def live(socket: WebSocket) -> None:
        await socket.accept()
        try:
            await Visit(rooms, post, socket).serve()
        except WebSocketDisconnect:
            pass
        except Exception as error:  # no room is left, or the game's rules fail
            with contextlib.suppress(WebSocketDisconnect, RuntimeError):  # gone already
                await socket.send_text(encode({"event": "trouble", "what": words(error)}))
                await socket.close(1013)

    @contextlib.asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        anyio.to_thread.current_default_thread_limiter().total_tokens = THREADS
        yield
        await asyncio.to_thread(rooms.close)

    routes = [
        Route("/", file),
        Route("/health", health),
        Route("/{name}", file),
        WebSocketRoute("/live", live),
    ]
    return Starlette(routes=routes, lifespan=lifespan)


class Visit:
    """One open page: what it asks is answered in order, what happens is sent when it can be read.

    Whoever asks without reading the answers waits, and is cut off in the end.
    """

    def __init__(self, rooms: RoomManager, post: Post, socket: WebSocket) -> None:
        self._house, self._socket = rooms, socket
        self._line: Line = socket.scope["state"]["line"]
        self._outbox = Outbox(post, self._line.cut)
        self._loop = asyncio.get_running_loop()

    async def serve(self) -> None:
        """Talk until the page is closed."""
        sending = asyncio.create_task(self._send_news())
        try:
            room = await _in_thread(self._house.enter, self._socket.query_params.get("room"))
            try:
                await _in_thread(room.listen, self._hear)
                await self._listen(room)
            finally:
                await _in_thread(self._leave, room)
        finally:
            sending.cancel()
            self._outbox.close()

    def _leave(self, room: GameRoom) -> None:
        room.forget(self._hear)
        self._house.leave(room)

    async def _listen(self, room: GameRoom) -> None:
        while not self._line.was_cut:
            self._outbox.answer(await _in_thread(_answer, room, await self._receive()))
            await self._outbox.space()

    async def _receive(self) -> str:
        """What the page says next; bytes are no text, and so nothing that is understood."""
        message = await self._socket.receive()
        if message["type"] == "websocket.disconnect":
            raise WebSocketDisconnect(message.get("code", 1000))
        return message.get("text") or ""

    def _hear(self, event: str, what: Any) -> None:
        """Take note of what happens; called by any thread."""
        try:
            text = encode({"event": event, "what": what})
        except UsageError as error:
            event = "trouble"
            text = encode({"event": event, "what": words(error)})
        with contextlib.suppress(RuntimeError):  # the server has gone
            self._loop.call_soon_threadsafe(self._outbox.event, event, text)

    async def _send_news(self) -> None:
        with contextlib.suppress(WebSocketDisconnect, RuntimeError):
            while True:
                text = await self._outbox.next()
                await self._socket.send_text(text)
                await self._line.drain()
                self._outbox.read(text)
        self._outbox.close()


def _answer(room: GameRoom, text: str) -> str:
    """Do what a page asks; what goes wrong is told to it."""
    number: Any = None
    try:
        told = requests.read(text)
        number = told.get("id")
        return encode({"id": number, "answer": requests.answer(room, told)})
    except Exception as error:  # a mistake of ours, or of a game's: of this page's only
        return encode({"id": number, "error": words(error)})


async def _in_thread(function: Callable[..., T], *arguments: Any) -> T:
    return await anyio.to_thread.run_sync(partial(function, *arguments))
