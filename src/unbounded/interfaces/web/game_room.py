# SPDX-License-Identifier: MIT
"""A page's game: the board, the machines that play, and an analysis that follows the game."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unbounded.game import UnboundedError, UsageError, require
from unbounded.game.notices import complain
from unbounded.interfaces.session import HUMAN, Session
from unbounded.interfaces.web import views
from unbounded.interfaces.web.analysis import SAVING_PATIENCE, Analysis
from unbounded.native.failures import words
from unbounded.players import Decision
from unbounded.search.explanations import why
from unbounded.search.options import ALGORITHMS
from unbounded.search.search import Search

if TYPE_CHECKING:
    from unbounded.interfaces.web.room_manager import RoomManager
    from unbounded.interfaces.web.store import Store

FIRST_GAME = "connect-four"
FIRST_SECONDS = 1.0
MOST_CHANGES = 1 << 50
"""That a browser counts exactly."""

Listener = Callable[[str, Any], None]
"""Is told of an event by its name: `game`, `analysis` or `trouble`."""


class GameRoom:
    """One game, and whoever looks at it. Requests come one at a time; machines think beside."""

    def __init__(self, name: str, rooms: RoomManager) -> None:
        self.name = name
        self.rooms = rooms
        self.viewers = 0
        self.seen_at = time.monotonic()
        self.session: Session | None = None
        self.analysis: Analysis | None = None
        self.analysed: dict[str, Any] = {}
        self.decision: Decision | None = None
        """What the machine knew that moved last."""
        self.changes = 0
        """How often the game was changed: of two copies, the one with more changes is newer."""
        self._loss = ""
        """What could not be kept of this game, for the next who looks."""
        self._listeners: list[Listener] = []
        self._lock = threading.RLock()  # of everything here
        self._reporting = threading.Lock()  # what is told last of the analysis is so
        self._thought = 0
        """Counts what was thought about: an answer to an older question is not played."""
        self._thinking = False
        self._closed = False

    def open(self) -> None:
        """Set up the board, if this is the first visit."""
        with self._lock:
            if self.session is None and not self._restore():
                game = self.rooms.game or self.rooms.load_game(FIRST_GAME)
                machines = ["ubfm-safest"] * (game.players - 1)
                self.new_game(str(game), [HUMAN, *machines], FIRST_SECONDS)
                self.changes = 0  # nobody has done anything

    # -- those who look ---------------------------------------------------------------------------

    def listen(self, listener: Listener) -> None:
        """Tell somebody of everything that happens, and of how things are."""
        with self._lock:
            self._listeners.append(listener)
            if not self._thinking and self._is_machine_asked():
                self._go_on()
            listener("game", self.view())
            self._report_again()
            if self._loss:
                listener("trouble", self._loss)
                self._loss = ""

    def forget(self, listener: Listener) -> None:
        """Tell them no more."""
        with self._lock, contextlib.suppress(ValueError):
            self._listeners.remove(listener)

    def _tell(self, event: str, what: Any) -> None:
        for listener in list(self._listeners):
            listener(event, what)

    def view(self) -> dict[str, Any]:
        """The game as the page shows it."""
        session = self._game()
        told = views.game_view(session, self.decision)
        return told | {"room": self.name, "thinking": self._thinking, "changes": self.changes}

    def _game(self) -> Session:
        if self.session is None:
            raise UsageError("there is no game here")
        return self.session

    # -- the game ---------------------------------------------------------------------------------

    def new_game(self, text: str, seats: Sequence[str], seconds: float) -> None:
        """Begin another game."""
        game = self.rooms.load_game(text)
        self._replace(Session(game, self.rooms.seats(seats, seconds)))

    def import_game(self, told: Any) -> None:
        """Go on with a game that was exported."""
        self._replace(self._read_game(told))

    def bring_back(self, told: Any) -> bool:
        """Go on with the game that a browser has kept, if it is newer than ours; say whether."""
        with self._lock:
            if not self._is_newer(told):
                return False
            session = self._read_game(told)
            self.changes = max(self.changes, _changes(told) - 1)  # and this is another one
            if str(session.game) != str(self._game().game):
                self._replace(session)
            else:  # the analysis follows
                self._think_no_more()
                self.session, self.decision = session, None
                self._changed()
            return True

    def _is_newer(self, told: Any) -> bool:
        """Whether a kept game has changed more often than ours, or goes on where ours ends."""
        require(isinstance(told, dict), "not a saved game")
        ours, theirs = self._game().moves, told.get("moves")
        if not self.changes and not ours:
            return True  # nobody has done anything here
        if self.changes != _changes(told):
            return self.changes < _changes(told)
        same = told.get("game") == str(self._game().game) and isinstance(theirs, list)
        return same and theirs[: len(ours)] == ours != theirs

    def _read_game(self, told: Any) -> Session:
        require(isinstance(told, dict) and isinstance(told.get("game"), str), "not a saved game")
        given = told.get("seats")
        require(isinstance(given, list) and all(isinstance(s, str) for s in given), "no seats")
        seats = self.rooms.seats(told["seats"], FIRST_SECONDS)
        game = self.rooms.load_game(told["game"])
        return Session.from_dict(told | {"seats": seats, "game": str(game)}, game)

    def export_game(self) -> dict[str, Any]:
        """The game for a file."""
        with self._lock:
            return self._game().to_dict()

    def _replace(self, session: Session) -> None:
        with self._lock:
            self._end_analysis()
            self._think_no_more()
            self.session = session
            self.decision = None
            self._changed()

    def move(self, name: str) -> None:
        """Play a person's move."""
        with self._lock:
            require(self._game().human_to_move, "it is not your turn")
            self._game().play(name)
            self._changed()

    def undo(self) -> None:
        """Take back the last move of a person, and what followed."""
        with self._lock:
            require(self._game().can_undo, "there is nothing to take back")
            self._think_no_more()
            self._game().undo()
            self._changed()

    def redo(self) -> None:
        """Play again what was taken back."""
        with self._lock:
            require(bool(self._game().undone), "there is nothing to play again")
            self._think_no_more()
            self._game().redo()
            self._changed()

    def resign(self) -> None:
        """Give up, for the person whose turn it is."""
        with self._lock:
            require(self._game().human_to_move, "it is not your turn")
            self._game().resign()
            self._changed()

    def go_to(self, path: Sequence[str]) -> None:
        """Play the moves of a line that was looked at."""
        with self._lock:
            session = self._game()
            require(not session.over, "the game is over")
            require(bool(path), "there is no move to play")
            told = session.to_dict()
            told["moves"] = [*session.moves, *path]
            followed = Session.from_dict(told, session.game)
            self._think_no_more()
            self.session, self.decision = followed, None
            self._changed()

    def _changed(self) -> None:
        """After every change of the game: machines think about it, and the analysis follows."""
        self.changes += 1
        self._follow_or_end()
        self._go_on()

    def _go_on(self) -> None:
        """Let a machine think, if it is its turn."""
        self._thought += 1
        session = self._game()
        self._thinking = self._is_machine_asked()
        if self._thinking:
            arguments = (session, self._thought)
            threading.Thread(target=self._think, args=arguments, daemon=True, name="move").start()
        self._tell("game", self.view())

    def _is_machine_asked(self) -> bool:
        """Whether a machine is to move; machines among themselves play while somebody looks."""
        session = self._game()
        watched = self.viewers > 0 or HUMAN in session.seats
        return watched and not session.over and not session.human_to_move

    def _think_no_more(self) -> None:
        """Let machines stop: what they would answer is not wanted any more."""
        self._thought += 1
        if self.session is not None:
            self.session.stop()

    def _think(self, session: Session, number: int) -> None:
        """Let a machine choose, and play that unless the game has changed meanwhile."""
        try:
            machine = session.machine()
            asked = machine.seconds_per_move or 0.0
            with self.rooms.turns.move(asked) as share:
                if number != self._thought:
                    return
                decision = machine.decide(at_most=share)
            self._accept(session, number, decision)
        except Exception as error:
            self._give_up(number, words(error))

    def _accept(self, session: Session, number: int, decision: Decision) -> None:
        with self._lock:
            if number == self._thought and not self._closed:
                session.accept(decision)
                self.decision = decision
                self._changed()

    def _give_up(self, number: int, message: str) -> None:
        with self._lock:
            if number == self._thought:
                self._thinking = False
                self._tell("trouble", message)
                self._tell("game", self.view())

    def let_move(self) -> None:
        """Ask the machine again whose turn it is, after it could not think."""
        with self._lock:
            require(not self._thinking, "it is thinking already")
            require(not self._game().human_to_move, "it is your turn")
            self._go_on()

    # -- the analysis -----------------------------------------------------------------------------

    def analyse(self, algorithm: str) -> None:
        """Begin to think about the position."""
        require(algorithm in ALGORITHMS, f"the algorithm must be {' or '.join(ALGORITHMS)}")
        with self._lock:
            session = self._game()
            require(not session.over, "the game is over")
            self._end_analysis()
            search = Search(session.game, algorithm=algorithm, moves=session.moves)
            self.analysis = self._new_analysis(search)
            self.analysis.start()
            self._report_again()

    def _new_analysis(self, search: Search) -> Analysis:
        rooms = self.rooms
        return Analysis(
            search,
            seconds=rooms.limits.analysis_seconds,
            memory=rooms.memory_for,
            turns=rooms.turns,
            report=self._report,
        )

    def pause(self) -> None:
        """Stop thinking for now."""
        self._analysis().pause()
        self._report_again()

    def resume(self) -> None:
        """Go on thinking."""
        self._analysis().start()
        self._report_again()

    def end_analysis(self) -> None:
        """Forget what was thought."""
        with self._lock:
            self._end_analysis()
            self._report_again()

    def _analysis(self) -> Analysis:
        if self.analysis is None:
            raise UsageError("there is no analysis: start one")
        return self.analysis

    def _end_analysis(self) -> None:
        if self.analysis is not None:
            self.analysis.close()
            self.analysis, self.analysed = None, {}
            self._report_again()

    def _report(self, analysis: Analysis, search: Search) -> None:
        """Show what an analysis has found; called by its thread."""
        if analysis is self.analysis:
            if analysis.failure is None:
                self.analysed = views.analysis_view(search)
            self._report_again()

    def _report_again(self) -> None:
        with self._reporting:
            self._tell("analysis", self._analysis_view())

    def _analysis_view(self) -> dict[str, Any]:
        analysis = self.analysis
        if analysis is None:
            return {"state": "none"}
        state = "going" if analysis.going else "paused"
        why = {"failure": analysis.failure, "reason": analysis.reason}
        return {"state": state, **why, **self.analysed}

    def _follow(self) -> None:
        """Move the analysis to where the game is; what it knows is kept, if it can be."""
        analysis, session = self.analysis, self._game()
        if analysis is None:
            return
        if session.over:
            analysis.pause()
        analysed = analysis.ask(lambda search: list(search.moves))
        if session.moves[: len(analysed)] == analysed:
            further = session.moves[len(analysed) :]
            analysis.ask(lambda search: _play_all(search, further))
        else:
            analysis = self._begin_again(analysis)
        self.analysed = analysis.ask(views.analysis_view)
        self._report_again()

    def _begin_again(self, old: Analysis) -> Analysis:
        """Analyse from where the game is, knowing nothing."""
        algorithm, going = old.ask(lambda search: search.options.algorithm), old.going
        old.close()
        search = Search(self._game().game, algorithm=algorithm, moves=self._game().moves)
        self.analysis = analysis = self._new_analysis(search)
        if going:
            analysis.start()
        return analysis

    def _follow_or_end(self) -> None:
        """Follow; an analysis that cannot is ended, and the game goes on without it."""
        try:
            self._follow()
        except Exception as error:
            self._tell("trouble", f"the analysis has ended: {words(error)}")
            self._end_analysis()

    # -- looking inside ---------------------------------------------------------------------------

    def tree(self, path: Sequence[str], *, proof: bool, start: int) -> dict[str, Any]:
        """The children of a node, which is named by the moves to it."""
        return self._analysis().ask(
            lambda search: views.tree_view(search, path, proof=proof, start=start)
        )

    def why(self, action: str | None) -> str:
        """A sentence or two about a move."""
        return self._analysis().ask(lambda search: why(search, action))

    def look(self, path: Sequence[str]) -> dict[str, Any]:
        """The board after some more moves."""
        self.rooms.require_memory()
        with self._lock:
            session = self._game()
            return views.line_view(session, path)

    # -- coming and going -------------------------------------------------------------------------

    def rest(self) -> None:
        """Stop thinking while nobody looks."""
        with self._lock, contextlib.suppress(UnboundedError):
            if self.analysis is not None and not self.viewers:
                self.analysis.pause()
                self._report_again()

    def close(self) -> None:
        """End everything; keep it in a folder, if there is one."""
        with self._lock:
            self._closed = True
            self._think_no_more()
            if self.rooms.store is not None:
                self._try_to_keep(self.rooms.store)
            self._end_analysis()

    def _try_to_keep(self, store: Store) -> None:
        """Keep what can be kept: nobody else is to suffer from a disk that is full."""
        try:
            self._keep(store)
        except Exception as error:
            complain(f"the game in {self.name} was not kept whole in {store}: {words(error)}")

    def _keep(self, store: Store) -> None:
        session, analysis = self.session, self.analysis
        if session is None or (analysis is None and not self.changes):
            return  # a board that nobody has touched
        told = session.to_dict() | {"changes": self.changes}
        idle = 0.0 if self.viewers else time.monotonic() - self.seen_at
        used_at = time.time() - idle
        if analysis is None:
            store.keep(self.name, told, used_at)
        elif not self._keep_searched(store, analysis, told, used_at):
            lost = f"the analysis of this game was not kept: {store.full}"
            store.keep(self.name, told | {"lost": lost}, used_at)
            complain(f"{self.name}: {lost}")

    def _keep_searched(
        self, store: Store, analysis: Analysis, told: dict[str, Any], used_at: float
    ) -> bool:
        size = analysis.ask(lambda search: search.memory_bytes)

        def save(path: Path) -> None:
            analysis.ask(lambda search: search.save(path), SAVING_PATIENCE)

        return store.keep_searched(self.name, told, used_at, size, save)

    def _restore(self) -> bool:
        """Find again what an earlier server has kept; what is damaged is not believed."""
        store = self.rooms.store
        if store is None or not store.has(self.name):
            return False
        try:
            told = store.read(self.name)
            self.import_game(told)
            self.changes = _changes(told)
        except (UnboundedError, OSError, ValueError, RecursionError):
            return False
        self._loss = str(told.get("lost", ""))
        searched = store.search_of(self.name)
        if searched.is_file():
            with contextlib.suppress(UnboundedError, OSError):
                self.analysis = self._new_analysis(Search.load(searched, self._game().game))
                self._follow()  # it may be older than the game
        return True


def _changes(told: dict[str, Any]) -> int:
    """How often a kept game was changed; 0 where nobody has counted."""
    changes = told.get("changes", 0)
    good = isinstance(changes, int) and 0 <= changes <= MOST_CHANGES
    require(good, "changes must be a whole number, 0 or more")
    return int(changes)


def _play_all(search: Search, moves: Sequence[str]) -> None:
    for move in moves:
        search.play(move)
