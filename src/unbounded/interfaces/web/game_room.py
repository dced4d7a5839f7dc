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

from unbounded.game import Game, UnboundedError, UsageError, require
from unbounded.interfaces.session import HUMAN, Session
from unbounded.interfaces.web import views
from unbounded.interfaces.web.analysis import Analysis
from unbounded.interfaces.web.certificates import Verification
from unbounded.interfaces.web.editor import Editor
from unbounded.interfaces.web.game_setup import GameSetup
from unbounded.interfaces.web.hints import hint
from unbounded.interfaces.web.limits import Limits
from unbounded.interfaces.web.line import Cursor, Line
from unbounded.interfaces.web.machine_turns import MachineTurns
from unbounded.interfaces.web.opened_files import OpenedFiles
from unbounded.interfaces.web.review import Review
from unbounded.interfaces.web.room_clocks import FlagTimer, RoomClocks, new_clocks
from unbounded.interfaces.web.room_files import RoomFiles
from unbounded.interfaces.web.room_game import RoomGame, read_changes
from unbounded.interfaces.web.room_storage import RoomStorage
from unbounded.interfaces.web.scheduler import Scheduler
from unbounded.native.failures import error_text
from unbounded.players import Decision
from unbounded.search.options import SearchOptions

Listener = Callable[[str, Any], None]
"""Called with the name of an event (`game`, `position`, `analysis`, ...) and its data."""


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
        files: OpenedFiles | None = None,
    ) -> None:
        self.name, self.setup = name, setup
        self.viewers = 0
        """Open pages; counted by the manager of the rooms."""
        self.last_seen = time.monotonic()
        self._limits, self._storage, self._scheduler = limits, storage, scheduler
        self._lock = threading.RLock()  # guards the game and its machines
        self._listeners: list[Listener] = []
        self._lost = ""
        """What could not be saved of this room, until it was sent to a page."""
        self.game: RoomGame | None = None
        """None until the room is open."""
        self._line: Line | None = None
        """What is looked at; None until the room is open."""
        self.turns = MachineTurns(
            scheduler, lock=self._lock, on_decision=self._accept, on_failure=self._turn_failed
        )
        self._flag = FlagTimer(self._flag_fell)
        self.analysis = Analysis(scheduler, limits, self._publish)
        self.files = RoomFiles(
            files or OpenedFiles(),
            limits,
            lock=self._lock,
            analysis=self.analysis,
            verification=Verification(scheduler, self._publish),
            show=self._show,
            publish=self._publish,
        )
        self.editor = Editor(lock=self._lock, publish=self._publish)
        self.review = Review(
            scheduler, limits, publish=self._publish, on_progress=self.analysis.publish
        )

    # -- opening and closing ----------------------------------------------------------------------

    def open(self) -> None:
        """Load the saved game or set up the first one, unless the room is open already."""
        with self._lock:
            if self.game is not None:
                return
            saved = None if self._storage is None else self._storage.load(self.setup)
            self.game = RoomGame(self.setup.first_session()) if saved is None else saved.game
            self._flag.set(self.game.clocks)
            self._line = Line(self.game.session)
            self.analysis.follow(self._line.cursor())
            if saved is not None:
                self._lost = saved.lost
            if saved is not None and saved.search is not None:
                with contextlib.suppress(UnboundedError, OSError):  # damaged: the game is kept
                    self.analysis.load(saved.search)

    def rest(self) -> None:
        """Pause the analysis while there is no viewer."""
        with self._lock:
            if not self.viewers:
                if self.game is not None:
                    self.game.session.close()
                self.review.stop()
                self.analysis.rest()

    def close(self) -> None:
        """Stop all searches, and save the room if there is a store."""
        with self._lock:
            self.turns.cancel()
            self._flag.set(None)
            if self.game is not None:
                self.game.session.close()
            self.review.stop()
            self.files.verification.stop()
            if self._storage is not None and self.game is not None:
                idle = 0.0 if self.viewers else time.monotonic() - self.last_seen
                self._storage.save(self.game, self.analysis, time.time() - idle)
            self.analysis.stop()

    # -- listeners --------------------------------------------------------------------------------

    def subscribe(self, listener: Listener) -> None:
        """Send the present state to a listener, and every later change."""
        with self._lock:
            position = self.position()  # rules that cannot show the game fail here
            self._listeners.append(listener)
            if not self.turns.thinking and self._start_machine():
                self._publish("game", self.view())
            else:
                listener("game", self.view())
            listener("position", position)
            self.analysis.publish(again=True)
            self.review.publish()
            listener("verify", self.files.verification.view)
            listener("edit", self.editor.view())
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

    def position(self) -> dict[str, Any]:
        """The position at the cursor as the page shows it."""
        return views.position_view(self._game().session, self._looked_at())

    # -- requests: looking around -----------------------------------------------------------------

    def go(self, moves: Sequence[str] | None, ply: int) -> None:
        """Set the cursor, in the present line or in another one."""
        self._look(lambda session, line: line.go(session, moves, ply))

    def move(self, name: str) -> None:
        """Play a human's move; where nobody's is due, make or follow a variation."""
        with self._lock:
            session = self._game().session
            if session.human_to_move and self._looked_at().is_live(session):
                self._change(lambda game: game.move(name))
            else:
                self._look(lambda session, line: line.step(session, name))

    def hint(self) -> dict[str, Any]:
        """The best known move at the cursor."""
        return hint(self.cursor(), self.analysis, self._scheduler, self._limits)

    def cursor(self) -> Cursor:
        """What is looked at, as it is now."""
        with self._lock:
            return self._looked_at().cursor()

    def _look(self, change: Callable[[Session, Line], None]) -> None:
        self._limits.require_memory()
        with self._lock:
            change(self._game().session, self._looked_at())
            self._cursor_moved()

    def _cursor_moved(self) -> None:
        """Publish the position at the cursor, and let the analysis follow."""
        line = self._looked_at()
        self._publish("position", self.position())
        try:
            self.analysis.follow(line.cursor())
        except Exception as error:  # the game continues without the analysis
            self._publish("error", f"the analysis has ended: {error_text(error)}")
            self.analysis.stop()

    # -- requests: the game -----------------------------------------------------------------------

    def new_game(
        self,
        text: str,
        seats: Sequence[str],
        seconds: float,
        *,
        clock: str | None = None,
        ponder: bool = False,
    ) -> None:
        """Begin another game; `clock` is the time of every player, as `TimeControl` reads it."""
        session = self.setup.new_session(text, seats, seconds, clock=clock, ponder=ponder)
        self._replace(session, None if clock is None else new_clocks(clock, len(session.seats)))

    def finish_editing(self) -> None:
        """Begin a game from the position that was set up; humans have all its seats."""
        with self._lock:
            game = self.editor.finish()
            self._replace(Session(game, [HUMAN] * game.players))

    def import_game(self, data: Any) -> None:
        """Continue an exported game."""
        self._replace(self.setup.saved_session(data))

    def _replace(self, session: Session, clocks: RoomClocks | None = None) -> None:
        with self._lock:
            self._leave_game(session)
            self._game().replace(session, clocks=clocks)
            self._game_changed()

    def _leave_game(self, session: Session) -> None:
        """End the analysis; what is known stays only for another game by the same rules."""
        self.review.drop()
        self.editor.close()
        if str(session.game) == str(self._game().session.game):
            self.analysis.stop()
        else:
            self.analysis.forget()

    def _show(self, game: Game[Any, Any], moves: Sequence[str] | None) -> None:
        """Look at a position of a game; another game than that of the room replaces it."""
        if str(game) != str(self._game().session.game):
            self._replace(Session(game, [HUMAN] * game.players))
        if moves is not None:
            self.go(moves, len(moves))

    def restore(self, copy: Any) -> bool:
        """Continue the browser's copy of the game if it is newer; return whether it is."""
        with self._lock:
            game = self._game()
            if not game.is_older_than(copy):
                return False
            session = self.setup.saved_session(copy)
            if str(session.game) != str(game.session.game):
                self.review.drop()
                self.analysis.forget()
            game.replace(session, changes=read_changes(copy))
            self._game_changed()
            return True

    def export_game(self) -> dict[str, Any]:
        """The game for a file."""
        with self._lock:
            return self._game().session.to_dict()

    def undo(self) -> None:
        """Take back the last move of a human, and what followed."""
        self._change(RoomGame.undo)

    def take_back_to(self, ply: int) -> None:
        """Take back all moves but the first ones."""
        self._change(lambda game: game.take_back_to(ply))

    def swap_sides(self) -> None:
        """Let the players change their seats, and play on."""
        self._change(RoomGame.swap_sides)

    def rematch(self, *, swap: bool) -> None:
        """Begin the same game again; with `swap` the players change their seats."""
        with self._lock:
            self.analysis.stop()
            self._change(lambda game: game.rematch(swap=swap))

    def redo(self) -> None:
        """Play again what was taken back."""
        self._change(RoomGame.redo)

    def resign(self) -> None:
        """Resign for the human whose turn it is."""
        self._change(RoomGame.resign)

    def play_line(self, path: Sequence[str] | None = None) -> None:
        """Play the variation up to the cursor, or some moves, where the game ends now."""
        with self._lock:
            line, played = self._looked_at(), len(self._game().session.moves)
            if path is None:
                continues = line.main(self._game().session) == played <= line.ply
                require(continues, "only a line that begins where the game ends can be played")
                path = line.moves[played : line.ply]
            self._change(lambda game: game.play_line(path))

    def retry_machine(self) -> None:
        """Let the machine whose turn it is move, after it has failed to."""
        with self._lock:
            require(not self.turns.thinking, "the machine is thinking already")
            require(not self._game().session.human_to_move, "it is your turn")
            self._start_machine()
            self._publish("game", self.view())

    # -- requests: the analysis -------------------------------------------------------------------

    def analyze(self, options: SearchOptions) -> None:
        """Start an analysis of the position at the cursor."""
        with self._lock:
            self.analysis.start(options)

    def start_review(self, seconds: float) -> None:
        """Review the game so far."""
        with self._lock:
            end = Line(self._game().session).cursor()
            self.review.start(end, self.analysis.knowledge, seconds)

    def stop_analysis(self) -> None:
        """End the analysis."""
        with self._lock:
            self.analysis.stop()

    # -- changes of the game ----------------------------------------------------------------------

    def _game(self) -> RoomGame:
        if self.game is None:
            raise UsageError("there is no game in this room; reload the page")
        return self.game

    def _looked_at(self) -> Line:
        assert self._line is not None, "it is there as soon as there is a game"
        return self._line

    def _change(self, change: Callable[[RoomGame], None]) -> None:
        with self._lock:
            change(self._game())
            self._game_changed()

    def _accept(self, decision: Decision) -> None:
        """Play the move of a machine; called by its thread."""
        if self._game().has_run_out:
            self._flag_fell()
            return
        live = self._looked_at().is_live(self._game().session)
        self._game().accept(decision)
        self._game_changed(follow=live)

    def _turn_failed(self, message: str) -> None:
        """Report that a machine could not move; called by its thread."""
        self._publish("error", message)
        with contextlib.suppress(Exception):  # rules that cannot show the game have failed already
            self._publish("game", self.view())

    def _game_changed(self, *, follow: bool = True) -> None:
        """Start the machine whose turn it is, and publish the game; let the cursor follow it."""
        self.turns.cancel()  # a decision on an earlier position
        session = self._game().session
        if session.moves != self.review.moves:
            self.review.drop()
        if follow:
            self._looked_at().show_game(session)
        else:
            self._looked_at().follow(session)
        self._flag.set(self._game().clocks)
        self._start_machine()
        self._publish("game", self.view())
        self._cursor_moved()

    def _flag_fell(self) -> None:
        """End the game of a player whose time is up; called by the timer, or a machine's thread."""
        with self._lock:
            game = self._game()
            if game.has_run_out and not game.session.over:
                self._change(RoomGame.lose_on_time)
            elif not game.session.over:
                self._flag.set(game.clocks)

    def _start_machine(self) -> bool:
        """Start the machine whose turn it is; games between machines need a viewer."""
        session = self._game().session
        watched = self.viewers > 0 or HUMAN in session.seats
        due = watched and session.machine_to_move
        session.ponder_on(self._scheduler)
        if due:
            machine = session.machine()
            self._game().give_time(machine)
            self.turns.start(machine)
        return due
