# SPDX-License-Identifier: MIT
"""Work that may take long in a large graph, and must not slow the driver down."""

from __future__ import annotations

import time


class Seldom:
    """Says when work is due: after so many seconds, and only for a small share of the time.

    if seldom.is_due():
        with seldom:
            ...
    """

    def __init__(self, seconds: float, share: float = 0.05) -> None:
        self._seconds, self._share = seconds, share
        self._next, self._began = 0.0, 0.0

    def is_due(self) -> bool:
        """Whether to do it now."""
        return time.monotonic() >= self._next

    def __enter__(self) -> None:
        self._began = time.monotonic()

    def __exit__(self, *_: object) -> None:
        now = time.monotonic()
        self._next = max(self._began + self._seconds, now + (now - self._began) / self._share)
