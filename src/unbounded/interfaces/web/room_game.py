# SPDX-License-Identifier: MIT
"""The game in progress of a room: what was played, and by whom."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from unbounded.game import require
from unbounded.interfaces.session import Session
from unbounded.interfaces.web import views
from unbounded.interfaces.web.game_setup import seat_words
from unbounded.players import Decision

MAX_CHANGES = 1 << 50
"""A number that a browser counts to exactly."""


class RoomGame:
    """A session, the last decision of a machine, and the number of changes.

    Of two copies of a game, the one with more changes is newer.
    """

    def __init__(self, session: Session, changes: int = 0) -> None:
        self.session = session
        self.decision: Decision | None = None
        """What the last machine that moved knew."""
        self.changes = changes

    def view(self) -> dict[str, Any]:
        """The game as the page shows it."""
        return views.game_view(self.session, self.decision) | {
            "seat_words": seat_words(self.session.seats),
            "changes": self.changes,
        }

    def to_dict(self) -> dict[str, Any]:
        """The game for the store: what a file of the game has, and the number of changes."""
        return self.session.to_dict() | {"changes": self.changes}

    # -- changes ----------------------------------------------------------------------------------

    def move(self, name: str) -> None:
        """Play a human's move."""
        require(self.session.human_to_move, "it is not your turn")
        self.session.play(name)
        self.changes += 1

    def accept(self, decision: Decision) -> None:
        """Play the move that a machine has decided on."""
        self.session.accept(decision)
        self.decision = decision
        self.changes += 1

    def undo(self) -> None:
        """Take back the last move of a human, and what followed."""
        self.session.undo()
        self._rewound()

    def take_back_to(self, count: int) -> None:
        """Take back all moves but the first ones."""
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
        self.changes += 1

    def play_line(self, path: Sequence[str]) -> None:
        """Play further moves, all or none."""
        session = self.session
        require(not session.over, "the game is over")
        require(bool(path), "there is no move to play")
        data = session.to_dict()
        data["moves"] = [*session.moves, *path]
        self.replace(Session.from_dict(data, session.game))

    def swap_sides(self) -> None:
        """Give each seat to the player before it; with two players, each gets the other's."""
        session = self.session
        require(not session.over, "the game is over: ask for a rematch")
        data = session.to_dict() | {"seats": swapped(session.seats)}
        self.replace(Session.from_dict(data, session.game))

    def rematch(self, *, swap: bool) -> None:
        """Begin the same game again, with the same players."""
        seats = swapped(self.session.seats) if swap else self.session.seats
        self.replace(Session(self.session.game, seats, seed=self.session.seed + 1))

    def replace(self, session: Session, *, changes: int = 0) -> None:
        """Continue with another session; `changes` is the count of the copy that it came from."""
        self.session, self.decision = session, None
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
