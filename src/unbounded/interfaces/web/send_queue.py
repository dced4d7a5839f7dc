# SPDX-License-Identifier: MIT
"""Messages to a page that it has not read yet, limited in bytes for each page and in total."""

from __future__ import annotations

import asyncio
import json
from collections import deque
from collections.abc import Callable
from typing import Any

from unbounded.game import UsageError, require

MAX_UNSENT = 1 << 20
"""Unsent bytes of a page above which its next request waits."""
MAX_MESSAGE = 4 << 20
"""Bytes of one reply or event."""
OVERHEAD = 200
"""Bytes that a queued message takes besides its text."""


def encode(message: dict[str, Any]) -> str:
    """Return a message as JSON, which is ASCII here, so that each character is one byte."""
    text = json.dumps(message, default=str, separators=(",", ":"))
    if len(text) > MAX_MESSAGE:
        raise UsageError(
            f"this message has {len(text) >> 20} MB; the limit is {MAX_MESSAGE >> 20} MB"
        )
    return text


class SendQueue:
    """The messages to one page: replies in order, and of each kind of event only the newest."""

    def __init__(self, budget: SendBudget, abort: Callable[[], None]) -> None:
        self.unsent = 0
        """Bytes that are queued or being sent."""
        self.abort = abort
        self._budget = budget
        self._replies: deque[str] = deque()
        self._events: dict[str, str] = {}
        self._filled, self._has_space = asyncio.Event(), asyncio.Event()
        self._has_space.set()
        self._closed = False
        budget.add(self)

    def put_reply(self, text: str) -> None:
        """Queue the reply to a request."""
        if not self._closed:
            self._replies.append(text)
            self._count(len(text) + OVERHEAD)

    def put_event(self, kind: str, text: str) -> None:
        """Queue an event; it replaces an older one of its kind."""
        if not self._closed:
            old = self._events.pop(kind, None)
            self._events[kind] = text
            self._count(len(text) - len(old) if old is not None else len(text) + OVERHEAD)

    async def get(self) -> str:
        """Wait for the next message; it counts as unsent until `mark_sent`."""
        while not (self._replies or self._events):
            self._filled.clear()
            await self._filled.wait()
        if self._replies:
            return self._replies.popleft()
        return self._events.pop(next(iter(self._events)))

    def mark_sent(self, text: str) -> None:
        """Count a message as sent."""
        if not self._closed:
            self._count(-len(text) - OVERHEAD)

    async def wait_for_space(self) -> None:
        """Wait until there is space for another reply."""
        await self._has_space.wait()

    def close(self) -> None:
        """Drop all messages, and ignore further ones."""
        if not self._closed:
            self._closed = True
            self._budget.remove(self)
            self._replies.clear()
            self._events.clear()
            self._has_space.set()

    def _count(self, change: int) -> None:
        self.unsent += change
        if self.unsent < MAX_UNSENT:
            self._has_space.set()
        else:
            self._has_space.clear()
        self._filled.set()
        self._budget.count(change)


class SendBudget:
    """The memory of all send queues: above the limit the fullest queue's connection is aborted.

    Used by the thread of the server's event loop only.
    """

    def __init__(self, *, pages: int, unsent: int) -> None:
        self._max_pages, self._max_unsent = pages, unsent
        self._queues: set[SendQueue] = set()
        self.unsent = 0

    def add(self, queue: SendQueue) -> None:
        """Count the queue of another page."""
        require(
            len(self._queues) < self._max_pages,
            "too many pages are open on this server; close one and reload",
        )
        self._queues.add(queue)

    def remove(self, queue: SendQueue) -> None:
        """Stop counting a queue."""
        self._queues.discard(queue)
        self.unsent -= queue.unsent

    def count(self, change: int) -> None:
        """Add to the unsent bytes, or subtract from them."""
        self.unsent += change
        while self.unsent > self._max_unsent:
            fullest = max(self._queues, key=lambda queue: queue.unsent)
            fullest.abort()
            fullest.close()
