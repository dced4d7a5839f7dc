# SPDX-License-Identifier: MIT
"""Saving a search while it runs, rarely enough that it costs next to no time."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING

from unbounded.game import UsageError, require
from unbounded.search import checkpoints
from unbounded.search.checkpoints import PathLike
from unbounded.storage.atomic_files import is_regular

if TYPE_CHECKING:
    from unbounded.search.search import Search

_PATIENCE = 1.0
_LONGEST_PAUSE = 600.0


class Autosave:
    """Saves a search while it runs, using at most a small share of the time, and at its end.

    A file that cannot be written does not stop the search: the old file is kept, `tell` is called
    once for every kind of failure, and the next attempt is made when it is due.
    """

    def __init__(
        self,
        path: PathLike,
        *,
        every: float = 30.0,
        share: float = 0.04,
        tell: Callable[[str], None] | None = None,
    ) -> None:
        require(
            isinstance(every, (int, float)) and not isinstance(every, bool) and 0 <= every < 1e9,
            f"save_every must be seconds, 0 or more, not {every!r}",
        )
        self.path = path
        self.every = every
        self.share = share
        self.tell = tell or _warn
        self.saved_at: float | None = None
        """When the file was last written, by `time.monotonic`."""
        self.bytes = 0
        self.failure = ""
        """Why the last try failed; empty when it did not."""
        self._tried_at = time.monotonic()
        self._wanted_at: float | None = None
        self._last_took = 0.0
        self._bytes_per_second = 500e6  # until it is known

    def begin(self, search: Search) -> None:
        """Prepare: the fingerprint is slow, and must not delay the first save."""
        search.fingerprint  # noqa: B018
        self._tried_at = time.monotonic()
        self._wanted_at = None

    def watch(self, search: Search) -> None:
        """Save when it is time; to be called repeatedly during a run.

        A save between two iterations is complete. If the iteration in progress does not end in
        time, everything proven is saved, but not its place in the graph.
        """
        now = time.monotonic()
        if self._wanted_at is None:
            pause = min(self._cost(search) / self.share, _LONGEST_PAUSE)
            if now - self._tried_at < max(self.every, pause):
                return
            self._wanted_at = now
            if search.options.threads == 1:
                search._core.want_rest()
                return
        if search.options.threads > 1 or now - self._wanted_at > max(self.every, _PATIENCE):
            self.save(search)

    def at_rest(self, search: Search) -> None:
        """Save if a save was requested; to be called between two iterations."""
        if self._wanted_at is not None:
            self.save(search)

    def _cost(self, search: Search) -> float:
        """How long the next save may take; the search has grown since the last one."""
        memory = search.memory_parts
        size = sum(memory.values()) - memory["table"]  # the table is not saved
        return max(self._last_took, size / self._bytes_per_second)

    def save(self, search: Search) -> None:
        """Save now; a failure is reported to `tell`, not raised."""
        started = time.monotonic()
        try:
            self.bytes = checkpoints.save(search, self.path)
        except (OSError, MemoryError, UsageError) as error:
            self._note(getattr(error, "strerror", None) or str(error) or type(error).__name__)
        else:
            self.saved_at, self.failure = time.monotonic(), ""
        self._last_took = time.monotonic() - started
        if not self.failure:
            self._bytes_per_second = max(1e3, self.bytes / max(self._last_took, 1e-6))
        self._tried_at, self._wanted_at = time.monotonic(), None

    def _note(self, failure: str) -> None:
        if failure != self.failure:
            kept = "; what was saved before is still there" if is_regular(self.path) else ""
            self.tell(f"{self.path} cannot be written ({failure}); the search goes on{kept}")
        self.failure = failure


def _warn(message: str) -> None:
    warnings.warn(message, stacklevel=2)
