# SPDX-License-Identifier: MIT
"""One game and the pages that show it.

A `GameRoom` is composed of the game in progress, the machines' turns, the analysis and the storage.
It passes requests to these parts, and publishes what they change to every page in the room.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

from unbounded.game import UnboundedError, UsageError, require
from unbounded.interfaces.session import HUMAN, Session
from unbounded.interfaces.web.analysis import Analysis
from unbounded.interfaces.web.game_setup import GameSetup
from unbounded.interfaces.web.limits import Limits
from unbounded.interfaces.web.machine_turns import MachineTurns
from unbounded.interfaces.web.room_game import RoomGame, read_changes
from unbounded.interfaces.web.room_storage import RoomStorage
from unbounded.interfaces.web.scheduler import Scheduler
from unbounded.native.failures import error_text
from unbounded.players import Decision
from unbounded.search.options import SearchOptions

Listener = Callable[[str, Any], None]
"""Called with the kind of an event (`game`, `analysis` or `error`) and its data."""


class GameRoom:
    """A game, its machines and its analysis; requests of all its pages run one at a time."""

    def __init__(
        self,
        name: str,
        *,
        setup: GameSetup,
        scheduler: Scheduler,
        limits: Limits,
        storage: RoomStorage | None = None,
    ) -> None:
        self.name, self.setup = name, setup
        self.viewers = 0
        """Open pages; counted by the manager of the rooms."""
        self.last_seen = time.monotonic()
        self._limits, self._storage = limits, storage
        self._lock = threading.RLock()  # guards the game and its machines
        self._listeners: list[Listener] = []
        self._lost = ""
        """What could not be saved of this room, until it was sent to a page."""
        self.game: RoomGame | None = None
        """None until the room is open."""
        self.turns = MachineTurns(
            scheduler, lock=self._lock, on_decision=self._accept, on_failure=self._turn_failed
        )
        self.analysis = Analysis(
            scheduler, limits, publish=lambda view: self._publish("analysis", view)
        )

    # -- opening and closing ----------------------------------------------------------------------

    def open(self) -> None:
        """Load the saved game or set up the first one, unless the room is open already."""
        with self._lock:
            if self.game is None and not self._load():
                self.game = RoomGame(self.setup.first_session())

    def _load(self) -> bool:
        saved = None if self._storage is None else self._storage.load(self.setup)
        if saved is None:
            return False
        self.game, self._lost = saved.game, saved.lost
        if saved.search is not None:
            with contextlib.suppress(UnboundedError, OSError):  # damaged: the game is kept
                self.analysis.load(saved.search, saved.game.session)
        return True

    def rest(self) -> None:
        """Pause the analysis while there is no viewer."""
        with self._lock:
            if not self.viewers:
                self.analysis.rest()

    def close(self) -> None:
        """Stop all searches, and save the room if there is a store."""
        with self._lock:
            self.turns.cancel()
            if self._storage is not None and self.game is not None:
                idle = 0.0 if self.viewers else time.monotonic() - self.last_seen
                self._storage.save(self.game, self.analysis, time.time() - idle)
            self.analysis.stop()

    # -- listeners --------------------------------------------------------------------------------

    def subscribe(self, listener: Listener) -> None:
        """Send the present state to a listener, and every later change."""
        with self._lock:
            self._listeners.append(listener)
            if not self.turns.thinking and self._start_machine():
                self._publish("game", self.view())
            else:
                listener("game", self.view())
            self.analysis.publish()
            if self._lost:
                listener("error", self._lost)
                self._lost = ""

    def unsubscribe(self, listener: Listener) -> None:
        """Send nothing more to a listener."""
        with self._lock, contextlib.suppress(ValueError):
            self._listeners.remove(listener)

    def _publish(self, event: str, data: Any) -> None:
        for listener in list(self._listeners):
            listener(event, data)

    def view(self) -> dict[str, Any]:
        """The game as the page shows it."""
        return self._game().view() | {"room": self.name, "thinking": self.turns.thinking}

    # -- requests: the game -----------------------------------------------------------------------

    def new_game(self, text: str, seats: Sequence[str], seconds: float) -> None:
        """Begin another game."""
        self._replace(self.setup.new_session(text, seats, seconds))

    def import_game(self, data: Any) -> None:
        """Continue an exported game."""
        self._replace(self.setup.saved_session(data))

    def _replace(self, session: Session) -> None:
        with self._lock:
            self.analysis.stop()
            self._game().replace(session)
            self._game_changed()

    def restore(self, copy: Any) -> bool:
        """Continue the browser's copy of the game if it is newer; return whether it is."""
        with self._lock:
            game = self._game()
            if not game.is_older_than(copy):
                return False
            session = self.setup.saved_session(copy)
            if str(session.game) != str(game.session.game):
                self.analysis.stop()
            game.replace(session, changes=read_changes(copy))
            self._game_changed()
            return True

    def export_game(self) -> dict[str, Any]:
        """The game for a file."""
        with self._lock:
            return self._game().session.to_dict()

    def move(self, name: str) -> None:
        """Play a human's move."""
        self._change(lambda game: game.move(name))

    def undo(self) -> None:
        """Take back the last move of a human, and what followed."""
        self._change(RoomGame.undo)

    def redo(self) -> None:
        """Play again what was taken back."""
        self._change(RoomGame.redo)

    def resign(self) -> None:
        """Resign for the human whose turn it is."""
        self._change(RoomGame.resign)

    def play_line(self, path: Sequence[str]) -> None:
        """Play the moves of a previewed line."""
        self._change(lambda game: game.play_line(path))

    def preview(self, path: Sequence[str]) -> dict[str, Any]:
        """The board after some further moves."""
        self._limits.require_memory()
        with self._lock:
            return self._game().preview(path)

    def retry_machine(self) -> None:
        """Let the machine whose turn it is move, after it has failed to."""
        with self._lock:
            require(not self.turns.thinking, "the machine is thinking already")
            require(not self._game().session.human_to_move, "it is your turn")
            self._start_machine()
            self._publish("game", self.view())

    # -- requests: the analysis -------------------------------------------------------------------

    def analyze(self, options: SearchOptions) -> None:
        """Start an analysis of the position."""
        with self._lock:
            self.analysis.start(self._game().session, options)

    def stop_analysis(self) -> None:
        """End the analysis."""
        with self._lock:
            self.analysis.stop()

    # -- changes of the game ----------------------------------------------------------------------

    def _game(self) -> RoomGame:
        if self.game is None:
            raise UsageError("there is no game in this room; reload the page")
        return self.game

    def _change(self, change: Callable[[RoomGame], None]) -> None:
        with self._lock:
            change(self._game())
            self._game_changed()

    def _accept(self, decision: Decision) -> None:
        """Play the move of a machine; called by its thread."""
        self._change(lambda game: game.accept(decision))

    def _turn_failed(self, message: str) -> None:
        """Report that a machine could not move; called by its thread."""
        self._publish("error", message)
        with contextlib.suppress(Exception):  # rules that cannot show the game have failed already
            self._publish("game", self.view())

    def _game_changed(self) -> None:
        """Let the analysis follow, start the machine whose turn it is, and publish the game."""
        self.turns.cancel()  # a decision on an earlier position
        try:
            self.analysis.follow(self._game().session)
        except Exception as error:  # the game continues without the analysis
            self._publish("error", f"the analysis has ended: {error_text(error)}")
            self.analysis.stop()
        self._start_machine()
        self._publish("game", self.view())

    def _start_machine(self) -> bool:
        """Start the machine whose turn it is; games between machines need a viewer."""
        session = self._game().session
        watched = self.viewers > 0 or HUMAN in session.seats
        due = watched and session.machine_to_move
        if due:
            self.turns.start(session.machine())
        return due
