# SPDX-License-Identifier: MIT
"""What pages are to be told and have not read yet, counted in bytes, for each page and for all."""

from __future__ import annotations

import asyncio
import json
from collections import deque
from collections.abc import Callable
from typing import Any

from unbounded.game import UsageError, require

MOST_UNREAD = 1 << 20
"""Bytes of answers that a page leaves unread before its next request waits."""
LARGEST_MESSAGE = 4 << 20
"""Bytes of one answer or event."""
OVERHEAD = 200
"""Bytes that a message takes besides its text."""


def encode(message: dict[str, Any]) -> str:
    """A message as it is sent; JSON here has ASCII characters only, so that each is a byte."""
    text = json.dumps(message, default=str)
    if len(text) > LARGEST_MESSAGE:
        raise UsageError(
            f"this would be {len(text) >> 20} MB; the page is told {LARGEST_MESSAGE >> 20} at most"
        )
    return text


class Outbox:
    """For one page: answers in order, and of each kind of event only the newest."""

    def __init__(self, post: Post, cut: Callable[[], None]) -> None:
        self.unread = 0
        """Bytes that wait, or are on their way."""
        self.cut = cut
        self._post = post
        self._answers: deque[str] = deque()
        self._events: dict[str, str] = {}
        self._news, self._space = asyncio.Event(), asyncio.Event()
        self._space.set()
        self._closed = False
        post.open(self)

    def answer(self, text: str) -> None:
        """Add an answer."""
        if not self._closed:
            self._answers.append(text)
            self._count(len(text) + OVERHEAD)

    def event(self, kind: str, text: str) -> None:
        """Add an event; an older one of its kind is not told any more."""
        if not self._closed:
            old = self._events.pop(kind, None)
            self._events[kind] = text
            self._count(len(text) - len(old) if old is not None else len(text) + OVERHEAD)

    async def next(self) -> str:
        """Wait for the next message; it counts until it is `read`."""
        while not (self._answers or self._events):
            self._news.clear()
            await self._news.wait()
        if self._answers:
            return self._answers.popleft()
        return self._events.pop(next(iter(self._events)))

    def read(self, text: str) -> None:
        """Say that a message has reached the page."""
        if not self._closed:
            self._count(-len(text) - OVERHEAD)

    async def space(self) -> None:
        """Wait until there is space for another answer."""
        await self._space.wait()

    def close(self) -> None:
        """Forget everything; nothing is added any more."""
        if not self._closed:
            self._closed = True
            self._post.close(self)
            self._answers.clear()
            self._events.clear()
            self._space.set()

    def _count(self, more: int) -> None:
        self.unread += more
        if self.unread < MOST_UNREAD:
            self._space.set()
        else:
            self._space.clear()
        self._news.set()
        self._post.count(more)


class Post:
    """All outboxes. When they hold too much together, the fullest is closed and its page cut off.

    Only the thread of the server's loop touches it.
    """

    def __init__(self, *, pages: int, unread: int) -> None:
        self._pages, self._most = pages, unread
        self._open: set[Outbox] = set()
        self.unread = 0

    def open(self, outbox: Outbox) -> None:
        """Take another page in."""
        require(len(self._open) < self._pages, "too many pages are open here")
        self._open.add(outbox)

    def close(self, outbox: Outbox) -> None:
        """Let go of a page."""
        self._open.discard(outbox)
        self.unread -= outbox.unread

    def count(self, more: int) -> None:
        """Take note of more bytes, or of fewer."""
        self.unread += more
        while self.unread > self._most:
            fullest = max(self._open, key=lambda outbox: outbox.unread)
            fullest.cut()
            fullest.close()
