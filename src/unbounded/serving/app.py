# SPDX-License-Identifier: MIT
"""The web application: the page and its files, and one web socket for each page that is open."""

from __future__ import annotations

import asyncio
import contextlib
import json
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

from unbounded.faults import words
from unbounded.serving import requests
from unbounded.serving.house import House
from unbounded.serving.room import Room

PAGE = Path(__file__).parent / "page"
KINDS = {".html": "text/html", ".css": "text/css", ".js": "text/javascript"}
KINDS |= {".svg": "image/svg+xml"}
THREADS = 200
"""That answer requests at the same time; most of them only wait for a search to look up."""
MOST_UNREAD = 1000
"""Answers that a page leaves unread before it is closed."""

T = TypeVar("T")


def make_app(house: House) -> Starlette:
    """The application behind the door."""
    files = {path.name: path for path in PAGE.iterdir() if path.suffix in KINDS}

    async def file(request: Request) -> Response:
        path = files.get(request.path_params.get("name", "index.html"))
        if path is None:
            return PlainTextResponse("There is no such page.\n", 404)
        return FileResponse(path, media_type=KINDS[path.suffix])

    async def health(_: Request) -> Response:
        return JSONResponse({"ok": True})

    async def live(socket: WebSocket) -> None:
        await Visit(house, socket).serve()

    @contextlib.asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        anyio.to_thread.current_default_thread_limiter().total_tokens = THREADS
        yield
        await asyncio.to_thread(house.close)

    routes = [
        Route("/", file),
        Route("/health", health),
        Route("/{name}", file),
        WebSocketRoute("/live", live),
    ]
    return Starlette(routes=routes, lifespan=lifespan)


class Visit:
    """One open page: what it asks is answered in order, what happens is sent when it can be read.

    Of each kind of event only the newest is kept for a page that reads slowly.
    """

    def __init__(self, house: House, socket: WebSocket) -> None:
        self._house, self._socket = house, socket
        self._answers: list[dict[str, Any]] = []
        self._events: dict[str, Any] = {}
        self._news = asyncio.Event()
        self._loop = asyncio.get_running_loop()

    async def serve(self) -> None:
        """Talk until the page is closed."""
        await self._socket.accept()
        try:
            room = await _in_thread(self._house.enter, self._socket.query_params.get("room"))
        except Exception as error:  # no room is left, or the game's rules fail
            await self._refuse(error)
            return
        sending = asyncio.create_task(self._send_news())
        try:
            await _in_thread(room.listen, self._hear)
            await self._listen(room)
        except WebSocketDisconnect:
            pass
        except Exception as error:
            await self._refuse(error)
        finally:
            sending.cancel()
            await _in_thread(self._leave, room)

    async def _refuse(self, error: Exception) -> None:
        with contextlib.suppress(WebSocketDisconnect, RuntimeError):  # gone already
            await self._send({"event": "trouble", "what": words(error)})
            await self._socket.close(1013)

    def _leave(self, room: Room) -> None:
        room.forget(self._hear)
        self._house.leave(room)

    async def _listen(self, room: Room) -> None:
        while len(self._answers) < MOST_UNREAD:
            text = await self._receive()
            number: Any = None
            try:
                told = requests.read(text)
                number = told.get("id")
                answer = await _in_thread(requests.answer, room, told)
                self._answers.append({"id": number, "answer": answer})
            except Exception as error:  # a mistake of ours, or of a game's: of this page's only
                self._answers.append({"id": number, "error": words(error)})
            self._news.set()

    async def _receive(self) -> str:
        """What the page says next; bytes are no text, and so nothing that is understood."""
        message = await self._socket.receive()
        if message["type"] == "websocket.disconnect":
            raise WebSocketDisconnect(message.get("code", 1000))
        return message.get("text") or ""

    def _hear(self, event: str, what: Any) -> None:
        """Take note of what happens; called by any thread."""
        with contextlib.suppress(RuntimeError):  # the server has gone
            self._loop.call_soon_threadsafe(self._note, event, what)

    def _note(self, event: str, what: Any) -> None:
        self._events[event] = what
        self._news.set()

    async def _send_news(self) -> None:
        with contextlib.suppress(WebSocketDisconnect, RuntimeError):
            while True:
                await self._news.wait()
                self._news.clear()
                answers, self._answers = self._answers, []
                events, self._events = self._events, {}
                for answer in answers:
                    await self._send(answer)
                for event, what in events.items():
                    await self._send({"event": event, "what": what})

    async def _send(self, message: dict[str, Any]) -> None:
        await self._socket.send_text(json.dumps(message, default=str))


async def _in_thread(function: Callable[..., T], *arguments: Any) -> T:
    return await anyio.to_thread.run_sync(partial(function, *arguments))
