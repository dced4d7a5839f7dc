# SPDX-License-Identifier: MIT
"""The game in progress of a room: what was played, and by whom."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from unbounded.game import require
from unbounded.interfaces.session import Session
from unbounded.interfaces.web import views
from unbounded.interfaces.web.game_setup import seat_words
from unbounded.interfaces.web.room_clocks import RoomClocks, read_clocks
from unbounded.players import Decision, Player

MAX_CHANGES = 1 << 50
"""A number that a browser counts to exactly."""


class RoomGame:
    """A session, its clocks, the last decision of a machine, and the number of changes.

    Of two copies of a game, the one with more changes is newer.
    """

    def __init__(
        self, session: Session, changes: int = 0, clocks: RoomClocks | None = None
    ) -> None:
        self.session, self.clocks = session, clocks
        self.out_of_time = False
        """Whether the one who gave up had no time left."""
        self.decision: Decision | None = None
        """What the last machine that moved knew."""
        self.changes = changes

    def view(self) -> dict[str, Any]:
        """The game as the page shows it."""
        return views.game_view(self.session, self.decision) | {
            "seat_words": seat_words(self.session.seats),
            "changes": self.changes,
            "clock": None if self.clocks is None else self.clocks.view(),
            "out_of_time": self.out_of_time,
        }

    def to_dict(self) -> dict[str, Any]:
        """The game for the store: what a file of the game has, and what only a room has."""
        clock = None if self.clocks is None else self.clocks.view()
        more = {"changes": self.changes, "clock": clock, "out_of_time": self.out_of_time}
        return self.session.to_dict() | more

    @classmethod
    def from_dict(cls, session: Session, data: dict[str, Any]) -> RoomGame:
        """The game that was stored, of which `session` was made already."""
        game = cls(session, read_changes(data), read_clocks(data.get("clock"), len(session.seats)))
        game.out_of_time = data.get("out_of_time") is True and session.resigned is not None
        if game.clocks is not None and session.moves:
            game.clocks.start(session.mover)
        return game

    # -- changes ----------------------------------------------------------------------------------

    def move(self, name: str) -> None:
        """Play a human's move."""
        require(self.session.human_to_move, "it is not your turn")
        require(not self.has_run_out, "there is no time left")
        mover = self.session.mover
        self.session.play(name)
        self._moved(mover)

    def accept(self, decision: Decision) -> None:
        """Play the move that a machine has decided on."""
        mover = self.session.mover
        self.session.accept(decision)
        self.decision = decision
        self._moved(mover)

    def _moved(self, mover: int | None) -> None:
        self.changes += 1
        if self.clocks is not None and mover is not None:
            self.clocks.moved(mover, self.session.mover)

    @property
    def has_run_out(self) -> bool:
        """Whether the player to move has no time left."""
        return self.clocks is not None and self.clocks.has_run_out

    def lose_on_time(self) -> None:
        """End the game: the player to move has no time left."""
        self.session.resign()
        self.out_of_time = True
        self._stopped()

    def give_time(self, machine: Player) -> None:
        """Tell the machine whose turn it is how much time it has left."""
        if self.clocks is not None and machine.clock is not None and self.session.mover is not None:
            machine.clock.left = self.clocks.left(self.session.mover)

    def _stopped(self) -> None:
        self.changes += 1
        if self.clocks is not None:
            self.clocks.start(None)

    def _require_no_clock(self) -> None:
        require(self.clocks is None, "moves of a game with a clock are not taken back")

    def undo(self) -> None:
        """Take back the last move of a human, and what followed."""
        self._require_no_clock()
        self.session.undo()
        self._rewound()

    def take_back_to(self, count: int) -> None:
        """Take back all moves but the first ones."""
        self._require_no_clock()
        self.session.take_back_to(count)
        self._rewound()

    def _rewound(self) -> None:
        self.decision = None  # it was about a position that is gone
        self.changes += 1

    def redo(self) -> None:
        """Play again what was taken back."""
        self.session.redo()
        self._rewound()

    def resign(self) -> None:
        """Resign for the human whose turn it is."""
        require(self.session.human_to_move, "it is not your turn")
        self.session.resign()
        self._stopped()

    def play_line(self, path: Sequence[str]) -> None:
        """Play further moves, all or none."""
        session = self.session
        require(self.clocks is None, "moves of a game with a clock are played one by one")
        require(not session.over, "the game is over")
        require(bool(path), "there is no move to play")
        data = session.to_dict()
        data["moves"] = [*session.moves, *path]
        self.replace(Session.from_dict(data, session.game))

    def swap_sides(self) -> None:
        """Give each seat to the player before it; with two players, each gets the other's."""
        session = self.session
        require(self.clocks is None, "the players of a game with a clock keep their seats")
        require(not session.over, "the game is over: ask for a rematch")
        data = session.to_dict() | {"seats": swapped(session.seats)}
        self.replace(Session.from_dict(data, session.game))

    def rematch(self, *, swap: bool) -> None:
        """Begin the same game again, with the same players."""
        seats = swapped(self.session.seats) if swap else self.session.seats
        clocks = self.clocks and RoomClocks(self.clocks.control, len(seats))
        session = Session(self.session.game, seats, seed=self.session.seed + 1)
        self.replace(session, clocks=clocks)

    def replace(
        self, session: Session, *, changes: int = 0, clocks: RoomClocks | None = None
    ) -> None:
        """Continue with another session; `changes` is the count of the copy that it came from."""
        self.session.close()
        self.session, self.decision = session, None
        self.clocks, self.out_of_time = clocks, False
        self.changes = max(self.changes + 1, changes)

    # -- copies -----------------------------------------------------------------------------------

    def is_older_than(self, copy: Any) -> bool:
        """Whether a browser's copy has more changes, or continues this game where it ends."""
        require(isinstance(copy, dict), "not a saved game")
        ours, theirs = self.session.moves, copy.get("moves")
        if not self.changes and not ours:
            return True  # nothing was played here
        if self.changes != read_changes(copy):
            return self.changes < read_changes(copy)
        same_game = copy.get("game") == str(self.session.game) and isinstance(theirs, list)
        return same_game and theirs[: len(ours)] == ours != theirs


def swapped(seats: Sequence[str]) -> list[str]:
    """The same players, each one seat further."""
    return [*seats[-1:], *seats[:-1]]


def read_changes(copy: dict[str, Any]) -> int:
    """The number of changes of a saved game; 0 where it is not given."""
    changes = copy.get("changes", 0)
    valid = isinstance(changes, int) and 0 <= changes <= MAX_CHANGES
    require(valid, "changes must be a whole number, 0 or more")
    return int(changes)
