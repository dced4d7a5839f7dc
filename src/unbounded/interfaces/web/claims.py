# SPDX-License-Identifier: MIT
"""A claims file on the page: read again while a run writes to it, and never written to."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from unbounded.cluster.browsing import Changes, ClaimsView, Position
from unbounded.cluster.claims_file import ClaimsFile
from unbounded.game import Game, UsageError, action_named, require
from unbounded.game.catalogue import is_named
from unbounded.interfaces.web.game_room import Listener
from unbounded.interfaces.web.requests import Fields, texts
from unbounded.interfaces.web.tree_views import MAX_PATH
from unbounded.interfaces.web.views import board_view
from unbounded.native.failures import error_text
from unbounded.search.result import note_of

INTERVAL = 2.0
"""Seconds between two looks at the file."""
REST = 4
"""Reading a large file takes a while: so many times as long it is not read again."""
MAX_MOVES = 500
"""Moves of a position in one message; the others can be typed."""
MAX_WORKERS = 100
CLOSING = 5.0
"""Seconds to wait for the thread when the server stops."""


class ClaimsReader:
    """Follows a claims file while pages show it, in a thread of its own."""

    def __init__(self, path: Path, given: Game[Any, Any] | None = None) -> None:
        """given: the game of the server, for a claims file about a game of one's own."""
        self.path = path
        with ClaimsFile.read(path) as file:
            named = given is not None and is_named(given, file.about.game)
            self._game = file.game(given if named else None)
        self._view: ClaimsView | None = None
        self._overview: dict[str, Any] = {}
        self._failure: str | None = None
        self._listeners: list[Listener] = []
        self._lock = threading.Lock()
        self._wake = threading.Event()
        self._closed = False
        self._thread: threading.Thread | None = None

    # -- pages ------------------------------------------------------------------------------------

    def enter(self, _: str | None) -> ClaimsReader:
        """Admit a page; all of them see the same."""
        with self._lock:
            if self._thread is None and not self._closed:
                self._thread = threading.Thread(target=self._work, daemon=True, name="claims")
                self._thread.start()
        return self

    def leave(self, _: ClaimsReader) -> None:
        """A page has closed."""

    def subscribe(self, listener: Listener) -> None:
        """Send what is known to a listener, and every later change."""
        with self._lock:
            self._listeners.append(listener)
            if self._overview or self._failure:
                listener("claims", self._message())
        self._wake.set()

    def unsubscribe(self, listener: Listener) -> None:
        """Send nothing more to a listener."""
        with self._lock, contextlib.suppress(ValueError):
            self._listeners.remove(listener)

    def position(self, moves: list[str]) -> dict[str, Any]:
        """The position after these moves from the start of the game, with its board."""
        require(len(moves) <= MAX_PATH, f"a line may have at most {MAX_PATH} moves")
        view = self._view
        if view is None:
            raise UsageError("the claims file is being read; try again in a moment")
        return position_view(view, view.position(moves))

    def close(self) -> None:
        """Stop following the file, and release it; a read in progress may take longer."""
        with self._lock:
            self._closed = True
        self._wake.set()
        if self._thread is not None:
            self._thread.join(timeout=CLOSING)
        self._view = None

    # -- the thread -------------------------------------------------------------------------------

    def _work(self) -> None:
        while self._wait_for_a_page():
            with contextlib.closing(Changes(self.path)) as changes:
                self._follow(changes)

    def _wait_for_a_page(self) -> bool:
        """Return once a page is open; False: the server stops."""
        while not self._closed and not self._listeners:
            self._wake.wait()
            self._wake.clear()
        return not self._closed

    def _follow(self, changes: Changes) -> None:
        """Read the file whenever it has changed, until no page is open."""
        seen, rest = None, 0  # the first time, rules are compiled too
        while True:
            self._wake.clear()  # first: what happens from here on ends the pause below
            if self._closed or not self._listeners:
                return
            began = time.monotonic()
            try:
                version = changes.version()
                if version != seen:
                    self._read()
                seen = version  # what was written meanwhile is read the next time
            except Exception as error:  # a file that is removed or damaged, a rule that fails
                seen = None
                self._publish(failure=error_text(error))
            self._wake.wait(max(INTERVAL, rest * (time.monotonic() - began)))
            rest = REST

    def _read(self) -> None:
        with ClaimsFile.read(self.path) as file:
            view = ClaimsView(file, file.game(self._game))
        self._view = view
        self._publish(overview_of(view, self.path))

    def _publish(self, overview: dict[str, Any] | None = None, failure: str | None = None) -> None:
        with self._lock:
            if overview is None and failure == self._failure:
                return
            self._overview = overview or self._overview
            self._failure = failure
            for listener in self._listeners:
                listener("claims", self._message())

    def _message(self) -> dict[str, Any]:
        return {**self._overview, "file": self.path.name, "failure": self._failure}


# -- views -----------------------------------------------------------------------------------------


def overview_of(view: ClaimsView, path: Path) -> dict[str, Any]:
    """What a claims file holds, in numbers."""
    summary, game, root = view.summary, view.game, view.root
    counts = ("positions", "settled", "leaves", "claims", "checked", "states", "worked")
    return {
        "game": summary.game,
        "moves": list(summary.moves),
        "players": [game.player_name(player) for player in range(game.players)],
        "mover": root.mover,
        "root": root.known.to_json(view.scale),
        "note": note_of(equilibrium=not view.scale.zero_sum, scores_ignored=False),
        "share": summary.share,
        "seconds_left": view.seconds_left,
        "proof": None if view.proof is None else f"{view.proof.parent.name}/{view.proof.name}",
        "counts": {name: getattr(summary, name) for name in counts},
        "jobs": summary.jobs,
        "worker_count": len(summary.workers),
        "workers": [_worker(*one) for one in summary.workers[:MAX_WORKERS]],
        "refused": [
            {"job": number, "worker": worker, "why": why} for number, worker, why in summary.refused
        ],
        "written": _last_written(path),
    }


def _worker(name: str, jobs: int, states: int, seconds: float) -> dict[str, Any]:
    rate = states / seconds if seconds > 0 else None
    return {"name": name, "jobs": jobs, "states": states, "seconds": seconds, "rate": rate}


def _last_written(path: Path) -> float:
    """When, in seconds since 1970; the newest rows are in the file beside it."""
    files = (path, path.with_name(f"{path.name}-wal"))
    return max(file.stat().st_mtime for file in files if file.exists())


def position_view(view: ClaimsView, position: Position) -> dict[str, Any]:
    """A position with its board; only moves whose positions are in the file can be clicked."""
    game, values = view.game, position.to_json(view.scale)
    board = board_view(game, position.state, _last_action(game, position.moves))
    listed = {name for name, _ in position.children}
    return {
        **values,
        **board,
        "children": values["children"][:MAX_MOVES],
        "count": len(position.children),
        "actions": [action for action in board["actions"] if action["name"] in listed],
    }


def _last_action(game: Game[Any, Any], moves: tuple[str, ...]) -> Any:
    state, last = game.initial(), None
    for name in moves:
        last = action_named(game, state, name)
        state = game.next(state, last)
    return last


REQUESTS: dict[str, Callable[[ClaimsReader, Fields], Any]] = {
    "position": lambda reader, fields: reader.position(texts(fields, "moves")),
}
