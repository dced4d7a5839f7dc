# SPDX-License-Identifier: MIT
"""The check of a certificate in a room: with progress, and what it proves once it is accepted."""

from __future__ import annotations

import contextlib
import hashlib
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from unbounded.game import Game, require
from unbounded.interfaces.terminal.results import proven_text
from unbounded.interfaces.web.knowledge import MAX_POSITIONS, Knowledge, Proven
from unbounded.interfaces.web.opened_files import CERTIFICATE, OpenedFile
from unbounded.interfaces.web.scheduler import Scheduler
from unbounded.native.failures import error_text
from unbounded.search.result import note_of, noted
from unbounded.solving.certificate_files import lines_of, opened
from unbounded.solving.checker import Checker
from unbounded.solving.checker_format import LINE, CertificateError, Header, sealed, value_of
from unbounded.solving.verification import Verified, verify

REPORTS = 200
"""Reports of progress for one file."""
MAX_SEARCHED = 50_000_000
"""Successors that searches may make which a certificate leaves to the checker."""
MAX_SEARCHED_SENT = 1_000_000
"""The same for a certificate that a page has sent: a small file could want endless searches."""


class _StoppedError(Exception):
    """The check was stopped."""


class Verification:
    """At most one check at a time, in a thread of its own."""

    def __init__(self, scheduler: Scheduler, publish: Callable[[str, Any], None]) -> None:
        self._scheduler, self._publish = scheduler, publish
        self._current: object | None = None
        self.view: dict[str, Any] = {"state": "none"}
        """The check as the page shows it."""

    def start(
        self,
        path: Path,
        game: Game[Any, Any],
        knowledge: Knowledge,
        *,
        on_end: Callable[[], None],
        about: dict[str, Any],
        most_searched: int = MAX_SEARCHED,
    ) -> None:
        """Check a certificate; what it proves is added to the knowledge of the room.

        about: fields of every report, which tell the page what is checked. on_end: called
        when the check has ended, however it did.
        """
        require(self._current is None, "a certificate is being checked already")
        self._current = ticket = object()

        def check() -> tuple[Verified, int]:
            with _Core(self._scheduler, lambda: self._current is not ticket) as core:
                progress = self._progress(ticket, path, about, core)
                verdict = verify(path, game, progress, most_searched=most_searched)
                return verdict, _add_claims(path, game, verdict, knowledge)

        def work() -> None:
            try:
                self._end(ticket, about, check)
            finally:
                if self._current is ticket:
                    self._current = None
                on_end()

        self._report(about, "running", 0.0, "The certificate is being checked.")
        threading.Thread(target=work, daemon=True, name="verification").start()

    def stop(self) -> None:
        """End the check; nothing is accepted."""
        self._current = None
        self._scheduler.wake()

    def _report(self, about: dict[str, Any], state: str, share: float, words: str) -> None:
        self.view = {**about, "state": state, "share": share, "words": words, "verdict": None}
        self._publish("verify", self.view)

    # -- its own thread ---------------------------------------------------------------------------

    def _progress(
        self, ticket: object, path: Path, about: dict[str, Any], core: _Core
    ) -> Callable[[int], None]:
        """Make what is called with the bytes that are read: it reports, and lets others run."""
        read, total, reported = 0, max(1, path.stat().st_size), 0

        def progress(count: int) -> None:
            nonlocal read, reported
            core.lend()
            if self._current is not ticket:
                raise _StoppedError
            read += count
            if REPORTS * read // total > reported:
                reported = REPORTS * read // total
                self._report(about, "running", min(1.0, read / total), "")

        return progress

    def _end(
        self, ticket: object, about: dict[str, Any], check: Callable[[], tuple[Verified, int]]
    ) -> None:
        """Check, and report how it ended."""
        try:
            verdict, added = check()
        except Exception as error:  # a certificate that is refused, or a file that is gone
            stopped = self._current is not ticket
            words = "The check was stopped." if stopped else error_text(error)
            share = float(self.view.get("share", 0.0))
            self._report(about, "stopped" if stopped else "refused", share, words)
            return
        self.view = {
            **about,
            "state": "accepted",
            "share": 1.0,
            "words": _words(verdict),
            "verdict": _verdict(verdict, added),
        }
        self._publish("verify", self.view)


class _Core:
    """A core that is held during a check, and lent to other searches now and then."""

    def __init__(self, scheduler: Scheduler, is_cancelled: Callable[[], bool]) -> None:
        self._scheduler, self._is_cancelled = scheduler, is_cancelled
        self._held = contextlib.ExitStack()
        self._since = 0.0

    def __enter__(self) -> _Core:
        self._held.enter_context(self._scheduler.analysis(self._is_cancelled))
        self._since = time.monotonic()
        return self

    def __exit__(self, *_: object) -> None:
        self._held.close()

    def lend(self) -> None:
        """Let a search that waits have the core first."""
        if self._scheduler.should_yield(time.monotonic() - self._since):
            self._held.close()
            self.__enter__()


def _words(verdict: Verified) -> str:
    note = note_of(equilibrium=verdict.header.kind != "bounds", scores_ignored=False)
    return noted(f"proven: {proven_text(verdict.header)}", note)


def _verdict(verdict: Verified, added: int) -> dict[str, Any]:
    return {
        "states": verdict.states,
        "searched": verdict.searched,
        "checker": verdict.checker,
        "files": verdict.files,
        "digest": verdict.digest,
        "added": added,
    }


def sent_certificate(data: bytes) -> tuple[OpenedFile, Callable[[], None]]:
    """Put a certificate that a page has sent into a file; also return what removes it again."""
    folder = tempfile.TemporaryDirectory(prefix="unbounded-")
    path = Path(folder.name) / "sent.cert"
    try:
        path.write_bytes(data)
        return OpenedFile.of(path, CERTIFICATE), folder.cleanup
    except BaseException:
        folder.cleanup()
        raise


# -- what is claimed -------------------------------------------------------------------------------


def _add_claims(path: Path, game: Game[Any, Any], verdict: Verified, knowledge: Knowledge) -> int:
    """Remember the positions whose value an accepted certificate proves; return how many.

    Claims nearest to the root come last in the file, and are kept if there are too many.
    """
    found = deque(_claimed(path, game, verdict), maxlen=MAX_POSITIONS)
    for state, proven in found:
        knowledge.add_proof(state, proven)
    return len(found)


def _claimed(path: Path, game: Game[Any, Any], verdict: Verified) -> Iterator[tuple[Any, Proven]]:
    """Read a certificate again that was accepted: the same one, by its digest."""
    digest = hashlib.sha256()
    with opened(path) as file:
        lines = sealed(lines_of(file), digest)
        next(lines)
        reader = Checker(game, verdict.header)
        for line in lines:
            match = LINE[verdict.header.version].fullmatch(line.decode("ascii"))
            if match is None:
                raise CertificateError("the file has changed")
            claims = tuple(reader.read_claim(part) for part in match[3].split())
            proven = _proven(verdict.header, value_of(claims, verdict.header.scores))
            if proven is not None:
                yield reader.read_state(match[1]), proven
    require(digest.hexdigest() == verdict.digest, "the file has changed since it was checked")


def _proven(header: Header, value: Any) -> Proven | None:
    if value is None:
        return None
    outcome = tuple(int(result) for result, _ in value)
    score = tuple(float(points) for _, points in value) if header.scores else None
    return Proven(outcome, score)
